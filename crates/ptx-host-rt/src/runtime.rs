//! The functions that code calls: the table of all of them, and those that only ask or change the frame, the block and
//! the launch of the warp.

use super::block::{Coming, Passed};
use super::check::check;
use super::effect::{effect, multiply};
use super::frame::{Asked, Runtime, Status, WarpFrame};
use super::heavy::{give_way_in_cluster, hand_over, idle, step};
use super::row::row;
use super::singly::{arrive, await_phase, left};
use super::stuck::stuck;
use super::system::call;

/// The only function table.
pub(crate) static RUNTIME: Runtime = Runtime {
    barrier,
    part,
    common,
    ask,
    row,
    call,
    effect,
    multiply,
    step,
    idle,
    give_way,
    local,
    stuck,
    check,
    hand_over,
    arrive,
    await_phase,
    left,
};

/// The arrival of the warp at a barrier.
unsafe extern "C" fn barrier(
    frame: *mut WarpFrame,
    pc: u32,
    lanes: u32,
    live: u32,
    id: u32,
    count: u32,
    trues: u32,
    differs: u32,
) -> i32 {
    // SAFETY: the frame of the warp that runs, its block, which no other warp uses meanwhile, and what suspends its fibre.
    unsafe {
        let frame = &mut *frame;
        let block = &mut *frame.block;
        let warp = frame.warp as usize;
        let votes = match block.come(&Coming { pc, warp, lanes, live, id, count, trues, differs }) {
            Passed::On(votes) => votes,
            Passed::Waits => {
                (*frame.suspend).suspend(());
                (*frame.block).votes(warp)
            }
            Passed::Stopped => {
                (frame.pc, frame.stopped) = (pc, lanes);
                return Status::Noted as i32;
            }
        };
        (frame.trues, frame.votes) = (votes.trues, votes.all);
        Status::Done as i32
    }
}

/// The local memory of the warp.
unsafe extern "C" fn local(frame: *mut WarpFrame, bytes: u64) -> *mut u8 {
    // SAFETY: the frame of the warp that runs, and its block, which nothing else refers to now.
    unsafe { (*(*frame).block).local((*frame).warp as usize, bytes) }
}

/// Yields to other warps.
unsafe extern "C" fn give_way(frame: *mut WarpFrame, pc: u32, lanes: u32) -> i32 {
    // SAFETY: the frame of the warp that runs, its block, which no other warp uses meanwhile, and what suspends its fibre.
    unsafe {
        if !(*frame).heavy.is_null() {
            return give_way_in_cluster(frame);
        }
        let frame = &mut *frame;
        (*frame.block).give_way(frame.warp as usize, pc, lanes);
        (*frame.suspend).suspend(());
    }
    Status::Done as i32
}

/// Stops threads of a warp that reach different barriers.
unsafe extern "C" fn part(frame: *mut WarpFrame, here: u32, lanes: u32, pc: u32, others: u32) -> i32 {
    // SAFETY: the frame of the warp that runs, its block and launch.
    unsafe {
        let frame = &mut *frame;
        (*frame.block).part(&(*frame.job).geometry, frame.warp as usize, (here, lanes));
        (frame.pc, frame.stopped) = (pc, others);
    }
    Status::Noted as i32
}

/// The common value of several lanes.
unsafe extern "C" fn common(_: *mut WarpFrame, numbers: *const u32, lanes: u32) -> u64 {
    // SAFETY: an array of 32 numbers.
    let numbers = unsafe { std::slice::from_raw_parts(numbers, 32) };
    let mut given = ptx_program::lanes(lanes).map(|lane| numbers[lane]);
    let Some(first) = given.next() else { return 0 };
    let differs = given.any(|number| number != first);
    u64::from(first) | u64::from(differs) << 32
}

/// The value of a special register.
unsafe extern "C" fn ask(frame: *mut WarpFrame, what: u32) -> u64 {
    // SAFETY: the frame of the warp that runs, and its launch.
    let job = unsafe { &*(*frame).job };
    match what {
        what if what == Asked::Shared as u32 => job.geometry.shared.into(),
        what if what == Asked::DynamicShared as u32 => job.geometry.dynamic_shared.into(),
        what if what == Asked::IsExplicitCluster as u32 => job.geometry.is_explicit_cluster.into(),
        what if what == Asked::Workspace as u32 => job.workspace,
        _ => job.nanoseconds(),
    }
}
