//! Moving instructions down, after calls.
//!
//! For each instruction that precedes a call and is read only after it, the plan is to compute it right before its first reader. Then what
//! it reads has to be live across the call in its place, unless that is live there anyway; so the group grows by the makers of these words
//! as long as no more words have to wait:
//!
//! ```text
//!   %x = fpext float %a to double           call void @f()
//!   %y = fmul double %x, %x                 %x = fpext float %a to double
//!   call void @f()                          %y = fmul double %x, %x
//!   store double %y, ptr %p                 store double %y, ptr %p
//!
//!   %y alone: 2 words waited, then 2 (%x). With %x in the group: 1 (%a).
//! ```
//!
//! The block is read from its end, so that the readers of an instruction have their last position when it is looked at. Groups have at most
//! `MOST_TOGETHER` members, and each word is asked for a bounded number of readers ([`super::liveness`]).

use std::collections::HashMap;

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::edit::{Editor, Inst, Opcode};

use super::liveness::Liveness;
use super::movable::is_movable;
use super::order::Order;
use super::words::Word;

/// Instructions that move together; more are not worth the search.
const MOST_TOGETHER: usize = 32;

/// Instructions that move down together: one that computes, what it is computed from as far as nothing else reads that, and
/// what only passes their words on.
struct Group<'e> {
    members: Vec<Inst<'e>>,
    /// The words that have to wait for the group, and would not wait for anything else.
    waiting: Vec<Word<'e>>,
}

/// An instruction, with those that only pass its words on.
struct Passing<'e> {
    members: Vec<Inst<'e>>,
    /// Those of the block that read the words.
    readers: Vec<Inst<'e>>,
    /// Whether others read them too.
    beyond: bool,
}

/// A block whose instructions move down, the last first.
struct Sinking<'a, 'e> {
    order: &'a Order<'e>,
    liveness: &'a mut Liveness<'e>,
    /// The positions of those that were moved, in half steps.
    moved: HashMap<Inst<'e>, usize>,
}

/// Moves instructions of a block down after calls, right before the first that reads what they compute, where fewer words are live across
/// the calls then. A block with debug records stays as it is: a record that describes a variable by a value would precede the value. The liveness is that of
/// the block's function.
pub(super) fn sink<'e>(
    editor: &Editor<'e>,
    order: &Order<'e>,
    liveness: &mut Liveness<'e>,
) -> Result<(), LlvmError> {
    if order.instructions.iter().any(|inst| inst.has_debug_records()) {
        return Ok(());
    }
    let mut sinking = Sinking { order, liveness, moved: HashMap::new() };
    for &instruction in order.instructions.iter().rev() {
        if let Some((group, next, position)) = sinking.group_of(instruction) {
            // Between two that were not moved all have one position.
            let position = if position.is_multiple_of(2) { position.saturating_sub(1) } else { position };
            for member in group {
                sinking.moved.insert(member, position);
                editor.move_before(member, next)?;
            }
        }
    }
    Ok(())
}

impl<'e> Sinking<'_, 'e> {
    /// The position of an instruction in the block, in half steps: those that were moved are between two of the others.
    fn position_of(&self, instruction: Inst<'e>) -> Option<usize> {
        let position = || self.order.position_of(instruction).map(|position| 2 * position);
        self.moved.get(&instruction).copied().or_else(position)
    }

    /// The first of some instructions of the block. Those that were moved to one position are in the order of LLVM's block.
    fn first_of(&self, readers: &[Inst<'e>]) -> Option<Inst<'e>> {
        let mut first = readers.iter().copied().min_by_key(|reader| self.position_of(*reader))?;
        let position = self.position_of(first);
        let mut before = first.previous();
        while let Some(inst) = before.filter(|inst| self.position_of(*inst) == position) {
            if readers.contains(&inst) {
                first = inst;
            }
            before = inst.previous();
        }
        Some(first)
    }

    /// The instructions that move down with one, in their order, and the one that they should precede, with its position.
    fn group_of(&mut self, instruction: Inst<'e>) -> Option<(Vec<Inst<'e>>, Inst<'e>, usize)> {
        if self.moved.contains_key(&instruction) || !is_movable(instruction) {
            return None;
        }
        // Checked first, since it is cheap and most instructions have no call after them.
        let from = self.order.position_of(instruction)?;
        let call = self.order.call_after(from)?;
        let made = self.liveness.words.made_by(instruction).filter(|made| *made > 0)?;
        let passing = self.passing(instruction)?;
        let end = *self.order.instructions.last()?;
        // With readers in other blocks alone, the end of this block is late enough. Without any reader it is dead, and left to LLVM.
        let first = self.first_of(&passing.readers);
        let next = first.or(passing.beyond.then_some(end))?;
        let to = self.position_of(next)?;
        // Of the calls that are crossed the last one counts: a word that is read after an earlier call but not after the last would have to
        // be live for longer than it is, so it must count as one that waits.
        let call = self.last_call(call, to)?;
        let mut group = Group { members: passing.members, waiting: Vec::new() };
        group.waiting = self.waiting_for(instruction, call, &group.members)?;
        self.widen(&mut group, call);
        // Equal is not enough: then nothing is gained, and the next run of the pass could move it back.
        if made <= group.waiting.len() {
            return None;
        }
        // Casts of the result that already follow the new position stay; among the others operands precede users, as before.
        group.members.retain(|member| self.position_of(*member).is_some_and(|position| position < to));
        group.members.sort_by_key(|member| self.order.position_of(*member));
        Some((group.members, next, to))
    }

    /// The last call before a position in half steps, when the first already is.
    fn last_call(&self, first: usize, to: usize) -> Option<usize> {
        let mut last = (2 * first < to).then_some(first)?;
        while let Some(next) = self.order.call_after(last).filter(|next| 2 * next < to) {
            last = next;
        }
        Some(last)
    }

    /// Takes what is read by a group alone into it, while no more words have to wait for it then.
    fn widen(&mut self, group: &mut Group<'e>, call: usize) {
        // A wider group has other waiting words, so that the search begins anew; it ends since each round adds a member, of which there
        // are at most `MOST_TOGETHER`.
        let mut at = 0;
        while let Some(&word) = group.waiting.get(at) {
            match self.joined(group, word, call) {
                Some(wider) if wider.members.len() <= MOST_TOGETHER => {
                    *group = wider;
                    at = 0;
                }
                _ => at += 1,
            }
        }
    }

    /// The group with the maker of a word that waits for it.
    fn joined(&mut self, group: &Group<'e>, waits: Word<'e>, call: usize) -> Option<Group<'e>> {
        let maker = waits.maker.as_inst()?;
        if self.order.position_of(maker)? >= call || self.moved.contains_key(&maker) || !is_movable(maker) {
            return None;
        }
        // Anything else that reads the maker's words could precede the call, and would then read what is not computed yet.
        let passing = self.passing(maker)?;
        if passing.beyond || passing.readers.iter().any(|reader| !group.members.contains(reader)) {
            return None;
        }
        let mut members = group.members.clone();
        members.extend(passing.members.iter().filter(|member| !group.members.contains(member)));
        let mut waiting: Vec<Word<'e>> =
            group.waiting.iter().copied().filter(|word| word.maker != waits.maker).collect();
        for word in self.waiting_for(maker, call, &members)? {
            if !waiting.contains(&word) {
                waiting.push(word);
            }
        }
        (waiting.len() <= group.waiting.len()).then_some(Group { members, waiting })
    }

    /// The words that an instruction reads and that nothing but members of its group reads after a call.
    fn waiting_for(
        &mut self,
        instruction: Inst<'e>,
        call: usize,
        members: &[Inst<'e>],
    ) -> Option<Vec<Word<'e>>> {
        let mut waiting = Vec::new();
        for word in self.liveness.words.read_by(instruction)? {
            if !self.is_live_after(word, call, members)? {
                waiting.push(word);
            }
        }
        Some(waiting)
    }

    /// Whether a word is live after a call, independent of what becomes of some instructions; `None` when that is not known.
    fn is_live_after(&mut self, word: Word<'e>, call: usize, but: &[Inst<'e>]) -> Option<bool> {
        let reads = self.liveness.reads(word)?;
        let reads_late = |reader: &Inst<'e>| {
            !but.contains(reader) && self.position_of(*reader).is_some_and(|position| position > 2 * call)
        };
        Some(reads.live_out.contains(&self.order.block) || reads.readers.iter().any(reads_late))
    }

    /// An instruction with those of its block that only pass its words on.
    fn passing(&mut self, instruction: Inst<'e>) -> Option<Passing<'e>> {
        let mut found = Passing { members: vec![instruction], readers: Vec::new(), beyond: false };
        let mut at = 0;
        while let Some(&member) = found.members.get(at) {
            at += 1;
            for user in member.users() {
                let here = self.order.position_of(user).is_some() && user.opcode() != Opcode::Phi;
                if !here {
                    found.beyond = true;
                } else if self.only_passes(user) {
                    if !found.members.contains(&user) {
                        found.members.push(user);
                    }
                } else if !found.readers.contains(&user) {
                    found.readers.push(user);
                }
                if found.members.len() + found.readers.len() > 2 * MOST_TOGETHER {
                    return None;
                }
            }
        }
        Some(found)
    }

    /// Whether an instruction that may move computes nothing itself.
    fn only_passes(&mut self, instruction: Inst<'e>) -> bool {
        !self.moved.contains_key(&instruction)
            && is_movable(instruction)
            && instruction.operand(0).is_some()
            && self.liveness.words.made_by(instruction) == Some(0)
    }
}
