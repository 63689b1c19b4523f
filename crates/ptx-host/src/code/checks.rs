//! Code that checks the claims of the analysis (`analysis/claims.rs`).
//!
//! Every row is then a vector, written in the active lanes only, so that each lane has the values that its instructions
//! compute. Only the order of blocks and the masks of lanes that wait at them still follow from the analysis, and are checked too.

use std::sync::Arc;

use ptx_exec::TrapKind;
use ptx_host_rt::{Status, WarpFrame, note};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate, Value};
use ptx_program::{Mask, Src, WARP};

use super::serial::Held;
use super::state::{Code, Guard};
use super::{index, lane_masks, registers, runtime, serial, slots};
use crate::analysis::{BlockId, Claims, read_from_before};

/// The arrays (`serial.rs`) of checked values, in addition to those of operations.
const VALUES: usize = 6;
const INDICES: usize = 7;
/// The array of the lane masks of warps.
const LANES: usize = 8;

/// Checks the rows that a block reads, in its active lanes. Only values that are read are claimed to be something: a row that is written first, and seems to
/// be live where lives are approximated, may have any other.
pub(super) fn check_read(code: &mut Code<'_, '_, '_>, id: BlockId) -> Result<(), LlvmError> {
    let analysis = code.analysis;
    let lanes = serial::active_warps(code, None)?;
    for row in read_from_before(code.program, &analysis.graph, id) {
        check(code, analysis.graph.block(id).first, row, &lanes)?;
    }
    Ok(())
}

/// Checks the results of an instruction, in lanes of each warp.
pub(super) fn check_written<'c>(
    code: &mut Code<'_, '_, 'c>,
    pc: u32,
    lanes: &[Value<'c>],
) -> Result<(), LlvmError> {
    let analysis = code.analysis;
    for &row in &analysis.graph.access(pc).writes {
        check(code, pc, row, lanes)?;
    }
    Ok(())
}

fn check<'c>(code: &mut Code<'_, '_, 'c>, pc: u32, row: u32, lanes: &[Value<'c>]) -> Result<(), LlvmError> {
    values_of(code, Src::register(row))?;
    if let Some(indexed) = slots::indexed(code, row) {
        let index = |chunk| code.emit.resize(index::read_index(code, row, indexed, chunk)?, 64);
        let indices = (0..code.chunks).map(index).collect::<Result<Vec<_>, LlvmError>>()?;
        serial::put(code, INDICES, &indices)?;
    }
    let [values, indices, sets] =
        [serial::array(code, VALUES)?, serial::array(code, INDICES)?, serial::array(code, LANES)?];
    for (warp, &lanes) in lanes.iter().enumerate() {
        let place = code.builder().offset(sets, code.int(64, 4 * warp as u64))?;
        code.builder().store(lanes, place, 4, Ordinary)?;
    }
    let Some(claims) = code.analysis.shapes.claims() else { return Ok(()) };
    let address = |number: usize| {
        code.builder().cast(CastOp::IntToPtr, code.int(64, number as u64), code.types.pointer(0))
    };
    // The code lives no longer than the claims, and runs in this process only.
    let claims = address(Arc::as_ptr(claims) as usize)?;
    let function = address(check_in_process as CheckCode as usize)?;
    let warps = code.int(32, lanes.len() as u64);
    // Programs with joined operations execute one warp at a time.
    let pc = runtime::instruction_of(code, pc, lanes.first().copied().unwrap_or_else(|| code.int(32, 0)))?;
    let arguments = [claims, code.frame, pc, code.int(32, row.into()), warps, sets, values, indices];
    let parameters = arguments.map(Value::ty);
    let ty = code.types.function(code.types.int(32), &parameters);
    let status = code.builder().call_value(ty, function, &arguments)?;
    runtime::end_unless_done(code, status)
}

/// Checks that the active mask that a block assumes is that of the lanes that wait at it.
pub(super) fn check_together<'c>(
    code: &Code<'_, '_, 'c>,
    id: BlockId,
    taken: &[Value<'c>],
    waiting: &[Value<'c>],
) -> Result<(), LlvmError> {
    let pairs = taken.iter().zip(waiting);
    let differs = pairs.map(|(&taken, &waiting)| code.builder().binary(BinaryOp::Xor, taken, waiting));
    let differs = differs.collect::<Result<Vec<_>, _>>()?;
    let some = serial::any_lane(code, &lane_masks::lanes_of_warps(code, &differs)?)?;
    let none = code.builder().binary(BinaryOp::Xor, some, code.types.bool_value(true))?;
    let pc = code.analysis.graph.block(id).first;
    lane_masks::unless(code, none, |code| runtime::stop_first(code, pc, &differs, Status::Apart))
}

/// In checked code, the value that all active lanes are claimed to have.
pub(super) fn claimed_one<'c>(
    code: &mut Code<'_, '_, 'c>,
    src: Src,
    guard: Guard,
) -> Result<Option<Value<'c>>, LlvmError> {
    if !code.checks() || !code.analysis.shapes.claim(src).is_uniform() {
        return Ok(None);
    }
    let lanes = serial::active_warps(code, guard)?;
    let values = values_of(code, src)?;
    let lane = code.emit.resize(lowest_of(code, &lanes)?, 64)?;
    serial::of_lane(code, values, lane).map(Some)
}

/// The value of the first of these lanes.
pub(super) fn of_lowest<'c>(
    code: &mut Code<'_, '_, 'c>,
    src: Src,
    lanes: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    if !code.checks() || src.as_register().is_none() {
        return registers::first(code, src, 0);
    }
    let values = values_of(code, src)?;
    let lane = code.emit.resize(lane_masks::lowest(code, lanes)?, 64)?;
    serial::of_lane(code, values, lane)
}

fn values_of<'c>(code: &mut Code<'_, '_, 'c>, src: Src) -> Result<Held<'c>, LlvmError> {
    let values = registers::vectors(code, src, 64)?;
    serial::put(code, VALUES, &values)
}

/// The number of the first of these lanes, given the mask of each warp.
fn lowest_of<'c>(code: &Code<'_, '_, 'c>, warps: &[Value<'c>]) -> Result<Value<'c>, LlvmError> {
    let mut found = code.int(32, 0);
    for (warp, &lanes) in warps.iter().enumerate().rev() {
        let any = code.builder().int_compare(IntPredicate::Ne, lanes, code.int(32, 0))?;
        let first = code.int(32, (warp * WARP) as u64);
        let lane = code.builder().binary(BinaryOp::Add, lane_masks::lowest(code, lanes)?, first)?;
        found = code.builder().select(any, lane, found)?;
    }
    Ok(found)
}

type CheckCode = unsafe extern "C" fn(
    *const Claims,
    *mut WarpFrame,
    u32,
    u32,
    u32,
    *const Mask,
    *const u64,
    *const u64,
) -> i32;

/// Checks the values of a row at an instruction against its claim; returns a [`Status`]. `indices` are read if the claim
/// needs them.
///
/// # Safety
/// The frame is that of a running warp, the first of `warps`; the claims are alive; there is a lane mask for each warp, and a value for each lane.
unsafe extern "C" fn check_in_process(
    claims: *const Claims,
    frame: *mut WarpFrame,
    pc: u32,
    row: u32,
    warps: u32,
    lanes: *const Mask,
    values: *const u64,
    indices: *const u64,
) -> i32 {
    let warps = warps as usize;
    // SAFETY: as above.
    let (claims, lanes, values, indices) = unsafe {
        let slice = |values| std::slice::from_raw_parts(values, warps * WARP);
        (&*claims, std::slice::from_raw_parts(lanes, warps), slice(values), slice(indices))
    };
    let Err(text) = claims.check(row, lanes, values, indices) else { return Status::Done as i32 };
    // Default: a claim fails for an active lane only, so that a warp has one.
    let first = lanes.iter().position(|&lanes| lanes != 0).unwrap_or(0);
    // SAFETY: as above.
    unsafe {
        (*frame).warp += first as u32;
        note(frame, pc, lanes[first], TrapKind::Defect(text))
    }
}
