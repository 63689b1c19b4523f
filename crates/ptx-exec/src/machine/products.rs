//! Interface for matrix products computed by another engine, with the same results as in this crate.

use std::ops::Range;

use ptx_program::{Element, LANES, Majorness, Overflow, Row, WarpgroupProduct};

use super::descriptor::SharedMatrix;

/// Computes matrix products with the semantics of this crate: products are exact in binary64, and added in depth order; the sum is rounded once.
pub trait Products: Sync + std::fmt::Debug {
    /// Computes the share of one warp of a `wgmma`, whose registers are in `rows`. Returns false, without effect, if it is unsupported.
    fn warpgroup(&self, part: &WarpgroupPart<'_>, rows: &mut [Row]) -> bool;

    /// Computes the share of one block of a `tcgen05.mma`: `cells` are the columns of D, each of 128 lanes, one after
    /// the other. Returns false, without effect, if it is unsupported, which must not depend on the values.
    fn tensor(&self, part: &TensorPart<'_>, cells: &mut [u32]) -> bool;

    /// The values of all elements of a matrix in shared memory, line by line. `None` if it is unsupported, such as for
    /// a rare type or if some elements are out of bounds.
    fn elements(&self, lines: &Lines<'_>, element: Element) -> Option<Vec<f64>>;

    /// The values of contiguous elements; `None` for a rare type.
    fn values(&self, element: Element, raw: &[u8]) -> Option<Vec<f64>>;
}

/// The share of one warp of a `wgmma`.
#[derive(Clone, Copy, Debug)]
pub struct WarpgroupPart<'a> {
    /// The instruction.
    pub op: &'a WarpgroupProduct,
    /// A of the warpgroup, if it is in shared memory.
    pub a: Option<Lines<'a>>,
    /// The row of B for each element of a sparse A, for the rows of the warp; empty if A is dense.
    pub depths: &'a [usize],
    /// B.
    pub b: Lines<'a>,
    /// Whether the old D is added.
    pub accumulates: bool,
    /// Index of the warp in its warpgroup.
    pub quarter: usize,
    /// The constant rows, for constant operands.
    pub constants: &'a [Row],
}

/// The share of one block of a `tcgen05.mma`. Scales are already multiplied into A and B.
#[derive(Clone, Copy, Debug)]
pub struct TensorPart<'a> {
    /// A, row by row.
    pub a: &'a [f64],
    /// B, column by column.
    pub b: &'a [f64],
    /// Elements per column of B.
    pub depth: usize,
    /// Stored elements per row of A.
    pub kept: usize,
    /// The row of B for each element of a sparse A, lane by lane; empty if A is dense.
    pub depths: &'a [usize],
    /// Whether the old D is added, scaled by a power of two.
    pub adds: bool,
    /// The power of two.
    pub scale: f64,
    /// The type of D.
    pub d: Element,
    /// Handling of sums that the type of D cannot represent.
    pub overflow: Overflow,
    /// The row of A for each lane; `None` if D has no element in the lane, or the lane is not written.
    pub rows: [Option<usize>; LANES],
    /// For each quarter of the lanes the column of B that corresponds to the first column of D.
    pub columns: [usize; 4],
}

/// A matrix in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    matrix: SharedMatrix,
    shared: &'a [u8],
}

/// Layout of a matrix in shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Matrix(SharedMatrix);

impl<'a> Lines<'a> {
    pub(super) fn new(matrix: SharedMatrix, shared: &'a [u8]) -> Self {
        Self { matrix, shared }
    }

    /// Its layout.
    pub fn matrix(&self) -> Matrix {
        Matrix(self.matrix)
    }

    /// Its majorness.
    pub fn majorness(&self) -> Majorness {
        self.matrix.majorness
    }

    /// Number of lines.
    pub fn count(&self) -> usize {
        self.matrix.lines
    }

    /// Elements per line: per row of A, or per column of B.
    pub fn depth(&self) -> usize {
        self.matrix.depth
    }

    /// The positions of 16-byte chunks, in units of chunks: the given chunks of each of these lines, or for
    /// [`Majorness::Mn`] of each element index across lines.
    pub fn places(&self, rows: Range<usize>, chunks: Range<usize>) -> Vec<u32> {
        let addresses = self.matrix.chunk_addresses();
        let mut all = Vec::with_capacity(rows.len() * chunks.len());
        for row in rows {
            for chunk in chunks.clone() {
                // All fields of a descriptor are multiples of a chunk. Values that are too large are out of bounds anyway.
                all.push((addresses.chunk(row, chunk) / 16).min(u32::MAX.into()) as u32);
            }
        }
        all
    }

    /// Copies chunks. `None` if one is out of bounds.
    pub fn copy(&self, places: &[u32], to: &mut [[u8; 16]]) -> Option<()> {
        let shared = self.shared.as_chunks::<16>().0;
        for (to, &at) in to.iter_mut().zip(places) {
            *to = *shared.get(at as usize)?;
        }
        Some(())
    }

    /// Whether the chunks have these contents.
    pub fn is(&self, places: &[u32], held: &[[u8; 16]]) -> bool {
        let shared = self.shared.as_chunks::<16>().0;
        let is_same = |(&at, held): (&u32, &[u8; 16])| shared.get(at as usize) == Some(held);
        places.len() == held.len() && places.iter().zip(held).all(is_same)
    }
}
