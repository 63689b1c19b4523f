//! The sizes of types in memory.

use std::cell::RefCell;

use llvm_sys::core::LLVMTypeIsSized;
use llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMStoreSizeOfType, LLVMTargetDataRef,
};

use rustc_hash::{FxHashMap, FxHashSet};

use super::editor::Editor;
use super::handle::Type;
use super::ty::TypeKind;

/// How the module's target lays out types.
#[derive(Debug)]
pub struct Layout<'e> {
    raw: LLVMTargetDataRef,
    /// Types, and whether they have a size that is known.
    sized: RefCell<FxHashMap<Type<'e>, bool>>,
}

impl<'e> Layout<'e> {
    pub(super) fn of(editor: &Editor<'e>) -> Self {
        // SAFETY: the module is alive as long as its editor, which does not change its layout.
        Self { raw: unsafe { LLVMGetModuleDataLayout(editor.module) }, sized: RefCell::default() }
    }

    /// Whether a type has a size that is known: LLVM answers for no others.
    fn has_size(&self, ty: Type<'e>) -> bool {
        *self.sized.borrow_mut().entry(ty).or_insert_with(|| {
            // SAFETY: a type lives as long as its context.
            let is_sized = unsafe { LLVMTypeIsSized(ty.raw) } != 0;
            is_sized && !has_scalable_part(ty)
        })
    }

    /// From one element of an array of the type to the next, in bytes; `None` if the type has no known size.
    pub fn abi_size(&self, ty: Type<'e>) -> Option<u64> {
        // SAFETY: a type with a size.
        self.has_size(ty).then(|| unsafe { LLVMABISizeOfType(self.raw, ty.raw) })
    }

    /// The bytes that a store of the type writes; `None` if the type has no known size.
    pub fn store_size(&self, ty: Type<'e>) -> Option<u64> {
        // SAFETY: a type with a size.
        self.has_size(ty).then(|| unsafe { LLVMStoreSizeOfType(self.raw, ty.raw) })
    }

    /// Where a field of a structure begins, in bytes; `None` if the type is none with the field, or has no known size.
    pub fn field_offset(&self, ty: Type<'e>, field: u32) -> Option<u64> {
        let TypeKind::Struct(count) = ty.kind() else { return None };
        let has_field = field < count && self.has_size(ty);
        // SAFETY: a structure with a size, that has the field.
        has_field.then(|| unsafe { LLVMOffsetOfElement(self.raw, ty.raw, field) })
    }
}

/// Whether a vector without a fixed length is a part of a type.
fn has_scalable_part(ty: Type<'_>) -> bool {
    let (mut types, mut seen) = (vec![ty], FxHashSet::default());
    while let Some(ty) = types.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match ty.kind() {
            TypeKind::ScalableVector { .. } => return true,
            TypeKind::Array { element, .. } => types.push(element),
            TypeKind::Struct(count) => types.extend((0..count).filter_map(|at| ty.field(at))),
            _ => {}
        }
    }
    false
}
