//! The numbers in registers.

use ptx_isa::{ScalarType, TypeKind};

use crate::program::Numbers;
use crate::scalar::format::Format;
use crate::scalar::int::{Int, Signedness};

/// The numbers in a register of a type; untyped bits are unsigned.
pub(super) fn numbers(ty: ScalarType) -> Option<Numbers> {
    let sign = if ty.is_signed() { Signedness::Signed } else { Signedness::Unsigned };
    match ty.kind() {
        TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed => Int::new(ty.bits(), sign).map(Numbers::Int),
        TypeKind::Float => float_format(ty).map(Numbers::Float),
        TypeKind::Packed => match ty {
            ScalarType::F16x2 => Some(Numbers::Floats(Format::F16, 2)),
            ScalarType::Bf16x2 => Some(Numbers::Floats(Format::Bf16, 2)),
            ScalarType::F32x2 => Some(Numbers::Floats(Format::F32, 2)),
            ScalarType::U16x2 => Some(Numbers::Ints(Int::U16, 2)),
            ScalarType::S16x2 => Some(Numbers::Ints(Int::S16, 2)),
            ScalarType::U8x4 => Some(Numbers::Ints(Int::U8, 4)),
            ScalarType::S8x4 => Some(Numbers::Ints(Int::S8, 4)),
            _ => None,
        },
        TypeKind::Predicate => None,
    }
}

/// The format of a floating-point type.
pub(super) fn float_format(ty: ScalarType) -> Option<Format> {
    match ty {
        ScalarType::F16 => Some(Format::F16),
        ScalarType::Bf16 => Some(Format::Bf16),
        ScalarType::Tf32 => Some(Format::Tf32),
        ScalarType::F32 => Some(Format::F32),
        ScalarType::F64 => Some(Format::F64),
        _ => None,
    }
}

/// The integer type of an untyped or integer type.
pub(super) fn int_of(ty: ScalarType) -> Option<Int> {
    match numbers(ty) {
        Some(Numbers::Int(int)) => Some(int),
        Some(Numbers::Float(_) | Numbers::Ints(..) | Numbers::Floats(..)) | None => None,
    }
}
