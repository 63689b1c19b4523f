//! Block barriers (manual 9.7.13.1).
//!
//! All lanes of the warp that have not exited reach a barrier together: a barrier begins a block, and the blocks of barriers come last
//! ([`Graph`](crate::analysis::Graph)). If `schedule.rs` cannot prove that, an aligned barrier is checked at run time: lanes that are then still
//! elsewhere are at another barrier. Where it is not proven for a barrier that is not aligned, threads come one by one (`singly.rs`).

use std::collections::BTreeSet;

use ptx_exec::program::{BarrierAction, BlockBarrier, Effect, Op, Src};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, IntPredicate, Value};

use super::serial::Held;
use super::state::Code;
use crate::analysis::BlockId;
use crate::error::CompileError;
use crate::run::{Status, field};

impl<'c> Code<'_, '_, 'c> {
    pub(super) fn barrier(
        &mut self,
        id: BlockId,
        guard: Option<(u32, bool)>,
        barrier: &BlockBarrier,
        pc: u32,
    ) -> Result<(), CompileError> {
        let together = self.analysis.schedule.is_together(id);
        let splits =
            guard.is_some_and(|(row, _)| !self.analysis.shapes.claim(Src::register(row)).is_uniform());
        let is_alone = together && self.beside(id).is_none();
        if !barrier.is_aligned && (!(together && (is_alone || !self.warps.is_heavy)) || splits) {
            let why = "a barrier without `.aligned` that threads of a warp may reach one by one is not compiled yet";
            return Err(CompileError::refused(pc, why));
        }
        if self.analysis.warps > 1 {
            if !together {
                return Err(CompileError::refused(pc, "warps run together only where their lanes do"));
            }
            return self.wait_for_turn(id);
        }
        let all = self.lanes_of(&self.masks.active.clone())?;
        if !together {
            match self.segment {
                None => self.expect_together((id, pc), &self.analysis.schedule.waiting(id), all)?,
                Some(_) => self.expect_together_in_segment(pc, all)?,
            }
        }
        if self.warps.is_heavy {
            let op = &self.program.code[pc as usize].op;
            return self.by_runtime(id, guard, op, pc).map_err(Into::into);
        }
        if self.warps.is_of_block {
            return self.wait_for_turn(id);
        }
        if guard.is_none() {
            let result = self.come_to(barrier, pc, all, all)?;
            return self.give(id, None, barrier, result).map_err(Into::into);
        }
        let lanes = self.active_lanes(guard)?;
        let place = self.array(0)?;
        self.builder().store(self.int(32, 0), place, 4, Ordinary)?;
        let comes = self.builder().int_compare(IntPredicate::Ne, lanes, self.int(32, 0))?;
        let [then, after] = ["comes", "passed"].map(|name| self.function.append_block(self.types, name));
        self.builder().branch_if(comes, then, after)?;
        self.builder().position_at_end(then);
        let result = self.come_to(barrier, pc, lanes, all)?;
        if let Some(result) = result {
            self.builder().store(result, place, 4, Ordinary)?;
        }
        self.builder().branch(after)?;
        self.builder().position_at_end(after);
        let result = match result {
            Some(_) => Some(self.builder().load(self.types.int(32), place, 4, Ordinary)?),
            None => None,
        };
        Ok(self.give(id, guard, barrier, result)?)
    }

    /// Arrives at a barrier; returns its result, as 32 bits.
    fn come_to(
        &mut self,
        barrier: &BlockBarrier,
        pc: u32,
        lanes: Value<'c>,
        all: Value<'c>,
    ) -> Result<Option<Value<'c>>, LlvmError> {
        let (number, number_differs) = self.common(1, barrier.id, lanes)?;
        let (count, count_differs) = match barrier.count {
            Some(count) => self.common(2, count, lanes)?,
            None => (self.int(32, 0), self.int(32, 0)),
        };
        let twice = self.builder().binary(BinaryOp::Shl, count_differs, self.int(32, 1))?;
        let differs = self.builder().binary(BinaryOp::Or, number_differs, twice)?;
        let trues = match barrier.predicate {
            None => self.int(32, 0),
            Some(predicate) => {
                let chunks: Result<Vec<_>, LlvmError> = (0..self.chunks)
                    .map(|chunk| self.emit.resize(self.vector(predicate, chunk)?, 1))
                    .collect();
                self.lanes_of(&chunks?)?
            }
        };
        let arguments = [self.int(32, pc.into()), lanes, all, number, count, trues, differs];
        self.call_checked(field::runtime::BARRIER, &arguments)?;
        let builder = self.builder();
        let word = |at: usize| {
            let place = builder.offset(self.frame, self.int(64, at as u64))?;
            builder.load(self.types.int(32), place, 4, Ordinary)
        };
        let bit = |holds: Value<'c>| self.emit.resize(holds, 32);
        match barrier.action {
            BarrierAction::Sync | BarrierAction::Arrive => Ok(None),
            BarrierAction::Popc => word(field::TRUES).map(Some),
            BarrierAction::And => {
                let all = builder.int_compare(IntPredicate::Eq, word(field::TRUES)?, word(field::VOTES)?)?;
                bit(all).map(Some)
            }
            BarrierAction::Or => {
                let any = builder.int_compare(IntPredicate::Ne, word(field::TRUES)?, self.int(32, 0))?;
                bit(any).map(Some)
            }
        }
    }

    /// Writes the result of a barrier.
    fn give(
        &self,
        id: BlockId,
        guard: Option<(u32, bool)>,
        barrier: &BlockBarrier,
        result: Option<Value<'c>>,
    ) -> Result<(), LlvmError> {
        let Some(result) = result else { return Ok(()) };
        let result = self.emit.resize(result, self.analysis.widths.row(barrier.dst))?;
        let copies = (0..self.copies(barrier.dst)).map(|_| self.spread(result, barrier.dst));
        let values: Vec<Value<'c>> = copies.collect::<Result<_, LlvmError>>()?;
        self.write(id, guard, barrier.dst, &values)
    }

    /// The 32-bit value that lanes have in common, and whether they have different ones.
    fn common(
        &mut self,
        array: usize,
        src: Src,
        lanes: Value<'c>,
    ) -> Result<(Value<'c>, Value<'c>), LlvmError> {
        match self.hold(array, src, 32)? {
            Held::One(value) => Ok((value, self.int(32, 0))),
            Held::Array(place, _) => {
                let arguments = [place, lanes];
                let both = self.call_runtime(field::runtime::COMMON, &arguments, self.types.int(64))?;
                let differs = self.builder().binary(BinaryOp::LShr, both, self.int(64, 32))?;
                Ok((self.emit.resize(both, 32)?, self.emit.resize(differs, 32)?))
            }
        }
    }

    /// Stops the warp if lanes are elsewhere: at another barrier, or where they wait for these lanes.
    pub(super) fn expect_together(
        &self,
        (id, pc): (BlockId, u32),
        elsewhere: &BTreeSet<BlockId>,
        all: Value<'c>,
    ) -> Result<(), LlvmError> {
        let builder = self.builder();
        let is_barrier = |pc: u32| {
            let inst = self.program.code.get(pc as usize);
            inst.is_some_and(|inst| matches!(inst.op, Op::Effect(Effect::BlockBarrier(_))))
        };
        let none = self.int(32, 0);
        let (mut others, mut place, mut waiting) = (none, self.int(32, pc.into()), none);
        for &other in elsewhere.iter().filter(|&&other| other != id).rev() {
            let ty = self.types.vector(self.types.int(1), self.lanes);
            let masks = self.masks.at(other)?.iter().map(|&place| builder.load(ty, place, 8, Ordinary));
            let lanes = self.lanes_of(&masks.collect::<Result<Vec<_>, _>>()?)?;
            let first = self.analysis.graph.block(other).first;
            if !is_barrier(first) {
                waiting = builder.binary(BinaryOp::Or, waiting, lanes)?;
                continue;
            }
            let any = builder.int_compare(IntPredicate::Ne, lanes, none)?;
            others = builder.select(any, lanes, others)?;
            place = builder.select(any, self.int(32, first.into()), place)?;
        }
        let is_together = builder.int_compare(IntPredicate::Eq, others, none)?;
        self.unless(is_together, |code| {
            let arguments = [code.int(32, pc.into()), all, place, others];
            let status = code.call_runtime(field::runtime::PART, &arguments, code.types.int(32))?;
            code.builder().ret(Some(status)).map(drop)
        })?;
        let is_alone = builder.int_compare(IntPredicate::Eq, waiting, none)?;
        self.unless(is_alone, |code| code.stop(pc, all, Status::Deadlock))
    }
}
