//! Which block runs next in a segment of a kernel with loops that may wait for other threads (`analysis/progress.rs`).
//!
//! After a block of such a loop, and where lanes are missing at an operation, lanes at later blocks run first, and barriers last
//! ([`Schedule::in_order`](crate::analysis::Schedule::in_order)). In general the segment is left for that, and the function that calls segments
//! finds the block. In a short loop lanes may be at few blocks of the segment, which have masks, or at those of others:
//!
//! ```text
//!   %is.later = or i1 (a lane waits at one of the later blocks here), (a lane is at a later one elsewhere)
//!   br i1 %is.later, label %later, label %back
//! later:                                    ; unless a block here is next, the segment is left with the bound
//!   store i32 8, ptr %bound                 ; after the block
//!   ..
//! back:                                     ; all lanes have had their turn: so have other warps
//!   %status = call i32 @give_way(..)
//! ```

use std::mem::offset_of;
use std::ops::Range;

use ptx_host_rt::{Runtime, Status};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::{Ordinary, Volatile};
use ptx_llvm_core::build::{BinaryOp, IntPredicate, Value};

use super::next_segment::MOST_TESTS;
use super::outside::{EXCEPT, EXITED, LANES, PLACE};
use super::state::{Code, Segment};
use super::{lane_masks, next_block, outside, runtime, vain};
use crate::analysis::BlockId;

/// Runs the next block after one of a loop that may wait for other threads.
pub(super) fn run_next<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    segment: &Segment<'a, 'c>,
    id: BlockId,
    targets: &[BlockId],
) -> Result<(), LlvmError> {
    let schedule = &code.analysis.schedule;
    let is_candidate = |other: &BlockId| targets.contains(other) || schedule.may_wait(id, *other);
    let here: Vec<BlockId> = segment.range.clone().filter(is_candidate).collect();
    let (pc, lanes) = (code.analysis.graph.block(id).end, lane_masks::lanes_of(code, &code.masks.active)?);
    if here.len() > MOST_TESTS {
        return leave_in_turn(code, segment, (id, false), pc, lanes);
    }
    run_later(code, segment, id, &here)?;
    let earlier = among(&here, 0..id + 1);
    let is_earlier = is_any_at(code, segment, &earlier, 0..segment.range.start)?;
    let back = code.block("back");
    code.builder().branch_if(is_earlier, back, segment.leave)?;
    code.builder().position_at_end(back);
    give_way(code, runtime::instruction_of(code, pc, lanes)?, lanes)?;
    // Lanes that are nowhere before the segment are at one of its blocks.
    let is_before = is_any_at(code, segment, &[], 0..segment.range.start)?;
    let own = code.block("own");
    code.builder().branch_if(is_before, segment.leave, own)?;
    code.builder().position_at_end(own);
    test(code, segment, &earlier)?;
    code.builder().branch(segment.leave).map(drop)
}

/// Runs another block than that of an operation for which lanes are missing; if no lanes are elsewhere, the lanes of the warp wait for each
/// other.
pub(super) fn run_others<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    segment: &Segment<'a, 'c>,
    id: BlockId,
    here: Value<'c>,
) -> Result<(), LlvmError> {
    vain::unless_in_vain(code, runtime::end_stuck)?;
    let elsewhere = lane_masks::not(code, here)?;
    let elsewhere = code.builder().binary(BinaryOp::And, lane_masks::alive_lanes(code)?, elsewhere)?;
    let is_any = code.builder().int_compare(IntPredicate::Ne, elsewhere, code.int(32, 0))?;
    lane_masks::unless(code, is_any, runtime::end_stuck)?;
    leave_in_turn(code, segment, (id, true), code.analysis.graph.block(id).first, here)
}

/// Leaves the segment, so that [`next_in_turn`] finds the block that runs next: after `id`, which cannot run itself if it is an operation for
/// which lanes are `missing`.
fn leave_in_turn<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    segment: &Segment<'a, 'c>,
    (id, missing): (BlockId, bool),
    pc: u32,
    lanes: Value<'c>,
) -> Result<(), LlvmError> {
    set_bound(code, segment, id + 1)?;
    let except = code.int(32, if missing { id as u64 } else { EXITED });
    note(code, segment, EXCEPT, except)?;
    note_place(code, segment, pc, lanes)?;
    code.builder().branch(segment.leave).map(drop)
}

/// Leaves the segment after a block, as lanes are at an earlier one, which runs next. The function that calls segments polls.
pub(super) fn leave_for_earlier<'a, 'c>(
    code: &Code<'_, '_, 'c>,
    segment: &Segment<'a, 'c>,
    id: BlockId,
) -> Result<(), LlvmError> {
    let lanes = lane_masks::lanes_of(code, &code.masks.active)?;
    note_place(code, segment, code.analysis.graph.block(id).end, lanes)?;
    code.builder().branch(segment.leave).map(drop)
}

/// Stores where the warp is stopped if the launch is to end now.
fn note_place<'a, 'c>(
    code: &Code<'_, '_, 'c>,
    segment: &Segment<'a, 'c>,
    pc: u32,
    lanes: Value<'c>,
) -> Result<(), LlvmError> {
    note(code, segment, PLACE, runtime::instruction_of(code, pc, lanes)?)?;
    note(code, segment, LANES, lanes)
}

fn note<'a, 'c>(
    code: &Code<'_, '_, 'c>,
    segment: &Segment<'a, 'c>,
    at: u64,
    value: Value<'c>,
) -> Result<(), LlvmError> {
    let at = code.builder().offset(segment.state, code.int(64, at))?;
    code.builder().store(value, at, 4, Ordinary).map(drop)
}

/// In the function that calls segments: the lowest block from the bound on, but for barriers, at which lanes are; otherwise, after other warps have run, the
/// lowest of all.
pub(super) fn next_in_turn<'c>(
    code: &Code<'_, '_, 'c>,
    state: Value<'c>,
    bound: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let builder = code.builder();
    let word = |number: u64| code.int(32, number);
    let state_at = |at: u64| builder.offset(state, code.int(64, at));
    let loaded = |at: u64| builder.load(code.types.int(32), state_at(at)?, 4, Ordinary);
    // Each loop over segments passes here.
    poll(code, loaded(PLACE)?, loaded(LANES)?)?;
    let late = word(code.analysis.schedule.first_late() as u64);
    let is_late = builder.int_compare(IntPredicate::Uge, bound, late)?;
    let end = builder.splat(builder.select(is_late, word(EXITED), late)?, code.lanes)?;
    let from = builder.splat(bound, code.lanes)?;
    let later = outside::lowest_of(code, state, |_, at| {
        let is_after = builder.int_compare(IntPredicate::Uge, at, from)?;
        builder.binary(BinaryOp::And, is_after, builder.int_compare(IntPredicate::Ult, at, end)?)
    })?;
    let except = builder.splat(loaded(EXCEPT)?, code.lanes)?;
    builder.store(word(EXITED), state_at(EXCEPT)?, 4, Ordinary)?;
    let [wrapped, others, go] = code.blocks(["wrapped", "give.way", "next"]);
    let is_none = builder.int_compare(IntPredicate::Eq, later, word(EXITED))?;
    let from_later = builder.block()?;
    builder.branch_if(is_none, wrapped, go)?;
    builder.position_at_end(wrapped);
    let lowest = outside::lowest_of(code, state, |_, at| builder.int_compare(IntPredicate::Ne, at, except))?;
    let was_bound = builder.int_compare(IntPredicate::Ne, bound, word(0))?;
    let is_any = builder.int_compare(IntPredicate::Ne, lowest, word(EXITED))?;
    builder.branch_if(builder.binary(BinaryOp::And, was_bound, is_any)?, others, go)?;
    builder.position_at_end(others);
    runtime::call_checked(code, offset_of!(Runtime, give_way), &[loaded(PLACE)?, loaded(LANES)?])?;
    let after = builder.block()?;
    builder.branch(go)?;
    builder.position_at_end(go);
    let next = builder.phi(code.types.int(32))?;
    for (value, from) in [(later, from_later), (lowest, wrapped), (lowest, after)] {
        builder.add_incoming(next, value, from)?;
    }
    Ok(next)
}

/// If lanes are at later blocks that are no barriers, runs the lowest of these; otherwise continues after that. `here` are the blocks of
/// the segment at which lanes may be.
fn run_later<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    segment: &Segment<'a, 'c>,
    id: BlockId,
    here: &[BlockId],
) -> Result<(), LlvmError> {
    let barriers = code.analysis.schedule.first_late();
    let blocks = among(here, id + 1..barriers);
    let is_later = is_any_at(code, segment, &blocks, segment.range.end..barriers)?;
    let [later, on] = code.blocks(["later", "after"]);
    code.builder().branch_if(is_later, later, on)?;
    code.builder().position_at_end(later);
    test(code, segment, &blocks)?;
    set_bound(code, segment, id + 1)?;
    code.builder().branch(segment.leave)?;
    code.builder().position_at_end(on);
    Ok(())
}

/// Runs the first of some blocks of the segment at which lanes wait, if there is one.
fn test<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    segment: &Segment<'a, 'c>,
    blocks: &[BlockId],
) -> Result<(), LlvmError> {
    for &next in blocks {
        let [found, after] = code.blocks(["found", "after"]);
        code.builder().branch_if(next_block::has_waiting(code, next)?, found, after)?;
        code.builder().position_at_end(found);
        set_bound(code, segment, 0)?;
        code.builder().branch(next_block::first_block(code, code.at.version, next)?)?;
        code.builder().position_at_end(after);
    }
    Ok(())
}

fn among(blocks: &[BlockId], range: Range<BlockId>) -> Vec<BlockId> {
    blocks.iter().copied().filter(|id| range.contains(id)).collect()
}

fn set_bound<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    segment: &Segment<'a, 'c>,
    bound: BlockId,
) -> Result<(), LlvmError> {
    code.builder().store(code.int(32, bound as u64), segment.bound, 4, Ordinary).map(drop)
}

/// Lets other warps run, as these lanes of this one may wait for them at an instruction with this number, and stops it if the launch is to end.
fn give_way<'c>(code: &Code<'_, '_, 'c>, place: Value<'c>, lanes: Value<'c>) -> Result<(), LlvmError> {
    poll(code, place, lanes)?;
    runtime::call_checked(code, offset_of!(Runtime, give_way), &[place, lanes])
}

/// Stops these lanes if the launch is to end.
fn poll<'c>(code: &Code<'_, '_, 'c>, place: Value<'c>, lanes: Value<'c>) -> Result<(), LlvmError> {
    let attention = code.builder().load(code.types.int(32), code.inputs.attention, 4, Volatile)?;
    let goes_on = code.builder().int_compare(IntPredicate::Eq, attention, code.int(32, 0))?;
    lane_masks::unless(code, goes_on, |code| runtime::stop_numbered(code, place, lanes, Status::Interrupted))
}

/// Whether a lane is at one of some blocks of the segment, or at one of other segments in a range.
fn is_any_at<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    segment: &Segment<'a, 'c>,
    here: &[BlockId],
    elsewhere: Range<BlockId>,
) -> Result<Value<'c>, LlvmError> {
    let [mask, numbers] = [1, 32].map(|bits| code.types.vector(code.types.int(bits), code.lanes));
    let mut any = Vec::new();
    for (chunk, &place) in segment.lanes_at.iter().enumerate() {
        let mut lanes = mask.zero();
        for &id in here {
            let waiting = code.builder().load(mask, code.masks.at(id)?[chunk], 8, Ordinary)?;
            lanes = code.builder().binary(BinaryOp::Or, lanes, waiting)?;
        }
        if !elsewhere.is_empty() {
            let number = |number: usize| lane_masks::constants(code, 32, chunk, |_| number as u64);
            let at = code.builder().load(numbers, place, 8, Ordinary)?;
            let offset = code.builder().binary(BinaryOp::Sub, at, number(elsewhere.start)?)?;
            let is_there = code.builder().int_compare(IntPredicate::Ult, offset, number(elsewhere.len())?)?;
            lanes = code.builder().binary(BinaryOp::Or, lanes, is_there)?;
        }
        any.push(lanes);
    }
    next_block::is_any(code, &any)
}
