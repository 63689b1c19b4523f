//! `ptx-count-first`: loops whose last comparison is of the counter as it will be in the next round.
//!
//! ptxas unrolls no loop that goes on by the counter of the round that ends (docs/roundtrip.md, "What ptxas unrolls"). PTX seldom has
//! such loops, but LLVM's InstCombine makes them of others: it subtracts the step from both sides of `%next < 256`. LLVM's IndVarSimplify makes
//! equations with the greater of two numbers ([`limits`]).

use std::collections::HashMap;

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, IntPredicate};
use ptx_llvm_core::edit::{Block, Editor, Function, Inst, Opcode, Value, WrapFlags};

use crate::pass::{Pass, Run, When};

mod limits;
#[cfg(test)]
mod tests;
mod two_rounds;

/// Runs at every level that optimizes, before the branches are pointed.
pub(crate) const PASS: Pass = Pass {
    name: "ptx-count-first",
    summary: "Increments counters at the top of loops whose exit comparison uses the old value, and compares counters with limits by order: ptxas does not unroll the others.",
    when: When::LastAtLevels,
    run: Run::Function(count_first),
    parameters: &[],
};

/// Moves the step of such a counter to the top of its loop, so that what is compared is the sum:
///
/// ```text
///   br label %loop                                 %before = sub i32 %n, 192
///                                                  br label %loop
/// loop:                                          loop:
///   %i = phi i32 [ %n, %0 ], [ %next, %loop ]      %last = phi i32 [ %before, %0 ], [ %i, %loop ]
///   ..                                             %i = add i32 %last, 192
///   %next = add i32 %i, 192                        ..
///   %more = icmp ult i32 %i, 64                    %more = icmp ult i32 %i, 64
///   br i1 %more, label %loop, label %exit          br i1 %more, label %loop, label %exit
/// ```
///
/// Sums wrap, so that `%i` has the values that it had, for every `%n`. An equation with a constant has the step added on both sides instead.
/// A counter that more than its step and the comparison reads, and a sum that is needed elsewhere too, leave the loop as it is: there it
/// would cost instructions. A comparison of such a loop without regard to signs that are the same (`icmp samesign ult`) becomes a signed one, of
/// which ptxas takes no round before the others.
fn count_first<'e>(editor: &Editor<'e>, function: Function<'e>) -> Result<(), LlvmError> {
    let blocks = function.blocks();
    let places: HashMap<Block<'_>, usize> =
        blocks.iter().enumerate().map(|(at, block)| (*block, at)).collect();
    for &block in &blocks {
        two_rounds::count_two_rounds(editor, block)?;
        limits::compare_with_limit(editor, block)?;
        if let Some(latch) = Latch::at_end_of(block)
            && latch.is_against_what_was_before(&places)
        {
            latch.change(editor)?;
        }
    }
    Ok(())
}

/// A phi that counts.
#[derive(Clone, Copy)]
struct Counter<'e> {
    /// The phi, of what it was before the loop and the sum.
    phi: Inst<'e>,
    /// Which of the phi's two values is the sum.
    back: u32,
    /// The counter as it will be in the next round.
    sum: Inst<'e>,
    /// The constant that is added.
    step: Value<'e>,
}

impl<'e> Counter<'e> {
    /// What a counter counts by, when it is one: a phi of 32 or 64 bits with two values, which takes the sum of itself and a constant from the
    /// block.
    fn of(value: Value<'e>, block: Block<'e>) -> Option<Self> {
        let phi = value.as_op(Opcode::Phi).filter(|phi| phi.incoming_count() == 2)?;
        let back = (0..2).find(|at| phi.incoming(*at).is_some_and(|(_, from)| from == block))?;
        let sum = phi.incoming(back)?.0.as_op(Opcode::Add)?;
        let [counter, step] = sum.two_operands()?;
        let counts = counter == value && step.is_constant_integer();
        // Loops by narrower counters are not unrolled anyway.
        let width = phi.ty().integer_bits().filter(|_| counts)?;
        matches!(width, 32 | 64).then_some(Self { phi, back, sum, step })
    }

    /// What it is before the loop, with the block that control comes from.
    fn start(&self) -> Option<(Value<'e>, Block<'e>)> {
        self.phi.incoming(1 - self.back)
    }
}

/// The conditional branch that a block ends with, and its condition if that is an `icmp`.
fn compared_branch(block: Block<'_>) -> Option<(Inst<'_>, Inst<'_>)> {
    let branch = block.terminator()?;
    let comparison = branch.condition()?.as_op(Opcode::ICmp)?;
    Some((branch, comparison))
}

/// The sum of two constants of one integer type of 32 or 64 bits.
fn constant_sum<'e>(a: Value<'e>, b: Value<'e>) -> Result<Option<Value<'e>>, LlvmError> {
    match a.as_signed().zip(b.as_signed()) {
        Some((a_number, b_number)) => a.ty().number(a_number.wrapping_add(b_number)).map(Some),
        None => Ok(None),
    }
}

/// A branch back to a block that begins with a counter, on a comparison of that counter.
struct Latch<'e> {
    branch: Inst<'e>,
    comparison: Inst<'e>,
    predicate: IntPredicate,
    /// What the counter is compared with.
    bound: Value<'e>,
    counter: Counter<'e>,
}

impl<'e> Latch<'e> {
    fn at_end_of(block: Block<'e>) -> Option<Self> {
        let (branch, comparison) = compared_branch(block)?;
        let predicate = comparison.int_predicate()?;
        let [lhs, rhs] = comparison.two_operands()?;
        [(lhs, rhs), (rhs, lhs)].into_iter().find_map(|(one, bound)| {
            let counter = Counter::of(one, block)?;
            Some(Latch { branch, comparison, predicate, bound, counter })
        })
    }

    /// Whether the counter is compared with something that is there before the loop, as far as the order of blocks tells.
    fn is_against_what_was_before(&self, places: &HashMap<Block<'e>, usize>) -> bool {
        let Some(bound) = self.bound.as_inst() else { return true };
        let place = |inst: Inst<'e>| inst.block().and_then(|block| places.get(&block));
        place(bound) < place(self.counter.phi)
    }

    fn change(&self, editor: &Editor<'e>) -> Result<(), LlvmError> {
        let equation = matches!(self.predicate, IntPredicate::Eq | IntPredicate::Ne);
        let only_counts = self.counter.sum.has_one_use() && self.counter.phi.use_count() == 2;
        let Some((start, from)) = self.counter.start() else { return Ok(()) };
        if equation && let Some(bound) = constant_sum(self.bound, self.counter.step)? {
            return self.compare_sum(editor, bound);
        }
        if only_counts && let Some(end) = from.terminator().filter(|end| end.opcode() == Opcode::Br) {
            self.move_step(editor, start, end)?;
            self.compare_signed(editor)?;
        }
        Ok(())
    }

    /// `%next != 65` for `%i != 64`. The sum was not read in the last round, where it may be too large: it wraps then.
    fn compare_sum(&self, editor: &Editor<'e>, bound: Value<'e>) -> Result<(), LlvmError> {
        let Counter { sum, .. } = self.counter;
        sum.set_wrap_flags(WrapFlags::default());
        let compared = editor.before(self.branch)?.int_compare(self.predicate, sum.value(), bound)?;
        if let Some(inst) = compared.as_inst() {
            inst.take_location(self.comparison);
        }
        self.branch.set_condition(compared)?;
        if !self.comparison.has_users() {
            let name = self.comparison.name();
            editor.erase(self.comparison)?;
            compared.set_name(&name);
        }
        Ok(())
    }

    /// What [`count_first`] shows; `end` is the branch into the loop. The sum has no use but the phi, which has none but the sum and the comparison.
    fn move_step(&self, editor: &Editor<'e>, start: Value<'e>, end: Inst<'e>) -> Result<(), LlvmError> {
        let Counter { phi, back, sum: old, step } = self.counter;
        let Some(top) = phi.block().and_then(Block::first_after_phis) else { return Ok(()) };
        let (name, old_name) = (phi.name(), old.name());
        let sum = editor.before(top)?.binary(BinaryOp::Add, phi.value(), step)?;
        let Some(sum_inst) = sum.as_inst() else { return Ok(()) };
        sum_inst.take_location(old);
        phi.replace_all_uses(sum)?;
        sum_inst.set_operand(0, phi.value())?;
        phi.set_operand(back, sum)?;
        editor.erase(old)?;
        phi.value().set_name(&old_name);
        sum.set_name(&name);
        let before = editor.before(end)?.binary(BinaryOp::Sub, start, step)?;
        if let Some(inst) = before.as_inst() {
            inst.take_location(end);
        }
        phi.set_operand(1 - back, before)
    }

    /// `icmp slt` for `icmp samesign ult`: both sides have the same sign, or the comparison is poison, so that the new one has its value.
    fn compare_signed(&self, editor: &Editor<'e>) -> Result<(), LlvmError> {
        let (Some(predicate), Some([lhs, rhs])) = (self.predicate.signed(), self.comparison.two_operands())
        else {
            return Ok(());
        };
        if !self.comparison.is_same_sign() {
            return Ok(());
        }
        let compared = editor.before(self.comparison)?.int_compare(predicate, lhs, rhs)?;
        editor.replace(self.comparison, compared)
    }
}
