//! Random programs in LLVM IR, executed on the host and as PTX.
//!
//! [`program`] writes kernels without undefined behaviour, whose results do not depend on what IEEE 754 and LLVM leave
//! open (the bits of a NaN, the order of threads): arithmetic of all widths, floating-point numbers, vectors, memory in all
//! address spaces, branches, loops, switches, calls, recursion, variable arguments, atomic operations. [`judge`] executes a batch of them as LLVM's `lli` does on the
//! host, and in the interpreter as the PTX that raising makes of them: as they are, optimized, and once more through LLVM IR. The
//! memory of all must be equal.

mod compound;
mod generate;
mod judge;
mod statement;
mod ty;

pub use generate::{Program, program};
pub use judge::{Cause, Difference, Judges, Verdict, judge};
pub use statement::INTEGER_ATOMICS;
