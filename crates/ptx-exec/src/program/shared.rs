//! Barriers in shared memory, and copies whose bytes they count (manual 9.7.13.15, 9.7.9.25.4).

use super::{Address, Combine, Dst, Src};
use crate::memory::Space;

/// Whether arrivals may complete the phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Completion {
    Allowed,
    /// `.noComplete`.
    Forbidden,
}

/// Whether an arrival is for later phases too.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Stay {
    Stays,
    /// `arrive_drop`: later phases do not wait for it.
    Leaves,
}

/// What a barrier is made with; nothing but the question for it tells them apart here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum BarrierLayout {
    V0,
    V1,
}

/// What is done to a barrier in shared memory.
#[derive(Clone, Copy, Debug, Hash)]
pub enum MbarrierAction {
    /// `mbarrier.init`, for so many arrivals.
    Init(Src, BarrierLayout),
    /// `mbarrier.check_layout`: whether it was made with this one.
    HasLayout(BarrierLayout),
    /// `mbarrier.inval`.
    Invalidate,
    /// `mbarrier.expect_tx`: so many more transactions.
    Expect(Src),
    /// `mbarrier.complete_tx`: so many are done.
    Complete(Src),
    /// `mbarrier.arrive`, after expecting transactions where there are some.
    Arrive { count: Src, transactions: Option<Src>, completion: Completion, stay: Stay },
    /// `cp.async.mbarrier.arrive`: when the thread's `cp.async` so far are done.
    ArriveOfCopies,
    /// The same with `.noinc`.
    ArriveOfCopiesCounted,
    /// Whether the phase of a state is over.
    IsOver(Src),
    /// Whether the primary phase of a parity is over.
    IsOverParity(Src),
    /// Whether the conditional phase of a parity is over: one that ended without a report.
    IsOverConditional(Src),
}

/// `mbarrier` on an object.
#[derive(Clone, Debug, Hash)]
pub struct Mbarrier {
    pub address: Address,
    pub action: MbarrierAction,
    /// The state before an arrival, whether the phase is over, or whether the layout is the one.
    pub dst: Option<Dst>,
    /// Of a wait: whether something was reported in the phase that is over, and what.
    pub report: Option<[Dst; 2]>,
    /// The blocks of the cluster at whose barriers it is done.
    pub blocks: Option<Src>,
}

/// Which data a bulk copy reports to its barrier (manual 9.4, 9.7.10.28.1.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Inspection {
    /// An element of so many bits of each 16 bytes, of which only the highest is set: the negative zero.
    Sampled(u32),
    /// Each element, with all bits set.
    Ones,
}

/// What a bulk operation brings to its destination.
#[derive(Clone, Copy, Debug, Hash)]
pub enum BulkSource {
    /// Memory at this address; with a mask only those bytes of each 16 whose bit is set.
    Memory { from: Address, mask: Option<Src> },
    /// The same without so many bytes at its beginning and at its end.
    Within { from: Address, ignored: [Src; 2] },
    /// `cp.reduce.async.bulk`: each element of so many bytes is combined with what the destination holds.
    Combined { from: Address, combine: Combine, element: u32 },
    /// `st.bulk`: zeros.
    Zeros,
}

/// `cp.async.bulk`, `cp.reduce.async.bulk`, `st.bulk`.
#[derive(Clone, Debug, Hash)]
pub struct Bulk {
    pub to: Address,
    pub source: BulkSource,
    /// Bytes.
    pub size: Src,
    /// What the size and the addresses are multiples of.
    pub unit: u64,
    /// The barrier that counts the bytes.
    pub barrier: Option<Address>,
    /// What the barrier is told of the data.
    pub inspection: Option<Inspection>,
    /// Whether it goes to all places of a multimem address.
    pub is_multimem: bool,
    /// The blocks of the cluster that get it; it has one block.
    pub blocks: Option<Src>,
}

/// Stops a thread whose address is in none of the spaces.
#[derive(Clone, Debug, Hash)]
pub struct Within {
    pub address: Address,
    pub spaces: &'static [Space],
}

/// What is done to a thread's stack (manual 9.7.17).
#[derive(Clone, Copy, Debug, Hash)]
pub enum Stack {
    Save {
        d: Dst,
    },
    Restore {
        a: Src,
    },
    /// An alignment of at least 8.
    Allocate {
        d: Dst,
        size: Src,
        align: u64,
    },
}
