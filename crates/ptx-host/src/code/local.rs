//! Local memory.
//!
//! The bytes of a thread are interleaved with those of the other lanes of its warp in units of four bytes, so that an access of all lanes at one
//! offset, the most frequent case, is one to consecutive words:
//!
//! | word | lane 0 | lane 1 | | lane 31 |
//! |---|---|---|---|---|
//! | bytes 0 to 3 | 0 | 4 | .. | 124 |
//! | bytes 4 to 7 | 128 | 132 | .. | 252 |
//!
//! Elements of eight bytes are two words, and those of one or two bytes a part of one, the rest of which belongs to the same lane. The memory is on
//! the function's stack, so that LLVM promotes what is only accessed at constant offsets to values; for kernels with much local memory the runtime
//! allocates it.

use std::mem::offset_of;

use ptx_host_rt::Runtime;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, Value};
use ptx_program::{Base, WARP};

use super::state::{Code, Guard};
use super::{notes, registers, runtime};
use crate::analysis::Shape;
use crate::error::{CompileError, defect};
use crate::notes::RemarkKind;
use crate::stack::has_large_local;

/// Bytes from a word of a lane to the next one.
pub(super) const ROW: u64 = 4 * WARP as u64;

/// Bytes of a warp that 32-bit offsets reach.
const MOST: u64 = 1 << 32;

/// The offsets of an access.
enum Offsets<'c> {
    /// A constant.
    Constant(u64),
    /// One for all lanes.
    One(Value<'c>),
    /// One for each lane, in the vectors of the chunks.
    Each(Vec<Value<'c>>),
}

/// Allocates the memory, zeroed.
pub(super) fn make_local(code: &mut Code<'_, '_, '_>) -> Result<(), CompileError> {
    let function = code.program.kernel();
    if function.local == 0 {
        return Ok(());
    }
    let bytes = ROW * u64::from(function.local.div_ceil(4));
    if bytes > MOST {
        let why = "kernels with this much local memory are not compiled";
        return Err(CompileError::refused(function.start, why));
    }
    if has_large_local(function) {
        let arguments = [code.int(64, bytes)];
        code.local =
            Some(runtime::call_runtime(code, offset_of!(Runtime, local), &arguments, code.types.pointer(0))?);
        return Ok(());
    }
    let memory = code.builder().alloca(code.types.array(code.types.int(8), bytes), 64)?;
    let arguments = [memory, code.int(8, 0), code.int(64, bytes), code.types.bool_value(false)];
    let types = [code.types.pointer(0), code.types.int(64)];
    code.builder().intrinsic("llvm.memset", &types, &arguments)?;
    code.local = Some(memory);
    Ok(())
}

fn local<'c>(code: &Code<'_, '_, 'c>) -> Result<Value<'c>, LlvmError> {
    code.local.ok_or_else(|| defect("a kernel without local memory accesses it"))
}

fn local_offsets<'c>(code: &Code<'_, '_, 'c>, base: Base, offset: i64) -> Result<Offsets<'c>, LlvmError> {
    let low = |value: u64| value & u64::from(u32::MAX);
    let Base::Row(src, _) = base else { return Ok(Offsets::Constant(low(offset as u64))) };
    let sum = |value: Value<'c>| {
        let value = code.emit.resize(value, 32)?;
        let offset = code.emit.constant(value, 32, low(offset as u64));
        code.builder().binary(BinaryOp::Add, value, offset)
    };
    Ok(match code.analysis.shapes.src(src) {
        Shape::Constant(value) => Offsets::Constant(low(value.wrapping_add(offset as u64))),
        shape if shape.is_uniform() => Offsets::One(sum(registers::first(code, src, 0)?)?),
        _ => {
            let each: Result<_, LlvmError> =
                (0..code.chunks).map(|chunk| sum(registers::vector(code, src, chunk)?)).collect();
            Offsets::Each(each?)
        }
    })
}

fn note_offsets<'c>(code: &Code<'_, '_, 'c>, base: Base, offsets: &Offsets<'c>, kind: RemarkKind) {
    if let (Base::Row(src, _), Offsets::Each(_)) = (base, offsets) {
        notes::note_access(code, kind, Some(src), 0);
    }
}

/// Loads an element of `size` bytes, up to 8, for each chunk.
pub(super) fn load_local<'c>(
    code: &Code<'_, '_, 'c>,
    guard: Guard,
    base: Base,
    offset: i64,
    size: u32,
) -> Result<Vec<Value<'c>>, LlvmError> {
    let offsets = local_offsets(code, base, offset)?;
    note_offsets(code, base, &offsets, RemarkKind::Gather);
    (0..code.chunks)
        .map(|chunk| {
            let mask = registers::active(code, guard, chunk)?;
            let word = local_word(code, &offsets, 0, chunk, mask)?;
            match size {
                8 => {
                    let upper = code.emit.resize(local_word(code, &offsets, 4, chunk, mask)?, 64)?;
                    let upper = shifted(code, BinaryOp::Shl, upper, 32)?;
                    code.builder().binary(BinaryOp::Or, code.emit.resize(word, 64)?, upper)
                }
                4 => Ok(word),
                _ => {
                    let shift = shift_in_word(code, &offsets, chunk, word)?;
                    let part = code.builder().binary(BinaryOp::LShr, word, shift)?;
                    code.emit.resize(part, 8 * size)
                }
            }
        })
        .collect()
}

/// Stores an element of `size` bytes, up to 8, given for each chunk with as many bits.
pub(super) fn store_local<'c>(
    code: &Code<'_, '_, 'c>,
    guard: Guard,
    base: Base,
    offset: i64,
    size: u32,
    values: &[Value<'c>],
) -> Result<(), LlvmError> {
    let offsets = local_offsets(code, base, offset)?;
    note_offsets(code, base, &offsets, RemarkKind::Scatter);
    for (chunk, &value) in values.iter().enumerate() {
        let mask = registers::active(code, guard, chunk)?;
        let word = code.emit.resize(value, 32)?;
        match size {
            8 => {
                set_local_word(code, &offsets, 0, chunk, mask, word)?;
                let upper = code.emit.resize(shifted(code, BinaryOp::LShr, value, 32)?, 32)?;
                set_local_word(code, &offsets, 4, chunk, mask, upper)?;
            }
            4 => set_local_word(code, &offsets, 0, chunk, mask, word)?,
            _ => {
                let builder = code.builder();
                let old = local_word(code, &offsets, 0, chunk, mask)?;
                let shift = shift_in_word(code, &offsets, chunk, word)?;
                let ones = code.emit.constant(word, 32, u64::from(u32::MAX) >> (32 - 8 * size));
                let kept = builder.binary(BinaryOp::Shl, ones, shift)?;
                let kept =
                    builder.binary(BinaryOp::Xor, kept, code.emit.constant(word, 32, u32::MAX.into()))?;
                let kept = builder.binary(BinaryOp::And, old, kept)?;
                let part = builder.binary(BinaryOp::Shl, word, shift)?;
                let new = builder.binary(BinaryOp::Or, kept, part)?;
                set_local_word(code, &offsets, 0, chunk, mask, new)?;
            }
        }
    }
    Ok(())
}

fn shifted<'c>(
    code: &Code<'_, '_, 'c>,
    op: BinaryOp,
    value: Value<'c>,
    by: u64,
) -> Result<Value<'c>, LlvmError> {
    code.builder().binary(op, value, code.emit.constant(value, code.emit.bits(value), by))
}

/// The shift in bits of an element of one or two bytes within its word.
fn shift_in_word<'c>(
    code: &Code<'_, '_, 'c>,
    offsets: &Offsets<'c>,
    chunk: usize,
    word: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let bits = |offset: Value<'c>| {
        let part = code.builder().binary(BinaryOp::And, offset, code.emit.constant(offset, 32, 3))?;
        shifted(code, BinaryOp::Shl, part, 3)
    };
    match offsets {
        Offsets::Constant(offset) => Ok(code.emit.constant(word, 32, 8 * (offset % 4))),
        Offsets::One(offset) => code.builder().splat(bits(*offset)?, code.lanes),
        Offsets::Each(offsets) => bits(offsets[chunk]),
    }
}

/// The words that hold the byte `after` bytes past the offsets.
fn local_word<'c>(
    code: &Code<'_, '_, 'c>,
    offsets: &Offsets<'c>,
    after: u64,
    chunk: usize,
    mask: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let ty = code.vector_of(32);
    match offsets {
        Offsets::Constant(offset) => {
            let place = constant_place(code, *offset + after, chunk)?;
            code.builder().load(ty, place, 4, Ordinary)
        }
        Offsets::One(offset) => {
            let place = one_place(code, *offset, after, chunk)?;
            code.builder().masked_load(ty, place, 4, mask, ty.zero())
        }
        Offsets::Each(offsets) => {
            let places = each_place(code, offsets[chunk], after, chunk)?;
            code.builder().masked_gather(ty, places, 4, mask, ty.zero())
        }
    }
}

fn set_local_word<'c>(
    code: &Code<'_, '_, 'c>,
    offsets: &Offsets<'c>,
    after: u64,
    chunk: usize,
    mask: Value<'c>,
    word: Value<'c>,
) -> Result<(), LlvmError> {
    match offsets {
        Offsets::Constant(offset) => {
            // Inactive lanes store their old word again: no other thread writes it meanwhile.
            let place = constant_place(code, *offset + after, chunk)?;
            let old = code.builder().load(word.ty(), place, 4, Ordinary)?;
            let new = code.builder().select(mask, word, old)?;
            code.builder().store(new, place, 4, Ordinary)?;
        }
        Offsets::One(offset) => {
            let place = one_place(code, *offset, after, chunk)?;
            code.builder().masked_store(word, place, 4, mask)?;
        }
        Offsets::Each(offsets) => {
            let places = each_place(code, offsets[chunk], after, chunk)?;
            code.builder().masked_scatter(word, places, 4, mask)?;
        }
    }
    Ok(())
}

fn first_lane(code: &Code<'_, '_, '_>, chunk: usize) -> u64 {
    4 * chunk as u64 * u64::from(code.lanes)
}

/// The address of the words of a chunk. A constant offset beyond the memory, which only occurs in dead code, is replaced by 0.
fn constant_place<'c>(code: &Code<'_, '_, 'c>, offset: u64, chunk: usize) -> Result<Value<'c>, LlvmError> {
    let bytes = code.program.kernel().local;
    let offset = if offset < u64::from(bytes) { offset } else { 0 };
    code.builder().offset(local(code)?, code.int(64, offset / 4 * ROW + first_lane(code, chunk)))
}

fn one_place<'c>(
    code: &Code<'_, '_, 'c>,
    offset: Value<'c>,
    after: u64,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    let row = local_row(code, code.emit.resize(offset, 64)?, 64)?;
    let bytes = code.int(64, after / 4 * ROW + first_lane(code, chunk));
    code.builder().offset(local(code)?, code.builder().binary(BinaryOp::Add, row, bytes)?)
}

fn each_place<'c>(
    code: &Code<'_, '_, 'c>,
    offsets: Value<'c>,
    after: u64,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    let rows = local_row(code, offsets, 32)?;
    let lanes: Vec<u64> =
        (0..u64::from(code.lanes)).map(|lane| after / 4 * ROW + first_lane(code, chunk) + 4 * lane).collect();
    let bytes = code.builder().binary(BinaryOp::Add, rows, code.types.int_vector(32, &lanes)?)?;
    code.builder().vector_offset(local(code)?, bytes)
}

/// The offset of lane 0's word that holds the byte at an offset.
pub(super) fn local_row<'c>(
    code: &Code<'_, '_, 'c>,
    offset: Value<'c>,
    bits: u32,
) -> Result<Value<'c>, LlvmError> {
    let all = u64::MAX >> (64 - bits);
    let word = code.builder().binary(BinaryOp::And, offset, code.emit.constant(offset, bits, all - 3))?;
    shifted(code, BinaryOp::Shl, word, (ROW / 4).trailing_zeros().into())
}
