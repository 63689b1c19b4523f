//! Schedules the blocks of a launch on host threads.
//!
//! The input is a launch that has been set up ([`Setup`]), the output its results ([`Finished`]). The unit of
//! scheduling is the cluster: one host thread runs it for a slice of instructions, then preempts it or finishes it. The
//! schedule depends on the host, but results that a race-free program can observe do not: output is concatenated in
//! cluster order, and of several traps that of the first cluster is reported.

use std::any::Any;
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::cluster::{Cluster, Progress};
use super::grid::{Grid, Launched};
use super::queue::Queue as Unstarted;
use super::report::trap;
use super::setup::Setup;
use super::stop::Stop;
use crate::error::Trap;

/// A launch being executed by host threads.
struct Job {
    launched: Launched,
    /// Maximum number of started clusters.
    resident: usize,
    queue: Mutex<Queue>,
    /// Signalled when no host thread runs a cluster any more.
    idle: Condvar,
}

impl Job {
    /// A launch with no cluster started yet.
    fn new(setup: Arc<Setup>) -> Self {
        let (size, executable) = (setup.geometry.cluster_size(), setup.executable.clone());
        Self {
            resident: executable.resident_blocks(&setup.geometry) / size.max(1) as usize,
            launched: Launched::new(setup, executable),
            queue: Mutex::default(),
            idle: Condvar::new(),
        }
    }
}

impl Unstarted for Job {
    fn take(&self) -> Option<u64> {
        // The cluster counts neither as started nor as running: the thread that takes it never runs it.
        let mut queue = lock(&self.queue);
        let number = queue.next;
        (number < self.launched.setup.geometry.clusters()).then(|| {
            queue.next += 1;
            number
        })
    }
}

/// Results of a launch.
pub(crate) struct Finished {
    /// The error of the first of the stopped clusters, if any.
    pub(crate) result: Result<(), Box<Trap>>,
    /// The output of all blocks, including stopped ones.
    pub(crate) output: Vec<u8>,
    /// Instructions executed by warps and by threads.
    pub(crate) executed: [u64; 2],
}

/// Clusters waiting for a host thread, and the results of finished ones.
#[derive(Default)]
struct Queue {
    next: u64,
    /// Clusters that were started and preempted.
    waiting: VecDeque<Cluster>,
    /// Number of clusters that were started and are not finished.
    started: usize,
    /// Number of clusters that host threads are running.
    running: usize,
    output: Vec<(u64, Vec<u8>)>,
    executed: [u64; 2],
    failure: Option<(u64, Stop)>,
    /// The payload of a host thread's panic.
    panicked: Option<Box<dyn Any + Send>>,
}

impl Queue {
    /// Whether no further cluster is to run.
    fn is_over(&self) -> bool {
        self.failure.is_some() || self.panicked.is_some()
    }

    fn keep_output(&mut self, mut cluster: Cluster) {
        self.output.extend(cluster.take_output());
    }
}

/// A launch that has not begun, or that other threads watch while [`Running::run`] executes it.
pub(crate) struct Running {
    job: Arc<Job>,
}

/// A launch that the interpreter executes, for an engine that takes clusters from it.
#[derive(Clone)]
pub struct Relay {
    job: Arc<Job>,
}

impl Relay {
    /// Takes all clusters that have not started, which the interpreter then never starts. They are the last ones of the
    /// grid. There are none once a thread was stopped.
    pub fn take_rest(&self) -> Range<u64> {
        let clusters = self.job.launched.setup.geometry.clusters();
        let mut queue = lock(&self.job.queue);
        if queue.is_over() {
            return clusters..clusters;
        }
        let first = std::mem::replace(&mut queue.next, clusters);
        first..clusters
    }

    /// Stops the launch: its results are not needed.
    pub fn abandon(&self) {
        self.job.launched.is_abandoned.store(true, Ordering::Relaxed);
    }

    /// Clusters that have been started so far, by the interpreter or another engine.
    pub fn started(&self) -> u64 {
        lock(&self.job.queue).next
    }

    /// Instructions that warps have executed so far.
    pub fn steps(&self) -> u64 {
        self.job.launched.steps()
    }
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relay").field("steps", &self.steps()).finish_non_exhaustive()
    }
}

impl Running {
    pub(crate) fn new(setup: Arc<Setup>) -> Self {
        Self { job: Arc::new(Job::new(setup)) }
    }

    pub(crate) fn relay(&self) -> Relay {
        Relay { job: self.job.clone() }
    }

    /// Has a function called once by a thread that executes the launch, as soon as this many instructions of warps have
    /// been executed.
    pub(crate) fn notify_at(&self, steps: u64, notice: impl FnOnce() + Send + 'static) {
        self.job.launched.notify_at(steps, Box::new(notice));
    }

    /// Runs all blocks that no other engine takes.
    pub(crate) fn run(self) -> Finished {
        let finished = run(&self.job);
        // It may refer to the job.
        *self.job.launched.notice.lock().unwrap_or_else(PoisonError::into_inner) = None;
        finished
    }
}

/// Runs all blocks.
///
/// The calling thread works itself; pool threads join it as they become available. It never waits for a pool thread
/// that has not begun, so that any number of launches that wait for each other make progress.
fn run(job: &Arc<Job>) -> Finished {
    // More host threads than clusters would be idle.
    let Setup { threads, geometry, .. } = &*job.launched.setup;
    let threads = (threads.get() as u64).min(geometry.clusters()).max(1);
    // If the host refuses threads, the calling thread does all the work.
    // A launch that needs only its own thread does not start the pool.
    if threads > 1
        && let Some(pool) = pool()
    {
        for _ in 1..threads.min(pool.current_num_threads() as u64 + 1) {
            let job = job.clone();
            pool.spawn(move || work(&job));
        }
    }
    let mut queue = loop {
        work(job);
        let mut queue = lock(&job.queue);
        // Other threads still run clusters, each of which may be preempted; then this thread continues. A pool thread
        // that has not begun yet is not waited for: it will find nothing to do, and the pool may be busy with launches
        // that wait for this one.
        if queue.running > 0 {
            queue = job.idle.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        if queue.running == 0 && (queue.waiting.is_empty() || queue.is_over()) {
            break queue;
        }
    };
    if let Some(payload) = queue.panicked.take() {
        drop(queue);
        resume_unwind(payload);
    }
    // After a failure, these are not continued, but what they have printed was printed before it.
    for cluster in std::mem::take(&mut queue.waiting) {
        queue.keep_output(cluster);
    }
    let result = match queue.failure.take() {
        Some((cluster, stop)) => {
            let Setup { executable, geometry, .. } = &*job.launched.setup;
            let rank = stop.warp().rank;
            Err(Box::new(trap(&executable.program, geometry, geometry.block_index(cluster, rank), stop)))
        }
        None => Ok(()),
    };
    queue.output.sort_by_key(|(number, _)| *number);
    let output = std::mem::take(&mut queue.output).into_iter().flat_map(|(_, text)| text).collect();
    Finished { result, output, executed: queue.executed }
}

/// The thread pool shared by launches, with as many threads as the host can run in parallel.
pub(crate) fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let make = || {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN).get();
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        builder.thread_name(|index| format!("ptx-exec {index}")).build().ok()
    };
    POOL.get_or_init(make).as_ref()
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    // A panic elsewhere leaves the queue consistent; it is never modified halfway.
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next cluster for a host thread.
enum Next {
    /// A cluster that has not been started, with this number.
    New(u64),
    Waiting(Box<Cluster>),
}

/// Runs clusters until none is left.
fn work(job: &Job) {
    let grid = Grid::of(&job.launched, job);
    // Register memory is recycled: freed memory would be faulted in again page by page.
    let mut spare = Vec::new();
    while let Some(next) = take(job) {
        let run = || {
            let mut cluster = match next {
                Next::New(number) => Cluster::new(&grid, number, &mut spare),
                Next::Waiting(cluster) => *cluster,
            };
            let progress = cluster.run(&grid);
            (cluster, progress)
        };
        let mut result = catch_unwind(AssertUnwindSafe(run));
        if let Ok((cluster, Ok(Progress::Done))) = &mut result {
            spare = cluster.take_rows();
        }
        let mut queue = lock(&job.queue);
        queue.running -= 1;
        match result {
            Ok((cluster, Ok(Progress::Unfinished))) => queue.waiting.push_back(cluster),
            Ok((cluster, Ok(Progress::Done))) => {
                queue.started -= 1;
                for (sum, part) in queue.executed.iter_mut().zip(cluster.executed) {
                    *sum += part;
                }
                queue.keep_output(cluster);
            }
            // Later clusters are cancelled at their next check (`Grid::spend`). Earlier ones run on, since one of them
            // may trap too, which takes precedence.
            Ok((cluster, Err(stop))) => {
                let number = cluster.number;
                queue.keep_output(cluster);
                job.launched.stopped.fetch_min(number, Ordering::Relaxed);
                if queue.failure.as_ref().is_none_or(|(first, ..)| number < *first) {
                    queue.failure = Some((number, stop));
                }
            }
            Err(payload) => {
                job.launched.stopped.store(0, Ordering::Relaxed);
                queue.panicked = Some(payload);
            }
        }
        if queue.running == 0 {
            job.idle.notify_all();
        }
    }
}

/// The next cluster to run: a new one if the limit of started clusters allows it, else the one that has waited longest.
fn take(job: &Job) -> Option<Next> {
    let mut queue = lock(&job.queue);
    if queue.is_over() {
        return None;
    }
    // New clusters first, as far as memory allows: clusters that wait for each other, as in a cooperative launch, must all be started.
    if queue.next < job.launched.setup.geometry.clusters() && queue.started < job.resident {
        let number = queue.next;
        queue.next += 1;
        queue.started += 1;
        queue.running += 1;
        return Some(Next::New(number));
    }
    let cluster = queue.waiting.pop_front()?;
    queue.running += 1;
    Some(Next::Waiting(Box::new(cluster)))
}
