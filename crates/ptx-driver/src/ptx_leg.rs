//! The stages from PTX text to a module and to LLVM IR, and from LLVM IR to a module and to text.

use ptx_diag::{Diagnostic, Diagnostics, Severity, SourceFile, Span};
use ptx_ir::Module;
use ptx_llvm_core::marks;
use ptx_llvm_core::{Context, Gpu, LlvmError, Machine, OptLevel};
use ptx_opt::Branches;
use ptx_raise::{Origin, RaiseOptions, Style};
use ptx_syntax::Comments;
use ptx_verify::Verified;

use crate::input_kind::{InputKind, mistaken};
use crate::llvm_leg::{llvm_finding, llvm_gpu};
use crate::retarget::TargetChoice;

/// Reads PTX, with or without its comments. Returns the module with the reader's warnings.
///
/// # Errors
///
/// All diagnostics, including warnings, if one of them is an error. They include those of the verifier for the statements
/// that could be read, so that one run reports everything.
///
/// ```
/// use ptx_diag::SourceFile;
/// use ptx_driver::{Comments, read_ptx};
///
/// let found = read_ptx(&SourceFile::new("k.ptx", "define void @f()"), Comments::Kept).unwrap_err();
/// assert_eq!(found.iter().next().unwrap().message, "the input is LLVM IR, not PTX");
/// ```
pub fn read_ptx(source: &SourceFile, comments: Comments) -> Result<(Module, Diagnostics), Diagnostics> {
    let (module, mut findings) = ptx_syntax::parse_with(source, comments);
    if !findings.has_errors() {
        return Ok((module, findings));
    }
    if let Some(finding) = mistaken(InputKind::Ptx, source.text()) {
        return Err(one(finding));
    }
    // Nothing of it was read.
    if findings.iter().any(|finding| finding.code == ptx_syntax::codes::CUDA) {
        return Err(findings);
    }
    let read: Vec<Option<Span>> = findings.iter().map(|finding| finding.span).collect();
    if let Err(more) = ptx_verify::verify(&module) {
        // The verifier's diagnostics at spans that the reader reported are omitted.
        more.iter()
            .filter(|finding| !read.contains(&finding.span))
            .for_each(|finding| findings.push(finding.clone()));
    }
    findings.sort_by_place();
    Err(findings)
}

/// Lowers a verified module to LLVM IR, which LLVM's verifier accepts.
///
/// # Errors
///
/// The constructs that cannot be expressed in LLVM IR, with their positions.
///
/// ```
/// use ptx_diag::SourceFile;
/// use ptx_driver::{Comments, llvm_context, lower, read_ptx};
///
/// let source = SourceFile::new("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }");
/// let (module, _) = read_ptx(&source, Comments::Kept)?;
/// let (verified, _) = ptx_verify::verify(&module)?;
/// let context = llvm_context(&source)?;
/// assert!(lower(verified, &context)?.to_text().contains("@k()"));
/// # Ok::<(), ptx_diag::Diagnostics>(())
/// ```
pub fn lower<'c>(
    module: Verified<'_>,
    context: &'c Context,
) -> Result<ptx_llvm_core::Module<'c>, Diagnostics> {
    ptx_lower::lower(&module, context)
}

/// Raises LLVM IR to a PTX module with this project's emitter. Returns the module with the emitter's warnings. The LLVM IR is transformed
/// first: LLVM's pass resolves calls of `__nvvm_reflect`; tables of addresses that PTX cannot initialize are replaced by selections
/// ([`ptx_opt::choose_addresses`]); subnormal inputs are flushed to zero where the program requires it ([`ptx_opt::flush_inputs`]); and, unless
/// the module was lowered from PTX, back edges get positive predicates ([`ptx_opt::point_branches`]).
///
/// # Errors
///
/// The constructs that cannot be expressed in PTX, with the function and the instruction.
///
/// ```
/// use ptx_diag::SourceFile;
/// use ptx_driver::{TargetChoice, llvm_context, print_checked, raise, read_llvm};
///
/// let source = SourceFile::new("k.ll", "define ptx_kernel void @k() {\n  ret void\n}");
/// let context = llvm_context(&source)?;
/// let (mut module, _) = read_llvm(&context, &source)?;
/// let (raised, _) = raise(&mut module, TargetChoice::default())?;
/// assert!(print_checked(&raised, "k.ptx").unwrap().contains(".entry k()"));
/// # Ok::<(), ptx_diag::Diagnostics>(())
/// ```
pub fn raise(
    module: &mut ptx_llvm_core::Module<'_>,
    choice: TargetChoice,
) -> Result<(Module, Diagnostics), Diagnostics> {
    raise_in_style(module, choice, Style::default())
}

/// The same as [`raise`], in a style.
///
/// # Errors
///
/// Those of [`raise`].
pub fn raise_in_style(
    module: &mut ptx_llvm_core::Module<'_>,
    choice: TargetChoice,
    style: Style,
) -> Result<(Module, Diagnostics), Diagnostics> {
    resolve_reflect(module, choice)?;
    prepare(module).map_err(|error| one(llvm_finding(&error, &SourceFile::new("", ""))))?;
    let options = RaiseOptions { target: choice.sm, version: choice.version };
    ptx_raise::raise_in_style(module, &options, style)
}

/// Brings a module into the form that raising takes.
fn prepare(module: &mut ptx_llvm_core::Module<'_>) -> Result<(), LlvmError> {
    ptx_opt::choose_addresses(module)?;
    ptx_opt::flush_inputs(module)?;
    // Modules that were lowered from PTX keep their branches unless they are optimized.
    if !module.has_metadata(marks::VERSION) {
        ptx_opt::point_branches(module, Branches::Back)?;
    }
    Ok(())
}

/// The GPU for which `__nvvm_reflect` is resolved if none is specified: the default of [`ptx_raise`].
const ASSUMED_GPU: &str = "sm_75";

/// Resolves the calls of `__nvvm_reflect` in a module, if it has any.
fn resolve_reflect(module: &mut ptx_llvm_core::Module<'_>, choice: TargetChoice) -> Result<(), Diagnostics> {
    if !ptx_llvm_core::asks_reflect(module) {
        return Ok(());
    }
    let (gpu, sm) = gpu_of(module, choice);
    let run = Machine::new(&gpu, OptLevel::O0)
        .and_then(|machine| ptx_llvm_core::resolve_reflect(module, sm, &machine));
    run.map_err(|error| one(llvm_finding(&error, &SourceFile::new("", ""))))
}

/// The GPU that passes run for, with its number.
fn gpu_of(module: &ptx_llvm_core::Module<'_>, choice: TargetChoice) -> (Gpu, u16) {
    let mut gpu = llvm_gpu(choice).or(Gpu::of_module(module));
    let cpu = gpu.cpu.get_or_insert_with(|| ASSUMED_GPU.to_owned());
    // Default: the architecture that `__nvvm_reflect` returns for processors that are not GPUs of NVIDIA.
    let sm = ptx_isa::Sm::from_text(cpu).map_or(0, |sm| sm.number);
    (gpu.for_pipelines(), sm)
}

/// Whether the user has the PTX that was raised from LLVM IR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JudgedText {
    /// It is in a file: positions in it are shown.
    Kept,
    /// It is not.
    Unknown,
}

/// Converts errors about the text of a raised module to errors about the LLVM IR that the user has: each names the function, the instruction and
/// its debug location, if there is one. `module`, `choice` and `style` must be those that were raised.
///
/// ```text
/// error[V0401]: .. --> k.bc (as PTX):16:22    becomes    error[V0401]: .., in function k: %r = add .., at a.cu:7:3
/// ```
pub fn explain(
    bad: &BadOutput,
    module: &ptx_llvm_core::Module<'_>,
    (choice, style): (TargetChoice, Style),
    text: JudgedText,
) -> Diagnostics {
    let options = RaiseOptions { target: choice.sm, version: choice.version };
    // Default: a module that was raised can be raised again; if not, the errors are reported without their origins.
    let mut origins = ptx_raise::origins(module, &options, style).unwrap_or_default();
    let mut explained = Diagnostics::new();
    for finding in bad.findings.iter().filter(|finding| finding.severity == Severity::Error) {
        let is_same = |origin: &Origin| origin.code == finding.code && origin.message == finding.message;
        let place = origins.iter().position(is_same).and_then(|at| origins.remove(at).place);
        let mut own = finding.clone();
        if let Some(place) = &place {
            own.message = format!("{}, in {place}", finding.message);
        }
        if text == JudgedText::Unknown {
            let line = finding.span.and_then(|span| bad.source.line(bad.source.position(span.lo).line));
            if let (Some(line), None) = (line, &place) {
                let line = String::from_utf8_lossy(line);
                let words: Vec<&str> = line.split_whitespace().collect();
                own.message += &format!(", in the PTX `{}`", words.join(" "));
            }
            own.span = None;
            own.related.clear();
            let help = "--keep-ptx FILE keeps the PTX that has this error".to_owned();
            own.help = own.help.or(Some(help));
        }
        explained.push(own);
    }
    explained
}

/// PTX text that is invalid, and its diagnostics.
#[derive(Clone, Debug)]
pub struct BadOutput {
    /// The text to which the positions of the diagnostics refer.
    pub source: SourceFile,
    /// The diagnostics about the text.
    pub findings: Diagnostics,
}

/// Prints a module that was not read from text, and reads and verifies the printed text.
///
/// LLVM IR can use features that its target does not have, and the target may have been changed later; such a module
/// must not be printed as if it were valid.
///
/// # Errors
///
/// The diagnostics about the text, whose name in them is `name`.
pub fn print_checked(module: &Module, name: &str) -> Result<String, Box<BadOutput>> {
    let text = ptx_ir::print(module);
    let source = SourceFile::new(name, text);
    let checked =
        read_ptx(&source, Comments::Kept).and_then(|(module, _)| ptx_verify::verify(&module).map(|_| ()));
    match checked {
        Ok(()) => Ok(String::from_utf8_lossy(source.text()).into_owned()),
        Err(findings) => Err(Box::new(BadOutput { source, findings })),
    }
}

fn one(diagnostic: Diagnostic) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(diagnostic);
    diagnostics
}

#[cfg(test)]
mod tests {
    use ptx_isa::Sm;

    use super::*;
    use crate::retarget::retarget;

    #[test]
    fn output_that_does_not_verify_is_refused_with_places_in_it() {
        let text = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
    .reg .b32 %r<3>;
    redux.sync.add.s32 %r1, %r2, 0xffffffff;
    ret;
}
";
        let (mut module, _) = read_ptx(&SourceFile::new("k.ptx", text), Comments::Kept).expect("valid");
        let printed = print_checked(&module, "out").expect("still valid");
        assert!(printed.contains("redux.sync.add.s32"), "{printed}");

        // redux.sync needs sm_80 (manual 9.7.13.10).
        retarget(&mut module, TargetChoice { sm: Some(Sm::new(70)), version: None });
        let bad = print_checked(&module, "out").expect_err("sm_70 lacks it");
        let span = bad.findings.iter().next().and_then(|finding| finding.span).expect("a place");
        let line = bad.source.line(bad.source.position(span.lo).line).expect("a line");
        assert!(String::from_utf8_lossy(line).contains("redux.sync"), "{:?}", bad.findings);
    }

    #[test]
    fn branches_back_are_positive_in_what_was_not_ptx() {
        let text = "define void @f(i32 %n, ptr %p) {
  br label %loop
loop:
  %i = phi i32 [ %n, %0 ], [ %next, %loop ]
  store volatile i32 %i, ptr %p
  %next = add i32 %i, -1
  %done = icmp eq i32 %next, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
";
        let raised = |text: &str| {
            let context = Context::new().expect("LLVM 22");
            let mut module =
                ptx_llvm_core::Module::parse(&context, "m", text.as_bytes()).expect("valid text");
            let (ptx, _) = raise(&mut module, TargetChoice::default()).expect("raises");
            ptx_ir::print(&ptx)
        };
        let positive = raised(text);
        assert!(positive.contains("setp.ne") && !positive.contains("@!"), "{positive}");
        // PTX keeps the predicates that it has.
        let kept = raised(&format!("{text}!ptx.version = !{{!0}}\n!0 = !{{!\"8.0\"}}\n"));
        assert!(kept.contains("setp.eq") && kept.contains("@!"), "{kept}");
    }
}
