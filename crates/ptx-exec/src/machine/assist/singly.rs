//! Threads of a warp that come one by one to barriers of their block and of their cluster, while others of the warp are elsewhere in the other engine's code.
//!
//! Their groups are kept here between the instructions that the other engine requests, each of which has its own group of threads; they are groups
//! of their warp again when it is taken over, and where positions of threads are reported.

use ptx_program::{Mask, WARP, lanes};

use super::super::at::Place;
use super::super::barrier::Barrier;
use super::super::step::execute_alone;
use super::super::stop::Stop;
use super::super::warp::{Fragment, State};
use super::{AssistedCluster, Threads};
use crate::engine::Stop as EngineStop;

/// The threads of a warp that have come to barriers.
#[derive(Clone, Default, Debug)]
pub(super) struct Singly {
    /// The groups that wait.
    waiting: Vec<Fragment>,
    /// The groups whose phase is over, and the result of each, until the other engine lets them go on.
    over: Vec<(Fragment, Option<u64>)>,
}

impl Singly {
    fn mask(&self) -> Mask {
        let waiting = self.waiting.iter().fold(0, |mask, group| mask | group.mask);
        self.over.iter().fold(waiting, |mask, (group, _)| mask | group.mask)
    }

    /// Ends the waits of groups for which `result` has something, which is their result.
    fn end(&mut self, result: impl Fn(&State) -> Option<Option<u64>>) {
        let Self { waiting, over } = self;
        waiting.retain(|group| match result(&group.state) {
            Some(result) => {
                over.push((Fragment { state: State::Ready, ..*group }, result));
                false
            }
            None => true,
        });
    }

    /// As `Warp::wake`.
    pub(super) fn wake(&mut self, barriers: &[Barrier]) {
        self.end(|state| match *state {
            State::Barrier { id, phase, action, .. } => {
                let barrier = barriers.get(id).filter(|barrier| barrier.phase > phase)?;
                Some(barrier.result(action))
            }
            _ => None,
        });
    }

    /// As `Warp::wake_cluster`.
    pub(super) fn wake_cluster(&mut self, begun: u64) {
        self.end(|state| matches!(state, State::Cluster { phase } if *phase < begun).then_some(None));
    }
}

impl AssistedCluster<'_> {
    fn singly(&mut self, rank: u32, warp: usize) -> Option<&mut Singly> {
        self.singly.get_mut(rank as usize)?.get_mut(warp)
    }

    /// Lets threads at a barrier instruction arrive that have not yet; returns those that may go on, with their results, and whether any have arrived. `live` are the threads of the
    /// warp that have not exited. In kernels that use this, all barriers and waits for the cluster are executed by it.
    ///
    /// # Errors
    /// The trap that stops one of the threads.
    pub fn arrive(
        &mut self,
        threads: &Threads,
        live: Mask,
        results: &mut [u32; WARP],
    ) -> Result<(Mask, bool), EngineStop> {
        let &Threads { rank, warp: index, pc, mask, active } = threads;
        // All of them, if no thread of the block has come to a barrier before.
        let new = self.singly(rank, index).into_iter().fold(mask, |mask, singly| mask & !singly.mask());
        let mut ready = 0;
        if new != 0 {
            let come = Threads { mask: new, active: active & new, ..*threads };
            ready = self.arrive_first(&come, live)?;
        }
        let Some(singly) = self.singly(rank, index) else { return Ok((ready, new != 0)) };
        for at in (0..singly.over.len()).rev() {
            let (group, result) = singly.over[at];
            // Groups are at the instruction after their barrier.
            if group.pc != pc + 1 || group.mask & mask == 0 {
                continue;
            }
            singly.over.swap_remove(at);
            if let Some(result) = result {
                lanes(group.mask).for_each(|lane| results[lane] = result as u32);
            }
            ready |= group.mask;
        }
        Ok((ready, new != 0))
    }

    /// Lets threads arrive at a barrier; returns those that do not wait.
    fn arrive_first(&mut self, threads: &Threads, live: Mask) -> Result<Mask, EngineStop> {
        self.come(threads, live);
        let &Threads { rank, warp: index, pc, mask, active } = threads;
        if self.singly.is_empty() {
            self.singly =
                self.cluster.warps.iter().map(|warps| vec![Singly::default(); warps.len()]).collect();
        }
        let cluster = &mut self.cluster;
        let Some(warp) = cluster.warps.get_mut(rank as usize).and_then(|warps| warps.get_mut(index)) else {
            debug_assert!(false, "no warp {index} in block {rank}");
            return Ok(mask);
        };
        let Some(singly) = self.singly.get_mut(rank as usize).and_then(|warps| warps.get_mut(index)) else {
            debug_assert!(false, "no warp {index} in block {rank}");
            return Ok(mask);
        };
        warp.fragments.append(&mut singly.waiting);
        let done = execute_alone(warp, &self.grid, &mut cluster.running, Place { pc, active });
        let is_waiting =
            |group: &Fragment| matches!(group.state, State::Barrier { .. } | State::Cluster { .. });
        let mut groups = std::mem::take(&mut warp.fragments);
        groups.retain(is_waiting);
        singly.waiting = groups;
        let waiting = singly.waiting.iter().fold(0, |mask, group| mask | group.mask);
        done.map_err(|stop: Stop| self.stop(stop, Threads { mask: 0, ..*threads }))?;
        self.wake();
        Ok(mask & !waiting)
    }

    /// Whether threads of a warp wait at barriers to which they came one by one, and whether some of them may go on.
    pub fn awaits(&self, rank: u32, warp: usize) -> (bool, bool) {
        let singly = self.singly.get(rank as usize).and_then(|warps| warps.get(warp));
        let waits = singly.is_some_and(|singly| !singly.waiting.is_empty());
        (waits, singly.is_some_and(|singly| !singly.over.is_empty()))
    }

    /// Records which threads of a warp have not exited, which may complete barriers.
    pub fn left(&mut self, rank: u32, index: usize, live: Mask) {
        self.come(&Threads { rank, warp: index, pc: 0, mask: 0, active: 0 }, live);
        if let Some(warp) = self.warp(rank, index) {
            warp.fragments.clear();
        }
        self.wake();
    }

    /// The threads of a warp that are at barriers, or after them: no others are asked for. Their results are written, and they are groups of the warp from
    /// now on.
    pub(super) fn keep_at_barriers(&mut self, rank: u32, index: usize) -> Mask {
        let Some(singly) = self.singly(rank, index).map(std::mem::take) else { return 0 };
        let mask = singly.mask();
        // The destination of a result is in the instruction before the one that the group continues with.
        let program = self.grid.program;
        let Some(warp) = self.warp(rank, index) else { return mask };
        for (group, result) in singly.over {
            let op = program.code.get(group.pc.wrapping_sub(1) as usize).map(|inst| &inst.op);
            if let (Some(result), Some(ptx_program::Op::Effect(ptx_program::Effect::BlockBarrier(barrier)))) =
                (result, op)
                && let Some(row) =
                    warp.frames.first_mut().and_then(|frame| frame.rows.get_mut(barrier.dst as usize))
            {
                lanes(group.mask).for_each(|lane| row[lane] = result);
            }
            warp.fragments.push(group);
        }
        warp.fragments.extend(singly.waiting);
        mask
    }

    /// Makes the threads that wait at barriers groups of their warps, for reports.
    pub(super) fn show_waiting(&mut self) {
        let Self { cluster, singly, .. } = self;
        for (warp, singly) in cluster.warps.iter_mut().flatten().zip(singly.iter().flatten()) {
            warp.fragments.extend(&singly.waiting);
        }
    }
}
