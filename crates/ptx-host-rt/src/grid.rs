//! A launch, and the scheduling of its blocks on host threads.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ptx_exec::engine::{Assistant, Queue, Stop, System, pool};
use ptx_exec::program::{Effect, Op, Program, Row};
use ptx_exec::{Geometry, TrapKind};

use super::barrier::WARPS;
use super::block::{Block, Progress, lanes_of, run_in_turn, run_on_fibres};
use super::check::Known;
use super::effect::Effects;
use super::fibre::Fibres;
use super::frame::{RUNTIME, WarpFrame};
use super::heavy::ClusterResources;
use super::{patient, watch};

/// The inputs of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The compiled program.
    pub program: &'a Program,
    /// The shape of the launch: its block shape is the one the kernel was compiled for, and clusters have one block
    /// unless the code [is heavy](Compiled::is_heavy).
    pub geometry: Geometry,
    /// The parameter space.
    pub params: &'a [u8],
    /// The constant memory.
    pub constant: &'a [u8],
    /// Time limit; `None` for no limit.
    pub timeout: Option<Duration>,
    /// Host threads that blocks are spread over.
    pub threads: usize,
    /// The address of the memory with which the blocks of a cooperative launch synchronize; 0 for other launches.
    pub workspace: u64,
    /// The provider of builtin functions, if any.
    pub system: Option<&'a System>,
    /// The instructions of the program executed by the runtime, if any.
    pub effects: Option<&'a Effects>,
    /// Executes the instructions that code leaves to the interpreter's runtime; only needed for kernels with such instructions.
    pub assistant: Option<&'a Assistant>,
}

/// The function of a warp.
pub type WarpCode = unsafe extern "C" fn(*mut WarpFrame) -> i32;

/// Properties of the code of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Compiled {
    /// The function of a warp, or of all warps of a block.
    pub code: WarpCode,
    /// Whether its warps wait for each other, so that each needs a separate stack.
    pub waits: bool,
    /// Whether its warps may poll for others in loops, where they yield.
    pub is_patient: bool,
    /// Whether its function runs all warps of a block.
    pub runs_blocks: bool,
    /// Whether the interpreter's runtime executes some of its instructions, so that the warps of a cluster are scheduled together.
    pub is_heavy: bool,
    /// Maximum stack use of the function in bytes, including its callees.
    pub stack: usize,
    /// Number of checked runs of bytes in its code; 0 if it checks none.
    pub sites: usize,
}

/// The state of a host thread that works on a launch.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Worker {
    /// Nonzero when its current block is to terminate.
    attention: AtomicU32,
    /// The number of the first block of its current range. It is monotonic, except when the thread switches between blocks that it has started.
    block: AtomicU64,
}

impl Worker {
    /// Resumes a started block; returns whether it is still needed.
    pub(super) fn turn_to(&self, job: &Job, number: u64) -> bool {
        self.block.store(number, Ordering::SeqCst);
        // The request to terminate was for another block.
        self.attention.store(0, Ordering::SeqCst);
        let is_needed = job.failed.load(Ordering::SeqCst) > number;
        if job.late.load(Ordering::SeqCst) || !is_needed {
            self.attention.store(1, Ordering::SeqCst);
        }
        is_needed
    }
}

/// A launch being executed by host threads.
///
/// It points to the inputs of the launch, which are alive as long as [`launch`] waits: until no worker runs a block and
/// none is left. Workers that come later notice that, and access nothing else.
#[derive(Debug)]
pub(crate) struct Job {
    compiled: Compiled,
    /// Executes the instructions that code leaves to the interpreter's runtime.
    assistant: *const Assistant,
    program: *const Program,
    params: *const u8,
    pub(super) param_bytes: u64,
    constant: *const u8,
    pub(super) constant_bytes: u64,
    constants: *const Row,
    system: *const System,
    effects: *const Effects,
    pub(crate) geometry: Geometry,
    /// The address of the workspace of a cooperative launch; 0 for other launches.
    pub(crate) workspace: u64,
    workers: Box<[Worker]>,
    started: Instant,
    pub(super) deadline: Option<Instant>,
    late: AtomicBool,
    /// The lowest number of a stopped block; `u64::MAX` if there is none.
    failed: AtomicU64,
    queue: Mutex<Blocks>,
    /// Signalled when no worker runs a block any more.
    idle: Condvar,
}

// SAFETY: its pointees are only read, and alive while they are used (see above).
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

#[derive(Debug, Default)]
struct Blocks {
    /// The next block that no worker has taken.
    next: u64,
    /// Number of workers that run blocks.
    running: usize,
    failure: Option<(u64, Box<Stop>)>,
    panicked: Option<Box<dyn Any + Send>>,
}

/// Clusters that are cancelled by other clusters, which do their work.
impl Queue for Job {
    fn take(&self) -> Option<u64> {
        self.take_another()
    }
}

impl Job {
    pub(crate) fn code(&self) -> WarpCode {
        self.compiled.code
    }

    /// Maximum stack use of a warp in bytes.
    pub(super) fn stack(&self) -> usize {
        self.compiled.stack
    }

    /// Number of work units: blocks, or clusters if the warps of a cluster are scheduled together.
    fn units(&self) -> u64 {
        if self.compiled.is_heavy { self.geometry.clusters() } else { self.geometry.blocks() }
    }

    /// Number of sites of its code.
    pub(super) fn sites(&self) -> usize {
        self.compiled.sites
    }

    /// The provider of builtin functions.
    pub(super) fn system(&self) -> Option<&System> {
        // SAFETY: what the launch was given is alive while blocks run.
        unsafe { self.system.as_ref() }
    }

    /// The instructions executed by the runtime.
    pub(super) fn effects(&self) -> Option<&Effects> {
        // SAFETY: what the launch was given is alive while blocks run.
        unsafe { self.effects.as_ref() }
    }

    /// The trap of an instruction that stops a thread, given its operand.
    pub(crate) fn trap_at(&self, pc: u32, detail: u64) -> TrapKind {
        // SAFETY: the program is alive while blocks run.
        let inst = unsafe { self.program.as_ref() }.and_then(|program| program.code.get(pc as usize));
        match inst.map(|inst| &inst.op) {
            Some(Op::Effect(Effect::Breakpoint)) => TrapKind::Breakpoint,
            Some(Op::Effect(Effect::BranchIndexed { .. })) => TrapKind::BranchIndex(detail),
            _ => TrapKind::Trap,
        }
    }

    /// Nanoseconds since the launch began.
    pub(crate) fn nanoseconds(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    /// Whether the launch has failed.
    pub(super) fn is_over(&self) -> bool {
        let queue = self.lock();
        queue.failure.is_some() || queue.panicked.is_some()
    }

    /// Takes the next block for a worker that still has blocks; returns its number, if there is one.
    pub(super) fn take_another(&self) -> Option<u64> {
        let taken = self.take()?;
        self.leave(None);
        Some(taken.start)
    }

    /// Records that a block was stopped, unless it was told to terminate because an earlier one failed.
    pub(super) fn stopped(&self, number: u64, stop: Stop) {
        let is_told = stop.kind == TrapKind::Timeout && !self.late.load(Ordering::SeqCst);
        if !is_told {
            self.fail(number, stop);
        }
    }

    /// Maximum number of host threads that work on it.
    pub(super) fn workers(&self) -> usize {
        self.workers.len()
    }

    fn lock(&self) -> MutexGuard<'_, Blocks> {
        // A panic elsewhere leaves the queue consistent; it is never modified halfway.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles expiry of the time limit: tells all workers to terminate.
    pub(super) fn expire(&self) {
        self.late.store(true, Ordering::SeqCst);
        self.workers.iter().for_each(|worker| worker.attention.store(1, Ordering::SeqCst));
    }

    /// Records that a block was stopped: later blocks are not needed any more. Earlier ones continue, since they may be
    /// stopped too: the first one is reported, regardless of the order in which host threads ran them.
    fn fail(&self, number: u64, stop: Stop) {
        let mut queue = self.lock();
        if queue.failure.as_ref().is_none_or(|(first, _)| number < *first) {
            queue.failure = Some((number, Box::new(stop)));
        }
        drop(queue);
        self.failed.fetch_min(number, Ordering::SeqCst);
        for worker in &self.workers {
            if worker.block.load(Ordering::SeqCst) > number {
                worker.attention.store(1, Ordering::SeqCst);
            }
        }
    }

    /// Takes the next blocks for a worker: fewer at a time towards the end, so that all workers finish at about the same time.
    fn take(&self) -> Option<std::ops::Range<u64>> {
        /// Maximum number of blocks taken at once: empty blocks finish in well under a millisecond.
        const MOST: u64 = 4096;
        let blocks = self.units();
        let mut queue = self.lock();
        if queue.next >= blocks || queue.failure.is_some() || queue.panicked.is_some() {
            return None;
        }
        // Blocks that wait for each other are started in order. Clusters may cancel others that no worker has taken, and are long-running anyway.
        let most = if self.compiled.is_patient || self.compiled.is_heavy { 1 } else { MOST };
        let share = (blocks - queue.next) / (4 * self.workers.len() as u64);
        let first = queue.next;
        queue.next += share.clamp(1, most).min(blocks - first);
        queue.running += 1;
        Some(first..queue.next)
    }

    fn leave(&self, panicked: Option<Box<dyn Any + Send>>) {
        let mut queue = self.lock();
        queue.running -= 1;
        if panicked.is_some() {
            queue.panicked = panicked;
        }
        if queue.running == 0 {
            self.idle.notify_all();
        }
    }
}

/// Runs all blocks of a launch and waits for them.
///
/// The calling thread works itself; pool threads join it as they become available. It never waits for a pool thread that has not begun.
///
/// # Errors
/// The stop of the first of the stopped blocks.
///
/// # Safety
/// All accesses of the kernel must be valid in this process and naturally aligned, those to parameters and constants
/// within the given ones, and those to shared memory within that of a block. The program must be the one that was
/// compiled.
pub unsafe fn launch(compiled: &Compiled, given: &Given<'_>) -> Result<(), Stop> {
    let started = Instant::now();
    let deadline = given.timeout.and_then(|timeout| started.checked_add(timeout));
    let blocks = if compiled.is_heavy { given.geometry.clusters() } else { given.geometry.blocks() };
    let threads = (given.threads as u64).min(blocks).max(1);
    let job = Arc::new(Job {
        compiled: *compiled,
        assistant: given.assistant.map_or(std::ptr::null(), std::ptr::from_ref),
        program: given.program,
        params: given.params.as_ptr(),
        param_bytes: given.params.len() as u64,
        constant: given.constant.as_ptr(),
        constant_bytes: given.constant.len() as u64,
        constants: given.program.constants.rows().as_ptr(),
        system: given.system.map_or(std::ptr::null(), std::ptr::from_ref),
        effects: given.effects.map_or(std::ptr::null(), std::ptr::from_ref),
        geometry: given.geometry,
        workspace: given.workspace,
        workers: (0..threads).map(|_| Worker::default()).collect(),
        started,
        deadline,
        late: AtomicBool::new(false),
        failed: AtomicU64::new(u64::MAX),
        queue: Mutex::default(),
        idle: Condvar::new(),
    });
    let _watched = deadline.map(|_| watch::watch(&job));
    // If the host refuses threads, the calling thread does all the work.
    if threads > 1
        && let Some(pool) = pool()
    {
        for number in 1..threads.min(pool.current_num_threads() as u64 + 1) {
            let job = job.clone();
            pool.spawn(move || work(&job, number as usize));
        }
    }
    work(&job, 0);
    let mut queue = job.lock();
    while queue.running > 0 {
        queue = job.idle.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
    // Workers that come later find no work.
    queue.next = u64::MAX;
    if let Some(payload) = queue.panicked.take() {
        drop(queue);
        resume_unwind(payload);
    }
    match queue.failure.take() {
        Some((_, stop)) => Err(*stop),
        None => Ok(()),
    }
}

/// Resources of a host thread for running blocks, reused across launches.
pub(super) struct ThreadResources {
    block: Box<Block>,
    frames: Box<[WarpFrame; WARPS]>,
    shared: Vec<Line>,
    fibres: Fibres,
    heavy: ClusterResources,
    /// The valid addresses cached by checked accesses, for each rank of a cluster.
    sites: Vec<Known>,
}

/// Shared memory is aligned to cache lines.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line {
    _bytes: [u8; 64],
}

const NO_FRAME: WarpFrame = WarpFrame {
    params: std::ptr::null(),
    constant: std::ptr::null(),
    constants: std::ptr::null(),
    shared: std::ptr::null_mut(),
    block_index: [0; 3],
    grid: [0; 3],
    warp: 0,
    lanes: 0,
    runtime: &raw const RUNTIME,
    program: std::ptr::null(),
    attention: std::ptr::null(),
    block: std::ptr::null_mut(),
    heavy: std::ptr::null_mut(),
    rows: std::ptr::null_mut(),
    peers: std::ptr::null(),
    rank: 0,
    vain: 0,
    questions: 0,
    job: std::ptr::null(),
    suspend: std::ptr::null(),
    pc: 0,
    stopped: 0,
    trues: 0,
    votes: 0,
    detail: 0,
    sites: std::ptr::null_mut(),
};

impl ThreadResources {
    pub(super) fn new() -> Self {
        Self {
            block: Box::new(Block::new()),
            frames: Box::new([NO_FRAME; WARPS]),
            shared: Vec::new(),
            fibres: Fibres::default(),
            heavy: ClusterResources::default(),
            sites: Vec::new(),
        }
    }

    /// Prepares it for blocks of a launch.
    pub(super) fn prepare(&mut self, job: &Job, worker: &Worker) -> Result<(), TrapKind> {
        let threads = job.geometry.threads();
        let lines = (job.geometry.shared as usize).div_ceil(size_of::<Line>());
        if self.shared.len() < lines {
            self.shared.resize(lines, Line { _bytes: [0; 64] });
        }
        // Nothing cached for another launch may remain.
        self.sites.clear();
        self.sites.resize(job.sites() * job.geometry.cluster_size().max(1) as usize, Known::default());
        let frame = WarpFrame {
            sites: self.sites.as_mut_ptr(),
            params: job.params,
            constant: job.constant,
            constants: job.constants,
            shared: self.shared.as_mut_ptr().cast(),
            grid: job.geometry.grid,
            program: job.program,
            attention: &raw const worker.attention,
            block: &raw mut *self.block,
            job,
            ..NO_FRAME
        };
        if job.compiled.is_heavy {
            self.frames[0] = frame;
            return Ok(());
        }
        let warps = if job.compiled.waits { threads.div_ceil(ptx_exec::program::WARP) } else { 1 };
        for (warp, place) in self.frames.iter_mut().enumerate().take(warps) {
            *place = WarpFrame { warp: warp as u32, lanes: lanes_of(threads, warp), ..frame };
        }
        if job.compiled.waits {
            self.fibres.reserve(warps, job.compiled.stack).map_err(|_| TrapKind::Stack)?;
        }
        Ok(())
    }

    /// Runs a block, or the cluster of this number.
    fn run(&mut self, job: &Job, number: u64, index: [u32; 3]) -> Result<(), Stop> {
        if job.compiled.is_heavy {
            // SAFETY: what the launch was given is alive while blocks run.
            let Some(assistant) = (unsafe { job.assistant.as_ref() }) else {
                let text = "the launch has nothing that executes what the interpreter's runtime does";
                return Err(nowhere(TrapKind::Misuse(text.to_owned()), index));
            };
            return self.heavy.run(job, assistant, number, self.frames[0]);
        }
        self.begin(job, index);
        self.go_on(job).map(drop)
    }

    /// Starts a block.
    pub(super) fn begin(&mut self, job: &Job, index: [u32; 3]) {
        let threads = job.geometry.threads();
        self.block.begin(job.program, threads);
        // A zero-length fill at an address without memory is slower on some processors than a nonempty one: it is a fully masked store.
        if job.geometry.shared > 0 {
            // SAFETY: there are so many bytes (see `prepare`).
            unsafe { self.shared.as_mut_ptr().cast::<u8>().write_bytes(0, job.geometry.shared as usize) };
        }
        let warps = if job.compiled.waits { threads.div_ceil(ptx_exec::program::WARP) } else { 1 };
        for frame in self.frames.iter_mut().take(warps) {
            frame.block_index = index;
        }
    }

    /// Runs the started block, until it is done or yields.
    pub(super) fn go_on(&mut self, job: &Job) -> Result<Progress, Stop> {
        let threads = job.geometry.threads();
        let (block, frames) = (&raw mut *self.block, self.frames.as_mut_ptr());
        if job.compiled.waits {
            return run_on_fibres(block, job, &mut self.fibres, frames);
        }
        let calls = if job.compiled.runs_blocks { 1 } else { threads.div_ceil(ptx_exec::program::WARP) };
        run_in_turn(block, job, frames, threads, calls).map(|()| Progress::Done)
    }

    /// Abandons the started block.
    pub(super) fn abandon(&mut self) {
        self.fibres.abandon();
    }
}

thread_local! {
    /// The resources of this thread, while no launch uses them.
    static RESOURCES: Cell<Option<Box<ThreadResources>>> = const { Cell::new(None) };
}

/// Runs blocks until none is left.
fn work(job: &Job, number: usize) {
    let Some(worker) = job.workers.get(number) else { return };
    let Some(mut blocks) = job.take() else { return };
    // A launch nested in another one on the same thread has separate resources.
    let mut resources = RESOURCES.take().unwrap_or_else(|| Box::new(ThreadResources::new()));
    let run = || {
        let prepared = resources.prepare(job, worker);
        loop {
            if job.compiled.is_patient {
                patient::run(job, worker, &mut resources, blocks.start);
            } else {
                run_blocks(job, worker, &mut resources, &prepared, blocks.clone());
            }
            job.leave(None);
            match job.take() {
                Some(next) => blocks = next,
                None => return,
            }
        }
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(()) => RESOURCES.set(Some(resources)),
        Err(payload) => job.leave(Some(payload)),
    }
}

fn run_blocks(
    job: &Job,
    worker: &Worker,
    resources: &mut ThreadResources,
    prepared: &Result<(), TrapKind>,
    blocks: std::ops::Range<u64>,
) {
    let mut index = job.geometry.block_index(blocks.start, 0);
    // The blocks of a worker are all before or all after a failed block of another worker, so the first of them
    // determines which; either this worker sees the failure, or the other one sees these blocks.
    worker.block.store(blocks.start, Ordering::SeqCst);
    if job.failed.load(Ordering::SeqCst) < blocks.start {
        return;
    }
    for number in blocks {
        if job.failed.load(Ordering::Relaxed) < number {
            return;
        }
        let result = match prepared {
            Ok(()) if !job.late.load(Ordering::Relaxed) => resources.run(job, number, index),
            Ok(()) => Err(nowhere(TrapKind::Timeout, index)),
            Err(kind) => Err(nowhere(kind.clone(), index)),
        };
        if let Err(stop) = result {
            job.stopped(number, stop);
            return;
        }
        let [x, y, _] = job.geometry.grid;
        index[0] += 1;
        if index[0] == x {
            (index[0], index[1]) = (0, index[1] + 1);
            if index[1] == y {
                (index[1], index[2]) = (0, index[2] + 1);
            }
        }
    }
}

/// A stop before any thread of the block ran.
pub(super) fn nowhere(kind: TrapKind, block: [u32; 3]) -> Stop {
    Stop { kind, pc: None, block, warp: 0, lane: 0, related: Vec::new() }
}
