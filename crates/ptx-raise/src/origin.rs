//! Which LLVM instruction a finding about raised PTX is about.
//!
//! While a module is raised, each PTX instruction has as its position the number of the LLVM instruction that it is for, counted through
//! all functions from 1. The verifier's findings about the module then have these numbers, while the findings about its printed text have places in
//! a text that the user has not got.

use ptx_diag::{Code, Severity, Span};
use ptx_llvm::view::{FunctionId, InstId, View};

use crate::context::ModuleContext;
use crate::{RaiseOptions, Style};

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
        next = next.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        first
    };
    view.functions.iter().map(|function| function.insts.len()).map(first).collect()
}

impl ModuleContext<'_, '_> {
    /// The position of PTX instructions that are for an LLVM instruction.
    pub(crate) fn position(&self, function: FunctionId, inst: InstId) -> Span {
        let first = self.first_numbers.get(function.index()).copied();
        debug_assert!(first.is_some(), "each function of the view has a number");
        let number = first.map_or(0, |first| first.saturating_add(inst.index() as u32));
        Span::new(number, number)
    }
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

/// The errors that the verifier finds in what a module is raised to, in its order.
///
/// # Errors
///
/// Those of [`crate::raise`].
pub fn origins(
    module: &ptx_llvm::Module<'_>,
    options: &RaiseOptions,
    style: Style,
) -> Result<Vec<Origin>, ptx_diag::Diagnostics> {
    crate::with_legal_view(module, options, |view, llvm| {
        let (raised, _) = crate::raise_view(view, llvm, options, style)?;
        let findings = match ptx_verify::verify(&raised) {
            Ok(_) => return Ok(Vec::new()),
            Err(findings) => findings,
        };
        let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
        let origin = |finding: &ptx_diag::Diagnostic| Origin {
            code: finding.code,
            message: finding.message.clone(),
            place: finding.span.and_then(|span| place(view, llvm, span)),
        };
        Ok(errors.map(origin).collect())
    })
}

fn place(view: &View, llvm: &ptx_llvm::Module<'_>, position: Span) -> Option<String> {
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
