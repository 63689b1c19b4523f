//! `ptx-reduce-call-pressure`: fewer live registers across calls.
//!
//! A value that is live across a call takes a register that the callee preserves, and has to be saved for that. LLVM's passes
//! know nothing of calls when they place an instruction: combining a select with a cast of it moves the select to where the
//! cast is, and what it chooses from waits until there; one comparison of all elements of a vector is where the first of
//! them is needed.
//!
//! In goes a module, out comes the same module with instructions without effects moved inside their blocks: up before a call
//! ([`hoist`]), when what an instruction reads takes more registers than what it computes, and down after a call ([`sink`]) in
//! the opposite case.
//!
//! ```text
//!   call void @f()                                %s = fadd float %a, %b
//!   %s = fadd float %a, %b                        call void @f()            ; %s is saved, not %a and %b
//!   store float %s, ptr %p                        store float %s, ptr %p
//!
//!   %d = fpext float %c to double                 call void @f()            ; %c is saved, not the two words of %d
//!   call void @f()                                %d = fpext float %c to double
//!   store double %d, ptr %p                       store double %d, ptr %p
//! ```
//!
//! The unit that is counted is the register ([`words`]), not the LLVM value: a `bitcast`, a `trunc` or an `extractelement` names
//! registers that exist already, so moving it saves nothing by itself. [`liveness`] finds the readers of each such register across
//! the function; [`movable`] has the instructions that may move at all; [`order`] keeps the new order of a block until it is applied.

mod hoist;
mod liveness;
mod movable;
mod order;
mod sink;
#[cfg(test)]
mod tests;
mod words;

use liveness::Liveness;
use order::Order;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::edit::{Editor, Function};

use crate::pass::{Pass, Run, When};

/// Runs at every level that optimizes, after LLVM's passes.
pub(crate) const PASS: Pass = Pass {
    name: "ptx-reduce-call-pressure",
    summary: "Moves computations across calls so that fewer registers are live across them.",
    when: When::LastAtLevels,
    run: Run::Function(reduce_call_pressure),
    parameters: &[],
};

/// Moves instructions without effects within their blocks when fewer words are then live across the calls between: up, to where the last
/// of their operands is known, and down, to the first instruction that reads them. The order of everything else and what the
/// module computes stay.
fn reduce_call_pressure<'e>(editor: &Editor<'e>, function: Function<'e>) -> Result<(), LlvmError> {
    // Instructions move within their blocks alone, which keeps liveness as it is.
    let blocks = function.blocks();
    let mut liveness = Liveness::new(&blocks);
    for block in blocks {
        let order = Order::new(block);
        if order.has_calls() {
            hoist::hoist(editor, order, &mut liveness)?;
            sink::sink(editor, &Order::new(block), &mut liveness)?;
        }
    }
    Ok(())
}
