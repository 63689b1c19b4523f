//! From PTX text to a verified module, and on to LLVM IR; from LLVM IR back to a module.

use ptx_diag::{Diagnostic, Diagnostics, SourceFile};
use ptx_ir::Module;
use ptx_llvm::Context;
use ptx_raise::RaiseOptions;
use ptx_verify::Verified;

use crate::llvm_leg::code;
use crate::retarget::TargetChoice;

/// Reads PTX; gives the module with the reader's warnings.
///
/// # Errors
///
/// All findings, warnings included, when one of them is an error.
pub fn read_ptx(source: &SourceFile) -> Result<(Module, Diagnostics), Diagnostics> {
    let (module, findings) = ptx_syntax::parse(source);
    if findings.has_errors() { Err(findings) } else { Ok((module, findings)) }
}

/// Translates a verified module into LLVM IR, which LLVM's verifier accepts.
///
/// # Errors
///
/// What cannot be expressed, each with its place.
pub fn lower<'c>(module: Verified<'_>, context: &'c Context) -> Result<ptx_llvm::Module<'c>, Diagnostics> {
    let lowered = ptx_lower::lower(&module, context)?;
    match lowered.verify() {
        Ok(()) => Ok(lowered),
        Err(error) => Err(one(Diagnostic::error_without_place(code::INVALID, error.to_string()))),
    }
}

/// Translates LLVM IR into a PTX module with this project's own emitter.
///
/// # Errors
///
/// What cannot be expressed, with the function and the instruction.
pub fn raise(module: &ptx_llvm::Module<'_>, choice: TargetChoice) -> Result<Module, Diagnostics> {
    ptx_raise::raise(module, &RaiseOptions { target: choice.sm, version: choice.version })
}

fn one(diagnostic: Diagnostic) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(diagnostic);
    diagnostics
}
