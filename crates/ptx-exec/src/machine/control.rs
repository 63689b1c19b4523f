//! Executes the instructions of groups: divergent branches, calls, returns, exits, barriers.

use ptx_program::{Control, Effect, Src, first_lane};

use super::Stop;
use super::call::{call, leave};
use super::collective::{collective, complete_collectives};
use super::group::GroupAt;
use super::group_barrier::{barrier, cluster_barrier};
use super::rows::same_value;
use super::warp::State;
use super::wgmma::end_products;
use crate::error::TrapKind;

/// Executes the instruction of a group for its active lanes; the others continue after it.
pub(super) fn control(at: &mut GroupAt<'_>, effect: &Effect) -> Result<(), Stop> {
    let (pc, active) = (at.place.pc, at.place.active);
    let lane = first_lane(active);
    at.warp.fragments[at.current].pc = pc + 1;
    at.warp.before_control(at.grid, at.current, active, (pc, effect));
    match effect {
        Effect::Branch { target } => {
            at.split(active, *target, State::Ready);
            Ok(())
        }
        Effect::BranchIndexed { index, targets } => branch_indexed(at, *index, targets),
        Effect::Exit => exit(at),
        Effect::Return => match at.warp.frames[at.frame()].caller {
            None => exit(at),
            Some((caller, site)) => {
                let frame = at.frame();
                leave(at, caller, site)?;
                end_products(at.warp, at.grid, at.block, frame)
            }
        },
        Effect::Call(site) => call(at, site),
        Effect::BlockBarrier(operation) => barrier(at, operation),
        Effect::ClusterBarrier(action) => cluster_barrier(at, *action),
        Effect::Collective(operation) => collective(at, operation),
        // It waits for other warps, and is then re-executed.
        Effect::Warpgroup(_) => {
            at.split(active, pc, State::Warpgroup);
            Ok(())
        }
        Effect::Trap => Err(at.stop(TrapKind::Trap, lane)),
        Effect::Breakpoint => Err(at.stop(TrapKind::Breakpoint, lane)),
        // Already executed by the inner loop; the group only yields.
        Effect::Pause => Ok(()),
        other => {
            debug_assert_eq!(other.traits().control, Control::Next, "it concerns the group");
            let text = "an instruction of the inner loop that is to change the groups of a warp".to_owned();
            Err(at.stop(TrapKind::Defect(text), lane))
        }
    }
}

fn branch_indexed(at: &mut GroupAt<'_>, index: Src, targets: &[u32]) -> Result<(), Stop> {
    let indices = *at.row(index);
    // One split for each distinct index, instead of one for each lane.
    let mut rest = at.place.active;
    while rest != 0 {
        let lane = first_lane(rest);
        let index = indices[lane];
        let target = usize::try_from(index).ok().and_then(|index| targets.get(index));
        let target = *target.ok_or_else(|| at.stop(TrapKind::BranchIndex(index), lane))?;
        let group = same_value(&indices, rest, lane);
        at.split(group, target, State::Ready);
        rest &= !group;
    }
    Ok(())
}

fn exit(at: &mut GroupAt<'_>) -> Result<(), Stop> {
    let mut next = Some(at.frame());
    while let Some(frame) = next {
        next = at.warp.frames[frame].caller.map(|(caller, _)| caller);
        // Other calls may reuse the rows.
        if next.is_some() {
            end_products(at.warp, at.grid, at.block, frame)?;
        }
    }
    at.warp.retire(at.block, at.current, at.place.active);
    complete_collectives(at.warp, at.grid, at.block)
}
