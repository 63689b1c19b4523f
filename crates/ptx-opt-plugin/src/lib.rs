//! `libptx_passes.so`: the passes of ptx-llvm as a plugin for programs that use LLVM 22's shared library, such as `opt`; and, for ptx-llvm itself, pipelines with the
//! passes of other plugins.
//!
//! ```text
//! opt-22 -load-pass-plugin=libptx_passes.so -passes='default<O2>,function(ptx-sink,ptx-count-first)' -S k.ll
//! ```
//!
//! The names are those of `ptx2ll --print-passes`. A pass on functions is allowed in `function(..)` and where passes on modules are. A pass that fails reports an
//! error to the context of the module, which `opt` prints and ends with.
//!
//! What only C++ can do is in `plugin.cpp`.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ptx_llvm_core::{Gpu, LlvmError, Machine, OptLevel, Tuning, guest};
use ptx_opt::{Run, pass_named};

/// The version of [`PassPluginLibraryInfo`] that LLVM 22 knows (`LLVM_PLUGIN_API_VERSION`).
const API_VERSION: u32 = 2;

/// What LLVM asks of a plugin (`llvm/Plugins/PassPlugin.h`).
#[repr(C)]
#[derive(Debug)]
pub struct PassPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: Option<unsafe extern "C" fn(builder: *mut c_void)>,
    before_code_generation: Option<unsafe extern "C" fn()>,
}

/// The function that receives the message of a pass that failed.
type Failed = unsafe extern "C" fn(data: *mut c_void, message: *const c_char, length: usize);

// In `plugin.cpp`.
unsafe extern "C" {
    fn ptx_plugin_register(builder: *mut c_void);
    fn ptx_glue_load(file: *const c_char) -> *mut c_char;
    fn ptx_glue_run(
        module: *mut c_void,
        pipeline: *const c_char,
        machine: *mut c_void,
        is_compiled: bool,
        files: *const *const c_char,
        count: usize,
    ) -> *mut c_char;
    fn ptx_glue_free(text: *mut c_char);
}

/// The entry point of plugins of LLVM's pass manager.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    PassPluginLibraryInfo {
        api_version: API_VERSION,
        name: c"ptx-llvm".as_ptr(),
        version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
        register: Some(ptx_plugin_register),
        before_code_generation: None,
    }
}

/// Loads a plugin; null, or a message for [`ptx_plugin_free`].
///
/// # Safety
///
/// `file` ends in a NUL byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_plugin_load(file: *const c_char) -> *mut c_char {
    // SAFETY: by this function's contract.
    unsafe { ptx_glue_load(file) }
}

/// Runs a pipeline on a module with the passes of plugins; null, or a message for [`ptx_plugin_free`].
///
/// # Safety
///
/// The module and the target machine are live ones of LLVM's shared library, texts end in NUL bytes, and there are `count` files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_plugin_run(
    module: *mut c_void,
    pipeline: *const c_char,
    machine: *mut c_void,
    is_compiled: bool,
    files: *const *const c_char,
    count: usize,
) -> *mut c_char {
    // SAFETY: by this function's contract.
    unsafe { ptx_glue_run(module, pipeline, machine, is_compiled, files, count) }
}

/// Frees a message.
///
/// # Safety
///
/// The text is one that this library returned, and is freed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_plugin_free(text: *mut c_char) {
    // SAFETY: by this function's contract.
    unsafe { ptx_glue_free(text) }
}

/// Whether a text names a pass: 0 if not, 1 for one on modules, 2 for one on functions, 3 for an invalid parameter.
///
/// # Safety
///
/// The text has as many bytes as stated.
#[unsafe(no_mangle)]
unsafe extern "C" fn ptx_pass_kind(text: *const c_char, length: usize) -> u32 {
    // SAFETY: by this function's contract.
    match unsafe { text_of(text, length) }.map(pass_named) {
        None | Some(Ok(None)) => 0,
        Some(Ok(Some(Run::Module(_) | Run::Pipeline(_)))) => 1,
        Some(Ok(Some(Run::Function(_)))) => 2,
        Some(Err(_)) => 3,
    }
}

/// Runs the pass that a text names on a module or, unless that is null, on a function of it.
///
/// # Safety
///
/// The text has as many bytes as stated and names a pass; the module is a live one of LLVM's shared library and the function one of its functions; `failed` may be
/// called with `data`.
#[unsafe(no_mangle)]
unsafe extern "C" fn ptx_pass_run(
    text: *const c_char,
    length: usize,
    module: *mut c_void,
    function: *mut c_void,
    failed: Failed,
    data: *mut c_void,
) {
    // A panic must not cross LLVM's frames.
    let result = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: by this function's contract.
        let name = unsafe { text_of(text, length) };
        match name.map(pass_named) {
            // SAFETY: by this function's contract.
            Some(Ok(Some(run))) => unsafe { run_on(run, module, function) },
            _ => Err(LlvmError::Pipeline { message: "this is not a pass of ptx-llvm".to_owned() }),
        }
    }));
    let message = match result {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "a pass of ptx-llvm has failed by a fault of its own".to_owned(),
    };
    // SAFETY: by this function's contract; the message is copied during the call.
    unsafe { failed(data, message.as_ptr().cast(), message.len()) };
}

/// # Safety
///
/// As for [`ptx_pass_run`].
unsafe fn run_on(run: Run, module: *mut c_void, function: *mut c_void) -> Result<(), LlvmError> {
    match run {
        // SAFETY: by this function's contract.
        Run::Function(run) if !function.is_null() => unsafe { guest::with_function(function, run) }?,
        // SAFETY: by this function's contract.
        _ => unsafe {
            guest::with_module(module, |module| {
                let machine = Machine::new(&Gpu::of_module(module).for_pipelines(), OptLevel::O2)?;
                run.on(module, &machine, Tuning::Source)
            })
        }?,
    }
}

/// The text, if it is UTF-8 and not empty.
///
/// # Safety
///
/// It has as many bytes as stated, and is alive as long as the result.
unsafe fn text_of<'a>(text: *const c_char, length: usize) -> Option<&'a str> {
    if length == 0 {
        return None;
    }
    // SAFETY: by this function's contract; a text without bytes may be null.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    std::str::from_utf8(bytes).ok()
}
