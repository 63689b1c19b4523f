//! Fills of memory with a value of 8, 16 or 32 bits.

use crate::driver::Gpu;
use crate::error::{Answer, Failure};
use crate::memory::{self, Home};
use crate::pointer::host_bytes_mut;

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

    /// Performs the fill.
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
