//! `mov` (manual 9.7.9.3 and 9.7.9.4).

use ptx_ir::Operand;
use ptx_isa::{Component, Field, MoveSem, ScalarType};

use super::context::{Context, Decode, binary, unary};
use super::convert::{convert, convert_address, convert_pack, is_in_space};
use super::narrow::convert_narrow;
use super::operand::{dst, src, src_of};
use super::output::{Decoded, finding};
use super::signature::{row_bits, rows_of};
use crate::codes;
use crate::program::{Binary, Effect, Src, Unary};

/// The decoder of moves and conversions.
pub(super) fn move_decoder(sem: MoveSem) -> Decode {
    match sem {
        MoveSem::Mov => mov,
        MoveSem::MovVector => mov_vector,
        MoveSem::Cvt => convert,
        MoveSem::CvtPack => convert_pack,
        MoveSem::CvtNarrow => convert_narrow,
        MoveSem::Cvta => convert_address,
        MoveSem::Isspacep => is_in_space,
    }
}

pub(super) fn mov(cx: &mut Context<'_>) -> Decoded<()> {
    let Some(ty) = cx.m.scalar_type() else { return cx.unsupported("it has no type") };
    cx.m.ignore(&[Field::Type], "registers are copied whole");
    let (to, from) = (cx.scope.elements(cx.operands[0]), cx.scope.elements(cx.operands[1]));
    let is_vector =
        |operand: Operand, elements: &[Operand]| matches!(operand, Operand::Vector(_)) || elements.len() > 1;
    match (is_vector(cx.operands[0], &to), is_vector(cx.operands[1], &from)) {
        (true, true) => finding(codes::OPERAND, cx.span(1), "one side of a `mov` must be a single register"),
        (true, false) => unpack(cx, ty, &to),
        (false, true) => pack(cx, ty, &from),
        (false, false) => copy(cx, ty),
    }
}

/// `mov.v4`: every element is read before any is written.
pub(super) fn mov_vector(cx: &mut Context<'_>) -> Decoded<()> {
    let Some(ty) = cx.m.scalar_type() else { return cx.unsupported("it has no type") };
    cx.m.ignore(&[Field::Vec, Field::Type], "the operands have that many elements, which are copied whole");
    let to = cx.scope.elements(cx.operands[0]);
    let from = match cx.operands[1] {
        Operand::Special(register, None) => {
            Component::ALL.iter().map(|component| Operand::Special(register, Some(*component))).collect()
        }
        other => cx.scope.elements(other),
    };
    if to.len() != from.len() {
        return finding(codes::OPERAND, cx.span(1), "the vectors of a `mov` differ in length");
    }
    let mut pairs = Vec::with_capacity(to.len());
    for (&to, from) in to.iter().zip(from) {
        let a = src_of(cx, from, ty, cx.span(1))?;
        if !matches!(to, Operand::Sink) {
            pairs.push((cx.scope.dst_of(to, cx.span(0))?, a));
        }
    }
    cx.emit(Effect::Copy(pairs.into()));
    Ok(())
}

fn copy(cx: &mut Context<'_>, ty: ScalarType) -> Decoded<()> {
    let d = dst(cx, 0)?;
    if let Operand::Special(register, component) = cx.operands[1]
        && register.scalar_type().bits() == ty.bits()
    {
        cx.emit(Effect::Special { d, register, component });
        return Ok(());
    }
    let a = src(cx, 1)?;
    let pairs = (0..rows_of(ty)).map(|n| (if d == cx.scope.sink { d } else { d + n }, a.plus(n)));
    cx.emit(Effect::Copy(pairs.collect()));
    Ok(())
}

/// The width of each part when a value of `ty` is split.
fn part_width(cx: &Context<'_>, ty: ScalarType, parts: usize) -> Decoded<u32> {
    match ty.bits().checked_div(parts as u32) {
        Some(width) if width > 0 && width * parts as u32 == ty.bits() => Ok(width),
        _ => finding(codes::OPERAND, cx.inst.at.0, "the parts do not add up to the whole"),
    }
}

/// `mov.b64 {lo, hi}, a`.
fn unpack(cx: &mut Context<'_>, ty: ScalarType, parts: &[Operand]) -> Decoded<()> {
    let width = part_width(cx, ty, parts.len())?;
    let a = src(cx, 1)?;
    let mask = u64::MAX >> (64 - width.min(64));
    // The source may be one of the destinations, so all parts are computed before any is written.
    let mut pairs = Vec::new();
    for (n, &part) in parts.iter().enumerate() {
        if matches!(part, Operand::Sink) {
            continue;
        }
        let (d, at) = (cx.scope.dst_of(part, cx.span(0))?, n as u32 * width);
        let made = cx.temporary();
        let shift = at % 64;
        cx.prepare(unary(Unary::Field { shift, mask }, made, a.plus(at / 64)));
        pairs.push((d, Src::register(made)));
    }
    cx.emit(Effect::Copy(pairs.into()));
    Ok(())
}

/// `mov.b64 d, {lo, hi}`.
fn pack(cx: &mut Context<'_>, ty: ScalarType, parts: &[Operand]) -> Decoded<()> {
    let width = part_width(cx, ty, parts.len())?;
    let d = dst(cx, 0)?;
    let Some(part_type) = bits_of(width) else {
        return finding(codes::OPERAND, cx.inst.at.0, "parts have 8 to 64 bits");
    };
    let per_row = (64 / width).max(1) as usize;
    let mut pairs = Vec::new();
    for (row, parts) in parts.chunks(per_row).enumerate() {
        let mut made = None;
        for (n, &part) in parts.iter().enumerate() {
            let part = src_of(cx, part, part_type, cx.span(1))?;
            let (shift, mask) = (n as u32 * width, row_bits(part_type));
            made = Some(match made {
                None => part,
                Some(below) => {
                    let d = cx.temporary();
                    cx.prepare(binary(Binary::Insert { shift, mask }, d, below, part));
                    Src::register(d)
                }
            });
        }
        if let Some(made) = made {
            pairs.push((if d == cx.scope.sink { d } else { d + row as u32 }, made));
        }
    }
    cx.emit(Effect::Copy(pairs.into()));
    Ok(())
}

/// The untyped type of a width.
fn bits_of(width: u32) -> Option<ScalarType> {
    match width {
        8 => Some(ScalarType::B8),
        16 => Some(ScalarType::B16),
        32 => Some(ScalarType::B32),
        64 => Some(ScalarType::B64),
        _ => None,
    }
}
