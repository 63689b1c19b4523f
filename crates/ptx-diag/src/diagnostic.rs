//! Diagnostics and their collection.

use crate::code::Code;
use crate::source::Span;

/// The severity of a diagnostic: an error rejects the input, the others do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// The input is rejected.
    Error,
    /// The input is accepted, but probably contains a mistake.
    Warning,
    /// Information only.
    Note,
}

impl Severity {
    /// The name in all output forms.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A related location that explains a diagnostic, such as the first of two declarations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The location.
    pub span: Span,
    /// The description of the location.
    pub text: String,
}

/// An edit of the input that carries out a suggestion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What is replaced; empty where text is inserted.
    pub span: Span,
    /// The text in its place.
    pub text: String,
}

/// A part of a message in machine-readable form, for programs that process diagnostics.
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

/// A diagnostic about one location of the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Whether it rejects the input.
    pub severity: Severity,
    /// The kind of diagnostic.
    pub code: Code,
    /// A sentence in lower case without a full stop.
    pub message: String,
    /// The location; `None` if it concerns the input as a whole (LLVM IR has no positions in the source text).
    pub span: Option<Span>,
    /// A short remark that is shown under the location.
    pub label: Option<String>,
    /// Related locations that explain it.
    pub related: Vec<Label>,
    /// A suggestion how to correct the input, if there is one.
    pub help: Option<String>,
    /// Edits for editors that carry out the suggestion. Each of them is a whole correction; the likeliest is first.
    pub fixes: Vec<Fix>,
    /// Parts of the message by name, for programs. The JSON form includes them, and in this case also the related locations.
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
            fixes: Vec::new(),
            details: Vec::new(),
        }
    }

    /// Adds the remark that is shown under the location.
    #[must_use]
    pub fn with_label(mut self, text: impl Into<String>) -> Self {
        self.label = Some(text.into());
        self
    }

    /// Adds a suggestion how to correct the input.
    #[must_use]
    pub fn with_help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds an edit that corrects the input.
    #[must_use]
    pub fn with_fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fixes.push(Fix { span, text: text.into() });
        self
    }

    /// Adds a part of the message by name, for programs.
    #[must_use]
    pub fn with_detail(mut self, name: &'static str, detail: Detail) -> Self {
        self.details.push((name, detail));
        self
    }

    /// Adds a related location that explains the diagnostic.
    #[must_use]
    pub fn with_related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label { span, text: text.into() });
        self
    }
}

/// The diagnostics of one run over one input, in the order in which they were added.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        self.list.push(diagnostic);
    }

    /// Adds all diagnostics of another run.
    pub fn append(&mut self, mut other: Diagnostics) {
        self.errors += other.errors;
        self.list.append(&mut other.list);
    }

    /// Whether any diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The number of errors.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// The diagnostics, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Whether there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of diagnostics.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Sorts the diagnostics by location; those without a location are first.
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
