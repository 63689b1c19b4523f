//! The stages from LLVM IR to LLVM IR, and to PTX with LLVM's backend.

use std::path::{Path, PathBuf};

use ptx_diag::{Diagnostic, Diagnostics, SourceFile, Span};
use ptx_isa::{PtxVersion, Sm};
use ptx_llvm_core::{
    AddressWidth, Context, Gpu, LlvmError, Machine, Module, OptLevel, TextPosition, allow_optimization,
    check_target, is_left_alone, load_pass_plugin, marks,
};
use ptx_opt::{Observer, OptError, has_only_cuda_atomics, relax_cuda_atomics};

use crate::input_kind::{InputKind, mistaken};
use crate::retarget::TargetChoice;

/// The codes of LLVM's diagnostics.
pub mod code {
    ptx_diag::codes! {
        /// The text is not LLVM IR.
        pub const SYNTAX: Code = Code("I0001");
        /// The bitcode cannot be read.
        pub const BITCODE: Code = Code("I0002");
        /// LLVM's verifier rejects the module.
        pub const INVALID: Code = Code("I0003");
        /// LLVM's NVPTX target does not support the module or the requested GPU.
        pub const TARGET: Code = Code("I0004");
        /// The module uses a construct that is not supported.
        pub const UNSUPPORTED: Code = Code("I0005");
        /// Bitcode is incompatible with the module that it is linked into.
        pub const LINK: Code = Code("I0006");
        /// Only one of the target triple and the data layout is for 32-bit addresses: 64-bit addresses are assumed (a warning).
        pub const WIDENED: Code = Code("I0007");
        /// The input is not in the language that is read: PTX for LLVM IR or the other way round, or neither.
        pub const LANGUAGE: Code = Code("I0008");
        /// The module has the data layout of 32-bit addresses and no target triple: its PTX has 32-bit addresses (a warning).
        pub const NARROW: Code = Code("I0009");
        /// A pass pipeline cannot be parsed.
        pub const PIPELINE: Code = Code("O0001");
        /// Optimization is requested, and every function forbids it (a warning).
        pub const LEFT_ALONE: Code = Code("O0002");
        /// A kernel for known launches would be too long with all that is assumed (a warning).
        pub const TOO_LONG: Code = Code("O0003");
        /// A plugin of LLVM's pass manager cannot be loaded.
        pub const PLUGIN: Code = Code("O0004");
        /// LLVM failed while it optimized or generated code.
        pub const FAILED: Code = Code("G0001");
        /// LLVM's library cannot be loaded.
        pub const MISSING: Code = Code("G0002");
    }
}

/// Loads LLVM and creates a context; `source` is the input that needs it.
///
/// # Errors
///
/// [`code::MISSING`] when LLVM's library is not installed.
pub fn llvm_context(source: &SourceFile) -> Result<Context, Diagnostics> {
    Context::new().map_err(|error| one(llvm_finding(&error, source)))
}

/// Reads LLVM IR, as text or bitcode depending on its first bytes, runs LLVM's verifier and checks the module's target. Returns the
/// module, with a warning if its triple and its data layout disagree and its addresses were widened.
///
/// # Errors
///
/// The message of LLVM's reader or verifier, with the position of a syntax error; a module for another target.
pub fn read_llvm<'c>(
    context: &'c Context,
    source: &SourceFile,
) -> Result<(Module<'c>, Diagnostics), Diagnostics> {
    read_llvm_as(context, source, None)
}

/// Reads LLVM IR as [`read_llvm`] does, for the target triple `triple` in place of its own. How wide its addresses are is then no
/// reason for a warning.
///
/// # Errors
///
/// As [`read_llvm`].
pub fn read_llvm_as<'c>(
    context: &'c Context,
    source: &SourceFile,
    triple: Option<&str>,
) -> Result<(Module<'c>, Diagnostics), Diagnostics> {
    let read = || {
        let module = Module::parse(context, source.name(), source.text())?;
        module.verify()?;
        if let Some(triple) = triple {
            module.set_target_triple(triple);
        }
        let warnings = match check_target(&module)? {
            AddressWidth::Widened if triple.is_none() => one(widened()),
            AddressWidth::NarrowByLayout => one(narrow()),
            AddressWidth::Own | AddressWidth::Widened => Diagnostics::new(),
        };
        Ok((module, warnings))
    };
    read().map_err(|error: LlvmError| {
        let mistaken = matches!(error, LlvmError::Parse { .. } | LlvmError::Bitcode { .. })
            .then(|| mistaken(InputKind::Llvm, source.text()).or_else(|| ptx_syntax::cuda_source(source)));
        one(mistaken.flatten().unwrap_or_else(|| llvm_finding(&error, source)))
    })
}

/// What atomic operations mean that are `seq_cst` for the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Atomics {
    /// [`Atomics::Cuda`] in modules of CUDA by clang whose operations can all be functions of CUDA, otherwise [`Atomics::Llvm`].
    #[default]
    Auto,
    /// What CUDA documents for `atomicAdd()` and its like: relaxed, for the device.
    Cuda,
    /// What LLVM's language reference says.
    Llvm,
}

/// Gives the module's atomic operations that meaning.
pub fn settle_atomics(module: &mut Module<'_>, meaning: Atomics) {
    let is_cuda = match meaning {
        Atomics::Auto => has_only_cuda_atomics(module),
        Atomics::Cuda => true,
        Atomics::Llvm => false,
    };
    if is_cuda {
        relax_cuda_atomics(module);
    }
}

/// What becomes of code that was compiled without optimization, or for debugging, where optimization is requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unoptimized {
    /// As [`Unoptimized::No`], with a warning if nothing is optimized.
    #[default]
    Auto,
    /// It is optimized as source is: it can no longer be debugged.
    Yes,
    /// It stays as it is.
    No,
}

/// Prepares a module for a level of optimization. Returns the module with a warning if that would change nothing.
///
/// # Errors
///
/// Those of LLVM's parser, which reads a text that LLVM has written.
pub fn settle_unoptimized<'c>(
    module: Module<'c>,
    choice: Unoptimized,
    level: OptLevel,
    source: &SourceFile,
) -> Result<(Module<'c>, Diagnostics), Diagnostics> {
    if level == OptLevel::O0 || !is_left_alone(&module) {
        return Ok((module, Diagnostics::new()));
    }
    match choice {
        Unoptimized::No => Ok((module, Diagnostics::new())),
        Unoptimized::Auto => Ok((module, one(left_alone()))),
        Unoptimized::Yes => {
            // What PTX was compiled for debugging states (its debug sections, and how it was written) is not true of optimized code.
            let was_ptx = module.has_metadata(marks::VERSION);
            let plain = if was_ptx { module.without_hints() } else { Ok(module) };
            let mut plain = plain.map_err(|error| one(llvm_finding(&error, source)))?;
            allow_optimization(&mut plain);
            Ok((plain, Diagnostics::new()))
        }
    }
}

fn left_alone() -> Diagnostic {
    let message = "nothing is optimized: every function is `optnone`, which compilers write without optimization and for debugging";
    let help = "--unoptimized=yes optimizes it like source, for which it can no longer be debugged; --unoptimized=no omits this warning";
    Diagnostic::warning_without_place(code::LEFT_ALONE, message).with_help(help)
}

/// Runs the pipeline of `level`, then `passes`, for the GPU of `choice`, or else for that of the module.
///
/// # Errors
///
/// [`code::PIPELINE`] if `passes` cannot be parsed, which is an error of the user; otherwise the error of the optimizer.
///
/// ```
/// use ptx_diag::SourceFile;
/// use ptx_driver::{TargetChoice, llvm_context, optimize, read_llvm};
/// use ptx_llvm_core::OptLevel;
///
/// let source = SourceFile::new("k.ll", "define i32 @f() {\n  %x = add i32 20, 22\n  ret i32 %x\n}");
/// let context = llvm_context(&source)?;
/// let (mut module, _) = read_llvm(&context, &source)?;
/// optimize(&mut module, OptLevel::O2, None, TargetChoice::default(), &source)?;
/// assert!(module.to_text().contains("ret i32 42"));
/// # Ok::<(), ptx_diag::Diagnostics>(())
/// ```
pub fn optimize(
    module: &mut Module<'_>,
    level: OptLevel,
    passes: Option<&str>,
    choice: TargetChoice,
    source: &SourceFile,
) -> Result<(), Diagnostics> {
    ptx_opt::optimize(module, level, passes, llvm_gpu(choice)).map_err(|error| finding(&error, source))
}

/// The same as [`optimize`], with an observer of the passes.
///
/// # Errors
///
/// Those of [`optimize`].
pub fn optimize_observed(
    module: &mut Module<'_>,
    level: OptLevel,
    passes: Option<&str>,
    choice: TargetChoice,
    source: &SourceFile,
    observer: &mut dyn Observer,
) -> Result<(), Diagnostics> {
    ptx_opt::optimize_observed(module, level, passes, llvm_gpu(choice), observer)
        .map_err(|error| finding(&error, source))
}

/// Loads plugins of LLVM's pass manager into the process ([`load_pass_plugin`]). A name without a folder is a file of the current folder, or else one that the
/// system finds.
///
/// # Errors
///
/// [`code::PLUGIN`] for the first that cannot be loaded.
pub fn load_pass_plugins(files: &[PathBuf]) -> Result<(), Diagnostics> {
    files.iter().try_for_each(|file| {
        // The system's loader takes only names with a slash for those of files.
        let here = Path::new(".").join(file);
        let file = if file.components().count() == 1 && here.is_file() { &here } else { file };
        load_pass_plugin(file).map_err(|error| {
            one(Diagnostic::error_without_place(code::PLUGIN, error.to_string())
                .with_help("a plugin is a shared library that `opt -load-pass-plugin` of LLVM 22 loads, too"))
        })
    })
}

fn finding(error: &OptError, source: &SourceFile) -> Diagnostics {
    one(match error {
        OptError::Pipeline(_) => Diagnostic::error_without_place(code::PIPELINE, error.to_string())
            .with_help("passes are written as for LLVM's opt, for example 'function(sroa,gvn)'"),
        OptError::Failed(error) => llvm_finding(error, source),
        error => Diagnostic::error_without_place(code::FAILED, error.to_string()),
    })
}

/// Unrolls loops of kernels for known launches, after [`optimize`] ([`ptx_opt::unroll_specialized`]).
///
/// # Errors
///
/// The error of the optimizer.
pub fn unroll_specialized(
    module: &mut Module<'_>,
    names: &[&str],
    choice: TargetChoice,
    source: &SourceFile,
) -> Result<(), Diagnostics> {
    ptx_opt::unroll_specialized(module, names, llvm_gpu(choice)).map_err(|error| {
        one(match &error {
            OptError::Failed(error) => llvm_finding(error, source),
            error => Diagnostic::error_without_place(code::FAILED, error.to_string()),
        })
    })
}

/// Adds kernels that run the constructors and destructors of a module (`nvptx$device$init`, `nvptx$device$fini`) with LLVM's pass
/// `nvptx-lower-ctor-dtor`.
///
/// # Errors
///
/// Lists that contain something other than functions; the errors of LLVM's pass.
pub fn lower_constructors(
    module: &mut Module<'_>,
    choice: TargetChoice,
    source: &SourceFile,
) -> Result<(), Diagnostics> {
    let gpu = llvm_gpu(choice).or(Gpu::of_module(module)).for_pipelines();
    Machine::new(&gpu, OptLevel::O0)
        .and_then(|machine| ptx_llvm_core::lower_constructors(module, &machine))
        .map_err(|error| one(llvm_finding(&error, source)))
}

/// Generates PTX text with LLVM's NVPTX backend for the GPU of `choice`, or else for that of the module.
///
/// # Errors
///
/// The message of LLVM's backend. It ends the process on some modules: see [`ptx_llvm_core::on_fatal_error`].
pub fn generate(
    module: Module<'_>,
    choice: TargetChoice,
    level: OptLevel,
    source: &SourceFile,
) -> Result<String, Diagnostics> {
    let gpu = llvm_gpu(choice).or(Gpu::of_module(&module));
    let machine = Machine::new(&gpu, level);
    machine
        .and_then(|machine| ptx_llvm_core::emit_ptx(module, &machine))
        .map_err(|error| one(llvm_finding(&error, source)))
}

pub(crate) fn llvm_gpu(choice: TargetChoice) -> Gpu {
    let ten_times = |version: PtxVersion| u32::from(version.major) * 10 + u32::from(version.minor);
    Gpu {
        cpu: choice.sm.map(|sm: Sm| sm.to_string()),
        ptx_version: choice.version.map(ten_times),
        ..Gpu::default()
    }
}

/// Converts an error of LLVM to a diagnostic about `source`.
pub fn llvm_finding(error: &LlvmError, source: &SourceFile) -> Diagnostic {
    let place = match error {
        LlvmError::Parse { position, .. } => position.and_then(|position| span_of(source, position)),
        _ => None,
    };
    let code = match error {
        LlvmError::Parse { .. } => code::SYNTAX,
        LlvmError::Bitcode { .. } => code::BITCODE,
        LlvmError::Invalid { .. } => code::INVALID,
        LlvmError::Target { .. } => code::TARGET,
        LlvmError::Unsupported { .. } => code::UNSUPPORTED,
        LlvmError::Pipeline { .. } => code::PIPELINE,
        LlvmError::Missing { .. } => {
            let help = "install LLVM 22 (libllvm22 of Debian); --emit=ptx, --emit=none and executing PTX do not require it";
            return Diagnostic::error_without_place(code::MISSING, error.to_string()).with_help(help);
        }
        // The enum is non-exhaustive: new variants have the code of a failure of LLVM until they have a separate code here.
        _ => code::FAILED,
    };
    let message = error.to_string();
    match place {
        Some(span) => Diagnostic::error(code, span, message),
        None => Diagnostic::error_without_place(code, message),
    }
}

/// The span of the byte at a position of LLVM.
fn span_of(source: &SourceFile, position: TextPosition) -> Option<Span> {
    let lo = source.line_start(position.line)?.checked_add(position.column.saturating_sub(1))?;
    Some(Span::new(lo, lo.saturating_add(1)))
}

fn widened() -> Diagnostic {
    let message = "the target triple and the data layout differ, one of them is for 32-bit addresses: 64-bit addresses are assumed";
    let help =
        "launches of its kernels must pass 64-bit pointers, and structures that contain pointers are larger";
    Diagnostic::warning_without_place(code::WIDENED, message).with_help(help)
}

fn narrow() -> Diagnostic {
    let message = "the module has the data layout of 32-bit addresses and no target triple: its PTX has 32-bit addresses, which `ptxas` no longer compiles";
    let help = "`ll2ptx --triple=nvptx64-nvidia-cuda` gives it 64-bit addresses; with `target triple = \"nvptx-nvidia-cuda\"` those of 32 bits are meant";
    Diagnostic::warning_without_place(code::NARROW, message).with_help(help)
}

fn one(diagnostic: Diagnostic) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(diagnostic);
    diagnostics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax_error_points_into_the_text() {
        let source = SourceFile::new("m.ll", "define void @f() {\n  frob\n}\n");
        let found = read_llvm(&Context::new().expect("LLVM 22"), &source).expect_err("no such instruction");
        let finding = found.iter().next().expect("one finding");
        assert_eq!((finding.code, finding.span), (code::SYNTAX, Some(Span::new(21, 22))));
    }

    #[test]
    fn verifier_finding_has_its_code() {
        let text = "define i32 @f(i1 %c) {
  br i1 %c, label %a, label %b
a:
  %x = add i32 1, 2
  br label %b
b:
  ret i32 %x
}
";
        let source = SourceFile::new("m.ll", text);
        let found =
            read_llvm(&Context::new().expect("LLVM 22"), &source).expect_err("%x does not dominate its use");
        assert_eq!(found.iter().map(|f| f.code).collect::<Vec<_>>(), [code::INVALID]);
    }

    #[test]
    fn chosen_target_beats_the_module_in_llvms_backend() {
        let text = "define ptx_kernel void @k() \"target-cpu\"=\"sm_70\" \"target-features\"=\"+ptx70\" {\n  ret void\n}\n";
        let source = SourceFile::new("m.ll", text);
        let context = Context::new().expect("LLVM 22");
        let (module, _) = read_llvm(&context, &source).expect("valid");
        let choice = TargetChoice { sm: Some(Sm::new(90)), version: Some(PtxVersion::new(8, 1)) };
        let ptx = generate(module, choice, OptLevel::O0, &source).expect("valid");
        assert!(ptx.contains(".version 8.1") && ptx.contains(".target sm_90"), "{ptx}");
    }

    #[test]
    fn pass_text_is_told_from_a_bad_module() {
        let source = SourceFile::new("m.ll", "");
        let context = Context::new().expect("LLVM 22");
        let (mut module, _) = read_llvm(&context, &source).expect("an empty module is valid");
        let found = optimize(&mut module, OptLevel::O0, Some("nonsense"), TargetChoice::default(), &source)
            .expect_err("no such pass");
        assert_eq!(found.iter().map(|f| f.code).collect::<Vec<_>>(), [code::PIPELINE]);
    }
}
