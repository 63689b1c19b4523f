//! Compiles the operations of a program to functions on rows, once for all of its launches.
//!
//! The kind of operation (`program/alu.rs`) is dispatched on here and never again: each becomes a closure that computes
//! a whole row, which the compiler monomorphizes to a separate loop.

use ptx_program::memory::RANK_SHIFT;
use ptx_program::scalar::float::{Arith, Subnormals};
use ptx_program::scalar::format::{Format, Rounding};
use ptx_program::scalar::int::{ProductPart, Saturation, Signedness};
use ptx_program::scalar::narrow::Direction;
use ptx_program::scalar::{bits, compare, convert, float, int};
use ptx_program::{
    Alu, Binary, Dst, Dual, Effect, FULL, FloatBinary, FloatFunction, Formula, Guard, Mask, Op, Packing,
    Program, Row, Src, Ternary, Unary, WARP, each, lanes,
};

use super::mbarrier_object::pending_count;

pub(super) type Row1 = Box<dyn Fn(&Row, Mask, &mut Row) + Send + Sync>;
pub(super) type Row2 = Box<dyn Fn(&Row, &Row, Mask, &mut Row) + Send + Sync>;
pub(super) type Row3 = Box<dyn Fn(&Row, &Row, &Row, Mask, &mut Row) + Send + Sync>;
pub(super) type Row4 = Box<dyn Fn([&Row; 4], Mask, &mut Row) + Send + Sync>;
pub(super) type RowPair = Box<dyn Fn([&Row; 4], Mask, &mut Row, &mut Row) + Send + Sync>;

/// An instruction in the form the inner loop executes.
pub(super) struct Bound {
    pub(super) guard: Option<Guard>,
    pub(super) step: Step,
}

/// The operation of an instruction.
pub(super) enum Step {
    Alu1 { f: Row1, d: Dst, a: Src },
    Alu2 { f: Row2, d: Dst, a: Src, b: Src },
    Alu3 { f: Row3, d: Dst, a: Src, b: Src, c: Src },
    Alu4(Box<(Row4, Dst, [Src; 4])>),
    AluPair(Box<(RowPair, [Dst; 2], [Src; 4])>),
    Effect(Effect),
}

/// Binds the instructions of a program.
pub(super) fn bind(program: &Program) -> Vec<Bound> {
    let step = |op: &Op| match op {
        Op::Alu(alu) => bind_alu(*alu),
        Op::Effect(effect) => Step::Effect(effect.clone()),
    };
    program.code.iter().map(|inst| Bound { guard: inst.guard, step: step(&inst.op) }).collect()
}

/// An operation applied to one row at a time, for engines that have no code of their own for it.
pub struct RowOperation(Step);

impl RowOperation {
    /// The function of an operation; its operand and result rows are ignored.
    pub fn new(alu: Alu) -> Self {
        Self(bind_alu(alu))
    }

    /// Computes the lanes of a mask, from as many of the sources as the operation has; the second result is that of an
    /// operation with two. Inactive lanes are unchanged.
    pub fn apply(&self, [a, b, c, d]: [&Row; 4], mask: Mask, [first, second]: [&mut Row; 2]) {
        match &self.0 {
            Step::Alu1 { f, .. } => f(a, mask, first),
            Step::Alu2 { f, .. } => f(a, b, mask, first),
            Step::Alu3 { f, .. } => f(a, b, c, mask, first),
            Step::Alu4(alu) => (alu.0)([a, b, c, d], mask, first),
            Step::AluPair(alu) => (alu.0)([a, b, c, d], mask, first, second),
            Step::Effect(_) => {}
        }
    }
}

fn bind_alu(alu: Alu) -> Step {
    match alu {
        Alu::Unary { op, packing, d, a } => Step::Alu1 { f: unary(op, packing), d, a },
        Alu::Binary { op, packing, d, a, b } => Step::Alu2 { f: binary(op, packing), d, a, b },
        Alu::Ternary { op, packing, d, a, b, c } => Step::Alu3 { f: ternary(op, packing), d, a, b, c },
        Alu::Formula { op, d, srcs } => Step::Alu4(Box::new((formula(op), d, srcs))),
        Alu::Dual { op, dsts, srcs } => Step::AluPair(Box::new((dual(op), dsts, srcs))),
    }
}

/// Lifts a unary function of one lane to a row.
fn row1(f: impl Fn(u64) -> u64 + Send + Sync + 'static) -> Row1 {
    Box::new(move |a, mask, out| {
        if mask == FULL {
            for lane in 0..WARP {
                out[lane] = f(a[lane]);
            }
        } else {
            for lane in lanes(mask) {
                out[lane] = f(a[lane]);
            }
        }
    })
}

/// Lifts a binary function of one lane to two rows.
fn row2(f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static) -> Row2 {
    Box::new(move |a, b, mask, out| {
        if mask == FULL {
            for lane in 0..WARP {
                out[lane] = f(a[lane], b[lane]);
            }
        } else {
            for lane in lanes(mask) {
                out[lane] = f(a[lane], b[lane]);
            }
        }
    })
}

/// Lifts a ternary function of one lane to three rows.
fn row3(f: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static) -> Row3 {
    Box::new(move |a, b, c, mask, out| {
        if mask == FULL {
            for lane in 0..WARP {
                out[lane] = f(a[lane], b[lane], c[lane]);
            }
        } else {
            for lane in lanes(mask) {
                out[lane] = f(a[lane], b[lane], c[lane]);
            }
        }
    })
}

/// Lifts a function of four operands of one lane to four rows.
fn row4(f: impl Fn([u64; 4]) -> u64 + Send + Sync + 'static) -> Row4 {
    Box::new(move |rows, mask, out| {
        for lane in lanes(mask) {
            out[lane] = f(rows.map(|row| row[lane]));
        }
    })
}

/// Lifts a function of up to four operands with two results to rows.
fn row_pair(f: impl Fn([u64; 4]) -> (u64, u64) + Send + Sync + 'static) -> RowPair {
    Box::new(move |rows, mask, first, second| {
        for lane in lanes(mask) {
            (first[lane], second[lane]) = f(rows.map(|row| row[lane]));
        }
    })
}

/// A unary function of whole registers, or of each packed field.
fn packed1(packing: Packing, f: impl Fn(u64) -> u64 + Send + Sync + 'static) -> Row1 {
    match packing {
        Packing::Whole => row1(f),
        Packing::Fields { bits, count } => row1(move |a| each(bits, count, [a], |[a]| f(a))),
    }
}

fn packed2(packing: Packing, f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static) -> Row2 {
    match packing {
        Packing::Whole => row2(f),
        Packing::Fields { bits, count } => row2(move |a, b| each(bits, count, [a, b], |[a, b]| f(a, b))),
    }
}

fn packed3(packing: Packing, f: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static) -> Row3 {
    match packing {
        Packing::Whole => row3(f),
        Packing::Fields { bits, count } => {
            row3(move |a, b, c| each(bits, count, [a, b, c], |[a, b, c]| f(a, b, c)))
        }
    }
}

/// The function of an operation with one source operand.
fn unary(op: Unary, packing: Packing) -> Row1 {
    match op {
        Unary::Field { shift, mask } => row1(move |a| a >> shift & mask),
        Unary::AddConstant { addend, mask } => row1(move |a| a.wrapping_add(addend) & mask),
        Unary::Not { mask } => row1(move |a| !a & mask),
        Unary::IsZero { mask } => row1(move |a| u64::from(a & mask == 0)),
        Unary::UpperHalf(Signedness::Signed) => row1(|low| (low as i64 >> 63) as u64),
        Unary::UpperHalf(Signedness::Unsigned) => row1(|_| 0),
        Unary::IntAbs(t) => packed1(packing, move |a| int::abs(t, a)),
        Unary::IntNeg(t) => packed1(packing, move |a| int::neg(t, a)),
        Unary::Popc(t) => row1(move |a| bits::popc(t, a)),
        Unary::Clz(t) => row1(move |a| bits::clz(t, a)),
        Unary::Brev(t) => row1(move |a| bits::brev(t, a)),
        Unary::Bfind(t, found) => row1(move |a| bits::bfind(t, found, a)),
        Unary::FloatAbs(format, subnormals) => packed1(packing, move |a| float::abs(format, subnormals, a)),
        Unary::FloatNeg(format, subnormals) => packed1(packing, move |a| float::neg(format, subnormals, a)),
        Unary::Function(function, arith) => float_function(function, arith, packing),
        Unary::RcpUpperWord => row1(float::rcp_upper_word),
        Unary::RsqrtUpperWord => row1(float::rsqrt_upper_word),
        Unary::HasProperty(format, property) => {
            row1(move |a| float::has_property(format, property, a).into())
        }
        Unary::IntToInt { to, from, excess, register } => {
            row1(move |a| to.extend(convert::int_to_int(to, from, excess, a)) & register)
        }
        Unary::FloatToInt { to, integral, from, subnormals, low, register } => row1(move |a| {
            to.extend(convert::float_to_int(to, integral, from, subnormals, a & low)) & register
        }),
        Unary::IntToFloat { to, from } => row1(move |a| convert::int_to_float(&to, from, a)),
        Unary::FloatToIntegral { to, integral, low } => {
            row1(move |a| convert::float_to_integral(&to, integral, a & low))
        }
        Unary::FloatToFloat { to, from, low } => row1(move |a| convert::float_to_float(&to, from, a & low)),
        Unary::IsInSpace(space, size) => row1(move |a| u64::from(space.has_generic(a, size))),
        Unary::PendingCount => row1(pending_count),
    }
}

fn float_function(function: FloatFunction, m: Arith, packing: Packing) -> Row1 {
    match function {
        FloatFunction::Rcp => packed1(packing, move |a| float::rcp(&m, a)),
        FloatFunction::Sqrt => packed1(packing, move |a| float::sqrt(&m, a)),
        FloatFunction::Rsqrt => packed1(packing, move |a| float::rsqrt(&m, a)),
        FloatFunction::Sin => packed1(packing, move |a| float::sin(&m, a)),
        FloatFunction::Cos => packed1(packing, move |a| float::cos(&m, a)),
        FloatFunction::SinOfTurns => packed1(packing, move |a| float::sin_of_turns(&m, a)),
        FloatFunction::CosOfTurns => packed1(packing, move |a| float::cos_of_turns(&m, a)),
        FloatFunction::Lg2 => packed1(packing, move |a| float::lg2(&m, a)),
        FloatFunction::Ex2 => packed1(packing, move |a| float::ex2(&m, a)),
        FloatFunction::Tanh => packed1(packing, move |a| float::tanh(&m, a)),
    }
}

const PLAIN: Arith = Arith::nearest(Format::F32);
const FLUSHED: Arith = Arith { subnormals: Subnormals::Flush, ..PLAIN };

/// The function of an operation with two source operands.
fn binary(op: Binary, packing: Packing) -> Row2 {
    match op {
        Binary::IsInBlock => row2(|a, b| u64::from(a >> RANK_SHIFT == b >> RANK_SHIFT)),
        Binary::And => row2(|a, b| a & b),
        Binary::Or => row2(|a, b| a | b),
        Binary::Xor => row2(|a, b| a ^ b),
        Binary::Insert { shift, mask } => row2(move |a, b| a | (b & mask) << shift),
        Binary::IntAdd(t, Saturation::Wrap) => packed2(packing, move |a, b| t.wrap(a.wrapping_add(b))),
        Binary::IntSub(t, Saturation::Wrap) => packed2(packing, move |a, b| t.wrap(a.wrapping_sub(b))),
        Binary::IntAdd(t, Saturation::Clamp) => {
            packed2(packing, move |a, b| int::add(t, Saturation::Clamp, a, b))
        }
        Binary::IntSub(t, Saturation::Clamp) => {
            packed2(packing, move |a, b| int::sub(t, Saturation::Clamp, a, b))
        }
        Binary::IntMul(t, ProductPart::Lo) => row2(move |a, b| int::mul(t, ProductPart::Lo, a, b)),
        Binary::IntMul(t, ProductPart::Hi) => row2(move |a, b| int::mul(t, ProductPart::Hi, a, b)),
        Binary::IntMul(t, ProductPart::Wide) => row2(move |a, b| int::mul(t, ProductPart::Wide, a, b)),
        Binary::IntDiv(t) => row2(move |a, b| int::div(t, a, b)),
        Binary::IntRem(t) => row2(move |a, b| int::rem(t, a, b)),
        Binary::IntMin(t) => packed2(packing, move |a, b| int::min(t, a, b)),
        Binary::IntMax(t) => packed2(packing, move |a, b| int::max(t, a, b)),
        Binary::IntMinRelu(t) => packed2(packing, move |a, b| int::max(t, int::min(t, a, b), 0)),
        Binary::IntMaxRelu(t) => packed2(packing, move |a, b| int::max(t, int::max(t, a, b), 0)),
        Binary::Mul24(t, part) => row2(move |a, b| int::mul24(t, part, a, b)),
        Binary::Shl(t) => row2(move |a, b| bits::shl(t, a, b)),
        Binary::Shr(t) => row2(move |a, b| bits::shr(t, a, b)),
        Binary::Bmsk(overshoot) => row2(move |a, b| bits::bmsk(overshoot, a, b)),
        Binary::Szext(sign, overshoot) => row2(move |a, b| bits::szext(sign, overshoot, a, b)),
        Binary::Float(op, arith) => float_binary(op, arith, packing),
        Binary::FloatMixed(op, arith, from) => {
            let f = float_scalar(op);
            row2(move |a, b| f(&arith, widen(from, a), b))
        }
        Binary::Extreme(extreme) => packed2(packing, move |a, b| extreme.of(a, b)),
        Binary::Copysign(format) => row2(move |a, b| float::copysign(format, a, b)),
        Binary::Compare(comparison) => match comparison.numbers {
            ptx_program::Numbers::Int(t) => {
                let relation = comparison.relation;
                row2(move |a, b| compare::int(relation, t, a, b).into())
            }
            _ => row2(move |a, b| comparison.holds(0, a, b).into()),
        },
        Binary::FloatPair(to, from) => row2(move |a, b| {
            convert::float_to_float(&to, from, a) << to.format.bits() | convert::float_to_float(&to, from, b)
        }),
        Binary::Repack(conversion, direction) => {
            row2(move |low, high| conversion.apply(low, high, |_| (convert::Scale::NONE, direction)))
        }
    }
}

/// Widens a value of a narrower format to `.f32`.
#[inline]
fn widen(from: Format, raw: u64) -> u64 {
    Format::F32.narrow(from.widen(raw), Rounding::NearestEven)
}

fn float_scalar(op: FloatBinary) -> fn(&Arith, u64, u64) -> u64 {
    match op {
        FloatBinary::Add => float::add,
        FloatBinary::Sub => float::sub,
        FloatBinary::Mul => float::mul,
        FloatBinary::Div => float::div,
        FloatBinary::DivApprox => float::div_approx,
    }
}

fn float_binary(op: FloatBinary, m: Arith, packing: Packing) -> Row2 {
    // The operations common in kernels have specialized closures, so that they become tight loops.
    if packing == Packing::Whole && m == PLAIN {
        match op {
            FloatBinary::Add => {
                return row2(|a, b| float::nearest_f32(Subnormals::Keep, [a, b], |[a, b]| a + b));
            }
            FloatBinary::Sub => {
                return row2(|a, b| float::nearest_f32(Subnormals::Keep, [a, b], |[a, b]| a - b));
            }
            FloatBinary::Mul => {
                return row2(|a, b| float::nearest_f32(Subnormals::Keep, [a, b], |[a, b]| a * b));
            }
            FloatBinary::Div | FloatBinary::DivApprox => {}
        }
    }
    if packing == Packing::Whole && m == FLUSHED {
        match op {
            FloatBinary::Add => {
                return row2(|a, b| float::nearest_f32(Subnormals::Flush, [a, b], |[a, b]| a + b));
            }
            FloatBinary::Sub => {
                return row2(|a, b| float::nearest_f32(Subnormals::Flush, [a, b], |[a, b]| a - b));
            }
            FloatBinary::Mul => return row2(float::nearest_product_flushed),
            FloatBinary::Div | FloatBinary::DivApprox => {}
        }
    }
    match op {
        FloatBinary::Add => packed2(packing, move |a, b| float::add(&m, a, b)),
        FloatBinary::Sub => packed2(packing, move |a, b| float::sub(&m, a, b)),
        FloatBinary::Mul => packed2(packing, move |a, b| float::mul(&m, a, b)),
        FloatBinary::Div => packed2(packing, move |a, b| float::div(&m, a, b)),
        FloatBinary::DivApprox => packed2(packing, move |a, b| float::div_approx(&m, a, b)),
    }
}

fn fma(m: Arith, packing: Packing) -> Row3 {
    match packing {
        Packing::Whole if m == PLAIN => {
            row3(|a, b, c| float::nearest_f32(Subnormals::Keep, [a, b, c], |[a, b, c]| a.mul_add(b, c)))
        }
        Packing::Whole if m == FLUSHED => row3(float::nearest_fma_flushed),
        _ => packed3(packing, move |a, b, c| float::fma(&m, a, b, c)),
    }
}

/// The function of an operation with three source operands.
fn ternary(op: Ternary, packing: Packing) -> Row3 {
    match op {
        Ternary::IntMad(t, ProductPart::Lo, Saturation::Wrap) => {
            row3(move |a, b, c| t.wrap(a.wrapping_mul(b).wrapping_add(c)))
        }
        Ternary::IntMad(t, part, saturation) => row3(move |a, b, c| int::mad(t, part, saturation, a, b, c)),
        Ternary::Mad24(t, part, saturation) => row3(move |a, b, c| int::mad24(t, part, saturation, a, b, c)),
        Ternary::Sad(t) => row3(move |a, b, c| int::sad(t, a, b, c)),
        Ternary::Dp4a(a_sign, b_sign) => row3(move |a, b, c| int::dp4a(a_sign, b_sign, a, b, c)),
        Ternary::Dp2a(a_sign, b_sign, half) => row3(move |a, b, c| int::dp2a(a_sign, b_sign, half, a, b, c)),
        Ternary::Lop3(table) => row3(move |a, b, c| bits::lop3(table, a, b, c)),
        Ternary::Shf(direction, overshoot) => row3(move |a, b, c| bits::shf(direction, overshoot, a, b, c)),
        Ternary::Bfe(t) => row3(move |a, pos, len| bits::bfe(t, a, pos, len)),
        Ternary::Prmt(mode) => row3(move |a, b, c| bits::prmt(mode, a, b, c)),
        Ternary::Fma(arith) => fma(arith, packing),
        Ternary::FmaMixed(m, from) => row3(move |a, b, c| float::fma(&m, widen(from, a), widen(from, b), c)),
        Ternary::FmaWithinBounds(m) => packed3(packing, move |a, b, c| float::fma_within_bounds(&m, a, b, c)),
        Ternary::Extreme(extreme) => packed3(packing, move |a, b, c| extreme.of(extreme.of(a, b), c)),
        Ternary::Select => row3(|a, b, p| if p & 1 == 1 { a } else { b }),
        Ternary::SelectBySign => row3(|a, b, c| if (c as i32) >= 0 { a } else { b }),
        Ternary::SelectByFloatSign(format, subnormals) => {
            row3(move |a, b, c| if format.widen(float::flush(format, subnormals, c)) >= 0.0 { a } else { b })
        }
        Ternary::Set(set) => row3(move |a, b, c| {
            (0..set.count).fold(0, |result, n| {
                let holds = set.join.apply(set.comparison.holds(n, a, b).into(), c) & 1;
                result | if holds == 1 { set.when_true << (n * set.width) } else { 0 }
            })
        }),
        Ternary::MultiplyAdd(vmad) => row3(move |a, b, c| vmad.apply(a, b, c)),
        Ternary::Video(scalar) => row3(move |a, b, c| scalar.apply(a, b, c)),
        Ternary::VideoSimd(simd) => row3(move |a, b, c| simd.apply(a, b, c)),
        Ternary::RepackRandom(conversion) => row3(move |low, high, bits| {
            let direction = |n| Direction::Random(conversion.random_bits(n, bits));
            conversion.apply(low, high, |n| (convert::Scale::NONE, direction(n)))
        }),
        Ternary::RepackScaled(conversion, direction) => row3(move |low, high, scales| {
            conversion.apply(low, high, |n| (conversion.scale(scales >> (8 * n) & 0xff), direction))
        }),
        Ternary::PackIntegers(element) => row3(move |a, b, c| convert::pack(element, a, b, c)),
    }
}

/// The function of a formula.
fn formula(op: Formula) -> Row4 {
    match op {
        // In a specialized closure the lane loop does not dispatch on the formula.
        Formula::Bfi(t) => row4(move |sources| Formula::Bfi(t).of(sources)),
        op => row4(move |sources| op.of(sources)),
    }
}

/// The function of an operation with two results.
fn dual(op: Dual) -> RowPair {
    match op {
        Dual::AddCarry(t, Saturation::Clamp) => {
            row_pair(move |[a, b, _, carry]| (int::add_carry_clamped(t, a, b, carry), 0))
        }
        Dual::SubCarry(t, Saturation::Clamp) => {
            row_pair(move |[a, b, _, carry]| (int::sub_carry_clamped(t, a, b, carry), 0))
        }
        Dual::AddCarry(t, Saturation::Wrap) => {
            row_pair(move |[a, b, _, carry]| int::add_carry(t, a, b, carry))
        }
        Dual::SubCarry(t, Saturation::Wrap) => {
            row_pair(move |[a, b, _, carry]| int::sub_carry(t, a, b, carry))
        }
        Dual::MadCarry(t, part) => {
            row_pair(move |[a, b, c, carry]| int::add_carry(t, int::carry_product(t, part, a, b), c, carry))
        }
        Dual::Lop3(table, join) => row_pair(move |[a, b, c, q]| {
            let result = bits::lop3(table, a, b, c);
            (result, join.apply(u64::from(result != 0), q))
        }),
        Dual::Compare(comparison, join) => row_pair(move |[a, b, c, _]| {
            let holds = u64::from(comparison.holds(0, a, b));
            (join.apply(holds, c), join.apply(holds ^ 1, c))
        }),
        Dual::ComparePair(comparison, join) => row_pair(move |[a, b, c, _]| {
            let holds = [0, 1].map(|n| u64::from(comparison.holds(n, a, b)));
            (join.apply(holds[0], c), join.apply(holds[1], c))
        }),
    }
}
