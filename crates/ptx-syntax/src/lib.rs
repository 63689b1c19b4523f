//! The PTX reader: text to module model.
//!
//! [`parse`] reads a whole file, [`parse_asm`] the statements of inline assembly into a body that exists already.
//! Both report all errors, each at its token, and continue after the invalid statement.
//!
//! Bytes become tokens (`lexer`), in runs that go to a semicolon and so have all of the next statement (`stream`, `token`). The grammar is one nom
//! parser for each production of the manual (`grammar`); what it makes of a statement is a tree that borrows from the text ([`syntax`]). Names,
//! numbers and mnemonics are looked up afterwards (`resolve`): everything but labels is declared before it is used, so that each statement is
//! resolved as soon as it is parsed (`reader`). After an error the text goes on at the next statement (`recovery`).
//!
//! Invariants:
//! - every input yields a module and findings, never a panic, in time linear in its length;
//! - a module whose findings contain no error satisfies the model's invariants: names resolved, one operand for each
//!   operand of an instruction's form;
//! - nothing of the text is dropped except blanks and, on request, comments: comments and debug directives
//!   are items and statements of the model.

mod binary;
pub mod codes;
mod grammar;
mod in_place;
mod lexer;
mod literal;
mod reader;
mod recovery;
mod resolve;
mod statements;
mod stream;
pub mod syntax;
mod token;
mod tree;

use std::borrow::Cow;

use ptx_diag::{Diagnostic, Diagnostics, SourceFile};
use ptx_ir::{Body, Item, Module, Operand, Symbol};

use crate::reader::Reader;
pub use crate::stream::Comments;
use crate::stream::Source;

/// Reads a PTX file with its comments.
///
/// The module holds what could be read; use it only when the findings have no errors.
pub fn parse(source: &SourceFile) -> (Module, Diagnostics) {
    parse_with(source, Comments::Kept)
}

/// Reads a PTX file.
///
/// The module holds what could be read; use it only when the findings have no errors.
pub fn parse_with(source: &SourceFile, comments: Comments) -> (Module, Diagnostics) {
    let text = source.text();
    if u32::try_from(text.len()).is_err() {
        let mut diagnostics = Diagnostics::new();
        let message = "the input is larger than 4 GiB";
        diagnostics.push(Diagnostic::error_without_place(codes::TOO_LARGE, message));
        return (Module::default(), diagnostics);
    }
    if let Some(refusal) = binary::refusal(text) {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(refusal);
        return (Module::default(), diagnostics);
    }
    let characters = characters(text);
    let mut reader = Reader::new(Source { bytes: text, text: &characters }, None);
    reader.stream.kept = comments;
    reader.module();
    let mut resolver = reader.resolver;
    // Labels are looked up at the end of their function only.
    resolver.diagnostics.sort_by_place();
    (resolver.module, resolver.diagnostics)
}

/// The bytes as characters. One that is not UTF-8 becomes a character that no token has, so that places stay the same.
fn characters(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\x7F'));
    }
    Cow::Owned(text)
}

/// Reads directives, as a text beside a module holds them, and adds what they declare to the module; gives the items, which the caller
/// places.
///
/// `resolve` is asked for the names that the text does not declare.
///
/// # Errors
/// Everything that is wrong with the text; positions count from its start. The module is then as it was, but for its strings.
pub fn parse_items(
    text: &str,
    module: &mut Module,
    resolve: &mut dyn FnMut(&str) -> Option<Symbol>,
) -> Result<Vec<Item>, Diagnostics> {
    if u32::try_from(text.len()).is_err() {
        let mut diagnostics = Diagnostics::new();
        let message = "the assembly is larger than 4 GiB";
        diagnostics.push(Diagnostic::error_without_place(codes::TOO_LARGE, message));
        return Err(diagnostics);
    }
    let (variables, functions, items) = (module.variables.len(), module.functions.len(), module.items.len());
    let mut resolve = |name: &str| resolve(name).map(|symbol| Operand::Symbol(symbol, 0));
    let mut reader = Reader::new(text.into(), Some(&mut resolve));
    reader.resolver.inline = false;
    reader.resolver.module = std::mem::take(module);
    reader.items();
    reader.zero_bytes();
    let mut resolver = reader.resolver;
    resolver.diagnostics.sort_by_place();
    *module = resolver.module;
    let read = module.items.split_off(items.min(module.items.len()));
    if resolver.diagnostics.has_errors() {
        module.variables.truncate(variables);
        module.functions.truncate(functions);
        return Err(resolver.diagnostics);
    }
    Ok(read)
}

/// Reads the statements of inline assembly and appends them to a body.
///
/// Names that the text declares come first, in a scope of their own when the text has braces; `resolve` is asked for
/// the others (`$0`, registers and labels of the body around), and the module's functions and variables come last.
///
/// # Errors
/// Everything that is wrong with the text; positions count from its start. The body is then as it was.
pub fn parse_asm(
    text: &str,
    module: &mut Module,
    body: &mut Body,
    resolve: &mut dyn FnMut(&str) -> Option<Operand>,
) -> Result<(), Diagnostics> {
    if u32::try_from(text.len()).is_err() {
        let mut diagnostics = Diagnostics::new();
        let message = "the inline assembly is larger than 4 GiB";
        diagnostics.push(Diagnostic::error_without_place(codes::TOO_LARGE, message));
        return Err(diagnostics);
    }
    let (statements, decls) = (body.statements.len(), body.reg_decls.len());
    let (registers, labels) = (body.registers.len(), body.labels.len());
    let mut reader = Reader::new(text.into(), Some(resolve));
    reader.resolver.module = std::mem::take(module);
    reader.resolver.body = std::mem::take(body);
    reader.assembly();
    let resolver = reader.resolver;
    *module = resolver.module;
    *body = resolver.body;
    if resolver.diagnostics.has_errors() {
        // Operands of what is taken back stay in their arena, where nothing names them any more.
        body.statements.truncate(statements);
        body.reg_decls.truncate(decls);
        body.registers.truncate(registers);
        body.labels.truncate(labels);
        return Err(resolver.diagnostics);
    }
    Ok(())
}
