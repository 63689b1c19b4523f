//! What editors show of a PTX document.
//!
//! A [`Document`] is a text that changes. Its [`Index`] has the names with their declarations and occurrences, and is rebuilt after each change, which
//! takes milliseconds for a megabyte; hover texts, completions, symbols and semantic tokens are made from it and from the instruction table on
//! request. [`check`] has the diagnostics of the parser and the verifier, and takes longer, so that a server runs it apart.
//!
//! The crate does no input or output and knows no protocol; positions are byte offsets, which [`Document`] converts to lines and columns.
//!
//! Invariants:
//! - any text has an index, and no request panics, whatever its offset;
//! - everything takes time linear in the text;
//! - instructions, modifiers and directives that are shown, with their versions and sentences, are rows of `ptx-isa`.

mod calls;
mod check;
mod completion;
mod document;
mod folding;
mod format;
mod hints;
mod hover;
mod index;
mod instruction;
mod lines;
mod outline;
mod rename;
mod slice;
mod tokens;

pub use calls::{Call, incoming_calls, outgoing_calls};
pub use check::check;
pub use completion::{Completion, CompletionKind, completions};
pub use document::{Change, Document};
pub use folding::{Fold, FoldKind, folds};
pub use format::{Edit, format, format_edits};
pub use hints::{VersionHint, version_hints};
pub use hover::{Hover, hover};
pub use index::{
    Access, Extent, FunctionExtent, Index, Occurrence, StatementKind, Symbol, SymbolId, SymbolKind,
};
pub use lines::{Encoding, Position, Positions};
pub use outline::{Outline, outline};
pub use rename::{RenameError, rename, rename_range};
pub use tokens::{SemanticToken, TokenModifiers, TokenType, semantic_tokens};
