//! What became of a statement.

use ptx_diag::Span;

/// A statement of one of two functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its text.
    pub text: String,
    /// Where it is in the module's text.
    pub span: Span,
    /// The number of the basic block that it belongs to.
    pub block: usize,
    /// Whether it is an instruction, which can be executed.
    pub is_instruction: bool,
}

/// What became of a statement, in the order of both functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edit {
    /// It is the same but for names.
    Same(Line, Line),
    /// The opcode and the kinds of the operands are the same, but not the modifiers, or operands name something else than what corresponds.
    Changed(Line, Line),
    /// Only the first function has it.
    Removed(Line),
    /// Only the second function has it.
    Added(Line),
}

impl Edit {
    /// Whether nothing changed.
    pub fn is_same(&self) -> bool {
        matches!(self, Edit::Same(..))
    }

    /// The statements of both functions.
    pub fn sides(&self) -> (Option<&Line>, Option<&Line>) {
        match self {
            Edit::Same(before, after) | Edit::Changed(before, after) => (Some(before), Some(after)),
            Edit::Removed(line) => (Some(line), None),
            Edit::Added(line) => (None, Some(line)),
        }
    }
}
