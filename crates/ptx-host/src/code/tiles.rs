//! Matrices between memory and registers: `ldmatrix`, `stmatrix`, `wmma.load` and `wmma.store` (manual 9.7.14).
//!
//! | instruction | code |
//! |---|---|
//! | `ldmatrix` | a vector of 16 bytes for each line, from the address of its lane, and shuffles |
//! | `wmma.load` | gathers: the registers of fragments are the interpreter's rows, in any order in memory |

use ptx_host_rt::Status;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate, Value};
use ptx_program::memory::{AddressSize, Space};
use ptx_program::{Collective, ElementPosition, Fragment, Held, Major, Src, Tiles, WARP};

use super::cluster::SHARED_OFFSET;
use super::state::Code;
use super::{addressing, lane_masks, lane_values, notes, registers, runtime, shuffle};
use crate::analysis::BlockId;
use crate::emit::matrix;
use crate::error::{CompileError, defect};
use crate::notes::RemarkKind;

pub(super) fn load_tiles<'c>(
    code: &mut Code<'_, '_, 'c>,
    id: BlockId,
    tiles: &Tiles,
    collective: &Collective,
    addresses: Src,
    pc: u32,
) -> Result<(), CompileError> {
    let lines = lines(code, tiles, collective, addresses, pc)?;
    let ty = code.types.vector(code.types.int(8), 16);
    for (places, dsts) in lines.chunks(tiles.lines).zip(collective.dsts.chunks(tiles.registers())) {
        let lines: Vec<Value<'c>> = places
            .iter()
            .map(|&place| code.builder().load(ty, place, 1, Ordinary))
            .collect::<Result<_, _>>()?;
        let registers = matrix::of_lines(&code.emit, tiles, code.lanes, &lines)?;
        for (&d, values) in dsts.iter().zip(&registers) {
            lane_values::write_lanes(code, id, None, d, values)?;
        }
    }
    Ok(())
}

pub(super) fn store_tiles<'c>(
    code: &mut Code<'_, '_, 'c>,
    tiles: &Tiles,
    collective: &Collective,
    addresses: Src,
    pc: u32,
) -> Result<(), CompileError> {
    let places = lines(code, tiles, collective, addresses, pc)?;
    let (_, registers) = collective.srcs.split_first().ok_or_else(|| defect("a store without an address"))?;
    for (places, srcs) in places.chunks(tiles.lines).zip(registers.chunks(tiles.registers())) {
        let registers: matrix::Registers<'c> =
            srcs.iter().map(|&src| lane_values::words(code, src)).collect::<Result<_, _>>()?;
        let lines = matrix::to_lines(&code.emit, tiles, code.lanes, &registers)?;
        for (&place, line) in places.iter().zip(lines) {
            code.builder().store(line, place, 1, Ordinary)?;
        }
    }
    Ok(())
}

/// The host addresses of the lines of all matrices.
fn lines<'c>(
    code: &Code<'_, '_, 'c>,
    tiles: &Tiles,
    collective: &Collective,
    addresses: Src,
    pc: u32,
) -> Result<Vec<Value<'c>>, CompileError> {
    if !matrix::moves(tiles) {
        return Err(CompileError::refused(pc, "matrices of packed elements are not compiled yet"));
    }
    lane_values::expect_whole(code, pc)?;
    notes::note(code, RemarkKind::Lines, Some(addresses));
    let count = tiles.count * tiles.lines;
    let addresses = registers::vectors(code, addresses, 64)?;
    match collective.space {
        Space::Shared => {}
        Space::Generic => expect_shared(code, &addresses, count, pc)?,
        _ => return Err(CompileError::refused(pc, "matrices in other memory are not compiled")),
    }
    // Lane `n` has the address of line `n`. The low bits of the address, generic or shared, are the offset in the block's shared memory.
    let mut places = Vec::new();
    for line in 0..count {
        let address = shuffle::value_of_lane(code, &addresses, line % WARP)?;
        let address = code.builder().binary(BinaryOp::And, address, code.int(64, SHARED_OFFSET))?;
        places.push(addressing::place(code, Space::Shared, address, collective.offset)?);
    }
    Ok(places)
}

/// Stops the warp if the generic address of a line is not in shared memory.
fn expect_shared<'c>(
    code: &Code<'_, '_, 'c>,
    addresses: &[Value<'c>],
    count: usize,
    pc: u32,
) -> Result<(), LlvmError> {
    let mut others = Vec::new();
    for (chunk, &addresses) in addresses.iter().enumerate() {
        let shift = code.emit.constant(addresses, 64, 32);
        let upper = code.builder().binary(BinaryOp::LShr, addresses, shift)?;
        let window = Space::Shared.window(AddressSize::Bits64) >> 32;
        let window = code.emit.constant(addresses, 64, window);
        let is_other = code.builder().int_compare(IntPredicate::Ne, upper, window)?;
        let used = lane_masks::constants(code, 1, chunk, |lane| u64::from(lane < count))?;
        others.push(code.builder().binary(BinaryOp::And, is_other, used)?);
    }
    stop_these(code, lane_masks::lanes_of(code, &others)?, pc)
}

/// Stops these lanes because of a matrix in other memory, or with different addresses.
fn stop_these<'c>(code: &Code<'_, '_, 'c>, lanes: Value<'c>, pc: u32) -> Result<(), LlvmError> {
    let none = code.builder().int_compare(IntPredicate::Eq, lanes, code.int(32, 0))?;
    lane_masks::unless(code, none, |code| runtime::stop(code, pc, lanes, Status::NotMatrix))
}

pub(super) fn load_fragment(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    fragment: &Fragment,
    collective: &Collective,
    matrix: [Src; 2],
    pc: u32,
) -> Result<(), CompileError> {
    let (start, stride) = fragment_place(code, fragment, collective.space, matrix, pc)?;
    notes::note(code, RemarkKind::Gather, None);
    let all = lane_masks::all_of_chunk(code)?;
    let (bits, each) = (fragment.factor.element.bits(), fragment.factor.element.per_register());
    for (register, &d) in collective.dsts.iter().enumerate() {
        let mut words = Vec::new();
        let is_run = is_run(fragment, register);
        let (size, parts) = if is_run { (bits * each, 1) } else { (bits, each) };
        let ty = code.vector_of(size);
        for chunk in 0..code.chunks {
            let mut word = code.vector_of(bits * each).zero();
            for sub in 0..parts {
                let places = element_places(code, fragment, (start, stride), (register, sub), chunk)?;
                let part = code.builder().masked_gather(ty, places, bits / 8, all, ty.zero())?;
                let part = code.emit.resize(part, bits * each)?;
                let shift = code.emit.constant(part, bits * each, (bits * sub).into());
                let part = code.builder().binary(BinaryOp::Shl, part, shift)?;
                word = code.builder().binary(BinaryOp::Or, word, part)?;
            }
            words.push(word);
        }
        lane_values::write_lanes(code, id, None, d, &words)?;
    }
    Ok(())
}

pub(super) fn store_fragment(
    code: &mut Code<'_, '_, '_>,
    fragment: &Fragment,
    collective: &Collective,
    matrix: [Src; 2],
    pc: u32,
) -> Result<(), CompileError> {
    let (start, stride) = fragment_place(code, fragment, collective.space, matrix, pc)?;
    notes::note(code, RemarkKind::Scatter, None);
    let all = lane_masks::all_of_chunk(code)?;
    let (bits, each) = (fragment.factor.element.bits(), fragment.factor.element.per_register());
    for (register, &src) in collective.srcs.iter().skip(2).enumerate() {
        let is_run = is_run(fragment, register);
        let (size, parts) = if is_run { (bits * each, 1) } else { (bits, each) };
        for chunk in 0..code.chunks {
            let word = code.emit.resize(registers::vector(code, src, chunk)?, bits * each)?;
            for sub in 0..parts {
                let shift = code.emit.constant(word, bits * each, (bits * sub).into());
                let part = code.builder().binary(BinaryOp::LShr, word, shift)?;
                let part = code.emit.resize(part, size)?;
                let places = element_places(code, fragment, (start, stride), (register, sub), chunk)?;
                code.builder().masked_scatter(part, places, bits / 8, all)?;
            }
        }
    }
    Ok(())
}

/// The start of a matrix, and its leading dimension in elements.
fn fragment_place<'c>(
    code: &Code<'_, '_, 'c>,
    fragment: &Fragment,
    space: Space,
    [address, stride]: [Src; 2],
    pc: u32,
) -> Result<(Value<'c>, Value<'c>), CompileError> {
    if fragment.factor.element.bits() < 8 {
        return Err(CompileError::refused(pc, "matrices of packed elements are not compiled yet"));
    }
    lane_values::expect_whole(code, pc)?;
    let [address, stride] = [in_common(code, address, pc)?, in_common(code, stride, pc)?];
    let builder = code.builder();
    let length = code.int(64, fragment.leading().0.into());
    let is_short = builder.int_compare(IntPredicate::Ult, stride, length)?;
    stop_these(code, code.emit.resize(is_short, 32)?, pc)?;
    let start = match space {
        Space::Shared | Space::Global => addressing::place(code, space, address, 0)?,
        Space::Generic => {
            let upper = builder.binary(BinaryOp::LShr, address, code.int(64, 32))?;
            let is_in = |space: Space| {
                let window = space.window(AddressSize::Bits64) >> 32;
                builder.int_compare(IntPredicate::Eq, upper, code.int(64, window))
            };
            let mut elsewhere = is_in(Space::Local)?;
            for space in [Space::Const, Space::Param] {
                elsewhere = builder.binary(BinaryOp::Or, elsewhere, is_in(space)?)?;
            }
            stop_these(code, code.emit.resize(elsewhere, 32)?, pc)?;
            let offset = builder.binary(BinaryOp::And, address, code.int(64, SHARED_OFFSET))?;
            let shared = builder.offset(code.inputs.shared, offset)?;
            let global = builder.cast(CastOp::IntToPtr, address, code.types.pointer(0))?;
            builder.select(is_in(Space::Shared)?, shared, global)?
        }
        _ => return Err(CompileError::refused(pc, "matrices in other memory are not compiled")),
    };
    Ok((start, stride))
}

/// A value of 64 bits that must be the same in all lanes.
fn in_common<'c>(code: &Code<'_, '_, 'c>, src: Src, pc: u32) -> Result<Value<'c>, LlvmError> {
    if code.analysis.shapes.src(src).is_uniform() {
        return code.emit.resize(registers::first(code, src, 0)?, 64);
    }
    let values = lane_values::words(code, src)?;
    let first = shuffle::value_of_lane(code, &values, 0)?;
    let of_first = code.builder().splat(first, code.lanes)?;
    let differ: Vec<Value<'c>> = values
        .iter()
        .map(|&values| code.builder().int_compare(IntPredicate::Ne, values, of_first))
        .collect::<Result<_, _>>()?;
    stop_these(code, lane_masks::lanes_of(code, &differ)?, pc)?;
    code.emit.resize(first, 64)
}

/// The addresses of an element of a register, lane after lane.
fn element_places<'c>(
    code: &Code<'_, '_, 'c>,
    fragment: &Fragment,
    (start, stride): (Value<'c>, Value<'c>),
    (register, sub): (usize, u32),
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    let builder = code.builder();
    let size = u64::from(fragment.factor.element.bits() / 8);
    let position = |lane: usize| element(fragment, lane, register, sub as usize);
    let pieces = lane_masks::constants(code, 64, chunk, |lane| position(lane).0 as u64 * size)?;
    let within = lane_masks::constants(code, 64, chunk, |lane| position(lane).1 as u64 * size)?;
    let strides = builder.splat(stride, code.lanes)?;
    let offsets = builder.binary(BinaryOp::Mul, strides, pieces)?;
    builder.vector_offset(start, builder.binary(BinaryOp::Add, offsets, within)?)
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
