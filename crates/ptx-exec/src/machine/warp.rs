//! A warp: 32 threads, their calls, and the scheduling of its groups of threads.
//!
//! Threads at the same instruction of the same call form a [`Fragment`] and run together. A divergent branch splits a
//! fragment; two fragments that reach the same place are merged. The fragment that is farthest behind runs first
//! (deepest call, lowest instruction), so that the others wait at the reconvergence point of the branch. One that has
//! waited too long runs in any case, so that threads of a warp may wait for each other (late reconvergence is in `rejoin.rs`):
//!
//! ```text
//! 0: @p bra 3;   // splits the fragment: lanes with p continue at 3, the others at 1
//! 1: ...         // the others run first, up to 3
//! 3: ...         // both fragments are here and are merged
//! ```

use ptx_program::{BarrierAction, Dst, Functions, Mask, Row, Src, WARP, lanes};

use super::barrier::Barrier;
use super::block::BlockState;
use super::geometry::WarpId;
use super::grid::Grid;
use super::mbarrier_object::Question;
use super::rejoin::Rejoin;
use super::warpgroup::Products;
use super::watch::Watch;

/// Instructions that a group of threads may have to wait while others of its warp run.
const PATIENCE: u64 = 1 << 14;
/// Number of atomic operations and synchronizing loads after which a warp is assumed to be polling, so that its other
/// groups, and other warps, are scheduled sooner.
const POLLS: u32 = 64;

/// Scheduling state of a group of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// It can run.
    Ready,
    /// It waits for the end of the barrier phase after this one; `dst` receives the result.
    Barrier { id: usize, phase: u64, action: BarrierAction, dst: Dst },
    /// It waits for the other warps of its warpgroup, and then re-executes its instruction.
    Warpgroup,
    /// It waits for the cluster barrier to advance past this phase.
    Cluster { phase: u64 },
    /// It waits for these lanes at the collective at its program counter.
    Collective { members: Mask },
    /// It waits at its program counter for tensor memory columns to be freed.
    Columns,
    /// It waits for the other threads of its branch, with late reconvergence.
    Rejoin,
}

/// Threads at the same instruction of the same call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment {
    pub(super) pc: u32,
    /// Index into [`Warp::frames`].
    pub(super) frame: usize,
    pub(super) mask: Mask,
    pub(super) state: State,
    /// The warp's clock when it last ran.
    pub(super) ran: u64,
    /// Where it meets threads from which a branch has parted it: index into [`Warp::rejoins`], with late reconvergence.
    pub(super) rejoin: Option<usize>,
}

/// A call frame: registers and local memory of the threads that made the call together.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) function: u32,
    pub(super) rows: Vec<Row>,
    /// Address of its local memory.
    pub(super) local: u32,
    /// End of the local memory of each thread, including its stack allocations.
    pub(super) tops: [u32; WARP],
    /// Bytes of stack per thread up to and including this frame.
    pub(super) stack: usize,
    pub(super) depth: u32,
    /// The caller's frame and call instruction; `None` for the kernel.
    pub(super) caller: Option<(usize, u32)>,
    /// Threads that have not returned.
    pub(super) inside: Mask,
}

/// A warp.
#[derive(Debug)]
pub(super) struct Warp {
    pub(super) id: WarpId,
    /// Threads that have not exited.
    pub(super) live: Mask,
    pub(super) fragments: Vec<Fragment>,
    pub(super) frames: Vec<Frame>,
    /// Frames available for reuse.
    pub(super) free: Vec<usize>,
    /// Where threads meet that branches have parted; unused with early reconvergence.
    pub(super) rejoins: Vec<Rejoin>,
    /// Whether groups merge only there and where they execute an instruction together.
    pub(super) is_late: bool,
    /// Local memory of each thread.
    pub(super) local: Vec<Vec<u8>>,
    /// Instructions executed.
    pub(super) clock: u64,
    /// Instructions executed by its threads.
    pub(super) thread_instructions: u64,
    /// For each thread that has arrived at the cluster barrier without waiting yet, the phase of its arrival.
    pub(super) cluster_phases: [Option<u64>; WARP],
    /// The products it has requested from its warpgroup.
    pub(super) products: Products,
    /// Whether its time slice is over.
    pub(super) paused: bool,
    /// Whether it ended its time slice to wait for others.
    pub(super) waits: bool,
    /// Whether it queried an mbarrier unsuccessfully in its time slice.
    pub(super) asked: bool,
    /// Its last query, if all lanes made the same one and it was unsuccessful.
    pub(super) question: Option<Question>,
    /// Observations about its polling threads, while the warp is watched.
    pub(super) watch: Option<Box<Watch>>,
    /// The clock at which the time slice of the running group ends.
    pub(super) turn_end: u64,
    polls: u32,
    /// Number of times that it gave way since threads last met others of their branch, with late reconvergence.
    pub(super) yields: u32,
    /// Whether the group that has waited longest runs next.
    impatient: bool,
    /// Row buffers of collectives, kept for reuse.
    pub(super) inputs: Vec<Row>,
    pub(super) outputs: Vec<Row>,
}

impl Warp {
    /// A warp whose threads are about to enter the kernel.
    pub(super) fn new(grid: &Grid<'_>, id: WarpId, live: Mask, mut rows: Vec<Row>) -> Self {
        let program = grid.program;
        let kernel = program.kernel();
        // Another engine reads no row that it has not written.
        if !grid.is_assisted {
            rows.clear();
        }
        rows.resize(kernel.rows as usize, [0; WARP]);
        let frame = Frame {
            function: Functions::KERNEL,
            rows,
            stack: kernel.local as usize + kernel.rows as usize * 8,
            tops: [kernel.local; WARP],
            inside: live,
            ..Frame::default()
        };
        let fragment =
            Fragment { pc: kernel.start, frame: 0, mask: live, state: State::Ready, ran: 0, rejoin: None };
        let local_of = |lane| if live >> lane & 1 == 1 { vec![0; kernel.local as usize] } else { Vec::new() };
        Self {
            id,
            live,
            fragments: vec![fragment],
            frames: vec![frame],
            free: Vec::new(),
            rejoins: Vec::new(),
            is_late: grid.postdominators.is_some(),
            local: (0..WARP).map(local_of).collect(),
            clock: 0,
            thread_instructions: 0,
            cluster_phases: [None; WARP],
            products: Products::default(),
            paused: false,
            waits: false,
            asked: false,
            question: None,
            watch: None,
            turn_end: 0,
            polls: 0,
            yields: 0,
            impatient: false,
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// The constants as seen by its block.
    #[inline]
    pub(super) fn constants<'g>(&self, grid: &'g Grid<'_>) -> &'g [Row] {
        grid.constants(self.id.rank)
    }

    /// Whether any of its threads can run.
    pub(super) fn is_ready(&self) -> bool {
        self.fragments.iter().any(|fragment| fragment.state == State::Ready)
    }

    /// Picks the group to run next, merged with all groups at the same place.
    pub(super) fn pick(&mut self) -> Option<usize> {
        if self.is_late {
            self.meet();
        }
        // After a group yielded there is no patience: otherwise a polling loop would be picked again, being the lowest.
        let ready = |fragment: &&Fragment| fragment.state == State::Ready;
        let patience = if std::mem::take(&mut self.impatient) { 0 } else { PATIENCE };
        let starving = |fragment: &&Fragment| self.clock - fragment.ran > patience;
        let starved =
            self.fragments.iter().filter(ready).filter(starving).min_by_key(|fragment| fragment.ran);
        // The deepest call first, since its caller only continues when all threads have returned; within a call the
        // lowest instruction, since code laid out from top to bottom reconverges below.
        let deepest = || {
            let place = |fragment: &&Fragment| (u32::MAX - self.frames[fragment.frame].depth, fragment.pc);
            self.fragments.iter().filter(ready).min_by_key(place)
        };
        let next = starved.or_else(deepest)?;
        if self.is_late {
            let mask = next.mask;
            return self.fragments.iter().position(|fragment| fragment.mask == mask);
        }
        let place = (next.frame, next.pc);
        let here =
            |fragment: &Fragment| fragment.state == State::Ready && (fragment.frame, fragment.pc) == place;
        // The first of the fragments at this place is kept, with the lanes of all. `retain` keeps the order, so its index stays valid.
        let first = self.fragments.iter().position(here)?;
        let mut mask = 0;
        let mut at = 0;
        self.fragments.retain(|fragment| {
            let merged = here(fragment);
            if merged {
                mask |= fragment.mask;
            }
            at += 1;
            !merged || at == first + 1
        });
        self.fragments[first].mask = mask;
        Some(first)
    }

    /// The lowest instruction ahead of group `current` at which another group of the same call could be merged with it.
    pub(super) fn meeting_place(&self, current: usize) -> u32 {
        let Fragment { pc, frame, .. } = self.fragments[current];
        let others =
            self.fragments.iter().filter(|other| other.state == State::Ready && other.frame == frame);
        others.map(|other| other.pc).filter(|&other| other > pc).fold(u32::MAX, u32::min)
    }

    /// The call stack of a frame: the function of each frame, and the address of its local memory.
    pub(super) fn calls(&self, frame: usize) -> Vec<(u32, u32)> {
        let caller = |frame: &&Frame| frame.caller.and_then(|(caller, _)| self.frames.get(caller));
        let frames = std::iter::successors(self.frames.get(frame), caller);
        frames.map(|frame| (frame.function, frame.local)).collect()
    }

    /// The values of an operand in a frame.
    pub(super) fn row<'a>(&'a self, grid: &'a Grid<'_>, frame: usize, src: Src) -> &'a Row {
        src.of(&self.frames[frame].rows, self.constants(grid))
    }

    /// Counts an operation that threads may be polling with.
    pub(super) fn poll(&mut self) {
        self.polls += 1;
        if self.polls >= POLLS {
            self.give_way();
        }
    }

    /// Ends the time slice of the running group and of the warp, to wait for others.
    pub(super) fn give_way(&mut self) {
        self.polls = 0;
        self.yields = self.yields.saturating_add(1);
        (self.impatient, self.waits) = (true, true);
        self.end_turn();
    }

    /// Ends the time slice of the running group and of the warp.
    pub(super) fn end_turn(&mut self) {
        (self.paused, self.turn_end) = (true, self.clock);
    }

    /// How long the group may run before others of the warp are scheduled.
    pub(super) fn turn(&self, left: u64) -> u64 {
        let ready = self.fragments.iter().filter(|fragment| fragment.state == State::Ready).count();
        if ready > 1 { left.min(PATIENCE) } else { left }
    }

    /// Splits `part` off a group, to continue at `pc`; returns the index of the group of `part`.
    pub(super) fn split(&mut self, current: usize, part: Mask, pc: u32, state: State) -> usize {
        let fragment = self.fragments[current];
        if fragment.mask == part {
            self.fragments[current] = Fragment { pc, state, ..fragment };
            return current;
        }
        self.fragments[current].mask &= !part;
        self.fragments.push(Fragment { pc, mask: part, state, ran: self.clock, ..fragment });
        self.fragments.len() - 1
    }

    /// Resumes threads waiting for barriers whose phase has ended, and lets those waiting for tensor memory or their warpgroup retry.
    pub(super) fn wake(&mut self, barriers: &[Barrier]) {
        let mut together = 0;
        for fragment in &mut self.fragments {
            if matches!(fragment.state, State::Columns | State::Warpgroup) {
                fragment.state = State::Ready;
            }
            let State::Barrier { id, phase, action, dst } = fragment.state else { continue };
            let barrier = &barriers[id];
            if barrier.phase <= phase {
                continue;
            }
            if let Some(result) = barrier.result(action) {
                let row = &mut self.frames[fragment.frame].rows[dst as usize];
                lanes(fragment.mask).for_each(|lane| row[lane] = result);
            }
            fragment.state = State::Ready;
            fragment.ran = self.clock;
            together |= fragment.mask;
        }
        if self.is_late {
            self.unite(together);
        }
    }

    /// Resumes threads waiting for the cluster barrier, given the phase that has begun, and lets those waiting for tensor memory retry.
    pub(super) fn wake_cluster(&mut self, begun: u64) {
        let mut together = 0;
        for fragment in &mut self.fragments {
            if fragment.state == State::Columns {
                fragment.state = State::Ready;
            }
            if matches!(fragment.state, State::Cluster { phase } if phase < begun) {
                (fragment.state, fragment.ran) = (State::Ready, self.clock);
                together |= fragment.mask;
            }
        }
        if self.is_late {
            self.unite(together);
        }
    }

    /// Terminates threads of a group.
    pub(super) fn retire(&mut self, block: &mut BlockState, current: usize, part: Mask) {
        // Threads that exit leave all their calls. A frame is free once no thread is inside; that of the kernel is never reused.
        let frame = self.fragments[current].frame;
        self.fragments[current].mask &= !part;
        if self.fragments[current].mask == 0 {
            self.fragments.swap_remove(current);
        }
        self.live &= !part;
        let mut at = Some(frame);
        while let Some(index) = at {
            let frame = &mut self.frames[index];
            frame.inside &= !part;
            at = frame.caller.map(|(caller, _)| caller);
            if frame.inside == 0 && frame.caller.is_some() {
                self.free.push(index);
            }
        }
        lanes(part).for_each(|lane| self.local[lane] = Vec::new());
        block.exited(self.id.index, self.live);
    }
}
