//! The instruction table for other programs.
//!
//! [`json`] is the whole table as JSON, for documentation and tools. [`grammars`] has the generated files of `editors/`: a TextMate grammar, and the
//! words of the tree-sitter grammar. All of it is a function of `ptx-isa`'s rows; a test compares the committed files with it.

mod grammars;
mod json;
mod textmate;
mod words;

pub use grammars::{Grammar, grammars};
pub use json::{SCHEMA_VERSION, json};
