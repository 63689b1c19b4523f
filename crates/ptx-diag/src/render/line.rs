//! The forms with one line for each diagnostic.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::diagnostic::{Detail, Diagnostic, Diagnostics, Label};
use crate::source::{Position, SourceFile};

#[derive(Serialize)]
struct JsonLine<'a> {
    file: &'a str,
    line: Option<u32>,
    column: Option<u32>,
    severity: &'a str,
    code: &'a str,
    message: &'a str,
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<BTreeMap<&'a str, &'a Detail>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    related: Option<Vec<JsonPlace<'a>>>,
}

#[derive(Serialize)]
struct JsonPlace<'a> {
    line: u32,
    column: u32,
    message: &'a str,
}

/// The related locations of a diagnostic, for programs.
fn related<'a>(source: &SourceFile, diagnostic: &'a Diagnostic) -> Vec<JsonPlace<'a>> {
    let place = |label: &'a Label| {
        let Position { line, column } = source.position(label.span.lo);
        JsonPlace { line, column, message: &label.text }
    };
    diagnostic.related.iter().map(place).collect()
}

pub(super) fn render_json(source: &SourceFile, diagnostics: &Diagnostics) -> String {
    let mut out = String::new();
    for (diagnostic, place) in located(source, diagnostics) {
        let is_detailed = !diagnostic.details.is_empty();
        let line = JsonLine {
            file: source.name(),
            line: place.map(|p| p.line),
            column: place.map(|p| p.column),
            severity: diagnostic.severity.as_str(),
            code: diagnostic.code.0,
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
            details: is_detailed
                .then(|| diagnostic.details.iter().map(|(name, detail)| (*name, detail)).collect()),
            related: is_detailed.then(|| related(source, diagnostic)),
        };
        // Serialization of strings and numbers does not fail; if it did, the line would be omitted.
        if let Ok(text) = serde_json::to_string(&line) {
            out.push_str(&text);
            out.push('\n');
        }
    }
    out
}

pub(super) fn render_short(source: &SourceFile, diagnostics: &Diagnostics) -> String {
    let mut out = String::new();
    for (diagnostic, place) in located(source, diagnostics) {
        push_visible(&mut out, source.name());
        if let Some(Position { line, column }) = place {
            let _ = write!(out, ":{line}:{column}");
        }
        let _ = write!(out, ": {}[{}]: ", diagnostic.severity.as_str(), diagnostic.code.0);
        push_visible(&mut out, &diagnostic.message);
        out.push('\n');
    }
    out
}

/// Pairs each diagnostic with its position; all positions are computed in one pass over the text.
fn located<'a>(
    source: &SourceFile,
    diagnostics: &'a Diagnostics,
) -> impl Iterator<Item = (&'a Diagnostic, Option<Position>)> {
    let offsets: Vec<u32> = diagnostics.iter().filter_map(|d| d.span).map(|span| span.lo).collect();
    let mut positions = source.positions(&offsets).into_iter();
    diagnostics.iter().map(move |d| (d, d.span.and_then(|_| positions.next())))
}

/// Appends `text` with control characters escaped, so that a diagnostic is on one line of the terminal.
fn push_visible(out: &mut String, text: &str) {
    for c in text.chars() {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
}
