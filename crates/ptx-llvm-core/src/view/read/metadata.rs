//! Metadata, debug locations and the numbers of names.

use std::ffi::{CString, c_uint};

use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use rustc_hash::FxHashMap as HashMap;

use super::attributes;
use super::reader::{Names, Reader};
use super::text::{bytes, print_value};
use crate::error::LlvmError;
use crate::raw::node_operands;
use crate::view::id::{FileId, LocationId, MetadataId};
use crate::view::inst::Scope;
use crate::view::metadata::{DebugLocation, Metadata, MetadataKind, SourcePath};

impl Names {
    /// Asks LLVM for the numbers of every name this crate knows.
    pub(super) fn register(context: LLVMContextRef) -> Self {
        let scopes = [
            ("singlethread", Scope::SingleThread),
            ("", Scope::System),
            ("device", Scope::Device),
            ("cluster", Scope::Cluster),
            ("block", Scope::Block),
        ];
        // SAFETY: the context is alive, and LLVM reads each name within its length.
        unsafe {
            let kind =
                |name: &str| LLVMGetMDKindIDInContext(context, name.as_ptr().cast(), name.len() as c_uint);
            let attribute = |name: &str| LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let scope = |name: &str| LLVMGetSyncScopeID(context, name.as_ptr().cast(), name.len());
            Self {
                attributes: attributes::KNOWN
                    .iter()
                    .map(|&name| (attribute(name), name))
                    .filter(|&(number, _)| number != 0)
                    .collect(),
                metadata_kinds: MetadataKind::REGISTERED.iter().map(|&name| (kind(name), name)).collect(),
                scopes: scopes
                    .into_iter()
                    .map(|(name, value)| (scope(name), value))
                    .collect::<HashMap<_, _>>(),
            }
        }
    }

    fn metadata_kind(&self, number: c_uint) -> MetadataKind {
        self.metadata_kinds
            .get(&number)
            .map_or(MetadataKind::Number(number), |&name| MetadataKind::Named(name))
    }
}

/// How many scopes may occur around one another.
const MAX_SCOPES: usize = 1024;

/// The number of `!dbg`, which LLVM fixes.
pub(super) const DBG: c_uint = 0;

impl Reader {
    /// Reads the named metadata of a module.
    pub(super) fn named_metadata(&mut self, raw: LLVMModuleRef) -> Result<(), LlvmError> {
        // SAFETY: the module is alive; the iteration ends in null; names are copied; the operand buffer has the size
        // LLVM states.
        unsafe {
            let mut node = LLVMGetFirstNamedMetadata(raw);
            while !node.is_null() {
                let mut len = 0;
                let name = bytes(LLVMGetNamedMetadataName(node, &raw mut len), len);
                node = LLVMGetNextNamedMetadata(node);
                // Debug information hangs together in one large graph that nothing here reads.
                if name.starts_with("llvm.dbg.") {
                    continue;
                }
                let Ok(c_name) = CString::new(name.as_str()) else { continue };
                let count = LLVMGetNamedMetadataNumOperands(raw, c_name.as_ptr()) as usize;
                let mut operands = vec![std::ptr::null_mut(); count];
                LLVMGetNamedMetadataOperands(raw, c_name.as_ptr(), operands.as_mut_ptr());
                let nodes = operands.into_iter().map(|operand| self.metadata_id(operand)).collect();
                self.view.named_metadata.push((name, nodes));
            }
        }
        Ok(())
    }

    /// The id of a piece of metadata (as a value); what it holds is read later.
    pub(super) fn metadata_id(&mut self, raw: LLVMValueRef) -> MetadataId {
        if let Some(&id) = self.metadata.get(&raw) {
            return id;
        }
        let id = MetadataId::new(self.view.metadata.len());
        self.view.metadata.push(Metadata::Other);
        self.metadata.insert(raw, id);
        self.metadata_work.push((raw, id));
        id
    }

    /// What a piece of metadata is; its parts become ids.
    pub(super) fn read_metadata(&mut self, raw: LLVMValueRef) -> Result<Metadata, LlvmError> {
        // SAFETY: `raw` is metadata as a value, or a constant that a node holds; each getter is called for its own kind
        // only, and buffers have the size LLVM states.
        unsafe {
            if !LLVMIsAMDString(raw).is_null() {
                let mut len = 0;
                let text = LLVMGetMDString(raw, &raw mut len);
                return Ok(Metadata::String(bytes(text, len as usize)));
            }
            if !LLVMIsAConstant(raw).is_null() {
                return Ok(Metadata::Constant(self.constant(raw)?));
            }
            if LLVMIsAMDNode(raw).is_null() {
                return Ok(Metadata::Other);
            }
            let parts = node_operands(raw);
            match LLVMGetMetadataKind(LLVMValueAsMetadata(raw)) {
                LLVMMetadataKind::LLVMMDTupleMetadataKind => {
                    let parts =
                        parts.into_iter().map(|part| (!part.is_null()).then(|| self.metadata_id(part)));
                    Ok(Metadata::Node(parts.collect()))
                }
                LLVMMetadataKind::LLVMConstantAsMetadataMetadataKind => match parts.first() {
                    Some(&part) if !part.is_null() => Ok(Metadata::Constant(self.constant(part)?)),
                    Some(_) | None => Ok(Metadata::Other),
                },
                LLVMMetadataKind::LLVMDIFileMetadataKind => {
                    Ok(Metadata::File(self.file(LLVMValueAsMetadata(raw))))
                }
                _ => Ok(self.debug_node(raw, &parts).map_or(Metadata::Other, Metadata::Debug)),
            }
        }
    }

    /// The metadata of an instruction, without its debug location.
    pub(super) fn inst_metadata(&mut self, inst: LLVMValueRef) -> Vec<(MetadataKind, MetadataId)> {
        // SAFETY: `inst` is an instruction of the module.
        if unsafe { LLVMHasMetadata(inst) } == 0 {
            return Vec::new();
        }
        let mut count = 0;
        // SAFETY: `inst` is an instruction of the module; the list is disposed by `entries`.
        let list = unsafe { LLVMInstructionGetAllMetadataOtherThanDebugLoc(inst, &raw mut count) };
        // SAFETY: LLVM gave the list and its length.
        unsafe { self.entries(list, count) }
    }

    /// The metadata of a function or a global variable, without its debug information.
    pub(super) fn global_metadata(&mut self, global: LLVMValueRef) -> Vec<(MetadataKind, MetadataId)> {
        let mut count = 0;
        // SAFETY: `global` is a global object of the module; the list is disposed by `entries`.
        let list = unsafe { LLVMGlobalCopyAllMetadata(global, &raw mut count) };
        // SAFETY: LLVM gave the list and its length.
        unsafe { self.entries(list, count) }
    }

    /// # Safety
    ///
    /// `list` is null or a list of `count` entries that LLVM gave us to dispose.
    unsafe fn entries(
        &mut self,
        list: *mut LLVMValueMetadataEntry,
        count: usize,
    ) -> Vec<(MetadataKind, MetadataId)> {
        if list.is_null() {
            return Vec::new();
        }
        let mut all = Vec::with_capacity(count);
        for at in 0..count as c_uint {
            // SAFETY: by this function's contract, and `at` is below the count.
            let (kind, value) = unsafe {
                let node = LLVMValueMetadataEntriesGetMetadata(list, at);
                (LLVMValueMetadataEntriesGetKind(list, at), LLVMMetadataAsValue(self.context, node))
            };
            if kind != DBG {
                all.push((self.names.metadata_kind(kind), self.metadata_id(value)));
            }
        }
        // SAFETY: by this function's contract; disposed once.
        unsafe { LLVMDisposeValueMetadataEntries(list) };
        all
    }

    /// The debug location of an instruction.
    pub(super) fn inst_location(&mut self, inst: LLVMValueRef) -> Option<LocationId> {
        // SAFETY: `inst` is an instruction of the module.
        let raw = unsafe { LLVMInstructionGetDebugLoc(inst) };
        (!raw.is_null()).then(|| self.location(raw))
    }

    /// The id of a `DILocation`, and of those it was inlined at.
    pub(super) fn location(&mut self, raw: LLVMMetadataRef) -> LocationId {
        // Inlining can be deep: collect the chain first, then number it from its end.
        let mut chain = Vec::new();
        let mut outer = None;
        let mut at = raw;
        while !at.is_null() {
            if let Some(&known) = self.locations.get(&at) {
                outer = Some(known);
                break;
            }
            chain.push(at);
            // SAFETY: `at` is a live `DILocation`.
            at = unsafe { LLVMDILocationGetInlinedAt(at) };
        }
        for raw in chain.into_iter().rev() {
            // SAFETY: `raw` is a live `DILocation`.
            let (line, column, scope) = unsafe {
                (LLVMDILocationGetLine(raw), LLVMDILocationGetColumn(raw), LLVMDILocationGetScope(raw))
            };
            let file = self.file_of_scope(scope);
            let function = self.function_of_scope(scope);
            let id = LocationId::new(self.view.locations.len());
            let scope = self.debug_id(scope);
            self.view.locations.push(DebugLocation {
                file,
                line,
                column,
                inlined_at: outer,
                function,
                scope,
            });
            self.locations.insert(raw, id);
            outer = Some(id);
        }
        outer.unwrap_or(LocationId::new(0))
    }

    /// Where a function's code begins.
    pub(super) fn function_location(&mut self, function: LLVMValueRef) -> Option<LocationId> {
        // SAFETY: `function` is a function of the module; its subprogram is null or alive.
        let (subprogram, line) = unsafe {
            let subprogram = LLVMGetSubprogram(function);
            if subprogram.is_null() {
                return None;
            }
            (subprogram, LLVMDISubprogramGetLine(subprogram))
        };
        // The C API has no getter for the line of the body.
        // SAFETY: the subprogram is alive.
        let text = print_value(unsafe { LLVMMetadataAsValue(self.context, subprogram) });
        let body = text.rsplit_once(", scopeLine: ").map(|(_, rest)| rest);
        let digits = body.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
        let line = digits.and_then(|digits| digits.parse().ok()).unwrap_or(line);
        let file = self.file_of_scope(subprogram);
        let id = LocationId::new(self.view.locations.len());
        let function = self.function_of_scope(subprogram);
        let scope = self.debug_id(subprogram);
        self.view.locations.push(DebugLocation { file, line, column: 0, inlined_at: None, function, scope });
        Some(id)
    }

    /// What the subprogram around a scope is called.
    fn function_of_scope(&mut self, scope: LLVMMetadataRef) -> Option<String> {
        let mut scope = scope;
        for _ in 0..MAX_SCOPES {
            if scope.is_null() {
                return None;
            }
            if let Some(known) = self.functions_of_scopes.get(&scope) {
                return known.clone();
            }
            // SAFETY: `scope` is a live node of the debug information; the buffer has the size LLVM states, and operands
            // are null or alive.
            unsafe {
                let is_subprogram =
                    matches!(LLVMGetMetadataKind(scope), LLVMMetadataKind::LLVMDISubprogramMetadataKind);
                let node = LLVMMetadataAsValue(self.context, scope);
                let parts = node_operands(node);
                if is_subprogram {
                    // Its operands are file, scope, name, linkage name, and more.
                    let text = |part: Option<&LLVMValueRef>| match part {
                        Some(&part) if !part.is_null() && !LLVMIsAMDString(part).is_null() => {
                            let mut len = 0;
                            let text = LLVMGetMDString(part, &raw mut len);
                            Some(bytes(text, len as usize)).filter(|text| !text.is_empty())
                        }
                        Some(_) | None => None,
                    };
                    let found = text(parts.get(3)).or_else(|| text(parts.get(2)));
                    self.functions_of_scopes.insert(scope, found.clone());
                    return found;
                }
                // Of blocks the second operand is the scope around them.
                scope = match parts.get(1) {
                    Some(&outer) if !outer.is_null() => LLVMValueAsMetadata(outer),
                    Some(_) | None => return None,
                };
            }
        }
        None
    }

    fn file_of_scope(&mut self, scope: LLVMMetadataRef) -> Option<FileId> {
        if scope.is_null() {
            return None;
        }
        // SAFETY: `scope` is a live `DIScope`.
        let file = unsafe { LLVMDIScopeGetFile(scope) };
        (!file.is_null()).then(|| self.file(file))
    }

    /// The id of a `DIFile`.
    fn file(&mut self, file: LLVMMetadataRef) -> FileId {
        // SAFETY: `file` is a live `DIFile`; texts are copied at once.
        let path = unsafe {
            let mut len = 0;
            let directory = LLVMDIFileGetDirectory(file, &raw mut len);
            let directory = bytes(directory, len as usize);
            let name = LLVMDIFileGetFilename(file, &raw mut len);
            SourcePath { directory, name: bytes(name, len as usize) }
        };
        if let Some(&id) = self.files.get(&path) {
            return id;
        }
        let id = FileId::new(self.view.files.len());
        self.view.files.push(path.clone());
        self.files.insert(path, id);
        id
    }
}
