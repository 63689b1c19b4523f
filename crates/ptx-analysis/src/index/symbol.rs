//! Symbols, and where they occur.

use ptx_diag::Span;
use ptx_isa::ScalarType;

/// The number of a symbol in its index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SymbolId(pub(crate) u32);

/// The kind of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SymbolKind {
    /// A kernel.
    Kernel,
    /// A device function.
    Function,
    /// A variable in memory.
    Variable,
    /// A parameter or result of a function.
    Parameter,
    /// A register, or a range of registers.
    Register,
    /// A label of code, or of a line of a section.
    Label,
    /// The label of `.branchtargets`, `.calltargets` or `.callprototype`.
    Targets,
}

impl SymbolKind {
    /// In words.
    pub const fn text(self) -> &'static str {
        match self {
            SymbolKind::Kernel => "kernel",
            SymbolKind::Function => "function",
            SymbolKind::Variable => "variable",
            SymbolKind::Parameter => "parameter",
            SymbolKind::Register => "register",
            SymbolKind::Label => "label",
            SymbolKind::Targets => "label of a directive",
        }
    }
}

/// A declared name.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its kind.
    pub kind: SymbolKind,
    /// The name in its definition; of a function or variable that is declared several times, in the one with a body or value.
    pub name: Span,
    /// The whole directive of that definition.
    pub declaration: Span,
    /// The number of names of a range (`%r<4>`), whose names are the symbol's with a number.
    pub count: Option<u32>,
    /// The type, if it has one.
    pub ty: Option<ScalarType>,
    /// The number in [`Index::functions`](super::Index::functions) of the function that it is declared in.
    pub function: Option<u32>,
    /// Whether it was defined, not only declared.
    pub(super) is_defined: bool,
    /// The number of enclosing scopes.
    pub(super) depth: u32,
    /// The range of the same name in an outer scope, for names with a larger number.
    pub(super) outer: Option<SymbolId>,
}

/// What a statement does with a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Declares or defines it.
    Declare,
    /// Reads it, or names it otherwise.
    Read,
    /// Writes the register.
    Write,
    /// Reads and writes the register.
    Update,
    /// Calls the function.
    Call,
}

impl Access {
    /// Whether it changes the register.
    pub const fn is_written(self) -> bool {
        matches!(self, Access::Write | Access::Update)
    }
}

/// A place where a name occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// The name.
    pub span: Span,
    /// The symbol; `None` if nothing of this name is declared.
    pub symbol: Option<SymbolId>,
    /// What is done with it.
    pub access: Access,
}

/// A function or kernel, or a declaration of one.
#[derive(Clone, Copy, Debug)]
pub struct FunctionExtent {
    /// Its symbol.
    pub symbol: SymbolId,
    /// The directive with the body.
    pub span: Span,
    /// The braces of the body with what is between them, if there is one.
    pub body: Option<Span>,
}

/// The kind of a statement, as far as its words are read differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// An instruction.
    Instruction,
    /// Any other statement.
    Other,
    /// A text that is no statement.
    Error,
}

/// A statement's extent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// From its first token to its last one.
    pub span: Span,
    /// Its kind.
    pub kind: StatementKind,
}
