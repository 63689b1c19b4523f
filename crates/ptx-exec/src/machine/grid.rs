//! A grid: the state shared by all blocks, and the scheduling of blocks on host threads.
//!
//! The input is a launch that has been set up ([`Setup`]), the output its results ([`Finished`]). The unit of
//! scheduling is the cluster: one host thread runs it for a slice of instructions, then preempts it or finishes it. The
//! schedule depends on the host, but results that a race-free program can observe do not: output is concatenated in
//! cluster order, and of several traps that of the first cluster is reported.

use std::any::Any;
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::bind::{Bound, bind};
use super::cluster::{Cluster, Progress};
use super::heap::Heap;
use super::launch_control::Queue as OtherQueue;
use super::observe::Observer;
use super::products::Products;
use super::report::trap;
use super::{MOST_RESIDENT_BLOCKS, RESIDENT_BYTES, Stop};
use crate::error::{Trap, TrapKind};
use crate::launch::{Completion, Dim3, Limits};
use crate::memory::{AddressSize, GlobalMemory, Space};
use crate::object::Object;
use crate::program::{AsyncOp, COLUMNS, Effect, LANES, Op, Program, Row, WARP};
use crate::texture::Units;

/// The shape of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// Blocks of the grid.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Blocks of a cluster; the grid extents are multiples of it.
    pub cluster: Dim3,
    /// Whether the launch or the kernel specifies the cluster shape.
    pub is_explicit_cluster: bool,
    /// Bytes of shared memory of a block, including dynamic shared memory.
    pub shared: u32,
    /// Bytes of dynamic shared memory requested by the launch.
    pub dynamic_shared: u32,
}

fn product(dims: Dim3) -> u64 {
    dims.iter().fold(1, |product, &dim| product.saturating_mul(dim.into()))
}

/// The position of linear index `number` in a shape, `x` fastest.
fn unflatten(number: u64, [x, y, _]: Dim3) -> Dim3 {
    let (x, y) = (u64::from(x.max(1)), u64::from(y.max(1)));
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

impl Geometry {
    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        product(self.grid)
    }

    /// Threads of a block.
    pub fn threads(&self) -> usize {
        product(self.block) as usize
    }

    /// Extents of the grid in clusters.
    pub fn cluster_grid(&self) -> Dim3 {
        std::array::from_fn(|axis| self.grid[axis] / self.cluster[axis].max(1))
    }

    /// Number of clusters of the grid.
    pub fn clusters(&self) -> u64 {
        product(self.cluster_grid())
    }

    /// Blocks of a cluster.
    pub fn cluster_size(&self) -> u32 {
        product(self.cluster) as u32
    }

    /// The index of a cluster in the grid of clusters.
    pub fn cluster_index(&self, cluster: u64) -> Dim3 {
        unflatten(cluster, self.cluster_grid())
    }

    /// The index of the block of a given rank in its cluster (manual 10: `%cluster_ctaid`, `%cluster_ctarank`).
    pub fn index_in_cluster(&self, rank: u32) -> Dim3 {
        unflatten(rank.into(), self.cluster)
    }

    /// The index in the grid of the block of a given cluster and rank.
    pub fn block_index(&self, cluster: u64, rank: u32) -> Dim3 {
        let (first, own) = (self.cluster_index(cluster), self.index_in_cluster(rank));
        std::array::from_fn(|axis| first[axis] * self.cluster[axis] + own[axis])
    }

    /// The linear index of a block in the grid, `x` fastest.
    pub fn block_number(&self, [x, y, z]: Dim3) -> u64 {
        let [width, height, _] = self.grid.map(u64::from);
        u64::from(x) + width * (u64::from(y) + height * u64::from(z))
    }

    /// The index of a thread in its block.
    pub fn thread(&self, warp: usize, lane: usize) -> Dim3 {
        unflatten((warp * WARP + lane) as u64, self.block)
    }
}

/// A program with its instructions in the form the inner loop executes, usable for any number of launches.
pub(crate) struct Executable {
    pub(crate) program: Arc<Program>,
    code: Vec<Bound>,
    /// Bytes of tensor memory of a block.
    tensor: usize,
}

impl Executable {
    pub(crate) fn new(program: Program) -> Self {
        let multiplies =
            program.code.iter().any(|inst| matches!(&inst.op, Op::Effect(Effect::Async(AsyncOp::Tensor(_)))));
        let tensor = if multiplies { LANES * COLUMNS * size_of::<u32>() } else { 0 };
        Self { code: bind(&program), program: Arc::new(program), tensor }
    }

    /// Maximum number of started blocks: whole clusters.
    pub(crate) fn resident_blocks(&self, geometry: &Geometry) -> usize {
        let kernel = self.program.functions.get(self.program.entry as usize);
        let of_warp = kernel.map_or(0, |kernel| (kernel.rows as usize * 8 + kernel.local as usize) * WARP);
        let of_block = geometry.threads().div_ceil(WARP) * of_warp + geometry.shared as usize + self.tensor;
        let cluster = geometry.cluster_size().max(1) as usize;
        let blocks = (RESIDENT_BYTES / of_block.max(1)).clamp(16, MOST_RESIDENT_BLOCKS);
        (blocks / cluster).max(1) * cluster
    }
}

/// Everything a launch needs, prepared before the first thread runs.
pub(crate) struct Setup {
    pub(crate) executable: Arc<Executable>,
    pub(crate) geometry: Geometry,
    pub(crate) global: GlobalMemory,
    /// The address of the workspace of a cooperative launch; 0 for other launches.
    pub(crate) workspace: u64,
    /// Textures, samplers and surfaces.
    pub(crate) units: Units,
    pub(crate) constant: Vec<u8>,
    pub(crate) params: Vec<u8>,
    pub(crate) heap: Arc<Mutex<Heap>>,
    /// The variables outside global memory, and whether each is dynamic shared memory.
    pub(crate) variables: Arc<[(Object, bool)]>,
    pub(crate) limits: Limits,
    pub(crate) completion: Completion,
    pub(crate) observer: Option<Arc<Observer>>,
    pub(crate) threads: NonZeroUsize,
    /// An external implementation of matrix products, if any.
    pub(crate) products: Option<&'static dyn Products>,
}

/// A launch being executed by host threads.
pub(super) struct Job {
    setup: Setup,
    /// The constants of the program for the blocks of each rank but the first.
    constants: Vec<Vec<Row>>,
    /// Maximum number of started clusters.
    resident: usize,
    started: Instant,
    deadline: Option<Instant>,
    steps: AtomicU64,
    written: AtomicU64,
    /// The lowest number of a stopped cluster; `u64::MAX` if there is none.
    stopped: AtomicU64,
    queue: Mutex<Queue>,
    /// Signalled when no host thread runs a cluster any more.
    idle: Condvar,
}

impl Job {
    /// A launch with no cluster started yet.
    pub(super) fn new(setup: Setup) -> Self {
        let started = Instant::now();
        let deadline = setup.limits.timeout.and_then(|timeout: Duration| started.checked_add(timeout));
        let size = setup.geometry.cluster_size();
        Self {
            constants: (1..size).map(|rank| setup.executable.program.constants.of_rank(rank)).collect(),
            resident: setup.executable.resident_blocks(&setup.geometry) / size.max(1) as usize,
            setup,
            started,
            deadline,
            steps: AtomicU64::new(0),
            written: AtomicU64::new(0),
            stopped: AtomicU64::new(u64::MAX),
            queue: Mutex::default(),
            idle: Condvar::new(),
        }
    }
}

/// The state visible to all blocks.
pub(super) struct Grid<'p> {
    pub(super) program: &'p Program,
    /// Its instructions in the form the inner loop executes.
    pub(super) code: &'p [Bound],
    /// Its constants for the blocks of each rank.
    constants: Vec<&'p [Row]>,
    pub(super) geometry: Geometry,
    /// The address size.
    pub(super) addresses: AddressSize,
    pub(super) global: GlobalMemory,
    /// The address of the workspace of a cooperative launch; 0 for other launches.
    pub(super) workspace: u64,
    /// Textures, samplers and surfaces.
    pub(super) units: &'p Units,
    pub(super) constant: &'p [u8],
    pub(super) params: &'p [u8],
    pub(super) heap: &'p Mutex<Heap>,
    pub(super) completion: Completion,
    pub(super) observer: Option<&'p Observer>,
    /// An external implementation of matrix products, if any.
    pub(super) products: Option<&'static dyn Products>,
    /// The queue of clusters that have not started, if another engine starts them.
    pub(super) clusters: Option<&'p dyn OtherQueue>,
    job: &'p Job,
}

impl<'p> Grid<'p> {
    pub(super) fn of(job: &'p Job) -> Self {
        let setup = &job.setup;
        Self {
            program: &setup.executable.program,
            code: &setup.executable.code,
            constants: std::iter::once(setup.executable.program.constants.rows())
                .chain(job.constants.iter().map(Vec::as_slice))
                .collect(),
            geometry: setup.geometry,
            addresses: setup.executable.program.address_size,
            global: setup.global.clone(),
            workspace: setup.workspace,
            units: &setup.units,
            constant: &setup.constant,
            params: &setup.params,
            heap: &setup.heap,
            completion: setup.completion,
            observer: setup.observer.as_deref(),
            products: setup.products,
            clusters: None,
            job,
        }
    }
}

impl Grid<'_> {
    /// The constants of the program for the block of a rank.
    #[inline]
    pub(super) fn constants(&self, rank: u32) -> &[Row] {
        self.constants[rank as usize]
    }

    /// Counts instructions of a cluster; an error if a limit is reached.
    ///
    /// Once a cluster has been stopped, later clusters are cancelled. Earlier ones run on, since they may be stopped
    /// too: then the first one is reported, regardless of the order in which host threads ran them.
    pub(super) fn spend(&self, cluster: u64, steps: u64) -> Result<(), TrapKind> {
        let before = self.job.steps.fetch_add(steps, Ordering::Relaxed);
        let late = self.job.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || self.job.stopped.load(Ordering::Relaxed) < cluster {
            return Err(TrapKind::Timeout);
        }
        match self.job.setup.limits.steps {
            Some(limit) if before + steps > limit => Err(TrapKind::Steps),
            _ => Ok(()),
        }
    }

    /// Counts bytes of output; an error if the limit is exceeded.
    pub(super) fn write_output(&self, bytes: u64) -> Result<(), TrapKind> {
        let before = self.job.written.fetch_add(bytes, Ordering::Relaxed);
        if before + bytes > self.job.setup.limits.output as u64 { Err(TrapKind::Output) } else { Ok(()) }
    }

    /// Stack limit of a thread in bytes.
    pub(super) fn stack_limit(&self) -> usize {
        self.job.setup.limits.stack
    }

    /// Takes a cluster that has not started, which then never starts; returns its number.
    pub(super) fn take_cluster(&self) -> Option<u64> {
        if let Some(clusters) = self.clusters {
            return clusters.take();
        }
        // The cluster counts neither as started nor as running: the thread that takes it never runs it.
        let mut queue = lock(&self.job.queue);
        let number = queue.next;
        (number < self.geometry.clusters()).then(|| {
            queue.next += 1;
            number
        })
    }

    /// The observer, if it counts instruction costs.
    pub(super) fn counting(&self) -> Option<&Observer> {
        self.observer.filter(|observer| observer.is_counting())
    }

    /// Nanoseconds since the launch began.
    pub(super) fn nanoseconds(&self) -> u64 {
        self.job.started.elapsed().as_nanos() as u64
    }

    /// The shared-memory variable that contains an address, and the offset in it.
    pub(super) fn shared_variable(&self, address: u64) -> Option<String> {
        let is_before = |object: &&Object| object.space == Space::Shared && object.address <= address;
        let variables = self.job.setup.variables.iter().map(|(object, _)| object).filter(is_before);
        let found = variables.max_by_key(|object| (object.address, object.bytes, &object.name))?;
        Some(match address - found.address {
            0 => found.name.clone(),
            offset => format!("offset {offset} of {}", found.name),
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

/// Runs all blocks.
///
/// The calling thread works itself; pool threads join it as they become available. It never waits for a pool thread
/// that has not begun, so that any number of launches that wait for each other make progress.
pub(crate) fn run(setup: Setup) -> Finished {
    // More host threads than clusters would be idle.
    let threads = (setup.threads.get() as u64).min(setup.geometry.clusters()).max(1);
    let job = Arc::new(Job::new(setup));
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
        work(&job);
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
    let result = match queue.failure.take() {
        Some((cluster, stop)) => {
            let Setup { executable, geometry, .. } = &job.setup;
            let rank = stop.warp.unwrap_or_default().rank;
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
    let grid = Grid::of(job);
    // Register memory is recycled: freed memory would be faulted in again page by page.
    let mut spare = Vec::new();
    while let Some(next) = take(&grid) {
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
                job.stopped.fetch_min(number, Ordering::Relaxed);
                if queue.failure.as_ref().is_none_or(|(first, ..)| number < *first) {
                    queue.failure = Some((number, stop));
                }
            }
            Err(payload) => {
                job.stopped.store(0, Ordering::Relaxed);
                queue.panicked = Some(payload);
            }
        }
        if queue.running == 0 {
            job.idle.notify_all();
        }
    }
}

/// The next cluster to run: a new one if the limit of started clusters allows it, else the one that has waited longest.
fn take(grid: &Grid<'_>) -> Option<Next> {
    let mut queue = lock(&grid.job.queue);
    if queue.is_over() {
        return None;
    }
    // New clusters first, as far as memory allows: clusters that wait for each other, as in a cooperative launch, must all be started.
    if queue.next < grid.geometry.clusters() && queue.started < grid.job.resident {
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

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Geometry = Geometry {
        grid: [1; 3],
        block: [1; 3],
        cluster: [1; 3],
        is_explicit_cluster: false,
        shared: 0,
        dynamic_shared: 0,
    };

    #[test]
    fn threads_are_numbered_x_first() {
        let geometry = Geometry { grid: [2, 3, 4], block: [5, 4, 3], ..NOTHING };
        assert_eq!(geometry.thread(1, 3), [0, 3, 1], "thread 35 = 0 + 3 * 5 + 1 * 20");
        assert_eq!(geometry.block_index(23, 0), [1, 2, 3]);
        assert_eq!((geometry.threads(), geometry.blocks()), (60, 24));
    }

    #[test]
    fn blocks_are_numbered_by_cluster_and_rank() {
        let geometry = Geometry { grid: [6, 4, 3], cluster: [2, 2, 1], ..NOTHING };
        assert_eq!((geometry.clusters(), geometry.cluster_size()), (18, 4));
        // Cluster 7 = 1 + 0 * 3 + 1 * 6; rank 3 = 1 + 1 * 2.
        assert_eq!(geometry.cluster_index(7), [1, 0, 1]);
        assert_eq!(geometry.index_in_cluster(3), [1, 1, 0]);
        assert_eq!(geometry.block_index(7, 3), [3, 1, 1]);
        assert_eq!(geometry.block_number([3, 1, 1]), 3 + 6 + 24);
    }
}
