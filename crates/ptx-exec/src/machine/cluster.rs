//! A cluster: blocks that run together on one host thread, and can access each other's shared memory (manual 2.2.2, 5.1.8).
//!
//! Its blocks are scheduled round-robin, and the warps of each block. The running block owns the state of the others,
//! so that an access to its own shared memory is as fast as in a grid without clusters.

use ptx_program::memory::rank_and_offset;
use ptx_program::{Row, first_lane};

use super::Stop;
use super::block::{BlockState, ClusterState};
use super::collective::missing;
use super::completion::{Registers, advance, check_end, complete_all, put_aside};
use super::geometry::WarpId;
use super::grid::Grid;
use super::mbarrier_object::Wait;
use super::meeting::BarrierWait;
use super::memory::View;
use super::pending::Pending;
use super::report::{at_barrier, at_collective, deadlock, group, shortened};
use super::step::run;
use super::warp::{State, Warp};
use super::watch::PATIENT_ROUNDS;
use crate::error::TrapKind;

/// Time slice of a warp, in instructions.
pub(super) const TURN: u64 = 4096;
/// Initial and maximum time slice of a cluster, in instructions.
const FIRST_SLICE: u64 = 1 << 18;
const LONGEST_SLICE: u64 = 1 << 22;

/// A started cluster.
pub(super) struct Cluster {
    /// Its linear index in the grid, `x` fastest.
    pub(super) number: u64,
    /// The block that is running, or ran last, with the cluster state.
    pub(super) running: BlockState,
    /// The warps of each block.
    pub(super) warps: Vec<Vec<Warp>>,
    /// Instructions executed by its warps and by its threads.
    pub(super) executed: [u64; 2],
    /// Number of consecutive rounds in which all warps that ran polled mbarriers unsuccessfully.
    rounds_in_vain: u32,
    /// Instructions in its next time slice; doubled each time, since switching clusters is costly.
    slice: u64,
}

/// State of a cluster after a time slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    /// All of its threads have exited.
    Done,
    /// Its time slice is used up.
    Unfinished,
}

/// Summary of one scheduling round of all warps.
struct Round {
    /// Whether any warp could run.
    progressed: bool,
    /// Whether all that ran wait for others.
    waiting: bool,
    /// Whether all of them polled mbarriers unsuccessfully.
    in_vain: bool,
    /// Instructions executed.
    steps: u64,
}

/// Whether all threads of a block have exited.
fn is_done(warps: &[Warp]) -> bool {
    warps.iter().all(|warp| warp.live == 0)
}

impl Cluster {
    /// Starts a cluster of the grid, reusing register memory of a finished cluster if available.
    pub(super) fn new(grid: &Grid<'_>, number: u64, spare: &mut Vec<Vec<Row>>) -> Self {
        let ranks = 0..grid.geometry.cluster_size();
        let mut peers: Vec<BlockState> = ranks.map(|rank| BlockState::new(grid, number, rank)).collect();
        let of_block = |block: &BlockState| {
            let warp = |(index, &live)| {
                // Default: new memory if there is none to reuse.
                let rows = spare.pop().unwrap_or_default();
                Warp::new(grid, WarpId { rank: block.rank, index }, live, rows)
            };
            block.live.iter().enumerate().map(warp).collect()
        };
        let warps = peers.iter().map(of_block).collect();
        let live = peers.iter().flat_map(|block| block.live.iter().copied()).collect();
        // The block of rank 0 runs first.
        let mut running = BlockState::default();
        match peers.first_mut() {
            Some(first) => std::mem::swap(&mut running, first),
            None => debug_assert!(false, "a cluster without blocks"),
        }
        let pending = Pending::new(grid.completion, number);
        running.cluster = ClusterState { peers, live, pending, ..ClusterState::default() };
        Self { number, running, warps, executed: [0; 2], rounds_in_vain: 0, slice: FIRST_SLICE }
    }

    /// The memory of the warps' registers, for reuse by the next cluster. Its contents are never read.
    pub(super) fn take_rows(&mut self) -> Vec<Vec<Row>> {
        let warps = self.warps.iter_mut().flatten();
        warps
            .filter_map(|warp| warp.frames.first_mut().map(|frame| std::mem::take(&mut frame.rows)))
            .collect()
    }

    /// The `vprintf` output of each block, with the number of the block.
    pub(super) fn take_output(&mut self) -> Vec<(u64, Vec<u8>)> {
        let mut output = Vec::new();
        for rank in 0..self.warps.len() {
            self.running.become_block(rank as u32);
            if !self.running.output.is_empty() {
                output.push((self.running.number, std::mem::take(&mut self.running.output)));
            }
        }
        output
    }

    /// Schedules all warps round-robin until all threads have exited or the cluster's time slice is over. An error includes the warp it concerns.
    pub(super) fn run(&mut self, grid: &Grid<'_>) -> Result<Progress, Stop> {
        let mut used = 0;
        while used < self.slice {
            let mut round = Round { progressed: false, waiting: true, in_vain: true, steps: 0 };
            for rank in 0..self.warps.len() {
                if self.warps[rank].iter().any(Warp::is_ready) {
                    self.running.become_block(rank as u32);
                    self.run_block(grid, rank, &mut round)?;
                }
            }
            used += round.steps;
            if !self.running.cluster.pending.is_empty() {
                round.in_vain = false;
                self.watch(&round);
                self.advance(grid, &round)?;
                continue;
            }
            if !round.progressed {
                if self.warps.iter().all(|warps| is_done(warps)) {
                    return self.end();
                }
                if self.go_on_alone() {
                    continue;
                }
                return Err(self.deadlock(grid));
            }
            if self.watch(&round) && !self.go_on_alone() {
                return Err(self.deadlock(grid));
            }
            // Blocks of a cooperative launch wait for other blocks of the grid.
            if round.waiting && grid.workspace != 0 {
                return Ok(Progress::Unfinished);
            }
        }
        self.slice = (self.slice * 2).min(LONGEST_SLICE);
        if !self.running.cluster.pending.is_empty() {
            let mut view = View { grid, block: &mut self.running, local: &mut [] };
            put_aside(&mut view, &mut Registers::All(&mut self.warps))?;
        }
        Ok(Progress::Unfinished)
    }

    /// Lets threads that wait for others of their branch go on; returns whether there are any.
    fn go_on_alone(&mut self) -> bool {
        // Every warp, also after one of which threads go on.
        let going = self.warps.iter_mut().flatten().filter_map(|warp| warp.go_on_alone().then_some(()));
        going.count() > 0
    }

    /// Gives each warp of the running block a time slice.
    fn run_block(&mut self, grid: &Grid<'_>, rank: usize, round: &mut Round) -> Result<(), Stop> {
        for at in 0..self.warps[rank].len() {
            let (block, warps) = (&mut self.running, &mut self.warps[rank]);
            let warp = &mut warps[at];
            if !warp.is_ready() {
                continue;
            }
            round.progressed = true;
            let (before, id) = (warp.thread_instructions, warp.id);
            let turn = block.cluster.pending.turn(TURN);
            let steps =
                run(warp, grid, block, turn).map_err(|stop| Stop { warp: stop.warp.or(Some(id)), ..stop })?;
            round.waiting &= warp.waits;
            round.in_vain &= warp.waits && warp.asked;
            round.steps += steps;
            self.executed[0] += steps;
            self.executed[1] += warp.thread_instructions - before;
            if let Err(kind) = grid.spend(self.number, steps) {
                return Err(self.out_of_time(grid, id, kind));
            }
            if std::mem::take(&mut block.wake) {
                warps.iter_mut().for_each(|warp| warp.wake(&block.barriers));
            }
            if std::mem::take(&mut block.cluster.wake) {
                let phase = block.cluster.barrier.phase;
                self.warps.iter_mut().flatten().for_each(|warp| warp.wake_cluster(phase));
            }
        }
        Ok(())
    }

    /// Starts or stops watching the warps after a round. Returns whether all threads wait for others or poll mbarriers
    /// unsuccessfully, and always will.
    fn watch(&mut self, round: &Round) -> bool {
        let watched = self.rounds_in_vain > PATIENT_ROUNDS;
        self.rounds_in_vain = if round.in_vain { self.rounds_in_vain.saturating_add(1) } else { 0 };
        let watches = self.rounds_in_vain > PATIENT_ROUNDS;
        if watched != watches {
            for warp in self.warps.iter_mut().flatten() {
                warp.watch = watches.then(Box::default);
            }
        }
        let disturbances = self.running.cluster.disturbances;
        watched && watches && self.warps.iter().flatten().all(|warp| warp.is_stuck(disturbances))
    }

    /// Lets asynchronous operations complete between scheduling rounds.
    fn advance(&mut self, grid: &Grid<'_>, round: &Round) -> Result<(), Stop> {
        let groups = self.warps.iter().flatten().map(|warp| warp.fragments.len()).fold(0, usize::max);
        let ended = (0..).zip(&self.warps).filter(|(_, warps)| is_done(warps));
        let ended: Vec<u32> = ended.map(|(rank, _)| rank).collect();
        let all_ended = ended.len() == self.warps.len();
        let mut view = View { grid, block: &mut self.running, local: &mut [] };
        ended.into_iter().try_for_each(|rank| check_end(&view, rank))?;
        let mut registers = Registers::All(&mut self.warps);
        if round.progressed && !all_ended {
            advance(&mut view, &mut registers, round.waiting, groups)
        } else {
            // No thread can run until one of them completes, if that helps.
            complete_all(&mut view, &mut registers)
        }
    }

    /// Checks, after all threads have exited, for tensor memory that a block never freed (manual 9.7.16.1.2).
    pub(super) fn end(&mut self) -> Result<Progress, Stop> {
        for rank in 0..self.warps.len() {
            self.running.become_block(rank as u32);
            if let Some((pc, columns)) = self.running.tensor.leaked() {
                let text =
                    format!("the block ends without having freed these {columns} columns of tensor memory");
                let warp = WarpId { rank: rank as u32, index: 0 };
                return Err(Stop { warp: Some(warp), ..Stop::at(TrapKind::Misuse(text), pc, 0) });
            }
        }
        Ok(Progress::Done)
    }

    /// The stop for a reached limit, with the positions of the threads.
    pub(super) fn out_of_time(&self, grid: &Grid<'_>, id: WarpId, kind: TrapKind) -> Stop {
        let related = self.groups(grid);
        let warp = self.warps.get(id.rank as usize).and_then(|warps| warps.get(id.index));
        let here = warp.and_then(|warp| warp.fragments.first());
        let pc = here.map(|group| group.pc).or(related.first().map(|(pc, _)| *pc));
        let lane = match here {
            Some(group) => first_lane(group.mask),
            // The warp has ended.
            None => 0,
        };
        let related = shortened(related);
        Stop { kind, pc, lane, warp: Some(id), related, frames: Vec::new() }
    }

    /// Describes the groups of threads at the same place: the instruction and what they do there.
    fn groups(&self, grid: &Grid<'_>) -> Vec<(u32, String)> {
        let mut groups = Vec::new();
        for warp in self.warps.iter().flatten() {
            let [x, y, z] = grid.geometry.block_index(self.number, warp.id.rank);
            let of_block = match self.warps.len() {
                0 | 1 => String::new(),
                _ => format!("block ({x}, {y}, {z}), "),
            };
            // In thread order, independent of their scheduling.
            let mut fragments: Vec<_> = warp.fragments.iter().enumerate().collect();
            fragments.sort_by_key(|(_, fragment)| first_lane(fragment.mask));
            for (at, fragment) in fragments {
                let waits = matches!(fragment.state, State::Barrier { .. } | State::Cluster { .. });
                let mut instruction = fragment.pc.saturating_sub(u32::from(waits));
                let what = match fragment.state {
                    State::Ready => match warp.polls(fragment, self.running.cluster.disturbances) {
                        Some((pc, wait)) => {
                            instruction = pc;
                            self.asked_for(grid, wait)
                        }
                        None => "run here".to_owned(),
                    },
                    State::Cluster { .. } => "wait at the barrier of the cluster".to_owned(),
                    State::Barrier { id, .. } => {
                        at_barrier(&grid.geometry, id, self.awaited_at(warp, id).as_ref())
                    }
                    State::Warpgroup => "wait for the other warps of the warpgroup".to_owned(),
                    State::Collective { members } => {
                        at_collective(&grid.geometry, warp.id.index, members, missing(warp, grid, at))
                    }
                    State::Columns => "wait for columns of tensor memory".to_owned(),
                    State::Rejoin => "wait for other threads of their branch".to_owned(),
                };
                let group = group(&grid.geometry, warp.id.index, fragment.mask, &what);
                groups.push((instruction, format!("{of_block}{group}")));
            }
        }
        groups
    }

    /// Describes what threads are polling for.
    fn asked_for(&self, grid: &Grid<'_>, wait: Wait) -> String {
        let (space, address) = wait.barrier;
        // Default: what is not in memory any more is described as an mbarrier that was never initialized.
        let bits = self.running.read_shared(space, address, 8).unwrap_or(0);
        let (rank, offset) = rank_and_offset(address);
        let of_block = match self.warps.len() {
            0 | 1 => String::new(),
            _ => {
                let [x, y, z] = grid.geometry.block_index(self.number, rank as u32);
                format!(" of block ({x}, {y}, {z})")
            }
        };
        let name = grid.shared_variable(offset).unwrap_or_else(|| format!("shared address {offset:#x}"));
        format!("wait for the mbarrier at {name}{of_block} to end {}", wait.phase.missing(bits))
    }

    /// The threads awaited at a barrier of a warp's block.
    fn awaited_at(&self, warp: &Warp, id: usize) -> Option<BarrierWait> {
        let block = match warp.id.rank {
            rank if rank == self.running.rank => Some(&self.running),
            rank => self.running.cluster.peers.get(rank as usize),
        }?;
        block.barriers.get(id).map(|barrier| barrier.awaited(&block.live))
    }

    /// The stop for a deadlock, with the positions of the waiting threads.
    pub(super) fn deadlock(&self, grid: &Grid<'_>) -> Stop {
        let related = self.groups(grid);
        let waiting = self.warps.iter().flatten().find(|warp| warp.live != 0);
        let (id, lane) = match waiting {
            Some(warp) => (warp.id, first_lane(warp.live)),
            None => {
                debug_assert!(false, "a deadlock without threads");
                Default::default()
            }
        };
        let pc = related.first().map(|(pc, _)| *pc);
        Stop { kind: deadlock(&related), pc, lane, warp: Some(id), related, frames: Vec::new() }
    }
}
