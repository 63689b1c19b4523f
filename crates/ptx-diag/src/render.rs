//! Renders diagnostics for people, as one line each, or as JSON lines.
//!
//! All three forms depend only on the input and the diagnostics. They take time linear in both for any
//! input: bytes that are not UTF-8, lines of many megabytes, spans past the end and thousands of diagnostics.

mod excerpt;
mod human;
mod line;

use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::source::SourceFile;

/// Whether the human form has ANSI colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Color {
    /// Plain text.
    #[default]
    Never,
    /// Text with ANSI escape sequences.
    Always,
}

/// The form in which diagnostics are rendered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people: the source line with the location underlined, related locations and help; the last line has the numbers of
    /// diagnostics.
    Human(Color),
    /// One line for each diagnostic: `file:line:column: severity[CODE]: message`.
    Short,
    /// One JSON object on a line for each diagnostic, with the keys `file`, `line`, `column`, `severity`, `code`, `message` and
    /// `help`, and `details` and `related` if the diagnostic has details. `line` and `column` are null if it has no location, `help`
    /// if it has none.
    Json,
}

/// The maximum number of diagnostics that the human form shows; it only counts the rest.
///
/// If not all can be shown, errors are preferred to warnings and notes. The other forms show every diagnostic.
pub const MAX_SHOWN: usize = 100;

/// Renders `diagnostics` about `source`. The text is empty if there are none, and ends with a line feed otherwise.
///
/// ```
/// use ptx_diag::{Code, Diagnostic, Diagnostics, Format, SourceFile, Span, render};
///
/// let source = SourceFile::new("k.ptx", "frob;\n");
/// let mut found = Diagnostics::new();
/// found.push(Diagnostic::error(Code("P0301"), Span::new(0, 4), "unknown instruction `frob`"));
/// assert_eq!(render(&source, &found, Format::Short), "k.ptx:1:1: error[P0301]: unknown instruction `frob`\n");
/// ```
pub fn render(source: &SourceFile, diagnostics: &Diagnostics, format: Format) -> String {
    match format {
        Format::Human(color) => human::render(source, diagnostics, color),
        Format::Short => line::render_short(source, diagnostics),
        Format::Json => line::render_json(source, diagnostics),
    }
}

/// Renders one diagnostic for people, without the numbers of diagnostics at the end and without a line feed after the last line.
pub fn render_one(source: &SourceFile, diagnostic: &Diagnostic, color: Color) -> String {
    human::render_one(source, diagnostic, color)
}

/// The numbers of diagnostics as the human form has them in its last line: `2 errors, 1 warning`.
pub fn numbers(severities: impl IntoIterator<Item = Severity>) -> String {
    let mut counts = [0usize; 3];
    severities.into_iter().for_each(|severity| counts[severity as usize] += 1);
    let counted = [Severity::Error, Severity::Warning, Severity::Note].into_iter().zip(counts);
    let counted = counted.filter(|(_, count)| *count > 0);
    counted.map(|(severity, count)| crate::counted(count, severity.as_str())).collect::<Vec<_>>().join(", ")
}
