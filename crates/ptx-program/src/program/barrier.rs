//! Barriers of a block (manual 9.7.13.1).

use super::row::{Dst, Src};

/// Action of a thread at a block barrier (manual 9.7.13.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum BarrierAction {
    /// Waits.
    Sync,
    /// Arrives without waiting.
    Arrive,
    /// Waits and returns the number of true predicates.
    Popc,
    /// Waits and returns whether all predicates were true.
    And,
    /// Waits and returns whether any predicate was true.
    Or,
}

/// `bar`, `barrier`.
#[derive(Clone, Copy, Debug, Hash)]
pub struct BlockBarrier {
    /// What the thread does at the barrier.
    pub action: BarrierAction,
    /// The number of the barrier.
    pub id: Src,
    /// The number of expected threads; `None` for all threads of the block.
    pub count: Option<Src>,
    /// The predicate of a reduction; `None` without one.
    pub predicate: Option<Src>,
    /// The destination of the result; without one, a row that nothing reads.
    pub dst: Dst,
    /// Whether all threads of a warp must execute it together (`bar`, `.aligned`).
    pub is_aligned: bool,
}
