//! Branches to one of many targets, by index (`brx.idx`).

use std::collections::BTreeMap;

use ptx_host_rt::Status;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, IntPredicate, Value};
use ptx_program::Src;

use super::next_block::Left;
use super::state::Code;
use super::{lane_masks, next_block, notes, registers, runtime, serial};
use crate::analysis::BlockId;
use crate::notes::RemarkKind;

/// Sends each lane to the target of its index; an index out of range stops the lane. Lanes for which the guard does not hold fall through.
pub(super) fn switch<'c>(
    code: &mut Code<'_, '_, 'c>,
    id: BlockId,
    index: Src,
    guard: Option<((u32, bool), BlockId)>,
    targets: &[BlockId],
) -> Result<(), LlvmError> {
    let pc = code.analysis.graph.block(id).end;
    let condition = guard.map(|(condition, _)| condition);
    let is_beyond = |code: &Code<'_, '_, 'c>, value: Value<'c>| {
        let count = code.emit.constant(value, code.emit.bits(value), targets.len() as u64);
        code.builder().int_compare(IntPredicate::Uge, value, count)
    };
    // Without targets the whole index is reported.
    let bits = if targets.is_empty() { 64 } else { 32 };
    if code.analysis.shapes.src(index).is_uniform() && guard.is_none() {
        let value = code.emit.resize(registers::first(code, index, 0)?, bits)?;
        let inside = registers::negate_if(code, is_beyond(code, value)?, true)?;
        let lanes = registers::active_lanes(code, None)?;
        lane_masks::unless(code, inside, |code| runtime::stop_at(code, pc, value, lanes, Status::Stopped))?;
        return switch_together(code, id, value, targets);
    }
    let decides = guard.map_or(index, |((row, _), _)| Src::register(row));
    notes::note(code, RemarkKind::Divergent, Some(decides));
    let (mut values, mut masks, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
    for chunk in 0..code.chunks {
        let value = code.emit.resize(registers::vector(code, index, chunk)?, bits)?;
        let mask = registers::active(code, condition, chunk)?;
        beyond.push(code.builder().binary(BinaryOp::And, mask, is_beyond(code, value)?)?);
        values.push(value);
        masks.push(mask);
    }
    let lanes = lane_masks::lanes_of(code, &beyond)?;
    let none = code.builder().int_compare(IntPredicate::Eq, lanes, code.int(32, 0))?;
    let numbers = serial::put(code, 0, &values)?;
    lane_masks::unless(code, none, |code| {
        let word = code.types.int(32);
        let first = [lanes, code.types.bool_value(true)];
        let lane = code.builder().intrinsic("llvm.cttz", &[word], &first)?;
        let value = serial::of_lane(code, numbers, code.emit.resize(lane, 64)?)?;
        runtime::stop_at(code, pc, value, lanes, Status::Stopped)
    })?;
    let mut places: BTreeMap<BlockId, Vec<u64>> = BTreeMap::new();
    for (number, &to) in targets.iter().enumerate() {
        places.entry(to).or_default().push(number as u64);
    }
    for (&to, numbers) in &places {
        let mut lanes = Vec::new();
        for (&value, &mask) in values.iter().zip(&masks) {
            let mut any = code.emit.constant(value, 1, 0);
            for &number in numbers {
                let number = code.emit.constant(value, 32, number);
                let is_it = code.builder().int_compare(IntPredicate::Eq, value, number)?;
                any = code.builder().binary(BinaryOp::Or, any, is_it)?;
            }
            lanes.push(code.builder().binary(BinaryOp::And, any, mask)?);
        }
        next_block::send(code, to, &lanes)?;
    }
    let mut all: Vec<BlockId> = places.into_keys().collect();
    if let Some(((row, negated), other)) = guard {
        next_block::send(code, other, &registers::all_active(code, Some((row, !negated)))?)?;
        all.push(other);
    }
    next_block::run_next(code, id, &all, Left::Some)
}

/// Sends all lanes to the target of their index, which is in range.
fn switch_together<'c>(
    code: &mut Code<'_, '_, 'c>,
    id: BlockId,
    value: Value<'c>,
    targets: &[BlockId],
) -> Result<(), LlvmError> {
    let blocks: Vec<_> = targets.iter().map(|_| code.block("target")).collect();
    let nowhere = code.block("nowhere");
    code.builder().switch(value, nowhere, &blocks)?;
    code.builder().position_at_end(nowhere);
    code.builder().unreachable()?;
    let mask = code.masks.active.clone();
    for (&to, block) in targets.iter().zip(blocks) {
        code.builder().position_at_end(block);
        next_block::send(code, to, &mask)?;
        next_block::run_next(code, id, &[to], Left::Some)?;
    }
    Ok(())
}
