//! Products of matrices that another engine computes, with the results that they have here.

use std::ops::Range;

use super::descriptor::SharedMatrix;
use crate::program::{Element, LANES, Majorness, Row, WarpgroupProduct};

/// Computes products of matrices as this crate does: products are exact in binary64, and added in the order of depth; the sum is rounded
/// once.
pub trait Products: Sync + std::fmt::Debug {
    /// The part of a warp of a `wgmma`, whose registers are among `rows`. False where it is not computed: then nothing was changed.
    fn warpgroup(&self, part: &WarpgroupPart<'_>, rows: &mut [Row]) -> bool;

    /// The part of a block of a `tcgen05.mma` whose D is in single precision: `cells` are those of its columns, one column of 128 lanes
    /// after the other. False where it is not computed: then nothing was changed.
    fn tensor(&self, part: &TensorPart<'_>, cells: &mut [u32]) -> bool;

    /// The values of all elements of a matrix in shared memory, line after line. None where they are not read, as for a type that is rare
    /// or where some lie beyond the memory.
    fn elements(&self, lines: &Lines<'_>, element: Element) -> Option<Vec<f64>>;

    /// The values of elements that follow each other in memory; none for a type that is rare.
    fn values(&self, element: Element, raw: &[u8]) -> Option<Vec<f64>>;
}

/// The part of a warp of a `wgmma` of a dense A.
#[derive(Clone, Copy, Debug)]
pub struct WarpgroupPart<'a> {
    /// The instruction.
    pub op: &'a WarpgroupProduct,
    /// A of the warpgroup, where it is in shared memory.
    pub a: Option<Lines<'a>>,
    /// B.
    pub b: Lines<'a>,
    /// Whether D is added.
    pub accumulates: bool,
    /// The warp in its warpgroup.
    pub quarter: usize,
    /// The constants that operands may be.
    pub constants: &'a [Row],
}

/// The part of a block of a `tcgen05.mma`.
#[derive(Clone, Copy, Debug)]
pub struct TensorPart<'a> {
    /// A, row after row.
    pub a: &'a [f64],
    /// B, column after column.
    pub b: &'a [f64],
    /// Elements of a row of A.
    pub depth: usize,
    /// Whether D is added.
    pub adds: bool,
    /// The row of A that each lane has; none where D has nothing in the lane.
    pub rows: [Option<usize>; LANES],
    /// For each quarter of the lanes the column of B that the first column of D is of.
    pub columns: [usize; 4],
}

/// A matrix in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    matrix: SharedMatrix,
    shared: &'a [u8],
}

impl<'a> Lines<'a> {
    pub(super) fn new(matrix: SharedMatrix, shared: &'a [u8]) -> Self {
        Self { matrix, shared }
    }

    /// Which elements are neighbours.
    pub fn majorness(&self) -> Majorness {
        self.matrix.majorness
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.matrix.lines
    }

    /// Elements of a line: a row of A, or a column of B.
    pub fn depth(&self) -> usize {
        self.matrix.depth
    }

    /// Copies chunks of 16 bytes: of each of these lines, or of each element's place in all lines for [`Majorness::Mn`]. None where one lies
    /// beyond the memory.
    pub fn copy(&self, rows: Range<usize>, chunks: Range<usize>, to: &mut [[u8; 16]]) -> Option<()> {
        let (places, shared) = (self.matrix.places(), self.shared.as_chunks::<16>().0);
        for (row, to) in rows.zip(to.chunks_mut(chunks.len().max(1))) {
            for (chunk, to) in chunks.clone().zip(to) {
                // All parts of a descriptor are multiples of a chunk.
                *to = *shared.get((places.chunk(row, chunk) / 16) as usize)?;
            }
        }
        Some(())
    }
}
