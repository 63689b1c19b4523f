//! Linking LLVM bitcode into lowered PTX.

use ptx_diag::{Diagnostic, Diagnostics, SourceFile, Span};
use ptx_llvm_core::{FlushToZero, Gpu, LinkConflict, LlvmError, Machine, Module, OptLevel};

use crate::llvm_leg::{code, llvm_finding};

/// The reasons why bitcode cannot be linked.
#[derive(Clone, Debug)]
pub enum BitcodeFindings {
    /// Diagnostics about the PTX.
    Program(Diagnostics),
    /// Diagnostics about the file of the bitcode.
    Library(Diagnostics),
}

/// Links LLVM IR, text or bitcode, into a lowered module: the definitions of the library that the module declares, and their
/// dependencies. They become internal, and their calls of `__nvvm_reflect` are resolved.
///
/// # Errors
///
/// Names that both modules define and functions that are declared with another type, at their positions in the PTX; a library that
/// cannot be read or is for another target.
pub fn link_bitcode<'c>(
    module: &mut Module<'c>,
    program: &ptx_ir::Module,
    library: &SourceFile,
    flush: FlushToZero,
) -> Result<(), BitcodeFindings> {
    let refuse = |error: LlvmError| {
        let mut findings = Diagnostics::new();
        findings.push(llvm_finding(&error, library));
        BitcodeFindings::Library(findings)
    };
    let read = || {
        let read = Module::parse(module.context(), library.name(), library.text())?;
        read.verify()?;
        Ok(read)
    };
    let bitcode = read().map_err(refuse)?;
    let mut findings = Diagnostics::new();
    for conflict in module.link_conflicts(&bitcode) {
        findings.push(finding(&conflict, program, library.name()));
    }
    if findings.has_errors() {
        return Err(BitcodeFindings::Program(findings));
    }
    let machine = Machine::new(&Gpu::of_module(module).for_pipelines(), OptLevel::O0).map_err(refuse)?;
    module.link_needed(bitcode, &machine, flush).map_err(refuse)
}

fn finding(conflict: &LinkConflict, program: &ptx_ir::Module, library: &str) -> Diagnostic {
    let at = |code, name: &str, message: String| match span_of_name(program, name) {
        Some(span) => Diagnostic::error(code, span, message),
        None => Diagnostic::error_without_place(code, message),
    };
    match conflict {
        LinkConflict::Twice(name) => {
            at(code::LINK, name, format!("`{name}` is defined here and in `{library}`"))
        }
        LinkConflict::Type(name, declared, defined) => at(
            code::LINK,
            name,
            format!("`{name}` is declared as `{declared}`, but `{library}` defines `{defined}`"),
        )
        .with_help("declare it with the types of its definition: `.f32` for float, `.b32` for i32"),
    }
}

/// The span of the PTX that defines or declares a name.
fn span_of_name(program: &ptx_ir::Module, name: &str) -> Option<Span> {
    let name = program.strings.find(name)?;
    let functions = program.functions.iter().filter(|function| function.name == name);
    let defined = functions.clone().find(|function| function.body.is_some());
    let function = defined.or(functions.clone().next()).map(|function| function.at.0);
    let variable = || program.variables.iter().find(|variable| variable.name == name);
    function.or_else(|| variable().map(|variable| variable.at.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx_leg::{lower, read_ptx};
    use ptx_llvm_core::Context;
    use ptx_syntax::Comments;

    const CALLER: &str = "\
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .f32 r) half_of(.param .f32 x);
.visible .entry k(.param .u64 p)
{
    .reg .f32 %f<3>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    ld.global.f32 %f1, [%rd1];
    {
        .param .f32 x;
        .param .f32 y;
        st.param.f32 [x], %f1;
        call.uni (y), half_of, (x);
        ld.param.f32 %f2, [y];
    }
    st.global.f32 [%rd1], %f2;
    ret;
}
";

    /// Answers 30 with flushing and 20 without, and 7 on what comes before sm_90.
    const LIBRARY: &str = "\
target triple = \"nvptx64-nvidia-gpulibs\"
@flush = private constant [11 x i8] c\"__CUDA_FTZ\\00\"
@arch = private constant [12 x i8] c\"__CUDA_ARCH\\00\"
define float @half_of(float %x) {
  %f = call i32 @__nvvm_reflect(ptr @flush)
  %is = icmp ne i32 %f, 0
  %a = call i32 @__nvvm_reflect(ptr @arch)
  %old = icmp ult i32 %a, 900
  %c = select i1 %is, float 3.0e+01, float 2.0e+01
  %d = select i1 %old, float 7.0, float 8.0
  %m = fmul float %x, %c
  %n = call float @inner(float %m, float %d)
  ret float %n
}
define float @inner(float %x, float %y) {
  %r = fadd float %x, %y
  ret float %r
}
define float @nobody_asks(float %x) {
  ret float %x
}
declare i32 @__nvvm_reflect(ptr)
";

    fn linked(program: &str, library: &str, flush: FlushToZero) -> Result<String, BitcodeFindings> {
        let source = SourceFile::new("k.ptx", program);
        let (ptx, _) = read_ptx(&source, Comments::Dropped).expect("valid");
        let (verified, _) = ptx_verify::verify(&ptx).expect("valid");
        let context = Context::new().expect("LLVM 22");
        let mut module = lower(verified, &context).expect("lowers");
        link_bitcode(&mut module, &ptx, &SourceFile::new("l.ll", library), flush)?;
        Ok(module.to_text())
    }

    #[test]
    fn what_is_needed_comes_in_as_internal_with_its_questions_answered() {
        for (flush, factor) in [(FlushToZero::No, "2.000000e+01"), (FlushToZero::Yes, "3.000000e+01")] {
            let text = linked(CALLER, LIBRARY, flush).expect("links");
            assert!(text.contains("define internal float @half_of(float %x)"), "{text}");
            assert!(text.contains("define internal float @inner("), "{text}");
            assert!(!text.contains("nobody_asks") && !text.contains("__nvvm_reflect"), "{text}");
            assert!(text.contains(factor) && text.contains("7.000000e+00"), "{text}");
        }
    }

    #[test]
    fn conflicts_are_found_at_their_places_in_the_program() {
        let says = |program: &str, library: &str, line: u32, what: &str| {
            let Err(BitcodeFindings::Program(found)) = linked(program, library, FlushToZero::No) else {
                panic!("no finding about the program")
            };
            let source = SourceFile::new("k.ptx", program);
            let finding = found.iter().next().expect("one");
            let at = finding.span.map(|span| source.position(span.lo).line);
            assert_eq!(at, Some(line), "{finding:?}");
            assert!(finding.message.contains(what), "{finding:?}");
        };
        let twice = CALLER.replace(
            ".extern .func (.param .f32 r) half_of(.param .f32 x);",
            ".visible .func (.param .f32 r) half_of(.param .f32 x) { ret; }",
        );
        says(&twice, LIBRARY, 4, "is defined here and in `l.ll`");
        let other =
            LIBRARY.replace("define float @half_of(float %x)", "define float @half_of(float %x, i32 %more)");
        says(CALLER, &other, 4, "but `l.ll` defines `float (float, i32)`");
    }

    #[test]
    fn library_that_cannot_be_used_is_refused_as_such() {
        for library in [
            "no LLVM IR",
            "target triple = \"x86_64-unknown-linux\"\ndefine float @half_of(float %x) { ret float %x }\n",
        ] {
            assert!(matches!(linked(CALLER, library, FlushToZero::No), Err(BitcodeFindings::Library(_))));
        }
    }

    #[test]
    fn libdevice_links() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let oracle =
            std::env::var_os("PTX_ORACLE").map_or_else(|| root.join(".oracle/bin"), std::path::PathBuf::from);
        let file = oracle.join("../nvvm/libdevice/libdevice.10.bc");
        // Where NVIDIA's library is not installed there is nothing to link.
        let Ok(bytes) = std::fs::read(file) else { return };
        let program = CALLER.replace("half_of", "__nv_expf");
        let source = SourceFile::new("k.ptx", program.as_str());
        let (ptx, _) = read_ptx(&source, Comments::Dropped).expect("valid");
        let (verified, _) = ptx_verify::verify(&ptx).expect("valid");
        let context = Context::new().expect("LLVM 22");
        let mut module = lower(verified, &context).expect("lowers");
        let library = SourceFile::new("libdevice.10.bc", bytes);
        link_bitcode(&mut module, &ptx, &library, FlushToZero::No).expect("links");
        let text = module.to_text();
        assert!(text.contains("define internal float @__nv_expf(") && !text.contains("__nv_sinf"));
        let (raised, _) = crate::ptx_leg::raise(&mut module, crate::TargetChoice::default()).expect("raises");
        assert!(ptx_ir::print(&raised).contains("ex2.approx"));
    }
}
