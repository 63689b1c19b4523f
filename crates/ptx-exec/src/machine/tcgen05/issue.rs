//! Operations on tensor memory issued by one thread (manual 9.7.16.9, 9.7.16.10, 9.7.16.12).
//!
//! Operations of a block are performed in issue order: the manual allows some to overtake others (9.7.16.6.2), and
//! guarantees the order on which programs rely, also between threads.

use super::copy::{copy, shift};
use super::misuse::misuse;
use super::multiply::multiply;
use super::work::Tcgen05Work;
use crate::error::TrapKind;
use crate::machine::Stop;
use crate::machine::block::{BlockState, in_target};
use crate::machine::completion::Registers;
use crate::machine::geometry::WarpId;
use crate::machine::grid::Grid;
use crate::machine::memory::{View, addresses};
use crate::machine::operation::{Operation, Order, Signal, Track};
use crate::machine::products::Products;
use crate::machine::warp::Warp;
use crate::machine::work::Work;
use crate::program::{Family, Group, Mask, Row, TensorCommit, TensorIssue, TensorOperation, lanes};

/// Checks that a block, or both blocks of a pair, use the same `.cta_group` throughout.
pub(super) fn use_group(block: &mut BlockState, group: Group) -> Result<(), TrapKind> {
    block.tensor.use_group(group)?;
    match group {
        Group::One => Ok(()),
        Group::Pair => block.with_peer(|_, peer| peer.tensor.use_group(group)).unwrap_or_else(|| {
            misuse("`.cta_group::2` needs a cluster with a block of the rank next to this one")
        }),
    }
}

/// The track of the operations of a block or pair, issued by any of its threads.
fn track(rank: u32, group: Group) -> Track {
    let rank = match group {
        Group::One => rank,
        Group::Pair => rank & !1,
    };
    Track { family: Family::Tensor, warp: WarpId { rank, index: 0 }, lane: 0 }
}

/// Checks that the peer block of a pair has not ended (manual 9.7.16.5).
fn check_peer(block: &mut BlockState, group: Group) -> Result<(), TrapKind> {
    let has_ended = |peer: &BlockState| peer.live.iter().all(|&live| live == 0);
    if group == Group::Pair && block.with_peer(|_, peer| has_ended(peer)) == Some(true) {
        return misuse("the other block of the pair has ended");
    }
    Ok(())
}

/// Performs an operation on the tensor memory of a block, or of a pair with the even block first.
fn perform(
    operation: &TensorOperation<u64>,
    blocks: &mut [&mut BlockState],
    products: Option<&'static dyn Products>,
) -> Result<(), TrapKind> {
    match operation {
        &TensorOperation::Copy { rows, chunks, packed, to, from } => {
            blocks.iter_mut().try_for_each(|block| copy((rows, chunks), packed, to as u32, from, block))
        }
        TensorOperation::Shift(at) => {
            blocks.iter_mut().try_for_each(|block| shift(*at as u32, &mut block.tensor))
        }
        TensorOperation::Multiply(product) => multiply(product, blocks, products),
    }
}

impl View<'_> {
    /// Performs an issued operation.
    pub(crate) fn perform_tcgen05(&mut self, work: &Tcgen05Work) -> Result<(), TrapKind> {
        if work.group == Group::One {
            return perform(&work.operation, &mut [&mut *self.block], self.grid.products);
        }
        let is_even = self.block.rank.is_multiple_of(2);
        let products = self.grid.products;
        let done = self.block.with_peer(|block, peer| match is_even {
            true => perform(&work.operation, &mut [block, peer], products),
            false => perform(&work.operation, &mut [peer, block], products),
        });
        done.unwrap_or(Ok(()))
    }
}

impl Warp {
    /// `tcgen05.cp`, `tcgen05.shift`, `tcgen05.mma`.
    pub(crate) fn tensor(
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
            use_group(block, issue.group).map_err(|kind| Stop::at(kind, pc, lane))?;
            check_peer(block, issue.group).map_err(|kind| Stop::at(kind, pc, lane))?;
            let operation = issue.operation.map(|src| src.of(rows, self.constants(grid))[lane]);
            let work = Work::Tcgen05(Box::new(Tcgen05Work { group: issue.group, operation }));
            let mut operation = Operation::new(work, (warp, lane, pc));
            operation.track = Some((track(warp.rank, issue.group), Order::AfterEarlier));
            self.view(grid, block).issue(operation, &mut Registers::All(&mut []))?;
        }
        self.issued(block);
        Ok(())
    }

    /// `tcgen05.commit`: an arrival when all issued operations are complete.
    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(crate) fn tensor_commit(
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
            use_group(block, commit.group).map_err(stop)?;
            let targets = commit.blocks.map(|blocks| blocks.of(rows, constants)[lane]);
            let mut view = self.view(grid, block);
            let targets = view.block.targets(targets).map_err(stop)?;
            let barrier = (commit.barrier.space, barriers.of(lane));
            let barrier = view.barrier_address(barrier).map_err(stop)?;
            for target in targets {
                let arrival = Operation::new(Work::Nothing, (warp, lane, pc));
                let mut arrival = arrival.signals(Signal::Arrival(in_target(barrier, target)));
                arrival.track = Some((track(warp.rank, commit.group), Order::AfterEarlier));
                view.issue(arrival, &mut Registers::All(&mut []))?;
            }
        }
        self.issued(block);
        Ok(())
    }
}
