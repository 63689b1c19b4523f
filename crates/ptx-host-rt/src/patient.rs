//! Blocks whose warps wait in loops for others: for those of other blocks too, so that a host thread runs several in turn.
//!
//! The blocks that a thread has begun get their turns one after the other, the first one first. When none of them is done in a round, all of
//! them wait for blocks that other threads run, or that no one has begun: one more is begun. So as many wait as have to.

use std::collections::VecDeque;

use ptx_exec::program::WARP;

use super::block::Progress;
use super::grid::{Job, Place, Worker, nowhere};

/// Warps that are begun at most on all host threads: more than a GPU holds. So many may wait for each other.
pub const MOST_WARPS: usize = 16_384;

/// A block that was begun.
struct Begun {
    number: u64,
    place: Box<Place>,
}

/// Runs the block of a number and those that no one has begun, until there are none. The place is for one of them.
pub(super) fn run(job: &Job, worker: &Worker, place: &mut Box<Place>, number: u64) {
    let warps = job.geometry.threads().div_ceil(WARP).max(1);
    // Of a cooperative launch all blocks have to be there, however many host threads take part; it is no larger than that.
    let most = match job.workspace {
        0 => (MOST_WARPS / warps / job.workers()).max(1),
        _ => MOST_WARPS,
    };
    let mut free = vec![std::mem::replace(place, Box::new(Place::new()))];
    let mut begun: VecDeque<Begun> = VecDeque::new();
    let mut next = Some(number);
    loop {
        if let Some(number) = next {
            let place = free.pop().unwrap_or_else(|| Box::new(Place::new()));
            begun.extend(begin(job, worker, place, number));
        }
        let before = begun.len();
        for _ in 0..before {
            let Some(mut block) = begun.pop_front() else { break };
            match go_on(job, worker, &mut block) {
                Progress::GivesWay => begun.push_back(block),
                Progress::Done => free.push(block.place),
            }
        }
        let is_in_vain = begun.len() == before;
        // Those that are left wait for blocks that were stopped, or that are not needed.
        if is_in_vain && job.is_over() {
            begun.iter_mut().for_each(|block| block.place.abandon());
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
        *place = last;
    }
}

/// Begins a block.
fn begin(job: &Job, worker: &Worker, mut place: Box<Place>, number: u64) -> Option<Begun> {
    let index = job.geometry.block_index(number, 0);
    match place.prepare(job, worker) {
        Ok(()) => {
            place.begin(job, index);
            Some(Begun { number, place })
        }
        Err(kind) => {
            job.stopped(number, nowhere(kind, index));
            None
        }
    }
}

/// Gives a block its turn. One that was stopped is done.
fn go_on(job: &Job, worker: &Worker, block: &mut Begun) -> Progress {
    if !worker.turn_to(job, block.number) {
        block.place.abandon();
        return Progress::Done;
    }
    match block.place.go_on(job) {
        Ok(progress) => progress,
        Err(stop) => {
            job.stopped(block.number, stop);
            Progress::Done
        }
    }
}
