//! Instructions that follow calls though all they read is known before.

use std::collections::HashSet;

use llvm_sys::prelude::LLVMValueRef;

use super::Movable;
use super::flow::Flow;
use super::order::Order;
use super::words::{Word, operands};

/// An instruction that can occur earlier.
struct Earlier {
    instruction: LLVMValueRef,
    /// The place after which all it reads is known.
    after: usize,
    /// Whether fewer words wait then, not only others.
    frees: bool,
    /// The instructions that must have moved for that.
    needs: Vec<LLVMValueRef>,
}

/// Moves instructions of a block up before calls, to where the last of their operands is known, where fewer words live across the
/// calls then; and those that take as many words as they free, where others that free some read them.
///
/// # Safety
///
/// The order is that of a block that is alive, and the flow its function's.
pub(super) unsafe fn raise(mut order: Order, flow: &mut Flow, movable: &Movable) {
    let mut found: Vec<Earlier> = Vec::new();
    for at in 0..order.instructions.len() {
        let instruction = order.instructions[at];
        // SAFETY: an instruction of the block.
        if let Some(earlier) = unsafe { earlier(&order, flow, movable, instruction, at) } {
            order.place_after(instruction, earlier.after);
            found.push(earlier);
        }
    }
    // What an instruction needs was found before it.
    let mut kept: HashSet<LLVMValueRef> = HashSet::new();
    for earlier in found.iter().rev() {
        if earlier.frees || kept.contains(&earlier.instruction) {
            kept.insert(earlier.instruction);
            kept.extend(&earlier.needs);
        }
    }
    order.keep(&kept);
    // SAFETY: the caller's; what those that are kept read is known before them or was kept too.
    unsafe { order.apply() };
}

/// Whether an instruction can occur earlier, when no more words wait then.
unsafe fn earlier(
    order: &Order,
    flow: &mut Flow,
    movable: &Movable,
    instruction: LLVMValueRef,
    at: usize,
) -> Option<Earlier> {
    // SAFETY: the caller's.
    unsafe {
        if !movable.has(instruction) {
            return None;
        }
        let operands = operands(instruction);
        let after = order.known_after(&operands);
        let call = order.call_after(after).filter(|call| *call <= at)?;
        let made = flow.words.made_by(instruction)?;
        let mut needs: Vec<LLVMValueRef> =
            operands.into_iter().filter(|operand| order.is_moved(*operand)).collect();
        let mut freed = 0;
        if made > 0 {
            for word in flow.words.read_by(instruction)? {
                freed += usize::from(frees(order, flow, word, call, instruction, &mut needs));
            }
            if freed == 0 || freed < made {
                return None;
            }
        }
        Some(Earlier { instruction, after, frees: freed > made, needs })
    }
}

/// Whether nothing but an instruction needs a word after the call at a place, with what must have moved for that.
unsafe fn frees(
    order: &Order,
    flow: &mut Flow,
    word: Word,
    call: usize,
    instruction: LLVMValueRef,
    needs: &mut Vec<LLVMValueRef>,
) -> bool {
    // SAFETY: the caller's.
    let Some(reads) = (unsafe { flow.reads(word) }) else { return false };
    let late = |reader: &LLVMValueRef| order.place_of(*reader).is_some_and(|place| place > call);
    if reads.leaves.contains(&order.block)
        || reads.readers.iter().any(|reader| *reader != instruction && late(reader))
    {
        return false;
    }
    needs.extend(reads.readers.iter().filter(|reader| order.is_moved(**reader)));
    true
}
