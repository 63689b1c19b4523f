//! Textures, samplers and surfaces of a launch (manual 5.3, 9.7.10, 9.7.11), in the terms of the CUDA driver.

mod bind;
mod memory;
mod slots;

pub use memory::{SharedImage, TextureError, TextureSet};
pub use ptx_program::Opaque;
pub use ptx_program::texture::{
    AddressMode, ChannelFormat, Comparison, Extent, Filter, Handle, Image, ReadMode, Sampler, Start, Storage,
    Surface, Texture, Textures,
};

pub(crate) use bind::{Units, check_given, check_reference, reference};
pub(crate) use memory::PlacedImage;
