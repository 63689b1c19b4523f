//! A graph with its edges reversed, in which dominators are post-dominators.

use crate::dominators::FlowGraph;

/// A graph with its edges reversed. Its entry is an additional block after the graph's own, to which control goes where it leaves the graph, and from one
/// block of each part that it never leaves.
#[derive(Debug)]
pub struct Reversed<'g, G> {
    graph: &'g G,
    predecessors: Vec<Vec<usize>>,
    ends: Vec<usize>,
    is_end: Vec<bool>,
}

impl<'g, G: FlowGraph> Reversed<'g, G> {
    /// Reverses a graph.
    pub fn new(graph: &'g G) -> Self {
        let count = graph.block_count();
        let predecessors: Vec<Vec<usize>> =
            (0..count).map(|block| graph.predecessors(block).collect()).collect();
        let mut reversed = Reversed { graph, predecessors, ends: Vec::new(), is_end: vec![false; count] };
        let mut seen = vec![false; count];
        let leaving = (0..count).filter(|block| graph.successor(*block, 0).is_none());
        // Where no way leads out, the last block of each part in the order of the text is its end.
        for end in leaving.chain((0..count).rev()) {
            if seen[end] {
                continue;
            }
            reversed.ends.push(end);
            reversed.is_end[end] = true;
            let mut walk = vec![end];
            while let Some(block) = walk.pop() {
                if !std::mem::replace(&mut seen[block], true) {
                    walk.extend(reversed.predecessors[block].iter().filter(|before| !seen[**before]));
                }
            }
        }
        reversed
    }

    /// The additional block, which all ways lead to.
    pub fn exit(&self) -> usize {
        self.graph.block_count()
    }
}

impl<G: FlowGraph> FlowGraph for Reversed<'_, G> {
    fn block_count(&self) -> usize {
        self.graph.block_count() + 1
    }

    fn entry(&self) -> Option<usize> {
        Some(self.exit())
    }

    fn successor(&self, block: usize, at: usize) -> Option<usize> {
        let next = if block == self.exit() { &self.ends } else { &self.predecessors[block] };
        next.get(at).copied()
    }

    fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
        // Nothing precedes the additional block.
        let is_own = block != self.exit();
        let own = (0..).map_while(move |at| if is_own { self.graph.successor(block, at) } else { None });
        own.chain((is_own && self.is_end[block]).then_some(self.exit()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dominators::tests::Lists;
    use crate::tree::DominatorTree;

    #[test]
    fn a_join_dominates_its_branch_backward() {
        // 0 -> {1, 2}, both -> 3, 3 -> {3, 4}; 5 never ends.
        let graph = Lists(vec![vec![1, 2], vec![3], vec![3], vec![3, 4], vec![], vec![5]]);
        let reversed = Reversed::new(&graph);
        let tree = DominatorTree::new(&reversed);
        assert_eq!((tree.immediate(0), tree.immediate(1), tree.immediate(3)), (Some(3), Some(3), Some(4)));
        assert_eq!((tree.immediate(4), tree.immediate(5)), (Some(reversed.exit()), Some(reversed.exit())));
    }
}
