//! Error recovery.
//!
//! Parsing resumes at the next statement, the next item of the module, or the next line. Two rules prevent subsequent errors. Skipping stops
//! before a token at the start of a line that can only begin a statement or item, so that a missing `;` or `}` costs one statement. And each
//! function passes the names that it skips to `skipped`, so that uses of the names that they would have declared are not reported. Each function
//! takes tokens until it stops, so that recovery is linear in the input.

use crate::grammar::module::starts_item;
use crate::stream::Stream;
use crate::token::{Token, TokenKind};

/// Whether a directive can begin a statement or an item.
fn starts_statement(word: &str) -> bool {
    starts_item(word)
        || matches!(
            word,
            "reg" | "param" | "local" | "shared" | "global" | "const" | "tex" | "loc" | "pragma"
        )
        || matches!(word, "branchtargets" | "calltargets" | "callprototype")
}

impl<'s> Stream<'s> {
    /// Skips the rest of a statement: nothing if the next token begins a statement on a new line; otherwise past its semicolon, or up
    /// to a brace or a line that begins with a directive. The names of a declaration are  to `skipped`.
    pub(crate) fn skip_statement(&mut self, started: Token, mut skipped: impl FnMut(&'s str)) {
        let declares = self.text(&started).starts_with('.');
        // The semicolon is missing at the end of a line: the next line is another statement.
        let token = self.peek();
        let begins = matches!(
            token.kind,
            TokenKind::Ident | TokenKind::Dotted | TokenKind::Directive | TokenKind::Mark(b'@')
        );
        if begins && token.starts_line && token.lo > started.lo {
            return;
        }
        loop {
            let token = self.peek();
            if token.kind == TokenKind::Ident && declares {
                skipped(self.text(&token));
            }
            // Not the token at which the statement began: stopping there again would not make progress.
            let fresh = token.lo > started.lo;
            match token.kind {
                TokenKind::End => return,
                TokenKind::Mark(b';') => return self.advance(),
                // `mov.b64 {%r1, %r2}, %rd` has braces too, but on its own line.
                TokenKind::Mark(b'{' | b'}') if fresh && token.starts_line => return,
                TokenKind::Mark(b'}') if fresh && !self.vector_closes(token) => return,
                TokenKind::Directive
                    if fresh && token.starts_line && self.directive(&token).is_some_and(starts_statement) =>
                {
                    return;
                }
                _ => self.advance(),
            }
        }
    }

    /// Whether a closing brace belongs to a vector or list: a comma, semicolon or bracket follows it.
    fn vector_closes(&self, brace: Token) -> bool {
        let next = self.source.bytes[brace.hi as usize..].iter().find(|byte| !byte.is_ascii_whitespace());
        matches!(next, Some(b',' | b';' | b']' | b'}'))
    }

    /// Skips the rest of a module variable: past its semicolon, or up to a line that begins an item.
    pub(crate) fn skip_declaration(&mut self, started: Token, mut skipped: impl FnMut(&'s str)) {
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Mark(b';') => return self.advance(),
                TokenKind::Directive
                    if token.lo > started.lo
                        && token.starts_line
                        && self.directive(&token).is_some_and(starts_statement) =>
                {
                    return;
                }
                TokenKind::Ident => {
                    skipped(self.text(&token));
                    self.advance();
                }
                _ => self.advance(),
            }
        }
    }

    /// Skips to the next line.
    pub(crate) fn skip_line(&mut self, started: Token) {
        loop {
            let token = self.peek();
            if token.kind == TokenKind::End || (token.starts_line && token.lo > started.lo) {
                return;
            }
            self.advance();
        }
    }

    /// Skips to the next line that begins an item of a module.
    pub(crate) fn skip_to_item(&mut self) {
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Directive
                    if token.starts_line && self.directive(&token).is_some_and(starts_item) =>
                {
                    return;
                }
                _ => self.advance(),
            }
        }
    }

    /// Skips to the next line that begins an item of a module, or past the current item if its end is known. Names outside of braces are
    ///  to `skipped`. `depth` is the number of open braces.
    pub(crate) fn skip_item(&mut self, started: Token, mut depth: usize, mut skipped: impl FnMut(&'s str)) {
        if started.kind != TokenKind::Directive {
            // A statement outside of functions most likely follows a superfluous brace.
            return self.skip_to_item();
        }
        loop {
            let token = self.peek();
            let fresh = token.lo > started.lo;
            match token.kind {
                TokenKind::End => return,
                TokenKind::Directive
                    if fresh && token.starts_line && self.directive(&token).is_some_and(starts_item) =>
                {
                    return;
                }
                TokenKind::Ident if depth == 0 => skipped(self.text(&token)),
                TokenKind::Mark(b';') if depth == 0 => {
                    self.advance();
                    // After a function's head with an error its statements may follow.
                    if let TokenKind::Directive | TokenKind::End = self.peek().kind {
                        return;
                    }
                    continue;
                }
                TokenKind::Mark(b'{') => depth += 1,
                TokenKind::Mark(b'}') if depth <= 1 => return self.advance(),
                TokenKind::Mark(b'}') => depth -= 1,
                _ => {}
            }
            self.advance();
        }
    }
}
