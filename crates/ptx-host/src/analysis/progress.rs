//! Loops in which threads wait for each other.
//!
//! Compiled code executes the lanes of a warp in an order of its own (`schedule.rs`) and a warp until it reaches a barrier. A loop that
//! is left once another thread has stored something could then run forever. In kernels that may contain one, lanes that stay in it let all
//! others run first after each iteration: other lanes of the warp (`schedule.rs`), other warps of the block, and other blocks.
//!
//! A loop waits if its continuation depends on the result of an atomic operation, or of a polling load (volatile or synchronizing), inside
//! the loop itself. For each branch, the loop is the set of blocks on paths from the branch back to itself that avoid its immediate
//! postdominator. There a row depends on such a result if an instruction computes it from one
//! that does, or is control-dependent on one, or loads it from local or shared memory where one was stored.
//!
//! ```text
//! spin:  atom.cas %old, [lock], 0, 1            next:  atom.add %old, [count], 1
//!        setp.ne  %p, %old, 0                          setp.lt  %p, %old, %room
//!   @%p  bra      spin         ; waits            @%p  st       [..], %x        ; does not: the loop
//!                                                      ..                       ; is left by %i alone
//!                                                      setp.lt  %q, %i, %n
//!                                                 @%q  bra      next
//! ```
//!
//! One kind of loop on such results does not wait: a compare-and-swap loop, which replaces the value that it found by a function of it and is
//! left when memory still had that value. The found value is newer in each iteration, so that in each one of the contending threads leaves.

use std::collections::BTreeSet;

use ptx_ir::dominators::{FlowGraph, immediate_dominators};
use ptx_program::memory::Space;
use ptx_program::scalar::compare::Relation;
use ptx_program::{Address, Alu, Atomic, Base, Binary, Combine, Effect, Numbers, Op, Program, Src};

use super::{Access, Block, BlockId, Graph, Terminator};

/// The blocks of loops that may wait for other threads.
pub fn waiting(program: &Program, graph: &Graph) -> BTreeSet<BlockId> {
    let is_source = |block: &Block| code(program, block).any(|(_, op, _)| is_source(op));
    let mut waiting = BTreeSet::new();
    if !graph.blocks().iter().any(is_source) {
        return waiting;
    }
    let after = postdominators(graph);
    for (id, block) in graph.blocks().iter().enumerate() {
        let decided_by = block.terminator.decided_by();
        if decided_by.is_empty() {
            continue;
        }
        let region = between(graph, id, after[id]);
        if !region.is_empty()
            && decided_by.iter().any(|row| depends(program, graph, &region, &after).contains(row))
            && !is_exchange(program, graph, id, &region)
        {
            waiting.extend(region);
        }
    }
    waiting
}

fn code<'p>(program: &'p Program, block: &Block) -> impl Iterator<Item = (u32, &'p Op, Option<u32>)> {
    (block.first..block.end).map(|pc| {
        let inst = &program.code[pc as usize];
        (pc, &inst.op, inst.guard.map(|guard| guard.row))
    })
}

/// Whether the result of an operation depends on other threads.
fn is_source(op: &Op) -> bool {
    match op {
        Op::Effect(Effect::Atomic(atomic)) => atomic.dst.is_some(),
        Op::Effect(Effect::VectorAtomic(atomic)) => atomic.elements.iter().any(|(dst, _)| dst.is_some()),
        Op::Effect(Effect::WideAtomic(atomic)) => atomic.dst.is_some(),
        // No other thread changes local memory.
        Op::Effect(Effect::Load(load)) => {
            load.polls && load.address.space != Space::Local && !matches!(load.address.base, Base::Frame)
        }
        _ => false,
    }
}

/// The blocks that can be reached from `from`, these included, without passing through `without`.
fn reached(from: &[BlockId], without: Option<BlockId>, next: impl Fn(BlockId) -> Vec<BlockId>) -> Vec<bool> {
    let mut found = Vec::new();
    let mut work: Vec<BlockId> = from.iter().copied().filter(|id| Some(*id) != without).collect();
    while let Some(id) = work.pop() {
        if found.len() <= id {
            found.resize(id + 1, false);
        }
        if std::mem::replace(&mut found[id], true) {
            continue;
        }
        work.extend(next(id).into_iter().filter(|id| Some(*id) != without));
    }
    found
}

/// Whether a block is among those that [`reached`] found, which are listed up to the last one.
fn has(set: &[bool], id: BlockId) -> bool {
    set.get(id) == Some(&true)
}

/// The blocks on paths from the end of a block back to itself that avoid its immediate postdominator; empty if it
/// is not in a loop.
fn between(graph: &Graph, id: BlockId, after: Option<BlockId>) -> BTreeSet<BlockId> {
    // The intersection of what the block reaches and what reaches it.
    let from =
        reached(&graph.block(id).terminator.targets(), after, |id| graph.block(id).terminator.targets());
    let mut before = vec![Vec::new(); graph.blocks().len()];
    for (from, block) in graph.blocks().iter().enumerate() {
        for to in block.terminator.targets() {
            before[to].push(from);
        }
    }
    let to = reached(&[id], after, |id| before[id].clone());
    (0..graph.blocks().len())
        .filter(|&other| has(&from, id) && has(&from, other) && has(&to, other))
        .collect()
}

/// The rows that may depend on what other threads do in the blocks of a loop.
fn depends(
    program: &Program,
    graph: &Graph,
    region: &BTreeSet<BlockId>,
    after: &[Option<BlockId>],
) -> BTreeSet<u32> {
    // Taint, along data and control dependences: rows that an atomic or polling operation decides, blocks that a branch on such a row decides, and one
    // flag for memory that a tainted store has written. Order in the loop does not matter, since it iterates; all three only grow.
    let (mut rows, mut blocks) = (BTreeSet::new(), BTreeSet::new());
    let mut is_passed = false;
    loop {
        let before = (rows.len(), blocks.len(), is_passed);
        for &id in region {
            let block = graph.block(id);
            for (_, op, guard) in code(program, block) {
                let Access { reads, writes } = Access::of(op);
                let reads = reads.iter().filter_map(|src| src.as_register());
                let is_passed_on =
                    is_passed && matches!(op, Op::Effect(Effect::Load(load)) if may_pass_on(&load.address));
                let is_dependent = blocks.contains(&id)
                    || is_source(op)
                    || is_passed_on
                    || reads.chain(guard).any(|row| rows.contains(&row));
                if is_dependent {
                    rows.extend(writes);
                    is_passed |= matches!(op, Op::Effect(Effect::Store(store)) if may_pass_on(&store.address))
                        || matches!(op, Op::Effect(Effect::Call(_)));
                }
            }
            if block.terminator.decided_by().iter().any(|row| rows.contains(row)) {
                // The blocks that are control-dependent on the branch: up to its postdominator.
                let next = |id: BlockId| graph.block(id).terminator.targets();
                let decided = reached(&block.terminator.targets(), after[id], next);
                blocks.extend(region.iter().copied().filter(|&other| has(&decided, other)));
            }
        }
        if before == (rows.len(), blocks.len(), is_passed) {
            return rows;
        }
    }
}

/// Whether a load from there may see what a thread of the block has stored.
fn may_pass_on(address: &Address) -> bool {
    matches!(address.space, Space::Local | Space::Shared | Space::Generic)
        || matches!(address.base, Base::Frame)
}

/// Whether a loop is one block that exchanges the value that it found, and repeats until memory still had it.
fn is_exchange(program: &Program, graph: &Graph, id: BlockId, region: &BTreeSet<BlockId>) -> bool {
    let block = graph.block(id);
    // The row on which it repeats, and whether it is negated.
    let (condition, negated) = match block.terminator {
        Terminator::Branch { condition: (row, negated), taken, other } if (taken == id) != (other == id) => {
            (row, negated != (other == id))
        }
        Terminator::Exit { guard: Some(((row, negated), other)) } if other == id => (row, !negated),
        _ => return false,
    };
    if region.len() != 1 {
        return false;
    }
    let mut sources = code(program, block).filter(|(_, op, _)| is_source(op));
    let (Some((at, Op::Effect(Effect::Atomic(atomic)), None)), None) = (sources.next(), sources.next())
    else {
        return false;
    };
    let Atomic { combine: Combine::CompareAndSwap, dst: Some(found), operands: [expected, _], .. } = **atomic
    else {
        return false;
    };
    let writers = |row: u32| -> Vec<(u32, &Op, Option<u32>)> {
        let writes = |op: &Op| Access::of(op).writes.contains(&row);
        code(program, block).filter(|(_, op, _)| writes(op)).collect()
    };
    let moves = match atomic.address.base {
        Base::Row(src, _) => src.as_register().is_some_and(|row| !writers(row).is_empty()),
        Base::Frame => false,
    };
    let Some(expected) = expected.as_register().filter(|row| *row != found) else { return false };
    // The expected value is the one found in the previous iteration.
    let [(copied, Op::Effect(Effect::Copy(pairs)), None)] = writers(expected)[..] else { return false };
    let is_copy = pairs.iter().any(|pair| *pair == (expected, Src::register(found)));
    let [(compared, Op::Alu(Alu::Binary { op: Binary::Compare(comparison), a, b, .. }), None)] =
        writers(condition)[..]
    else {
        return false;
    };
    let both = [Src::register(found), Src::register(expected)];
    let is_of_both = [*a, *b] == both || [*b, *a] == both;
    let is_whole = matches!(comparison.numbers, Numbers::Int(t) if t.bits() == 8 * atomic.size);
    // The comparison sees the same values as the exchange.
    let in_order = at < compared && !(at..compared).contains(&copied);
    let ends_when_equal = match comparison.relation {
        Relation::NotEqual => !negated,
        Relation::Equal => negated,
        _ => false,
    };
    !moves && is_copy && writers(found).len() == 1 && is_of_both && is_whole && in_order && ends_when_equal
}

/// The immediate postdominator of each block, if there is one. Paths that stop the launch
/// do not count.
fn postdominators(graph: &Graph) -> Vec<Option<BlockId>> {
    let reversed = Reversed::new(graph);
    let mut after = immediate_dominators(&reversed);
    after.truncate(reversed.end);
    after.into_iter().map(|found| found.filter(|&found| found != reversed.end)).collect()
}

/// The reversed graph. The end of the thread is an additional block, which is its entry.
struct Reversed {
    end: BlockId,
    targets: Vec<Vec<BlockId>>,
    origins: Vec<Vec<BlockId>>,
}

impl Reversed {
    fn new(graph: &Graph) -> Self {
        let end = graph.blocks().len();
        let targets_of = |id: BlockId| -> Vec<BlockId> {
            let terminator = &graph.block(id).terminator;
            let exit = matches!(terminator, Terminator::Exit { .. }).then_some(end);
            terminator.targets().into_iter().chain(exit).collect()
        };
        let mut targets: Vec<Vec<BlockId>> = (0..end).map(targets_of).collect();
        targets.push(Vec::new());
        let mut origins = vec![Vec::new(); end + 1];
        for (id, targets) in targets.iter().enumerate() {
            targets.iter().for_each(|to| origins[*to].push(id));
        }
        Self { end, targets, origins }
    }
}

impl FlowGraph for Reversed {
    fn block_count(&self) -> usize {
        self.end + 1
    }

    fn entry(&self) -> Option<usize> {
        Some(self.end)
    }

    fn successor(&self, block: usize, at: usize) -> Option<usize> {
        self.origins.get(block)?.get(at).copied()
    }

    fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
        self.targets.get(block).into_iter().flatten().copied()
    }
}
