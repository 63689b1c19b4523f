//! Copies and fills of rows that are not contiguous.

use std::ffi::c_void;

use ptx_device::{BoxSize, Pitched};

use crate::device::{PtxDevice, address_of};
use crate::pointer::{given, items, output_buffer, room};
use crate::status::{Failure, PtxStatus, guard};
use crate::stream::PtxStream;

/// Rows of planes, and where they are copied from and to: as of `cuMemcpy2D` and `cuMemcpy3D`. Rows must not overlap.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxBox {
    /// The destination: the first byte of the first row.
    pub to: *mut c_void,
    /// Bytes from a row of the destination to the next.
    pub to_pitch: u64,
    /// Bytes from a plane of the destination to the next.
    pub to_slice: u64,
    /// The source; unused by fills.
    pub from: *const c_void,
    /// Bytes from a row of the source to the next.
    pub from_pitch: u64,
    /// Bytes from a plane of the source to the next.
    pub from_slice: u64,
    /// Bytes of a row.
    pub width: u64,
    /// Rows of a plane.
    pub height: u64,
    /// Planes.
    pub depth: u64,
}

impl PtxBox {
    pub(crate) fn size(&self) -> BoxSize {
        BoxSize { width: self.width, height: self.height, depth: self.depth }
    }

    pub(crate) fn target(&self) -> Pitched {
        Pitched { address: address_of(self.to), pitch: self.to_pitch, slice: self.to_slice }
    }

    pub(crate) fn source(&self) -> Pitched {
        Pitched { address: address_of(self.from), pitch: self.from_pitch, slice: self.from_slice }
    }

    /// Bytes of memory of the process with these distances from the first to the last byte.
    fn span(&self, pitch: u64, slice: u64) -> Result<usize, Failure> {
        let overflow = || Failure::value("the box has more bytes than there are addresses");
        if self.size().is_empty() {
            return Ok(0);
        }
        let planes = slice.checked_mul(self.depth - 1);
        let rows = pitch.checked_mul(self.height - 1);
        let bytes =
            planes.zip(rows).and_then(|(planes, rows)| planes.checked_add(rows)?.checked_add(self.width));
        bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(overflow)
    }
}

/// Copies the rows of a box within memory of the device. The boxes must not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_copy_box(device: *const PtxDevice, rows: *const PtxBox) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (device, rows) = unsafe { (given(device, "`device`")?, given(rows, "`rows`")?) };
        Ok(device.0.copy_box(rows.target(), rows.source(), rows.size())?)
    })
}

/// Copies the rows of a box from the process to memory of the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_copy_box_in(device: *const PtxDevice, rows: *const PtxBox) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (device, rows) = unsafe { (given(device, "`device`")?, given(rows, "`rows`")?) };
        let bytes = rows.span(rows.from_pitch, rows.from_slice)?;
        // SAFETY: the header's contract.
        let from = unsafe { items(rows.from.cast::<u8>(), bytes, "`from`") }?;
        Ok(device.0.write_box(rows.target(), (from, rows.from_pitch, rows.from_slice), rows.size())?)
    })
}

/// Copies the rows of a box from memory of the device to the process. Bytes between the rows stay as they are, and nothing else changes them meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_copy_box_out(device: *const PtxDevice, rows: *const PtxBox) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (device, rows) = unsafe { (given(device, "`device`")?, given(rows, "`rows`")?) };
        let bytes = rows.span(rows.to_pitch, rows.to_slice)?;
        // SAFETY: the header's contract.
        let to = unsafe { room(rows.to.cast::<u8>(), bytes, "`to`") }?;
        Ok(device.0.read_box(rows.source(), (to, rows.to_pitch, rows.to_slice), rows.size())?)
    })
}

/// Fills the rows of a box in memory of the device with copies of a pattern, the last of which in a row may be a part of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_fill_box(
    device: *const PtxDevice,
    rows: *const PtxBox,
    pattern: *const c_void,
    pattern_bytes: usize,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (device, rows) = unsafe { (given(device, "`device`")?, given(rows, "`rows`")?) };
        // SAFETY: the header's contract.
        let pattern = unsafe { items(pattern.cast::<u8>(), pattern_bytes, "`pattern`") }?;
        Ok(device.0.fill_box(rows.target(), pattern, rows.size())?)
    })
}

/// Queues `ptx_copy_box`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_copy_box(stream: *const PtxStream, rows: *const PtxBox) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (stream, rows) = unsafe { (given(stream, "`stream`")?, given(rows, "`rows`")?) };
        Ok(stream.0.copy_box(rows.target(), rows.source(), rows.size())?)
    })
}

/// Queues `ptx_copy_box_in`. The bytes are read before the function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_copy_box_in(stream: *const PtxStream, rows: *const PtxBox) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (stream, rows) = unsafe { (given(stream, "`stream`")?, given(rows, "`rows`")?) };
        let bytes = rows.span(rows.from_pitch, rows.from_slice)?;
        // SAFETY: the header's contract.
        let from = unsafe { items(rows.from.cast::<u8>(), bytes, "`from`") }?.to_vec();
        Ok(stream.0.write_box(rows.target(), (from, rows.from_pitch, rows.from_slice), rows.size())?)
    })
}

/// Queues `ptx_copy_box_out`. The bytes are available, and the memory may be reused, once the stream has reached work queued later.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_copy_box_out(stream: *const PtxStream, rows: *const PtxBox) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (stream, rows) = unsafe { (given(stream, "`stream`")?, *given(rows, "`rows`")?) };
        let bytes = rows.span(rows.to_pitch, rows.to_slice)?;
        // SAFETY: the contract of this function: nothing else accesses the bytes until the stream has done the copy.
        let to = unsafe { output_buffer(rows.to.cast::<u8>(), bytes, "`to`") }?;
        let (source, size, pitch, slice) = (rows.source(), rows.size(), rows.to_pitch, rows.to_slice);
        Ok(stream
            .0
            .transfer(move |device| to.with(|to| device.read_box(source, (to, pitch, slice), size)))?)
    })
}

/// Queues `ptx_fill_box`. The pattern is read before the function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_fill_box(
    stream: *const PtxStream,
    rows: *const PtxBox,
    pattern: *const c_void,
    pattern_bytes: usize,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (stream, rows) = unsafe { (given(stream, "`stream`")?, given(rows, "`rows`")?) };
        // SAFETY: the header's contract.
        let pattern = unsafe { items(pattern.cast::<u8>(), pattern_bytes, "`pattern`") }?;
        Ok(stream.0.fill_box(rows.target(), pattern, rows.size())?)
    })
}
