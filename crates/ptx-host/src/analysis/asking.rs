//! Loops that poll an mbarrier until its phase is over.
//!
//! ```text
//! wait:  mbarrier.try_wait.parity.shared::cta.b64 %p, [%bar], %parity;
//!   @%p  bra   done;
//!        bra   wait;
//! ```
//!
//! The interpreter distinguishes threads that poll forever from those that may stop polling by their registers. For compiled code this is decided
//! statically: lanes that see that the phase is not over are followed through the program; if they return to the poll having computed only
//! rows that are dead there, they repeat the same poll until another thread changes the mbarrier.

use std::collections::{BTreeMap, BTreeSet};

use ptx_exec::RowOperation;
use ptx_program::{Alu, Effect, FULL, Mbarrier, Op, Program, Row, Src, WARP};

use super::gather::asks;
use super::{Access, BlockId, Graph, Liveness, Terminator};

/// The most blocks through which lanes are followed.
const MOST: usize = 16;

/// Lanes on their way back to a poll: the values of rows that follow from its result, and the rows that were written.
struct Way<'a> {
    program: &'a Program,
    known: BTreeMap<u32, u64>,
    written: BTreeSet<u32>,
}

/// Whether lanes whose poll at the beginning of a block fails repeat the same poll, independent of what they do in between.
pub(crate) fn repeats(program: &Program, graph: &Graph, liveness: &Liveness, id: BlockId) -> bool {
    let first = graph.block(id).first;
    let Some(Op::Effect(Effect::Mbarrier(question))) = program.code.get(first as usize).map(|inst| &inst.op)
    else {
        return false;
    };
    let Mbarrier { dst: Some(answer), report: None, .. } = **question else { return false };
    let mut way = Way { program, known: BTreeMap::from([(answer, 0)]), written: BTreeSet::from([answer]) };
    let mut at = id;
    for _ in 0..MOST {
        let block = graph.block(at);
        let begin = if at == id { first + 1 } else { block.first };
        if at != id && block.gathers || !(begin..block.end).all(|pc| way.passes(pc)) {
            return false;
        }
        let Some(next) = way.next(&block.terminator) else { return false };
        at = next;
        if at == id {
            return way.written.iter().all(|&row| row == answer || !liveness.is_live_into(id, row));
        }
    }
    false
}

impl Way<'_> {
    fn value(&self, src: Src) -> Option<u64> {
        match (src.as_register(), src.as_constant()) {
            (Some(row), _) => self.known.get(&row).copied(),
            (None, Some(at)) => self.program.constants.rows().get(at as usize).map(|row| row[0]),
            (None, None) => None,
        }
    }

    fn set(&mut self, row: u32, value: Option<u64>) {
        self.written.insert(row);
        match value {
            Some(value) => self.known.insert(row, value),
            None => self.known.remove(&row),
        };
    }

    /// Whether an instruction only computes rows; records its effect on them.
    fn passes(&mut self, pc: u32) -> bool {
        let Some(inst) = self.program.code.get(pc as usize) else { return false };
        if asks(&inst.op) {
            return false;
        }
        let holds = match inst.guard {
            None => Some(true),
            Some(guard) => {
                self.value(Src::register(guard.row)).map(|value| (value & 1 == 1) != guard.negated)
            }
        };
        match (&inst.op, holds) {
            (_, Some(false)) | (Op::Effect(Effect::Nothing | Effect::Pause | Effect::Fence), _) => true,
            (Op::Alu(alu), Some(true)) => {
                self.compute(alu);
                true
            }
            (Op::Effect(Effect::Copy(pairs)), Some(true)) => {
                let values: Vec<_> = pairs.iter().map(|(d, a)| (*d, self.value(*a))).collect();
                values.into_iter().for_each(|(d, value)| self.set(d, value));
                true
            }
            _ => false,
        }
    }

    fn compute(&mut self, alu: &Alu) {
        let Access { reads, writes } = Access::of(&Op::Alu(*alu));
        let mut sources = [[0; WARP]; 4];
        let mut are_known = true;
        for (row, src) in sources.iter_mut().zip(&reads) {
            match self.value(*src) {
                Some(value) => *row = [value; WARP],
                None => are_known = false,
            }
        }
        let mut results: [Row; 2] = [[0; WARP]; 2];
        if are_known {
            let [first, second] = &mut results;
            let [a, b, c, d] = &sources;
            RowOperation::new(*alu).apply([a, b, c, d], FULL, [first, second]);
        }
        for (row, result) in writes.into_iter().zip(results) {
            self.set(row, are_known.then_some(result[0]));
        }
    }

    /// The successor, if it follows from the result of the poll.
    fn next(&self, terminator: &Terminator) -> Option<BlockId> {
        match terminator {
            Terminator::Jump(to) => Some(*to),
            Terminator::Branch { condition: (row, negated), taken, other } => {
                let holds = (self.value(Src::register(*row))? & 1 == 1) != *negated;
                Some(if holds { *taken } else { *other })
            }
            Terminator::Exit { guard: Some(((row, negated), other)) } => {
                let holds = (self.value(Src::register(*row))? & 1 == 1) != *negated;
                (!holds).then_some(*other)
            }
            Terminator::Exit { guard: None } | Terminator::Indexed { .. } | Terminator::Stop { .. } => None,
        }
    }
}
