//! Issues asynchronous operations, and decides when those in flight are performed (`operation.rs`).

use ptx_program::memory::{Space, SpaceAddress};
use ptx_program::{AsyncGroup, GroupAction, Row, WARP, lanes};

use super::at::{At, Operands};
use super::geometry::WarpId;
use super::grid::Grid;
use super::mbarrier_access::{complete_arrival, complete_transactions, would_complete};
use super::memory::{View, resolve};
use super::operation::{Bytes, Operation, Signal, Track};
use super::perform::{perform_work, read_work, reads_shared};
use super::stop::Stop;
use super::warp::Warp;
use super::work::Work;
use crate::error::TrapKind;
use crate::launch::Completion;

/// The register rows accessible to operations at some point of the machine.
pub(super) enum Registers<'a> {
    /// The rows of a frame of the running warp, which have been moved out of it.
    Running { warp: WarpId, frame: usize, rows: &'a mut [Row] },
    /// The rows of all warps of each block: no warp is running.
    All(&'a mut [Vec<Warp>]),
}

impl<'a> Registers<'a> {
    /// The rows of the running warp.
    pub(super) fn running(operands: &'a mut Operands<'_>) -> Self {
        Self::Running { warp: operands.warp, frame: operands.frame, rows: operands.rows }
    }

    /// Whether the rows of an operation are accessible.
    fn has(&self, operation: &Operation) -> bool {
        match (operation.registers, self) {
            (None, _) => true,
            (Some(wanted), Registers::Running { warp, frame, .. }) => {
                (operation.warp, wanted) == (*warp, *frame)
            }
            (Some(_), Registers::All(_)) => true,
        }
    }

    /// The rows of an operation.
    fn of(&mut self, operation: &Operation) -> Result<&mut [Row], TrapKind> {
        let rows = match (operation.registers, self) {
            (None, _) => return Ok(&mut []),
            (Some(_), Registers::Running { rows, .. }) => Some(&mut **rows),
            (Some(frame), Registers::All(warps)) => warps
                .get_mut(operation.warp.rank as usize)
                .and_then(|warps| warps.get_mut(operation.warp.index))
                .and_then(|warp| warp.frames.get_mut(frame))
                .map(|frame| frame.rows.as_mut_slice()),
        };
        rows.ok_or_else(|| {
            TrapKind::Defect("an operation on registers of a call that has returned".to_owned())
        })
    }
}

/// Performs an operation or puts it in flight, depending on the launch's completion mode.
pub(super) fn issue(
    view: &mut View<'_>,
    operation: Operation,
    registers: &mut Registers<'_>,
) -> Result<(), Stop> {
    if view.grid.completion == Completion::Eager {
        return perform(view, &operation, registers);
    }
    let pending = &mut view.block.cluster.pending;
    let group = match operation.track {
        Some((track, _)) => pending.open_group(track),
        // No thread waits for its group.
        None => 0,
    };
    let number = pending.issued;
    pending.issued += 1;
    let unseen = if reads_shared(&operation.work) { view.block.unseen() } else { Bytes::default() };
    view.block.cluster.pending.operations.push(Operation { group, number, unseen, ..operation });
    Ok(())
}

pub(super) fn perform(
    view: &mut View<'_>,
    operation: &Operation,
    registers: &mut Registers<'_>,
) -> Result<(), Stop> {
    in_block_of(view, operation, |view| {
        perform_work(view, operation, registers.of(operation)?)?;
        match operation.signal {
            None => Ok(()),
            Some(Signal::Transactions(barrier, count)) => {
                complete_transactions(view, operation.lane, barrier, count)
            }
            Some(Signal::Arrival(barrier)) => complete_arrival(view, operation.lane, barrier),
        }
    })
}

/// Runs an action as the block that issued an operation.
fn in_block_of(
    view: &mut View<'_>,
    operation: &Operation,
    action: impl FnOnce(&mut View<'_>) -> Result<(), TrapKind>,
) -> Result<(), Stop> {
    let running = view.block.rank;
    view.block.become_block(operation.warp.rank);
    let kept = view.block.put_former(&operation.unseen);
    let done = action(view);
    view.block.put_back(&operation.unseen, &kept);
    view.block.become_block(running);
    done.map_err(|kind| operation.stop(kind))
}

/// Reads the sources of an operation, so that only its writes remain.
fn read_sources(view: &mut View<'_>, operation: &mut Operation) -> Result<(), Stop> {
    let (pc, mut work) = (operation.pc, std::mem::replace(&mut operation.work, Work::Nothing));
    let read = in_block_of(view, operation, |view| read_work(view, &mut work, pc).map_err(TrapKind::Fault));
    operation.work = work;
    read
}

/// Performs the operations in flight selected by `which`, and those ordered before them.
pub(super) fn complete(
    view: &mut View<'_>,
    registers: &mut Registers<'_>,
    which: impl Fn(&Operation) -> bool,
) -> Result<(), Stop> {
    let taken = view.block.cluster.pending.take(|operation| registers.has(operation) && which(operation));
    taken.iter().try_for_each(|operation| perform(view, operation, registers))
}

/// Lets operations complete between time slices of warps. `waiting` means that all warps of the cluster waited in
/// this round, and `groups` is the maximum number of groups of threads in a warp.
pub(super) fn advance(
    view: &mut View<'_>,
    registers: &mut Registers<'_>,
    waiting: bool,
    groups: usize,
) -> Result<(), Stop> {
    while let Some(random) = &mut view.block.cluster.pending.random
        && !view.block.cluster.pending.operations.is_empty()
        && random.completes()
    {
        complete_one(view, registers)?;
    }
    let pending = &mut view.block.cluster.pending;
    pending.idle = if waiting { pending.idle + 1 } else { 0 };
    if pending.operations.is_empty() || pending.idle <= groups {
        return Ok(());
    }
    // Every group had its time slice and waits: for an mbarrier that is signalled by operations in flight, or for
    // memory that one of them writes. With late completion only the necessary ones are performed: first operations
    // signalling mbarriers that are queried and would be completed by them, then those signalling any queried
    // mbarrier, then all. So a program that waits for the wrong mbarrier reads stale data.
    let wanted = std::mem::take(&mut pending.wanted);
    let is_enough = |barrier: &&SpaceAddress| {
        would_complete(view, **barrier, view.block.cluster.pending.demand(**barrier))
    };
    let ready: Vec<SpaceAddress> = wanted.iter().filter(is_enough).copied().collect();
    let signaled = |operation: &Operation, barriers: &[SpaceAddress]| match operation.signal {
        Some(Signal::Transactions(barrier, _) | Signal::Arrival(barrier)) => barriers.contains(&barrier),
        None => false,
    };
    for barriers in [ready, wanted] {
        if view.block.cluster.pending.operations.iter().any(|operation| signaled(operation, &barriers)) {
            return complete(view, registers, |operation| signaled(operation, &barriers));
        }
    }
    complete_all(view, registers)
}

/// Performs one of the operations, or only its reads.
fn complete_one(view: &mut View<'_>, registers: &mut Registers<'_>) -> Result<(), Stop> {
    let pending = &mut view.block.cluster.pending;
    let Some(random) = &mut pending.random else { return Ok(()) };
    let at = random.below(pending.operations.len());
    let only_reads = random.below(4) == 0;
    let Some(operation) = pending.operations.get(at) else { return Ok(()) };
    let number = operation.number;
    if only_reads {
        let mut operation = operation.clone();
        read_sources(view, &mut operation)?;
        if let Some(place) = view.block.cluster.pending.operations.get_mut(at) {
            *place = operation;
        }
        return Ok(());
    }
    complete(view, registers, |operation| operation.number == number)
}

/// Performs the operations that were already in flight when the cluster was previously preempted.
pub(super) fn put_aside(view: &mut View<'_>, registers: &mut Registers<'_>) -> Result<(), Stop> {
    let seen = std::mem::replace(&mut view.block.cluster.pending.seen, view.block.cluster.pending.issued);
    complete(view, registers, |operation| operation.number < seen)
}

/// Checks the operations of a block whose threads have exited. Its shared memory ends with it (manual 2.3), so none
/// of its operations may read it any longer.
pub(super) fn check_end(view: &View<'_>, rank: u32) -> Result<(), Stop> {
    let operations = &view.block.cluster.pending.operations;
    let is_unread = |operation: &&Operation| operation.warp.rank == rank && reads_shared(&operation.work);
    let Some(operation) = operations.iter().find(is_unread) else { return Ok(()) };
    let wait = match operation.work {
        Work::Warpgroup(_) => "wgmma.wait_group",
        Work::Tcgen05(_) => "tcgen05.commit",
        _ if operation.signal.is_some() => "mbarrier.try_wait",
        Work::Nothing
        | Work::Copy(_)
        | Work::Write(_)
        | Work::Bulk(_)
        | Work::Tensor(_)
        | Work::TensorStore(_) => "cp.async.bulk.wait_group.read",
    };
    Err(operation.stop(TrapKind::Misuse(format!(
        "the block ends while an asynchronous operation may still read its shared memory; wait for it with `{wait}`"
    ))))
}

/// Performs all operations in flight.
pub(super) fn complete_all(view: &mut View<'_>, registers: &mut Registers<'_>) -> Result<(), Stop> {
    complete(view, registers, |_| true)
}

/// The address of an operand accessed by an asynchronous operation.
pub(super) fn operand_address(
    grid: &Grid<'_>,
    space: Space,
    address: u64,
    size: u32,
) -> Result<SpaceAddress, TrapKind> {
    match resolve(grid, space, address, size).map_err(TrapKind::Fault)? {
        (Space::Local, address) => Err(in_local_memory(address)),
        found => Ok(found),
    }
}

/// The trap for an asynchronous operation on a local memory address.
pub(super) fn in_local_memory(address: u64) -> TrapKind {
    TrapKind::Misuse(format!("an asynchronous operation cannot access local memory, where {address:#x} is"))
}

/// Commits groups of operations, or performs those that are waited for.
pub(super) fn group(at: &mut At<'_>, group: AsyncGroup) -> Result<(), Stop> {
    if at.grid.completion == Completion::Eager {
        return Ok(());
    }
    let (mut view, mut operands, place) = at.split();
    let warp = operands.warp;
    let pending = &mut view.block.cluster.pending;
    let track = |lane: usize| Track { family: group.family, warp, lane };
    let most = match group.action {
        GroupAction::Commit | GroupAction::WaitForAll => {
            lanes(place.active).for_each(|lane| pending.close_group(track(lane)));
            None
        }
        GroupAction::Wait(most) | GroupAction::WaitForReads(most) => Some(operands.row(most)),
    };
    // For each lane, the groups below this bound are waited for: `wait_group N` excludes the latest N committed
    // groups, and the number of the open group is that of the committed ones. The bound is 0, which excludes all,
    // for inactive lanes.
    let ends: Vec<u64> = (0..WARP)
        .map(|lane| {
            let left = match most {
                Some(most) => most[lane] & u64::from(u32::MAX),
                // `wait_all`
                None => 0,
            };
            let is_active = place.active >> lane & 1 == 1;
            if is_active { pending.open_group(track(lane)).saturating_sub(left) } else { 0 }
        })
        .collect();
    let is_waited_for = |operation: &Operation| {
        operation.track.is_some_and(|(track, _)| {
            (track.family, track.warp) == (group.family, warp)
                // An operation that only signals the completion of others is in no group.
                && !matches!(operation.work, Work::Nothing)
                && ends.get(track.lane).is_some_and(|&end| operation.group < end)
        })
    };
    match group.action {
        GroupAction::Commit => Ok(()),
        GroupAction::Wait(_) | GroupAction::WaitForAll => {
            complete(&mut view, &mut Registers::running(&mut operands), is_waited_for)
        }
        GroupAction::WaitForReads(_) => complete_reads(&mut view, is_waited_for),
    }
}

/// Reads the sources of the operations in flight selected by `which`.
pub(super) fn complete_reads(view: &mut View<'_>, which: impl Fn(&Operation) -> bool) -> Result<(), Stop> {
    let mut operations = std::mem::take(&mut view.block.cluster.pending.operations);
    let mut chosen = operations.iter_mut().filter(|operation| which(operation));
    let read = chosen.try_for_each(|operation| read_sources(view, operation));
    view.block.cluster.pending.operations = operations;
    read
}
