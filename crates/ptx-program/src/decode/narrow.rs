//! Conversions of packs: from and to narrow formats, and with random bits (manual 9.7.9.21, 9.7.9.22).

use ptx_ir::Operand;
use ptx_isa::{Field, Mod, OperandKey, ScalarType};

use super::arithmetic::rounding;
use super::context::{Context, binary, ternary, unary};
use super::numbers::float_format;
use super::operand::{dst_operand, src_given, src_of, src_operand};
use super::output::Decoded;
use crate::program::{Binary, PackConversion, Src, Ternary, Unary};
use crate::scalar::convert::{Element, PackElement, Range, Repack};
use crate::scalar::format::Format;
use crate::scalar::int::Signedness;
use crate::scalar::narrow::{Direction, Narrow, Negatives};

/// The element and count of a packed type; a single number is a pack of one.
fn pack_of(modifier: Mod) -> Option<(Element, u32)> {
    let narrow = |format, count| Some((Element::Narrow(format), count));
    match modifier {
        Mod::E4m3x2 => narrow(Narrow::E4m3, 2),
        Mod::E5m2x2 => narrow(Narrow::E5m2, 2),
        Mod::E2m3x2 => narrow(Narrow::E2m3, 2),
        Mod::E3m2x2 => narrow(Narrow::E3m2, 2),
        Mod::E2m1x2 => narrow(Narrow::E2m1, 2),
        Mod::Ue8m0x2 => narrow(Narrow::Ue8m0, 2),
        Mod::Ue5m3x2 => narrow(Narrow::Ue5m3, 2),
        Mod::S2f6x2 => narrow(Narrow::S2f6, 2),
        Mod::E4m3x4 => narrow(Narrow::E4m3, 4),
        Mod::E5m2x4 => narrow(Narrow::E5m2, 4),
        Mod::E2m3x4 => narrow(Narrow::E2m3, 4),
        Mod::E3m2x4 => narrow(Narrow::E3m2, 4),
        Mod::E2m1x4 => narrow(Narrow::E2m1, 4),
        Mod::F16x2 => Some((Element::Wide(Format::F16), 2)),
        Mod::Bf16x2 => Some((Element::Wide(Format::Bf16), 2)),
        _ => ScalarType::from_mod(modifier).and_then(float_format).map(|format| (Element::Wide(format), 1)),
    }
}

/// The element type of the result of `cvt.pack`.
fn integer_of(modifier: Mod) -> Option<PackElement> {
    let (bits, sign) = match modifier {
        Mod::U2 => (2, Signedness::Unsigned),
        Mod::S2 => (2, Signedness::Signed),
        Mod::U4 => (4, Signedness::Unsigned),
        Mod::S4 => (4, Signedness::Signed),
        Mod::U8 => (8, Signedness::Unsigned),
        Mod::S8 => (8, Signedness::Signed),
        Mod::U16 => (16, Signedness::Unsigned),
        Mod::S16 => (16, Signedness::Signed),
        _ => return None,
    };
    Some(PackElement { bits, sign })
}

/// `cvt` of packs from and to narrow formats, and to pairs with random bits.
pub(super) fn convert_narrow(cx: &mut Context<'_>) -> Decoded<()> {
    if cx.m.has(Mod::Pack) {
        return convert_integers(cx);
    }
    let types = cx.m.get(Field::DType).and_then(pack_of).zip(cx.m.get(Field::AType).and_then(pack_of));
    let Some(((to, count), (from, _))) = types else {
        return cx.unsupported("its types cannot be converted here");
    };
    let range = if cx.m.has(Mod::Satfinite) { Range::Finite } else { Range::Infinite };
    let negatives = if cx.m.has(Mod::Relu) { Negatives::Zero } else { Negatives::Keep };
    let conversion = PackConversion { repack: Repack { to, from, range, negatives }, count };
    let d = dst_operand(cx, OperandKey::D)?;
    let (low, high) = pack_operands(cx)?;
    if cx.m.has(Mod::Rs) {
        let bits = src_operand(cx, OperandKey::Rbits)?;
        cx.emit(ternary(Ternary::RepackRandom(conversion), d, [low, high, bits]));
        return Ok(());
    }
    let direction = Direction::By(rounding(cx)?);
    if cx.m.has(Mod::ScaledN2Ue8m0) {
        let scales = src_operand(cx, OperandKey::ScaleFactor)?;
        cx.emit(ternary(Ternary::RepackScaled(conversion, direction), d, [low, high, scales]));
        return Ok(());
    }
    cx.emit(binary(Binary::Repack(conversion, direction), d, low, high));
    Ok(())
}

/// The sources as one pack: its lower and its upper 64 bits. Of several operands the last one is the lowest element.
fn pack_operands(cx: &mut Context<'_>) -> Decoded<(Src, Src)> {
    let nothing = cx.constants.of(0);
    if let Some(at) = cx.find(OperandKey::Abef) {
        let operand = cx.operands.get(at).copied().unwrap_or(Operand::Omitted);
        let mut rows = Vec::new();
        for element in cx.scope.elements(operand) {
            rows.push(src_of(cx, element, ScalarType::F32, cx.span(at))?);
        }
        let [a, b, e, f] = rows[..] else { return cx.unsupported("it converts four values") };
        return Ok((two_words(cx, e, f), two_words(cx, a, b)));
    }
    let a = src_operand(cx, OperandKey::A)?;
    if cx.find(OperandKey::B).is_none() {
        return Ok((a, nothing));
    }
    let b = src_operand(cx, OperandKey::B)?;
    Ok((two_words(cx, a, b), nothing))
}

/// Joins two 32-bit values in one row.
fn two_words(cx: &mut Context<'_>, high: Src, low: Src) -> Src {
    let d = cx.temporary();
    let lower = cx.temporary();
    cx.prepare(unary(Unary::Field { shift: 0, mask: u32::MAX.into() }, lower, low));
    let insert = Binary::Insert { shift: 32, mask: u32::MAX.into() };
    cx.prepare(binary(insert, d, Src::register(lower), high));
    Src::register(d)
}

/// `cvt.pack`: clamps two integers to elements of 2 to 16 bits.
pub(super) fn convert_integers(cx: &mut Context<'_>) -> Decoded<()> {
    cx.m.ignore_words(&[Mod::Sat, Mod::B32], "the others all clamp, and join 32 bits");
    let Some(element) = cx.m.get(Field::DType).and_then(integer_of) else {
        return cx.unsupported("its result type cannot be packed here");
    };
    if cx.m.type_of(Field::AType) != Some(ScalarType::S32) {
        return cx.unsupported("it packs signed integers alone");
    }
    let (d, a, b) =
        (dst_operand(cx, OperandKey::D)?, src_operand(cx, OperandKey::A)?, src_operand(cx, OperandKey::B)?);
    let c = src_given(cx, OperandKey::C)?.unwrap_or_else(|| cx.constants.of(0));
    cx.emit(ternary(Ternary::PackIntegers(element), d, [a, b, c]));
    Ok(())
}
