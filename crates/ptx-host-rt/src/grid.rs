//! A launch: blocks, which host threads take up.

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
use super::heavy::HeavyPlace;
use super::{patient, watch};

/// What a kernel is launched with.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// What was compiled.
    pub program: &'a Program,
    /// The shape of the launch: that of its blocks is the one that the kernel was compiled for, and clusters have one block.
    pub geometry: Geometry,
    /// The parameter space.
    pub params: &'a [u8],
    /// The constant memory.
    pub constant: &'a [u8],
    /// How long it may take; `None` for no limit.
    pub timeout: Option<Duration>,
    /// Host threads that blocks are spread over.
    pub threads: usize,
    /// The address of the memory by which the blocks of a cooperative launch wait for each other; 0 for any other launch.
    pub workspace: u64,
    /// What functions of the system are called of, if there is any.
    pub system: Option<&'a System>,
    /// The instructions of the program that the runtime executes, if there are any.
    pub effects: Option<&'a Effects>,
    /// What executes the instructions that code leaves to the interpreter's runtime; only kernels without such need none.
    pub assistant: Option<&'a Assistant>,
}

/// The function of a warp.
pub type WarpCode = unsafe extern "C" fn(*mut WarpFrame) -> i32;

/// What there is to know of the code of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Compiled {
    /// The function of a warp, or of all warps of a block.
    pub code: WarpCode,
    /// Whether its warps wait for each other, so that each needs a stack of its own.
    pub waits: bool,
    /// Whether its warps may wait for others in loops, where they give way.
    pub is_patient: bool,
    /// Whether its function runs all warps of a block.
    pub runs_blocks: bool,
    /// Whether the interpreter's runtime executes some of its instructions, so that the warps of a cluster run together.
    pub is_heavy: bool,
    /// Bytes of stack that the function may need, with what it calls.
    pub stack: usize,
    /// Runs of bytes that its code checks before it accesses them; 0 where it checks none.
    pub sites: usize,
}

/// A host thread that works on a launch.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Worker {
    /// Not zero once the block that it runs is to end.
    attention: AtomicU32,
    /// The number of the first of the blocks that it has taken up. It only grows, but where it goes from one block to another that it has
    /// begun.
    block: AtomicU64,
}

impl Worker {
    /// Goes on with a block that was begun; whether it is needed.
    pub(super) fn turn_to(&self, job: &Job, number: u64) -> bool {
        self.block.store(number, Ordering::SeqCst);
        // What told an other block to end does not concern this one.
        self.attention.store(0, Ordering::SeqCst);
        let is_needed = job.failed.load(Ordering::SeqCst) > number;
        if job.late.load(Ordering::SeqCst) || !is_needed {
            self.attention.store(1, Ordering::SeqCst);
        }
        is_needed
    }
}

/// A launch that host threads work on.
///
/// It refers to what the launch was given, which is alive as long as [`launch`] waits: until no worker runs a block and none is left.
/// Workers that come later find that out, and touch nothing else.
#[derive(Debug)]
pub(crate) struct Job {
    compiled: Compiled,
    /// What executes the instructions that code leaves to the interpreter's runtime.
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
    /// The address of the workspace of a cooperative launch; 0 for any other.
    pub(crate) workspace: u64,
    workers: Box<[Worker]>,
    started: Instant,
    pub(super) deadline: Option<Instant>,
    late: AtomicBool,
    /// The lowest number of a block that was stopped; `u64::MAX` while there is none.
    failed: AtomicU64,
    queue: Mutex<Blocks>,
    /// Signalled when no worker runs a block any more.
    idle: Condvar,
}

// SAFETY: what it refers to is only read, and alive while it is used (see above).
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

#[derive(Debug, Default)]
struct Blocks {
    /// The next block that no worker has taken.
    next: u64,
    /// Workers that run blocks.
    running: usize,
    failure: Option<(u64, Box<Stop>)>,
    panicked: Option<Box<dyn Any + Send>>,
}

/// Clusters that other clusters do the work of instead of being begun.
impl Queue for Job {
    fn take(&self) -> Option<u64> {
        self.take_another()
    }
}

impl Job {
    pub(crate) fn code(&self) -> WarpCode {
        self.compiled.code
    }

    /// Bytes of stack that a warp may need.
    pub(super) fn stack(&self) -> usize {
        self.compiled.stack
    }

    /// How many blocks there are to take up, or clusters where their warps run together.
    fn units(&self) -> u64 {
        if self.compiled.is_heavy { self.geometry.clusters() } else { self.geometry.blocks() }
    }

    /// How many sites its code has.
    pub(super) fn sites(&self) -> usize {
        self.compiled.sites
    }

    /// What the system provides.
    pub(super) fn system(&self) -> Option<&System> {
        // SAFETY: what the launch was given is alive while blocks run.
        unsafe { self.system.as_ref() }
    }

    /// The instructions that the runtime executes.
    pub(super) fn effects(&self) -> Option<&Effects> {
        // SAFETY: what the launch was given is alive while blocks run.
        unsafe { self.effects.as_ref() }
    }

    /// What stops a thread at an instruction that does, with what it was given.
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

    /// Whether the launch does not go on.
    pub(super) fn is_over(&self) -> bool {
        let queue = self.lock();
        queue.failure.is_some() || queue.panicked.is_some()
    }

    /// The number of the next block, if there is one; the worker has blocks that it has not left.
    pub(super) fn take_another(&self) -> Option<u64> {
        let taken = self.take()?;
        self.leave(None);
        Some(taken.start)
    }

    /// A block was stopped, unless it was told to end for the sake of one before it.
    pub(super) fn stopped(&self, number: u64, stop: Stop) {
        let is_told = stop.kind == TrapKind::Timeout && !self.late.load(Ordering::SeqCst);
        if !is_told {
            self.fail(number, stop);
        }
    }

    /// How many host threads work on it at most.
    pub(super) fn workers(&self) -> usize {
        self.workers.len()
    }

    fn lock(&self) -> MutexGuard<'_, Blocks> {
        // A panic elsewhere leaves the queue usable; there is nothing half-done in it.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time is over: all workers are to end what they do.
    pub(super) fn expire(&self) {
        self.late.store(true, Ordering::SeqCst);
        self.workers.iter().for_each(|worker| worker.attention.store(1, Ordering::SeqCst));
    }

    /// A block was stopped: blocks after it are not needed any more. Those before it go on, for they may be stopped too: the first one is
    /// reported, in any order in which host threads came to them.
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

    /// The next blocks for a worker: few at a time towards the end, so that all workers end at about the same time.
    fn take(&self) -> Option<std::ops::Range<u64>> {
        /// Blocks that are taken at once, at most: they end in well under a millisecond where they do nothing.
        const MOST: u64 = 4096;
        let blocks = self.units();
        let mut queue = self.lock();
        if queue.next >= blocks || queue.failure.is_some() || queue.panicked.is_some() {
            return None;
        }
        // Blocks that wait for each other are begun in their order. Clusters may take others that no worker has, and take long anyway.
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
/// The thread that calls works itself; threads of the pool join it as they become free. Nothing waits for one that has not begun.
///
/// # Errors
/// Why the first of the blocks that were stopped was.
///
/// # Safety
/// Every access that the kernel makes has to be in memory of this process that may be accessed so, at a multiple of its size, its parameters
/// and constants in those that are given, and its shared memory in that of a block. The program is the one that was compiled.
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
    // Where the host refuses threads, the one that calls does all the work.
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
    // Workers that come later find nothing.
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

/// What a host thread needs for blocks, kept from launch to launch.
pub(super) struct Place {
    block: Box<Block>,
    frames: Box<[WarpFrame; WARPS]>,
    shared: Vec<Line>,
    fibres: Fibres,
    heavy: HeavyPlace,
    /// What the code that runs knows of the accesses that it checks, for each rank of a cluster.
    sites: Vec<Known>,
}

/// Shared memory begins where a line of the processor's cache does.
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

impl Place {
    pub(super) fn new() -> Self {
        Self {
            block: Box::new(Block::new()),
            frames: Box::new([NO_FRAME; WARPS]),
            shared: Vec::new(),
            fibres: Fibres::default(),
            heavy: HeavyPlace::default(),
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
        // Nothing of the memory of another launch.
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

    /// Begins a block.
    pub(super) fn begin(&mut self, job: &Job, index: [u32; 3]) {
        let threads = job.geometry.threads();
        self.block.begin(job.program, threads);
        // To set no bytes at an address without memory takes processors longer than to set some: it is a store of which all is masked.
        if job.geometry.shared > 0 {
            // SAFETY: there are so many bytes (see `prepare`).
            unsafe { self.shared.as_mut_ptr().cast::<u8>().write_bytes(0, job.geometry.shared as usize) };
        }
        let warps = if job.compiled.waits { threads.div_ceil(ptx_exec::program::WARP) } else { 1 };
        for frame in self.frames.iter_mut().take(warps) {
            frame.block_index = index;
        }
    }

    /// Runs the block that was begun, until it is done or gives way.
    pub(super) fn go_on(&mut self, job: &Job) -> Result<Progress, Stop> {
        let threads = job.geometry.threads();
        let (block, frames) = (&raw mut *self.block, self.frames.as_mut_ptr());
        if job.compiled.waits {
            return run_on_fibres(block, job, &mut self.fibres, frames);
        }
        let calls = if job.compiled.runs_blocks { 1 } else { threads.div_ceil(ptx_exec::program::WARP) };
        run_in_turn(block, job, frames, threads, calls).map(|()| Progress::Done)
    }

    /// Gives up the block that was begun.
    pub(super) fn abandon(&mut self) {
        self.fibres.abandon();
    }
}

thread_local! {
    /// That of this thread, while no launch uses it.
    static PLACE: Cell<Option<Box<Place>>> = const { Cell::new(None) };
}

/// Takes up blocks until none is left.
fn work(job: &Job, number: usize) {
    let Some(worker) = job.workers.get(number) else { return };
    let Some(mut blocks) = job.take() else { return };
    // A launch while another one runs on the same thread has a place of its own.
    let mut place = PLACE.take().unwrap_or_else(|| Box::new(Place::new()));
    let run = || {
        let prepared = place.prepare(job, worker);
        loop {
            if job.compiled.is_patient {
                patient::run(job, worker, &mut place, blocks.start);
            } else {
                run_blocks(job, worker, &mut place, &prepared, blocks.clone());
            }
            job.leave(None);
            match job.take() {
                Some(next) => blocks = next,
                None => return,
            }
        }
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(()) => PLACE.set(Some(place)),
        Err(payload) => job.leave(Some(payload)),
    }
}

fn run_blocks(
    job: &Job,
    worker: &Worker,
    place: &mut Place,
    prepared: &Result<(), TrapKind>,
    blocks: std::ops::Range<u64>,
) {
    let mut index = job.geometry.block_index(blocks.start, 0);
    // The blocks of a worker are all before or all after one that another worker is stopped in, so that the first of them tells which; either
    // this worker sees that one was stopped, or that one sees these blocks.
    worker.block.store(blocks.start, Ordering::SeqCst);
    if job.failed.load(Ordering::SeqCst) < blocks.start {
        return;
    }
    for number in blocks {
        if job.failed.load(Ordering::Relaxed) < number {
            return;
        }
        let result = match prepared {
            Ok(()) if !job.late.load(Ordering::Relaxed) => place.run(job, number, index),
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
