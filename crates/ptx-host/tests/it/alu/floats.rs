//! Floating-point numbers.

use ptx_program::scalar::compare::WithNan;
use ptx_program::scalar::convert::{Integral, PackElement, Range, ToFloat};
use ptx_program::scalar::float::{Arith, Extreme, Limit, NanRule, Property, SignRule, Subnormals};
use ptx_program::scalar::format::{Format, Rounding};
use ptx_program::scalar::int::Signedness;
use ptx_program::{
    Binary, Comparison, Dual, FloatBinary, FloatExtreme, FloatFunction, Numbers, Packing, SetWhere, Ternary,
    Unary,
};

use crate::alu::harness::{Case, binary, check, check_open_nans, dual, ternary, unary};
use crate::alu::integers::{ALL, JOINS, RELATIONS};

const WHOLE: Packing = Packing::Whole;
const PAIR: Packing = Packing::Fields { bits: 16, count: 2 };
const FORMATS: [Format; 5] = [Format::F16, Format::Bf16, Format::F32, Format::F64, Format::Tf32];
const ROUNDINGS: [Rounding; 5] =
    [Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero, Rounding::Down, Rounding::Up];
const SUBNORMALS: [Subnormals; 2] = [Subnormals::Keep, Subnormals::Flush];
const LIMITS: [Limit; 3] = [Limit::None, Limit::Unit, Limit::Relu];
const INTEGRALS: [Integral; 4] = [Integral::NearestEven, Integral::TowardZero, Integral::Down, Integral::Up];

/// All that arithmetic can be modified by, in the formats that have it.
fn ariths(formats: &[Format]) -> Vec<Arith> {
    let mut all = Vec::new();
    for &format in formats {
        for rounding in ROUNDINGS {
            for subnormals in SUBNORMALS {
                for limit in LIMITS {
                    all.push(Arith { format, rounding, subnormals, limit });
                }
            }
        }
    }
    all
}

fn packings(format: Format) -> Vec<(Packing, u32)> {
    match format.bits() {
        16 => vec![(WHOLE, 16), (PAIR, 32)],
        32 => vec![(WHOLE, 32), (Packing::Fields { bits: 32, count: 2 }, 64)],
        bits => vec![(WHOLE, bits)],
    }
}

fn arithmetic_of(formats: &[Format]) -> Vec<Case> {
    let mut cases = Vec::new();
    for m in ariths(formats) {
        // One way to pack is enough for most of them.
        let all = packings(m.format);
        let some = if m.limit == Limit::None { &all[..] } else { &all[all.len() - 1..] };
        for (packing, bits) in some {
            for op in [FloatBinary::Add, FloatBinary::Sub, FloatBinary::Mul, FloatBinary::Div] {
                cases.push(binary(Binary::Float(op, m), *packing, [*bits; 2]));
            }
            cases.push(ternary(Ternary::Fma(m), *packing, [*bits; 3]));
            if m.format.bits() == 16 {
                cases.push(ternary(Ternary::FmaWithinBounds(m), *packing, [*bits; 3]));
            }
        }
        cases.push(unary(Unary::Function(FloatFunction::Sqrt, m), WHOLE, m.format.bits()));
        cases.push(unary(Unary::Function(FloatFunction::Rcp, m), WHOLE, m.format.bits()));
        cases.push(unary(Unary::Function(FloatFunction::Rsqrt, m), WHOLE, m.format.bits()));
        cases.push(binary(Binary::Float(FloatBinary::DivApprox, m), WHOLE, [m.format.bits(); 2]));
    }
    cases
}

#[test]
fn arithmetic() {
    check("single", &arithmetic_of(&[Format::F32]), 0);
    check("half", &arithmetic_of(&[Format::F16, Format::Bf16]), 0);
}

#[test]
fn nans_may_be_left_open() {
    let cases: Vec<Case> = SUBNORMALS
        .into_iter()
        .flat_map(|subnormals| {
            let m = Arith { subnormals, ..Arith::nearest(Format::F32) };
            let operations = [FloatBinary::Add, FloatBinary::Sub, FloatBinary::Mul, FloatBinary::Div];
            let pairs = operations.map(|op| binary(Binary::Float(op, m), WHOLE, [32; 2]));
            pairs.into_iter().chain([ternary(Ternary::Fma(m), WHOLE, [32; 3])])
        })
        .collect();
    check_open_nans(&cases);
}

#[test]
fn arithmetic_of_binary64() {
    // `.rn` without `.ftz` has a form, which is all of PTX but the other roundings: 3 of 30 combinations of each of 8 operations,
    // and 15 of `rsqrt`, which no rounding concerns.
    let cases = arithmetic_of(&[Format::F64]);
    assert_eq!(cases.len(), 270);
    check("double", &cases, 231);
}

#[test]
fn mixed_arithmetic() {
    let mut cases = Vec::new();
    for m in ariths(&[Format::F32]) {
        for from in [Format::F16, Format::Bf16] {
            for op in [FloatBinary::Add, FloatBinary::Sub, FloatBinary::Mul] {
                cases.push(binary(Binary::FloatMixed(op, m, from), WHOLE, [16, 32]));
            }
            cases.push(ternary(Ternary::FmaMixed(m, from), WHOLE, [16, 16, 32]));
        }
    }
    check("mixed", &cases, 0);
}

#[test]
fn signs_properties_and_extremes() {
    let mut cases = Vec::new();
    for format in FORMATS {
        let bits = format.bits();
        for (packing, bits) in packings(format) {
            for subnormals in SUBNORMALS {
                cases.push(unary(Unary::FloatAbs(format, subnormals), packing, bits));
                cases.push(unary(Unary::FloatNeg(format, subnormals), packing, bits));
                for which in [Extreme::Min, Extreme::Max] {
                    for nan in [NanRule::Ignore, NanRule::Propagate] {
                        for sign in [SignRule::Plain, SignRule::Magnitude, SignRule::Xor] {
                            let extreme = FloatExtreme { format, subnormals, which, nan, sign };
                            cases.push(binary(Binary::Extreme(extreme), packing, [bits; 2]));
                            cases.push(ternary(Ternary::Extreme(extreme), packing, [bits; 3]));
                        }
                    }
                }
            }
        }
        for subnormals in SUBNORMALS {
            cases.push(ternary(Ternary::SelectByFloatSign(format, subnormals), WHOLE, [bits; 3]));
        }
        cases.push(binary(Binary::Copysign(format), WHOLE, [bits; 2]));
        for property in [
            Property::Finite,
            Property::Infinite,
            Property::Number,
            Property::NotANumber,
            Property::Normal,
            Property::Subnormal,
        ] {
            cases.push(unary(Unary::HasProperty(format, property), WHOLE, bits));
        }
    }
    check("signs", &cases, 0);
}

#[test]
fn comparisons() {
    let mut cases = Vec::new();
    for format in FORMATS {
        for relation in RELATIONS {
            for with_nan in [WithNan::False, WithNan::True] {
                for subnormals in SUBNORMALS {
                    let whole =
                        Comparison { relation, with_nan, numbers: Numbers::Float(format), subnormals };
                    let bits = format.bits();
                    cases.push(binary(Binary::Compare(whole), WHOLE, [bits; 2]));
                    cases.push(dual(Dual::Compare(whole, JOINS[0]), [bits, bits, 1, 1]));
                    let set = |comparison, count, width, join, when_true| SetWhere {
                        comparison,
                        join,
                        count,
                        width,
                        when_true,
                    };
                    let one = set(whole, 1, 32, JOINS[1], 0x3f80_0000);
                    cases.push(ternary(Ternary::Set(one), WHOLE, [bits, bits, 1]));
                    if bits == 16 {
                        let pair = Comparison { numbers: Numbers::Floats(format, 2), ..whole };
                        for join in JOINS {
                            cases.push(dual(Dual::ComparePair(pair, join), [32, 32, 1, 1]));
                            let both = set(pair, 2, 16, join, 0x3c00);
                            cases.push(ternary(Ternary::Set(both), WHOLE, [32, 32, 1]));
                        }
                    }
                }
            }
        }
    }
    check("comparisons", &cases, 0);
}

/// All that a conversion to a floating-point format can be modified by.
fn to_floats() -> Vec<ToFloat> {
    let mut all = Vec::new();
    for format in FORMATS {
        for rounding in ROUNDINGS {
            for subnormals in SUBNORMALS {
                for limit in LIMITS {
                    for range in [Range::Infinite, Range::Finite] {
                        all.push(ToFloat { format, rounding, subnormals, limit, range });
                    }
                }
            }
        }
    }
    all
}

#[test]
fn conversions_between_formats() {
    let mut cases = Vec::new();
    for to in to_floats() {
        for from in FORMATS {
            let low = u64::MAX >> (64 - from.bits());
            cases.push(unary(Unary::FloatToFloat { to, from, low }, WHOLE, from.bits()));
            if to.format.bits() == 16 && from == Format::F32 {
                cases.push(binary(Binary::FloatPair(to, from), WHOLE, [32, 32]));
            }
        }
    }
    check("formats", &cases, 0);
}

#[test]
fn conversions_of_integers() {
    let mut cases = Vec::new();
    for from in ALL {
        for to in to_floats() {
            if to.range == Range::Infinite || to.format == Format::F16 {
                cases.push(unary(Unary::IntToFloat { to, from }, WHOLE, from.bits().max(16)));
            }
        }
    }
    // 64 bits to binary64, other than to nearest: two types, four roundings, with and without `.ftz`, three limits.
    check("from integers", &cases, 48);
    let mut cases = Vec::new();
    for to in ALL {
        for integral in INTEGRALS {
            for from in FORMATS {
                for subnormals in SUBNORMALS {
                    let low = u64::MAX >> (64 - from.bits());
                    let register = u64::MAX >> (64 - to.bits().max(16));
                    let op = Unary::FloatToInt { to, integral, from, subnormals, low, register };
                    cases.push(unary(op, WHOLE, from.bits()));
                }
            }
        }
    }
    for to in to_floats() {
        for integral in INTEGRALS {
            if to.range == Range::Infinite && to.rounding == Rounding::NearestEven {
                let low = u64::MAX >> (64 - to.format.bits());
                cases.push(unary(Unary::FloatToIntegral { to, integral, low }, WHOLE, to.format.bits()));
            }
        }
    }
    for bits in [2, 4, 8, 16] {
        for sign in [Signedness::Unsigned, Signedness::Signed] {
            cases.push(ternary(Ternary::PackIntegers(PackElement { bits, sign }), WHOLE, [32; 3]));
        }
    }
    check("to integers", &cases, 0);
}

#[test]
fn functions_of_upper_words() {
    let cases = [unary(Unary::RcpUpperWord, WHOLE, 64), unary(Unary::RsqrtUpperWord, WHOLE, 64)];
    check("upper words", &cases, 0);
}
