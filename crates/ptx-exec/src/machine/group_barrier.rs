//! Barriers of the threads of a block and of a cluster.

use ptx_program::{BarrierAction, BlockBarrier, ClusterAction, Effect, Mask, Op, Row, first_lane, lanes};

use super::Stop;
use super::at::Place;
use super::barrier::Arrival;
use super::group::GroupAt;
use super::meeting::{BarrierMisuse, Expected, barrier_index};
use super::rows::{predicate_mask, same_value};
use super::warp::State;
use crate::error::TrapKind;

/// `barrier`: the threads of the block arrive and wait (manual 9.7.13.1).
pub(super) fn barrier(at: &mut GroupAt<'_>, barrier: &BlockBarrier) -> Result<(), Stop> {
    let Place { pc, active } = at.place;
    let lane = first_lane(active);
    let misuse = |misuse: BarrierMisuse| Stop::at(misuse.into(), pc, lane);
    let uniform = |row: &Row, otherwise| {
        let same = same_value(row, active, lane) == active;
        if same { Ok(row[lane]) } else { Err(misuse(otherwise)) }
    };
    let id = uniform(at.row(barrier.id), BarrierMisuse::Numbers)?;
    let index = barrier_index(id).map_err(misuse)?;
    let count = barrier.count.map(|count| uniform(at.row(count), BarrierMisuse::Counts));
    let expected = Expected::of(count.transpose()?, at.block.live.len()).map_err(misuse)?;
    if barrier.is_aligned {
        if at.warp.fragments[at.current].mask != active {
            return Err(misuse(BarrierMisuse::Guard));
        }
        expect_together(at, lane)?;
    }
    let trues = barrier.predicate.map(|src| active & predicate_mask(at.row(src)));
    let arrival = Arrival { warp: at.warp.id.index, lanes: active, expected, trues };
    let block = &mut *at.block;
    let phase = block.barriers[index].phase;
    block.barriers[index].arrive(&arrival, &block.live).map_err(misuse)?;
    if barrier.action != BarrierAction::Arrive {
        let state = State::Barrier { id: index, phase, action: barrier.action, dst: barrier.dst };
        at.warp.split(at.current, active, pc + 1, state);
    }
    // Barriers order memory among their threads; threads of other blocks see it no later than that.
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    block.wake |= block.barriers[index].complete(&block.live);
    Ok(())
}

/// Traps if a thread reaches an aligned barrier while others of its warp wait at another one: all of them must
/// reach the same instruction (manual 9.7.13.1).
fn expect_together(at: &GroupAt<'_>, lane: usize) -> Result<(), Stop> {
    let GroupAt { warp, grid, block, .. } = at;
    let pc = at.place.pc;
    let is_waiting = |state: State| match state {
        State::Barrier { id, phase, .. } => block.barriers.get(id).is_some_and(|b| b.phase == phase),
        _ => false,
    };
    let is_aligned = |pc: u32| match grid.program.code.get(pc as usize).map(|inst| &inst.op) {
        Some(Op::Effect(Effect::BlockBarrier(barrier))) => barrier.is_aligned,
        _ => false,
    };
    let waiting = warp.fragments.iter().filter(|group| is_waiting(group.state));
    let places = waiting.map(|group| (group.pc.wrapping_sub(1), group.mask));
    let Some((other, mask)) = places.into_iter().find(|&(other, _)| other != pc && is_aligned(other)) else {
        return Ok(());
    };
    let (x, y, z) = grid.geometry.thread(warp.id.index, first_lane(mask)).into();
    let related = vec![(other, format!("thread ({x}, {y}, {z}) of the warp waits here"))];
    Err(Stop { related, ..Stop::at(BarrierMisuse::Parted.into(), pc, lane) })
}

/// `barrier.cluster`: the threads of all blocks arrive and wait, or have exited (manual 9.7.13.3).
pub(super) fn cluster_barrier(at: &mut GroupAt<'_>, action: ClusterAction) -> Result<(), Stop> {
    let Place { pc, active } = at.place;
    let GroupAt { warp, block, .. } = at;
    let misuse = |text: &str, lane| Stop::at(TrapKind::Misuse(text.to_owned()), pc, lane);
    let arrived = lanes(active).filter(|&lane| warp.cluster_phases[lane].is_some());
    let arrived = arrived.fold(0, |mask: Mask, lane| mask | 1 << lane);
    let number = block.rank as usize * block.live.len() + warp.id.index;
    let cluster = &mut block.cluster;
    let phase = cluster.barrier.phase;
    match action {
        ClusterAction::Arrive => {
            if arrived != 0 {
                let text = "the thread arrives at the barrier of its cluster again without having waited";
                return Err(misuse(text, first_lane(arrived)));
            }
            lanes(active).for_each(|lane| warp.cluster_phases[lane] = Some(phase));
            let expected = Expected::Everyone;
            let arrival = Arrival { warp: number, lanes: active, expected, trues: None };
            let all = cluster.barrier.arrive(&arrival, &cluster.live);
            all.map_err(|misuse| Stop::at(misuse.into(), pc, first_lane(active)))?;
            cluster.wake |= cluster.barrier.complete(&cluster.live);
        }
        ClusterAction::Wait => {
            if arrived != active {
                let text = "the thread waits at the barrier of its cluster without having arrived";
                return Err(misuse(text, first_lane(active & !arrived)));
            }
            let waits = lanes(active).filter(|&lane| warp.cluster_phases[lane] == Some(phase));
            let waits = waits.fold(0, |mask: Mask, lane| mask | 1 << lane);
            lanes(active).for_each(|lane| warp.cluster_phases[lane] = None);
            if waits != 0 {
                warp.split(at.current, waits, pc + 1, State::Cluster { phase });
            }
        }
    }
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    Ok(())
}
