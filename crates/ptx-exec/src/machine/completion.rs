//! Issues asynchronous operations, and performs those in flight (`operation.rs`).

use super::block::BlockState;
use super::geometry::WarpId;
use super::grid::Grid;
use super::memory::{View, resolve};
use super::operation::{Bytes, Operation, Signal, Track};
use super::stop::Stop;
use super::warp::Warp;
use super::work::Work;
use crate::error::TrapKind;
use crate::launch::Completion;
use crate::memory::{Space, SpaceAddress};
use crate::program::{AsyncGroup, GroupAction, Mask, Row, lanes};

/// The register rows accessible to operations at some point of the machine.
pub(super) enum Registers<'a> {
    /// The rows of a frame of the running warp, which have been moved out of it.
    Running { warp: WarpId, frame: usize, rows: &'a mut [Row] },
    /// The rows of all warps of each block: no warp is running.
    All(&'a mut [Vec<Warp>]),
}

impl Registers<'_> {
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

impl View<'_> {
    /// Performs an operation or puts it in flight, depending on the launch's completion mode.
    pub(super) fn issue(&mut self, operation: Operation, registers: &mut Registers<'_>) -> Result<(), Stop> {
        if self.grid.completion == Completion::Eager {
            return self.perform(&operation, registers);
        }
        let pending = &mut self.block.cluster.pending;
        let group = match operation.track {
            Some((track, _)) => pending.open_group(track),
            // No thread waits for its group.
            None => 0,
        };
        let number = pending.issued;
        pending.issued += 1;
        let unseen = if Self::reads_shared(&operation.work) { self.block.unseen() } else { Bytes::default() };
        self.block.cluster.pending.operations.push(Operation { group, number, unseen, ..operation });
        Ok(())
    }

    pub(super) fn perform(
        &mut self,
        operation: &Operation,
        registers: &mut Registers<'_>,
    ) -> Result<(), Stop> {
        self.in_block_of(operation, |view| {
            view.perform_work(operation, registers.of(operation)?)?;
            match operation.signal {
                None => Ok(()),
                Some(Signal::Transactions(barrier, count)) => {
                    view.complete_transactions(operation.lane, barrier, count)
                }
                Some(Signal::Arrival(barrier)) => view.complete_arrival(operation.lane, barrier),
            }
        })
    }

    /// Runs an action as the block that issued an operation.
    fn in_block_of(
        &mut self,
        operation: &Operation,
        action: impl FnOnce(&mut Self) -> Result<(), TrapKind>,
    ) -> Result<(), Stop> {
        let running = self.block.rank;
        self.block.become_block(operation.warp.rank);
        let kept = self.block.put_former(&operation.unseen);
        let done = action(self);
        self.block.put_back(&operation.unseen, &kept);
        self.block.become_block(running);
        done.map_err(|kind| operation.stop(kind))
    }

    fn perform_work(&mut self, operation: &Operation, rows: &mut [Row]) -> Result<(), TrapKind> {
        match &operation.work {
            Work::Nothing => Ok(()),
            Work::Copy(copy) => self.perform_copy(copy).map_err(TrapKind::Fault),
            Work::Write(write) => self.perform_write(write).map_err(TrapKind::Fault),
            Work::Bulk(bulk) => self.perform_bulk(operation.lane, bulk),
            Work::Warpgroup(product) => self
                .perform_product(product, (operation.warp.index, operation.pc), rows)
                .map_err(TrapKind::Fault),
            Work::Tensor(tensor) => self.perform_tensor(tensor).map_err(TrapKind::Fault),
            Work::Tcgen05(work) => self.perform_tcgen05(work),
            Work::TensorStore(store) => self.perform_tensor_store(store),
        }
    }

    /// Reads the sources of an operation, so that only its writes remain.
    fn read_sources(&mut self, operation: &mut Operation) -> Result<(), Stop> {
        let (pc, mut work) = (operation.pc, std::mem::replace(&mut operation.work, Work::Nothing));
        let read = self.in_block_of(operation, |view| {
            match &mut work {
                Work::Nothing | Work::Copy(_) | Work::Write(_) | Work::Tcgen05(_) | Work::TensorStore(_) => {
                    Ok(())
                }
                Work::Bulk(bulk) => view.read_bulk(bulk),
                Work::Warpgroup(product) => view.read_factors(product, pc),
                Work::Tensor(tensor) => view.read_tensor(tensor),
            }
            .map_err(TrapKind::Fault)
        });
        operation.work = work;
        read
    }

    /// Whether an operation still has to read shared memory.
    fn reads_shared(work: &Work) -> bool {
        match work {
            Work::Nothing | Work::Copy(_) | Work::Write(_) | Work::TensorStore(_) => false,
            Work::Tcgen05(work) => work.reads_shared(),
            Work::Bulk(bulk) => bulk.reads_shared(),
            Work::Warpgroup(product) => product.reads_shared(),
            Work::Tensor(tensor) => tensor.reads_shared(),
        }
    }

    /// Performs the operations in flight selected by `which`, and those ordered before them.
    pub(super) fn complete(
        &mut self,
        registers: &mut Registers<'_>,
        which: impl Fn(&Operation) -> bool,
    ) -> Result<(), Stop> {
        let taken = self.block.cluster.pending.take(|operation| registers.has(operation) && which(operation));
        taken.iter().try_for_each(|operation| self.perform(operation, registers))
    }

    /// Lets operations complete between time slices of warps. `waiting` means that all warps of the cluster waited in
    /// this round, and `groups` is the maximum number of groups of threads in a warp.
    pub(super) fn advance(
        &mut self,
        registers: &mut Registers<'_>,
        waiting: bool,
        groups: usize,
    ) -> Result<(), Stop> {
        while let Some(random) = &mut self.block.cluster.pending.random
            && !self.block.cluster.pending.operations.is_empty()
            && random.completes()
        {
            self.complete_one(registers)?;
        }
        let pending = &mut self.block.cluster.pending;
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
            self.would_complete(**barrier, self.block.cluster.pending.demand(**barrier))
        };
        let ready: Vec<SpaceAddress> = wanted.iter().filter(is_enough).copied().collect();
        let signaled = |operation: &Operation, barriers: &[SpaceAddress]| match operation.signal {
            Some(Signal::Transactions(barrier, _) | Signal::Arrival(barrier)) => barriers.contains(&barrier),
            None => false,
        };
        for barriers in [ready, wanted] {
            if self.block.cluster.pending.operations.iter().any(|operation| signaled(operation, &barriers)) {
                return self.complete(registers, |operation| signaled(operation, &barriers));
            }
        }
        self.complete_all(registers)
    }

    /// Performs one of the operations, or only its reads.
    fn complete_one(&mut self, registers: &mut Registers<'_>) -> Result<(), Stop> {
        let pending = &mut self.block.cluster.pending;
        let Some(random) = &mut pending.random else { return Ok(()) };
        let at = random.below(pending.operations.len());
        let only_reads = random.below(4) == 0;
        let Some(operation) = pending.operations.get(at) else { return Ok(()) };
        let number = operation.number;
        if only_reads {
            let mut operation = operation.clone();
            self.read_sources(&mut operation)?;
            if let Some(place) = self.block.cluster.pending.operations.get_mut(at) {
                *place = operation;
            }
            return Ok(());
        }
        self.complete(registers, |operation| operation.number == number)
    }

    /// Performs the operations that were already in flight when the cluster was previously preempted.
    pub(super) fn put_aside(&mut self, registers: &mut Registers<'_>) -> Result<(), Stop> {
        let seen = std::mem::replace(&mut self.block.cluster.pending.seen, self.block.cluster.pending.issued);
        self.complete(registers, |operation| operation.number < seen)
    }

    /// Checks the operations of a block whose threads have exited. Its shared memory ends with it (manual 2.3), so none
    /// of its operations may read it any longer.
    pub(super) fn check_end(&self, rank: u32) -> Result<(), Stop> {
        let operations = &self.block.cluster.pending.operations;
        let is_unread =
            |operation: &&Operation| operation.warp.rank == rank && Self::reads_shared(&operation.work);
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
    pub(super) fn complete_all(&mut self, registers: &mut Registers<'_>) -> Result<(), Stop> {
        self.complete(registers, |_| true)
    }
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

impl Warp {
    /// Ends the time slice after an operation was put in flight, so that others run before it completes.
    pub(super) fn issued(&mut self, block: &BlockState) {
        if !block.cluster.pending.is_empty() {
            self.end_turn();
        }
    }

    /// Commits groups of operations, or performs those that are waited for.
    pub(super) fn group(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        group: AsyncGroup,
        active: Mask,
    ) -> Result<(), Stop> {
        if grid.completion == Completion::Eager {
            return Ok(());
        }
        let warp = self.id;
        let track = |lane: usize| Track { family: group.family, warp, lane };
        let most = match group.action {
            GroupAction::Commit | GroupAction::WaitForAll => {
                lanes(active).for_each(|lane| block.cluster.pending.close_group(track(lane)));
                None
            }
            GroupAction::Wait(most) | GroupAction::WaitForReads(most) => {
                Some(*most.of(rows, self.constants(grid)))
            }
        };
        // For each lane, the groups below this bound are waited for: `wait_group N` excludes the latest N committed
        // groups, and the number of the open group is that of the committed ones. The bound is 0, which excludes all,
        // for inactive lanes.
        let ends: Vec<u64> = (0..crate::program::WARP)
            .map(|lane| {
                let left = match most {
                    Some(most) => most[lane] & u64::from(u32::MAX),
                    // `wait_all`
                    None => 0,
                };
                let is_active = active >> lane & 1 == 1;
                if is_active { block.cluster.pending.open_group(track(lane)).saturating_sub(left) } else { 0 }
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
        let mut registers = Registers::Running { warp, frame, rows };
        let mut view = self.view(grid, block);
        match group.action {
            GroupAction::Commit => Ok(()),
            GroupAction::Wait(_) | GroupAction::WaitForAll => view.complete(&mut registers, is_waited_for),
            GroupAction::WaitForReads(_) => view.complete_reads(is_waited_for),
        }
    }
}

impl View<'_> {
    /// Reads the sources of the operations in flight selected by `which`.
    pub(super) fn complete_reads(&mut self, which: impl Fn(&Operation) -> bool) -> Result<(), Stop> {
        let mut operations = std::mem::take(&mut self.block.cluster.pending.operations);
        let mut chosen = operations.iter_mut().filter(|operation| which(operation));
        let read = chosen.try_for_each(|operation| self.read_sources(operation));
        self.block.cluster.pending.operations = operations;
        read
    }
}
