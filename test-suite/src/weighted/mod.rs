//! Machine code weighted by execution: how often warps issue each machine instruction of a kernel at a launch.
//!
//! The estimate is that of [`ptx_machine`], whose documentation tells how it is made: from the machine code with the PTX line of each instruction, and from what the interpreter counts.
//!
//! [`measure()`](kernel::measure) estimates a kernel, [`compare`] holds what a way through LLVM makes of it against the original, [`report`] judges a set of kernels
//! (`cargo xtask opt-report`).

pub mod compare;
pub mod compiled;
pub mod kernel;
mod occupancy;
pub mod reasons;
pub mod report;
pub mod sets;
pub mod trip_counts;
pub mod way;
