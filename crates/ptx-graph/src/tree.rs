//! The dominator tree, which answers whether one block dominates another.

use crate::dominators::{FlowGraph, immediate_dominators};

/// The dominator tree of a graph.
#[derive(Clone, Debug)]
pub struct DominatorTree {
    immediate: Vec<Option<usize>>,
    order: Vec<usize>,
    /// For each block its place in the order, and that after the last block it dominates.
    range: Vec<Option<(usize, usize)>>,
}

impl DominatorTree {
    /// The tree of a graph.
    pub fn new(graph: &impl FlowGraph) -> Self {
        let immediate = immediate_dominators(graph);
        let mut children = vec![Vec::new(); immediate.len()];
        for (block, dominator) in immediate.iter().enumerate() {
            if let Some(dominator) = dominator.filter(|dominator| *dominator != block) {
                children[dominator].push(block);
            }
        }
        let (mut order, mut range) = (Vec::new(), vec![None; immediate.len()]);
        let mut stack: Vec<(usize, bool)> = graph.entry().map(|entry| (entry, false)).into_iter().collect();
        while let Some((block, is_left)) = stack.pop() {
            if is_left {
                range[block] = range[block].map(|(enters, _)| (enters, order.len()));
                continue;
            }
            range[block] = Some((order.len(), order.len()));
            order.push(block);
            stack.push((block, true));
            stack.extend(children[block].iter().map(|child| (*child, false)));
        }
        Self { immediate, order, range }
    }

    /// The blocks that the entry reaches, each after those that dominate it.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The last other block on all ways to a block; `None` for the entry, and for what it does not reach.
    pub fn immediate(&self, block: usize) -> Option<usize> {
        self.immediate[block].filter(|dominator| *dominator != block)
    }

    /// Whether all ways to `below` lead through `above`, which may be the same block. What the entry does not reach neither dominates nor is dominated.
    pub fn dominates(&self, above: usize, below: usize) -> bool {
        match (self.range[above], self.range[below]) {
            (Some((enters, leaves)), Some((place, _))) => (enters..leaves).contains(&place),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dominators::tests::{Lists, by_definition};

    #[test]
    fn blocks_dominate_as_chains_of_immediate_dominators_lead() {
        let mut seed = 7u64;
        let mut below = |bound: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % bound
        };
        for _ in 0..500 {
            let count = 1 + below(9);
            let graph = Lists((0..count).map(|_| (0..below(4)).map(|_| below(count)).collect()).collect());
            let (tree, immediate) = (DominatorTree::new(&graph), by_definition(&graph));
            let is_above = |above: usize, mut block: usize| {
                loop {
                    match immediate[block] {
                        None => return false,
                        Some(_) if block == above => return true,
                        Some(next) if next == block => return false,
                        Some(next) => block = next,
                    }
                }
            };
            for (above, block) in (0..count).flat_map(|above| (0..count).map(move |block| (above, block))) {
                assert_eq!(
                    tree.dominates(above, block),
                    is_above(above, block),
                    "{above} {block} {:?}",
                    graph.0
                );
            }
        }
    }
}
