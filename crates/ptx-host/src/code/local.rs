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

use ptx_exec::program::{Base, WARP};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, Value};

use super::registers::defect;
use super::state::Code;
use crate::analysis::Shape;
use crate::error::CompileError;
use crate::notes::RemarkKind;
use crate::run::Runtime;
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

impl<'c> Code<'_, '_, 'c> {
    /// Allocates the memory, zeroed.
    pub(super) fn make_local(&mut self) -> Result<(), CompileError> {
        let function = self.program.kernel();
        if function.local == 0 {
            return Ok(());
        }
        let bytes = ROW * u64::from(function.local.div_ceil(4));
        if bytes > MOST {
            let why = "kernels with this much local memory are not compiled";
            return Err(CompileError::refused(function.start, why));
        }
        if has_large_local(function) {
            let arguments = [self.int(64, bytes)];
            self.local =
                Some(self.call_runtime(offset_of!(Runtime, local), &arguments, self.types.pointer(0))?);
            return Ok(());
        }
        let memory = self.builder().alloca(self.types.array(self.types.int(8), bytes), 64)?;
        let arguments = [memory, self.int(8, 0), self.int(64, bytes), self.types.bool_value(false)];
        let types = [self.types.pointer(0), self.types.int(64)];
        self.builder().intrinsic("llvm.memset", &types, &arguments)?;
        self.local = Some(memory);
        Ok(())
    }

    fn local(&self) -> Result<Value<'c>, LlvmError> {
        self.local.ok_or_else(|| defect("a kernel without local memory accesses it"))
    }

    fn local_offsets(&self, base: Base, offset: i64) -> Result<Offsets<'c>, LlvmError> {
        let low = |value: u64| value & u64::from(u32::MAX);
        let Base::Row(src, _) = base else { return Ok(Offsets::Constant(low(offset as u64))) };
        let sum = |value: Value<'c>| {
            let value = self.emit.resize(value, 32)?;
            let offset = self.emit.constant(value, 32, low(offset as u64));
            self.builder().binary(BinaryOp::Add, value, offset)
        };
        Ok(match self.analysis.shapes.src(src) {
            Shape::Constant(value) => Offsets::Constant(low(value.wrapping_add(offset as u64))),
            shape if shape.is_uniform() => Offsets::One(sum(self.first(src, 0)?)?),
            _ => {
                let each: Result<_, LlvmError> =
                    (0..self.chunks).map(|chunk| sum(self.vector(src, chunk)?)).collect();
                Offsets::Each(each?)
            }
        })
    }

    fn note_offsets(&self, base: Base, offsets: &Offsets<'c>, kind: RemarkKind) {
        if let (Base::Row(src, _), Offsets::Each(_)) = (base, offsets) {
            self.note_access(kind, Some(src), 0);
        }
    }

    /// Loads an element of `size` bytes, up to 8, for each chunk.
    pub(super) fn load_local(
        &self,
        guard: Option<(u32, bool)>,
        base: Base,
        offset: i64,
        size: u32,
    ) -> Result<Vec<Value<'c>>, LlvmError> {
        let offsets = self.local_offsets(base, offset)?;
        self.note_offsets(base, &offsets, RemarkKind::Gather);
        (0..self.chunks)
            .map(|chunk| {
                let mask = self.active(guard, chunk)?;
                let word = self.local_word(&offsets, 0, chunk, mask)?;
                match size {
                    8 => {
                        let upper = self.emit.resize(self.local_word(&offsets, 4, chunk, mask)?, 64)?;
                        let upper = self.shifted(BinaryOp::Shl, upper, 32)?;
                        self.builder().binary(BinaryOp::Or, self.emit.resize(word, 64)?, upper)
                    }
                    4 => Ok(word),
                    _ => {
                        let shift = self.shift_in_word(&offsets, chunk, word)?;
                        let part = self.builder().binary(BinaryOp::LShr, word, shift)?;
                        self.emit.resize(part, 8 * size)
                    }
                }
            })
            .collect()
    }

    /// Stores an element of `size` bytes, up to 8, given for each chunk with as many bits.
    pub(super) fn store_local(
        &self,
        guard: Option<(u32, bool)>,
        base: Base,
        offset: i64,
        size: u32,
        values: &[Value<'c>],
    ) -> Result<(), LlvmError> {
        let offsets = self.local_offsets(base, offset)?;
        self.note_offsets(base, &offsets, RemarkKind::Scatter);
        for (chunk, &value) in values.iter().enumerate() {
            let mask = self.active(guard, chunk)?;
            let word = self.emit.resize(value, 32)?;
            match size {
                8 => {
                    self.set_local_word(&offsets, 0, chunk, mask, word)?;
                    let upper = self.emit.resize(self.shifted(BinaryOp::LShr, value, 32)?, 32)?;
                    self.set_local_word(&offsets, 4, chunk, mask, upper)?;
                }
                4 => self.set_local_word(&offsets, 0, chunk, mask, word)?,
                _ => {
                    let builder = self.builder();
                    let old = self.local_word(&offsets, 0, chunk, mask)?;
                    let shift = self.shift_in_word(&offsets, chunk, word)?;
                    let ones = self.emit.constant(word, 32, u64::from(u32::MAX) >> (32 - 8 * size));
                    let kept = builder.binary(BinaryOp::Shl, ones, shift)?;
                    let kept =
                        builder.binary(BinaryOp::Xor, kept, self.emit.constant(word, 32, u32::MAX.into()))?;
                    let kept = builder.binary(BinaryOp::And, old, kept)?;
                    let part = builder.binary(BinaryOp::Shl, word, shift)?;
                    let new = builder.binary(BinaryOp::Or, kept, part)?;
                    self.set_local_word(&offsets, 0, chunk, mask, new)?;
                }
            }
        }
        Ok(())
    }

    fn shifted(&self, op: BinaryOp, value: Value<'c>, by: u64) -> Result<Value<'c>, LlvmError> {
        self.builder().binary(op, value, self.emit.constant(value, self.emit.bits(value), by))
    }

    /// The shift in bits of an element of one or two bytes within its word.
    fn shift_in_word(
        &self,
        offsets: &Offsets<'c>,
        chunk: usize,
        word: Value<'c>,
    ) -> Result<Value<'c>, LlvmError> {
        let bits = |offset: Value<'c>| {
            let part = self.builder().binary(BinaryOp::And, offset, self.emit.constant(offset, 32, 3))?;
            self.shifted(BinaryOp::Shl, part, 3)
        };
        match offsets {
            Offsets::Constant(offset) => Ok(self.emit.constant(word, 32, 8 * (offset % 4))),
            Offsets::One(offset) => self.builder().splat(bits(*offset)?, self.lanes),
            Offsets::Each(offsets) => bits(offsets[chunk]),
        }
    }

    /// The words that hold the byte `after` bytes past the offsets.
    fn local_word(
        &self,
        offsets: &Offsets<'c>,
        after: u64,
        chunk: usize,
        mask: Value<'c>,
    ) -> Result<Value<'c>, LlvmError> {
        let ty = self.types.vector(self.types.int(32), self.lanes);
        match offsets {
            Offsets::Constant(offset) => {
                let place = self.constant_place(*offset + after, chunk)?;
                self.builder().load(ty, place, 4, Ordinary)
            }
            Offsets::One(offset) => {
                let place = self.one_place(*offset, after, chunk)?;
                self.builder().masked_load(ty, place, 4, mask, ty.zero())
            }
            Offsets::Each(offsets) => {
                let places = self.each_place(offsets[chunk], after, chunk)?;
                self.builder().masked_gather(ty, places, 4, mask, ty.zero())
            }
        }
    }

    fn set_local_word(
        &self,
        offsets: &Offsets<'c>,
        after: u64,
        chunk: usize,
        mask: Value<'c>,
        word: Value<'c>,
    ) -> Result<(), LlvmError> {
        match offsets {
            Offsets::Constant(offset) => {
                // Inactive lanes store their old word again: no other thread writes it meanwhile.
                let place = self.constant_place(*offset + after, chunk)?;
                let old = self.builder().load(word.ty(), place, 4, Ordinary)?;
                let new = self.builder().select(mask, word, old)?;
                self.builder().store(new, place, 4, Ordinary)?;
            }
            Offsets::One(offset) => {
                let place = self.one_place(*offset, after, chunk)?;
                self.builder().masked_store(word, place, 4, mask)?;
            }
            Offsets::Each(offsets) => {
                let places = self.each_place(offsets[chunk], after, chunk)?;
                self.builder().masked_scatter(word, places, 4, mask)?;
            }
        }
        Ok(())
    }

    fn first_lane(&self, chunk: usize) -> u64 {
        4 * chunk as u64 * u64::from(self.lanes)
    }

    /// The address of the words of a chunk. A constant offset beyond the memory, which only occurs in dead code, is replaced by 0.
    fn constant_place(&self, offset: u64, chunk: usize) -> Result<Value<'c>, LlvmError> {
        let bytes = self.program.kernel().local;
        let offset = if offset < u64::from(bytes) { offset } else { 0 };
        self.builder().offset(self.local()?, self.int(64, offset / 4 * ROW + self.first_lane(chunk)))
    }

    fn one_place(&self, offset: Value<'c>, after: u64, chunk: usize) -> Result<Value<'c>, LlvmError> {
        let row = self.local_row(self.emit.resize(offset, 64)?, 64)?;
        let bytes = self.int(64, after / 4 * ROW + self.first_lane(chunk));
        self.builder().offset(self.local()?, self.builder().binary(BinaryOp::Add, row, bytes)?)
    }

    fn each_place(&self, offsets: Value<'c>, after: u64, chunk: usize) -> Result<Value<'c>, LlvmError> {
        let rows = self.local_row(offsets, 32)?;
        let lanes: Vec<u64> = (0..u64::from(self.lanes))
            .map(|lane| after / 4 * ROW + self.first_lane(chunk) + 4 * lane)
            .collect();
        let bytes = self.builder().binary(BinaryOp::Add, rows, self.types.int_vector(32, &lanes)?)?;
        self.builder().vector_offset(self.local()?, bytes)
    }

    /// The offset of lane 0's word that holds the byte at an offset.
    pub(super) fn local_row(&self, offset: Value<'c>, bits: u32) -> Result<Value<'c>, LlvmError> {
        let all = u64::MAX >> (64 - bits);
        let word = self.builder().binary(BinaryOp::And, offset, self.emit.constant(offset, bits, all - 3))?;
        self.shifted(BinaryOp::Shl, word, (ROW / 4).trailing_zeros().into())
    }
}
