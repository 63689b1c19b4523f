//! Conversions between types (manual 9.7.9.21).

use super::float::{Limit, Subnormals, finish, flush};
use super::format::{Format, Rounding, Sign, power_of_two, sign_of};
use super::int::{Int, Signedness};
use super::narrow::{Direction, Narrow, Negatives};

/// How a value is rounded to an integer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Integral {
    /// `.rni`: to the nearest, ties to the even one.
    NearestEven,
    /// `.rzi`: towards zero.
    TowardZero,
    /// `.rmi`: towards negative infinity.
    Down,
    /// `.rpi`: towards positive infinity.
    Up,
}

impl Integral {
    #[inline]
    fn of(self, x: f64) -> f64 {
        match self {
            Integral::NearestEven => x.round_ties_even(),
            Integral::TowardZero => x.trunc(),
            Integral::Down => x.floor(),
            Integral::Up => x.ceil(),
        }
    }
}

/// Handling of magnitudes too large for the destination (`.satfinite`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Range {
    /// They become the overflow result of the rounding mode, usually an infinity.
    Infinite,
    /// `.satfinite`: the largest finite value of the same sign, also for infinities.
    Finite,
}

/// The properties of a conversion to a floating-point format other than its source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct ToFloat {
    /// The destination.
    pub format: Format,
    /// The rounding mode; without effect for exact conversions.
    pub rounding: Rounding,
    /// `.ftz`: flushes only `.f32` operands and results.
    pub subnormals: Subnormals,
    /// `.sat` or `.relu`.
    pub limit: Limit,
    /// `.satfinite`.
    pub range: Range,
}

/// In conversions `.ftz` only affects single precision.
#[inline]
fn flush_single(format: Format, subnormals: Subnormals, raw: u64) -> u64 {
    match format {
        Format::F32 | Format::Tf32 => flush(format, subnormals, raw),
        Format::F16 | Format::Bf16 | Format::F64 => raw,
    }
}

/// Converts between floating-point formats.
#[inline]
pub fn float_to_float(to: &ToFloat, from: Format, raw: u64) -> u64 {
    let raw = flush_single(from, to.subnormals, raw);
    if from.is_nan(raw) {
        let nan = nan_to(to.format, from, raw);
        return if to.limit == Limit::None {
            nan
        } else {
            finish(to.format, Subnormals::Keep, to.limit, nan)
        };
    }
    let value = from.widen(raw);
    let too_large = value.abs() > to.format.widen(to.format.largest());
    let narrowed = match to.range {
        Range::Finite if too_large => to.format.with_sign(to.format.largest(), sign_of(value)),
        Range::Finite | Range::Infinite => match (to.format, to.subnormals) {
            (Format::F32 | Format::Tf32, Subnormals::Flush) => to.format.narrow_flushing(value, to.rounding),
            (Format::F16 | Format::Bf16 | Format::F32 | Format::Tf32 | Format::F64, _) => {
                to.format.narrow(value, to.rounding)
            }
        },
    };
    finish(to.format, Subnormals::Keep, to.limit, narrowed)
}

/// Converts a NaN. Between `.f32` and `.f64` it is quieted and keeps its sign and as much of its payload as fits, as in
/// constant folding of `ptxas`; half precision only has the canonical NaN.
#[inline]
fn nan_to(to: Format, from: Format, raw: u64) -> u64 {
    const QUIET: u64 = 1 << 51;
    match (from, to) {
        (Format::F64, Format::F64) => raw | QUIET,
        (Format::F64, Format::F32) => {
            (raw >> 32 & Format::F32.sign_bit()) | Format::F32.infinity() | 1 << 22 | (raw >> 29 & 0x3f_ffff)
        }
        (_, Format::F64) => {
            let sign = (raw & from.sign_bit()) << (64 - from.bits());
            let payload = (raw & (from.smallest_normal() - 1)) << (52 - from.fraction_bits());
            sign | Format::F64.infinity() | QUIET | (payload & (QUIET - 1))
        }
        (_, Format::F16 | Format::Bf16 | Format::F32 | Format::Tf32) => to.canonical_nan(),
    }
}

/// Rounds to an integral value of the same format (`cvt.rni.f32.f32` etc.).
#[inline]
pub fn float_to_integral(to: &ToFloat, integral: Integral, raw: u64) -> u64 {
    let raw = flush_single(to.format, to.subnormals, raw);
    let result = if to.format.is_nan(raw) {
        nan_to(to.format, to.format, raw)
    } else {
        to.format.narrow(integral.of(to.format.widen(raw)), Rounding::NearestEven)
    };
    finish(to.format, Subnormals::Keep, to.limit, result)
}

/// Converts to an integer, saturating. A NaN gives 0, or `1 << (width - 1)` if the source is `.f64` or the destination has 64 bits.
#[inline]
pub fn float_to_int(to: Int, integral: Integral, from: Format, subnormals: Subnormals, raw: u64) -> u64 {
    let raw = flush_single(from, subnormals, raw);
    if from.is_nan(raw) {
        return if from == Format::F64 || to.bits() == 64 { 1 << (to.bits() - 1) } else { 0 };
    }
    // All finite values of the narrower formats, and all values near 64-bit integers, fit in i128; the cast saturates the rest of binary64.
    to.clamp(integral.of(from.widen(raw)) as i128)
}

/// Converts from an integer.
#[inline]
pub fn int_to_float(to: &ToFloat, from: Int, raw: u64) -> u64 {
    let value = from.value(raw);
    let sign = if value < 0 { Sign::Negative } else { Sign::Positive };
    let rounded = to.format.round(sign, value.unsigned_abs() as u64, 0, to.rounding);
    let limited = match to.range {
        Range::Finite if to.format.is_infinite(rounded) => to.format.with_sign(to.format.largest(), sign),
        Range::Finite | Range::Infinite => rounded,
    };
    finish(to.format, Subnormals::Keep, to.limit, limited)
}

/// Handling of values that are out of range in an integer conversion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Excess {
    /// The upper bits are dropped.
    Truncate,
    /// `.sat`: saturates to the nearest value of the destination.
    Clamp,
}

/// Converts between integers: extended by the source's signedness.
#[inline]
pub fn int_to_int(to: Int, from: Int, excess: Excess, raw: u64) -> u64 {
    match excess {
        Excess::Truncate => to.wrap(from.extend(raw)),
        Excess::Clamp => to.clamp(from.value(raw)),
    }
}

/// An element of a pack of floating-point or fixed-point values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Element {
    /// A format of 16 bits or more.
    Wide(Format),
    /// A format of 8 bits or fewer.
    Narrow(Narrow),
}

impl Element {
    /// Width in bits of its slot in a pack.
    #[inline]
    pub const fn place(self) -> u32 {
        match self {
            Element::Wide(format) => format.bits(),
            Element::Narrow(format) => format.place(),
        }
    }

    #[inline]
    fn widen(self, raw: u64) -> f64 {
        match self {
            Element::Wide(format) => format.widen(raw),
            Element::Narrow(format) => format.widen(raw),
        }
    }
}

/// A power of two by which an element of a pack is multiplied in a conversion.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Scale(f64);

impl Scale {
    /// One.
    pub const NONE: Scale = Scale(1.0);

    /// The value of a `.ue8m0` scale, for conversions from narrow formats; the NaN scale makes every result a NaN.
    #[inline]
    pub fn times(raw: u64) -> Self {
        Scale(Narrow::Ue8m0.widen(raw))
    }

    /// The inverse of a `.ue8m0` scale, for conversions to narrow formats.
    #[inline]
    pub fn over(raw: u64) -> Self {
        match raw & 0xff {
            0xff => Scale(f64::NAN),
            exponent => Scale(power_of_two(127 - exponent as i32)),
        }
    }
}

/// The properties of a pack conversion that are common to all elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Repack {
    /// The destination.
    pub to: Element,
    /// The source.
    pub from: Element,
    /// `.satfinite`.
    pub range: Range,
    /// `.relu`.
    pub negatives: Negatives,
}

impl Repack {
    /// Converts one element: scaled exactly, then rounded once.
    #[inline]
    pub fn element(&self, scale: Scale, direction: Direction, raw: u64) -> u64 {
        // Neither sources nor scales exceed 2^128, so binary64 is exact.
        let value = self.from.widen(raw) * scale.0;
        let format = match self.to {
            Element::Narrow(format) => return format.narrow(value, direction, self.range, self.negatives),
            Element::Wide(format) => format,
        };
        let too_large = value.abs() > format.widen(format.largest());
        let narrowed = match (self.range, direction) {
            (Range::Finite, _) if too_large => format.with_sign(format.largest(), sign_of(value)),
            (_, Direction::By(rounding)) => format.narrow(value, rounding),
            (_, Direction::Random(random)) => format.narrow_random(value, random),
        };
        let limit = match self.negatives {
            Negatives::Keep => Limit::None,
            Negatives::Zero => Limit::Relu,
        };
        finish(format, Subnormals::Keep, limit, narrowed)
    }
}

/// Packs two integers, clamped to elements of 2 to 16 bits, `a` above `b` (`cvt.pack.sat`, manual 9.7.9.22); `c` fills
/// the upper bits, none of which are left by 16-bit elements.
#[inline]
pub fn pack(element: PackElement, a: u64, b: u64, c: u64) -> u64 {
    let PackElement { bits, sign } = element;
    let mask = (1 << bits) - 1;
    let (least, most) = match sign {
        Signedness::Unsigned => (0, mask),
        Signedness::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    };
    let clamped = |raw: u64| (i64::from(raw as u32 as i32).clamp(least, most) & mask) as u64;
    (clamped(a) << bits | clamped(b) | (c & 0xffff_ffff) << (2 * bits)) & 0xffff_ffff
}

/// The element type of [`pack`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub struct PackElement {
    /// 2, 4, 8 or 16.
    pub bits: u32,
    /// Whether they are signed.
    pub sign: Signedness,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(format: Format, rounding: Rounding) -> ToFloat {
        ToFloat { format, rounding, subnormals: Subnormals::Keep, limit: Limit::None, range: Range::Infinite }
    }

    #[test]
    fn integers_convert_as_the_host_does() {
        let mut x = 0x1234_5678_9abc_def1u64;
        for _ in 0..20_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
            let raw = x >> (x % 61);
            let near = |format, from| int_to_float(&to(format, Rounding::NearestEven), from, raw);
            assert_eq!(near(Format::F32, Int::U64), u64::from((raw as f32).to_bits()));
            assert_eq!(near(Format::F32, Int::S64), u64::from((raw as i64 as f32).to_bits()));
            assert_eq!(near(Format::F64, Int::U64), (raw as f64).to_bits());
            assert_eq!(near(Format::F64, Int::S32), f64::from(raw as i32).to_bits());
            let bits = raw as u32 | 0x3000_0000;
            let float = f32::from_bits(bits);
            let int = |int: Int| {
                float_to_int(int, Integral::TowardZero, Format::F32, Subnormals::Keep, bits.into())
            };
            if !float.is_nan() {
                assert_eq!(int(Int::S32), u64::from(float as i32 as u32), "{float:e}");
                assert_eq!(int(Int::U64), float as u64, "{float:e}");
                assert_eq!(int(Int::S8), u64::from(float as i8 as u8), "{float:e}");
                assert_eq!(int(Int::U16), u64::from(float as u16), "{float:e}");
            }
        }
    }

    #[test]
    fn directed_roundings_of_large_integers() {
        let raw = (1u64 << 63) + 1;
        let convert = |rounding| int_to_float(&to(Format::F32, rounding), Int::U64, raw);
        assert_eq!(convert(Rounding::TowardZero), 0x5f00_0000);
        assert_eq!(convert(Rounding::Up), 0x5f00_0001);
        assert_eq!(int_to_float(&to(Format::F32, Rounding::Down), Int::S64, raw), 0xdf00_0000);
        assert_eq!(int_to_float(&to(Format::F16, Rounding::NearestEven), Int::S32, 70_000), 0x7c00);
        assert_eq!(int_to_float(&to(Format::F16, Rounding::TowardZero), Int::S32, 70_000), 0x7bff);
        assert_eq!(int_to_float(&to(Format::Bf16, Rounding::NearestEven), Int::S8, 0xff), 0xbf80);
    }

    #[test]
    fn floats_clamp_and_nans_follow_the_manual() {
        let cvt = |to, from, raw| float_to_int(to, Integral::NearestEven, from, Subnormals::Keep, raw);
        let nan32 = 0x7fff_ffff;
        assert_eq!(cvt(Int::S32, Format::F32, nan32), 0);
        assert_eq!(cvt(Int::U8, Format::F16, 0x7fff), 0);
        assert_eq!(cvt(Int::S64, Format::F32, nan32), 1 << 63);
        assert_eq!(cvt(Int::U64, Format::F32, nan32), 1 << 63);
        assert_eq!(cvt(Int::S32, Format::F64, f64::NAN.to_bits()), 0x8000_0000);
        assert_eq!(cvt(Int::U32, Format::F32, 0xbf80_0000), 0, "-1");
        assert_eq!(cvt(Int::S32, Format::F32, 0xff80_0000), 0x8000_0000);
        assert_eq!(cvt(Int::U64, Format::F64, f64::INFINITY.to_bits()), u64::MAX);
        assert_eq!(cvt(Int::S32, Format::F32, 2.5f32.to_bits().into()), 2);
        assert_eq!(cvt(Int::S32, Format::F64, 3.5f64.to_bits()), 4);
        let rounded = |integral, x: f32| {
            float_to_int(Int::S32, integral, Format::F32, Subnormals::Keep, x.to_bits().into()) as i32
        };
        assert_eq!(
            [Integral::Down, Integral::Up, Integral::TowardZero].map(|i| rounded(i, -1.5)),
            [-2, -1, -1]
        );
        assert_eq!(float_to_int(Int::S32, Integral::Up, Format::F32, Subnormals::Flush, 1), 0);
        assert_eq!(float_to_int(Int::S32, Integral::Up, Format::F32, Subnormals::Keep, 1), 1);
    }

    #[test]
    fn integral_values_stay_in_their_format() {
        let m = to(Format::F32, Rounding::NearestEven);
        let bits = |x: f32| u64::from(x.to_bits());
        assert_eq!(float_to_integral(&m, Integral::NearestEven, bits(-0.5)), bits(-0.0));
        assert_eq!(float_to_integral(&m, Integral::Up, bits(1e-30)), bits(1.0));
        assert_eq!(float_to_integral(&ToFloat { subnormals: Subnormals::Flush, ..m }, Integral::Up, 1), 0);
        assert_eq!(
            float_to_integral(&to(Format::F16, Rounding::NearestEven), Integral::Down, 0x3e00),
            0x3c00
        );
    }

    #[test]
    fn formats_narrow_saturate_and_lose_nans() {
        let half = to(Format::F16, Rounding::NearestEven);
        let bits = |x: f32| u64::from(x.to_bits());
        assert_eq!(float_to_float(&half, Format::F32, bits(1e6)), 0x7c00);
        let finite = ToFloat { range: Range::Finite, ..half };
        assert_eq!(float_to_float(&finite, Format::F32, bits(-1e6)), 0xfbff);
        assert_eq!(float_to_float(&finite, Format::F32, 0x7f80_0000), 0x7bff);
        assert_eq!(float_to_float(&finite, Format::F32, 0x7fc0_0000), 0x7fff);
        let relu = ToFloat { limit: Limit::Relu, ..half };
        assert_eq!(float_to_float(&relu, Format::F32, bits(-2.0)), 0);
        let sat = ToFloat { limit: Limit::Unit, ..to(Format::F32, Rounding::NearestEven) };
        assert_eq!(float_to_float(&sat, Format::F64, 7.0f64.to_bits()), 0x3f80_0000);
        assert_eq!(float_to_float(&sat, Format::F64, f64::NAN.to_bits()), 0);
        assert_eq!(
            float_to_float(&to(Format::Tf32, Rounding::NearestAway), Format::F32, 0x3f80_1000),
            0x3f80_2000
        );
        let double = to(Format::F64, Rounding::NearestEven);
        assert_eq!(float_to_float(&double, Format::F32, 0xffff_ffff), 0xffff_ffff_e000_0000);
        let flushed = ToFloat { subnormals: Subnormals::Flush, ..to(Format::F32, Rounding::NearestEven) };
        assert_eq!(float_to_float(&flushed, Format::F64, 1e-40f64.to_bits()), 0);
        assert_eq!(
            float_to_float(&flushed, Format::F16, 1),
            bits(2f32.powi(-24)),
            "half subnormals are not flushed"
        );
    }

    #[test]
    fn integers_extend_truncate_and_clamp() {
        assert_eq!(int_to_int(Int::S64, Int::S32, Excess::Truncate, 0xffff_fffe), 0xffff_ffff_ffff_fffe);
        assert_eq!(int_to_int(Int::U64, Int::S8, Excess::Truncate, 0x80), 0xffff_ffff_ffff_ff80);
        assert_eq!(int_to_int(Int::U8, Int::S32, Excess::Clamp, 0xffff_ffff), 0);
        assert_eq!(int_to_int(Int::S8, Int::U32, Excess::Clamp, 300), 127);
        assert_eq!(int_to_int(Int::U16, Int::U32, Excess::Truncate, 0x12345), 0x2345);
        let element = |bits, sign| PackElement { bits, sign };
        assert_eq!(pack(element(16, Signedness::Signed), 40_000, 0xffff_fffe, 0), 0x7fff_fffe);
        assert_eq!(pack(element(8, Signedness::Unsigned), 300, 0xffff_ffff, 0x1234), 0x1234_ff00);
        assert_eq!(pack(element(4, Signedness::Signed), 9, 0xffff_fff0, 0xabcd_ef01), 0xcdef_0178);
        assert_eq!(pack(element(2, Signedness::Unsigned), 2, 5, 0x7), 0x7b);
    }
}
