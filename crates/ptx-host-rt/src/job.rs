//! A launch that host threads execute: its inputs in, the numbers of blocks to run out, until one is stopped or the
//! time limit expires.

use std::any::Any;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use ptx_exec::engine::{Assistant, Queue, Stop, System};
use ptx_exec::{Geometry, TrapKind};
use ptx_program::{Effect, Op, Program, Row};

use super::frame::WarpCode;
use super::operands::Effects;

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
    /// The first cluster to run: those before it are executed by another engine.
    pub first: u64,
    /// Stops the launch from another thread.
    pub cancellation: Option<&'a Cancellation>,
}

impl<'a> Given<'a> {
    /// All clusters on the calling thread, without a system and a time limit.
    pub fn new(program: &'a Program, geometry: Geometry, params: &'a [u8], constant: &'a [u8]) -> Self {
        Self {
            program,
            geometry,
            params,
            constant,
            timeout: None,
            threads: 1,
            workspace: 0,
            system: None,
            effects: None,
            assistant: None,
            first: 0,
            cancellation: None,
        }
    }
}

/// Stops a launch from another thread, also if it is requested before the launch begins.
#[derive(Debug, Default)]
pub struct Cancellation {
    state: Mutex<Cancelled>,
}

#[derive(Debug, Default)]
struct Cancelled {
    is_requested: bool,
    job: Weak<Job>,
}

impl Cancellation {
    /// Stops the launch like an expired time limit.
    pub fn cancel(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_requested = true;
        if let Some(job) = state.job.upgrade() {
            job.expire();
        }
    }

    /// Blocks of its launch that have been started so far, those of the launch before its part included; `None` before it begins and after it
    /// has ended.
    pub fn started(&self) -> Option<u64> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let job = state.job.upgrade()?;
        let next = job.queue.lock().unwrap_or_else(PoisonError::into_inner).next;
        // A unit is a cluster or a block.
        Some(next.saturating_mul(job.geometry.blocks().checked_div(job.units())?))
    }

    /// Makes it responsible for a launch that begins.
    pub(super) fn attach(&self, job: &Arc<Job>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.job = Arc::downgrade(job);
        if state.is_requested {
            job.expire();
        }
    }
}

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
    pub(super) attention: AtomicU32,
    /// The number of the first block of its current range. It is monotonic, except when the thread switches between blocks that it has started.
    pub(super) block: AtomicU64,
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
/// It points to the inputs of the launch, which are alive as long as [`launch`](super::grid::launch) waits: until no
/// worker runs a block and none is left. Workers that come later notice that, and access nothing else.
#[derive(Debug)]
pub(crate) struct Job {
    pub(super) compiled: Compiled,
    /// Executes the instructions that code leaves to the interpreter's runtime.
    assistant: *const Assistant,
    pub(super) program: *const Program,
    pub(super) params: *const u8,
    pub(super) param_bytes: u64,
    pub(super) constant: *const u8,
    pub(super) constant_bytes: u64,
    pub(super) constants: *const Row,
    system: *const System,
    effects: *const Effects,
    pub(crate) geometry: Geometry,
    /// The address of the workspace of a cooperative launch; 0 for other launches.
    pub(crate) workspace: u64,
    pub(super) workers: Box<[Worker]>,
    started: Instant,
    pub(super) deadline: Option<Instant>,
    pub(super) late: AtomicBool,
    /// The lowest number of a stopped block; `u64::MAX` if there is none.
    pub(super) failed: AtomicU64,
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
    /// A launch of which nothing has run yet. The inputs have to be alive while blocks run.
    pub(super) fn new(compiled: &Compiled, given: &Given<'_>) -> Self {
        let started = Instant::now();
        let deadline = given.timeout.and_then(|timeout| started.checked_add(timeout));
        let blocks = if compiled.is_heavy { given.geometry.clusters() } else { given.geometry.blocks() };
        let threads = (given.threads as u64).min(blocks.saturating_sub(given.first)).max(1);
        Self {
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
            queue: Mutex::new(Blocks { next: given.first, ..Blocks::default() }),
            idle: Condvar::new(),
        }
    }

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

    /// What executes the instructions that code leaves to the interpreter's runtime.
    pub(super) fn assistant(&self) -> Option<&Assistant> {
        // SAFETY: what the launch was given is alive while blocks run.
        unsafe { self.assistant.as_ref() }
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
    pub(super) fn take(&self) -> Option<std::ops::Range<u64>> {
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

    /// Records that a worker has run the blocks that it took, or panicked.
    pub(super) fn leave(&self, panicked: Option<Box<dyn Any + Send>>) {
        let mut queue = self.lock();
        queue.running -= 1;
        if panicked.is_some() {
            queue.panicked = panicked;
        }
        if queue.running == 0 {
            self.idle.notify_all();
        }
    }

    /// Waits until no worker runs a block; those that come later find none. Returns the stop of the first stopped block,
    /// and resumes the panic of a worker.
    pub(super) fn wait(&self) -> Result<(), Stop> {
        let mut queue = self.lock();
        while queue.running > 0 {
            queue = self.idle.wait(queue).unwrap_or_else(PoisonError::into_inner);
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
}
