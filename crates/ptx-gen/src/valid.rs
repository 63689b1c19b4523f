//! Generating until the verifier accepts.

use ptx_diag::{Diagnostics, SourceFile};
use ptx_ir::{Item, Module, Stmt};
use ptx_isa::FormId;

use crate::choices::Choices;
use crate::instruction::{Instruction, instruction};
use crate::mnemonic::{Density, Pin};
use crate::module::{Home, module};

/// Reads and verifies a text.
///
/// # Errors
/// The findings, when one of them is an error.
pub fn check(text: &str) -> Result<Module, Diagnostics> {
    let source = SourceFile::new("generated.ptx", text);
    let (module, findings) = ptx_syntax::parse(&source);
    if findings.has_errors() {
        return Err(findings);
    }
    match ptx_verify::verify(&module) {
        Ok(_) => Ok(module),
        Err(findings) => Err(findings),
    }
}

/// Whether a module that reads well uses a row.
pub fn uses(module: &Module, id: FormId) -> bool {
    let bodies = module.items.iter().filter_map(|item| match item {
        Item::Function(function) => module.function(*function).body.as_ref(),
        _ => None,
    });
    bodies.flat_map(|body| &body.statements).any(|stmt| match stmt {
        Stmt::Inst(inst) => inst.mnemonic.form_id() == id,
        _ => false,
    })
}

/// A random instruction of a row, with a module of its own that our reader and verifier accept, and that reads back
/// as this row.
///
/// `None` when `attempts` attempts found none: then the row, or the modifier that must occur in it, may be out of reach.
pub fn valid_instruction(
    choices: &mut dyn Choices,
    id: FormId,
    pin: Option<Pin>,
    attempts: usize,
) -> Option<(Instruction, Home)> {
    (0..attempts).find_map(|attempt| {
        let density = if attempt % 2 == 0 { Density::Sparse } else { Density::Dense };
        let generated = instruction(choices, id, pin, density)?;
        let home = Home::any_of(choices, &generated.mnemonic)?;
        let read = check(&module(home, [&generated]).text).ok()?;
        uses(&read, id).then_some((generated, home))
    })
}
