//! Renders diagnostics for people, as one line each, or as JSON lines.
//!
//! All three forms depend only on the input and the diagnostics. They take time linear in both for any
//! input: bytes that are not UTF-8, lines of many megabytes, spans past the end and thousands of diagnostics.

mod excerpt;
mod human;
mod line;

use crate::diagnostic::Diagnostics;
use crate::source::SourceFile;

/// Whether the human form has ANSI colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Color {
    /// Plain text.
    #[default]
    Plain,
    /// Text with ANSI escape sequences.
    Ansi,
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
pub fn render(source: &SourceFile, diagnostics: &Diagnostics, format: Format) -> String {
    match format {
        Format::Human(color) => human::render(source, diagnostics, color),
        Format::Short => line::render_short(source, diagnostics),
        Format::Json => line::render_json(source, diagnostics),
    }
}
