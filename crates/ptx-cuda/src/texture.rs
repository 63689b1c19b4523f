//! Textures and images from the descriptions of `cuda.h`.

use std::ffi::c_uint;

use ptx_device::texture::{
    AddressMode, ChannelFormat, Extent, Filter, Image, ReadMode, Sampler, SharedImage, Start, Storage,
    Texture,
};

use crate::array::{Array, MipmappedArray, format_and_channels};
use crate::driver::Gpu;
use crate::error::{Answer, Failure};
use crate::handle::Handle;
use crate::types::{LinearResource, ResourceDescription, TextureDescription};

/// `CU_TRSF_*`: integers are not converted, coordinates are normalized, sRGB, seamless cube maps.
const AS_INTEGER: c_uint = 1;

const NORMALIZED: c_uint = 2;

const SRGB: c_uint = 0x10;

const NO_TRILINEAR: c_uint = 0x20;

const SEAMLESS: c_uint = 0x40;

/// The image that a resource describes.
pub fn image(gpu: &Gpu, given: &ResourceDescription) -> Answer<(SharedImage, u32)> {
    let LinearResource { address, format, channels, width, height, pitch, .. } = given.resource;
    let linear = |extent, pitch: u64| {
        let (format, own) = format_and_channels(format)?;
        let storage = Storage::Linear { start: Start::Address(address), pitch };
        let image = Image {
            format,
            channels: own.unwrap_or(channels),
            extent,
            layers: None,
            levels: 1,
            samples: 1,
            storage,
        };
        gpu.device.image(image).map(|image| (image, 0)).map_err(|error| gpu.failure(error))
    };
    let side = |size: usize| u32::try_from(size).map_err(|_| Failure::value("a texture is too large"));
    match given.kind {
        0 => {
            let array = Handle::<Array>::from_bits(address as usize).get()?;
            Ok((array.image.clone(), array.level))
        }
        1 => Ok((Handle::<MipmappedArray>::from_bits(address as usize).get()?.image.clone(), 0)),
        2 => {
            let (format, own) = format_and_channels(format)?;
            let texel = format.bytes() * own.unwrap_or(channels);
            if texel == 0 {
                return Err(Failure::value("a texel has 1, 2 or 4 channels"));
            }
            linear(Extent::D1 { width: side(width / texel as usize)? }, width as u64)
        }
        3 => linear(Extent::D2 { width: side(width)?, height: side(height)? }, pitch as u64),
        other => Err(Failure::value(format!("there is no kind {other} of resources"))),
    }
}

fn filter(filter: c_uint) -> Answer<Filter> {
    match filter {
        0 => Ok(Filter::Point),
        1 => Ok(Filter::Linear),
        _ => Err(Failure::value(format!("there is no filter {filter}"))),
    }
}

fn address_mode(mode: c_uint) -> Answer<AddressMode> {
    match mode {
        0 => Ok(AddressMode::Wrap),
        1 => Ok(AddressMode::Clamp),
        2 => Ok(AddressMode::Mirror),
        3 => Ok(AddressMode::Border),
        _ => Err(Failure::value(format!("there is no address mode {mode}"))),
    }
}

/// The texture of an image by its description.
pub fn texture(given: &TextureDescription, image: &SharedImage) -> Answer<Texture> {
    if given.flags & !(AS_INTEGER | NORMALIZED | SRGB | NO_TRILINEAR | SEAMLESS) != 0 {
        return Err(Failure::value(format!("flags {:#x} of a texture", given.flags)));
    }
    let [x, y, z] = given.address_mode;
    let level_clamp = if given.min_level == 0.0 && given.max_level == 0.0 {
        [0.0, f32::MAX]
    } else {
        [given.min_level, given.max_level]
    };
    let sampler = Sampler {
        address: [address_mode(x)?, address_mode(y)?, address_mode(z)?],
        border: given.border,
        filter: filter(given.filter)?,
        level_filter: filter(given.level_filter)?,
        level_bias: given.level_bias,
        level_clamp,
        max_anisotropy: given.max_anisotropy.max(1),
        seamless: given.flags & SEAMLESS != 0,
        ..Sampler::default()
    };
    let is_element = given.flags & AS_INTEGER != 0 || !has_fractions(image);
    let read = if is_element { ReadMode::Element } else { ReadMode::NormalizedFloat };
    Ok(Texture {
        read,
        srgb: given.flags & SRGB != 0,
        normalized: Some(given.flags & NORMALIZED != 0),
        sampler: Some(sampler),
        ..Texture::new(0)
    })
}

/// Whether the elements of an image are integers of less than 32 bits, which textures convert to fractions. Other elements are never converted.
fn has_fractions(image: &SharedImage) -> bool {
    matches!(
        image.description().format,
        ChannelFormat::Unsigned8
            | ChannelFormat::Unsigned16
            | ChannelFormat::Signed8
            | ChannelFormat::Signed16
    )
}
