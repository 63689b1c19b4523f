//! Raises LLVM IR back to the PTX module model.
//!
//! [`raise`] is an instruction selector: it reads a snapshot of the module ([`ptx_llvm_core::view`]) and builds a [`ptx_ir::Module`] that
//! [`ptx_ir::print`] writes as PTX. LLVM's NVPTX backend is not used.
//!
//! A copy of the module is first legalized to constructs that PTX has ([`ptx_legalize`]). Then each function passes through stages: `flow` orders its blocks, `cover` decides how
//! each instruction is translated, `emit` emits that, and [`ptx_coalesce`] and `registers` assign the final registers (docs/internals.md, "From LLVM IR to PTX"). Intrinsics are
//! looked up in the same rows as in lowering ([`ptx_llvm_core::intrinsics`]), inline assembly is parsed by the ordinary parser ([`ptx_syntax`]); `docs/mapping.md` describes the
//! mapping.
//!
//! Invariants:
//! - The result has the semantics of the input, or the module is rejected with a diagnostic that names the function and the
//!   instruction. Only instructions without effects are dropped: debug records, lifetime marks, assumptions, hints.
//! - A memory order is never weaker than LLVM's, and a scope narrower only where nobody can tell (`reach.rs`).
//! - Blocks keep their order and branches their polarity. Instructions keep their order except for those that a rule of the cover moves to the
//!   position of another one. Unreachable blocks are removed.
//! - The result depends only on the module and the options.
//! - Recursion is bounded for any input (constants 64 levels deep, types 256).

mod assembly;
mod class_tests;
mod constraint;
mod context;
mod cover;
mod debug;
mod debug_tables;
mod dwarf;
mod dynamic_shared;
mod emit;
mod error;
mod flow;
mod initializer;
mod intrinsics;
mod linkage;
mod mnemonics;
mod module;
mod names;
mod numbering;
mod per_inst;
mod reach;
mod references;
mod registers;
mod sections;
mod signature;
mod source_function;
mod style;
mod target;
mod types;
mod upper_halves;
mod value;

/// The codes of constructs that cannot be raised, with their meanings.
pub use error::MEANINGS as CODES;
pub use error::{
    ASSEMBLY, BOUND, CALL, INITIALIZER, INSTRUCTION, INTRINSIC, MODULE, ORDER, SAID, SCOPE, SECTIONS,
    TAIL_CALL, TARGET, TYPE, VIEW, VISIBLE,
};
pub use names::escape;
pub use numbering::Origin;
pub use style::{Annotations, Names, Style};
pub use target::RaiseOptions;

use ptx_diag::{Diagnostic, Diagnostics, Severity};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::view::View;

use crate::context::ModuleContext;

/// Raises `module` to PTX; returns the result with warnings about attributes that the target ignores.
///
/// The module should have passed LLVM's verifier. `.version` and `.target` of the result are those in the options, else those in
/// `!ptx.version` and `!ptx.target`, else those of the functions' `target-cpu` and `target-features`, else the lowest that have all
/// features used.
///
/// # Errors
///
/// A diagnostic for each construct that has no counterpart in PTX, with the function and the instruction in words.
///
/// ```
/// use ptx_llvm_core::{Context, Module};
/// use ptx_raise::{RaiseOptions, raise};
///
/// let context = Context::new()?;
/// let module = Module::parse(&context, "m", b"define ptx_kernel void @k() {\n  ret void\n}")?;
/// let (raised, _) = raise(&module, &RaiseOptions::default()).unwrap();
/// assert!(ptx_ir::print(&raised).contains(".entry k()"));
/// # Ok::<(), ptx_llvm_core::LlvmError>(())
/// ```
pub fn raise(
    module: &ptx_llvm_core::Module<'_>,
    options: &RaiseOptions,
) -> Result<(ptx_ir::Module, Diagnostics), Diagnostics> {
    raise_in_style(module, options, Style::default())
}

/// The same as [`raise`], written in a style.
///
/// # Errors
///
/// Those of [`raise`].
pub fn raise_in_style(
    module: &ptx_llvm_core::Module<'_>,
    options: &RaiseOptions,
    style: Style,
) -> Result<(ptx_ir::Module, Diagnostics), Diagnostics> {
    with_legal_view(module, options, |view, llvm| raise_view(view, llvm, options, style))
}

/// The errors that the verifier finds in what a module is raised to, in its order.
///
/// # Errors
///
/// Those of [`raise`].
pub fn origins(
    module: &ptx_llvm_core::Module<'_>,
    options: &RaiseOptions,
    style: Style,
) -> Result<Vec<Origin>, Diagnostics> {
    with_legal_view(module, options, |view, llvm| {
        let (raised, _) = raise_view(view, llvm, options, style)?;
        let findings = match ptx_verify::verify(&raised) {
            Ok(_) => return Ok(Vec::new()),
            Err(findings) => findings,
        };
        let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
        let origin = |finding: &Diagnostic| Origin {
            code: finding.code,
            message: finding.message.clone(),
            place: finding.span.and_then(|span| numbering::place(view, llvm, span)),
        };
        Ok(errors.map(origin).collect())
    })
}

fn raise_view(
    view: &View,
    llvm: &ptx_llvm_core::Module<'_>,
    options: &RaiseOptions,
    style: Style,
) -> Result<(ptx_ir::Module, Diagnostics), Diagnostics> {
    module::raise(ModuleContext::new(view, llvm, options, style))
}

/// Runs something on a module that PTX can express, and its view.
fn with_legal_view<T>(
    module: &ptx_llvm_core::Module<'_>,
    options: &RaiseOptions,
    run: impl FnOnce(&View, &ptx_llvm_core::Module<'_>) -> Result<T, Diagnostics>,
) -> Result<T, Diagnostics> {
    let view = View::new(module).map_err(|error| unreadable(&error))?;
    match ptx_legalize::legalize(module, &view, target::for_passes(&view, options))
        .map_err(|error| unreadable(&error))?
    {
        Some(legal) => {
            let view = View::new(&legal).map_err(|error| unreadable(&error))?;
            run(&view, &legal)
        }
        None => run(&view, module),
    }
}

/// The error for a module that LLVM cannot analyse, or for an intrinsic in it that LLVM's passes cannot expand.
fn unreadable(error: &LlvmError) -> Diagnostics {
    let code = if matches!(error, LlvmError::Unsupported { .. }) { INTRINSIC } else { VIEW };
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(Diagnostic::error_without_place(code, error.to_string()));
    diagnostics
}
