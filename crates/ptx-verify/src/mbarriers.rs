//! Barriers in shared memory and the constants they are given (manual 9.7.13.15).

use ptx_diag::Diagnostic;
use ptx_ir::Operand;
use ptx_isa::{Mod, Role, Sem};

use crate::codes;
use crate::context::{Checker, Site};

/// The most arrivals that a phase can wait for.
const MOST_ARRIVALS: i128 = 0xF_FFFF;

/// Counts of arrivals are positive, parities are 0 or 1, and arrivals at another block's barrier give no state.
pub(crate) fn check(cx: &mut Checker<'_>, site: Site<'_>) {
    for (at, place) in site.form().operands.iter().enumerate() {
        match site.operand(at) {
            Operand::Immediate(value) => {
                let range = allowed(site, place.name);
                let value = value.as_integer().map(|value| i128::from(value as i64));
                if let (Some((low, high)), Some(value)) = (range, value)
                    && !(low..=high).contains(&value)
                {
                    let name = place.name;
                    let text = format!("operand `{name}` of `{}` is from {low} to {high}", site.mnemonic());
                    cx.report(Diagnostic::error(codes::IMMEDIATE_RANGE, site.span(at), text));
                }
            }
            Operand::Register(_)
                if place.name == "state" && place.role == Role::Def && site.has(Mod::SharedCluster) =>
            {
                let text = format!("`{}` gives no state", site.mnemonic());
                let finding = Diagnostic::error(codes::SINK, site.span(at), text);
                cx.report(finding.with_help("write `_` for the state of another block's barrier"));
            }
            _ => {}
        }
    }
}

fn allowed(site: Site<'_>, operand: &str) -> Option<(i128, i128)> {
    match (site.mnemonic().sem(), operand) {
        (Sem::MbarrierInit, "count") => Some((1, MOST_ARRIVALS)),
        (Sem::MbarrierArrive, "count") => Some((1, i128::from(u32::MAX))),
        (Sem::MbarrierWait, "phaseParity") => Some((0, 1)),
        _ => None,
    }
}
