//! Matrices between memory and registers: `ldmatrix`, `stmatrix`, `wmma.load` and `wmma.store` (manual 9.7.14).
//!
//! | instruction | code |
//! |---|---|
//! | `ldmatrix` | a vector of 16 bytes for each line, from the address of its lane, and shuffles |
//! | `wmma.load` | gathers: the registers of fragments are the interpreter's rows, in any order in memory |

use ptx_exec::program::{Collective, ElementPosition, Fragment, Held, Major, Src, Tiles, WARP};
use ptx_exec::{AddressSize, Space};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, CastOp, IntPredicate, Value};

use super::atomic::SHARED_OFFSET;
use super::registers::defect;
use super::state::Code;
use crate::analysis::BlockId;
use crate::emit::matrix;
use crate::error::CompileError;
use crate::notes::RemarkKind;
use crate::run::Status;

impl<'c> Code<'_, '_, 'c> {
    pub(super) fn load_tiles(
        &mut self,
        id: BlockId,
        tiles: &Tiles,
        collective: &Collective,
        addresses: Src,
        pc: u32,
    ) -> Result<(), CompileError> {
        let lines = self.lines(tiles, collective, addresses, pc)?;
        let ty = self.types.vector(self.types.int(8), 16);
        for (places, dsts) in lines.chunks(tiles.lines).zip(collective.dsts.chunks(tiles.registers())) {
            let lines: Vec<Value<'c>> = places
                .iter()
                .map(|&place| self.builder().load(ty, place, 1, Ordinary))
                .collect::<Result<_, _>>()?;
            let registers = matrix::of_lines(&self.emit, tiles, self.lanes, &lines)?;
            for (&d, values) in dsts.iter().zip(&registers) {
                self.write_lanes(id, None, d, values)?;
            }
        }
        Ok(())
    }

    pub(super) fn store_tiles(
        &mut self,
        tiles: &Tiles,
        collective: &Collective,
        addresses: Src,
        pc: u32,
    ) -> Result<(), CompileError> {
        let places = self.lines(tiles, collective, addresses, pc)?;
        let (_, registers) =
            collective.srcs.split_first().ok_or_else(|| defect("a store without an address"))?;
        for (places, srcs) in places.chunks(tiles.lines).zip(registers.chunks(tiles.registers())) {
            let registers: matrix::Registers<'c> =
                srcs.iter().map(|&src| self.words(src)).collect::<Result<_, _>>()?;
            let lines = matrix::to_lines(&self.emit, tiles, self.lanes, &registers)?;
            for (&place, line) in places.iter().zip(lines) {
                self.builder().store(line, place, 1, Ordinary)?;
            }
        }
        Ok(())
    }

    /// The host addresses of the lines of all matrices.
    fn lines(
        &self,
        tiles: &Tiles,
        collective: &Collective,
        addresses: Src,
        pc: u32,
    ) -> Result<Vec<Value<'c>>, CompileError> {
        if !matrix::moves(tiles) {
            return Err(CompileError::refused(pc, "matrices of packed elements are not compiled yet"));
        }
        self.expect_whole(pc)?;
        self.note(RemarkKind::Lines, Some(addresses));
        let count = tiles.count * tiles.lines;
        let addresses: Vec<Value<'c>> = (0..self.chunks)
            .map(|chunk| self.emit.resize(self.vector(addresses, chunk)?, 64))
            .collect::<Result<_, _>>()?;
        match collective.space {
            Space::Shared => {}
            Space::Generic => self.expect_shared(&addresses, count, pc)?,
            _ => return Err(CompileError::refused(pc, "matrices in other memory are not compiled")),
        }
        // Lane `n` has the address of line `n`. The low bits of the address, generic or shared, are the offset in the block's shared memory.
        let mut places = Vec::new();
        for line in 0..count {
            let address = self.value_of_lane(&addresses, line % WARP)?;
            let address = self.builder().binary(BinaryOp::And, address, self.int(64, SHARED_OFFSET))?;
            places.push(self.place(Space::Shared, address, collective.offset)?);
        }
        Ok(places)
    }

    /// Stops the warp if the generic address of a line is not in shared memory.
    fn expect_shared(&self, addresses: &[Value<'c>], count: usize, pc: u32) -> Result<(), LlvmError> {
        let mut others = Vec::new();
        for (chunk, &addresses) in addresses.iter().enumerate() {
            let shift = self.emit.constant(addresses, 64, 32);
            let upper = self.builder().binary(BinaryOp::LShr, addresses, shift)?;
            let window = Space::Shared.window(AddressSize::Bits64) >> 32;
            let window = self.emit.constant(addresses, 64, window);
            let is_other = self.builder().int_compare(IntPredicate::Ne, upper, window)?;
            let used = self.constants(1, chunk, |lane| u64::from(lane < count))?;
            others.push(self.builder().binary(BinaryOp::And, is_other, used)?);
        }
        self.stop_these(self.lanes_of(&others)?, pc)
    }

    /// Stops these lanes because of a matrix in other memory, or with different addresses.
    fn stop_these(&self, lanes: Value<'c>, pc: u32) -> Result<(), LlvmError> {
        let none = self.builder().int_compare(IntPredicate::Eq, lanes, self.int(32, 0))?;
        self.unless(none, |code| code.stop(pc, lanes, Status::NotMatrix))
    }

    pub(super) fn load_fragment(
        &mut self,
        id: BlockId,
        fragment: &Fragment,
        collective: &Collective,
        matrix: [Src; 2],
        pc: u32,
    ) -> Result<(), CompileError> {
        let (start, stride) = self.fragment_place(fragment, collective.space, matrix, pc)?;
        self.note(RemarkKind::Gather, None);
        let all = self.types.int_vector(1, &vec![1; self.lanes as usize])?;
        let (bits, each) = (fragment.factor.element.bits(), fragment.factor.element.per_register());
        for (register, &d) in collective.dsts.iter().enumerate() {
            let mut words = Vec::new();
            let is_run = is_run(fragment, register);
            let (size, parts) = if is_run { (bits * each, 1) } else { (bits, each) };
            let ty = self.types.vector(self.types.int(size), self.lanes);
            for chunk in 0..self.chunks {
                let mut word = self.types.vector(self.types.int(bits * each), self.lanes).zero();
                for sub in 0..parts {
                    let places = self.element_places(fragment, (start, stride), (register, sub), chunk)?;
                    let part = self.builder().masked_gather(ty, places, bits / 8, all, ty.zero())?;
                    let part = self.emit.resize(part, bits * each)?;
                    let shift = self.emit.constant(part, bits * each, (bits * sub).into());
                    let part = self.builder().binary(BinaryOp::Shl, part, shift)?;
                    word = self.builder().binary(BinaryOp::Or, word, part)?;
                }
                words.push(word);
            }
            self.write_lanes(id, None, d, &words)?;
        }
        Ok(())
    }

    pub(super) fn store_fragment(
        &mut self,
        fragment: &Fragment,
        collective: &Collective,
        matrix: [Src; 2],
        pc: u32,
    ) -> Result<(), CompileError> {
        let (start, stride) = self.fragment_place(fragment, collective.space, matrix, pc)?;
        self.note(RemarkKind::Scatter, None);
        let all = self.types.int_vector(1, &vec![1; self.lanes as usize])?;
        let (bits, each) = (fragment.factor.element.bits(), fragment.factor.element.per_register());
        for (register, &src) in collective.srcs.iter().skip(2).enumerate() {
            let is_run = is_run(fragment, register);
            let (size, parts) = if is_run { (bits * each, 1) } else { (bits, each) };
            for chunk in 0..self.chunks {
                let word = self.emit.resize(self.vector(src, chunk)?, bits * each)?;
                for sub in 0..parts {
                    let shift = self.emit.constant(word, bits * each, (bits * sub).into());
                    let part = self.builder().binary(BinaryOp::LShr, word, shift)?;
                    let part = self.emit.resize(part, size)?;
                    let places = self.element_places(fragment, (start, stride), (register, sub), chunk)?;
                    self.builder().masked_scatter(part, places, bits / 8, all)?;
                }
            }
        }
        Ok(())
    }

    /// The start of a matrix, and its leading dimension in elements.
    fn fragment_place(
        &self,
        fragment: &Fragment,
        space: Space,
        [address, stride]: [Src; 2],
        pc: u32,
    ) -> Result<(Value<'c>, Value<'c>), CompileError> {
        if fragment.factor.element.bits() < 8 {
            return Err(CompileError::refused(pc, "matrices of packed elements are not compiled yet"));
        }
        self.expect_whole(pc)?;
        let [address, stride] = [self.in_common(address, pc)?, self.in_common(stride, pc)?];
        let builder = self.builder();
        let length = self.int(64, fragment.leading().0.into());
        let is_short = builder.int_compare(IntPredicate::Ult, stride, length)?;
        self.stop_these(self.emit.resize(is_short, 32)?, pc)?;
        let start = match space {
            Space::Shared | Space::Global => self.place(space, address, 0)?,
            Space::Generic => {
                let upper = builder.binary(BinaryOp::LShr, address, self.int(64, 32))?;
                let is_in = |space: Space| {
                    let window = space.window(AddressSize::Bits64) >> 32;
                    builder.int_compare(IntPredicate::Eq, upper, self.int(64, window))
                };
                let mut elsewhere = is_in(Space::Local)?;
                for space in [Space::Const, Space::Param] {
                    elsewhere = builder.binary(BinaryOp::Or, elsewhere, is_in(space)?)?;
                }
                self.stop_these(self.emit.resize(elsewhere, 32)?, pc)?;
                let offset = builder.binary(BinaryOp::And, address, self.int(64, SHARED_OFFSET))?;
                let shared = builder.offset(self.inputs.shared, offset)?;
                let global = builder.cast(CastOp::IntToPtr, address, self.types.pointer(0))?;
                builder.select(is_in(Space::Shared)?, shared, global)?
            }
            _ => return Err(CompileError::refused(pc, "matrices in other memory are not compiled")),
        };
        Ok((start, stride))
    }

    /// A value of 64 bits that must be the same in all lanes.
    fn in_common(&self, src: Src, pc: u32) -> Result<Value<'c>, LlvmError> {
        if self.analysis.shapes.src(src).is_uniform() {
            return self.emit.resize(self.first(src, 0)?, 64);
        }
        let values = self.words(src)?;
        let first = self.value_of_lane(&values, 0)?;
        let of_first = self.builder().splat(first, self.lanes)?;
        let differ: Vec<Value<'c>> = values
            .iter()
            .map(|&values| self.builder().int_compare(IntPredicate::Ne, values, of_first))
            .collect::<Result<_, _>>()?;
        self.stop_these(self.lanes_of(&differ)?, pc)?;
        self.emit.resize(first, 64)
    }

    /// The addresses of an element of a register, lane after lane.
    fn element_places(
        &self,
        fragment: &Fragment,
        (start, stride): (Value<'c>, Value<'c>),
        (register, sub): (usize, u32),
        chunk: usize,
    ) -> Result<Value<'c>, LlvmError> {
        let builder = self.builder();
        let size = u64::from(fragment.factor.element.bits() / 8);
        let position = |lane: usize| element(fragment, lane, register, sub as usize);
        let pieces = self.constants(64, chunk, |lane| position(lane).0 as u64 * size)?;
        let within = self.constants(64, chunk, |lane| position(lane).1 as u64 * size)?;
        let strides = builder.splat(stride, self.lanes)?;
        let offsets = builder.binary(BinaryOp::Mul, strides, pieces)?;
        builder.vector_offset(start, builder.binary(BinaryOp::Add, offsets, within)?)
    }
}

/// The row or column in memory of an element of a lane's register, and its index there.
fn element(fragment: &Fragment, lane: usize, register: usize, sub: usize) -> (usize, usize) {
    let Fragment { size, operand, factor } = *fragment;
    let i = register * factor.element.per_register() as usize + sub;
    let ElementPosition { row, column, .. } = Held::Fragments.position(size, operand, factor, lane, i);
    match factor.major {
        Major::Row => (row, column),
        Major::Column => (column, row),
    }
}

/// Whether the elements of a register are adjacent in memory, in all lanes.
fn is_run(fragment: &Fragment, register: usize) -> bool {
    let each = fragment.factor.element.per_register() as usize;
    (0..WARP).all(|lane| {
        let (piece, at) = element(fragment, lane, register, 0);
        (0..each).all(|sub| element(fragment, lane, register, sub) == (piece, at + sub))
    })
}
