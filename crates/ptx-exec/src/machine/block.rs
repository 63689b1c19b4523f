//! A block: its warps, its shared memory and its barriers.

use std::collections::BTreeMap;

use super::Stop;
use super::barrier::{Barrier, CLUSTER_BARRIER};
use super::grid::Grid;
use super::memory::View;
use super::pending::{Pending, Registers};
use super::tcgen05::TensorMemory;
use super::warp::{State, Warp};
use super::wgmma::Warpgroup;
use crate::error::TrapKind;
use crate::launch::Dim3;
use crate::program::{Mask, WARP, first_lane};

/// The most groups of threads that a time-out shows.
const MOST_GROUPS: usize = 32;
/// Instructions that a warp runs before the next one of its block gets its turn.
const TURN: u64 = 4096;
/// Instructions that a block runs at first before others of the grid get their turn, and at most.
const FIRST_SLICE: u64 = 1 << 18;
const LONGEST_SLICE: u64 = 1 << 22;

/// What the warps of a block share.
pub(super) struct BlockState {
    /// Index of the block in the grid.
    pub(super) index: Dim3,
    /// The same, counted `x` first.
    pub(super) number: u64,
    pub(super) shared: Vec<u8>,
    pub(super) barriers: Vec<Barrier>,
    /// What `vprintf` wrote.
    pub(super) output: Vec<u8>,
    /// Threads of each warp that have not exited.
    pub(super) live: Vec<Mask>,
    pub(super) tensor: TensorMemory,
    /// Its warpgroups that multiply, by number.
    pub(super) warpgroups: BTreeMap<usize, Warpgroup>,
    /// Whether a barrier was completed or tensor memory freed, so that waiting warps must be told.
    pub(super) wake: bool,
    /// Asynchronous operations in flight.
    pub(super) pending: Pending,
}

impl BlockState {
    /// Notes that threads of a warp have exited, which may complete barriers.
    pub(super) fn exited(&mut self, warp: usize, live: Mask) {
        if let Some(entry) = self.live.get_mut(warp) {
            *entry = live;
        }
        self.wake |= !self.warpgroups.is_empty();
        for barrier in &mut self.barriers {
            self.wake |= barrier.complete(&self.live);
        }
    }
}

/// A block that has been started.
pub(super) struct Block {
    pub(super) state: BlockState,
    pub(super) warps: Vec<Warp>,
    /// Instructions executed by its warps and by its threads.
    pub(super) executed: [u64; 2],
    /// Instructions that it may run next time; twice as many each time, as switching between blocks costs time.
    slice: u64,
}

/// How far a block got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    /// All of its threads have exited.
    Done,
    /// It used up its slice of time.
    Unfinished,
}

/// A stop with the warp that it concerns.
fn located(stop: Stop) -> (usize, Stop) {
    (stop.warp.unwrap_or(0), stop)
}

impl Block {
    /// Starts a block of the grid.
    pub(super) fn new(grid: &Grid<'_>, number: u64) -> Self {
        let threads = grid.geometry.threads();
        let live: Vec<Mask> = (0..threads.div_ceil(WARP))
            .map(|warp| u32::MAX >> (WARP - (threads - warp * WARP).min(WARP)))
            .collect();
        let warps = live.iter().enumerate().map(|(index, &live)| Warp::new(grid, index, live)).collect();
        let state = BlockState {
            index: grid.geometry.block_index(number),
            number,
            shared: vec![0; grid.geometry.shared as usize],
            barriers: vec![Barrier::default(); CLUSTER_BARRIER + 1],
            output: Vec::new(),
            live,
            tensor: TensorMemory::default(),
            warpgroups: BTreeMap::new(),
            wake: false,
            pending: Pending::new(grid.completion, number),
        };
        Self { state, warps, executed: [0; 2], slice: FIRST_SLICE }
    }

    /// Runs all warps in turn until all threads have exited or the block's slice is over. An error also says which
    /// warp it concerns.
    pub(super) fn run(&mut self, grid: &Grid<'_>) -> Result<Progress, (usize, Stop)> {
        let mut used = 0;
        while used < self.slice {
            let (mut progressed, mut waiting) = (false, true);
            for at in 0..self.warps.len() {
                let warp = &mut self.warps[at];
                if !warp.is_ready() {
                    continue;
                }
                progressed = true;
                let before = warp.thread_instructions;
                let turn = self.state.pending.turn(TURN);
                let steps =
                    warp.run(grid, &mut self.state, turn).map_err(|stop| (stop.warp.unwrap_or(at), stop))?;
                waiting &= warp.waits;
                used += steps;
                self.executed[0] += steps;
                self.executed[1] += warp.thread_instructions - before;
                if let Err(kind) = grid.spend(self.state.number, steps) {
                    return Err(self.out_of_time(grid, at, kind));
                }
                if std::mem::take(&mut self.state.wake) {
                    self.warps.iter_mut().for_each(|warp| warp.wake(&self.state.barriers));
                }
            }
            if !self.state.pending.is_empty() {
                self.advance(grid, waiting, progressed)?;
                continue;
            }
            if !progressed {
                let done = self.warps.iter().all(|warp| warp.live == 0);
                return match (done, self.state.tensor.leaked()) {
                    (true, None) => Ok(Progress::Done),
                    (true, Some((pc, columns))) => Err((0, leak(pc, columns))),
                    (false, _) => Err(self.deadlock(grid)),
                };
            }
        }
        self.slice = (self.slice * 2).min(LONGEST_SLICE);
        if !self.state.pending.is_empty() {
            let mut view = View { grid, block: &mut self.state, local: &mut [] };
            view.put_aside(&mut Registers::All(&mut self.warps)).map_err(located)?;
        }
        Ok(Progress::Unfinished)
    }

    /// Lets asynchronous operations complete between rounds of turns: `waiting` tells that all warps that may run wait for
    /// others, `progressed` that some may run.
    fn advance(&mut self, grid: &Grid<'_>, waiting: bool, progressed: bool) -> Result<(), (usize, Stop)> {
        let groups = self.warps.iter().map(|warp| warp.fragments.len()).max().unwrap_or(0);
        let done = self.warps.iter().all(|warp| warp.live == 0);
        let mut view = View { grid, block: &mut self.state, local: &mut [] };
        let mut registers = Registers::All(&mut self.warps);
        let advanced = match progressed {
            _ if done => view.end(&mut registers),
            true => view.advance(&mut registers, waiting, groups),
            // None can run until one of them completes, if that helps.
            false => view.complete_all(&mut registers),
        };
        advanced.map_err(located)
    }

    /// That a limit is reached, and where the threads are.
    fn out_of_time(&self, grid: &Grid<'_>, warp: usize, kind: TrapKind) -> (usize, Stop) {
        let mut related = self.groups(grid);
        let here = self.warps.get(warp).and_then(|warp| warp.fragments.first());
        let pc = here.map(|group| group.pc).or(related.first().map(|(pc, _)| *pc));
        let lane = here.map_or(0, |group| first_lane(group.mask));
        if let more @ 1.. = related.len().saturating_sub(MOST_GROUPS) {
            related.truncate(MOST_GROUPS);
            if let Some((_, text)) = related.last_mut() {
                text.push_str(&format!("; and {more} other groups of threads elsewhere"));
            }
        }
        (warp, Stop { kind, pc, lane, warp: None, related, frames: Vec::new() })
    }

    /// The groups of threads that are at one place each: the instruction and what they do there.
    fn groups(&self, grid: &Grid<'_>) -> Vec<(u32, String)> {
        let mut groups = Vec::new();
        for warp in &self.warps {
            for fragment in &warp.fragments {
                let instruction =
                    fragment.pc.saturating_sub(u32::from(matches!(fragment.state, State::Barrier { .. })));
                let (x, y, z) = grid.geometry.thread(warp.index, first_lane(fragment.mask)).into();
                let others = match fragment.mask.count_ones() - 1 {
                    0 => String::new(),
                    n => format!(" and {n} more of its warp"),
                };
                let what = match fragment.state {
                    State::Ready => "run here".to_owned(),
                    State::Barrier { id: CLUSTER_BARRIER, .. } => {
                        "wait at the barrier of the cluster".to_owned()
                    }
                    State::Barrier { id, .. } => format!("wait at barrier {id}"),
                    State::Warpgroup => "wait for the other warps of the warpgroup".to_owned(),
                    State::Collective { members } => format!("wait for lanes {members:#010x}"),
                    State::Columns => "wait for columns of tensor memory to be freed".to_owned(),
                };
                groups.push((instruction, format!("thread ({x}, {y}, {z}){others}: {what}")));
            }
        }
        groups
    }

    /// Who waits where.
    fn deadlock(&self, grid: &Grid<'_>) -> (usize, Stop) {
        let related = self.groups(grid);
        let text = match related.as_slice() {
            [] => "no thread is left".to_owned(),
            [(_, only)] => only.clone(),
            [(_, first), rest @ ..] => {
                format!("{first}, and {} other group(s) of threads wait too", rest.len())
            }
        };
        let warp = self.warps.iter().find(|warp| warp.live != 0);
        let (index, lane) = warp.map_or((0, 0), |warp| (warp.index, first_lane(warp.live)));
        let pc = related.first().map(|(pc, _)| *pc);
        (index, Stop { kind: TrapKind::Deadlock(text), pc, lane, warp: None, related, frames: Vec::new() })
    }
}

/// That a block has ended with tensor memory that it never freed (manual 9.7.16.1.2).
fn leak(pc: u32, columns: usize) -> Stop {
    let text = format!("the block ends without having freed these {columns} columns of tensor memory");
    Stop::at(TrapKind::Misuse(text), pc, 0)
}
