//! Deadlocks of lanes of a warp that wait for each other at collectives.

use ptx_exec::TrapKind;
use ptx_exec::engine::{LaneGroup, deadlock, describe_lanes};
use ptx_program::{CollectiveKind, Effect, Mask, Op, Program, WARP, first_lane};

use super::frame::{Status, WarpFrame};

/// Reports the waiting lanes: for each lane the instruction at which it waits, or an invalid index, and its member
/// mask; `live` are the lanes that have not exited.
///
/// # Safety
/// The frame is that of a running warp, with its block and launch; the two arrays have 32 numbers each.
pub(super) unsafe extern "C" fn stuck(
    frame: *mut WarpFrame,
    places: *const u32,
    members: *const u32,
    live: u32,
) -> i32 {
    // SAFETY: as above.
    unsafe {
        let frame = &mut *frame;
        let places = std::slice::from_raw_parts(places, WARP);
        let members = std::slice::from_raw_parts(members, WARP);
        let program = frame.program.as_ref();
        let groups = groups(|pc| kind_at(program, pc), places, members, live);
        let warp = frame.warp as usize;
        let related = describe_lanes(&(*frame.job).geometry, warp, &groups);
        if (*frame.block).asks_where() {
            let firsts = groups.iter().map(|group| first_lane(group.lanes));
            (*frame.block).record_others(warp, firsts.zip(related).collect());
            return Status::Noted as i32;
        }
        (frame.pc, frame.stopped) = (groups.first().map_or(frame.pc, |group| group.pc), live);
        let kind = match related.is_empty() {
            true => TrapKind::Deadlock(format!("lanes {live:#010x} of warp {warp} wait for each other")),
            false => deadlock(&related),
        };
        (*frame.block).note(kind, related);
    }
    Status::Noted as i32
}

/// The kind of the collective at an instruction.
fn kind_at(program: Option<&Program>, pc: u32) -> Option<CollectiveKind> {
    match program?.code.get(pc as usize).map(|inst| &inst.op) {
        Some(Op::Effect(Effect::Collective(collective))) => Some(collective.kind),
        _ => None,
    }
}

/// Groups of lanes that wait at the same instruction with the same mask, in the order of their first lanes.
fn groups(
    kind_at: impl Fn(u32) -> Option<CollectiveKind>,
    places: &[u32],
    members: &[u32],
    live: Mask,
) -> Vec<LaneGroup> {
    let all = (0..).zip(places.iter().zip(members)).filter(|(lane, (pc, _))| {
        let waits = **pc != u32::MAX;
        waits && live >> lane & 1 == 1
    });
    let mut groups: Vec<LaneGroup> = Vec::new();
    for (lane, (&pc, &members)) in all {
        match groups.iter_mut().find(|group| (group.pc, group.members) == (pc, members)) {
            Some(group) => group.lanes |= 1 << lane,
            None => groups.push(LaneGroup { pc, lanes: 1 << lane, members, missing: 0 }),
        }
    }
    for at in 0..groups.len() {
        let own = groups[at];
        // Lanes at an equal operation elsewhere count as arrived.
        let joins = |other: &&LaneGroup| {
            other.members == own.members && (other.pc == own.pc || kind_at(other.pc) == kind_at(own.pc))
        };
        let present = groups.iter().filter(joins).fold(0, |mask, other| mask | other.lanes);
        groups[at].missing = own.members & live & !present;
    }
    groups
}

#[cfg(test)]
mod tests {
    use ptx_program::VoteMode;

    use super::*;

    #[test]
    fn lanes_are_missing_that_are_at_no_operation_of_the_kind() {
        // Lanes 0 and 1 vote at two places, lane 2 shuffles, lane 3 runs, lane 4 has exited: worked out by hand.
        let mut places = [u32::MAX; WARP];
        places[..5].copy_from_slice(&[10, 11, 12, u32::MAX, 10]);
        let vote = Some(CollectiveKind::Vote(VoteMode::All));
        let kind_at = |pc| if pc < 12 { vote } else { Some(CollectiveKind::Barrier) };
        let groups = groups(kind_at, &places, &[0xf; WARP], 0xf);
        let group = |pc, lanes, missing| LaneGroup { pc, lanes, members: 0xf, missing };
        assert_eq!(groups, [group(10, 1, 0xc), group(11, 2, 0xc), group(12, 4, 0xb)]);
    }
}
