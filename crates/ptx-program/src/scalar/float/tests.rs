use super::*;
use rustc_apfloat::ieee::{BFloat, Half, Single};

const DIRECTED: [(Rounding, Round); 4] = [
    (Rounding::NearestEven, Round::NearestTiesToEven),
    (Rounding::TowardZero, Round::TowardZero),
    (Rounding::Down, Round::TowardNegative),
    (Rounding::Up, Round::TowardPositive),
];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Any bits of the format, often near `near` in exponent so that sums and products are interesting.
    fn value(&mut self, format: Format, near: u64) -> u64 {
        let mask = format.sign_bit() | format.magnitude_mask();
        match self.next() % 4 {
            0 => self.next() & mask,
            1 => near ^ (self.next() & (format.smallest_normal() * 4 - 1)),
            2 => near ^ (self.next() & 3) ^ (self.next() & format.sign_bit()),
            _ => [0, 1, format.one(), format.infinity(), format.largest(), format.smallest_normal()]
                [(self.next() % 6) as usize],
        }
    }
}

fn same(format: Format, ours: u64, theirs: u64) -> bool {
    ours == theirs || (format.is_nan(ours) && format.is_nan(theirs))
}

fn check_against_apfloat<S: Float>(format: Format) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let soft = |raw: u64| S::from_bits(raw.into());
    let bits = |value: S| value.to_bits() as u64;
    for _ in 0..15_000 {
        let a = random.value(format, format.one());
        let (b, c) = (random.value(format, a), random.value(format, a));
        for (rounding, round) in DIRECTED {
            let m = Arith { rounding, ..Arith::nearest(format) };
            let shown = format!("{format:?} {rounding:?} {a:#x} {b:#x} {c:#x}");
            assert!(same(format, add(&m, a, b), bits(soft(a).add_r(soft(b), round).value)), "add {shown}");
            assert!(same(format, sub(&m, a, b), bits(soft(a).sub_r(soft(b), round).value)), "sub {shown}");
            assert!(same(format, mul(&m, a, b), bits(soft(a).mul_r(soft(b), round).value)), "mul {shown}");
            assert!(same(format, div(&m, a, b), bits(soft(a).div_r(soft(b), round).value)), "div {shown}");
            assert!(
                same(format, fma(&m, a, b, c), bits(soft(a).mul_add_r(soft(b), soft(c), round).value)),
                "fma {shown}"
            );
        }
    }
}

#[test]
fn arithmetic_agrees_with_a_software_implementation() {
    check_against_apfloat::<Half>(Format::F16);
    check_against_apfloat::<BFloat>(Format::Bf16);
    check_against_apfloat::<Single>(Format::F32);
    check_against_apfloat::<Double>(Format::F64);
}

#[test]
fn the_host_s_single_precision_is_the_same() {
    let mut random = Random(3);
    for _ in 0..30_000 {
        let a = random.value(Format::F32, Format::F32.one());
        let (b, c) = (random.value(Format::F32, a), random.value(Format::F32, a));
        for subnormals in [Subnormals::Keep, Subnormals::Flush] {
            let m = Arith { subnormals, ..Arith::nearest(Format::F32) };
            let shown = format!("{subnormals:?} {a:#x} {b:#x} {c:#x}");
            assert_eq!(nearest_f32(subnormals, [a, b], |[a, b]| a + b), add(&m, a, b), "add {shown}");
            assert_eq!(nearest_f32(subnormals, [a, b], |[a, b]| a - b), sub(&m, a, b), "sub {shown}");
        }
        let keeps = Arith::nearest(Format::F32);
        assert_eq!(nearest_f32(Subnormals::Keep, [a, b], |[a, b]| a * b), mul(&keeps, a, b), "{a:#x} {b:#x}");
        let fused = nearest_f32(Subnormals::Keep, [a, b, c], |[a, b, c]| a.mul_add(b, c));
        assert_eq!(fused, fma(&keeps, a, b, c), "{a:#x} {b:#x} {c:#x}");
        let flushes = Arith { subnormals: Subnormals::Flush, ..keeps };
        assert_eq!(nearest_product_flushed(a, b), mul(&flushes, a, b), "{a:#x} {b:#x}");
        assert_eq!(nearest_fma_flushed(a, b, c), fma(&flushes, a, b, c), "{a:#x} {b:#x} {c:#x}");
    }
}

/// What ptxas folds: a product is flushed when it is below the smallest normal value once it has 24 bits, even where the
/// coarser subnormal values would round it up to that.
#[test]
fn products_are_flushed_when_24_bits_are_subnormal() {
    let flushes = Arith { subnormals: Subnormals::Flush, ..Arith::nearest(Format::F32) };
    let both = |a, b| {
        assert_eq!(nearest_product_flushed(a, b), mul(&flushes, a, b), "{a:#x} {b:#x}");
        assert_eq!(nearest_fma_flushed(a, b, 0), mul(&flushes, a, b), "{a:#x} {b:#x}");
        mul(&flushes, a, b)
    };
    assert_eq!(both(0x0080_0000, 0x3f7f_ffff), 0, "2^-126 - 2^-150");
    assert_eq!(both(0x8080_0000, 0x3f7f_ffff), 0x8000_0000);
    assert_eq!(both(0x0080_0001, 0x3f7f_fffe), 0x0080_0000, "2^-126 - 2^-172");
    let keeps = Arith::nearest(Format::F32);
    assert_eq!(mul(&keeps, 0x0080_0000, 0x3f7f_ffff), 0x0080_0000);
    let narrow = |bits| Format::F32.narrow_flushing(f64::from_bits(bits), Rounding::NearestEven);
    assert_eq!((narrow(0x380f_ffff_e000_0000), narrow(0x380f_ffff_ffff_ffff)), (0, 0x0080_0000));
}

/// A root is right when its square and its neighbours' squares enclose the argument, which exact products decide.
#[test]
fn roots_are_the_neighbours_that_the_rounding_asks_for() {
    let mut random = Random(7);
    for _ in 0..20_000 {
        let a = random.value(Format::F32, Format::F32.one()) & Format::F32.magnitude_mask();
        if !f32_of(a).is_finite() || a == 0 {
            continue;
        }
        let square = |raw: u64| f64::from(f32_of(raw)) * f64::from(f32_of(raw));
        let exact = f64::from(f32_of(a));
        let root = |rounding| sqrt(&Arith { rounding, ..Arith::nearest(Format::F32) }, a);
        let (down, up) = (root(Rounding::Down), root(Rounding::Up));
        assert!(square(down) <= exact && square(down + 1) > exact, "{a:#x}");
        assert!(square(up) >= exact && square(up - 1) < exact, "{a:#x}");
        assert_eq!(root(Rounding::TowardZero), down);
        assert_eq!(root(Rounding::NearestEven), from_f32(f32_of(a).sqrt()));
    }
}

#[test]
fn double_roots_bracket_the_argument() {
    let mut random = Random(11);
    for _ in 0..20_000 {
        let a = random.next() & Format::F64.magnitude_mask();
        if !f64::from_bits(a).is_finite() || a == 0 {
            continue;
        }
        let root = |rounding| sqrt(&Arith { rounding, ..Arith::nearest(Format::F64) }, a);
        let (down, up, nearest) = (root(Rounding::Down), root(Rounding::Up), root(Rounding::NearestEven));
        assert!(up == down || up == down + 1, "{a:#x}");
        assert!(nearest == down || nearest == up, "{a:#x}");
        // Squares rounded outwards: the lower root's must not exceed the argument, the upper one's not be below it.
        let square =
            |raw: u64, round| Double::from_bits(raw.into()).mul_r(Double::from_bits(raw.into()), round).value;
        let exact = Double::from_bits(a.into());
        assert!(square(down, Round::TowardNegative) <= exact, "{a:#x}");
        assert!(square(up, Round::TowardPositive) >= exact, "{a:#x}");
        assert_eq!(
            up == down,
            square(down, Round::TowardNegative) == exact && square(down, Round::TowardPositive) == exact,
            "{a:#x}"
        );
    }
}

#[test]
fn subnormals_are_flushed_before_and_after() {
    let ftz = Arith { subnormals: Subnormals::Flush, ..Arith::nearest(Format::F32) };
    let keep = Arith::nearest(Format::F32);
    let (tiny, half) = (0x0080_0000, 0x3f00_0000);
    assert_eq!(mul(&keep, tiny, half), 0x0040_0000);
    assert_eq!(mul(&ftz, tiny, half), 0);
    assert_eq!(mul(&ftz, tiny | 0x8000_0000, half), 0x8000_0000);
    assert_eq!(add(&ftz, 0x0000_0001, 0x8000_0001), 0, "+0 + -0");
    assert_eq!(add(&ftz, 0x8000_0001, 0x8000_0001), 0x8000_0000);
    assert_eq!(div(&ftz, 0x3f80_0000, 0x0000_0001), 0x7f80_0000, "1 / +0");
    let half_ftz = Arith { subnormals: Subnormals::Flush, ..Arith::nearest(Format::F16) };
    assert_eq!(mul(&half_ftz, 0x0400, 0x3800), 0);
}

#[test]
fn saturation_and_relu() {
    let sat = Arith { limit: Limit::Unit, ..Arith::nearest(Format::F32) };
    let (one, two, nan) = (0x3f80_0000, 0x4000_0000, 0x7fc0_0000);
    assert_eq!(add(&sat, one, two), one);
    assert_eq!(sub(&sat, one, two), 0);
    assert_eq!(add(&sat, one, nan), 0);
    assert_eq!(add(&sat, 0x8000_0000, 0x8000_0000), 0, "-0 becomes +0");
    assert_eq!(mul(&sat, one, 0x3f00_0000), 0x3f00_0000);
    let relu = Arith { limit: Limit::Relu, ..Arith::nearest(Format::F16) };
    assert_eq!(fma(&relu, 0xbc00, 0x3c00, 0), 0);
    assert_eq!(fma(&relu, 0x7e00, 0x3c00, 0), 0x7fff);
    assert_eq!(fma(&relu, 0x3c00, 0x3c00, 0x3c00), 0x4000);
}

#[test]
fn nans_are_canonical_except_in_double_precision() {
    let m = Arith::nearest(Format::F32);
    assert_eq!(add(&m, 0xffc0_1234, 0x3f80_0000), 0x7fff_ffff);
    assert_eq!(sub(&m, 0x7f80_0000, 0x7f80_0000), 0x7fff_ffff);
    assert_eq!(sqrt(&m, 0xbf80_0000), 0x7fff_ffff);
    assert_eq!(add(&Arith::nearest(Format::F16), 0xfe01, 0x3c00), 0x7fff);
    let d = Arith::nearest(Format::F64);
    assert_eq!(add(&d, 0x7ff0_0000_0000_1234, 0x3ff0_0000_0000_0000), 0x7ff8_0000_0000_1234);
    assert_eq!(mul(&d, 0, 0x7ff0_0000_0000_0000), 0xfff8_0000_0000_0000);
}

#[test]
fn exact_zero_differences_take_the_sign_of_the_rounding() {
    let down = Arith { rounding: Rounding::Down, ..Arith::nearest(Format::F32) };
    assert_eq!(sub(&down, 0x3f80_0000, 0x3f80_0000), 0x8000_0000);
    assert_eq!(sub(&Arith::nearest(Format::F32), 0x3f80_0000, 0x3f80_0000), 0);
    assert_eq!(fma(&down, 0x3f80_0000, 0x3f80_0000, 0xbf80_0000), 0x8000_0000);
}

#[test]
fn extremes_follow_the_manual_on_zeros_and_nans() {
    let min = |nan, sign, a, b| extreme(Format::F32, Subnormals::Keep, Extreme::Min, nan, sign, a, b);
    let max = |nan, sign, a, b| extreme(Format::F32, Subnormals::Keep, Extreme::Max, nan, sign, a, b);
    let (one, minus_two, nan) = (0x3f80_0000, 0xc000_0000, 0xffc0_0001);
    assert_eq!(min(NanRule::Ignore, SignRule::Plain, 0, 0x8000_0000), 0x8000_0000);
    assert_eq!(max(NanRule::Ignore, SignRule::Plain, 0x8000_0000, 0), 0);
    assert_eq!(min(NanRule::Ignore, SignRule::Plain, nan, one), one);
    assert_eq!(min(NanRule::Ignore, SignRule::Plain, nan, nan), 0x7fff_ffff);
    assert_eq!(max(NanRule::Propagate, SignRule::Plain, one, nan), 0x7fff_ffff);
    assert_eq!(max(NanRule::Ignore, SignRule::Xor, one, minus_two), minus_two);
    assert_eq!(min(NanRule::Ignore, SignRule::Xor, 0xbf80_0000, minus_two), one);
    assert_eq!(min(NanRule::Ignore, SignRule::Magnitude, one, minus_two), one);
    assert_eq!(max(NanRule::Ignore, SignRule::Magnitude, one, minus_two), 0x4000_0000);
    assert_eq!(min(NanRule::Ignore, SignRule::Plain, one, minus_two), minus_two);
}

/// The tables of corner cases under `rcp`, `sqrt`, `rsqrt`, `sin`, `cos`, `lg2`, `ex2` and `tanh` in 9.7.3.
#[test]
fn approximations_have_the_manual_s_corner_cases() {
    let m = Arith::nearest(Format::F32);
    let [ninf, nzero, pzero, pinf, nan] = [0xff80_0000, 0x8000_0000, 0, 0x7f80_0000, 0x7fff_ffff];
    let one = 0x3f80_0000;
    type Function = fn(&Arith, u64) -> u64;
    let table: [(Function, [u64; 4]); 8] = [
        (rcp, [nzero, ninf, pinf, pzero]),
        (sqrt, [nan, nzero, pzero, pinf]),
        (rsqrt, [nan, ninf, pinf, pzero]),
        (sin, [nan, nzero, pzero, nan]),
        (cos, [nan, one, one, nan]),
        (lg2, [nan, ninf, ninf, pinf]),
        (ex2, [pzero, one, one, pinf]),
        (tanh, [one | nzero, nzero, pzero, one]),
    ];
    for (n, (of, expected)) in table.into_iter().enumerate() {
        assert_eq!([ninf, nzero, pzero, pinf].map(|a| of(&m, a)), expected, "row {n}");
        assert_eq!(of(&m, 0x7fa0_0000), nan, "row {n}");
    }
    assert_eq!(lg2(&m, 0x4100_0000), 0x4040_0000, "log2 8 = 3");
    assert_eq!(ex2(&m, 0xc000_0000), 0x3e80_0000, "2^-2");
    assert_eq!(rsqrt(&m, 0xbf80_0000), nan);
}

#[test]
fn division_by_huge_values_is_approximated_by_zero() {
    let m = Arith::nearest(Format::F32);
    let (one, huge) = (0x3f80_0000, 0x7f00_0000);
    assert_eq!(div_approx(&m, one, huge), 0);
    assert_eq!(div_approx(&m, one, huge | 0x8000_0000), 0x8000_0000);
    assert_eq!(div_approx(&m, 0x7f80_0000, huge), 0x7fff_ffff);
    assert_eq!(div_approx(&m, one, 0x7e80_0000), 0x0080_0000, "1 / 2^126 is in range");
    assert_eq!(div_approx(&m, one, 0x7f80_0000), 0);
    assert_eq!(div(&m, one, huge), 0x0040_0000, "other divisions are not");
}

#[test]
fn upper_word_reciprocals() {
    let word = |hi: u64| hi << 32;
    assert_eq!(rcp_upper_word(word(0x4000_0000) | 77), word(0x3fe0_0000));
    assert_eq!(rcp_upper_word(0x8000_0000_0000_0000), word(0xfff0_0000));
    assert_eq!(rcp_upper_word(word(0x0001_0000)), word(0x7ff0_0000), "a subnormal counts as zero");
    assert_eq!(rcp_upper_word(0xfff0_0000_0000_0001), word(0x7fff_ffff), "a NaN in the lower word is one");
    assert_eq!(rsqrt_upper_word(word(0xbff0_0000)), word(0x7fff_ffff));
    assert_eq!(rsqrt_upper_word(word(0x4010_0000)), word(0x3fe0_0000));
    assert_eq!(rsqrt_upper_word(0x8000_0000_0000_0000), word(0xfff0_0000));
}

#[test]
fn properties_and_signs() {
    let has = |property, a| has_property(Format::F32, property, a);
    assert!(has(Property::Normal, 0) && has(Property::Normal, 0x8000_0000));
    assert!(has(Property::Subnormal, 1) && !has(Property::Normal, 1));
    assert!(has(Property::Infinite, 0xff80_0000) && has(Property::Number, 0xff80_0000));
    assert!(has(Property::NotANumber, 0x7f80_0001) && !has(Property::Finite, 0x7f80_0001));
    assert_eq!(copysign(Format::F32, 0x8000_0000, 0x3f80_0000), 0xbf80_0000);
    assert_eq!(abs(Format::F64, Subnormals::Keep, 1 << 63), 0);
    assert_eq!(neg(Format::F16, Subnormals::Flush, 0x0001), 0x8000);
}

#[test]
fn angles_in_turns_are_exact_at_the_quarters() {
    let m = Arith::nearest(Format::F32);
    let sin = |turns: f32| f32::from_bits(sin_of_turns(&m, turns.to_bits().into()) as u32);
    let cos = |turns: f32| f32::from_bits(cos_of_turns(&m, turns.to_bits().into()) as u32);
    for whole in [-1_000_000.0, -3.0, 0.0, 1.0, 4_000_000.0] {
        let quarters = [0.0, 0.25, 0.5, 0.75].map(|part| (sin(whole + part), cos(whole + part)));
        assert_eq!(quarters, [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)], "{whole}");
    }
    assert_eq!(sin(0.125), std::f32::consts::FRAC_1_SQRT_2);
    assert_eq!(cos(0.625), -std::f32::consts::FRAC_1_SQRT_2);
    assert!(sin(f32::INFINITY).is_nan() && cos(f32::NAN).is_nan());
}
