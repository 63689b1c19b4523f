//! Which instructions may move past a call: those without effects that are defined wherever they are executed.
//!
//! An instruction comes in; whether it may move goes out, by its opcode or by the attributes of the intrinsic it calls.

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;

/// The kinds of LLVM's attributes that say whether a call may move.
pub(super) struct Movable {
    memory: u32,
    speculatable: u32,
    convergent: u32,
}

impl Movable {
    pub(super) fn new() -> Self {
        let kind = |name: &str| {
            // SAFETY: the name is read for its length.
            unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
        };
        Movable { memory: kind("memory"), speculatable: kind("speculatable"), convergent: kind("convergent") }
    }

    /// Whether an instruction neither has effects nor can be undefined where it was not.
    ///
    /// # Safety
    ///
    /// The instruction is valid.
    pub(super) unsafe fn has(&self, instruction: LLVMValueRef) -> bool {
        // SAFETY: the called value is asked of a call, attributes of a function.
        unsafe {
            let opcode = LLVMGetInstructionOpcode(instruction);
            if opcode != LLVMOpcode::LLVMCall {
                return only_computes(opcode);
            }
            let callee = LLVMIsAFunction(LLVMGetCalledValue(instruction));
            if callee.is_null() || LLVMGetIntrinsicID(callee) == 0 {
                return false;
            }
            let attribute =
                |kind| LLVMGetEnumAttributeAtIndex(callee, llvm_sys::LLVMAttributeFunctionIndex, kind);
            let memory = attribute(self.memory);
            // The value of `memory` is a bit set of accesses per kind of memory; zero is `memory(none)`. `speculatable` is asked
            // for as well: moving up past a call that may not return executes the instruction where it was not executed before.
            // `convergent` calls depend on which threads are together, and the callee may change that.
            !memory.is_null()
                && LLVMGetEnumAttributeValue(memory) == 0
                && !attribute(self.speculatable).is_null()
                && attribute(self.convergent).is_null()
                && LLVMGetNumOperandBundles(instruction) == 0
        }
    }
}

/// Whether an instruction of this kind neither has effects nor can be undefined where it was not.
fn only_computes(opcode: LLVMOpcode) -> bool {
    use LLVMOpcode::*;
    // Integer division and remainder are left out: zero as divisor is undefined behaviour, and the call before which they would be
    // executed may be the one that ends the thread for that case. Loads are left out since callees write memory.
    matches!(
        opcode,
        LLVMAdd
            | LLVMFAdd
            | LLVMSub
            | LLVMFSub
            | LLVMMul
            | LLVMFMul
            | LLVMFDiv
            | LLVMFNeg
            | LLVMShl
            | LLVMLShr
            | LLVMAShr
            | LLVMAnd
            | LLVMOr
            | LLVMXor
            | LLVMTrunc
            | LLVMZExt
            | LLVMSExt
            | LLVMFPToUI
            | LLVMFPToSI
            | LLVMUIToFP
            | LLVMSIToFP
            | LLVMFPTrunc
            | LLVMFPExt
            | LLVMPtrToInt
            | LLVMIntToPtr
            | LLVMBitCast
            | LLVMAddrSpaceCast
            | LLVMGetElementPtr
            | LLVMICmp
            | LLVMFCmp
            | LLVMSelect
            | LLVMExtractElement
            | LLVMInsertElement
            | LLVMShuffleVector
            | LLVMExtractValue
            | LLVMInsertValue
            | LLVMFreeze
    )
}
