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

use std::collections::BTreeSet;
use std::ops::Range;

use ptx_exec::program::{Alu, Src};
use ptx_exec::scalar::format::Format;
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, CastOp, FloatPredicate, Type, Value};

use super::state::{Code, Current};
use crate::analysis::{BlockId, Indexed, Shape, Stride, takes_any};

impl<'c> Code<'_, '_, 'c> {
    /// How many values a row has: one if those of all chunks follow from it, otherwise one for each set of chunks with equal values.
    pub(super) fn copies(&self, row: u32) -> usize {
        1 << self.chunkwise(row).count_ones()
    }

    /// The bits of a chunk's number that select which of a row's values it has.
    fn chunkwise(&self, row: u32) -> u32 {
        match self.analysis.shapes.row(row) {
            Shape::Varying
            | Shape::Strided(Stride { across: None, .. })
            | Shape::Indexed(Indexed { index: Stride { across: None, .. }, .. }) => {
                self.analysis.shapes.chunkwise(row)
            }
            Shape::Strided(_)
            | Shape::Indexed(_)
            | Shape::Unwritten
            | Shape::Constant(_)
            | Shape::Uniform => 0,
        }
    }

    /// For each value of a row, the first chunk that has it.
    pub(super) fn chunks_of(&self, row: u32) -> Vec<usize> {
        let bits = self.chunkwise(row) as usize;
        (0..self.chunks).filter(|chunk| chunk & !bits == 0).collect()
    }

    /// The index of a chunk's value among the values of a row.
    pub(super) fn copy(&self, row: u32, chunk: usize) -> usize {
        let bits = self.chunkwise(row) as usize;
        // The bits that count, compressed.
        let counted = (0..usize::BITS).filter(|bit| bits >> bit & 1 == 1);
        counted.enumerate().fold(0, |copy, (to, bit)| copy | (chunk >> bit & 1) << to)
    }

    /// Allocates zeroed memory for rows and for the masks of lanes that wait at blocks.
    pub(super) fn make_memory(&mut self) -> Result<(), LlvmError> {
        for row in 0..self.program.kernel().rows {
            self.make_row(row)?;
        }
        self.make_masks(0..self.analysis.graph.blocks().len())
    }

    /// Allocates the zeroed memory of a row.
    pub(super) fn make_row(&mut self, row: u32) -> Result<(), LlvmError> {
        let slot = self.types_of_row(row).into_iter().map(|ty| self.zeroed(ty)).collect::<Result<_, _>>()?;
        let indices =
            self.types_of_index(row).into_iter().map(|ty| self.zeroed(ty)).collect::<Result<_, _>>()?;
        self.rows.add(row, slot, indices);
        Ok(())
    }

    /// The types of a row's values in memory.
    pub(super) fn types_of_row(&self, row: u32) -> Vec<Type<'c>> {
        let count = match self.analysis.shapes.row(row) {
            Shape::Unwritten | Shape::Constant(_) => 0,
            // A row that is live into no block is never in memory.
            _ if !self.analysis.liveness.is_live_anywhere(row) => 0,
            _ => self.copies(row),
        };
        vec![self.type_of(row); count]
    }

    /// The types of the values of a row's index.
    pub(super) fn types_of_index(&self, row: u32) -> Vec<Type<'c>> {
        if self.checks() {
            return self.types_of_claimed_index(row);
        }
        let index = self.indexed(row).map(|indexed| self.types.int(indexed.bits));
        index.map(|ty| vec![ty; self.copies(row)]).into_iter().flatten().collect()
    }

    /// Allocates the memory of the masks of lanes that wait at blocks of a range, and of those that have not exited.
    pub(super) fn make_masks(&mut self, blocks: Range<BlockId>) -> Result<(), LlvmError> {
        let mask = self.types.vector(self.types.int(1), self.lanes);
        self.masks.first = blocks.start;
        for _ in blocks {
            let slot = (0..self.chunks).map(|_| self.zeroed(mask)).collect::<Result<_, _>>()?;
            self.masks.waiting.push(slot);
        }
        self.masks.alive = (0..self.chunks).map(|_| self.zeroed(mask)).collect::<Result<_, _>>()?;
        Ok(())
    }

    pub(super) fn zeroed(&self, ty: Type<'c>) -> Result<Value<'c>, LlvmError> {
        let place = self.builder().alloca_in_entry(ty, 8)?;
        self.builder().store(ty.zero(), place, 8, Ordinary)?;
        Ok(place)
    }

    /// The value of a source in a chunk, in the form of a row that is computed from it: a vector if that row varies, otherwise the value of
    /// the chunk's first lane.
    pub(super) fn value(&self, src: Src, dst: u32, chunk: usize) -> Result<Value<'c>, LlvmError> {
        if self.is_vector(dst) { self.vector(src, chunk) } else { self.first(src, chunk) }
    }

    /// The value of the first lane of a chunk, for a source that is not a vector.
    pub(super) fn first(&self, src: Src, chunk: usize) -> Result<Value<'c>, LlvmError> {
        self.with_own_nan(src, self.raw_first(src, chunk)?)
    }

    /// The values of the lanes of a chunk.
    pub(super) fn vector(&self, src: Src, chunk: usize) -> Result<Value<'c>, LlvmError> {
        if self.analysis.shapes.src(src) == Shape::Varying {
            return self.with_own_nan(src, self.raw_vector(src, chunk)?);
        }
        self.raw_vector(src, chunk)
    }

    /// The values of the lanes of a chunk, or that of the first one, without canonicalizing NaNs.
    pub(super) fn raw(&self, src: Src, is_vector: bool, chunk: usize) -> Result<Value<'c>, LlvmError> {
        if is_vector { self.raw_vector(src, chunk) } else { self.raw_first(src, chunk) }
    }

    /// The sources of an operation, for a row that is computed from them.
    pub(super) fn arguments(
        &self,
        alu: &Alu,
        srcs: &[Src],
        dst: u32,
        chunk: usize,
    ) -> Result<Vec<Value<'c>>, LlvmError> {
        let gives_any = self.analysis.nans.has_any(dst);
        let argument = |(index, &src): (usize, &Src)| match takes_any(alu, index, gives_any) {
            true => self.raw(src, self.is_vector(dst), chunk),
            false => self.value(src, dst, chunk),
        };
        srcs.iter().enumerate().map(argument).collect()
    }

    /// A source in the form of a row that it is copied to.
    pub(super) fn copied(&self, src: Src, dst: u32) -> Result<Vec<Value<'c>>, LlvmError> {
        let one = |chunk| match self.analysis.nans.has_any(dst) {
            true => self.raw(src, self.is_vector(dst), chunk),
            false => self.value(src, dst, chunk),
        };
        self.chunks_of(dst).into_iter().map(one).collect()
    }

    /// Replaces NaNs with arbitrary payload by the canonical one that they stand for.
    pub(super) fn with_own_nan(&self, src: Src, value: Value<'c>) -> Result<Value<'c>, LlvmError> {
        if !self.analysis.nans.are_any(src) || self.emit.bits(value) != Format::F32.bits() {
            return Ok(value);
        }
        let float = self.builder().cast(CastOp::BitCast, value, self.emit.like(value, self.types.f32()))?;
        let is_nan = self.builder().float_compare(FloatPredicate::Uno, float, float)?;
        let nan = self.emit.constant(value, Format::F32.bits(), Format::F32.canonical_nan());
        self.builder().select(is_nan, nan, value)
    }

    pub(super) fn raw_first(&self, src: Src, chunk: usize) -> Result<Value<'c>, LlvmError> {
        let bits = self.analysis.widths.src(src);
        let shape = self.analysis.shapes.src(src);
        let Some(row) = src.as_register() else {
            if let Shape::Constant(value) = shape {
                return Ok(self.int(bits, value));
            }
            let address = src.as_constant().and_then(|constant| self.addresses.get(&constant));
            return match address {
                Some(&address) => Ok(address),
                None => self.own_address(src, bits),
            };
        };
        match shape {
            Shape::Unwritten => Ok(self.int(bits, 0)),
            Shape::Constant(value) => Ok(self.int(bits, value)),
            Shape::Uniform => self.read(row, 0),
            Shape::Strided(Stride { across: None, .. }) => self.read(row, self.copy(row, chunk)),
            Shape::Strided(Stride { across: Some(across), .. }) => {
                let offset = self.int(bits, across.wrapping_mul(chunk as i64) as u64);
                self.builder().binary(BinaryOp::Add, self.read(row, 0)?, offset)
            }
            Shape::Indexed(indexed) => self.first_indexed(row, indexed, chunk),
            // For a uniform row that is computed from a varying one: `tid.x >> 3 & 0x1ffffffc`.
            Shape::Varying => self.builder().extract_element(self.read(row, self.copy(row, chunk))?, 0),
        }
    }

    pub(super) fn raw_vector(&self, src: Src, chunk: usize) -> Result<Value<'c>, LlvmError> {
        match (src.as_register(), self.analysis.shapes.src(src)) {
            (Some(row), Shape::Varying) => self.read(row, self.copy(row, chunk)),
            (Some(row), Shape::Indexed(indexed)) => self.vector_indexed(row, indexed, chunk),
            (_, shape) => {
                let stride = shape.stride().ok_or_else(|| defect("a constant without a value"))?;
                self.lanes_from(self.first(src, chunk)?, stride.within)
            }
        }
    }

    pub(super) fn type_of(&self, row: u32) -> Type<'c> {
        let ty = self.types.int(self.analysis.widths.row(row));
        if self.is_vector(row) { self.types.vector(ty, self.lanes) } else { ty }
    }

    /// Loads the rows that a block uses and that are live into it, at its beginning, so that each value dominates all of its LLVM blocks.
    pub(super) fn read_live(&self, id: BlockId) -> Result<(), LlvmError> {
        self.rows.current.borrow_mut().clear();
        for (&row, &value) in self.at.copies.get(self.at.copy).into_iter().flat_map(|copy| &copy.known) {
            let value = self.int(self.analysis.widths.row(row), value);
            self.rows.current.borrow_mut().insert((row, 0), Current { value, is_new: false });
        }
        for row in self.analysis.rows_of(self.program, id) {
            if self.analysis.liveness.is_live_into(id, row) {
                for (at, &place) in self.slot(row).iter().enumerate() {
                    if self.rows.current.borrow().contains_key(&(row, at)) {
                        continue;
                    }
                    let value = self.builder().load(self.type_of(row), place, 8, Ordinary)?;
                    self.rows.current.borrow_mut().insert((row, at), Current { value, is_new: false });
                }
            }
        }
        Ok(())
    }

    /// Stores the rows that a block has computed and that its successors or waiting blocks read.
    pub(super) fn write_live(&self, id: BlockId) -> Result<(), LlvmError> {
        let mut others: BTreeSet<BlockId> =
            self.analysis.graph.block(id).terminator.targets().into_iter().collect();
        // In a segment, what waiting lanes need is in memory already: the lanes of this block do not go there.
        if self.segment.is_none() {
            others.extend(self.analysis.schedule.waiting(id).iter());
        }
        self.write_live_into(&others)
    }

    /// As [`Self::write_live`], for these blocks.
    pub(super) fn write_live_into(&self, others: &BTreeSet<BlockId>) -> Result<(), LlvmError> {
        let analysis = self.analysis;
        let mut new: Vec<_> = self
            .rows
            .current
            .borrow()
            .iter()
            .filter(|(_, current)| current.is_new)
            .map(|(&at, current)| (at, current.value))
            .collect();
        // The map is a hash map; stores in its order would make the code of equal kernels differ.
        new.sort_by_key(|(at, _)| *at);
        for ((row, at), value) in new {
            let place = self
                .slot(row)
                .get(at)
                .filter(|_| others.iter().any(|&other| analysis.liveness.is_live_into(other, row)));
            if let Some(&place) = place {
                self.builder().store(value, place, 8, Ordinary)?;
            }
        }
        Ok(())
    }

    fn slot(&self, row: u32) -> &[Value<'c>] {
        self.rows.slot(row)
    }

    pub(super) fn read(&self, row: u32, at: usize) -> Result<Value<'c>, LlvmError> {
        if let Some(current) = self.rows.current.borrow().get(&(row, at)) {
            return Ok(current.value);
        }
        match self.slot(row).get(at) {
            Some(&place) => self.builder().load(self.type_of(row), place, 8, Ordinary),
            // It is live into no block, so its value is never used.
            None => Ok(self.type_of(row).zero()),
        }
    }

    /// Writes a row where the guard holds, and only in active lanes if inactive ones need their values. There is a value for each
    /// chunk, or for each of the row's values.
    pub(super) fn write(
        &self,
        id: BlockId,
        guard: Option<(u32, bool)>,
        row: u32,
        values: &[Value<'c>],
    ) -> Result<(), LlvmError> {
        if matches!(self.analysis.shapes.row(row), Shape::Unwritten | Shape::Constant(_)) {
            return Ok(());
        }
        let keeps = self.checks() || self.analysis.keeps_others(id, row);
        let is_of_chunks = values.len() > self.copies(row);
        for (copy, &chunk) in self.chunks_of(row).iter().enumerate() {
            let value = values.get(if is_of_chunks { chunk } else { copy });
            let value = *value.ok_or_else(|| defect("a row without a value"))?;
            let mut value = self.emit.resize(value, self.analysis.widths.row(row))?;
            // A vector is selected lane by lane. A uniform row has no lanes: its guard, which is uniform too, decides for all of them.
            let condition = match guard {
                _ if self.is_vector(row) && (keeps || guard.is_some()) => Some(self.active(guard, chunk)?),
                Some((row, negated)) => {
                    let holds = self.emit.resize(self.first(Src::register(row), 0)?, 1)?;
                    Some(self.negated(holds, negated)?)
                }
                None => None,
            };
            if let Some(condition) = condition {
                value = self.builder().select(condition, value, self.read(row, copy)?)?;
            }
            self.rows.current.borrow_mut().insert((row, copy), Current { value, is_new: true });
        }
        Ok(())
    }

    /// The active lanes of a chunk for which the guard holds.
    pub(super) fn active(&self, guard: Option<(u32, bool)>, chunk: usize) -> Result<Value<'c>, LlvmError> {
        let mask = self.masks.active[chunk];
        match guard {
            None => Ok(mask),
            Some(condition) => self.builder().binary(BinaryOp::And, mask, self.condition(condition, chunk)?),
        }
    }

    /// The lanes of a chunk for which a condition holds.
    pub(super) fn condition(
        &self,
        (row, negated): (u32, bool),
        chunk: usize,
    ) -> Result<Value<'c>, LlvmError> {
        let holds = self.emit.resize(self.vector(Src::register(row), chunk)?, 1)?;
        self.negated(holds, negated)
    }

    pub(super) fn negated(&self, holds: Value<'c>, negated: bool) -> Result<Value<'c>, LlvmError> {
        if !negated {
            return Ok(holds);
        }
        self.builder().binary(BinaryOp::Xor, holds, self.emit.constant(holds, 1, 1))
    }
}

/// A defect of this crate.
pub(super) fn defect(what: &str) -> LlvmError {
    LlvmError::Other { message: what.to_owned() }
}
