//! To LLVM IR and back.

use ptx_diag::{Diagnostics, SourceFile};
use ptx_driver::{BadOutput, JudgedText, Style, TargetChoice};
use ptx_llvm_core::{Context, OptLevel};

use crate::error::nameless;
use crate::ptx::{PtxModule, Verified, parse, parse_named, verify};
use crate::{Error, LlvmModule};

fn about(source: &SourceFile, found: &Diagnostics) -> Error {
    Error::about([(source, found)])
}

/// Lowers a module to LLVM IR for NVPTX.
///
/// # Errors
///
/// The constructs that LLVM IR cannot express, with their positions.
///
/// ```
/// use ptx_llvm::{Context, lower, parse, verify};
///
/// let module = parse(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }")?;
/// let context = Context::new()?;
/// let llvm = lower(&verify(&module)?, &context)?;
/// assert!(llvm.to_text().contains("define ptx_kernel void @k()"));
/// # Ok::<(), ptx_llvm::Error>(())
/// ```
pub fn lower<'c>(module: &Verified<'_>, context: &'c Context) -> Result<LlvmModule<'c>, Error> {
    ptx_driver::lower(module.proof(), context).map_err(|found| module.error(&found))
}

/// Reads LLVM IR for NVPTX, text or bitcode, and runs LLVM's verifier.
///
/// # Errors
///
/// The message of LLVM's reader or verifier; a module for another target.
///
/// ```
/// use ptx_llvm::{Context, parse_llvm};
///
/// let context = Context::new()?;
/// let error = parse_llvm(&context, "define void @f() {\n  frob\n}\n").unwrap_err();
/// assert_eq!(error.findings()[0].position.unwrap().line, 2);
/// # Ok::<(), ptx_llvm::Error>(())
/// ```
pub fn parse_llvm(context: &Context, text: impl Into<Vec<u8>>) -> Result<LlvmModule<'_>, Error> {
    let source = SourceFile::new("<llvm>", text);
    let (module, _) = ptx_driver::read_llvm(context, &source).map_err(|found| about(&source, &found))?;
    Ok(module)
}

/// Runs the pipeline of a level, with the cost model of the GPU that the module names.
///
/// # Errors
///
/// The error of the optimizer.
///
/// ```
/// use ptx_llvm::{Context, OptLevel, optimize, parse_llvm};
///
/// let context = Context::new()?;
/// let mut module = parse_llvm(&context, "define i32 @f() {\n  %x = add i32 20, 22\n  ret i32 %x\n}\n")?;
/// optimize(&mut module, OptLevel::O2)?;
/// assert!(module.to_text().contains("ret i32 42"));
/// # Ok::<(), ptx_llvm::Error>(())
/// ```
pub fn optimize(module: &mut LlvmModule<'_>, level: OptLevel) -> Result<(), Error> {
    optimize_with(module, level, None)
}

/// Runs passes: names as for LLVM's `opt --passes`, and those of this project ([`describe_passes`](crate::driver::describe_passes)).
///
/// # Errors
///
/// The text cannot be parsed as a pipeline; the error of the optimizer.
///
/// ```
/// use ptx_llvm::{Context, parse_llvm, run_passes};
///
/// let context = Context::new()?;
/// let mut module = parse_llvm(&context, "define i32 @f() {\n  %x = add i32 20, 22\n  ret i32 %x\n}\n")?;
/// run_passes(&mut module, "function(instsimplify)")?;
/// assert!(module.to_text().contains("ret i32 42"));
/// assert_eq!(run_passes(&mut module, "frobnicate").unwrap_err().findings()[0].code, "O0001");
/// # Ok::<(), ptx_llvm::Error>(())
/// ```
pub fn run_passes(module: &mut LlvmModule<'_>, passes: &str) -> Result<(), Error> {
    optimize_with(module, OptLevel::O0, Some(passes))
}

fn optimize_with(module: &mut LlvmModule<'_>, level: OptLevel, passes: Option<&str>) -> Result<(), Error> {
    let source = nameless();
    ptx_driver::optimize(module, level, passes, TargetChoice::default(), &source)
        .map_err(|found| about(&source, &found))
}

/// Raises LLVM IR of any producer to PTX, for the target that the module names; the result is verified.
///
/// # Errors
///
/// The constructs that PTX, or the target, cannot express, with the function and the instruction.
///
/// ```
/// use ptx_llvm::{Context, parse_llvm, print, raise};
///
/// let context = Context::new()?;
/// let mut module = parse_llvm(&context, "
/// target triple = \"nvptx64-nvidia-cuda\"
/// define ptx_kernel void @answer(ptr addrspace(1) %to) {
///   store i32 42, ptr addrspace(1) %to
///   ret void
/// }")?;
/// assert!(print(&raise(&mut module)?).contains("st.global.b32"));
/// # Ok::<(), ptx_llvm::Error>(())
/// ```
pub fn raise(module: &mut LlvmModule<'_>) -> Result<PtxModule, Error> {
    raise_for(module, TargetChoice::default())
}

/// The same as [`raise`], for a target in place of the one that the module names.
///
/// # Errors
///
/// Those of [`raise`].
///
/// ```
/// use ptx_llvm::{Context, PtxVersion, Sm, TargetChoice, parse_llvm, raise_for};
///
/// let context = Context::new()?;
/// let mut module = parse_llvm(&context, "define ptx_kernel void @k() {\n  ret void\n}")?;
/// let target = TargetChoice { sm: Some(Sm::new(90)), version: Some(PtxVersion::new(8, 1)) };
/// assert!(raise_for(&mut module, target)?.to_string().starts_with(".version 8.1\n.target sm_90\n"));
/// # Ok::<(), ptx_llvm::Error>(())
/// ```
pub fn raise_for(module: &mut LlvmModule<'_>, target: TargetChoice) -> Result<PtxModule, Error> {
    let (tree, warnings) = ptx_driver::raise(module, target).map_err(|found| about(&nameless(), &found))?;
    // The positions of the tree count instructions of LLVM IR; those of the result are in its text.
    let text = ptx_ir::print(&tree);
    let source = SourceFile::new("<raised>", text.clone());
    let checked = ptx_driver::read_ptx(&source, ptx_driver::Comments::Dropped);
    let checked = checked.and_then(|(tree, _)| ptx_verify::verify(&tree).map(|_| ()));
    if let Err(findings) = checked {
        let bad = BadOutput { source, findings };
        let explained = ptx_driver::explain(&bad, module, (target, Style::default()), JudgedText::Kept);
        return Err(about(&bad.source, &explained));
    }
    let mut raised = parse_named("<raised>", text)?;
    raised.add_warnings(warnings);
    Ok(raised)
}

/// Translates PTX to the text of LLVM IR.
///
/// # Errors
///
/// All errors of the text; constructs that LLVM IR cannot express.
///
/// ```
/// let llvm = ptx_llvm::ptx_to_llvm(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }")?;
/// assert!(llvm.contains("target triple = \"nvptx64-nvidia-cuda\""));
/// # Ok::<(), ptx_llvm::Error>(())
/// ```
pub fn ptx_to_llvm(text: impl Into<Vec<u8>>) -> Result<String, Error> {
    let module = parse(text)?;
    let context = Context::new()?;
    Ok(lower(&verify(&module)?, &context)?.to_text())
}

/// Translates LLVM IR for NVPTX, text or bitcode, to PTX.
///
/// # Errors
///
/// Those of [`parse_llvm`] and [`raise`].
///
/// ```
/// let ptx = ptx_llvm::llvm_to_ptx("define ptx_kernel void @k() {\n  ret void\n}")?;
/// assert!(ptx.contains(".entry k()"));
/// # Ok::<(), ptx_llvm::Error>(())
/// ```
pub fn llvm_to_ptx(text: impl Into<Vec<u8>>) -> Result<String, Error> {
    let context = Context::new()?;
    Ok(raise(&mut parse_llvm(&context, text)?)?.to_string())
}
