//! The memory of rows, and values in the form of a row.
//!
//! Each row has an `alloca`, which LLVM promotes to registers. Within a block, values are forwarded in [`Current`]; at its end, those that another
//! block reads are stored:
//!
//! ```text
//! %r5.in = load <16 x i32>, ptr %r5           ; at the beginning of the block
//! %r6.0 = add <16 x i32> %r5.in, splat (i32 1)
//! %r6.1 = select <16 x i1> %mask, <16 x i32> %r6.0, <16 x i32> %r6.in   ; if inactive lanes still need their %r6
//! store <16 x i32> %r6.1, ptr %r6             ; at its end
//! ```

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, CastOp, FloatPredicate, Value};
use ptx_program::scalar::format::Format;
use ptx_program::{Alu, Src};

use super::state::{Code, Current, Guard};
use super::{cluster, index, lane_masks, slots};
use crate::analysis::{BlockId, Indexed, Shape, Stride, takes_any};
use crate::error::defect;

/// The value of a source in a chunk, in the form of a row that is computed from it: a vector if that row varies, otherwise the value of
/// the chunk's first lane.
pub(super) fn value<'c>(
    code: &Code<'_, '_, 'c>,
    src: Src,
    dst: u32,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    if code.analysis.shapes.is_vector(dst) { vector(code, src, chunk) } else { first(code, src, chunk) }
}

/// The value of the first lane of a chunk, for a source that is not a vector.
pub(super) fn first<'c>(code: &Code<'_, '_, 'c>, src: Src, chunk: usize) -> Result<Value<'c>, LlvmError> {
    with_own_nan(code, src, raw_first(code, src, chunk)?)
}

/// The values of the lanes of a chunk.
pub(super) fn vector<'c>(code: &Code<'_, '_, 'c>, src: Src, chunk: usize) -> Result<Value<'c>, LlvmError> {
    if code.analysis.shapes.src(src) == Shape::Varying {
        return with_own_nan(code, src, raw_vector(code, src, chunk)?);
    }
    raw_vector(code, src, chunk)
}

/// The values of all lanes, a vector for each chunk, as integers of `bits` bits.
pub(super) fn vectors<'c>(code: &Code<'_, '_, 'c>, src: Src, bits: u32) -> Result<Vec<Value<'c>>, LlvmError> {
    (0..code.chunks).map(|chunk| code.emit.resize(vector(code, src, chunk)?, bits)).collect()
}

/// The values of the lanes of a chunk, or that of the first one, without canonicalizing NaNs.
pub(super) fn raw<'c>(
    code: &Code<'_, '_, 'c>,
    src: Src,
    is_vector: bool,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    if is_vector { raw_vector(code, src, chunk) } else { raw_first(code, src, chunk) }
}

/// The sources of an operation, for a row that is computed from them.
pub(super) fn arguments<'c>(
    code: &Code<'_, '_, 'c>,
    alu: &Alu,
    srcs: &[Src],
    dst: u32,
    chunk: usize,
) -> Result<Vec<Value<'c>>, LlvmError> {
    let gives_any = code.analysis.nans.has_any(dst);
    let argument = |(index, &src): (usize, &Src)| match takes_any(alu, index, gives_any) {
        true => raw(code, src, code.analysis.shapes.is_vector(dst), chunk),
        false => value(code, src, dst, chunk),
    };
    srcs.iter().enumerate().map(argument).collect()
}

/// A source in the form of a row that it is copied to.
pub(super) fn copied<'c>(code: &Code<'_, '_, 'c>, src: Src, dst: u32) -> Result<Vec<Value<'c>>, LlvmError> {
    let one = |chunk| match code.analysis.nans.has_any(dst) {
        true => raw(code, src, code.analysis.shapes.is_vector(dst), chunk),
        false => value(code, src, dst, chunk),
    };
    code.analysis.shapes.chunks_of(dst).into_iter().map(one).collect()
}

/// Replaces NaNs with arbitrary payload by the canonical one that they stand for.
pub(super) fn with_own_nan<'c>(
    code: &Code<'_, '_, 'c>,
    src: Src,
    value: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    if !code.analysis.nans.are_any(src) || code.emit.bits(value) != Format::F32.bits() {
        return Ok(value);
    }
    let float = code.builder().cast(CastOp::BitCast, value, code.emit.like(value, code.types.f32()))?;
    let is_nan = code.builder().float_compare(FloatPredicate::Uno, float, float)?;
    let nan = code.emit.constant(value, Format::F32.bits(), Format::F32.canonical_nan());
    code.builder().select(is_nan, nan, value)
}

pub(super) fn raw_first<'c>(code: &Code<'_, '_, 'c>, src: Src, chunk: usize) -> Result<Value<'c>, LlvmError> {
    let bits = code.analysis.widths.src(src);
    let shape = code.analysis.shapes.src(src);
    let Some(row) = src.as_register() else {
        if let Shape::Constant(value) = shape {
            return Ok(code.int(bits, value));
        }
        let address = src.as_constant().and_then(|constant| code.addresses.get(&constant));
        return match address {
            Some(&address) => Ok(address),
            None => cluster::own_address(code, src, bits),
        };
    };
    match shape {
        Shape::Unwritten => Ok(code.int(bits, 0)),
        Shape::Constant(value) => Ok(code.int(bits, value)),
        Shape::Uniform => slots::read(code, row, 0),
        Shape::Strided(Stride { across: None, .. }) => {
            slots::read(code, row, code.analysis.shapes.copy(row, chunk))
        }
        Shape::Strided(Stride { across: Some(across), .. }) => {
            let offset = code.int(bits, across.wrapping_mul(chunk as i64) as u64);
            code.builder().binary(BinaryOp::Add, slots::read(code, row, 0)?, offset)
        }
        Shape::Indexed(indexed) => index::first_indexed(code, row, indexed, chunk),
        // For a uniform row that is computed from a varying one: `tid.x >> 3 & 0x1ffffffc`.
        Shape::Varying => {
            code.builder().extract_element(slots::read(code, row, code.analysis.shapes.copy(row, chunk))?, 0)
        }
    }
}

pub(super) fn raw_vector<'c>(
    code: &Code<'_, '_, 'c>,
    src: Src,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    match (src.as_register(), code.analysis.shapes.src(src)) {
        (Some(row), Shape::Varying) => slots::read(code, row, code.analysis.shapes.copy(row, chunk)),
        (Some(row), Shape::Indexed(indexed)) => index::vector_indexed(code, row, indexed, chunk),
        (_, shape) => {
            let stride = shape.stride().ok_or_else(|| defect("a constant without a value"))?;
            index::lanes_from(code, first(code, src, chunk)?, stride.within)
        }
    }
}

/// Writes a row where the guard holds, and only in active lanes if inactive ones need their values. There is a value for each
/// chunk, or for each of the row's values.
pub(super) fn write<'c>(
    code: &Code<'_, '_, 'c>,
    id: BlockId,
    guard: Guard,
    row: u32,
    values: &[Value<'c>],
) -> Result<(), LlvmError> {
    if matches!(code.analysis.shapes.row(row), Shape::Unwritten | Shape::Constant(_)) {
        return Ok(());
    }
    let keeps = code.checks() || code.analysis.keeps_others(id, row);
    let is_of_chunks = values.len() > code.analysis.shapes.copies(row);
    for (copy, &chunk) in code.analysis.shapes.chunks_of(row).iter().enumerate() {
        let value = values.get(if is_of_chunks { chunk } else { copy });
        let value = *value.ok_or_else(|| defect("a row without a value"))?;
        let mut value = code.emit.resize(value, code.analysis.widths.row(row))?;
        // A vector is selected lane by lane. A uniform row has no lanes: its guard, which is uniform too, decides for all of them.
        let condition = match guard {
            _ if code.analysis.shapes.is_vector(row) && (keeps || guard.is_some()) => {
                Some(active(code, guard, chunk)?)
            }
            Some((row, negated)) => {
                let holds = code.emit.resize(first(code, Src::register(row), 0)?, 1)?;
                Some(negate_if(code, holds, negated)?)
            }
            None => None,
        };
        if let Some(condition) = condition {
            value = code.builder().select(condition, value, slots::read(code, row, copy)?)?;
        }
        code.rows.current.borrow_mut().insert((row, copy), Current { value, is_new: true });
    }
    Ok(())
}

/// The active lanes of a chunk for which the guard holds.
pub(super) fn active<'c>(
    code: &Code<'_, '_, 'c>,
    guard: Guard,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    let mask = code.masks.active[chunk];
    match guard {
        None => Ok(mask),
        Some(condition) => {
            code.builder().binary(BinaryOp::And, mask, self::condition(code, condition, chunk)?)
        }
    }
}

/// As [`active`], for all chunks.
pub(super) fn all_active<'c>(code: &Code<'_, '_, 'c>, guard: Guard) -> Result<Vec<Value<'c>>, LlvmError> {
    (0..code.chunks).map(|chunk| active(code, guard, chunk)).collect()
}

/// As [`active`], as a lane mask.
pub(super) fn active_lanes<'c>(code: &Code<'_, '_, 'c>, guard: Guard) -> Result<Value<'c>, LlvmError> {
    lane_masks::lanes_of(code, &all_active(code, guard)?)
}

/// The lanes of a chunk for which a condition holds.
pub(super) fn condition<'c>(
    code: &Code<'_, '_, 'c>,
    (row, negated): (u32, bool),
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    let holds = code.emit.resize(vector(code, Src::register(row), chunk)?, 1)?;
    negate_if(code, holds, negated)
}

pub(super) fn negate_if<'c>(
    code: &Code<'_, '_, 'c>,
    holds: Value<'c>,
    negated: bool,
) -> Result<Value<'c>, LlvmError> {
    if !negated {
        return Ok(holds);
    }
    code.builder().binary(BinaryOp::Xor, holds, code.emit.constant(holds, 1, 1))
}

/// Writes the indices of a row that is computed from these operands, one of which has or is the index.
pub(super) fn write_index(
    code: &Code<'_, '_, '_>,
    guard: Guard,
    row: u32,
    reads: &[Src],
) -> Result<(), LlvmError> {
    let Some(indexed) = slots::indexed(code, row) else { return Ok(()) };
    for (&place, chunk) in code.rows.indices(row).iter().zip(code.analysis.shapes.chunks_of(row)) {
        let mut index = index_of(code, indexed, reads, chunk)?;
        if code.checks() || guard.is_some() {
            let before = code.builder().load(index.ty(), place, 8, Ordinary)?;
            let condition = match guard {
                Some((row, negated)) if !code.checks() => {
                    let holds = code.emit.resize(first(code, Src::register(row), 0)?, 1)?;
                    negate_if(code, holds, negated)?
                }
                _ => active(code, guard, chunk)?,
            };
            index = code.builder().select(condition, index, before)?;
        }
        code.builder().store(index, place, 8, Ordinary)?;
    }
    Ok(())
}

/// The index of a row in a chunk, of the first lane; in code that checks claims, of each lane.
fn index_of<'c>(
    code: &Code<'_, '_, 'c>,
    indexed: Indexed,
    reads: &[Src],
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    let shape = |src: &Src| match code.checks() {
        true => code.analysis.shapes.claim(*src),
        false => code.analysis.shapes.src(*src),
    };
    let has_index = |src: &&Src| matches!(shape(src), Shape::Indexed(_));
    if let Some(row) = reads.iter().find(has_index).and_then(|src| src.as_register()) {
        return index::read_index(code, row, indexed, chunk);
    }
    let is_index = |src: &&Src| shape(src) == Shape::Strided(indexed.index);
    let src = *reads.iter().find(is_index).ok_or_else(|| defect("a row without an index"))?;
    let value = if code.checks() { vector(code, src, chunk) } else { first(code, src, chunk) };
    code.emit.resize(value?, indexed.bits)
}

/// One value in the form of a row.
pub(super) fn spread<'c>(
    code: &Code<'_, '_, 'c>,
    value: Value<'c>,
    dst: u32,
) -> Result<Value<'c>, LlvmError> {
    if code.analysis.shapes.is_vector(dst) { code.builder().splat(value, code.lanes) } else { Ok(value) }
}
