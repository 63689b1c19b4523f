//! Prefetches for the next iteration of a loop.
//!
//! In a grid-stride loop, the data of a block in one iteration is far from that of the next: hardware prefetchers
//! do not predict that, and an iteration begins with a cache miss. The address of the next iteration follows from that of this one:
//!
//! ```text
//! add.s64 %rd5, %rd1, (%r22 * 4)      ; %r22 grows by %r5 in each iteration
//! call @llvm.prefetch(%rd5 + %r5 * 4)
//! ```

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, CastOp, Value};
use ptx_program::memory::Space;
use ptx_program::scalar::int::{ProductPart, Saturation};
use ptx_program::{Alu, Base, Binary, Effect, Inst, Load, Op, Packing, Src, Ternary, Unary};

use super::state::Code;
use super::{ahead, registers};
use crate::analysis::{BlockId, Shape};
use crate::strategy::Form;

/// Bytes of a cache line, or a multiple of them.
const LINE: u64 = 64;

/// The longest chain of operations from the induction variable to an address.
const DEEPEST: u32 = 8;

/// The increment of a row per iteration.
#[derive(Clone, Copy)]
enum Growth<'c> {
    /// Unknown.
    Unknown,
    /// Zero.
    None,
    /// A uniform, loop-invariant 64-bit value that is not a constant.
    By(Value<'c>),
}

/// Prefetches what a load of consecutive lanes reads in the next iteration of its loop, or in the next block, if that is known.
pub(super) fn announce(code: &Code<'_, '_, '_>, id: BlockId, load: &Load) -> Result<(), LlvmError> {
    let Base::Row(base, _) = load.address.base else { return Ok(()) };
    let shapes = &code.analysis.shapes;
    let bytes = i64::from(load.size) * load.dsts.len() as i64;
    let is_consecutive = match shapes.claim(base) {
        Shape::Strided(stride) => stride.within == bytes,
        Shape::Indexed(indexed) => indexed.stride().within == bytes,
        _ => false,
    };
    // Data that several chunks share is loaded often, and close to earlier loads.
    let is_shared = shapes.chunkwise_of(base) + 1 < code.chunks as u32;
    if load.address.space != Space::Global || !is_consecutive || is_shared || code.checks() {
        return Ok(());
    }
    let round = code.analysis.graph.loop_around(id);
    if round.is_empty() {
        return ahead::announce_next_block(code, load);
    }
    if !code.strategy.allows(Form::Prefetching) {
        return Ok(());
    }
    let Growth::By(step) = growth(code, round, base, DEEPEST)? else { return Ok(()) };
    announce_at(code, base, load, step)
}

/// Prefetches what a load of consecutive lanes would read `step` bytes further.
pub(super) fn announce_at<'c>(
    code: &Code<'_, '_, 'c>,
    base: Src,
    load: &Load,
    step: Value<'c>,
) -> Result<(), LlvmError> {
    let (pointer, builder) = (code.types.pointer(0), code.builder());
    let bytes = u64::from(load.size) * load.dsts.len() as u64;
    // One address and constant distances, where they are known. An index that wraps around in between has another one, which nothing but time depends on.
    let across = match code.analysis.shapes.claim(base) {
        Shape::Strided(stride) => stride.across,
        Shape::Indexed(indexed) => indexed.stride().across,
        _ => None,
    };
    for chunk in 0..code.chunks {
        let (from, distance) = match across {
            Some(across) => (0, across.wrapping_mul(chunk as i64) as u64),
            None => (chunk, 0),
        };
        let first = code.emit.resize(registers::first(code, base, from)?, 64)?;
        let next = builder.binary(BinaryOp::Add, first, step)?;
        for line in (0..bytes * u64::from(code.lanes)).step_by(LINE as usize) {
            let offset = (load.address.offset as u64).wrapping_add(distance).wrapping_add(line);
            let offset = code.int(64, offset);
            let place = builder.binary(BinaryOp::Add, next, offset)?;
            let place = builder.cast(CastOp::IntToPtr, place, pointer)?;
            // Read, high locality, data cache.
            let hints = [code.int(32, 0), code.int(32, 3), code.int(32, 1)];
            builder.intrinsic("llvm.prefetch", &[pointer], &[place, hints[0], hints[1], hints[2]])?;
        }
    }
    Ok(())
}

/// The instructions of a loop that write a row.
fn writers<'a>(code: &Code<'a, '_, '_>, round: &[BlockId], row: u32) -> Vec<&'a Inst> {
    let blocks = round.iter().map(|&id| code.analysis.graph.block(id));
    let insts = blocks.flat_map(|block| code.analysis.graph.code(code.program, block));
    let insts = insts.filter(|(.., access)| access.writes.contains(&row));
    insts.map(|(_, inst, _)| inst).collect()
}

fn growth<'c>(
    code: &Code<'_, '_, 'c>,
    round: &[BlockId],
    src: Src,
    depth: u32,
) -> Result<Growth<'c>, LlvmError> {
    let Some(row) = src.as_register() else { return Ok(Growth::None) };
    let inst = match writers(code, round, row)[..] {
        [] => return Ok(Growth::None),
        [inst] if inst.guard.is_none() && depth > 0 => inst,
        _ => return Ok(Growth::Unknown),
    };
    let of = |src: Src| growth(code, round, src, depth - 1);
    match &inst.op {
        Op::Effect(Effect::Copy(pairs)) => {
            let source = pairs.iter().find(|(dst, _)| *dst == row).map(|(_, src)| *src);
            source.map_or(Ok(Growth::Unknown), of)
        }
        Op::Alu(Alu::Unary { op: Unary::IntToInt { .. }, packing: Packing::Whole, a, .. }) => of(*a),
        Op::Alu(Alu::Binary { op, packing: Packing::Whole, a, b, .. }) => match op {
            Binary::IntAdd(_, Saturation::Wrap) if *a == src => addend(code, round, *b),
            Binary::IntAdd(_, Saturation::Wrap) if *b == src => addend(code, round, *a),
            Binary::IntAdd(_, Saturation::Wrap) => sum(code, of(*a)?, of(*b)?),
            Binary::IntMul(_, ProductPart::Wide | ProductPart::Lo) => {
                times(code, of(*a)?, constant_of(code, *b))
            }
            Binary::Shl(_) => {
                let factor = constant_of(code, *b).filter(|&by| by < 64).map(|by| 1 << by);
                times(code, of(*a)?, factor)
            }
            _ => Ok(Growth::Unknown),
        },
        Op::Alu(Alu::Ternary {
            op: Ternary::IntMad(_, ProductPart::Wide | ProductPart::Lo, Saturation::Wrap),
            packing: Packing::Whole,
            a,
            b,
            c,
            ..
        }) => sum(code, times(code, of(*a)?, constant_of(code, *b))?, of(*c)?),
        _ => Ok(Growth::Unknown),
    }
}

/// What a row adds to itself in each iteration. Constants are ignored: they are small, and hardware prefetchers cover them.
fn addend<'c>(code: &Code<'_, '_, 'c>, round: &[BlockId], by: Src) -> Result<Growth<'c>, LlvmError> {
    let is_fixed = by.as_register().is_some_and(|row| writers(code, round, row).is_empty());
    if !is_fixed || code.analysis.shapes.claim(by) != Shape::Uniform {
        return Ok(Growth::Unknown);
    }
    Ok(Growth::By(code.emit.resize_signed(registers::first(code, by, 0)?, 64)?))
}

fn sum<'c>(code: &Code<'_, '_, 'c>, a: Growth<'c>, b: Growth<'c>) -> Result<Growth<'c>, LlvmError> {
    Ok(match (a, b) {
        (Growth::By(a), Growth::By(b)) => Growth::By(code.builder().binary(BinaryOp::Add, a, b)?),
        (Growth::None, growth) | (growth, Growth::None) => growth,
        (Growth::Unknown, _) | (_, Growth::Unknown) => Growth::Unknown,
    })
}

fn times<'c>(code: &Code<'_, '_, 'c>, a: Growth<'c>, factor: Option<u64>) -> Result<Growth<'c>, LlvmError> {
    Ok(match (a, factor) {
        (Growth::By(a), Some(factor)) => {
            Growth::By(code.builder().binary(BinaryOp::Mul, a, code.int(64, factor))?)
        }
        (Growth::None, _) => Growth::None,
        (Growth::By(_), None) | (Growth::Unknown, _) => Growth::Unknown,
    })
}

pub(super) fn constant_of(code: &Code<'_, '_, '_>, src: Src) -> Option<u64> {
    match code.analysis.shapes.claim(src) {
        Shape::Constant(value) => Some(value),
        _ => None,
    }
}
