//! Conversions between floating-point formats: widening, and rounding once (`ptx_program::scalar::format`).
//!
//! Values are bits in integers; arithmetic is in `float` or `double`. A result with more bits than its format is rounded to odd first
//! if another rounding follows: to the odd one of the two neighbors, unless the result is exact. An odd last bit tells the second rounding that
//! the value is inexact, so that no inexact result looks like a tie or like an exact number. Two extra bits of precision are enough.

use ptx_program::scalar::float::Subnormals;
use ptx_program::scalar::format::{Format, Rounding};

use ptx_llvm_core::build::FloatPredicate;

use super::lanes::Lanes;

type L<'a, 'm, 'c> = Lanes<'a, 'm, 'c>;

/// The least magnitude that rounds up to the smallest normal binary32 in 24 bits: 2^-126 - 2^-151.
pub(super) const ROUNDS_TO_NORMAL: f64 = f64::from_bits(0x380f_ffff_f000_0000);
/// The same for binary16: 2^-14 - 2^-26.
const ROUNDS_TO_NORMAL_HALF: f64 = f64::from_bits(0x3f0f_fe00_0000_0000);

/// Whether a value is a NaN.
pub(super) fn is_nan<'a, 'm, 'c>(format: Format, raw: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    match format {
        Format::F32 | Format::Tf32 => raw.as_f32().is_nan(),
        Format::F64 => raw.as_f64().is_nan(),
        Format::F16 | Format::Bf16 => (raw & format.magnitude_mask()).ugt(format.infinity()),
    }
}

/// Flushes subnormal values to zeros of the same sign.
pub(super) fn flush<'a, 'm, 'c>(format: Format, subnormals: Subnormals, raw: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    match subnormals {
        Subnormals::Keep => raw,
        Subnormals::Flush => (raw & format.infinity()).eq(0).select(raw & format.sign_bit(), raw),
    }
}

/// As [`flush`], in single precision only: the meaning of `.ftz` for conversions.
pub(super) fn flush_single<'a, 'm, 'c>(
    format: Format,
    subnormals: Subnormals,
    raw: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    match format {
        Format::F32 | Format::Tf32 => flush(format, subnormals, raw),
        Format::F16 | Format::Bf16 | Format::F64 => raw,
    }
}

/// Converts a value of 32 bits or fewer to `float`. NaNs become some NaN.
pub(super) fn to_single<'a, 'm, 'c>(format: Format, raw: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    match format {
        Format::F32 | Format::Tf32 | Format::F64 => raw.as_f32(),
        Format::Bf16 => (raw.resize(32) << 16).as_f32(),
        Format::F16 if raw.code.style.converts_halves => raw.as_f16().half_to_f32(),
        Format::F16 => {
            // The fraction and exponent in their places, with an exponent too small by 112: subnormal values come out right, too.
            let word = raw.resize(32);
            let magnitude = (word & 0x7fff) << 13;
            let scaled = magnitude.as_f32() * f64::from_bits((1023 + 112) << 52);
            // Scaling would turn infinities and NaNs into large numbers: they get an all-ones exponent instead.
            let special = magnitude.uge(0x1f << 23).select(magnitude | 0x7f80_0000, scaled.raw());
            (special | ((word & 0x8000) << 16)).as_f32()
        }
    }
}

/// Converts a value to `double`, which represents those of every format.
pub(super) fn to_double<'a, 'm, 'c>(format: Format, raw: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    match format {
        Format::F64 => raw.as_f64(),
        Format::F16 | Format::Bf16 | Format::F32 | Format::Tf32 => to_single(format, raw).to_f64(),
    }
}

/// A sum of `float`s or `double`s rounded to odd; an exact zero gets the sign that the rounding requires.
pub(super) fn add_to_odd<'a, 'm, 'c>(
    x: L<'a, 'm, 'c>,
    y: L<'a, 'm, 'c>,
    rounding: Rounding,
) -> L<'a, 'm, 'c> {
    let sum = x + y;
    // Knuth's two-sum; for infinities and NaNs it is a NaN.
    let y_part = sum - x;
    let lost = (x - (sum - y_part)) + (y - y_part);
    let odd = toward_odd(sum, lost);
    if rounding != Rounding::Down {
        return odd;
    }
    let opposite = ((x.raw() ^ y.raw()) >> (u64::from(x.width()) - 1)).ne(0);
    (sum.feq(0.0) & opposite).select(-sum.zero(), odd)
}

/// `x / y` rounded to odd, for arguments of 24 bits.
pub(super) fn div_to_odd<'a, 'm, 'c>(x: L<'a, 'm, 'c>, y: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    // `x - quotient * y` is exact in one fused operation. Its sign and that of `y` tell on which side of the quotient the exact one is.
    let quotient = x / y;
    let rest = (-quotient).fma(y, x);
    let lost = (rest.raw() ^ (y.raw() & (1 << 63))).as_f64();
    let odd = toward_odd(quotient, lost);
    // Infinite divisors give exact zeros, and a NaN here.
    quotient.feq(0.0).select(quotient, odd)
}

/// The square root rounded to odd, for arguments of 24 bits.
pub(super) fn sqrt_to_odd<'a, 'm, 'c>(x: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let root = x.sqrt();
    toward_odd(root, (-root).fma(root, x))
}

/// `nearest` if it is exact (or `lost` is a NaN) or odd, otherwise its odd neighbor on the side of `lost`.
fn toward_odd<'a, 'm, 'c>(nearest: L<'a, 'm, 'c>, lost: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let bits = nearest.raw();
    // One step away from zero if the signs agree, otherwise toward it.
    let step = (lost.raw() ^ bits).ashr(u64::from(bits.width()) - 1) | 1;
    let is_inexact = lost.compare_float(FloatPredicate::One, 0.0);
    let moves = is_inexact & (bits & 1).eq(0);
    let odd = moves.select(bits + step, bits);
    if bits.width() == 32 { odd.as_f32() } else { odd.as_f64() }
}

/// Rounds a `double` to odd as a `float`.
pub(super) fn single_to_odd<'a, 'm, 'c>(x: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    // The nearest `float` and the exact number determine the neighbor that is closer to zero. Its last bit is set if the
    // conversion was inexact: of the two neighbors one is odd, and if it is the other one, setting the bit gives that.
    let nearest = x.to_f32();
    let back = nearest.to_f64();
    let beyond = back.float_abs().fgt(x.float_abs());
    let differs = beyond | back.float_abs().flt(x.float_abs());
    let bits = nearest.raw();
    let below = beyond.select(bits - 1, bits);
    differs.select(below | 1, below).as_f32()
}

/// Rounds a `double` to single precision in the given rounding; a NaN stays one.
fn single_directed<'a, 'm, 'c>(x: L<'a, 'm, 'c>, rounding: Rounding) -> L<'a, 'm, 'c> {
    let nearest = x.to_f32();
    let back = nearest.to_f64().float_abs();
    let bits = nearest.raw();
    let negative = (bits >> 31).ne(0);
    let (beyond, short) = (back.fgt(x.float_abs()), back.flt(x.float_abs()));
    let toward = |where_wanted: L<'a, 'm, 'c>| (beyond & where_wanted).select(bits - 1, bits);
    let away = |otherwise: L<'a, 'm, 'c>, where_wanted: L<'a, 'm, 'c>| {
        (short & where_wanted).select(bits + 1, otherwise)
    };
    match rounding {
        Rounding::TowardZero => beyond.select(bits - 1, bits).as_f32(),
        Rounding::Down => away(toward(!negative), negative).as_f32(),
        Rounding::Up => away(toward(negative), !negative).as_f32(),
        Rounding::NearestEven | Rounding::NearestAway => nearest,
    }
}

/// The bits of a `double` rounded once to a format; NaNs become the canonical one. `Subnormals::Flush` behaves as
/// `Format::narrow_flushing`.
pub(super) fn from_double<'a, 'm, 'c>(
    format: Format,
    rounding: Rounding,
    subnormals: Subnormals,
    x: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    let canonical = |raw: L<'a, 'm, 'c>| x.is_nan().select(raw.constant(format.canonical_nan()), raw);
    match (format, rounding, subnormals) {
        (Format::F64, ..) => canonical(x.raw()),
        (Format::F32, Rounding::NearestEven, Subnormals::Keep) => canonical(x.to_f32().raw()),
        (Format::F32, Rounding::NearestEven, Subnormals::Flush) => {
            let raw = x.to_f32().raw();
            canonical(x.float_abs().flt(ROUNDS_TO_NORMAL).select(raw & Format::F32.sign_bit(), raw))
        }
        (Format::F32, Rounding::TowardZero | Rounding::Down | Rounding::Up, Subnormals::Keep) => {
            canonical(single_directed(x, rounding).raw())
        }
        (Format::F16 | Format::Bf16 | Format::Tf32, _, Subnormals::Keep) => {
            from_single(format, rounding, subnormals, single_to_odd(x))
        }
        (Format::F16, Rounding::NearestEven, Subnormals::Flush) => {
            from_single(format, rounding, subnormals, single_to_odd(x))
        }
        _ => canonical(general(format, rounding, subnormals, x.raw(), Format::F64)),
    }
}

/// As [`from_double`], for a `float`.
pub(super) fn from_single<'a, 'm, 'c>(
    format: Format,
    rounding: Rounding,
    subnormals: Subnormals,
    x: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    let raw = x.raw();
    let canonical = |raw: L<'a, 'm, 'c>| x.is_nan().select(raw.constant(format.canonical_nan()), raw);
    match (format, rounding, subnormals) {
        (Format::F32, _, Subnormals::Keep) => canonical(raw),
        (Format::F64, ..) => canonical(x.to_f64().raw()),
        (Format::Bf16, _, Subnormals::Keep) => {
            let rounded = x.is_nan().select(raw.constant(0x7fff << 16), drop_bits(16, rounding, raw));
            (rounded >> 16).resize(16)
        }
        (Format::Tf32, _, Subnormals::Keep) => canonical(drop_bits(13, rounding, raw)),
        (Format::F16, Rounding::NearestEven, _) => half(subnormals, x),
        _ => canonical(general(format, rounding, subnormals, raw, Format::F32).resize(format.bits())),
    }
}

/// Rounds the bits of a binary32 to a multiple of `2^count`, as for formats with the same exponent range. NaNs are not handled.
fn drop_bits<'a, 'm, 'c>(count: u32, rounding: Rounding, raw: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let (mask, half) = ((1u64 << count) - 1, 1u64 << (count - 1));
    let negative = raw.ashr(31);
    let raised = match rounding {
        Rounding::NearestEven => raw + (half - 1) + ((raw >> u64::from(count)) & 1),
        Rounding::NearestAway => raw + half,
        Rounding::TowardZero => raw,
        Rounding::Down => raw + (negative & mask),
        Rounding::Up => raw + (!negative & mask),
    };
    raised & !mask
}

/// The nearest binary16 of a `float`.
fn half<'a, 'm, 'c>(subnormals: Subnormals, x: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let raw = x.raw();
    let magnitude = raw & 0x7fff_ffff;
    if x.code.style.converts_halves {
        let nearest = x.to_f16().raw();
        let flushed = match subnormals {
            Subnormals::Keep => nearest,
            Subnormals::Flush => {
                magnitude.as_f32().flt(ROUNDS_TO_NORMAL_HALF).select(nearest & 0x8000, nearest)
            }
        };
        return x.is_nan().select(flushed.constant(0x7fff), flushed);
    }
    // Reduces the exponent by 112 and rounds the lower 13 bits to nearest even; magnitudes that are too large become infinite.
    let odd = (magnitude >> 13) & 1;
    let normal = ((magnitude - (112 << 23)) + 0xfff + odd) >> 13;
    let normal = magnitude.uge(0x4780_0000).select(magnitude.constant(0x7c00), normal);
    // The last place of 0.5 is that of subnormal binary16 values, so that this addition rounds to it.
    let tiny = match subnormals {
        Subnormals::Keep => (magnitude.as_f32() + 0.5).raw() - 0x3f00_0000,
        Subnormals::Flush => magnitude.as_f32().flt(ROUNDS_TO_NORMAL_HALF).select(magnitude.zero(), 0x400),
    };
    let finite = magnitude.ult(0x3880_0000).select(tiny, normal);
    let result = x.is_nan().select(finite.constant(0x7fff), finite | ((raw >> 16) & 0x8000));
    result.resize(16)
}

/// Any rounding to any narrower format, with integer operations, as [`Format::round`]. `raw` is in the format `from`, `F32` or `F64`; NaNs are
/// not handled.
fn general<'a, 'm, 'c>(
    format: Format,
    rounding: Rounding,
    subnormals: Subnormals,
    raw: L<'a, 'm, 'c>,
    from: Format,
) -> L<'a, 'm, 'c> {
    // The significand is shifted down by the bits that the format lacks, one more for each binade below its normal numbers, after adding the increment
    // of the rounding. A carry out of the significand correctly propagates into the exponent that is added above it.
    let padding = if format == Format::Tf32 { 13 } else { 0 };
    let (stored, kept) = (from.fraction_bits(), format.fraction_bits());
    let bias = |format: Format| match format {
        Format::F16 => 15u64,
        Format::Bf16 | Format::F32 | Format::Tf32 => 127,
        Format::F64 => 1023,
    };
    // The source's exponent of the smallest normal values of the format.
    let least = bias(from) - bias(format) + 1;
    let magnitude = raw & from.magnitude_mask();
    let negative = raw.ashr(u64::from(from.bits()) - 1);
    let exponent = magnitude >> u64::from(stored);
    let significand = (magnitude & ((1 << stored) - 1)) | (1u64 << stored);
    let drop = u64::from(stored - kept);
    let shift = match subnormals {
        Subnormals::Keep => {
            let below = exponent.ult(least).select(exponent.constant(least) - exponent, 0);
            (below + drop).umin(u64::from(stored) + 3)
        }
        Subnormals::Flush => exponent.constant(drop),
    };
    let one = shift.constant(1);
    let mask = (one << shift) - 1;
    let half = one << (shift - 1);
    let increment = match rounding {
        Rounding::NearestEven => (half - 1) + ((significand >> shift) & 1),
        Rounding::NearestAway => half,
        Rounding::TowardZero => mask.zero(),
        Rounding::Down => negative & mask,
        Rounding::Up => !negative & mask,
    };
    let rounded = (significand + increment) >> shift;
    let above = exponent.ult(least).select(exponent.zero(), exponent - least);
    let number = (above << u64::from(kept)) + rounded;
    let number = match subnormals {
        Subnormals::Keep => number,
        // Two binades below, or one and not rounded up to the smallest normal value.
        Subnormals::Flush => {
            let carries = (exponent + 1).eq(least) & rounded.eq(1 << (kept + 1));
            let reaches = exponent.uge(least) | carries;
            reaches.select(carries.select(number.constant(1 << kept), number), 0)
        }
    };
    let (infinity, largest) = (format.infinity() >> padding, format.largest() >> padding);
    let beyond = match rounding {
        Rounding::NearestEven | Rounding::NearestAway => number.constant(infinity),
        Rounding::TowardZero => number.constant(largest),
        Rounding::Down => negative.ne(0).select(number.constant(infinity), largest),
        Rounding::Up => negative.ne(0).select(number.constant(largest), infinity),
    };
    let limited = number.uge(infinity).select(beyond, number);
    let limited = magnitude.eq(from.infinity()).select(number.constant(infinity), limited);
    let limited = magnitude.eq(0).select(number.zero(), limited);
    let signed = (limited << padding) | (negative & format.sign_bit());
    signed.resize(format.bits())
}

/// Replaces infinities by the largest finite value (`.satfinite`).
pub(super) fn finite<'a, 'm, 'c>(format: Format, raw: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let is_infinite = (raw & format.magnitude_mask()).eq(format.infinity());
    is_infinite.select((raw & format.sign_bit()) | format.largest(), raw)
}
