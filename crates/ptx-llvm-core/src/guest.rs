//! Code of this project in a program that uses LLVM's shared library itself, such as `opt`, and loads the code as a plugin: the program owns the
//! contexts and the modules.

use std::ffi::c_void;
use std::mem::ManuallyDrop;

use llvm_sys::core::{LLVMGetGlobalParent, LLVMGetModuleContext};
use llvm_sys::prelude::LLVMModuleRef;

use crate::context::Lent;
use crate::edit::{Editor, Function, edit};
use crate::{LlvmError, Module, library};

/// Lends a module of the program to a closure. LLVM's messages go to the program's handler.
///
/// # Errors
///
/// [`LlvmError::Missing`] when LLVM's library cannot be loaded, which the program has loaded already.
///
/// # Safety
///
/// `module` is the `LLVMModuleRef` of a live module of LLVM's shared library that nothing else uses during the call.
pub unsafe fn with_module<R>(
    module: *mut c_void,
    run: impl FnOnce(&mut Module<'_>) -> R,
) -> Result<R, LlvmError> {
    library::load()?;
    let module: LLVMModuleRef = module.cast();
    // SAFETY: the module is alive, so its context is, and it is not disposed here.
    let context = unsafe { Lent::new(LLVMGetModuleContext(module)) };
    // SAFETY: by this function's contract. The program owns the module, so that it is not dropped.
    let mut lent = ManuallyDrop::new(unsafe { Module::adopt_as_named(&context, module) });
    Ok(run(&mut lent))
}

/// Lends a function with a body, and the module that it belongs to, to a closure.
///
/// # Errors
///
/// As [`with_module`].
///
/// # Safety
///
/// `function` is the `LLVMValueRef` of a live function of a module for which the contract of [`with_module`] holds.
pub unsafe fn with_function<R>(
    function: *mut c_void,
    run: impl for<'e> FnOnce(&Editor<'e>, Function<'e>) -> R,
) -> Result<R, LlvmError> {
    library::load()?;
    // SAFETY: by this function's contract.
    let module = unsafe { LLVMGetGlobalParent(function.cast()) };
    let change = |module: &mut Module<'_>| {
        edit(module, |editor| {
            // SAFETY: the function is the module's.
            let function = unsafe { editor.function_at(function.cast()) };
            function.map(|function| run(editor, function))
        })
    };
    // SAFETY: by this function's contract.
    let result = unsafe { with_module(module.cast(), change) }?;
    result.ok_or_else(|| LlvmError::Other { message: "the function is missing".to_owned() })
}
