//! Products of matrices that another engine computes, with the results that they have here.

use super::descriptor::SharedMatrix;
use crate::program::{Majorness, Row, WarpgroupProduct};

/// Computes products of matrices as this crate does: products are exact in binary64, and added in the order of depth; the sum is rounded
/// once.
pub trait Products: Sync + std::fmt::Debug {
    /// The part of a warp of a `wgmma`, whose registers are among `rows`. False where it is not computed: then nothing was changed.
    fn warpgroup(&self, part: &WarpgroupPart<'_>, rows: &mut [Row]) -> bool;

    /// The part of a block of a `tcgen05.mma` whose D has 128 rows in single precision: `cells` are those of its columns, one column of 128 lanes
    /// after the other. False where it is not computed: then nothing was changed.
    fn tensor(&self, part: &TensorPart<'_>, cells: &mut [u32]) -> bool;
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

    /// Elements of a line: a row of A, or a column of B.
    pub fn depth(&self) -> usize {
        self.matrix.depth
    }

    /// 16 bytes of a line, or of what has one place in all lines for [`Majorness::Mn`]; nothing beyond the memory.
    #[inline]
    pub fn chunk(&self, row: usize, chunk: usize) -> Option<[u8; 16]> {
        let at = usize::try_from(self.matrix.chunk(row, chunk)).ok()?;
        self.shared.get(at..at.checked_add(16)?)?.try_into().ok()
    }
}
