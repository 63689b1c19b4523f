//! Single instructions of a cluster, executed for another engine that executes the others itself.
//!
//! The other engine has threads of its own and decides which of them run. What it asks for is done by the functions of this crate, on the
//! launch's global memory and on blocks that are kept here: their shared memory, which the engine accesses too, their barriers, their
//! tensor memory. Operands and results are rows of the warp's only frame. A warp has one group of threads: those that come to the
//! instruction.

use std::sync::Arc;

use super::super::grid::{Grid, Job, Setup};
use super::super::launch_control::Queue;
use super::super::mbarrier::Question;
use super::super::products::Products;
use super::super::warp::{Fragment, State, Warp, WarpId};
use super::super::watch::Watch;
use super::super::{Executable, Stop};
use super::{Cluster, TURN};
use crate::engine;
use crate::error::TrapKind;
use crate::program::{Mask, Program, Row, WARP, lanes};

/// A program of which single instructions can be executed.
#[derive(Clone)]
pub struct Instructions(Arc<Executable>);

impl Instructions {
    /// Those of a program.
    pub fn new(program: &Program) -> Self {
        Self(Arc::new(Executable::new(program.clone())))
    }
}

impl std::fmt::Debug for Instructions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Instructions").field(&self.0.program.entry).finish()
    }
}

/// A launch of which single instructions can be executed.
pub struct Assistant {
    job: Job,
}

impl Assistant {
    /// For a launch that was set up for a program of which this one was made.
    pub(crate) fn new(setup: Setup, instructions: &Instructions) -> Self {
        Self { job: Job::new(Setup { executable: instructions.0.clone(), ..setup }) }
    }
}

impl std::fmt::Debug for Assistant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Assistant").finish_non_exhaustive()
    }
}

/// What became of threads that executed an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is done.
    Done,
    /// They wait until [`AssistedCluster::is_ready`], and have then done it.
    Waits,
    /// They wait until [`AssistedCluster::is_ready`], and then execute it again.
    Again,
    /// It is done: one of them asked in vain whether a phase of a barrier in shared memory is over.
    InVain,
}

/// What became of a warp in its turn that the interpreter runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Run {
    /// All of its threads have exited.
    Ended,
    /// It may go on.
    Goes,
    /// Each of its threads waits, or asks a barrier in shared memory the same for ever, until another warp does something.
    Stuck,
}

/// Where threads are that come to an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threads {
    /// The rank of their block in its cluster.
    pub rank: u32,
    /// Their warp in the block.
    pub warp: usize,
    /// The instruction.
    pub pc: u32,
    /// Those that come to it.
    pub mask: Mask,
    /// Those of them for which its guard holds.
    pub active: Mask,
}

/// A cluster whose warps another engine runs.
pub struct AssistedCluster<'a> {
    grid: Grid<'a>,
    cluster: Cluster,
}

impl std::fmt::Debug for AssistedCluster<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AssistedCluster").field("number", &self.cluster.number).finish_non_exhaustive()
    }
}

impl<'a> AssistedCluster<'a> {
    /// Begins a cluster of the launch, by its number. `products` computes what it can of products of matrices, `clusters` has those that the
    /// other engine has not begun; `spare` is memory for registers that another cluster had.
    pub fn new(
        assistant: &'a Assistant,
        number: u64,
        products: &'static dyn Products,
        clusters: &'a dyn Queue,
        spare: &mut Vec<Vec<Row>>,
    ) -> Self {
        let mut grid = Grid::of(&assistant.job);
        (grid.products, grid.clusters) = (Some(products), Some(clusters));
        let cluster = Cluster::new(&grid, number, spare);
        Self { grid, cluster }
    }

    /// The memory of the registers, for the next cluster.
    pub fn into_spare(mut self) -> Vec<Vec<Row>> {
        self.cluster.take_rows()
    }

    /// The shared memory of the block of a rank. It stays where it is as long as the cluster.
    pub fn shared(&mut self, rank: u32) -> &mut [u8] {
        self.cluster.running.become_block(rank);
        &mut self.cluster.running.shared
    }

    /// The rows of a warp, in which operands and results are. They stay where they are as long as the cluster.
    pub fn rows(&mut self, rank: u32, warp: usize) -> &mut [Row] {
        let frame = self.warp(rank, warp).and_then(|warp| warp.frames.first_mut());
        frame.map(|frame| frame.rows.as_mut_slice()).unwrap_or_default()
    }

    fn warp(&mut self, rank: u32, warp: usize) -> Option<&mut Warp> {
        self.cluster.warps.get_mut(rank as usize)?.get_mut(warp)
    }

    /// Whether a warp does not wait.
    pub fn is_ready(&self, rank: u32, warp: usize) -> bool {
        let warp = self.cluster.warps.get(rank as usize).and_then(|warps| warps.get(warp));
        warp.is_some_and(|warp| warp.fragments.iter().all(|group| group.state == State::Ready))
    }

    /// Lets the interpreter run the threads of a warp from now on ([`Self::run_warp`]): `live` are those that have not exited, `places` has the
    /// instruction that each of them comes to, and `local` gives the bytes of the local memory of a thread. Their registers are in [`Self::rows`];
    /// they have neither called a function nor allocated memory on their stacks.
    pub fn take_over(
        &mut self,
        (rank, index): (u32, usize),
        places: &[u32; WARP],
        live: Mask,
        local: impl Fn(usize, usize) -> u8,
    ) {
        self.come(&Threads { rank, warp: index, pc: 0, mask: 0, active: 0 }, live);
        let Some(warp) = self.warp(rank, index) else { return };
        warp.fragments.clear();
        for lane in lanes(live) {
            match warp.fragments.iter_mut().find(|group| group.pc == places[lane]) {
                Some(group) => group.mask |= 1 << lane,
                None => {
                    let (pc, mask) = (places[lane], 1 << lane);
                    warp.fragments.push(Fragment { pc, frame: 0, mask, state: State::Ready, ran: 0 });
                }
            }
        }
        if let Some(frame) = warp.frames.first_mut() {
            frame.inside = live;
        }
        for lane in lanes(live) {
            warp.local[lane].iter_mut().enumerate().for_each(|(at, byte)| *byte = local(lane, at));
        }
        warp.watch = Some(Box::default());
    }

    /// Whether a thread of a warp that was taken over can run.
    pub fn can_run(&self, rank: u32, warp: usize) -> bool {
        let warp = self.cluster.warps.get(rank as usize).and_then(|warps| warps.get(warp));
        warp.is_some_and(Warp::is_ready)
    }

    /// Gives a warp that was taken over its turn; tells what became of it, and whether it did something that others may wait for.
    ///
    /// # Errors
    /// What stops one of its threads.
    pub fn run_warp(&mut self, rank: u32, index: usize) -> Result<(Run, bool), engine::Stop> {
        self.cluster.running.become_block(rank);
        let Cluster { running, warps, .. } = &mut self.cluster;
        let before = running.cluster.disturbances;
        let Some(warp) = warps.get_mut(rank as usize).and_then(|warps| warps.get_mut(index)) else {
            return Ok((Run::Ended, false));
        };
        let ran = warp.run(&self.grid, running, TURN);
        let disturbances = running.cluster.disturbances;
        let run = match () {
            () if warp.live == 0 => Run::Ended,
            () if warp.is_stuck(disturbances) => Run::Stuck,
            () => Run::Goes,
        };
        let threads = Threads { rank, warp: index, pc: 0, mask: 0, active: 0 };
        ran.map_err(|stop| self.stop(stop, threads))?;
        self.wake();
        Ok((run, disturbances != before))
    }

    /// Where the first threads of a warp are that was taken over.
    pub fn first_group(&self, rank: u32, warp: usize) -> Option<(u32, Mask)> {
        let group = self.cluster.warps.get(rank as usize)?.get(warp)?.fragments.first()?;
        Some((group.pc, group.mask))
    }

    /// Executes an instruction that is neither a branch nor a call. `live` are the threads of the warp that have not exited.
    ///
    /// # Errors
    /// What stops one of the threads.
    pub fn execute(&mut self, threads: &Threads, live: Mask) -> Result<Outcome, engine::Stop> {
        self.come(threads, live);
        let &Threads { rank, warp: index, pc, active, .. } = threads;
        let Cluster { running, warps, .. } = &mut self.cluster;
        let Some(warp) = warps.get_mut(rank as usize).and_then(|warps| warps.get_mut(index)) else {
            return Ok(Outcome::Done);
        };
        let done = warp.execute_alone(&self.grid, running, pc, active);
        let asked = std::mem::take(&mut warp.asked);
        // Put together again: a copy of what the caller has just written in parts would wait for them.
        done.map_err(|stop| self.stop(stop, Threads { rank, warp: index, pc, mask: 0, active }))?;
        self.wake();
        let groups = self.warp(rank, index).map(|warp| warp.fragments.as_slice()).unwrap_or_default();
        Ok(match groups.iter().find(|group| group.state != State::Ready) {
            Some(group) if group.pc == pc => Outcome::Again,
            Some(_) => Outcome::Waits,
            None if asked => Outcome::InVain,
            None => Outcome::Done,
        })
    }

    /// What the lanes of a warp asked last, where all of them asked the same in vain.
    pub fn question(&self, rank: u32, warp: usize) -> Option<Question> {
        self.cluster.warps.get(rank as usize)?.get(warp)?.question
    }

    /// Whether a question has another answer now.
    pub fn is_answered(&self, question: Question) -> bool {
        question.is_answered(&self.cluster.running)
    }

    /// Makes threads of a warp its only group.
    fn come(&mut self, threads: &Threads, live: Mask) {
        let &Threads { rank, warp: index, pc, mask, .. } = threads;
        self.cluster.running.become_block(rank);
        let Cluster { running, warps, .. } = &mut self.cluster;
        let Some(warp) = warps.get_mut(rank as usize).and_then(|warps| warps.get_mut(index)) else { return };
        if warp.live != live {
            warp.live = live;
            running.exited(index, live);
        }
        warp.fragments.clear();
        warp.fragments.push(Fragment { pc, frame: 0, mask, state: State::Ready, ran: 0 });
    }

    /// All threads of a warp have exited.
    pub fn exited(&mut self, rank: u32, warp: usize) {
        self.cluster.running.become_block(rank);
        if let Some(warp) = self.warp(rank, warp) {
            (warp.live, warp.watch) = (0, None);
            warp.fragments.clear();
        }
        self.cluster.running.exited(warp, 0);
        self.wake();
    }

    /// Lets those go on who wait for what has happened.
    fn wake(&mut self) {
        let Cluster { running, warps, .. } = &mut self.cluster;
        if std::mem::take(&mut running.wake)
            && let Some(warps) = warps.get_mut(running.rank as usize)
        {
            warps.iter_mut().for_each(|warp| warp.wake(&running.barriers));
        }
        if std::mem::take(&mut running.cluster.wake) {
            let phase = running.cluster.barrier.phase;
            warps.iter_mut().flatten().for_each(|warp| warp.wake_cluster(phase));
        }
    }

    /// Ends the cluster, all threads of which have exited.
    ///
    /// # Errors
    /// What is left that should have been freed.
    pub fn end(&mut self) -> Result<(), engine::Stop> {
        let nowhere = Threads { rank: 0, warp: 0, pc: 0, mask: 0, active: 0 };
        self.cluster.end().map(|_| ()).map_err(|stop| self.stop(stop, nowhere))
    }

    /// That no thread can go on: all wait, but for those that ask the same barrier in shared memory for ever, at the places that are given.
    pub fn deadlock(&mut self, asking: &[(Threads, Mask)]) -> engine::Stop {
        let mut first = None;
        for &(threads, live) in asking {
            if let Some(warp) = self.warp(threads.rank, threads.warp) {
                warp.watch = Some(Box::<Watch>::default());
            }
            // Who asks twice with the same registers is stuck.
            for _ in 0..2 {
                let asked = self.execute(&threads, live);
                first = first.or(asked.err());
            }
            self.place(threads);
        }
        if let Some(stop) = first {
            return stop;
        }
        let stop = self.cluster.deadlock(&self.grid);
        let nowhere = Threads { rank: 0, warp: 0, pc: 0, mask: 0, active: 0 };
        self.stop(stop, nowhere)
    }

    /// That the time is over, and where the threads are; `running` those that do not wait.
    pub fn out_of_time(&mut self, kind: TrapKind, running: Threads) -> engine::Stop {
        self.place(running);
        let id = WarpId { rank: running.rank, index: running.warp };
        let stop = self.cluster.out_of_time(&self.grid, id, kind);
        self.stop(stop, running)
    }

    /// Notes where threads are.
    fn place(&mut self, threads: Threads) {
        let Threads { rank, warp, pc, mask, .. } = threads;
        if let Some(warp) = self.warp(rank, warp) {
            warp.fragments.clear();
            warp.fragments.push(Fragment { pc, frame: 0, mask, state: State::Ready, ran: 0 });
        }
    }

    fn stop(&self, stop: Stop, threads: Threads) -> engine::Stop {
        let Stop { kind, pc, lane, warp, related, .. } = stop;
        let warp = warp.unwrap_or(WarpId { rank: threads.rank, index: threads.warp });
        let block = self.grid.geometry.block_index(self.cluster.number, warp.rank);
        engine::Stop { kind, pc, block, warp: warp.index, lane, related }
    }
}
