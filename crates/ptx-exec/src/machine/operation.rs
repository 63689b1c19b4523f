//! Asynchronous operations: issued by a thread, completed at a later point (manual 9.7.9.25.1, 8.9.1.1).
//!
//! An issued operation is an [`Operation`]: its effect ([`Work`], with every operand resolved: addresses, sizes and
//! register values), its ordering ([`Track`]) and its signal to an mbarrier on completion ([`Signal`]). It is passed to
//! `issue` (`completion.rs`). A launch with `Completion::Eager` performs it immediately; any other puts it into
//! the queue of its cluster (`pending.rs`), from which it is taken
//! - at a wait of its thread for its group (`group`);
//! - when every warp of the cluster waits, starting with operations that signal an awaited mbarrier (`advance`);
//! - when the cluster has run for long, as memory changes in finite time, and when the cluster ends;
//! - with `Completion::Random` also at any other point.
//!
//! Memory is read when an operation is performed, or when a wait for its reads ends; which writes to shared memory the
//! asynchronous proxy does not see yet is modelled separately (`proxy.rs`).
//!
//! To add an operation: an arm of [`Work`] that contains its resolved operands, an arm of `perform_work` (`perform/`) that
//! performs it on memory, and in the instruction a call of `issue` for each thread (or once per warp, as lane 0)
//! instead of the work itself. If the operation
//! - is waited for in groups: a [`Family`], and `Effect::AsyncGroup` for its `commit` and `wait`;
//! - signals an mbarrier: a [`Signal`], which follows the work. An instruction that only signals the completion of
//!   other operations has [`Work::Nothing`], the track of the others and `Order::AfterEarlier`;
//! - may not overtake earlier ones of its kind (products that accumulate into the same place): a track and `Order::AfterEarlier`;
//! - writes registers: `registers` gives the frame. It is then performed only where the rows of its warp are
//!   accessible, which are passed to `perform_work`.

use ptx_program::Family;
use ptx_program::memory::SpaceAddress;

use super::geometry::WarpId;
use super::stop::Stop;
use super::work::Work;
use crate::error::TrapKind;

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
    pub(super) unseen: Bytes,
    /// The group in its track.
    pub(super) group: u64,
    /// Sequence number in the cluster.
    pub(super) number: u64,
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

    pub(super) fn stop(&self, kind: TrapKind) -> Stop {
        Stop { warp: Some(self.warp), ..Stop::at(kind, self.pc, self.lane) }
    }
}

/// Bytes of shared memory with their offsets, ascending.
pub(super) type Bytes = Box<[(u32, u8)]>;
