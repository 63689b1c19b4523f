//! Which functions call which.

use ptx_diag::Span;

use crate::document::Document;
use crate::index::{Access, Occurrence, SymbolId, SymbolKind};

/// Calls between two functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The other function.
    pub function: SymbolId,
    /// The names in the calls.
    pub places: Vec<Span>,
}

/// The functions that call a function, with the calls.
pub fn incoming_calls(document: &Document, callee: SymbolId) -> Vec<Call> {
    let calls = document.index().occurrences().iter().filter(|one| one.symbol == Some(callee));
    grouped(calls.filter(|one| one.access == Access::Call).filter_map(|one| {
        let (_, function) = document.index().function_at(one.span.lo)?;
        Some((function.symbol, one.span))
    }))
}

/// The functions that a function calls, with the calls.
pub fn outgoing_calls(document: &Document, caller: SymbolId) -> Vec<Call> {
    let index = document.index();
    let is_own = |one: &&Occurrence| {
        index.function_at(one.span.lo).is_some_and(|(_, function)| function.symbol == caller)
    };
    let calls = index.occurrences().iter().filter(|one| one.access == Access::Call).filter(is_own);
    // An indirect call names a register.
    let functions = calls.filter_map(|one| {
        let id = one.symbol?;
        let kind = index.symbol(id)?.kind;
        matches!(kind, SymbolKind::Function | SymbolKind::Kernel).then_some((id, one.span))
    });
    grouped(functions)
}

/// Calls by their function, in the order of the first ones.
fn grouped(calls: impl Iterator<Item = (SymbolId, Span)>) -> Vec<Call> {
    let mut found: Vec<Call> = Vec::new();
    let mut places: rustc_hash::FxHashMap<SymbolId, usize> = rustc_hash::FxHashMap::default();
    for (function, span) in calls {
        let at = *places.entry(function).or_insert(found.len());
        if at == found.len() {
            found.push(Call { function, places: Vec::new() });
        }
        found[at].places.push(span);
    }
    found
}
