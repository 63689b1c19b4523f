//! Branches to one of many targets, by index (`brx.idx`).

use std::collections::BTreeMap;

use ptx_exec::program::Src;
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, IntPredicate, Value};

use super::control::Left;
use super::state::Code;
use crate::analysis::BlockId;
use crate::notes::RemarkKind;
use crate::run::{Status, field};

impl<'c> Code<'_, '_, 'c> {
    /// Sends each lane to the target of its index; an index out of range stops the lane. Lanes for which the guard does not hold fall through.
    pub(super) fn switch(
        &mut self,
        id: BlockId,
        index: Src,
        guard: Option<((u32, bool), BlockId)>,
        targets: &[BlockId],
    ) -> Result<(), LlvmError> {
        let pc = self.analysis.graph.block(id).end;
        let condition = guard.map(|(condition, _)| condition);
        let is_beyond = |code: &Self, value: Value<'c>| {
            let count = code.emit.constant(value, code.emit.bits(value), targets.len() as u64);
            code.builder().int_compare(IntPredicate::Uge, value, count)
        };
        // Without targets the whole index is reported.
        let bits = if targets.is_empty() { 64 } else { 32 };
        if self.analysis.shapes.src(index).is_uniform() && guard.is_none() {
            let value = self.emit.resize(self.first(index, 0)?, bits)?;
            let inside = self.negated(is_beyond(self, value)?, true)?;
            let lanes = self.active_lanes(None)?;
            self.unless(inside, |code| code.stop_at(pc, value, lanes, Status::Stopped))?;
            return self.switch_together(id, value, targets);
        }
        let decides = guard.map_or(index, |((row, _), _)| Src::register(row));
        self.note(RemarkKind::Divergent, Some(decides));
        let (mut values, mut masks, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
        for chunk in 0..self.chunks {
            let value = self.emit.resize(self.vector(index, chunk)?, bits)?;
            let mask = self.active(condition, chunk)?;
            beyond.push(self.builder().binary(BinaryOp::And, mask, is_beyond(self, value)?)?);
            values.push(value);
            masks.push(mask);
        }
        let lanes = self.lanes_of(&beyond)?;
        let none = self.builder().int_compare(IntPredicate::Eq, lanes, self.int(32, 0))?;
        let numbers = self.put(0, &values)?;
        self.unless(none, |code| {
            let word = code.types.int(32);
            let first = [lanes, code.types.bool_value(true)];
            let lane = code.builder().intrinsic("llvm.cttz", &[word], &first)?;
            let value = code.of_lane(numbers, code.emit.resize(lane, 64)?)?;
            code.stop_at(pc, value, lanes, Status::Stopped)
        })?;
        let mut places: BTreeMap<BlockId, Vec<u64>> = BTreeMap::new();
        for (number, &to) in targets.iter().enumerate() {
            places.entry(to).or_default().push(number as u64);
        }
        for (&to, numbers) in &places {
            let mut lanes = Vec::new();
            for (&value, &mask) in values.iter().zip(&masks) {
                let mut any = self.emit.constant(value, 1, 0);
                for &number in numbers {
                    let number = self.emit.constant(value, 32, number);
                    let is_it = self.builder().int_compare(IntPredicate::Eq, value, number)?;
                    any = self.builder().binary(BinaryOp::Or, any, is_it)?;
                }
                lanes.push(self.builder().binary(BinaryOp::And, any, mask)?);
            }
            self.send(to, &lanes)?;
        }
        let mut all: Vec<BlockId> = places.into_keys().collect();
        if let Some(((row, negated), other)) = guard {
            let others: Result<Vec<_>, LlvmError> =
                (0..self.chunks).map(|chunk| self.active(Some((row, !negated)), chunk)).collect();
            self.send(other, &others?)?;
            all.push(other);
        }
        self.run_next(id, &all, Left::Some)
    }

    /// Sends all lanes to the target of their index, which is in range.
    fn switch_together(
        &mut self,
        id: BlockId,
        value: Value<'c>,
        targets: &[BlockId],
    ) -> Result<(), LlvmError> {
        let blocks: Vec<_> =
            targets.iter().map(|_| self.function.append_block(self.types, "target")).collect();
        let nowhere = self.function.append_block(self.types, "nowhere");
        self.builder().switch(value, nowhere, &blocks)?;
        self.builder().position_at_end(nowhere);
        self.builder().unreachable()?;
        let mask = self.masks.active.clone();
        for (&to, block) in targets.iter().zip(blocks) {
            self.builder().position_at_end(block);
            self.send(to, &mask)?;
            self.run_next(id, &[to], Left::Some)?;
        }
        Ok(())
    }

    /// Stops lanes at an instruction because of an operand value, such as a branch index out of range.
    pub(super) fn stop_at(
        &self,
        pc: u32,
        value: Value<'c>,
        lanes: Value<'c>,
        status: Status,
    ) -> Result<(), LlvmError> {
        let place = self.builder().offset(self.frame, self.int(64, field::DETAIL as u64))?;
        self.builder().store(self.emit.resize(value, 64)?, place, 8, Ordinary)?;
        self.stop(pc, lanes, status)
    }
}
