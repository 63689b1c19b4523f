//! How findings are shown: to people, one a line, or as JSON lines.
//!
//! All three forms are functions of the input and the findings alone. They take time linear in both, independent of the
//! input: bytes that are not UTF-8, lines of many megabytes, spans past the end and thousands of findings.

mod excerpt;
mod human;
mod line;

use crate::diagnostic::Diagnostics;
use crate::source::SourceFile;

/// Whether the human form carries ANSI colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Color {
    /// Plain text.
    #[default]
    Plain,
    /// Text with ANSI escape sequences.
    Ansi,
}

/// The form findings are shown in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people: the source line with the place underlined, related places and help; ends in a line that counts.
    Human(Color),
    /// One line a finding: `file:line:column: severity[CODE]: message`.
    Short,
    /// One JSON object a line with exactly the keys `file`, `line`, `column`, `severity`, `code`, `message` and
    /// `help`. `line` and `column` are null for a finding without a place, `help` where there is none.
    Json,
}

/// How many findings the human form shows before it only counts the rest.
///
/// Errors come before warnings and notes when not all can be shown. The other forms show every finding.
pub const MAX_SHOWN: usize = 100;

/// Renders `diagnostics` about `source`; nothing when there are none, otherwise text that ends in a line feed.
pub fn render(source: &SourceFile, diagnostics: &Diagnostics, format: Format) -> String {
    match format {
        Format::Human(color) => human::render(source, diagnostics, color),
        Format::Short => line::render_short(source, diagnostics),
        Format::Json => line::render_json(source, diagnostics),
    }
}
