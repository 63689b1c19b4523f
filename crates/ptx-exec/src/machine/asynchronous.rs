//! Dispatches asynchronous operations.

use super::Stop;
use super::block::BlockState;
use super::grid::Grid;
use super::warp::Warp;
use crate::program::{AsyncOp, Mask, Row};

impl Warp {
    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn asynchronous(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        op: &AsyncOp,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        match op {
            AsyncOp::Bulk(bulk) => self.bulk(grid, block, frame, rows, bulk, active, pc),
            AsyncOp::Write(write) => self.async_write(grid, block, frame, rows, write, active, pc),
            AsyncOp::TensorCopy(copy) => self.tensor_copy(grid, block, frame, rows, copy, active, pc),
            AsyncOp::TensormapReplace(change) => {
                self.tensormap_replace(grid, block, frame, rows, change, active, pc)
            }
            AsyncOp::TensormapCopy(copy) => self.tensormap_copy(grid, block, frame, rows, copy, active, pc),
            AsyncOp::Tensor(issue) => self.tensor(grid, block, rows, issue, active, pc),
            AsyncOp::TensorCommit(commit) => self.tensor_commit(grid, block, frame, rows, commit, active, pc),
            AsyncOp::TryCancel(cancel) => self.try_cancel(grid, block, frame, rows, cancel, active, pc),
        }
    }
}
