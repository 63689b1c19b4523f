//! The project's own passes: one module each, in one list.

mod count_first;
mod index_elements;
mod point_branches;
mod reduce_call_pressure;
mod strip_hints;

use ptx_llvm::{LlvmError, Module};

/// A pass of this project.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// The name it has in `--passes`; all begin with `ptx-`, so that none hides one of LLVM's.
    pub name: &'static str,
    /// A description in one sentence.
    pub summary: &'static str,
    /// Changes the module; the pipeline verifies it afterwards.
    pub run: fn(&mut Module<'_>) -> Result<(), LlvmError>,
}

/// Every pass of this project, by name.
pub const PASSES: &[Pass] = &[
    COUNT_FIRST,
    INDEX_ELEMENTS,
    POINT_BRANCHES,
    Pass {
        name: "ptx-strip-hints",
        summary: "Drops the performance hints kept from the source: cache operators, eviction priorities, prefetch sizes.",
        run: strip_hints::run,
    },
    SHORTEN_LIVES,
];

/// Runs at every level that optimizes, after LLVM's passes.
pub(crate) const SHORTEN_LIVES: Pass = Pass {
    name: "ptx-reduce-call-pressure",
    summary: "Moves computations across calls so that fewer registers are live across them.",
    run: reduce_call_pressure::run,
};

/// Runs at every level that optimizes, after that.
pub(crate) const COUNT_FIRST: Pass = Pass {
    name: "ptx-count-first",
    summary: "Increments counters at the top of loops whose exit comparison uses the old value, and compares counters with limits by order: ptxas does not unroll the others.",
    run: count_first::run,
};

/// Turns byte offsets in addresses into element indices.
pub(crate) const INDEX_ELEMENTS: Pass = Pass {
    name: "ptx-index-elements",
    summary: "Replaces byte offsets that are products by element indices: `getelementptr float, ptr %p, i64 %i`.",
    run: index_elements::run,
};

/// Runs at every level that optimizes, last.
pub(crate) const POINT_BRANCHES: Pass = Pass {
    name: "ptx-point-branches",
    summary: "Inverts comparisons so that branches need no negated predicate: ptxas does not unroll loops with one.",
    run: point_branches::run,
};

/// The pass of this project with that name.
pub(crate) fn by_name(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}
