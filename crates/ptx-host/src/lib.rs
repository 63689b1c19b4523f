//! Compiles decoded kernels for the host CPU.
//!
//! A warp maps to vectors: its 32 lanes are a few chunks of the CPU's vector width, and a PTX register becomes a vector, a scalar if it is
//! uniform (all lanes have the same value), or a scalar and a stride if it is affine (lane `n` has `base + n * stride`).
//! The input is [`ptx_program::Program`], which the interpreter executes too, so that both share one description of each operation.
//! A kernel that cannot be compiled is rejected with the instruction and the reason, before anything runs.
#![allow(unsafe_code)]

pub mod analysis;
pub mod aot;
mod cache;
#[cfg(test)]
mod checked;
mod code;
mod counters;
pub mod emit;
mod error;
mod inline;
mod inspect;
mod join;
mod kernel;
mod launch;
mod loader;
mod notes;
mod once;
mod options;
mod perf;
#[cfg(test)]
#[path = "../tests/it/common/prepared.rs"]
mod prepared;
mod remarks;
mod source;
mod spin;
mod stack;
mod strategy;
mod webs;

pub use cache::{Cache, CacheError, DEFAULT_CACHE_BYTES};
pub use error::CompileError;
pub use inspect::{Explanation, Stage, explain, print_after};
pub use kernel::{Kernel, host_assembly, host_ir, unoptimized_ir};
pub use launch::{Compiler, Kernels, Rest, kept_together, launch, launch_rest, refused};
pub use notes::RemarkKind;
pub use options::{Lines, Options, SourceLocation};
pub use ptx_host_rt::{Cancellation, Given, WarpFrame};
pub use remarks::Remark;
pub use strategy::{Form, Forms};
