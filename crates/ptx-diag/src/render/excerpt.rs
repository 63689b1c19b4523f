//! The part of the input that is shown around a location.

use std::ops::Range;

use crate::source::{SourceFile, Span};

/// The maximum length in bytes of a line that is shown by the renderer, which truncates it to the width of a terminal.
const LONGEST_LINE: usize = 4096;
/// The number of bytes of a longer line that are quoted before and after the start of the location.
const BEFORE: usize = 40;
const AFTER: usize = 80;

/// The part of a line that can be shown.
pub(super) enum Excerpt {
    /// The whole line and the byte range of the location in it.
    Line(String, Range<usize>),
    /// A part of a line that is too long for the renderer.
    Piece(String),
}

/// The excerpt for the first line of `span`, which is line `line` of `source`.
///
/// Bytes that are not UTF-8 and control characters are shown as U+FFFD.
pub(super) fn excerpt(source: &SourceFile, span: Span, line: u32) -> Excerpt {
    let (Some(bytes), Some(start)) = (source.line(line), source.line_start(line)) else {
        debug_assert!(false, "{} has no line {line}", source.name());
        return Excerpt::Piece(String::new());
    };
    let start = start as usize;
    let lo = (span.lo as usize).saturating_sub(start).min(bytes.len());
    let hi = (span.hi as usize).saturating_sub(start).clamp(lo, bytes.len());
    if bytes.len() > LONGEST_LINE {
        let piece = &bytes[lo.saturating_sub(BEFORE)..bytes.len().min(lo + AFTER)];
        return Excerpt::Piece(visible(piece));
    }
    let mut text = visible(&bytes[..lo]);
    let place_start = text.len();
    text.push_str(&visible(&bytes[lo..hi]));
    let place = place_start..text.len();
    text.push_str(&visible(&bytes[hi..]));
    Excerpt::Line(text, place)
}

fn visible(bytes: &[u8]) -> String {
    let show = |c: char| if c.is_control() && c != '\t' { '\u{FFFD}' } else { c };
    String::from_utf8_lossy(bytes).chars().map(show).collect()
}
