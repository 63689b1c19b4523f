//! Positions that comparisons ignore.

use ptx_diag::Span;

/// A position in the text that was read.
///
/// All positions are equal to each other: the meaning of a module does not depend on where its parts are in the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct At(pub Span);

impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for At {}

/// One position for each entry of an arena; like [`At`], equal to every other.
#[derive(Clone, Debug, Default)]
pub struct SpanTable(pub Vec<Span>);

impl PartialEq for SpanTable {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for SpanTable {}
