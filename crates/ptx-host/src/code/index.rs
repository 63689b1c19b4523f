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

use ptx_exec::program::Src;
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, IntPredicate, Value};

use super::registers::defect;
use super::state::Code;
use crate::analysis::{Indexed, Shape, Stride};

impl<'c> Code<'_, '_, 'c> {
    /// The index from which a row's values follow, if any.
    pub(super) fn indexed(&self, row: u32) -> Option<Indexed> {
        match self.analysis.shapes.row(row) {
            Shape::Indexed(indexed) => Some(indexed),
            _ => None,
        }
    }

    /// Writes the indices of a row that is computed from these operands, one of which has or is the index.
    pub(super) fn write_index(
        &self,
        guard: Option<(u32, bool)>,
        row: u32,
        reads: &[Src],
    ) -> Result<(), LlvmError> {
        if self.checks() {
            return self.write_claimed_index(guard, row, reads);
        }
        let Some(indexed) = self.indexed(row) else { return Ok(()) };
        for (&place, chunk) in self.rows.indices(row).iter().zip(self.chunks_of(row)) {
            let mut index = self.index_of(indexed, reads, chunk)?;
            if let Some((condition, negated)) = guard {
                let holds = self.emit.resize(self.first(Src::register(condition), 0)?, 1)?;
                let before = self.builder().load(index.ty(), place, 8, Ordinary)?;
                index = self.builder().select(self.negated(holds, negated)?, index, before)?;
            }
            self.builder().store(index, place, 8, Ordinary)?;
        }
        Ok(())
    }

    fn index_of(&self, indexed: Indexed, reads: &[Src], chunk: usize) -> Result<Value<'c>, LlvmError> {
        let shapes = &self.analysis.shapes;
        let has_index = |src: &&Src| matches!(shapes.src(**src), Shape::Indexed(_));
        if let Some(row) = reads.iter().find(has_index).and_then(|src| src.as_register()) {
            return self.read_index(row, indexed, chunk);
        }
        let is_index = |src: &&Src| shapes.src(**src) == Shape::Strided(indexed.index);
        let src = reads.iter().find(is_index).ok_or_else(|| defect("a row without an index"))?;
        self.emit.resize(self.first(*src, chunk)?, indexed.bits)
    }

    fn read_index(&self, row: u32, indexed: Indexed, chunk: usize) -> Result<Value<'c>, LlvmError> {
        let place = self.rows.indices(row).get(self.copy(row, chunk));
        let place = *place.ok_or_else(|| defect("a row without an index"))?;
        self.builder().load(self.types.int(indexed.bits), place, 8, Ordinary)
    }

    /// The index of the first lane of a chunk, and the index that belongs to the row's first value.
    fn indices(&self, row: u32, indexed: Indexed, chunk: usize) -> Result<[Value<'c>; 2], LlvmError> {
        let Some(across) = indexed.index.across else {
            let own = self.read_index(row, indexed, chunk)?;
            return Ok([own, own]);
        };
        let first = self.read_index(row, indexed, 0)?;
        let distance = self.int(indexed.bits, across.wrapping_mul(chunk as i64) as u64);
        Ok([self.builder().binary(BinaryOp::Add, first, distance)?, first])
    }

    /// The value of a lane or of lanes with such an index.
    fn value_at(
        &self,
        row: u32,
        indexed: Indexed,
        chunk: usize,
        [index, from]: [Value<'c>; 2],
    ) -> Result<Value<'c>, LlvmError> {
        let bits = self.analysis.widths.row(row);
        let extended = |value: Value<'c>| match indexed.is_signed {
            true => self.emit.resize_signed(value, bits),
            false => self.emit.resize(value, bits),
        };
        let copy = self.copy(row, chunk);
        let first = self.read(row, copy)?;
        let like = |value: Value<'c>| match index.ty().vector_parts() {
            Some((_, lanes)) => self.builder().splat(value, lanes),
            None => Ok(value),
        };
        let distance = self.builder().binary(BinaryOp::Sub, extended(index)?, like(extended(from)?)?)?;
        let scale = self.emit.constant(distance, bits, indexed.scale as u64);
        let scaled = self.builder().binary(BinaryOp::Mul, distance, scale)?;
        self.builder().binary(BinaryOp::Add, like(first)?, scaled)
    }

    /// The value of the first lane of a chunk.
    pub(super) fn first_indexed(
        &self,
        row: u32,
        indexed: Indexed,
        chunk: usize,
    ) -> Result<Value<'c>, LlvmError> {
        if chunk == 0 || indexed.index.across.is_none() {
            return self.read(row, self.copy(row, chunk));
        }
        self.value_at(row, indexed, chunk, self.indices(row, indexed, chunk)?)
    }

    /// The value of the first lane of a chunk if the index of the row does not wrap around in the warp.
    pub(super) fn first_unwrapped(&self, src: Src, chunk: usize) -> Result<Value<'c>, LlvmError> {
        let indexed = src.as_register().and_then(|row| Some((row, self.indexed(row)?)));
        let Some((row, across)) = indexed.and_then(|(row, indexed)| Some((row, indexed.stride().across?)))
        else {
            return self.first(src, chunk);
        };
        let first = self.read(row, 0)?;
        let distance = across.wrapping_mul(chunk as i64) as u64;
        self.builder().binary(
            BinaryOp::Add,
            first,
            self.emit.constant(first, self.emit.bits(first), distance),
        )
    }

    /// The values of the lanes of a chunk.
    pub(super) fn vector_indexed(
        &self,
        row: u32,
        indexed: Indexed,
        chunk: usize,
    ) -> Result<Value<'c>, LlvmError> {
        let [index, from] = self.indices(row, indexed, chunk)?;
        let index = self.lanes_from(index, indexed.index.within)?;
        self.value_at(row, indexed, chunk, [index, from])
    }

    /// A vector of affine values: `first + within * lane`.
    pub(super) fn lanes_from(&self, first: Value<'c>, within: i64) -> Result<Value<'c>, LlvmError> {
        let bits = self.emit.bits(first);
        let first = self.builder().splat(first, self.lanes)?;
        if within == 0 {
            return Ok(first);
        }
        let offset = |lane: i64| within.wrapping_mul(lane) as u64 & (u64::MAX >> (64 - bits));
        let offsets: Vec<u64> = (0..i64::from(self.lanes)).map(offset).collect();
        self.builder().binary(BinaryOp::Add, first, self.types.int_vector(bits, &offsets)?)
    }

    /// Whether the index of a row wraps around between lanes of the warp.
    pub(super) fn wraps(&self, row: u32, indexed: Indexed) -> Result<Value<'c>, LlvmError> {
        let Stride { within, .. } = indexed.index;
        let chunks = self.chunks as i64 - 1;
        let last = within.wrapping_mul(i64::from(self.lanes) - 1);
        let last = last.wrapping_add(indexed.index.known_across().wrapping_mul(chunks));
        let mut wraps = self.int(1, 0);
        for chunk in self.chunks_of(row) {
            let index = self.read_index(row, indexed, chunk)?;
            let extended = |value| match indexed.is_signed {
                true => self.emit.resize_signed(value, 64),
                false => self.emit.resize(value, 64),
            };
            let last = self.builder().binary(BinaryOp::Add, extended(index)?, self.int(64, last as u64))?;
            let kept = extended(self.emit.resize(last, indexed.bits)?)?;
            let differs = self.builder().int_compare(IntPredicate::Ne, kept, last)?;
            wraps = self.builder().binary(BinaryOp::Or, wraps, differs)?;
        }
        Ok(wraps)
    }
}
