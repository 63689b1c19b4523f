//! The state of one reading, on which each kind of object has its methods in its own file.
//!
//! LLVM's objects come in; the ids they became, the view so far and what is still to be read go out.

use std::ffi::c_uint;

use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMDisposeTargetData, LLVMTargetDataRef};
use rustc_hash::FxHashMap as HashMap;

use crate::view::constant::Symbol;
use crate::view::id::{ConstId, FileId, InlineAsmId, LocationId, MetadataId, TypeId};
use crate::view::inst::Scope;
use crate::view::metadata::SourcePath;
use crate::view::picture::View;

/// The state of one reading: the view so far, and which of LLVM's objects became which id.
pub(super) struct Reader {
    pub(super) context: LLVMContextRef,
    pub(super) layout: TargetData,
    pub(super) view: View,
    pub(super) types: HashMap<LLVMTypeRef, TypeId>,
    pub(super) symbols: HashMap<LLVMValueRef, Symbol>,
    pub(super) constants: HashMap<LLVMValueRef, ConstId>,
    pub(super) constant_work: Vec<(LLVMValueRef, ConstId)>,
    pub(super) metadata: HashMap<LLVMValueRef, MetadataId>,
    pub(super) metadata_work: Vec<(LLVMValueRef, MetadataId)>,
    pub(super) asms: HashMap<LLVMValueRef, InlineAsmId>,
    pub(super) locations: HashMap<LLVMMetadataRef, LocationId>,
    pub(super) functions_of_scopes: HashMap<LLVMMetadataRef, Option<String>>,
    pub(super) files: HashMap<SourcePath, FileId>,
    pub(super) names: Names,
    pub(super) dwarf: Asked,
}

/// LLVM's numbers for what the C API names only in one direction.
pub(super) struct Names {
    pub(super) attributes: HashMap<c_uint, &'static str>,
    pub(super) metadata_kinds: HashMap<c_uint, &'static str>,
    pub(super) scopes: HashMap<c_uint, Scope>,
}

/// LLVM's description of a data layout, which is disposed only when it is our own.
pub(super) enum TargetData {
    OfModule(LLVMTargetDataRef),
    Own(LLVMTargetDataRef),
}

impl TargetData {
    pub(super) fn raw(&self) -> LLVMTargetDataRef {
        match self {
            TargetData::OfModule(data) | TargetData::Own(data) => *data,
        }
    }
}

impl Drop for TargetData {
    fn drop(&mut self) {
        if let TargetData::Own(data) = self {
            // SAFETY: it was created by us and is disposed once.
            unsafe { LLVMDisposeTargetData(*data) };
        }
    }
}

/// How much of the debug information is read.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Asked {
    /// Lines alone.
    #[default]
    Lines,
    /// The graph, without what is said of variables' values: some record has an empty list of values, which LLVM's C API
    /// cannot tell from others.
    Graph,
    /// Everything.
    Variables,
}
