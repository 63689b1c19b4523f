//! Optimization pipelines over LLVM modules.
//!
//! A pipeline is text: passes separated by commas, in the syntax of LLVM's `opt --passes`. LLVM's own passes and pipelines (`default<O2>`,
//! `function(sroa,gvn)`) and the passes of this project ([`PASSES`]) may be mixed at the top level, in `module(..)` and in `function(..)`. The levels `-O1` to `-O3`, `-Os`
//! and `-Oz` are LLVM's default pipelines with the cost model of the module's GPU, and after them the passes over accesses that LLVM's backend
//! runs itself and this project's `ptx-reduce-call-pressure`, `ptx-count-first` and `ptx-point-branches`. Code that was PTX is hardly unrolled, vectorized or inlined, since its
//! compiler did so. InstCombine never sinks instructions past branches ([`ptx_llvm_core::Machine`]). `-O0` changes nothing.
//!
//! Invariants:
//! - Nothing runs unless the part of the pipeline that this crate checks is valid.
//! - The module is verified after LLVM's passes if passes of this project follow, and at the end; with debug assertions after every step.
//! - Convergent operations stay convergent: the lowering marks them, LLVM's passes respect the mark, and passes of
//!   this project do not move them.

mod opcodes;
mod pass;
mod passes;
mod pipeline;
mod steps;

pub use pass::{Parameter, Pass, Run, When};
pub use passes::{
    AT_LEVELS, Branches, PASSES, choose_addresses, describe_passes, drop_metadata, flush_inputs,
    has_only_cuda_atomics, index_elements, pass_named, point_branches, relax_cuda_atomics,
};
pub use pipeline::{Observer, OptError, optimize, optimize_observed, unroll_specialized};
pub use ptx_llvm_core::OptLevel;
