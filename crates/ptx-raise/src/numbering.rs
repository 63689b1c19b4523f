//! Which LLVM instruction a finding about raised PTX is about.
//!
//! While a module is raised, each PTX instruction has as its position the number of the LLVM instruction that it is for, counted through
//! all functions from 1. The verifier's findings about the module then have these numbers, while the findings about its printed text have places in
//! a text that the user has not got.

use ptx_diag::{Code, Span};
use ptx_llvm_core::view::{FunctionId, InstId, View};

/// A finding of the verifier about a module that was raised.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Its code.
    pub code: Code,
    /// Its message.
    pub message: String,
    /// The function, the instruction and its debug location in words; `None` for what is about no instruction.
    pub place: Option<String>,
}

/// The number of the first instruction of each function.
pub(crate) fn first_numbers(view: &View) -> Vec<u32> {
    let mut next = 1_u32;
    let first = |count: usize| {
        let first = next;
        // Default: instructions past the last number share it.
        next = next.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        first
    };
    view.functions.iter().map(|function| function.insts.len()).map(first).collect()
}

/// The instruction of a position.
fn instruction(view: &View, position: Span) -> Option<(FunctionId, InstId)> {
    let mut rest = (position.lo as usize).checked_sub(1)?;
    for (at, function) in view.functions.iter().enumerate() {
        if rest < function.insts.len() {
            return Some((FunctionId::new(at), InstId::new(rest)));
        }
        rest -= function.insts.len();
    }
    None
}

/// The instruction of a position in words.
pub(crate) fn place(view: &View, llvm: &ptx_llvm_core::Module<'_>, position: Span) -> Option<String> {
    let (function, inst) = instruction(view, position)?;
    let mut text =
        format!("function {}: {}", view.function(function).name, llvm.instruction_text(function, inst));
    let location = view.function(function).insts.get(inst.index()).and_then(|inst| inst.location);
    if let Some(location) = location.map(|location| view.location(location))
        && let Some(file) = location.file
    {
        text += &format!(", at {}:{}:{}", view.file(file).name, location.line, location.column);
    }
    Some(text)
}
