//! LLVM's own NVPTX backend, for comparison with the native emitter, and what happens when it gives up.

use std::ffi::{CStr, c_char};
use std::sync::{Once, OnceLock};

use inkwell::targets::FileType;
use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;

use crate::error::LlvmError;
use crate::machine::{Machine, check_target};
use crate::module::{Module, bytes_of};
use crate::pass::{reject_reported_errors, with_messages};

/// Turns the module into PTX text with LLVM's NVPTX backend, which uses the module up.
///
/// The backend gives up on some input by ending the process; see [`on_fatal_error`].
///
/// # Errors
///
/// [`LlvmError::Target`] when the module is for another target, [`LlvmError::Other`] for everything the backend reports.
pub fn emit_ptx(module: Module<'_>, machine: &Machine) -> Result<String, LlvmError> {
    check_target(&module)?;
    let emit = || machine.inner().write_to_memory_buffer(module.inkwell(), FileType::Assembly);
    let (result, reported) = with_messages(module.context(), emit);
    reject_reported_errors(reported, module.context())?;
    let buffer = result.map_err(|message| LlvmError::Other { message: message.to_string() })?;
    let bytes = bytes_of(&buffer);
    // LLVM counts the NUL byte it puts after the text in some versions and not in others.
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    String::from_utf8(bytes.to_vec()).map_err(|error| LlvmError::Other { message: error.to_string() })
}

static HANDLER: OnceLock<fn(&str) -> !> = OnceLock::new();

/// Calls `handler` with LLVM's sentence when LLVM meets a fatal error, instead of printing it and aborting.
///
/// LLVM cannot go on after a fatal error and its frames cannot be unwound, so the handler must end the process. Only a program can decide to do so: a tool reports the sentence as an
/// error of its own and exits with the status for rejected input. The first handler stays; it counts for every
/// [`crate::Context`] and [`Machine`] made afterwards.
pub fn on_fatal_error(handler: fn(&str) -> !) {
    let _ = HANDLER.set(handler);
}

/// Tells LLVM, which has been loaded, of the handler; before a fatal error nothing asks for it.
pub(crate) fn install_handler() {
    static ONCE: Once = Once::new();
    if HANDLER.get().is_some() {
        // SAFETY: the function is valid for the whole life of the process; LLVM guards its own handler with a lock.
        ONCE.call_once(|| unsafe { LLVMInstallFatalErrorHandler(Some(fatal)) });
    }
}

extern "C" fn fatal(reason: *const c_char) {
    // SAFETY: LLVM passes a NUL-terminated string that lives for the duration of the call.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    if let Some(handler) = HANDLER.get() {
        handler(&reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::machine::{Gpu, OptLevel};

    const KERNEL: &str = r#"
define ptx_kernel void @k(ptr addrspace(1) %p) #0 {
  store i32 7, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "target-cpu"="sm_90" "target-features"="+ptx80" }
"#;

    #[test]
    fn backend_emits_the_kernel_for_the_gpu_of_its_attributes() {
        let context = Context::new().expect("LLVM 22");
        let module = Module::parse(&context, "m", KERNEL.as_bytes()).expect("valid text");
        let gpu = Gpu::of_module(&module);
        assert_eq!(gpu, Gpu { cpu: Some("sm_90".into()), ptx_version: Some(80) });
        let machine = Machine::new(&gpu, OptLevel::O2).expect("a known GPU");
        let text = emit_ptx(module, &machine).expect("the backend takes it");
        assert!(text.contains(".version 8.0") && text.contains(".target sm_90"), "{text}");
        assert!(text.contains(".entry k(") && text.contains("st.global.b32"), "{text}");
        assert!(!text.contains('\0'));
    }

    #[test]
    fn processor_llvm_does_not_know_is_an_error() {
        let gpu = Gpu { cpu: Some("sm_12".into()), ptx_version: None };
        let error = Machine::new(&gpu, OptLevel::O2).expect_err("no such processor");
        assert_eq!(error.to_string(), "LLVM 22 has no processor `sm_12`");
        let gpu = Gpu { cpu: None, ptx_version: Some(123) };
        let error = Machine::new(&gpu, OptLevel::O2).expect_err("no such version");
        assert_eq!(error.to_string(), "LLVM 22 has no PTX version 12.3");
    }

    #[test]
    fn highest_gpu_of_the_functions_wins() {
        let context = Context::new().expect("LLVM 22");
        let text = r#"
define void @a() "target-cpu"="sm_100" "target-features"="+ptx85" { ret void }
define void @b() "target-cpu"="sm_90a" "target-features"="+ptx86" { ret void }
"#;
        let module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        assert_eq!(Gpu::of_module(&module), Gpu { cpu: Some("sm_100".into()), ptx_version: Some(86) });
    }
}
