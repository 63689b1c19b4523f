//! The text of one instruction, for messages: a function and an instruction of a view come in, LLVM's text goes out.

use llvm_sys::core::*;

use super::text::print_value;
use crate::module::Module;
use crate::view::id::{FunctionId, InstId};

impl Module<'_> {
    /// How LLVM prints one instruction of a [`View`](crate::view::View) of this module, for messages; empty when there is
    /// no such instruction.
    pub fn instruction_text(&self, function: FunctionId, inst: InstId) -> String {
        let mut left = inst.index();
        // SAFETY: the module is borrowed and alive; every iterator ends in null.
        unsafe {
            let mut f = LLVMGetFirstFunction(self.raw());
            for _ in 0..function.index() {
                if f.is_null() {
                    return String::new();
                }
                f = LLVMGetNextFunction(f);
            }
            if f.is_null() {
                return String::new();
            }
            let mut block = LLVMGetFirstBasicBlock(f);
            while !block.is_null() {
                let mut inst = LLVMGetFirstInstruction(block);
                while !inst.is_null() {
                    if left == 0 {
                        return print_value(inst).trim().to_owned();
                    }
                    left -= 1;
                    inst = LLVMGetNextInstruction(inst);
                }
                block = LLVMGetNextBasicBlock(block);
            }
        }
        String::new()
    }
}
