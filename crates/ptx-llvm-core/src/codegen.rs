//! LLVM's own NVPTX backend, for comparison with the native emitter.

use inkwell::targets::FileType;
use inkwell::values::BasicValue as _;

use crate::error::LlvmError;
use crate::machine::{Machine, check_target};
use crate::module::{Module, bytes_of};
use crate::pass::{reject_reported_errors, with_messages};

/// Turns the module into PTX text with LLVM's NVPTX backend, which uses the module up.
///
/// The backend gives up on some input by ending the process; see
/// [`crate::on_fatal_error`] and [`crate::on_crash`].
///
/// # Errors
///
/// [`LlvmError::Target`] when the module is for another target, [`LlvmError::Other`] for everything the backend reports, and for
/// coroutines.
pub fn emit_ptx(module: Module<'_>, machine: &Machine) -> Result<String, LlvmError> {
    check_target(&module)?;
    reject_coroutines(&module)?;
    let emit = || machine.inner().write_to_memory_buffer(module.inkwell(), FileType::Assembly);
    let (result, reported) = with_messages(module.context(), emit);
    reject_reported_errors(reported, module.context())?;
    let buffer = result.map_err(|message| LlvmError::Other { message: message.to_string() })?;
    let bytes = bytes_of(&buffer);
    // LLVM counts the NUL byte it puts after the text in some versions and not in others.
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    String::from_utf8(bytes.to_vec()).map_err(|error| LlvmError::Other { message: error.to_string() })
}

/// The backend selects none of the operations on coroutines, and for the address of a coroutine's function it looks without end.
fn reject_coroutines(module: &Module<'_>) -> Result<(), LlvmError> {
    let mut used = module
        .inkwell()
        .get_functions()
        .filter(|function| function.as_global_value().as_pointer_value().get_first_use().is_some())
        .map(|function| function.get_name().to_string_lossy().into_owned());
    match used.find(|name| name.starts_with("llvm.coro.")) {
        Some(name) => Err(LlvmError::Other {
            message: format!("`{name}`: coroutines have to be split and lowered before the backend"),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Addresses;
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
        assert_eq!(
            gpu,
            Gpu { cpu: Some("sm_90".into()), ptx_version: Some(80), addresses: Some(Addresses::Bits64) }
        );
        let machine = Machine::new(&gpu, OptLevel::O2).expect("a known GPU");
        let text = emit_ptx(module, &machine).expect("the backend takes it");
        assert!(text.contains(".version 8.0") && text.contains(".target sm_90"), "{text}");
        assert!(text.contains(".entry k(") && text.contains("st.global.b32"), "{text}");
        assert!(!text.contains('\0'));
    }

    #[test]
    fn coroutines_are_refused() {
        let context = Context::new().expect("LLVM 22");
        let text = b"declare ptr @llvm.coro.subfn.addr(ptr, i8)
define ptr @f(ptr %frame) {
  %resume = call ptr @llvm.coro.subfn.addr(ptr %frame, i8 0)
  ret ptr %resume
}";
        let module = Module::parse(&context, "m", text).expect("valid text");
        let machine = Machine::new(&Gpu::default(), OptLevel::O0).expect("the default machine");
        let error = emit_ptx(module, &machine).expect_err("a coroutine");
        assert!(error.to_string().contains("`llvm.coro.subfn.addr`"), "{error}");
    }

    #[test]
    fn processor_llvm_does_not_know_is_an_error() {
        let gpu = Gpu { cpu: Some("sm_12".into()), ptx_version: None, ..Gpu::default() };
        let error = Machine::new(&gpu, OptLevel::O2).expect_err("no such processor");
        assert_eq!(error.to_string(), "LLVM 22 has no processor `sm_12`");
        let gpu = Gpu { cpu: None, ptx_version: Some(123), ..Gpu::default() };
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
        assert_eq!(
            Gpu::of_module(&module),
            Gpu { cpu: Some("sm_100".into()), ptx_version: Some(86), addresses: Some(Addresses::Bits64) }
        );
    }
}
