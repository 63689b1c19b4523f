//! Loops whose last comparison is of the counter as it will be in the next round.
//!
//! ptxas unrolls no loop that goes on by the counter of the round that ends (docs/roundtrip.md, "What ptxas unrolls"). PTX seldom has
//! such loops, but LLVM's InstCombine makes them of others: it subtracts the step from both sides of `%next < 256`. LLVM's IndVarSimplify makes
//! equations with the greater of two numbers ([`limits`]).

use std::collections::HashMap;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMValueRef};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use crate::module::Module;
use crate::pass::is_optimized;
use crate::raw;

mod limits;
mod two_rounds;

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
/// which ptxas takes no round before the others. Functions that are `optnone` stay.
pub fn count_first(module: &mut Module<'_>) {
    for function in module.inkwell().get_functions().filter(|function| is_optimized(*function)) {
        let blocks: Vec<LLVMBasicBlockRef> =
            function.get_basic_block_iter().map(|block| block.as_mut_ptr()).collect();
        let places: HashMap<LLVMBasicBlockRef, usize> =
            blocks.iter().enumerate().map(|(at, block)| (*block, at)).collect();
        for &block in &blocks {
            // SAFETY: the block belongs to a module that is alive and that nothing else changes meanwhile.
            unsafe {
                two_rounds::count_two_rounds(block);
                limits::compare_with_limit(block);
                if let Some(latch) = Latch::at_end_of(block)
                    && latch.is_against_what_was_before(&places)
                {
                    latch.change();
                }
            }
        }
    }
}

/// A branch back to a block that begins with a counter, on a comparison of that counter.
struct Latch {
    branch: LLVMValueRef,
    comparison: LLVMValueRef,
    /// What the counter is compared with.
    bound: LLVMValueRef,
    /// The phi, of what it was before the loop and the sum.
    counter: LLVMValueRef,
    /// Which of the phi's two values is the sum.
    back: u32,
    /// The counter as it will be in the next round.
    sum: LLVMValueRef,
    step: LLVMValueRef,
}

impl Latch {
    /// # Safety
    ///
    /// The block is alive.
    unsafe fn at_end_of(block: LLVMBasicBlockRef) -> Option<Self> {
        // SAFETY: conditions and operands are asked of what was seen to have them.
        unsafe {
            let branch = LLVMGetBasicBlockTerminator(block);
            if LLVMIsABranchInst(branch).is_null() || LLVMIsConditional(branch) == 0 {
                return None;
            }
            let comparison = LLVMGetCondition(branch);
            if LLVMIsAICmpInst(comparison).is_null() {
                return None;
            }
            let sides = [LLVMGetOperand(comparison, 0), LLVMGetOperand(comparison, 1)];
            [(0, 1), (1, 0)].into_iter().find_map(|(one, other)| {
                let counter = sides[one];
                let (back, sum, step) = counted(counter, block)?;
                Some(Latch { branch, comparison, bound: sides[other], counter, back, sum, step })
            })
        }
    }

    /// Whether the counter is compared with something that is there before the loop, as far as the order of blocks tells.
    ///
    /// # Safety
    ///
    /// The function is alive, and `places` are those of its blocks.
    unsafe fn is_against_what_was_before(&self, places: &HashMap<LLVMBasicBlockRef, usize>) -> bool {
        // SAFETY: blocks are asked of instructions.
        unsafe {
            if LLVMIsAInstruction(self.bound).is_null() {
                return true;
            }
            let place = |value| places.get(&LLVMGetInstructionParent(value));
            place(self.bound) < place(self.counter)
        }
    }

    /// # Safety
    ///
    /// The function is alive; no one else holds the instructions.
    unsafe fn change(&self) {
        // SAFETY: what is built is inserted where its operands are there; a comparison is replaced by one with the same value.
        unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(self.counter)));
            let predicate = LLVMGetICmpPredicate(self.comparison);
            let equation = matches!(predicate, LLVMIntPredicate::LLVMIntEQ | LLVMIntPredicate::LLVMIntNE);
            let only_counts = uses(self.sum) == 1 && uses(self.counter) == 2;
            let end = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(self.counter, 1 - self.back));
            if equation && !LLVMIsAConstantInt(self.bound).is_null() {
                self.compare_sum(builder, predicate);
            } else if only_counts && !LLVMIsABranchInst(end).is_null() {
                self.move_step(builder, end);
                self.compare_signed(builder, predicate);
            }
            LLVMDisposeBuilder(builder);
        }
    }

    /// `%next != 65` for `%i != 64`. The sum was not read in the last round, where it may be too large: it wraps then.
    ///
    /// # Safety
    ///
    /// That of [`Latch::change`]. The bound is a constant.
    unsafe fn compare_sum(&self, builder: LLVMBuilderRef, predicate: LLVMIntPredicate) {
        // SAFETY: the sum is there at the branch, since the phi takes it from there.
        unsafe {
            LLVMSetNUW(self.sum, 0);
            LLVMSetNSW(self.sum, 0);
            LLVMPositionBuilderBefore(builder, self.branch);
            let bound = LLVMConstAdd(self.bound, self.step);
            let compared = LLVMBuildICmp(builder, predicate, self.sum, bound, c"".as_ptr());
            take_place(self.comparison, compared);
            LLVMSetCondition(self.branch, compared);
            if LLVMGetFirstUse(self.comparison).is_null() {
                take_name(self.comparison, compared);
                LLVMInstructionEraseFromParent(self.comparison);
            }
        }
    }

    /// What [`count_first`] shows; `end` is the branch into the loop.
    ///
    /// # Safety
    ///
    /// That of [`Latch::change`]. The sum has no use but the phi, which has none but the sum and the comparison.
    unsafe fn move_step(&self, builder: LLVMBuilderRef, end: LLVMValueRef) {
        // SAFETY: the new sum is placed before the comparison, and the old one is erased when nothing uses it.
        unsafe {
            let name = raw::name(self.counter);
            LLVMPositionBuilderBefore(builder, first_after_phis(LLVMGetInstructionParent(self.counter)));
            let sum = LLVMBuildAdd(builder, self.counter, self.step, c"".as_ptr());
            take_place(self.sum, sum);
            LLVMReplaceAllUsesWith(self.counter, sum);
            LLVMSetOperand(sum, 0, self.counter);
            LLVMSetOperand(self.counter, self.back, sum);
            take_name(self.sum, self.counter);
            LLVMSetValueName2(sum, name.as_ptr().cast(), name.len());
            LLVMInstructionEraseFromParent(self.sum);
            LLVMPositionBuilderBefore(builder, end);
            let before = LLVMGetIncomingValue(self.counter, 1 - self.back);
            let before = LLVMBuildSub(builder, before, self.step, c"".as_ptr());
            if !LLVMIsAInstruction(before).is_null() {
                take_place(end, before);
            }
            LLVMSetOperand(self.counter, 1 - self.back, before);
        }
    }

    /// `icmp slt` for `icmp samesign ult`.
    ///
    /// # Safety
    ///
    /// That of [`Latch::change`].
    unsafe fn compare_signed(&self, builder: LLVMBuilderRef, predicate: LLVMIntPredicate) {
        // SAFETY: both sides have the same sign, or the comparison is poison, so that the new one has its value.
        unsafe {
            let Some(predicate) = signed(predicate) else { return };
            if LLVMGetICmpSameSign(self.comparison) == 0 {
                return;
            }
            LLVMPositionBuilderBefore(builder, self.comparison);
            let (lhs, rhs) = (LLVMGetOperand(self.comparison, 0), LLVMGetOperand(self.comparison, 1));
            let compared = LLVMBuildICmp(builder, predicate, lhs, rhs, c"".as_ptr());
            take_place(self.comparison, compared);
            LLVMReplaceAllUsesWith(self.comparison, compared);
            take_name(self.comparison, compared);
            LLVMInstructionEraseFromParent(self.comparison);
        }
    }
}

/// What a counter counts by, when it is one: a phi of 32 or 64 bits with two values, which takes the sum of itself and a constant from the
/// block. Gives which of the two that is, the sum and the constant.
///
/// # Safety
///
/// The value and the block are alive.
unsafe fn counted(
    counter: LLVMValueRef,
    block: LLVMBasicBlockRef,
) -> Option<(u32, LLVMValueRef, LLVMValueRef)> {
    // SAFETY: blocks and values are asked of a phi, opcodes and operands of an instruction, widths of integers.
    unsafe {
        if LLVMIsAPHINode(counter).is_null() || LLVMCountIncoming(counter) != 2 {
            return None;
        }
        let back = (0..2).find(|at| LLVMGetIncomingBlock(counter, *at) == block)?;
        let sum = LLVMGetIncomingValue(counter, back);
        if LLVMIsAInstruction(sum).is_null() || LLVMGetInstructionOpcode(sum) != LLVMOpcode::LLVMAdd {
            return None;
        }
        let step = LLVMGetOperand(sum, 1);
        let counts = LLVMGetOperand(sum, 0) == counter && !LLVMIsAConstantInt(step).is_null();
        // Loops by narrower counters are not unrolled anyway.
        let width = counts.then(|| LLVMGetIntTypeWidth(LLVMTypeOf(counter)))?;
        matches!(width, 32 | 64).then_some((back, sum, step))
    }
}

/// How many operands of instructions a value is.
///
/// # Safety
///
/// The value is alive.
unsafe fn uses(value: LLVMValueRef) -> usize {
    // SAFETY: the use after the last one is null.
    unsafe {
        let mut count = 0;
        let mut next = LLVMGetFirstUse(value);
        while !next.is_null() {
            count += 1;
            next = LLVMGetNextUse(next);
        }
        count
    }
}

/// The first instruction of a block that is not a phi.
///
/// # Safety
///
/// The block is alive and ends in a terminator.
unsafe fn first_after_phis(block: LLVMBasicBlockRef) -> LLVMValueRef {
    // SAFETY: the terminator is met before the end.
    unsafe {
        let mut instruction = LLVMGetFirstInstruction(block);
        while !LLVMIsAPHINode(instruction).is_null() {
            instruction = LLVMGetNextInstruction(instruction);
        }
        instruction
    }
}

/// Gives an instruction the place in the source that another has.
///
/// # Safety
///
/// Both are alive.
unsafe fn take_place(from: LLVMValueRef, to: LLVMValueRef) {
    // SAFETY: the location belongs to the context of both.
    unsafe {
        let place = LLVMInstructionGetDebugLoc(from);
        if !place.is_null() {
            LLVMInstructionSetDebugLoc(to, place);
        }
    }
}

/// Gives a value the name that another has, which has none then.
///
/// # Safety
///
/// Both are alive.
unsafe fn take_name(from: LLVMValueRef, to: LLVMValueRef) {
    // SAFETY: the name is a copy, as long as it is said to be.
    unsafe {
        let name = raw::name(from);
        LLVMSetValueName2(from, c"".as_ptr(), 0);
        LLVMSetValueName2(to, name.as_ptr().cast(), name.len());
    }
}

/// The comparison with regard to signs that comes to the same where both signs are equal.
fn signed(predicate: LLVMIntPredicate) -> Option<LLVMIntPredicate> {
    use LLVMIntPredicate::*;
    match predicate {
        LLVMIntUGT => Some(LLVMIntSGT),
        LLVMIntUGE => Some(LLVMIntSGE),
        LLVMIntULT => Some(LLVMIntSLT),
        LLVMIntULE => Some(LLVMIntSLE),
        LLVMIntEQ | LLVMIntNE | LLVMIntSGT | LLVMIntSGE | LLVMIntSLT | LLVMIntSLE => None,
    }
}
