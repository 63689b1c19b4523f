//! Warpgroup matrix products: `wgmma` (manual 9.7.15).

use super::{Dst, Majorness, Product, Src};

/// Warps in a warpgroup; the rank of the first warp is a multiple of it (manual 9.7.15.1).
pub const WARPGROUP: usize = 4;

/// A factor in shared memory.
#[derive(Clone, Copy, Debug, Hash)]
pub struct SharedFactor {
    /// The matrix descriptor.
    pub descriptor: Src,
    /// Which of its elements are contiguous.
    pub majorness: Majorness,
}

/// Location of A.
#[derive(Clone, Debug, Hash)]
pub enum FactorA {
    /// In registers: each warp holds its 16 rows in the layout of `mma.m16n8`.
    Registers(Box<[Src]>),
    /// In shared memory.
    Shared(SharedFactor),
}

/// `wgmma.mma_async`: D = A * B + D.
#[derive(Clone, Debug, Hash)]
pub struct WarpgroupProduct {
    /// The share of one warp: 16 rows of A and D, and all of B.
    pub product: Product,
    /// Where A is.
    pub a: FactorA,
    /// Where B is.
    pub b: SharedFactor,
    /// C and D.
    pub d: Box<[Dst]>,
    /// `scale-d`: whether the old value of D is added.
    pub accumulates: Src,
    /// Whether the products are negated: one of `imm-scale-a` and `imm-scale-b` is -1.
    pub negated: bool,
    /// Metadata of a sparse A.
    pub metadata: Option<Src>,
}

impl WarpgroupProduct {
    /// The position, row first, of element `i` of D in the share of the lane's warp (manual 9.7.15.5.1.1).
    pub const fn place(lane: usize, i: usize) -> (usize, usize) {
        (lane / 4 + 8 * (i / 2 % 2), lane % 4 * 2 + i % 2 + 8 * (i / 4))
    }
}

/// A warpgroup operation.
#[derive(Clone, Debug, Hash)]
pub enum WarpgroupAction {
    /// `wgmma.mma_async`
    Multiply(WarpgroupProduct),
    /// `wgmma.fence`: orders register accesses before subsequent products.
    Fence,
    /// `wgmma.commit_group`.
    Commit,
    /// `wgmma.wait_group`: waits until at most this number of the most recent groups is incomplete.
    Wait(u64),
}
