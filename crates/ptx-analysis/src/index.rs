//! The names of a document: what declares them, and where they occur.
//!
//! The index is built from the syntax tree, not from the module model, so that it also exists for a text with errors; in statements that cannot be
//! parsed, each word that is a name in scope is an occurrence. Scopes are those of PTX (manual 4.4, 5.4.6): a name belongs to the innermost braces
//! around its declaration, labels can be used before their definition.

mod build;
mod operands;
mod scopes;

use ptx_diag::Span;
use ptx_isa::ScalarType;

pub(crate) use operands::{Rows, shape_of};
pub(crate) use scopes::split_number;

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
    /// The number in [`Index::functions`] of the function that it is declared in.
    pub function: Option<u32>,
    /// Whether it was defined, not only declared.
    is_defined: bool,
    /// The number of enclosing scopes.
    depth: u32,
    /// The range of the same name in an outer scope, for names with a larger number.
    outer: Option<SymbolId>,
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

/// The names of a document.
#[derive(Clone, Debug, Default)]
pub struct Index {
    pub(crate) symbols: Vec<Symbol>,
    /// By their position.
    pub(crate) occurrences: Vec<Occurrence>,
    /// In the order of the text.
    pub(crate) functions: Vec<FunctionExtent>,
    /// In the order of the text.
    pub(crate) statements: Vec<Extent>,
    /// Braces inside of bodies.
    pub(crate) blocks: Vec<Span>,
    /// The arguments of the first `.version` and `.target`.
    pub(crate) version: Option<Span>,
    pub(crate) target: Option<Span>,
}

impl Index {
    /// The index of a text; it takes time linear in the text.
    pub fn new(text: &str) -> Self {
        build::build(text)
    }

    /// A symbol.
    pub fn symbol(&self, id: SymbolId) -> Option<&Symbol> {
        self.symbols.get(id.0 as usize)
    }

    /// All symbols, in the order of their first declarations.
    pub fn symbols(&self) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        self.symbols.iter().enumerate().map(|(at, symbol)| (SymbolId(at as u32), symbol))
    }

    /// All occurrences by their position.
    pub fn occurrences(&self) -> &[Occurrence] {
        &self.occurrences
    }

    /// The functions in the order of the text.
    pub fn functions(&self) -> &[FunctionExtent] {
        &self.functions
    }

    /// The statements in the order of the text.
    pub fn statements(&self) -> &[Extent] {
        &self.statements
    }

    /// The occurrence that contains an offset, or ends at it.
    pub fn occurrence_at(&self, offset: u32) -> Option<&Occurrence> {
        let after = self.occurrences.partition_point(|one| one.span.lo <= offset);
        let before = self.occurrences.get(..after)?.last()?;
        (before.span.hi >= offset).then_some(before)
    }

    /// The statement that contains an offset, or the last one that begins before it.
    pub fn statement_before(&self, offset: u32) -> Option<Extent> {
        let after = self.statements.partition_point(|one| one.span.lo <= offset);
        self.statements.get(..after)?.last().copied()
    }

    /// The function whose directive or body contains an offset.
    pub fn function_at(&self, offset: u32) -> Option<(u32, &FunctionExtent)> {
        let after = self.functions.partition_point(|one| one.span.lo <= offset);
        let at = after.checked_sub(1)?;
        let function = self.functions.get(at)?;
        (function.span.hi >= offset).then_some((at as u32, function))
    }

    /// The occurrences of a symbol; of a range those with a number, too. With `name` only those of one register of a range, and its
    /// declaration.
    pub fn references<'i>(
        &'i self,
        text: &'i str,
        id: SymbolId,
        name: Option<&'i str>,
    ) -> impl Iterator<Item = &'i Occurrence> {
        let is_meant = move |one: &&Occurrence| match name {
            Some(name) => one.access == Access::Declare || slice(text, one.span) == name,
            None => true,
        };
        self.occurrences.iter().filter(move |one| one.symbol == Some(id)).filter(is_meant)
    }
}

/// The text of a span.
pub(crate) fn slice(text: &str, span: Span) -> &str {
    let found = text.get(span.lo as usize..span.hi as usize);
    debug_assert!(found.is_some(), "a span outside of the text");
    // Default: as asserted.
    found.unwrap_or_default()
}
