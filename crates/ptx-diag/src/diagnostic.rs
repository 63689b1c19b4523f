//! Findings and how they are collected.

use crate::code::Code;
use crate::source::Span;

/// How much a finding weighs: an error rejects the input, the others do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// The input is rejected.
    Error,
    /// The input is accepted but probably not meant so.
    Warning,
    /// Said for information only.
    Note,
}

impl Severity {
    /// The word people and the JSON form see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A further place that explains a finding, such as the first of two declarations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is to be seen there.
    pub text: String,
}

/// What a program that reads findings may want to know without reading the message.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(untagged)]
pub enum Detail {
    /// A name or a text.
    Text(String),
    /// A number.
    Number(u64),
    /// The index of a block or thread.
    Index([u32; 3]),
}

/// One finding about one place of the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Whether it rejects the input.
    pub severity: Severity,
    /// What kind of finding it is.
    pub code: Code,
    /// A sentence in lower case without a full stop.
    pub message: String,
    /// Where; `None` when it concerns the input as a whole (LLVM IR has no positions in the source text).
    pub span: Option<Span>,
    /// A short remark written under the place.
    pub label: Option<String>,
    /// Other places that explain it.
    pub related: Vec<Label>,
    /// What would be right, where it can be said.
    pub help: Option<String>,
    /// Parts of the message by name, for programs. The JSON form has them, and with them the related places.
    pub details: Vec<(&'static str, Detail)>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, Some(span), message)
    }

    /// A warning at `span`.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, Some(span), message)
    }

    /// An error about the input as a whole.
    pub fn error_without_place(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, None, message)
    }

    /// A warning about the input as a whole.
    pub fn warning_without_place(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, None, message)
    }

    fn new(severity: Severity, code: Code, span: Option<Span>, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            severity,
            code,
            message,
            span,
            label: None,
            related: Vec::new(),
            help: None,
            details: Vec::new(),
        }
    }

    /// Adds the remark written under the place.
    #[must_use]
    pub fn with_label(mut self, text: impl Into<String>) -> Self {
        self.label = Some(text.into());
        self
    }

    /// Adds what would be right.
    #[must_use]
    pub fn with_help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds a part of the message by name, for programs.
    #[must_use]
    pub fn with_detail(mut self, name: &'static str, detail: Detail) -> Self {
        self.details.push((name, detail));
        self
    }

    /// Adds a further place that explains the finding.
    #[must_use]
    pub fn with_related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label { span, text: text.into() });
        self
    }
}

/// The findings of one run over one input, in the order they were made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    /// No findings yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        self.list.push(diagnostic);
    }

    /// Adds all findings of another run.
    pub fn append(&mut self, mut other: Diagnostics) {
        self.errors += other.errors;
        self.list.append(&mut other.list);
    }

    /// Whether any finding rejects the input.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How many findings reject the input.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// The findings, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Whether there are no findings at all.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many findings there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Puts the findings in the order of their places; those without a place come first.
    pub fn sort_by_place(&mut self) {
        self.list.sort_by_key(|d| d.span);
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}
