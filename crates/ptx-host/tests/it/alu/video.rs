//! Video instructions.

use ptx_program::scalar::bits::Overshoot;
use ptx_program::scalar::int::{Saturation, Signedness};
use ptx_program::scalar::video::{Gather, MultiplyAdd, Operation, RegisterPart, Scalar, Second, Simd, Turn};
use ptx_program::{Packing, Ternary};

use crate::alu::harness::{Case, check, ternary};
use crate::alu::integers::RELATIONS;

const WHOLE: Packing = Packing::Whole;
const SIGNS: [Signedness; 2] = [Signedness::Unsigned, Signedness::Signed];
const SATURATIONS: [Saturation; 2] = [Saturation::Wrap, Saturation::Clamp];
const BYTE: RegisterPart = RegisterPart { shift: 16, bits: 8 };
const HALF: RegisterPart = RegisterPart { shift: 16, bits: 16 };

fn operations() -> Vec<Operation> {
    let mut all = vec![
        Operation::Add,
        Operation::Sub,
        Operation::Average,
        Operation::Distance,
        Operation::Min,
        Operation::Max,
    ];
    all.extend(RELATIONS.map(Operation::Compare));
    all
}

fn case(op: Ternary) -> Case {
    ternary(op, WHOLE, [32; 3])
}

#[test]
fn scalars() {
    let mut cases = Vec::new();
    for d in SIGNS {
        for saturation in SATURATIONS {
            for second in [
                Second::Nothing,
                Second::Add,
                Second::Min,
                Second::Max,
                Second::Merge(BYTE),
                Second::Merge(HALF),
            ] {
                let mut add = |operation, a, b| {
                    cases.push(case(Ternary::Video(Scalar { operation, a, b, d, saturation, second })));
                };
                for sign in SIGNS {
                    for operation in operations() {
                        add(operation, (RegisterPart::WORD, sign), (BYTE, Signedness::Signed));
                        add(operation, (HALF, Signedness::Signed), (RegisterPart::WORD, sign));
                    }
                    // Amounts have no sign (manual 9.7.18.1.4).
                    for overshoot in [Overshoot::Clamp, Overshoot::Wrap] {
                        let amount = (RegisterPart::WORD, Signedness::Unsigned);
                        add(Operation::ShiftLeft(overshoot), (RegisterPart::WORD, sign), amount);
                        add(Operation::ShiftRight(overshoot), (HALF, sign), amount);
                    }
                }
            }
        }
    }
    check("video", &cases, 0);
}

#[test]
fn multiply_adds() {
    let mut cases = Vec::new();
    for a_sign in SIGNS {
        for b_sign in SIGNS {
            for turn in [Turn::Neither, Turn::Product, Turn::Summand, Turn::PlusOne] {
                for scale in [0, 7, 15] {
                    for saturation in SATURATIONS {
                        for (a, b) in [
                            (BYTE, RegisterPart::WORD),
                            (HALF, HALF),
                            (RegisterPart::WORD, RegisterPart::WORD),
                        ] {
                            let vmad =
                                MultiplyAdd { a: (a, a_sign), b: (b, b_sign), turn, scale, saturation };
                            cases.push(case(Ternary::MultiplyAdd(vmad)));
                        }
                    }
                }
            }
        }
    }
    // Clamped products of words: four pairs of signs, four turns, three scales.
    check("vmad", &cases, 48);
}

#[test]
fn lanes_of_words() {
    let mut cases = Vec::new();
    for (lane_bits, a, b) in [(8, [0, 5, 2, 7], [7, 6, 5, 4]), (16, [0, 3, 0, 0], [2, 1, 0, 0])] {
        for sign in SIGNS {
            for d in SIGNS {
                for saturation in SATURATIONS {
                    for gather in [Gather::Merge, Gather::Sum] {
                        for operation in operations() {
                            let (a, b, mask) = ((a, sign), (b, d), 0b1011);
                            let simd = Simd { operation, lane_bits, a, b, d, saturation, mask, gather };
                            cases.push(case(Ternary::VideoSimd(simd)));
                        }
                    }
                }
            }
        }
    }
    check("lanes", &cases, 0);
}
