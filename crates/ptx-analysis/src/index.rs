//! The names of a document: what declares them, and where they occur.
//!
//! The index is built from the syntax tree, not from the module model, so that it also exists for a text with errors; in statements that cannot be
//! parsed, each word that is a name in scope is an occurrence. Scopes are those of PTX (manual 4.4, 5.4.6): a name belongs to the innermost braces
//! around its declaration, labels can be used before their definition.

mod build;
mod operands;
mod scopes;
mod symbol;
mod table;

pub(crate) use build::build;
pub(crate) use operands::{Rows, shape_of};
pub(crate) use scopes::split_number;
pub use symbol::{Access, Extent, FunctionExtent, Occurrence, StatementKind, Symbol, SymbolId, SymbolKind};
pub use table::Index;
