//! Fills.

use std::ffi::c_int;

use crate::api::copy::When;
use crate::entry::NullStream;
use crate::error::{Answer, Error, Failure};
use crate::functions::{
    cuMemsetD2D8_v2, cuMemsetD2D8Async, cuMemsetD8_v2, cuMemsetD8Async, cuStreamSynchronize,
};
use crate::stream_entries;
use crate::types::{Extent, Handle, Pitched};

fn linear(to: u64, value: c_int, bytes: usize, when: When) -> Answer {
    // Only the low byte is used.
    let value = value as u8;
    if bytes == 0 {
        return Ok(());
    }
    match when {
        When::Now(NullStream::Legacy) => cuMemsetD8_v2(to, value, bytes),
        When::Now(null) => {
            cuMemsetD8Async(to, value, bytes, null.handle())?;
            cuStreamSynchronize(null.handle())
        }
        When::In(stream) => cuMemsetD8Async(to, value, bytes, stream),
    }
}

fn rows(to: u64, pitch: usize, value: c_int, width: usize, height: usize, when: When) -> Answer {
    if width == 0 || height == 0 {
        return Ok(());
    }
    if height > 1 && width > pitch {
        return Err(Failure::because(
            Error::INVALID_PITCH,
            format!("rows of {width} bytes at a distance of {pitch}"),
        ));
    }
    let value = value as u8;
    match when {
        When::Now(NullStream::Legacy) => cuMemsetD2D8_v2(to, pitch, value, width, height),
        When::Now(null) => {
            cuMemsetD2D8Async(to, pitch, value, width, height, null.handle())?;
            cuStreamSynchronize(null.handle())
        }
        When::In(stream) => cuMemsetD2D8Async(to, pitch, value, width, height, stream),
    }
}

fn boxed(to: Pitched, value: c_int, extent: Extent, when: When) -> Answer {
    if extent.width == 0 || extent.height == 0 || extent.depth == 0 {
        return Ok(());
    }
    if extent.height == to.height || extent.depth == 1 {
        let height =
            extent.height.checked_mul(extent.depth).ok_or_else(|| Failure::value("a box is too large"))?;
        return rows(to.address, to.pitch, value, extent.width, height, when);
    }
    let slice = to.pitch.checked_mul(to.height).filter(|&bytes| bytes.checked_mul(extent.depth).is_some());
    let slice = slice
        .filter(|_| extent.height < to.height)
        .ok_or_else(|| Failure::value("a box is higher than its slices"))?;
    (0..extent.depth).try_for_each(|z| {
        rows(to.address.wrapping_add((z * slice) as u64), to.pitch, value, extent.width, extent.height, when)
    })
}

stream_entries! {
    fn cudaMemset / cudaMemset_ptds |null| (to: u64, value: c_int, bytes: usize) {
        linear(to, value, bytes, When::Now(null))
    }

    fn cudaMemsetAsync / cudaMemsetAsync_ptsz |null| (to: u64, value: c_int, bytes: usize, stream: Handle) {
        linear(to, value, bytes, When::In(null.stream(stream)))
    }

    fn cudaMemset2D / cudaMemset2D_ptds |null| (to: u64, pitch: usize, value: c_int, width: usize, height: usize) {
        rows(to, pitch, value, width, height, When::Now(null))
    }

    fn cudaMemset2DAsync / cudaMemset2DAsync_ptsz |null| (to: u64, pitch: usize, value: c_int, width: usize, height: usize, stream: Handle) {
        rows(to, pitch, value, width, height, When::In(null.stream(stream)))
    }

    fn cudaMemset3D / cudaMemset3D_ptds |null| (to: Pitched, value: c_int, extent: Extent) {
        boxed(to, value, extent, When::Now(null))
    }

    fn cudaMemset3DAsync / cudaMemset3DAsync_ptsz |null| (to: Pitched, value: c_int, extent: Extent, stream: Handle) {
        boxed(to, value, extent, When::In(null.stream(stream)))
    }
}
