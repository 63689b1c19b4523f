//! Bit fields and three-input logic (manual 9.7.1.19, 9.7.1.20, 9.7.8.6).

use ptx_diag::Diagnostic;
use ptx_ir::Operand;
use ptx_isa::{Field, Kind, Role, TypeRule};

use crate::codes;
use crate::context::{Checker, Site};

/// Positions and lengths of bit fields count in the low 8 bits; constants must fit them.
pub(crate) fn check_field(cx: &mut Checker<'_>, site: Site<'_>) {
    for (at, operand) in site.form().operands.iter().enumerate() {
        let counts = matches!(operand.kind, Kind::Value(TypeRule::Is(_)));
        let Operand::Immediate(value) = site.operand(at) else { continue };
        let Some(value) = value.as_integer().filter(|_| counts) else { continue };
        if value > 255 {
            let text = format!("operand `{}` of `{}` must be from 0 to 255", operand.name, site.mnemonic());
            cx.report(Diagnostic::error(codes::IMMEDIATE_RANGE, site.span(at), text));
        }
    }
}

/// `lop3` with a combination gives it to a predicate.
pub(crate) fn check_logic(cx: &mut Checker<'_>, site: Site<'_>) {
    let place = site.form().operands.iter().position(|operand| operand.role == Role::DefPair);
    if let Some(at) = place
        && site.mnemonic().get(Field::Bool).is_some()
        && site.operand(at).is_omitted()
    {
        let text = format!("`{}` needs a predicate after its result", site.mnemonic());
        let help = "write `d|p`, or `_|p` when only the predicate is needed";
        cx.report(Diagnostic::error(codes::OPERAND_MISSING, site.whole(), text).with_help(help));
    }
}
