//! Conversions of packed elements, and formats of eight bits and fewer (`ptx_program::scalar::narrow`).

use ptx_llvm_core::build::CastOp;
use ptx_program::PackConversion;
use ptx_program::scalar::convert::{Element, Range};
use ptx_program::scalar::float::{Limit, Subnormals};
use ptx_program::scalar::format::{Format, Rounding};
use ptx_program::scalar::narrow::{Direction, Narrow, Negatives};

use super::float::limited;
use super::lanes::Lanes;
use super::rounding::{finite, from_double, is_nan, to_double};

type L<'a, 'm, 'c> = Lanes<'a, 'm, 'c>;

/// How the bits below the last place determine the rounding.
#[derive(Clone, Copy)]
enum Tail<'a, 'm, 'c> {
    By(Rounding),
    /// Stochastic rounding with this many random bits, in the low ones of the value.
    Random(u32, L<'a, 'm, 'c>),
}

/// How each element of a pack is converted.
#[derive(Clone, Copy)]
pub(super) enum How<'a, 'm, 'c> {
    By(Rounding),
    /// Stochastic rounding with random bits, which all elements share.
    Random(L<'a, 'm, 'c>),
    /// Multiplied by scales, one byte each, or divided by them.
    Scaled(Rounding, L<'a, 'm, 'c>),
}

/// The rounding of a direction, unless it is stochastic.
pub(super) fn rounding(direction: Direction) -> Option<Rounding> {
    match direction {
        Direction::By(rounding) => Some(rounding),
        Direction::Random(_) => None,
    }
}

/// Converts the elements of a pack, given as a lower and an upper word.
pub(super) fn convert<'a, 'm, 'c>(
    conversion: &PackConversion,
    how: How<'a, 'm, 'c>,
    low: L<'a, 'm, 'c>,
    high: L<'a, 'm, 'c>,
) -> Option<L<'a, 'm, 'c>> {
    let repack = &conversion.repack;
    let (from, to) = (repack.from.place(), repack.to.place());
    let mut result = low.constant_of(64, 0);
    for n in 0..conversion.count {
        let (word, at) = if n * from < 64 { (low, n * from) } else { (high, n * from - 64) };
        let raw = (word.resize(64) >> u64::from(at)) & (u64::MAX >> (64 - from));
        let value = widened(repack.from, raw);
        let (value, tail) = match how {
            How::By(rounding) => (value, Tail::By(rounding)),
            How::Random(bits) => {
                let random = conversion.random_bits(n, 0);
                let shift = random_shift(conversion, n)?;
                (value, Tail::Random(random.count, bits.resize(64) >> u64::from(shift)))
            }
            How::Scaled(rounding, scales) => {
                let raw = (scales.resize(64) >> u64::from(8 * n)) & 0xff;
                (value * scale(&repack.to, raw), Tail::By(rounding))
            }
        };
        let element = match repack.to {
            Element::Narrow(format) => narrowed(format, tail, repack.range, repack.negatives, value)?,
            Element::Wide(format) => {
                let limit = match repack.negatives {
                    Negatives::Keep => Limit::None,
                    Negatives::Zero => Limit::Relu,
                };
                let rounded = wide(format, tail, limited(limit, value))?;
                if repack.range == Range::Finite { finite(format, rounded) } else { rounded }
            }
        };
        result = result | (element.resize(64) << u64::from(n * to));
    }
    Some(result.resize((conversion.count * to).next_power_of_two().max(8)))
}

/// By how much the random bits of element `n` are shifted down: found by asking the interpreter which single bit becomes the lowest one.
fn random_shift(conversion: &PackConversion, n: u32) -> Option<u32> {
    (0..64).find(|shift| conversion.random_bits(n, 1 << shift).bits & 1 == 1)
}

/// The factor of a `.ue8m0` scale.
fn scale<'a, 'm, 'c>(to: &Element, raw: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let exponent = match to {
        // Its inverse.
        Element::Narrow(_) => raw.constant(1023 + 127) - raw,
        Element::Wide(_) => raw + (1023 - 127),
    };
    raw.eq(0xff).select(raw.constant(f64::NAN.to_bits()), exponent << 52).as_f64()
}

/// The value of a format of eight bits or fewer, given in the low bits of a 64-bit word, as `double`.
pub(super) fn value<'a, 'm, 'c>(format: Narrow, raw: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    widened(Element::Narrow(format), raw)
}

/// The value of an element, given in the low bits of a word, as `double`.
fn widened<'a, 'm, 'c>(element: Element, raw: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let format = match element {
        Element::Wide(format) => return to_double(format, raw.resize(format.bits())),
        Element::Narrow(format) => format,
    };
    let types = raw.code.emit.types;
    let (fraction, least) = format.fraction_and_least_exponent();
    match format {
        Narrow::S2f6 => return raw.resize(8).resize_signed(32).signed_to(types.f64()) * (1.0 / 64.0),
        Narrow::Ue8m0 => return scale(&Element::Wide(Format::F32), raw),
        _ => {}
    }
    let raw = raw & (format.sign_bit() | format.largest() | format.nan());
    let magnitude = raw & !format.sign_bit();
    // Subnormal values count units of the last place; the exponents of normal ones differ by a constant.
    let unit = f64::from_bits(((1023 + least) as u64) << 52);
    let tiny = (magnitude.resize(32).signed_to(types.f64()) * unit).raw();
    let exponents = ((1023 + least) as u64 + u64::from(fraction) - 1) << 52;
    let normal = (magnitude << u64::from(52 - fraction)) + exponents;
    let number = magnitude.ult(1 << fraction).select(tiny, normal);
    let nan = raw.constant(f64::NAN.to_bits());
    let special = match format {
        Narrow::E5m2 => {
            let infinite = magnitude.eq(0x7c).select(raw.constant(f64::INFINITY.to_bits()), number);
            magnitude.ugt(0x7c).select(nan, infinite)
        }
        Narrow::E4m3 | Narrow::Ue5m3 => magnitude.eq(format.nan()).select(nan, number),
        Narrow::E2m3 | Narrow::E3m2 | Narrow::E2m1 | Narrow::Ue8m0 | Narrow::S2f6 => number,
    };
    let signed = match format.sign_bit() {
        0 => special,
        bit => (raw & bit).ne(0).select(special | (1 << 63), special),
    };
    signed.as_f64()
}

/// The magnitude of a finite value, rounded to a grid with `fraction` fraction bits and this least exponent of the last place, as an index counted
/// from zero.
fn number<'a, 'm, 'c>(
    value: L<'a, 'm, 'c>,
    (fraction, least): (u32, i32),
    tail: Tail<'a, 'm, 'c>,
    negative: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    let magnitude = value.raw() & (u64::MAX >> 1);
    let exponent = magnitude >> 52;
    let significand = (magnitude & ((1 << 52) - 1)) | (1u64 << 52);
    // The biased exponent at which the last place is that of the smallest values.
    let smallest = (least + fraction as i32 + 1023) as u64;
    let below = exponent.ult(smallest).select(exponent.constant(smallest) - exponent, 0);
    let wanted = below + u64::from(52 - fraction);
    // A significand to be shifted by more than 63 is shifted before, which loses no bits to which random bits are added; for other
    // roundings all shifts from 55 on are equivalent.
    let (shift, significand) = match tail {
        Tail::By(_) => (wanted.umin(55), significand),
        Tail::Random(..) => {
            let shift = wanted.umin(63);
            (shift, significand >> (wanted - shift).umin(63))
        }
    };
    let one = shift.constant(1);
    let (mask, half) = ((one << shift) - 1, one << (shift - 1));
    let increment = match tail {
        Tail::By(Rounding::NearestEven) => (half - 1) + ((significand >> shift) & 1),
        Tail::By(Rounding::NearestAway) => half,
        Tail::By(Rounding::TowardZero) => mask.zero(),
        Tail::By(Rounding::Down) => negative.select(mask, 0),
        Tail::By(Rounding::Up) => negative.select(mask.zero(), mask),
        Tail::Random(count, bits) => (bits & ((1u64 << count) - 1)) << (shift - u64::from(count)),
    };
    let rounded = (significand + increment) >> shift;
    let above = exponent.ult(smallest).select(exponent.zero(), exponent - smallest);
    let counted = (above << u64::from(fraction)) + rounded;
    magnitude.eq(0).select(counted.zero(), counted)
}

/// The bits of a wide format.
fn wide<'a, 'm, 'c>(format: Format, tail: Tail<'a, 'm, 'c>, value: L<'a, 'm, 'c>) -> Option<L<'a, 'm, 'c>> {
    let (count, bits) = match tail {
        Tail::By(rounding) => return Some(from_double(format, rounding, Subnormals::Keep, value)),
        Tail::Random(count, bits) => (count, bits),
    };
    let least = match format {
        Format::F16 => -24,
        Format::Bf16 => -133,
        Format::F32 | Format::F64 | Format::Tf32 => return None,
    };
    let negative = (value.raw() >> 63).ne(0);
    let grid = (format.fraction_bits(), least);
    let limited = number(value, grid, Tail::Random(count, bits), negative).umin(format.infinity());
    let infinite = value.float_abs().feq(f64::INFINITY).select(limited.constant(format.infinity()), limited);
    let signed = negative.select(infinite | format.sign_bit(), infinite);
    let canonical = is_nan(Format::F64, value.raw()).select(signed.constant(format.canonical_nan()), signed);
    Some(canonical.resize(format.bits()))
}

/// The bits of a narrow format.
fn narrowed<'a, 'm, 'c>(
    format: Narrow,
    tail: Tail<'a, 'm, 'c>,
    range: Range,
    negatives: Negatives,
    value: L<'a, 'm, 'c>,
) -> Option<L<'a, 'm, 'c>> {
    let has_sign = format.sign_bit() != 0;
    let is_negative = (value.raw() >> 63).ne(0);
    let negative = if has_sign { is_negative } else { is_negative.zero() };
    let magnitude = match format {
        Narrow::S2f6 => fixed_point(tail, negative, value)?,
        Narrow::Ue8m0 => {
            let counted = number(value, format.fraction_and_least_exponent(), tail, negative);
            // The grid counts powers of two from 1.
            counted.intrinsic("llvm.usub.sat", &[counted.constant(1)])
        }
        _ => number(value, format.fraction_and_least_exponent(), tail, negative),
    };
    let is_infinite = value.float_abs().feq(f64::INFINITY);
    let magnitude = is_infinite.select(magnitude.constant(u64::MAX), magnitude);
    let beyond = match range {
        Range::Finite => format.largest(),
        Range::Infinite => format.overflow(),
    };
    // Rounding toward zero stays finite.
    let (largest, beyond) = (magnitude.constant(format.largest()), magnitude.constant(beyond));
    let of_finite = match tail {
        Tail::By(Rounding::TowardZero) => largest,
        Tail::By(Rounding::Down) => negative.select(beyond, largest),
        Tail::By(Rounding::Up) => negative.select(largest, beyond),
        Tail::By(Rounding::NearestEven | Rounding::NearestAway) | Tail::Random(..) => beyond,
    };
    let too_large = is_infinite.select(beyond, of_finite);
    let limited = magnitude.ugt(format.largest()).select(too_large, magnitude);
    let below_zero = match format {
        // There is one more negative value than positive ones.
        Narrow::S2f6 => magnitude.ugt(limited).select(magnitude.constant(0x80), (-limited) & 0xff),
        _ => limited | format.sign_bit(),
    };
    let below_zero = if negatives == Negatives::Zero { below_zero.zero() } else { below_zero };
    let signed = negative.select(below_zero, limited);
    Some(is_nan(Format::F64, value.raw()).select(signed.constant(format.nan()), signed))
}

/// Units of 2^-6; there are 256 below the limit.
fn fixed_point<'a, 'm, 'c>(
    tail: Tail<'a, 'm, 'c>,
    negative: L<'a, 'm, 'c>,
    value: L<'a, 'm, 'c>,
) -> Option<L<'a, 'm, 'c>> {
    let magnitude = value.float_abs();
    let is_small = magnitude.flt(4.0);
    let units = is_small.select(magnitude, 0.0) * 64.0;
    let of = |name: &str| units.intrinsic(name, &[]);
    let whole = match tail {
        Tail::By(Rounding::NearestEven) => of("llvm.roundeven"),
        Tail::By(Rounding::NearestAway) => of("llvm.round"),
        Tail::By(Rounding::TowardZero) => of("llvm.trunc"),
        Tail::By(Rounding::Down) => negative.select(of("llvm.ceil"), of("llvm.trunc")),
        Tail::By(Rounding::Up) => negative.select(of("llvm.trunc"), of("llvm.ceil")),
        Tail::Random(..) => return None,
    };
    Some(is_small.select(whole.float_to_int(CastOp::FpToSi, 32).resize(64), u64::MAX))
}
