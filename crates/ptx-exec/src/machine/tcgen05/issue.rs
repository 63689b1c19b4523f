//! What one thread has done with tensor memory (manual 9.7.16.9, 9.7.16.10, 9.7.16.12).
//!
//! Operations of a block are performed in the order in which they are issued: the manual lets some overtake others
//! (9.7.16.6.2), and has those stay in order, also between threads, that programs count on.

use super::copy::{copy, shift};
use super::multiply::multiply;
use crate::error::TrapKind;
use crate::machine::Stop;
use crate::machine::block::BlockState;
use crate::machine::cluster::in_target;
use crate::machine::grid::Grid;
use crate::machine::memory::{View, addresses};
use crate::machine::pending::{Operation, Order, Registers, Signal, Track, Work};
use crate::machine::warp::{Warp, WarpId};
use crate::program::{Family, Mask, Row, TensorCommit, TensorIssue, TensorOperation, lanes};

/// The operations of a block, whichever of its threads issued them.
fn of_block(rank: u32) -> Track {
    Track { family: Family::Tensor, warp: WarpId { rank, index: 0 }, lane: 0 }
}

/// An operation with its operands.
#[derive(Clone, Debug)]
pub(in crate::machine) struct Tcgen05Work {
    operation: TensorOperation<u64>,
}

impl Tcgen05Work {
    /// Whether it reads shared memory.
    pub(in crate::machine) fn reads_shared(&self) -> bool {
        match &self.operation {
            TensorOperation::Copy { .. } | TensorOperation::Multiply(_) => true,
            TensorOperation::Shift(_) => false,
        }
    }
}

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

impl View<'_> {
    /// Performs an operation that was issued.
    pub(in crate::machine) fn perform_tcgen05(&mut self, work: &Tcgen05Work) -> Result<(), TrapKind> {
        perform(&work.operation, &mut [&mut *self.block])
    }
}

impl Warp {
    /// `tcgen05.cp`, `tcgen05.shift`, `tcgen05.mma`.
    pub(in crate::machine) fn tensor(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        rows: &[Row],
        issue: &TensorIssue,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let warp = self.id;
        for lane in lanes(active) {
            block.tensor.use_group(issue.group).map_err(|kind| Stop::at(kind, pc, lane))?;
            let operation = issue.operation.map(|src| src.of(rows, self.constants(grid))[lane]);
            let work = Work::Tcgen05(Box::new(Tcgen05Work { operation }));
            let mut operation = Operation::new(work, (warp, lane, pc));
            operation.track = Some((of_block(warp.rank), Order::AfterEarlier));
            self.view(grid, block).issue(operation, &mut Registers::All(&mut []))?;
        }
        self.issued(block);
        Ok(())
    }

    /// `tcgen05.commit`: an arrival when all that was issued is done.
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
        let constants = self.constants(grid);
        let barriers = addresses(&commit.barrier, rows, constants, self.frames[frame].local);
        let warp = self.id;
        for lane in lanes(active) {
            let stop = |kind| Stop::at(kind, pc, lane);
            block.tensor.use_group(commit.group).map_err(stop)?;
            let targets = commit.blocks.map(|blocks| blocks.of(rows, constants)[lane]);
            let mut view = self.view(grid, block);
            let targets = view.block.targets(targets).map_err(stop)?;
            let place = (commit.barrier.space, barriers.of(lane));
            let place = view.barrier_place(place).map_err(stop)?;
            for target in targets {
                let arrival = Operation::new(Work::Nothing, (warp, lane, pc));
                let mut arrival = arrival.signals(Signal::Arrival(in_target(place, target)));
                arrival.track = Some((of_block(warp.rank), Order::AfterEarlier));
                view.issue(arrival, &mut Registers::All(&mut []))?;
            }
        }
        self.issued(block);
        Ok(())
    }
}
