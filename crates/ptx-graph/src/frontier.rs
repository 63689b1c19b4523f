//! Iterated dominance frontiers.

use crate::FlowGraph;

/// The iterated dominance frontier of some blocks, as a flag for each block: where control that passed one of them, or a block of the frontier
/// itself, first meets control that need not have. `immediate` are the graph's immediate dominators; blocks that the entry does not reach have no
/// part in it.
///
/// On the reversed graph it is the blocks on whose branch it depends, directly or indirectly, whether one of the given blocks is executed.
///
/// This is the algorithm of Sreedhar and Gao ("A linear time algorithm for placing phi-nodes"): the deepest blocks of the dominator tree first, so
/// that no subtree is walked twice.
pub fn iterated_frontier(
    graph: &impl FlowGraph,
    immediate: &[Option<usize>],
    of: impl IntoIterator<Item = usize>,
) -> Vec<bool> {
    let tree = Levels::new(immediate);
    let count = immediate.len();
    let (mut frontier, mut queued, mut visited) =
        (vec![false; count], vec![false; count], vec![false; count]);
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); tree.depth()];
    for block in of {
        if let Some(level) = tree.level.get(block).copied().flatten()
            && !std::mem::replace(&mut queued[block], true)
        {
            waiting[level].push(block);
        }
    }
    let mut level = waiting.len();
    let mut walk = Vec::new();
    while level > 0 {
        let Some(root) = waiting[level - 1].pop() else {
            level -= 1;
            continue;
        };
        // Blocks that are found have the root's level at most, and those of the same level are added to the same list.
        walk.extend((!std::mem::replace(&mut visited[root], true)).then_some(root));
        while let Some(block) = walk.pop() {
            for next in (0..).map_while(|at| graph.successor(block, at)) {
                let Some(its_level) = tree.level[next].filter(|its| *its < level) else { continue };
                if immediate[next] == Some(block) && next != block
                    || std::mem::replace(&mut frontier[next], true)
                {
                    continue;
                }
                if !std::mem::replace(&mut queued[next], true) {
                    waiting[its_level].push(next);
                }
            }
            for &child in tree.children(block) {
                walk.extend((!std::mem::replace(&mut visited[child], true)).then_some(child));
            }
        }
    }
    frontier
}

/// The dominance frontier of each block: the blocks where control that passed it first meets control that need not have. `None` if they have more
/// than `most` members together: they grow with the square of loops that are nested in each other.
///
/// For sets of a few blocks of a graph that does not change, following these costs less than [`iterated_frontier`], which looks at all that the set
/// dominates.
pub fn dominance_frontiers(
    graph: &impl FlowGraph,
    immediate: &[Option<usize>],
    most: usize,
) -> Option<Vec<Vec<usize>>> {
    let (mut frontiers, mut members) = (vec![Vec::new(); immediate.len()], 0);
    for block in 0..immediate.len() {
        let Some(above) = immediate[block] else { continue };
        // The block is in the frontier of all that dominate one of its predecessors, but not the block itself (Cooper, Harvey and Kennedy: "A simple,
        // fast dominance algorithm"). Nothing is above the entry, which is met by what control begins with.
        for predecessor in graph.predecessors(block).filter(|from| immediate[*from].is_some()) {
            let mut at = predecessor;
            while at != above || above == block {
                let own: &mut Vec<usize> = &mut frontiers[at];
                // The walk from another predecessor was here.
                if own.last() == Some(&block) {
                    break;
                }
                own.push(block);
                members += 1;
                if members > most {
                    return None;
                }
                match immediate[at] {
                    Some(next) if next != at => at = next,
                    _ => break,
                }
            }
        }
    }
    Some(frontiers)
}

/// A dominator tree from its root down.
struct Levels {
    /// How far each block is from the root.
    level: Vec<Option<usize>>,
    /// The children of all blocks, those of one block side by side.
    children: Vec<usize>,
    /// Where each block's children begin.
    starts: Vec<usize>,
}

impl Levels {
    fn new(immediate: &[Option<usize>]) -> Self {
        let parent = |block: usize| immediate[block].filter(|parent| *parent != block);
        let mut starts = vec![0; immediate.len() + 1];
        for parent in (0..immediate.len()).filter_map(parent) {
            starts[parent + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let (mut next, mut children) = (starts.clone(), vec![0; starts[immediate.len()]]);
        for block in 0..immediate.len() {
            if let Some(parent) = parent(block) {
                children[next[parent]] = block;
                next[parent] += 1;
            }
        }
        let mut tree = Levels { level: vec![None; immediate.len()], children, starts };
        let roots = (0..immediate.len()).filter(|block| immediate[*block] == Some(*block));
        let mut walk: Vec<(usize, usize)> = roots.map(|root| (root, 0)).collect();
        while let Some((block, level)) = walk.pop() {
            tree.level[block] = Some(level);
            walk.extend(tree.children(block).iter().map(|child| (*child, level + 1)));
        }
        tree
    }

    fn children(&self, block: usize) -> &[usize] {
        &self.children[self.starts[block]..self.starts[block + 1]]
    }

    fn depth(&self) -> usize {
        // Default: a tree without blocks has no levels.
        self.level.iter().flatten().max().map_or(0, |deepest| deepest + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{dominance_frontiers, iterated_frontier};
    use crate::dominators::tests::{Lists, by_definition};
    use crate::{FlowGraph as _, immediate_dominators};

    /// By the definition: the blocks of which a block of the set dominates a predecessor, but not the block itself unless it is the same one; they
    /// are added to the set until nothing changes.
    fn defined(graph: &Lists, of: &[usize]) -> Vec<bool> {
        let immediate = by_definition(graph);
        let dominates = |one: usize, other: usize| {
            let mut at = other;
            while at != one {
                match immediate[at] {
                    Some(next) if next != at => at = next,
                    _ => return false,
                }
            }
            true
        };
        let mut frontier = vec![false; graph.block_count()];
        loop {
            let before = frontier.clone();
            let is_in = |block: usize| of.contains(&block) || before[block];
            for one in (0..graph.block_count()).filter(|one| immediate[*one].is_some() && is_in(*one)) {
                for block in (0..graph.block_count()).filter(|block| immediate[*block].is_some()) {
                    let mut predecessors =
                        graph.predecessors(block).filter(|from| immediate[*from].is_some());
                    frontier[block] |= predecessors.any(|from| dominates(one, from))
                        && (one == block || !dominates(one, block));
                }
            }
            if frontier == before {
                return frontier;
            }
        }
    }

    /// The same by the frontiers of single blocks.
    fn followed(graph: &Lists, of: &[usize]) -> Vec<bool> {
        let frontiers = dominance_frontiers(graph, &immediate_dominators(graph), usize::MAX);
        let frontiers = frontiers.expect("as many as there are");
        let (mut found, mut work) = (vec![false; graph.block_count()], of.to_vec());
        while let Some(block) = work.pop() {
            let new = frontiers[block].iter().filter(|at| !std::mem::replace(&mut found[**at], true));
            work.extend(new);
        }
        found
    }

    #[test]
    fn more_members_than_wanted_are_none() {
        // A loop in a loop.
        let graph = Lists(vec![vec![1], vec![2], vec![2, 1]]);
        let immediate = immediate_dominators(&graph);
        assert_eq!(dominance_frontiers(&graph, &immediate, 3), Some(vec![vec![], vec![1], vec![1, 2]]));
        assert_eq!(dominance_frontiers(&graph, &immediate, 2), None);
    }

    #[test]
    fn a_join_is_the_frontier_of_its_sides() {
        // 0 -> {1, 2} -> 3 -> {4, 5} -> 6
        let graph = Lists(vec![vec![1, 2], vec![3], vec![3], vec![4, 5], vec![6], vec![6], vec![]]);
        let immediate = immediate_dominators(&graph);
        let frontier = |of: &[usize]| {
            let flags = iterated_frontier(&graph, &immediate, of.iter().copied());
            flags.iter().enumerate().filter_map(|(at, is_in)| is_in.then_some(at)).collect::<Vec<_>>()
        };
        assert_eq!(frontier(&[1]), [3]);
        assert_eq!(frontier(&[1, 4]), [3, 6]);
        assert_eq!(frontier(&[0, 3]), [] as [usize; 0]);
    }

    #[test]
    fn random_graphs_have_the_frontiers_of_the_definition() {
        let mut seed = 1u64;
        let mut below = |bound: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % bound
        };
        for _ in 0..2000 {
            let count = 1 + below(9);
            let graph = Lists((0..count).map(|_| (0..below(4)).map(|_| below(count)).collect()).collect());
            let of: Vec<usize> = (0..below(4)).map(|_| below(count)).collect();
            let found = iterated_frontier(&graph, &immediate_dominators(&graph), of.iter().copied());
            assert_eq!(found, defined(&graph, &of), "{:?} of {of:?}", graph.0);
            assert_eq!(followed(&graph, &of), found, "{:?} of {of:?}", graph.0);
        }
    }
}
