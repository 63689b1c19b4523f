//! Arrays and mipmapped arrays: the memory of textures and surfaces.

use std::ffi::c_uint;
use std::sync::{Arc, Mutex};

use ptx_device::texture::{ChannelFormat, Extent, SharedImage};

use crate::driver::{Gpu, lock};
use crate::error::{Answer, CUresult, Failure};
use crate::handle::{Handle, objects};
use crate::types::Array3dDescription;

objects! { Array, 5; MipmappedArray, 6; }

/// An array, or a level of a mipmapped one.
#[derive(Debug)]
pub struct Array {
    pub gpu: &'static Gpu,
    pub image: SharedImage,
    pub level: u32,
    pub description: Array3dDescription,
    /// Locked while texels are written, so that every write is complete before the next one begins.
    pub change: Arc<Mutex<()>>,
}

/// A mipmapped array.
#[derive(Debug)]
pub struct MipmappedArray {
    pub image: SharedImage,
    pub levels: Vec<Handle<Array>>,
}

/// An array that is part of a copy.
pub type Slice = Arc<Array>;

/// The array of a copy.
pub fn slice(array: Handle<Array>) -> Answer<Slice> {
    array.get()
}

/// The format of channels, `CUarray_format`, and the number of channels where the format implies it.
pub fn format_and_channels(format: c_uint) -> Answer<(ChannelFormat, Option<u32>)> {
    let several = |first: c_uint| Some([1, 2, 4][(format - first) as usize]);
    Ok(match format {
        1 => (ChannelFormat::Unsigned8, None),
        2 => (ChannelFormat::Unsigned16, None),
        3 => (ChannelFormat::Unsigned32, None),
        8 => (ChannelFormat::Signed8, None),
        9 => (ChannelFormat::Signed16, None),
        0xa => (ChannelFormat::Signed32, None),
        0x10 => (ChannelFormat::Half, None),
        0x20 => (ChannelFormat::Float, None),
        0xc0..=0xc2 => (ChannelFormat::Unorm8, several(0xc0)),
        0xc3..=0xc5 => (ChannelFormat::Unorm16, several(0xc3)),
        0xc6..=0xc8 => (ChannelFormat::Snorm8, several(0xc6)),
        0xc9..=0xcb => (ChannelFormat::Snorm16, several(0xc9)),
        0x40..=0xff | 0x100.. => {
            return Err(Failure::because(CUresult::NOT_SUPPORTED, format!("format {format:#x} of channels")));
        }
        _ => return Err(Failure::value(format!("there is no format {format:#x} of channels"))),
    })
}

/// The format of channels.
pub fn channel_format(format: c_uint) -> Answer<ChannelFormat> {
    format_and_channels(format).map(|(format, _)| format)
}

impl Array {
    /// Bytes of the levels before its own, of a row, and rows of a slice, and slices.
    pub fn layout(&self) -> (u64, u64, u64, u64) {
        let image = self.image.description();
        let slices = |level: u32| {
            let faces = if matches!(image.extent, Extent::Cube { .. }) { 6 } else { 1 };
            let layers = image.layers.map_or(faces, |layers| u64::from(layers) * faces);
            layers * u64::from(image.level_size(level)[2])
        };
        let row = |level: u32| u64::from(image.level_size(level)[0]) * u64::from(image.texel_bytes());
        let bytes = |level: u32| row(level) * u64::from(image.level_size(level)[1]) * slices(level);
        let before = (0..self.level).map(bytes).sum();
        (before, row(self.level), image.level_size(self.level)[1].into(), slices(self.level))
    }

    /// Bytes of a texel.
    pub fn texel_bytes(&self) -> u64 {
        self.image.description().texel_bytes().into()
    }

    /// Fails unless a box, in bytes, rows and slices, is within the array and consists of whole texels.
    pub fn check(&self, start: (u64, u64, u64), size: (u64, u64, u64)) -> Answer {
        let (_, row, rows, slices) = self.layout();
        let texel = self.texel_bytes();
        let is_in = |start: u64, size: u64, all: u64| start.checked_add(size).is_some_and(|end| end <= all);
        if !is_in(start.0, size.0, row) || !is_in(start.1, size.1, rows) || !is_in(start.2, size.2, slices) {
            return Err(Failure::value("a copy is not within the array"));
        }
        if !start.0.is_multiple_of(texel) || !size.0.is_multiple_of(texel) {
            return Err(Failure::value("a copy of parts of texels"));
        }
        Ok(())
    }

    /// The offsets of the rows of a box.
    pub fn rows(&self, start: (u64, u64, u64), size: (u64, u64, u64)) -> impl Iterator<Item = usize> + use<> {
        let (before, row, rows, _) = self.layout();
        let of =
            move |z: u64, y: u64| (before + ((start.2 + z) * rows + start.1 + y) * row + start.0) as usize;
        (0..size.2).flat_map(move |z| (0..size.1).map(move |y| of(z, y)))
    }

    /// The bytes of a box that was [checked](Array::check).
    pub fn read(&self, start: (u64, u64, u64), size: (u64, u64, u64)) -> Answer<Vec<u8>> {
        let texels = self.image.texels().ok_or(CUresult::UNKNOWN)?;
        let width = size.0 as usize;
        Ok(self.rows(start, size).flat_map(|offset| texels[offset..offset + width].iter().copied()).collect())
    }

    /// Writes the bytes of a box that was [checked](Array::check).
    pub fn write(&self, start: (u64, u64, u64), size: (u64, u64, u64), bytes: &[u8]) -> Answer {
        let _change = lock(&self.change);
        let mut texels = self.image.texels().ok_or(CUresult::UNKNOWN)?;
        let width = size.0 as usize;
        for (offset, row) in self.rows(start, size).zip(bytes.chunks_exact(width)) {
            texels[offset..offset + width].copy_from_slice(row);
        }
        self.image.set_texels(&texels).map_err(|error| Failure::value(error.to_string()))
    }
}
