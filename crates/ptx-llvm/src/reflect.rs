//! Questions to the compiler: `__nvvm_reflect("__CUDA_ARCH")`.

use inkwell::values::AsValueRef;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;

use crate::error::LlvmError;
use crate::machine::Machine;
use crate::module::Module;
use crate::pass::run_passes;
use crate::raw;

/// The functions that ask.
const ASKING: [&str; 3] = ["__nvvm_reflect", "__nvvm_reflect_ocl", "llvm.nvvm.reflect"];
/// The question for the architecture. LLVM's pass answers it by 0 when it runs by its name alone, whatever the machine.
const ARCHITECTURE: &[u8] = b"__CUDA_ARCH";

/// Whether a module asks `__nvvm_reflect` anything.
pub fn asks_reflect(module: &Module<'_>) -> bool {
    ASKING.iter().any(|name| module.inkwell().get_function(name).is_some())
}

/// Answers the questions for the architecture with `sm` times ten.
pub(crate) fn answer_architecture(module: &mut Module<'_>, sm: u32) {
    for call in calls(module) {
        // SAFETY: the call is one of the module's, and no one has removed it.
        unsafe {
            if question(call).as_deref() == Some(ARCHITECTURE) {
                let answer = LLVMConstInt(LLVMTypeOf(call), u64::from(sm) * 10, 0);
                LLVMReplaceAllUsesWith(call, answer);
                LLVMInstructionEraseFromParent(call);
            }
        }
    }
}

/// The calls that ask, of the functions that ask.
fn calls(module: &Module<'_>) -> Vec<LLVMValueRef> {
    let mut calls = Vec::new();
    for name in ASKING {
        let Some(function) = module.inkwell().get_function(name) else { continue };
        // SAFETY: the function is one of the module's, and no use is removed meanwhile.
        unsafe {
            let function = function.as_value_ref();
            let mut place = LLVMGetFirstUse(function);
            while !place.is_null() {
                let user = LLVMGetUser(place);
                if !LLVMIsACallInst(user).is_null() && LLVMGetCalledValue(user) == function {
                    calls.push(user);
                }
                place = LLVMGetNextUse(place);
            }
        }
    }
    calls
}

/// Answers the questions of a module compiled for architecture number `sm` (90 for `sm_90`): the architecture here, all
/// others by LLVM's pass `nvvm-reflect`. What follows from the answers is folded, and branches that they decide
/// disappear.
///
/// # Errors
///
/// [`LlvmError::Unsupported`] for a question that is not a constant string, on which LLVM's pass would end the process; what LLVM's
/// passes say.
pub fn resolve_reflect(module: &mut Module<'_>, sm: u16, machine: &Machine) -> Result<(), LlvmError> {
    for call in calls(module) {
        // SAFETY: the call is one of the module's own, in a function, since only blocks of functions hold calls.
        let (question, place) = unsafe {
            let function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
            (question(call), String::from_utf8_lossy(&raw::name(function)).into_owned())
        };
        if question.is_none() {
            let construct = "__nvvm_reflect of something that is not a constant string".to_owned();
            return Err(LlvmError::Unsupported { construct, place });
        }
    }
    answer_architecture(module, u32::from(sm));
    run_passes(module, "nvvm-reflect,function(instsimplify,simplifycfg)", machine)
}

/// The string that a call's first argument is, where it is one: without the NUL byte.
///
/// # Safety
///
/// `call` is a live call.
unsafe fn question(call: LLVMValueRef) -> Option<Vec<u8>> {
    // SAFETY: each getter is called for what it is for: operands of a call with arguments and of constant expressions, the
    // initial value of a global variable, and the text of a constant string.
    unsafe {
        if LLVMGetNumArgOperands(call) == 0 {
            return None;
        }
        let mut text = LLVMGetOperand(call, 0);
        while !LLVMIsAConstantExpr(text).is_null() && LLVMGetNumOperands(text) > 0 {
            text = LLVMGetOperand(text, 0);
        }
        if LLVMIsAGlobalVariable(text).is_null() {
            return None;
        }
        let value = LLVMGetInitializer(text);
        if value.is_null()
            || LLVMIsAConstantDataSequential(value).is_null()
            || LLVMIsConstantString(value) == 0
        {
            return None;
        }
        let mut len = 0;
        let start = LLVMGetAsString(value, &raw mut len);
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), len);
        Some(bytes.strip_suffix(b"\0").unwrap_or(bytes).to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Gpu, OptLevel};

    #[test]
    fn a_question_that_is_no_constant_is_an_error() {
        let context = Context::new().expect("LLVM 22");
        let text = "declare i32 @__nvvm_reflect(ptr)\ndefine i32 @f(ptr %p) {\n  %a = call i32 @__nvvm_reflect(ptr %p)\n  ret i32 %a\n}\n";
        let mut module = Module::parse_text(&context, "m", text.as_bytes()).expect("valid text");
        let machine = Machine::new(&Gpu::default(), OptLevel::O0).expect("the target");
        let error = resolve_reflect(&mut module, 90, &machine).expect_err("an unknown question");
        assert!(error.to_string().contains("constant string"), "{error}");
    }

    #[test]
    fn the_architecture_is_answered_and_decides_branches() {
        let context = Context::new().expect("LLVM 22");
        let text = b"target triple = \"nvptx64-nvidia-cuda\"
@s = private constant [12 x i8] c\"__CUDA_ARCH\\00\"
declare i32 @__nvvm_reflect(ptr)
declare void @old()
define i32 @f() {
  %a = call i32 @__nvvm_reflect(ptr @s)
  %c = icmp ult i32 %a, 900
  br i1 %c, label %x, label %y
x:
  call void @old()
  br label %y
y:
  ret i32 %a
}";
        let mut module = Module::parse(&context, "m", text).expect("valid LLVM IR");
        assert!(asks_reflect(&module));
        let gpu = Gpu { cpu: Some("sm_90".to_owned()), ptx_version: None, ..Gpu::default() };
        let machine = Machine::new(&gpu, OptLevel::O0).expect("a known GPU");
        resolve_reflect(&mut module, 90, &machine).expect("passes run");
        let text = module.to_text();
        assert!(text.contains("ret i32 900") && !text.contains("call"), "{text}");
    }
}
