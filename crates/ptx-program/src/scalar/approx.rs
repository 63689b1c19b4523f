//! Transcendental functions, in binary64 with only additions, multiplications and divisions.
//!
//! PTX defines them for `.f32` and narrower formats, as approximations. They are computed with an error of about one
//! ulp of binary64 and rounded once, so that nearly every result is correctly rounded. All machines and engines produce
//! identical bits, since nothing depends on a C library or on fused operations: each function is written once, generic
//! over [`Real`]. The interpreter instantiates it with `f64`; `ptx-host` emits vector code for the same operations.
//!
//! `scripts/approx-coefficients.py` computes the coefficients.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// 1.5 * 2^52: added to a number below 2^51, it leaves the nearest integer in the low bits.
const SHIFTER: f64 = 6_755_399_441_055_744.0;
/// The bits of sqrt(1/2).
const ROOT_OF_HALF: u64 = 0x3fe6_a09e_667f_3bcd;

/// A binary64 number as represented by an engine: a value, or code for vectors of values.
pub trait Real:
    Copy
    + Neg<Output = Self>
    + Add<Output = Self>
    + Add<f64, Output = Self>
    + Sub<Output = Self>
    + Sub<f64, Output = Self>
    + Mul<Output = Self>
    + Mul<f64, Output = Self>
    + Div<Output = Self>
{
    /// A constant.
    fn constant(self, value: f64) -> Self;
    /// The magnitude.
    fn magnitude(self) -> Self;
    /// The magnitude with the sign of another number.
    fn with_sign_of(self, sign: Self) -> Self;
    /// The nearest integer, ties to even.
    fn nearest_integer(self) -> Self;
    /// `yes` if the number is less than `limit`, `no` otherwise, including for a NaN.
    fn if_below(self, limit: f64, yes: Self, no: Self) -> Self;
    /// `yes` if the given bit of the number is set; bit 0 is the lowest.
    fn if_bit(self, bit: u32, yes: Self, no: Self) -> Self;
    /// 2 to the power of the low 11 bits of the number, taken as two's complement.
    fn power_of_low_bits(self) -> Self;
    /// The exponent of a positive normal number, and its significand scaled to sqrt(1/2)..sqrt(2).
    fn exponent_and_significand(self) -> (Self, Self);
}

impl Real for f64 {
    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn with_sign_of(self, sign: Self) -> Self {
        self.copysign(sign)
    }

    #[inline(always)]
    fn nearest_integer(self) -> Self {
        self.round_ties_even()
    }

    #[inline(always)]
    fn if_below(self, limit: f64, yes: Self, no: Self) -> Self {
        if self < limit { yes } else { no }
    }

    #[inline(always)]
    fn if_bit(self, bit: u32, yes: Self, no: Self) -> Self {
        if self.to_bits() >> bit & 1 == 1 { yes } else { no }
    }

    #[inline(always)]
    fn power_of_low_bits(self) -> Self {
        f64::from_bits((self.to_bits() << 52).wrapping_add(1023 << 52))
    }

    #[inline(always)]
    fn exponent_and_significand(self) -> (Self, Self) {
        let bits = self.to_bits();
        let exponent = (bits.wrapping_sub(ROOT_OF_HALF) as i64 >> 52) as u64;
        let significand = f64::from_bits(bits.wrapping_sub(exponent << 52));
        (f64::from_bits(SHIFTER.to_bits().wrapping_add(exponent)) - SHIFTER, significand)
    }
}

/// For [`Real::exponent_and_significand`]: the bits of the smallest significand, and the number to whose bits an
/// integer is added before it is subtracted, which converts the integer to binary64.
pub const SPLIT: (u64, f64) = (ROOT_OF_HALF, SHIFTER);

/// Evaluates a polynomial, coefficients in ascending order; even and odd powers are evaluated separately for instruction-level parallelism.
#[inline(always)]
fn polynomial<R: Real, const N: usize>(x: R, coefficients: &[f64; N]) -> R {
    let square = x * x;
    let part = |first: usize| {
        let last = if (N - 1) % 2 == first { N - 1 } else { N - 2 };
        let mut sum = x.constant(coefficients[last]);
        let mut n = last;
        while n > first {
            n -= 2;
            sum = sum * square + coefficients[n];
        }
        sum
    };
    part(1) * x + part(0)
}

/// `(2^x - 1) / x` for `x` from -1/2 to 1/2: error 2^-55.
#[allow(clippy::approx_constant)] // The first coefficient happens to be ln 2.
const EX2: [f64; 11] = [
    0.693_147_180_559_945_3,
    0.240_226_506_959_101,
    0.055_504_108_664_821_6,
    0.009_618_129_107_606_541,
    0.001_333_355_814_641_675,
    0.000_154_035_304_423_195_46,
    1.525_273_383_014_713_8e-05,
    1.321_544_223_296_934_4e-06,
    1.017_806_225_664_654_3e-07,
    7.072_656_799_362_923e-09,
    4.454_998_363_104_868_4e-10,
];

/// `2^k` and `2^f - 1` for `x = k + f`, for `x` from -1000 to 1000.
#[inline(always)]
fn powers<R: Real>(x: R) -> (R, R) {
    let shifted = x + SHIFTER;
    let rest = x - (shifted - SHIFTER);
    (shifted.power_of_low_bits(), rest * polynomial(rest, &EX2))
}

/// `2^x`, for results in the range of `.f32`; results far out of range remain out of range.
#[inline(always)]
pub fn ex2<R: Real>(x: R) -> R {
    let raised = x.if_below(-200.0, x.constant(-200.0), x);
    let limited = (-raised).if_below(-200.0, x.constant(200.0), raised);
    let (whole, part) = powers(limited);
    whole * part + whole
}

/// `log2((1 + s) / (1 - s)) / s` as a function of `s^2`, for quotients from sqrt(1/2) to sqrt(2): error 2^-59.
const LG2: [f64; 8] = [
    2.885_390_081_777_926_8,
    0.961_796_693_925_989_9,
    0.577_078_016_345_458_6,
    0.412_198_585_854_862_96,
    0.320_598_533_422_746_5,
    0.262_334_433_572_846_8,
    0.220_910_914_237_026_2,
    0.213_681_639_096_966_75,
];

/// The base-2 logarithm of a number that is not subnormal.
#[inline(always)]
pub fn lg2<R: Real>(x: R) -> R {
    let (exponent, significand) = x.exponent_and_significand();
    let s = (significand - 1.0) / (significand + 1.0);
    let finite = s * polynomial(s * s, &LG2) + exponent;
    // Infinities and NaNs are passed through.
    let positive = x.if_below(f64::INFINITY, finite, x);
    let number = x.if_below(f64::MIN_POSITIVE, x.constant(f64::NEG_INFINITY), positive);
    x.if_below(0.0, x.constant(f64::NAN), number)
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh<R: Real>(x: R) -> R {
    let magnitude = x.magnitude();
    // From here on the result is 1 in binary64.
    let limited = (-magnitude).if_below(-30.0, x.constant(30.0), magnitude);
    // e^2x - 1, computed so that small values keep their precision.
    let (whole, part) = powers(limited * (2.0 * std::f64::consts::LOG2_E));
    let power = whole * part + (whole - 1.0);
    let large = (power / (power + 2.0)).with_sign_of(x);
    magnitude.if_below(TINY, x, large)
}

/// For smaller x, sin(x) and tan(x) equal x in binary64.
const TINY: f64 = 1.0 / (1u64 << 30) as f64;

/// `(sin(r) / r - 1) / r^2` as a function of `r^2`, for `r` up to pi/4: error 2^-52, which corresponds to 2^-55 in the sine.
const SIN: [f64; 6] = [
    -0.166_666_666_666_666_66,
    0.008_333_333_333_330_936,
    -0.000_198_412_698_367_405_32,
    2.755_731_609_319_840_4e-06,
    -2.505_112_989_645_018_5e-08,
    1.591_798_897_939_743_5e-10,
];

/// `(cos(r) - 1 + r^2 / 2) / r^4` as a function of `r^2`, for `r` up to pi/4: error 2^-54, which corresponds to 2^-59 in the cosine.
const COS: [f64; 6] = [
    0.041_666_666_666_666_664,
    -0.001_388_888_888_888_738_9,
    2.480_158_729_875_44e-05,
    -2.755_731_726_587_808e-07,
    2.087_614_504_941_318e-09,
    -1.138_254_464_534_925e-11,
];

/// A reduced angle: the number of quarter turns in the low bits, and the remainder in radians, at most an eighth of a turn in magnitude.
#[derive(Clone, Copy, Debug)]
pub struct Angle<R> {
    /// A number whose two lowest bits are the number of quarter turns.
    pub quarters: R,
    /// The remainder in radians.
    pub rest: R,
}

impl<R: Real> Angle<R> {
    #[inline(always)]
    fn sine_of_rest(self) -> R {
        let square = self.rest * self.rest;
        let sine = self.rest + self.rest * (square * polynomial(square, &SIN));
        self.rest.magnitude().if_below(TINY, self.rest, sine)
    }

    #[inline(always)]
    fn cosine_of_rest(self) -> R {
        let square = self.rest * self.rest;
        (square * square) * polynomial(square, &COS) + (square * -0.5 + 1.0)
    }

    /// The sine.
    #[inline(always)]
    pub fn sine(self) -> R {
        let value = self.quarters.if_bit(0, self.cosine_of_rest(), self.sine_of_rest());
        self.quarters.if_bit(1, -value, value)
    }

    /// The cosine.
    #[inline(always)]
    pub fn cosine(self) -> R {
        let value = self.quarters.if_bit(0, -self.sine_of_rest(), self.cosine_of_rest());
        self.quarters.if_bit(1, -value, value)
    }
}

/// Angles in radians of smaller magnitude are reduced by [`small_angle`], others by [`large_angle`].
pub const SMALL_ANGLE: f64 = (1u64 << 20) as f64;

/// pi/2 in parts of 33 bits, whose products with 20-bit numbers are exact.
const QUARTER: [f64; 3] = [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];

/// Reduces an angle in radians whose magnitude is below [`SMALL_ANGLE`].
#[inline(always)]
pub fn small_angle<R: Real>(x: R) -> Angle<R> {
    let quarters = x * std::f64::consts::FRAC_2_PI + SHIFTER;
    let count = quarters - SHIFTER;
    let rest = ((x - count * QUARTER[0]) - count * QUARTER[1]) - count * QUARTER[2];
    Angle { quarters, rest }
}

/// 2/pi in parts of 24 bits, enough for all binary32 numbers.
const QUARTERS_PER_RADIAN: [f64; 11] = [
    0.636_619_746_685_028_1,
    2.568_255_297_319_410_6e-08,
    2.937_095_214_933_759e-16,
    3.254_379_400_173_245_6e-23,
    1.208_961_370_882_853_7e-29,
    5.667_556_795_740_071e-37,
    2.620_403_111_209_721_5e-44,
    7.053_957_680_880_629e-52,
    1.582_624_282_116_559e-58,
    6.375_014_128_012_717e-66,
    4.363_831_344_314_827_5e-73,
];

/// Reduces a binary32 angle in radians.
///
/// Its products with 24-bit parts are exact, and remain exact after whole turns are removed; the sum of the remainders
/// is exact except for negligible terms.
#[inline(always)]
pub fn large_angle<R: Real>(x: R) -> Angle<R> {
    let (mut sum, mut lost) = (x.constant(0.0), x.constant(0.0));
    for part in QUARTERS_PER_RADIAN {
        let product = x * part;
        let quarters = product - (product * 0.25).nearest_integer() * 4.0;
        // Knuth's two-sum.
        let next = sum + quarters;
        let added = next - sum;
        lost = lost + ((sum - (next - added)) + (quarters - added));
        sum = next;
    }
    let quarters = sum + SHIFTER;
    let rest = (sum - (quarters - SHIFTER)) + lost;
    Angle { quarters, rest: rest * std::f64::consts::FRAC_PI_2 }
}

/// Reduces an angle in turns; exact up to the product with pi, since the subtractions lose no bits.
#[inline(always)]
pub fn turns<R: Real>(x: R) -> Angle<R> {
    let part = x - x.nearest_integer();
    let quarters = part * 4.0 + SHIFTER;
    let rest = part - (quarters - SHIFTER) * 0.25;
    // A zero keeps its sign; so small a number is its own remainder.
    let kept = x.magnitude().if_below(TINY, x, rest);
    Angle { quarters, rest: kept * std::f64::consts::TAU }
}

/// Reduces a binary32 angle in radians, for an engine that handles one number at a time.
#[inline]
pub fn angle(x: f64) -> Angle<f64> {
    if x.abs() < SMALL_ANGLE { small_angle(x) } else { large_angle(x) }
}

#[cfg(test)]
mod tests;
