//! What one thread has done with tensor memory (manual 9.7.16.9, 9.7.16.10, 9.7.16.12).

use super::copy::{copy, shift};
use super::multiply::multiply;
use crate::error::TrapKind;
use crate::machine::Stop;
use crate::machine::block::BlockState;
use crate::machine::grid::Grid;
use crate::machine::memory::addresses;
use crate::machine::warp::Warp;
use crate::program::{Mask, Row, TensorCommit, TensorIssue, TensorOperation, lanes};

/// Carries out an operation on the tensor memory of a block or of a pair of blocks, the even one first.
fn perform(operation: &TensorOperation<u64>, blocks: &mut [&mut BlockState]) -> Result<(), TrapKind> {
    match operation {
        &TensorOperation::Copy { rows, chunks, packed, to, from } => {
            blocks.iter_mut().try_for_each(|block| copy((rows, chunks), packed, to as u32, from, block))
        }
        TensorOperation::Shift(at) => {
            blocks.iter_mut().try_for_each(|block| shift(*at as u32, &mut block.tensor))
        }
        TensorOperation::Multiply(product) => multiply(product, blocks),
    }
}

impl Warp {
    /// `tcgen05.cp`, `tcgen05.shift`, `tcgen05.mma`: done when they are issued.
    pub(in crate::machine) fn tensor(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        rows: &[Row],
        issue: &TensorIssue,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        for lane in lanes(active) {
            let stop = |kind| Stop::at(kind, pc, lane);
            block.tensor.use_group(issue.group).map_err(stop)?;
            let operation = issue.operation.map(|src| src.of(rows, &grid.program.constants)[lane]);
            perform(&operation, &mut [&mut *block]).map_err(stop)?;
        }
        Ok(())
    }

    /// `tcgen05.commit`: an arrival, as all that was issued is done.
    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(in crate::machine) fn tensor_commit(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &[Row],
        commit: &TensorCommit,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let constants = &grid.program.constants;
        let barriers = addresses(&commit.barrier, rows, constants, self.frames[frame].local);
        let mut view = self.view(grid, block);
        for lane in lanes(active) {
            let stop = |kind| Stop::at(kind, pc, lane);
            view.block.tensor.use_group(commit.group).map_err(stop)?;
            let blocks = commit.blocks.map_or(1, |blocks| blocks.of(rows, constants)[lane]);
            if blocks & !1 != 0 {
                let text = format!("the mask {blocks:#x} names blocks that the cluster does not have");
                return Err(stop(TrapKind::Misuse(text)));
            }
            if blocks == 1 {
                view.arrive_once(lane, (commit.barrier.space, barriers.of(lane))).map_err(stop)?;
            }
        }
        Ok(())
    }
}
