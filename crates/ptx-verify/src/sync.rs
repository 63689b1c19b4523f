//! Barriers, fences and the election of a lane (manual 9.7.13).

use ptx_diag::Diagnostic;
use ptx_ir::Operand;
use ptx_isa::{Field, Mod, Role};

use crate::codes;
use crate::context::{Checker, Site};
use crate::modifiers::missing;

/// Barriers are numbered 0 to 15 and count whole warps (manual 9.7.13.1).
pub(crate) fn check_barrier(cx: &mut Checker<'_>, site: Site<'_>) {
    let operands = site.form().operands;
    for (at, operand) in operands.iter().enumerate() {
        let Operand::Immediate(value) = site.operand(at) else { continue };
        // `ptxas` looks at 32 bits.
        let Some(value) = value.as_integer().map(|value| value as u32) else { continue };
        let text = match operand.name {
            "a" if value > 15 => format!("a barrier number must be from 0 to 15, not {value}"),
            "b" if value == 0 && site.has(Mod::Arrive) => {
                "the thread count of an arrival cannot be 0".to_owned()
            }
            "b" if value % 32 != 0 => {
                format!("the thread count of a barrier must be a multiple of 32, not {value}")
            }
            _ => continue,
        };
        cx.report(Diagnostic::error(codes::IMMEDIATE_RANGE, site.span(at), text));
    }
}

/// A fence has its order, or is `.acq_rel` if it has only a scope (manual 9.7.13.4).
pub(crate) fn check_fence(cx: &mut Checker<'_>, site: Site<'_>) {
    if site.mnemonic().form().slot_of(Field::Scope).is_some() && site.mnemonic().get(Field::Scope).is_none() {
        missing(cx, site, "a fence needs a scope".to_owned(), "add `.cta`, `.cluster`, `.gpu` or `.sys`");
    }
}

/// `elect` gives its predicate always (manual 9.7.13.14).
pub(crate) fn check_elect(cx: &mut Checker<'_>, site: Site<'_>) {
    let place = site.form().operands.iter().position(|operand| operand.role == Role::DefPair);
    if place.is_some_and(|at| site.operand(at).is_omitted()) {
        let text = "`elect.sync` needs a predicate after its result";
        let help = "write `d|p`, or `_|p` when only the predicate is needed";
        cx.report(Diagnostic::error(codes::OPERAND_MISSING, site.whole(), text).with_help(help));
    }
}
