//! Conversions between integers and floating-point numbers (manual 9.7.9.21), as a computation on bits.

use ptx_isa::{Field, Mnemonic, Mod, ScalarType};

use super::Outcome;
use super::arithmetic::finished;
use super::float::Format;
use crate::prove::term::{Bits, MAX_WIDTH};

pub(super) fn define<'t>(mnemonic: &Mnemonic, a: Bits<'t>) -> Option<Outcome<'t>> {
    let (to, from) = (mnemonic.type_of(Field::DType)?, mnemonic.type_of(Field::AType)?);
    let rounding = mnemonic.get(Field::Rnd)?;
    match (Format::of(to), Format::of(from)) {
        (Some(format), None) => {
            let number = from_integer(format, rounding, from.is_signed(), a)?;
            Outcome::one(finished(mnemonic, format, number))
        }
        (None, Some(format)) if to.is_integer_or_bits() => {
            let a = if mnemonic.has(Mod::Ftz) && from == ScalarType::F32 { format.flushed(a) } else { a };
            Outcome::one(to_integer(format, from, rounding, to, a)?)
        }
        _ => None,
    }
}

/// Whether a number followed by these bits is rounded up, away from zero.
fn rounds_up<'t>(
    rounding: Mod,
    negative: Bits<'t>,
    odd: Bits<'t>,
    half: Bits<'t>,
    rest: Bits<'t>,
) -> Option<Bits<'t>> {
    let inexact = half | rest;
    Some(match rounding {
        Mod::Rn | Mod::Rni => half & (rest | odd),
        Mod::Rz | Mod::Rzi => inexact.number(0),
        Mod::Rm | Mod::Rmi => negative & inexact,
        Mod::Rp | Mod::Rpi => !negative & inexact,
        _ => return None,
    })
}

/// The nearest number of a format to an integer, as a rounding mode asks; `None` when it needs too many bits.
pub(in crate::prove) fn from_integer<'t>(
    format: Format,
    rounding: Mod,
    is_signed: bool,
    a: Bits<'t>,
) -> Option<Bits<'t>> {
    let t = a.terms();
    let negative = if is_signed { a.sign() } else { t.truth(false) };
    let size = negative.pick(-a, a);
    // The leading one at the top, the bits of the fraction and those that are rounded away below it.
    let width = a.width() + format.fraction + 3;
    if width > MAX_WIDTH {
        return None;
    }
    let zeros = size.clz();
    let wide = size.concat(t.number(format.fraction + 3, 0));
    let normal = wide.shift_left(zeros.resize(false, width));
    let fraction = normal.extract(width - 1 - format.fraction, format.fraction);
    let half = normal.bit(width - 2 - format.fraction);
    let rest = normal.trunc(width - 2 - format.fraction).any();
    let up = rounds_up(rounding, negative, fraction.bit(0), half, rest)?;
    // 2^place is the value of the leading one.
    let bits = format.width() - 1;
    let place = t.number(32, u128::from(a.width()) - 1) - zeros.resize(false, 32);
    let bias = (1_u128 << (format.exponent - 1)) - 1;
    let exponent = (place + place.number(bias)).zext(64);
    let packed =
        exponent.shift_left(exponent.number(u128::from(format.fraction))) + fraction.zext(64) + up.zext(64);
    // What is beyond the largest number is infinite, or the largest one where it is not rounded away from zero.
    let infinity = packed.number(((1 << format.exponent) - 1) << format.fraction);
    let beyond = infinity.at_most(false, packed)
        | (exponent.number((1 << format.exponent) - 1)).at_most(false, exponent);
    let away = match rounding {
        Mod::Rn => t.truth(true),
        Mod::Rm => negative,
        Mod::Rp => !negative,
        _ => t.truth(false),
    };
    let largest = infinity - infinity.number(1);
    let finished = beyond.pick(away.pick(infinity, largest), packed).trunc(bits);
    Some(a.any().pick(negative.concat(finished), t.number(format.width(), 0)))
}

/// A floating-point number as an integer, clamped to its range. A NaN is zero, or of 64 bits the smallest signed number.
fn to_integer<'t>(
    format: Format,
    from: ScalarType,
    rounding: Mod,
    to: ScalarType,
    a: Bits<'t>,
) -> Option<Bits<'t>> {
    let t = a.terms();
    let width = to.bits();
    let negative = a.sign();
    let biased = a.extract(format.fraction, format.exponent).zext(32);
    let normal = biased.any();
    let bias = biased.number((1 << (format.exponent - 1)) - 1);
    // The significand with two more bits below it, of which the lowest collects what is lost.
    let significand = normal.concat(a.trunc(format.fraction));
    let room = format.fraction + width + 3;
    let wide = significand.zext(room).shift_left(t.number(room, 2));
    let exponent = normal.pick(biased, biased.number(1)) - bias;
    let small = exponent.sign();
    let down = -exponent;
    let shifted_down = wide.lshr(down.min(false, down.number(u128::from(room))).resize(false, room));
    let lost = shifted_down
        .shift_left(down.min(false, down.number(u128::from(room))).resize(false, room))
        .differs(wide);
    let lost = lost & small;
    let shifted_up =
        wide.shift_left(exponent.min(false, exponent.number(u128::from(room))).resize(false, room));
    let fixed = small.pick(shifted_down, shifted_up);
    let point = format.fraction + 2;
    let whole = fixed.extract(point, room - point).zext(room);
    let half = fixed.bit(point - 1);
    let rest = fixed.trunc(point - 1).any() | lost;
    let up = rounds_up(rounding, negative, whole.bit(0), half, rest)?;
    let size = whole + up.zext(room);
    // An exponent of the width of the result and beyond leaves its range, as infinity does, whose exponent may be less.
    let beyond =
        (!small & exponent.number(u128::from(width)).at_most(false, exponent)) | format.is_infinite(a);
    let (low, high) = if to.is_signed() {
        (1_u128 << (width - 1), (1_u128 << (width - 1)) - 1)
    } else {
        (0, (1_u128 << width) - 1)
    };
    let limit = negative.pick(size.number(low), size.number(high));
    let limited = (beyond | limit.less(false, size)).pick(limit, size).trunc(width);
    let value = negative.pick(-limited, limited);
    let nan = if from == ScalarType::F64 || width == 64 { 1_u128 << (width - 1) } else { 0 };
    Some(format.is_nan(a).pick(value.number(nan), value))
}
