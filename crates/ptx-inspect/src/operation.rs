//! Operations on integers other than sums and products.

use crate::polynomial::Polynomial;

/// An operation on integers other than sums and products.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum OperationKind {
    And,
    Or,
    Xor,
    /// Shift of zeros or of the sign to the right, by a constant.
    ShiftRight,
    Divide,
    Remainder,
    Min,
    Max,
}

/// An operation with its sources, in a width in bits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Operation {
    pub(crate) kind: OperationKind,
    pub(crate) sources: [Polynomial; 2],
    pub(crate) bits: u32,
    pub(crate) is_signed: bool,
}

/// An operation on numbers; `None` if a source does not have the width.
pub(crate) fn operate(operation: &Operation, a: i64, b: i64) -> Option<i64> {
    // Both as the instruction sees them.
    let read = |value: i64| match (operation.bits, operation.is_signed) {
        (64, true) => Some(value),
        (64, false) => u64::try_from(value).ok().and_then(|value| i64::try_from(value).ok()),
        (_, true) => Some(i64::from(value as i32)),
        (_, false) => Some(i64::from(value as u32)),
    };
    let (a, b) = match operation.kind {
        // Bits of negative numbers are those of two's complement.
        OperationKind::And | OperationKind::Or | OperationKind::Xor => (a, b),
        _ => (read(a)?, read(b)?),
    };
    match operation.kind {
        OperationKind::And => Some(a & b),
        OperationKind::Or => Some(a | b),
        OperationKind::Xor => Some(a ^ b),
        OperationKind::ShiftRight => a.checked_shr(u32::try_from(b).ok()?),
        OperationKind::Divide => a.checked_div(b),
        OperationKind::Remainder => a.checked_rem(b),
        OperationKind::Min => Some(a.min(b)),
        OperationKind::Max => Some(a.max(b)),
    }
}
