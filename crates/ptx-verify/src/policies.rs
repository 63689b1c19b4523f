//! Constants of cache policies (manual 9.7.9.18).

use ptx_diag::{Diagnostic, Span, counted};
use ptx_ir::{Immediate, Operand};
use ptx_isa::OperandKey;

use crate::codes;
use crate::context::{Checker, Site};

/// A fraction is above 0 and at most 1, and the primary part of a range no larger than the whole.
pub(crate) fn check_policy(cx: &mut Checker<'_>, site: Site<'_>) {
    let constant = |key: OperandKey| {
        let at = site.form().operand(key)?;
        match site.operand(at) {
            Operand::Immediate(value) => Some((value, site.span(at))),
            _ => None,
        }
    };
    if let Some((fraction, span)) = constant(OperandKey::Fraction)
        && !number(fraction).is_some_and(|fraction| fraction > 0.0 && fraction <= 1.0)
    {
        report(cx, span, "the fraction must be greater than 0 and at most 1".to_owned());
    }
    // `ptxas` looks at 32 bits of the sizes.
    let size = |key| constant(key).and_then(|(value, span)| Some((value.as_integer()? as u32, span)));
    if let (Some((primary, span)), Some((total, _))) =
        (size(OperandKey::PrimarySize), size(OperandKey::TotalSize))
        && primary > total
    {
        report(
            cx,
            span,
            format!(
                "the primary size, {}, must not exceed the total size, {}",
                counted(primary as u64, "byte"),
                counted(total as u64, "byte")
            ),
        );
    }
}

fn number(value: Immediate) -> Option<f64> {
    match value {
        Immediate::F32(bits, _) => Some(f64::from(f32::from_bits(bits))),
        Immediate::F64(bits, _) => Some(f64::from_bits(bits)),
        Immediate::S64(..) | Immediate::U64(..) => None,
    }
}

fn report(cx: &mut Checker<'_>, span: Span, text: String) {
    cx.report(Diagnostic::error(codes::IMMEDIATE_RANGE, span, text));
}
