//! Descriptions of textures, samplers and surfaces (manual 5.3, 9.7.10, 9.7.11), in the terms of the CUDA driver.

mod check;
mod declared;
mod handle;
mod image;
mod query;
mod sampler;

pub use declared::{BoundTexture, Declared, References};
pub use handle::{opaque_name, opaque_of, variable_of_handle};
pub use image::{ChannelFormat, Extent, Image, Meaning, Start, Storage};
pub use query::describe;
pub use sampler::{AddressMode, Comparison, Filter, Handle, ReadMode, Sampler, Surface, Texture, Textures};
