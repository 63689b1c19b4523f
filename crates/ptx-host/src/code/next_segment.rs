//! As `code/next_block.rs`, for the function of a segment, which returns if a block of another segment is next.

use std::cell::Cell;
use std::collections::BTreeSet;

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, Block, IntPredicate, Value};

use super::next_block::Left;
use super::outside::EXITED;
use super::state::{Code, Segment};
use super::{lane_masks, next_block, outside, patient_segment, runtime};
use crate::analysis::{BlockId, leaves_early};
use crate::error::defect;
use crate::strategy::Version;

/// The most tests at the end of a block; where lanes may be at more blocks, all of the segment are tested in one place.
pub(super) const MOST_TESTS: usize = 4;

/// Runs the lowest block at which lanes are: one of this segment, unless lanes are at an earlier one.
pub(super) fn run_next_of_segment(
    code: &Code<'_, '_, '_>,
    version: Version,
    id: BlockId,
    targets: &[BlockId],
    left: Left,
) -> Result<(), LlvmError> {
    let Some(segment) = &code.segment else { return Err(defect("a kernel in one function")) };
    let (schedule, range) = (&code.analysis.schedule, &segment.range);
    if schedule.is_patient(id) {
        return patient_segment::run_next(code, segment, id, targets);
    }
    if leaves_early(schedule, range, id, targets) && leave_if_before(code, segment, id, targets)? {
        return Ok(());
    }
    let candidates: Vec<BlockId> =
        range.clone().filter(|other| targets.contains(other) || schedule.may_wait(id, *other)).collect();
    let tests = match *targets {
        [only] if left == Left::Some => candidates.iter().take_while(|&&next| next != only).count(),
        _ => candidates.len(),
    };
    if tests > MOST_TESTS {
        if candidates.iter().any(|&next| next <= id) {
            next_block::poll(code, code.analysis.graph.block(id).end, |code| {
                lane_masks::lanes_of(code, &code.masks.active)
            })?;
        }
        let block = shared(&segment.dispatch, || code.block("dispatch"));
        code.builder().branch(block)?;
        return Ok(());
    }
    // Lanes are at one of these blocks if they cannot be at a later one.
    let is_here = targets.iter().all(|to| *to < range.end)
        && schedule.bounds(id).is_none_or(|(_, last)| last < range.end);
    let last = candidates.last().copied().filter(|_| is_here);
    let is_sure = |next| left == Left::Some && (targets == [next] || Some(next) == last);
    next_block::run_first_of(code, version, id, &candidates, is_sure, segment.leave)
}

/// Leaves the segment if lanes are at an earlier one, which runs first; returns whether they surely are. Loops over segments pass here, so
/// that it polls whether the warp is to stop.
fn leave_if_before<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    segment: &Segment<'a, 'c>,
    id: BlockId,
    targets: &[BlockId],
) -> Result<bool, LlvmError> {
    let leave = |code: &Code<'_, '_, 'c>| {
        if code.analysis.schedule.has_patient() {
            return patient_segment::leave_for_earlier(code, segment, id);
        }
        next_block::poll(code, code.analysis.graph.block(id).end, |code| {
            lane_masks::lanes_of(code, &code.masks.active)
        })?;
        code.builder().branch(segment.leave).map(drop)
    };
    if matches!(targets, [to] if *to < segment.range.start) {
        leave(code)?;
        return Ok(true);
    }
    let before = is_any_lane_at(code, segment, IntPredicate::Ult, segment.range.start as u64)?;
    let [back, on] = code.blocks(["back", "after"]);
    code.builder().branch_if(before, back, on)?;
    code.builder().position_at_end(back);
    leave(code)?;
    code.builder().position_at_end(on);
    Ok(false)
}

/// Whether a lane is at a block of another segment with such a number.
fn is_any_lane_at<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    segment: &Segment<'a, 'c>,
    how: IntPredicate,
    number: u64,
) -> Result<Value<'c>, LlvmError> {
    let ty = code.vector_of(32);
    let mut any = Vec::new();
    for (chunk, &place) in segment.lanes_at.iter().enumerate() {
        let at = code.builder().load(ty, place, 8, Ordinary)?;
        let mut is_it = outside::number_is(code, at, chunk, how, number)?;
        if how == IntPredicate::Uge {
            let is_alive = outside::number_is(code, at, chunk, IntPredicate::Ne, EXITED)?;
            is_it = code.builder().binary(BinaryOp::And, is_it, is_alive)?;
        }
        any.push(is_it);
    }
    next_block::is_any(code, &any)
}

/// As `run_others`, in a segment: where lanes are missing at an operation, a later block runs, also one of another segment.
pub(super) fn run_others_of_segment<'c>(
    code: &Code<'_, '_, 'c>,
    id: BlockId,
    here: Value<'c>,
    others: &BTreeSet<BlockId>,
) -> Result<(), LlvmError> {
    let Some(segment) = &code.segment else { return Err(defect("a kernel in one function")) };
    if code.analysis.schedule.has_patient() {
        return patient_segment::run_others(code, segment, id, here);
    }
    let pc = code.analysis.graph.block(id).first;
    code.builder().store(code.int(32, id as u64 + 1), segment.bound, 4, Ordinary)?;
    if others.range(id + 1..).count() > MOST_TESTS {
        let block = shared(&segment.pass_over, || code.block("pass.over"));
        return code.builder().branch(block).map(drop);
    }
    for &next in others.range(id + 1..) {
        let [found, after] = code.blocks(["found", "after"]);
        code.builder().branch_if(next_block::has_waiting(code, next)?, found, after)?;
        code.builder().position_at_end(found);
        code.builder().store(code.int(32, 0), segment.bound, 4, Ordinary)?;
        code.builder().branch(next_block::way_from(code, code.at.version, (id, pc), next, |_| Ok(here))?)?;
        code.builder().position_at_end(after);
    }
    leave_for_later(code, segment)
}

/// A block that several others branch to, which is made for the first of them.
fn shared<'c>(block: &Cell<Option<Block<'c>>>, make: impl FnOnce() -> Block<'c>) -> Block<'c> {
    let shared = block.get().unwrap_or_else(make);
    block.set(Some(shared));
    shared
}

/// Leaves the segment for a later one, since none of its blocks from the bound on can run; if no lane is at a later one, the lanes of the warp wait
/// for each other.
pub(super) fn leave_for_later<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    segment: &Segment<'a, 'c>,
) -> Result<(), LlvmError> {
    let later = is_any_lane_at(code, segment, IntPredicate::Uge, segment.range.end as u64)?;
    let none = code.block("nowhere");
    code.builder().branch_if(later, segment.leave, none)?;
    code.builder().position_at_end(none);
    if code.analysis.arrives_singly {
        return wait_for_phase_in_segment(code, segment);
    }
    runtime::end_stuck(code)
}

/// Waits until a phase of a barrier is over, where no lane of the warp is at a segment that can run.
fn wait_for_phase_in_segment<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    segment: &Segment<'a, 'c>,
) -> Result<(), LlvmError> {
    runtime::await_phase(code)?;
    code.builder().store(code.int(32, 0), segment.bound, 4, Ordinary)?;
    code.builder().branch(segment.leave).map(drop)
}
