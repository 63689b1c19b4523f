//! The symbols of a document as a tree: what a function declares is below it.

use ptx_demangle::demangled;
use ptx_diag::Span;

use crate::document::Document;
use crate::hover::declaration_text;
use crate::index::{Symbol, SymbolId, SymbolKind};

/// A symbol with those that are declared in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outline {
    /// The name; of a range with its count.
    pub name: String,
    /// The type of a variable or register, in PTX; the words before the name of a function, and its name in the source if that is another.
    pub detail: String,
    /// The kind.
    pub kind: SymbolKind,
    /// The declaration, of a function with its body.
    pub span: Span,
    /// The name in the declaration.
    pub name_span: Span,
    /// What a function declares.
    pub children: Vec<Outline>,
}

/// The symbols of a document, in the order of the text.
pub fn outline(document: &Document) -> Vec<Outline> {
    let index = document.index();
    let mut roots: Vec<Outline> = Vec::new();
    // The number of a function to its entry among the roots.
    let mut entries: Vec<Option<usize>> = vec![None; index.functions().len()];
    for (number, function) in index.functions().iter().enumerate() {
        // Of several declarations the one that the symbol names.
        if let Some(symbol) = index.symbol(function.symbol)
            && (function.span.lo..function.span.hi).contains(&symbol.name.lo)
        {
            entries[number] = Some(roots.len());
            roots.push(entry(document, function.symbol, symbol, function.span));
        }
    }
    for (id, symbol) in index.symbols() {
        if matches!(symbol.kind, SymbolKind::Kernel | SymbolKind::Function) {
            continue;
        }
        let own = entry(document, id, symbol, symbol.declaration.to(symbol.name));
        match symbol.function.map(|function| entries.get(function as usize)) {
            None => roots.push(own),
            Some(Some(Some(at))) => roots[*at].children.push(own),
            // What a declaration without a body declares is not listed.
            Some(_) => {}
        }
    }
    roots.sort_by_key(|root| root.span);
    roots
}

fn entry(document: &Document, _: SymbolId, symbol: &Symbol, span: Span) -> Outline {
    let name = document.slice(symbol.name);
    let name = symbol.count.map_or_else(|| name.to_owned(), |count| format!("{name}<{count}>"));
    let detail = match (symbol.kind, symbol.ty) {
        (SymbolKind::Kernel | SymbolKind::Function | SymbolKind::Variable, _) => {
            let text = declaration_text(document, symbol);
            let head = text.split_once(document.slice(symbol.name)).map(|(head, _)| head);
            let source = demangled(document.slice(symbol.name));
            let words = head.into_iter().flat_map(str::split_whitespace).chain(source.as_deref());
            words.collect::<Vec<_>>().join(" ")
        }
        (_, Some(ty)) => format!(".{}", ty.as_str()),
        (_, None) => String::new(),
    };
    // An editor requires the name to be within the span.
    let span = span.to(symbol.name);
    Outline { name, detail, kind: symbol.kind, span, name_span: symbol.name, children: Vec::new() }
}
