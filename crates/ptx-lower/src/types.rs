//! LLVM's types and constants for those of PTX.

use ptx_ir::Immediate;
use ptx_isa::{ScalarType, StateSpace};
use ptx_llvm_core::build::{Type, Types};

use crate::errors::{Result, defect, unsupported};

/// The LLVM type of a PTX type.
pub(crate) fn llvm_type<'c>(types: Types<'c>, ty: ScalarType) -> Type<'c> {
    use ScalarType::*;
    match ty {
        F16 => types.f16(),
        Bf16 => types.bf16(),
        F32 => types.f32(),
        F64 => types.f64(),
        F16x2 => types.vector(types.f16(), 2),
        Bf16x2 => types.vector(types.bf16(), 2),
        F32x2 => types.vector(types.f32(), 2),
        U16x2 | S16x2 => types.vector(types.int(16), 2),
        B8 | B16 | B32 | B64 | B128 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 | Tf32 | U8x4 | S8x4
        | Pred => types.int(ty.bits()),
    }
}

/// The bits of a constant in a type.
pub(crate) fn constant_bits(immediate: Immediate, ty: ScalarType) -> Result<u128> {
    Ok(match (immediate, ty) {
        (Immediate::S64(value, _), ScalarType::Pred) => u128::from(value != 0),
        (Immediate::U64(value, _), ScalarType::Pred) => u128::from(value != 0),
        // Sign-extended to the width of the type; the caller cuts.
        (Immediate::S64(value, _), _) => i128::from(value) as u128,
        (Immediate::U64(value, _), _) => u128::from(value),
        (Immediate::F32(bits, _), ScalarType::F64) => u128::from(f64::from(f32::from_bits(bits)).to_bits()),
        (Immediate::F32(bits, _), _) if ty.bits() == 32 => u128::from(bits),
        (Immediate::F64(bits, _), _) if ty.bits() == 64 => u128::from(bits),
        (Immediate::F64(bits, _), ScalarType::F32 | ScalarType::B32) => {
            u128::from((f64::from_bits(bits) as f32).to_bits())
        }
        (Immediate::F32(..) | Immediate::F64(..), _) => {
            return unsupported(format!("a floating-point constant of type .{}", ty.as_str()));
        }
    })
}

/// The bits of a number or vector of numbers.
pub(crate) fn bits_of(ty: Type<'_>) -> Result<u32> {
    ty.bits().map_or_else(|| defect("a value of an aggregate or pointer type is used as bits"), Ok)
}

/// The bits of an integer.
pub(crate) fn int_bits_of(ty: Type<'_>) -> Result<u32> {
    ty.int_bits().map_or_else(|| defect("a value that is not an integer is used as one"), Ok)
}

/// The name of a space as PTX writes it, for messages.
pub(crate) fn space_name(space: Option<StateSpace>) -> &'static str {
    // Default: an instruction or pointer without a space is of the generic one.
    space.map_or("generic", StateSpace::as_str)
}

/// Whether the type is arithmetic on floating-point numbers, single or packed.
pub(crate) fn is_floating(ty: ScalarType) -> bool {
    ty.is_float() || matches!(ty, ScalarType::F16x2 | ScalarType::Bf16x2 | ScalarType::F32x2)
}
