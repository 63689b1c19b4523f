//! Loops that end when their counter equals the greater of a limit and the counter's first value.
//!
//! LLVM's IndVarSimplify writes `do .. while (++i < n)` so, without a test of `n` before the loop. ptxas does not unroll it if the loop has a barrier,
//! a shuffle, an atomic operation, `ldmatrix` or `cp.async`; with the comparison by order it does.

use llvm_sys::LLVMIntPredicate::{self, *};
use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};

use super::{counted, take_name, take_place};
use crate::raw;

/// Compares the counter with the limit itself:
///
/// ```text
///   %most = call i32 @llvm.smax.i32(i32 %n, i32 1)     br label %loop
///   br label %loop                                   loop:
/// loop:                                                %i = phi i32 [ 0, %0 ], [ %next, %loop ]
///   %i = phi i32 [ 0, %0 ], [ %next, %loop ]           ..
///   ..                                                 %next = add i32 %i, 1
///   %next = add i32 %i, 1                              %more = icmp slt i32 %next, %n
///   %more = icmp ne i32 %next, %most                   br i1 %more, label %loop, label %exit
///   br i1 %more, label %loop, label %exit
/// ```
///
/// The first value that is compared is the other operand of `smax`. If the limit is greater, the counter grows by one to the limit and stays below it
/// until then; otherwise both comparisons end the loop at once. Likewise for `umax` and, counting down, for `smin` and `umin`.
///
/// # Safety
///
/// The block is alive, and nothing else holds its comparison.
pub(super) unsafe fn compare_with_limit(block: LLVMBasicBlockRef) {
    // SAFETY: conditions and operands are asked of what was seen to have them; what is erased has no more uses.
    unsafe {
        let branch = LLVMGetBasicBlockTerminator(block);
        if LLVMIsABranchInst(branch).is_null() || LLVMIsConditional(branch) == 0 {
            return;
        }
        let comparison = LLVMGetCondition(branch);
        if LLVMIsAICmpInst(comparison).is_null() {
            return;
        }
        let continues = match LLVMGetICmpPredicate(comparison) {
            LLVMIntNE => true,
            LLVMIntEQ => false,
            _ => return,
        };
        let sides = [LLVMGetOperand(comparison, 0), LLVMGetOperand(comparison, 1)];
        let found = [(0, 1), (1, 0)].into_iter().find_map(|(sum, most)| {
            let limit = limit_of(sides[most], first_sum(sides[sum], block)?)?;
            Some((sides[sum], sides[most], limit))
        });
        let Some((sum, most, (predicate, limit))) = found else { return };
        let predicate = if continues { predicate } else { opposite(predicate) };
        let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(comparison)));
        LLVMPositionBuilderBefore(builder, comparison);
        let ordered = LLVMBuildICmp(builder, predicate, sum, limit, c"".as_ptr());
        LLVMDisposeBuilder(builder);
        take_place(comparison, ordered);
        LLVMReplaceAllUsesWith(comparison, ordered);
        take_name(comparison, ordered);
        LLVMInstructionEraseFromParent(comparison);
        if LLVMGetFirstUse(most).is_null() {
            LLVMInstructionEraseFromParent(most);
        }
    }
}

/// The first value of a counter's sum.
enum First {
    Constant(LLVMValueRef),
    /// A value plus the step.
    Sum(LLVMValueRef),
}

/// What a sum is in the loop's first round, and the step; `None` if it is not a counter that counts by one.
///
/// # Safety
///
/// The value and the block are alive.
unsafe fn first_sum(sum: LLVMValueRef, block: LLVMBasicBlockRef) -> Option<(First, LLVMValueRef)> {
    // SAFETY: operands are asked of an instruction, numbers of constants.
    unsafe {
        if LLVMIsAInstruction(sum).is_null() || LLVMGetInstructionOpcode(sum) != LLVMOpcode::LLVMAdd {
            return None;
        }
        let counter = LLVMGetOperand(sum, 0);
        let (back, own, step) = counted(counter, block)?;
        if own != sum {
            return None;
        }
        let start = LLVMGetIncomingValue(counter, 1 - back);
        let first = match LLVMIsAConstantInt(start).is_null() {
            true => First::Sum(start),
            false => First::Constant(LLVMConstAdd(start, step)),
        };
        Some((first, step))
    }
}

/// The comparison by which the loop goes on, and the limit.
///
/// # Safety
///
/// The value is alive.
unsafe fn limit_of(
    most: LLVMValueRef,
    (first, step): (First, LLVMValueRef),
) -> Option<(LLVMIntPredicate, LLVMValueRef)> {
    // SAFETY: the callee is asked of a call; the four intrinsics have two operands.
    unsafe {
        if LLVMIsACallInst(most).is_null() {
            return None;
        }
        let callee = LLVMIsAFunction(LLVMGetCalledValue(most));
        let name = if callee.is_null() { Vec::new() } else { raw::name(callee) };
        let is = |prefix: &str| name.starts_with(prefix.as_bytes());
        let predicate = match LLVMConstIntGetSExtValue(step) {
            1 if is("llvm.smax.") => LLVMIntSLT,
            1 if is("llvm.umax.") => LLVMIntULT,
            -1 if is("llvm.smin.") => LLVMIntSGT,
            -1 if is("llvm.umin.") => LLVMIntUGT,
            _ => return None,
        };
        let operands = [LLVMGetOperand(most, 0), LLVMGetOperand(most, 1)];
        let at = operands.iter().position(|operand| is_first(*operand, &first, step))?;
        Some((predicate, operands[1 - at]))
    }
}

/// Whether a value is the first that is compared. Whether that sum wraps makes no difference: the counter goes on from there.
///
/// # Safety
///
/// The value is alive.
unsafe fn is_first(value: LLVMValueRef, first: &First, step: LLVMValueRef) -> bool {
    // SAFETY: operands are asked of an addition.
    unsafe {
        match *first {
            First::Constant(number) => value == number,
            First::Sum(start) => {
                !LLVMIsAInstruction(value).is_null()
                    && LLVMGetInstructionOpcode(value) == LLVMOpcode::LLVMAdd
                    && LLVMGetOperand(value, 0) == start
                    && LLVMGetOperand(value, 1) == step
            }
        }
    }
}

/// The comparison that holds where another does not.
fn opposite(predicate: LLVMIntPredicate) -> LLVMIntPredicate {
    match predicate {
        LLVMIntSLT => LLVMIntSGE,
        LLVMIntULT => LLVMIntUGE,
        LLVMIntSGT => LLVMIntSLE,
        LLVMIntUGT => LLVMIntULE,
        other => {
            debug_assert!(false, "one of the four that begin a limit");
            other
        }
    }
}
