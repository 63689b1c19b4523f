//! Conversions (manual 9.7.9.20 to 9.7.9.22).

use ptx_ir::Operand;
use ptx_isa::{Field, Mod, ScalarType, StateSpace};

use super::arithmetic::{rounding, subnormals};
use super::context::{Context, binary, unary};
use super::narrow::convert_integers;
use super::numbers::{float_format, numbers};
use super::operand::{dst, space, src};
use super::output::Decoded;
use super::signature::row_bits;
use crate::memory::{AddressSize, Space};
use crate::program::{Binary, Numbers, Src, Unary};
use crate::scalar::convert::{Excess, Integral, Range, ToFloat};
use crate::scalar::float::Limit;
use crate::scalar::format::{Format, Rounding};
use crate::scalar::int::Signedness;

/// The rounding to an integer given by the modifiers, if any.
fn integral(cx: &Context<'_>) -> Option<Integral> {
    let named = [
        (Mod::Rni, Integral::NearestEven),
        (Mod::Rzi, Integral::TowardZero),
        (Mod::Rmi, Integral::Down),
        (Mod::Rpi, Integral::Up),
    ];
    named.into_iter().find(|(modifier, _)| cx.m.has(*modifier)).map(|(_, integral)| integral)
}

fn to_float(cx: &Context<'_>, format: Format, rounding: Rounding) -> ToFloat {
    let limit = if cx.m.has(Mod::Relu) {
        Limit::Relu
    } else if cx.m.has(Mod::Sat) {
        Limit::Unit
    } else {
        Limit::None
    };
    let range = if cx.m.has(Mod::Satfinite) { Range::Finite } else { Range::Infinite };
    ToFloat { format, rounding, subnormals: subnormals(cx), limit, range }
}

/// `cvt` of single numbers.
pub(super) fn convert(cx: &mut Context<'_>) -> Decoded<()> {
    let types = cx.m.type_of(Field::DType).zip(cx.m.type_of(Field::AType));
    let Some((dtype, atype)) = types else { return cx.unsupported("it lacks a type") };
    let (Some(to), Some(from)) = (numbers(dtype), numbers(atype)) else {
        return cx.unsupported("its types cannot be converted here");
    };
    let (d, a) = (dst(cx, 0)?, src(cx, 1)?);
    let integral = integral(cx);
    let low = row_bits(atype);
    // A wider destination is sign-extended for signed integers, else zero-extended.
    let register = match cx.scope.register_type(cx.operands[0]) {
        Some(ty) => row_bits(ty),
        // A sink takes any bits.
        None => u64::MAX,
    };
    let op = match (to, from) {
        (Numbers::Int(to), Numbers::Int(from)) => {
            let excess = if cx.m.has(Mod::Sat) { Excess::Clamp } else { Excess::Truncate };
            Unary::IntToInt { to, from, excess, register }
        }
        (Numbers::Int(to), Numbers::Float(from)) => {
            cx.m.ignore(&[Field::Sat], "what becomes an integer is always clamped");
            let integral = integral.unwrap_or(Integral::TowardZero);
            Unary::FloatToInt { to, integral, from, subnormals: subnormals(cx), low, register }
        }
        (Numbers::Float(format), Numbers::Int(from)) => {
            Unary::IntToFloat { to: to_float(cx, format, rounding(cx)?), from }
        }
        (Numbers::Float(format), Numbers::Float(from)) => match integral {
            Some(integral) if format == from => {
                let to = to_float(cx, format, Rounding::NearestEven);
                Unary::FloatToIntegral { to, integral, low }
            }
            Some(_) => return cx.unsupported("rounding to an integer needs equal types"),
            None => Unary::FloatToFloat { to: to_float(cx, format, rounding(cx)?), from, low },
        },
        (Numbers::Ints(..) | Numbers::Floats(..), _) | (_, Numbers::Ints(..) | Numbers::Floats(..)) => {
            return cx.unsupported("packed types are converted by other rows");
        }
    };
    cx.emit(unary(op, d, a));
    Ok(())
}

/// Sign- or zero-extends a narrower value to the upper half of a 128-bit register.
pub(super) fn fill_upper(cx: &mut Context<'_>, to: Operand, value: ScalarType) {
    if value.bits() < 128
        && cx.scope.register_type(to) == Some(ScalarType::B128)
        && let Ok(d) = cx.scope.dst_of(to, cx.inst.at.0)
    {
        let sign = if value.is_signed() { Signedness::Signed } else { Signedness::Unsigned };
        cx.emit(unary(Unary::UpperHalf(sign), d + 1, Src::register(d)));
    }
}

/// `cvt` of two `.f32` to a pair, and `cvt.pack`.
pub(super) fn convert_pack(cx: &mut Context<'_>) -> Decoded<()> {
    if cx.m.has(Mod::Pack) {
        return convert_integers(cx);
    }
    let Some(dtype) = cx.m.type_of(Field::DType) else { return cx.unsupported("it has no result type") };
    let (d, a, b) = (dst(cx, 0)?, src(cx, 1)?, src(cx, 2)?);
    let (Some(Numbers::Floats(format, 2)), Some(from)) =
        (numbers(dtype), cx.m.type_of(Field::AType).and_then(float_format))
    else {
        return cx.unsupported("its types cannot be packed here");
    };
    let to = to_float(cx, format, rounding(cx)?);
    cx.emit(binary(Binary::FloatPair(to, from), d, a, b));
    Ok(())
}

/// The space that `cvta` or `isspacep` names.
fn space_of_window(cx: &Context<'_>) -> Decoded<Space> {
    match cx.m.space() {
        // The parameters of a kernel have generic addresses; nothing else in that space does.
        Some(StateSpace::Param | StateSpace::ParamEntry) => Ok(Space::Param),
        _ => space(cx),
    }
}

/// `cvta`, `cvta.to`.
pub(super) fn convert_address(cx: &mut Context<'_>) -> Decoded<()> {
    let window = space_of_window(cx)?.window(cx.scope.size);
    let has_32_bits = cx.m.scalar_type().is_some_and(|ty| ty.bits() == 32);
    if has_32_bits && cx.scope.size == AddressSize::Bits64 {
        return cx.unsupported("the generic addresses of the module have 64 bits; write `.address_size 32`");
    }
    let addend = if cx.m.has(Mod::To) { window.wrapping_neg() } else { window };
    let (d, a) = (dst(cx, 0)?, src(cx, 1)?);
    cx.emit(unary(Unary::AddConstant { addend, mask: cx.scope.size.mask() }, d, a));
    Ok(())
}

/// `isspacep`.
pub(super) fn is_in_space(cx: &mut Context<'_>) -> Decoded<()> {
    let space = space_of_window(cx)?;
    let (d, a) = (dst(cx, 0)?, src(cx, 1)?);
    if space == Space::Shared {
        let own = cx.constants.of_shared(space.window(cx.scope.size));
        cx.emit(binary(Binary::IsInBlock, d, a, own));
    } else {
        cx.emit(unary(Unary::IsInSpace(space, cx.scope.size), d, a));
    }
    Ok(())
}
