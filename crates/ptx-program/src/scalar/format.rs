//! The floating-point formats of PTX with at least 16 bits, and rounding (manual 5.2.2, 5.2.3, 6.5.2); the narrower formats are in [`super::narrow`].

/// A floating-point format, in the low bits of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Format {
    /// IEEE binary16.
    F16,
    /// The upper half of a binary32.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// A binary32 whose low 13 bits are zero.
    Tf32,
}

/// The rounding mode of inexact results (manual 6.5.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Rounding {
    /// `.rn`: to the nearest value, ties to the even one.
    NearestEven,
    /// `.rna`: to the nearest value, ties away from zero.
    NearestAway,
    /// `.rz`: towards zero.
    TowardZero,
    /// `.rm`: towards negative infinity.
    Down,
    /// `.rp`: towards positive infinity.
    Up,
}

/// The sign of a value; the sign bit is set for [`Sign::Negative`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// The sign bit is 0.
    Positive,
    /// The sign bit is 1.
    Negative,
}

impl Format {
    /// Width of a value in a register or in memory.
    #[inline]
    pub const fn bits(self) -> u32 {
        match self {
            Format::F16 | Format::Bf16 => 16,
            Format::F32 | Format::Tf32 => 32,
            Format::F64 => 64,
        }
    }

    /// Number of stored significand bits.
    #[inline]
    pub const fn fraction_bits(self) -> u32 {
        match self {
            Format::F16 | Format::Tf32 => 10,
            Format::Bf16 => 7,
            Format::F32 => 23,
            Format::F64 => 52,
        }
    }

    #[inline]
    const fn exponent_bits(self) -> u32 {
        match self {
            Format::F16 => 5,
            Format::Bf16 | Format::F32 | Format::Tf32 => 8,
            Format::F64 => 11,
        }
    }

    /// Position of the format's lowest bit in the register; only `.tf32` has unused low bits.
    #[inline]
    const fn padding(self) -> u32 {
        match self {
            Format::Tf32 => 13,
            Format::F16 | Format::Bf16 | Format::F32 | Format::F64 => 0,
        }
    }

    /// The grid of the format's magnitudes.
    #[inline]
    const fn grid(self) -> Grid {
        Grid::ieee(self.exponent_bits(), self.fraction_bits())
    }

    /// The mask of the sign bit.
    #[inline]
    pub const fn sign_bit(self) -> u64 {
        1 << (self.bits() - 1)
    }

    /// The mask of all bits except the sign.
    #[inline]
    pub const fn magnitude_mask(self) -> u64 {
        self.sign_bit() - 1
    }

    /// The smallest normal magnitude.
    #[inline]
    pub const fn smallest_normal(self) -> u64 {
        1 << (self.fraction_bits() + self.padding())
    }

    /// Positive infinity.
    #[inline]
    pub const fn infinity(self) -> u64 {
        ((1 << self.exponent_bits()) - 1) << (self.fraction_bits() + self.padding())
    }

    /// The largest finite value.
    #[inline]
    pub const fn largest(self) -> u64 {
        self.infinity() - (1 << self.padding())
    }

    /// The value one.
    #[inline]
    pub const fn one(self) -> u64 {
        ((1 << (self.exponent_bits() - 1)) - 1) << (self.fraction_bits() + self.padding())
    }

    /// The NaN result of an operation without a NaN operand to propagate.
    ///
    /// The manual specifies 0x7fffffff for `.f32` and 0x7fff for half precision (9.7.3, 9.7.4); the `.f64` one is the hardware's.
    #[inline]
    pub const fn canonical_nan(self) -> u64 {
        match self {
            Format::F16 | Format::Bf16 => 0x7fff,
            Format::F32 | Format::Tf32 => 0x7fff_ffff,
            Format::F64 => 0xfff8_0000_0000_0000,
        }
    }

    /// Whether the bits are a NaN.
    #[inline]
    pub const fn is_nan(self, raw: u64) -> bool {
        raw & self.magnitude_mask() > self.infinity()
    }

    /// Whether the bits are an infinity.
    #[inline]
    pub const fn is_infinite(self, raw: u64) -> bool {
        raw & self.magnitude_mask() == self.infinity()
    }

    /// Whether the bits are a nonzero value below the smallest normal one.
    #[inline]
    pub const fn is_subnormal(self, raw: u64) -> bool {
        let magnitude = raw & self.magnitude_mask();
        magnitude != 0 && magnitude < self.smallest_normal()
    }

    /// The sign of the bits.
    #[inline]
    pub const fn sign(self, raw: u64) -> Sign {
        if raw & self.sign_bit() == 0 { Sign::Positive } else { Sign::Negative }
    }

    /// Converts to binary64, in which every value of every format is exact. NaNs become some NaN.
    #[inline]
    pub fn widen(self, raw: u64) -> f64 {
        match self {
            Format::F32 | Format::Tf32 => f64::from(f32::from_bits(raw as u32)),
            Format::Bf16 => f64::from(f32::from_bits((raw as u32) << 16)),
            Format::F64 => f64::from_bits(raw),
            Format::F16 => self.widen_small(raw),
        }
    }

    #[inline]
    fn widen_small(self, raw: u64) -> f64 {
        let magnitude = raw & self.magnitude_mask();
        let value = if self.is_nan(raw) {
            return f64::NAN;
        } else if self.is_infinite(raw) {
            f64::INFINITY
        } else {
            self.grid().value(magnitude)
        };
        if raw & self.sign_bit() == 0 { value } else { -value }
    }

    /// Rounds `x` to the format; a NaN becomes the canonical NaN.
    ///
    /// Double rounding is exact if the first rounding was to odd with two more bits than the format has.
    #[inline]
    pub fn narrow(self, x: f64, rounding: Rounding) -> u64 {
        self.narrow_tail(x, Tail::of(rounding, sign_of(x)))
    }

    /// Like [`Format::narrow`], with subnormal results flushed to zeros of the same sign (`.ftz`).
    ///
    /// A result counts as subnormal if it is so after rounding to the format's precision with unbounded exponent:
    /// values so close below the smallest normal value that only the coarser grid of subnormals rounds them up to it
    /// are flushed. `ptxas` folds constants in the same way.
    #[inline]
    pub fn narrow_flushing(self, x: f64, rounding: Rounding) -> u64 {
        let raw = self.narrow(x, rounding);
        if raw & self.magnitude_mask() > self.smallest_normal() {
            return raw;
        }
        // Rounded 16 binades up, in the normal range, and compared with the smallest normal number there: magnitudes
        // are consecutive integers, and a binade has as many of them as the encoding of the smallest normal number, so
        // 16 binades up it is 17 times that encoding.
        let raised = self.narrow(x * power_of_two(16), rounding) & self.magnitude_mask();
        if raised < self.smallest_normal() * 17 { raw & self.sign_bit() } else { raw }
    }

    /// Rounds `x` to one of the two adjacent values by random bits (`.rs`); a NaN becomes the canonical NaN.
    #[inline]
    pub fn narrow_random(self, x: f64, random: RandomBits) -> u64 {
        self.narrow_tail(x, Tail::Random(random))
    }

    #[inline]
    fn narrow_tail(self, x: f64, tail: Tail) -> u64 {
        let sign = sign_of(x);
        if x.is_nan() {
            self.canonical_nan()
        } else if x.is_infinite() {
            self.with_sign(self.infinity(), sign)
        } else {
            let (significand, exponent) = parts(x);
            self.round_tail(sign, significand, exponent, tail)
        }
    }

    /// `magnitude` with the given sign.
    #[inline]
    pub fn with_sign(self, magnitude: u64, sign: Sign) -> u64 {
        match sign {
            Sign::Positive => magnitude,
            Sign::Negative => magnitude | self.sign_bit(),
        }
    }

    /// Rounds `significand * 2^exponent`; zero gives zero, and overflow the infinity or the largest value as IEEE 754
    /// specifies for the rounding mode.
    #[inline]
    pub fn round(self, sign: Sign, significand: u64, exponent: i32, rounding: Rounding) -> u64 {
        self.round_tail(sign, significand, exponent, Tail::of(rounding, sign))
    }

    #[inline]
    fn round_tail(self, sign: Sign, significand: u64, exponent: i32, tail: Tail) -> u64 {
        let magnitude = self.grid().round(significand, exponent, tail) << self.padding();
        let limited = if magnitude < self.infinity() {
            magnitude
        } else {
            match tail {
                Tail::Truncate => self.largest(),
                Tail::HalfEven | Tail::HalfAway | Tail::Away | Tail::Random(_) => self.infinity(),
            }
        };
        self.with_sign(limited, sign)
    }
}

/// The magnitudes of a binary floating-point format: for each exponent `2^fraction_bits` evenly spaced ones, encoded as
/// consecutive integers from zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub(super) fraction_bits: u32,
    /// The exponent of the last place of the smallest magnitudes.
    pub(super) least_exponent: i32,
}

impl Grid {
    /// The grid of a format with this many bits for a biased exponent, whose smallest values are subnormal.
    #[inline]
    pub(super) const fn ieee(exponent_bits: u32, fraction_bits: u32) -> Self {
        Self { fraction_bits, least_exponent: 2 - (1 << (exponent_bits - 1)) - fraction_bits as i32 }
    }

    /// The value of an encoded magnitude.
    #[inline]
    pub(super) fn value(self, magnitude: u64) -> f64 {
        let smallest_normal = 1 << self.fraction_bits;
        let exponent = (magnitude >> self.fraction_bits) as i32;
        let fraction = magnitude & (smallest_normal - 1);
        let significand = if exponent == 0 { fraction } else { fraction | smallest_normal };
        significand as f64 * power_of_two(exponent.max(1) - 1 + self.least_exponent)
    }

    /// The encoded magnitude that `significand * 2^exponent` is rounded to, without overflow.
    #[inline]
    pub(super) fn round(self, significand: u64, exponent: i32, tail: Tail) -> u64 {
        if significand == 0 {
            return 0;
        }
        // The exponent of the highest bit determines that of the last place, which is bounded below for subnormals.
        let top = exponent + 63 - significand.leading_zeros() as i32;
        let last = (top - self.fraction_bits as i32).max(self.least_exponent);
        let kept = round_shift(significand, last - exponent, tail);
        // A carry out of the significand increments the exponent, as it should.
        (((last - self.least_exponent) as u64) << self.fraction_bits) + kept
    }
}

/// The magnitude of a finite value as an integer significand and the exponent of its last place.
#[inline]
pub(super) fn parts(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let significand = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    (significand, exponent.max(1) - 1075)
}

/// The sign of a value, including zeros and NaNs.
#[inline]
pub(super) fn sign_of(x: f64) -> Sign {
    if x.is_sign_negative() { Sign::Negative } else { Sign::Positive }
}

/// Random bits for stochastic rounding (`.rs`, manual 9.7.9.21): they are added to the same number of bits below the
/// last place, and the carry out of the sum rounds the magnitude up. Lower bits are ignored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub struct RandomBits {
    /// Number of bits, at most 16.
    pub count: u32,
    /// The bits; those above the count are ignored.
    pub bits: u64,
}

/// Handling of the magnitude's bits below the last place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tail {
    Truncate,
    HalfEven,
    HalfAway,
    Away,
    Random(RandomBits),
}

impl Tail {
    /// The effect of a rounding mode on magnitudes with a given sign.
    #[inline]
    pub(super) fn of(rounding: Rounding, sign: Sign) -> Self {
        match (rounding, sign) {
            (Rounding::NearestEven, _) => Tail::HalfEven,
            (Rounding::NearestAway, _) => Tail::HalfAway,
            (Rounding::TowardZero, _) | (Rounding::Down, Sign::Positive) | (Rounding::Up, Sign::Negative) => {
                Tail::Truncate
            }
            (Rounding::Down, Sign::Negative) | (Rounding::Up, Sign::Positive) => Tail::Away,
        }
    }
}

/// `significand / 2^shift`, rounded; negative shifts multiply.
#[inline]
fn round_shift(significand: u64, shift: i32, tail: Tail) -> u64 {
    if shift <= 0 {
        return significand << -shift;
    }
    // Beyond 65 places everything is below half of the last place, and remains so; there are fewer than 17 random bits.
    let shift = shift.min(96) as u32;
    let wide = u128::from(significand);
    let (kept, rest, half) = ((wide >> shift) as u64, wide & ((1 << shift) - 1), 1u128 << (shift - 1));
    let up = match tail {
        Tail::Truncate => false,
        Tail::HalfEven => rest > half || (rest == half && kept & 1 == 1),
        Tail::HalfAway => rest >= half,
        Tail::Away => rest > 0,
        Tail::Random(RandomBits { count, bits }) => {
            // The first `count` of the dropped bits; `rest` has at most 64 bits and `count` is at most 16, so nothing is shifted out.
            let dropped = rest << count >> shift;
            dropped + (u128::from(bits) & ((1 << count) - 1)) >= 1 << count
        }
    };
    kept + u64::from(up)
}

/// `2^exponent` for exponents of normal binary64 values.
#[inline]
pub fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};
    use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
    use rustc_apfloat::{Float, FloatConvert, Round};

    const ROUNDINGS: [(Rounding, Round); 5] = [
        (Rounding::NearestEven, Round::NearestTiesToEven),
        (Rounding::NearestAway, Round::NearestTiesToAway),
        (Rounding::TowardZero, Round::TowardZero),
        (Rounding::Down, Round::TowardNegative),
        (Rounding::Up, Round::TowardPositive),
    ];

    fn by_apfloat<S: Float>(x: f64, round: Round) -> u64
    where
        Double: FloatConvert<S>,
    {
        let mut exact = false;
        FloatConvert::<S>::convert_r(Double::from_bits(u128::from(x.to_bits())), round, &mut exact)
            .value
            .to_bits() as u64
    }

    #[test]
    fn every_half_widens_to_its_value() {
        for raw in 0..=0xffffu16 {
            let (ours, theirs) = (Format::F16.widen(raw.into()), f16::from_bits(raw).to_f64());
            assert!(ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan()), "{raw:#x}");
            let (ours, theirs) = (Format::Bf16.widen(raw.into()), bf16::from_bits(raw).to_f64());
            assert!(ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan()), "{raw:#x}");
        }
    }

    #[test]
    fn every_half_narrows_back_to_itself() {
        for format in [Format::F16, Format::Bf16] {
            for raw in (0..1u64 << format.bits()).filter(|&raw| !format.is_nan(raw)) {
                for (rounding, _) in ROUNDINGS {
                    assert_eq!(format.narrow(format.widen(raw), rounding), raw, "{format:?}");
                }
            }
        }
    }

    #[test]
    fn narrowing_agrees_with_apfloat_in_every_rounding() {
        let mut state = 1u64;
        for _ in 0..40_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Exponents around the formats' ranges, so that subnormals and overflow occur often.
            let exponent = 1023 - 160 + (state >> 33) % 320;
            let x = f64::from_bits(state << 63 | exponent << 52 | (state >> 7 & ((1 << 52) - 1)));
            for (ours, theirs) in ROUNDINGS {
                assert_eq!(Format::F16.narrow(x, ours), by_apfloat::<Half>(x, theirs), "{x:e} {ours:?}");
                assert_eq!(Format::Bf16.narrow(x, ours), by_apfloat::<BFloat>(x, theirs), "{x:e} {ours:?}");
                assert_eq!(Format::F32.narrow(x, ours), by_apfloat::<Single>(x, theirs), "{x:e} {ours:?}");
            }
            assert_eq!(Format::F32.narrow(x, Rounding::NearestEven), u64::from((x as f32).to_bits()));
        }
    }

    #[test]
    fn ties_and_ends_of_the_ranges() {
        assert_eq!(Format::F16.narrow(65520.0, Rounding::NearestEven), 0x7c00);
        assert_eq!(Format::F16.narrow(65519.9, Rounding::NearestEven), 0x7bff);
        assert_eq!(Format::F16.narrow(1e9, Rounding::TowardZero), 0x7bff);
        assert_eq!(Format::F16.narrow(-1e9, Rounding::Up), 0xfbff);
        assert_eq!(Format::Tf32.narrow(1.0 + 1.0 / 2048.0, Rounding::NearestAway), 0x3f80_2000);
        assert_eq!(Format::Tf32.narrow(1.0 + 1.0 / 2048.0, Rounding::NearestEven), 0x3f80_0000);
        assert_eq!(
            Format::F64.narrow(f64::MIN_POSITIVE / 3.0, Rounding::Up),
            (f64::MIN_POSITIVE / 3.0).to_bits()
        );
    }
}
