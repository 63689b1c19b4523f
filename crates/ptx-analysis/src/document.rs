//! A text that changes, with the index of its names.

use std::sync::Arc;

use ptx_diag::Span;
use ptx_isa::{PtxVersion, Sm};

use crate::index::{Index, build};
use crate::lines::{Encoding, Lines, Position, Positions};
use crate::slice::slice;

/// A change of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The part that is replaced; `None` for the whole text.
    pub range: Option<(Position, Position)>,
    /// The text in its place.
    pub text: String,
}

/// A text with the index of its names. Clones share both.
#[derive(Clone, Debug)]
pub struct Document {
    text: Arc<str>,
    lines: Arc<Lines>,
    index: Arc<Index>,
}

impl Document {
    /// A document of this text.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let (lines, index) = (Arc::new(Lines::new(&text)), Arc::new(build(&text)));
        Self { text, lines, index }
    }

    /// The document after some changes, each of which refers to the text after those before it.
    #[must_use]
    pub fn changed(&self, changes: impl IntoIterator<Item = Change>, encoding: Encoding) -> Self {
        let mut text = self.text.to_string();
        let mut lines = Lines::clone(&self.lines);
        for change in changes {
            let Some((start, end)) = change.range else {
                text = change.text;
                lines = Lines::new(&text);
                continue;
            };
            let at = |position| lines.offset(&text, position, encoding) as usize;
            let (start, end) = (at(start), at(end));
            let range = start.min(end)..end.max(start);
            text.replace_range(range.clone(), &change.text);
            lines.replace(&text, range, &change.text);
        }
        let index = Arc::new(build(&text));
        Self { text: Arc::from(text), lines: Arc::new(lines), index }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        slice(&self.text, span)
    }

    /// The offset of a position; positions outside of the text are moved into it.
    pub fn offset(&self, position: Position, encoding: Encoding) -> u32 {
        self.lines.offset(&self.text, position, encoding)
    }

    /// An offset moved into the text, and to the start of its character.
    pub(crate) fn inside(&self, offset: u32) -> u32 {
        self.text.floor_char_boundary((offset as usize).min(self.text.len())) as u32
    }

    /// Converts offsets to positions.
    pub fn positions(&self, encoding: Encoding) -> Positions<'_> {
        self.lines.positions(&self.text, encoding)
    }

    /// The line of an offset, from 0.
    pub fn line_of(&self, offset: u32) -> usize {
        self.lines.line_of(offset)
    }

    /// The offset of the start of a line (from 0); the end of the text for a line after the last one.
    pub fn line_start(&self, line: usize) -> u32 {
        self.lines.start(line, &self.text)
    }

    /// The offset of the end of a line (from 0), before its line feed.
    pub fn line_end(&self, line: usize) -> u32 {
        self.lines.start(line, &self.text) + self.lines.line(line, &self.text).len() as u32
    }

    /// The stated version of PTX; `None` if the text has none.
    pub fn version(&self) -> Option<PtxVersion> {
        PtxVersion::from_text(self.slice(self.index.version?))
    }

    /// The architecture of `.target`; `None` if the text names none.
    pub fn target(&self) -> Option<Sm> {
        self.slice(self.index.target?).split(',').find_map(|name| Sm::from_text(name.trim()))
    }
}
