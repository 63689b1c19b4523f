//! Constructs that cannot be lowered, and their diagnostics.

use ptx_diag::{Code, Diagnostic, Span};
use ptx_llvm_core::LlvmError;

ptx_diag::codes! {
    /// An instruction or operand that cannot be lowered.
    pub(crate) const UNSUPPORTED_INSTRUCTION: Code = Code("L0101");
    /// A directive or declaration that cannot be lowered.
    pub(crate) const UNSUPPORTED_DIRECTIVE: Code = Code("L0102");
    /// LLVM rejected the generated module, or a step found what an earlier one excludes: a defect of the lowering.
    pub(crate) const REFUSED: Code = Code("L0901");
}

/// Why one construct could not be lowered.
#[derive(Debug)]
pub(crate) enum LowerError {
    /// LLVM rejected a call, which is a defect of the lowering.
    Llvm(LlvmError),
    /// What an earlier step ensures is not so, which is a defect of the lowering.
    Defect(&'static str),
    /// There is no lowering; the sentence names the construct, and the help an alternative.
    Unsupported(String, Option<&'static str>),
}

/// The result of lowering one construct.
pub(crate) type Result<T, E = LowerError> = std::result::Result<T, E>;

impl From<LlvmError> for LowerError {
    fn from(error: LlvmError) -> Self {
        LowerError::Llvm(error)
    }
}

/// A construct that has no lowering.
pub(crate) fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(LowerError::Unsupported(what.into(), None))
}

/// What an earlier step ensures is not so.
pub(crate) fn defect<T>(what: &'static str) -> Result<T> {
    Err(LowerError::Defect(what))
}

impl LowerError {
    fn own_defect(span: Span, construct: &str, what: &str) -> Diagnostic {
        Diagnostic::error(REFUSED, span, format!("`{construct}` could not be built: {what}"))
            .with_help("this is a defect of the lowering, not of the input")
    }

    /// The diagnostic at the location of the construct, which `construct` names.
    pub(crate) fn at(self, code: Code, span: Span, construct: &str) -> Diagnostic {
        match self {
            LowerError::Llvm(error) => Self::own_defect(span, construct, &error.to_string()),
            LowerError::Defect(what) => Self::own_defect(span, construct, what),
            LowerError::Unsupported(what, help) => {
                let message = format!("`{construct}` cannot be lowered to LLVM IR: {what}");
                let diagnostic = Diagnostic::error(code, span, message).with_label("has no counterpart yet");
                match help {
                    Some(help) => diagnostic.with_help(help),
                    None => diagnostic.with_help("`--emit=ptx` keeps it as it is"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defects_are_errors_of_their_own() {
        let fail = defect::<()>("a phi has no block").expect_err("an error");
        let diagnostic = fail.at(UNSUPPORTED_INSTRUCTION, Span::default(), "add.u32");
        assert_eq!(diagnostic.code, REFUSED);
        assert_eq!(diagnostic.message, "`add.u32` could not be built: a phi has no block");
    }
}
