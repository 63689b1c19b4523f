//! The PTX reader: text to module model.
//!
//! [`parse`] reads a whole file, [`parse_asm`] the statements of inline assembly into a body that exists already.
//! Both report all errors, each at its token, and continue after the invalid statement.
//!
//! The lexer converts bytes to tokens (`lexer`), in runs up to a semicolon that have all tokens of the next statement (`stream`, `token`). The
//! grammar has one nom parser for each production of the manual (`grammar`), and makes a tree that borrows from the text ([`syntax`]). Names,
//! numbers and mnemonics are resolved afterwards (`resolve`): everything except labels is declared before it is used, so that each statement is
//! resolved as soon as it is parsed (`reader`). After an error parsing resumes at the next statement (`recovery`).
//!
//! Invariants:
//! - every input yields a module and findings, never a panic, in time linear in its length;
//! - a module whose findings contain no error satisfies the model's invariants: names resolved, one operand for each
//!   operand of an instruction's form;
//! - nothing of the text is dropped except blanks and, on request, comments: comments and debug directives
//!   are items and statements of the model.

mod binary;
pub mod codes;
mod cuda_source;
mod elements;
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

pub use crate::cuda_source::cuda_source;
use crate::reader::Reader;
pub use crate::stream::Comments;
use crate::stream::Source;

/// Reads a PTX file with its comments.
///
/// The module contains everything that could be read; use it only if the diagnostics have no errors.
///
/// ```
/// use ptx_diag::SourceFile;
///
/// let source = SourceFile::new("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }");
/// let (module, found) = ptx_syntax::parse(&source);
/// assert!(!found.has_errors());
/// assert_eq!(module.functions.len(), 1);
/// ```
pub fn parse(source: &SourceFile) -> (Module, Diagnostics) {
    parse_with(source, Comments::Kept)
}

/// Reads a PTX file.
///
/// The module contains everything that could be read; use it only if the diagnostics have no errors.
///
/// ```
/// use ptx_diag::SourceFile;
/// use ptx_syntax::{Comments, parse_with};
///
/// let source = SourceFile::new("k.ptx", "// Nothing.\n.version 8.0\n.target sm_80\n.address_size 64\n");
/// assert_eq!(parse_with(&source, Comments::Kept).0.items.len(), 4);
/// assert_eq!(parse_with(&source, Comments::Dropped).0.items.len(), 3);
/// ```
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
    if resolver.diagnostics.has_errors()
        && let Some(refusal) = cuda_source(source)
    {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(refusal);
        return (Module::default(), diagnostics);
    }
    // Labels are resolved at the end of their function, so that their errors are out of order.
    resolver.diagnostics.sort_by_place();
    (resolver.module, resolver.diagnostics)
}

/// Converts bytes to text. Each byte of invalid UTF-8 is replaced by one that no token contains, so that positions do not change.
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

/// Reads the directives of inline assembly at module level, and adds their declarations to the module. Returns the items, which the caller
/// inserts.
///
/// `resolve` resolves the names that the text does not declare.
///
/// # Errors
/// Returns all errors of the text, with positions relative to its start. The module is then unchanged, except for its strings.
///
/// ```
/// use ptx_ir::Module;
///
/// let mut module = Module::default();
/// let items = ptx_syntax::parse_items(".global .u32 x;", &mut module, &mut |_| None).unwrap();
/// assert_eq!((items.len(), module.variables.len()), (1, 1));
/// assert!(ptx_syntax::parse_items(".global .u32", &mut module, &mut |_| None).is_err());
/// ```
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
/// A name is looked up first among the declarations of the text, which are in a separate scope if the text has braces; then
/// with `resolve` (`$0`, registers and labels of the enclosing body), and last among the module's functions and variables.
///
/// # Errors
/// Returns all errors of the text, with positions relative to its start. The body is then unchanged.
///
/// ```
/// use ptx_ir::{Body, Immediate, Module, Operand};
///
/// let (mut module, mut body) = (Module::default(), Body::default());
/// let mut one = |name: &str| (name == "$0").then_some(Operand::Immediate(Immediate::integer(1)));
/// ptx_syntax::parse_asm("{ .reg .u32 %t; mov.u32 %t, $0; }", &mut module, &mut body, &mut one).unwrap();
/// assert_eq!(body.instructions().count(), 1);
/// ```
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
        // The operands of the removed statements stay in their arena, unreferenced.
        body.statements.truncate(statements);
        body.reg_decls.truncate(decls);
        body.registers.truncate(registers);
        body.labels.truncate(labels);
        return Err(resolver.diagnostics);
    }
    Ok(())
}
