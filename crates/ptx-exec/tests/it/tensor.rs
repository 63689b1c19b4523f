//! Tensor maps and tensor copies (manual 5.5, 9.7.9.25.5, 9.7.9.28, 9.7.13.16).
//!
//! What memory holds afterwards is worked out here element by element, by loops over coordinates that are written from the
//! manual's text, and from its tables of swizzling patterns.

mod cluster;
mod harness;
mod maps;
mod misuse;
mod packed;
mod pixels;
mod reduce;
mod tile;
