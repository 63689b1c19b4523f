//! Masks of lanes: where they are kept, and what is computed from them.

use std::collections::BTreeSet;

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate, Value};
use ptx_program::WARP;

use super::outside;
use super::state::Code;
use crate::analysis::BlockId;
use crate::strategy::Version;

/// The size of a value in memory, an integer, a float, or a vector of them.
pub(super) fn bytes(ty: ptx_llvm_core::build::Type<'_>) -> Result<u64, LlvmError> {
    match ty.bits() {
        Some(bits) if bits % 8 == 0 => Ok(u64::from(bits / 8)),
        _ => Err(crate::error::defect("a value that does not consist of bytes")),
    }
}

/// The mask of a chunk with all lanes.
pub(super) fn all_of_chunk<'c>(code: &Code<'_, '_, 'c>) -> Result<Value<'c>, LlvmError> {
    code.types.int_vector(1, &vec![1; code.lanes as usize])
}

/// The lane mask of each warp, from the masks of all chunks.
pub(super) fn lanes_of_warps<'c>(
    code: &Code<'_, '_, 'c>,
    masks: &[Value<'c>],
) -> Result<Vec<Value<'c>>, LlvmError> {
    masks.chunks((WARP / code.lanes as usize).max(1)).map(|masks| lanes_of(code, masks)).collect()
}

/// Generates a rare path: `rare` ends the function if the condition, which usually holds, does not.
pub(super) fn unless<'c>(
    code: &Code<'_, '_, 'c>,
    usually: Value<'c>,
    rare: impl FnOnce(&Code<'_, '_, 'c>) -> Result<(), LlvmError>,
) -> Result<(), LlvmError> {
    let [on, off] = code.blocks(["on", "rare"]);
    code.builder().branch_if_likely(usually, on, off, true)?;
    code.builder().position_at_end(off);
    rare(code)?;
    code.builder().position_at_end(on);
    Ok(())
}

/// Converts the masks of all chunks to one lane mask.
pub(super) fn lanes_of<'c>(code: &Code<'_, '_, 'c>, masks: &[Value<'c>]) -> Result<Value<'c>, LlvmError> {
    let builder = code.builder();
    let mut lanes = code.int(32, 0);
    for (chunk, &mask) in masks.iter().enumerate() {
        let bits = builder.cast(CastOp::BitCast, mask, code.types.int(code.lanes))?;
        let bits = code.emit.resize(bits, 32)?;
        let shift = code.int(32, chunk as u64 * u64::from(code.lanes));
        lanes = builder.binary(BinaryOp::Or, lanes, builder.binary(BinaryOp::Shl, bits, shift)?)?;
    }
    Ok(lanes)
}

/// The blocks at which lanes may wait when others arrive at this one, `None` if there are none; in a segment, those of the segment.
pub(super) fn beside(code: &Code<'_, '_, '_>, id: BlockId) -> Option<BTreeSet<BlockId>> {
    if code.segment.is_some() {
        return outside::beside_in_segment(code, id);
    }
    let beside = code.analysis.schedule.beside(&code.analysis.graph, id);
    Some(beside).filter(|beside| !beside.is_empty())
}

/// The lanes that have neither exited nor arrived here.
pub(super) fn missing<'c>(code: &Code<'_, '_, 'c>, here: Value<'c>) -> Result<Value<'c>, LlvmError> {
    code.builder().binary(BinaryOp::And, alive_lanes(code)?, not(code, here)?)
}

/// The lanes that have not exited, as a lane mask.
pub(super) fn alive_lanes<'c>(code: &Code<'_, '_, 'c>) -> Result<Value<'c>, LlvmError> {
    if code.at.version == Version::Full {
        return Ok(code.int(32, u32::MAX.into()));
    }
    let ty = code.vector_of(1);
    let alive: Vec<Value<'c>> = code
        .masks
        .alive
        .iter()
        .map(|&place| code.builder().load(ty, place, 8, Ordinary))
        .collect::<Result<_, _>>()?;
    lanes_of(code, &alive)
}

pub(super) fn masks_of<'c>(code: &Code<'_, '_, 'c>, id: BlockId) -> Result<Vec<Value<'c>>, LlvmError> {
    if outside::is_outside(code, id) {
        return outside::masks_outside(code, id);
    }
    let ty = code.vector_of(1);
    code.masks.at(id)?.iter().map(|&place| code.builder().load(ty, place, 8, Ordinary)).collect()
}

/// The inverse of [`lanes_of`], for one warp.
pub(super) fn vectors_of<'c>(code: &Code<'_, '_, 'c>, lanes: Value<'c>) -> Result<Vec<Value<'c>>, LlvmError> {
    let ty = code.vector_of(1);
    (0..(WARP / code.lanes as usize).min(code.chunks))
        .map(|chunk| {
            let shift = code.int(32, chunk as u64 * u64::from(code.lanes));
            let bits = code.builder().binary(BinaryOp::LShr, lanes, shift)?;
            let bits = code.emit.resize(bits, code.lanes)?;
            code.builder().cast(CastOp::BitCast, bits, ty)
        })
        .collect()
}

/// Inverts all bits.
pub(super) fn not<'c>(code: &Code<'_, '_, 'c>, value: Value<'c>) -> Result<Value<'c>, LlvmError> {
    let bits = code.emit.bits(value);
    let ones = code.emit.constant(value, bits, u64::MAX >> (64 - bits));
    code.builder().binary(BinaryOp::Xor, value, ones)
}

/// Whether an integer is not zero.
pub(super) fn any_bit<'c>(code: &Code<'_, '_, 'c>, value: Value<'c>) -> Result<Value<'c>, LlvmError> {
    code.builder().int_compare(IntPredicate::Ne, value, value.ty().zero())
}

/// A constant for each lane of a chunk.
pub(super) fn constants<'c>(
    code: &Code<'_, '_, 'c>,
    bits: u32,
    chunk: usize,
    of_lane: impl Fn(usize) -> u64,
) -> Result<Value<'c>, LlvmError> {
    let first = chunk * code.lanes as usize;
    let values: Vec<u64> = (first..first + code.lanes as usize).map(of_lane).collect();
    code.types.int_vector(bits, &values)
}

/// The number of the lowest lane of a mask; for an empty mask, an arbitrary valid lane.
pub(super) fn lowest<'c>(code: &Code<'_, '_, 'c>, lanes: Value<'c>) -> Result<Value<'c>, LlvmError> {
    let arguments = [lanes, code.types.bool_value(false)];
    let number = code.builder().intrinsic("llvm.cttz", &[lanes.ty()], &arguments)?;
    code.builder().binary(BinaryOp::And, number, code.emit.constant(number, 32, WARP as u64 - 1))
}

/// The values of all lanes in memory, one after the other.
pub(super) fn in_memory<'c>(code: &Code<'_, '_, 'c>, values: &[Value<'c>]) -> Result<Value<'c>, LlvmError> {
    let Some(first) = values.first() else { return Err(crate::error::defect("no values")) };
    let array = code.types.array(first.ty(), values.len() as u64);
    let place = code.builder().alloca_in_entry(array, 64)?;
    to_memory(code, place, values)?;
    Ok(place)
}

/// Stores values in such memory.
pub(super) fn to_memory<'c>(
    code: &Code<'_, '_, 'c>,
    place: Value<'c>,
    values: &[Value<'c>],
) -> Result<(), LlvmError> {
    for (at, &value) in (0..).zip(values) {
        let place = code.builder().offset(place, code.int(64, at * bytes(value.ty())?))?;
        code.builder().store(value, place, 8, Ordinary)?;
    }
    Ok(())
}

/// The first values of this type in such memory.
pub(super) fn from_memory<'c>(
    code: &Code<'_, '_, 'c>,
    place: Value<'c>,
    ty: ptx_llvm_core::build::Type<'c>,
    count: usize,
) -> Result<Vec<Value<'c>>, LlvmError> {
    let one = |at: u64| {
        let place = code.builder().offset(place, code.int(64, at * bytes(ty)?))?;
        code.builder().load(ty, place, 8, Ordinary)
    };
    (0..count as u64).map(one).collect()
}

/// The value of a lane in such memory.
pub(super) fn lane_in_memory<'c>(
    code: &Code<'_, '_, 'c>,
    memory: Value<'c>,
    ty: ptx_llvm_core::build::Type<'c>,
    lane: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let size = bytes(ty)?;
    let offset = code.emit.resize(lane, 64)?;
    let offset = code.builder().binary(BinaryOp::Mul, offset, code.int(64, size))?;
    let alignment = size.next_power_of_two() as u32;
    code.builder().load(ty, code.builder().offset(memory, offset)?, alignment, Ordinary)
}
