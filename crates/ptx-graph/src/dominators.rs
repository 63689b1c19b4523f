//! Dominators of a graph of blocks.

/// A graph of blocks with one entry. Blocks are numbered from 0.
pub trait FlowGraph {
    /// How many blocks there are.
    fn block_count(&self) -> usize;
    /// Where control begins; `None` of an empty graph.
    fn entry(&self) -> Option<usize>;
    /// The block that control goes to next, of several the one at this place; `None` after the last of them.
    fn successor(&self, block: usize, at: usize) -> Option<usize>;
    /// The blocks that control comes from.
    fn predecessors(&self, block: usize) -> impl Iterator<Item = usize>;
}

/// The immediate dominator of each block that the entry reaches: the last other block that is on every path to it. The entry has itself, what
/// it does not reach has none.
///
/// This is the Semi-NCA algorithm (Georgiadis, Tarjan and Werneck, "Finding dominators in practice"), which stays near linear where joins
/// have thousands of predecessors at different depths.
pub fn immediate_dominators(graph: &impl FlowGraph) -> Vec<Option<usize>> {
    let mut tree = Tree::new(graph);
    for at in (1..tree.nodes.len()).rev() {
        let mut semi = tree.parent[at];
        for predecessor in graph.predecessors(tree.nodes[at]) {
            let Some(number) = tree.number[predecessor] else { continue };
            let best = tree.best(number, at + 1);
            semi = semi.min(tree.semi[best]);
        }
        tree.semi[at] = semi;
    }
    let mut immediate = tree.first_parent;
    for at in 1..tree.nodes.len() {
        let mut candidate = immediate[at];
        while candidate > tree.semi[at] {
            candidate = immediate[candidate];
        }
        immediate[at] = candidate;
    }
    let mut dominators = vec![None; graph.block_count()];
    for (node, dominator) in tree.nodes.iter().zip(&immediate) {
        dominators[*node] = Some(tree.nodes[*dominator]);
    }
    dominators
}

/// A depth-first tree; its nodes count in the order in which they are found.
struct Tree {
    nodes: Vec<usize>,
    number: Vec<Option<usize>>,
    /// Each node's parent, itself for the root.
    first_parent: Vec<usize>,
    /// An ancestor of each node, further up with every question.
    parent: Vec<usize>,
    semi: Vec<usize>,
    /// The node with the smallest semidominator on the way to that ancestor.
    label: Vec<usize>,
}

impl Tree {
    fn new(graph: &impl FlowGraph) -> Self {
        let (mut nodes, mut number, mut parent) = (Vec::new(), vec![None; graph.block_count()], Vec::new());
        let mut stack = Vec::new();
        if let Some(first) = graph.entry() {
            number[first] = Some(0);
            nodes.push(first);
            parent.push(0);
            stack.push((first, 0, 0));
        }
        while let Some((id, own, next)) = stack.pop() {
            let Some(successor) = graph.successor(id, next) else { continue };
            stack.push((id, own, next + 1));
            if let Some(place @ None) = number.get_mut(successor) {
                *place = Some(nodes.len());
                stack.push((successor, nodes.len(), 0));
                nodes.push(successor);
                parent.push(own);
            }
        }
        let all: Vec<usize> = (0..nodes.len()).collect();
        Self { nodes, number, first_parent: parent.clone(), parent, semi: all.clone(), label: all }
    }

    /// The node with the smallest semidominator among `at` and its ancestors from `linked` on.
    fn best(&mut self, at: usize, linked: usize) -> usize {
        if self.parent[at] < linked {
            return self.label[at];
        }
        let (mut path, mut top) = (vec![at], self.parent[at]);
        while self.parent[top] >= linked {
            path.push(top);
            top = self.parent[top];
        }
        let (mut above, mut smallest) = (top, self.label[top]);
        for node in path.into_iter().rev() {
            self.parent[node] = self.parent[above];
            if self.semi[smallest] < self.semi[self.label[node]] {
                self.label[node] = self.label[above];
            } else {
                smallest = self.label[node];
            }
            above = node;
        }
        self.label[at]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{FlowGraph, immediate_dominators};

    /// Successors of each block; the entry is 0.
    pub(crate) struct Lists(pub(crate) Vec<Vec<usize>>);

    impl FlowGraph for Lists {
        fn block_count(&self) -> usize {
            self.0.len()
        }

        fn entry(&self) -> Option<usize> {
            (!self.0.is_empty()).then_some(0)
        }

        fn successor(&self, block: usize, at: usize) -> Option<usize> {
            self.0[block].get(at).copied()
        }

        fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
            (0..self.0.len()).filter(move |other| self.0[*other].contains(&block))
        }
    }

    /// The blocks that control reaches without passing `without`.
    fn reached(graph: &Lists, without: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; graph.0.len()];
        let mut work: Vec<usize> =
            graph.entry().into_iter().filter(|entry| Some(*entry) != without).collect();
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut seen[block], true) {
                work.extend(graph.0[block].iter().filter(|next| Some(**next) != without));
            }
        }
        seen
    }

    /// By the definition: the dominators of a block are those without which control does not reach it, and the immediate one is dominated by
    /// all others of them.
    pub(crate) fn by_definition(graph: &Lists) -> Vec<Option<usize>> {
        let all = reached(graph, None);
        let without: Vec<Vec<bool>> = (0..graph.0.len()).map(|block| reached(graph, Some(block))).collect();
        let dominates = |one: usize, other: usize| one == other || !without[one][other];
        let immediate = |block: usize| {
            let strict: Vec<usize> = (0..graph.0.len())
                .filter(|one| all[*one] && *one != block && dominates(*one, block))
                .collect();
            strict.iter().copied().find(|one| strict.iter().all(|other| dominates(*other, *one)))
        };
        (0..graph.0.len())
            .map(|block| match block {
                0 => Some(0),
                _ if !all[block] => None,
                _ => immediate(block),
            })
            .collect()
    }

    #[test]
    fn a_loop_with_two_exits_is_dominated_by_its_head() {
        // 0 -> 1 -> {2, 3}, 2 -> {1, 4}, 3 -> 4; nothing comes to 5.
        let graph = Lists(vec![vec![1], vec![2, 3], vec![1, 4], vec![4], vec![], vec![4]]);
        assert_eq!(immediate_dominators(&graph), [Some(0), Some(0), Some(1), Some(1), Some(1), None]);
        assert_eq!(immediate_dominators(&Lists(Vec::new())), []);
    }

    #[test]
    fn random_graphs_have_the_dominators_of_the_definition() {
        let mut seed = 1u64;
        let mut below = |bound: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % bound
        };
        for _ in 0..2000 {
            let count = 1 + below(9);
            let lists = (0..count).map(|_| (0..below(4)).map(|_| below(count)).collect());
            let graph = Lists(lists.collect());
            assert_eq!(immediate_dominators(&graph), by_definition(&graph), "{:?}", graph.0);
        }
    }
}
