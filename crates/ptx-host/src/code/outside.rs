//! Lanes at blocks of other segments, for code that generates the functions of segments (`code/segments.rs`).

use std::collections::BTreeSet;

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{IntPredicate, Value};
use ptx_program::WARP;

use super::lane_masks;
use super::state::{Code, Segment};
use crate::analysis::{BlockId, Terminator};
use crate::error::defect;

pub(super) const LANES_AT: u64 = 0;

/// The number of no block.
pub(super) const EXITED: u64 = u32::MAX as u64;

pub(super) const BOUND: u64 = 4 * WARP as u64;

/// Operations in vain since a block has run (`gather.rs`), in kernels with loops that may wait for other threads.
pub(super) const VAIN: u64 = BOUND + 4;

/// The block of an operation for which lanes are missing, which cannot run next, or [`EXITED`]; the instruction and the lanes that let others run, for
/// reports. In kernels with loops that may wait for other threads.
pub(super) const EXCEPT: u64 = BOUND + 16;
pub(super) const PLACE: u64 = BOUND + 20;
pub(super) const LANES: u64 = BOUND + 24;

pub(super) fn lanes_at<'c>(
    code: &Code<'_, '_, 'c>,
    state: Value<'c>,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    let bytes = LANES_AT + 4 * chunk as u64 * u64::from(code.lanes);
    code.builder().offset(state, code.int(64, bytes))
}

pub(super) fn number_is<'c>(
    code: &Code<'_, '_, 'c>,
    at: Value<'c>,
    chunk: usize,
    how: IntPredicate,
    number: u64,
) -> Result<Value<'c>, LlvmError> {
    code.builder().int_compare(how, at, lane_masks::constants(code, 32, chunk, |_| number)?)
}

/// The lowest block at which one of the lanes is that `counts`; [`EXITED`] if there is none.
pub(super) fn lowest_of<'c>(
    code: &Code<'_, '_, 'c>,
    state: Value<'c>,
    counts: impl Fn(usize, Value<'c>) -> Result<Value<'c>, LlvmError>,
) -> Result<Value<'c>, LlvmError> {
    let ty = code.types.vector(code.types.int(32), code.lanes);
    let mut lowest: Option<Value<'c>> = None;
    for chunk in 0..code.chunks {
        let at = code.builder().load(ty, lanes_at(code, state, chunk)?, 8, Ordinary)?;
        let none = lane_masks::constants(code, 32, chunk, |_| EXITED)?;
        let at = code.builder().select(counts(chunk, at)?, at, none)?;
        lowest = Some(match lowest {
            None => at,
            Some(before) => code.builder().intrinsic("llvm.umin", &[ty], &[before, at])?,
        });
    }
    let lowest = lowest.ok_or_else(|| defect("a warp without lanes"))?;
    code.builder().intrinsic("llvm.vector.reduce.umin", &[ty], &[lowest])
}

/// Stores where lanes are: at a block of the segment, or where they were sent.
pub(super) fn save_lanes<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    segment: &Segment<'a, 'c>,
) -> Result<(), LlvmError> {
    let ty = code.vector_of(32);
    let mask = code.vector_of(1);
    for chunk in 0..code.chunks {
        let mut at = code.builder().load(ty, segment.lanes_at[chunk], 8, Ordinary)?;
        for id in segment.range.clone().filter(|&id| segment.plan.segments.is_entry(id)) {
            let waits = code.builder().load(mask, code.masks.at(id)?[chunk], 8, Ordinary)?;
            at = code.builder().select(waits, lane_masks::constants(code, 32, chunk, |_| id as u64)?, at)?;
        }
        code.builder().store(at, lanes_at(code, segment.state, chunk)?, 8, Ordinary)?;
    }
    let place = code.builder().offset(segment.state, code.int(64, BOUND))?;
    let bound = code.builder().load(code.types.int(32), segment.bound, 4, Ordinary)?;
    code.builder().store(bound, place, 4, Ordinary)?;
    Ok(())
}

/// Whether a block is of another segment than the one being generated.
pub(super) fn is_outside(code: &Code<'_, '_, '_>, id: BlockId) -> bool {
    code.segment.as_ref().is_some_and(|segment| !segment.range.contains(&id))
}

/// Sends lanes to a block of another segment.
pub(super) fn send_outside<'c>(
    code: &Code<'_, '_, 'c>,
    to: BlockId,
    lanes: &[Value<'c>],
) -> Result<(), LlvmError> {
    let Some(segment) = &code.segment else { return Err(defect("a kernel in one function")) };
    set_lanes_at(code, segment, to as u64, lanes)
}

fn set_lanes_at<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    segment: &Segment<'a, 'c>,
    number: u64,
    lanes: &[Value<'c>],
) -> Result<(), LlvmError> {
    let ty = code.vector_of(32);
    for (chunk, (&place, &lanes)) in segment.lanes_at.iter().zip(lanes).enumerate() {
        let before = code.builder().load(ty, place, 8, Ordinary)?;
        let at = code.builder().select(lanes, lane_masks::constants(code, 32, chunk, |_| number)?, before)?;
        code.builder().store(at, place, 8, Ordinary)?;
    }
    Ok(())
}

/// In a segment, records that lanes have exited.
pub(super) fn exit_segment<'c>(code: &Code<'_, '_, 'c>, lanes: &[Value<'c>]) -> Result<(), LlvmError> {
    match &code.segment {
        Some(segment) => set_lanes_at(code, segment, EXITED, lanes),
        None => Ok(()),
    }
}

/// The blocks of the segment at which lanes may wait when others arrive at a block; `None` if no lanes wait anywhere.
pub(super) fn beside_in_segment(code: &Code<'_, '_, '_>, id: BlockId) -> Option<BTreeSet<BlockId>> {
    let segment = code.segment.as_ref()?;
    let (schedule, segments) = (&code.analysis.schedule, segment.plan.segments);
    let sends_all = |&from: &BlockId| {
        schedule.is_together(from)
            && matches!(code.analysis.graph.block(from).terminator, Terminator::Jump(_))
    };
    if !segments.can_wait(id) && segments.origins(id).iter().all(sends_all) {
        return None;
    }
    // Also blocks at which lanes never wait while another one runs: others may have been sent there by the same branch.
    Some(segment.range.clone().filter(|&other| other != id).collect())
}

/// Ends the warp, whose lanes wait for each other forever.
pub(super) fn end_stuck_segment(code: &Code<'_, '_, '_>) -> Result<(), LlvmError> {
    let Some(segment) = &code.segment else { return Err(defect("a kernel in one function")) };
    save_lanes(code, segment)?;
    let status = code.builder().call(segment.plan.stuck.function, &[code.frame, segment.state])?;
    code.builder().ret(Some(status)).map(drop)
}

/// The mask of lanes at a block of another segment.
pub(super) fn masks_outside<'c>(code: &Code<'_, '_, 'c>, id: BlockId) -> Result<Vec<Value<'c>>, LlvmError> {
    let Some(segment) = &code.segment else { return Err(defect("a kernel in one function")) };
    let ty = code.vector_of(32);
    let at = |(chunk, &place): (usize, &Value<'c>)| {
        let at = code.builder().load(ty, place, 8, Ordinary)?;
        number_is(code, at, chunk, IntPredicate::Eq, id as u64)
    };
    segment.lanes_at.iter().enumerate().map(at).collect()
}
