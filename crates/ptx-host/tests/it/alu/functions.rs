//! The transcendental functions.

use ptx_program::scalar::float::{Arith, Limit, Subnormals};
use ptx_program::scalar::format::{Format, Rounding};
use ptx_program::{FloatFunction, Packing, Unary};

use crate::alu::harness::{check, unary};

const PAIR: Packing = Packing::Fields { bits: 16, count: 2 };
const FUNCTIONS: [FloatFunction; 7] = [
    FloatFunction::Sin,
    FloatFunction::Cos,
    FloatFunction::SinOfTurns,
    FloatFunction::CosOfTurns,
    FloatFunction::Lg2,
    FloatFunction::Ex2,
    FloatFunction::Tanh,
];

#[test]
fn functions() {
    let mut cases = Vec::new();
    for function in FUNCTIONS {
        for format in [Format::F32, Format::F16, Format::Bf16] {
            for subnormals in [Subnormals::Keep, Subnormals::Flush] {
                for limit in [Limit::None, Limit::Unit, Limit::Relu] {
                    let m = Arith { format, rounding: Rounding::NearestEven, subnormals, limit };
                    let op = Unary::Function(function, m);
                    cases.push(unary(op, Packing::Whole, format.bits()));
                    if format.bits() == 16 {
                        cases.push(unary(op, PAIR, 32));
                    }
                }
            }
        }
    }
    check("functions", &cases, 0);
}
