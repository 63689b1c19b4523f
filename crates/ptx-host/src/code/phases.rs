//! Turns of kernels whose warps reach barriers in one order (`analysis/phases.rs`): a loop over warps for each phase.
//!
//! ```text
//! phase1:
//!   %warp = load i32, ptr %at
//!   ..
//! block4:                                    ; the next barrier
//!   store <16 x i32> %r5, ptr %state[%warp].r5
//!   br i1 %is.last, label %reset, label %phase1
//! phase2:
//!   %r5 = load <16 x i32>, ptr %state[%warp].r5
//! ```

use std::collections::{BTreeMap, BTreeSet};

use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, Block, IntPredicate};

use super::registers::defect;
use super::state::{Code, Loops};
use crate::analysis::{BlockId, Phases, computed_again};
use crate::error::CompileError;
use crate::run::field;

impl<'c> Loops<'c> {
    /// The loops of a kernel with one version of code, if its warps reach barriers in one order.
    pub(super) fn new(code: &Code<'_, '_, 'c>) -> Result<Option<Self>, LlvmError> {
        let phases = Phases::new(code.program, &code.analysis.graph);
        let is_plain = code.versions().len() == 1 && !code.warps.is_quiet && !code.checks();
        let Some(phases) = phases.filter(|_| is_plain) else { return Ok(None) };
        let at = code.builder().alloca_in_entry(code.types.int(32), 4)?;
        let heads = phases.blocks.iter().map(|_| code.function.append_block(code.types, "phase")).collect();
        // Gathers take 32-bit indices as long as LLVM does not know that these are not negative: otherwise it extends them, and gathers half as many
        // lanes at a time. Of values loaded from memory it does not know it.
        let again =
            if code.has_gathers() { BTreeMap::new() } else { computed_again(code.program, code.analysis) };
        Ok(Some(Self { phases, at, heads, again }))
    }

    /// Whether a row need not be saved at barriers.
    pub(super) fn computes(&self, row: u32) -> bool {
        self.again.contains_key(&row)
    }
}

impl<'c> Code<'_, '_, 'c> {
    /// Branches to the first phase.
    pub(super) fn begin_phases(&self, loops: &Loops<'c>) -> Result<(), LlvmError> {
        let first = loops.heads.first().ok_or_else(|| defect("a kernel without phases"))?;
        self.builder().store(self.int(32, 0), loops.at, 4, Ordinary)?;
        self.builder().branch(*first)?;
        self.builder().position_at_end(*first);
        Ok(())
    }

    /// Stores the current warp's index for the runtime, at the beginning of its turn.
    pub(super) fn begin_turn(&mut self) -> Result<(), LlvmError> {
        self.read_turn()?;
        let place = self.builder().offset(self.frame, self.int(64, field::WARP as u64))?;
        self.builder().store(self.inputs.warp, place, 4, Ordinary)?;
        Ok(())
    }

    /// Loads the current warp's index, for code that begins here.
    pub(super) fn read_turn(&mut self) -> Result<(), LlvmError> {
        let Some(at) = self.warps.turns.as_ref().and_then(|turns| turns.loops.as_ref()).map(|loops| loops.at)
        else {
            return Ok(());
        };
        let warp = self.builder().load(self.types.int(32), at, 4, Ordinary)?;
        self.inputs = self.inputs_of_turn(warp)?;
        if let Some(turns) = &mut self.warps.turns {
            turns.warp = warp;
        }
        Ok(())
    }

    /// Ends a warp's turn: the next warp runs in this phase, or the first one in what follows: the next phase, or `after`.
    pub(super) fn end_turn(&self, phase: usize, after: Option<Block<'c>>) -> Result<(), LlvmError> {
        let turns = self.warps.turns.as_ref().ok_or_else(|| defect("a phase without turns"))?;
        let loops = turns.loops.as_ref().ok_or_else(|| defect("turns without phases"))?;
        let head = |phase: usize| loops.heads.get(phase).copied().ok_or_else(|| defect("no such phase"));
        let after = match after {
            Some(after) => after,
            None => head(phase + 1)?,
        };
        let builder = self.builder();
        let next = builder.binary(BinaryOp::Add, turns.warp, self.int(32, 1))?;
        let is_last = builder.int_compare(IntPredicate::Eq, next, self.int(32, turns.warps))?;
        let next = builder.select(is_last, self.int(32, 0), next)?;
        builder.store(next, loops.at, 4, Ordinary)?;
        builder.branch_if(is_last, after, head(phase)?)?;
        Ok(())
    }

    /// The phase that a barrier ends, and the beginning of the next one.
    pub(super) fn phase_ended_by(&self, barrier: BlockId) -> Option<(usize, Block<'c>)> {
        let loops = self.warps.turns.as_ref()?.loops.as_ref()?;
        let next = loops.phases.begun_by(barrier)?;
        Some((next - 1, *loops.heads.get(next)?))
    }

    /// The last phase.
    pub(super) fn last_phase(&self) -> Option<usize> {
        self.warps.turns.as_ref()?.loops.as_ref()?.heads.len().checked_sub(1)
    }

    /// Recomputes the rows that a phase reads, at the barrier that begins it.
    pub(super) fn compute_again(&mut self, id: BlockId) -> Result<(), CompileError> {
        let analysis = self.analysis;
        let Some(loops) = self.warps.turns.as_ref().and_then(|turns| turns.loops.as_ref()) else {
            return Ok(());
        };
        let phase = loops.phases.begun_by(id).and_then(|phase| loops.phases.blocks.get(phase));
        let blocks = phase.into_iter().flatten();
        let read: BTreeSet<u32> = blocks.flat_map(|&block| analysis.rows_of(self.program, block)).collect();
        let is_wanted = |row: &u32| loops.computes(*row) && analysis.liveness.is_live_into(id, *row);
        let (mut order, mut seen) = (Vec::new(), BTreeSet::new());
        for row in read.into_iter().filter(is_wanted) {
            self.order_again(&loops.again, row, &mut seen, &mut order);
        }
        self.rows.current.borrow_mut().clear();
        for pc in order {
            self.instruction(id, pc)?;
        }
        self.write_live_into(&BTreeSet::from([id]))?;
        Ok(())
    }

    /// Orders the instructions that compute a row so that each comes after those of its operands.
    fn order_again(
        &self,
        again: &BTreeMap<u32, u32>,
        row: u32,
        seen: &mut BTreeSet<u32>,
        order: &mut Vec<u32>,
    ) {
        let Some(&pc) = again.get(&row).filter(|_| seen.insert(row)) else { return };
        for row in self.analysis.graph.access(pc).reads.iter().filter_map(|src| src.as_register()) {
            self.order_again(again, row, seen, order);
        }
        order.push(pc);
    }
}
