//! The C interface of `ptx-device`: `libptx_exec.so`, `libptx_exec.a` and `include/ptx_exec.h`, which `cbindgen` generates from this crate.
//!
//! This is one of the crates with `unsafe` code: here pointers from C become references. The preconditions for callers
//! are at the head of the header and apply to every function. No panic leaves a function ([`status::guard`]), and
//! errors are only reported by its status and [`ptx_last_error`](status::ptx_last_error).

#![allow(unsafe_code)]

mod attributes;
mod boxes;
mod device;
mod error_kind;
mod graph;
mod mappings;
mod module;
mod objects;
mod pointer;
mod regions;
mod run;
mod status;
mod stream;
mod tensor;
