//! Reads an LLVM module into a [`View`] through LLVM's C API.
//!
//! Everything here is a walk over a module that the caller borrows for the whole time, so each reference LLVM gives stays
//! valid. Constants and metadata are graphs (metadata even cyclic): they are read from a work list, never by recursion.

mod attributes;
mod constants;
mod debug;
mod functions;
mod insts;
mod metadata;
mod types;

use std::ffi::{CStr, CString, c_char, c_uint};

use llvm_sys::LLVMLinkage;
use llvm_sys::LLVMUnnamedAddr;
use llvm_sys::LLVMVisibility;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVMCreateTargetData, LLVMDisposeTargetData, LLVMGetModuleDataLayout, LLVMTargetDataRef,
};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::constant::Symbol;
use super::function::{
    Alias, AliasId, FunctionId, Global, GlobalId, InstId, Linkage, UnnamedAddress, Visibility,
};
use super::inst::InlineAsmId;
use super::metadata::{FileId, LocationId, MetadataId, SourcePath};
use super::types::TypeId;
use super::{ConstId, View};
use crate::error::LlvmError;
use crate::module::Module;

/// The state of one reading: the view so far, and which of LLVM's objects became which id.
struct Reader {
    context: LLVMContextRef,
    layout: TargetData,
    view: View,
    types: HashMap<LLVMTypeRef, TypeId>,
    symbols: HashMap<LLVMValueRef, Symbol>,
    constants: HashMap<LLVMValueRef, ConstId>,
    constant_work: Vec<(LLVMValueRef, ConstId)>,
    metadata: HashMap<LLVMValueRef, MetadataId>,
    metadata_work: Vec<(LLVMValueRef, MetadataId)>,
    asms: HashMap<LLVMValueRef, InlineAsmId>,
    locations: HashMap<LLVMMetadataRef, LocationId>,
    functions_of_scopes: HashMap<LLVMMetadataRef, Option<String>>,
    files: HashMap<SourcePath, FileId>,
    names: Names,
    dwarf: debug::Asked,
}

/// LLVM's numbers for what the C API names only in one direction.
struct Names {
    attributes: HashMap<c_uint, &'static str>,
    metadata_kinds: HashMap<c_uint, &'static str>,
    scopes: HashMap<c_uint, super::Scope>,
}

/// LLVM's description of a data layout, which is disposed only when it is our own.
enum TargetData {
    OfModule(LLVMTargetDataRef),
    Own(LLVMTargetDataRef),
}

impl TargetData {
    fn raw(&self) -> LLVMTargetDataRef {
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

/// Reads `module`.
pub(super) fn read(module: &Module<'_>) -> Result<View, LlvmError> {
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
        dwarf: debug::Asked::default(),
    };
    reader.compile_units(raw);
    reader.module(raw)?;
    Ok(reader.view)
}

/// The text of instruction `id` of function `function`, as LLVM prints it; empty when there is none.
pub(crate) fn instruction_text(module: &Module<'_>, function: FunctionId, id: InstId) -> String {
    let mut left = id.index();
    // SAFETY: the module is borrowed and alive; every iterator ends in null.
    unsafe {
        let mut f = LLVMGetFirstFunction(module.raw());
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

    /// Gives symbols without a name one, as LLVM's own printers of assembly do.
    fn name_the_unnamed(&mut self) {
        let view = &mut self.view;
        let globals = view.globals.iter_mut().map(|global| &mut global.name);
        let functions = view.functions.iter_mut().map(|function| &mut function.name);
        let aliases = view.aliases.iter_mut().map(|alias| &mut alias.name);
        let mut names: Vec<&mut String> = globals.chain(functions).chain(aliases).collect();
        let taken: HashSet<String> =
            names.iter().filter(|name| name.starts_with("__unnamed_")).map(|name| (**name).clone()).collect();
        let mut number = 0u32;
        for name in names.iter_mut().filter(|name| name.is_empty()) {
            while name.is_empty() || taken.contains(*name) {
                number += 1;
                **name = format!("__unnamed_{number}");
            }
        }
    }

    /// Gives every symbol its id before anything refers to one.
    fn number_symbols(
        &mut self,
        raw: LLVMModuleRef,
    ) -> (Vec<LLVMValueRef>, Vec<LLVMValueRef>, Vec<LLVMValueRef>) {
        // SAFETY: the module is alive; each iteration ends in null.
        let (globals, functions, aliases) = unsafe {
            (
                chain(LLVMGetFirstGlobal(raw), |value| LLVMGetNextGlobal(value)),
                chain(LLVMGetFirstFunction(raw), |value| LLVMGetNextFunction(value)),
                chain(LLVMGetFirstGlobalAlias(raw), |value| LLVMGetNextGlobalAlias(value)),
            )
        };
        for (at, &value) in globals.iter().enumerate() {
            self.symbols.insert(value, Symbol::Global(GlobalId::new(at)));
        }
        for (at, &value) in functions.iter().enumerate() {
            self.symbols.insert(value, Symbol::Function(FunctionId::new(at)));
        }
        for (at, &value) in aliases.iter().enumerate() {
            self.symbols.insert(value, Symbol::Alias(AliasId::new(at)));
        }
        (globals, functions, aliases)
    }

    fn global(&mut self, value: LLVMValueRef) -> Result<Global, LlvmError> {
        // SAFETY: `value` is a global variable of the module.
        let (ty, pointer, initializer, flags, align) = unsafe {
            (
                LLVMGlobalGetValueType(value),
                LLVMTypeOf(value),
                LLVMGetInitializer(value),
                (LLVMIsGlobalConstant(value), LLVMIsThreadLocal(value), LLVMIsExternallyInitialized(value)),
                LLVMGetAlignment(value),
            )
        };
        let initializer = if initializer.is_null() { None } else { Some(self.constant(initializer)?) };
        Ok(Global {
            name: value_name(value),
            ty: self.ty(ty)?,
            space: pointer_space(pointer),
            initializer,
            constant: flags.0 != 0,
            thread_local: flags.1 != 0,
            externally_initialized: flags.2 != 0,
            linkage: linkage(value),
            visibility: visibility(value),
            unnamed_address: unnamed_address(value),
            align: (align != 0).then_some(align),
            section: section(value),
            metadata: self.global_metadata(value),
            debug: self.global_debug(value),
        })
    }

    fn alias(&mut self, value: LLVMValueRef) -> Result<Alias, LlvmError> {
        // SAFETY: `value` is an alias of the module.
        let (ty, pointer, target) =
            unsafe { (LLVMGlobalGetValueType(value), LLVMTypeOf(value), LLVMAliasGetAliasee(value)) };
        Ok(Alias {
            name: value_name(value),
            ty: self.ty(ty)?,
            space: pointer_space(pointer),
            target: self.constant(target)?,
            linkage: linkage(value),
            visibility: visibility(value),
        })
    }

    fn named_metadata(&mut self, raw: LLVMModuleRef) -> Result<(), LlvmError> {
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
}

/// Follows `next` from `first` to null.
fn chain(first: LLVMValueRef, next: impl Fn(LLVMValueRef) -> LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut all = Vec::new();
    let mut value = first;
    while !value.is_null() {
        all.push(value);
        value = next(value);
    }
    all
}

/// A copy of LLVM's NUL-terminated string; empty for null.
///
/// # Safety
///
/// `text` is null or NUL-terminated and alive.
unsafe fn cstr(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: by this function's contract.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A copy of `len` bytes of LLVM's; empty for null.
///
/// # Safety
///
/// `text` is null or points to `len` readable bytes.
unsafe fn bytes(text: *const c_char, len: usize) -> String {
    if text.is_null() || len == 0 {
        return String::new();
    }
    // SAFETY: by this function's contract.
    let slice = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) };
    String::from_utf8_lossy(slice).into_owned()
}

/// What LLVM prints for a value.
fn print_value(value: LLVMValueRef) -> String {
    // SAFETY: callers pass live values; the text is ours to dispose.
    unsafe {
        let text = LLVMPrintValueToString(value);
        let copy = cstr(text);
        LLVMDisposeMessage(text);
        copy
    }
}

/// The name of a value or a symbol; empty when it has none.
fn value_name(value: LLVMValueRef) -> String {
    let mut len = 0;
    // SAFETY: callers pass live values; the name is copied at once.
    unsafe { bytes(LLVMGetValueName2(value, &raw mut len), len) }
}

/// The address space of a pointer type.
fn pointer_space(ty: LLVMTypeRef) -> u32 {
    // SAFETY: callers pass the type of a symbol, which is a pointer type.
    unsafe { LLVMGetPointerAddressSpace(ty) }
}

fn section(value: LLVMValueRef) -> Option<String> {
    // SAFETY: callers pass live global objects; the text is copied at once.
    let text = unsafe { cstr(LLVMGetSection(value)) };
    (!text.is_empty()).then_some(text)
}

fn linkage(value: LLVMValueRef) -> Linkage {
    // SAFETY: callers pass live symbols.
    match unsafe { LLVMGetLinkage(value) } {
        LLVMLinkage::LLVMExternalLinkage
        | LLVMLinkage::LLVMDLLImportLinkage
        | LLVMLinkage::LLVMDLLExportLinkage
        | LLVMLinkage::LLVMGhostLinkage => Linkage::External,
        LLVMLinkage::LLVMAvailableExternallyLinkage => Linkage::AvailableExternally,
        LLVMLinkage::LLVMLinkOnceAnyLinkage
        | LLVMLinkage::LLVMLinkOnceODRLinkage
        | LLVMLinkage::LLVMLinkOnceODRAutoHideLinkage => Linkage::LinkOnce,
        LLVMLinkage::LLVMWeakAnyLinkage | LLVMLinkage::LLVMWeakODRLinkage => Linkage::Weak,
        LLVMLinkage::LLVMAppendingLinkage => Linkage::Appending,
        LLVMLinkage::LLVMInternalLinkage => Linkage::Internal,
        LLVMLinkage::LLVMPrivateLinkage
        | LLVMLinkage::LLVMLinkerPrivateLinkage
        | LLVMLinkage::LLVMLinkerPrivateWeakLinkage => Linkage::Private,
        LLVMLinkage::LLVMExternalWeakLinkage => Linkage::ExternalWeak,
        LLVMLinkage::LLVMCommonLinkage => Linkage::Common,
    }
}

fn visibility(value: LLVMValueRef) -> Visibility {
    // SAFETY: callers pass live symbols.
    match unsafe { LLVMGetVisibility(value) } {
        LLVMVisibility::LLVMDefaultVisibility => Visibility::Default,
        LLVMVisibility::LLVMHiddenVisibility => Visibility::Hidden,
        LLVMVisibility::LLVMProtectedVisibility => Visibility::Protected,
    }
}

fn unnamed_address(value: LLVMValueRef) -> UnnamedAddress {
    // SAFETY: callers pass live symbols.
    match unsafe { LLVMGetUnnamedAddress(value) } {
        LLVMUnnamedAddr::LLVMNoUnnamedAddr => UnnamedAddress::Significant,
        LLVMUnnamedAddr::LLVMLocalUnnamedAddr => UnnamedAddress::Local,
        LLVMUnnamedAddr::LLVMGlobalUnnamedAddr => UnnamedAddress::Global,
    }
}
