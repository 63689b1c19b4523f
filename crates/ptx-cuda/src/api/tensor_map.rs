//! Tensor maps.

use std::ffi::{c_int, c_uint};

use ptx_device::TensorMap;
use ptx_device::tensormap::{PixelBox, WideMode};

use crate::entry::unchecked_entries;
use crate::error::{Answer, Failure};
use crate::pointer::{In, Out};
use crate::tensor_map::{Given, constant};

/// Bytes of a map, whose address is a multiple of 64.
type Map = [u8; 128];

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
