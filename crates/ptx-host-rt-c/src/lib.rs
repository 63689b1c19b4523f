//! The C interface of `ptx-host-rt`: `libptx_host_rt.so`, `libptx_host_rt.a` and `include/ptx_host_rt.h`, which `cbindgen` generates from this
//! crate.
//!
//! This is one of the crates with `unsafe` code: here pointers from C and from object files become references. No panic leaves a function.

#![allow(unsafe_code)]

mod launch;
mod object;
