//! Executes single instructions of a cluster on behalf of another engine, which executes the rest itself.
//!
//! The other engine has its own threads and schedules them. The instructions it requests are executed by this crate, on
//! the launch's global memory and on blocks that are kept here: their shared memory, which the engine accesses too,
//! their barriers and their tensor memory. Operands and results are rows of the warp's only frame. A warp has one group
//! of threads: those that reach the instruction.

mod singly;

use std::sync::Arc;

use ptx_program::{Mask, Program, Row, WARP, lanes};

use self::singly::Singly;
use super::at::Place;
use super::cluster::{Cluster, TURN};
use super::executable::Executable;
use super::geometry::WarpId;
use super::grid::{Grid, Launched};
use super::mbarrier_object::Question;
use super::products::Products;
use super::queue::Queue;
use super::setup::Setup;
use super::step::{execute_alone, run};
use super::stop::Stop;
use super::warp::{Fragment, State, Warp};
use super::watch::Watch;
use crate::engine::Stop as EngineStop;
use crate::error::TrapKind;

/// A program whose instructions can be executed individually.
#[derive(Clone)]
pub struct Instructions(Arc<Executable>);

impl Instructions {
    /// Prepares the instructions of a program.
    pub fn new(program: &Program) -> Self {
        Self(Arc::new(Executable::new(program.clone())))
    }
}

impl std::fmt::Debug for Instructions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Instructions").field(&self.0.program.kernel().name).finish()
    }
}

/// A launch whose instructions can be executed individually.
pub struct Assistant {
    launched: Launched,
}

impl Assistant {
    /// For a launch that was set up for the program from which this one was derived.
    pub fn new(setup: Arc<Setup>, instructions: &Instructions) -> Self {
        Self { launched: Launched::new(setup, instructions.0.clone()) }
    }
}

impl std::fmt::Debug for Assistant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Assistant").finish_non_exhaustive()
    }
}

/// State of threads after they executed an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Complete.
    Done,
    /// The threads wait until [`AssistedCluster::is_ready`]; the instruction is then complete.
    Waits,
    /// The threads wait until [`AssistedCluster::is_ready`], and then must re-execute the instruction.
    Again,
    /// Complete: one of the threads queried an mbarrier phase that is not complete.
    InVain,
}

/// State of an interpreted warp after its time slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Run {
    /// All of its threads have exited.
    Ended,
    /// It can continue.
    Goes,
    /// Each of its threads waits, or polls an mbarrier with the same query forever, until another warp acts.
    Stuck,
}

/// The position of threads that reach an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threads {
    /// The rank of their block in its cluster.
    pub rank: u32,
    /// Their warp in the block.
    pub warp: usize,
    /// The instruction.
    pub pc: u32,
    /// The threads that reach it.
    pub mask: Mask,
    /// Those whose guard is true.
    pub active: Mask,
}

/// A cluster whose warps are run by another engine.
pub struct AssistedCluster<'a> {
    grid: Grid<'a>,
    cluster: Cluster,
    /// For each warp of each block the threads that came to barriers one by one; empty until some do.
    singly: Vec<Vec<Singly>>,
}

impl std::fmt::Debug for AssistedCluster<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AssistedCluster").field("number", &self.cluster.number).finish_non_exhaustive()
    }
}

impl<'a> AssistedCluster<'a> {
    /// Starts a cluster of the launch, by its number. `products` computes the matrix products it supports, `clusters`
    /// contains the clusters that the other engine has not started; `spare` is register memory of a finished cluster.
    pub fn new(
        assistant: &'a Assistant,
        number: u64,
        products: &'static dyn Products,
        clusters: &'a dyn Queue,
        spare: &mut Vec<Vec<Row>>,
    ) -> Self {
        let mut grid = Grid::of(&assistant.launched, clusters);
        (grid.products, grid.is_assisted) = (Some(products), true);
        let cluster = Cluster::new(&grid, number, spare);
        Self { grid, cluster, singly: Vec::new() }
    }

    /// The register memory, for reuse by the next cluster.
    pub fn into_spare(mut self) -> Vec<Vec<Row>> {
        self.cluster.take_rows()
    }

    /// The shared memory of the block of a rank. Its address is stable for the lifetime of the cluster.
    pub fn shared(&mut self, rank: u32) -> &mut [u8] {
        self.cluster.running.become_block(rank);
        &mut self.cluster.running.shared
    }

    /// The register rows of a warp, which contain operands and results. Their address is stable for the lifetime of the cluster.
    /// `None` if the cluster has no such warp.
    pub fn rows(&mut self, rank: u32, warp: usize) -> Option<&mut [Row]> {
        let frame = self.warp(rank, warp)?.frames.first_mut()?;
        Some(&mut frame.rows)
    }

    fn warp(&mut self, rank: u32, warp: usize) -> Option<&mut Warp> {
        self.cluster.warps.get_mut(rank as usize)?.get_mut(warp)
    }

    /// Whether no group of a warp waits.
    pub fn is_ready(&self, rank: u32, warp: usize) -> bool {
        let warp = self.cluster.warps.get(rank as usize).and_then(|warps| warps.get(warp));
        warp.is_some_and(|warp| warp.fragments.iter().all(|group| group.state == State::Ready))
    }

    /// Hands the threads of a warp over to the interpreter ([`Self::run_warp`]): `live` are those that have not exited,
    /// `places` contains the next instruction of each, and `local` returns the local memory of a thread. Their
    /// registers are in [`Self::rows`]; they have neither called a function nor allocated stack memory.
    pub fn take_over(
        &mut self,
        (rank, index): (u32, usize),
        places: &[u32; WARP],
        live: Mask,
        local: impl Fn(usize, usize) -> u8,
    ) {
        self.come(&Threads { rank, warp: index, pc: 0, mask: 0, active: 0 }, live);
        if let Some(warp) = self.warp(rank, index) {
            warp.fragments.clear();
        }
        let kept = self.keep_at_barriers(rank, index);
        let Some(warp) = self.warp(rank, index) else { return };
        for lane in lanes(live & !kept) {
            match warp.fragments.iter_mut().find(|group| group.pc == places[lane]) {
                Some(group) => group.mask |= 1 << lane,
                None => {
                    let (pc, mask) = (places[lane], 1 << lane);
                    warp.fragments.push(Fragment {
                        pc,
                        frame: 0,
                        mask,
                        state: State::Ready,
                        ran: 0,
                        rejoin: None,
                    });
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

    /// Whether any thread of a taken-over warp can run.
    pub fn can_run(&self, rank: u32, warp: usize) -> bool {
        let warp = self.cluster.warps.get(rank as usize).and_then(|warps| warps.get(warp));
        warp.is_some_and(Warp::is_ready)
    }

    /// Runs a taken-over warp for a time slice; returns its state, and whether it did something that others may wait for.
    ///
    /// # Errors
    /// The trap that stops one of its threads.
    pub fn run_warp(&mut self, rank: u32, index: usize) -> Result<(Run, bool), EngineStop> {
        self.cluster.running.become_block(rank);
        let Cluster { running, warps, .. } = &mut self.cluster;
        let before = running.cluster.disturbances;
        let Some(warp) = warps.get_mut(rank as usize).and_then(|warps| warps.get_mut(index)) else {
            return Ok((Run::Ended, false));
        };
        let ran = run(warp, &self.grid, running, TURN);
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

    /// The position of the first group of threads of a taken-over warp.
    pub fn first_group(&self, rank: u32, warp: usize) -> Option<(u32, Mask)> {
        let group = self.cluster.warps.get(rank as usize)?.get(warp)?.fragments.first()?;
        Some((group.pc, group.mask))
    }

    /// Executes an instruction other than a branch or call. `live` are the threads of the warp that have not exited.
    ///
    /// # Errors
    /// The trap that stops one of the threads.
    pub fn execute(&mut self, threads: &Threads, live: Mask) -> Result<Outcome, EngineStop> {
        self.come(threads, live);
        let &Threads { rank, warp: index, pc, active, .. } = threads;
        let Cluster { running, warps, .. } = &mut self.cluster;
        let Some(warp) = warps.get_mut(rank as usize).and_then(|warps| warps.get_mut(index)) else {
            return Ok(Outcome::Done);
        };
        let done = execute_alone(warp, &self.grid, running, Place { pc, active });
        let asked = std::mem::take(&mut warp.asked);
        // Rebuilt field by field: copying what the caller has just written in parts would stall on store forwarding.
        done.map_err(|stop| self.stop(stop, Threads { rank, warp: index, pc, mask: 0, active }))?;
        self.wake();
        let Some(warp) = self.warp(rank, index) else { return Ok(Outcome::Done) };
        Ok(match warp.fragments.iter().find(|group| group.state != State::Ready) {
            Some(group) if group.pc == pc => Outcome::Again,
            Some(_) => Outcome::Waits,
            None if asked => Outcome::InVain,
            None => Outcome::Done,
        })
    }

    /// The last query of the lanes of a warp, if all of them made the same one unsuccessfully.
    pub fn question(&self, rank: u32, warp: usize) -> Option<Question> {
        self.cluster.warps.get(rank as usize)?.get(warp)?.question
    }

    /// Whether the result of a query has changed.
    pub fn is_answered(&self, question: Question) -> bool {
        question.is_answered(&self.cluster.running)
    }

    /// Makes the threads the only group of their warp.
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
        warp.fragments.push(Fragment { pc, frame: 0, mask, state: State::Ready, ran: 0, rejoin: None });
    }

    /// Records that all threads of a warp have exited.
    pub fn exited(&mut self, rank: u32, warp: usize) {
        self.cluster.running.become_block(rank);
        if let Some(warp) = self.warp(rank, warp) {
            (warp.live, warp.watch) = (0, None);
            warp.fragments.clear();
        }
        self.cluster.running.exited(warp, 0);
        self.wake();
    }

    /// Resumes the threads that wait for an event that has occurred.
    fn wake(&mut self) {
        let Cluster { running, warps, .. } = &mut self.cluster;
        if std::mem::take(&mut running.wake)
            && let Some(warps) = warps.get_mut(running.rank as usize)
        {
            warps.iter_mut().for_each(|warp| warp.wake(&running.barriers));
            let singly = self.singly.get_mut(running.rank as usize);
            singly.into_iter().flatten().for_each(|singly| singly.wake(&running.barriers));
        }
        if std::mem::take(&mut running.cluster.wake) {
            let phase = running.cluster.barrier.phase;
            warps.iter_mut().flatten().for_each(|warp| warp.wake_cluster(phase));
            self.singly.iter_mut().flatten().for_each(|singly| singly.wake_cluster(phase));
        }
    }

    /// Ends the cluster after all its threads have exited.
    ///
    /// # Errors
    /// A resource that should have been freed.
    pub fn end(&mut self) -> Result<(), EngineStop> {
        let nowhere = Threads { rank: 0, warp: 0, pc: 0, mask: 0, active: 0 };
        self.cluster.end().map(|_| ()).map_err(|stop| self.stop(stop, nowhere))
    }

    /// The stop for a deadlock: all threads wait, except those in `asking`, which poll the same mbarrier forever at the given places.
    pub fn deadlock(&mut self, asking: &[(Threads, Mask)]) -> EngineStop {
        let mut first = None;
        for &(threads, live) in asking {
            if let Some(warp) = self.warp(threads.rank, threads.warp) {
                warp.watch = Some(Box::<Watch>::default());
            }
            // Threads that repeat a query with the same registers are stuck.
            for _ in 0..2 {
                let asked = self.execute(&threads, live);
                first = first.or(asked.err());
            }
            self.place(threads);
        }
        if let Some(stop) = first {
            return stop;
        }
        self.show_waiting();
        let stop = self.cluster.deadlock(&self.grid);
        let nowhere = Threads { rank: 0, warp: 0, pc: 0, mask: 0, active: 0 };
        self.stop(stop, nowhere)
    }

    /// The stop for a reached limit, with the positions of the threads; `running` are those that do not wait.
    pub fn out_of_time(&mut self, kind: TrapKind, running: Threads) -> EngineStop {
        self.place(running);
        self.show_waiting();
        let id = WarpId { rank: running.rank, index: running.warp };
        let stop = self.cluster.out_of_time(&self.grid, id, kind);
        self.stop(stop, running)
    }

    /// Records the position of threads.
    fn place(&mut self, threads: Threads) {
        let Threads { rank, warp, pc, mask, .. } = threads;
        if let Some(warp) = self.warp(rank, warp) {
            warp.fragments.clear();
            warp.fragments.push(Fragment { pc, frame: 0, mask, state: State::Ready, ran: 0, rejoin: None });
        }
    }

    fn stop(&self, stop: Stop, threads: Threads) -> EngineStop {
        let Stop { kind, pc, lane, warp, related, .. } = stop;
        let warp = warp.unwrap_or(WarpId { rank: threads.rank, index: threads.warp });
        let block = self.grid.geometry.block_index(self.cluster.number, warp.rank);
        EngineStop { kind, pc, block, warp: warp.index, lane, related }
    }
}
