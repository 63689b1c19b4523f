//! Graph algorithms on blocks, for bodies of PTX and functions of LLVM IR alike: a caller implements [`FlowGraph`] for its own blocks.
//!
//! All are near linear in the blocks and edges. On the reversed graph dominators are post-dominators, and dominance frontiers are control
//! dependences.

mod components;
mod dominators;
mod frontier;

pub use components::{Component, components};
pub use dominators::{FlowGraph, immediate_dominators};
pub use frontier::{dominance_frontiers, iterated_frontier};
