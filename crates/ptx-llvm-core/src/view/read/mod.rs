//! Reads an LLVM module into a [`View`] through LLVM's C API.
//!
//! Everything here is a walk over a module that the caller borrows for the whole time, so each reference LLVM gives stays
//! valid. Constants and metadata are graphs (metadata even cyclic): they are read from a work list, never by recursion.

mod attributes;
mod constants;
mod debug;
mod functions;
mod instruction_text;
mod insts;
mod metadata;
mod reader;
mod symbols;
mod text;
mod types;

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMCreateTargetData, LLVMGetModuleDataLayout};
use rustc_hash::FxHashMap as HashMap;

use super::picture::View;
use crate::error::LlvmError;
use crate::module::Module;
use reader::{Asked, Names, Reader, TargetData};
use symbols::chain;
use text::{bytes, cstr, value_name};

impl View {
    /// Reads `module`. The module should have passed [`Module::verify`]; what LLVM's verifier refuses may be misread, but
    /// not unsafely.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Unsupported`] for types nested deeper than 256 levels.
    pub fn new(module: &Module<'_>) -> Result<Self, LlvmError> {
        read(module)
    }
}

/// Reads `module`.
fn read(module: &Module<'_>) -> Result<View, LlvmError> {
    let raw = module.raw();
    // SAFETY: the module is borrowed and alive; LLVM's strings are copied at once. The layout we pass is well formed.
    let (triple, own_layout, inline_asm, layout) = unsafe {
        let own = cstr(LLVMGetDataLayoutStr(raw));
        let layout = if own.is_empty() {
            let text = [module.addresses().data_layout().as_bytes(), b"\0"].concat();
            TargetData::Own(LLVMCreateTargetData(text.as_ptr().cast()))
        } else {
            TargetData::OfModule(LLVMGetModuleDataLayout(raw))
        };
        let mut len = 0;
        let asm = LLVMGetModuleInlineAsm(raw, &raw mut len);
        (cstr(LLVMGetTarget(raw)), own, bytes(asm, len), layout)
    };
    let data_layout =
        if own_layout.is_empty() { module.addresses().data_layout().to_owned() } else { own_layout };
    let context = module.context().raw();
    let mut reader = Reader {
        context,
        layout,
        view: View { triple, data_layout, inline_asm, ..View::default() },
        types: HashMap::default(),
        symbols: HashMap::default(),
        constants: HashMap::default(),
        constant_work: Vec::new(),
        metadata: HashMap::default(),
        metadata_work: Vec::new(),
        asms: HashMap::default(),
        locations: HashMap::default(),
        functions_of_scopes: HashMap::default(),
        files: HashMap::default(),
        names: Names::register(context),
        dwarf: Asked::default(),
    };
    reader.compile_units(raw);
    reader.module(raw)?;
    Ok(reader.view)
}

impl Reader {
    fn module(&mut self, raw: LLVMModuleRef) -> Result<(), LlvmError> {
        let (globals, functions, aliases) = self.number_symbols(raw);
        for &value in &globals {
            let global = self.global(value)?;
            self.view.globals.push(global);
        }
        for &value in &aliases {
            let alias = self.alias(value)?;
            self.view.aliases.push(alias);
        }
        for &value in &functions {
            let function = self.function(value)?;
            self.view.functions.push(function);
        }
        // SAFETY: the module is alive; the iteration ends in null.
        let ifuncs = unsafe { chain(LLVMGetFirstGlobalIFunc(raw), |value| LLVMGetNextGlobalIFunc(value)) };
        self.view.ifuncs = ifuncs.into_iter().map(value_name).collect();
        self.name_the_unnamed();
        self.named_metadata(raw)?;
        self.view.located_files = self.view.files.len();
        self.finish_work()
    }

    /// Reads what constants and metadata refer to, until nothing new turns up.
    fn finish_work(&mut self) -> Result<(), LlvmError> {
        loop {
            if let Some((value, id)) = self.metadata_work.pop() {
                let metadata = self.read_metadata(value)?;
                self.view.metadata[id.index()] = metadata;
            } else if let Some((value, id)) = self.constant_work.pop() {
                let constant = self.read_constant(value)?;
                self.view.constants[id.index()].constant = constant;
            } else {
                return Ok(());
            }
        }
    }
}
