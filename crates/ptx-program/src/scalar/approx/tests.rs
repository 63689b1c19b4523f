//! Against the C library's functions of binary64, whose errors are below a unit in the last place: rounded to binary32 both are the
//! nearest value but where the true one is next to the middle of two.

use super::*;

/// A function, and the C library's.
type Pair = (&'static str, fn(f64) -> f64, fn(f64) -> f64);

const PAIRS: [Pair; 5] = [
    ("ex2", ex2, f64::exp2),
    ("lg2", lg2, f64::log2),
    ("tanh", tanh, f64::tanh),
    ("sin", |x| angle(x).sine(), f64::sin),
    ("cos", |x| angle(x).cosine(), f64::cos),
];

/// Which of the arguments give other binary32 numbers, and the largest distance between the binary64 results in units of the last place
/// of results that binary32 holds as normal numbers.
fn differences((_, of, library): Pair, arguments: impl Iterator<Item = u32>) -> (Vec<u32>, u64) {
    let (mut others, mut worst) = (Vec::new(), 0);
    for bits in arguments {
        let x = f64::from(f32::from_bits(bits));
        let (found, expected) = (of(x), library(x));
        let same =
            (found as f32).to_bits() == (expected as f32).to_bits() || found.is_nan() && expected.is_nan();
        if !same {
            others.push(bits);
        }
        let is_usual = (expected as f32).is_normal();
        if is_usual {
            worst = worst.max(found.to_bits().abs_diff(expected.to_bits()));
        }
    }
    (others, worst)
}

#[test]
fn functions_are_those_of_the_library() {
    for pair in PAIRS {
        // Every 4,093th number (a prime), of all signs and exponents.
        let (others, worst) = differences(pair, (0..=u32::MAX).step_by(4093));
        assert!(others.is_empty(), "{}: {others:x?}", pair.0);
        assert!(worst <= 4, "{}: {worst} units in the last place", pair.0);
    }
}

#[test]
fn special_values() {
    let infinity = f64::INFINITY;
    assert_eq!([ex2(0.0), ex2(-3.0), ex2(127.0)], [1.0, 0.125, 2f64.powi(127)]);
    assert_eq!((ex2(infinity) as f32, ex2(-infinity) as f32), (f32::INFINITY, 0.0));
    assert_eq!([lg2(1.0), lg2(8.0), lg2(2f64.powi(-149))], [0.0, 3.0, -149.0]);
    assert_eq!([lg2(0.0), lg2(-0.0), lg2(infinity)], [-infinity, -infinity, infinity]);
    assert!(lg2(-1.0).is_nan() && lg2(-infinity).is_nan());
    assert_eq!([tanh(infinity), tanh(-40.0)], [1.0, -1.0]);
    for of in [tanh, |x| angle(x).sine(), |x| turns(x).sine()] {
        assert_eq!(of(-0.0).to_bits(), (-0.0f64).to_bits());
        assert_eq!(of(0.0).to_bits(), 0);
    }
    for of in [ex2, lg2, tanh, |x| angle(x).sine(), |x| turns(x).cosine()] {
        assert!(of(f64::NAN).is_nan());
    }
    assert!(angle(infinity).sine().is_nan() && turns(-infinity).cosine().is_nan());
}

/// The binary32 number next to a multiple of a quarter of pi (J.-M. Muller, Elementary Functions, table 11.1: 16367173 * 2^72 of
/// binary32), whose sine is 1 but for 10^-18 and whose cosine needs all of the reduction: worked out with 100 digits by mpmath.
#[test]
fn angles_next_to_a_quarter_turn_keep_their_precision() {
    let x = 16_367_173.0 * 2f64.powi(72);
    let found = angle(x).cosine();
    let expected = -1.6147697982476211e-09;
    assert!((found / expected - 1.0).abs() < 1e-15, "{found:e}");
}

#[test]
fn quarter_turns_are_exact() {
    let x = [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 8_388_608.0];
    assert_eq!(x.map(|x| turns(x).sine().abs()), [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(x.map(|x| turns(x).cosine()), [1.0, 0.0, -1.0, 0.0, 1.0, 0.0, 1.0].map(|y: f64| y));
}

/// All binary32 numbers where `PTX_EXEC_ALL_NUMBERS` is set, which takes minutes with optimization; every 65,521st (a prime) otherwise.
#[test]
fn functions_of_binary32_numbers() {
    let step = if std::env::var_os("PTX_EXEC_ALL_NUMBERS").is_some() { 1 } else { 65_521 };
    std::thread::scope(|scope| {
        for pair in PAIRS {
            scope.spawn(move || {
                let (others, worst) = differences(pair, (0..=u32::MAX).step_by(step));
                assert!(others.len() <= 16 && worst <= 8, "{}: {worst} {others:x?}", pair.0);
            });
        }
    });
}
