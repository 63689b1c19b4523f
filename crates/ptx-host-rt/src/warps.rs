//! Runs the warps of a block, which share one host thread.
//!
//! Warps that never wait are run to completion one after the other on the thread's stack; others run on a fiber each, which is suspended at barriers.

use ptx_exec::engine::Stop;

use super::block::{Block, lanes_of};
use super::fibre::{Fibres, Resumed};
use super::frame::{Status, WarpFrame};
use super::job::Job;

/// Runs all warps of a block on this stack, one after the other: no warp waits for another one, or a single call runs
/// all of them. The frame is reused for each warp.
pub(crate) fn run_in_turn(
    block: *mut Block,
    job: &Job,
    frame: *mut WarpFrame,
    threads: usize,
    calls: usize,
) -> Result<(), Stop> {
    let code = job.code();
    for warp in 0..calls {
        // SAFETY: the block and the frame are this thread's, and no reference to them is held while code runs.
        let status = unsafe {
            ((*frame).warp, (*frame).lanes) = (warp as u32, lanes_of(threads, warp));
            code(frame)
        };
        if status != Status::Done as i32 {
            // SAFETY: as above.
            return Err(unsafe { (*block).stop(job, &*frame, status) });
        }
    }
    Ok(())
}

/// State of a block after a time slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    /// All its threads have exited.
    Done,
    /// All warps that can run poll for others in loops.
    GivesWay,
}

/// Number of rounds in which all runnable warps yield, after which the block yields.
pub(super) const PATIENT_ROUNDS: u32 = 4;

/// Runs all warps of a block on fibers, one for each warp, until they have exited or all of them poll in loops; the
/// next call resumes them. All fibers are free again when the block is done or stopped.
pub(crate) fn run_on_fibres(
    block: *mut Block,
    job: &Job,
    fibres: &mut Fibres,
    frames: *mut WarpFrame,
) -> Result<Progress, Stop> {
    let mut vain = 0;
    // SAFETY: the block and the frames are this thread's, and no reference to them is held while a fibre runs.
    unsafe {
        while (*block).live_warps != 0 {
            let all = (*block).ready;
            if all == 0 {
                // They say where lanes of them are that do not wait at barriers, and end.
                for warp in (*block).ask_where() {
                    fibres.resume(warp, job, frames.add(warp));
                }
                fibres.abandon();
                return Err((*block).deadlock(&job.geometry, (*frames).block_index));
            }
            (*block).gave_way = 0;
            let mut round = all;
            while round != 0 {
                let warp = round.trailing_zeros() as usize;
                round &= round - 1;
                let frame = frames.add(warp);
                match fibres.resume(warp, job, frame) {
                    Resumed::Waits => {}
                    Resumed::Ended(status) if status == Status::Done as i32 => (*block).exited(warp),
                    Resumed::Ended(status) => {
                        fibres.abandon();
                        return Err((*block).stop(job, &*frame, status));
                    }
                }
            }
            // Warps that advanced to a barrier or to the end may have done what the others wait for.
            vain = if (*block).gave_way == all && (*block).ready == all { vain + 1 } else { 0 };
            if vain == PATIENT_ROUNDS {
                return Ok(Progress::GivesWay);
            }
        }
    }
    Ok(Progress::Done)
}
