//! The order in which a fixed point over the rows of a kernel looks at its instructions.
//!
//! A result for each row that is joined over all instructions which write it is found by sweeps: all instructions in the order of the graph, again and again
//! until nothing changes. In a loop that copies registers against the order of its instructions,
//!
//! ```text
//! L: mov %r0, %r1; mov %r1, %r2; ..  mov %r9999, %r10000; ld %r10000, [%rd1]; @%p bra L;
//! ```
//!
//! each sweep would look at 10,000 instructions to change one row. Here sweeps after the first look only at the instructions that read a row which has
//! changed since; the others would give what they gave before. The results are those of whole sweeps, also where they depend on the order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ptx_program::{Inst, Op, Program};

use super::access::Access;
use super::by_row::ByRow;
use super::{BlockId, Graph};

/// An instruction of a kernel before the terminator of a block.
#[derive(Clone, Copy)]
pub(super) struct Visit<'a> {
    pub(super) block: BlockId,
    pub(super) inst: &'a Inst,
    pub(super) access: &'a Access,
}

impl<'a> Visit<'a> {
    pub(super) fn op(&self) -> &'a Op {
        &self.inst.op
    }
}

/// The instructions of a kernel, in sweeps.
pub(super) struct Sweep<'a> {
    instructions: Vec<Visit<'a>>,
    /// The positions of the instructions that read a row, also as a guard.
    readers: ByRow<Vec<u32>>,
    /// Those to look at in this sweep, from the position after the last one on, and in the next one.
    now: BinaryHeap<Reverse<u32>>,
    next: Vec<u32>,
    is_queued: Vec<bool>,
    last: u32,
}

impl<'a> Sweep<'a> {
    /// All instructions of a kernel are to be looked at.
    pub(super) fn new(program: &'a Program, graph: &'a Graph) -> Self {
        let of_block = |block: BlockId| {
            let code = graph.code(program, graph.block(block));
            code.map(move |(_, inst, access)| Visit { block, inst, access })
        };
        let instructions: Vec<Visit<'_>> = (0..graph.blocks().len()).flat_map(of_block).collect();
        let mut readers = ByRow::new(program.kernel().rows, Vec::new(), |_| Vec::new());
        for (at, visit) in (0..).zip(&instructions) {
            let guard = visit.inst.guard.map(|guard| guard.row);
            let rows = visit.access.reads.iter().filter_map(|src| src.as_register()).chain(guard);
            for row in rows {
                let readers: Option<&mut Vec<u32>> = readers.get_mut(row);
                readers.into_iter().for_each(|readers| readers.push(at));
            }
        }
        let is_queued = vec![false; instructions.len()];
        let mut sweep =
            Self { instructions, readers, now: BinaryHeap::new(), next: Vec::new(), is_queued, last: 0 };
        sweep.restart();
        sweep
    }

    /// All instructions are to be looked at again.
    pub(super) fn restart(&mut self) {
        let all = 0..self.instructions.len() as u32;
        self.next.clear();
        self.now = all.map(Reverse).collect();
        self.is_queued.fill(true);
    }

    /// The next instruction to look at, in the order of the graph; `None` if there is none any more.
    pub(super) fn next(&mut self) -> Option<Visit<'a>> {
        if self.now.is_empty() {
            self.now = self.next.drain(..).map(Reverse).collect();
        }
        let Reverse(at) = self.now.pop()?;
        self.last = at;
        self.is_queued[at as usize] = false;
        Some(self.instructions[at as usize])
    }

    /// The result of a row has changed.
    pub(super) fn changed(&mut self, row: u32) {
        for &at in self.readers.get(row) {
            if !std::mem::replace(&mut self.is_queued[at as usize], true) {
                if at > self.last { self.now.push(Reverse(at)) } else { self.next.push(at) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use ptx_diag::SourceFile;
    use ptx_exec::Memory;

    use super::*;
    use crate::prepared::prepared;

    /// How many instructions are looked at until it is found which registers of a chain depend on what a loop loads, and how many there are.
    fn visits(registers: usize) -> (usize, usize) {
        let mut text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
             .reg .b32 %r<{}>; .reg .b64 %a; .reg .pred %p; ld.param.u64 %a, [p];\n",
            registers + 1
        );
        (0..=registers).for_each(|r| _ = writeln!(text, "mov.u32 %r{r}, 0;"));
        text.push_str("L:\n");
        (0..registers).for_each(|r| _ = writeln!(text, "mov.b32 %r{r}, %r{};", r + 1));
        let _ =
            writeln!(text, "ld.global.u32 %r{registers}, [%a]; setp.ne.u32 %p, %r0, 0; @%p bra L; ret; }}");
        let prepared = prepared(&SourceFile::new("k.ptx", text), &Memory::new());
        let program = prepared.program();
        let graph = Graph::new(program).expect("the kernel has a graph");
        let mut depends = ByRow::new(program.kernel().rows, true, |_| false);
        let (mut sweep, mut visits) = (Sweep::new(program, &graph), 0);
        while let Some(visit) = sweep.next() {
            visits += 1;
            let mut reads = visit.access.reads.iter().filter_map(|src| src.as_register());
            let is_loaded = matches!(visit.op(), Op::Effect(ptx_program::Effect::Load(_)));
            if !is_loaded && !reads.any(|row| *depends.get(row)) {
                continue;
            }
            for &row in &visit.access.writes {
                if let Some(depends) = depends.get_mut(row)
                    && !std::mem::replace(depends, true)
                {
                    sweep.changed(row);
                }
            }
        }
        let found = (0..depends.count()).filter(|&row| *depends.get(row)).count();
        assert!(found > registers, "{found} of {registers} registers");
        (visits, program.code.len())
    }

    #[test]
    fn a_chain_against_the_order_is_looked_at_in_proportion_to_its_length() {
        for registers in [10, 1000] {
            let (visits, instructions) = visits(registers);
            assert!(visits >= instructions - 4 && visits <= 3 * instructions, "{visits} for {instructions}");
        }
    }
}
