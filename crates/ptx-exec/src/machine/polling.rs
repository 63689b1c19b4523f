//! Detection of threads that poll an mbarrier forever.
//!
//! Such threads are running, so that a cluster of them would only end at its time limit. A thread is stuck when it
//! repeats a query with the same registers and the same local memory, and everything that happened in between is
//! determined by those and by unchanging memory: then it loops forever. A cluster whose threads are all stuck or
//! waiting, with no operation in flight, is deadlocked, since nothing outside of it can reach its mbarriers. A loop
//! that counts its iterations, reads the clock or reads global memory is never considered stuck: it may end.
//!
//! Detection is costly, so a warp is watched only after several rounds in which all warps polled unsuccessfully.

use ptx_program::memory::Space;
use ptx_program::{Address, Effect, Op, Row, lanes};

use super::at::At;
use super::mbarrier_object::Wait;
use super::warp::{Fragment, State, Warp};
use super::watch::{Sample, Watch};

impl Warp {
    /// Whether the warp cannot make progress by itself: each of its groups waits, or is stuck.
    pub(super) fn is_stuck(&self, disturbances: u64) -> bool {
        self.fragments
            .iter()
            .all(|group| group.state != State::Ready || self.polls(group, disturbances).is_some())
    }

    /// The instruction and query of a group, if it is stuck.
    pub(super) fn polls(&self, group: &Fragment, disturbances: u64) -> Option<(u32, Wait)> {
        self.watch.as_ref()?.stuck(group.mask, disturbances)
    }

    /// The registers of a lane in a frame, given its rows, and in its callers' frames.
    fn registers<'a>(&'a self, frame: usize, rows: &'a [Row], lane: usize) -> impl Iterator<Item = u64> + 'a {
        let caller = |frame: usize| self.frames.get(frame)?.caller.map(|(caller, _)| caller);
        let callers = std::iter::successors(caller(frame), move |&frame| caller(frame));
        let of_callers = callers.flat_map(|frame| &self.frames[frame].rows);
        rows.iter().chain(of_callers).map(move |row| row[lane])
    }
}

/// Records an instruction that lanes of a watched warp are about to execute.
pub(super) fn watch_step(at: &mut At<'_>) {
    let At { grid, block, operands, place, .. } = at;
    let Some(Op::Effect(effect)) = grid.program.code.get(place.pc as usize).map(|inst| &inst.op) else {
        return;
    };
    let spaces = |address: &Address| {
        let resolved = operands.addresses(address);
        let space = |lane| match address.space {
            Space::Generic => Space::of_generic(resolved.of(lane), grid.addresses).map(|(space, _)| space),
            space => Some(space),
        };
        lanes(place.active).map(space).collect::<Vec<_>>()
    };
    let is_determined = match effect {
        Effect::Load(load) => !spaces(&load.address).contains(&Some(Space::Global)),
        // Local memory is part of the compared state.
        Effect::Store(store) => spaces(&store.address).iter().all(|&space| space == Some(Space::Local)),
        effect => effect.traits().is_determined,
    };
    block.cluster.disturbances += u64::from(!is_determined && place.active != 0);
}

/// Records an unsuccessful query.
pub(super) fn watch_poll(at: &mut At<'_>, waits: &[(usize, Wait)]) {
    let Some(mut watch) = at.warp.watch.take() else { return };
    let disturbances = at.block.cluster.disturbances;
    if watch.disturbances != disturbances {
        *watch = Watch { disturbances, ..Watch::default() };
    }
    let (pc, frame) = (at.place.pc, at.operands.frame);
    let registers = |lane| at.warp.registers(frame, at.operands.rows, lane);
    for &(lane, wait) in waits {
        let sample = &mut watch.samples[lane];
        let is_repeated = sample.as_ref().is_some_and(|sample| {
            (sample.pc, sample.frame) == (pc, frame)
                && registers(lane).eq(sample.registers.iter().copied())
                && at.warp.local[lane] == sample.local
        });
        if is_repeated {
            watch.stuck |= 1 << lane;
            continue;
        }
        let (asked, until) = match sample {
            Some(sample) => (sample.asked + 1, sample.until),
            None => (1, 1),
        };
        match sample {
            Some(sample) if asked < until => sample.asked = asked,
            _ => {
                let (registers, local) = (registers(lane).collect(), at.warp.local[lane].clone());
                let until = until.saturating_mul(2);
                *sample = Some(Sample { pc, frame, registers, local, wait, asked: 0, until });
            }
        }
    }
    at.warp.watch = Some(watch);
}
