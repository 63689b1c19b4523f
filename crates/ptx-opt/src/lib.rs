//! Optimization pipelines over LLVM modules.
//!
//! A pipeline is text: passes separated by commas, in the form LLVM's `opt --passes` takes. LLVM's own passes and
//! pipelines (`default<O2>`, `function(sroa,gvn)`) and the passes of this project ([`PASSES`]) may be mixed at the top
//! level. The levels `-O1` to `-O3` are LLVM's default pipelines with the cost model of the module's GPU, and after them the passes
//! over accesses that LLVM's backend runs itself and the own pass that keeps values from living across calls. What was PTX is not
//! unrolled, vectorized or inlined much: its compiler did so. InstCombine moves nothing past branches, whoever runs it ([`ptx_llvm::Machine`]).
//! `-O0` changes nothing.
//!
//! Invariants:
//! - Nothing runs unless all of the pipeline that is ours to check is understood.
//! - The module is verified when LLVM's passes are done and own ones follow, and at the end; with debug assertions after every step.
//! - Convergent operations stay convergent: the lowering marks them, LLVM's passes respect the mark, and no own pass
//!   moves them.

mod masked_pointers;
mod passes;
mod pipeline;

pub use passes::{PASSES, Pass};
pub use pipeline::{OptError, optimize};
pub use ptx_llvm::OptLevel;
