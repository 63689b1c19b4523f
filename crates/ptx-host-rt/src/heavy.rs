//! Clusters with instructions executed by the interpreter's runtime (`ptx_exec::engine::AssistedCluster`).
//!
//! All warps of a cluster run on fibers of one host thread. A warp that waits at such an instruction is suspended until
//! the cluster makes it ready again. A warp that polls an mbarrier, and whose other lanes cannot run either, is
//! suspended until the runtime performs some action, since only that changes mbarriers. If no warp is left that could
//! perform one, they are deadlocked.
//!
//! In kernels with loops that may wait for threads of other clusters, a host thread alternates between several clusters (`patient.rs`): one whose warps
//! all poll in such loops, or wait for warps that do, yields.
//!
//! Code may keep lanes of a warp waiting as long as others of it poll (`code/handover.rs`). If these would poll for
//! ever unless the others make progress, the interpreter takes the warp over from there.

use std::sync::atomic::Ordering;

use ptx_exec::engine::{Assistant, AssistedCluster, Outcome, Run, Stop, Threads};
use ptx_exec::{Geometry, TrapKind};
use ptx_program::{Row, WARP};

use super::block::{Block, lanes_of};
use super::cluster::{Heavy, Turn};
use super::fibre::{Fibres, Resumed};
use super::frame::{HANDED_OVER, PEERS, Status, WarpFrame};
use super::job::Job;
use super::product::VECTORS;
use super::stop::nowhere;
use super::system::place_in_local;
use super::warps::{PATIENT_ROUNDS, Progress};

/// Number of unsuccessful queries, without any action of a warp in between, by lanes that may stop polling, after which
/// the interpreter takes their warp over, or another one with waiting lanes.
const PATIENCE: u32 = 64;

/// Resources of a host thread for running clusters.
#[derive(Default)]
pub(super) struct ClusterResources {
    frames: Vec<WarpFrame>,
    fibres: Fibres,
    spare: Vec<Vec<Row>>,
    blocks: Vec<Block>,
    peers: Vec<*mut u8>,
    /// The cluster that has begun, if one has.
    begun: Option<Box<Heavy>>,
}

impl ClusterResources {
    /// Begins a cluster of the launch, by its number; `frame` contains the fields common to the frames of all warps.
    pub(super) fn begin(
        &mut self,
        job: &Job,
        assistant: &Assistant,
        number: u64,
        frame: WarpFrame,
    ) -> Result<(), Stop> {
        let geometry = &job.geometry;
        let warps = geometry.threads().div_ceil(WARP);
        let ranks = geometry.cluster_size().max(1);
        let all = warps * ranks as usize;
        if self.fibres.reserve(all, job.stack()).is_err() {
            return Err(nowhere(TrapKind::Stack, geometry.block_index(number, 0)));
        }
        // SAFETY: the launch and the data of its assistant outlive its clusters.
        let (assistant, queue) = unsafe { (&*std::ptr::from_ref(assistant), &*std::ptr::from_ref(job)) };
        let mut heavy = Box::new(Heavy {
            cluster: AssistedCluster::new(assistant, number, &VECTORS, queue, &mut self.spare),
            warps: vec![Turn::default(); all],
            ranks: ranks as usize,
            done: 0,
            stopped: None,
        });
        self.place(&mut heavy, (number, warps, ranks, job.sites()), geometry, frame);
        self.begun = Some(heavy);
        Ok(())
    }

    /// Runs the cluster that has begun until it is done or yields.
    pub(super) fn go_on(&mut self, job: &Job) -> Result<Progress, Stop> {
        let Some(heavy) = &mut self.begun else { return Ok(Progress::Done) };
        let warps = job.geometry.threads().div_ceil(WARP);
        let result = run(&raw mut **heavy, job, &mut self.fibres, &mut self.frames, &mut self.blocks, warps);
        if !matches!(result, Ok(Progress::GivesWay)) {
            self.abandon();
        }
        result
    }

    /// Ends the cluster that has begun.
    pub(super) fn abandon(&mut self) {
        self.fibres.abandon();
        if let Some(heavy) = self.begun.take() {
            self.spare = heavy.cluster.into_spare();
        }
    }

    /// Creates the frames.
    fn place(
        &mut self,
        heavy: &mut Heavy,
        (number, warps, ranks, sites): (u64, usize, u32, usize),
        geometry: &Geometry,
        frame: WarpFrame,
    ) {
        self.frames.clear();
        // Code for these kernels only uses the block to record why a warp is stopped.
        self.blocks.clear();
        self.blocks.resize_with(ranks as usize, Block::new);
        self.peers.clear();
        self.peers.resize(PEERS, std::ptr::null_mut());
        for rank in 0..ranks {
            let shared = heavy.cluster.shared(rank).as_mut_ptr();
            self.peers[rank as usize] = shared;
            let block = &raw mut self.blocks[rank as usize];
            for warp in 0..warps {
                let rows = heavy.cluster.rows(rank, warp).map(<[Row]>::as_mut_ptr);
                debug_assert!(rows.is_some(), "warp {warp} of block {rank}");
                self.frames.push(WarpFrame {
                    shared,
                    block,
                    rank,
                    sites: frame.sites.wrapping_add(sites * rank as usize),
                    peers: self.peers.as_ptr(),
                    rows: rows.unwrap_or(std::ptr::null_mut()),
                    heavy: &raw mut *heavy,
                    block_index: geometry.block_index(number, rank),
                    warp: warp as u32,
                    lanes: lanes_of(geometry.threads(), warp),
                    ..frame
                });
            }
        }
    }
}

/// Schedules the warps until all have ended, or those that can run only poll for threads of other clusters.
fn run(
    heavy: *mut Heavy,
    job: &Job,
    fibres: &mut Fibres,
    frames: &mut [WarpFrame],
    blocks: &mut [Block],
    warps: usize,
) -> Result<Progress, Stop> {
    let frames = frames.as_mut_ptr();
    // SAFETY: the cluster and its frames belong to this thread and are pinned, and no reference to them is held while a fiber runs.
    unsafe {
        let all = (*heavy).count();
        let (mut is_patient, mut vain) = (true, 0);
        loop {
            let (mut is_over, mut ran, mut gave_way) = (true, false, false);
            let before = (*heavy).done;
            for number in 0..all {
                if (*heavy).has_ended(number) {
                    continue;
                }
                is_over = false;
                if !(*heavy).can_run(number, warps, is_patient) {
                    continue;
                }
                ran = true;
                match fibres.resume(number, job, frames.add(number)) {
                    Resumed::Waits => gave_way |= (*heavy).has_given_way(number),
                    Resumed::Ended(status) if status == Status::Done as i32 => {
                        (*heavy).end(number, warps);
                    }
                    Resumed::Ended(status) => {
                        let frame = &*frames.add(number);
                        return Err((*heavy).stop(job, frame, &mut blocks[number / warps], status));
                    }
                }
            }
            if is_over {
                return (*heavy).cluster.end().map(|()| Progress::Done);
            }
            // Warps that did something may have done what others wait for.
            vain = if gave_way && (*heavy).done == before { vain + 1 } else { 0 };
            if vain == PATIENT_ROUNDS {
                return Ok(Progress::GivesWay);
            }
            // Before a deadlock is reported, all warps query once more: lanes that had not queried yet may have another query.
            if !ran && !std::mem::take(&mut is_patient) && !(*heavy).hand_over_one() {
                return Err((*heavy).deadlock());
            }
            is_patient |= ran;
        }
    }
}

impl Heavy {
    fn stop(&mut self, job: &Job, frame: &WarpFrame, block: &mut Block, status: i32) -> Stop {
        if status == Status::Interrupted as i32 {
            let (pc, mask) = (frame.pc, frame.stopped);
            let threads = Threads { rank: frame.rank, warp: frame.warp as usize, pc, mask, active: mask };
            return self.cluster.out_of_time(TrapKind::Timeout, threads);
        }
        match self.stopped.take() {
            Some(stop) if status == Status::Noted as i32 => *stop,
            _ => block.stop(job, frame, status),
        }
    }

    fn turn(&mut self, frame: &WarpFrame) -> Option<&mut Turn> {
        self.warps.get_mut(frame.rank as usize * frame_warps(frame) + frame.warp as usize)
    }
}

/// Number of warps of the block of a frame.
fn frame_warps(frame: &WarpFrame) -> usize {
    // SAFETY: the launch outlives its frames.
    unsafe { (*frame.job).geometry.threads().div_ceil(WARP) }
}

/// Executes an instruction with the interpreter's runtime for threads of the warp: `mask` reach it, and for `active`
/// its guard is true; `live` have not exited. Operands and results are in the rows of the warp.
///
/// # Safety
/// The frame is that of a running warp.
pub(super) unsafe extern "C" fn step(
    frame: *mut WarpFrame,
    pc: u32,
    active: u32,
    mask: u32,
    live: u32,
) -> i32 {
    // SAFETY: the frame and its cluster, to which no reference is held while the fiber is suspended.
    unsafe {
        let threads = Threads { rank: (*frame).rank, warp: (*frame).warp as usize, pc, mask, active };
        loop {
            let heavy = &mut *(*frame).heavy;
            match heavy.cluster.execute(&threads, live) {
                Ok(Outcome::Done) => {
                    heavy.done += 1;
                    return Status::Done as i32;
                }
                Ok(Outcome::InVain) => {
                    (*frame).vain = pc + 1;
                    (*frame).questions += 1;
                    if let Some(turn) = heavy.turn(&*frame) {
                        turn.asks = Some((threads, live));
                    }
                    return Status::Done as i32;
                }
                Ok(Outcome::Waits) => {
                    heavy.done += 1;
                    (*(*frame).suspend).suspend(());
                    return Status::Done as i32;
                }
                Ok(Outcome::Again) => (*(*frame).suspend).suspend(()),
                Err(stop) => {
                    ((*frame).pc, (*frame).stopped) = (pc, 1 << (stop.lane % WARP));
                    heavy.stopped = Some(Box::new(stop));
                    return Status::Noted as i32;
                }
            }
        }
    }
}

/// Yields to other warps after unsuccessful queries, before the lanes repeat the query at this instruction. `repeats`
/// is whether they repeat the same query until another warp acts; `others` are lanes that code keeps waiting meanwhile.
///
/// # Safety
/// The frame is that of a running warp.
pub(super) unsafe extern "C" fn idle(
    frame: *mut WarpFrame,
    pc: u32,
    others: u32,
    _: u32,
    repeats: u32,
) -> i32 {
    // SAFETY: as above.
    unsafe {
        let heavy = &mut *(*frame).heavy;
        let done = heavy.done;
        let question = heavy.cluster.question((*frame).rank, (*frame).warp as usize);
        if let Some(turn) = heavy.turn(&*frame) {
            let is_same = turn.asks.is_some_and(|(threads, _)| threads.pc == pc);
            turn.since = (repeats != 0 && is_same).then_some(done);
            turn.waits_for = question.filter(|_| turn.since.is_some());
            turn.keeps = others != 0;
            turn.asked = (done, if turn.asked.0 == done { turn.asked.1 + 1 } else { 0 });
            let is_patient = turn.asked.1 <= PATIENCE;
            turn.hands_over = turn.keeps && !is_patient;
            if !turn.hands_over && !is_patient {
                // It may wait for lanes of another warp.
                heavy.hand_over_one();
            }
        }
        (*(*frame).suspend).suspend(());
        ((*frame).vain, (*frame).questions) = (0, 0);
        let heavy = &mut *(*frame).heavy;
        if let Some(turn) = heavy.turn(&*frame) {
            (turn.since, turn.waits_for, turn.keeps) = (None, None, false);
            if std::mem::take(&mut turn.hands_over) {
                (*frame).vain = HANDED_OVER;
            }
        }
    }
    Status::Done as i32
}

/// Yields to other warps, and to other clusters if none of this one can do anything else.
///
/// # Safety
/// The frame is that of a running warp.
pub(super) unsafe fn give_way_in_cluster(frame: *mut WarpFrame) -> i32 {
    // SAFETY: the frame and its cluster, to which no reference is held while the fiber is suspended.
    unsafe {
        let heavy = &mut *(*frame).heavy;
        if let Some(turn) = heavy.turn(&*frame) {
            turn.gave_way = true;
        }
        (*(*frame).suspend).suspend(());
    }
    Status::Done as i32
}

/// As [`arrive`](super::singly::arrive), where the interpreter's runtime executes barriers: the instruction, the threads at it, those for which its guard
/// holds, and those that have not exited.
///
/// # Safety
/// The frame is that of a running warp.
pub(super) unsafe fn arrive_in_cluster(
    frame: *mut WarpFrame,
    (pc, mask, active, live): (u32, u32, u32, u32),
    results: &mut [u32; WARP],
) -> i32 {
    // SAFETY: the frame and its cluster, to which nothing else refers now.
    unsafe {
        let frame = &mut *frame;
        let threads = Threads { rank: frame.rank, warp: frame.warp as usize, pc, mask, active };
        let heavy = &mut *frame.heavy;
        match heavy.cluster.arrive(&threads, live, results) {
            Ok((ready, arrives)) => {
                heavy.done += u64::from(arrives || ready != 0);
                frame.trues = ready;
                Status::Done as i32
            }
            Err(stop) => {
                (frame.pc, frame.stopped) = (pc, 1 << (stop.lane % WARP));
                heavy.stopped = Some(Box::new(stop));
                Status::Noted as i32
            }
        }
    }
}

/// As [`await_phase`](super::singly::await_phase), where the interpreter's runtime executes barriers.
///
/// # Safety
/// The frame is that of a running warp.
pub(super) unsafe fn await_phase_in_cluster(frame: *mut WarpFrame, live: u32) -> i32 {
    // SAFETY: the frame and its cluster, to which no reference is held while the fiber is suspended.
    unsafe {
        let (rank, warp) = ((*frame).rank, (*frame).warp as usize);
        let heavy = &mut *(*frame).heavy;
        heavy.cluster.left(rank, warp, live);
        if let (true, false) = heavy.cluster.awaits(rank, warp) {
            if let Some(turn) = heavy.turn(&*frame) {
                turn.awaits_phase = true;
            }
            (*(*frame).suspend).suspend(());
            let heavy = &mut *(*frame).heavy;
            if let Some(turn) = heavy.turn(&*frame) {
                turn.awaits_phase = false;
            }
        }
        let (_, is_over) = (*(*frame).heavy).cluster.awaits(rank, warp);
        i32::from(!is_over)
    }
}

/// As [`left`](super::singly::left), where the interpreter's runtime executes barriers.
///
/// # Safety
/// The frame is that of a running warp.
pub(super) unsafe fn left_in_cluster(frame: *mut WarpFrame, live: u32) {
    // SAFETY: the frame and its cluster, to which nothing else refers now.
    unsafe {
        let heavy = &mut *(*frame).heavy;
        heavy.done += 1;
        heavy.cluster.left((*frame).rank, (*frame).warp as usize, live);
    }
}

/// Hands the warp over to the interpreter: `places` contains the next instruction of each lane, `live` are those that have not exited.
///
/// # Safety
/// The frame is that of a running warp, `places` are 32 numbers, and all registers that the lanes may read are in the
/// rows of the warp. `local` is the local memory of the kernel (`code/local.rs`), or null if it has none.
pub(super) unsafe extern "C" fn hand_over(
    frame: *mut WarpFrame,
    places: *const u32,
    live: u32,
    local: *const u8,
) -> i32 {
    // SAFETY: the frame and its cluster, to which no reference is held while the fiber is suspended.
    unsafe {
        let (rank, warp) = ((*frame).rank, (*frame).warp as usize);
        let heavy = &mut *(*frame).heavy;
        let byte = |lane, at| if local.is_null() { 0 } else { *local.add(place_in_local(lane, at)) };
        heavy.cluster.take_over((rank, warp), &*places.cast::<[u32; WARP]>(), live, byte);
        if let Some(turn) = heavy.turn(&*frame) {
            *turn = Turn { is_interpreted: true, ..Turn::default() };
        }
        let mut in_vain = 0;
        loop {
            let heavy = &mut *(*frame).heavy;
            if (*(*frame).attention).load(Ordering::Relaxed) != 0 {
                let first = heavy.cluster.first_group(rank, warp);
                // Default: no thread is stopped if all have exited.
                ((*frame).pc, (*frame).stopped) = first.unwrap_or_default();
                return Status::Interrupted as i32;
            }
            let (run, did_something) = match heavy.cluster.run_warp(rank, warp) {
                Ok(run) => run,
                Err(stop) => {
                    // Default: the stop itself says that it is at no instruction.
                    ((*frame).pc, (*frame).stopped) = (stop.pc.unwrap_or(0), 1 << (stop.lane % WARP));
                    heavy.stopped = Some(Box::new(stop));
                    return Status::Noted as i32;
                }
            };
            heavy.done += u64::from(did_something);
            in_vain = if did_something { 0 } else { in_vain + 1 };
            if in_vain > PATIENCE && run == Run::Goes {
                heavy.hand_over_one();
            }
            if run == Run::Ended {
                return Status::Done as i32;
            }
            let done = heavy.done;
            if let Some(turn) = heavy.turn(&*frame) {
                turn.since = (run == Run::Stuck).then_some(done);
                turn.gave_way = !did_something && run == Run::Goes;
            }
            (*(*frame).suspend).suspend(());
        }
    }
}
