//! Video instructions (manual 9.7.18).

use ptx_ir::Operand;
use ptx_isa::{Field, Form, Mod, Opcode, OperandKey, OperandKind, ScalarType, Selection, Selector, Unit};

use super::arithmetic::{overshoot, saturation, sign_of};
use super::context::{Context, ternary};
use super::operand::src_of;
use super::output::{Decoded, finding};
use super::select::relation;
use crate::codes;
use crate::program::{Src, Ternary};
use crate::scalar::compare::WithNan;
use crate::scalar::video::{Gather, MultiplyAdd, Operation, RegisterPart, Scalar, Second, Simd, Turn};

/// The operation of an opcode; `vmad` is handled separately.
fn operation(cx: &Context<'_>) -> Decoded<Operation> {
    Ok(match cx.m.opcode() {
        Opcode::Vadd | Opcode::Vadd2 | Opcode::Vadd4 => Operation::Add,
        Opcode::Vsub | Opcode::Vsub2 | Opcode::Vsub4 => Operation::Sub,
        Opcode::Vavrg2 | Opcode::Vavrg4 => Operation::Average,
        Opcode::Vabsdiff | Opcode::Vabsdiff2 | Opcode::Vabsdiff4 => Operation::Distance,
        Opcode::Vmin | Opcode::Vmin2 | Opcode::Vmin4 => Operation::Min,
        Opcode::Vmax | Opcode::Vmax2 | Opcode::Vmax4 => Operation::Max,
        Opcode::Vshl => Operation::ShiftLeft(overshoot(cx)?),
        Opcode::Vshr => Operation::ShiftRight(overshoot(cx)?),
        Opcode::Vset | Opcode::Vset2 | Opcode::Vset4 => match cx.m.get(Field::Cmp).and_then(relation) {
            Some((relation, WithNan::False)) => Operation::Compare(relation),
            _ => return cx.unsupported("its comparison is not supported"),
        },
        _ => return cx.unsupported("it is not a known video instruction"),
    })
}

/// The part of a register given by a selector; without one the whole register.
fn part(selector: Option<Selector>) -> RegisterPart {
    let Some(selector) = selector else { return RegisterPart::WORD };
    let bits = unit_bits(selector.unit);
    let Some(&at) = selector.digits().first() else {
        debug_assert!(false, "a selector that selects nothing");
        return RegisterPart::WORD;
    };
    RegisterPart { shift: u32::from(at) * bits, bits }
}

fn unit_bits(unit: Unit) -> u32 {
    match unit {
        Unit::Byte => 8,
        Unit::Half => 16,
    }
}

/// The selector of an operand.
fn selector(operand: Operand) -> Option<Selector> {
    match operand {
        Operand::Selected(_, selector) => Some(selector),
        Operand::Negated(_, selector) => selector,
        _ => None,
    }
}

/// The lanes picked by a selector, lowest first; without one `count` of them starting at `first`.
fn lanes(selector: Option<Selector>, first: u8, count: u8) -> [u8; 4] {
    let mut picked = [0; 4];
    match selector {
        Some(selector) => {
            picked.iter_mut().zip(selector.digits().iter().rev()).for_each(|(lane, &digit)| *lane = digit);
        }
        None => picked.iter_mut().zip(first..first + count).for_each(|(lane, at)| *lane = at),
    }
    picked
}

/// Whether the lanes of a SIMD instruction have 16 bits; otherwise 8.
fn is_on_halves(form: &Form) -> bool {
    form.operands.iter().any(|place| matches!(place.kind, OperandKind::Selected(_, Selection::Halves)))
}

/// The whole register or constant of which an operand uses a part.
fn whole(cx: &mut Context<'_>, key: OperandKey) -> Decoded<(Src, Operand)> {
    let (at, operand) = cx.operand(key)?;
    let whole = match operand {
        Operand::Selected(register, _) | Operand::Negated(register, _) => Operand::Register(register),
        other => other,
    };
    Ok((src_of(cx, whole, ScalarType::U32, cx.span(at))?, operand))
}

/// The destination register, and the selector of the part that is written.
fn merged(cx: &Context<'_>) -> Decoded<(u32, Option<Selector>)> {
    let (at, operand) = cx.operand(OperandKey::D)?;
    match operand {
        Operand::Selected(register, selector) => Ok((cx.scope.row_of(register), Some(selector))),
        other => Ok((cx.scope.dst_of(other, cx.span(at))?, None)),
    }
}

/// `vadd`, `vsub`, `vabsdiff`, `vmin`, `vmax`, `vshl`, `vshr`, `vset`, `vmad`.
pub(super) fn video(cx: &mut Context<'_>) -> Decoded<()> {
    let (d, selected) = merged(cx)?;
    let ((a, a_operand), (b, b_operand)) = (whole(cx, OperandKey::A)?, whole(cx, OperandKey::B)?);
    let (c, c_operand) = match cx.find(OperandKey::C) {
        Some(_) => whole(cx, OperandKey::C)?,
        None => (cx.constants.of(0), Operand::Omitted),
    };
    let a_part = (part(selector(a_operand)), sign_of(cx, Field::AType));
    let b_part = (part(selector(b_operand)), sign_of(cx, Field::BType));
    if cx.m.opcode() == Opcode::Vmad {
        let is_negated = |operand| matches!(operand, Operand::Negated(..));
        let product = is_negated(a_operand) != is_negated(b_operand);
        let turn = match (product, is_negated(c_operand), cx.m.has(Mod::Po)) {
            (false, false, false) => Turn::Neither,
            (true, false, false) => Turn::Product,
            (false, true, false) => Turn::Summand,
            (false, false, true) => Turn::PlusOne,
            _ => return finding(codes::OPERAND, cx.inst.at.0, "only one part of a `vmad` is negated"),
        };
        cx.m.ignore(&[Field::DType], "the factors and signs determine what is clamped to (manual 9.7.18.5)");
        let scale = match cx.m.get(Field::Scale) {
            Some(Mod::Shr7) => 7,
            Some(Mod::Shr15) => 15,
            None => 0,
            Some(_) => return cx.unsupported("its scale is not supported"),
        };
        let vmad = MultiplyAdd { a: a_part, b: b_part, turn, scale, saturation: saturation(cx) };
        cx.emit(ternary(Ternary::MultiplyAdd(vmad), d, [a, b, c]));
        return Ok(());
    }
    let second = match cx.m.get(Field::Op) {
        Some(Mod::Add) => Second::Add,
        Some(Mod::Min) => Second::Min,
        Some(Mod::Max) => Second::Max,
        None if cx.find(OperandKey::C).is_some() => Second::Merge(part(selected)),
        None => Second::Nothing,
        Some(_) => return cx.unsupported("its second operation is not supported"),
    };
    let scalar = Scalar {
        operation: operation(cx)?,
        a: a_part,
        b: b_part,
        d: sign_of(cx, Field::DType),
        saturation: saturation(cx),
        second,
    };
    cx.emit(ternary(Ternary::Video(scalar), d, [a, b, c]));
    Ok(())
}

/// SIMD video instructions on two halves or four bytes.
pub(super) fn video_lanes(cx: &mut Context<'_>) -> Decoded<()> {
    let lane_bits = if is_on_halves(cx.m.form()) { 16 } else { 8 };
    let count = (32 / lane_bits) as u8;
    let (d, mask) = merged(cx)?;
    let ((a, a_operand), (b, b_operand)) = (whole(cx, OperandKey::A)?, whole(cx, OperandKey::B)?);
    let (c, _) = whole(cx, OperandKey::C)?;
    let mask = match mask {
        Some(mask) => mask.digits().iter().fold(0, |mask, digit| mask | 1 << digit),
        None => (1 << count) - 1,
    };
    let simd = Simd {
        operation: operation(cx)?,
        lane_bits,
        a: (lanes(selector(a_operand), 0, count), sign_of(cx, Field::AType)),
        b: (lanes(selector(b_operand), count, count), sign_of(cx, Field::BType)),
        d: sign_of(cx, Field::DType),
        saturation: saturation(cx),
        mask,
        gather: if cx.m.has(Mod::Add) { Gather::Sum } else { Gather::Merge },
    };
    cx.emit(ternary(Ternary::VideoSimd(simd), d, [a, b, c]));
    Ok(())
}
