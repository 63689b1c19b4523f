//! How the values of a row are represented in code: one for all lanes, one for each set of chunks that have the same, or vectors.

use super::{Indexed, Shape, Shapes, Stride};

impl Shapes {
    /// Whether the values of a row are vectors, and otherwise integers.
    pub fn is_vector(&self, row: u32) -> bool {
        matches!(self.row(row), Shape::Varying)
    }

    /// The index from which a row's values follow, if any.
    pub fn indexed(&self, row: u32) -> Option<Indexed> {
        match self.row(row) {
            Shape::Indexed(indexed) => Some(indexed),
            _ => None,
        }
    }

    /// How many values a row has: one if those of all chunks follow from it, otherwise one for each set of chunks with equal values.
    pub fn copies(&self, row: u32) -> usize {
        1 << self.differing_chunks(row).count_ones()
    }

    /// For each value of a row, the first chunk that has it.
    pub fn chunks_of(&self, row: u32) -> Vec<usize> {
        let bits = self.differing_chunks(row) as usize;
        (0..self.lanes().chunks() as usize).filter(|chunk| chunk & !bits == 0).collect()
    }

    /// The index of a chunk's value among the values of a row.
    pub fn copy(&self, row: u32, chunk: usize) -> usize {
        let bits = self.differing_chunks(row) as usize;
        // The bits that count, compressed.
        let counted = (0..usize::BITS).filter(|bit| bits >> bit & 1 == 1);
        counted.enumerate().fold(0, |copy, (to, bit)| copy | (chunk >> bit & 1) << to)
    }

    /// The bits of a chunk's number that select which of a row's values it has.
    fn differing_chunks(&self, row: u32) -> u32 {
        match self.row(row) {
            Shape::Varying
            | Shape::Strided(Stride { across: None, .. })
            | Shape::Indexed(Indexed { index: Stride { across: None, .. }, .. }) => self.chunkwise(row),
            Shape::Strided(_)
            | Shape::Indexed(_)
            | Shape::Unwritten
            | Shape::Constant(_)
            | Shape::Uniform => 0,
        }
    }
}
