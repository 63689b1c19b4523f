//! Fills of memory with a value of 8, 16 or 32 bits.

use std::sync::Arc;

use crate::driver::Gpu;
use crate::entry::{NullStream, stream_entries};
use crate::error::{Answer, Failure};
use crate::handle::Handle;
use crate::memory::{self, Home};
use crate::operation::Operation;
use crate::pointer::host_bytes_mut;
use crate::stream::{self, Stream};

/// A fill of `width` elements of each of `height` rows.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    pub to: u64,
    pub pitch: u64,
    pub value: u32,
    pub element: u32,
    pub width: u64,
    pub height: u64,
}

impl Fill {
    /// Fails unless the memory is known.
    pub fn check(&self) -> Answer {
        let wrong = || Failure::value("address, pitch or sizes of a fill");
        let row = self.width.checked_mul(self.element.into()).ok_or_else(wrong)?;
        if row == 0 || self.height == 0 {
            return Ok(());
        }
        let is_aligned =
            self.to.is_multiple_of(self.element.into()) && self.pitch.is_multiple_of(self.element.into());
        if !is_aligned || (self.height > 1 && self.pitch < row) || !matches!(self.element, 1 | 2 | 4) {
            return Err(wrong());
        }
        let bytes = (self.height - 1).checked_mul(self.pitch).and_then(|bytes| bytes.checked_add(row));
        memory::require(self.to, bytes.ok_or_else(wrong)?)
    }

    /// Does it.
    pub fn run(&self, gpu: &'static Gpu) -> Answer {
        if let Some(error) = gpu.device.stopped() {
            return Err(gpu.failure(error));
        }
        let pattern = self.value.to_le_bytes();
        let pattern = &pattern[..self.element as usize];
        let (mut width, mut height) = (self.width, self.height);
        if self.pitch == width * u64::from(self.element) {
            (width, height) = (width * height, 1);
        }
        if width == 0 {
            return Ok(());
        }
        for row in 0..height {
            let to = self.to + row * self.pitch;
            match memory::region(to) {
                Some((_, _, Home::Gpu(gpu))) => {
                    gpu.device.fill(to, pattern, width).map_err(|error| gpu.failure(error))?;
                }
                Some((_, _, Home::Host)) => {
                    let bytes = host_bytes_mut(to, width as usize * pattern.len());
                    bytes
                        .chunks_exact_mut(pattern.len())
                        .for_each(|element| element.copy_from_slice(pattern));
                }
                None => return Err(Failure::value(format!("{to:#x} was freed"))),
            }
        }
        Ok(())
    }
}

fn fill(
    to: u64,
    pitch: usize,
    value: u32,
    element: u32,
    size: (usize, usize),
    stream: &Arc<Stream>,
) -> Answer {
    if let Some(error) = stream.gpu().device.stopped() {
        return Err(stream.gpu().failure(error));
    }
    let fill = Fill { to, pitch: pitch as u64, value, element, width: size.0 as u64, height: size.1 as u64 };
    fill.check()?;
    stream.submit(Operation::Fill(fill))
}

fn default_stream(null: NullStream) -> Answer<Arc<Stream>> {
    stream::named(Handle::NULL, null)
}

stream_entries! {
    fn cuMemsetD8_v2 / cuMemsetD8_v2_ptds |null| (to: u64, value: u8, count: usize) {
        fill(to, 0, value.into(), 1, (count, 1), &default_stream(null)?)
    }

    fn cuMemsetD16_v2 / cuMemsetD16_v2_ptds |null| (to: u64, value: u16, count: usize) {
        fill(to, 0, value.into(), 2, (count, 1), &default_stream(null)?)
    }

    fn cuMemsetD32_v2 / cuMemsetD32_v2_ptds |null| (to: u64, value: u32, count: usize) {
        fill(to, 0, value, 4, (count, 1), &default_stream(null)?)
    }

    fn cuMemsetD2D8_v2 / cuMemsetD2D8_v2_ptds |null| (to: u64, pitch: usize, value: u8, width: usize, height: usize) {
        fill(to, pitch, value.into(), 1, (width, height), &default_stream(null)?)
    }

    fn cuMemsetD2D16_v2 / cuMemsetD2D16_v2_ptds |null| (to: u64, pitch: usize, value: u16, width: usize, height: usize) {
        fill(to, pitch, value.into(), 2, (width, height), &default_stream(null)?)
    }

    fn cuMemsetD2D32_v2 / cuMemsetD2D32_v2_ptds |null| (to: u64, pitch: usize, value: u32, width: usize, height: usize) {
        fill(to, pitch, value, 4, (width, height), &default_stream(null)?)
    }

    fn cuMemsetD8Async / cuMemsetD8Async_ptsz |null| (to: u64, value: u8, count: usize, stream: Handle<Stream>) {
        fill(to, 0, value.into(), 1, (count, 1), &stream::named(stream, null)?)
    }

    fn cuMemsetD16Async / cuMemsetD16Async_ptsz |null| (to: u64, value: u16, count: usize, stream: Handle<Stream>) {
        fill(to, 0, value.into(), 2, (count, 1), &stream::named(stream, null)?)
    }

    fn cuMemsetD32Async / cuMemsetD32Async_ptsz |null| (to: u64, value: u32, count: usize, stream: Handle<Stream>) {
        fill(to, 0, value, 4, (count, 1), &stream::named(stream, null)?)
    }

    fn cuMemsetD2D8Async / cuMemsetD2D8Async_ptsz |null| (to: u64, pitch: usize, value: u8, width: usize, height: usize, stream: Handle<Stream>) {
        fill(to, pitch, value.into(), 1, (width, height), &stream::named(stream, null)?)
    }

    fn cuMemsetD2D16Async / cuMemsetD2D16Async_ptsz |null| (to: u64, pitch: usize, value: u16, width: usize, height: usize, stream: Handle<Stream>) {
        fill(to, pitch, value.into(), 2, (width, height), &stream::named(stream, null)?)
    }

    fn cuMemsetD2D32Async / cuMemsetD2D32Async_ptsz |null| (to: u64, pitch: usize, value: u32, width: usize, height: usize, stream: Handle<Stream>) {
        fill(to, pitch, value, 4, (width, height), &stream::named(stream, null)?)
    }
}
