//! Where the lanes of a warp are: masks in memory, and those of the block being generated.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Value;

use crate::analysis::BlockId;

/// Sets of lanes.
pub(crate) struct Masks<'c> {
    /// For each block from `first` on, the memory of the mask of lanes that wait at it.
    pub(crate) waiting: Vec<Vec<Value<'c>>>,
    pub(crate) first: BlockId,
    /// The memory of the mask of lanes that have not exited.
    pub(crate) alive: Vec<Value<'c>>,
    /// The active mask of the current block, for each chunk.
    pub(crate) active: Vec<Value<'c>>,
    /// The participants of the collective operation that the block begins with.
    pub(crate) present: Present<'c>,
    /// The memory of the counter of operations for which lanes are missing (`gather.rs`), if the kernel needs it.
    pub(crate) vain: Option<Value<'c>>,
}

impl<'c> Masks<'c> {
    /// The memory of the mask of lanes that wait at a block of this function.
    ///
    /// # Errors
    /// The block is of another function.
    pub(crate) fn at(&self, id: BlockId) -> Result<&[Value<'c>], LlvmError> {
        let place = id.checked_sub(self.first).and_then(|at| self.waiting.get(at));
        let message = || format!("block {id} has no mask in this function");
        place.map(Vec::as_slice).ok_or_else(|| LlvmError::Other { message: message() })
    }
}

/// The lanes that execute an operation together.
#[derive(Clone, Debug)]
pub(crate) enum Present<'c> {
    /// All 32.
    Whole,
    /// The lanes of this mask.
    Same(Value<'c>),
    /// For each lane the mask of its group, in vectors.
    Each(Vec<Value<'c>>),
}
