//! Products of matrices that another engine computes, with the results that they have here.

use std::ops::Range;

use super::descriptor::SharedMatrix;
use crate::program::{Element, LANES, Majorness, Overflow, Row, WarpgroupProduct};

/// Computes products of matrices as this crate does: products are exact in binary64, and added in the order of depth; the sum is rounded
/// once.
pub trait Products: Sync + std::fmt::Debug {
    /// The part of a warp of a `wgmma`, whose registers are among `rows`. False where it is not computed: then nothing was changed.
    fn warpgroup(&self, part: &WarpgroupPart<'_>, rows: &mut [Row]) -> bool;

    /// The part of a block of a `tcgen05.mma`: `cells` are those of D's columns, one column of 128 lanes after the other. False where it is not
    /// computed, for which what values are there is not looked at: then nothing was changed.
    fn tensor(&self, part: &TensorPart<'_>, cells: &mut [u32]) -> bool;

    /// The values of all elements of a matrix in shared memory, line after line. None where they are not read, as for a type that is rare
    /// or where some lie beyond the memory.
    fn elements(&self, lines: &Lines<'_>, element: Element) -> Option<Vec<f64>>;

    /// The values of elements that follow each other in memory; none for a type that is rare.
    fn values(&self, element: Element, raw: &[u8]) -> Option<Vec<f64>>;
}

/// The part of a warp of a `wgmma`.
#[derive(Clone, Copy, Debug)]
pub struct WarpgroupPart<'a> {
    /// The instruction.
    pub op: &'a WarpgroupProduct,
    /// A of the warpgroup, where it is in shared memory.
    pub a: Option<Lines<'a>>,
    /// The row of B that each element of a sparse A meets, row after row of the warp; empty for a dense one.
    pub depths: &'a [usize],
    /// B.
    pub b: Lines<'a>,
    /// Whether D is added.
    pub accumulates: bool,
    /// The warp in its warpgroup.
    pub quarter: usize,
    /// The constants that operands may be.
    pub constants: &'a [Row],
}

/// The part of a block of a `tcgen05.mma`. Scales are factors of A and B already.
#[derive(Clone, Copy, Debug)]
pub struct TensorPart<'a> {
    /// A, row after row.
    pub a: &'a [f64],
    /// B, column after column.
    pub b: &'a [f64],
    /// Elements of a column of B.
    pub depth: usize,
    /// Elements that are stored of a row of A.
    pub kept: usize,
    /// The row of B that each element of a sparse A meets, lane after lane; empty for a dense one.
    pub depths: &'a [usize],
    /// Whether D is added, times a power of two.
    pub adds: bool,
    /// The power.
    pub scale: f64,
    /// The type of D, and what becomes of sums that it does not have.
    pub d: Element,
    /// The latter.
    pub overflow: Overflow,
    /// The row of A that each lane has; none where D has nothing in the lane, or is left as it is.
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

/// Where a matrix lies in shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Matrix(SharedMatrix);

impl<'a> Lines<'a> {
    pub(super) fn new(matrix: SharedMatrix, shared: &'a [u8]) -> Self {
        Self { matrix, shared }
    }

    /// Where it lies.
    pub fn matrix(&self) -> Matrix {
        Matrix(self.matrix)
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

    /// Where chunks of 16 bytes are, in units of them: those of each of these lines, or of each element's place in all lines for
    /// [`Majorness::Mn`].
    pub fn places(&self, rows: Range<usize>, chunks: Range<usize>) -> Vec<u32> {
        let places = self.matrix.places();
        let mut all = Vec::with_capacity(rows.len() * chunks.len());
        for row in rows {
            for chunk in chunks.clone() {
                // All parts of a descriptor are multiples of a chunk. What is too large is beyond the memory, too.
                all.push(u32::try_from(places.chunk(row, chunk) / 16).unwrap_or(u32::MAX));
            }
        }
        all
    }

    /// Copies chunks. None where one lies beyond the memory.
    pub fn copy(&self, places: &[u32], to: &mut [[u8; 16]]) -> Option<()> {
        let shared = self.shared.as_chunks::<16>().0;
        for (to, &at) in to.iter_mut().zip(places) {
            *to = *shared.get(at as usize)?;
        }
        Some(())
    }

    /// Whether chunks are these.
    pub fn is(&self, places: &[u32], held: &[[u8; 16]]) -> bool {
        let shared = self.shared.as_chunks::<16>().0;
        let is_same = |(&at, held): (&u32, &[u8; 16])| shared.get(at as usize) == Some(held);
        places.len() == held.len() && places.iter().zip(held).all(is_same)
    }
}
