//! Liveness of variables in a graph of blocks: from each read backward to the writes that reach it.
//!
//! Most variables are live in one or two blocks, so traversing the live range of each costs less than tables of all variables by all
//! blocks, and is linear in the code.

use ptx_graph::FlowGraph;

/// The accesses of blocks to each variable. Variables and blocks are numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockAccesses {
    /// The blocks that read it before they write it.
    reads: Vec<Vec<u32>>,
    /// The blocks that always write it.
    writes: Vec<Vec<u32>>,
}

/// An end of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Before its first instruction.
    Start,
    /// After its last one.
    Finish,
}

/// Where a variable is live.
#[derive(Clone, Copy)]
enum Place {
    Start(usize),
    Finish(usize),
}

/// How the traversal of live ranges continues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    On,
    /// With the next variable.
    Next,
    End,
}

impl BlockAccesses {
    /// No accesses yet, for a number of variables.
    pub fn new(variables: usize) -> Self {
        Self { reads: vec![Vec::new(); variables], writes: vec![Vec::new(); variables] }
    }

    /// Adds a read. The accesses of a block must be added together, in order.
    pub fn read(&mut self, block: usize, variable: usize) {
        let block = block as u32;
        let Some((reads, writes)) = self.reads.get_mut(variable).zip(self.writes.get(variable)) else {
            return;
        };
        if writes.last() != Some(&block) && reads.last() != Some(&block) {
            reads.push(block);
        }
    }

    /// Adds a write that ends the live range of the previous value: one that is always executed and writes the whole variable.
    pub fn write(&mut self, block: usize, variable: usize) {
        let block = block as u32;
        if let Some(writes) = self.writes.get_mut(variable)
            && writes.last() != Some(&block)
        {
            writes.push(block);
        }
    }

    /// For each block, the variables that are live at one of its ends, ascending; `None` if the live ranges have more than `most` blocks
    /// and edges in total.
    pub fn live_at(&self, graph: &impl FlowGraph, end: End, most: usize) -> Option<Vec<Vec<u32>>> {
        let mut found = vec![Vec::new(); graph.block_count()];
        let mut steps = 0;
        self.walk(graph, |variable, place| {
            steps += 1;
            match place {
                Place::Start(block) if end == End::Start => found[block].push(variable as u32),
                Place::Finish(block) if end == End::Finish => found[block].push(variable as u32),
                _ => {}
            }
            if steps > most { Walk::End } else { Walk::On }
        });
        (steps <= most).then_some(found)
    }

    /// For each variable, the blocks at whose start it is live, ascending; `None` for one that is live at more than `most` points.
    pub fn live_into(&self, graph: &impl FlowGraph, most: usize) -> Vec<Option<Vec<u32>>> {
        let mut found = vec![Some(Vec::new()); self.reads.len()];
        let (mut current, mut steps) = (0, 0);
        self.walk(graph, |variable, place| {
            if variable != current {
                (current, steps) = (variable, 0);
            }
            steps += 1;
            if steps > most {
                found[variable] = None;
                return Walk::Next;
            }
            if let (Place::Start(block), Some(blocks)) = (place, &mut found[variable]) {
                blocks.push(block as u32);
            }
            Walk::On
        });
        found.iter_mut().flatten().for_each(|blocks| blocks.sort_unstable());
        found
    }

    /// The blocks that read a variable before they write it.
    pub fn readers(&self, variable: usize) -> impl Iterator<Item = usize> + Clone {
        self.reads.get(variable).into_iter().flatten().map(|&block| block as usize)
    }

    /// The blocks that always write a variable.
    pub fn writers(&self, variable: usize) -> impl Iterator<Item = usize> + Clone {
        self.writes.get(variable).into_iter().flatten().map(|&block| block as usize)
    }

    /// Traverses the live range of each variable backward from its reads.
    fn walk(&self, graph: &impl FlowGraph, mut at: impl FnMut(usize, Place) -> Walk) {
        let count = graph.block_count();
        // For each block the last variable, counted from one, that it writes, that is live at its start and at its end.
        let (mut written, mut at_start, mut at_finish) = (vec![0; count], vec![0; count], vec![0; count]);
        'variables: for (variable, (reads, writes)) in self.reads.iter().zip(&self.writes).enumerate() {
            let mark = variable as u32 + 1;
            writes.iter().for_each(|&block| written[block as usize] = mark);
            reads.iter().for_each(|&block| at_start[block as usize] = mark);
            let mut pending = reads.clone();
            while let Some(block) = pending.pop() {
                let block = block as usize;
                match at(variable, Place::Start(block)) {
                    Walk::On => {}
                    Walk::Next => continue 'variables,
                    Walk::End => return,
                }
                for before in graph.predecessors(block) {
                    if std::mem::replace(&mut at_finish[before], mark) == mark {
                        continue;
                    }
                    match at(variable, Place::Finish(before)) {
                        Walk::On => {}
                        Walk::Next => continue 'variables,
                        Walk::End => return,
                    }
                    if written[before] != mark && at_start[before] != mark {
                        at_start[before] = mark;
                        pending.push(before as u32);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edges from block to block.
    struct Edges(&'static [(usize, usize)], usize);

    impl FlowGraph for Edges {
        fn block_count(&self) -> usize {
            self.1
        }

        fn entry(&self) -> Option<usize> {
            Some(0)
        }

        fn successor(&self, block: usize, at: usize) -> Option<usize> {
            self.0.iter().filter(|edge| edge.0 == block).nth(at).map(|edge| edge.1)
        }

        fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
            self.0.iter().filter(move |edge| edge.1 == block).map(|edge| edge.0)
        }
    }

    /// Liveness by the data-flow equations, iterated to the fixed point.
    fn by_equations(
        graph: &Edges,
        accesses: &[Vec<(bool, usize)>],
        variables: usize,
    ) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
        let blocks = graph.block_count();
        let (mut live_in, mut live_out) =
            (vec![vec![false; variables]; blocks], vec![vec![false; variables]; blocks]);
        for _ in 0..blocks * variables + 1 {
            for block in 0..blocks {
                for variable in 0..variables {
                    let after =
                        (0..).map_while(|at| graph.successor(block, at)).any(|to| live_in[to][variable]);
                    live_out[block][variable] = after;
                    let first = accesses[block].iter().find(|access| access.1 == variable);
                    live_in[block][variable] = first.map_or(after, |access| !access.0);
                }
            }
        }
        let numbers = |live: &[Vec<bool>]| -> Vec<Vec<u32>> {
            live.iter().map(|of| (0..variables as u32).filter(|at| of[*at as usize]).collect()).collect()
        };
        (numbers(&live_in), numbers(&live_out))
    }

    #[test]
    fn lives_are_those_of_the_equations() {
        // A loop with a branch in it, and an unreachable block.
        let graph = Edges(&[(0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 1), (4, 5), (6, 5)], 7);
        let mut random = 1_u64;
        for _ in 0..2000 {
            let mut next = |below: u64| {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (random >> 33) % below
            };
            let accesses: Vec<Vec<(bool, usize)>> =
                (0..7).map(|_| (0..next(4)).map(|_| (next(2) == 0, next(3) as usize)).collect()).collect();
            let mut found = BlockAccesses::new(3);
            for (block, of) in accesses.iter().enumerate() {
                for &(writes, variable) in of {
                    if writes {
                        found.write(block, variable);
                    } else {
                        found.read(block, variable);
                    }
                }
            }
            let (live_in, live_out) = by_equations(&graph, &accesses, 3);
            assert_eq!(found.live_at(&graph, End::Start, usize::MAX), Some(live_in), "{accesses:?}");
            assert_eq!(found.live_at(&graph, End::Finish, usize::MAX), Some(live_out), "{accesses:?}");
        }
    }

    #[test]
    fn long_lives_are_given_up() {
        let graph = Edges(&[(0, 1), (1, 2), (2, 3)], 4);
        let mut accesses = BlockAccesses::new(1);
        accesses.write(0, 0);
        accesses.read(3, 0);
        assert_eq!(accesses.live_at(&graph, End::Start, 2), None);
        assert_eq!(accesses.live_at(&graph, End::Start, 20), Some(vec![vec![], vec![0], vec![0], vec![0]]));
    }
}
