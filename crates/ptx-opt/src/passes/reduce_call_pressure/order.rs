//! The planned order of a block's instructions.
//!
//! [`Order::new`] takes a block of LLVM's as it is and numbers its instructions; moves are first only recorded
//! ([`Order::move_after`]), some are taken back ([`Order::keep`]), and [`Order::apply`] carries the rest out. A plan costs no change of
//! LLVM's lists, and whether a move pays is known only when the later ones that need it were looked at.

use std::collections::{HashMap, HashSet};

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::edit::{Block, Editor, Inst, Opcode, Value};

/// Where an instruction is: the number of instructions up to it or, when it was moved, up to where it was moved to; then how
/// many were moved before it.
type PlannedPosition = (usize, usize);

/// A block, with the planned order of its instructions.
pub(super) struct Order<'e> {
    pub(super) block: Block<'e>,
    pub(super) instructions: Vec<Inst<'e>>,
    positions: HashMap<Inst<'e>, PlannedPosition>,
    moved: Vec<(PlannedPosition, Inst<'e>)>,
    /// For each number of instructions how many there are up to and with the next call; more than there are after the last.
    next_call: Vec<usize>,
    /// How many phis the block begins with.
    phis: usize,
}

impl<'e> Order<'e> {
    pub(super) fn new(block: Block<'e>) -> Self {
        let instructions = block.instructions();
        let phis = instructions.iter().filter(|inst| inst.opcode() == Opcode::Phi).count();
        // Filled from the back, so that "the next call after here" takes one step later, and not a walk to the end of the block.
        let mut next_call = vec![instructions.len() + 1; instructions.len() + 1];
        for at in (0..instructions.len()).rev() {
            next_call[at] = if saves_registers(instructions[at]) { at + 1 } else { next_call[at + 1] };
        }
        let positions = instructions.iter().enumerate().map(|(at, inst)| (*inst, (at + 1, 0))).collect();
        Order { block, instructions, positions, moved: Vec::new(), next_call, phis }
    }

    /// Whether there is a call for which registers are saved.
    pub(super) fn has_calls(&self) -> bool {
        self.call_after(0).is_some()
    }

    /// The position of the first call after a position.
    pub(super) fn call_after(&self, after: usize) -> Option<usize> {
        self.next_call.get(after).copied().filter(|call| *call <= self.instructions.len())
    }

    /// The number of instructions up to and with one of the block's.
    pub(super) fn position_of(&self, instruction: Inst<'e>) -> Option<usize> {
        self.positions.get(&instruction).map(|position| position.0)
    }

    /// The position after which all of some operands are known.
    pub(super) fn known_after(&self, operands: &[Value<'e>]) -> usize {
        // Operands of other blocks have no position here and are known at the beginning. Nothing may precede a phi, though, which is
        // why the number of phis is the least answer.
        let known = operands.iter().filter_map(|operand| self.position_of(operand.as_inst()?));
        known.fold(self.phis, usize::max)
    }

    /// Plans to move an instruction to after a position, after those that were moved there before.
    pub(super) fn move_after(&mut self, instruction: Inst<'e>, after: usize) {
        // The second number grows with each move. What an instruction reads was moved before it (the caller goes through the block
        // from its beginning), so at one position the operands precede their users.
        let position = (after, self.moved.len() + 1);
        self.positions.insert(instruction, position);
        self.moved.push((position, instruction));
    }

    /// Whether an instruction was given another position.
    pub(super) fn is_moved(&self, instruction: Inst<'e>) -> bool {
        self.positions.get(&instruction).is_some_and(|position| position.1 != 0)
    }

    /// Takes back all planned moves but those of `kept`.
    pub(super) fn keep(&mut self, kept: &HashSet<Inst<'e>>) {
        self.moved.retain(|(_, instruction)| kept.contains(instruction));
        for (at, instruction) in self.instructions.iter().enumerate() {
            if !kept.contains(instruction) {
                self.positions.insert(*instruction, (at + 1, 0));
            }
        }
    }

    /// Moves the instructions in LLVM's block, which has not changed since [`Order::new`]; what an instruction reads is placed before it.
    pub(super) fn apply(&mut self, editor: &Editor<'e>) -> Result<(), LlvmError> {
        // In the order of their positions, each before the next instruction that was not moved: those with one position are inserted one
        // after the other before the same instruction, and keep their order by that.
        self.moved.sort_unstable_by_key(|(position, _)| *position);
        for &((after, _), instruction) in &self.moved {
            let stays = |inst: &&Inst<'e>| self.positions.get(*inst).is_some_and(|position| position.1 == 0);
            if let Some(&next) = self.instructions.iter().skip(after).find(stays) {
                editor.move_before(instruction, next)?;
            }
        }
        Ok(())
    }
}

/// Whether values that are live across an instruction need registers that a callee preserves: a call of a function of the program's.
fn saves_registers(inst: Inst<'_>) -> bool {
    if inst.opcode() != Opcode::Call {
        return false;
    }
    // Intrinsics and inline assembly become instructions, which preserve all registers but their results. An indirect call is a
    // call like any other.
    inst.callee().is_some_and(|callee| {
        !callee.is_inline_asm() && !callee.as_function().is_some_and(|function| function.is_intrinsic())
    })
}
