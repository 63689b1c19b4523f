//! The places where the function is left.

use std::cell::{Cell, RefCell};

use ptx_llvm_core::build::Block;

use crate::analysis::BlockId;
use crate::strategy::Version;

/// The blocks that leave the function.
pub(crate) struct Ends<'c> {
    /// All lanes have exited.
    pub(crate) done: Block<'c>,
    /// The block that reports that lanes wait for each other forever, if there is one.
    pub(crate) stuck: Cell<Option<Block<'c>>>,
    /// The places where warps are handed over to the interpreter.
    pub(crate) handovers: RefCell<Vec<Handover<'c>>>,
}

/// A place where a warp is handed over: the block that begins with the poll, and its code.
pub(crate) struct Handover<'c> {
    pub(crate) id: BlockId,
    pub(crate) version: Version,
    pub(crate) leave: Block<'c>,
}
