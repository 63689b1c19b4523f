//! Conversions from and to floating-point numbers (`ptx_program::scalar::convert`).

use ptx_llvm_core::build::CastOp;
use ptx_program::scalar::convert::{Integral, Range, ToFloat};
use ptx_program::scalar::float::{Limit, Subnormals};
use ptx_program::scalar::format::{Format, Rounding};
use ptx_program::scalar::int::Int;

use super::float::limited;
use super::int::{extend, is_signed};
use super::lanes::Lanes;
use super::rounding::{
    add_to_odd, finite, flush_single, from_double, from_single, is_nan, to_double, to_single,
};

type L<'a, 'm, 'c> = Lanes<'a, 'm, 'c>;

/// Converts between floating-point formats.
pub(super) fn float_to_float<'a, 'm, 'c>(to: &ToFloat, from: Format, raw: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let raw = flush_single(from, to.subnormals, raw.resize(from.bits()));
    // `.ftz` flushes results in single precision only.
    let subnormals = match to.format {
        Format::F32 | Format::Tf32 => to.subnormals,
        Format::F16 | Format::Bf16 | Format::F64 => Subnormals::Keep,
    };
    let narrowed = if from == Format::F64 || (to.format == Format::Tf32 && subnormals == Subnormals::Flush) {
        from_double(to.format, to.rounding, subnormals, limited(to.limit, to_double(from, raw)))
    } else {
        let value = limited(to.limit, to_single(from, raw));
        let keeps = match to.format {
            // A binary16 or bfloat16 result can only be subnormal in single precision if it is a bfloat16.
            Format::F32 if subnormals == Subnormals::Flush => {
                super::rounding::flush(Format::F32, subnormals, value.raw()).as_f32()
            }
            _ => value,
        };
        from_single(to.format, to.rounding, Subnormals::Keep, keeps)
    };
    let in_range = match to.range {
        Range::Finite => finite(to.format, narrowed),
        Range::Infinite => narrowed,
    };
    match to.limit {
        Limit::None => keep_nan(to.format, from, raw, in_range),
        Limit::Unit | Limit::Relu => in_range,
    }
}

/// The result for a NaN: between `.f32` and `.f64` it keeps its sign and its upper bits, and becomes quiet.
fn keep_nan<'a, 'm, 'c>(
    to: Format,
    from: Format,
    raw: L<'a, 'm, 'c>,
    otherwise: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    const QUIET: u64 = 1 << 51;
    let nan = match (from, to) {
        (Format::F64, Format::F64) => raw | QUIET,
        (Format::F64, Format::F32) => {
            let upper = ((raw >> 32) & Format::F32.sign_bit()) | ((raw >> 29) & 0x3f_ffff);
            (upper | (Format::F32.infinity() | 1 << 22)).resize(32)
        }
        (_, Format::F64) => {
            let wide = raw.resize(64);
            let sign = (wide & from.sign_bit()) << u64::from(64 - from.bits());
            let payload = (wide & (from.smallest_normal() - 1)) << u64::from(52 - from.fraction_bits());
            sign | (payload & (QUIET - 1)) | (Format::F64.infinity() | QUIET)
        }
        // Rounding has produced the canonical NaN.
        (_, Format::F16 | Format::Bf16 | Format::F32 | Format::Tf32) => return otherwise,
    };
    is_nan(from, raw).select(nan, otherwise)
}

/// Rounds to an integral value, in the same type.
fn integral_of<'a, 'm, 'c>(integral: Integral, value: L<'a, 'm, 'c>) -> L<'a, 'm, 'c> {
    let name = match integral {
        Integral::NearestEven => "llvm.roundeven",
        Integral::TowardZero => "llvm.trunc",
        Integral::Down => "llvm.floor",
        Integral::Up => "llvm.ceil",
    };
    value.intrinsic(name, &[])
}

/// Converts to an integral value of the same format.
pub(super) fn float_to_integral<'a, 'm, 'c>(
    to: &ToFloat,
    integral: Integral,
    raw: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    let raw = flush_single(to.format, to.subnormals, raw.resize(to.format.bits()));
    let value = if to.format == Format::F64 { raw.as_f64() } else { to_single(to.format, raw) };
    let whole = limited(to.limit, integral_of(integral, value));
    let (nearest, keep) = (Rounding::NearestEven, Subnormals::Keep);
    if to.format != Format::F64 {
        return from_single(to.format, nearest, keep, whole);
    }
    let rounded = from_double(to.format, nearest, keep, whole);
    if to.limit == Limit::None { keep_nan(to.format, to.format, raw, rounded) } else { rounded }
}

/// Converts to an integer, clamped to its range, in the width of its type.
pub(super) fn float_to_int<'a, 'm, 'c>(
    to: Int,
    integral: Integral,
    from: Format,
    subnormals: Subnormals,
    raw: L<'a, 'm, 'c>,
) -> L<'a, 'm, 'c> {
    let raw = flush_single(from, subnormals, raw.resize(from.bits()));
    let value = if from == Format::F64 { raw.as_f64() } else { to_single(from, raw) };
    // The conversion itself truncates.
    let whole = if integral == Integral::TowardZero { value } else { integral_of(integral, value) };
    let nan = if from == Format::F64 || to.bits() == 64 { 1 << (to.bits() - 1) } else { 0 };
    if is_signed(to) { to_signed(to, whole, nan) } else { to_unsigned(to, whole, nan) }
}

/// The truncated value, clamped to the type: LLVM scalarizes its own saturating conversions of vectors.
fn to_signed<'a, 'm, 'c>(to: Int, value: L<'a, 'm, 'c>, nan: u64) -> L<'a, 'm, 'c> {
    let (least, bits) = (1u64 << (to.bits() - 1), to.bits());
    let limit = least as f64;
    let is_inside = value.float_abs().flt(limit);
    let inside = is_inside.select(value, 0.0).float_to_int(CastOp::FpToSi, bits.max(32)).resize(bits);
    // A value that is neither inside nor above is below, or a NaN.
    let below = inside.constant(least);
    let below = if nan == 0 { value.is_nan().select(inside.zero(), below) } else { below };
    is_inside.select(inside, value.fge(limit).select(inside.constant(least - 1), below))
}

fn to_unsigned<'a, 'm, 'c>(to: Int, value: L<'a, 'm, 'c>, nan: u64) -> L<'a, 'm, 'c> {
    let bits = to.bits();
    // NaNs become zero, too.
    let positive = value.fgt(0.0).select(value, 0.0);
    let is_inside = positive.flt(2.0 * (1u64 << (bits - 1)) as f64);
    let op = if bits < 32 { CastOp::FpToSi } else { CastOp::FpToUi };
    let inside = is_inside.select(positive, 0.0).float_to_int(op, bits.max(32)).resize(bits);
    let number = is_inside.select(inside, u64::MAX);
    if nan == 0 { number } else { value.is_nan().select(number.constant(nan), number) }
}

/// Converts from an integer.
pub(super) fn int_to_float<'a, 'm, 'c>(to: &ToFloat, from: Int, raw: L<'a, 'm, 'c>) -> Option<L<'a, 'm, 'c>> {
    let types = raw.code.emit.types;
    let value = raw.resize(from.bits());
    let convert =
        |element| if is_signed(from) { value.signed_to(element) } else { value.unsigned_to(element) };
    let nearest = to.rounding == Rounding::NearestEven;
    let rounded = match to.format {
        Format::F64 if nearest || from.bits() < 64 => limited(to.limit, convert(types.f64())).raw(),
        Format::F64 => return None,
        Format::F32 if nearest => limited(to.limit, convert(types.f32())).raw(),
        Format::F32 | Format::F16 | Format::Bf16 | Format::Tf32 => {
            let exact = if from.bits() < 64 {
                convert(types.f64())
            } else {
                // Both halves are exact, and so is their sum up to the final rounding.
                let upper = if is_signed(from) { value.ashr(32) } else { value >> 32 };
                let upper = extend(from, upper, 64).signed_to(types.f64()) * 4_294_967_296.0;
                let lower = (value & 0xffff_ffff).signed_to(types.f64());
                add_to_odd(upper, lower, Rounding::NearestEven)
            };
            from_double(to.format, to.rounding, Subnormals::Keep, limited(to.limit, exact))
        }
    };
    Some(match to.range {
        Range::Finite => finite(to.format, rounded),
        Range::Infinite => rounded,
    })
}
