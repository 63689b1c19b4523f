//! Asynchronous operations on tensor memory with their operands resolved.

use ptx_program::{Group, Row, TensorMove, TensorOperation};

/// An operation with resolved operands.
#[derive(Clone, Debug)]
pub(crate) struct Tcgen05Work {
    pub(super) group: Group,
    pub(super) operation: TensorOperation<u64>,
}

impl Tcgen05Work {
    /// Whether it reads shared memory.
    pub(crate) fn reads_shared(&self) -> bool {
        match &self.operation {
            TensorOperation::Copy { .. } | TensorOperation::Multiply(_) => true,
            TensorOperation::Shift(_) => false,
        }
    }
}

/// A store of registers.
#[derive(Clone, Debug)]
pub(crate) struct TensorStore {
    pub(super) cells: TensorMove,
    pub(super) lane: usize,
    pub(super) column: i64,
    pub(super) registers: Vec<Row>,
}
