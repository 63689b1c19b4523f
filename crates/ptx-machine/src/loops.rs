//! Natural loops of a graph of blocks.

use std::collections::{BTreeMap, BTreeSet};

use ptx_ir::dominators::{FlowGraph, immediate_dominators};

/// The blocks from which a back edge comes without leaving the blocks that its target dominates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NaturalLoop {
    /// The block that dominates the others.
    pub(crate) header: usize,
    /// All blocks, with the header.
    pub(crate) blocks: BTreeSet<usize>,
}

/// Blocks and edges as lists.
#[derive(Default)]
pub(crate) struct Lists {
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
}

impl Lists {
    pub(crate) fn new(blocks: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut lists = Self { successors: vec![Vec::new(); blocks], predecessors: vec![Vec::new(); blocks] };
        for (from, to) in edges {
            lists.successors[from].push(to);
            lists.predecessors[to].push(from);
        }
        lists
    }
}

impl FlowGraph for Lists {
    fn block_count(&self) -> usize {
        self.successors.len()
    }

    fn entry(&self) -> Option<usize> {
        (!self.successors.is_empty()).then_some(0)
    }

    fn successor(&self, block: usize, at: usize) -> Option<usize> {
        self.successors.get(block)?.get(at).copied()
    }

    fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
        self.predecessors.get(block).into_iter().flatten().copied()
    }
}

/// The natural loops, one for each header, large ones first. Blocks that the entry does not reach are in none.
pub(crate) fn natural_loops(graph: &impl FlowGraph) -> Vec<NaturalLoop> {
    let dominators = immediate_dominators(graph);
    let dominates = |header: usize, mut block: usize| loop {
        if block == header {
            return true;
        }
        match dominators[block] {
            Some(above) if above != block => block = above,
            _ => return false,
        }
    };
    let mut loops: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for from in (0..graph.block_count()).filter(|from| dominators[*from].is_some()) {
        let headers = (0..).map_while(|at| graph.successor(from, at)).filter(|to| dominates(*to, from));
        for header in headers.collect::<Vec<_>>() {
            let blocks = loops.entry(header).or_insert_with(|| BTreeSet::from([header]));
            let mut stack = vec![from];
            while let Some(block) = stack.pop() {
                if dominators[block].is_some() && blocks.insert(block) {
                    stack.extend(graph.predecessors(block));
                }
            }
        }
    }
    let mut loops: Vec<_> =
        loops.into_iter().map(|(header, blocks)| NaturalLoop { header, blocks }).collect();
    loops.sort_by_key(|one| std::cmp::Reverse(one.blocks.len()));
    loops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_loops_are_part_of_outer_ones() {
        // 0 -> 1 -> 2 -> 2, 2 -> 3 -> 1, 3 -> 4; 5 is not reached.
        let graph = Lists::new(6, [(0, 1), (1, 2), (2, 2), (2, 3), (3, 1), (3, 4), (5, 2)]);
        let loops: Vec<(usize, Vec<usize>)> =
            natural_loops(&graph).into_iter().map(|l| (l.header, l.blocks.into_iter().collect())).collect();
        assert_eq!(loops, [(1, vec![1, 2, 3]), (2, vec![2])]);
    }

    #[test]
    fn two_entries_make_no_natural_loop() {
        let graph = Lists::new(3, [(0, 1), (0, 2), (1, 2), (2, 1)]);
        assert_eq!(natural_loops(&graph), []);
    }
}
