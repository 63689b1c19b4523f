//! Signs of the factors of `vmad` (manual 9.7.18.1.5).

use ptx_diag::Diagnostic;
use ptx_ir::Operand;
use ptx_isa::{Mod, Opcode};

use crate::codes;
use crate::context::{Checker, Site};

/// Either the product or the summand is negative, not both, and `.po` adds one to neither.
pub(crate) fn check(cx: &mut Checker<'_>, site: Site<'_>) {
    if site.mnemonic().opcode() != Opcode::Vmad {
        return;
    }
    let turned = |at: usize| matches!(site.operand(at), Operand::Negated(..));
    let (product, summand) = (turned(1) != turned(2), turned(3));
    let text = if product && summand {
        "either the product or the summand may be negative, not both"
    } else if (product || summand) && site.has(Mod::Po) {
        "`.po` cannot be combined with negated operands"
    } else {
        return;
    };
    let at = if summand { site.span(3) } else { site.whole() };
    cx.report(Diagnostic::error(codes::OPERAND_KIND, at, text).with_help("negate in a separate instruction"));
}
