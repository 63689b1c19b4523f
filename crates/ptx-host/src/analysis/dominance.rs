//! The dominator tree of the blocks of a kernel.

use std::ops::RangeInclusive;

use ptx_ir::dominators::immediate_dominators;

use super::{BlockId, Edges};

/// Which blocks run before others on every path.
pub(crate) struct Dominance {
    immediate: Vec<Option<BlockId>>,
    /// For each block its number, and the last one below it, in a walk over the tree.
    numbers: Vec<(u32, u32)>,
    /// The blocks in the order of the walk.
    order: Vec<BlockId>,
}

impl Dominance {
    pub(crate) fn new(edges: &Edges) -> Self {
        let immediate = immediate_dominators(edges);
        let mut below = vec![Vec::new(); immediate.len()];
        for (id, dominator) in immediate.iter().enumerate() {
            // The entry is its own.
            if let Some(dominator) = dominator.filter(|&dominator| dominator != id) {
                below[dominator].push(id);
            }
        }
        let (mut numbers, mut order) = (vec![(0, 0); immediate.len()], Vec::new());
        let mut work: Vec<(BlockId, bool)> = immediate.first().map(|_| (0, false)).into_iter().collect();
        while let Some((id, is_done)) = work.pop() {
            if is_done {
                numbers[id].1 = order.len() as u32;
                continue;
            }
            order.push(id);
            numbers[id].0 = order.len() as u32;
            work.push((id, true));
            work.extend(below[id].iter().map(|&id| (id, false)));
        }
        Self { immediate, numbers, order }
    }

    /// Whether all paths to `later` have run through another block before.
    pub(crate) fn is_before(&self, block: BlockId, later: BlockId) -> bool {
        block != later && self.below(block).contains(&self.number(later))
    }

    /// The immediate dominator of each block, which is the block itself for the entry.
    pub(crate) fn immediate(&self) -> &[Option<BlockId>] {
        &self.immediate
    }

    /// The blocks, each after those that dominate it.
    pub(crate) fn order(&self) -> &[BlockId] {
        &self.order
    }

    /// The number of a block in that order.
    pub(crate) fn number(&self, block: BlockId) -> u32 {
        self.numbers[block].0
    }

    /// The numbers of a block and of those that it dominates.
    pub(crate) fn below(&self, block: BlockId) -> RangeInclusive<u32> {
        let (first, last) = self.numbers[block];
        first..=last
    }
}
