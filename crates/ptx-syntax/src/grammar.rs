//! The grammar of PTX: nom parsers from tokens to syntax.
//!
//! Each production is a function whose comment quotes the syntax of the manual that it parses. Productions are in one file for each subject:
//! `module` (manual 11.1, 11.6), `function` (11.2, 11.4), `control` (labels and 11.3), `debug` (11.5), `variable` and `initializer` (5.4),
//! `constant` (4.5), `operand` (6) and `instruction` (4.3.2). `statement` selects the production of a statement by its first token;
//! no production tries alternatives in turn. Terminals are in `terminal`, errors in `error`.

pub(crate) mod constant;
pub(crate) mod control;
pub(crate) mod debug;
pub(crate) mod error;
pub(crate) mod function;
pub(crate) mod initializer;
pub(crate) mod instruction;
pub(crate) mod module;
pub(crate) mod operand;
pub(crate) mod statement;
pub(crate) mod terminal;
pub(crate) mod variable;

/// How deep parentheses, braces and initial values may be nested.
pub(crate) const MAX_DEPTH: u32 = 256;
