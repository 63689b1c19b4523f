//! Resolves the names, numbers and mnemonics of the syntax tree, and builds the model.
//!
//! Everything except labels is declared before it is used, so that each statement is resolved as soon as it is parsed. The state is in
//! [`Resolver`]: names and their scopes (`names`, `scoped`, `declare`, `lookup`), labels (`labels`), and a cache of mnemonics (`mnemonics`).
//! The other files resolve the parts of the syntax, and are named as those of the grammar.

mod constant;
mod control;
mod debug;
mod declare;
mod foreign;
mod function;
mod initializer;
mod instruction;
mod label_scopes;
mod labels;
mod lookup;
mod mentions;
mod mnemonics;
pub(crate) mod module;
mod names;
mod operand;
mod scoped;
mod variable;

use ptx_diag::{Code, Diagnostic, Diagnostics, Span};
use ptx_ir::{Body, Item, Module, Operand, Stmt, StrId, ZeroOffsets};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::codes;
use crate::resolve::label_scopes::Labels;
use crate::resolve::mnemonics::Mnemonics;
use crate::resolve::names::Names;
use crate::stream::{Comment, Source};
use crate::tree::Name;

/// The number of errors after which the rest of the input is not read.
const MAX_ERRORS: usize = 1000;

/// A value, or the diagnostic that explains why there is none.
pub(crate) type Resolved<T> = Result<T, Box<Diagnostic>>;

/// Resolves names that inline assembly, in a body or of a module, uses but does not declare.
pub(crate) type Resolve<'h> = &'h mut dyn FnMut(&str) -> Option<Operand>;

/// The model that is being built, and the declarations so far.
pub(crate) struct Resolver<'s, 'h> {
    source: Source<'s>,
    pub(crate) module: Module,
    /// The body of the function that is being resolved.
    pub(crate) body: Body,
    names: Names<'s>,
    labels: Labels<'s>,
    mnemonics: Mnemonics<'s>,
    pub(crate) diagnostics: Diagnostics,
    resolve: Option<Resolve<'h>>,
    /// Whether the text is inline assembly, statements of an existing body, and not a module.
    pub(crate) inline: bool,
    /// Undeclared names that were reported in this function.
    reported: FxHashSet<&'s str>,
    /// Names whose declarations had errors, so that their uses are not reported too.
    invalid_names: FxHashSet<&'s str>,
    /// Labels of the sections so far.
    section_labels: FxHashMap<&'s str, Span>,
    /// Parameters whose names occur twice, which is an error only if a body follows.
    duplicates: Vec<Diagnostic>,
    /// Whether the instruction uses an undeclared name, which was reported.
    broken: bool,
    /// Whether the instruction has an address with `+0`.
    zero_offsets: ZeroOffsets,
    /// The element of an array (`a[3]`) that the instruction has without brackets around it.
    element: Option<Span>,
}

/// An error at a place.
pub(crate) fn at(code: Code, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, span, message))
}

impl<'s, 'h> Resolver<'s, 'h> {
    pub(crate) fn new(source: Source<'s>, resolve: Option<Resolve<'h>>) -> Self {
        Self {
            source,
            module: Module::default(),
            body: Body::default(),
            names: Names::new(),
            labels: Labels::default(),
            mnemonics: Mnemonics::default(),
            diagnostics: Diagnostics::new(),
            inline: resolve.is_some(),
            resolve,
            reported: FxHashSet::default(),
            invalid_names: FxHashSet::default(),
            section_labels: FxHashMap::default(),
            duplicates: Vec::new(),
            broken: false,
            zero_offsets: ZeroOffsets::Implied,
            element: None,
        }
    }

    /// Adds a diagnostic, unless the maximum number of errors is reached.
    pub(crate) fn report(&mut self, error: Diagnostic) {
        if !self.reached_error_limit() {
            self.diagnostics.push(error);
        }
    }

    /// Whether the maximum number of errors is reached, so that the rest of the input is not read.
    pub(crate) fn reached_error_limit(&self) -> bool {
        self.diagnostics.error_count() >= MAX_ERRORS
    }

    /// Marks a name as invalid, because its declaration has an error.
    pub(crate) fn invalidate(&mut self, name: &'s str) {
        self.invalid_names.insert(name);
    }

    fn intern(&mut self, name: Name<'_>) -> StrId {
        self.module.strings.intern(name.text)
    }

    /// A string, which is ASCII.
    fn string(&mut self, text: Name<'s>) -> Resolved<StrId> {
        // Bytes that are not UTF-8 are ASCII characters in the text.
        if self.source.slice(text.span).is_ascii() {
            return Ok(self.intern(text));
        }
        Err(at(codes::BAD_TOKEN, text.span, "outside comments PTX is written in ASCII"))
    }

    fn comment_text(&mut self, comment: Comment) -> StrId {
        let bytes = self.source.slice(comment.span);
        let text = String::from_utf8_lossy(bytes);
        match memchr::memchr(b'\r', bytes) {
            Some(_) => self.module.strings.keep(&text.replace('\r', "")),
            None => self.module.strings.keep(&text),
        }
    }

    /// Keeps comments between two items or before the next one; one on the line of the item before trails it.
    pub(crate) fn item_comments(&mut self, comments: Vec<Comment>, can_trail: bool) {
        for comment in comments {
            let text = self.comment_text(comment);
            let trails = can_trail && !comment.starts_line && !self.module.items.is_empty();
            self.module.items.push(if trails { Item::TrailingComment(text) } else { Item::Comment(text) });
        }
    }

    /// Keeps comments between two statements or before the next one; one on the line of the statement before trails it.
    pub(crate) fn statement_comments(&mut self, comments: Vec<Comment>, can_trail: bool) {
        for comment in comments {
            let text = self.comment_text(comment);
            let trails = can_trail && !comment.starts_line && !self.body.statements.is_empty();
            self.body.statements.push(if trails { Stmt::TrailingComment(text) } else { Stmt::Comment(text) });
        }
    }
}
