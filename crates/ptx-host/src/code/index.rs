//! Rows that follow from an index which may wrap around ([`Shape::Indexed`]).
//!
//! In addition to the value of the first lane, the index of the first lane is kept in memory of its own. An access with such an address is
//! consecutive if the index does not wrap around in the warp, which is by far the most frequent case, and a gather otherwise:
//!
//! ```text
//! %last = add i64 %index, 31                 ; zext of the index of lane 0
//! %wraps = icmp ugt i64 %last, u32::MAX
//! br i1 %wraps, label %gather, label %load
//! ```

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, IntPredicate, Value};
use ptx_program::Src;

use super::state::Code;
use super::{registers, slots};
use crate::analysis::{Indexed, Stride};
use crate::error::defect;

/// The index of the first lane of a chunk; in code that checks claims, of each lane.
pub(super) fn read_index<'c>(
    code: &Code<'_, '_, 'c>,
    row: u32,
    indexed: Indexed,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    let place = code.rows.indices(row).get(code.analysis.shapes.copy(row, chunk));
    let place = *place.ok_or_else(|| defect("a row without an index"))?;
    code.builder().load(slots::index_type(code, indexed), place, 8, Ordinary)
}

/// The index of the first lane of a chunk, and the index that belongs to the row's first value.
fn indices<'c>(
    code: &Code<'_, '_, 'c>,
    row: u32,
    indexed: Indexed,
    chunk: usize,
) -> Result<[Value<'c>; 2], LlvmError> {
    let Some(across) = indexed.index.across else {
        let own = read_index(code, row, indexed, chunk)?;
        return Ok([own, own]);
    };
    let first = read_index(code, row, indexed, 0)?;
    let distance = code.int(indexed.bits, across.wrapping_mul(chunk as i64) as u64);
    Ok([code.builder().binary(BinaryOp::Add, first, distance)?, first])
}

/// The value of a lane or of lanes with such an index.
fn value_at<'c>(
    code: &Code<'_, '_, 'c>,
    row: u32,
    indexed: Indexed,
    chunk: usize,
    [index, from]: [Value<'c>; 2],
) -> Result<Value<'c>, LlvmError> {
    let bits = code.analysis.widths.row(row);
    let extended = |value: Value<'c>| match indexed.is_signed {
        true => code.emit.resize_signed(value, bits),
        false => code.emit.resize(value, bits),
    };
    let copy = code.analysis.shapes.copy(row, chunk);
    let first = slots::read(code, row, copy)?;
    let like = |value: Value<'c>| match index.ty().vector_parts() {
        Some((_, lanes)) => code.builder().splat(value, lanes),
        None => Ok(value),
    };
    let distance = code.builder().binary(BinaryOp::Sub, extended(index)?, like(extended(from)?)?)?;
    let scale = code.emit.constant(distance, bits, indexed.scale as u64);
    let scaled = code.builder().binary(BinaryOp::Mul, distance, scale)?;
    code.builder().binary(BinaryOp::Add, like(first)?, scaled)
}

/// The value of the first lane of a chunk.
pub(super) fn first_indexed<'c>(
    code: &Code<'_, '_, 'c>,
    row: u32,
    indexed: Indexed,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    if chunk == 0 || indexed.index.across.is_none() {
        return slots::read(code, row, code.analysis.shapes.copy(row, chunk));
    }
    value_at(code, row, indexed, chunk, indices(code, row, indexed, chunk)?)
}

/// The value of the first lane of a chunk if the index of the row does not wrap around in the warp.
pub(super) fn first_unwrapped<'c>(
    code: &Code<'_, '_, 'c>,
    src: Src,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    let indexed = src.as_register().and_then(|row| Some((row, code.analysis.shapes.indexed(row)?)));
    let Some((row, across)) = indexed.and_then(|(row, indexed)| Some((row, indexed.stride().across?))) else {
        return registers::first(code, src, chunk);
    };
    let first = slots::read(code, row, 0)?;
    let distance = across.wrapping_mul(chunk as i64) as u64;
    code.builder().binary(BinaryOp::Add, first, code.emit.constant(first, code.emit.bits(first), distance))
}

/// The values of the lanes of a chunk.
pub(super) fn vector_indexed<'c>(
    code: &Code<'_, '_, 'c>,
    row: u32,
    indexed: Indexed,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    let [index, from] = indices(code, row, indexed, chunk)?;
    let index = lanes_from(code, index, indexed.index.within)?;
    value_at(code, row, indexed, chunk, [index, from])
}

/// A vector of affine values: `first + within * lane`.
pub(super) fn lanes_from<'c>(
    code: &Code<'_, '_, 'c>,
    first: Value<'c>,
    within: i64,
) -> Result<Value<'c>, LlvmError> {
    let bits = code.emit.bits(first);
    let first = code.builder().splat(first, code.lanes)?;
    if within == 0 {
        return Ok(first);
    }
    let offset = |lane: i64| within.wrapping_mul(lane) as u64 & (u64::MAX >> (64 - bits));
    let offsets: Vec<u64> = (0..i64::from(code.lanes)).map(offset).collect();
    code.builder().binary(BinaryOp::Add, first, code.types.int_vector(bits, &offsets)?)
}

/// Whether the index of a row wraps around between lanes of the warp.
pub(super) fn wraps<'c>(code: &Code<'_, '_, 'c>, row: u32, indexed: Indexed) -> Result<Value<'c>, LlvmError> {
    let Stride { within, .. } = indexed.index;
    let chunks = code.chunks as i64 - 1;
    let last = within.wrapping_mul(i64::from(code.lanes) - 1);
    let last = last.wrapping_add(indexed.index.known_across().wrapping_mul(chunks));
    let mut wraps = code.int(1, 0);
    for chunk in code.analysis.shapes.chunks_of(row) {
        let index = read_index(code, row, indexed, chunk)?;
        let extended = |value| match indexed.is_signed {
            true => code.emit.resize_signed(value, 64),
            false => code.emit.resize(value, 64),
        };
        let last = code.builder().binary(BinaryOp::Add, extended(index)?, code.int(64, last as u64))?;
        let kept = extended(code.emit.resize(last, indexed.bits)?)?;
        let differs = code.builder().int_compare(IntPredicate::Ne, kept, last)?;
        wraps = code.builder().binary(BinaryOp::Or, wraps, differs)?;
    }
    Ok(wraps)
}
