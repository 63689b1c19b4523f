//! Integers, bits and predicates.

use ptx_program::memory::{AddressSize, Space};
use ptx_program::scalar::bits::{Direction, Found, Overshoot, Permutation};
use ptx_program::scalar::compare::{Join, Relation, WithNan};
use ptx_program::scalar::convert::Excess;
use ptx_program::scalar::float::Subnormals;
use ptx_program::scalar::int::{Int, ProductPart, Saturation, Signedness};
use ptx_program::{Binary, Comparison, Dual, Formula, Numbers, Packing, SetWhere, Ternary, Unary};

use crate::alu::harness::{Case, binary, check, dual, formula, ternary, unary};

const WHOLE: Packing = Packing::Whole;
pub const ALL: [Int; 8] = [Int::U8, Int::S8, Int::U16, Int::S16, Int::U32, Int::S32, Int::U64, Int::S64];
const SIGNS: [Signedness; 2] = [Signedness::Unsigned, Signedness::Signed];
const SATURATIONS: [Saturation; 2] = [Saturation::Wrap, Saturation::Clamp];
const PARTS: [ProductPart; 3] = [ProductPart::Lo, ProductPart::Hi, ProductPart::Wide];
const OVERSHOOTS: [Overshoot; 2] = [Overshoot::Clamp, Overshoot::Wrap];
pub const JOINS: [Join; 3] = [Join::And, Join::Or, Join::Xor];
pub const RELATIONS: [Relation; 8] = [
    Relation::Equal,
    Relation::NotEqual,
    Relation::Less,
    Relation::LessOrEqual,
    Relation::Greater,
    Relation::GreaterOrEqual,
    Relation::Ordered,
    Relation::Unordered,
];

/// The bits of the register that holds a type.
fn register(t: Int) -> u32 {
    t.bits().max(16)
}

/// The fields of packed types.
fn packings(t: Int) -> Vec<Packing> {
    match t.bits() {
        8 => vec![WHOLE, Packing::Fields { bits: 8, count: 4 }],
        16 => vec![WHOLE, Packing::Fields { bits: 16, count: 2 }],
        32 => vec![WHOLE, Packing::Fields { bits: 32, count: 2 }],
        _ => vec![WHOLE],
    }
}

fn packed_register(t: Int, packing: Packing) -> u32 {
    match packing {
        Packing::Whole => register(t),
        Packing::Fields { bits, count } => bits * count,
    }
}

fn full(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

#[test]
fn arithmetic() {
    let mut cases: Vec<Case> = Vec::new();
    for t in ALL {
        for packing in packings(t) {
            let bits = packed_register(t, packing);
            cases.extend([unary(Unary::IntAbs(t), packing, bits), unary(Unary::IntNeg(t), packing, bits)]);
            let mut operations =
                vec![Binary::IntMin(t), Binary::IntMax(t), Binary::IntMinRelu(t), Binary::IntMaxRelu(t)];
            for saturation in SATURATIONS {
                operations.extend([Binary::IntAdd(t, saturation), Binary::IntSub(t, saturation)]);
            }
            cases.extend(operations.into_iter().map(|op| binary(op, packing, [bits; 2])));
        }
        let bits = register(t);
        for part in PARTS {
            cases.push(binary(Binary::IntMul(t, part), WHOLE, [bits; 2]));
            let wide = if part == ProductPart::Wide { (2 * bits).min(64) } else { bits };
            for saturation in SATURATIONS {
                let mad = Ternary::IntMad(t, part, saturation);
                cases.push(ternary(mad, WHOLE, [bits, bits, wide]));
            }
            cases.push(dual(Dual::MadCarry(t, part), [bits, bits, bits, 1]));
        }
        cases.push(binary(Binary::IntDiv(t), WHOLE, [bits; 2]));
        cases.push(binary(Binary::IntRem(t), WHOLE, [bits; 2]));
        cases.push(ternary(Ternary::Sad(t), WHOLE, [bits; 3]));
        for saturation in SATURATIONS {
            cases.push(dual(Dual::AddCarry(t, saturation), [bits, bits, bits, 1]));
            cases.push(dual(Dual::SubCarry(t, saturation), [bits, bits, bits, 32]));
        }
    }
    for t in [Int::U32, Int::S32] {
        for part in PARTS {
            cases.push(binary(Binary::Mul24(t, part), WHOLE, [32; 2]));
            for saturation in SATURATIONS {
                cases.push(ternary(Ternary::Mad24(t, part, saturation), WHOLE, [32; 3]));
            }
        }
    }
    for a in SIGNS {
        for b in SIGNS {
            cases.push(ternary(Ternary::Dp4a(a, b), WHOLE, [32; 3]));
            for part in PARTS {
                cases.push(ternary(Ternary::Dp2a(a, b, part), WHOLE, [32; 3]));
            }
        }
    }
    // `.sat` of 64-bit types with carries: PTX has none.
    check("arithmetic", &cases, 4);
}

#[test]
fn bits() {
    let mut cases: Vec<Case> = Vec::new();
    for bits in [1, 16, 32, 64] {
        for op in [Binary::And, Binary::Or, Binary::Xor] {
            cases.push(binary(op, WHOLE, [bits; 2]));
        }
        cases.push(unary(Unary::Not { mask: full(bits) }, WHOLE, bits));
        cases.push(unary(Unary::IsZero { mask: full(bits) }, WHOLE, bits));
        cases.push(unary(
            Unary::AddConstant { addend: 0xffff_0000_0123_4567, mask: full(bits) },
            WHOLE,
            bits,
        ));
        cases.push(ternary(Ternary::Select, WHOLE, [bits, bits, 1]));
        cases.push(ternary(Ternary::SelectBySign, WHOLE, [bits, bits, 32]));
    }
    for (shift, mask) in [(0, 0xff), (24, 0xff), (32, 0xffff_ffff), (16, 0xffff), (63, 1), (0, 0)] {
        for bits in [16, 32, 64] {
            cases.push(unary(Unary::Field { shift, mask }, WHOLE, bits));
        }
        cases.push(binary(Binary::Insert { shift, mask }, WHOLE, [32, 32]));
        cases.push(binary(Binary::Insert { shift, mask }, WHOLE, [64, 64]));
    }
    for sign in SIGNS {
        cases.push(unary(Unary::UpperHalf(sign), WHOLE, 64));
        for overshoot in OVERSHOOTS {
            cases.push(binary(Binary::Szext(sign, overshoot), WHOLE, [32; 2]));
        }
    }
    for overshoot in OVERSHOOTS {
        cases.push(binary(Binary::Bmsk(overshoot), WHOLE, [32; 2]));
        for direction in [Direction::Left, Direction::Right] {
            cases.push(ternary(Ternary::Shf(direction, overshoot), WHOLE, [32; 3]));
        }
    }
    for t in ALL {
        let bits = register(t);
        cases.extend([Unary::Popc(t), Unary::Clz(t), Unary::Brev(t)].map(|op| unary(op, WHOLE, bits)));
        for found in [Found::Position, Found::ShiftAmount] {
            cases.push(unary(Unary::Bfind(t, found), WHOLE, bits));
        }
        cases.push(binary(Binary::Shl(t), WHOLE, [bits, 32]));
        cases.push(binary(Binary::Shr(t), WHOLE, [bits, 32]));
        if t.bits() >= 32 {
            cases.push(ternary(Ternary::Bfe(t), WHOLE, [bits, 32, 32]));
            cases.push(formula(Formula::Bfi(t), [bits, bits, 32, 32]));
        }
    }
    for table in 0..=255 {
        cases.push(ternary(Ternary::Lop3(table), WHOLE, [32; 3]));
    }
    for join in JOINS {
        for table in [0x00, 0x1b, 0x80, 0xff] {
            cases.push(dual(Dual::Lop3(table, join), [32, 32, 32, 1]));
        }
    }
    for mode in [
        Permutation::Generic,
        Permutation::Forward4Extract,
        Permutation::Backward4Extract,
        Permutation::Replicate8,
        Permutation::EdgeClampLeft,
        Permutation::EdgeClampRight,
        Permutation::Replicate16,
    ] {
        cases.push(ternary(Ternary::Prmt(mode), WHOLE, [32; 3]));
    }
    for space in [
        Space::Generic,
        Space::Global,
        Space::Shared,
        Space::SharedCluster,
        Space::Local,
        Space::Const,
        Space::Param,
    ] {
        for (size, bits) in [(AddressSize::Bits32, 32), (AddressSize::Bits64, 64)] {
            cases.push(unary(Unary::IsInSpace(space, size), WHOLE, bits));
        }
    }
    cases.push(binary(Binary::IsInBlock, WHOLE, [64; 2]));
    check("bits", &cases, 0);
}

#[test]
fn comparisons() {
    let mut cases: Vec<Case> = Vec::new();
    for t in ALL {
        for relation in RELATIONS {
            for numbers in [Numbers::Int(t), Numbers::Ints(t, (32 / t.bits()).clamp(1, 2))] {
                let comparison =
                    Comparison { relation, with_nan: WithNan::False, numbers, subnormals: Subnormals::Keep };
                let bits = match numbers {
                    Numbers::Ints(..) => register(t).max(32),
                    _ => register(t),
                };
                cases.push(binary(Binary::Compare(comparison), WHOLE, [bits; 2]));
                for join in JOINS {
                    cases.push(dual(Dual::Compare(comparison, join), [bits, bits, 1, 1]));
                    if t.bits() < 32 && numbers.packing() != WHOLE {
                        cases.push(dual(Dual::ComparePair(comparison, join), [bits, bits, 1, 1]));
                        let set = SetWhere { comparison, join, count: 2, width: 16, when_true: 0xffff };
                        cases.push(ternary(Ternary::Set(set), WHOLE, [bits, bits, 1]));
                    }
                    let set = SetWhere { comparison, join, count: 1, width: 32, when_true: 0x3f80_0000 };
                    cases.push(ternary(Ternary::Set(set), WHOLE, [bits, bits, 1]));
                }
            }
        }
    }
    check("comparisons", &cases, 0);
}

#[test]
fn conversions() {
    let mut cases: Vec<Case> = Vec::new();
    for from in ALL {
        for to in ALL {
            for excess in [Excess::Truncate, Excess::Clamp] {
                for bits in [16, 32, 64].into_iter().filter(|bits| *bits >= to.bits()) {
                    let op = Unary::IntToInt { to, from, excess, register: full(bits) };
                    cases.push(unary(op, WHOLE, register(from)));
                    cases.push(unary(op, WHOLE, 64));
                }
            }
        }
    }
    check("conversions", &cases, 0);
}
