//! Byte ranges of an input, and their lines and columns.

use std::sync::{Arc, OnceLock};

/// A half-open byte range `lo..hi` of one source text.
///
/// The reader rejects inputs larger than 4 GiB, so 32 bits are enough.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub lo: u32,
    /// Offset one past the last byte.
    pub hi: u32,
}

impl Span {
    /// The range `lo..hi`.
    pub const fn new(lo: u32, hi: u32) -> Self {
        Self { lo, hi }
    }

    /// The smallest range that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
}

/// A position for people: line and column are counted from 1, the column in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A named input text with an index of its lines; clones share the text.
#[derive(Clone, Debug)]
pub struct SourceFile(Arc<Indexed>);

#[derive(Debug)]
struct Indexed {
    name: String,
    text: Vec<u8>,
    /// Computed on the first request for a position: most inputs have no diagnostics.
    line_starts: OnceLock<Vec<u32>>,
}

impl SourceFile {
    /// A source of this text; `name` is its name in diagnostics (a path, or `<stdin>`).
    pub fn new(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Self {
        Self(Arc::new(Indexed { name: name.into(), text: text.into(), line_starts: OnceLock::new() }))
    }

    /// The name of this input in diagnostics.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The whole input, as it was read; it need not be UTF-8.
    pub fn text(&self) -> &[u8] {
        &self.0.text
    }

    fn line_starts(&self) -> &[u32] {
        self.0.line_starts.get_or_init(|| {
            let newlines = memchr::memchr_iter(b'\n', &self.0.text);
            std::iter::once(0).chain(newlines.map(|at| at as u32 + 1)).collect()
        })
    }

    /// Line and column of a byte offset; offsets past the end mean the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.0.text.len());
        let line = self.line_of(offset);
        let start = self.line_starts()[line - 1] as usize;
        Position { line: line as u32, column: count_characters(&self.0.text[start..offset]) + 1 }
    }

    /// The positions of many byte offsets, in the order of the offsets.
    ///
    /// This is one pass over the lines concerned; calling [`Self::position`] for each offset would be quadratic on a long line.
    pub fn positions(&self, offsets: &[u32]) -> Vec<Position> {
        let mut order: Vec<usize> = (0..offsets.len()).collect();
        order.sort_by_key(|&index| offsets[index]);
        let mut positions = vec![Position { line: 1, column: 1 }; offsets.len()];
        let (mut line, mut column, mut reached) = (1, 1, 0);
        for index in order {
            let offset = (offsets[index] as usize).min(self.0.text.len());
            let own_line = self.line_of(offset);
            if own_line != line {
                (line, column, reached) = (own_line, 1, self.line_starts()[own_line - 1] as usize);
            }
            column += count_characters(&self.0.text[reached..offset]);
            reached = offset;
            positions[index] = Position { line: line as u32, column };
        }
        positions
    }

    /// The byte offset at which a line (from 1) starts; `None` if the line does not exist.
    pub fn line_start(&self, line: u32) -> Option<u32> {
        self.line_starts().get(line.checked_sub(1)? as usize).copied()
    }

    /// The line (from 1) that contains `offset`. It always exists, because the first line starts at 0.
    fn line_of(&self, offset: usize) -> usize {
        self.line_starts().partition_point(|&start| start as usize <= offset)
    }

    /// The text of a line (from 1) without its line ending; `None` if the line does not exist.
    pub fn line(&self, line: u32) -> Option<&[u8]> {
        let start = *self.line_starts().get(line.checked_sub(1)? as usize)? as usize;
        let end = self.line_starts().get(line as usize).map_or(self.0.text.len(), |&next| next as usize);
        let bytes = &self.0.text[start..end];
        Some(bytes.strip_suffix(b"\n").unwrap_or(bytes)).map(|b| b.strip_suffix(b"\r").unwrap_or(b))
    }
}

/// The number of characters that are shown for `bytes`: each run of invalid UTF-8 is shown as one replacement character.
fn count_characters(bytes: &[u8]) -> u32 {
    let of_chunk = |chunk: std::str::Utf8Chunk<'_>| {
        chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty())
    };
    bytes.utf8_chunks().map(of_chunk).sum::<usize>() as u32
}
