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
    pub action: BarrierAction,
    pub id: Src,
    pub count: Option<Src>,
    pub predicate: Option<Src>,
    pub dst: Dst,
    /// Whether all threads of a warp must execute it together (`bar`, `.aligned`).
    pub is_aligned: bool,
}
