//! Walks over LLVM's lists, for the modules that change functions in place.

use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMValueRef};

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

/// The operands of a node of metadata, null where it has none; nothing of other values.
///
/// # Safety
///
/// The value is alive or null.
pub(crate) unsafe fn node_operands(node: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: a node, and room for its operands.
    unsafe {
        if node.is_null() || LLVMIsAMDNode(node).is_null() {
            return Vec::new();
        }
        let mut found = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
        LLVMGetMDNodeOperands(node, found.as_mut_ptr());
        found
    }
}
