//! Graph algorithms on blocks, for bodies of PTX and functions of LLVM IR alike: a caller implements [`FlowGraph`] for its own blocks.
//!
//! All are near linear in the blocks and edges. On the reversed graph dominators are post-dominators, and dominance frontiers are control
//! dependences.
//!
//! ```
//! use ptx_graph::{FlowGraph, components, immediate_dominators};
//!
//! /// The blocks that follow each block.
//! struct Graph(Vec<Vec<usize>>);
//!
//! impl FlowGraph for Graph {
//!     fn block_count(&self) -> usize {
//!         self.0.len()
//!     }
//!
//!     fn entry(&self) -> Option<usize> {
//!         Some(0)
//!     }
//!
//!     fn successor(&self, block: usize, at: usize) -> Option<usize> {
//!         self.0[block].get(at).copied()
//!     }
//!
//!     fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
//!         (0..self.0.len()).filter(move |&before| self.0[before].contains(&block))
//!     }
//! }
//!
//! // A loop of the blocks 1 and 2, after which block 3 follows.
//! let graph = Graph(vec![vec![1], vec![2, 3], vec![1], vec![]]);
//! let dominators = immediate_dominators(&graph);
//! assert_eq!(dominators[1..], [Some(0), Some(1), Some(1)]);
//! assert_eq!(components(&graph)[2].map(|component| component.size), Some(2));
//! ```

mod components;
mod dominators;
mod frontier;
mod reversed;
mod tree;

pub use components::{Component, components};
pub use dominators::{FlowGraph, immediate_dominators};
pub use frontier::{dominance_frontiers, iterated_frontier};
pub use reversed::Reversed;
pub use tree::DominatorTree;
