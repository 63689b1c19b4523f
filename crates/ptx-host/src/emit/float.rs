//! Floating-point arithmetic (`ptx_program::scalar::float`).
//!
//! Binary32 and binary64 to nearest are the CPU's operations. Binary16 is computed in single precision, whose 24 bits suffice for the second
//! rounding to 11 bits to change nothing for sums and products (24 >= 2 * 11 + 2, no double rounding). If a second rounding could be affected by
//! the first one, that one is to odd.

use ptx_llvm_core::build::FloatPredicate;
use ptx_program::scalar::compare::{Relation, WithNan};
use ptx_program::scalar::float::{Arith, Extreme, Limit, NanRule, Property, SignRule, Subnormals};
use ptx_program::scalar::format::{Format, Rounding};
use ptx_program::{FloatBinary, FloatExtreme};

use super::embedded::{self, Operation};
use super::lanes::Lanes;
use super::rounding::{
    ROUNDS_TO_NORMAL, add_to_odd, div_to_odd, flush, from_double, from_single, is_nan, sqrt_to_odd,
    to_double, to_single,
};
use super::style::Nan;

type L<'a, 'm, 'c> = Lanes<'a, 'm, 'c>;

/// Canonicalizes NaNs: binary64 has its own; narrower results have only one.
fn canonical_nan<'a, 'm, 'c>(format: Format, raw: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    if raw.code.style.nan == Nan::Any && format == Format::F32 {
        return raw;
    }
    is_nan(format, raw).select(raw.constant(format.canonical_nan()), raw)
}

/// `.sat` and `.relu` of a `float` or `double`; NaNs are preserved without either, and with `.relu`.
pub(super) fn limited<'a, 'm, 'c>(limit: Limit, value: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    match limit {
        Limit::None => value,
        Limit::Unit => {
            let positive = value.fgt(0.0).select(value, 0.0);
            positive.flt(1.0).select(positive, 1.0)
        }
        Limit::Relu => {
            let positive = value.fgt(0.0).select(value, 0.0);
            value.is_nan().select(value, positive)
        }
    }
}

/// Limits and rounds a result: a `double` before rounding, or a `float` that is rounded already or rounds the same.
fn finish<'a, 'm, 'c>(m: &Arith, value: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let value = limited(m.limit, value);
    match (m.format, value.width()) {
        (Format::F32, 32) => canonical_nan(Format::F32, value.raw()),
        (_, 32) => from_single(m.format, m.rounding, m.subnormals, value),
        (..) => from_double(m.format, m.rounding, m.subnormals, value),
    }
}

/// Finishes a binary64 result of the CPU: NaNs become the first NaN argument made quiet, or the CPU's NaN.
fn finish_double<'a, 'm, 'c>(m: &Arith, value: L<'a, 'm, 'c>, arguments: &[L<'a, 'm, 'c>]) -> L<'a, 'm, 'c> {
    match m.limit {
        Limit::None => {
            const QUIET: u64 = 1 << 51;
            // From the last argument to the first, so that the first NaN remains.
            let own = value.raw().constant(Format::F64.canonical_nan());
            let nan = arguments
                .iter()
                .rev()
                .fold(own, |nan, argument| argument.as_f64().is_nan().select(*argument | QUIET, nan));
            value.is_nan().select(nan, value.raw())
        }
        Limit::Unit => limited(m.limit, value).raw(),
        Limit::Relu => canonical_nan(Format::F64, limited(m.limit, value).raw()),
    }
}

fn is_nearest(m: &Arith) -> bool {
    m.rounding == Rounding::NearestEven
}

/// Whether results are computed in single precision, without a second rounding or with one that is not affected by the first.
fn in_single(m: &Arith) -> bool {
    let flushes_bf16 = m.format == Format::Bf16 && m.subnormals == Subnormals::Flush;
    is_nearest(m) && matches!(m.format, Format::F32 | Format::F16 | Format::Bf16) && !flushes_bf16
}

/// A `float` result, flushed to zero where `is_tiny`: subnormal in 24-bit precision with unbounded exponent.
fn flushed<'a, 'm, 'c>(value: L<'a, 'm, 'c>, is_tiny: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    is_tiny.select(value.raw() & Format::F32.sign_bit(), value.raw()).as_f32()
}

fn flushes_single(m: &Arith) -> bool {
    m.format == Format::F32 && m.subnormals == Subnormals::Flush
}

/// A binary operation. `None` for binary64 in roundings other than to nearest without embedded rounding, and for formats without arithmetic.
pub(super) fn binary<'a, 'm, 'c>(
    op: FloatBinary,
    m: &Arith,
    arguments: [L<'a, 'm, 'c>; 2],
) -> Option<L<'a, 'm, 'c>> {
    let raw = arguments.map(|value| flush(m.format, m.subnormals, value.resize(m.format.bits())));
    if m.format == Format::Tf32 {
        return None;
    }
    if m.format == Format::F64 {
        let [a, b] = raw.map(Lanes::as_f64);
        if m.subnormals != Subnormals::Keep {
            return None;
        }
        if !is_nearest(m) {
            let value = embedded::apply(Operation::of(op), m.rounding, &[a, b])?;
            return Some(finish_double(m, value, &raw));
        }
        let value = match op {
            FloatBinary::Add => a + b,
            FloatBinary::Sub => a - b,
            FloatBinary::Mul => a * b,
            FloatBinary::Div | FloatBinary::DivApprox => a / b,
        };
        return Some(finish_double(m, value, &raw));
    }
    let value = if in_single(m) {
        single(op, m, raw.map(|raw| to_single(m.format, raw)))
    } else {
        embedded_single(Operation::of(op), m, &raw)
            .unwrap_or_else(|| double(op, m, raw.map(|raw| to_double(m.format, raw))))
    };
    let value = if op == FloatBinary::DivApprox && m.format == Format::F32 {
        lose_large_divisors(raw, value)
    } else {
        value
    };
    Some(finish(m, value))
}

/// A single-precision result by an instruction with embedded rounding.
fn embedded_single<'a, 'm, 'c>(
    operation: Operation,
    m: &Arith,
    arguments: &[L<'a, 'm, 'c>],
) -> Option<L<'a, 'm, 'c>> {
    if m.format != Format::F32 || m.subnormals != Subnormals::Keep {
        return None;
    }
    let numbers: Vec<_> = arguments.iter().map(|raw| raw.as_f32()).collect();
    embedded::apply(operation, m.rounding, &numbers)
}

fn single<'a, 'm, 'c>(op: FloatBinary, m: &Arith, [a, b]: [L<'a, 'm, 'c>; 2]) -> L<'a, 'm, 'c> {
    // 2^24 and 2^-102: the scaling makes subnormal results normal, so that they keep their precision.
    let (up, least) = (f64::from_bits((1023 + 24) << 52), f64::from_bits((1023 - 102) << 52));
    match op {
        // Sums of normal values are exact if they are subnormal.
        FloatBinary::Add | FloatBinary::Sub => {
            let sum = if op == FloatBinary::Add { a + b } else { a - b };
            if flushes_single(m) { flush(Format::F32, m.subnormals, sum.raw()).as_f32() } else { sum }
        }
        FloatBinary::Mul => {
            let product = a * b;
            if !flushes_single(m) {
                return product;
            }
            flushed(product, ((a * up) * b).float_abs().flt(least))
        }
        FloatBinary::Div | FloatBinary::DivApprox if flushes_single(m) => {
            let threshold = b.to_f64().float_abs() * ROUNDS_TO_NORMAL;
            flushed(a / b, a.to_f64().float_abs().flt(threshold))
        }
        FloatBinary::Div | FloatBinary::DivApprox => a / b,
    }
}

fn double<'a, 'm, 'c>(op: FloatBinary, m: &Arith, [a, b]: [L<'a, 'm, 'c>; 2]) -> L<'a, 'm, 'c> {
    match op {
        FloatBinary::Add => add_to_odd(a, b, m.rounding),
        FloatBinary::Sub => add_to_odd(a, -b, m.rounding),
        // Two significands of 24 bits at most: the product is exact.
        FloatBinary::Mul => a * b,
        FloatBinary::Div | FloatBinary::DivApprox => div_to_odd(a, b),
    }
}

/// `div.approx`: finite divisors above 2^126 give zeros, or NaNs for infinite dividends.
fn lose_large_divisors<'a, 'm, 'c>([a, b]: [L<'a, 'm, 'c>; 2], quotient: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    const LARGE: u64 = (127 + 126) << 23;
    let (infinity, mask) = (Format::F32.infinity(), Format::F32.magnitude_mask());
    let is_large = (b & mask).ugt(LARGE) & (b & mask).ult(infinity);
    let zero = (a ^ b) & Format::F32.sign_bit();
    let lost = (a & mask).uge(infinity).select(a.constant(Format::F32.canonical_nan()), zero).as_f32();
    let lost = if quotient.width() == 64 { lost.to_f64() } else { lost };
    is_large.select(lost, quotient)
}

/// `a * b + c`, rounded once.
pub(super) fn fma<'a, 'm, 'c>(m: &Arith, arguments: [L<'a, 'm, 'c>; 3]) -> Option<L<'a, 'm, 'c>> {
    let raw = arguments.map(|value| flush(m.format, m.subnormals, value.resize(m.format.bits())));
    match m.format {
        Format::Tf32 => None,
        Format::F64 if m.subnormals == Subnormals::Flush => None,
        Format::F64 => {
            let [a, b, c] = raw.map(Lanes::as_f64);
            let value = match is_nearest(m) {
                true => a.fma(b, c),
                false => embedded::apply(Operation::Fma, m.rounding, &[a, b, c])?,
            };
            Some(finish_double(m, value, &raw))
        }
        Format::F32 if is_nearest(m) => {
            let [a, b, c] = raw.map(Lanes::as_f32);
            let value = a.fma(b, c);
            if m.subnormals == Subnormals::Keep {
                return Some(finish(m, value));
            }
            // A value that rounds up to the smallest normal one only in subnormal steps does not when scaled by 2^24. Factors
            // that overflow when scaled have no subnormal results: those of 24 bits are at least 2^-126.
            let (up, least) = (f64::from_bits((1023 + 24) << 52), f64::from_bits((1023 - 102) << 52));
            let raised = (a * up).fma(b, c * up);
            Some(finish(m, flushed(value, raised.float_abs().flt(least))))
        }
        Format::F16 if is_nearest(m) => {
            // The product is exact: two significands of 11 bits.
            let [a, b, c] = raw.map(|raw| to_single(m.format, raw));
            Some(finish(m, add_to_odd(a * b, c, m.rounding)))
        }
        Format::F16 | Format::Bf16 | Format::F32 => {
            if let Some(value) = embedded_single(Operation::Fma, m, &raw) {
                return Some(finish(m, value));
            }
            let [a, b, c] = raw.map(|raw| to_double(m.format, raw));
            Some(finish(m, add_to_odd(a * b, c, m.rounding)))
        }
    }
}

/// `fma.oob`: +0.0 if a factor is out of bounds.
pub(super) fn fma_within_bounds<'a, 'm, 'c>(
    m: &Arith,
    arguments: [L<'a, 'm, 'c>; 3],
) -> Option<L<'a, 'm, 'c>> {
    // The out-of-bounds fill of tensor copies, see `ptx_program::scalar::float::fma_within_bounds`.
    const OUT_OF_BOUNDS: u64 = 0x7ff7;
    let [a, b, _] = arguments;
    let sum = fma(m, arguments)?;
    Some((a.eq(OUT_OF_BOUNDS) | b.eq(OUT_OF_BOUNDS)).select(sum.zero(), sum))
}

/// The square root.
pub(super) fn sqrt<'a, 'm, 'c>(m: &Arith, a: L<'a, 'm, 'c>) -> Option<L<'a, 'm, 'c>> {
    let raw = flush(m.format, m.subnormals, a.resize(m.format.bits()));
    match m.format {
        Format::Tf32 => None,
        Format::F64 if m.subnormals == Subnormals::Flush => None,
        Format::F64 => {
            let value = match is_nearest(m) {
                true => raw.as_f64().sqrt(),
                false => embedded::apply(Operation::Sqrt, m.rounding, &[raw.as_f64()])?,
            };
            Some(finish_double(m, value, &[raw]))
        }
        // Roots of normal values are normal.
        Format::F32 | Format::F16 | Format::Bf16 if in_single(m) => {
            Some(finish(m, to_single(m.format, raw).sqrt()))
        }
        Format::F32 | Format::F16 | Format::Bf16 => {
            let value = embedded_single(Operation::Sqrt, m, &[raw]);
            Some(finish(m, value.unwrap_or_else(|| sqrt_to_odd(to_double(m.format, raw)))))
        }
    }
}

/// A function that is computed in `double` and rounded once.
pub(super) fn approximate<'a, 'm, 'c>(
    m: &Arith,
    a: L<'a, 'm, 'c>,
    f: impl FnOnce(L<'a, 'm, 'c>) -> L<'a, 'm, 'c>,
) -> Option<L<'a, 'm, 'c>> {
    if m.format == Format::F64 && m.subnormals == Subnormals::Flush {
        return None;
    }
    Some(finish(m, f(to_double(m.format, flush(m.format, m.subnormals, a.resize(m.format.bits()))))))
}

/// `1 / sqrt(a)` with two roundings, as [`ptx_program::scalar::float::rsqrt`].
pub(super) fn rsqrt_in_single<'a, 'm, 'c>(m: &Arith, a: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let x = flush(m.format, m.subnormals, a.resize(m.format.bits()));
    let one = x.constant(1f32.to_bits().into()).as_f32();
    finish(m, one / x.as_f32().sqrt())
}

pub(super) fn abs<'a, 'm, 'c>(format: Format, subnormals: Subnormals, a: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    flush(format, subnormals, a) & format.magnitude_mask()
}

pub(super) fn neg<'a, 'm, 'c>(format: Format, subnormals: Subnormals, a: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    flush(format, subnormals, a) ^ format.sign_bit()
}

pub(super) fn copysign<'a, 'm, 'c>(format: Format, a: L<'a, 'm, 'c>, b: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    (a & format.sign_bit()) | (b & format.magnitude_mask())
}

pub(super) fn has_property<'a, 'm, 'c>(
    format: Format,
    property: Property,
    a: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    let magnitude = a & format.magnitude_mask();
    // Nonzero and below the smallest normal value: zero wraps around.
    let subnormal = (magnitude - 1).ult(format.smallest_normal() - 1);
    match property {
        Property::Finite => magnitude.ult(format.infinity()),
        Property::Infinite => magnitude.eq(format.infinity()),
        Property::Number => magnitude.ule(format.infinity()),
        Property::NotANumber => magnitude.ugt(format.infinity()),
        Property::Normal => magnitude.ult(format.infinity()) & !subnormal,
        Property::Subnormal => subnormal,
    }
}

/// The minimum or maximum of two values; -0.0 is less than +0.0.
pub(super) fn extreme<'a, 'm, 'c>(x: &FloatExtreme, arguments: [L<'a, 'm, 'c>; 2]) -> L<'a, 'm, 'c> {
    let format = x.format;
    let [a, b] = arguments.map(|value| flush(format, x.subnormals, value));
    let compared = match x.sign {
        SignRule::Plain => [a, b],
        SignRule::Magnitude | SignRule::Xor => [a & format.magnitude_mask(), b & format.magnitude_mask()],
    };
    if matches!(format, Format::F32 | Format::Tf32 | Format::F64) {
        return extreme_of_numbers(x, [a, b], compared);
    }
    let chosen = of_two(x.which, format, compared);
    let [a_nan, b_nan] = compared.map(|value| is_nan(format, value));
    let result = match x.nan {
        NanRule::Propagate => chosen,
        NanRule::Ignore => {
            let [first, second] = compared;
            a_nan.select(second, b_nan.select(first, chosen))
        }
    };
    let signed = match x.sign {
        SignRule::Plain | SignRule::Magnitude => result,
        SignRule::Xor => (result & format.magnitude_mask()) | ((a ^ b) & format.sign_bit()),
    };
    let no_number = match x.nan {
        NanRule::Propagate => a_nan | b_nan,
        NanRule::Ignore => a_nan & b_nan,
    };
    no_number.select(signed.constant(format.canonical_nan()), signed)
}

/// As [`extreme`], with the CPU's comparisons.
fn extreme_of_numbers<'a, 'm, 'c>(
    x: &FloatExtreme,
    [a, b]: [L<'a, 'm, 'c>; 2],
    compared: [L<'a, 'm, 'c>; 2],
) -> L<'a, 'm, 'c> {
    let number = |raw: L<'a, 'm, 'c>| if x.format == Format::F64 { raw.as_f64() } else { raw.as_f32() };
    let ([first, second], [p, q]) = (compared, compared.map(number));
    // If one operand is a NaN, this is the second one. Equal numbers with different bits are zeros, which does not occur for magnitudes.
    let (chosen, of_equal) = match x.which {
        Extreme::Min => (p.flt(q).select(p, q).raw(), first | second),
        Extreme::Max => (p.fgt(q).select(p, q).raw(), first & second),
    };
    let chosen = if x.sign == SignRule::Plain { p.feq(q).select(of_equal, chosen) } else { chosen };
    let (result, no_number) = match x.nan {
        NanRule::Propagate => (chosen, p.compare_float(FloatPredicate::Uno, q)),
        NanRule::Ignore => {
            let result = q.is_nan().select(first, chosen);
            (result, number(result).is_nan())
        }
    };
    let signed = match x.sign {
        SignRule::Plain | SignRule::Magnitude => result,
        SignRule::Xor => (result & x.format.magnitude_mask()) | ((a ^ b) & x.format.sign_bit()),
    };
    // The sign is clear for binary64, too.
    let nan = if x.format == Format::F64 { u64::MAX >> 1 } else { x.format.canonical_nan() };
    no_number.select(signed.constant(nan), signed)
}

/// The minimum or maximum as integers: magnitudes of negative values are inverted.
fn of_two<'a, 'm, 'c>(which: Extreme, format: Format, [a, b]: [L<'a, 'm, 'c>; 2]) -> L<'a, 'm, 'c> {
    let top = u64::from(format.bits()) - 1;
    let order = |value: L<'a, 'm, 'c>| value ^ (value.ashr(top) & format.magnitude_mask());
    let name = if which == Extreme::Min { "llvm.smin" } else { "llvm.smax" };
    // The mapping is its own inverse.
    order(order(a).intrinsic(name, &[order(b)]))
}

/// Whether a comparison holds.
pub(super) fn compare<'a, 'm, 'c>(
    relation: Relation,
    with_nan: WithNan,
    format: Format,
    subnormals: Subnormals,
    arguments: [L<'a, 'm, 'c>; 2],
) -> L<'a, 'm, 'c> {
    let [a, b] = arguments.map(|value| {
        let raw = flush(format, subnormals, value.resize(format.bits()));
        if format == Format::F64 { raw.as_f64() } else { to_single(format, raw) }
    });
    let by = |ordered, unordered| if with_nan == WithNan::True { unordered } else { ordered };
    let predicate = match relation {
        Relation::Equal => by(FloatPredicate::Oeq, FloatPredicate::Ueq),
        Relation::NotEqual => by(FloatPredicate::One, FloatPredicate::Une),
        Relation::Less => by(FloatPredicate::Olt, FloatPredicate::Ult),
        Relation::LessOrEqual => by(FloatPredicate::Ole, FloatPredicate::Ule),
        Relation::Greater => by(FloatPredicate::Ogt, FloatPredicate::Ugt),
        Relation::GreaterOrEqual => by(FloatPredicate::Oge, FloatPredicate::Uge),
        Relation::Ordered => FloatPredicate::Ord,
        Relation::Unordered => FloatPredicate::Uno,
    };
    a.compare_float(predicate, b)
}

/// Whether a value is at least zero, of either sign.
pub(super) fn is_not_negative<'a, 'm, 'c>(
    format: Format,
    subnormals: Subnormals,
    c: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    let raw = flush(format, subnormals, c.resize(format.bits()));
    if format == Format::F64 { raw.as_f64().fge(0.0) } else { to_single(format, raw).fge(0.0) }
}
