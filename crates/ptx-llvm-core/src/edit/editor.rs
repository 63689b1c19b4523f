//! The editor of a module.

use std::cell::RefCell;
use std::fmt;

use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};

use super::builder::Builder;
use super::change::refused;
use super::handle::{Block, Function, Inst, MetadataKind, Node, SyncScope, Type, Value, Variable};
use super::layout::Layout;
use super::ty::TypeKind;
use super::uses::Users;
use crate::build::{self, Types};
use crate::{LlvmError, Module};

/// Changes a module by a closure, which gets the module's editor and cannot keep any handle of it.
///
/// ```compile_fail
/// # use ptx_llvm_core::{Context, Module, edit::edit};
/// # let context = Context::new().unwrap();
/// # let mut module = Module::new(&context, "m");
/// // An error of the compiler: the type would leave the closure.
/// let ty = edit(&mut module, |editor| editor.integer(32));
/// ```
///
/// ```compile_fail
/// # use ptx_llvm_core::{Context, Module, edit::edit};
/// # let context = Context::new().unwrap();
/// # let (mut one, mut other) = (Module::new(&context, "1"), Module::new(&context, "2"));
/// // An error of the compiler: a function of one module, and the editor of another.
/// edit(&mut one, |editor| {
///     let function = editor.functions().next().unwrap();
///     edit(&mut other, |inner| inner.at_end(function.entry().unwrap()));
/// });
/// ```
pub fn edit<R>(module: &mut Module<'_>, change: impl for<'e> FnOnce(&Editor<'e>) -> R) -> R {
    let editor = Editor::new(module);
    change(&editor)
}

/// A module that is changed: finds its functions and variables, makes constants and instructions, and erases.
pub struct Editor<'e> {
    pub(super) module: LLVMModuleRef,
    pub(super) types: Types<'e>,
    /// Is positioned anew for each instruction that it builds.
    pub(super) builder: build::Builder<'e>,
    /// The instructions that are freed with the editor; they are in no block.
    erased: RefCell<Vec<LLVMValueRef>>,
    /// The functions that are removed with the editor, if nothing uses them.
    erased_functions: RefCell<Vec<LLVMValueRef>>,
    /// The variables that are removed with the editor, if nothing uses them.
    erased_variables: RefCell<Vec<LLVMValueRef>>,
    /// Handles have this lifetime exactly.
    brand: std::marker::PhantomData<fn(&'e ()) -> &'e ()>,
}

impl<'e> Editor<'e> {
    fn new(module: &'e mut Module<'_>) -> Self {
        let types = Types::new(module.context());
        Self {
            module: module.raw(),
            types,
            builder: build::Builder::new(types),
            erased: RefCell::default(),
            erased_functions: RefCell::default(),
            erased_variables: RefCell::default(),
            brand: std::marker::PhantomData,
        }
    }

    /// The functions of the module, defined and declared, in their order. Those that are added meanwhile come last.
    pub fn functions(&self) -> impl Iterator<Item = Function<'e>> + use<'e> {
        // SAFETY: the module is alive, and neither it nor a function of it is freed before its handles.
        let first = unsafe { LLVMGetFirstFunction(self.module) };
        // SAFETY: as before; null after the last.
        std::iter::successors(Function::of(first), |function| unsafe {
            Function::of(LLVMGetNextFunction(function.raw))
        })
    }

    /// The function of LLVM's handle; `None` for null.
    ///
    /// # Safety
    ///
    /// A handle that is not null is a function's of this module.
    pub(crate) unsafe fn function_at(&self, raw: LLVMValueRef) -> Option<Function<'e>> {
        Function::of(raw)
    }

    /// The function of a name.
    pub fn function_named(&self, name: &[u8]) -> Option<Function<'e>> {
        // SAFETY: the module is alive, and the name has as many bytes as stated; null where it has no such function.
        Function::of(unsafe { LLVMGetNamedFunctionWithLength(self.module, name.as_ptr().cast(), name.len()) })
    }

    /// The functions that passes may optimize: those that are not `optnone`.
    pub fn optimized_functions(&self) -> impl Iterator<Item = Function<'e>> + use<'e> {
        self.functions().filter(|function| function.is_optimized())
    }

    /// The global variables of the module in their order.
    pub fn variables(&self) -> impl Iterator<Item = Variable<'e>> + use<'e> {
        // SAFETY: the module is alive, and neither it nor a variable of it is freed before its handles.
        let first = unsafe { LLVMGetFirstGlobal(self.module) };
        // SAFETY: as before; null after the last.
        std::iter::successors(Variable::of(first), |variable| unsafe {
            Variable::of(LLVMGetNextGlobal(variable.raw))
        })
    }

    /// The users of a value in this module: of what [`Value::users`] is for, and of constant expressions, which other modules may use, too. Of other
    /// constants LLVM keeps no lists.
    pub fn users(&self, value: Value<'e>) -> Vec<Value<'e>> {
        if value.constant_opcode().is_none() {
            return value.users().collect();
        }
        let is_own = |user: &Value<'e>| {
            let function = user.as_inst().and_then(Inst::block).map(Block::function);
            // SAFETY: a function has a module.
            function.is_none_or(|function| unsafe { LLVMGetGlobalParent(function.raw) } == self.module)
        };
        Users::of(value).filter(is_own).collect()
    }

    /// How the target lays out types in memory.
    pub fn layout(&self) -> Layout<'e> {
        Layout::of(self)
    }

    /// The integer type of so many bits, 1 to 2^23.
    pub fn integer(&self, bits: u32) -> Type<'e> {
        Type::new(self.types.int(bits).raw())
    }

    /// `void`
    pub fn void(&self) -> Type<'e> {
        Type::new(self.types.void().raw())
    }

    /// A structure of such fields.
    ///
    /// # Errors
    ///
    /// When a field is of a type without values.
    pub fn structure(&self, fields: &[Type<'e>]) -> Result<Type<'e>, LlvmError> {
        if !fields.iter().all(|field| field.is_first_class()) {
            return refused(format!("a structure of {fields:?}"));
        }
        let fields: Vec<_> = fields.iter().map(|field| field.build()).collect();
        Ok(Type::new(self.types.structure(&fields).raw()))
    }

    /// An array of so many bytes.
    pub fn bytes(&self, length: u64) -> Type<'e> {
        Type::new(self.types.array(self.types.int(8), length).raw())
    }

    /// A vector of so many integers, floating-point numbers or pointers.
    ///
    /// # Errors
    ///
    /// When the type is none of these, or there are no elements.
    pub fn vector(&self, element: Type<'e>, length: u32) -> Result<Type<'e>, LlvmError> {
        let is_element =
            element.integer_bits().is_some() || element.pointer_space().is_some() || element.is_float();
        if !is_element || length == 0 {
            return refused(format!("a vector of {length} {element:?}"));
        }
        Ok(Type::new(self.types.vector(element.build(), length).raw()))
    }

    /// A constant vector.
    ///
    /// # Errors
    ///
    /// When there is no element, or the elements differ in type or are no constants.
    pub fn constant_vector(&self, elements: &[Value<'e>]) -> Result<Value<'e>, LlvmError> {
        let elements: Vec<_> = elements.iter().map(|element| element.build()).collect();
        Ok(Value::new(self.types.vector_value(&elements)?.raw()))
    }

    /// The bits of a constant as those of another type of as many bits.
    ///
    /// # Errors
    ///
    /// When it is no constant, or the types differ in bits.
    pub fn constant_bits(&self, constant: Value<'e>, ty: Type<'e>) -> Result<Value<'e>, LlvmError> {
        Ok(Value::new(constant.build().constant_bits_as(ty.build())?.raw()))
    }

    /// A vector of elements of a type, and of as many as another vector has; the type itself where that is none.
    pub fn shaped_as(&self, element: Type<'e>, shape: Type<'e>) -> Type<'e> {
        match shape.build().vector_parts() {
            Some((_, length)) => Type::new(self.types.vector(element.build(), length).raw()),
            None => element,
        }
    }

    /// The kind of metadata of a name.
    pub fn metadata_kind(&self, name: &str) -> MetadataKind<'e> {
        MetadataKind::new(self.types.metadata_kind(name))
    }

    /// A node without operands.
    pub fn empty_node(&self) -> Node<'e> {
        Node::new(self.types.metadata_as_value(self.types.metadata_node(&[])))
    }

    /// The threads that atomic operations synchronize with, by LLVM's name; the system's are those without one.
    pub fn sync_scope(&self, name: &str) -> SyncScope<'e> {
        // SAFETY: the module is alive, and the name has as many bytes as stated.
        SyncScope::new(unsafe {
            LLVMGetSyncScopeID(LLVMGetModuleContext(self.module), name.as_ptr().cast(), name.len())
        })
    }

    /// Builds before an instruction.
    ///
    /// # Errors
    ///
    /// When it was erased.
    pub fn before(&self, inst: Inst<'e>) -> Result<Builder<'_, 'e>, LlvmError> {
        Builder::before(self, inst)
    }

    /// Builds at the end of a block that has no terminator.
    pub fn at_end(&self, block: Block<'e>) -> Builder<'_, 'e> {
        Builder::at_end(self, block)
    }

    /// Puts an instruction before another one of the same function.
    ///
    /// # Errors
    ///
    /// When either was erased, they are of different functions, or the place is none for it: before a phi, or after a terminator.
    pub fn move_before(&self, inst: Inst<'e>, next: Inst<'e>) -> Result<(), LlvmError> {
        if inst.function()? != next.function()? || !inst.may_precede(next) {
            return refused(format!("`{inst:?}` cannot be moved before `{next:?}`"));
        }
        let (location, name) = (inst.location(), inst.name());
        build::move_before(&self.builder, inst.value().build(), next.value().build());
        // The builder gives a source location and a name of its own.
        inst.set_location(location);
        inst.value().set_name(&name);
        Ok(())
    }

    /// Erases an instruction without users.
    ///
    /// # Errors
    ///
    /// When it has users, is a terminator, or was erased before.
    pub fn erase(&self, inst: Inst<'e>) -> Result<(), LlvmError> {
        inst.take_out()?;
        self.erased.borrow_mut().push(inst.raw);
        Ok(())
    }

    /// Puts a value in the place of an instruction, which is erased. If the value is the result of an instruction, that gets the name, and the place in the
    /// source if there is one.
    ///
    /// # Errors
    ///
    /// As [`Inst::replace_all_uses`] and [`Editor::erase`].
    pub fn replace(&self, inst: Inst<'e>, value: Value<'e>) -> Result<(), LlvmError> {
        let name = inst.name();
        inst.replace_all_uses(value)?;
        if let Some(new) = value.as_inst() {
            new.take_location(inst);
        }
        self.erase(inst)?;
        // A variable or a parameter keeps the name that it has.
        if value.as_inst().is_some() {
            value.set_name(&name);
        }
        Ok(())
    }

    /// Adds an internal function of one block, which is empty.
    ///
    /// # Errors
    ///
    /// When the result or a parameter is not of a type that has values.
    pub fn add_function(
        &self,
        name: &[u8],
        result: Type<'e>,
        parameters: &[Type<'e>],
    ) -> Result<(Function<'e>, Block<'e>), LlvmError> {
        let function = self.declare(name, result, parameters)?;
        // SAFETY: the function is the module's, and the block is the function's.
        unsafe {
            LLVMSetLinkage(function.raw, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
            let context = LLVMGetModuleContext(self.module);
            let block = LLVMAppendBasicBlockInContext(context, function.raw, c"".as_ptr());
            Ok((function, Block::new(block)))
        }
    }

    /// Declares a function; LLVM makes its name unique by a suffix.
    ///
    /// # Errors
    ///
    /// When the result is neither `void` nor of a type that has values, or a parameter is not.
    pub fn declare(
        &self,
        name: &[u8],
        result: Type<'e>,
        parameters: &[Type<'e>],
    ) -> Result<Function<'e>, LlvmError> {
        let is_result = result.is_first_class() || result.kind() == TypeKind::Void;
        if !is_result || !parameters.iter().all(|ty| ty.is_first_class()) {
            return refused(format!("a function that gives {result:?}"));
        }
        let parameters: Vec<_> = parameters.iter().map(|ty| ty.build()).collect();
        let ty = self.types.function(result.build(), &parameters);
        let name: Vec<u8> = name.iter().copied().filter(|byte| *byte != 0).chain([0]).collect();
        // SAFETY: the module is alive, the name ends in a NUL byte, and LLVM copies it.
        Ok(Function::new(unsafe { LLVMAddFunction(self.module, name.as_ptr().cast(), ty.raw()) }))
    }

    /// Adds a block before another one, in whose function it is then. It is empty.
    pub fn insert_block(&self, before: Block<'e>, name: &str) -> Block<'e> {
        let name = build::c_name(name);
        // SAFETY: a block of a function of the module; the name ends in a NUL byte, and LLVM copies it.
        Block::new(unsafe {
            LLVMInsertBasicBlockInContext(LLVMGetModuleContext(self.module), before.raw, name.as_ptr())
        })
    }

    /// Erases a function once the closure has returned, if nothing uses it then.
    pub fn erase_function(&self, function: Function<'e>) {
        let mut erased = self.erased_functions.borrow_mut();
        if !erased.contains(&function.raw) {
            erased.push(function.raw);
        }
    }

    /// Erases a variable once the closure has returned, if no instruction and no other variable uses it then: null takes its place in constants that nothing uses.
    pub fn erase_variable(&self, variable: Variable<'e>) {
        let mut erased = self.erased_variables.borrow_mut();
        if !erased.contains(&variable.raw) {
            erased.push(variable.raw);
        }
    }
}

impl Drop for Editor<'_> {
    fn drop(&mut self) {
        // SAFETY: instructions in no block, each once. One that something still uses, which no operation of the editor allows, leaves `poison` there. A variable
        // is removed if nothing uses it.
        unsafe {
            for &inst in self.erased.get_mut().iter() {
                if !LLVMGetFirstUse(inst).is_null() {
                    debug_assert!(false, "an erased instruction has a user");
                    LLVMReplaceAllUsesWith(inst, LLVMGetPoison(LLVMTypeOf(inst)));
                }
            }
            for inst in self.erased.get_mut().drain(..) {
                LLVMDeleteInstruction(inst);
            }
            for function in self.erased_functions.get_mut().drain(..) {
                if LLVMGetFirstUse(function).is_null() {
                    LLVMDeleteFunction(function);
                }
            }
            for variable in self.erased_variables.get_mut().drain(..) {
                if has_no_user(variable) {
                    LLVMReplaceAllUsesWith(variable, LLVMConstNull(LLVMTypeOf(variable)));
                    LLVMDeleteGlobal(variable);
                }
            }
        }
    }
}

/// Whether nothing but constants that nothing uses refer to a variable.
///
/// # Safety
///
/// The variable is alive.
unsafe fn has_no_user(variable: LLVMValueRef) -> bool {
    let mut work = vec![variable];
    // SAFETY: uses of what is alive are followed to their end.
    unsafe {
        while let Some(value) = work.pop() {
            let mut place = LLVMGetFirstUse(value);
            while !place.is_null() {
                let user = LLVMGetUser(place);
                if LLVMIsAConstantExpr(user).is_null() {
                    return false;
                }
                work.push(user);
                place = LLVMGetNextUse(place);
            }
        }
    }
    true
}

impl fmt::Debug for Editor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Editor").field("erased", &self.erased.borrow().len()).finish_non_exhaustive()
    }
}
