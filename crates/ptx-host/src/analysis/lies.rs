//! Wrong answers of the analysis, for tests of what finds them.

use std::cell::Cell;

use ptx_exec::program::Op;

use super::{Facts, Shape};

/// Wrong facts of what an operation writes, from the right ones.
type FactsLie = fn(&Op, Option<Facts>) -> Option<Facts>;

/// What the analysis of this thread answers wrong.
#[derive(Clone, Copy, Default)]
pub(crate) struct Lies {
    /// The shape of what an operation writes, from the right one.
    pub(crate) shape: Option<fn(&Op, Shape) -> Shape>,
    /// The facts about it.
    pub(crate) facts: Option<FactsLie>,
    /// The bits in which lanes may differ.
    pub(crate) differing: Option<fn(&Op, u64) -> u64>,
    /// The bits of the number of a chunk on which it depends.
    pub(crate) chunkwise: Option<fn(&Op, u32) -> u32>,
    /// No lane elsewhere needs what it has in a row.
    pub(crate) keeps_nothing: bool,
    /// No branch parts lanes.
    pub(crate) parts_nothing: bool,
}

thread_local! {
    static LIES: Cell<Lies> = const {
        Cell::new(Lies { shape: None, facts: None, differing: None, chunkwise: None, keeps_nothing: false, parts_nothing: false })
    };
}

/// Those of this thread.
pub(crate) fn get() -> Lies {
    LIES.get()
}

/// Does something while the analysis lies.
pub(crate) fn with<T>(lies: Lies, then: impl FnOnce() -> T) -> T {
    let before = LIES.replace(lies);
    let result = then();
    LIES.set(before);
    result
}
