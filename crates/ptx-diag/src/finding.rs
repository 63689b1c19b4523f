//! Diagnostics with what only their file tells: for errors that outlive it.

use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::render::{Color, Format, render, render_one};
use crate::source::{Position, SourceFile};

/// A diagnostic with its location as text and numbers, independent of the file that it is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// `file:line:column: error[CODE]: message`; without a location if there is none.
    pub text: String,
    /// The message alone.
    pub message: String,
    /// How to correct the input, if that is known.
    pub help: Option<String>,
    /// The name of the file that it is about.
    pub file: String,
    /// The location in the file, if there is one.
    pub position: Option<Position>,
    /// The diagnostic code, such as `X0003`.
    pub code: &'static str,
    /// Whether it is an error, not a warning or a note.
    pub is_error: bool,
    /// Its severity.
    pub severity: Severity,
    /// The diagnostic as a JSON object, as the tools write it with `--error-format=json`: `file`, `line`, `column`,
    /// `severity`, `code`, `message`, `help`; for a stopped kernel also `details` and `related`,
    /// the locations of other threads that explain it.
    pub json: String,
    /// The diagnostic as the tools show it to people, with the line of the file, without colour and without a line feed at the end.
    pub human: String,
    /// Other locations that explain it, such as where the threads of a deadlock wait: `file:line:column: text`.
    pub related: Vec<String>,
}

impl Finding {
    /// The finding for a diagnostic about a file.
    pub fn new(file: &SourceFile, diagnostic: &Diagnostic) -> Self {
        let mut one = Diagnostics::new();
        one.push(diagnostic.clone());
        let shown = |format| render(file, &one, format).trim_end().to_owned();
        let related = diagnostic.related.iter().map(|label| {
            let Position { line, column } = file.position(label.span.lo);
            format!("{}:{line}:{column}: {}", file.name(), label.text)
        });
        Self {
            text: shown(Format::Short),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            file: file.name().to_owned(),
            position: diagnostic.span.map(|span| file.position(span.lo)),
            code: diagnostic.code.0,
            is_error: diagnostic.severity == Severity::Error,
            severity: diagnostic.severity,
            json: shown(Format::Json),
            human: render_one(file, diagnostic, Color::Never),
            related: related.collect(),
        }
    }
}
