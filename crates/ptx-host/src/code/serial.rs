//! Code that executes one lane after the other, in the order of lanes, as the interpreter executes memory operations.
//!
//! The operands of the lanes are stored to memory of the function first, so that the code of one lane can index them by the lane's number:
//!
//! ```text
//! store <16 x i32> %addresses, ptr %array0          ; and the other chunk
//! each:
//!   %rest = phi i32 [ %lanes, %block ], [ %less, %each.. ]
//!   %lane = call i32 @llvm.cttz.i32(i32 %rest, i1 true)
//!   ...
//!   %less = and i32 %rest, (%rest - 1)
//! ```

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, IntPredicate, Value};
use ptx_program::{Src, WARP};

use super::fork::Fork;
use super::state::{Code, Guard};
use super::{lane_masks, notes, registers};
use crate::error::defect;
use crate::notes::RemarkKind;

/// Values of the lanes of a warp, indexable by the lane's number.
#[derive(Clone, Copy)]
pub(super) enum Held<'c> {
    /// One for all lanes.
    One(Value<'c>),
    /// In memory, with this width.
    Array(Value<'c>, u32),
}

/// Memory of the function for one value per lane. Each `number` has its own memory, which is reused: an instruction uses a different one for each
/// operand that it holds.
pub(super) fn array<'c>(code: &mut Code<'_, '_, 'c>, number: usize) -> Result<Value<'c>, LlvmError> {
    while code.rows.arrays.len() <= number {
        let ty = code.types.array(code.types.int(64), (WARP * code.analysis.warps) as u64);
        code.rows.arrays.push(code.builder().alloca_in_entry(ty, 64)?);
    }
    code.rows.arrays.get(number).copied().ok_or_else(|| defect("an array without memory"))
}

/// Stores the values of all chunks, vectors of one type of at least 8 bits, to an array.
pub(super) fn put<'c>(
    code: &mut Code<'_, '_, 'c>,
    number: usize,
    chunks: &[Value<'c>],
) -> Result<Held<'c>, LlvmError> {
    let array = array(code, number)?;
    let first = chunks.first().ok_or_else(|| defect("no values"))?;
    let bits = code.emit.bits(*first);
    for (chunk, &value) in chunks.iter().enumerate() {
        let place = code.builder().offset(array, code.int(64, chunk_bytes(code, chunk, bits)))?;
        code.builder().store(value, place, 8, Ordinary)?;
    }
    Ok(Held::Array(array, bits))
}

fn chunk_bytes(code: &Code<'_, '_, '_>, chunk: usize, bits: u32) -> u64 {
    chunk as u64 * u64::from(code.lanes) * u64::from(bits / 8)
}

/// The values of an operand with `bits` bits, at least 8.
pub(super) fn hold<'c>(
    code: &mut Code<'_, '_, 'c>,
    number: usize,
    src: Src,
    bits: u32,
) -> Result<Held<'c>, LlvmError> {
    if code.analysis.shapes.src(src).is_uniform() {
        return Ok(Held::One(code.emit.resize(registers::first(code, src, 0)?, bits)?));
    }
    let chunks = registers::vectors(code, src, bits)?;
    put(code, number, &chunks)
}

/// An array of zeros for results of `bits` bits, at least 8. Lanes without a result keep zero.
pub(super) fn results<'c>(
    code: &mut Code<'_, '_, 'c>,
    number: usize,
    bits: u32,
) -> Result<Held<'c>, LlvmError> {
    let zero = code.vector_of(bits).zero();
    put(code, number, &vec![zero; code.chunks])
}

/// The value of a lane.
pub(super) fn of_lane<'c>(
    code: &Code<'_, '_, 'c>,
    held: Held<'c>,
    lane: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    match held {
        Held::One(value) => Ok(value),
        Held::Array(array, bits) => {
            let place = lane_place(code, array, bits, lane)?;
            code.builder().load(code.types.int(bits), place, bits / 8, Ordinary)
        }
    }
}

/// Sets the value of a lane.
pub(super) fn set_lane<'c>(
    code: &Code<'_, '_, 'c>,
    held: Held<'c>,
    lane: Value<'c>,
    value: Value<'c>,
) -> Result<(), LlvmError> {
    let Held::Array(array, bits) = held else {
        return Err(defect("one number for all lanes is not set"));
    };
    let place = lane_place(code, array, bits, lane)?;
    code.builder().store(value, place, bits / 8, Ordinary).map(drop)
}

fn lane_place<'c>(
    code: &Code<'_, '_, 'c>,
    array: Value<'c>,
    bits: u32,
    lane: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let bytes = code.builder().binary(BinaryOp::Mul, lane, code.int(64, u64::from(bits / 8)))?;
    code.builder().offset(array, bytes)
}

/// All values of an array as the vectors of the chunks.
pub(super) fn taken<'c>(code: &Code<'_, '_, 'c>, held: Held<'c>) -> Result<Vec<Value<'c>>, LlvmError> {
    let Held::Array(array, bits) = held else {
        return Err(defect("one number for all lanes is not an array"));
    };
    let ty = code.vector_of(bits);
    (0..code.chunks)
        .map(|chunk| {
            let place = code.builder().offset(array, code.int(64, chunk_bytes(code, chunk, bits)))?;
            code.builder().load(ty, place, 8, Ordinary)
        })
        .collect()
}

/// The active lanes for which the guard holds, as a lane mask for each of the warps that execute together.
pub(super) fn active_warps<'c>(code: &Code<'_, '_, 'c>, guard: Guard) -> Result<Vec<Value<'c>>, LlvmError> {
    lane_masks::lanes_of_warps(code, &registers::all_active(code, guard)?)
}

/// Whether a mask of the warps is not empty.
pub(super) fn any_lane<'c>(code: &Code<'_, '_, 'c>, warps: &[Value<'c>]) -> Result<Value<'c>, LlvmError> {
    let mut all = code.int(32, 0);
    for &lanes in warps {
        all = code.builder().binary(BinaryOp::Or, all, lanes)?;
    }
    code.builder().int_compare(IntPredicate::Ne, all, code.int(32, 0))
}

/// Generates a loop over warps, in order; `body` is the code of one, given its lane mask and the number of its first lane as 64 bits.
fn each_warp<'c>(
    code: &Code<'_, '_, 'c>,
    warps: &[Value<'c>],
    body: impl FnOnce(&Code<'_, '_, 'c>, Value<'c>, Value<'c>) -> Result<(), LlvmError>,
) -> Result<(), LlvmError> {
    if let [lanes] = *warps {
        return body(code, lanes, code.int(64, 0));
    }
    let (builder, word) = (code.builder(), code.types.int(32));
    let sets = builder.alloca_in_entry(code.types.array(word, warps.len() as u64), 4)?;
    for (warp, &lanes) in warps.iter().enumerate() {
        builder.store(lanes, builder.offset(sets, code.int(64, 4 * warp as u64))?, 4, Ordinary)?;
    }
    let [each, after] = code.blocks(["warp", "after.warps"]);
    let before = builder.block()?;
    builder.branch(each)?;
    builder.position_at_end(each);
    let number = builder.phi(code.types.int(64))?;
    builder.add_incoming(number, code.int(64, 0), before)?;
    let bytes = builder.binary(BinaryOp::Mul, number, code.int(64, 4))?;
    let lanes = builder.load(word, builder.offset(sets, bytes)?, 4, Ordinary)?;
    let first = builder.binary(BinaryOp::Mul, number, code.int(64, WARP as u64))?;
    body(code, lanes, first)?;
    let next = builder.binary(BinaryOp::Add, number, code.int(64, 1))?;
    builder.add_incoming(number, next, builder.block()?)?;
    let is_left = builder.int_compare(IntPredicate::Ult, next, code.int(64, warps.len() as u64))?;
    builder.branch_if(is_left, each, after)?;
    builder.position_at_end(after);
    Ok(())
}

/// Generates a loop over the lanes of the warps' masks, in order; `body` is the code of one, given its number as 64 bits.
pub(super) fn each_lane<'c>(
    code: &Code<'_, '_, 'c>,
    warps: &[Value<'c>],
    body: impl FnOnce(&Code<'_, '_, 'c>, Value<'c>) -> Result<(), LlvmError>,
) -> Result<(), LlvmError> {
    each_warp(code, warps, |code, lanes, first| {
        each_lane_of(code, lanes, |code, lane| {
            let lane =
                if warps.len() == 1 { lane } else { code.builder().binary(BinaryOp::Add, first, lane)? };
            body(code, lane)
        })
    })
}

fn each_lane_of<'c>(
    code: &Code<'_, '_, 'c>,
    lanes: Value<'c>,
    body: impl FnOnce(&Code<'_, '_, 'c>, Value<'c>) -> Result<(), LlvmError>,
) -> Result<(), LlvmError> {
    notes::note(code, RemarkKind::Serial, None);
    let builder = code.builder();
    let [head, each, after] = code.blocks(["lanes", "lane", "after.lanes"]);
    let before = builder.block()?;
    builder.branch(head)?;
    builder.position_at_end(head);
    let word = code.types.int(32);
    let rest = builder.phi(word)?;
    builder.add_incoming(rest, lanes, before)?;
    let is_left = builder.int_compare(IntPredicate::Ne, rest, code.int(32, 0))?;
    builder.branch_if(is_left, each, after)?;
    builder.position_at_end(each);
    let lane = builder.intrinsic("llvm.cttz", &[word], &[rest, code.types.bool_value(true)])?;
    body(code, code.emit.resize(lane, 64)?)?;
    // `rest & (rest - 1)` clears the lowest bit, which is the lane just executed. The body may have added blocks, so the phi's incoming edge is from
    // the current block of the builder.
    let less = builder.binary(BinaryOp::Sub, rest, code.int(32, 1))?;
    let less = builder.binary(BinaryOp::And, rest, less)?;
    builder.add_incoming(rest, less, builder.block()?)?;
    builder.branch(head)?;
    builder.position_at_end(after);
    Ok(())
}

/// As [`each_lane`], but unrolled for the case that all lanes are in the masks: for short code.
pub(super) fn each_lane_unrolled<'c>(
    code: &Code<'_, '_, 'c>,
    warps: &[Value<'c>],
    body: impl Fn(&Code<'_, '_, 'c>, Value<'c>) -> Result<(), LlvmError>,
) -> Result<(), LlvmError> {
    let builder = code.builder();
    let mut lanes = code.int(32, u32::MAX.into());
    for &warp in warps {
        lanes = builder.binary(BinaryOp::And, lanes, warp)?;
    }
    let is_full = builder.int_compare(IntPredicate::Eq, lanes, code.int(32, u32::MAX.into()))?;
    let fork = Fork::new(code, is_full, Some(true), ["all", "some", "after"])?;
    each_warp(code, warps, |code, _, first| {
        for lane in 0..WARP as u64 {
            let lane = code.int(64, lane);
            let lane =
                if warps.len() == 1 { lane } else { code.builder().binary(BinaryOp::Add, first, lane)? };
            body(code, lane)?;
        }
        Ok(())
    })?;
    let other = fork.other(code)?;
    each_lane(code, warps, body)?;
    other.meet(code)?;
    Ok(())
}

/// Executes code only if a condition holds.
pub(super) fn only_if<'c>(
    code: &Code<'_, '_, 'c>,
    condition: Value<'c>,
    body: impl FnOnce(&Code<'_, '_, 'c>) -> Result<(), LlvmError>,
) -> Result<(), LlvmError> {
    let [then, after] = code.blocks(["then", "after"]);
    code.builder().branch_if(condition, then, after)?;
    code.builder().position_at_end(then);
    body(code)?;
    code.builder().branch(after)?;
    code.builder().position_at_end(after);
    Ok(())
}
