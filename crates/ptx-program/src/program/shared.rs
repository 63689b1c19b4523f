//! Barriers in shared memory (mbarriers), and copies that signal them (manual 9.7.13.15, 9.7.9.25.4).

use super::{Address, Combine, Dst, Src};
use crate::memory::Space;

/// Whether an arrival may complete the phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Completion {
    /// The arrival may be the last one.
    Allowed,
    /// `.noComplete`.
    Forbidden,
}

/// Whether an arrival also drops out of later phases.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Stay {
    /// Later phases expect the thread, too.
    Stays,
    /// `arrive_drop`: decrements the expected arrivals of later phases.
    Leaves,
}

/// The layout an mbarrier is initialized with. Layouts only differ in the result of `mbarrier.check_layout` here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum BarrierLayout {
    /// `.layout::v0`
    V0,
    /// `.layout::v1`
    V1,
}

/// An operation on an mbarrier.
#[derive(Clone, Copy, Debug, Hash)]
pub enum MbarrierAction {
    /// `mbarrier.init`, with the expected arrival count.
    Init(Src, BarrierLayout),
    /// `mbarrier.check_layout`: whether it was initialized with this layout.
    HasLayout(BarrierLayout),
    /// `mbarrier.inval`.
    Invalidate,
    /// `mbarrier.expect_tx`: increments the tx-count.
    Expect(Src),
    /// `mbarrier.complete_tx`: decrements the tx-count.
    Complete(Src),
    /// `mbarrier.arrive`, preceded by an expect-tx operation if `transactions` is given.
    Arrive {
        /// Number of arrivals.
        count: Src,
        /// What the tx-count is incremented by first.
        transactions: Option<Src>,
        /// Whether it may complete the phase.
        completion: Completion,
        /// Whether later phases expect the thread.
        stay: Stay,
    },
    /// `cp.async.mbarrier.arrive`: arrives when all prior `cp.async` of the thread are complete.
    ArriveOfCopies,
    /// `cp.async.mbarrier.arrive.noinc`.
    ArriveOfCopiesCounted,
    /// Whether the phase identified by a state is complete.
    IsOver(Src),
    /// Whether the primary phase of a parity is complete.
    IsOverParity(Src),
    /// Whether the conditional phase of a parity is complete: one that ended without a report.
    IsOverConditional(Src),
}

/// An `mbarrier` operation on an object.
#[derive(Clone, Debug, Hash)]
pub struct Mbarrier {
    /// The address of the object.
    pub address: Address,
    /// The operation.
    pub action: MbarrierAction,
    /// The state before an arrival, whether the phase is complete, or whether the layout matches.
    pub dst: Option<Dst>,
    /// For a wait: whether something was reported in the completed phase, and the report.
    pub report: Option<[Dst; 2]>,
    /// The blocks of the cluster on whose mbarriers the operation is performed.
    pub blocks: Option<Src>,
}

/// The data that a bulk copy reports to its mbarrier (manual 9.4, 9.7.10.28.1.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Inspection {
    /// One element of the given width in each 16 bytes whose only set bit is the highest: negative zero.
    Sampled(u32),
    /// Each element that has all bits set.
    Ones,
}

/// The source of a bulk operation.
#[derive(Clone, Copy, Debug, Hash)]
pub enum BulkSource {
    /// Memory at this address; with a mask only the bytes of each 16 whose bit is set.
    Memory {
        /// The address of the first byte.
        from: Address,
        /// The mask of the bytes of each 16 that are copied.
        mask: Option<Src>,
    },
    /// Memory at this address, without the given numbers of bytes at its beginning and end.
    Within {
        /// The address of the first byte, ignored ones included.
        from: Address,
        /// Numbers of bytes that are not copied at the beginning and at the end.
        ignored: [Src; 2],
    },
    /// `cp.reduce.async.bulk`: each element of `element` bytes is combined with the destination.
    Combined {
        /// The address of the first element.
        from: Address,
        /// The operation.
        combine: Combine,
        /// Bytes of an element.
        element: u32,
    },
    /// `st.bulk`: zeros.
    Zeros,
}

/// `cp.async.bulk`, `cp.reduce.async.bulk`, `st.bulk`.
#[derive(Clone, Debug, Hash)]
pub struct Bulk {
    /// The address of the first byte written.
    pub to: Address,
    /// What is written.
    pub source: BulkSource,
    /// Bytes.
    pub size: Src,
    /// Granularity of the size and the addresses.
    pub unit: u64,
    /// The mbarrier that counts the bytes.
    pub barrier: Option<Address>,
    /// The report on the data to the mbarrier.
    pub inspection: Option<Inspection>,
    /// Whether the destination is a multimem address.
    pub is_multimem: bool,
    /// The blocks of the cluster that receive the data of a multicast.
    pub blocks: Option<Src>,
}

/// Traps if the address is in none of the given spaces.
#[derive(Clone, Debug, Hash)]
pub struct Within {
    /// The address.
    pub address: Address,
    /// The spaces that it may be in.
    pub spaces: &'static [Space],
}

/// An operation on a thread's stack (manual 9.7.17).
#[derive(Clone, Copy, Debug, Hash)]
pub enum Stack {
    /// `stacksave`
    Save {
        /// The destination of the stack pointer.
        d: Dst,
    },
    /// `stackrestore`
    Restore {
        /// The saved stack pointer.
        a: Src,
    },
    /// The alignment is at least 8.
    Allocate {
        /// The destination of the address.
        d: Dst,
        /// Size in bytes.
        size: Src,
        /// Alignment in bytes.
        align: u64,
    },
}
