//! Copies, of one to three dimensions, between linear memory and arrays.

use std::ffi::c_uint;
use std::sync::Arc;

use crate::array::{self, Array, Slice};
use crate::driver::Gpu;
use crate::error::{Answer, Failure};
use crate::handle::Handle;
use crate::memory;
use crate::types::{self, Copy3d};

/// One side of a copy.
#[derive(Clone, Debug)]
pub enum Side {
    /// Linear memory: the address of the first byte, and the distances of rows and of slices.
    Linear { address: u64, row: u64, slice: u64 },
    /// Bytes that were read when the copy was queued, without gaps.
    Staged(Arc<[u8]>),
    /// Part of an array.
    Array { array: Slice, x: u64, y: u64, z: u64 },
}

/// A copy of `width` bytes of each of `height` rows of each of `depth` slices.
#[derive(Clone, Debug)]
pub struct Copy {
    pub to: Side,
    pub from: Side,
    pub width: u64,
    pub height: u64,
    pub depth: u64,
}

impl Side {
    /// Bytes from the first to the last one of a linear side.
    pub fn span(row: u64, slice: u64, copy: (u64, u64, u64)) -> Answer<u64> {
        let (width, height, depth) = copy;
        let span = || {
            (depth - 1).checked_mul(slice)?.checked_add((height - 1).checked_mul(row)?)?.checked_add(width)
        };
        span().ok_or_else(|| Failure::value("a copy of more bytes than 64 bits count"))
    }

    /// Whether it is memory of the host, known or not.
    pub fn is_of_host(&self) -> bool {
        matches!(*self, Side::Linear { address, .. } if memory::is_of_host(address))
    }

    pub fn is_unknown(&self) -> bool {
        matches!(*self, Side::Linear { address, .. } if memory::region(address).is_none())
    }
}

impl Copy {
    /// A copy of consecutive bytes.
    pub fn line(to: u64, from: u64, bytes: u64) -> Self {
        let side = |address| Side::Linear { address, row: 0, slice: 0 };
        Self { to: side(to), from: side(from), width: bytes, height: 1, depth: 1 }
    }

    pub fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// Checks both sides. `known` is whether the memory of the destination, and that of the source, must be known to the driver.
    pub fn check(&self, known: (bool, bool)) -> Answer {
        if self.is_empty() {
            return Ok(());
        }
        for (side, is_known) in [(&self.to, known.0), (&self.from, known.1)] {
            match side {
                Side::Linear { address, row, slice } => {
                    let rows_overlap = self.height > 1 && *row < self.width;
                    let bytes = Side::span(*row, *slice, (self.width, self.height, self.depth))?;
                    if *address == 0 || rows_overlap {
                        return Err(Failure::value("a side of a copy is null, or its rows overlap"));
                    }
                    if is_known || memory::region(*address).is_some() {
                        memory::require(*address, bytes)?;
                    }
                }
                Side::Array { array, x, y, z } => {
                    array.check((*x, *y, *z), (self.width, self.height, self.depth))?;
                }
                Side::Staged(_) => {}
            }
        }
        Ok(())
    }

    /// The devices that have memory of the copy, except one.
    pub fn others(&self, gpu: &Gpu) -> Vec<&'static Gpu> {
        let of = |side: &Side| match side {
            Side::Linear { address, .. } => match memory::region(*address) {
                Some((_, _, memory::Home::Gpu(found))) => Some(found),
                _ => None,
            },
            Side::Array { array, .. } => Some(array.gpu),
            Side::Staged(_) => None,
        };
        let all = [of(&self.to), of(&self.from)];
        all.into_iter().flatten().filter(|found| found.ordinal != gpu.ordinal).collect()
    }

    /// Performs the copy.
    pub fn run(&self, gpu: &'static Gpu) -> Answer {
        if let Some(error) = gpu.device.stopped() {
            return Err(gpu.failure(error));
        }
        if self.is_empty() {
            return Ok(());
        }
        let (width, height, depth) = (self.width, self.height, self.depth);
        match (&self.to, &self.from) {
            (
                Side::Linear { address: to, row, slice },
                Side::Linear { address: from, row: from_row, slice: from_slice },
            ) => {
                let is_whole = |row: u64, slice: u64| {
                    (height == 1 || row == width) && (depth == 1 || slice == width * height)
                };
                if is_whole(*row, *slice) && is_whole(*from_row, *from_slice) {
                    return memory::transfer(*to, *from, width * height * depth);
                }
                for z in 0..depth {
                    for y in 0..height {
                        memory::transfer(
                            to + z * slice + y * row,
                            from + z * from_slice + y * from_row,
                            width,
                        )?;
                    }
                }
                Ok(())
            }
            (to, from) => self.write(to, &self.read(from)?),
        }
    }

    /// The bytes of a side, without gaps.
    pub fn read(&self, from: &Side) -> Answer<Vec<u8>> {
        let (width, height, depth) = (self.width, self.height, self.depth);
        match from {
            Side::Staged(bytes) => Ok(bytes.to_vec()),
            Side::Linear { address, row, slice } => {
                let mut bytes = vec![0; (width * height * depth) as usize];
                let mut rows = bytes.chunks_exact_mut(width as usize);
                for z in 0..depth {
                    for (y, bytes) in rows.by_ref().take(height as usize).enumerate() {
                        memory::read(address + z * slice + y as u64 * row, bytes)?;
                    }
                }
                Ok(bytes)
            }
            Side::Array { array, x, y, z } => array.read((*x, *y, *z), (width, height, depth)),
        }
    }

    pub fn write(&self, to: &Side, bytes: &[u8]) -> Answer {
        let (width, height, depth) = (self.width, self.height, self.depth);
        match to {
            Side::Staged(_) => Err(Failure::value("a copy to bytes that were read")),
            Side::Linear { address, row, slice } => {
                let mut rows = bytes.chunks_exact(width as usize);
                for z in 0..depth {
                    for (y, bytes) in rows.by_ref().take(height as usize).enumerate() {
                        memory::write(address + z * slice + y as u64 * row, bytes)?;
                    }
                }
                Ok(())
            }
            Side::Array { array, x, y, z } => array.write((*x, *y, *z), (width, height, depth), bytes),
        }
    }
}

/// A side of a copy that a structure describes.
struct Described {
    pub kind: c_uint,
    pub host: u64,
    pub device: u64,
    pub array: Handle<Array>,
    pub level: usize,
    pub x: usize,
    pub y: usize,
    pub z: usize,
    pub pitch: usize,
    pub height: usize,
}

impl Described {
    pub fn side(&self, copy: (u64, u64, u64)) -> Answer<Side> {
        let (width, height, depth) = copy;
        let address = match self.kind {
            types::HOST => self.host,
            types::DEVICE | types::UNIFIED => self.device,
            types::ARRAY => {
                if self.level != 0 {
                    return Err(Failure::value("a level of a side that is one level"));
                }
                let array = array::slice(self.array)?;
                return Ok(Side::Array { array, x: self.x as u64, y: self.y as u64, z: self.z as u64 });
            }
            other => return Err(Failure::value(format!("there is no kind {other} of memory"))),
        };
        // A pitch of zero is that of rows without gaps.
        let row = if self.pitch == 0 { self.x as u64 + width } else { self.pitch as u64 };
        let rows = if self.height == 0 { self.y as u64 + height } else { self.height as u64 };
        if (height > 1 || depth > 1) && row < self.x as u64 + width
            || (depth > 1 && rows < self.y as u64 + height)
        {
            return Err(Failure::value("rows or slices of a copy overlap"));
        }
        let start = || {
            let slice = row.checked_mul(rows)?;
            let start = slice.checked_mul(self.z as u64)?.checked_add(row.checked_mul(self.y as u64)?)?;
            Some((address.checked_add(start)?.checked_add(self.x as u64)?, slice))
        };
        let (address, slice) =
            start().ok_or_else(|| Failure::value("a copy of more bytes than 64 bits count"))?;
        Ok(Side::Linear { address, row, slice })
    }

    pub fn is_known(&self) -> bool {
        self.kind == types::DEVICE
    }
}

/// The copy that a structure describes.
pub fn described(given: &Copy3d) -> Answer<Copy> {
    let (width, height, depth) = (given.width as u64, given.height as u64, given.depth as u64);
    let from = Described {
        kind: given.from_kind,
        host: given.from_host,
        device: given.from_device,
        array: given.from_array.cast(),
        level: given.from_level,
        x: given.from_x,
        y: given.from_y,
        z: given.from_z,
        pitch: given.from_pitch,
        height: given.from_height,
    };
    let to = Described {
        kind: given.to_kind,
        host: given.to_host,
        device: given.to_device,
        array: given.to_array.cast(),
        level: given.to_level,
        x: given.to_x,
        y: given.to_y,
        z: given.to_z,
        pitch: given.to_pitch,
        height: given.to_height,
    };
    let extent = (width, height, depth);
    let copy = Copy { to: to.side(extent)?, from: from.side(extent)?, width, height, depth };
    copy.check((to.is_known(), from.is_known()))?;
    Ok(copy)
}
