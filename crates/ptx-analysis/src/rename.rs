//! Renaming a symbol.

use std::fmt;

use ptx_diag::Span;

use crate::document::Document;
use crate::format::Edit;
use crate::index::{Access, Occurrence, Symbol, SymbolId, split_number};
use crate::instruction::special_register;

/// Why a symbol cannot be renamed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RenameError {
    /// There is no declared name at the position.
    NoSymbol,
    /// The new name is not an identifier of PTX (manual 4.4).
    NotAName(String),
    /// The new name is reserved.
    Reserved(String),
    /// A digit ends the new name of a range, whose names would be ambiguous.
    EndsWithDigit(String),
    /// Something else has the name.
    Taken(String),
}

impl fmt::Display for RenameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSymbol => f.write_str("there is no declared name here"),
            Self::NotAName(name) => write!(f, "`{name}` is not a name in PTX"),
            Self::Reserved(name) => write!(f, "`{name}` is reserved"),
            Self::EndsWithDigit(name) => {
                write!(f, "`{name}` ends with a digit, to which the numbers of the range would be added")
            }
            Self::Taken(name) => write!(f, "`{name}` is declared already"),
        }
    }
}

impl std::error::Error for RenameError {}

/// The part of the name at an offset that a new name replaces: of `%r12` from a range `%r<..>` it is `%r`.
pub fn rename_range(document: &Document, offset: u32) -> Option<Span> {
    let (occurrence, _, symbol) = symbol_at(document, offset)?;
    Some(replaced(document, occurrence, symbol))
}

fn symbol_at(document: &Document, offset: u32) -> Option<(&Occurrence, SymbolId, &Symbol)> {
    let occurrence = document.index().occurrence_at(offset)?;
    let id = occurrence.symbol?;
    Some((occurrence, id, document.index().symbol(id)?))
}

/// The part of an occurrence that is the symbol's name.
fn replaced(document: &Document, occurrence: &Occurrence, symbol: &Symbol) -> Span {
    let span = occurrence.span;
    if symbol.count.is_none() || occurrence.access == Access::Declare {
        return span;
    }
    let prefix = split_number(document.slice(span)).map(|(prefix, _)| prefix.len() as u32);
    // Default: a name of a range has a number.
    Span::new(span.lo, prefix.map_or(span.hi, |length| span.lo + length))
}

/// The edits that give the symbol at an offset a new name.
///
/// # Errors
/// When there is no symbol, or the new name is none, or taken where the symbol is visible.
pub fn rename(document: &Document, offset: u32, name: &str) -> Result<Vec<Edit>, RenameError> {
    let (_, id, symbol) = symbol_at(document, offset).ok_or(RenameError::NoSymbol)?;
    check_name(name, symbol)?;
    if is_taken(document, id, symbol, name) {
        return Err(RenameError::Taken(name.to_owned()));
    }
    let places = document.index().references(document.text(), id, None);
    Ok(places.map(|one| Edit { span: replaced(document, one, symbol), text: name.to_owned() }).collect())
}

fn check_name(name: &str, symbol: &Symbol) -> Result<(), RenameError> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let mut characters = name.chars();
    let is_name = match characters.next() {
        Some('%' | '$' | '_') => name.len() > 1,
        Some(first) => first.is_ascii_alphabetic(),
        None => false,
    };
    if !is_name || !characters.all(is_letter) {
        return Err(RenameError::NotAName(name.to_owned()));
    }
    let is_reserved = matches!(name, "WARP_SZ" | "inlined_at" | "function_name");
    if is_reserved || special_register(name).is_some() {
        return Err(RenameError::Reserved(name.to_owned()));
    }
    match symbol.count {
        Some(_) if name.ends_with(|c: char| c.is_ascii_digit()) => {
            Err(RenameError::EndsWithDigit(name.to_owned()))
        }
        _ => Ok(()),
    }
}

/// Whether another symbol of the same function, or of the module, has the name, or a number of its range does.
fn is_taken(document: &Document, id: SymbolId, symbol: &Symbol, name: &str) -> bool {
    let is_near = |other: &Symbol| {
        other.function == symbol.function || other.function.is_none() || symbol.function.is_none()
    };
    let collides = |other: &Symbol| {
        let own = document.slice(other.name);
        let of_range = |range: &str, count: Option<u32>, single: &str| {
            let number = split_number(single).filter(|(prefix, _)| *prefix == range);
            count.is_some_and(|count| number.is_some_and(|(_, number)| number < count))
        };
        match (symbol.count, other.count) {
            (None, None) | (Some(_), Some(_)) => own == name,
            (None, count) => of_range(own, count, name),
            (count, None) => of_range(name, count, own),
        }
    };
    let mut others = document.index().symbols().filter(|(other, _)| *other != id);
    others.any(|(_, other)| is_near(other) && collides(other))
}
