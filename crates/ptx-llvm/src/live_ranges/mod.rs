//! Fewer live registers across calls.
//!
//! A value that is live across a call takes a register that the callee preserves, and has to be saved for that. LLVM's passes
//! know nothing of calls when they place an instruction: combining a select with a cast of it moves the select to where the
//! cast is, and what it chooses from waits until there; one comparison of all elements of a vector is where the first of
//! them is needed.
//!
//! In goes a module, out comes the same module with instructions without effects moved inside their blocks: up before a call
//! ([`hoist`]), when what an instruction reads takes more registers than what it computes, and down after a call ([`sink`]) in
//! the opposite case.
//!
//! ```text
//!   call void @f()                                %s = fadd float %a, %b
//!   %s = fadd float %a, %b                        call void @f()            ; %s is saved, not %a and %b
//!   store float %s, ptr %p                        store float %s, ptr %p
//!
//!   %d = fpext float %c to double                 call void @f()            ; %c is saved, not the two words of %d
//!   call void @f()                                %d = fpext float %c to double
//!   store double %d, ptr %p                       store double %d, ptr %p
//! ```
//!
//! The unit that is counted is the register ([`words`]), not the LLVM value: a `bitcast`, a `trunc` or an `extractelement` names
//! registers that exist already, so moving it saves nothing by itself. [`liveness`] finds the readers of each such register across
//! the function; [`order`] keeps the new order of a block until it is applied.

mod hoist;
mod liveness;
mod order;
mod sink;
mod words;

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;

use liveness::Liveness;
use order::Order;

use crate::module::Module;
use crate::pass::is_optimized;

/// Moves instructions without effects within their blocks when fewer words are then live across the calls between: up, to where the last
/// of their operands is known, and down, to the first instruction that reads them. The order of everything else and what the
/// module computes stay, and so do functions that are `optnone`.
pub fn reduce_call_pressure(module: &mut Module<'_>) {
    let movable = Movable::new();
    for function in module.inkwell().get_functions().filter(|function| is_optimized(*function)) {
        let blocks = function.get_basic_blocks();
        // SAFETY: the function is one of a module that is valid and that no one else changes meanwhile; instructions move within
        // their blocks alone, which keeps liveness as it is.
        unsafe {
            let mut liveness = Liveness::new(inkwell::values::AsValueRef::as_value_ref(&function));
            for block in &blocks {
                let order = Order::new(block.as_mut_ptr());
                if order.has_calls() {
                    hoist::hoist(order, &mut liveness, &movable);
                    sink::sink(&Order::new(block.as_mut_ptr()), &mut liveness, &movable);
                }
            }
        }
    }
}

/// The kinds of LLVM's attributes that say whether a call may move.
struct Movable {
    memory: u32,
    speculatable: u32,
    convergent: u32,
}

impl Movable {
    fn new() -> Self {
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
    unsafe fn has(&self, instruction: LLVMValueRef) -> bool {
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
