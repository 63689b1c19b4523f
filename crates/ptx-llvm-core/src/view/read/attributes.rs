//! Attributes.

use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMAttributeRef, LLVMValueRef};
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeReturnIndex};

use super::reader::Reader;
use super::text::bytes;
use crate::error::LlvmError;
use crate::view::attribute::{Attribute, Attributes};

/// The attributes this crate knows by name (LLVM language reference, "Parameter Attributes" and "Function Attributes").
pub(super) const KNOWN: &[&str] = &[
    "align",
    "alignstack",
    "allocsize",
    "alwaysinline",
    "byref",
    "byval",
    "captures",
    "cold",
    "convergent",
    "dereferenceable",
    "dereferenceable_or_null",
    "elementtype",
    "hot",
    "immarg",
    "inalloca",
    "inlinehint",
    "inreg",
    "memory",
    "minsize",
    "mustprogress",
    "naked",
    "nest",
    "noalias",
    "nobuiltin",
    "nocallback",
    "nofree",
    "noinline",
    "nomerge",
    "nonnull",
    "norecurse",
    "noreturn",
    "nosync",
    "noundef",
    "nounwind",
    "optnone",
    "optsize",
    "preallocated",
    "readnone",
    "readonly",
    "returned",
    "returns_twice",
    "signext",
    "speculatable",
    "sret",
    "strictfp",
    "swifterror",
    "swiftself",
    "willreturn",
    "writable",
    "writeonly",
    "zeroext",
];

/// What attributes belong to, which LLVM calls their index.
#[derive(Clone, Copy)]
pub(super) enum AttributeIndex {
    Function,
    Return,
    /// A parameter or argument, from 0.
    Param(u32),
}

impl AttributeIndex {
    fn raw(self) -> u32 {
        match self {
            AttributeIndex::Function => LLVMAttributeFunctionIndex,
            AttributeIndex::Return => LLVMAttributeReturnIndex,
            AttributeIndex::Param(at) => at + 1,
        }
    }
}

impl Reader {
    /// The attributes of a function.
    pub(super) fn function_attributes(
        &mut self,
        function: LLVMValueRef,
        index: AttributeIndex,
    ) -> Result<Attributes, LlvmError> {
        let at = index.raw();
        // SAFETY: `function` is a function of the module; the buffer has the size LLVM states.
        let list = unsafe {
            let mut list = vec![std::ptr::null_mut(); LLVMGetAttributeCountAtIndex(function, at) as usize];
            LLVMGetAttributesAtIndex(function, at, list.as_mut_ptr());
            list
        };
        self.attributes(&list)
    }

    /// The attributes of a call.
    pub(super) fn call_attributes(
        &mut self,
        call: LLVMValueRef,
        index: AttributeIndex,
    ) -> Result<Attributes, LlvmError> {
        let at = index.raw();
        // SAFETY: `call` is a call of the module; the buffer has the size LLVM states.
        let list = unsafe {
            let mut list = vec![std::ptr::null_mut(); LLVMGetCallSiteAttributeCount(call, at) as usize];
            LLVMGetCallSiteAttributes(call, at, list.as_mut_ptr());
            list
        };
        self.attributes(&list)
    }

    fn attributes(&mut self, list: &[LLVMAttributeRef]) -> Result<Attributes, LlvmError> {
        let mut all = Vec::with_capacity(list.len());
        for &attribute in list {
            all.extend(self.attribute(attribute)?);
        }
        Ok(Attributes(all))
    }

    fn attribute(&mut self, raw: LLVMAttributeRef) -> Result<Option<Attribute>, LlvmError> {
        // SAFETY: `raw` is an attribute of the context, and each getter is called for its own kind only; texts are copied.
        unsafe {
            if LLVMIsStringAttribute(raw) != 0 {
                let mut len = 0;
                let key = LLVMGetStringAttributeKind(raw, &raw mut len);
                let key = bytes(key, len as usize);
                let value = LLVMGetStringAttributeValue(raw, &raw mut len);
                return Ok(Some(Attribute::String { key, value: bytes(value, len as usize) }));
            }
            let is_type = LLVMIsTypeAttribute(raw) != 0;
            if !is_type && LLVMIsEnumAttribute(raw) == 0 {
                return Ok(None);
            }
            let Some(&name) = self.names.attributes.get(&LLVMGetEnumAttributeKind(raw)) else {
                return Ok(None);
            };
            if is_type {
                let ty = self.ty(LLVMGetTypeAttributeValue(raw))?;
                return Ok(Some(Attribute::Type { name, ty }));
            }
            Ok(Some(Attribute::Enum { name, value: LLVMGetEnumAttributeValue(raw) }))
        }
    }
}
