//! How the warps of a block (CTA) take turns in one function.

use ptx_llvm_core::build::{Block, Value};

/// The warps of a block in one function.
pub(crate) struct Turns<'c> {
    pub(crate) warps: u64,
    /// The index of the warp that has its turn.
    pub(crate) warp: Value<'c>,
    /// The saved rows of each warp, and bytes per warp.
    pub(crate) state: Value<'c>,
    pub(crate) bytes: u64,
    pub(crate) resumption: Resumption<'c>,
}

/// Where a warp resumes in its next turn.
pub(crate) enum Resumption<'c> {
    /// At the resume point that it saved.
    Points(ResumePoints<'c>),
    /// At the beginning of the next phase, if warps reach barriers in one order.
    Phases(PhaseHeads<'c>),
}

/// The resume points of warps.
pub(crate) struct ResumePoints<'c> {
    /// The memory of the resume point of each warp; of the number of warps that have not exited.
    pub(crate) next: Value<'c>,
    pub(crate) left: Value<'c>,
    /// The block that reads the index of the current warp and dispatches; the block that advances to the next warp.
    pub(crate) turn: Block<'c>,
    pub(crate) advance: Block<'c>,
    /// The resume points after barriers.
    pub(crate) resumes: Vec<(u64, Block<'c>)>,
}

/// The loops over warps.
pub(crate) struct PhaseHeads<'c> {
    /// The memory of the current warp's index.
    pub(crate) at: Value<'c>,
    /// The first LLVM block of each phase.
    pub(crate) heads: Vec<Block<'c>>,
}

impl<'c> Turns<'c> {
    /// The resume points, if the order has these.
    pub(crate) fn points(&self) -> Option<&ResumePoints<'c>> {
        match &self.resumption {
            Resumption::Points(points) => Some(points),
            Resumption::Phases(_) => None,
        }
    }

    /// The loops over warps, if the order has these.
    pub(crate) fn heads(&self) -> Option<&PhaseHeads<'c>> {
        match &self.resumption {
            Resumption::Points(_) => None,
            Resumption::Phases(heads) => Some(heads),
        }
    }
}
