//! The LLVM blocks of the code of a warp, and which of it is being generated.

use std::cell::Cell;

use ptx_llvm_core::build::{Block, Function, Types};

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

impl<'c> Position<'c> {
    /// Appends a block for each copy in each version to a function. Code outside of blocks is for any lanes.
    pub(crate) fn new(
        function: Function<'c>,
        types: Types<'c>,
        copies: Vec<BlockCopy>,
        versions: &[Version],
    ) -> Self {
        let mut blocks = [Vec::new(), Vec::new()];
        for &version in versions {
            blocks[version as usize] = copies.iter().map(|_| function.append_block(types, "block")).collect();
        }
        Self { blocks, version: Version::Partial, copies, copy: 0, block: None, pc: Cell::new(0) }
    }
}
