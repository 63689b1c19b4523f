//! Strongly connected components.

use crate::FlowGraph;

/// The strongly connected component of a block: blocks each of which is reached from each other one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Component {
    /// One of its blocks, the same for all of them.
    pub representative: usize,
    /// How many blocks it has. A block of a component of one is in a cycle if control may go from it to itself.
    pub size: usize,
}

/// The component of each block that the entry reaches; blocks that it does not reach have none.
///
/// This is Kosaraju's algorithm: in the reverse of the order in which a depth-first search leaves the blocks, each block that is still free is in a
/// component with the free blocks that reach it.
pub fn components(graph: &impl FlowGraph) -> Vec<Option<Component>> {
    let mut left = Vec::new();
    let mut is_reached = vec![false; graph.block_count()];
    let mut path: Vec<(usize, usize)> = Vec::new();
    if let Some(entry) = graph.entry() {
        is_reached[entry] = true;
        path.push((entry, 0));
    }
    while let Some((block, next)) = path.last_mut() {
        match graph.successor(*block, *next) {
            Some(to) => {
                *next += 1;
                if !std::mem::replace(&mut is_reached[to], true) {
                    path.push((to, 0));
                }
            }
            None => {
                left.push(*block);
                path.pop();
            }
        }
    }
    let mut found: Vec<Option<Component>> = vec![None; graph.block_count()];
    for &representative in left.iter().rev() {
        if found[representative].is_some() {
            continue;
        }
        let is_free = |found: &[Option<Component>], block: usize| is_reached[block] && found[block].is_none();
        let mut members = vec![representative];
        found[representative] = Some(Component { representative, size: 0 });
        let mut at = 0;
        while let Some(&block) = members.get(at) {
            at += 1;
            for from in graph.predecessors(block) {
                if is_free(&found, from) {
                    found[from] = Some(Component { representative, size: 0 });
                    members.push(from);
                }
            }
        }
        let component = Component { representative, size: members.len() };
        members.iter().for_each(|&member| found[member] = Some(component));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph by its edges.
    struct Edges(Vec<Vec<usize>>);

    impl FlowGraph for Edges {
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
            let is_edge = move |from: &usize| self.0[*from].contains(&block);
            (0..self.0.len()).filter(is_edge)
        }
    }

    #[test]
    fn blocks_of_a_cycle_are_together() {
        // 0 -> 1 -> 2 -> 1, 2 -> 3 -> 4 -> 3, 5 -> 1 is not reached.
        let graph = Edges(vec![vec![1], vec![2], vec![1, 3], vec![4], vec![3], vec![1]]);
        let sizes: Vec<Option<usize>> =
            components(&graph).iter().map(|found| found.map(|component| component.size)).collect();
        assert_eq!(sizes, [Some(1), Some(2), Some(2), Some(2), Some(2), None]);
        let of = components(&graph);
        assert_eq!(of[1], of[2]);
        assert_eq!(of[3], of[4]);
        assert_ne!(of[1], of[3]);
    }

    #[test]
    fn they_are_the_blocks_that_reach_each_other() {
        // Graphs of four blocks with two successors each.
        for shape in (0..4usize.pow(8)).step_by(7) {
            let edges = (0..4).map(|block| (0..2).map(|at| shape >> (2 * (2 * block + at)) & 3).collect());
            let graph = Edges(edges.collect());
            let reaches = |from: usize| {
                let (mut seen, mut stack) = (vec![false; 4], graph.0[from].clone());
                while let Some(block) = stack.pop() {
                    if !std::mem::replace(&mut seen[block], true) {
                        stack.extend(&graph.0[block]);
                    }
                }
                seen
            };
            let all: Vec<Vec<bool>> = (0..4).map(reaches).collect();
            let found = components(&graph);
            for a in 0..4 {
                let is_reached = a == 0 || all[0][a];
                assert_eq!(found[a].is_some(), is_reached);
                for b in (0..4).filter(|b| is_reached && (*b == 0 || all[0][*b])) {
                    assert_eq!(found[a] == found[b], a == b || all[a][b] && all[b][a], "{:?}", graph.0);
                }
            }
        }
    }
}
