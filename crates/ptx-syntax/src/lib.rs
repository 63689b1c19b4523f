//! The PTX reader: text to module model.
//!
//! [`parse`] reads a whole file, [`parse_asm`] the statements of inline assembly into a body that exists already.
//! Both report all errors, each at its token, and continue after the invalid statement.
//!
//! Bytes become tokens in nom parsers that decide by the first byte (`lexer`); a cursor returns the tokens one at a
//! time and collects the comments between them (`cursor`). The grammar is one method per construct on the reader, which
//! keeps the declared names: everything but labels is declared before it is used, so names are resolved while they are read
//! (`declare`, `lookup`, `labels`). The row of the instruction table is selected by the mnemonic and the operands
//! (`mnemonics`, `instruction`). After an error the reader continues at the next statement (`recovery`).
//!
//! Invariants:
//! - every input yields a module and findings, never a panic, in time linear in its length;
//! - a module whose findings contain no error satisfies the model's invariants: names resolved, one operand for each
//!   operand of an instruction's form;
//! - nothing of the text is dropped except blanks and, on request, comments: comments and debug directives
//!   are items and statements of the model.

mod binary;
pub mod codes;
mod constant;
mod cursor;
mod debug;
mod declare;
mod directive;
mod foreign;
mod function;
mod initializer;
mod instruction;
mod label_scopes;
mod labels;
mod lexer;
mod lookup;
mod mentions;
mod mnemonics;
mod names;
mod operand;
mod reader;
mod recovery;
mod scoped;
mod statement;
mod variable;

use ptx_diag::{Diagnostic, Diagnostics, SourceFile};
use ptx_ir::{Body, Item, Module, Operand, Symbol};

pub use crate::cursor::Comments;
use crate::reader::Reader;

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
    let mut reader = Reader::new(text, None);
    reader.cursor.kept = comments;
    reader.module_items();
    reader.zero_bytes();
    // Labels are looked up at the end of their function only.
    reader.diagnostics.sort_by_place();
    (reader.module, reader.diagnostics)
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
    let mut reader = Reader::new(text.as_bytes(), Some(&mut resolve));
    reader.inline = false;
    reader.module = std::mem::take(module);
    reader.items();
    reader.zero_bytes();
    reader.diagnostics.sort_by_place();
    *module = reader.module;
    let read = module.items.split_off(items.min(module.items.len()));
    if reader.diagnostics.has_errors() {
        module.variables.truncate(variables);
        module.functions.truncate(functions);
        return Err(reader.diagnostics);
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
    let mut reader = Reader::new(text.as_bytes(), Some(resolve));
    reader.module = std::mem::take(module);
    reader.body = std::mem::take(body);
    reader.inline_statements();
    *module = reader.module;
    *body = reader.body;
    if reader.diagnostics.has_errors() {
        // Operands of what is taken back stay in their arena, where nothing names them any more.
        body.statements.truncate(statements);
        body.reg_decls.truncate(decls);
        body.registers.truncate(registers);
        body.labels.truncate(labels);
        return Err(reader.diagnostics);
    }
    Ok(())
}
