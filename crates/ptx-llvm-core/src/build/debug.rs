//! Debug information: files, functions and lines.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_uint};

use llvm_sys::LLVMModuleFlagBehavior;
use llvm_sys::core::{LLVMAddModuleFlag, LLVMValueAsMetadata};
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::{LLVMBool, LLVMDIBuilderRef, LLVMMetadataRef};

use super::global::Function;
use super::handle::Metadata;
use super::types::Types;
use crate::Module;

/// LLVM's `DebugDirectivesOnly`: lines without DWARF sections. The C API's enum lacks it, but passes the number on.
const DEBUG_DIRECTIVES_ONLY: c_uint = 3;

/// LLVM's `FullDebug`: functions and lines in DWARF; with `LineTablesOnly` functions would have no names of their own.
const FULL_DEBUG: c_uint = 1;

unsafe extern "C" {
    /// LLVM's function of that name with the emission kind as a number.
    #[link_name = "LLVMDIBuilderCreateCompileUnit"]
    fn create_compile_unit(
        builder: LLVMDIBuilderRef,
        language: LLVMDWARFSourceLanguage,
        file: LLVMMetadataRef,
        producer: *const c_char,
        producer_len: usize,
        is_optimized: LLVMBool,
        flags: *const c_char,
        flags_len: usize,
        runtime_version: c_uint,
        split_name: *const c_char,
        split_name_len: usize,
        kind: c_uint,
        dwo_id: c_uint,
        split_debug_inlining: LLVMBool,
        debug_info_for_profiling: LLVMBool,
        sys_root: *const c_char,
        sys_root_len: usize,
        sdk: *const c_char,
        sdk_len: usize,
    ) -> LLVMMetadataRef;
}

/// Makes the debug information of one module: one compile unit, a subprogram per function, locations.
pub struct DebugInfo<'c> {
    raw: LLVMDIBuilderRef,
    types: Types<'c>,
    kind: c_uint,
    unit: Option<Metadata<'c>>,
    files: BTreeMap<String, Metadata<'c>>,
}

impl Drop for DebugInfo<'_> {
    fn drop(&mut self) {
        // SAFETY: made in `new` and disposed once, after the last use.
        unsafe { LLVMDisposeDIBuilder(self.raw) };
    }
}

impl<'c> DebugInfo<'c> {
    /// Debug information for `module`, lines for PTX; nothing is added to it before the first file.
    pub fn new(module: &Module<'c>, types: Types<'c>) -> Self {
        Self::of_kind(module, types, DEBUG_DIRECTIVES_ONLY)
    }

    /// Debug information for `module` that an object file for the host has as DWARF: functions and lines.
    pub fn for_host(module: &Module<'c>, types: Types<'c>) -> Self {
        Self::of_kind(module, types, FULL_DEBUG)
    }

    fn of_kind(module: &Module<'c>, types: Types<'c>, kind: c_uint) -> Self {
        // SAFETY: the module is alive.
        let raw = unsafe { LLVMCreateDIBuilder(module.raw()) };
        Self { raw, types, kind, unit: None, files: BTreeMap::new() }
    }

    /// The file of a path. The first one becomes the compile unit's.
    pub fn file(&mut self, module: &Module<'c>, path: &str) -> Metadata<'c> {
        let file = self.file_node(path);
        if self.unit.is_none() {
            self.unit = Some(self.compile_unit(module, file));
        }
        file
    }

    /// The file of a path, for metadata that is not LLVM's debug information.
    pub fn file_node(&mut self, path: &str) -> Metadata<'c> {
        if let Some(file) = self.files.get(path) {
            return *file;
        }
        let (directory, name) = match path.rsplit_once('/') {
            Some(("", name)) => ("/", name),
            Some(parts) => parts,
            None => ("", path),
        };
        // SAFETY: the builder is alive, and LLVM copies both texts.
        let file = Metadata::new(unsafe {
            LLVMDIBuilderCreateFile(
                self.raw,
                name.as_ptr().cast(),
                name.len(),
                directory.as_ptr().cast(),
                directory.len(),
            )
        });
        self.files.insert(path.to_owned(), file);
        file
    }

    fn compile_unit(&self, module: &Module<'c>, file: Metadata<'c>) -> Metadata<'c> {
        let producer = "ptx-llvm";
        let version = self.types.int_value(32, 3);
        let key = "Debug Info Version";
        // SAFETY: builder, module and file are alive; LLVM copies the texts.
        unsafe {
            LLVMAddModuleFlag(
                module.raw(),
                LLVMModuleFlagBehavior::LLVMModuleFlagBehaviorWarning,
                key.as_ptr().cast(),
                key.len(),
                LLVMValueAsMetadata(version.raw),
            );
            Metadata::new(create_compile_unit(
                self.raw,
                LLVMDWARFSourceLanguage::LLVMDWARFSourceLanguageC,
                file.raw,
                producer.as_ptr().cast(),
                producer.len(),
                0,
                std::ptr::null(),
                0,
                0,
                std::ptr::null(),
                0,
                self.kind,
                0,
                0,
                0,
                std::ptr::null(),
                0,
                std::ptr::null(),
                0,
            ))
        }
    }

    /// Gives a defined function its subprogram, or makes one for an inlined function without a body. The linkage name is
    /// what tools know the function by.
    pub fn subprogram(
        &self,
        name: &str,
        linkage_name: &str,
        file: Metadata<'c>,
        line: u32,
        function: Option<Function<'c>>,
    ) -> Metadata<'c> {
        // SAFETY: builder, file and function are alive; LLVM copies the name.
        unsafe {
            let ty = LLVMDIBuilderCreateSubroutineType(
                self.raw,
                file.raw,
                std::ptr::null_mut(),
                0,
                LLVMDIFlagZero,
            );
            let node = LLVMDIBuilderCreateFunction(
                self.raw,
                file.raw,
                name.as_ptr().cast(),
                name.len(),
                linkage_name.as_ptr().cast(),
                linkage_name.len(),
                file.raw,
                line,
                ty,
                0,
                1,
                line,
                LLVMDIFlagZero,
                0,
            );
            if let Some(function) = function {
                LLVMSetSubprogram(function.value().raw, node);
            }
            Metadata::new(node)
        }
    }

    /// The scope of another file inside a subprogram.
    pub fn scope_in_file(&self, scope: Metadata<'c>, file: Metadata<'c>) -> Metadata<'c> {
        // SAFETY: builder, scope and file are alive.
        Metadata::new(unsafe { LLVMDIBuilderCreateLexicalBlockFile(self.raw, scope.raw, file.raw, 0) })
    }

    /// A line and column (0 for unknown) in a scope, perhaps inlined at another place.
    pub fn location(
        &self,
        line: u32,
        column: u32,
        scope: Metadata<'c>,
        inlined_at: Option<Metadata<'c>>,
    ) -> Metadata<'c> {
        let inlined_at = inlined_at.map_or(std::ptr::null_mut(), |place| place.raw);
        // SAFETY: the context and the scopes are alive.
        Metadata::new(unsafe {
            LLVMDIBuilderCreateDebugLocation(self.types.context.raw(), line, column, scope.raw, inlined_at)
        })
    }

    /// Completes the module's debug information; call it once, at the end.
    pub fn finish(&self) {
        // SAFETY: the builder is alive.
        unsafe { LLVMDIBuilderFinalize(self.raw) };
    }
}
