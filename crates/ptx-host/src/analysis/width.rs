//! The number of bits that the values of each row need, from the instructions that write it.
//!
//! A row of the interpreter has 64 bits. A vector of 512 bits has 8 such lanes, but 16 lanes of 32 bits, and a predicate is one bit of a mask.

use ptx_isa::SpecialReg;
use ptx_program::scalar::int::{Int, ProductPart};
use ptx_program::{
    Alu, Binary, Collective, CollectiveKind, Dual, Effect, FloatFunction, Op, Packing, Program, Slot, Src,
    Ternary, Unary, VoteMode,
};

use super::by_row::ByRow;
use super::sweep::Sweep;
use super::{Access, Graph, heavy};

/// The width of the integers that hold the values of each row: 1, 16, 32 or 64 bits.
#[derive(Clone, Debug)]
pub struct Widths {
    rows: ByRow<u32>,
    constants: Vec<u32>,
}

/// The smallest width for `bits` bits.
fn class(bits: u32) -> u32 {
    match bits {
        0 | 1 => 1,
        2..=16 => 16,
        17..=32 => 32,
        _ => 64,
    }
}

fn length(mask: u64) -> u32 {
    u64::BITS - mask.leading_zeros()
}

impl Widths {
    /// The widths of a kernel's rows: the maximum over the instructions that write each.
    pub fn new(program: &Program, graph: &Graph) -> Self {
        let count = program.kernel().rows;
        // An address in shared memory contains the rank of its block, too.
        let least = |constant| if program.constants.is_shared(constant) { 32 } else { 1 };
        let width = |constant| {
            match program.constants.fixed(constant) {
                Some(value) => class(length(value).max(least(constant))),
                // The address of a variable in global memory.
                None => 64,
            }
        };
        let constants = (0..program.constants.rows().len() as u32).map(width).collect();
        // From one bit up: the width of a copy, of `and` and of `selp` is that of its sources, which may still grow. There are four widths, so
        // that each row changes three times at most.
        let mut widths = Self { rows: ByRow::new(count, 64, |_| 1), constants };
        let mut sweep = Sweep::new(program, graph);
        while let Some(visit) = sweep.next() {
            for (row, bits) in widths.written(visit.op()) {
                if let Some(width) = widths.rows.get_mut(row)
                    && *width < class(bits)
                {
                    *width = class(bits);
                    sweep.changed(row);
                }
            }
        }
        widths
    }

    /// The width of a row.
    pub fn row(&self, row: u32) -> u32 {
        *self.rows.get(row)
    }

    /// The width of an operand.
    pub fn src(&self, src: Src) -> u32 {
        match (src.as_register(), src.as_constant()) {
            (Some(row), _) => self.row(row),
            (None, Some(constant)) => match self.constants.get(constant as usize) {
                Some(&width) => width,
                None => {
                    debug_assert!(false, "constant {constant} of {}", self.constants.len());
                    64
                }
            },
            (None, None) => 64,
        }
    }

    fn written(&self, op: &Op) -> Vec<(u32, u32)> {
        match op {
            Op::Alu(alu) => self.of_alu(alu),
            Op::Effect(effect) => match effect {
                Effect::Copy(pairs) => pairs.iter().map(|(dst, src)| (*dst, self.src(*src))).collect(),
                Effect::Special { d, register, .. } => vec![(*d, special(*register))],
                Effect::FrameAddress { d, .. } => vec![(*d, 64)],
                Effect::ActiveMask { d } => vec![(*d, 32)],
                Effect::Load(load) => {
                    load.dsts.iter().map(|dst| (*dst, length(load.fill.register))).collect()
                }
                Effect::Atomic(atomic) => atomic.dst.map(|dst| (dst, 8 * atomic.size)).into_iter().collect(),
                Effect::VectorAtomic(atomic) => {
                    atomic.elements.iter().filter_map(|(dst, _)| Some(((*dst)?, 8 * atomic.size))).collect()
                }
                Effect::WideAtomic(atomic) => atomic.dst.into_iter().flatten().map(|dst| (dst, 64)).collect(),
                Effect::BlockBarrier(barrier) => vec![(barrier.dst, 32)],
                Effect::Call(call) => call
                    .results
                    .iter()
                    .filter_map(|slot| match slot {
                        Slot::Rows { first, .. } => Some((first.as_register()?, 64)),
                        _ => None,
                    })
                    .collect(),
                Effect::Collective(collective) if !heavy::is_heavy(op) => self.of_collective(collective),
                effect => {
                    let writes = Access::of(op).writes;
                    writes.into_iter().map(|dst| (dst, heavy::width(effect))).collect()
                }
            },
        }
    }

    fn of_collective(&self, collective: &Collective) -> Vec<(u32, u32)> {
        let of_value = || match collective.srcs.first() {
            Some(&src) => self.src(src),
            None => 64,
        };
        let [first, second] = match collective.kind {
            CollectiveKind::Shuffle(_) => [of_value(), 1],
            CollectiveKind::Vote(VoteMode::Ballot) | CollectiveKind::MatchAny => [32, 32],
            CollectiveKind::Vote(VoteMode::All | VoteMode::Any | VoteMode::Uniform) => [1, 1],
            CollectiveKind::MatchAll | CollectiveKind::Elect => [32, 1],
            CollectiveKind::Redux(_, t) => [t.bits(), t.bits()],
            CollectiveKind::ReduxFloat(..) => [32, 32],
            CollectiveKind::Multiply(product) => [32.max(product.d.bits()); 2],
            CollectiveKind::LoadFragment(fragment) => [32.max(fragment.factor.element.bits()); 2],
            CollectiveKind::LoadMatrix(_) | CollectiveKind::TransposeMatrix => [32, 32],
            CollectiveKind::Barrier
            | CollectiveKind::StoreFragment(_)
            | CollectiveKind::StoreMatrix(_)
            | CollectiveKind::Tensor(_) => [64, 64],
        };
        let bits = |at: usize| if at == 1 { second } else { first };
        collective.dsts.iter().enumerate().map(|(at, dst)| (*dst, bits(at))).collect()
    }

    fn of_alu(&self, alu: &Alu) -> Vec<(u32, u32)> {
        let fields = |packing: Packing, bits: u32| match packing {
            Packing::Whole => bits,
            Packing::Fields { bits, count } => bits * count,
        };
        match *alu {
            Alu::Unary { op, packing, d, .. } => vec![(d, fields(packing, unary(op)))],
            Alu::Binary { op, packing, d, a, b } => {
                let bits = match op {
                    Binary::And | Binary::Or | Binary::Xor => self.src(a).max(self.src(b)),
                    _ => fields(packing, binary(op)),
                };
                vec![(d, bits)]
            }
            Alu::Ternary { op, packing, d, a, b, .. } => {
                let bits = match op {
                    Ternary::Select | Ternary::SelectBySign | Ternary::SelectByFloatSign(..) => {
                        self.src(a).max(self.src(b))
                    }
                    _ => fields(packing, ternary(op)),
                };
                vec![(d, bits)]
            }
            Alu::Formula { op, d, .. } => vec![(d, op.bits())],
            Alu::Dual { op, dsts: [first, second], .. } => {
                let bits = match op {
                    Dual::AddCarry(t, _) | Dual::SubCarry(t, _) | Dual::MadCarry(t, _) => t.bits(),
                    Dual::Lop3(..) => 32,
                    Dual::Compare(..) | Dual::ComparePair(..) => 1,
                };
                vec![(first, bits), (second, 1)]
            }
        }
    }
}

fn unary(op: Unary) -> u32 {
    match op {
        Unary::Field { mask, .. } | Unary::AddConstant { mask, .. } | Unary::Not { mask } => length(mask),
        Unary::IsZero { .. } | Unary::HasProperty(..) | Unary::IsInSpace(..) => 1,
        Unary::IntAbs(t) | Unary::IntNeg(t) | Unary::Brev(t) => t.bits(),
        Unary::Popc(_) | Unary::Clz(_) | Unary::Bfind(..) => 32,
        Unary::FloatAbs(format, _) | Unary::FloatNeg(format, _) => format.bits(),
        Unary::Function(function, arith) => match function {
            FloatFunction::Rcp
            | FloatFunction::Sqrt
            | FloatFunction::Rsqrt
            | FloatFunction::Sin
            | FloatFunction::Cos
            | FloatFunction::SinOfTurns
            | FloatFunction::CosOfTurns
            | FloatFunction::Lg2
            | FloatFunction::Ex2
            | FloatFunction::Tanh => arith.format.bits(),
        },
        Unary::IntToInt { register, .. } | Unary::FloatToInt { register, .. } => length(register),
        Unary::IntToFloat { to, .. } | Unary::FloatToIntegral { to, .. } | Unary::FloatToFloat { to, .. } => {
            to.format.bits()
        }
        Unary::UpperHalf(_) | Unary::RcpUpperWord | Unary::RsqrtUpperWord | Unary::PendingCount => 64,
    }
}

fn part(t: Int, part: ProductPart) -> u32 {
    if part == ProductPart::Wide { 2 * t.bits() } else { t.bits() }
}

fn binary(op: Binary) -> u32 {
    match op {
        Binary::IsInBlock | Binary::Compare(_) => 1,
        Binary::IntAdd(t, _) | Binary::IntSub(t, _) => t.bits(),
        Binary::IntMul(t, which) => part(t, which),
        Binary::IntDiv(t) | Binary::IntRem(t) | Binary::IntMin(t) | Binary::IntMax(t) => t.bits(),
        Binary::IntMinRelu(t) | Binary::IntMaxRelu(t) | Binary::Shl(t) | Binary::Shr(t) => t.bits(),
        Binary::Mul24(..) | Binary::Bmsk(_) | Binary::Szext(..) => 32,
        Binary::Float(_, arith) | Binary::FloatMixed(_, arith, _) => arith.format.bits(),
        Binary::Extreme(extreme) => extreme.format.bits(),
        Binary::Copysign(format) => format.bits(),
        Binary::FloatPair(..) => 32,
        Binary::And | Binary::Or | Binary::Xor | Binary::Insert { .. } | Binary::Repack(..) => 64,
    }
}

fn ternary(op: Ternary) -> u32 {
    match op {
        Ternary::IntMad(t, which, _) => part(t, which),
        Ternary::Sad(t) | Ternary::Bfe(t) => t.bits(),
        Ternary::Mad24(..)
        | Ternary::Dp4a(..)
        | Ternary::Dp2a(..)
        | Ternary::Lop3(_)
        | Ternary::Shf(..)
        | Ternary::Prmt(_) => 32,
        Ternary::Fma(arith) | Ternary::FmaMixed(arith, _) | Ternary::FmaWithinBounds(arith) => {
            arith.format.bits()
        }
        Ternary::Extreme(extreme) => extreme.format.bits(),
        Ternary::Select
        | Ternary::SelectBySign
        | Ternary::SelectByFloatSign(..)
        | Ternary::Set(_)
        | Ternary::MultiplyAdd(_)
        | Ternary::Video(_)
        | Ternary::VideoSimd(_)
        | Ternary::RepackRandom(_)
        | Ternary::RepackScaled(..)
        | Ternary::PackIntegers(_) => 64,
    }
}

fn special(register: SpecialReg) -> u32 {
    match register {
        SpecialReg::Clock64 | SpecialReg::GlobalTimer | SpecialReg::GridId | SpecialReg::CurrentGraphExec => {
            64
        }
        SpecialReg::Pm64(_) => 64,
        _ => 32,
    }
}
