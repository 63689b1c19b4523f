//! Recovery: going on after an error.
//!
//! In goes the place of an error, out comes a place from which reading makes sense again: the next statement, the next item of the module, or the
//! next line. Two rules keep one mistake from causing others. Skipping stops before what can only begin something new at the start of a
//! line, so that a missing `;` or `}` costs one statement. And names that are declared in what is skipped are noted as spoiled, so that their uses
//! are not reported as unknown. Each function takes tokens until it stops, so that all of them together are linear in the input.

use ptx_diag::{Diagnostic, Span};

use crate::codes;
use crate::cursor::Token;
use crate::lexer::TokenKind;
use crate::reader::{Parse, Reader};

/// Whether a directive can only start an item of a module.
pub(crate) fn starts_item(name: &str) -> bool {
    matches!(
        name,
        "entry"
            | "func"
            | "visible"
            | "extern"
            | "weak"
            | "common"
            | "version"
            | "target"
            | "address_size"
            | "alias"
            | "file"
            | "section"
    )
}

/// Whether a directive can start a statement or an item.
fn starts_statement(name: &str) -> bool {
    starts_item(name)
        || matches!(
            name,
            "reg"
                | "param"
                | "local"
                | "shared"
                | "global"
                | "const"
                | "tex"
                | "loc"
                | "pragma"
                | "branchtargets"
                | "calltargets"
                | "callprototype"
        )
}

impl Reader<'_, '_> {
    /// Skips the rest of a statement: past its semicolon, or to before a brace or a line that starts anew.
    ///
    /// The names in a declaration that is skipped stay unknown; their uses are not reported.
    pub(crate) fn skip_statement(&mut self, started: Span) {
        let declares = self.cursor.slice(started).starts_with(b".");
        loop {
            let token = self.cursor.peek();
            if let TokenKind::Ident(name) = token.kind
                && declares
            {
                self.spoiled.insert(name);
            }
            // Not the token at which the statement began: stopping there again would not make progress.
            let fresh = token.span.lo > started.lo;
            match token.kind {
                TokenKind::End => return,
                TokenKind::Mark(b';') => {
                    self.cursor.advance();
                    return;
                }
                // `mov.b64 {%r1, %r2}, %rd` has braces too, but on its own line.
                TokenKind::Mark(b'{' | b'}') if fresh && token.starts_line => return,
                TokenKind::Mark(b'}') if fresh && !self.vector_closes() => return,
                TokenKind::Directive(name) if fresh && token.starts_line && starts_statement(name) => return,
                _ => {
                    self.cursor.advance();
                }
            }
        }
    }

    /// Whether a closing brace belongs to a vector or list: a comma, semicolon or bracket follows it.
    fn vector_closes(&mut self) -> bool {
        let at = self.cursor.span().hi;
        let rest = self.cursor.text_from(at);
        let next = rest.iter().find(|byte| !byte.is_ascii_whitespace());
        matches!(next, Some(b',' | b';' | b']' | b'}'))
    }

    /// Skips the rest of a module variable: past its semicolon, or to before a line that starts an item.
    pub(crate) fn skip_declaration(&mut self, started: Span) {
        loop {
            let token = self.cursor.peek();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Mark(b';') => {
                    self.cursor.advance();
                    return;
                }
                TokenKind::Directive(name)
                    if token.span.lo > started.lo && token.starts_line && starts_statement(name) =>
                {
                    return;
                }
                TokenKind::Ident(name) => {
                    self.spoiled.insert(name);
                    self.cursor.advance();
                }
                _ => {
                    self.cursor.advance();
                }
            }
        }
    }

    /// Reads a directive that ends with its line; after an error the next line is read.
    pub(crate) fn or_next_line<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Option<T> {
        match read(self) {
            Ok(value) => Some(value),
            Err(error) => {
                self.report(*error);
                loop {
                    let token = self.cursor.peek();
                    if token.kind == TokenKind::End || token.starts_line {
                        return None;
                    }
                    self.cursor.advance();
                }
            }
        }
    }

    /// Skips to the next line that starts an item of a module.
    pub(crate) fn skip_to_item(&mut self) {
        loop {
            let token = self.cursor.peek();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Directive(name) if token.starts_line && starts_item(name) => return,
                _ => {
                    self.cursor.advance();
                }
            }
        }
    }

    /// Skips to the next line that starts an item of a module, or after the item when that can be told.
    ///
    /// The names at the outermost level of what is skipped stay unknown; their uses are not reported.
    pub(crate) fn skip_item(&mut self, started: Token<'_>) {
        let TokenKind::Directive(_) = started.kind else {
            // What is outside all functions most likely follows a brace too many.
            self.skip_to_item();
            return;
        };
        let started = started.span;
        let mut depth = 0usize;
        loop {
            let token = self.cursor.peek();
            let fresh = token.span.lo > started.lo;
            match token.kind {
                TokenKind::Ident(name) if depth == 0 => {
                    self.spoiled.insert(name);
                    self.cursor.advance();
                }
                TokenKind::End => return,
                TokenKind::Directive(name) if fresh && token.starts_line && starts_item(name) => return,
                TokenKind::Mark(b';') if depth == 0 => {
                    self.cursor.advance();
                    // After a function's head with an error its statements may follow.
                    if let TokenKind::Directive(_) | TokenKind::End = *self.cursor.kind() {
                        return;
                    }
                }
                TokenKind::Mark(b'{') => {
                    depth += 1;
                    self.cursor.advance();
                }
                TokenKind::Mark(b'}') if depth <= 1 => {
                    self.cursor.advance();
                    return;
                }
                TokenKind::Mark(b'}') => {
                    depth -= 1;
                    self.cursor.advance();
                }
                _ => {
                    self.cursor.advance();
                }
            }
        }
    }

    /// Says that the reader stops for the number of errors.
    pub(crate) fn report_giving_up(&mut self) {
        let span = self.cursor.last;
        let message = "too many errors, giving up";
        self.diagnostics.push(Diagnostic::error(codes::TOO_MANY, span, message));
    }
}
