//! Arithmetic, logic and bit operations.

use ptx_ir::Operand;
use ptx_isa::{ArithSem, BitsSem, Field, Mod, Opcode, OperandKey, ScalarType, TypeKind};

use super::Decoded;
use super::body::{BodyDecoder, Context, Decode, row_bits, ternary};
use super::convert::float_format;
use crate::program::{
    Alu, Binary, Dst, Dual, FloatBinary, FloatExtreme, FloatFunction, Formula, Numbers, Packing, Src,
    Ternary, Unary,
};
use crate::scalar::bits::{Direction, Found, Overshoot, Permutation};
use crate::scalar::float::{Arith, Extreme, Limit, NanRule, Property, SignRule, Subnormals};
use crate::scalar::format::{Format, Rounding};
use crate::scalar::int::{Int, ProductPart, Saturation, Signedness};

/// Justification for the results of approximations.
const ROUNDED: &str = "approximations are rounded correctly, which is within their bounds";

/// The numbers in a register of a type; untyped bits are unsigned.
pub(super) fn numbers(ty: ScalarType) -> Option<Numbers> {
    let sign = if ty.is_signed() { Signedness::Signed } else { Signedness::Unsigned };
    match ty.kind() {
        TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed => Int::new(ty.bits(), sign).map(Numbers::Int),
        TypeKind::Float => float_format(ty).map(Numbers::Float),
        TypeKind::Packed => match ty {
            ScalarType::F16x2 => Some(Numbers::Floats(Format::F16, 2)),
            ScalarType::Bf16x2 => Some(Numbers::Floats(Format::Bf16, 2)),
            ScalarType::F32x2 => Some(Numbers::Floats(Format::F32, 2)),
            ScalarType::U16x2 => Some(Numbers::Ints(Int::U16, 2)),
            ScalarType::S16x2 => Some(Numbers::Ints(Int::S16, 2)),
            ScalarType::U8x4 => Some(Numbers::Ints(Int::U8, 4)),
            ScalarType::S8x4 => Some(Numbers::Ints(Int::S8, 4)),
            _ => None,
        },
        TypeKind::Predicate => None,
    }
}

/// The instruction type, which every arithmetic row has.
pub(super) fn type_numbers(cx: &Context<'_>) -> Decoded<Numbers> {
    match cx.m.scalar_type().and_then(numbers) {
        Some(numbers) => Ok(numbers),
        None => cx.unsupported("its type has no arithmetic here"),
    }
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

impl<'a> BodyDecoder<'a> {
    /// The decoder of an arithmetic operation.
    pub(super) fn arith_decoder(sem: ArithSem) -> Decode<'a> {
        use ArithSem as S;
        match sem {
            S::Add => |decoder, cx| decoder.sum(cx, Binary::IntAdd, FloatBinary::Add),
            S::Sub => |decoder, cx| decoder.sum(cx, Binary::IntSub, FloatBinary::Sub),
            S::Mul => Self::product,
            S::Mad => Self::multiply_add,
            S::Fma => Self::fused_multiply_add,
            S::Div => Self::quotient,
            S::Rem => |decoder, cx| decoder.integer_binary(cx, Binary::IntRem),
            S::Abs => |decoder, cx| decoder.sign(cx, Unary::IntAbs, Unary::FloatAbs),
            S::Neg => |decoder, cx| decoder.sign(cx, Unary::IntNeg, Unary::FloatNeg),
            S::Min | S::Min3 => |decoder, cx| decoder.extreme(cx, Extreme::Min),
            S::Max | S::Max3 => |decoder, cx| decoder.extreme(cx, Extreme::Max),
            S::FmaOob => Self::fma_within_bounds,
            S::PackedBytes => Self::packed_bytes,
            S::Sad => |decoder, cx| decoder.integer_ternary(cx, Ternary::Sad),
            S::Mul24 => |decoder, cx| {
                let op = Binary::Mul24(integer_type(cx)?, part(cx)?);
                decoder.binary(cx, op, Packing::Whole)
            },
            S::Mad24 => |decoder, cx| {
                let op = Ternary::Mad24(integer_type(cx)?, part(cx)?, saturation(cx));
                decoder.ternary(cx, op, Packing::Whole)
            },
            S::Dp4a => |decoder, cx| {
                let op = Ternary::Dp4a(sign_of(cx, Field::AType), sign_of(cx, Field::BType));
                decoder.ternary(cx, op, Packing::Whole)
            },
            S::Dp2a => Self::dot_product_of_halves,
            S::AddCarry => |decoder, cx| decoder.carry(cx, Dual::AddCarry, 0),
            // `sub.cc` computes `a + ~b + 1`.
            S::SubCarry => |decoder, cx| decoder.carry(cx, Dual::SubCarry, 1),
            S::MadCarry => Self::multiply_add_carry,
            S::Rcp => |decoder, cx| decoder.reciprocal(cx, FloatFunction::Rcp, Unary::RcpUpperWord),
            S::Rsqrt => |decoder, cx| decoder.reciprocal(cx, FloatFunction::Rsqrt, Unary::RsqrtUpperWord),
            S::Sqrt => |decoder, cx| decoder.function(cx, FloatFunction::Sqrt),
            S::Sin => |decoder, cx| decoder.of_angle(cx, FloatFunction::Sin, FloatFunction::SinOfTurns),
            S::Cos => |decoder, cx| decoder.of_angle(cx, FloatFunction::Cos, FloatFunction::CosOfTurns),
            S::Lg2 => |decoder, cx| decoder.function(cx, FloatFunction::Lg2),
            S::Ex2 => |decoder, cx| decoder.function(cx, FloatFunction::Ex2),
            S::Tanh => |decoder, cx| decoder.function(cx, FloatFunction::Tanh),
            S::Testp => Self::test_property,
            S::Copysign => |decoder, cx| {
                let (format, _) = float_type(cx)?;
                decoder.binary(cx, Binary::Copysign(format), Packing::Whole)
            },
        }
    }

    /// The decoder of a logic, shift or bit field operation.
    pub(super) fn bits_decoder(sem: BitsSem) -> Decode<'a> {
        use BitsSem as S;
        match sem {
            S::And => |decoder, cx| decoder.logic(cx, Binary::And),
            S::Or => |decoder, cx| decoder.logic(cx, Binary::Or),
            S::Xor => |decoder, cx| decoder.logic(cx, Binary::Xor),
            S::Not => |decoder, cx| decoder.masked(cx, |mask| Unary::Not { mask }),
            S::Cnot => |decoder, cx| decoder.masked(cx, |mask| Unary::IsZero { mask }),
            S::Lop3 => Self::lop3,
            S::Shl => |decoder, cx| decoder.integer_binary(cx, Binary::Shl),
            S::Shr => |decoder, cx| decoder.integer_binary(cx, Binary::Shr),
            S::Shf => Self::funnel_shift,
            S::Popc => |decoder, cx| decoder.integer_unary(cx, Unary::Popc),
            S::Clz => |decoder, cx| decoder.integer_unary(cx, Unary::Clz),
            S::Brev => |decoder, cx| decoder.integer_unary(cx, Unary::Brev),
            S::Bfind => |decoder, cx| {
                let found = if cx.m.has(Mod::Shiftamt) { Found::ShiftAmount } else { Found::Position };
                let op = Unary::Bfind(integer_type(cx)?, found);
                decoder.unary(cx, op, Packing::Whole)
            },
            S::Fns => |decoder, cx| decoder.formula(cx, Formula::Fns),
            S::Bfe => |decoder, cx| decoder.integer_ternary(cx, Ternary::Bfe),
            S::Bfi => |decoder, cx| {
                let op = Formula::Bfi(integer_type(cx)?);
                decoder.formula(cx, op)
            },
            S::Bmsk => |decoder, cx| {
                cx.m.ignore(&[Field::Type], "masks have one type");
                let op = Binary::Bmsk(overshoot(cx)?);
                decoder.binary(cx, op, Packing::Whole)
            },
            S::Szext => |decoder, cx| {
                let op = Binary::Szext(integer_type(cx)?.sign(), overshoot(cx)?);
                decoder.binary(cx, op, Packing::Whole)
            },
            S::Prmt => Self::permute,
        }
    }
}

impl BodyDecoder<'_> {
    fn unary(&mut self, cx: &mut Context<'_>, op: Unary, packing: Packing) -> Decoded<()> {
        expect_operands(cx, 2)?;
        let (d, a) = (self.dst(cx, 0)?, self.src(cx, 1)?);
        cx.emit(Alu::Unary { op, packing, d, a });
        Ok(())
    }

    fn binary(&mut self, cx: &mut Context<'_>, op: Binary, packing: Packing) -> Decoded<()> {
        expect_operands(cx, 3)?;
        let (d, a, b) = (self.dst(cx, 0)?, self.src(cx, 1)?, self.src(cx, 2)?);
        cx.emit(Alu::Binary { op, packing, d, a, b });
        Ok(())
    }

    fn ternary(&mut self, cx: &mut Context<'_>, op: Ternary, packing: Packing) -> Decoded<()> {
        expect_operands(cx, 4)?;
        let (d, a, b, c) = (self.dst(cx, 0)?, self.src(cx, 1)?, self.src(cx, 2)?, self.src(cx, 3)?);
        cx.emit(Alu::Ternary { op, packing, d, a, b, c });
        Ok(())
    }

    fn integer_unary(&mut self, cx: &mut Context<'_>, op: fn(Int) -> Unary) -> Decoded<()> {
        let op = op(integer_type(cx)?);
        self.unary(cx, op, Packing::Whole)
    }

    fn integer_binary(&mut self, cx: &mut Context<'_>, op: fn(Int) -> Binary) -> Decoded<()> {
        let op = op(integer_type(cx)?);
        self.binary(cx, op, Packing::Whole)
    }

    fn integer_ternary(&mut self, cx: &mut Context<'_>, op: fn(Int) -> Ternary) -> Decoded<()> {
        let op = op(integer_type(cx)?);
        self.ternary(cx, op, Packing::Whole)
    }

    fn float_binary(
        &mut self,
        cx: &mut Context<'_>,
        op: FloatBinary,
        format: Format,
        packing: Packing,
    ) -> Decoded<()> {
        let op = Binary::Float(op, arith(cx, format)?);
        self.binary(cx, op, packing)
    }

    /// A formula of all operands after the destination.
    fn formula(&mut self, cx: &mut Context<'_>, op: Formula) -> Decoded<()> {
        let mut srcs = [cx.constants.of(0); 4];
        if cx.operands.len() > 1 + srcs.len() {
            return cx.unsupported("it has more operands than are known here");
        }
        let d = self.dst(cx, 0)?;
        for at in 1..cx.operands.len() {
            srcs[at - 1] = self.src(cx, at)?;
        }
        cx.emit(Alu::Formula { op, d, srcs });
        Ok(())
    }

    /// `add`, `sub` of all types.
    fn sum(
        &mut self,
        cx: &mut Context<'_>,
        integer: fn(Int, Saturation) -> Binary,
        float: FloatBinary,
    ) -> Decoded<()> {
        if let Some(from) = mixed(cx)? {
            let op = Binary::FloatMixed(float, arith(cx, Format::F32)?, from);
            return self.binary(cx, op, Packing::Whole);
        }
        let n = type_numbers(cx)?;
        match n {
            Numbers::Int(t) | Numbers::Ints(t, _) => {
                let op = integer(t, saturation(cx));
                self.binary(cx, op, n.packing())
            }
            Numbers::Float(format) | Numbers::Floats(format, _) => {
                self.float_binary(cx, float, format, n.packing())
            }
        }
    }

    /// `mul` of all types.
    fn product(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        match type_numbers(cx)? {
            Numbers::Int(_) | Numbers::Ints(..) => {
                let op = Binary::IntMul(integer_type(cx)?, part(cx)?);
                self.binary(cx, op, Packing::Whole)
            }
            n @ (Numbers::Float(format) | Numbers::Floats(format, _)) => {
                self.float_binary(cx, FloatBinary::Mul, format, n.packing())
            }
        }
    }

    /// `mad` of all types.
    fn multiply_add(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        match type_numbers(cx)? {
            Numbers::Int(_) | Numbers::Ints(..) => {
                let op = Ternary::IntMad(integer_type(cx)?, part(cx)?, saturation(cx));
                self.ternary(cx, op, Packing::Whole)
            }
            Numbers::Float(_) | Numbers::Floats(..) => self.fused_multiply_add(cx),
        }
    }

    /// `fma`, and `mad` of floating-point types.
    fn fused_multiply_add(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        if let Some(from) = mixed(cx)? {
            let op = Ternary::FmaMixed(arith(cx, Format::F32)?, from);
            return self.ternary(cx, op, Packing::Whole);
        }
        let (format, packing) = float_type(cx)?;
        let op = Ternary::Fma(arith(cx, format)?);
        self.ternary(cx, op, packing)
    }

    /// `div` of all types.
    fn quotient(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        match type_numbers(cx)? {
            Numbers::Int(_) | Numbers::Ints(..) => self.integer_binary(cx, Binary::IntDiv),
            n @ (Numbers::Float(format) | Numbers::Floats(format, _)) => {
                let op = if cx.m.has(Mod::Approx) {
                    FloatBinary::DivApprox
                } else {
                    cx.m.ignore_words(&[Mod::Full], ROUNDED);
                    FloatBinary::Div
                };
                self.float_binary(cx, op, format, n.packing())
            }
        }
    }

    /// `abs`, `neg` of all types.
    fn sign(
        &mut self,
        cx: &mut Context<'_>,
        integer: fn(Int) -> Unary,
        float: fn(Format, Subnormals) -> Unary,
    ) -> Decoded<()> {
        let n = type_numbers(cx)?;
        let op = match n {
            Numbers::Int(t) | Numbers::Ints(t, _) => integer(t),
            Numbers::Float(format) | Numbers::Floats(format, _) => float(format, subnormals(cx)),
        };
        self.unary(cx, op, n.packing())
    }

    /// `fma.oob` (manual 9.7.4.4).
    pub(super) fn fma_within_bounds(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let (format, packing) = float_type(cx)?;
        if !cx.m.has(Mod::Oob) {
            return cx.unsupported("this treatment of addresses out of bounds is not supported");
        }
        let m = arith(cx, format)?;
        self.ternary(cx, Ternary::FmaWithinBounds(m), packing)
    }

    /// `add`, `sub`, `min`, `max` and `neg` on four bytes.
    pub(super) fn packed_bytes(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let n = type_numbers(cx)?;
        let Numbers::Ints(t, _) = n else { return cx.unsupported("its type is not a pack of integers") };
        match cx.m.opcode() {
            Opcode::Add => self.binary(cx, Binary::IntAdd(t, saturation(cx)), n.packing()),
            Opcode::Sub => self.binary(cx, Binary::IntSub(t, saturation(cx)), n.packing()),
            Opcode::Min => self.extreme(cx, Extreme::Min),
            Opcode::Max => self.extreme(cx, Extreme::Max),
            Opcode::Neg => self.unary(cx, Unary::IntNeg(t), n.packing()),
            _ => cx.unsupported("it is not a known operation on bytes"),
        }
    }

    /// `min`, `max`, of two or three values.
    fn extreme(&mut self, cx: &mut Context<'_>, which: Extreme) -> Decoded<()> {
        let n = type_numbers(cx)?;
        match n {
            Numbers::Int(t) | Numbers::Ints(t, _) => {
                let op = match (which, cx.m.has(Mod::Relu)) {
                    (Extreme::Min, false) => Binary::IntMin(t),
                    (Extreme::Max, false) => Binary::IntMax(t),
                    (Extreme::Min, true) => Binary::IntMinRelu(t),
                    (Extreme::Max, true) => Binary::IntMaxRelu(t),
                };
                self.binary(cx, op, n.packing())
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
                        self.ternary(cx, Ternary::Extreme(extreme), Packing::Whole)
                    }
                    _ => self.binary(cx, Binary::Extreme(extreme), n.packing()),
                }
            }
        }
    }

    /// `dp2a`.
    fn dot_product_of_halves(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let half = match cx.m.get(Field::Mode) {
            Some(Mod::Lo) => ProductPart::Lo,
            Some(Mod::Hi) => ProductPart::Hi,
            _ => return cx.unsupported("this half of the factors is not supported"),
        };
        let op = Ternary::Dp2a(sign_of(cx, Field::AType), sign_of(cx, Field::BType), half);
        self.ternary(cx, op, Packing::Whole)
    }

    /// `add.cc`, `addc`, `sub.cc`, `subc`; `initial` is the carry of the lowest word.
    fn carry(&mut self, cx: &mut Context<'_>, op: fn(Int, Saturation) -> Dual, initial: u64) -> Decoded<()> {
        let op = op(integer_type(cx)?, saturation(cx));
        let (carry, out) = self.condition_code(cx, initial);
        let (d, a, b) = (self.dst(cx, 0)?, self.src(cx, 1)?, self.src(cx, 2)?);
        cx.emit(Alu::Dual { op, dsts: [d, out], srcs: [a, b, carry, carry] });
        Ok(())
    }

    /// `mad.cc`, `madc`.
    fn multiply_add_carry(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        cx.m.ignore_words(&[Mod::Sat], "`ptxas` makes the code of `madc.hi` for `madc.hi.sat`");
        let op = Dual::MadCarry(integer_type(cx)?, part(cx)?);
        let (carry, out) = self.condition_code(cx, 0);
        let d = self.dst(cx, 0)?;
        let (a, b, c) = (self.src(cx, 1)?, self.src(cx, 2)?, self.src(cx, 3)?);
        cx.emit(Alu::Dual { op, dsts: [d, out], srcs: [a, b, c, carry] });
        Ok(())
    }

    /// The carry that an instruction reads, and the row of the one that it writes: the condition code is a register row of the function.
    fn condition_code(&self, cx: &mut Context<'_>, initial: u64) -> (Src, Dst) {
        let carry = if cx.m.reads_carry() { Src::register(self.carry) } else { cx.constants.of(initial) };
        (carry, if cx.m.has(Mod::Cc) { self.carry } else { self.sink })
    }

    /// `and`, `or`, `xor`.
    fn logic(&mut self, cx: &mut Context<'_>, op: Binary) -> Decoded<()> {
        cx.m.ignore(&[Field::Type], "registers have no bits beyond their type");
        self.binary(cx, op, Packing::Whole)
    }

    /// `not`, `cnot`, on the bits of the type.
    fn masked(&mut self, cx: &mut Context<'_>, op: fn(u64) -> Unary) -> Decoded<()> {
        let op = op(row_bits(cx.m.scalar_type().unwrap_or(ScalarType::B64)));
        self.unary(cx, op, Packing::Whole)
    }

    /// `lop3`.
    fn lop3(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let (at, operand) = cx.operand(OperandKey::ImmLut)?;
        let table = match operand {
            Operand::Immediate(immediate) => {
                // Bits beyond the 8 of the table are ignored.
                immediate.as_integer().map(|value| value as u8)
            }
            _ => None,
        };
        let Some(table) = table else {
            return super::finding(
                crate::error::codes::OPERAND,
                cx.span(at),
                "the table must be an integer constant",
            );
        };
        let d = self.dst_operand(cx, OperandKey::D)?;
        let (a, b, c) = (
            self.src_operand(cx, OperandKey::A)?,
            self.src_operand(cx, OperandKey::B)?,
            self.src_operand(cx, OperandKey::C)?,
        );
        let Some(join) = super::select::join(cx)? else {
            cx.emit(ternary(Ternary::Lop3(table), d, [a, b, c]));
            return Ok(());
        };
        let (p, q) = (self.dst_operand(cx, OperandKey::P)?, self.src_operand(cx, OperandKey::Q)?);
        cx.emit(Alu::Dual { op: Dual::Lop3(table, join), dsts: [d, p], srcs: [a, b, c, q] });
        Ok(())
    }

    /// `shf`.
    fn funnel_shift(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let direction = match cx.m.get(Field::Direction) {
            Some(Mod::L) => Direction::Left,
            Some(Mod::R) => Direction::Right,
            _ => return cx.unsupported("its direction is not supported"),
        };
        let op = Ternary::Shf(direction, overshoot(cx)?);
        self.ternary(cx, op, Packing::Whole)
    }

    /// `prmt`.
    fn permute(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
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
        self.ternary(cx, Ternary::Prmt(mode), Packing::Whole)
    }

    /// A unary floating-point function.
    fn function(&mut self, cx: &mut Context<'_>, function: FloatFunction) -> Decoded<()> {
        let (format, packing) = float_type(cx)?;
        cx.m.ignore(&[Field::Approx], ROUNDED);
        let op = Unary::Function(function, arith(cx, format)?);
        self.unary(cx, op, packing)
    }

    /// `rcp`, `rsqrt`. Only the upper words of the `.f64` approximations with `.ftz` are significant.
    fn reciprocal(
        &mut self,
        cx: &mut Context<'_>,
        function: FloatFunction,
        upper_word: Unary,
    ) -> Decoded<()> {
        let (format, _) = float_type(cx)?;
        if format == Format::F64 && cx.m.has(Mod::Approx) && cx.m.has(Mod::Ftz) {
            return self.unary(cx, upper_word, Packing::Whole);
        }
        self.function(cx, function)
    }

    /// `sin`, `cos`, of an angle in radians or in turns.
    fn of_angle(
        &mut self,
        cx: &mut Context<'_>,
        radians: FloatFunction,
        turns: FloatFunction,
    ) -> Decoded<()> {
        let function = if cx.m.has(Mod::TwoPi) { turns } else { radians };
        self.function(cx, function)
    }

    /// `testp`.
    fn test_property(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
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
        self.unary(cx, Unary::HasProperty(format, property), Packing::Whole)
    }
}
