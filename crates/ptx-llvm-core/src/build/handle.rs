//! Handles of what a module is built of: types, values, blocks and metadata.
//!
//! A handle is a pointer of LLVM's with the lifetime of its context; what can be asked of a value alone is here, the rest in
//! the files that make such handles.

use std::fmt;
use std::marker::PhantomData;

use llvm_sys::core::{
    LLVMGetValueKind, LLVMGetValueName2, LLVMIsAInstruction, LLVMIsConstant, LLVMSetValueName2, LLVMTypeOf,
};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMMetadataRef, LLVMTypeRef, LLVMValueRef};
use llvm_sys::{LLVMOpcode, LLVMValueKind};

use crate::context::Context;
use crate::error::LlvmError;

/// An LLVM type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type<'c> {
    pub(super) raw: LLVMTypeRef,
    context: PhantomData<&'c Context>,
}

/// An LLVM value: a constant, an argument, an instruction's result, or an instruction without one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'c> {
    pub(super) raw: LLVMValueRef,
    context: PhantomData<&'c Context>,
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block<'c> {
    pub(super) raw: LLVMBasicBlockRef,
    context: PhantomData<&'c Context>,
}

/// A metadata node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Metadata<'c> {
    pub(super) raw: LLVMMetadataRef,
    context: PhantomData<&'c Context>,
}

impl<'c> Type<'c> {
    pub(crate) fn new(raw: LLVMTypeRef) -> Self {
        Self { raw, context: PhantomData }
    }

    pub(crate) fn raw(self) -> LLVMTypeRef {
        self.raw
    }
}

impl<'c> Value<'c> {
    pub(crate) fn new(raw: LLVMValueRef) -> Self {
        Self { raw, context: PhantomData }
    }

    pub(crate) fn raw(self) -> LLVMValueRef {
        self.raw
    }

    /// The value's type.
    pub fn ty(self) -> Type<'c> {
        // SAFETY: the value is alive as long as its module, which its user holds.
        Type::new(unsafe { LLVMTypeOf(self.raw) })
    }

    /// Whether it is a constant (a number, an address, an expression over those).
    pub fn is_constant(self) -> bool {
        // SAFETY: as in `ty`.
        unsafe { LLVMIsConstant(self.raw) != 0 }
    }

    /// An element of a constant vector, array or struct; `None` when it is not a constant or has no such element.
    pub fn constant_element(self, index: u32) -> Option<Self> {
        if !self.is_constant() {
            return None;
        }
        // SAFETY: asked of a constant; LLVM gives null where there is no such element.
        let raw = unsafe { llvm_sys::core::LLVMGetAggregateElement(self.raw, index) };
        (!raw.is_null()).then(|| Self::new(raw))
    }

    /// The integer a constant holds, zero-extended, when it has at most 64 bits.
    pub fn as_constant_int(self) -> Option<u64> {
        let small = self.ty().int_bits().is_some_and(|bits| bits <= 64);
        // SAFETY: as in `ty`.
        let kind = unsafe { LLVMGetValueKind(self.raw) };
        // SAFETY: a constant integer of at most 64 bits.
        (small && kind == LLVMValueKind::LLVMConstantIntValueKind)
            .then(|| unsafe { llvm_sys::core::LLVMConstIntGetZExtValue(self.raw) })
    }

    /// What a conversion that keeps all bits converts (`bitcast`, `ptrtoint`, `inttoptr`); `None` for everything else.
    pub fn converted(self) -> Option<Value<'c>> {
        use llvm_sys::core::{LLVMGetInstructionOpcode, LLVMGetOperand, LLVMIsAInstruction};
        // SAFETY: the value is alive; it is asked what it is before it is asked for its one operand.
        unsafe {
            if LLVMIsAInstruction(self.raw).is_null() {
                return None;
            }
            match LLVMGetInstructionOpcode(self.raw) {
                LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMIntToPtr => {
                    Some(Value::new(LLVMGetOperand(self.raw, 0)))
                }
                _ => None,
            }
        }
    }

    /// Whether it is a call of inline assembly.
    pub fn is_asm_call(self) -> bool {
        use llvm_sys::core::{LLVMGetCalledValue, LLVMIsACallInst, LLVMIsAInlineAsm};
        // SAFETY: the value is alive, and only a call is asked for what it calls.
        unsafe {
            !LLVMIsACallInst(self.raw).is_null() && !LLVMIsAInlineAsm(LLVMGetCalledValue(self.raw)).is_null()
        }
    }

    /// Whether it is an instruction that has no name yet.
    pub fn is_unnamed_instruction(self) -> bool {
        let mut len = 0;
        // SAFETY: the value is alive; LLVM writes the length of its name to the place given.
        unsafe {
            if LLVMIsAInstruction(self.raw).is_null() {
                return false;
            }
            LLVMGetValueName2(self.raw, &raw mut len);
        }
        len == 0
    }

    /// Names it if it is an instruction that has no name yet; tells whether it was. LLVM makes the name unique by a suffix.
    pub fn name_instruction(self, name: &str) -> bool {
        let is_unnamed = self.is_unnamed_instruction();
        if is_unnamed {
            self.set_name(name);
        }
        is_unnamed
    }

    /// Names it; LLVM makes the name unique by a suffix. Constants have no names.
    pub fn set_name(self, name: &str) {
        // SAFETY: LLVM copies the name; its length is given.
        unsafe { LLVMSetValueName2(self.raw, name.as_ptr().cast(), name.len()) };
    }
}

impl<'c> Block<'c> {
    pub(crate) fn new(raw: LLVMBasicBlockRef) -> Self {
        Self { raw, context: PhantomData }
    }
}

impl<'c> Metadata<'c> {
    pub(super) fn new(raw: LLVMMetadataRef) -> Self {
        Self { raw, context: PhantomData }
    }
}

impl fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: as in `Value::ty`; the string is LLVM's and is given back.
        let text = unsafe {
            let raw = llvm_sys::core::LLVMPrintValueToString(self.raw);
            let text = std::ffi::CStr::from_ptr(raw).to_string_lossy().into_owned();
            llvm_sys::core::LLVMDisposeMessage(raw);
            text
        };
        f.write_str(text.trim())
    }
}

impl fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Block")
    }
}

impl fmt::Debug for Metadata<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metadata")
    }
}

/// The error of a call whose operands do not fit.
pub(super) fn misfit(what: &str, values: &[Value<'_>]) -> LlvmError {
    let types: Vec<String> = values.iter().map(|value| value.ty().text()).collect();
    LlvmError::Other { message: format!("{what} does not take operands of type {}", types.join(", ")) }
}
