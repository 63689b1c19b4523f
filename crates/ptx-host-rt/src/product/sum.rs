//! Types of sums in D.

/// A type of D: conversion of its elements to and from binary64. All functions are branch-free, so that they can be vectorized.
pub(super) trait Sum {
    /// Elements per 32-bit register.
    const EACH: usize;
    /// The value of the low bits of a word.
    fn value(raw: u32) -> f64;
    /// Rounds a sum to the low bits of a word.
    fn raw(sum: f64) -> u32;
}

/// Calls a function with the type of D; `None` for unsupported types.
macro_rules! with_sum {
    ($d:expr, $overflow:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match ($d, $overflow) {
            (Element::F32, Overflow::Plain) => $function::<$crate::product::sum::Single>($($argument),*),
            (Element::F16, Overflow::Plain) => $function::<$crate::product::sum::Half>($($argument),*),
            (Element::S32, Overflow::Plain) => $function::<$crate::product::sum::Word>($($argument),*),
            (Element::S32, Overflow::Finite) => $function::<$crate::product::sum::LimitedWord>($($argument),*),
            _ => None,
        }
    };
}

pub(super) use with_sum;

/// `.f32`.
pub(super) struct Single;

impl Sum for Single {
    const EACH: usize = 1;

    #[inline(always)]
    fn value(raw: u32) -> f64 {
        f64::from(f32::from_bits(raw))
    }

    /// NaNs are canonicalized.
    #[inline(always)]
    fn raw(sum: f64) -> u32 {
        if sum.is_nan() { 0x7fff_ffff } else { (sum as f32).to_bits() }
    }
}

/// `.f16`.
pub(super) struct Half;

impl Sum for Half {
    const EACH: usize = 2;

    #[inline(always)]
    fn value(raw: u32) -> f64 {
        f64::from(half(raw))
    }

    #[inline(always)]
    fn raw(sum: f64) -> u32 {
        rounded_half(sum)
    }
}

/// `.s32`, which wraps around.
pub(super) struct Word;

impl Sum for Word {
    const EACH: usize = 1;

    #[inline(always)]
    fn value(raw: u32) -> f64 {
        f64::from(raw as i32)
    }

    /// Integer sums are exact and far below 2^51: adding a number whose last place is 1 leaves them in its low bits.
    #[inline(always)]
    fn raw(sum: f64) -> u32 {
        const ONES: f64 = 1.5 * (1u64 << 52) as f64;
        (sum + ONES).to_bits() as u32
    }
}

/// `.s32` with `.satfinite`.
pub(super) struct LimitedWord;

impl Sum for LimitedWord {
    const EACH: usize = 1;

    #[inline(always)]
    fn value(raw: u32) -> f64 {
        Word::value(raw)
    }

    #[inline(always)]
    fn raw(sum: f64) -> u32 {
        Word::raw(sum.clamp(f64::from(i32::MIN), f64::from(i32::MAX)))
    }
}

/// Widens a half-precision number, in the low 16 bits, by adjusting its exponent to single precision.
#[inline(always)]
pub(super) fn half(raw: u32) -> f32 {
    let magnitude = raw & 0x7fff;
    let sign = (raw & 0x8000) << 16;
    // Infinities and NaNs have the largest exponent.
    let bits = if magnitude >= 0x7c00 { magnitude << 13 | 0xff << 23 } else { magnitude << 13 };
    let scale = if magnitude >= 0x7c00 { 1.0 } else { f32::from_bits((127 + 112) << 23) };
    f32::from_bits((f32::from_bits(bits) * scale).to_bits() | sign)
}

/// Rounds to half precision; NaNs are canonicalized.
#[inline(always)]
fn rounded_half(sum: f64) -> u32 {
    // Everything from here on rounds to infinity.
    const END: f64 = 65536.0;
    // A power of two such that a sum with it keeps ten bits after the number's leading bit, or after that of the smallest normal number.
    const SMALLEST: u64 = (1023 - 14) << 52;
    let magnitude = sum.abs().min(END);
    let power = (magnitude.to_bits() & 0x7ff << 52).max(SMALLEST);
    let ones = f64::from_bits(power + (42 << 52));
    let rounded = (magnitude + ones) - ones;
    // The inverse of the exponent adjustment in `half`, for binary64.
    let raw = (rounded * f64::from_bits((1023 - 1008) << 52)).to_bits() >> 42;
    let sign = sum.to_bits() >> 48 & 0x8000;
    if sum.is_nan() { 0x7fff } else { (raw | sign) as u32 }
}

#[cfg(test)]
mod tests {
    use ptx_program::scalar::format::{Format, Rounding};

    use super::*;

    #[test]
    fn halves_are_those_of_the_format() {
        for raw in 0..=u16::MAX {
            let (found, wanted) = (f64::from(half(raw.into())), Format::F16.widen(raw.into()));
            assert!(found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan(), "{raw:#x}");
        }
    }

    #[test]
    fn sums_are_rounded_to_the_nearest_half() {
        let agrees = |sum: f64| {
            let wanted = Format::F16.narrow(sum, Rounding::NearestEven);
            assert_eq!(u64::from(rounded_half(sum)), wanted, "{sum:e}");
        };
        for raw in 0..0x7c00u64 {
            // The number, the middle to the next one, and what is next to both.
            let [low, high] = [raw, raw + 1].map(|raw| Format::F16.widen(raw).min(65536.0));
            for at in [low, (low + high) / 2.0] {
                for bits in [at.to_bits().saturating_sub(1), at.to_bits(), at.to_bits() + 1] {
                    let sum = f64::from_bits(bits);
                    agrees(sum);
                    agrees(-sum);
                }
            }
        }
        for sum in [65519.99, 65520.0, 65536.0, 1e300, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, 5e-324] {
            agrees(sum);
            agrees(-sum);
        }
    }

    #[test]
    fn words_wrap_around_or_are_limited() {
        for sum in [0i64, -1, 5, i64::from(i32::MAX) + 3, i64::from(i32::MIN) - 7, 1 << 40, -(1 << 40) + 9] {
            assert_eq!(Word::raw(sum as f64), sum as u32);
            let limited = sum.clamp(i32::MIN.into(), i32::MAX.into());
            assert_eq!(LimitedWord::raw(sum as f64), limited as u32);
        }
    }

    #[test]
    fn all_nans_are_one() {
        for nan in [f64::NAN, -f64::NAN, f64::from_bits(0x7ff0_0000_0000_0001)] {
            assert_eq!((Single::raw(nan), Half::raw(nan)), (0x7fff_ffff, 0x7fff));
        }
        assert_eq!((Single::raw(-0.0), Half::raw(-0.0)), (1 << 31, 1 << 15));
    }
}
