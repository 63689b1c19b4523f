//! Functions, global variables, aliases, attributes.

use llvm_sys::core::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeReturnIndex, LLVMLinkage, LLVMThreadLocalMode};

use super::handle::{Block, Type, Value, misfit};
use super::name::c_name;
use super::types::Types;
use crate::{LlvmError, Module};

/// LLVM's number of the `ptx_kernel` calling convention.
const PTX_KERNEL: u32 = 71;

/// LLVM's number for `memory(read)`: two bits for each of its kinds of places (arguments, inaccessible, `errno`, other, and two of
/// targets), of which the lower says that it is read.
const READS_ANY_MEMORY: u64 = 0b01_01_01_01_01_01;

/// Who can name a global (mapping, "Module variables" and "Functions").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Linkage {
    /// Everybody: PTX's `.visible`, and `.extern` for declarations.
    External,
    /// This module only. Uses that the module does not show, such as those by the host, are declared by [`Module::keep_used`].
    Internal,
    /// PTX's `.weak`.
    Weak,
    /// PTX's `.common`.
    Common,
}

impl Linkage {
    fn raw(self) -> LLVMLinkage {
        match self {
            Self::External => LLVMLinkage::LLVMExternalLinkage,
            Self::Internal => LLVMLinkage::LLVMInternalLinkage,
            Self::Weak => LLVMLinkage::LLVMWeakAnyLinkage,
            Self::Common => LLVMLinkage::LLVMCommonLinkage,
        }
    }

    fn apply(self, value: Value<'_>) {
        // SAFETY: called on globals only.
        unsafe { LLVMSetLinkage(value.raw, self.raw()) };
    }
}

/// A function of a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Function<'c> {
    value: Value<'c>,
    ty: Type<'c>,
}

/// What a global variable is.
#[derive(Clone, Copy, Debug)]
pub struct GlobalSpec<'a, 'c> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub ty: Type<'c>,
    /// Its address space, by LLVM's number.
    pub space: u32,
    /// Its alignment in bytes, a power of two.
    pub align: u32,
    /// Who can name it.
    pub linkage: Linkage,
    /// Its value at launch; `None` for a declaration.
    pub initializer: Option<Value<'c>>,
}

impl<'c> Module<'c> {
    /// Adds a function, or gives the one of that name when it has the same type.
    ///
    /// # Errors
    ///
    /// When the name is taken by something else.
    pub fn function(&self, name: &str, ty: Type<'c>) -> Result<Function<'c>, LlvmError> {
        if ty.result().is_none() {
            return Err(LlvmError::Other { message: format!("{} is not a function type", ty.text()) });
        }
        let c = c_name(name);
        // SAFETY: module and name are alive; LLVM copies the name. A function is asked for its type only.
        unsafe {
            let existing = LLVMGetNamedFunction(self.raw(), c.as_ptr());
            if !existing.is_null() {
                let found = Type::new(LLVMGlobalGetValueType(existing));
                if found == ty {
                    return Ok(Function { value: Value::new(existing), ty });
                }
                let message = format!("{name} has type {} and is used as {}", found.text(), ty.text());
                return Err(LlvmError::Other { message });
            }
            if !LLVMGetNamedGlobal(self.raw(), c.as_ptr()).is_null() {
                return Err(LlvmError::Other { message: format!("{name} is a variable and no function") });
            }
            Ok(Function { value: Value::new(LLVMAddFunction(self.raw(), c.as_ptr(), ty.raw)), ty })
        }
    }

    /// Adds a global variable.
    ///
    /// # Errors
    ///
    /// When the initializer has another type or is not a constant, or the alignment is no power of two.
    pub fn global(&self, spec: GlobalSpec<'_, 'c>) -> Result<Value<'c>, LlvmError> {
        let fits = spec.initializer.is_none_or(|value| value.ty() == spec.ty && value.is_constant());
        if !fits || !spec.align.is_power_of_two() || !spec.ty.is_sized() {
            return Err(misfit(&format!("the variable {}", spec.name), spec.initializer.as_slice()));
        }
        let name = c_name(spec.name);
        // SAFETY: module, type and name are alive; the initializer is a constant of the type.
        unsafe {
            let raw = LLVMAddGlobalInAddressSpace(self.raw(), spec.ty.raw, name.as_ptr(), spec.space);
            let value = Value::new(raw);
            if let Some(initializer) = spec.initializer {
                LLVMSetInitializer(raw, initializer.raw);
            }
            LLVMSetAlignment(raw, spec.align);
            LLVMSetThreadLocalMode(raw, LLVMThreadLocalMode::LLVMNotThreadLocal);
            spec.linkage.apply(value);
            Ok(value)
        }
    }

    /// Gives a variable its initializer.
    ///
    /// # Errors
    ///
    /// When the initializer has another type than the variable or is not a constant, or the first value is not a variable.
    pub fn set_initializer(&self, variable: Value<'c>, initializer: Value<'c>) -> Result<(), LlvmError> {
        // SAFETY: a live value is asked what it is; then a variable gets a constant of its type.
        unsafe {
            let is_variable = !LLVMIsAGlobalVariable(variable.raw).is_null();
            if !is_variable
                || LLVMGlobalGetValueType(variable.raw) != initializer.ty().raw
                || !initializer.is_constant()
            {
                return Err(misfit("an initializer", &[variable, initializer]));
            }
            LLVMSetInitializer(variable.raw, initializer.raw);
        }
        Ok(())
    }

    /// Says that the host may write a variable before a launch, so that its initializer proves nothing; and, with
    /// `read_only`, that the device does not write it.
    pub fn set_externally_initialized(&self, variable: Value<'c>, access: DeviceAccess) {
        // SAFETY: a live value is asked what it is first.
        unsafe {
            if LLVMIsAGlobalVariable(variable.raw).is_null() {
                return;
            }
            LLVMSetExternallyInitialized(variable.raw, 1);
            LLVMSetGlobalConstant(variable.raw, i32::from(access == DeviceAccess::ReadOnly));
        }
    }

    /// Declares that symbols are used in ways that the module does not show: LLVM's list `llvm.compiler.used`, which it keeps and from
    /// which it knows that it sees neither all reads nor all writes of an internal variable. Called once for a module.
    ///
    /// # Errors
    ///
    /// When a value is not a symbol.
    pub fn keep_used(&self, types: Types<'c>, symbols: &[Value<'c>]) -> Result<(), LlvmError> {
        if symbols.is_empty() {
            return Ok(());
        }
        // SAFETY: symbols of this module are cast to generic pointers; LLVM copies the list and the texts.
        unsafe {
            let pointer = types.pointer(crate::address_space::GENERIC);
            if let Some(other) = symbols.iter().find(|symbol| LLVMIsAGlobalValue(symbol.raw).is_null()) {
                return Err(misfit("a list of symbols", &[*other]));
            }
            let mut list: Vec<_> = symbols
                .iter()
                .map(|symbol| match symbol.ty() == pointer {
                    true => symbol.raw,
                    false => LLVMConstAddrSpaceCast(symbol.raw, pointer.raw),
                })
                .collect();
            let array = LLVMConstArray2(pointer.raw, list.as_mut_ptr(), list.len() as u64);
            let raw = LLVMAddGlobal(self.raw(), LLVMTypeOf(array), c"llvm.compiler.used".as_ptr());
            LLVMSetInitializer(raw, array);
            LLVMSetLinkage(raw, LLVMLinkage::LLVMAppendingLinkage);
            LLVMSetSection(raw, c"llvm.metadata".as_ptr());
        }
        Ok(())
    }

    /// Adds an alias of a function; it is called like one.
    ///
    /// # Errors
    ///
    /// When the name is taken.
    pub fn alias(
        &self,
        name: &str,
        target: Function<'c>,
        linkage: Linkage,
    ) -> Result<Function<'c>, LlvmError> {
        if self.named_global(name).is_some() {
            return Err(LlvmError::Other { message: format!("the name {name} of an alias is taken") });
        }
        let name = c_name(name);
        // SAFETY: module, function and name are alive.
        let value = Value::new(unsafe {
            LLVMAddAlias2(self.raw(), target.ty.raw, 0, target.value.raw, name.as_ptr())
        });
        linkage.apply(value);
        Ok(Function { value, ty: target.ty })
    }

    /// The function or variable of that name, as a pointer.
    pub fn named_global(&self, name: &str) -> Option<Value<'c>> {
        let name = c_name(name);
        // SAFETY: module and name are alive.
        let raw = unsafe {
            let variable = LLVMGetNamedGlobal(self.raw(), name.as_ptr());
            if variable.is_null() { LLVMGetNamedFunction(self.raw(), name.as_ptr()) } else { variable }
        };
        (!raw.is_null()).then(|| Value::new(raw))
    }
}

/// Whether device code writes a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DeviceAccess {
    /// It may.
    ReadWrite,
    /// It does not: `.const`.
    ReadOnly,
}

impl<'c> Function<'c> {
    /// A function and its type, which the caller has from LLVM.
    pub(super) fn from_raw(value: Value<'c>, ty: Type<'c>) -> Self {
        Self { value, ty }
    }

    /// The function as a pointer.
    pub fn value(self) -> Value<'c> {
        self.value
    }

    /// Its type.
    pub fn ty(self) -> Type<'c> {
        self.ty
    }

    /// Its arguments in order.
    pub fn parameters(self) -> Vec<Value<'c>> {
        // SAFETY: a function; LLVM fills exactly as many entries as it counts.
        unsafe {
            let mut raw = vec![std::ptr::null_mut(); LLVMCountParams(self.value.raw) as usize];
            LLVMGetParams(self.value.raw, raw.as_mut_ptr());
            raw.into_iter().map(Value::new).collect()
        }
    }

    /// Gives it another name, which is not taken.
    pub fn rename(self, name: &str) {
        // SAFETY: the function is alive; LLVM copies the name.
        unsafe { LLVMSetValueName2(self.value.raw, name.as_ptr().cast(), name.len()) };
    }

    /// Sets who can name it.
    pub fn set_linkage(self, linkage: Linkage) {
        linkage.apply(self.value);
    }

    /// Makes it a kernel (LLVM's `ptx_kernel` calling convention).
    pub fn set_kernel(self) {
        // SAFETY: a function.
        unsafe { LLVMSetFunctionCallConv(self.value.raw, PTX_KERNEL) };
    }

    /// Appends a block.
    pub fn append_block(self, types: Types<'c>, name: &str) -> Block<'c> {
        let name = c_name(name);
        // SAFETY: a function of this context.
        Block::new(unsafe {
            LLVMAppendBasicBlockInContext(types.context.raw(), self.value.raw, name.as_ptr())
        })
    }

    /// A string attribute of the function.
    pub fn add_attribute(self, types: Types<'c>, key: &str, value: &str) {
        self.add_string(types, LLVMAttributeFunctionIndex, key, value);
    }

    fn add_string(self, types: Types<'c>, place: u32, key: &str, value: &str) {
        // SAFETY: LLVM copies both texts.
        unsafe {
            let attribute = LLVMCreateStringAttribute(
                types.context.raw(),
                key.as_ptr().cast(),
                key.len() as u32,
                value.as_ptr().cast(),
                value.len() as u32,
            );
            LLVMAddAttributeAtIndex(self.value.raw, place, attribute);
        }
    }

    /// A string attribute of a parameter, by its position from 0.
    pub fn add_parameter_attribute(self, types: Types<'c>, parameter: u32, key: &str, value: &str) {
        self.add_string(types, parameter + 1, key, value);
    }

    /// An attribute of LLVM's own on the function, such as `noreturn`; an unknown name does nothing.
    pub fn add_flag(self, types: Types<'c>, name: &str) {
        self.add_enum(types, LLVMAttributeFunctionIndex, name, 0);
    }

    /// Gives the function the attributes of another that select the processor's instructions and the width of its vectors.
    pub fn compile_like(self, other: Function<'c>) {
        for key in
            ["target-cpu", "target-features", "tune-cpu", "prefer-vector-width", "min-legal-vector-width"]
        {
            // SAFETY: two live functions; the attribute is a string one, as it is asked for, and of the same context.
            unsafe {
                let (name, length) = (key.as_ptr().cast(), key.len() as u32);
                let index = LLVMAttributeFunctionIndex;
                let attribute = LLVMGetStringAttributeAtIndex(other.value.raw, index, name, length);
                if !attribute.is_null() {
                    LLVMAddAttributeAtIndex(self.value.raw, index, attribute);
                }
            }
        }
    }

    /// Whether the function has a body.
    pub fn is_defined(self) -> bool {
        // SAFETY: a live function.
        unsafe { LLVMCountBasicBlocks(self.value.raw) != 0 }
    }

    /// Whether the function limits what memory it accesses, as intrinsics may: `memory(..)`.
    pub fn limits_memory(self) -> bool {
        const NAME: &str = "memory";
        // SAFETY: a live function, asked for an attribute that LLVM knows by that name.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(NAME.as_ptr().cast(), NAME.len());
            !LLVMGetEnumAttributeAtIndex(self.value().raw, LLVMAttributeFunctionIndex, kind).is_null()
        }
    }

    /// Whether the function is declared to touch no memory: `memory(none)`.
    pub fn touches_no_memory(self) -> bool {
        const NAME: &str = "memory";
        // SAFETY: as in `limits_memory`; the attribute has a number.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(NAME.as_ptr().cast(), NAME.len());
            let memory = LLVMGetEnumAttributeAtIndex(self.value().raw, LLVMAttributeFunctionIndex, kind);
            !memory.is_null() && LLVMGetEnumAttributeValue(memory) == 0
        }
    }

    /// `noundef` on a parameter, by its position from 0.
    pub fn add_parameter_noundef(self, types: Types<'c>, parameter: u32) {
        self.add_enum(types, parameter + 1, "noundef", 0);
    }

    /// An attribute of LLVM's own on a parameter, by its position from 0, such as `noalias`, `readonly` or `zeroext`; an unknown name does
    /// nothing. That it fits the parameter's type is for LLVM's verifier.
    pub fn add_parameter_flag(self, types: Types<'c>, parameter: u32, name: &str) {
        self.add_enum(types, parameter + 1, name, 0);
    }

    /// `dereferenceable` on a pointer parameter, by its position from 0: so many bytes can be read at any time.
    pub fn add_parameter_dereferenceable(self, types: Types<'c>, parameter: u32, bytes: u64) {
        self.add_enum(types, parameter + 1, "dereferenceable", bytes);
    }

    /// `align` on a pointer parameter, by its position from 0.
    pub fn add_parameter_align(self, types: Types<'c>, parameter: u32, align: u32) {
        if align.is_power_of_two() {
            self.add_enum(types, parameter + 1, "align", u64::from(align));
        }
    }

    /// `alignstack` on the result: how the variable that holds it is aligned, in bytes; does nothing when that is no power of two.
    pub fn add_result_alignment(self, types: Types<'c>, align: u32) {
        if align.is_power_of_two() {
            self.add_enum(types, LLVMAttributeReturnIndex, "alignstack", u64::from(align));
        }
    }

    /// `byval` on a pointer parameter, by its position from 0.
    pub fn add_parameter_byval(self, types: Types<'c>, parameter: u32, ty: Type<'c>) {
        // SAFETY: the function has the parameter (LLVM ignores positions it has not), and the type is alive.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            let attribute = LLVMCreateTypeAttribute(types.context.raw(), kind, ty.raw);
            LLVMAddAttributeAtIndex(self.value.raw, parameter + 1, attribute);
        }
    }

    fn add_enum(self, types: Types<'c>, place: u32, name: &str, value: u64) {
        // SAFETY: an unknown name has kind 0 and is left out.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            if kind != 0 {
                let attribute = LLVMCreateEnumAttribute(types.context.raw(), kind, value);
                LLVMAddAttributeAtIndex(self.value.raw, place, attribute);
            }
        }
    }
}

impl<'c> Value<'c> {
    /// An attribute of LLVM's own on a call, such as `convergent`; does nothing on anything but a call.
    pub fn add_call_flag(self, types: Types<'c>, name: &str) {
        self.add_call_enum(types, LLVMAttributeFunctionIndex, name, 0);
    }

    /// `memory(read)` on a call; does nothing on anything but a call.
    pub fn add_call_reads_memory(self, types: Types<'c>) {
        self.add_call_enum(types, LLVMAttributeFunctionIndex, "memory", READS_ANY_MEMORY);
    }

    /// `alignstack` on the result of a call: how the variable that holds it is aligned, in bytes; does nothing when that is no
    /// power of two, and on anything but a call.
    pub fn add_call_result_alignment(self, types: Types<'c>, align: u32) {
        if align.is_power_of_two() {
            self.add_call_enum(types, LLVMAttributeReturnIndex, "alignstack", u64::from(align));
        }
    }

    pub(super) fn add_call_enum(self, types: Types<'c>, place: u32, name: &str, value: u64) {
        // SAFETY: a live value is asked what it is first; an unknown name has kind 0.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            if kind != 0 && !LLVMIsACallInst(self.raw).is_null() {
                let attribute = LLVMCreateEnumAttribute(types.context.raw(), kind, value);
                LLVMAddCallSiteAttribute(self.raw, place, attribute);
            }
        }
    }

    /// Says that a call gives an integer from `first` to the one before `end`; does nothing on anything but a call that gives an
    /// integer of at most 64 bits, and when there is no such integer or the range holds all.
    pub fn add_call_range(self, types: Types<'c>, first: u64, end: u64) {
        const NAME: &str = "range";
        let Some(bits) = self.ty().int_bits().filter(|bits| *bits <= 64) else { return };
        let last = u64::MAX >> (64 - bits);
        let is_part = first < end && end - 1 <= last && (first, end - 1) != (0, last);
        if !is_part {
            return;
        }
        // After the last number comes zero.
        let end = end & last;
        // SAFETY: a live value is asked what it is first; each bound is one word, as the width asks for.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(NAME.as_ptr().cast(), NAME.len());
            if !LLVMIsACallInst(self.raw).is_null() {
                let attribute = LLVMCreateConstantRangeAttribute(
                    types.context.raw(),
                    kind,
                    bits,
                    &raw const first,
                    &raw const end,
                );
                LLVMAddCallSiteAttribute(self.raw, LLVMAttributeReturnIndex, attribute);
            }
        }
    }

    /// `byval` and `align` on an argument of a call, by its position from 0; does nothing on anything but a call.
    pub fn add_call_byval(self, types: Types<'c>, argument: u32, ty: Type<'c>, align: u32) {
        // SAFETY: a live value is asked what it is first, and for the number of its arguments.
        unsafe {
            if LLVMIsACallInst(self.raw).is_null() || argument >= LLVMGetNumArgOperands(self.raw) {
                return;
            }
            let byval = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            let attribute = LLVMCreateTypeAttribute(types.context.raw(), byval, ty.raw);
            LLVMAddCallSiteAttribute(self.raw, argument + 1, attribute);
            if align.is_power_of_two() {
                let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
                let attribute = LLVMCreateEnumAttribute(types.context.raw(), kind, u64::from(align));
                LLVMAddCallSiteAttribute(self.raw, argument + 1, attribute);
            }
        }
    }
}
