//! Where the paths of a branch meet: for each branch of a program the first instruction that is on all of its paths.
//!
//! That is the immediate post-dominator of the branch, up to threads that end. As ptxas does, a path on which threads end
//! before they meet others is not a path of the branch, since no thread is left to wait for:
//!
//! ```text
//! @p bra T;  ..; @q bra END;  bra M;     // M is where the first branch meets, not END
//! T: ..
//! M: ..  ret;
//! END: ret;
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use ptx_ir::dominators::{FlowGraph, immediate_dominators};
use ptx_program::{Control, Effect, Inst, Op, Program};
use rustc_hash::FxHashMap;

/// The places where branches meet; found when asked for.
#[derive(Debug)]
pub(super) struct Postdominators {
    /// The first instruction of each block, ascending.
    starts: Vec<u32>,
    graph: Reversed,
    /// The immediate post-dominator of each block; that of no other block is the end.
    immediate: Vec<Option<usize>>,
    /// The number of post-dominators of each block.
    depth: Vec<u32>,
    /// The places found so far, by branch.
    found: Mutex<FxHashMap<u32, Option<u32>>>,
}

/// The graph of blocks with its edges reversed. The last node is the end, where threads leave the function.
#[derive(Debug)]
struct Reversed {
    /// The blocks that control goes to next.
    forth: Vec<Vec<usize>>,
    /// The blocks that it comes from.
    back: Vec<Vec<usize>>,
}

impl FlowGraph for Reversed {
    fn block_count(&self) -> usize {
        self.back.len()
    }

    fn entry(&self) -> Option<usize> {
        self.back.len().checked_sub(1)
    }

    fn successor(&self, block: usize, at: usize) -> Option<usize> {
        self.back.get(block)?.get(at).copied()
    }

    fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
        self.forth.get(block).into_iter().flatten().copied()
    }
}

/// Where control goes after an instruction.
struct Next<'p> {
    targets: &'p [u32],
    /// Whether the next instruction is one of the places.
    falls: bool,
    /// Whether threads leave the function.
    ends: bool,
}

impl<'p> Next<'p> {
    fn of(inst: &'p Inst) -> Self {
        let is_guarded = inst.guard.is_some();
        match &inst.op {
            Op::Effect(effect) if effect.traits().control == Control::Jump => {
                Self { targets: effect.targets(), falls: is_guarded, ends: false }
            }
            // Those for which the guard is true are gone; the others go on together.
            Op::Effect(Effect::Return | Effect::Exit | Effect::Trap) => {
                Self { targets: &[], falls: is_guarded, ends: !is_guarded }
            }
            _ => Self { targets: &[], falls: true, ends: false },
        }
    }

    fn is_plain(&self) -> bool {
        self.targets.is_empty() && self.falls
    }
}

impl Postdominators {
    /// Of all functions of a program at once, whose blocks have no edges between each other.
    pub(super) fn of(program: &Program) -> Self {
        let code = &program.code;
        let mut starts: BTreeSet<u32> = program.functions.iter().map(|function| function.start).collect();
        for (pc, inst) in (0..).zip(code) {
            let next = Next::of(inst);
            starts.extend(next.targets);
            if !next.is_plain() {
                starts.insert(pc + 1);
            }
        }
        let starts: Vec<u32> = starts.into_iter().filter(|&start| (start as usize) < code.len()).collect();
        let end = starts.len();
        // A block that is nothing but the end of its threads is an end at each branch to it.
        let block_at = |pc: u32| {
            let is_end = code.get(pc as usize).is_some_and(|inst| Next::of(inst).ends);
            if is_end { end } else { starts.binary_search(&pc).unwrap_or(end) }
        };
        let mut forth = vec![Vec::new(); end + 1];
        let mut back = vec![Vec::new(); end + 1];
        for (block, &start) in starts.iter().enumerate() {
            let after = starts.get(block + 1).copied().unwrap_or(code.len() as u32);
            let next = code.get(start as usize..after as usize).and_then(<[Inst]>::last).map(Next::of);
            let Some(next) = next else { continue };
            let mut to: Vec<usize> = next.targets.iter().copied().map(block_at).collect();
            to.extend(next.falls.then(|| block_at(after)));
            to.extend(next.ends.then_some(end));
            to.sort_unstable();
            to.dedup();
            to.iter().for_each(|&other| back[other].push(block));
            forth[block] = to;
        }
        let graph = Reversed { forth, back };
        let immediate = immediate_dominators(&graph);
        let depth = depths(&graph, &immediate);
        Self { starts, graph, immediate, depth, found: Mutex::default() }
    }

    /// The instruction where threads that a branch parts meet again; `None` if they never do in this function.
    pub(super) fn meeting_of(&self, branch: u32) -> Option<u32> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        *found.entry(branch).or_insert_with(|| self.find(branch))
    }

    fn end(&self) -> usize {
        self.starts.len()
    }

    fn find(&self, branch: u32) -> Option<u32> {
        let block = self.starts.partition_point(|&start| start <= branch).checked_sub(1)?;
        let mut sides: Vec<usize> = self.graph.forth[block].clone();
        sides.retain(|&side| side != self.end());
        loop {
            if let Some(common) = self.common(&sides) {
                return self.starts.get(common).copied();
            }
            // Threads end on paths of several sides. Where those of two sides come, they may still meet others.
            let reached = self.reached(block, &sides);
            let of_one_side = |from: &usize| *from == block || reached.get(from) == Some(&1);
            let is_entry =
                |other: &usize| sides.contains(other) || self.graph.back[*other].iter().any(of_one_side);
            let shared = reached.iter().filter(|(_, sides)| **sides > 1).map(|(other, _)| *other);
            let entries: Vec<usize> = shared.filter(is_entry).collect();
            if entries.is_empty() || entries == sides {
                return None;
            }
            sides = entries;
        }
    }

    /// The first block that is on all paths from these blocks to the end, if it is not the end.
    fn common(&self, sides: &[usize]) -> Option<usize> {
        let (&first, rest) = sides.split_first()?;
        let mut common = first;
        for &side in rest {
            let mut other = side;
            while common != other {
                let deeper = if self.depth[common] >= self.depth[other] { &mut common } else { &mut other };
                *deeper = self.immediate[*deeper].filter(|above| above != deeper)?;
            }
        }
        (common != self.end()).then_some(common)
    }

    /// The blocks that these sides of a block reach without passing it again, and from how many of them.
    fn reached(&self, block: usize, sides: &[usize]) -> BTreeMap<usize, u32> {
        let mut reached = BTreeMap::<usize, u32>::new();
        for &side in sides {
            let (mut seen, mut work) = (BTreeSet::new(), vec![side]);
            while let Some(at) = work.pop() {
                if at != self.end() && seen.insert(at) && at != block {
                    work.extend(&self.graph.forth[at]);
                }
            }
            for at in seen {
                *reached.entry(at).or_default() += 1;
            }
        }
        reached
    }
}

/// The depth of each node in the tree of dominators.
fn depths(graph: &Reversed, immediate: &[Option<usize>]) -> Vec<u32> {
    let mut depth = vec![0; graph.block_count()];
    let mut is_known = vec![false; depth.len()];
    if let Some(known) = is_known.last_mut() {
        *known = true;
    }
    for node in 0..depth.len() {
        let (mut path, mut at) = (Vec::new(), node);
        while let (false, Some(above)) = (is_known[at], immediate[at]) {
            path.push(at);
            at = above;
        }
        for below in path.into_iter().rev() {
            (depth[below], is_known[below]) = (depth[at] + 1, true);
            at = below;
        }
    }
    depth
}
