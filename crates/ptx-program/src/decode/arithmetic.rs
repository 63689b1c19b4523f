//! Arithmetic, logic and bit operations.

use ptx_ir::Operand;
use ptx_isa::{ArithSem, BitsSem, Field, Mod, Opcode, OperandKey, ScalarType};

use super::context::{Context, Decode, ternary};
use super::numbers::{float_format, numbers};
use super::operand::{dst, dst_operand, src, src_operand};
use super::output::{Decoded, finding};
use super::signature::row_bits;
use crate::program::{
    Alu, Binary, Dst, Dual, FloatBinary, FloatExtreme, FloatFunction, Formula, Numbers, Packing, Src,
    Ternary, Unary,
};
use crate::scalar::bits::{Direction, Found, Overshoot, Permutation};
use crate::scalar::compare::Join;
use crate::scalar::float::{Arith, Extreme, Limit, NanRule, Property, SignRule, Subnormals};
use crate::scalar::format::{Format, Rounding};
use crate::scalar::int::{Int, ProductPart, Saturation, Signedness};

/// Justification for the results of approximations.
const ROUNDED: &str = "approximations are rounded correctly, which is within their bounds";

/// The instruction type, which every arithmetic row has.
pub(super) fn type_numbers(cx: &Context<'_>) -> Decoded<Numbers> {
    match cx.m.scalar_type().and_then(numbers) {
        Some(numbers) => Ok(numbers),
        None => cx.unsupported("its type has no arithmetic here"),
    }
}

/// The Boolean operator given by the modifiers, if any.
pub(super) fn join(cx: &Context<'_>) -> Decoded<Option<Join>> {
    Ok(match cx.m.get(Field::Bool) {
        None => None,
        Some(Mod::And) => Some(Join::And),
        Some(Mod::Or) => Some(Join::Or),
        Some(Mod::Xor) => Some(Join::Xor),
        Some(_) => return cx.unsupported("its operator is not supported"),
    })
}

/// The type of an instruction on single integers.
fn integer_type(cx: &Context<'_>) -> Decoded<Int> {
    match type_numbers(cx)? {
        Numbers::Int(t) => Ok(t),
        Numbers::Ints(..) | Numbers::Float(_) | Numbers::Floats(..) => {
            cx.unsupported("its type is not an integer")
        }
    }
}

/// The type of an instruction on floating-point values, and how they lie in registers.
fn float_type(cx: &Context<'_>) -> Decoded<(Format, Packing)> {
    match type_numbers(cx)? {
        n @ (Numbers::Float(format) | Numbers::Floats(format, _)) => Ok((format, n.packing())),
        Numbers::Int(_) | Numbers::Ints(..) => cx.unsupported("its type is not a floating-point type"),
    }
}

/// The format of the narrow operands in mixed precision (manual 9.7.5): `.f16` or `.bf16` operands are widened, the last one and the
/// result are `.f32`. `None` for instructions of one type.
fn mixed(cx: &Context<'_>) -> Decoded<Option<Format>> {
    let Some(from) = cx.m.type_of(Field::AType) else { return Ok(None) };
    let Some(from) = float_format(from) else {
        return cx.unsupported("its argument type has no arithmetic here");
    };
    if cx.m.scalar_type() != Some(ScalarType::F32) {
        return cx.unsupported("its type has no mixed precision here");
    }
    Ok(Some(from))
}

/// `.ftz`.
pub(super) fn subnormals(cx: &Context<'_>) -> Subnormals {
    if cx.m.has(Mod::Ftz) { Subnormals::Flush } else { Subnormals::Keep }
}

/// The rounding mode given by the modifiers.
pub(super) fn rounding(cx: &Context<'_>) -> Decoded<Rounding> {
    Ok(match cx.m.get(Field::Rnd) {
        // The default is `.rn` (manual 9.7.3.3).
        None | Some(Mod::Rn) => Rounding::NearestEven,
        Some(Mod::Rz) => Rounding::TowardZero,
        Some(Mod::Rm) => Rounding::Down,
        Some(Mod::Rp) => Rounding::Up,
        Some(Mod::Rna) => Rounding::NearestAway,
        Some(_) => return cx.unsupported("its rounding is not supported"),
    })
}

/// The properties of a floating-point instruction other than its operation.
fn arith(cx: &Context<'_>, format: Format) -> Decoded<Arith> {
    let limit = if cx.m.has(Mod::Sat) {
        Limit::Unit
    } else if cx.m.has(Mod::Relu) {
        Limit::Relu
    } else {
        Limit::None
    };
    let subnormals = if format == Format::F64 {
        cx.m.ignore(&[Field::Ftz], "`ptxas` makes the code of `rcp.rn.f64` for `rcp.rn.ftz.f64`");
        Subnormals::Keep
    } else {
        subnormals(cx)
    };
    Ok(Arith { format, rounding: rounding(cx)?, subnormals, limit })
}

pub(super) fn saturation(cx: &Context<'_>) -> Saturation {
    if cx.m.has(Mod::Sat) { Saturation::Clamp } else { Saturation::Wrap }
}

fn part(cx: &Context<'_>) -> Decoded<ProductPart> {
    match cx.m.get(Field::Part) {
        Some(Mod::Hi) => Ok(ProductPart::Hi),
        Some(Mod::Wide) => Ok(ProductPart::Wide),
        Some(Mod::Lo) => Ok(ProductPart::Lo),
        _ => cx.unsupported("this part of the product is not supported"),
    }
}

pub(super) fn overshoot(cx: &Context<'_>) -> Decoded<Overshoot> {
    match (cx.m.has(Mod::Clamp), cx.m.has(Mod::Wrap)) {
        (true, false) => Ok(Overshoot::Clamp),
        (false, true) => Ok(Overshoot::Wrap),
        _ => cx.unsupported("this treatment of amounts beyond the width is not supported"),
    }
}

/// The signedness of the type in a slot.
pub(super) fn sign_of(cx: &Context<'_>, field: Field) -> Signedness {
    let signed = cx.m.type_of(field).is_some_and(ScalarType::is_signed);
    if signed { Signedness::Signed } else { Signedness::Unsigned }
}

/// Refuses a row with more or fewer operands than its operation has here, so that no operand is ignored.
fn expect_operands(cx: &Context<'_>, count: usize) -> Decoded<()> {
    if cx.operands.len() == count {
        Ok(())
    } else {
        cx.unsupported("it has other operands than are known here")
    }
}

/// The decoder of an arithmetic operation.
pub(super) fn arith_decoder(sem: ArithSem) -> Decode {
    use ArithSem as S;
    match sem {
        S::Add => |cx| sum(cx, Binary::IntAdd, FloatBinary::Add),
        S::Sub => |cx| sum(cx, Binary::IntSub, FloatBinary::Sub),
        S::Mul => product,
        S::Mad => multiply_add,
        S::Fma => fused_multiply_add,
        S::Div => quotient,
        S::Rem => |cx| integer_binary(cx, Binary::IntRem),
        S::Abs => |cx| sign(cx, Unary::IntAbs, Unary::FloatAbs),
        S::Neg => |cx| sign(cx, Unary::IntNeg, Unary::FloatNeg),
        S::Min | S::Min3 => |cx| extreme(cx, Extreme::Min),
        S::Max | S::Max3 => |cx| extreme(cx, Extreme::Max),
        S::FmaOob => fma_within_bounds,
        S::PackedBytes => packed_bytes,
        S::Sad => |cx| integer_ternary(cx, Ternary::Sad),
        S::Mul24 => |cx| {
            let op = Binary::Mul24(integer_type(cx)?, part(cx)?);
            apply_binary(cx, op, Packing::Whole)
        },
        S::Mad24 => |cx| {
            let op = Ternary::Mad24(integer_type(cx)?, part(cx)?, saturation(cx));
            apply_ternary(cx, op, Packing::Whole)
        },
        S::Dp4a => |cx| {
            let op = Ternary::Dp4a(sign_of(cx, Field::AType), sign_of(cx, Field::BType));
            apply_ternary(cx, op, Packing::Whole)
        },
        S::Dp2a => dot_product_of_halves,
        S::AddCarry => |cx| carry(cx, Dual::AddCarry, 0),
        // `sub.cc` computes `a + ~b + 1`.
        S::SubCarry => |cx| carry(cx, Dual::SubCarry, 1),
        S::MadCarry => multiply_add_carry,
        S::Rcp => |cx| reciprocal(cx, FloatFunction::Rcp, Unary::RcpUpperWord),
        S::Rsqrt => |cx| reciprocal(cx, FloatFunction::Rsqrt, Unary::RsqrtUpperWord),
        S::Sqrt => |cx| float_function(cx, FloatFunction::Sqrt),
        S::Sin => |cx| of_angle(cx, FloatFunction::Sin, FloatFunction::SinOfTurns),
        S::Cos => |cx| of_angle(cx, FloatFunction::Cos, FloatFunction::CosOfTurns),
        S::Lg2 => |cx| float_function(cx, FloatFunction::Lg2),
        S::Ex2 => |cx| float_function(cx, FloatFunction::Ex2),
        S::Tanh => |cx| float_function(cx, FloatFunction::Tanh),
        S::Testp => test_property,
        S::Copysign => |cx| {
            let (format, _) = float_type(cx)?;
            apply_binary(cx, Binary::Copysign(format), Packing::Whole)
        },
    }
}

/// The decoder of a logic, shift or bit field operation.
pub(super) fn bits_decoder(sem: BitsSem) -> Decode {
    use BitsSem as S;
    match sem {
        S::And => |cx| logic(cx, Binary::And),
        S::Or => |cx| logic(cx, Binary::Or),
        S::Xor => |cx| logic(cx, Binary::Xor),
        S::Not => |cx| masked(cx, |mask| Unary::Not { mask }),
        S::Cnot => |cx| masked(cx, |mask| Unary::IsZero { mask }),
        S::Lop3 => lop3,
        S::Shl => |cx| integer_binary(cx, Binary::Shl),
        S::Shr => |cx| integer_binary(cx, Binary::Shr),
        S::Shf => funnel_shift,
        S::Popc => |cx| integer_unary(cx, Unary::Popc),
        S::Clz => |cx| integer_unary(cx, Unary::Clz),
        S::Brev => |cx| integer_unary(cx, Unary::Brev),
        S::Bfind => |cx| {
            let found = if cx.m.has(Mod::Shiftamt) { Found::ShiftAmount } else { Found::Position };
            let op = Unary::Bfind(integer_type(cx)?, found);
            apply_unary(cx, op, Packing::Whole)
        },
        S::Fns => |cx| formula(cx, Formula::Fns),
        S::Bfe => |cx| integer_ternary(cx, Ternary::Bfe),
        S::Bfi => |cx| {
            let op = Formula::Bfi(integer_type(cx)?);
            formula(cx, op)
        },
        S::Bmsk => |cx| {
            cx.m.ignore(&[Field::Type], "masks have one type");
            let op = Binary::Bmsk(overshoot(cx)?);
            apply_binary(cx, op, Packing::Whole)
        },
        S::Szext => |cx| {
            let op = Binary::Szext(integer_type(cx)?.sign(), overshoot(cx)?);
            apply_binary(cx, op, Packing::Whole)
        },
        S::Prmt => permute,
    }
}

fn apply_unary(cx: &mut Context<'_>, op: Unary, packing: Packing) -> Decoded<()> {
    expect_operands(cx, 2)?;
    let (d, a) = (dst(cx, 0)?, src(cx, 1)?);
    cx.emit(Alu::Unary { op, packing, d, a });
    Ok(())
}

fn apply_binary(cx: &mut Context<'_>, op: Binary, packing: Packing) -> Decoded<()> {
    expect_operands(cx, 3)?;
    let (d, a, b) = (dst(cx, 0)?, src(cx, 1)?, src(cx, 2)?);
    cx.emit(Alu::Binary { op, packing, d, a, b });
    Ok(())
}

fn apply_ternary(cx: &mut Context<'_>, op: Ternary, packing: Packing) -> Decoded<()> {
    expect_operands(cx, 4)?;
    let (d, a, b, c) = (dst(cx, 0)?, src(cx, 1)?, src(cx, 2)?, src(cx, 3)?);
    cx.emit(Alu::Ternary { op, packing, d, a, b, c });
    Ok(())
}

fn integer_unary(cx: &mut Context<'_>, op: fn(Int) -> Unary) -> Decoded<()> {
    let op = op(integer_type(cx)?);
    apply_unary(cx, op, Packing::Whole)
}

fn integer_binary(cx: &mut Context<'_>, op: fn(Int) -> Binary) -> Decoded<()> {
    let op = op(integer_type(cx)?);
    apply_binary(cx, op, Packing::Whole)
}

fn integer_ternary(cx: &mut Context<'_>, op: fn(Int) -> Ternary) -> Decoded<()> {
    let op = op(integer_type(cx)?);
    apply_ternary(cx, op, Packing::Whole)
}

fn float_binary(cx: &mut Context<'_>, op: FloatBinary, format: Format, packing: Packing) -> Decoded<()> {
    let op = Binary::Float(op, arith(cx, format)?);
    apply_binary(cx, op, packing)
}

/// A formula of all operands after the destination.
fn formula(cx: &mut Context<'_>, op: Formula) -> Decoded<()> {
    let mut srcs = [cx.constants.of(0); 4];
    if cx.operands.len() > 1 + srcs.len() {
        return cx.unsupported("it has more operands than are known here");
    }
    let d = dst(cx, 0)?;
    for at in 1..cx.operands.len() {
        srcs[at - 1] = src(cx, at)?;
    }
    cx.emit(Alu::Formula { op, d, srcs });
    Ok(())
}

/// `add`, `sub` of all types.
fn sum(cx: &mut Context<'_>, integer: fn(Int, Saturation) -> Binary, float: FloatBinary) -> Decoded<()> {
    if let Some(from) = mixed(cx)? {
        let op = Binary::FloatMixed(float, arith(cx, Format::F32)?, from);
        return apply_binary(cx, op, Packing::Whole);
    }
    let n = type_numbers(cx)?;
    match n {
        Numbers::Int(t) | Numbers::Ints(t, _) => {
            let op = integer(t, saturation(cx));
            apply_binary(cx, op, n.packing())
        }
        Numbers::Float(format) | Numbers::Floats(format, _) => float_binary(cx, float, format, n.packing()),
    }
}

/// `mul` of all types.
fn product(cx: &mut Context<'_>) -> Decoded<()> {
    match type_numbers(cx)? {
        Numbers::Int(_) | Numbers::Ints(..) => {
            let op = Binary::IntMul(integer_type(cx)?, part(cx)?);
            apply_binary(cx, op, Packing::Whole)
        }
        n @ (Numbers::Float(format) | Numbers::Floats(format, _)) => {
            float_binary(cx, FloatBinary::Mul, format, n.packing())
        }
    }
}

/// `mad` of all types.
fn multiply_add(cx: &mut Context<'_>) -> Decoded<()> {
    match type_numbers(cx)? {
        Numbers::Int(_) | Numbers::Ints(..) => {
            let op = Ternary::IntMad(integer_type(cx)?, part(cx)?, saturation(cx));
            apply_ternary(cx, op, Packing::Whole)
        }
        Numbers::Float(_) | Numbers::Floats(..) => fused_multiply_add(cx),
    }
}

/// `fma`, and `mad` of floating-point types.
fn fused_multiply_add(cx: &mut Context<'_>) -> Decoded<()> {
    if let Some(from) = mixed(cx)? {
        let op = Ternary::FmaMixed(arith(cx, Format::F32)?, from);
        return apply_ternary(cx, op, Packing::Whole);
    }
    let (format, packing) = float_type(cx)?;
    let op = Ternary::Fma(arith(cx, format)?);
    apply_ternary(cx, op, packing)
}

/// `div` of all types.
fn quotient(cx: &mut Context<'_>) -> Decoded<()> {
    match type_numbers(cx)? {
        Numbers::Int(_) | Numbers::Ints(..) => integer_binary(cx, Binary::IntDiv),
        n @ (Numbers::Float(format) | Numbers::Floats(format, _)) => {
            let op = if cx.m.has(Mod::Approx) {
                FloatBinary::DivApprox
            } else {
                cx.m.ignore_words(&[Mod::Full], ROUNDED);
                FloatBinary::Div
            };
            float_binary(cx, op, format, n.packing())
        }
    }
}

/// `abs`, `neg` of all types.
fn sign(
    cx: &mut Context<'_>,
    integer: fn(Int) -> Unary,
    float: fn(Format, Subnormals) -> Unary,
) -> Decoded<()> {
    let n = type_numbers(cx)?;
    let op = match n {
        Numbers::Int(t) | Numbers::Ints(t, _) => integer(t),
        Numbers::Float(format) | Numbers::Floats(format, _) => float(format, subnormals(cx)),
    };
    apply_unary(cx, op, n.packing())
}

/// `fma.oob` (manual 9.7.4.4).
pub(super) fn fma_within_bounds(cx: &mut Context<'_>) -> Decoded<()> {
    let (format, packing) = float_type(cx)?;
    if !cx.m.has(Mod::Oob) {
        return cx.unsupported("this treatment of addresses out of bounds is not supported");
    }
    let m = arith(cx, format)?;
    apply_ternary(cx, Ternary::FmaWithinBounds(m), packing)
}

/// `add`, `sub`, `min`, `max` and `neg` on four bytes.
pub(super) fn packed_bytes(cx: &mut Context<'_>) -> Decoded<()> {
    let n = type_numbers(cx)?;
    let Numbers::Ints(t, _) = n else { return cx.unsupported("its type is not a pack of integers") };
    match cx.m.opcode() {
        Opcode::Add => apply_binary(cx, Binary::IntAdd(t, saturation(cx)), n.packing()),
        Opcode::Sub => apply_binary(cx, Binary::IntSub(t, saturation(cx)), n.packing()),
        Opcode::Min => extreme(cx, Extreme::Min),
        Opcode::Max => extreme(cx, Extreme::Max),
        Opcode::Neg => apply_unary(cx, Unary::IntNeg(t), n.packing()),
        _ => cx.unsupported("it is not a known operation on bytes"),
    }
}

/// `min`, `max`, of two or three values.
fn extreme(cx: &mut Context<'_>, which: Extreme) -> Decoded<()> {
    let n = type_numbers(cx)?;
    match n {
        Numbers::Int(t) | Numbers::Ints(t, _) => {
            let op = match (which, cx.m.has(Mod::Relu)) {
                (Extreme::Min, false) => Binary::IntMin(t),
                (Extreme::Max, false) => Binary::IntMax(t),
                (Extreme::Min, true) => Binary::IntMinRelu(t),
                (Extreme::Max, true) => Binary::IntMaxRelu(t),
            };
            apply_binary(cx, op, n.packing())
        }
        Numbers::Float(format) | Numbers::Floats(format, _) => {
            let nan = if cx.m.has(Mod::Nan) { NanRule::Propagate } else { NanRule::Ignore };
            let sign = if cx.m.has(Mod::XorsignAbs) {
                SignRule::Xor
            } else if cx.m.has(Mod::AbsMod) {
                SignRule::Magnitude
            } else {
                SignRule::Plain
            };
            let extreme = FloatExtreme { format, subnormals: subnormals(cx), which, nan, sign };
            match n {
                // The form with three operands (PTX 8.8).
                Numbers::Float(_) if cx.operands.len() == 4 && sign != SignRule::Xor => {
                    apply_ternary(cx, Ternary::Extreme(extreme), Packing::Whole)
                }
                _ => apply_binary(cx, Binary::Extreme(extreme), n.packing()),
            }
        }
    }
}

/// `dp2a`.
fn dot_product_of_halves(cx: &mut Context<'_>) -> Decoded<()> {
    let half = match cx.m.get(Field::Mode) {
        Some(Mod::Lo) => ProductPart::Lo,
        Some(Mod::Hi) => ProductPart::Hi,
        _ => return cx.unsupported("this half of the factors is not supported"),
    };
    let op = Ternary::Dp2a(sign_of(cx, Field::AType), sign_of(cx, Field::BType), half);
    apply_ternary(cx, op, Packing::Whole)
}

/// `add.cc`, `addc`, `sub.cc`, `subc`; `initial` is the carry of the lowest word.
fn carry(cx: &mut Context<'_>, op: fn(Int, Saturation) -> Dual, initial: u64) -> Decoded<()> {
    let op = op(integer_type(cx)?, saturation(cx));
    let (carry, out) = condition_code(cx, initial);
    let (d, a, b) = (dst(cx, 0)?, src(cx, 1)?, src(cx, 2)?);
    cx.emit(Alu::Dual { op, dsts: [d, out], srcs: [a, b, carry, carry] });
    Ok(())
}

/// `mad.cc`, `madc`.
fn multiply_add_carry(cx: &mut Context<'_>) -> Decoded<()> {
    cx.m.ignore_words(&[Mod::Sat], "`ptxas` makes the code of `madc.hi` for `madc.hi.sat`");
    let op = Dual::MadCarry(integer_type(cx)?, part(cx)?);
    let (carry, out) = condition_code(cx, 0);
    let d = dst(cx, 0)?;
    let (a, b, c) = (src(cx, 1)?, src(cx, 2)?, src(cx, 3)?);
    cx.emit(Alu::Dual { op, dsts: [d, out], srcs: [a, b, c, carry] });
    Ok(())
}

/// The carry that an instruction reads, and the row of the one that it writes: the condition code is a register row of the function.
fn condition_code(cx: &mut Context<'_>, initial: u64) -> (Src, Dst) {
    let carry = if cx.m.reads_carry() { Src::register(cx.scope.carry) } else { cx.constants.of(initial) };
    (carry, if cx.m.has(Mod::Cc) { cx.scope.carry } else { cx.scope.sink })
}

/// `and`, `or`, `xor`.
fn logic(cx: &mut Context<'_>, op: Binary) -> Decoded<()> {
    cx.m.ignore(&[Field::Type], "registers have no bits beyond their type");
    apply_binary(cx, op, Packing::Whole)
}

/// `not`, `cnot`, on the bits of the type.
fn masked(cx: &mut Context<'_>, op: fn(u64) -> Unary) -> Decoded<()> {
    let op = op(row_bits(cx.m.scalar_type().unwrap_or(ScalarType::B64)));
    apply_unary(cx, op, Packing::Whole)
}

/// `lop3`.
fn lop3(cx: &mut Context<'_>) -> Decoded<()> {
    let (at, operand) = cx.operand(OperandKey::ImmLut)?;
    let table = match operand {
        Operand::Immediate(immediate) => {
            // Bits beyond the 8 of the table are ignored.
            immediate.as_integer().map(|value| value as u8)
        }
        _ => None,
    };
    let Some(table) = table else {
        return finding(crate::codes::OPERAND, cx.span(at), "the table must be an integer constant");
    };
    let d = dst_operand(cx, OperandKey::D)?;
    let (a, b, c) =
        (src_operand(cx, OperandKey::A)?, src_operand(cx, OperandKey::B)?, src_operand(cx, OperandKey::C)?);
    let Some(join) = join(cx)? else {
        cx.emit(ternary(Ternary::Lop3(table), d, [a, b, c]));
        return Ok(());
    };
    let (p, q) = (dst_operand(cx, OperandKey::P)?, src_operand(cx, OperandKey::Q)?);
    cx.emit(Alu::Dual { op: Dual::Lop3(table, join), dsts: [d, p], srcs: [a, b, c, q] });
    Ok(())
}

/// `shf`.
fn funnel_shift(cx: &mut Context<'_>) -> Decoded<()> {
    let direction = match cx.m.get(Field::Direction) {
        Some(Mod::L) => Direction::Left,
        Some(Mod::R) => Direction::Right,
        _ => return cx.unsupported("its direction is not supported"),
    };
    let op = Ternary::Shf(direction, overshoot(cx)?);
    apply_ternary(cx, op, Packing::Whole)
}

/// `prmt`.
fn permute(cx: &mut Context<'_>) -> Decoded<()> {
    let mode = match cx.m.get(Field::Mode) {
        Some(Mod::F4e) => Permutation::Forward4Extract,
        Some(Mod::B4e) => Permutation::Backward4Extract,
        Some(Mod::Rc8) => Permutation::Replicate8,
        Some(Mod::Ecl) => Permutation::EdgeClampLeft,
        Some(Mod::Ecr) => Permutation::EdgeClampRight,
        Some(Mod::Rc16) => Permutation::Replicate16,
        None => Permutation::Generic,
        Some(_) => return cx.unsupported("its mode is not supported"),
    };
    apply_ternary(cx, Ternary::Prmt(mode), Packing::Whole)
}

/// A unary floating-point function.
fn float_function(cx: &mut Context<'_>, function: FloatFunction) -> Decoded<()> {
    let (format, packing) = float_type(cx)?;
    cx.m.ignore(&[Field::Approx], ROUNDED);
    let op = Unary::Function(function, arith(cx, format)?);
    apply_unary(cx, op, packing)
}

/// `rcp`, `rsqrt`. Only the upper words of the `.f64` approximations with `.ftz` are significant.
fn reciprocal(cx: &mut Context<'_>, function: FloatFunction, upper_word: Unary) -> Decoded<()> {
    let (format, _) = float_type(cx)?;
    if format == Format::F64 && cx.m.has(Mod::Approx) && cx.m.has(Mod::Ftz) {
        return apply_unary(cx, upper_word, Packing::Whole);
    }
    float_function(cx, function)
}

/// `sin`, `cos`, of an angle in radians or in turns.
fn of_angle(cx: &mut Context<'_>, radians: FloatFunction, turns: FloatFunction) -> Decoded<()> {
    let function = if cx.m.has(Mod::TwoPi) { turns } else { radians };
    float_function(cx, function)
}

/// `testp`.
fn test_property(cx: &mut Context<'_>) -> Decoded<()> {
    let (format, _) = float_type(cx)?;
    let property = match cx.m.get(Field::Property) {
        Some(Mod::Finite) => Property::Finite,
        Some(Mod::Infinite) => Property::Infinite,
        Some(Mod::Number) => Property::Number,
        Some(Mod::Notanumber) => Property::NotANumber,
        Some(Mod::Normal) => Property::Normal,
        Some(Mod::Subnormal) => Property::Subnormal,
        _ => return cx.unsupported("its property is not supported"),
    };
    apply_unary(cx, Unary::HasProperty(format, property), Packing::Whole)
}
