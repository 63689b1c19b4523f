//! `ptx-remove-barriers`: barriers that order nothing are removed, and those of blocks of one warp are barriers of the warp.
//!
//! Compilers put a barrier before and after each use of shared memory, and neither LLVM nor `ptxas` removes any:
//!
//! ```text
//!   store float %x, ptr addrspace(3) %p          store float %x, ptr addrspace(3) %p
//!   call void @..barrier.cta.sync.aligned.all    call void @..barrier.cta.sync.aligned.all
//!   %y = load float, ptr addrspace(3) %q   -->   %y = load float, ptr addrspace(3) %q
//!   call void @..barrier.cta.sync.aligned.all    %z = load float, ptr addrspace(3) %r
//!   %z = load float, ptr addrspace(3) %r
//! ```
//!
//! A barrier is removed if no access before it, back to the barriers before, and none after it, up to the next barriers, may be of the same memory with one of
//! them a write. What is before those barriers stays ordered by them. Accesses whose memory is not known, and all else that may synchronize (fences, volatile
//! accesses, asynchronous copies, inline assembly), conflict with all others.
//!
//! All threads of a block must arrive at each of its barriers together, or the barriers that remain would pair with others: all branches that decide whether
//! a thread comes to one have a condition that is the same for all threads of the block. If any barrier of a kernel may be executed by some threads alone, none is
//! removed.
//!
//! Where `.reqntid` specifies a block of one warp, `bar.warp.sync` orders as much; `ptxas` does not replace `bar.sync` itself.

mod accesses;
mod segments;
mod uniform;

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::edit::{Editor, Flow, Function, Inst};
use ptx_llvm_core::view::CallingConvention;

use crate::pass::{Pass, Run, When};

use segments::Segments;
pub(super) use uniform::Uniformity;

pub(super) const PASS: Pass = Pass {
    name: "ptx-remove-barriers",
    summary: "Removes barriers of a block that order no accesses, and makes those of blocks of one warp barriers of the warp.",
    when: When::LastAtLevels,
    run: Run::Function(run),
    parameters: &[],
};

/// The barrier of all threads of a block, which all threads of a warp execute together.
const BARRIER: &str = "llvm.nvvm.barrier.cta.sync.aligned.all";

/// The threads of a warp.
const WARP: u64 = 32;

fn run<'e>(editor: &Editor<'e>, function: Function<'e>) -> Result<(), LlvmError> {
    let is_kernel = function.calling_convention() == CallingConvention::PtxKernel;
    if !is_kernel || !function.instructions().into_iter().any(|inst| inst.calls(BARRIER)) {
        return Ok(());
    }
    let flow = Flow::new(function);
    if !are_together(&flow) {
        return Ok(());
    }
    let (removed, kept) = Segments::new(&flow).divide();
    for barrier in removed {
        editor.erase(barrier)?;
    }
    let Some(threads) = block_size(function).filter(|threads| *threads <= WARP) else { return Ok(()) };
    // The lowest bits, as a signed number.
    let mask = editor.integer(32).number(i64::from(((1_u64 << threads) - 1) as u32 as i32))?;
    for barrier in kept {
        editor.before(barrier)?.intrinsic("llvm.nvvm.bar.warp.sync", &[], &[mask])?;
        editor.erase(barrier)?;
    }
    Ok(())
}

/// Whether all threads of the block arrive at each of its barriers together.
fn are_together(flow: &Flow<'_>) -> bool {
    let mut barriers = Vec::new();
    for (at, block) in flow.blocks().iter().enumerate() {
        for inst in block.instructions().into_iter().filter(|inst| inst.opcode().is_call()) {
            if may_hide_barrier(inst) {
                return false;
            }
            if is_barrier(inst) {
                barriers.push(at);
            }
        }
    }
    let uniformity = Uniformity::new(flow);
    barriers.into_iter().all(|block| uniformity.is_together(block))
}

/// Whether a call is a barrier of the block, or a reduction at one.
fn is_barrier(call: Inst<'_>) -> bool {
    call.calls("llvm.nvvm.barrier") && !call.calls("llvm.nvvm.barrier.cluster.")
}

/// Whether all threads of the block wait at a barrier, as at [`BARRIER`] and where they reduce a value. Others (`arrive`, those of some threads) order less.
fn is_barrier_of_all(call: Inst<'_>) -> bool {
    is_barrier(call) && call.called_function().is_some_and(|function| function.name().ends_with(b".all"))
}

/// Whether a call may execute a barrier of the block that is not there to be seen.
fn may_hide_barrier(call: Inst<'_>) -> bool {
    match (call.called_function(), call.callee()) {
        (Some(function), _) if function.is_intrinsic() => false,
        (Some(function), _) => {
            call.has_call_attribute("convergent") || function.attribute("convergent").is_some()
        }
        (None, Some(callee)) => match callee.asm_text() {
            Some(text) => {
                let words = text
                    .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.' && letter != '_');
                words.into_iter().any(|word| word.starts_with("bar.") || word.starts_with("barrier."))
            }
            None => true,
        },
        (None, None) => true,
    }
}

/// The threads of a block, where `.reqntid` specifies them.
fn block_size(function: Function<'_>) -> Option<u64> {
    let text = function.text_attribute("nvvm.reqntid")?;
    text.split(',').try_fold(1_u64, |threads, extent| threads.checked_mul(extent.trim().parse().ok()?))
}

#[cfg(test)]
mod tests;
