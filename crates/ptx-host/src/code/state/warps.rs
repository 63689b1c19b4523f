//! Which warps a call of the function executes, and how they take turns.

use std::collections::BTreeMap;

use ptx_llvm::build::{Block, Value};

use crate::analysis::Phases;

/// The warps that the function executes.
pub(crate) struct Warps<'c> {
    /// Whether the function executes a whole block (CTA), and whether its warps run in lockstep without synchronizing with other threads, so that
    /// barriers need no fence.
    pub(crate) is_of_block: bool,
    pub(crate) is_quiet: bool,
    /// Whether the runtime executes instructions of the kernel, including all that may suspend warps.
    pub(crate) is_heavy: bool,
    /// The turns of the warps, in a function that executes a whole block (CTA).
    pub(crate) turns: Option<Turns<'c>>,
}

/// The warps of a block in one function.
pub(crate) struct Turns<'c> {
    pub(crate) warps: u64,
    /// The index of the warp that has its turn.
    pub(crate) warp: Value<'c>,
    /// The resume point of each warp; the number of warps that have not exited.
    pub(crate) next: Value<'c>,
    pub(crate) left: Value<'c>,
    /// The saved rows of each warp, and bytes per warp.
    pub(crate) state: Value<'c>,
    pub(crate) bytes: u64,
    /// The block that reads the index of the current warp and dispatches; the block that advances to the next warp.
    pub(crate) turn: Block<'c>,
    pub(crate) advance: Block<'c>,
    /// The resume points after barriers.
    pub(crate) resumes: Vec<(u64, Block<'c>)>,
    /// The loops over warps, if these reach barriers in one order: no resume points are needed then.
    pub(crate) loops: Option<Loops<'c>>,
}

/// The loops over warps.
pub(crate) struct Loops<'c> {
    pub(crate) phases: Phases,
    /// The memory of the current warp's index.
    pub(crate) at: Value<'c>,
    /// The first LLVM block of each phase.
    pub(crate) heads: Vec<Block<'c>>,
    /// Rows that are recomputed after barriers, and the instructions that do it.
    pub(crate) again: BTreeMap<u32, u32>,
}
