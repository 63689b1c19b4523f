//! Walks over LLVM's lists, for the modules that change functions in place.

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMTypeRef, LLVMValueRef};

/// The blocks of a function in their order.
///
/// # Safety
///
/// The function is alive.
pub(crate) unsafe fn blocks(function: LLVMValueRef) -> Vec<LLVMBasicBlockRef> {
    let mut found = Vec::new();
    // SAFETY: the function is alive; the block after the last one is null.
    unsafe {
        let mut block = LLVMGetFirstBasicBlock(function);
        while !block.is_null() {
            found.push(block);
            block = LLVMGetNextBasicBlock(block);
        }
    }
    found
}

/// The instructions of a block in their order.
///
/// # Safety
///
/// The block is alive.
pub(crate) unsafe fn instructions(block: LLVMBasicBlockRef) -> Vec<LLVMValueRef> {
    let mut found = Vec::new();
    // SAFETY: the block is alive; the instruction after the last one is null.
    unsafe {
        let mut instruction = LLVMGetFirstInstruction(block);
        while !instruction.is_null() {
            found.push(instruction);
            instruction = LLVMGetNextInstruction(instruction);
        }
    }
    found
}

/// A copy of the name of a value; empty when it has none.
///
/// # Safety
///
/// The value is alive.
pub(crate) unsafe fn name(value: LLVMValueRef) -> Vec<u8> {
    let mut length = 0;
    // SAFETY: the value is alive; a name is that many bytes, which are copied at once.
    unsafe {
        let name = LLVMGetValueName2(value, &raw mut length);
        match length {
            0 => Vec::new(),
            _ => std::slice::from_raw_parts(name.cast::<u8>(), length).to_vec(),
        }
    }
}

/// Puts a value in place of an instruction, with its name and its debug location, and erases the instruction.
///
/// # Safety
///
/// Both are alive and of one type, and the value is computed before the instruction.
pub(crate) unsafe fn replace_with(instruction: LLVMValueRef, value: LLVMValueRef) {
    // SAFETY: as the caller promises; locations are asked of instructions.
    unsafe {
        let location = LLVMInstructionGetDebugLoc(instruction);
        if !location.is_null() && !LLVMIsAInstruction(value).is_null() {
            LLVMInstructionSetDebugLoc(value, location);
        }
        let name = name(instruction);
        LLVMReplaceAllUsesWith(instruction, value);
        LLVMInstructionEraseFromParent(instruction);
        // A variable or a parameter keeps the name that it has.
        if !LLVMIsAInstruction(value).is_null() {
            LLVMSetValueName2(value, name.as_ptr().cast(), name.len());
        }
    }
}

/// A number, in every element of a vector.
///
/// # Safety
///
/// The type is alive, and an integer or a vector of them of fixed length.
pub(crate) unsafe fn splat(ty: LLVMTypeRef, number: i64) -> LLVMValueRef {
    // SAFETY: as the caller promises.
    unsafe {
        if LLVMGetTypeKind(ty) != LLVMTypeKind::LLVMVectorTypeKind {
            return LLVMConstInt(ty, number as u64, 1);
        }
        let mut elements =
            vec![LLVMConstInt(LLVMGetElementType(ty), number as u64, 1); LLVMGetVectorSize(ty) as usize];
        LLVMConstVector(elements.as_mut_ptr(), elements.len() as u32)
    }
}
