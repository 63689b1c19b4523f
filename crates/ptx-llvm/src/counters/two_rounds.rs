//! Loops of two rounds, of which LLVM knows in each whether it is the last.

use llvm_sys::LLVMIntPredicate;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};

/// Gives the loop that a block ends a counter again. InstCombine makes a truth value of the counter of a loop of two rounds, in which ptxas
/// sees no number of rounds:
///
/// ```text
/// head:                                              head:
///   %more = phi i1 [ true, %0 ], [ false, %latch ]     %last = phi i32 [ 0, %0 ], [ %round, %latch ]
///   ..                                                 ..
/// latch:                                             latch:
///                                                      %round = add i32 %last, 1
///                                                      %more = icmp slt i32 %round, 2
///   br i1 %more, label %head, label %exit              br i1 %more, label %head, label %exit
/// ```
///
/// # Safety
///
/// The block is alive, and no one else holds its instructions.
pub(super) unsafe fn count_two_rounds(block: LLVMBasicBlockRef) {
    // SAFETY: operands are asked of what was seen to have them; what is built has operands that are there at its place: the phi is in the head, which
    // dominates the latch.
    unsafe {
        let branch = LLVMGetBasicBlockTerminator(block);
        if LLVMIsABranchInst(branch).is_null() || LLVMIsConditional(branch) == 0 {
            return;
        }
        let truth = LLVMGetCondition(branch);
        let Some(TwoRounds { before, back, goes_back_if_true }) = TwoRounds::of(truth, branch) else {
            return;
        };
        let head = LLVMGetInstructionParent(truth);
        let context = LLVMGetTypeContext(LLVMTypeOf(truth));
        let word = LLVMInt32TypeInContext(context);
        let builder = LLVMCreateBuilderInContext(context);
        LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(head));
        let last = LLVMBuildPhi(builder, word, c"".as_ptr());
        LLVMPositionBuilderBefore(builder, branch);
        let round = LLVMBuildAdd(builder, last, LLVMConstInt(word, 1, 0), c"".as_ptr());
        let order = match goes_back_if_true {
            true => LLVMIntPredicate::LLVMIntSLT,
            false => LLVMIntPredicate::LLVMIntSGE,
        };
        let more = LLVMBuildICmp(builder, order, round, LLVMConstInt(word, 2, 0), c"".as_ptr());
        LLVMDisposeBuilder(builder);
        let mut values = [LLVMConstInt(word, 0, 0), round];
        let mut blocks = [before, back];
        LLVMAddIncoming(last, values.as_mut_ptr(), blocks.as_mut_ptr(), 2);
        let location = LLVMInstructionGetDebugLoc(branch);
        if !location.is_null() {
            LLVMInstructionSetDebugLoc(round, location);
            LLVMInstructionSetDebugLoc(more, location);
        }
        LLVMSetCondition(branch, more);
        if LLVMGetFirstUse(truth).is_null() {
            LLVMInstructionEraseFromParent(truth);
        }
    }
}

/// A loop of two rounds.
struct TwoRounds {
    /// The block before it.
    before: LLVMBasicBlockRef,
    /// The block that goes back to its head: that of the branch, or one that only the branch goes to.
    back: LLVMBasicBlockRef,
    goes_back_if_true: bool,
}

impl TwoRounds {
    /// The loop of which a branch goes back in the first round and not in the second.
    ///
    /// # Safety
    ///
    /// Both are alive; the branch is conditional, on the truth value.
    unsafe fn of(truth: LLVMValueRef, branch: LLVMValueRef) -> Option<Self> {
        // SAFETY: incoming values are asked of phis, numbers of constant integers.
        unsafe {
            if LLVMIsAPHINode(truth).is_null() || LLVMCountIncoming(truth) != 2 {
                return None;
            }
            let head = LLVMGetInstructionParent(truth);
            let latch = LLVMGetInstructionParent(branch);
            let back_by = |target| match target == head {
                true => Some(latch),
                false => leads_only(latch, target, head).then_some(target),
            };
            let targets = [LLVMGetSuccessor(branch, 0), LLVMGetSuccessor(branch, 1)];
            let (back, goes_back_if_true) = match targets.map(back_by) {
                [Some(back), None] => (back, true),
                [None, Some(back)] => (back, false),
                _ => return None,
            };
            let at = (0..2).find(|at| LLVMGetIncomingBlock(truth, *at) == back)?;
            let before = LLVMGetIncomingBlock(truth, 1 - at);
            let constant = |at| {
                let value = LLVMGetIncomingValue(truth, at);
                (!LLVMIsAConstantInt(value).is_null()).then(|| LLVMConstIntGetZExtValue(value) != 0)
            };
            let (first, second) = (constant(1 - at)?, constant(at)?);
            (before != back && first == goes_back_if_true && second != goes_back_if_true).then_some(Self {
                before,
                back,
                goes_back_if_true,
            })
        }
    }
}

/// Whether control comes to a block from one block alone, and from it goes to one block alone.
///
/// # Safety
///
/// All are alive.
unsafe fn leads_only(from: LLVMBasicBlockRef, block: LLVMBasicBlockRef, to: LLVMBasicBlockRef) -> bool {
    // SAFETY: uses are asked of a value; successors of branches.
    unsafe {
        let end = LLVMGetBasicBlockTerminator(block);
        let goes_on = !LLVMIsABranchInst(end).is_null()
            && LLVMIsConditional(end) == 0
            && LLVMGetSuccessor(end, 0) == to;
        let mut comes_from = false;
        let mut used = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
        while !used.is_null() {
            let user = LLVMGetUser(used);
            if LLVMIsAInstruction(user).is_null() || LLVMGetInstructionParent(user) != from {
                return false;
            }
            comes_from = true;
            used = LLVMGetNextUse(used);
        }
        goes_on && comes_from
    }
}
