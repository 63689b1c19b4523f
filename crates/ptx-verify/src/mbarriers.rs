//! Barriers in shared memory (manual 9.7.13.15).

use ptx_diag::Diagnostic;
use ptx_ir::Operand;
use ptx_isa::{Mod, Role, Since};

use crate::codes;
use crate::context::{Checker, Site};

/// The state of an arrival may be left out since PTX ISA 7.1; arrivals at another block's barrier give none.
pub(crate) fn check(cx: &mut Checker<'_>, site: Site<'_>) {
    if site.operand(0) == Operand::Sink && site.has(Mod::Arrive) {
        cx.require(Since::new(7, 1, 80), site.span(0), "an arrival without a state");
    }
    if !site.has(Mod::SharedCluster) {
        return;
    }
    for (at, place) in site.form().operands.iter().enumerate() {
        if place.role == Role::Def && matches!(site.operand(at), Operand::Register(_)) {
            let text = format!("`{}` does not return a state", site.mnemonic());
            let finding = Diagnostic::error(codes::SINK, site.span(at), text);
            cx.report(finding.with_help("write `_` for the state of another block's barrier"));
        }
    }
}
