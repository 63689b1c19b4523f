//! Compiles decoded kernels for the host CPU.
//!
//! A warp is a vector: 32 lanes are a few chunks of the CPU's vector width, and a register of PTX is a vector register, or a
//! scalar where all lanes have the same value, or a scalar and a stride where lane `n` has `base + n * stride`.
//! What is compiled is [`ptx_exec::program::Program`], which the interpreter executes too, so that both have one description of
//! each operation. What is not compiled is refused with the instruction and the reason, before anything runs.
#![allow(unsafe_code)]

pub mod analysis;
pub mod aot;
mod cache;
#[cfg(test)]
mod checked;
mod code;
mod counters;
pub mod emit;
mod exchange;
mod inline;
mod inspect;
mod join;
mod kernel;
mod launch;
mod loader;
mod once;
mod options;
mod perf;
#[cfg(test)]
#[path = "../tests/common/prepared.rs"]
mod prepared;
mod remarks;
mod spin;

pub use cache::{Cache, CacheError, DEFAULT_CACHE_BYTES};
pub use inspect::{Stage, print_after, remarks};
pub use kernel::{CompileError, Kernel, host_assembly, host_ir};
pub use launch::{Compiler, Kernels, launch, launch_with_output, refused};
pub use options::{Lines, Options, Place};
pub use remarks::{Remark, RemarkKind};
pub use run::{Given, WarpFrame};

// What runs the code, which needs no LLVM.
use ptx_host_rt as run;
