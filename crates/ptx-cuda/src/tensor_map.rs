//! Tensor maps.

use std::ffi::{c_int, c_uint};

use ptx_device::TensorMap;
use ptx_device::tensormap::{
    ElementType, Interleave, MOST_DIMENSIONS, OutOfBounds, PixelBox, Promotion, Swizzle, Tensor,
    TensorMapError, WideMode,
};

use crate::entry::unchecked_entries;
use crate::error::{Answer, Failure};
use crate::pointer::{In, Out};

/// Bytes of a map, whose address is a multiple of 64.
type Map = [u8; 128];

/// `CUtensorMapDataType` in its order.
const ELEMENTS: [ElementType; 16] = [
    ElementType::U8,
    ElementType::U16,
    ElementType::U32,
    ElementType::S32,
    ElementType::U64,
    ElementType::S64,
    ElementType::F16,
    ElementType::F32,
    ElementType::F64,
    ElementType::Bf16,
    ElementType::F32Ftz,
    ElementType::Tf32,
    ElementType::Tf32Ftz,
    ElementType::B4x16,
    ElementType::B4x16P64,
    ElementType::B6x16P32,
];
const INTERLEAVES: [Interleave; 3] = [Interleave::None, Interleave::Bytes16, Interleave::Bytes32];
const SWIZZLES: [Swizzle; 7] = [
    Swizzle::None,
    Swizzle::Bytes32,
    Swizzle::Bytes64,
    Swizzle::Bytes128,
    Swizzle::Bytes128Atom32,
    Swizzle::Bytes128Atom32Flip8,
    Swizzle::Bytes128Atom64,
];
const FILLS: [OutOfBounds; 2] = [OutOfBounds::Zeros, OutOfBounds::Nan];
const PROMOTIONS: [Promotion; 4] =
    [Promotion::None, Promotion::Bytes64, Promotion::Bytes128, Promotion::Bytes256];

fn constant<T: Copy>(list: &[T], index: c_uint, what: &str) -> Answer<T> {
    list.get(index as usize).copied().ok_or_else(|| Failure::value(format!("there is no {what} {index}")))
}

impl From<TensorMapError> for Failure {
    fn from(error: TensorMapError) -> Self {
        Failure::value(error.to_string())
    }
}

/// What all kinds of maps are made of.
struct Given {
    element: c_uint,
    rank: c_uint,
    address: u64,
    dims: In<u64>,
    strides: In<u64>,
    element_strides: In<u32>,
    interleave: c_uint,
    swizzle: c_uint,
    promotion: c_uint,
    fill: c_uint,
}

impl Given {
    fn tensor(&self) -> Answer<Tensor> {
        let rank = self.rank as usize;
        if !(1..=MOST_DIMENSIONS).contains(&rank) {
            return Err(Failure::value(format!(
                "a tensor has 1 to {MOST_DIMENSIONS} dimensions, not {rank}"
            )));
        }
        let element = constant(&ELEMENTS, self.element, "element type")?;
        let tensor =
            Tensor::new(element, self.address, &self.dims.list(rank)?, &self.strides.list(rank - 1)?);
        Ok(Tensor {
            element_strides: self.element_strides.list(rank)?,
            interleave: constant(&INTERLEAVES, self.interleave, "interleave layout")?,
            swizzle: constant(&SWIZZLES, self.swizzle, "swizzle")?,
            promotion: constant(&PROMOTIONS, self.promotion, "promotion")?,
            out_of_bounds: constant(&FILLS, self.fill, "fill")?,
            ..tensor
        })
    }
}

fn store(map: Out<Map>, made: &TensorMap) -> Answer {
    if !map.address().is_multiple_of(64) {
        return Err(Failure::value("the address of a tensor map is a multiple of 64"));
    }
    map.set(made.to_bytes())
}

unchecked_entries! {
    fn cuTensorMapEncodeTiled(
        map: Out<Map>, element: c_uint, rank: c_uint, address: u64, dims: In<u64>, strides: In<u64>, sizes: In<u32>,
        element_strides: In<u32>, interleave: c_uint, swizzle: c_uint, promotion: c_uint, fill: c_uint,
    ) {
        map.require()?;
        let given = Given { element, rank, address, dims, strides, element_strides, interleave, swizzle, promotion, fill };
        let tensor = given.tensor()?;
        store(map, &TensorMap::tiled(&tensor, &sizes.list(tensor.dims.len())?)?)
    }

    fn cuTensorMapEncodeIm2col(
        map: Out<Map>, element: c_uint, rank: c_uint, address: u64, dims: In<u64>, strides: In<u64>, lower: In<c_int>, upper: In<c_int>,
        channels: c_uint, pixels: c_uint, element_strides: In<u32>, interleave: c_uint, swizzle: c_uint, promotion: c_uint, fill: c_uint,
    ) {
        map.require()?;
        let given = Given { element, rank, address, dims, strides, element_strides, interleave, swizzle, promotion, fill };
        let tensor = given.tensor()?;
        let corners = tensor.dims.len().saturating_sub(2);
        let pixel_box = PixelBox { lower: lower.list(corners)?, upper: upper.list(corners)?, channels, pixels };
        store(map, &TensorMap::im2col(&tensor, &pixel_box)?)
    }

    fn cuTensorMapEncodeIm2colWide(
        map: Out<Map>, element: c_uint, rank: c_uint, address: u64, dims: In<u64>, strides: In<u64>, lower: c_int, upper: c_int,
        channels: c_uint, pixels: c_uint, element_strides: In<u32>, interleave: c_uint, mode: c_uint, swizzle: c_uint, promotion: c_uint,
        fill: c_uint,
    ) {
        map.require()?;
        let given = Given { element, rank, address, dims, strides, element_strides, interleave, swizzle, promotion, fill };
        let mode = constant(&[WideMode::W, WideMode::W128], mode, "mode")?;
        store(map, &TensorMap::im2col_wide(&given.tensor()?, (lower, upper), channels, pixels, mode)?)
    }

    fn cuTensorMapReplaceAddress(map: Out<Map>, address: u64) {
        let made = TensorMap::from_bytes(&map.get()?)?.with_address(address)?;
        store(map, &made)
    }
}
