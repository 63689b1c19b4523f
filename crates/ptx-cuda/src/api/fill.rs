//! Fills of memory with a value of 8, 16 or 32 bits.

use std::sync::Arc;

use crate::context;
use crate::entry::{NullStream, stream_entries};
use crate::error::Answer;
use crate::fill::Fill;
use crate::handle::Handle;
use crate::memory;
use crate::operation::Operation;
use crate::stream::Stream;

fn default_stream(null: NullStream) -> Answer<Arc<Stream>> {
    context::stream(Handle::NULL, null)
}

/// Fills memory in the order of a stream. As with the real driver, memory of the host has been filled when a call that is not asynchronous returns.
fn fill(
    to: u64,
    pitch: usize,
    value: u32,
    element: u32,
    size: (usize, usize),
    stream: &Arc<Stream>,
    is_async: bool,
) -> Answer {
    if let Some(error) = stream.gpu().device.stopped() {
        return Err(stream.gpu().failure(error));
    }
    let fill = Fill { to, pitch: pitch as u64, value, element, width: size.0 as u64, height: size.1 as u64 };
    fill.check()?;
    let is_of_host = memory::find(to).is_some_and(|found| found.is_of_host());
    if is_of_host && !is_async {
        stream.run(Operation::Fill(fill))
    } else {
        stream.submit(Operation::Fill(fill))
    }
}

stream_entries! {
    fn cuMemsetD8_v2 / cuMemsetD8_v2_ptds |null| (to: u64, value: u8, count: usize) {
        fill(to, 0, value.into(), 1, (count, 1), &default_stream(null)?, false)
    }

    fn cuMemsetD16_v2 / cuMemsetD16_v2_ptds |null| (to: u64, value: u16, count: usize) {
        fill(to, 0, value.into(), 2, (count, 1), &default_stream(null)?, false)
    }

    fn cuMemsetD32_v2 / cuMemsetD32_v2_ptds |null| (to: u64, value: u32, count: usize) {
        fill(to, 0, value, 4, (count, 1), &default_stream(null)?, false)
    }

    fn cuMemsetD2D8_v2 / cuMemsetD2D8_v2_ptds |null| (to: u64, pitch: usize, value: u8, width: usize, height: usize) {
        fill(to, pitch, value.into(), 1, (width, height), &default_stream(null)?, false)
    }

    fn cuMemsetD2D16_v2 / cuMemsetD2D16_v2_ptds |null| (to: u64, pitch: usize, value: u16, width: usize, height: usize) {
        fill(to, pitch, value.into(), 2, (width, height), &default_stream(null)?, false)
    }

    fn cuMemsetD2D32_v2 / cuMemsetD2D32_v2_ptds |null| (to: u64, pitch: usize, value: u32, width: usize, height: usize) {
        fill(to, pitch, value, 4, (width, height), &default_stream(null)?, false)
    }

    fn cuMemsetD8Async / cuMemsetD8Async_ptsz |null| (to: u64, value: u8, count: usize, stream: Handle<Stream>) {
        fill(to, 0, value.into(), 1, (count, 1), &context::stream(stream, null)?, true)
    }

    fn cuMemsetD16Async / cuMemsetD16Async_ptsz |null| (to: u64, value: u16, count: usize, stream: Handle<Stream>) {
        fill(to, 0, value.into(), 2, (count, 1), &context::stream(stream, null)?, true)
    }

    fn cuMemsetD32Async / cuMemsetD32Async_ptsz |null| (to: u64, value: u32, count: usize, stream: Handle<Stream>) {
        fill(to, 0, value, 4, (count, 1), &context::stream(stream, null)?, true)
    }

    fn cuMemsetD2D8Async / cuMemsetD2D8Async_ptsz |null| (to: u64, pitch: usize, value: u8, width: usize, height: usize, stream: Handle<Stream>) {
        fill(to, pitch, value.into(), 1, (width, height), &context::stream(stream, null)?, true)
    }

    fn cuMemsetD2D16Async / cuMemsetD2D16Async_ptsz |null| (to: u64, pitch: usize, value: u16, width: usize, height: usize, stream: Handle<Stream>) {
        fill(to, pitch, value.into(), 2, (width, height), &context::stream(stream, null)?, true)
    }

    fn cuMemsetD2D32Async / cuMemsetD2D32Async_ptsz |null| (to: u64, pitch: usize, value: u32, width: usize, height: usize, stream: Handle<Stream>) {
        fill(to, pitch, value, 4, (width, height), &context::stream(stream, null)?, true)
    }
}
