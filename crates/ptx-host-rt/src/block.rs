//! A block: its warps, which take turns on one host thread.
//!
//! Warps that never wait run one after the other on the stack of the thread; others on a fibre each, which a barrier suspends.

use ptx_exec::engine::{BARRIERS, BarrierMisuse, Expected, Group, Stop, barrier_index, deadlock, describe};
use ptx_exec::program::{BarrierAction, BlockBarrier, Effect, Mask, Op, Program, WARP, first_lane};
use ptx_exec::{Dim3, TrapKind};

use super::barrier::{Arrival, Barrier, Votes, WARPS};
use super::fibre::{Fibres, Resumed};
use super::frame::{Status, WarpFrame};
use super::grid::Job;

/// Why a warp was stopped, where its status does not tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Noted {
    pub(crate) kind: TrapKind,
    pub(crate) related: Vec<(u32, String)>,
}

/// A warp that waits, at a barrier or, where there is none of the number, in a loop.
#[derive(Clone, Copy, Default, Debug)]
struct Waiting {
    pc: u32,
    barrier: usize,
    /// The lanes that are in the loop.
    lanes: Mask,
}

/// The number of no barrier.
const NO_BARRIER: usize = BARRIERS;

/// What the warps of a block share while they run. Frames refer to it, so it stays where it is.
#[derive(Debug)]
pub(crate) struct Block {
    program: *const Program,
    /// How many warps there are.
    warps: usize,
    /// Threads of each warp that had not exited when it last came to a barrier.
    live: [Mask; WARPS],
    /// Warps that have threads which have not exited, and those that can run, a bit each.
    live_warps: u32,
    ready: u32,
    /// Warps that have given way since they were asked about, a bit each.
    gave_way: u32,
    /// Whether a warp has.
    has_patient: bool,
    /// Barriers that have arrivals.
    arrived: u32,
    barriers: Box<[Barrier; BARRIERS]>,
    waiting: [Waiting; WARPS],
    votes: [Votes; WARPS],
    noted: Option<Box<Noted>>,
    /// Local memory of warps that is too large for their stacks.
    local: Vec<Vec<u64>>,
}

/// What a barrier does to the warp that comes to it.
pub(crate) enum Passed {
    /// It goes on, with what the predicates were.
    On(Votes),
    /// It waits.
    Waits,
    /// It is stopped, as [`Block::noted`] has it.
    Stopped,
}

/// How a warp comes to a barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coming {
    pub(crate) pc: u32,
    pub(crate) warp: usize,
    /// The threads that do, and all that have not exited.
    pub(crate) lanes: Mask,
    pub(crate) live: Mask,
    pub(crate) id: u32,
    pub(crate) count: u32,
    pub(crate) trues: Mask,
    /// Bit 0: they name different barriers; bit 1: different counts.
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
            noted: None,
            local: Vec::new(),
        }
    }

    /// Local memory for a warp that begins, all of it zero; that of the last one is gone.
    pub(crate) fn local(&mut self, warp: usize, bytes: u64) -> *mut u8 {
        if self.local.len() <= warp {
            self.local.resize_with(warp + 1, Vec::new);
        }
        // The host gives pages when they are used. What was there goes first.
        self.local[warp] = Vec::new();
        self.local[warp] = vec![0; bytes.div_ceil(8) as usize];
        self.local[warp].as_mut_ptr().cast()
    }

    /// Begins a block of so many threads.
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
        if self.arrived != 0 {
            self.barriers.iter_mut().for_each(Barrier::reset);
            self.arrived = 0;
        }
    }

    /// Notes why the warp that runs is stopped; code then ends with [`Status::Noted`].
    pub(crate) fn note(&mut self, kind: TrapKind, related: Vec<(u32, String)>) {
        self.noted = Some(Box::new(Noted { kind, related }));
    }

    fn misuse(&mut self, misuse: BarrierMisuse) -> Passed {
        self.note(misuse.into(), Vec::new());
        Passed::Stopped
    }

    /// What a warp waits with at an instruction, if it is a barrier.
    fn barrier_at(&self, pc: u32) -> Option<&BlockBarrier> {
        // SAFETY: the program outlives the launch that the block is of.
        let program = unsafe { self.program.as_ref() }?;
        match program.code.get(pc as usize).map(|inst| &inst.op) {
            Some(Op::Effect(Effect::BlockBarrier(barrier))) => Some(barrier),
            _ => None,
        }
    }

    /// A warp comes to a barrier.
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
        if let Err(misuse) = self.barriers[id].arrive(&Arrival { warp, lanes, expected, trues }) {
            return self.misuse(misuse);
        }
        // The threads of a block are on one host thread. What they stored before the barrier is to be seen by other blocks no later than
        // what they store after it.
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

    /// A warp that may wait for others in a loop is at an instruction of it, with these lanes.
    pub(crate) fn give_way(&mut self, warp: usize, pc: u32, lanes: Mask) {
        self.waiting[warp % WARPS] = Waiting { pc, barrier: NO_BARRIER, lanes };
        self.gave_way |= 1 << warp;
        self.has_patient = true;
    }

    /// A warp comes to an aligned barrier with some of its threads, while others are at another one: all of them have to come to the
    /// same instruction.
    pub(crate) fn part(&mut self, job: &Job, warp: usize, here: (u32, Mask)) {
        let (x, y, z) = job.geometry.thread(warp, first_lane(here.1)).into();
        let related = vec![(here.0, format!("thread ({x}, {y}, {z}) of the warp waits here"))];
        self.note(BarrierMisuse::Parted.into(), related);
    }

    /// Lets those who wait at a barrier go on, if all have come.
    fn complete(&mut self, id: usize) {
        let Some(phase) = self.barriers[id].complete(self.live_warps) else { return };
        self.arrived &= !(1 << id);
        self.ready |= phase.waited;
        let mut rest = phase.waited;
        while rest != 0 {
            self.votes[rest.trailing_zeros() as usize % WARPS] = phase.votes;
            rest &= rest - 1;
        }
    }

    /// What a warp gets that waited.
    pub(crate) fn votes(&self, warp: usize) -> Votes {
        self.votes[warp % WARPS]
    }

    /// All threads of a warp have exited, which may complete barriers.
    pub(crate) fn exited(&mut self, warp: usize) {
        self.live[warp % WARPS] = 0;
        self.live_warps &= !(1 << warp);
        self.ready &= !(1 << warp);
        let mut rest = self.arrived;
        while rest != 0 {
            self.complete(rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }

    /// Why a warp was stopped.
    pub(crate) fn stop(&mut self, job: &Job, frame: &WarpFrame, status: i32) -> Stop {
        let noted = self.noted.take();
        let (kind, related) = match (noted, status) {
            (Some(noted), _) if status == Status::Noted as i32 => (noted.kind, noted.related),
            _ if status == Status::Interrupted as i32 => {
                let groups = self.groups(Some((frame.warp as usize, frame.pc, frame.stopped)));
                (TrapKind::Timeout, describe(&job.geometry, &groups))
            }
            _ if status == Status::Deadlock as i32 => {
                let (lanes, warp) = (frame.stopped, frame.warp);
                let who =
                    format!("lanes {lanes:#010x} of warp {warp} wait for others of it, which wait elsewhere");
                (TrapKind::Deadlock(who), Vec::new())
            }
            _ if status == Status::NotMember as i32 => {
                let lane = first_lane(frame.stopped);
                let members = frame.detail as u32;
                let text =
                    format!("the membermask {members:#010x} does not name lane {lane}, which executes it");
                (TrapKind::Misuse(text), Vec::new())
            }
            _ if status == Status::NotMatrix as i32 => {
                let text = "a matrix lies in shared memory, or a fragment in global or shared memory, at one address with one \
                            stride for all threads that is no less than its lines";
                (TrapKind::Misuse(text.to_owned()), Vec::new())
            }
            _ if status == Status::Apart as i32 => {
                let (lanes, warp) = (frame.stopped, frame.warp);
                let text = format!(
                    "all threads of warp {warp} are claimed to run this together, but lanes {lanes:#010x} do not"
                );
                (TrapKind::Defect(text), Vec::new())
            }
            _ if status == Status::NotWhole as i32 => {
                let text = "matrix instructions need all 32 threads of the warp".to_owned();
                (TrapKind::Misuse(text), Vec::new())
            }
            _ => (job.trap_at(frame.pc, frame.detail), Vec::new()),
        };
        Stop {
            kind,
            pc: Some(frame.pc),
            block: frame.block_index,
            warp: frame.warp as usize,
            lane: first_lane(frame.stopped),
            related,
        }
    }

    /// Where the warps are; `running` is one that does not wait, and where its lanes are.
    fn groups(&self, running: Option<(usize, u32, Mask)>) -> Vec<Group> {
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
        (0..self.warps).filter_map(place).collect()
    }

    /// Who waits where, and no one can go on.
    fn deadlock(&self, job: &Job, block: Dim3) -> Stop {
        let groups = self.groups(None);
        let related = describe(&job.geometry, &groups);
        let (warp, pc, lane) = groups
            .first()
            .map_or((0, None, 0), |group| (group.warp, Some(group.pc), first_lane(group.lanes)));
        Stop { kind: deadlock(&related), pc, block, warp, lane, related }
    }
}

/// The lanes of a warp that are threads, in a block of so many.
pub(crate) fn lanes_of(threads: usize, warp: usize) -> Mask {
    let left = threads.saturating_sub(warp * WARP).min(WARP);
    bits(left)
}

/// Runs all warps of a block on this stack, one after the other: none of them waits for another one, or one call runs
/// all of them. The frame is used for each in turn.
pub(crate) fn run_in_turn(
    block: *mut Block,
    job: &Job,
    frame: *mut WarpFrame,
    threads: usize,
    calls: usize,
) -> Result<(), Stop> {
    let code = job.code();
    for warp in 0..calls {
        // SAFETY: the block and the frame are this thread's, and no reference to them is held while code runs.
        let status = unsafe {
            ((*frame).warp, (*frame).lanes) = (warp as u32, lanes_of(threads, warp));
            code(frame)
        };
        if status != Status::Done as i32 {
            // SAFETY: as above.
            return Err(unsafe { (*block).stop(job, &*frame, status) });
        }
    }
    Ok(())
}

/// How far a block got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    /// All its threads have exited.
    Done,
    /// All warps that can run wait for others in loops.
    GivesWay,
}

/// Rounds in which all warps that can run give way, after which the block does.
const PATIENT_ROUNDS: u32 = 4;

/// Runs all warps of a block on fibres, of which there is one for each with its frame, until they have exited or all wait in loops; then
/// this goes on where they are. All fibres are free again when the block is done or stopped.
pub(crate) fn run_on_fibres(
    block: *mut Block,
    job: &Job,
    fibres: &mut Fibres,
    frames: *mut WarpFrame,
) -> Result<Progress, Stop> {
    let mut vain = 0;
    // SAFETY: the block and the frames are this thread's, and no reference to them is held while a fibre runs.
    unsafe {
        while (*block).live_warps != 0 {
            let all = (*block).ready;
            if all == 0 {
                fibres.abandon();
                return Err((*block).deadlock(job, (*frames).block_index));
            }
            (*block).gave_way = 0;
            let mut round = all;
            while round != 0 {
                let warp = round.trailing_zeros() as usize;
                round &= round - 1;
                let frame = frames.add(warp);
                match fibres.resume(warp, job, frame) {
                    Resumed::Waits => {}
                    Resumed::Ended(status) if status == Status::Done as i32 => (*block).exited(warp),
                    Resumed::Ended(status) => {
                        fibres.abandon();
                        return Err((*block).stop(job, &*frame, status));
                    }
                }
            }
            // Warps that went on to a barrier or to the end may have done what the others wait for.
            vain = if (*block).gave_way == all && (*block).ready == all { vain + 1 } else { 0 };
            if vain == PATIENT_ROUNDS {
                return Ok(Progress::GivesWay);
            }
        }
    }
    Ok(Progress::Done)
}
