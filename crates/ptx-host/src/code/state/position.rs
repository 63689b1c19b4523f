//! The LLVM blocks of the code of a warp, and which of it is being generated.

use std::cell::Cell;

use ptx_llvm::build::Block;

use crate::analysis::{BlockCopy, BlockId};
use crate::strategy::Version;

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
