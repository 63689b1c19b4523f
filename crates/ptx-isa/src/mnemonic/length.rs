//! The number of registers of a vector operand, from the shape, the types and the mode that were chosen.

use crate::form::VectorLength;
use crate::geometry::Geometry;
use crate::length::VectorLengthRule;
use crate::matrix::{self, MatrixShape};
use crate::names::{Field, Mod};
use crate::types::ScalarType;

use super::chosen::Mnemonic;

impl Mnemonic {
    /// How many registers a vector operand of this length has; 1 where the program decides.
    pub fn vector_length(&self, length: VectorLength) -> u8 {
        match length {
            VectorLength::Is(n) => n,
            VectorLength::By(lengths) => lengths.of(self),
            VectorLength::Free => 1,
            VectorLength::Of(field) => match self.get(field) {
                Some(Mod::V2 | Mod::X2) => 2,
                Some(Mod::V4 | Mod::X4) => 4,
                Some(Mod::V8) => 8,
                _ => 1,
            },
        }
    }
}

impl VectorLengthRule {
    /// The length for the modifiers of `mnemonic`; at least 1.
    fn of(self, mnemonic: &Mnemonic) -> u8 {
        let length = match self {
            VectorLengthRule::A | VectorLengthRule::B | VectorLengthRule::C | VectorLengthRule::D => {
                self.fragment(mnemonic)
            }
            VectorLengthRule::TensorMemory => tensor_memory(mnemonic),
            VectorLengthRule::CompressedValues => tensor_memory(mnemonic) / 2,
            VectorLengthRule::CompressedPositions => tensor_memory(mnemonic) / 32,
            VectorLengthRule::Matrices => matrices(mnemonic),
            VectorLengthRule::TensorCoordinates => match mnemonic.get(Field::LoadMode) {
                Some(Mod::TileGather4 | Mod::TileScatter4) => 5,
                _ => dimensions(mnemonic),
            },
            VectorLengthRule::TensorSizes => dimensions(mnemonic),
            VectorLengthRule::TensorStrides => dimensions(mnemonic).saturating_sub(1),
            VectorLengthRule::TensorOffsets => match mnemonic.get(Field::LoadMode) {
                Some(Mod::Im2colW | Mod::Im2colW128) => 2,
                _ => dimensions(mnemonic).saturating_sub(2),
            },
            VectorLengthRule::TextureOffsets => match mnemonic.geometry() {
                // The verifier refuses offsets from a direction.
                Some(geometry) if geometry.is_cube => 2,
                geometry => padded_axes(geometry),
            },
            VectorLengthRule::Gradient => padded_axes(mnemonic.geometry()),
            VectorLengthRule::DisabledLanes => 4 * numbered(mnemonic.get(Field::CtaGroup), "cta_group::"),
        };
        // Default: shapes that repeat so often are refused by the verifier.
        u8::try_from(length.max(1)).unwrap_or(u8::MAX)
    }

    /// The elements of the matrix, over the threads that share it, packed into registers.
    fn fragment(self, mnemonic: &Mnemonic) -> u32 {
        let Some(MatrixShape { m, n, k }) = shape(mnemonic) else { return 1 };
        let (elements, field) = match self {
            VectorLengthRule::A => (m * k, Field::AType),
            VectorLengthRule::B => (n * k, Field::BType),
            VectorLengthRule::C => (m * n, Field::CType),
            _ => (m * n, Field::DType),
        };
        // The operands of `wmma.mma` on `.f16` are named by nothing, those of `wgmma` have no type for C.
        let ty = mnemonic.get(field).unwrap_or(Mod::F16);
        let is_sparse = mnemonic.has(Mod::Sp) || mnemonic.has(Mod::SpOrderedMetadata);
        let elements = if is_sparse && self == VectorLengthRule::A { elements / 2 } else { elements };
        let threads = match mnemonic.get(Field::Shape) {
            // Four groups of eight threads multiply one matrix each (manual 9.7.14.5.1).
            Some(Mod::M8n8k4) if ty != Mod::F64 => 8,
            _ if m == 64 => 128,
            _ => 32,
        };
        let is_wmma = mnemonic.has(Mod::Load) || mnemonic.has(Mod::Mma);
        if is_wmma && ty == Mod::F16 && matches!(self, VectorLengthRule::A | VectorLengthRule::B) {
            return matrix::WMMA_HALVES;
        }
        matrix::fragment_registers(elements, element_bits(ty, mnemonic), threads)
    }
}

/// Bits of an element as it lies in registers.
fn element_bits(ty: Mod, mnemonic: &Mnemonic) -> u32 {
    match ty {
        Mod::B1 => 1,
        Mod::U4 | Mod::S4 => 4,
        Mod::E2m1 if matrix::PACKED_KINDS.iter().any(|kind| mnemonic.has(*kind)) => 4,
        Mod::E4m3 | Mod::E5m2 | Mod::E3m2 | Mod::E2m3 | Mod::E2m1 => 8,
        // A number of 19 bits lies in a register.
        Mod::Tf32 => 32,
        _ => {
            let known = ScalarType::from_mod(ty);
            debug_assert!(known.is_some(), "`.{}` is no type of elements", ty.as_str());
            // Default: as asserted.
            known.map_or(32, ScalarType::bits)
        }
    }
}

/// The shape of a product.
fn shape(mnemonic: &Mnemonic) -> Option<MatrixShape> {
    mnemonic.get(Field::Shape).and_then(Mod::matrix_shape)
}

/// How many choices there are of the threads that provide the metadata of a sparse A. At least 1.
pub(super) fn sparsity_selectors(mnemonic: &Mnemonic) -> i64 {
    let Some(MatrixShape { m, k, .. }) = shape(mnemonic) else { return 1 };
    // `ptxas` lets half-precision matrices with sums in single precision have all four choices.
    let is_single =
        mnemonic.get(Field::DType) == Some(Mod::F32) && mnemonic.get(Field::AType) == Some(Mod::F16);
    if is_single && m == 16 {
        return 4;
    }
    let Some(ty) = mnemonic.get(Field::AType) else {
        debug_assert!(false, "a sparse matrix without a type: {mnemonic}");
        return 1;
    };
    let bits = element_bits(ty, mnemonic);
    matrix::sparsity_selectors(k, bits).into()
}

/// The number after a prefix, as in `cta_group::2` or `x16`; one without the modifier.
fn numbered(modifier: Option<Mod>, prefix: &str) -> u32 {
    let Some(modifier) = modifier else { return 1 };
    let number = modifier.as_str().strip_prefix(prefix).and_then(|number| number.parse().ok());
    debug_assert!(number.is_some(), "`.{}` has no number after `{prefix}`", modifier.as_str());
    // Default: as asserted.
    number.unwrap_or(1)
}

/// 32 lanes share rows of this number of bits, repeated.
fn tensor_memory(mnemonic: &Mnemonic) -> u32 {
    let repeats = numbered(mnemonic.get(Field::Num), "x");
    repeats
        * match mnemonic.get(Field::Shape) {
            Some(Mod::S16x128b) => 2,
            Some(Mod::S16x256b) => 4,
            _ => 1,
        }
}

/// A matrix of 16 by 16 bytes needs two registers, the others one.
fn matrices(mnemonic: &Mnemonic) -> u32 {
    let each = if mnemonic.get(Field::Shape) == Some(Mod::M16n16) { 2 } else { 1 };
    each * numbered(mnemonic.get(Field::Num), "x")
}

/// The dimensions of a tensor.
fn dimensions(mnemonic: &Mnemonic) -> u32 {
    let number = mnemonic.get(Field::Dim).and_then(Mod::dimensions);
    debug_assert!(number.is_some(), "a tensor without dimensions: {mnemonic}");
    // Default: as asserted.
    number.unwrap_or(1)
}

/// One number for each axis, three padded to four; two without a geometry.
fn padded_axes(geometry: Option<Geometry>) -> u32 {
    match geometry.map(|geometry| geometry.axes) {
        Some(3) => 4,
        Some(axes) => axes,
        None => 2,
    }
}
