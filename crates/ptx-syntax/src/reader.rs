//! What every part of the grammar works with: the cursor, the model being built, the names, the findings.

use ptx_diag::{Code, Diagnostic, Diagnostics, Span};
use ptx_ir::{Body, Item, Module, Operand, Stmt, StrId, ZeroOffsets};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::codes;
use crate::cursor::{Comment, Cursor, Token};
use crate::label_scopes::Labels;
use crate::lexer::{Fault, TokenKind};
use crate::mnemonics::Mnemonics;
use crate::names::Names;

/// How deep braces, parentheses and initial values may lie in each other.
pub(crate) const MAX_DEPTH: u32 = 256;

/// How many errors are reported before the reader stops.
pub(crate) const MAX_ERRORS: usize = 1000;

/// A value, or the finding that explains why there is none.
pub(crate) type Parse<T> = Result<T, Box<Diagnostic>>;

/// Resolves names that inline assembly, in a body or of a module, uses but does not declare.
pub(crate) type Resolve<'h> = &'h mut dyn FnMut(&str) -> Option<Operand>;

/// The state of one reading.
pub(crate) struct Reader<'s, 'h> {
    pub(crate) cursor: Cursor<'s>,
    pub(crate) module: Module,
    /// The body being read.
    pub(crate) body: Body,
    pub(crate) names: Names<'s>,
    pub(crate) labels: Labels<'s>,
    pub(crate) mnemonics: Mnemonics<'s>,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) resolve: Option<Resolve<'h>>,
    /// Whether the text is statements inside a body of which it does not tell, not a module.
    pub(crate) inline: bool,
    /// Undeclared names that were reported in this function.
    pub(crate) reported: FxHashSet<&'s str>,
    /// Names whose declarations had errors, so that their uses are not wrong too.
    pub(crate) spoiled: FxHashSet<&'s str>,
    /// Labels of the sections so far.
    pub(crate) section_labels: FxHashMap<&'s str, Span>,
    /// Parameters of the head being read whose names occur twice, which is wrong where a body follows.
    pub(crate) duplicates: Vec<Diagnostic>,
    /// Whether the statement being read names something undeclared, which was reported.
    pub(crate) broken: bool,
    /// Whether the instruction being read has an address with `+0`.
    pub(crate) zero_offsets: ZeroOffsets,
    /// The element of an array (`a[3]`) that an instruction has without brackets around it.
    pub(crate) element: Option<Span>,
}

impl<'s, 'h> Reader<'s, 'h> {
    pub(crate) fn new(text: &'s [u8], resolve: Option<Resolve<'h>>) -> Self {
        Self {
            cursor: Cursor::new(text),
            module: Module::default(),
            body: Body::default(),
            names: Names::new(),
            labels: Labels::default(),
            mnemonics: Mnemonics::default(),
            diagnostics: Diagnostics::new(),
            inline: resolve.is_some(),
            resolve,
            reported: FxHashSet::default(),
            spoiled: FxHashSet::default(),
            section_labels: FxHashMap::default(),
            duplicates: Vec::new(),
            broken: false,
            zero_offsets: ZeroOffsets::Implied,
            element: None,
        }
    }

    /// An error at a place.
    pub(crate) fn at(&self, code: Code, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(code, span, message))
    }

    /// The error that the next token starts nothing: unlike [`Self::unexpected`] it does not ask for what came before.
    pub(crate) fn stray(&mut self, expected: &str) -> Box<Diagnostic> {
        let token = self.cursor.peek();
        match token.kind {
            TokenKind::Bad(fault) => self.bad_token(token, fault),
            _ => {
                let message = format!("expected {expected}, found {}", self.shown(token));
                self.at(codes::EXPECTED, token.span, message)
            }
        }
    }

    /// The error that the next token is not what was expected.
    pub(crate) fn unexpected(&mut self, expected: &str) -> Box<Diagnostic> {
        let token = self.cursor.peek();
        match token.kind {
            TokenKind::Bad(fault) => self.bad_token(token, fault),
            // What is missing at the end of a line is missing there, not where the next line starts.
            _ if token.starts_line || token.kind == TokenKind::End => {
                let end = self.cursor.last.hi;
                let span = if end == 0 { token.span } else { Span::new(end.saturating_sub(1), end) };
                let found = self.shown(token);
                let message = format!("expected {expected}, found {found}");
                let error = Diagnostic::error(codes::EXPECTED, span, message);
                Box::new(error.with_label(format!("{expected} is missing after this")))
            }
            _ => {
                let message = format!("expected {expected}, found {}", self.shown(token));
                Box::new(
                    Diagnostic::error(codes::EXPECTED, token.span, message)
                        .with_label(format!("expected {expected}")),
                )
            }
        }
    }

    fn bad_token(&self, token: Token<'s>, fault: Fault) -> Box<Diagnostic> {
        match fault {
            Fault::Byte => {
                let text = self.excerpt(token.span);
                let message = format!("`{text}` is not a valid token in PTX");
                let error = Diagnostic::error(codes::BAD_TOKEN, token.span, message);
                let bytes = self.cursor.slice(token.span);
                let ascii = bytes.is_ascii();
                Box::new(if bytes.starts_with(b"#") {
                    error.with_help(
                        "PTX has no preprocessor; only `# 1 \"file\"` is allowed, on a line of its own",
                    )
                } else if ascii {
                    error
                } else {
                    error.with_help("outside comments PTX is written in ASCII")
                })
            }
            Fault::Quote => {
                let message = "unterminated string";
                Box::new(Diagnostic::error(codes::UNCLOSED, token.span, message).with_help("add `\"`"))
            }
            Fault::Comment => {
                let start = Span::new(token.span.lo, token.span.lo + 2);
                let message = "unterminated comment";
                Box::new(Diagnostic::error(codes::UNCLOSED, start, message).with_help("add `*/`"))
            }
        }
    }

    /// A short form of a place's text for messages.
    pub(crate) fn excerpt(&self, span: Span) -> String {
        let bytes = self.cursor.slice(span);
        let cut = bytes.get(..40).unwrap_or(bytes);
        let text: String = String::from_utf8_lossy(cut).escape_debug().collect();
        if cut.len() < bytes.len() { text + ".." } else { text }
    }

    fn shown(&self, token: Token<'s>) -> String {
        match token.kind {
            TokenKind::End => "the end of the input".to_owned(),
            _ => format!("`{}`", self.excerpt(token.span)),
        }
    }

    /// Takes the mark if it comes next.
    #[inline]
    pub(crate) fn eat(&mut self, mark: u8) -> Option<Span> {
        if !self.cursor.is_mark(mark) {
            return None;
        }
        self.cursor.advance();
        Some(self.cursor.last)
    }

    /// Takes the mark, which must come next; `shown` is how messages call it.
    pub(crate) fn expect(&mut self, mark: u8, shown: &str) -> Parse<Span> {
        self.eat(mark).ok_or_else(|| self.unexpected(shown))
    }

    /// Takes a name, which must come next and be none of the language's own words.
    pub(crate) fn expect_ident(&mut self, what: &str) -> Parse<(&'s str, Span)> {
        match *self.cursor.kind() {
            TokenKind::Ident(name) if !is_reserved(name) => {
                self.cursor.advance();
                Ok((name, self.cursor.last))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// Takes a text between quotes, which must come next.
    pub(crate) fn expect_text(&mut self, what: &str) -> Parse<StrId> {
        let token = self.cursor.peek();
        match token.kind {
            TokenKind::Text(text) if !text.is_ascii() => {
                let error = Diagnostic::error(
                    codes::BAD_TOKEN,
                    token.span,
                    "outside comments PTX is written in ASCII",
                );
                Err(Box::new(error))
            }
            TokenKind::Text(text) => {
                self.cursor.advance();
                Ok(self.module.strings.intern(&String::from_utf8_lossy(text)))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// Keeps a finding.
    pub(crate) fn report(&mut self, error: Diagnostic) {
        if self.diagnostics.error_count() < MAX_ERRORS {
            self.diagnostics.push(error);
        }
    }

    /// Whether there were so many errors that reading on is of no use.
    pub(crate) fn gives_up(&self) -> bool {
        self.diagnostics.error_count() >= MAX_ERRORS
    }

    /// Interns the text of a comment.
    pub(crate) fn comment_text(&mut self, comment: Comment) -> StrId {
        let bytes = self.cursor.slice(comment.span);
        let text = String::from_utf8_lossy(bytes);
        match memchr::memchr(b'\r', bytes) {
            Some(_) => self.module.strings.keep(&text.replace('\r', "")),
            None => self.module.strings.keep(&text),
        }
    }

    /// Keeps the comments between two items: those on the line of the item before trail it.
    pub(crate) fn comments_between_items(&mut self) {
        self.cursor.span();
        if self.cursor.comments.is_empty() {
            return;
        }
        for comment in std::mem::take(&mut self.cursor.comments) {
            let text = self.comment_text(comment);
            let trails = !comment.starts_line && !self.module.items.is_empty();
            self.module.items.push(if trails { Item::TrailingComment(text) } else { Item::Comment(text) });
        }
    }

    /// Keeps the comments between two statements: those on the line of the statement before trail it.
    pub(crate) fn comments_between_statements(&mut self) {
        self.cursor.span();
        if self.cursor.comments.is_empty() {
            return;
        }
        for comment in std::mem::take(&mut self.cursor.comments) {
            let text = self.comment_text(comment);
            let trails = !comment.starts_line && !self.body.statements.is_empty();
            self.body.statements.push(if trails { Stmt::TrailingComment(text) } else { Stmt::Comment(text) });
        }
    }

    /// Puts an item after the comments that were inside it.
    pub(crate) fn push_item(&mut self, item: Item) {
        for comment in self.comments_inside() {
            let text = self.comment_text(comment);
            self.module.items.push(Item::Comment(text));
        }
        self.module.items.push(item);
    }

    /// Puts a statement after the comments that were inside it.
    pub(crate) fn push_statement(&mut self, stmt: Stmt) {
        if !self.cursor.comments.is_empty() {
            for comment in self.comments_inside() {
                let text = self.comment_text(comment);
                self.body.statements.push(Stmt::Comment(text));
            }
        }
        self.body.statements.push(stmt);
    }

    /// Takes the comments before the end of the last token.
    fn comments_inside(&mut self) -> Vec<Comment> {
        let end = self.cursor.last.hi;
        let count = self.cursor.comments.iter().take_while(|comment| comment.span.lo < end).count();
        self.cursor.comments.drain(..count).collect()
    }
}

/// The words that name nothing of the program (manual 4.4 and, for those of `.loc`, `ptxas`).
pub(crate) fn is_reserved(name: &str) -> bool {
    matches!(name, "WARP_SZ" | "inlined_at" | "function_name")
}
