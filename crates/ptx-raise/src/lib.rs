//! Raises LLVM IR back to the PTX module model.
//!
//! [`raise`] is an instruction selector of its own: it reads a picture of the module
//! ([`ptx_llvm::view`]) and builds a [`ptx_ir::Module`] that [`ptx_ir::print`] writes as PTX. LLVM's NVPTX backend has no part in it.
//!
//! A module first becomes one that PTX can express ([`ptx_legalize`]), in a copy. Then a function goes through stages: `flow` orders its blocks, `cover` decides what becomes of each instruction, `emit` writes
//! that, and [`ptx_coalesce`] and `registers` clean up what was written (ARCHITECTURE.md, "From LLVM IR to PTX").
//! Intrinsics are found through the same rows as the lowering's ([`ptx_llvm::intrinsics`]), inline assembly is read by the
//! ordinary reader ([`ptx_syntax`]); `docs/mapping.md` says what stands for what.
//!
//! Invariants:
//! - What comes out means what went in, or the module is refused with a finding that names the function and the instruction.
//!   Nothing is dropped but what computes nothing: debug records, lifetime marks, assumptions, hints.
//! - A memory order is never weaker and a scope never narrower than LLVM's.
//! - Blocks keep their order and branches their polarity. Instructions keep their order but for those that a rule of the cover moves to another
//!   one's place. Blocks that cannot be reached disappear.
//! - The result depends on the module and the options alone.
//! - Recursion is bounded whatever the input (constants 64 levels deep, types 256).

mod assembly;
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
mod per_inst;
mod references;
mod registers;
mod signature;
mod source;
mod style;
mod target;
mod types;
mod upper_halves;
mod value;

/// The codes of what cannot be raised, with their meanings.
pub use error::MEANINGS as CODES;
pub use error::{
    ASSEMBLY, BOUND, CALL, INITIALIZER, INSTRUCTION, INTRINSIC, MODULE, ORDER, SAID, SCOPE, SECTIONS,
    TAIL_CALL, TARGET, TYPE, VIEW, VISIBLE,
};
pub use names::{escape, unescape};
pub use style::{Annotations, Names, Style};
pub use target::RaiseOptions;

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_llvm::LlvmError;
use ptx_llvm::view::View;

use crate::context::ModuleContext;

/// Raises `module` to PTX; gives what it became with warnings about what the target takes no notice of.
///
/// The module should have passed LLVM's verifier. What the result states as `.version` and `.target` follows from
/// the options, else from `!ptx.version` and `!ptx.target`, else from the functions' `target-cpu` and `target-features`, else it is
/// the lowest that has everything used.
///
/// # Errors
///
/// Everything that has no counterpart in PTX, one finding each, with the function and the instruction in words.
pub fn raise(
    module: &ptx_llvm::Module<'_>,
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
    module: &ptx_llvm::Module<'_>,
    options: &RaiseOptions,
    style: Style,
) -> Result<(ptx_ir::Module, Diagnostics), Diagnostics> {
    let view = View::new(module).map_err(|error| unreadable(&error))?;
    match ptx_legalize::legalize(module, &view, target::for_passes(&view, options))
        .map_err(|error| unreadable(&error))?
    {
        Some(legal) => {
            let view = View::new(&legal).map_err(|error| unreadable(&error))?;
            module::raise(ModuleContext::new(&view, &legal, options, style))
        }
        None => module::raise(ModuleContext::new(&view, module, options, style)),
    }
}

/// A module that LLVM cannot take apart, or an intrinsic in it that LLVM's passes cannot.
fn unreadable(error: &LlvmError) -> Diagnostics {
    let code = if matches!(error, LlvmError::Unsupported { .. }) { INTRINSIC } else { VIEW };
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(Diagnostic::error_without_place(code, error.to_string()));
    diagnostics
}
