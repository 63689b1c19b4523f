//! Textures, samplers and surfaces of a launch (manual 5.3, 9.7.10, 9.7.11), in the terms of the CUDA driver.

mod bind;
mod image;
mod memory;
mod query;
mod sampler;
mod slots;

pub use image::{ChannelFormat, Extent, Image, Start, Storage};
pub use memory::{SharedImage, TextureError, TextureSet};
pub use sampler::{AddressMode, Comparison, Filter, Handle, ReadMode, Sampler, Surface, Texture, Textures};

pub(crate) use bind::{
    BoundTexture, References, Units, check_given, check_reference, opaque_name, opaque_of,
};
pub(crate) use image::Meaning;
pub(crate) use memory::PlacedImage;
pub(crate) use query::describe;
