//! Asynchronous operations: issued by a thread, completed at a later point (manual 9.7.9.25.1, 8.9.1.1).
//!
//! An issued operation is an [`Operation`]: its effect ([`Work`], with every operand resolved: addresses, sizes and
//! register values), its ordering ([`Track`]) and its signal to an mbarrier on completion ([`Signal`]). It is passed to
//! [`View::issue`]. A launch with [`Completion::Eager`] performs it immediately; any other puts it into the [`Pending`]
//! queue of its cluster, from which it is taken
//! - at a wait of its thread for its group ([`Warp::group`]);
//! - when every warp of the cluster waits, starting with operations that signal an awaited mbarrier ([`View::advance`]);
//! - when the cluster has run for long, as memory changes in finite time, and when the cluster ends;
//! - with [`Completion::Random`] also at any other point.
//!
//! Memory is read when an operation is performed, or when a wait for its reads ends; which writes to shared memory the
//! asynchronous proxy does not see yet is modelled separately (`proxy.rs`).
//!
//! To add an operation: an arm of [`Work`] that contains its resolved operands, an arm of `View::perform_work` that
//! performs it on memory, and in the instruction a call of `View::issue` for each thread (or once per warp, as lane 0)
//! instead of the work itself. If the operation
//! - is waited for in groups: a [`Family`], and `Effect::AsyncGroup` for its `commit` and `wait`;
//! - signals an mbarrier: a [`Signal`], which follows the work. An instruction that only signals the completion of
//!   other operations has [`Work::Nothing`], the track of the others and `Order::AfterEarlier`;
//! - may not overtake earlier ones of its kind (products that accumulate into the same place): a track and `Order::AfterEarlier`;
//! - writes registers: `registers` gives the frame. It is then performed only where the rows of its warp are
//!   accessible, which are passed to `View::perform_work`.

use std::collections::BTreeMap;

use super::async_write::WriteWork;
use super::block::BlockState;
use super::bulk::BulkWork;
use super::copy::CopyWork;
use super::grid::Grid;
use super::memory::{View, resolve};
use super::proxy::Bytes;
use super::tcgen05::{Tcgen05Work, TensorStore};
use super::tensor::TensorWork;
use super::warp::{Warp, WarpId};
use super::wgmma::WarpgroupWork;
use super::{Stop, mbarrier::Demand};
use crate::error::TrapKind;
use crate::launch::Completion;
use crate::memory::Space;
use crate::program::{AsyncGroup, Family, GroupAction, Mask, Row, lanes};

/// An address with a resolved space, never a generic one.
pub(super) type SpaceAddress = (Space, u64);

/// The effect of an operation when it is performed.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// No effect except the signal.
    Nothing,
    /// `cp.async`.
    Copy(CopyWork),
    /// `st.async`, `red.async`.
    Write(WriteWork),
    /// `cp.async.bulk`, `cp.reduce.async.bulk`.
    Bulk(BulkWork),
    /// `wgmma.mma_async`.
    Warpgroup(Box<WarpgroupWork>),
    /// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`.
    Tensor(TensorWork),
    /// `tcgen05.mma`, `tcgen05.cp`, `tcgen05.shift`.
    Tcgen05(Box<Tcgen05Work>),
    /// `tcgen05.st`.
    TensorStore(Box<TensorStore>),
}

/// Identifies the operations of one family issued by a thread or warp.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Track {
    pub(super) family: Family,
    pub(super) warp: WarpId,
    /// 0 for families whose operations are issued per warp.
    pub(super) lane: usize,
}

/// Ordering of an operation relative to earlier ones of its track.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// Unordered.
    Free,
    /// Performed after all earlier ones of the track.
    AfterEarlier,
}

/// The signal to an mbarrier when an operation completes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Signal {
    /// Completion of this many transactions.
    Transactions(SpaceAddress, u64),
    /// An arrival.
    Arrival(SpaceAddress),
}

/// An issued operation.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) work: Work,
    /// `None` if only a signal reports its completion.
    pub(super) track: Option<(Track, Order)>,
    pub(super) signal: Option<Signal>,
    /// The frame of its warp whose rows it reads or writes, if any.
    pub(super) registers: Option<usize>,
    /// The issuing thread and instruction.
    pub(super) warp: WarpId,
    pub(super) lane: usize,
    pub(super) pc: u32,
    /// Contents of shared memory that it sees in place of earlier writes by threads.
    unseen: Bytes,
    /// The group in its track.
    group: u64,
    /// Sequence number in the cluster.
    number: u64,
}

impl Operation {
    /// An operation tracked by no group and no mbarrier.
    pub(super) fn new(work: Work, (warp, lane, pc): (WarpId, usize, u32)) -> Self {
        Self {
            work,
            track: None,
            signal: None,
            registers: None,
            warp,
            lane,
            pc,
            unseen: Bytes::default(),
            group: 0,
            number: 0,
        }
    }

    /// Sets the frame of its warp whose rows it reads and writes.
    pub(super) fn with_registers(self, frame: usize) -> Self {
        Self { registers: Some(frame), ..self }
    }

    /// Adds it to the open group of its thread.
    pub(super) fn grouped(self, family: Family, order: Order) -> Self {
        let track = Track { family, warp: self.warp, lane: self.lane };
        Self { track: Some((track, order)), ..self }
    }

    /// Sets its signal.
    pub(super) fn signals(self, signal: Signal) -> Self {
        Self { signal: Some(signal), ..self }
    }

    fn stop(&self, kind: TrapKind) -> Stop {
        Stop { warp: Some(self.warp), ..Stop::at(kind, self.pc, self.lane) }
    }
}

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
    fn of(&mut self, operation: &Operation) -> &mut [Row] {
        let rows = match (operation.registers, self) {
            (None, _) => None,
            (Some(_), Registers::Running { rows, .. }) => Some(&mut **rows),
            (Some(frame), Registers::All(warps)) => warps
                .get_mut(operation.warp.rank as usize)
                .and_then(|warps| warps.get_mut(operation.warp.index))
                .and_then(|warp| warp.frames.get_mut(frame))
                .map(|frame| frame.rows.as_mut_slice()),
        };
        rows.unwrap_or_default()
    }
}

/// Incomplete operations of a cluster.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) operations: Vec<Operation>,
    /// The number of the open group of each track, if it is not 0.
    open: BTreeMap<Track, u64>,
    issued: u64,
    /// Number of operations issued when the cluster was last preempted.
    seen: u64,
    /// Mbarriers that were queried unsuccessfully since an operation completed.
    wanted: Vec<SpaceAddress>,
    /// Number of rounds in which all warps waited.
    idle: usize,
    random: Option<Random>,
}

/// A random number generator (splitmix64), and the completion rate of operations.
#[derive(Clone, Copy, Debug)]
struct Random {
    state: u64,
    /// Out of 64.
    rate: u64,
}

impl Random {
    fn new(seed: u64, cluster: u64) -> Self {
        let mut random = Self { state: seed ^ cluster.wrapping_mul(0xd134_2543_de82_ef95), rate: 0 };
        random.rate = [56, 32, 8, 1][random.below(4)];
        random
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`, which must not be 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn completes(&mut self) -> bool {
        self.next() % 64 < self.rate
    }
}

/// Maximum time slice of a warp, in instructions, while operations complete at random.
const LONGEST_TURN: usize = 64;

impl Pending {
    /// The queue of a cluster of the grid.
    pub(super) fn new(completion: Completion, cluster: u64) -> Self {
        let random = match completion {
            Completion::Random(seed) => Some(Random::new(seed, cluster)),
            Completion::Eager | Completion::Late => None,
        };
        Self { random, ..Self::default() }
    }

    /// Whether no operation is in flight.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The time slice of a warp in instructions, `longest` by default.
    pub(super) fn turn(&mut self, longest: u64) -> u64 {
        match &mut self.random {
            Some(random) if !self.operations.is_empty() => random.below(LONGEST_TURN) as u64 + 1,
            _ => longest,
        }
    }

    /// Whether accesses that the program failed to order are performed in the wrong order.
    pub(super) fn is_disordered(&mut self) -> bool {
        self.random.as_mut().is_none_or(|random| random.below(2) == 0)
    }

    /// Records that a thread queried an mbarrier whose phase is not complete.
    pub(super) fn want(&mut self, barrier: SpaceAddress) {
        if !self.wanted.contains(&barrier) {
            self.wanted.push(barrier);
        }
    }

    fn open_group(&self, track: Track) -> u64 {
        self.open.get(&track).copied().unwrap_or(0)
    }

    fn close_group(&mut self, track: Track) {
        *self.open.entry(track).or_default() += 1;
    }

    /// The signals of all operations in flight to an mbarrier.
    fn demand(&self, barrier: SpaceAddress) -> Demand {
        let mut demand = Demand::default();
        for operation in &self.operations {
            match operation.signal {
                Some(Signal::Transactions(at, count)) if at == barrier => demand.transactions += count,
                Some(Signal::Arrival(at)) if at == barrier => demand.arrivals += 1,
                _ => {}
            }
        }
        demand
    }

    /// Removes the operations selected by `which`, and those ordered before them, in order of issue.
    pub(super) fn take(&mut self, which: impl Fn(&Operation) -> bool) -> Vec<Operation> {
        // For each track the last selected operation that may not overtake others; all earlier ones of the track are
        // included. Two passes, since selected operations are in no particular order among the others.
        let mut until: BTreeMap<Track, u64> = BTreeMap::new();
        for operation in self.operations.iter().filter(|operation| which(operation)) {
            if let Some((track, Order::AfterEarlier)) = operation.track {
                let last = until.entry(track).or_default();
                *last = (*last).max(operation.number);
            }
        }
        let is_before = |operation: &Operation| {
            let last = operation.track.and_then(|(track, _)| until.get(&track));
            last.is_some_and(|&last| operation.number <= last)
        };
        let mut taken: Vec<Operation> =
            self.operations.extract_if(.., |operation| which(operation) || is_before(operation)).collect();
        taken.sort_by_key(|operation| operation.number);
        if !taken.is_empty() {
            self.idle = 0;
            self.wanted.clear();
        }
        taken
    }
}

impl View<'_> {
    /// Performs an operation or puts it in flight, depending on the launch's completion mode.
    pub(super) fn issue(&mut self, operation: Operation, registers: &mut Registers<'_>) -> Result<(), Stop> {
        if self.grid.completion == Completion::Eager {
            return self.perform(&operation, registers);
        }
        let pending = &mut self.block.cluster.pending;
        let group = operation.track.map_or(0, |(track, _)| pending.open_group(track));
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
            view.perform_work(operation, registers.of(operation))?;
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
                let left = most.map_or(0, |most| most[lane] & u64::from(u32::MAX));
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
