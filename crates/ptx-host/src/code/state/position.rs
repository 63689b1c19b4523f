//! The LLVM blocks of the code of a warp, and which of it is being generated.

use std::cell::Cell;

use ptx_llvm::build::Block;

use crate::analysis::{BlockCopy, BlockId};

/// The blocks, and the instruction being generated.
pub(crate) struct Position<'c> {
    /// For each version and block the first LLVM block; the version being generated.
    pub(crate) blocks: [Vec<Block<'c>>; 2],
    pub(crate) version: Version,
    /// The copies of blocks, and the one being generated.
    pub(crate) copies: Vec<BlockCopy>,
    pub(crate) copy: usize,
    /// The block that it is a copy of.
    pub(crate) block: Option<BlockId>,
    /// The instruction being generated.
    pub(crate) pc: Cell<u32>,
}

/// The two versions of code that are generated if some lanes of a warp may exit before others: in the first, masks are constants, so that accesses are
/// unmasked, and loads that chunks have in common execute once. A warp branches from the first version to the second when some of its lanes
/// exit: between blocks its whole state is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Version {
    /// No lane of the warp has exited.
    Full,
    /// Some may have exited.
    Partial,
}
