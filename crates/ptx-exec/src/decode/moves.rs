//! `mov` (manual 9.7.9.3 and 9.7.9.4).

use ptx_ir::Operand;
use ptx_isa::{Component, Field, MoveSem, ScalarType};

use super::body::{BodyDecoder, Context, Decode, binary, row_bits, rows_of, unary};
use super::{Decoded, finding};
use crate::error::codes;
use crate::program::{Binary, Effect, Src, Unary};

impl<'a> BodyDecoder<'a> {
    /// The decoder of moves and conversions.
    pub(super) fn move_decoder(sem: MoveSem) -> Decode<'a> {
        match sem {
            MoveSem::Mov => Self::mov,
            MoveSem::MovVector => Self::mov_vector,
            MoveSem::Cvt => Self::convert,
            MoveSem::CvtPack => Self::convert_pack,
            MoveSem::CvtNarrow => Self::convert_narrow,
            MoveSem::Cvta => Self::convert_address,
            MoveSem::Isspacep => Self::is_in_space,
        }
    }
}

impl BodyDecoder<'_> {
    pub(super) fn mov(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let Some(ty) = cx.m.scalar_type() else { return cx.unsupported("it has no type") };
        cx.m.ignore(&[Field::Type], "registers are copied whole");
        let (to, from) = (self.elements(cx.operands[0]), self.elements(cx.operands[1]));
        let is_vector = |operand: Operand, elements: &[Operand]| {
            matches!(operand, Operand::Vector(_)) || elements.len() > 1
        };
        match (is_vector(cx.operands[0], &to), is_vector(cx.operands[1], &from)) {
            (true, true) => {
                finding(codes::OPERAND, cx.span(1), "one side of a `mov` must be a single register")
            }
            (true, false) => self.unpack(cx, ty, &to),
            (false, true) => self.pack(cx, ty, &from),
            (false, false) => self.copy(cx, ty),
        }
    }

    /// `mov.v4`: every element is read before any is written.
    pub(super) fn mov_vector(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let Some(ty) = cx.m.scalar_type() else { return cx.unsupported("it has no type") };
        cx.m.ignore(
            &[Field::Vec, Field::Type],
            "the operands have that many elements, which are copied whole",
        );
        let to = self.elements(cx.operands[0]);
        let from = match cx.operands[1] {
            Operand::Special(register, None) => {
                Component::ALL.iter().map(|component| Operand::Special(register, Some(*component))).collect()
            }
            other => self.elements(other),
        };
        if to.len() != from.len() {
            return finding(codes::OPERAND, cx.span(1), "the vectors of a `mov` differ in length");
        }
        let mut pairs = Vec::with_capacity(to.len());
        for (&to, from) in to.iter().zip(from) {
            let a = self.src_of(cx, from, ty, cx.span(1))?;
            if !matches!(to, Operand::Sink) {
                pairs.push((self.dst_of(to, cx.span(0))?, a));
            }
        }
        cx.emit(Effect::Copy(pairs.into()));
        Ok(())
    }

    fn copy(&mut self, cx: &mut Context<'_>, ty: ScalarType) -> Decoded<()> {
        let d = self.dst(cx, 0)?;
        if let Operand::Special(register, component) = cx.operands[1]
            && register.scalar_type().bits() == ty.bits()
        {
            cx.emit(Effect::Special { d, register, component });
            return Ok(());
        }
        let a = self.src(cx, 1)?;
        let pairs = (0..rows_of(ty)).map(|n| (if d == self.sink { d } else { d + n }, a.plus(n)));
        cx.emit(Effect::Copy(pairs.collect()));
        Ok(())
    }

    /// The width of each part when a value of `ty` is split.
    fn part_width(&self, cx: &Context<'_>, ty: ScalarType, parts: usize) -> Decoded<u32> {
        match ty.bits().checked_div(parts as u32) {
            Some(width) if width > 0 && width * parts as u32 == ty.bits() => Ok(width),
            _ => finding(codes::OPERAND, cx.inst.at.0, "the parts do not add up to the whole"),
        }
    }

    /// `mov.b64 {lo, hi}, a`.
    fn unpack(&mut self, cx: &mut Context<'_>, ty: ScalarType, parts: &[Operand]) -> Decoded<()> {
        let width = self.part_width(cx, ty, parts.len())?;
        let a = self.src(cx, 1)?;
        let mask = u64::MAX >> (64 - width.min(64));
        // The source may be one of the destinations, so all parts are computed before any is written.
        let mut pairs = Vec::new();
        for (n, &part) in parts.iter().enumerate() {
            if matches!(part, Operand::Sink) {
                continue;
            }
            let (d, at) = (self.dst_of(part, cx.span(0))?, n as u32 * width);
            let made = self.temporary();
            let shift = at % 64;
            cx.prepare(unary(Unary::Field { shift, mask }, made, a.plus(at / 64)));
            pairs.push((d, Src::register(made)));
        }
        cx.emit(Effect::Copy(pairs.into()));
        Ok(())
    }

    /// `mov.b64 d, {lo, hi}`.
    fn pack(&mut self, cx: &mut Context<'_>, ty: ScalarType, parts: &[Operand]) -> Decoded<()> {
        let width = self.part_width(cx, ty, parts.len())?;
        let d = self.dst(cx, 0)?;
        let Some(part_type) = bits_of(width) else {
            return finding(codes::OPERAND, cx.inst.at.0, "parts have 8 to 64 bits");
        };
        let per_row = (64 / width).max(1) as usize;
        let mut pairs = Vec::new();
        for (row, parts) in parts.chunks(per_row).enumerate() {
            let mut made = None;
            for (n, &part) in parts.iter().enumerate() {
                let part = self.src_of(cx, part, part_type, cx.span(1))?;
                let (shift, mask) = (n as u32 * width, row_bits(part_type));
                made = Some(match made {
                    None => part,
                    Some(below) => {
                        let d = self.temporary();
                        cx.prepare(binary(Binary::Insert { shift, mask }, d, below, part));
                        Src::register(d)
                    }
                });
            }
            if let Some(made) = made {
                pairs.push((if d == self.sink { d } else { d + row as u32 }, made));
            }
        }
        cx.emit(Effect::Copy(pairs.into()));
        Ok(())
    }
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
