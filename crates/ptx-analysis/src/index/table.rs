//! The index: symbols, occurrences and statements, and what is asked of them.

use ptx_diag::Span;

use crate::slice::slice;

use super::symbol::{Access, Extent, FunctionExtent, Occurrence, Symbol, SymbolId};

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
