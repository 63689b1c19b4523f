//! Wrong results of the analysis, for tests of the checks that find them.

use std::cell::Cell;

use ptx_program::Op;

use super::{Facts, Shape};

/// Makes wrong facts about an operation's result from the right ones.
type FactsLie = fn(&Op, Option<Facts>) -> Option<Facts>;

/// The wrong results of this thread's analysis.
#[derive(Clone, Copy, Default)]
pub(crate) struct Lies {
    /// The shape of an operation's result, from the right one.
    pub(crate) shape: Option<fn(&Op, Shape) -> Shape>,
    /// The facts about it.
    pub(crate) facts: Option<FactsLie>,
    /// The bits in which lanes may differ.
    pub(crate) differing: Option<fn(&Op, u64) -> u64>,
    /// The bits of the chunk's number on which it depends.
    pub(crate) chunkwise: Option<fn(&Op, u32) -> u32>,
    /// Claims that no inactive lane needs its value of a row.
    pub(crate) keeps_nothing: bool,
    /// Claims that no branch is divergent.
    pub(crate) parts_nothing: bool,
}

thread_local! {
    static LIES: Cell<Lies> = const {
        Cell::new(Lies { shape: None, facts: None, differing: None, chunkwise: None, keeps_nothing: false, parts_nothing: false })
    };
}

/// The lies of this thread.
pub(crate) fn get() -> Lies {
    LIES.get()
}

/// Calls `then` while the analysis lies.
pub(crate) fn with<T>(lies: Lies, then: impl FnOnce() -> T) -> T {
    let before = LIES.replace(lies);
    let result = then();
    LIES.set(before);
    result
}
