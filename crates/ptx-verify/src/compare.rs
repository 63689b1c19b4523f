//! Comparisons and extrema whose types do not go together (manual 9.7.1.12, 9.7.6, 9.7.7).

use ptx_diag::Diagnostic;
use ptx_ir::Operand;
use ptx_isa::{CompareSem, Field, Mod, OperandKind, Role, ScalarType, Sem};

use crate::codes;
use crate::context::{Checker, Site, dotted};
use crate::findings::{impossible, misplaced};

/// Checks `set` and `setp`.
pub(crate) fn check(cx: &mut Checker<'_>, site: Site<'_>) {
    check_combined(cx, site);
    match site.mnemonic().sem() {
        Sem::Compare(CompareSem::Set) => check_result(cx, site),
        _ => check_second(cx, site),
    }
}

/// Where bfloat values are compared or made, what the comparison is combined with is not a constant.
fn check_combined(cx: &mut Checker<'_>, site: Site<'_>) {
    let mnemonic = site.mnemonic();
    let types = [Field::Type, Field::DType, Field::AType].map(|field| mnemonic.type_of(field));
    let is_bfloat = |ty: &Option<ScalarType>| matches!(ty, Some(ScalarType::Bf16 | ScalarType::Bf16x2));
    if mnemonic.get(Field::Bool).is_none() || !types.iter().any(is_bfloat) {
        return;
    }
    let place = site.form().operands.iter().rposition(|operand| operand.kind == OperandKind::Predicate);
    if let Some(at) = place
        && let Operand::Immediate(_) = site.operand(at)
    {
        let text = format!("operand `{}` of `{mnemonic}` must be a register", site.form().operands[at].name);
        cx.report(Diagnostic::error(codes::OPERAND_KIND, site.span(at), text).with_label("a constant"));
    }
}

/// The result of `set` of half-precision values is as wide as its sources, or 16 or 32 bits (manual 9.7.7.1).
fn check_result(cx: &mut Checker<'_>, site: Site<'_>) {
    use ScalarType::{Bf16, Bf16x2, F16, F16x2, S16, S32, U16, U32};
    let mnemonic = site.mnemonic();
    let (Some(to), Some(from)) = (mnemonic.type_of(Field::DType), mnemonic.type_of(Field::AType)) else {
        return;
    };
    let fits = match from {
        F16 => matches!(to, F16 | Bf16 | U16 | S16 | U32 | S32 | ScalarType::F32),
        Bf16 => matches!(to, Bf16 | U16 | S16 | U32 | S32 | ScalarType::F32),
        F16x2 => matches!(to, F16x2 | U32 | S32),
        Bf16x2 => matches!(to, Bf16x2 | U32 | S32),
        _ => true,
    };
    if !fits {
        return impossible(
            cx,
            site,
            &format!("{} comparisons do not have results of type {}", dotted(from), dotted(to)),
        );
    }
    if site.has(Mod::Ftz) && to == Bf16 {
        misplaced(cx, site, Mod::Ftz, "has no meaning for a `.bf16` result");
    }
}

/// Only pairs and numbers of 32 bits and more have a second predicate, and one of the two must not be `_` (manual 9.7.7.2).
fn check_second(cx: &mut Checker<'_>, site: Site<'_>) {
    if site.operand(0) == Operand::Sink && site.operand(1) == Operand::Sink {
        let text = format!("at least one result of `{}` must not be `_`", site.mnemonic());
        cx.report(Diagnostic::error(codes::SINK, site.span(0), text));
    }
    let ty = site.mnemonic().type_of(Field::Type);
    if !matches!(ty, Some(ScalarType::F16 | ScalarType::Bf16)) {
        return;
    }
    let place = site.form().operands.iter().position(|operand| operand.role == Role::DefPair);
    if let Some(at) = place
        && site.operand(at) != Operand::Omitted
    {
        let text = format!("`{}` has only one predicate result", site.mnemonic());
        cx.report(Diagnostic::error(codes::OPERAND_KIND, site.span(at), text));
    }
}
