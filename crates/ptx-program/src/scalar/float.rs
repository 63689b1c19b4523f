//! Floating-point arithmetic (manual 9.7.3 to 9.7.5), one value at a time; packed types apply it to each half.
//!
//! `.f16`, `.bf16` and `.f32` results are computed in binary64 and rounded once: sums, quotients and roots that are
//! inexact in binary64 are first rounded to odd, which avoids double rounding. `.f64` uses the host for `.rn` and a
//! software implementation for the other rounding modes.
//!
//! Approximate functions return the correctly rounded value (except for a few arguments, see [`super::approx`]), which
//! is within the error bounds of the manual, so their last bits may differ from a GPU's.
//!
//! NaN results are the canonical NaN, except for `.f64`, which propagates its first NaN operand, quieted, as the
//! hardware does. With `.ftz` subnormals are flushed before and after the operation; a result counts as subnormal if it
//! is so after rounding to the format's precision ([`Format::narrow_flushing`]).

use super::approx;
use super::format::{Format, Rounding, Sign, power_of_two};
use rustc_apfloat::{Float, Round, ieee::Double};

/// Handling of subnormal operands and results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Subnormals {
    /// They are preserved.
    Keep,
    /// `.ftz`: they are flushed to zeros of the same sign.
    Flush,
}

/// Clamping of a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Limit {
    /// None.
    None,
    /// `.sat`: to `0.0..=1.0`; a NaN becomes +0.0.
    Unit,
    /// `.relu`: negative results become +0.0; a NaN becomes the canonical NaN.
    Relu,
}

/// The properties of an arithmetic instruction other than its operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Arith {
    /// The format of operands and result.
    pub format: Format,
    /// The rounding of the result.
    pub rounding: Rounding,
    /// `.ftz` or not.
    pub subnormals: Subnormals,
    /// `.sat`, `.relu` or neither.
    pub limit: Limit,
}

impl Arith {
    /// `.rn` without further modifiers.
    #[inline]
    pub const fn nearest(format: Format) -> Self {
        Self { format, rounding: Rounding::NearestEven, subnormals: Subnormals::Keep, limit: Limit::None }
    }

    /// Whether the host computes it; with flushing it cannot, since it does not report results rounded up to the smallest normal value.
    #[inline]
    fn is_host_f32(&self) -> bool {
        self.format == Format::F32
            && self.rounding == Rounding::NearestEven
            && self.subnormals == Subnormals::Keep
    }

    /// Rounds `x` to the format, with flushing.
    #[inline]
    fn narrow(&self, x: f64) -> u64 {
        match self.subnormals {
            Subnormals::Keep => self.format.narrow(x, self.rounding),
            Subnormals::Flush => self.format.narrow_flushing(x, self.rounding),
        }
    }
}

/// Replaces a subnormal value by a zero of its sign, if `subnormals` requires it.
#[inline]
pub fn flush(format: Format, subnormals: Subnormals, raw: u64) -> u64 {
    match subnormals {
        Subnormals::Flush if format.is_subnormal(raw) => raw & format.sign_bit(),
        Subnormals::Flush | Subnormals::Keep => raw,
    }
}

/// Flushes and clamps a rounded result and canonicalizes its NaN.
#[inline]
pub fn finish(format: Format, subnormals: Subnormals, limit: Limit, raw: u64) -> u64 {
    let raw = flush(format, subnormals, raw);
    if format.is_nan(raw) {
        return match limit {
            Limit::Unit => 0,
            Limit::None if format == Format::F64 => raw,
            Limit::None | Limit::Relu => format.canonical_nan(),
        };
    }
    match (limit, format.sign(raw)) {
        (Limit::None, _) | (Limit::Relu, Sign::Positive) => raw,
        (Limit::Unit | Limit::Relu, Sign::Negative) => 0,
        (Limit::Unit, Sign::Positive) => raw.min(format.one()),
    }
}

/// A `.rn.f32` operation computed by the host's, with or without flushing: the most common operations of kernels,
/// intended to be inlined into lane loops. With flushing, no exact result may round up to the smallest normal value:
/// sums of normal values do not.
#[inline(always)]
pub fn nearest_f32<const N: usize>(
    subnormals: Subnormals,
    arguments: [u64; N],
    operation: impl Fn([f32; N]) -> f32,
) -> u64 {
    let flushed = |value: f32| match subnormals {
        Subnormals::Flush if value.abs() < f32::MIN_POSITIVE => 0.0f32.copysign(value),
        Subnormals::Flush | Subnormals::Keep => value,
    };
    let result = flushed(operation(arguments.map(|raw| flushed(f32_of(raw)))));
    if result.is_nan() { Format::F32.canonical_nan() } else { from_f32(result) }
}

/// The smallest magnitude that rounds up to the smallest normal binary32 with 24 bits: 2^-126 - 2^-151.
const ROUNDS_TO_NORMAL: f64 = f64::from_bits(0x380f_ffff_f000_0000);

/// `mul.rn.ftz.f32`. The product is exact in binary64, which shows whether it is subnormal; see [`Format::narrow_flushing`].
#[inline(always)]
pub fn nearest_product_flushed(a: u64, b: u64) -> u64 {
    let flushed = |raw: u64| {
        let value = f32_of(raw);
        f64::from(if value.abs() < f32::MIN_POSITIVE { 0.0f32.copysign(value) } else { value })
    };
    let product = flushed(a) * flushed(b);
    let nearest = product as f32;
    let result = if product.abs() < ROUNDS_TO_NORMAL { 0.0f32.copysign(nearest) } else { nearest };
    if result.is_nan() { Format::F32.canonical_nan() } else { from_f32(result) }
}

/// `fma.rn.ftz.f32`: the host's, unless the result is the smallest normal value, to which it may have been rounded up.
#[inline(always)]
pub fn nearest_fma_flushed(a: u64, b: u64, c: u64) -> u64 {
    const FLUSHED: Arith = Arith { subnormals: Subnormals::Flush, ..Arith::nearest(Format::F32) };
    let result = nearest_f32(Subnormals::Flush, [a, b, c], |[a, b, c]| a.mul_add(b, c));
    if result & Format::F32.magnitude_mask() == Format::F32.smallest_normal() {
        fma(&FLUSHED, a, b, c)
    } else {
        result
    }
}

/// `a + b`.
#[inline]
pub fn add(m: &Arith, a: u64, b: u64) -> u64 {
    let (a, b) = (flush(m.format, m.subnormals, a), flush(m.format, m.subnormals, b));
    let sum = if m.is_host_f32() {
        from_f32(f32_of(a) + f32_of(b))
    } else if m.format == Format::F64 {
        binary64(m.rounding, [a, b], |[x, y]| x + y, |[x, y], round| x.add_r(y, round).value)
    } else {
        let (x, y) = (m.format.widen(a), m.format.widen(b));
        m.narrow(add_to_odd(x, y, m.rounding))
    };
    finish(m.format, m.subnormals, m.limit, sum)
}

/// `a - b`.
#[inline]
pub fn sub(m: &Arith, a: u64, b: u64) -> u64 {
    // A NaN keeps its sign: only `.f64` propagates it.
    let negated = if m.format.is_nan(b) { b } else { b ^ m.format.sign_bit() };
    add(m, a, negated)
}

/// `a * b`.
#[inline]
pub fn mul(m: &Arith, a: u64, b: u64) -> u64 {
    let (a, b) = (flush(m.format, m.subnormals, a), flush(m.format, m.subnormals, b));
    let product = if m.is_host_f32() {
        from_f32(f32_of(a) * f32_of(b))
    } else if m.format == Format::F64 {
        binary64(m.rounding, [a, b], |[x, y]| x * y, |[x, y], round| x.mul_r(y, round).value)
    } else {
        // Two significands of at most 24 bits: the product is exact.
        m.narrow(m.format.widen(a) * m.format.widen(b))
    };
    finish(m.format, m.subnormals, m.limit, product)
}

/// `a * b + c` with one rounding.
#[inline]
pub fn fma(m: &Arith, a: u64, b: u64, c: u64) -> u64 {
    let [a, b, c] = [a, b, c].map(|raw| flush(m.format, m.subnormals, raw));
    let result = if m.is_host_f32() {
        from_f32(f32_of(a).mul_add(f32_of(b), f32_of(c)))
    } else if m.format == Format::F64 {
        let exact = |[x, y, z]: [Double; 3], round| x.mul_add_r(y, z, round).value;
        binary64(m.rounding, [a, b, c], |[x, y, z]| x.mul_add(y, z), exact)
    } else {
        // Products of 24-bit significands are exact in 53 bits; the sum may not be, and is rounded to odd before rounding to the format.
        let product = m.format.widen(a) * m.format.widen(b);
        m.narrow(add_to_odd(product, m.format.widen(c), m.rounding))
    };
    finish(m.format, m.subnormals, m.limit, result)
}

/// The NaN with which tensor copies fill out-of-bounds elements (manual 5.5.3.3). The manual does not specify its bits;
/// they were observed in such copies, for all 16-bit types.
pub const OUT_OF_BOUNDS: u64 = 0x7ff7;

/// `fma.oob`: +0.0 if a factor is the out-of-bounds NaN, else [`fma`] (manual 9.7.4.4).
#[inline]
pub fn fma_within_bounds(m: &Arith, a: u64, b: u64, c: u64) -> u64 {
    if a == OUT_OF_BOUNDS || b == OUT_OF_BOUNDS { 0 } else { fma(m, a, b, c) }
}

/// `a / b`.
#[inline]
pub fn div(m: &Arith, a: u64, b: u64) -> u64 {
    let (a, b) = (flush(m.format, m.subnormals, a), flush(m.format, m.subnormals, b));
    let quotient = if m.is_host_f32() {
        from_f32(f32_of(a) / f32_of(b))
    } else if m.format == Format::F64 {
        binary64(m.rounding, [a, b], |[x, y]| x / y, |[x, y], round| x.div_r(y, round).value)
    } else {
        m.narrow(div_to_odd(m.format.widen(a), m.format.widen(b)))
    };
    finish(m.format, m.subnormals, m.limit, quotient)
}

/// `1 / a`.
#[inline]
pub fn rcp(m: &Arith, a: u64) -> u64 {
    div(m, m.format.one(), a)
}

/// The square root of `a`.
#[inline]
pub fn sqrt(m: &Arith, a: u64) -> u64 {
    let a = flush(m.format, m.subnormals, a);
    let root = if m.format == Format::F64 {
        binary64(m.rounding, [a], |[x]| x.sqrt(), |[x], round| sqrt_binary64(x, round))
    } else {
        m.narrow(sqrt_to_odd(m.format.widen(a)))
    };
    finish(m.format, m.subnormals, m.limit, root)
}

/// `1 / sqrt(a)`, for `rsqrt.approx`. In single precision both steps round, with a relative error below 2^-22.99
/// (2^-22.9 are allowed, manual 9.7.3.16), in a quarter of the time that processors take for both in double precision;
/// otherwise correctly rounded.
#[inline]
pub fn rsqrt(m: &Arith, a: u64) -> u64 {
    if m.format == Format::F32 {
        let root = f32::from_bits(flush(m.format, m.subnormals, a) as u32).sqrt();
        let result = if root.is_nan() { m.format.canonical_nan() } else { (1.0 / root).to_bits().into() };
        return finish(m.format, m.subnormals, m.limit, result);
    }
    approximate(m, a, |x| if x == 0.0 { f64::INFINITY.copysign(x) } else { 1.0 / x.sqrt() })
}

/// `div.approx.f32`: `a * (1 / b)`, where the reciprocal is flushed to zero if `|b|` exceeds 2^126 (manual 9.7.3.8).
#[inline]
pub fn div_approx(m: &Arith, a: u64, b: u64) -> u64 {
    let magnitude = m.format.widen(b & m.format.magnitude_mask());
    if m.format != Format::F32 || magnitude <= power_of_two(126) || !magnitude.is_finite() {
        return div(m, a, b);
    }
    if m.format.is_nan(a) || m.format.is_infinite(a) {
        return finish(m.format, m.subnormals, m.limit, m.format.canonical_nan());
    }
    finish(m.format, m.subnormals, m.limit, (a ^ b) & m.format.sign_bit())
}

/// `sin(a)`, rounded to nearest (manual 9.7.3.18).
#[inline]
pub fn sin(m: &Arith, a: u64) -> u64 {
    approximate(m, a, |x| approx::angle(x).sine())
}

/// `cos(a)`, rounded to nearest (manual 9.7.3.19).
#[inline]
pub fn cos(m: &Arith, a: u64) -> u64 {
    approximate(m, a, |x| approx::angle(x).cosine())
}

/// The sine of an angle in turns, rounded to nearest.
#[inline]
pub fn sin_of_turns(m: &Arith, a: u64) -> u64 {
    approximate(m, a, |x| approx::turns(x).sine())
}

/// The cosine of an angle in turns, rounded to nearest.
#[inline]
pub fn cos_of_turns(m: &Arith, a: u64) -> u64 {
    approximate(m, a, |x| approx::turns(x).cosine())
}

/// The base-2 logarithm, rounded to nearest (manual 9.7.3.20).
#[inline]
pub fn lg2(m: &Arith, a: u64) -> u64 {
    approximate(m, a, approx::lg2)
}

/// `2^a`, rounded to nearest (manual 9.7.3.21).
#[inline]
pub fn ex2(m: &Arith, a: u64) -> u64 {
    approximate(m, a, approx::ex2)
}

/// The hyperbolic tangent, rounded to nearest (manual 9.7.3.22).
#[inline]
pub fn tanh(m: &Arith, a: u64) -> u64 {
    approximate(m, a, approx::tanh)
}

/// `rcp.approx.ftz.f64`: the reciprocal of the upper word of `a`, in the upper word (manual 9.7.3.14).
#[inline]
pub fn rcp_upper_word(a: u64) -> u64 {
    upper_word(a, |x| 1.0 / x)
}

/// `rsqrt.approx.ftz.f64`: the reciprocal square root of the upper word of `a`, in the upper word (manual 9.7.3.17).
#[inline]
pub fn rsqrt_upper_word(a: u64) -> u64 {
    upper_word(a, |x| if x == 0.0 { f64::INFINITY.copysign(x) } else { 1.0 / x.sqrt() })
}

#[inline]
fn upper_word(a: u64, of: impl Fn(f64) -> f64) -> u64 {
    let argument = f64::from_bits(flush(Format::F64, Subnormals::Flush, a & 0xffff_ffff_0000_0000));
    let result = of(argument);
    if f64::from_bits(a).is_nan() || result.is_nan() {
        return 0x7fff_ffff_0000_0000;
    }
    flush(Format::F64, Subnormals::Flush, result.to_bits() & 0xffff_ffff_0000_0000)
}

#[inline]
fn approximate(m: &Arith, a: u64, of: impl Fn(f64) -> f64) -> u64 {
    let result = of(m.format.widen(flush(m.format, m.subnormals, a)));
    finish(m.format, m.subnormals, m.limit, m.narrow(result))
}

/// `|a|` (manual 9.7.3.9); of a NaN only the sign is cleared.
#[inline]
pub fn abs(format: Format, subnormals: Subnormals, a: u64) -> u64 {
    flush(format, subnormals, a & (format.sign_bit() | format.magnitude_mask())) & format.magnitude_mask()
}

/// `-a` (manual 9.7.3.10); of a NaN only the sign is flipped.
#[inline]
pub fn neg(format: Format, subnormals: Subnormals, a: u64) -> u64 {
    flush(format, subnormals, a & (format.sign_bit() | format.magnitude_mask())) ^ format.sign_bit()
}

/// The magnitude of `b` with the sign of `a` (manual 9.7.3.2).
#[inline]
pub fn copysign(format: Format, a: u64, b: u64) -> u64 {
    (a & format.sign_bit()) | (b & format.magnitude_mask())
}

/// Minimum or maximum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Extreme {
    /// The smaller one; -0.0 is smaller than +0.0.
    Min,
    /// The larger one.
    Max,
}

/// Handling of NaN operands by `min` and `max`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum NanRule {
    /// The other operand is the result; two NaNs give the canonical NaN.
    Ignore,
    /// `.NaN`: the canonical NaN is the result.
    Propagate,
}

/// Handling of signs by `min` and `max`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum SignRule {
    /// As part of the values.
    Plain,
    /// `.abs`: magnitudes are compared, and the result is a magnitude.
    Magnitude,
    /// `.xorsign.abs`: magnitudes are compared, and the result's sign is the product of both signs.
    Xor,
}

/// The minimum or maximum of two values (manual 9.7.3.11 and 9.7.3.12); three-operand forms apply it twice.
#[inline]
pub fn extreme(
    format: Format,
    subnormals: Subnormals,
    which: Extreme,
    nan: NanRule,
    sign: SignRule,
    a: u64,
    b: u64,
) -> u64 {
    let (a, b) = (flush(format, subnormals, a), flush(format, subnormals, b));
    let mask = match sign {
        SignRule::Plain => format.sign_bit() | format.magnitude_mask(),
        SignRule::Magnitude | SignRule::Xor => format.magnitude_mask(),
    };
    let (x, y) = (a & mask, b & mask);
    let result = match (format.is_nan(x), format.is_nan(y)) {
        (true, true) => return format.canonical_nan_positive(),
        (true, false) | (false, true) if nan == NanRule::Propagate => return format.canonical_nan_positive(),
        (true, false) => y,
        (false, true) => x,
        (false, false) => {
            let x_is_less = order(format, x) < order(format, y);
            if x_is_less == (which == Extreme::Min) { x } else { y }
        }
    };
    match sign {
        SignRule::Plain | SignRule::Magnitude => result,
        SignRule::Xor => (result & format.magnitude_mask()) | ((a ^ b) & format.sign_bit()),
    }
}

impl Format {
    /// The NaN of `min`, `max` and similar operations, which is positive in every format.
    #[inline]
    const fn canonical_nan_positive(self) -> u64 {
        match self {
            Format::F64 => 0x7fff_ffff_ffff_ffff,
            Format::F16 | Format::Bf16 | Format::F32 | Format::Tf32 => self.canonical_nan(),
        }
    }
}

/// A sort key for the values of a format, with -0.0 before +0.0.
#[inline]
fn order(format: Format, raw: u64) -> i128 {
    let magnitude = i128::from(raw & format.magnitude_mask());
    match format.sign(raw) {
        Sign::Positive => magnitude,
        Sign::Negative => -1 - magnitude,
    }
}

/// The properties that `testp` tests (manual 9.7.3.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Property {
    /// Neither infinite nor NaN.
    Finite,
    /// Infinite.
    Infinite,
    /// Not NaN.
    Number,
    /// NaN.
    NotANumber,
    /// Finite and not subnormal; zeros count as normal.
    Normal,
    /// Subnormal.
    Subnormal,
}

/// Whether a value has a property.
#[inline]
pub fn has_property(format: Format, property: Property, a: u64) -> bool {
    let finite = !format.is_nan(a) && !format.is_infinite(a);
    match property {
        Property::Finite => finite,
        Property::Infinite => format.is_infinite(a),
        Property::Number => !format.is_nan(a),
        Property::NotANumber => format.is_nan(a),
        Property::Normal => finite && !format.is_subnormal(a),
        Property::Subnormal => format.is_subnormal(a),
    }
}

#[inline]
fn f32_of(raw: u64) -> f32 {
    f32::from_bits(raw as u32)
}

#[inline]
fn from_f32(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// A binary64 operation: the host's for `.rn`, a software one otherwise. NaNs are handled separately.
#[inline]
fn binary64<const N: usize>(
    rounding: Rounding,
    arguments: [u64; N],
    host: impl Fn([f64; N]) -> f64,
    software: impl Fn([Double; N], Round) -> Double,
) -> u64 {
    const QUIET: u64 = 1 << 51;
    if let Some(nan) = arguments.iter().find(|&&raw| Format::F64.is_nan(raw)) {
        return nan | QUIET;
    }
    let round = match rounding {
        Rounding::NearestEven => None,
        Rounding::NearestAway => Some(Round::NearestTiesToAway),
        Rounding::TowardZero => Some(Round::TowardZero),
        Rounding::Down => Some(Round::TowardNegative),
        Rounding::Up => Some(Round::TowardPositive),
    };
    let raw = match round {
        None => host(arguments.map(f64::from_bits)).to_bits(),
        Some(round) => software(arguments.map(|raw| Double::from_bits(raw.into())), round).to_bits() as u64,
    };
    if Format::F64.is_nan(raw) { Format::F64.canonical_nan() } else { raw }
}

/// `x + y` rounded to odd, for operands whose sum does not overflow; an exact zero gets the sign of the rounding mode.
#[inline]
fn add_to_odd(x: f64, y: f64, rounding: Rounding) -> f64 {
    let sum = x + y;
    if !sum.is_finite() {
        return sum;
    }
    if sum == 0.0 {
        let opposite = x.is_sign_negative() != y.is_sign_negative();
        return if opposite && rounding == Rounding::Down { -0.0 } else { sum };
    }
    // Knuth's two-sum: the exact rounding error.
    let y_part = sum - x;
    let lost = (x - (sum - y_part)) + (y - y_part);
    toward_odd(sum, lost)
}

/// `x / y` rounded to odd, for 24-bit operands whose quotient is far from overflow and underflow.
#[inline]
fn div_to_odd(x: f64, y: f64) -> f64 {
    let quotient = x / y;
    if !quotient.is_finite() || quotient == 0.0 || y.is_infinite() {
        return quotient;
    }
    toward_odd(quotient, (-quotient).mul_add(y, x) * y.signum())
}

/// The square root rounded to odd, for 24-bit operands.
#[inline]
fn sqrt_to_odd(x: f64) -> f64 {
    let root = x.sqrt();
    if !root.is_finite() || root == 0.0 { root } else { toward_odd(root, (-root).mul_add(root, x)) }
}

/// `nearest` if it is exact (`lost` is zero) or odd, else its odd neighbour in the direction of `lost`.
#[inline]
fn toward_odd(nearest: f64, lost: f64) -> f64 {
    let bits = nearest.to_bits();
    if lost == 0.0 || bits & 1 == 1 {
        nearest
    } else if (lost > 0.0) == (nearest > 0.0) {
        f64::from_bits(bits + 1)
    } else {
        f64::from_bits(bits - 1)
    }
}

/// The square root in a rounding mode other than to nearest, which the software library lacks.
#[inline]
fn sqrt_binary64(x: Double, round: Round) -> Double {
    let value = f64::from_bits(x.to_bits() as u64);
    let root = value.sqrt();
    if !root.is_finite() || root == 0.0 {
        return Double::from_bits(root.to_bits().into());
    }
    // Scaled to 1.0..4.0 by an even power of two, the remainder is accurate enough to determine its sign.
    let exponent = x.ilogb() & !1;
    let scaled = f64::from_bits(x.scalbn(-exponent).to_bits() as u64);
    let scaled_root = scaled.sqrt();
    let lost = (-scaled_root).mul_add(scaled_root, scaled);
    let bits = root.to_bits();
    let bits = match round {
        Round::TowardZero | Round::TowardNegative if lost < 0.0 => bits - 1,
        Round::TowardPositive if lost > 0.0 => bits + 1,
        // The square root of a 53-bit value is never halfway between two others, so both nearest roundings agree.
        Round::TowardZero | Round::TowardNegative | Round::TowardPositive => bits,
        Round::NearestTiesToEven | Round::NearestTiesToAway => bits,
    };
    Double::from_bits(bits.into())
}

#[cfg(test)]
mod tests;
