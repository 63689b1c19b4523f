//! Pipelines: what a level runs, and running it.
//!
//! The input is a module, a level and the text of `--passes`; the module is changed and verified. A pipeline is a list of steps that LLVM or this crate
//! runs ([`Step`]).

use ptx_llvm_core::edit::edit;
use ptx_llvm_core::marks;
use ptx_llvm_core::{
    Gpu, LlvmError, Machine, Module, OptLevel, Tuning, default_pipeline, drop_optimized_metadata,
    is_left_alone, run_passes_tuned, state_optimized, unroll_loops,
};
use thiserror::Error;

use crate::pass::Pass;
use crate::passes::{AFTER_UNROLLING, AT_LEVELS, SPACES, choose_addresses, flush_inputs, unroll_counted};
use crate::steps::{Step, steps as split};

/// The pass that LLVM's backend, but not raising, runs on accesses before instruction selection, after the address spaces of generic
/// pointers are inferred: it forms vectors of adjacent accesses, which the default pipelines split.
const MEMORY: &str = "function(load-store-vectorizer)";

/// The same with the passes that LLVM's backend runs on straight-line code: constant parts of addresses are folded into the
/// accesses, and addresses that differ by little are computed from each other. This has already been done to code that was PTX.
/// LLVM's backend also runs loop strength reduction, which made machine code longer here (docs/raise.md, "Code compared with
/// llc").
const MEMORY_OF_SOURCE: &str = "function(separate-const-offset-from-gep,slsr,early-cse,\
nary-reassociate,early-cse,load-store-vectorizer)";

/// The mark on code that was one instruction in PTX (docs/mapping.md, "One instruction").
const LITERAL: &str = marks::LITERAL;

/// Why a module could not be optimized.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum OptError {
    /// The text of `--passes` is invalid: a mistake of the user, not of the module.
    #[error("{0}")]
    Pipeline(String),
    /// LLVM or a pass of this project failed on the module.
    #[error("{0}")]
    Failed(LlvmError),
}

impl From<LlvmError> for OptError {
    fn from(error: LlvmError) -> Self {
        match error {
            LlvmError::Pipeline { message } => OptError::Pipeline(message),
            other => OptError::Failed(other),
        }
    }
}

/// What is told of the steps of a pipeline while it runs: a pass of this project, or passes of LLVM's that run together, by their text.
pub trait Observer {
    /// A step is about to run on the module.
    fn before(&mut self, step: &str, module: &Module<'_>);
    /// It has run.
    fn after(&mut self, step: &str, module: &Module<'_>);
}

/// Observes nothing.
struct NoObserver;

impl Observer for NoObserver {
    fn before(&mut self, _: &str, _: &Module<'_>) {}
    fn after(&mut self, _: &str, _: &Module<'_>) {}
}

/// Runs the pipeline of `level` if there is a function that is not `optnone` (LLVM's module passes would change `optnone` functions, too),
/// then `passes` if given, with the cost model of `gpu`, and of the module's own for properties that it does not specify. A function that
/// names a GPU has the cost model of that one.
///
/// # Errors
///
/// [`OptError::Pipeline`] when `passes` is invalid; the steps before the invalid one may have run.
/// [`OptError::Failed`] when the module is for another target, a pass reports an error, or the verifier rejects the
/// result of the steps.
///
/// ```
/// use ptx_llvm_core::{Context, Gpu, Module};
/// use ptx_opt::{OptLevel, optimize};
///
/// let context = Context::new()?;
/// let mut module = Module::parse(&context, "m", b"define i32 @f() {\n  %x = add i32 20, 22\n  ret i32 %x\n}")?;
/// optimize(&mut module, OptLevel::O2, None, Gpu::default())?;
/// assert!(module.to_text().contains("ret i32 42"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn optimize(
    module: &mut Module<'_>,
    level: OptLevel,
    passes: Option<&str>,
    gpu: Gpu,
) -> Result<(), OptError> {
    optimize_observed(module, level, passes, gpu, &mut NoObserver)
}

/// The same as [`optimize`], with an observer.
///
/// # Errors
///
/// Those of [`optimize`].
pub fn optimize_observed(
    module: &mut Module<'_>,
    level: OptLevel,
    passes: Option<&str>,
    gpu: Gpu,
    observer: &mut dyn Observer,
) -> Result<(), OptError> {
    let level = if is_left_alone(module) { OptLevel::O0 } else { level };
    // Code that was PTX has been optimized by a compiler.
    let tuning = if module.has_metadata(marks::VERSION) { Tuning::Compiled } else { Tuning::Source };
    let mut steps = steps_of_level(level, tuning);
    if let Some(text) = passes {
        steps.extend(split(text).map_err(OptError::Pipeline)?);
    }
    if steps.is_empty() {
        return Ok(());
    }
    // LLVM's passes fold `ceil` and its like of constants without regard to the mode of subnormal inputs.
    flush_inputs(module)?;
    let machine = Machine::new(&gpu.or(Gpu::of_module(module)).for_pipelines(), level)?;
    if level != OptLevel::O0 {
        drop_optimized_metadata(module, LITERAL);
        state_optimized(module);
    }
    let mut after_llvm = false;
    for step in steps {
        // LLVM's passes run without verification in between, but their result is verified before passes of this project, which assume valid
        // IR.
        let is_walk = matches!(step, Step::Own { run, .. } if run.is_walk());
        if std::mem::replace(&mut after_llvm, !is_walk) && is_walk {
            module.verify()?;
        }
        observer.before(step.text(), module);
        match &step {
            Step::Own { run, .. } => run.on(module, &machine, tuning)?,
            Step::Llvm(text) => {
                run_passes_tuned(module, text, &machine, tuning)?;
                // SimplifyCFG makes tables of what a `switch` chooses, also of addresses that PTX cannot initialize.
                choose_addresses(module)?;
            }
        }
        observer.after(step.text(), module);
        // Tests and fuzzers report the step.
        if cfg!(debug_assertions) {
            module.verify()?;
        }
    }
    Ok(module.verify()?)
}

/// Unrolls loops of kernels for known launches, after [`optimize`]: the trip counts of some became known, and unlike others they were not considered by
/// the compiler that wrote the PTX.
///
/// # Errors
///
/// [`OptError::Failed`] as for [`optimize`].
pub fn unroll_specialized(module: &mut Module<'_>, names: &[&str], gpu: Gpu) -> Result<(), OptError> {
    let machine = Machine::new(&gpu.or(Gpu::of_module(module)).for_pipelines(), OptLevel::O3)?;
    unroll_loops(module, names, &machine)?;
    edit(module, |editor| {
        let kernels = names.iter().filter_map(|name| editor.function_named(name.as_bytes()));
        kernels.filter(|kernel| kernel.is_optimized()).try_for_each(|kernel| unroll_counted(editor, kernel))
    })?;
    for pass in AFTER_UNROLLING {
        pass.run.on(module, &machine, Tuning::Compiled)?;
    }
    Ok(module.verify()?)
}

/// The steps of an optimization level.
fn steps_of_level(level: OptLevel, tuning: Tuning) -> Vec<Step<'static>> {
    let Some(default) = default_pipeline(level) else { return Vec::new() };
    let accesses = match tuning {
        Tuning::Compiled => MEMORY,
        Tuning::Source => MEMORY_OF_SOURCE,
    };
    let llvm = |text: &'static str| Step::Llvm(text.into());
    let own = |pass: &Pass| Step::Own { name: pass.name, run: pass.run };
    let mut steps = vec![llvm(default), own(SPACES), llvm(accesses)];
    steps.extend(AT_LEVELS.iter().map(own));
    steps
}

#[cfg(test)]
mod tests {
    use ptx_llvm_core::Context;

    use super::*;
    use crate::passes::masked_again;

    const MODULE: &str = "
define i32 @f(ptr %p, i32 %n) {
  %acc = alloca i32
  store i32 %n, ptr %acc
  %x = load i32, ptr %acc
  %y = load i32, ptr %p, !ptx.mods !0
  %z = add i32 %x, %y
  ret i32 %z
}
!0 = !{!\".cg\"}
";

    fn optimized(level: OptLevel, passes: Option<&str>) -> Result<String, OptError> {
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", MODULE.as_bytes())?;
        optimize(&mut module, level, passes, Gpu::default())?;
        Ok(module.to_text())
    }

    #[test]
    fn level_0_changes_nothing() {
        let text = optimized(OptLevel::O0, None).expect("nothing to go wrong");
        assert!(text.contains("alloca") && text.contains("!ptx.mods"), "{text}");
    }

    #[test]
    fn levels_promote_stack_slots_and_keep_hints() {
        for level in [OptLevel::O1, OptLevel::O2, OptLevel::O3] {
            let text = optimized(level, None).expect("the default pipelines run");
            assert!(!text.contains("alloca") && text.contains("!ptx.mods"), "{level:?}: {text}");
        }
    }

    #[test]
    fn what_is_not_to_be_optimized_stays() {
        let optimized = |text: &str, level| {
            let context = Context::new().expect("LLVM 22");
            let mut module = Module::parse(&context, "m", text.as_bytes()).expect("a module");
            let before = module.to_text();
            optimize(&mut module, level, None, Gpu::default()).expect("nothing to go wrong");
            (before, module.to_text())
        };
        const ALONE: &str = "
define internal i32 @callee(i32 %x) noinline optnone {
  %y = mul i32 %x, 3, !ptx.literal !0
  ret i32 %y
}
define i32 @caller(i32 %x) noinline optnone {
  %y = freeze i32 %x
  %r = call i32 @callee(i32 %y)
  ret i32 %r
}
!0 = !{}
";
        let (before, after) = optimized(ALONE, OptLevel::O2);
        assert_eq!(before, after);
        // In other functions the marks stay, since they are still valid; the changed function loses its marks.
        let beside = format!(
            "{ALONE}define i32 @other(i32 %x) {{\n%y = mul i32 %x, 7, !ptx.literal !0\nret i32 %y\n}}\n"
        );
        let (_, after) = optimized(&beside, OptLevel::O2);
        let marks = |name: &str| {
            let (_, rest) = after.split_once(name).expect("the function");
            rest.split('}').next().unwrap_or_default().matches("!ptx.literal").count()
        };
        assert_eq!((marks("@callee("), marks("@other(")), (1, 0), "{after}");
    }

    /// LLVM 22's `infer-address-spaces` crashes on these, at the second mask and where a loop masks what it masked before.
    #[test]
    fn pointers_that_are_masked_again_are_optimized() {
        let chain = "
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
define i32 @f(ptr addrspace(3) %p, i64 %i, i64 %m) {
  %g = addrspacecast ptr addrspace(3) %p to ptr
  %a = call ptr @llvm.ptrmask.p0.i64(ptr %g, i64 %m)
  %b = getelementptr i8, ptr %a, i64 %i
  %c = call ptr @llvm.ptrmask.p0.i64(ptr %b, i64 -8)
  %w = load i32, ptr %c
  ret i32 %w
}
";
        let cycle = "
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
define i32 @f(ptr addrspace(3) %p, i64 %i, i32 %n) {
entry:
  %g = addrspacecast ptr addrspace(3) %p to ptr
  br label %head
head:
  %q = phi ptr [ %g, %entry ], [ %next, %head ]
  %k = phi i32 [ 0, %entry ], [ %more, %head ]
  %a = call ptr @llvm.ptrmask.p0.i64(ptr %q, i64 -8)
  %w = load volatile i32, ptr %a
  %next = getelementptr i8, ptr %a, i64 %i
  %more = add i32 %k, %w
  %on = icmp slt i32 %more, %n
  br i1 %on, label %head, label %end
end:
  ret i32 %more
}
";
        for text in [chain, cycle] {
            let context = Context::new().expect("LLVM 22");
            let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
            optimize(&mut module, OptLevel::O2, None, Gpu::default()).expect("no crash");
            assert!(module.to_text().contains("@llvm.ptrmask"), "{}", module.to_text());
        }
        // One mask is not a reason to omit the pass.
        let single =
            chain.replace("@llvm.ptrmask.p0.i64(ptr %b, i64 -8)", "@llvm.launder.invariant.group.p0(ptr %b)");
        let single =
            single.replace("declare ptr", "declare ptr @llvm.launder.invariant.group.p0(ptr)\ndeclare ptr");
        let context = Context::new().expect("LLVM 22");
        let module = Module::parse(&context, "m", single.as_bytes()).expect("valid text");
        assert_eq!(masked_again(&module), Some(Vec::new()));
    }

    /// A function that the pass would crash on does not affect the others.
    #[test]
    fn spaces_are_inferred_beside_pointers_that_are_masked_again() {
        let text = "
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
define i32 @before(ptr addrspace(3) %p) {
  %g = addrspacecast ptr addrspace(3) %p to ptr
  %w = load i32, ptr %g
  ret i32 %w
}
define i32 @f(ptr addrspace(3) %p, i64 %i, i64 %m) {
  %g = addrspacecast ptr addrspace(3) %p to ptr
  %a = call ptr @llvm.ptrmask.p0.i64(ptr %g, i64 %m)
  %b = getelementptr i8, ptr %a, i64 %i
  %c = call ptr @llvm.ptrmask.p0.i64(ptr %b, i64 -8)
  %w = load i32, ptr %c
  ret i32 %w
}
define i32 @after(i1 %c, ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %g = addrspacecast ptr addrspace(3) %p to ptr
  %h = addrspacecast ptr addrspace(3) %q to ptr
  %a = select i1 %c, ptr %g, ptr %h
  %w = load i32, ptr %a
  ret i32 %w
}
define i32 @alone(ptr addrspace(3) %p) noinline optnone {
  %g = addrspacecast ptr addrspace(3) %p to ptr
  %w = load i32, ptr %g
  ret i32 %w
}
";
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        optimize(&mut module, OptLevel::O2, None, Gpu::default()).expect("no crash");
        let text = module.to_text();
        let body = |name: &str| {
            let (_, rest) = text.split_once(name).expect("the function");
            rest.split('}').next().unwrap_or_default().to_owned()
        };
        for name in ["@before(", "@after("] {
            assert!(body(name).contains("load i32, ptr addrspace(3)"), "{name}: {text}");
        }
        for name in ["@f(", "@alone("] {
            assert!(body(name).contains("load i32, ptr %"), "{name}: {text}");
        }
    }

    #[test]
    fn own_passes_mix_with_those_of_llvm() {
        for passes in [
            "ptx-strip-hints,mem2reg",
            "mem2reg,ptx-strip-hints",
            "function(mem2reg,dce),ptx-strip-hints,dce",
            "module(function(mem2reg,ptx-count-first,dce),ptx-strip-hints)",
        ] {
            let text = optimized(OptLevel::O0, Some(passes)).expect(passes);
            assert!(!text.contains("alloca") && !text.contains("!ptx.mods"), "{passes}: {text}");
        }
        let text = optimized(OptLevel::O0, Some("ptx-strip-hints")).expect("an own pass alone");
        assert!(text.contains("alloca") && !text.contains("!ptx.mods"), "{text}");
    }

    #[test]
    fn steps_are_observed_in_their_order() {
        #[derive(Default)]
        struct Steps(Vec<String>);
        impl Observer for Steps {
            fn before(&mut self, step: &str, module: &Module<'_>) {
                self.0.push(format!("before {step}: {}", module.to_text().contains("alloca")));
            }
            fn after(&mut self, step: &str, module: &Module<'_>) {
                self.0.push(format!("after {step}: {}", module.to_text().contains("alloca")));
            }
        }
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", MODULE.as_bytes()).expect("valid text");
        let mut steps = Steps::default();
        let passes = Some("function(mem2reg,ptx-count-first)");
        optimize_observed(&mut module, OptLevel::O0, passes, Gpu::default(), &mut steps).expect("runs");
        let expected = [
            "before function(mem2reg): true",
            "after function(mem2reg): false",
            "before ptx-count-first: false",
            "after ptx-count-first: false",
        ];
        assert_eq!(steps.0, expected);
    }

    #[test]
    fn what_the_verifier_refuses_is_an_error_and_not_walked_by_own_passes() {
        let text = "
define i32 @f(i1 %c, ptr %p) {
  %y = load i32, ptr %p, !ptx.mods !0
  br i1 %c, label %left, label %join
left:
  %x = add i32 %y, 1
  br label %join
join:
  ret i32 %x
}
!0 = !{!\".cg\"}
";
        for passes in ["no-op-module", "ptx-strip-hints", "no-op-module,ptx-strip-hints"] {
            let context = Context::new().expect("LLVM 22");
            let mut module = Module::parse(&context, "m", text.as_bytes()).expect("the reader takes it");
            let error = optimize(&mut module, OptLevel::O0, Some(passes), Gpu::default()).expect_err(passes);
            assert!(matches!(error, OptError::Failed(LlvmError::Invalid { .. })), "{passes}: {error:?}");
            let is_kept = passes != "ptx-strip-hints";
            assert_eq!(module.to_text().contains("!ptx.mods"), is_kept, "{passes}");
        }
    }

    #[test]
    fn wrong_text_is_a_pipeline_error() {
        for passes in
            ["", "ptx-strip-hints,", ",mem2reg", "nonsense", "function(ptx-strip-hints)", "mem2reg)"]
        {
            let error = optimized(OptLevel::O0, Some(passes)).expect_err(passes);
            assert!(matches!(error, OptError::Pipeline(_)), "{passes}: {error:?}");
        }
    }

    #[test]
    fn barrier_is_not_duplicated_while_an_ordinary_call_is() {
        assert_eq!(calls_after_o3("@llvm.nvvm.barrier.cta.sync.aligned.all"), 1);
        // The same program with an ordinary call shows that the pipeline would thread the jump through the block.
        assert_eq!(calls_after_o3("@ordinary"), 2);
    }

    #[test]
    fn constant_parts_of_addresses_go_to_the_accesses() {
        let module = "
define i64 @f(ptr %p, i64 %i) {
  %field = getelementptr i8, ptr %p, i64 24
  %a = getelementptr [2 x i64], ptr %field, i64 %i
  %x = load i64, ptr %a
  %other = getelementptr i8, ptr %p, i64 40
  %b = getelementptr [2 x i64], ptr %other, i64 %i
  %y = load i64, ptr %b
  %z = add i64 %x, %y
  ret i64 %z
}
";
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", module.as_bytes()).expect("valid text");
        optimize(&mut module, OptLevel::O2, None, Gpu::default()).expect("the default pipeline runs");
        let text = module.to_text();
        let (first, second) = (text.find("i64 24"), text.find("i64 40"));
        assert!(
            first.is_some()
                && second.is_some()
                && text.matches("shl").count() + text.matches("[2 x i64]").count() == 1,
            "{text}"
        );
    }

    #[test]
    fn switches_over_constants_become_tables_for_any_gpu() {
        let cases: String = (0..40).map(|n| format!("    i32 {n}, label %b{n}\n")).collect();
        let blocks: String = (0..40).map(|n| format!("b{n}:\n  br label %out\n")).collect();
        let values: String = (0..40).map(|n| format!(", [ {}, %b{n} ]", n * n * 7 % 41)).collect();
        let module = format!(
            "define i32 @f(i32 %k) {{\n  switch i32 %k, label %other [\n{cases}  ]\n{blocks}other:\n  br label %out\nout:\n  %r = phi i32 [ 0, %other ]{values}\n  ret i32 %r\n}}\n"
        );
        let context = Context::new().expect("LLVM 22");
        for cpu in [None, Some("sm_52"), Some("sm_90")] {
            let mut module = Module::parse(&context, "m", module.as_bytes()).expect("valid text");
            let gpu = Gpu { cpu: cpu.map(str::to_owned), ptx_version: None, ..Gpu::default() };
            optimize(&mut module, OptLevel::O2, None, gpu).expect("the default pipeline runs");
            assert!(module.to_text().contains("switch.table"), "{cpu:?}");
        }
    }

    fn calls_after_o3(callee: &str) -> usize {
        let module = "
declare void @callee(i32)
declare void @a()
declare void @b()
define ptx_kernel void @k(i1 %c) {
entry:
  br i1 %c, label %left, label %right
left:
  call void @a()
  br label %join
right:
  call void @b()
  br label %join
join:
  %p = phi i1 [ true, %left ], [ false, %right ]
  call void @callee(i32 0)
  br i1 %p, label %left2, label %right2
left2:
  call void @a()
  ret void
right2:
  call void @b()
  ret void
}
"
        .replace("@callee", callee);
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", module.as_bytes()).expect("valid text");
        optimize(&mut module, OptLevel::O3, None, Gpu::default()).expect("the default pipeline runs");
        module.to_text().matches(&format!("call void {callee}(")).count()
    }
}
