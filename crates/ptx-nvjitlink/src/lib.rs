//! `libnvJitLink.so`: CUDA's linker of device code, for the driver on the host CPU (`ptx-cuda`).
//!
//! Inputs are PTX, fat binaries with PTX, and images that this library or the driver linked. They are checked and linked as the driver does it when it
//! loads them, and the result is a container of the files ([`ptx_image::container`]), which takes the place of machine code. Machine code and intermediate
//! code of NVVM (LTO-IR) are refused.
//!
//! The functions of `nvJitLink.h` are exported under the names of all versions from 12.0 to 13.5, which do not differ (`exports`). Handles are numbers that
//! are looked up in a table and used once; no panic leaves a function.

#![allow(unsafe_code)]
// The functions and the library have the names of CUDA.
#![allow(non_snake_case)]

mod exports;
mod inputs;
mod link;
mod options;
mod pointers;

pub use link::{NvJitLinkResult, RESULTS};
