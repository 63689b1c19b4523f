//! Tensor maps.

use std::ffi::c_void;

use ptx_device::TensorMap;
use ptx_device::tensormap::{
    ElementType, Interleave, MOST_DIMENSIONS, OutOfBounds, PixelBox, Promotion, Swizzle, Tensor,
    TensorMapError, WideMode,
};

use crate::device::address_of;
use crate::objects::constant;
use crate::pointer::{given, items, store};
use crate::status::{Failure, PtxStatus, guard};

/// The element type of a tensor.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PtxElementType {
    /// `.u8`
    PtxElementU8 = 0,
    /// `.u16`
    PtxElementU16 = 1,
    /// `.u32`
    PtxElementU32 = 2,
    /// `.s32`
    PtxElementS32 = 3,
    /// `.u64`
    PtxElementU64 = 4,
    /// `.s64`
    PtxElementS64 = 5,
    /// `.f16`
    PtxElementF16 = 6,
    /// `.f32`
    PtxElementF32 = 7,
    /// `.f32`; reductions flush subnormals.
    PtxElementF32Ftz = 8,
    /// `.f64`
    PtxElementF64 = 9,
    /// `.bf16`
    PtxElementBf16 = 10,
    /// `.tf32`
    PtxElementTf32 = 11,
    /// `.tf32`; reductions flush subnormals.
    PtxElementTf32Ftz = 12,
    /// 4 bits, packed.
    PtxElementB4x16 = 13,
    /// 4 bits; in shared memory 16 elements are followed by 8 unused bytes.
    PtxElementB4x16P64 = 14,
    /// 6 bits; in shared memory 16 elements are followed by 4 unused bytes.
    PtxElementB6x16P32 = 15,
}

/// Layout of the channels of a tensor in memory.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
#[expect(non_camel_case_types, reason = "the names of C come of them")]
pub enum PtxInterleave {
    /// All channels of a pixel are contiguous.
    PtxInterleaveNone = 0,
    /// In slices of 16 bytes.
    PtxInterleave_16b = 1,
    /// In slices of 32 bytes.
    PtxInterleave_32b = 2,
}

/// Permutation of a box in shared memory.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
#[expect(non_camel_case_types, reason = "the names of C come of them")]
pub enum PtxSwizzle {
    /// None.
    PtxSwizzleNone = 0,
    /// Chunks of 16 bytes within 32 bytes.
    PtxSwizzle_32b = 1,
    /// Chunks of 16 bytes within 64 bytes.
    PtxSwizzle_64b = 2,
    /// Chunks of 16 bytes within 128 bytes.
    PtxSwizzle_128b = 3,
    /// Chunks of 32 bytes within 128 bytes.
    PtxSwizzle_128bAtom_32b = 4,
    /// Like the previous one, with the halves of each 16 bytes swapped in every other line of 128 bytes.
    PtxSwizzle_128bAtom_32bFlip_8b = 5,
    /// Chunks of 64 bytes within 128 bytes.
    PtxSwizzle_128bAtom_64b = 6,
}

const ELEMENTS: [(PtxElementType, ElementType); 16] = [
    (PtxElementType::PtxElementU8, ElementType::U8),
    (PtxElementType::PtxElementU16, ElementType::U16),
    (PtxElementType::PtxElementU32, ElementType::U32),
    (PtxElementType::PtxElementS32, ElementType::S32),
    (PtxElementType::PtxElementU64, ElementType::U64),
    (PtxElementType::PtxElementS64, ElementType::S64),
    (PtxElementType::PtxElementF16, ElementType::F16),
    (PtxElementType::PtxElementF32, ElementType::F32),
    (PtxElementType::PtxElementF32Ftz, ElementType::F32Ftz),
    (PtxElementType::PtxElementF64, ElementType::F64),
    (PtxElementType::PtxElementBf16, ElementType::Bf16),
    (PtxElementType::PtxElementTf32, ElementType::Tf32),
    (PtxElementType::PtxElementTf32Ftz, ElementType::Tf32Ftz),
    (PtxElementType::PtxElementB4x16, ElementType::B4x16),
    (PtxElementType::PtxElementB4x16P64, ElementType::B4x16P64),
    (PtxElementType::PtxElementB6x16P32, ElementType::B6x16P32),
];
const INTERLEAVES: [(PtxInterleave, Interleave); 3] = [
    (PtxInterleave::PtxInterleaveNone, Interleave::None),
    (PtxInterleave::PtxInterleave_16b, Interleave::Bytes16),
    (PtxInterleave::PtxInterleave_32b, Interleave::Bytes32),
];
const SWIZZLES: [(PtxSwizzle, Swizzle); 7] = [
    (PtxSwizzle::PtxSwizzleNone, Swizzle::None),
    (PtxSwizzle::PtxSwizzle_32b, Swizzle::Bytes32),
    (PtxSwizzle::PtxSwizzle_64b, Swizzle::Bytes64),
    (PtxSwizzle::PtxSwizzle_128b, Swizzle::Bytes128),
    (PtxSwizzle::PtxSwizzle_128bAtom_32b, Swizzle::Bytes128Atom32),
    (PtxSwizzle::PtxSwizzle_128bAtom_32bFlip_8b, Swizzle::Bytes128Atom32Flip8),
    (PtxSwizzle::PtxSwizzle_128bAtom_64b, Swizzle::Bytes128Atom64),
];

/// A tensor in memory of the device. Lists are in dimension order, innermost first, and have one element per dimension;
/// further elements are not read. Constants that are 0 select the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxTensor {
    /// The element type: a `PtxElementType`.
    pub element: u32,
    /// Rank: 1 to 5.
    pub rank: u32,
    /// The address of its first element.
    pub address: *const c_void,
    /// Elements along each dimension.
    pub dims: [u64; 5],
    /// Strides in bytes of all dimensions except the innermost.
    pub strides: [u64; 4],
    /// Strides in elements between copied elements; zeros for 1 along all dimensions.
    pub element_strides: [u32; 5],
    /// Layout of its channels: a `PtxInterleave`.
    pub interleave: u32,
    /// Permutation of a box in shared memory: a `PtxSwizzle`.
    pub swizzle: u32,
    /// Nonzero if loads return NaN instead of 0 for elements outside the tensor.
    pub nan_outside: u32,
}

/// A tensor map, as passed to kernels as a parameter. The encoding is specific to this library.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxTensorMap {
    /// Its bytes.
    pub bytes: [u8; 128],
}

impl From<TensorMapError> for Failure {
    fn from(error: TensorMapError) -> Self {
        Failure::value(error.to_string())
    }
}

/// The first elements of a list.
fn first<T: Copy>(list: &[T], count: usize) -> Vec<T> {
    list.iter().take(count).copied().collect()
}

impl PtxTensor {
    fn read(&self) -> Result<Tensor, Failure> {
        let rank = self.rank as usize;
        if !(1..=MOST_DIMENSIONS).contains(&rank) {
            return Err(Failure::value(format!(
                "`rank` is {rank}; a tensor has 1 to {MOST_DIMENSIONS} dimensions"
            )));
        }
        let element = constant(self.element, &ELEMENTS, "element")?;
        let tensor = Tensor::new(
            element,
            address_of(self.address),
            &first(&self.dims, rank),
            &first(&self.strides, rank - 1),
        );
        let steps = first(&self.element_strides, rank);
        let element_strides = if steps.iter().all(|&step| step == 0) { vec![1; rank] } else { steps };
        Ok(Tensor {
            element_strides,
            interleave: constant(self.interleave, &INTERLEAVES, "interleave")?,
            swizzle: constant(self.swizzle, &SWIZZLES, "swizzle")?,
            promotion: Promotion::None,
            out_of_bounds: if self.nan_outside == 0 { OutOfBounds::Zeros } else { OutOfBounds::Nan },
            ..tensor
        })
    }
}

/// Creates a map of boxes of a tensor, like `cuTensorMapEncodeTiled`. `sizes` are the sizes of a box along each dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_tensor_map_tiled(
    tensor: *const PtxTensor,
    sizes: *const u32,
    map: *mut PtxTensorMap,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let tensor = unsafe { given(tensor, "`tensor`") }?.read()?;
        // SAFETY: the header's contract.
        let sizes = unsafe { items(sizes, tensor.dims.len(), "`sizes`") }?;
        let made = PtxTensorMap { bytes: TensorMap::tiled(&tensor, sizes)?.to_bytes() };
        // SAFETY: the header's contract.
        unsafe { store(map, made, "`map`") }
    })
}

/// Creates a map of pixels for a filter, like `cuTensorMapEncodeIm2col`. The corners have a coordinate for each
/// dimension except the innermost and the outermost, in dimension order: W, H, D.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_tensor_map_im2col(
    tensor: *const PtxTensor,
    lower: *const i32,
    upper: *const i32,
    channels: u32,
    pixels: u32,
    map: *mut PtxTensorMap,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let tensor = unsafe { given(tensor, "`tensor`") }?.read()?;
        let count = tensor.dims.len().saturating_sub(2);
        // SAFETY: the header's contract.
        let (lower, upper) = unsafe { (items(lower, count, "`lower`")?, items(upper, count, "`upper`")?) };
        let pixel_box = PixelBox { lower: lower.to_vec(), upper: upper.to_vec(), channels, pixels };
        let made = PtxTensorMap { bytes: TensorMap::im2col(&tensor, &pixel_box)?.to_bytes() };
        // SAFETY: the header's contract.
        unsafe { store(map, made, "`map`") }
    })
}

/// Creates a map of pixels of rows, like `cuTensorMapEncodeIm2colWide`; the corners are along W. `mode` is 0 for
/// `.im2col::w`, and 1 for `.im2col::w::128`, which always has 128 pixels and ignores `pixels`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_tensor_map_im2col_wide(
    tensor: *const PtxTensor,
    lower: i32,
    upper: i32,
    channels: u32,
    pixels: u32,
    mode: u32,
    map: *mut PtxTensorMap,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let tensor = unsafe { given(tensor, "`tensor`") }?.read()?;
        let mode = match mode {
            0 => WideMode::W,
            1 => WideMode::W128,
            other => return Err(Failure::value(format!("`mode` is {other}; expected 0 or 1"))),
        };
        let made = TensorMap::im2col_wide(&tensor, (lower, upper), channels, pixels, mode)?;
        // SAFETY: the header's contract.
        unsafe { store(map, PtxTensorMap { bytes: made.to_bytes() }, "`map`") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_the_order_of_the_numbers() {
        for (index, (constant, element)) in ELEMENTS.iter().enumerate() {
            assert_eq!((*constant as usize, *element), (index, ElementType::ALL[index]));
        }
        assert!(INTERLEAVES.iter().enumerate().all(|(index, (constant, _))| *constant as usize == index));
        assert!(SWIZZLES.iter().enumerate().all(|(index, (constant, _))| *constant as usize == index));
    }
}
