//! LLVM's pass pipelines.

use std::ffi::{CStr, CString};

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::passes::PassBuilderOptions;
use inkwell::values::{AsValueRef, FunctionValue};
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::transforms::pass_builder::{
    LLVMPassBuilderOptionsSetInlinerThreshold, LLVMRunPassesOnFunction,
};

use crate::context::Context;
use crate::convergence::keep_joins;
use crate::edit::edit;
use crate::error::{LlvmError, Message};
use crate::exponents::clamp_wide_exponents;
use crate::failure::tidy;
use crate::machine::{Machine, OptLevel, check_target};
use crate::marks;
use crate::module::Module;
use crate::plugins;
use crate::vectors::without_loop_vectors;
use crate::view::FunctionId;

/// LLVM's name for its default pipeline of a level; `None` for the level that changes nothing.
pub fn default_pipeline(level: OptLevel) -> Option<&'static str> {
    match level {
        OptLevel::O0 => None,
        OptLevel::O1 => Some("default<O1>"),
        OptLevel::O2 => Some("default<O2>"),
        OptLevel::O3 => Some("default<O3>"),
        OptLevel::Os => Some("default<Os>"),
        OptLevel::Oz => Some("default<Oz>"),
    }
}

/// Runs a pipeline, in the text form `opt --passes` takes, with the target's cost model, and verifies the result.
///
/// # Errors
///
/// [`LlvmError::Pipeline`] when LLVM does not understand the text; nothing has run then. [`LlvmError::Target`] when the
/// module is for another target. [`LlvmError::Other`] when a pass reports an error. [`LlvmError::Invalid`] when the
/// passes leave a module the verifier refuses.
pub fn run_passes(module: &mut Module<'_>, pipeline: &str, machine: &Machine) -> Result<(), LlvmError> {
    run_passes_tuned(module, pipeline, machine, Tuning::Source)?;
    module.verify()
}

/// What code the passes of a pipeline are tuned for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tuning {
    /// Code that comes from its source: LLVM's own choices.
    Source,
    /// Code that another compiler has optimized: loops are as long as they should be, and functions that were kept apart stay
    /// apart unless they are tiny. Default pipelines neither unroll loops again nor vectorize them,
    /// and the inliner takes only what does not grow the code.
    Compiled,
}

/// Runs a pipeline as [`run_passes`] does, with the passes tuned. The caller verifies what several pipelines leave, once.
///
/// # Errors
///
/// As [`run_passes`], but for those of the verifier.
pub fn run_passes_tuned(
    module: &mut Module<'_>,
    pipeline: &str,
    machine: &Machine,
    tuning: Tuning,
) -> Result<(), LlvmError> {
    let text = CString::new(pipeline)
        .map_err(|_| LlvmError::Pipeline { message: "the text contains a NUL character".to_owned() })?;
    check_target(module)?;
    clamp_wide_exponents(module)?;
    let joins = keep_joins(module)?;
    let run = || match plugins::run(module, &text, machine, tuning) {
        Some(result) => result,
        None => {
            let result = module.inkwell().run_passes(pipeline, machine.inner(), options(tuning));
            result.map_err(|message| message.to_string())
        }
    };
    let run = || match tuning {
        Tuning::Compiled if pipeline.starts_with("default<") => without_loop_vectors(module, run),
        Tuning::Compiled | Tuning::Source => run(),
    };
    let (result, reported) = with_messages(module.context(), run);
    joins.release(module)?;
    result.map_err(|message| LlvmError::Pipeline { message })?;
    reject_reported_errors(reported, module.context())
}

/// Runs passes over some functions of a module alone, as a [`View`](crate::view::View) of the module numbers them, those that are `optnone` excepted.
///
/// # Errors
///
/// As [`run_passes_tuned`].
pub fn run_passes_on_functions(
    module: &mut Module<'_>,
    wanted: impl Fn(&FunctionId) -> bool,
    pipeline: &str,
    machine: &Machine,
    tuning: Tuning,
) -> Result<(), LlvmError> {
    let numbered = module.inkwell().get_functions().enumerate();
    let functions: Vec<FunctionValue<'_>> =
        numbered.filter(|(at, _)| wanted(&FunctionId::new(*at))).map(|(_, function)| function).collect();
    run_on_functions(module, &functions, pipeline, machine, tuning)
}

/// The same of functions by their handles.
fn run_on_functions(
    module: &mut Module<'_>,
    functions: &[FunctionValue<'_>],
    pipeline: &str,
    machine: &Machine,
    tuning: Tuning,
) -> Result<(), LlvmError> {
    check_target(module)?;
    let text = CString::new(pipeline)
        .map_err(|_| LlvmError::Pipeline { message: "the text contains a NUL character".to_owned() })?;
    let options = options(tuning);
    for function in functions.iter().filter(|function| function.count_basic_blocks() > 0) {
        // SAFETY: the function is the module's, the machine and the options are alive, and the text ends in a NUL byte.
        let run = || unsafe {
            LLVMRunPassesOnFunction(
                function.as_value_ref(),
                text.as_ptr(),
                machine.inner().as_mut_ptr(),
                options.as_mut_ptr(),
            )
        };
        let (error, reported) = with_messages(module.context(), run);
        if !error.is_null() {
            // SAFETY: taking the message consumes the error, and the message is disposed once.
            let message = unsafe {
                let message = LLVMGetErrorMessage(error);
                let text = CStr::from_ptr(message).to_string_lossy().into_owned();
                LLVMDisposeErrorMessage(message);
                text
            };
            return Err(LlvmError::Pipeline { message });
        }
        reject_reported_errors(reported, module.context())?;
    }
    Ok(())
}

/// What is done to loops whose trip count became known, and to what that leaves.
const UNROLLING: &str = "loop-simplify,lcssa,loop(indvars,loop-unroll-full),sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,gvn,dse,adce";

/// Unrolls the loops of some functions fully that LLVM would unroll in source code, and simplifies the functions. The caller verifies the module.
///
/// # Errors
///
/// As [`run_passes_tuned`].
pub fn unroll_loops(module: &mut Module<'_>, names: &[&str], machine: &Machine) -> Result<(), LlvmError> {
    let functions: Vec<_> = names.iter().filter_map(|name| module.inkwell().get_function(name)).collect();
    run_on_functions(module, &functions, UNROLLING, machine, Tuning::Source)
}

/// The number of instructions of a function; absent if the module does not have it.
pub fn instruction_count(module: &Module<'_>, name: &str) -> Option<usize> {
    let function = module.inkwell().get_function(name)?;
    Some(function.get_basic_block_iter().map(|block| block.get_instructions().count()).sum())
}

fn options(tuning: Tuning) -> PassBuilderOptions {
    let options = PassBuilderOptions::create();
    if tuning == Tuning::Compiled {
        options.set_loop_unrolling(false);
        // SAFETY: the options are alive.
        unsafe { LLVMPassBuilderOptionsSetInlinerThreshold(options.as_mut_ptr(), 0) };
    }
    options
}

/// Removes the metadata of one kind from every instruction of the functions that passes optimize: those that are not `optnone`.
pub fn drop_optimized_metadata(module: &mut Module<'_>, kind: &str) {
    edit(module, |editor| {
        let kind = editor.metadata_kind(kind);
        for inst in editor.optimized_functions().flat_map(|function| function.instructions()) {
            inst.set_metadata(kind, None);
        }
    });
}

/// States that a module that was PTX is optimized ([`marks::OPTIMIZED`]).
pub fn state_optimized(module: &mut Module<'_>) {
    if module.has_metadata(marks::VERSION) && !module.has_metadata(marks::OPTIMIZED) {
        let node = module.context().inkwell().metadata_node(&[]);
        // Default: the name has no NUL byte, which is all that is refused.
        let _ = module.inkwell().add_global_metadata(marks::OPTIMIZED, &node);
    }
}

/// Whether a module has functions with bodies and all of them are `optnone`.
pub fn is_left_alone(module: &Module<'_>) -> bool {
    let mut defined =
        module.inkwell().get_functions().filter(|function| function.count_basic_blocks() > 0).peekable();
    defined.peek().is_some() && !defined.any(is_optimized)
}

/// Removes `optnone`, and the `noinline` that goes with it, from every function.
pub fn allow_optimization(module: &mut Module<'_>) {
    for function in module.inkwell().get_functions().filter(|function| !is_optimized(*function)) {
        for name in ["optnone", "noinline"] {
            function.remove_enum_attribute(AttributeLoc::Function, Attribute::get_named_enum_kind_id(name));
        }
    }
}

/// Whether passes may optimize a function: it is not `optnone`.
pub(crate) fn is_optimized(function: FunctionValue<'_>) -> bool {
    let kind = Attribute::get_named_enum_kind_id("optnone");
    function.get_enum_attribute(AttributeLoc::Function, kind).is_none()
}

/// Runs `action` and returns the messages LLVM reported during it beside its result; earlier ones stay collected.
pub(crate) fn with_messages<T>(context: &Context, action: impl FnOnce() -> T) -> (T, Vec<Message>) {
    let earlier = context.take_messages();
    let result = action();
    let reported = context.take_messages();
    context.put_back(earlier);
    (result, reported)
}

/// Makes reported errors an error, for LLVM goes on after them; other messages are left in the context.
pub(crate) fn reject_reported_errors(reported: Vec<Message>, context: &Context) -> Result<(), LlvmError> {
    let (errors, others): (Vec<_>, Vec<_>) =
        reported.into_iter().partition(|message| message.severity == "error");
    let mut kept = context.take_messages();
    kept.extend(others);
    context.put_back(kept);
    if errors.is_empty() {
        return Ok(());
    }
    let message = errors.iter().map(|message| tidy(&message.text)).collect::<Vec<_>>().join("; ");
    Err(LlvmError::Other { message })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Gpu;

    const LOOP: &str = "
define i32 @sum(i32 %n) {
entry:
  %acc = alloca i32
  store i32 0, ptr %acc
  %x = load i32, ptr %acc
  %y = add i32 %x, %n
  ret i32 %y
}
";

    fn optimized(pipeline: &str) -> Result<String, LlvmError> {
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", LOOP.as_bytes())?;
        let machine = Machine::new(&Gpu::default(), OptLevel::O2)?;
        run_passes(&mut module, pipeline, &machine)?;
        Ok(module.to_text())
    }

    #[test]
    fn default_pipeline_removes_the_stack_slot() {
        let text = optimized(default_pipeline(OptLevel::O1).expect("O1 has a pipeline")).expect("runs");
        assert!(!text.contains("alloca") && text.contains("ret i32 %n"), "{text}");
    }

    #[test]
    fn named_pass_runs_alone() {
        let text = optimized("function(mem2reg)").expect("runs");
        assert!(!text.contains("alloca") && text.contains("add i32"), "{text}");
    }

    #[test]
    fn what_one_side_of_a_branch_needs_stays_before_the_branch() {
        let text = b"define void @f(i32 %a, i32 %b, i1 %c, ptr %p) {
  %x = mul i32 %a, %b
  br i1 %c, label %store, label %end
store:
  store i32 %x, ptr %p
  br label %end
end:
  ret void
}";
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", text).expect("valid text");
        let machine = Machine::new(&Gpu::default(), OptLevel::O2).expect("the default machine");
        run_passes(&mut module, "instcombine", &machine).expect("runs");
        let text = module.to_text();
        let before = text.split("br i1").next().unwrap_or_default();
        assert!(before.contains("mul i32"), "{text}");
    }

    #[test]
    fn what_one_side_of_a_branch_needs_is_not_done_before_it() {
        // The guard of nearly every kernel, and addresses after it.
        let text = b"define void @f(i32 %i, i32 %n, ptr %p, ptr %q) {
  %out = icmp sge i32 %i, %n
  br i1 %out, label %end, label %inside
inside:
  %wide = sext i32 %i to i64
  %bytes = shl i64 %wide, 2
  %from = getelementptr i8, ptr %p, i64 %bytes
  %to = getelementptr i8, ptr %q, i64 %bytes
  %x = load i32, ptr %from
  store i32 %x, ptr %to
  br label %end
end:
  ret void
}";
        let context = Context::new().expect("LLVM 22");
        let machine = Machine::new(&Gpu::default(), OptLevel::O2).expect("the default machine");
        for pipeline in ["default<O1>", "default<O2>", "default<O3>", "function(speculative-execution)"] {
            let mut module = Module::parse(&context, "m", text).expect("valid text");
            run_passes(&mut module, pipeline, &machine).expect("runs");
            let text = module.to_text();
            let (before, _) = text.split_once("br i1").expect("a branch");
            for moved in ["sext", "shl", "getelementptr"] {
                assert!(!before.contains(moved), "{pipeline}: {moved}:\n{text}");
            }
        }
    }

    #[test]
    fn sides_of_a_branch_that_predicates_do_for_are_not_computed_on_every_way() {
        let text = b"define { float, i32 } @f(i1 %c, float %x, float %sum, i32 %count) {
  br i1 %c, label %end, label %side
side:
  %more = call float @llvm.fma.f32(float %x, float %x, float %sum)
  %next = add i32 %count, 1
  br label %end
end:
  %a = phi float [ %sum, %0 ], [ %more, %side ]
  %b = phi i32 [ %count, %0 ], [ %next, %side ]
  %first = insertvalue { float, i32 } poison, float %a, 0
  %both = insertvalue { float, i32 } %first, i32 %b, 1
  ret { float, i32 } %both
}";
        let context = Context::new().expect("LLVM 22");
        let machine = Machine::new(&Gpu::default(), OptLevel::O2).expect("the default machine");
        let optimized = |text: &[u8]| {
            let mut module = Module::parse(&context, "m", text).expect("valid text");
            run_passes(&mut module, "default<O2>", &machine).expect("runs");
            module.to_text()
        };
        let both = optimized(text);
        assert!(both.contains("br i1") && !both.contains("select"), "{both}");
        // One that costs no more than a predicate is selected as before.
        let one = String::from_utf8_lossy(text).replace("[ %more, %side ]", "[ %x, %side ]");
        let one = optimized(one.as_bytes());
        assert!(!one.contains("br i1") && one.contains("select"), "{one}");
    }

    #[test]
    fn wrong_pipeline_text_is_an_error() {
        for text in
            ["frobnicate", "default<O9>", "function(mem2reg", "mem2reg)", "a\0b", ",", "function(inline)"]
        {
            let error = optimized(text).expect_err(text);
            assert!(matches!(error, LlvmError::Pipeline { .. }), "{text}: {error:?}");
        }
    }

    #[test]
    fn module_for_another_target_is_refused() {
        let context = Context::new().expect("LLVM 22");
        let text = b"target triple = \"x86_64-linux-gnu\"\n";
        let mut module = Module::parse(&context, "m", text).expect("valid text");
        let machine = Machine::new(&Gpu::default(), OptLevel::O2).expect("the default machine");
        let error = run_passes(&mut module, "mem2reg", &machine).expect_err("another target");
        assert!(error.to_string().contains("x86_64-linux-gnu"), "{error}");
    }
}
