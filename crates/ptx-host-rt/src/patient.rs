//! Blocks whose warps poll for others in loops: also for warps of other blocks, so that a host thread interleaves several blocks, or clusters where the
//! interpreter's runtime executes instructions.
//!
//! The started blocks of a thread are scheduled round-robin, the first one first. If none of them is done in a round,
//! all of them wait for blocks that other threads run, or that have not been started: then one more is started. So no
//! more blocks than necessary are waiting.

use std::collections::VecDeque;

use ptx_program::WARP;

use super::job::{Job, Worker};
use super::resources::ThreadResources;
use super::stop::nowhere;
use super::warps::Progress;

/// Maximum number of started warps on all host threads, which may wait for each other: more than a GPU can hold.
pub const MOST_WARPS: usize = 16_384;

/// A started block.
struct Begun {
    number: u64,
    resources: Box<ThreadResources>,
}

/// Runs the block with this number and further unstarted ones, until there are none. `resources` has the resources for one of them.
pub(super) fn run(job: &Job, worker: &Worker, resources: &mut Box<ThreadResources>, number: u64) {
    let blocks = if job.compiled.is_heavy { job.geometry.cluster_size().max(1) as usize } else { 1 };
    let warps = blocks * job.geometry.threads().div_ceil(WARP).max(1);
    // All blocks of a cooperative launch must be resident, however many host threads take part; its grid is limited accordingly.
    let most = match job.workspace {
        0 => (MOST_WARPS / warps / job.workers()).max(1),
        _ => MOST_WARPS,
    };
    let mut free = vec![std::mem::replace(resources, Box::new(ThreadResources::new()))];
    let mut begun: VecDeque<Begun> = VecDeque::new();
    let mut next = Some(number);
    loop {
        if let Some(number) = next {
            let resources = free.pop().unwrap_or_else(|| Box::new(ThreadResources::new()));
            begun.extend(begin(job, worker, resources, number));
        }
        let before = begun.len();
        for _ in 0..before {
            let Some(mut block) = begun.pop_front() else { break };
            match go_on(job, worker, &mut block) {
                Progress::GivesWay => begun.push_back(block),
                Progress::Done => free.push(block.resources),
            }
        }
        let is_in_vain = begun.len() == before;
        // The remaining blocks wait for blocks that were stopped or cancelled.
        if is_in_vain && job.is_over() {
            begun.iter_mut().for_each(|block| block.resources.abandon());
            begun.clear();
        }
        let has_room = begun.is_empty() || is_in_vain && begun.len() < most;
        next = if has_room { job.take_another() } else { None };
        if begun.is_empty() && next.is_none() {
            break;
        }
        if is_in_vain && next.is_none() {
            std::thread::yield_now();
        }
    }
    if let Some(last) = free.pop() {
        *resources = last;
    }
}

/// Starts a block.
fn begin(job: &Job, worker: &Worker, mut resources: Box<ThreadResources>, number: u64) -> Option<Begun> {
    let index = job.geometry.block_index(number, 0);
    let begun = match resources.prepare(job, worker) {
        Ok(()) => resources.begin(job, number, index),
        Err(kind) => Err(nowhere(kind, index)),
    };
    match begun {
        Ok(()) => Some(Begun { number, resources }),
        Err(stop) => {
            job.stopped(number, stop);
            None
        }
    }
}

/// Gives a block a time slice. A stopped block is done.
fn go_on(job: &Job, worker: &Worker, block: &mut Begun) -> Progress {
    if !worker.turn_to(job, block.number) {
        block.resources.abandon();
        return Progress::Done;
    }
    match block.resources.go_on(job) {
        Ok(progress) => progress,
        Err(stop) => {
            job.stopped(block.number, stop);
            Progress::Done
        }
    }
}
