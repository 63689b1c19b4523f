//! Positions by line and column, and byte offsets.

use std::ops::Range;

use memchr::memchr2_iter;
use ptx_diag::Span;

use crate::slice::slice;

/// The unit in which columns are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// 16-bit units: characters beyond the basic plane count twice.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The number of units of a text.
    fn length(self, text: &str) -> u32 {
        let length = match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.chars().map(char::len_utf16).sum(),
            Encoding::Utf32 => text.chars().count(),
        };
        length as u32
    }

    /// The number of bytes of the first `units` of a text; of the whole text if it has fewer. A unit within a character is its start.
    fn bytes(self, text: &str, units: u32) -> usize {
        if text.is_ascii() {
            return text.len().min(units as usize);
        }
        let (mut left, mut at) = (units as usize, 0);
        for character in text.chars() {
            let own = match self {
                Encoding::Utf8 => character.len_utf8(),
                Encoding::Utf16 => character.len_utf16(),
                Encoding::Utf32 => 1,
            };
            if left < own {
                break;
            }
            left -= own;
            at += character.len_utf8();
        }
        at
    }
}

/// A line and a column, both from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column, in units of an [`Encoding`].
    pub column: u32,
}

/// The starts of the lines of a text. A line ends with `\n`, `\r\n` or `\r`.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    starts: Vec<u32>,
    is_ascii: bool,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Self {
        let starts = std::iter::once(0).chain(breaks(text, 0, text.len())).collect();
        Self { starts, is_ascii: text.is_ascii() }
    }

    /// The lines after a range of the text was replaced by `inserted`, which gave `text`.
    pub(crate) fn replace(&mut self, text: &str, range: Range<usize>, inserted: &str) {
        // Without the line before, a `\r` and a `\n` that are together now would be two ends.
        let first = self.line_of(range.start as u32).saturating_sub(1);
        let from = self.start(first, text) as usize;
        let kept = self.starts.partition_point(|&start| start as usize <= range.end);
        let end = range.start + inserted.len();
        let moved = |start: &u32| (*start as usize - range.end + end) as u32;
        let after: Vec<u32> = self.starts.get(kept..).into_iter().flatten().map(moved).collect();
        self.starts.truncate(first + 1);
        self.starts.extend(breaks(text, from, end));
        self.starts.extend(after);
        self.is_ascii &= inserted.is_ascii();
    }

    /// The line of an offset, from 0.
    pub(crate) fn line_of(&self, offset: u32) -> usize {
        self.starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// The offset at which a line starts; the end of the text for a line after the last one.
    pub(crate) fn start(&self, line: usize, text: &str) -> u32 {
        self.starts.get(line).copied().unwrap_or(text.len() as u32)
    }

    /// A line without its end.
    pub(crate) fn line<'t>(&self, line: usize, text: &'t str) -> &'t str {
        let span = Span::new(self.start(line, text), self.start(line + 1, text));
        slice(text, span).trim_end_matches(['\n', '\r'])
    }

    /// The offset of a position; a column past the end of its line means the end, and a line past the last one the end of the text.
    pub(crate) fn offset(&self, text: &str, position: Position, encoding: Encoding) -> u32 {
        let line = position.line as usize;
        let start = self.start(line, text);
        start + encoding.bytes(self.line(line, text), position.column) as u32
    }

    /// Positions of offsets, which is fast if they ascend.
    pub(crate) fn positions<'t>(&'t self, text: &'t str, encoding: Encoding) -> Positions<'t> {
        Positions { lines: self, text, encoding, line: 0, reached: 0, column: 0 }
    }
}

/// The offsets after the ends of lines that are in a range of a text.
fn breaks(text: &str, from: usize, to: usize) -> impl Iterator<Item = u32> + '_ {
    let bytes = text.as_bytes();
    let part = slice(text, Span::new(from as u32, to as u32)).as_bytes();
    let found = memchr2_iter(b'\n', b'\r', part).map(move |at| from + at);
    let ends = found.filter(|&at| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'));
    ends.map(|at| at as u32 + 1)
}

/// Converts offsets to positions. Each starts where the one before ended if it is on the same line, so that converting ascending
/// offsets takes time linear in the text.
pub struct Positions<'t> {
    lines: &'t Lines,
    text: &'t str,
    encoding: Encoding,
    line: usize,
    reached: u32,
    column: u32,
}

impl Positions<'_> {
    /// The position of an offset; offsets past the end mean the end, and those within a character its start.
    pub fn at(&mut self, offset: u32) -> Position {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let next = self.lines.starts.get(self.line + 1);
        let is_here = offset as u32 >= self.reached && next.is_none_or(|&next| (offset as u32) < next);
        if !is_here {
            self.line = self.lines.line_of(offset as u32);
            (self.reached, self.column) = (self.lines.start(self.line, self.text), 0);
        }
        let between = slice(self.text, Span::new(self.reached, offset as u32));
        self.column += if self.lines.is_ascii { between.len() as u32 } else { self.encoding.length(between) };
        self.reached = offset as u32;
        Position { line: self.line as u32, column: self.column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets_and_positions_agree(text: &str, encoding: Encoding) {
        let lines = Lines::new(text);
        let mut ascending = lines.positions(text, encoding);
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let position = ascending.at(offset as u32);
            assert_eq!(position, lines.positions(text, encoding).at(offset as u32), "{text:?} {offset}");
            let is_line_end = matches!(text.as_bytes().get(offset), Some(b'\n'))
                && offset > 0
                && text.as_bytes()[offset - 1] == b'\r';
            if !is_line_end {
                assert_eq!(lines.offset(text, position, encoding), offset as u32, "{text:?} {offset}");
            }
        }
    }

    #[test]
    fn positions_and_offsets_are_inverse_in_each_encoding() {
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for text in ["", "a", "\n", "a\r\nb\rc\n\nd", "é😀x\n😀😀\r\n", "one line 😀 of text"] {
                offsets_and_positions_agree(text, encoding);
            }
        }
    }

    #[test]
    fn columns_count_units_of_the_encoding() {
        let text = "// 😀é x";
        let at = text.find('x').unwrap() as u32;
        let column = |encoding| Lines::new(text).positions(text, encoding).at(at).column;
        assert_eq!([Encoding::Utf8, Encoding::Utf16, Encoding::Utf32].map(column), [10, 7, 6]);
    }

    #[test]
    fn lines_after_a_replacement_are_those_of_the_new_text() {
        let mut random = fastrand::Rng::with_seed(7);
        let word = |random: &mut fastrand::Rng| -> String {
            let length = random.usize(0..6);
            (0..length).map(|_| *random.choice(&['a', '\n', '\r', 'é', ' ']).unwrap()).collect()
        };
        let mut text = String::new();
        let mut lines = Lines::new(&text);
        for _ in 0..5000 {
            let mut bounds = [random.usize(0..=text.len()), random.usize(0..=text.len())];
            bounds.sort_unstable();
            let [start, end] = bounds.map(|at| text.floor_char_boundary(at));
            let end = end.min(start + 8).max(start);
            let end = text.floor_char_boundary(end);
            let inserted = word(&mut random);
            text.replace_range(start..end, &inserted);
            lines.replace(&text, start..end, &inserted);
            assert_eq!(lines.starts, Lines::new(&text).starts, "{text:?}");
        }
    }

    #[test]
    fn positions_outside_of_the_text_are_moved_into_it() {
        let text = "ab\ncd";
        let lines = Lines::new(text);
        let offset = |line, column| lines.offset(text, Position { line, column }, Encoding::Utf16);
        assert_eq!([offset(0, 99), offset(9, 0), offset(u32::MAX, u32::MAX)], [2, 5, 5]);
        assert_eq!(lines.positions(text, Encoding::Utf16).at(999), Position { line: 1, column: 2 });
        // The second unit of a character is its start.
        let lines = Lines::new("😀");
        assert_eq!(lines.offset("😀", Position { line: 0, column: 1 }, Encoding::Utf16), 0);
    }
}
