//! Formats of at most eight bits (manual 5.2.3, 5.2.4), which are only used by conversions.
//!
//! None of them can store a NaN payload, and most have no infinity: the result of overflow depends on the format and on `.satfinite`.

use super::convert::Range;
use super::format::{Grid, RandomBits, Rounding, Sign, Tail, parts, power_of_two, sign_of};

/// A format of at most eight bits, in the low bits of its slot in a pack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Narrow {
    /// A sign, 4 bits of exponent, 3 of fraction; no infinities, a NaN is all ones below the sign.
    E4m3,
    /// A sign, 5 bits of exponent, 2 of fraction: the upper half of a binary16.
    E5m2,
    /// A sign, 2 bits of exponent, 3 of fraction; neither infinities nor NaNs.
    E2m3,
    /// A sign, 3 bits of exponent, 2 of fraction; neither infinities nor NaNs.
    E3m2,
    /// A sign, 2 bits of exponent, 1 of fraction; neither infinities nor NaNs.
    E2m1,
    /// 8 bits of exponent alone: powers of two from 2^-127 to 2^127; 0xff is a NaN.
    Ue8m0,
    /// 5 bits of exponent, 3 of fraction, no sign; no infinity, 0xff is a NaN.
    Ue5m3,
    /// A two's complement integer in units of 2^-6.
    S2f6,
}

/// Handling of negative values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Negatives {
    /// They are preserved.
    Keep,
    /// `.relu`: they become +0.0.
    Zero,
}

/// Rounding of inexact values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum Direction {
    /// By a rounding mode. Formats without sign round the magnitude.
    By(Rounding),
    /// By random bits.
    Random(RandomBits),
}

impl Direction {
    #[inline]
    fn tail(self, sign: Sign) -> Tail {
        match self {
            Direction::By(rounding) => Tail::of(rounding, sign),
            Direction::Random(bits) => Tail::Random(bits),
        }
    }
}

impl Narrow {
    /// Width of an element in a pack; 6-bit formats have two zero bits above.
    #[inline]
    pub const fn place(self) -> u32 {
        match self {
            Narrow::E2m1 => 4,
            Narrow::E4m3
            | Narrow::E5m2
            | Narrow::E2m3
            | Narrow::E3m2
            | Narrow::Ue8m0
            | Narrow::Ue5m3
            | Narrow::S2f6 => 8,
        }
    }

    /// The grid of magnitudes; fixed-point magnitudes all have the same exponent.
    #[inline]
    const fn grid(self) -> Grid {
        match self {
            Narrow::E4m3 => Grid::ieee(4, 3),
            Narrow::E5m2 => Grid::ieee(5, 2),
            Narrow::E2m3 => Grid::ieee(2, 3),
            Narrow::E3m2 => Grid::ieee(3, 2),
            Narrow::E2m1 => Grid::ieee(2, 1),
            Narrow::Ue5m3 => Grid::ieee(5, 3),
            // Powers of two, encoded from 1.
            Narrow::Ue8m0 => Grid { fraction_bits: 0, least_exponent: -127 },
            Narrow::S2f6 => Grid { fraction_bits: 62, least_exponent: -6 },
        }
    }

    /// The number of significand bits, and the exponent of the last place of the smallest values.
    #[inline]
    pub const fn fraction_and_least_exponent(self) -> (u32, i32) {
        (self.grid().fraction_bits, self.grid().least_exponent)
    }

    /// The largest magnitude.
    #[inline]
    pub const fn largest(self) -> u64 {
        match self {
            Narrow::E4m3 => 0x7e,
            Narrow::E5m2 => 0x7b,
            Narrow::E2m3 | Narrow::E3m2 => 0x1f,
            Narrow::E2m1 => 0x7,
            Narrow::Ue8m0 | Narrow::Ue5m3 => 0xfe,
            Narrow::S2f6 => 0x7f,
        }
    }

    /// The conversion result of a NaN: a NaN if the format has one, else the largest value.
    #[inline]
    pub const fn nan(self) -> u64 {
        match self {
            Narrow::E4m3 | Narrow::E5m2 => 0x7f,
            Narrow::Ue8m0 | Narrow::Ue5m3 => 0xff,
            Narrow::E2m3 | Narrow::E3m2 | Narrow::E2m1 | Narrow::S2f6 => self.largest(),
        }
    }

    /// The conversion result of an overflow that is not clamped; formats without NaN always clamp.
    #[inline]
    pub const fn overflow(self) -> u64 {
        match self {
            Narrow::E5m2 => 0x7c,
            Narrow::E4m3 | Narrow::Ue8m0 | Narrow::Ue5m3 => self.nan(),
            Narrow::E2m3 | Narrow::E3m2 | Narrow::E2m1 | Narrow::S2f6 => self.largest(),
        }
    }

    /// The mask of the sign bit, 0 in formats without one.
    #[inline]
    pub const fn sign_bit(self) -> u64 {
        match self {
            Narrow::E4m3 | Narrow::E5m2 | Narrow::S2f6 => 0x80,
            Narrow::E2m3 | Narrow::E3m2 => 0x20,
            Narrow::E2m1 => 0x8,
            Narrow::Ue8m0 | Narrow::Ue5m3 => 0,
        }
    }

    /// The value of the bits, which is exact in binary64 for every format.
    #[inline]
    pub fn widen(self, raw: u64) -> f64 {
        let raw = raw & (self.sign_bit() | self.largest() | self.nan());
        let magnitude = raw & !self.sign_bit();
        let value = match self {
            Narrow::S2f6 => return f64::from(raw as u8 as i8) * power_of_two(-6),
            Narrow::Ue8m0 if raw == 0xff => f64::NAN,
            Narrow::Ue8m0 => power_of_two(raw as i32 - 127),
            Narrow::E5m2 if magnitude == 0x7c => f64::INFINITY,
            Narrow::E5m2 if magnitude > 0x7c => f64::NAN,
            Narrow::E4m3 if magnitude == 0x7f => f64::NAN,
            Narrow::Ue5m3 if magnitude == 0xff => f64::NAN,
            Narrow::E4m3 | Narrow::E5m2 | Narrow::E2m3 | Narrow::E3m2 | Narrow::E2m1 | Narrow::Ue5m3 => {
                self.grid().value(magnitude)
            }
        };
        if raw & self.sign_bit() == 0 { value } else { -value }
    }

    /// Rounds `x` to the format (manual 9.7.9.21). Formats without sign use the magnitude.
    #[inline]
    pub fn narrow(self, x: f64, direction: Direction, range: Range, negatives: Negatives) -> u64 {
        if x.is_nan() {
            return self.nan();
        }
        let has_sign = self.sign_bit() != 0;
        let sign = if has_sign { sign_of(x) } else { Sign::Positive };
        if sign == Sign::Negative && negatives == Negatives::Zero {
            return 0;
        }
        let beyond = match range {
            Range::Finite => self.largest(),
            Range::Infinite => self.overflow(),
        };
        let tail = direction.tail(sign);
        let magnitude = if x.is_infinite() { u64::MAX } else { self.magnitude(x, tail) };
        let limited = match tail {
            _ if magnitude <= self.largest() => magnitude,
            Tail::Truncate if x.is_finite() => self.largest(),
            Tail::Truncate | Tail::HalfEven | Tail::HalfAway | Tail::Away | Tail::Random(_) => beyond,
        };
        match (self, sign) {
            (_, Sign::Positive) => limited,
            // There is one more negative than positive value.
            (Narrow::S2f6, Sign::Negative) if magnitude > limited => 0x80,
            (Narrow::S2f6, Sign::Negative) => limited.wrapping_neg() & 0xff,
            (
                Narrow::E4m3
                | Narrow::E5m2
                | Narrow::E2m3
                | Narrow::E3m2
                | Narrow::E2m1
                | Narrow::Ue8m0
                | Narrow::Ue5m3,
                Sign::Negative,
            ) => limited | self.sign_bit(),
        }
    }

    /// The encoded magnitude that a finite value is rounded to.
    #[inline]
    fn magnitude(self, x: f64, tail: Tail) -> u64 {
        let (significand, exponent) = parts(x);
        match self {
            // The grid encodes powers of two from 1; everything below the first of them rounds to it.
            Narrow::Ue8m0 => self.grid().round(significand, exponent, tail).saturating_sub(1),
            // Far out of range, where the grid encoding would overflow.
            Narrow::S2f6 if x.abs() >= 4.0 => u64::MAX,
            Narrow::E4m3
            | Narrow::E5m2
            | Narrow::E2m3
            | Narrow::E3m2
            | Narrow::E2m1
            | Narrow::Ue5m3
            | Narrow::S2f6 => self.grid().round(significand, exponent, tail),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Narrow; 8] = [
        Narrow::E4m3,
        Narrow::E5m2,
        Narrow::E2m3,
        Narrow::E3m2,
        Narrow::E2m1,
        Narrow::Ue8m0,
        Narrow::Ue5m3,
        Narrow::S2f6,
    ];

    fn nearest(format: Narrow, x: f64) -> u64 {
        format.narrow(x, Direction::By(Rounding::NearestEven), Range::Finite, Negatives::Keep)
    }

    #[test]
    fn every_value_narrows_back_to_itself() {
        for format in ALL {
            let values = format.sign_bit() | format.largest();
            for raw in (0..=0xff).filter(|raw| raw & !values == 0) {
                let value = format.widen(raw);
                if !value.is_nan() && value.is_finite() {
                    assert_eq!(nearest(format, value), raw, "{format:?} {value}");
                }
            }
        }
    }

    /// The largest and the smallest values of the formats (Open Compute Project, 8-bit and microscaling formats; manual
    /// 5.2.4 for the fixed-point one).
    #[test]
    fn formats_end_where_they_should() {
        let ends = [
            (Narrow::E4m3, 448.0, 2f64.powi(-9)),
            (Narrow::E5m2, 57344.0, 2f64.powi(-16)),
            (Narrow::E2m3, 7.5, 0.125),
            (Narrow::E3m2, 28.0, 0.0625),
            (Narrow::E2m1, 6.0, 0.5),
            (Narrow::Ue8m0, 2f64.powi(127), 2f64.powi(-126)),
            (Narrow::Ue5m3, 114_688.0, 2f64.powi(-17)),
            (Narrow::S2f6, 1.984375, 0.015625),
        ];
        for (format, largest, smallest) in ends {
            assert_eq!((format.widen(format.largest()), format.widen(1)), (largest, smallest), "{format:?}");
            assert_eq!(nearest(format, 1e9 * largest), format.largest(), "{format:?}");
            assert_eq!(nearest(format, f64::INFINITY), format.largest(), "{format:?}");
        }
        assert_eq!(Narrow::Ue8m0.widen(0), 2f64.powi(-127));
        assert_eq!((Narrow::S2f6.widen(0x80), nearest(Narrow::S2f6, -3.0)), (-2.0, 0x80));
    }

    #[test]
    fn nans_and_overflow_go_where_the_format_has_room() {
        for (format, nan) in ALL.into_iter().zip([0x7f, 0x7f, 0x1f, 0x1f, 0x7, 0xff, 0xff, 0x7f]) {
            assert_eq!(nearest(format, -f64::NAN), nan, "{format:?}");
        }
        let infinite =
            |format: Narrow, x, r| format.narrow(x, Direction::By(r), Range::Infinite, Negatives::Keep);
        assert_eq!(infinite(Narrow::Ue8m0, f64::INFINITY, Rounding::TowardZero), 0xff);
        assert_eq!(infinite(Narrow::Ue8m0, 1.5 * 2f64.powi(127), Rounding::Up), 0xff);
        assert_eq!(infinite(Narrow::Ue8m0, 1.5 * 2f64.powi(127), Rounding::TowardZero), 0xfe);
        assert_eq!(infinite(Narrow::Ue5m3, 2e5, Rounding::TowardZero), 0xfe);
        assert_eq!(infinite(Narrow::Ue5m3, 2e5, Rounding::NearestEven), 0xff);
    }

    #[test]
    fn ties_go_to_even_and_signs_are_kept_or_dropped() {
        assert_eq!(nearest(Narrow::E2m1, 2.5), 0x4, "between 2 and 3");
        assert_eq!(nearest(Narrow::E2m1, -3.5), 0xe, "between -3 and -4");
        assert_eq!(nearest(Narrow::E2m1, -0.25), 0x8, "a zero keeps its sign");
        assert_eq!(nearest(Narrow::S2f6, -1.5 / 64.0), 0xfe);
        assert_eq!(nearest(Narrow::Ue5m3, -1.0), 0x78);
        let relu = |format: Narrow, x| {
            format.narrow(x, Direction::By(Rounding::NearestEven), Range::Finite, Negatives::Zero)
        };
        assert_eq!((relu(Narrow::E4m3, -1.0), relu(Narrow::S2f6, -1.0), relu(Narrow::E2m1, 1.0)), (0, 0, 2));
    }

    #[test]
    fn random_bits_round_up_by_their_carry() {
        let random = |x, bits| {
            let direction = Direction::Random(RandomBits { count: 8, bits });
            Narrow::E2m1.narrow(x, direction, Range::Finite, Negatives::Keep)
        };
        // 2.25 lies a quarter of the way from 2 to 3.
        assert_eq!((random(2.25, 0xbf), random(2.25, 0xc0)), (0x4, 0x5));
        assert_eq!((random(-2.25, 0xbf), random(-2.25, 0x1c0)), (0xc, 0xd));
        assert_eq!(random(2.0, 0xff), 0x4, "what is exact stays");
        assert_eq!((random(5.999, 0xff), random(6.5, 0)), (0x7, 0x7));
    }
}
