//! The C interface of `ptx-device`: `libptx_exec.so`, `libptx_exec.a` and `include/ptx_exec.h`, which `cbindgen` makes of this crate.
//!
//! This is one of the crates with `unsafe` code: here pointers from C become references. What callers have to ensure is at the
//! head of the header and holds for every function. No panic leaves a function ([`status::guard`]), and errors are reported by its status
//! and [`ptx_last_error`](status::ptx_last_error) alone.

#![allow(unsafe_code)]

mod device;
mod mappings;
mod module;
mod objects;
mod pointer;
mod run;
mod status;
mod stream;
mod tensor;
