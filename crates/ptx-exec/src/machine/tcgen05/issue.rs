//! Operations on tensor memory issued by one thread (manual 9.7.16.9, 9.7.16.10, 9.7.16.12).
//!
//! Operations of a block are performed in issue order: the manual allows some to overtake others (9.7.16.6.2), and
//! guarantees the order on which programs rely, also between threads.

use ptx_program::{Family, Group, TensorCommit, TensorIssue, lanes};

use super::misuse::misuse;
use super::perform::use_group;
use super::work::Tcgen05Work;
use crate::error::TrapKind;
use crate::machine::Stop;
use crate::machine::at::At;
use crate::machine::block::{BlockState, in_target};
use crate::machine::completion::Registers;
use crate::machine::completion::issue as put_in_flight;
use crate::machine::geometry::WarpId;
use crate::machine::mbarrier_access::barrier_address;
use crate::machine::operation::{Operation, Order, Signal, Track};
use crate::machine::work::Work;

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

/// `tcgen05.cp`, `tcgen05.shift`, `tcgen05.mma`.
pub(crate) fn tensor(at: &mut At<'_>, issue: &TensorIssue) -> Result<(), Stop> {
    let (mut view, operands, place) = at.split();
    for lane in lanes(place.active) {
        use_group(view.block, issue.group).map_err(|kind| place.stop(kind, lane))?;
        check_peer(view.block, issue.group).map_err(|kind| place.stop(kind, lane))?;
        let operation = issue.operation.map(|src| operands.value(src, lane));
        let work = Work::Tcgen05(Box::new(Tcgen05Work { group: issue.group, operation }));
        let mut operation = Operation::new(work, (operands.warp, lane, place.pc));
        operation.track = Some((track(operands.warp.rank, issue.group), Order::AfterEarlier));
        put_in_flight(&mut view, operation, &mut Registers::All(&mut []))?;
    }
    at.issued();
    Ok(())
}

/// `tcgen05.commit`: an arrival when all issued operations are complete.
pub(crate) fn tensor_commit(at: &mut At<'_>, commit: &TensorCommit) -> Result<(), Stop> {
    let (mut view, operands, place) = at.split();
    let barriers = operands.addresses(&commit.barrier);
    for lane in lanes(place.active) {
        let stop = |kind| place.stop(kind, lane);
        use_group(view.block, commit.group).map_err(stop)?;
        let targets = commit.blocks.map(|blocks| operands.value(blocks, lane));
        let targets = view.block.targets(targets).map_err(stop)?;
        let barrier = (commit.barrier.space, barriers.of(lane));
        let barrier = barrier_address(&view, barrier).map_err(stop)?;
        for target in targets {
            let arrival = Operation::new(Work::Nothing, (operands.warp, lane, place.pc));
            let mut arrival = arrival.signals(Signal::Arrival(in_target(barrier, target)));
            arrival.track = Some((track(operands.warp.rank, commit.group), Order::AfterEarlier));
            put_in_flight(&mut view, arrival, &mut Registers::All(&mut []))?;
        }
    }
    at.issued();
    Ok(())
}
