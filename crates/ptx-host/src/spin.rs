//! Plain loads with which programs wait for other threads.
//!
//! PTX gives no guarantee for a plain load that races with another thread's store, but programs spin on such loads, and the interpreter lets
//! the other threads run. A loop in which nothing changes between iterations never ends unless another thread stores something. The loads
//! that control it become polling loads, so that the loop counts as waiting (`analysis/progress.rs`) and code reloads the value in each iteration.
//!
//! ```text
//! spin: ld.global %v, [flag]            next: ld.global %v, [%next]
//!       setp.eq   %p, %v, 0                   setp.eq   %p, %v, 0
//!   @%p bra       spin      ; waits           add.u64   %next, %next, 4
//!                                         @%p bra       next      ; does not: the address changes
//! ```

use std::collections::BTreeSet;

use ptx_ir::dominators::{FlowGraph, immediate_dominators};
use ptx_program::memory::Space;
use ptx_program::{Effect, Op, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::{Access, BlockId, Edges, Graph};
use crate::inline::Inlined;

/// Kernels with more blocks are left unchanged.
const MOST_BLOCKS: usize = 512;
/// The most instructions of loops that are looked at in a kernel; one in several loops counts in each. The loads of other loops are left unchanged.
const MOST_INSTRUCTIONS: usize = 1 << 20;

/// Turns the loads of a kernel on which loops wait into polling loads.
pub(crate) fn poll(program: &Program, inlined: Option<Inlined>) -> Option<Inlined> {
    let loads = loads(inlined.as_ref().map_or(program, |inlined| &inlined.program));
    if loads.is_empty() {
        return inlined;
    }
    let mut inlined = inlined.unwrap_or_else(|| Inlined::unchanged(program));
    for pc in loads {
        if let Some(Op::Effect(Effect::Load(load))) =
            inlined.program.code.get_mut(pc as usize).map(|inst| &mut inst.op)
        {
            load.polls = true;
        }
    }
    Some(inlined)
}

/// The plain loads that control loops in which nothing changes.
fn loads(program: &Program) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let Some(graph) = Graph::new(program).ok().filter(|graph| graph.blocks().len() <= MOST_BLOCKS) else {
        return found;
    };
    let is_load = |id: BlockId| {
        let block = graph.block(id);
        (block.first..block.end).any(|pc| may_wait(&program.code[pc as usize].op))
    };
    if !(0..graph.blocks().len()).any(|id| !graph.loop_around(id).is_empty() && is_load(id)) {
        return found;
    }
    // Small ones first: a loop that waits is small, and each way back to the head of a large one is another loop.
    let mut loops: Vec<Loop<'_>> = natural_loops(&Edges::new(&graph))
        .into_iter()
        .map(|inside| Loop { program, graph: &graph, inside })
        .collect();
    loops.sort_by_cached_key(Loop::size);
    let mut looked = 0;
    for inside in loops {
        looked += inside.size();
        if looked > MOST_INSTRUCTIONS {
            break;
        }
        found.extend(inside.waits_with());
    }
    found
}

/// The natural loop of each back edge.
fn natural_loops(edges: &Edges) -> Vec<BTreeSet<BlockId>> {
    let before = immediate_dominators(edges);
    // A back edge leads to a block that dominates its origin. Irreducible loops have none, and keep
    // their loads, which is correct.
    let dominates = |head: BlockId, mut id: BlockId| {
        while id != head {
            match before[id] {
                Some(above) if above != id => id = above,
                _ => return false,
            }
        }
        true
    };
    let back = edges.all().filter(|&(from, to)| dominates(to, from));
    back.map(|(from, head)| {
        let (mut inside, mut work) = (BTreeSet::from([head]), vec![from]);
        while let Some(id) = work.pop() {
            if inside.insert(id) {
                work.extend(edges.predecessors(id));
            }
        }
        inside
    })
    .collect()
}

/// A loop.
struct Loop<'a> {
    program: &'a Program,
    graph: &'a Graph,
    inside: BTreeSet<BlockId>,
}

impl<'a> Loop<'a> {
    fn code(&self) -> impl Iterator<Item = (u32, &'a Op, Option<u32>)> {
        let (program, graph) = (self.program, self.graph);
        let pcs = self.inside.iter().flat_map(|&id| graph.block(id).first..graph.block(id).end);
        pcs.map(|pc| {
            let inst = &program.code[pc as usize];
            (pc, &inst.op, inst.guard.map(|guard| guard.row))
        })
    }

    /// The number of its instructions.
    fn size(&self) -> usize {
        self.inside.iter().map(|&id| (self.graph.block(id).end - self.graph.block(id).first) as usize).sum()
    }

    /// Its plain loads, if the loop is controlled only by loaded values and rows that do not change.
    fn waits_with(&self) -> Vec<u32> {
        let loads: Vec<u32> = self.code().filter(|(_, op, _)| may_wait(op)).map(|(pc, ..)| pc).collect();
        if loads.is_empty() || self.code().any(|(_, op, _)| changes_more(op)) {
            return Vec::new();
        }
        let changing = self.changing();
        let decided_by = self.inside.iter().flat_map(|&id| self.graph.block(id).terminator.decided_by());
        if decided_by.into_iter().any(|row| changing.contains(&row)) { Vec::new() } else { loads }
    }

    /// The rows that may change between iterations although memory does not: those that depend on their own earlier values.
    fn changing(&self) -> FxHashSet<u32> {
        // The greatest fixed point: starts with all rows that the loop writes, and removes rows all of whose writers compute from unchanging rows only. The
        // remaining rows depend on themselves, as a counter does. An instruction counts the changing rows that it reads, a row its open writers: those
        // that read one, or compute something else each time. Each count only falls, so that this is linear in the size of the loop.
        let code: Vec<(Access, &Op, Option<u32>)> =
            self.code().map(|(_, op, guard)| (Access::of(op), op, guard)).collect();
        let mut changing: FxHashMap<u32, usize> = FxHashMap::default();
        for &row in code.iter().flat_map(|(access, ..)| &access.writes) {
            *changing.entry(row).or_insert(0) += 1;
        }
        let mut readers: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        let mut open = vec![0; code.len()];
        for (at, (access, op, guard)) in code.iter().enumerate() {
            let reads = access.reads.iter().filter_map(|src| src.as_register()).chain(*guard);
            for row in reads.filter(|row| changing.contains_key(row)) {
                readers.entry(row).or_default().push(at);
                open[at] += 1;
            }
            // Never closed.
            open[at] += usize::from(!is_function(op));
        }
        let mut closed: Vec<usize> = (0..code.len()).filter(|&at| open[at] == 0).collect();
        while let Some(at) = closed.pop() {
            for row in &code[at].0.writes {
                let Some(writers) = changing.get_mut(row) else { continue };
                *writers -= 1;
                if *writers > 0 {
                    continue;
                }
                changing.remove(row);
                for &reader in readers.get(row).into_iter().flatten() {
                    open[reader] -= 1;
                    if open[reader] == 0 {
                        closed.push(reader);
                    }
                }
            }
        }
        changing.into_keys().collect()
    }
}

/// Whether an operation is a plain load of memory that other threads may write.
fn may_wait(op: &Op) -> bool {
    let Op::Effect(Effect::Load(load)) = op else { return false };
    let space = load.address.space;
    !load.polls && matches!(space, Space::Global | Space::Shared | Space::SharedCluster | Space::Generic)
}

/// Whether an operation always has the same result for the same operands and memory.
fn is_function(op: &Op) -> bool {
    matches!(op, Op::Alu(_) | Op::Effect(Effect::Copy(_) | Effect::Load(_) | Effect::FrameAddress { .. }))
}

/// Whether an operation does anything other than compute, load or pause: a loop that contains one does not count as waiting.
fn changes_more(op: &Op) -> bool {
    matches!(op, Op::Effect(effect) if !effect.traits().may_wait)
}

#[cfg(test)]
mod tests {
    use ptx_diag::SourceFile;
    use ptx_exec::Memory;

    use super::*;
    use crate::prepared::prepared;

    /// How many loads of a kernel poll that did not.
    fn polls(body: &str) -> usize {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n) {{\n\
             .reg .b32 %r<9>; .reg .b64 %a<9>; .reg .pred %p<9>; .shared .u32 s; .local .u32 l;\n\
             ld.param.u64 %a1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;\n{body} }}"
        );
        loads(prepared(&SourceFile::new("k.ptx", text), &Memory::new()).program()).len()
    }

    #[test]
    fn loops_in_which_nothing_changes_wait() {
        for (body, expected) in [
            ("L: ld.global.u32 %r3, [%a1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra L; ret;", 1),
            ("L: ld.shared.u32 %r3, [s]; setp.eq.u32 %p1, %r3, %r1; @%p1 bra L; ret;", 1),
            // The second load's address is what the first one finds.
            ("L: ld.u64 %a2, [%a1]; ld.u32 %r3, [%a2]; setp.eq.u32 %p1, %r3, 0; @%p1 bra L; ret;", 2),
            // Rounds are counted, but the count decides nothing.
            (
                "L: add.u32 %r2, %r2, 1; ld.u32 %r3, [%a1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra L; st.u32 [%a1], %r2; ret;",
                1,
            ),
            // In a loop that counts.
            (
                "M: add.u32 %r2, %r2, 1; L: ld.u32 %r3, [%a1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra L; setp.lt.u32 %p2, %r2, %r1; @%p2 bra M; ret;",
                1,
            ),
        ] {
            assert_eq!(polls(body), expected, "{body}");
        }
    }

    #[test]
    fn loops_that_get_on_do_not() {
        for body in [
            "ld.u32 %r3, [%a1]; st.u32 [%a1+4], %r3; ret;",
            // The next one of a list, the next place, the next number.
            "L: ld.u64 %a1, [%a1]; setp.ne.u64 %p1, %a1, 0; @%p1 bra L; ret;",
            "L: ld.u32 %r3, [%a1]; add.u64 %a1, %a1, 4; setp.eq.u32 %p1, %r3, 0; @%p1 bra L; ret;",
            "L: ld.u32 %r3, [%a1]; add.u32 %r2, %r2, %r3; setp.lt.u32 %p1, %r2, %r1; @%p1 bra L; ret;",
            // Rounds are counted, and the count ends them.
            "L: add.u32 %r2, %r2, 1; ld.u32 %r3, [%a1]; setp.eq.u32 %p1, %r3, 0; setp.lt.u32 %p2, %r2, 9; and.pred %p1, %p1, %p2; @%p1 bra L; ret;",
            "L: add.u32 %r2, %r2, 1; setp.gt.u32 %p2, %r2, 9; @%p2 ret; ld.u32 %r3, [%a1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra L; ret;",
            // The thread itself counts in memory.
            "L: ld.u32 %r3, [%a1]; add.u32 %r3, %r3, 1; st.u32 [%a1], %r3; setp.lt.u32 %p1, %r3, 9; @%p1 bra L; ret;",
            "L: ld.u32 %r3, [%a1]; red.global.add.u32 [%a1], 1; setp.lt.u32 %p1, %r3, 9; @%p1 bra L; ret;",
            // No one else writes its own memory; it polls already.
            "st.local.u32 [l], 1; L: ld.local.u32 %r3, [l]; setp.eq.u32 %p1, %r3, 0; @%p1 bra L; ret;",
            "L: ld.volatile.u32 %r3, [%a1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra L; ret;",
            // It ends with the time.
            "L: ld.u32 %r3, [%a1]; mov.u32 %r4, %clock; sub.u32 %r4, %r4, %r1; min.u32 %r3, %r3, %r4; setp.lt.u32 %p1, %r3, 9; @%p1 bra L; ret;",
        ] {
            assert_eq!(polls(body), 0, "{body}");
        }
    }
}
