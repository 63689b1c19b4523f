//! The segment of a kernel whose function is being generated (`code/segments.rs`), if the kernel is split.

use std::cell::Cell;
use std::ops::Range;

use ptx_llvm_core::build::{Block, Function, Value};
use rustc_hash::FxHashMap;

use crate::analysis::{BlockId, Segments};

/// The functions of a kernel that is split, and where its state is.
pub(crate) struct Plan<'a, 'c> {
    pub(crate) segments: &'a Segments,
    /// The function of each segment.
    pub(crate) functions: Vec<Function<'c>>,
    /// Reports operations at which lanes wait forever; reports lanes that are elsewhere when others reach a barrier.
    pub(crate) stuck: Reporter<'c>,
    pub(crate) parted: Reporter<'c>,
    /// The offsets of the values of rows, and of their indices, in the state.
    pub(crate) offsets: FxHashMap<u32, [Vec<u64>; 2]>,
    pub(crate) bytes: u64,
}

/// A function that looks at all blocks of a kind and reports those at which lanes are.
pub(crate) struct Reporter<'c> {
    pub(crate) function: Function<'c>,
    /// Functions that it calls, each of which looks at some of the blocks, so that no function grows with the kernel.
    pub(crate) parts: Vec<(Function<'c>, Vec<BlockId>)>,
}

/// The segment whose function is being generated.
pub(crate) struct Segment<'a, 'c> {
    pub(crate) plan: &'a Plan<'a, 'c>,
    pub(crate) range: Range<BlockId>,
    pub(crate) state: Value<'c>,
    /// The memory of the block at which each lane is that is not at one of this segment, for each chunk.
    pub(crate) lanes_at: Vec<Value<'c>>,
    /// Saves the lanes and returns; as this one, but blocks up to that of an operation are passed over.
    pub(crate) leave: Block<'c>,
    /// The memory of the lowest block that may run next.
    pub(crate) bound: Value<'c>,
    /// Tests all blocks of the segment in order, for ends of blocks with many candidates.
    pub(crate) dispatch: Cell<Option<Block<'c>>>,
    /// As `dispatch`, from the bound on, for operations for which lanes are missing.
    pub(crate) pass_over: Cell<Option<Block<'c>>>,
    /// The block that reports that lanes are elsewhere when others have reached a barrier, if there is one.
    pub(crate) parted: Cell<Option<Parted<'c>>>,
}

/// The block that reports lanes that are elsewhere, and the memory of what it reports: the barrier, and the lanes that have reached it.
#[derive(Clone, Copy)]
pub(crate) struct Parted<'c> {
    pub(crate) block: Block<'c>,
    pub(crate) pc: Value<'c>,
    pub(crate) all: Value<'c>,
}
