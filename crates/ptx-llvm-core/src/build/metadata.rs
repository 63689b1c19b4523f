//! Metadata on instructions, globals and modules.

use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMMetadataReplaceAllUsesWith, LLVMTemporaryMDNode};
use llvm_sys::prelude::{LLVMMetadataRef, LLVMValueRef};

use super::handle::{Metadata, Value};
use super::name::c_name;
use super::types::Types;
use crate::Module;

impl<'c> Types<'c> {
    /// A metadata string.
    pub fn metadata_string(self, text: &str) -> Metadata<'c> {
        // SAFETY: the context is alive and LLVM copies the text.
        Metadata::new(unsafe { LLVMMDStringInContext2(self.context.raw(), text.as_ptr().cast(), text.len()) })
    }

    /// A metadata node over others.
    pub fn metadata_node(self, operands: &[Metadata<'c>]) -> Metadata<'c> {
        let mut raw: Vec<LLVMMetadataRef> = operands.iter().map(|operand| operand.raw).collect();
        // SAFETY: metadata of this context, and LLVM copies the list.
        Metadata::new(unsafe { LLVMMDNodeInContext2(self.context.raw(), raw.as_mut_ptr(), raw.len()) })
    }

    /// A metadata node of strings.
    pub fn metadata_strings(self, texts: &[&str]) -> Metadata<'c> {
        let strings: Vec<_> = texts.iter().map(|text| self.metadata_string(text)).collect();
        self.metadata_node(&strings)
    }

    /// A value as metadata.
    pub fn metadata_value(self, value: Value<'c>) -> Metadata<'c> {
        // SAFETY: the value is alive.
        Metadata::new(unsafe { LLVMValueAsMetadata(value.raw) })
    }

    /// A node that equals no other one: its first operand is itself, before the others. Loops are identified so (LLVM's `!llvm.loop`).
    pub fn distinct_node(self, others: &[Metadata<'c>]) -> Metadata<'c> {
        // SAFETY: the temporary is replaced by the node made of it, after which LLVM frees it.
        unsafe {
            let own = LLVMTemporaryMDNode(self.context.raw(), std::ptr::null_mut(), 0);
            let mut raw = vec![own];
            raw.extend(others.iter().map(|other| other.raw));
            let node = LLVMMDNodeInContext2(self.context.raw(), raw.as_mut_ptr(), raw.len());
            LLVMMetadataReplaceAllUsesWith(own, node);
            Metadata::new(node)
        }
    }

    /// LLVM's number of a kind of metadata, which is made by its name.
    pub(crate) fn metadata_kind(self, kind: &str) -> u32 {
        // SAFETY: the context is alive and LLVM copies the name.
        unsafe { LLVMGetMDKindIDInContext(self.context.raw(), kind.as_ptr().cast(), kind.len() as u32) }
    }

    /// A node in the form in which instructions take it.
    pub(crate) fn metadata_as_value(self, node: Metadata<'c>) -> LLVMValueRef {
        // SAFETY: a node of this context.
        unsafe { LLVMMetadataAsValue(self.context.raw(), node.raw) }
    }

    /// Attaches metadata of a kind to an instruction; on anything else it does nothing and answers `false`.
    pub fn attach(self, instruction: Value<'c>, kind: &str, node: Metadata<'c>) -> bool {
        // SAFETY: the value is alive; only instructions are given metadata here.
        unsafe {
            if LLVMIsAInstruction(instruction.raw).is_null() {
                return false;
            }
            let node = LLVMMetadataAsValue(self.context.raw(), node.raw);
            LLVMSetMetadata(instruction.raw, self.metadata_kind(kind), node);
        }
        true
    }

    /// Attaches metadata of a kind to a global variable or function; on anything else it does nothing and answers `false`.
    pub fn attach_to_global(self, global: Value<'c>, kind: &str, node: Metadata<'c>) -> bool {
        // SAFETY: the value is alive; only global objects are given metadata here.
        unsafe {
            if LLVMIsAGlobalObject(global.raw).is_null() {
                return false;
            }
            LLVMGlobalSetMetadata(global.raw, self.metadata_kind(kind), node.raw);
        }
        true
    }
}

impl<'c> Module<'c> {
    /// Appends a node to the module's named metadata.
    pub fn add_named_metadata(&self, name: &str, node: Metadata<'c>) {
        let name = c_name(name);
        // SAFETY: module and node are alive, the name ends in a NUL byte and LLVM copies it.
        unsafe {
            let node = LLVMMetadataAsValue(self.context().raw(), node.raw);
            LLVMAddNamedMetadataOperand(self.raw(), name.as_ptr(), node);
        }
    }
}
