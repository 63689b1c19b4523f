//! The blocks of a function by number, for algorithms on graphs.

use std::collections::HashMap;

use ptx_graph::FlowGraph;

use super::handle::{Block, Function};

/// The blocks of a function as they are when it is made, the entry first, and the edges between them.
#[derive(Clone, Debug)]
pub struct Flow<'e> {
    blocks: Vec<Block<'e>>,
    numbers: HashMap<Block<'e>, usize>,
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
}

impl<'e> Flow<'e> {
    /// The blocks of a function.
    pub fn new(function: Function<'e>) -> Self {
        let blocks = function.blocks();
        let numbers: HashMap<Block<'e>, usize> =
            blocks.iter().enumerate().map(|(at, block)| (*block, at)).collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        let successors: Vec<Vec<usize>> =
            blocks.iter().map(|block| block.successors().map(|to| numbers[&to]).collect()).collect();
        for (at, targets) in successors.iter().enumerate() {
            targets.iter().for_each(|&to| predecessors[to].push(at));
        }
        Self { blocks, numbers, successors, predecessors }
    }

    /// All blocks, by number.
    pub fn blocks(&self) -> &[Block<'e>] {
        &self.blocks
    }

    /// The number of a block; `None` for one of another function, or that was inserted later.
    pub fn number(&self, block: Block<'e>) -> Option<usize> {
        self.numbers.get(&block).copied()
    }

    /// The blocks that control may go to, a block as often as the terminator names it.
    pub fn successors_of(&self, block: usize) -> &[usize] {
        &self.successors[block]
    }

    /// The blocks that control may come from, a block as often as its terminator names this one.
    pub fn predecessors_of(&self, block: usize) -> &[usize] {
        &self.predecessors[block]
    }
}

impl FlowGraph for Flow<'_> {
    fn block_count(&self) -> usize {
        self.blocks.len()
    }

    fn entry(&self) -> Option<usize> {
        (!self.blocks.is_empty()).then_some(0)
    }

    fn successor(&self, block: usize, at: usize) -> Option<usize> {
        self.successors[block].get(at).copied()
    }

    fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
        self.predecessors[block].iter().copied()
    }
}
