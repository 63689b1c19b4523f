//! What a host thread needs to run blocks: a launch and the number of a block in, the stop of the block out.

use ptx_exec::TrapKind;
use ptx_exec::engine::Stop;

use super::barrier::WARPS;
use super::block::{Block, lanes_of};
use super::fibre::Fibres;
use super::frame::WarpFrame;
use super::heavy::ClusterResources;
use super::job::{Job, Worker};
use super::known::Known;
use super::runtime::RUNTIME;
use super::stop::nowhere;
use super::warps::{Progress, run_in_turn, run_on_fibres};

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
        let warps = if job.compiled.waits { threads.div_ceil(ptx_program::WARP) } else { 1 };
        for (warp, place) in self.frames.iter_mut().enumerate().take(warps) {
            *place = WarpFrame { warp: warp as u32, lanes: lanes_of(threads, warp), ..frame };
        }
        if job.compiled.waits {
            self.fibres.reserve(warps, job.compiled.stack).map_err(|_| TrapKind::Stack)?;
        }
        Ok(())
    }

    /// Runs a block, or the cluster of this number.
    pub(super) fn run(&mut self, job: &Job, number: u64, index: [u32; 3]) -> Result<(), Stop> {
        self.begin(job, number, index)?;
        self.go_on(job).map(drop)
    }

    /// Starts a block, or the cluster of this number.
    pub(super) fn begin(&mut self, job: &Job, number: u64, index: [u32; 3]) -> Result<(), Stop> {
        if job.compiled.is_heavy {
            let Some(assistant) = job.assistant() else {
                let text = "the launch has nothing that executes what the interpreter's runtime does";
                return Err(nowhere(TrapKind::Misuse(text.to_owned()), index));
            };
            return self.heavy.begin(job, assistant, number, self.frames[0]);
        }
        let threads = job.geometry.threads();
        self.block.begin(job.program, threads);
        // A zero-length fill at an address without memory is slower on some processors than a nonempty one: it is a fully masked store.
        if job.geometry.shared > 0 {
            // SAFETY: there are so many bytes (see `prepare`).
            unsafe { self.shared.as_mut_ptr().cast::<u8>().write_bytes(0, job.geometry.shared as usize) };
        }
        let warps = if job.compiled.waits { threads.div_ceil(ptx_program::WARP) } else { 1 };
        for frame in self.frames.iter_mut().take(warps) {
            frame.block_index = index;
        }
        Ok(())
    }

    /// Runs the started block or cluster, until it is done or yields.
    pub(super) fn go_on(&mut self, job: &Job) -> Result<Progress, Stop> {
        if job.compiled.is_heavy {
            return self.heavy.go_on(job);
        }
        let threads = job.geometry.threads();
        let (block, frames) = (&raw mut *self.block, self.frames.as_mut_ptr());
        if job.compiled.waits {
            return run_on_fibres(block, job, &mut self.fibres, frames);
        }
        let calls = if job.compiled.runs_blocks { 1 } else { threads.div_ceil(ptx_program::WARP) };
        run_in_turn(block, job, frames, threads, calls).map(|()| Progress::Done)
    }

    /// Abandons the started block.
    pub(super) fn abandon(&mut self) {
        self.fibres.abandon();
        self.heavy.abandon();
    }
}
