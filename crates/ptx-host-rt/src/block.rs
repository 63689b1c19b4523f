//! The state that the warps of a block share: what they arrive at, wait for and record in, which of them can run out.

use ptx_exec::engine::{BARRIERS, BarrierMisuse, Expected, Group, Stop, barrier_index, deadlock, describe};
use ptx_exec::{Dim3, Geometry, TrapKind};
use ptx_program::{BarrierAction, BlockBarrier, Effect, Mask, Op, Program, WARP, first_lane};

use super::arrivals::Singly;
use super::barrier::{Arrival, Barrier, Phase, Votes, WARPS};

/// Why a warp was stopped, if its status does not determine it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Noted {
    pub(crate) kind: TrapKind,
    pub(crate) related: Vec<(u32, String)>,
}

/// A warp that waits at a barrier or, with [`NO_BARRIER`], in a loop.
#[derive(Clone, Copy, Default, Debug)]
struct Waiting {
    pc: u32,
    barrier: usize,
    /// The lanes in the loop.
    lanes: Mask,
}

/// The number of no barrier.
const NO_BARRIER: usize = BARRIERS;

/// State shared by the running warps of a block. It is pinned, since frames point to it.
#[derive(Debug)]
pub(crate) struct Block {
    program: *const Program,
    /// Number of warps.
    pub(super) warps: usize,
    /// Threads of each warp that had not exited at its last barrier.
    pub(super) live: [Mask; WARPS],
    /// Bit masks of the warps with threads that have not exited, and of those that can run.
    pub(super) live_warps: u32,
    pub(super) ready: u32,
    /// Bit mask of the warps that have yielded since it was last cleared.
    pub(super) gave_way: u32,
    /// Whether a warp has ever yielded.
    has_patient: bool,
    /// Bit mask of the barriers with arrivals.
    pub(super) arrived: u32,
    pub(super) barriers: Box<[Barrier; BARRIERS]>,
    waiting: [Waiting; WARPS],
    votes: [Votes; WARPS],
    /// For each warp the threads that have come to barriers one by one, if they do.
    pub(super) singly: Vec<Singly>,
    /// Whether warps are to record where lanes of them wait for others, because all warps wait.
    pub(super) asks_where: bool,
    pub(super) noted: Option<Box<Noted>>,
    /// Local memory of warps that does not fit on their stacks.
    local: Vec<Vec<u64>>,
}

/// Effect of a barrier on an arriving warp.
pub(crate) enum Passed {
    /// It continues, with the result of the predicates.
    On(Votes),
    /// It waits.
    Waits,
    /// It is stopped, for the reason in [`Block::noted`].
    Stopped,
}

/// The arrival of a warp at a barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coming {
    pub(crate) pc: u32,
    pub(crate) warp: usize,
    /// The arriving threads, and all that have not exited.
    pub(crate) lanes: Mask,
    pub(crate) live: Mask,
    pub(crate) id: u32,
    pub(crate) count: u32,
    pub(crate) trues: Mask,
    /// Bit 0: they specify different barriers; bit 1: different counts.
    pub(crate) differs: u32,
}

fn bits(count: usize) -> u32 {
    (1u64 << count).wrapping_sub(1) as u32
}

impl Block {
    pub(crate) fn new() -> Self {
        Self {
            program: std::ptr::null(),
            warps: 0,
            live: [0; WARPS],
            live_warps: 0,
            ready: 0,
            gave_way: 0,
            has_patient: false,
            arrived: 0,
            barriers: Box::new(std::array::from_fn(|_| Barrier::default())),
            waiting: [Waiting::default(); WARPS],
            votes: [Votes::default(); WARPS],
            singly: Vec::new(),
            asks_where: false,
            noted: None,
            local: Vec::new(),
        }
    }

    /// Zeroed local memory for a warp that starts; the previous one is freed.
    pub(crate) fn local(&mut self, warp: usize, bytes: u64) -> *mut u8 {
        if self.local.len() <= warp {
            self.local.resize_with(warp + 1, Vec::new);
        }
        // The host allocates pages on first use. The previous memory is freed first.
        self.local[warp] = Vec::new();
        self.local[warp] = vec![0; bytes.div_ceil(8) as usize];
        self.local[warp].as_mut_ptr().cast()
    }

    /// Starts a block of `threads` threads.
    pub(crate) fn begin(&mut self, program: *const Program, threads: usize) {
        self.program = program;
        self.warps = threads.div_ceil(WARP);
        for (warp, live) in self.live.iter_mut().enumerate().take(self.warps) {
            *live = lanes_of(threads, warp);
        }
        self.live_warps = bits(self.warps);
        self.ready = self.live_warps;
        if std::mem::take(&mut self.has_patient) {
            self.waiting = [Waiting::default(); WARPS];
        }
        self.noted = None;
        self.asks_where = false;
        self.singly.clear();
        if self.arrived != 0 {
            self.barriers.iter_mut().for_each(Barrier::reset);
            self.arrived = 0;
        }
    }

    /// Records why the running warp is stopped; code then returns [`Status::Noted`](super::frame::Status).
    pub(crate) fn note(&mut self, kind: TrapKind, related: Vec<(u32, String)>) {
        self.noted = Some(Box::new(Noted { kind, related }));
    }

    fn misuse(&mut self, misuse: BarrierMisuse) -> Passed {
        self.note(misuse.into(), Vec::new());
        Passed::Stopped
    }

    /// The barrier instruction at `pc`, if it is one.
    pub(super) fn barrier_at(&self, pc: u32) -> Option<&BlockBarrier> {
        // SAFETY: the program outlives the launch that the block is of.
        let program = unsafe { self.program.as_ref() }?;
        match program.code.get(pc as usize).map(|inst| &inst.op) {
            Some(Op::Effect(Effect::BlockBarrier(barrier))) => Some(barrier),
            _ => None,
        }
    }

    /// The arrival of a warp at a barrier.
    pub(crate) fn come(&mut self, coming: &Coming) -> Passed {
        let Coming { pc, warp, lanes, live, .. } = *coming;
        let Some(&barrier) = self.barrier_at(pc) else {
            self.note(TrapKind::Misuse("there is no barrier".to_owned()), Vec::new());
            return Passed::Stopped;
        };
        if coming.differs & 1 != 0 {
            return self.misuse(BarrierMisuse::Numbers);
        }
        let id = match barrier_index(coming.id.into()) {
            Ok(id) => id,
            Err(misuse) => return self.misuse(misuse),
        };
        if barrier.count.is_some() && coming.differs & 2 != 0 {
            return self.misuse(BarrierMisuse::Counts);
        }
        let expected = match Expected::of(barrier.count.map(|_| coming.count.into()), self.warps) {
            Ok(expected) => expected,
            Err(misuse) => return self.misuse(misuse),
        };
        self.live[warp % WARPS] = live;
        if lanes != live {
            return self.misuse(BarrierMisuse::Guard);
        }
        let trues = barrier.predicate.map(|_| lanes & coming.trues);
        self.arrived |= 1 << id;
        if let Err(misuse) =
            self.barriers[id].arrive(&Arrival { warp, lanes, live, expected, trues, warps: self.warps })
        {
            return self.misuse(misuse);
        }
        // The threads of a block share one host thread. Their stores before the barrier must be visible to other blocks
        // no later than their stores after it.
        std::sync::atomic::fence(std::sync::atomic::Ordering::AcqRel);
        let waits = barrier.action != BarrierAction::Arrive;
        if waits {
            self.barriers[id].waiting |= 1 << warp;
            self.waiting[warp % WARPS] = Waiting { pc, barrier: id, lanes };
            self.ready &= !(1 << warp);
        }
        self.complete(id);
        match self.ready >> warp & 1 {
            0 => Passed::Waits,
            _ => Passed::On(self.votes[warp % WARPS]),
        }
    }

    /// Records that a warp which polls for others in a loop yields at this instruction, with these lanes.
    pub(crate) fn give_way(&mut self, warp: usize, pc: u32, lanes: Mask) {
        self.waiting[warp % WARPS] = Waiting { pc, barrier: NO_BARRIER, lanes };
        self.gave_way |= 1 << warp;
        self.has_patient = true;
    }

    /// Stops a warp that reaches an aligned barrier with some of its threads while others are at another one: all of
    /// them must reach the same instruction.
    pub(crate) fn part(&mut self, geometry: &Geometry, warp: usize, here: (u32, Mask)) {
        let (x, y, z) = geometry.thread(warp, first_lane(here.1)).into();
        let related = vec![(here.0, format!("thread ({x}, {y}, {z}) of the warp waits here"))];
        self.note(BarrierMisuse::Parted.into(), related);
    }

    /// Resumes the warps that wait at a barrier, if it is complete.
    pub(super) fn complete(&mut self, id: usize) {
        let Some(phase) = self.barriers[id].complete(self.live_warps) else { return };
        self.arrived &= !(1 << id);
        self.ready |= phase.waited;
        let mut rest = phase.waited;
        while rest != 0 {
            self.votes[rest.trailing_zeros() as usize % WARPS] = phase.votes;
            rest &= rest - 1;
        }
        if !self.singly.is_empty() {
            self.end_phase(id, &phase);
        }
    }

    /// The predicates of the barrier at which a warp waited.
    pub(crate) fn votes(&self, warp: usize) -> Votes {
        self.votes[warp % WARPS]
    }

    /// Records that all threads of a warp have exited, which may complete barriers.
    pub(crate) fn exited(&mut self, warp: usize) {
        self.live[warp % WARPS] = 0;
        self.live_warps &= !(1 << warp);
        self.ready &= !(1 << warp);
        let mut rest = self.arrived;
        while rest != 0 {
            let id = rest.trailing_zeros() as usize;
            self.barriers[id].remain(warp, 0);
            self.complete(id);
            rest &= rest - 1;
        }
    }

    /// The positions of the warps; `running` is one that does not wait, with the position of its lanes.
    pub(super) fn groups(&self, running: Option<(usize, u32, Mask)>) -> Vec<Group> {
        let place = |warp: usize| {
            if let Some((_, pc, lanes)) = running.filter(|(running, ..)| *running == warp) {
                return Some(Group { pc, warp, lanes, barrier: None });
            }
            let Waiting { pc, barrier, lanes } = self.waiting[warp % WARPS];
            if barrier == NO_BARRIER {
                return (self.live_warps >> warp & 1 == 1).then_some(Group {
                    pc,
                    warp,
                    lanes,
                    barrier: None,
                });
            }
            let waits = self.barriers.get(barrier).is_some_and(|barrier| barrier.waiting >> warp & 1 == 1);
            waits.then(|| {
                let wait = self.barriers[barrier % BARRIERS].awaited(&self.live[..self.warps]);
                Group { pc, warp, lanes: self.live[warp % WARPS], barrier: Some((barrier, wait)) }
            })
        };
        (0..self.warps).flat_map(|warp| place(warp).into_iter().chain(self.groups_singly(warp))).collect()
    }

    /// Lets the threads go on that came one by one to a barrier, whose phase is over.
    fn end_phase(&mut self, id: usize, phase: &Phase) {
        // The program is read while the state of warps changes.
        let mut singly = std::mem::take(&mut self.singly);
        let action = |pc| self.barrier_at(pc).map(|barrier| barrier.action);
        let mut ready = 0;
        for (warp, state) in singly.iter_mut().enumerate() {
            if state.end_phase(id, phase, action) {
                ready |= 1 << warp;
            }
        }
        self.ready |= ready;
        self.singly = singly;
    }

    /// The groups of threads of a warp that wait at barriers.
    fn groups_singly(&self, warp: usize) -> Vec<Group> {
        let Some(state) = self.singly.get(warp) else { return Vec::new() };
        let group = |(pc, id, lanes): (u32, usize, Mask)| {
            let wait = self.barriers[id].awaited(&self.live[..self.warps]);
            Group { pc, warp, lanes, barrier: Some((id, wait)) }
        };
        state.groups().into_iter().map(group).collect()
    }

    /// The stop for a deadlock of threads that come to barriers one by one.
    fn deadlock_singly(&self, geometry: &Geometry, block: [u32; 3]) -> Option<Stop> {
        if self.singly.is_empty() {
            return None;
        }
        let mut all: Vec<(usize, usize, (u32, String))> = Vec::new();
        for (warp, state) in self.singly.iter().enumerate().take(self.warps) {
            let groups = self.groups_singly(warp);
            let firsts = groups.iter().map(|group| first_lane(group.lanes));
            all.extend(firsts.zip(describe(geometry, &groups)).map(|(lane, text)| (warp, lane, text)));
            all.extend(state.others.iter().map(|(lane, text)| (warp, *lane, text.clone())));
        }
        all.sort_by_key(|&(warp, lane, _)| (warp, lane));
        let related: Vec<(u32, String)> = all.into_iter().map(|(_, _, text)| text).collect();
        let warp = (0..self.warps).find(|&warp| self.live[warp] != 0)?;
        let pc = related.first().map(|&(pc, _)| pc);
        let lane = first_lane(self.live[warp]);
        Some(Stop { kind: deadlock(&related), pc, block, warp, lane, related })
    }

    /// The stop for a deadlock, with the positions of the waiting threads.
    pub(super) fn deadlock(&self, geometry: &Geometry, block: Dim3) -> Stop {
        if let Some(stop) = self.deadlock_singly(geometry, block) {
            return stop;
        }
        let groups = self.groups(None);
        let related = describe(geometry, &groups);
        let (warp, pc, lane) = groups
            .first()
            .map_or((0, None, 0), |group| (group.warp, Some(group.pc), first_lane(group.lanes)));
        Stop { kind: deadlock(&related), pc, block, warp, lane, related }
    }
}

/// The existing lanes of a warp, in a block of `threads` threads.
pub(crate) fn lanes_of(threads: usize, warp: usize) -> Mask {
    let left = threads.saturating_sub(warp * WARP).min(WARP);
    bits(left)
}
