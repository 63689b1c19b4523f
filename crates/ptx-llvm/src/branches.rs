//! Which way conditional branches point.
//!
//! PTX branches to one target and runs on into the next block, under a predicate or under its negation (`@%p bra`, `@!%p bra`). A branch whose
//! first successor is the next block needs the negation. ptxas unrolls no loop that a negated predicate keeps going or ends
//! (docs/roundtrip.md, "What ptxas unrolls"), and LLVM's passes write every loop so: `br i1 %done, label %exit, label %loop`.

use std::collections::HashMap;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMValueRef};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};

use crate::module::Module;
use crate::pass::is_optimized;
use crate::raw;

/// The branches that [`point_branches`] looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Branches {
    /// Those that lead back to an earlier block, or to their own.
    Back,
    /// All.
    All,
}

/// Inverts the comparisons of conditional branches that would need a negated predicate, and swaps their successors:
///
/// ```text
///   %done = icmp eq i32 %n, 0                      %done = icmp ne i32 %n, 0
///   br i1 %done, label %exit, label %loop          br i1 %done, label %loop, label %exit
/// exit:                                          exit:
/// ```
///
/// A comparison that has other uses stays, and a branch back gets one of its own; other branches stay as they are then.
/// So do branches around a block that ends the thread, which raising handles better, and functions that are `optnone`.
pub fn point_branches(module: &mut Module<'_>, wanted: Branches) {
    for function in module.inkwell().get_functions().filter(|function| is_optimized(*function)) {
        let blocks: Vec<LLVMBasicBlockRef> =
            function.get_basic_block_iter().map(|block| block.as_mut_ptr()).collect();
        let places: HashMap<LLVMBasicBlockRef, usize> =
            blocks.iter().enumerate().map(|(at, block)| (*block, at)).collect();
        for (at, &block) in blocks.iter().enumerate() {
            // SAFETY: the block belongs to a module that is alive and that nothing else changes meanwhile.
            unsafe {
                if let Some(branch) = Branch::at_end_of(block)
                    && LLVMGetNextBasicBlock(block) == branch.then
                    && !ends_thread(branch.other)
                {
                    let back = places.get(&branch.other).is_some_and(|other| *other <= at);
                    if back || wanted == Branches::All {
                        branch.turn(back);
                    }
                }
            }
        }
    }
}

/// Whether control does not come out of a block.
///
/// # Safety
///
/// The block is alive.
unsafe fn ends_thread(block: LLVMBasicBlockRef) -> bool {
    // SAFETY: the kind is asked of a value that may be null.
    unsafe { !LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(block)).is_null() }
}

/// A conditional branch on a comparison, with two successors.
struct Branch {
    instruction: LLVMValueRef,
    comparison: LLVMValueRef,
    then: LLVMBasicBlockRef,
    other: LLVMBasicBlockRef,
}

impl Branch {
    /// # Safety
    ///
    /// The block is alive.
    unsafe fn at_end_of(block: LLVMBasicBlockRef) -> Option<Self> {
        // SAFETY: conditions and successors are asked of conditional branches alone.
        unsafe {
            let end = LLVMGetBasicBlockTerminator(block);
            if LLVMIsABranchInst(end).is_null() || LLVMIsConditional(end) == 0 {
                return None;
            }
            let comparison = LLVMGetCondition(end);
            // LLVM's builder gives no instruction for a comparison of constants.
            if LLVMIsACmpInst(comparison).is_null() || LLVMIsConstant(LLVMGetOperand(comparison, 0)) != 0 {
                return None;
            }
            let (then, other) = (LLVMGetSuccessor(end, 0), LLVMGetSuccessor(end, 1));
            (then != other).then_some(Branch { instruction: end, comparison, then, other })
        }
    }

    /// Makes the other successor the first, where the comparison serves only this branch or may get a second one beside it.
    ///
    /// # Safety
    ///
    /// The branch is alive; no one else holds its comparison.
    unsafe fn turn(&self, may_add: bool) {
        // SAFETY: the new comparison is inserted next to the old one and has its operands; the old one is erased when it has no more uses.
        unsafe {
            let own = LLVMGetNextUse(LLVMGetFirstUse(self.comparison)).is_null();
            let here =
                LLVMGetInstructionParent(self.comparison) == LLVMGetInstructionParent(self.instruction);
            if !(own || may_add && here) {
                return;
            }
            let inverted = invert(self.comparison);
            LLVMSetCondition(self.instruction, inverted);
            LLVMSetSuccessor(self.instruction, 0, self.other);
            LLVMSetSuccessor(self.instruction, 1, self.then);
            // Weights would be for the other side each.
            let weights = LLVMGetMDKindIDInContext(
                LLVMGetTypeContext(LLVMTypeOf(self.comparison)),
                c"prof".as_ptr(),
                4,
            );
            LLVMSetMetadata(self.instruction, weights, std::ptr::null_mut());
            if own {
                let name = raw::name(self.comparison);
                LLVMInstructionEraseFromParent(self.comparison);
                LLVMSetValueName2(inverted, name.as_ptr().cast(), name.len());
            }
        }
    }
}

/// The opposite of a comparison, inserted after it.
///
/// # Safety
///
/// The comparison is alive.
unsafe fn invert(comparison: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: the builder is positioned after the comparison, whose operands and predicate are read; it is disposed once.
    unsafe {
        let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(comparison)));
        LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(comparison));
        let inverted = build_inverse(builder, comparison);
        let place = LLVMInstructionGetDebugLoc(comparison);
        if !place.is_null() {
            LLVMInstructionSetDebugLoc(inverted, place);
        }
        LLVMDisposeBuilder(builder);
        inverted
    }
}

/// # Safety
///
/// That of [`invert`].
unsafe fn build_inverse(builder: LLVMBuilderRef, comparison: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: the predicate that is asked for is the one that the instruction has.
    unsafe {
        let (lhs, rhs) = (LLVMGetOperand(comparison, 0), LLVMGetOperand(comparison, 1));
        if LLVMGetInstructionOpcode(comparison) == LLVMOpcode::LLVMICmp {
            let predicate = inverse_of_integers(LLVMGetICmpPredicate(comparison));
            return LLVMBuildICmp(builder, predicate, lhs, rhs, c"".as_ptr());
        }
        let predicate = inverse_of_floats(LLVMGetFCmpPredicate(comparison));
        let inverted = LLVMBuildFCmp(builder, predicate, lhs, rhs, c"".as_ptr());
        LLVMSetFastMathFlags(inverted, LLVMGetFastMathFlags(comparison));
        inverted
    }
}

fn inverse_of_integers(predicate: LLVMIntPredicate) -> LLVMIntPredicate {
    use LLVMIntPredicate::*;
    match predicate {
        LLVMIntEQ => LLVMIntNE,
        LLVMIntNE => LLVMIntEQ,
        LLVMIntUGT => LLVMIntULE,
        LLVMIntULE => LLVMIntUGT,
        LLVMIntUGE => LLVMIntULT,
        LLVMIntULT => LLVMIntUGE,
        LLVMIntSGT => LLVMIntSLE,
        LLVMIntSLE => LLVMIntSGT,
        LLVMIntSGE => LLVMIntSLT,
        LLVMIntSLT => LLVMIntSGE,
    }
}

fn inverse_of_floats(predicate: LLVMRealPredicate) -> LLVMRealPredicate {
    use LLVMRealPredicate::*;
    match predicate {
        LLVMRealPredicateFalse => LLVMRealPredicateTrue,
        LLVMRealPredicateTrue => LLVMRealPredicateFalse,
        LLVMRealOEQ => LLVMRealUNE,
        LLVMRealUNE => LLVMRealOEQ,
        LLVMRealOGT => LLVMRealULE,
        LLVMRealULE => LLVMRealOGT,
        LLVMRealOGE => LLVMRealULT,
        LLVMRealULT => LLVMRealOGE,
        LLVMRealOLT => LLVMRealUGE,
        LLVMRealUGE => LLVMRealOLT,
        LLVMRealOLE => LLVMRealUGT,
        LLVMRealUGT => LLVMRealOLE,
        LLVMRealONE => LLVMRealUEQ,
        LLVMRealUEQ => LLVMRealONE,
        LLVMRealORD => LLVMRealUNO,
        LLVMRealUNO => LLVMRealORD,
    }
}
