//! Symbols: their ids and names, variables and aliases, and what functions have in common with both.

use llvm_sys::LLVMLinkage;
use llvm_sys::LLVMUnnamedAddr;
use llvm_sys::LLVMVisibility;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::LLVMPreferredAlignmentOfGlobal;
use rustc_hash::FxHashSet as HashSet;

use super::reader::Reader;
use super::text::{cstr, value_name};
use crate::error::LlvmError;
use crate::view::constant::Symbol;
use crate::view::function::{Alias, Global, Linkage, UnnamedAddress, Visibility};
use crate::view::id::{AliasId, FunctionId, GlobalId, TypeId};

impl Reader {
    /// Gives symbols without a name one, as LLVM's own printers of assembly do.
    pub(super) fn name_the_unnamed(&mut self) {
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
    pub(super) fn number_symbols(
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

    pub(super) fn global(&mut self, value: LLVMValueRef) -> Result<Global, LlvmError> {
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
        let align = (align != 0).then_some(align);
        let ty = self.ty(ty)?;
        let linkage = linkage(value);
        Ok(Global {
            name: value_name(value),
            ty,
            space: pointer_space(pointer),
            initializer,
            constant: flags.0 != 0,
            thread_local: flags.1 != 0,
            externally_initialized: flags.2 != 0,
            linkage,
            visibility: visibility(value),
            unnamed_address: unnamed_address(value),
            align,
            assumed_align: align
                .or_else(|| self.assumed_alignment(value, ty, linkage, initializer.is_some())),
            section: section(value),
            metadata: self.global_metadata(value),
            debug: self.global_debug(value),
        })
    }

    /// The alignment that LLVM assumes for a variable without one; `None` if its type has no size.
    fn assumed_alignment(
        &self,
        variable: LLVMValueRef,
        ty: TypeId,
        linkage: Linkage,
        is_defined: bool,
    ) -> Option<u32> {
        let layout = self.view.layout(ty)?;
        if !is_defined || linkage.is_replaceable() {
            return Some(layout.align);
        }
        // SAFETY: the variable's type has a size, as its layout shows.
        Some(unsafe { LLVMPreferredAlignmentOfGlobal(self.layout.raw(), variable) })
    }

    pub(super) fn alias(&mut self, value: LLVMValueRef) -> Result<Alias, LlvmError> {
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
}

/// Follows `next` from `first` to null.
pub(super) fn chain(first: LLVMValueRef, next: impl Fn(LLVMValueRef) -> LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut all = Vec::new();
    let mut value = first;
    while !value.is_null() {
        all.push(value);
        value = next(value);
    }
    all
}

/// The address space of a pointer type.
fn pointer_space(ty: LLVMTypeRef) -> u32 {
    // SAFETY: callers pass the type of a symbol, which is a pointer type.
    unsafe { LLVMGetPointerAddressSpace(ty) }
}

pub(super) fn section(value: LLVMValueRef) -> Option<String> {
    // SAFETY: callers pass live global objects; the text is copied at once.
    let text = unsafe { cstr(LLVMGetSection(value)) };
    (!text.is_empty()).then_some(text)
}

pub(super) fn linkage(value: LLVMValueRef) -> Linkage {
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

pub(super) fn visibility(value: LLVMValueRef) -> Visibility {
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
