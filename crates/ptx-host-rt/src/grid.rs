//! A launch: schedules its blocks on host threads.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ptx_exec::TrapKind;
use ptx_exec::engine::{Stop, pool};

use super::job::{Compiled, Given, Job, Worker};
use super::resources::ThreadResources;
use super::stop::nowhere;
use super::{patient, watch};

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
    let job = Arc::new(Job::new(compiled, given));
    let _watched = job.deadline.map(|_| watch::watch(&job));
    if let Some(cancellation) = given.cancellation {
        cancellation.attach(&job);
    }
    // If the host refuses threads, the calling thread does all the work.
    let threads = job.workers();
    if threads > 1
        && let Some(pool) = pool()
    {
        for number in 1..threads.min(pool.current_num_threads() + 1) {
            let job = job.clone();
            pool.spawn(move || work(&job, number));
        }
    }
    work(&job, 0);
    job.wait()
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
