//! Questions to the compiler: `__nvvm_reflect("__CUDA_ARCH")`.

use crate::edit::{Block, Editor, Inst, Opcode, Value, edit};
use crate::error::LlvmError;
use crate::machine::Machine;
use crate::module::Module;
use crate::pass::run_passes;

/// The functions that ask.
const ASKING: [&str; 3] = ["__nvvm_reflect", "__nvvm_reflect_ocl", "llvm.nvvm.reflect"];
/// The question for the architecture. LLVM's pass answers it by 0 when it runs by its name alone, whatever the machine.
const ARCHITECTURE: &[u8] = b"__CUDA_ARCH";

/// Whether a module asks `__nvvm_reflect` anything.
pub fn asks_reflect(module: &Module<'_>) -> bool {
    ASKING.iter().any(|name| module.inkwell().get_function(name).is_some())
}

/// Answers the questions for the architecture with `sm` times ten.
pub(crate) fn answer_architecture(module: &mut Module<'_>, sm: u32) -> Result<(), LlvmError> {
    edit(module, |editor| {
        for call in calls(editor) {
            if question(call).as_deref() == Some(ARCHITECTURE) {
                call.replace_all_uses(call.ty().number(i64::from(sm) * 10)?)?;
                editor.erase(call)?;
            }
        }
        Ok(())
    })
}

/// The calls that ask, of the functions that ask.
fn calls<'e>(editor: &Editor<'e>) -> Vec<Inst<'e>> {
    let asking = ASKING.iter().filter_map(|name| editor.function_named(name.as_bytes()));
    let users = asking.flat_map(|function| function.users().map(move |user| (function, user)));
    let calls = users.filter_map(|(function, user)| {
        user.as_op(Opcode::Call).filter(|call| call.called_function() == Some(function))
    });
    calls.collect()
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
    let unknown = edit(module, |editor| {
        let call = calls(editor).into_iter().find(|call| question(*call).is_none())?;
        let function = call.block().map(Block::function)?;
        Some(String::from_utf8_lossy(&function.name()).into_owned())
    });
    if let Some(place) = unknown {
        let construct = "__nvvm_reflect of something that is not a constant string".to_owned();
        return Err(LlvmError::Unsupported { construct, place });
    }
    answer_architecture(module, u32::from(sm))?;
    run_passes(module, "nvvm-reflect,function(instsimplify,simplifycfg)", machine)
}

/// The string that a call's first argument is, where it is one: without the NUL byte.
fn question(call: Inst<'_>) -> Option<Vec<u8>> {
    let mut text = call.operand(0).filter(|_| call.argument_count() > 0)?;
    while let Some(inner) = text.constant_opcode().and_then(|_| text.operand(0)) {
        text = inner;
    }
    text.as_variable()?.initializer().and_then(Value::as_text)
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
