//! Byte ranges of an input and their line and column.

/// A half-open byte range `lo..hi` of one source text.
///
/// Inputs over 4 GiB are refused by the reader, so 32 bits are enough.
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

/// A place for people: line and column count from 1, the column in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A named input text with an index of its lines.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: Vec<u8>,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Indexes `text`; `name` is what diagnostics call it (a path, or `<stdin>`).
    pub fn new(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Self {
        let text = text.into();
        let newlines = text.iter().enumerate().filter(|&(_, &b)| b == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        Self { name: name.into(), text, line_starts }
    }

    /// What diagnostics call this input.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole input, as it was read; it need not be UTF-8.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Line and column of a byte offset; offsets past the end mean the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_starts.partition_point(|&start| start as usize <= offset);
        let start = self.line_starts[line - 1] as usize;
        let column = String::from_utf8_lossy(&self.text[start..offset]).chars().count();
        Position { line: line as u32, column: column as u32 + 1 }
    }

    /// The text of a line (from 1) without its line ending, or nothing when there is no such line.
    pub fn line(&self, line: u32) -> Option<&[u8]> {
        let start = *self.line_starts.get(line.checked_sub(1)? as usize)? as usize;
        let end = self.line_starts.get(line as usize).map_or(self.text.len(), |&next| next as usize);
        let bytes = &self.text[start..end];
        Some(bytes.strip_suffix(b"\n").unwrap_or(bytes)).map(|b| b.strip_suffix(b"\r").unwrap_or(b))
    }
}
