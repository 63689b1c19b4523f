//! Moving instructions up, before calls.
//!
//! For each instruction that follows a call though all it reads is known before, the plan is to execute it where the last operand is
//! known. It pays when more words stop waiting for it than it makes. An instruction that gives as many as it takes does not pay, but may
//! be needed:
//!
//! ```text
//!   call void @f()
//!   %x = fneg float %a              ; one word from one: pays nothing by itself
//!   %y = fneg float %b
//!   %s = fadd float %x, %y          ; one word from two: pays, and cannot move without them
//! ```
//!
//! So all candidates are planned first, and those on which no paying one depends are taken back. One pass over the block in each direction;
//! what is asked of each word is bounded by [`super::liveness`].

use std::collections::HashSet;

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::edit::{Editor, Inst, Value};

use super::liveness::Liveness;
use super::movable::is_movable;
use super::order::Order;
use super::words::Word;

/// An instruction that can occur earlier.
struct Earlier<'e> {
    instruction: Inst<'e>,
    /// The position after which all it reads is known.
    after: usize,
    /// Whether fewer words wait then, not only others.
    frees: bool,
    /// The instructions that must have moved for that.
    needs: Vec<Inst<'e>>,
}

/// Moves instructions of a block up before calls, to where the last of their operands is known, where fewer words are live across the
/// calls then; and those that take as many words as they free, where others that free some read them. The liveness is that of the block's function.
pub(super) fn hoist<'e>(
    editor: &Editor<'e>,
    mut order: Order<'e>,
    liveness: &mut Liveness<'e>,
) -> Result<(), LlvmError> {
    let mut found: Vec<Earlier<'e>> = Vec::new();
    for at in 0..order.instructions.len() {
        let instruction = order.instructions[at];
        if let Some(earlier) = earlier(&order, liveness, instruction, at) {
            order.move_after(instruction, earlier.after);
            found.push(earlier);
        }
    }
    // What an instruction needs was found before it, so going back from the last one meets every instruction after all that need it,
    // and one pass closes the set.
    let mut kept: HashSet<Inst<'e>> = HashSet::new();
    for earlier in found.iter().rev() {
        if earlier.frees || kept.contains(&earlier.instruction) {
            kept.insert(earlier.instruction);
            kept.extend(&earlier.needs);
        }
    }
    order.keep(&kept);
    // What those that are kept read is known before them or was kept too.
    order.apply(editor)
}

/// Whether an instruction can occur earlier, when no more words wait then.
fn earlier<'e>(
    order: &Order<'e>,
    liveness: &mut Liveness<'e>,
    instruction: Inst<'e>,
    at: usize,
) -> Option<Earlier<'e>> {
    if !is_movable(instruction) {
        return None;
    }
    let operands: Vec<Value<'e>> = instruction.operands().collect();
    let after = order.known_after(&operands);
    // `at` is the number of instructions before this one: a call up to there is crossed. Only the first one is asked about. A word that is
    // not read after it is not live across the later ones either.
    let call = order.call_after(after).filter(|call| *call <= at)?;
    let made = liveness.words.made_by(instruction)?;
    // Operands that were planned to move are known after their new position; if such a move is taken back, this one must be too.
    let insts = operands.into_iter().filter_map(Value::as_inst);
    let mut needs: Vec<Inst<'e>> = insts.filter(|operand| order.is_moved(*operand)).collect();
    let mut freed = 0;
    // What makes no words (a cast) can follow its operand for nothing: it neither frees words nor takes any.
    if made > 0 {
        for word in liveness.words.read_by(instruction)? {
            freed += usize::from(frees(order, liveness, word, call, instruction, &mut needs));
        }
        if freed == 0 || freed < made {
            return None;
        }
    }
    Some(Earlier { instruction, after, frees: freed > made, needs })
}

/// Whether nothing but an instruction needs a word after the call at a position, with what must have moved for that.
fn frees<'e>(
    order: &Order<'e>,
    liveness: &mut Liveness<'e>,
    word: Word<'e>,
    call: usize,
    instruction: Inst<'e>,
    needs: &mut Vec<Inst<'e>>,
) -> bool {
    let Some(reads) = liveness.reads(word) else { return false };
    // Readers that were planned to move are judged by where they will be. Then the word is free only if they do move, so
    // those moves are needed for this one.
    let late = |reader: &Inst<'e>| order.position_of(*reader).is_some_and(|position| position > call);
    if reads.live_out.contains(&order.block)
        || reads.readers.iter().any(|reader| *reader != instruction && late(reader))
    {
        return false;
    }
    needs.extend(reads.readers.iter().filter(|reader| order.is_moved(**reader)));
    true
}
