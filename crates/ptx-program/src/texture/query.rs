//! Properties of images (manual 5.3.3, 9.7.10.5, 9.7.11.4).

use super::{ChannelFormat, Image, ReadMode, Storage};
use crate::program::Property;

/// The result of an image query, in the enumerations of OpenCL, which are the only ones that the manual defines; `None` for properties of samplers.
///
/// Missing axes have size 1.
pub fn describe(image: &Image, property: Property, level: u32, read: ReadMode) -> Option<u32> {
    let [width, height, depth] = image.level_size(level);
    Some(match property {
        Property::Width => width,
        Property::Height => height,
        Property::Depth => depth,
        Property::ChannelDataType => data_type(image.format, read),
        Property::ChannelOrder => match image.channels {
            1 => 0x10b0,
            2 => 0x10b2,
            _ => 0x10b5,
        },
        // Default: 0 means that the image is not an array.
        Property::ArraySize => image.layers.unwrap_or(0),
        Property::Levels => several(image.levels),
        Property::Samples => several(image.samples),
        Property::MemoryLayout => matches!(image.storage, Storage::Linear { .. }).into(),
        Property::NormalizedCoords
        | Property::ForceUnnormalizedCoords
        | Property::FilterMode
        | Property::AddressMode(_) => return None,
    })
}

/// The count if it is greater than 1, else 0.
const fn several(count: u32) -> u32 {
    if count > 1 { count } else { 0 }
}

/// OpenCL's `cl_channel_type`.
const fn data_type(format: ChannelFormat, read: ReadMode) -> u32 {
    let is_fraction = matches!(read, ReadMode::NormalizedFloat);
    match format {
        ChannelFormat::Snorm8 => 0x10d0,
        ChannelFormat::Signed8 if is_fraction => 0x10d0,
        ChannelFormat::Snorm16 => 0x10d1,
        ChannelFormat::Signed16 if is_fraction => 0x10d1,
        ChannelFormat::Unorm8 => 0x10d2,
        ChannelFormat::Unsigned8 if is_fraction => 0x10d2,
        ChannelFormat::Unorm16 => 0x10d3,
        ChannelFormat::Unsigned16 if is_fraction => 0x10d3,
        ChannelFormat::Signed8 => 0x10d7,
        ChannelFormat::Signed16 => 0x10d8,
        ChannelFormat::Signed32 => 0x10d9,
        ChannelFormat::Unsigned8 => 0x10da,
        ChannelFormat::Unsigned16 => 0x10db,
        ChannelFormat::Unsigned32 => 0x10dc,
        ChannelFormat::Half => 0x10dd,
        ChannelFormat::Float => 0x10de,
    }
}
