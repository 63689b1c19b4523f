//! The edges between blocks, as the algorithms of `ptx-ir` need them.

use ptx_ir::dominators::FlowGraph;

use super::{BlockId, Graph};

/// The edges between the blocks of a graph.
pub(crate) struct Edges {
    targets: Vec<Vec<BlockId>>,
    origins: Vec<Vec<BlockId>>,
}

impl Edges {
    pub(crate) fn new(graph: &Graph) -> Self {
        let targets: Vec<Vec<BlockId>> =
            graph.blocks().iter().map(|block| block.terminator.targets()).collect();
        Self::of(targets)
    }

    /// The edges to these targets of each block.
    pub(crate) fn of(targets: Vec<Vec<BlockId>>) -> Self {
        let mut origins = vec![Vec::new(); targets.len()];
        for (from, targets) in targets.iter().enumerate() {
            targets.iter().for_each(|&to| origins[to].push(from));
        }
        Self { targets, origins }
    }

    /// All of them, as origin and target.
    pub(crate) fn all(&self) -> impl Iterator<Item = (BlockId, BlockId)> {
        self.targets.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |&to| (from, to)))
    }
}

impl FlowGraph for Edges {
    fn block_count(&self) -> usize {
        self.targets.len()
    }

    fn entry(&self) -> Option<usize> {
        (!self.targets.is_empty()).then_some(0)
    }

    fn successor(&self, block: usize, at: usize) -> Option<usize> {
        self.targets.get(block)?.get(at).copied()
    }

    fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
        self.origins.get(block).into_iter().flatten().copied()
    }
}
