//! Tensor maps.

use std::ffi::c_uint;

use ptx_device::tensormap::{
    ElementType, Interleave, MOST_DIMENSIONS, OutOfBounds, Promotion, Swizzle, Tensor, TensorMapError,
};

use crate::error::{Answer, Failure};
use crate::pointer::In;

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

/// A value of one of CUDA's enumerations.
pub fn constant<T: Copy>(list: &[T], index: c_uint, what: &str) -> Answer<T> {
    list.get(index as usize).copied().ok_or_else(|| Failure::value(format!("there is no {what} {index}")))
}

impl From<TensorMapError> for Failure {
    fn from(error: TensorMapError) -> Self {
        Failure::value(error.to_string())
    }
}

/// The parameters that all kinds of maps have.
pub struct Given {
    pub element: c_uint,
    pub rank: c_uint,
    pub address: u64,
    pub dims: In<u64>,
    pub strides: In<u64>,
    pub element_strides: In<u32>,
    pub interleave: c_uint,
    pub swizzle: c_uint,
    pub promotion: c_uint,
    pub fill: c_uint,
}

impl Given {
    pub fn tensor(&self) -> Answer<Tensor> {
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
