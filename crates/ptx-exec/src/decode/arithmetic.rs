//! Arithmetic, logic and bit operations.

use ptx_ir::Operand;
use ptx_isa::{ArithSem, BitsSem, Field, Mod, Opcode, ScalarType, Sem, TypeKind};

use super::Decoded;
use super::body::{BodyDecoder, Context, Decode, ternary};
use super::convert::float_format;
use crate::program::{
    Alu, Binary, Dual, FloatBinary, FloatExtreme, FloatFunction, Formula, Numbers, Packing, Src, Ternary,
    Unary,
};
use crate::scalar::bits::{Direction, Found, Overshoot, Permutation};
use crate::scalar::float::{Arith, Extreme, Limit, NanRule, Property, SignRule, Subnormals};
use crate::scalar::format::{Format, Rounding};
use crate::scalar::int::{Int, Part, Saturation, Signedness};

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
        Some(_) => return cx.unsupported("its rounding is not known here"),
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

fn part(cx: &Context<'_>) -> Decoded<Part> {
    match cx.m.get(Field::Part) {
        Some(Mod::Hi) => Ok(Part::Hi),
        Some(Mod::Wide) => Ok(Part::Wide),
        Some(Mod::Lo) => Ok(Part::Lo),
        _ => cx.unsupported("which part of the product it gives is not known here"),
    }
}

pub(super) fn overshoot(cx: &Context<'_>) -> Decoded<Overshoot> {
    match (cx.m.has(Mod::Clamp), cx.m.has(Mod::Wrap)) {
        (true, false) => Ok(Overshoot::Clamp),
        (false, true) => Ok(Overshoot::Wrap),
        _ => cx.unsupported("what amounts beyond the width do is not known here"),
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
            S::Add | S::Sub | S::Mul | S::Mad | S::Fma | S::Div | S::Rem | S::Abs | S::Neg => {
                Self::arithmetic
            }
            S::Min | S::Max | S::Min3 | S::Max3 => Self::extreme,
            S::FmaOob => Self::fma_within_bounds,
            S::PackedBytes => Self::packed_bytes,
            S::Sad | S::Mul24 | S::Mad24 | S::Dp4a | S::Dp2a => Self::integer,
            S::AddCarry | S::SubCarry | S::MadCarry => Self::carry,
            S::Rcp | S::Sqrt | S::Rsqrt | S::Sin | S::Cos | S::Lg2 | S::Ex2 | S::Tanh => Self::function,
            S::Testp | S::Copysign => Self::function,
        }
    }

    /// The decoder of a logic, shift or bit field operation.
    pub(super) fn bits_decoder(sem: BitsSem) -> Decode<'a> {
        use BitsSem as S;
        match sem {
            S::And | S::Or | S::Xor | S::Not | S::Cnot | S::Lop3 => Self::logic,
            S::Shl | S::Shr | S::Shf | S::Popc | S::Clz | S::Bfind | S::Fns | S::Brev => Self::bit_operation,
            S::Bfe | S::Bfi | S::Bmsk | S::Szext | S::Prmt => Self::bit_operation,
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

    /// `add`, `sub`, `mul`, `mad`, `fma`, `div`, `rem`, `abs`, `neg` of all types.
    pub(super) fn arithmetic(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        if let Some(from) = cx.m.type_of(Field::AType) {
            return self.mixed(cx, from);
        }
        match type_numbers(cx)? {
            Numbers::Int(t) | Numbers::Ints(t, _) => self.integer_arithmetic(cx, t),
            Numbers::Float(format) | Numbers::Floats(format, _) => self.float_arithmetic(cx, format),
        }
    }

    fn integer_arithmetic(&mut self, cx: &mut Context<'_>, t: Int) -> Decoded<()> {
        let packing = type_numbers(cx)?.packing();
        match cx.m.sem() {
            Sem::Arith(ArithSem::Add) => self.binary(cx, Binary::IntAdd(t, saturation(cx)), packing),
            Sem::Arith(ArithSem::Sub) => self.binary(cx, Binary::IntSub(t, saturation(cx)), packing),
            Sem::Arith(ArithSem::Mul) => self.binary(cx, Binary::IntMul(t, part(cx)?), Packing::Whole),
            Sem::Arith(ArithSem::Mad) => {
                self.ternary(cx, Ternary::IntMad(t, part(cx)?, saturation(cx)), Packing::Whole)
            }
            Sem::Arith(ArithSem::Div) => self.binary(cx, Binary::IntDiv(t), Packing::Whole),
            Sem::Arith(ArithSem::Rem) => self.binary(cx, Binary::IntRem(t), Packing::Whole),
            Sem::Arith(ArithSem::Abs) => self.unary(cx, Unary::IntAbs(t), packing),
            Sem::Arith(ArithSem::Neg) => self.unary(cx, Unary::IntNeg(t), packing),
            _ => cx.unsupported("it has no integer form"),
        }
    }

    fn float_arithmetic(&mut self, cx: &mut Context<'_>, format: Format) -> Decoded<()> {
        let packing = type_numbers(cx)?.packing();
        let op = match cx.m.sem() {
            Sem::Arith(ArithSem::Add) => FloatBinary::Add,
            Sem::Arith(ArithSem::Sub) => FloatBinary::Sub,
            Sem::Arith(ArithSem::Mul) => FloatBinary::Mul,
            Sem::Arith(ArithSem::Div) if cx.m.has(Mod::Approx) => FloatBinary::DivApprox,
            Sem::Arith(ArithSem::Div) => {
                cx.m.ignore_words(&[Mod::Full], ROUNDED);
                FloatBinary::Div
            }
            Sem::Arith(ArithSem::Mad | ArithSem::Fma) => {
                let m = arith(cx, format)?;
                return self.ternary(cx, Ternary::Fma(m), packing);
            }
            Sem::Arith(ArithSem::Abs) => {
                return self.unary(cx, Unary::FloatAbs(format, subnormals(cx)), packing);
            }
            Sem::Arith(ArithSem::Neg) => {
                return self.unary(cx, Unary::FloatNeg(format, subnormals(cx)), packing);
            }
            _ => return cx.unsupported("it has no floating-point form"),
        };
        let m = arith(cx, format)?;
        self.binary(cx, Binary::Float(op, m), packing)
    }

    /// Mixed precision (manual 9.7.5): `.f16` or `.bf16` operands are widened, the last one and the result are `.f32`.
    fn mixed(&mut self, cx: &mut Context<'_>, from: ScalarType) -> Decoded<()> {
        let Some(from) = float_format(from) else {
            return cx.unsupported("its argument type has no arithmetic here");
        };
        if cx.m.scalar_type() != Some(ScalarType::F32) {
            return cx.unsupported("its type has no mixed precision here");
        }
        let m = arith(cx, Format::F32)?;
        let op = match cx.m.sem() {
            Sem::Arith(ArithSem::Add) => FloatBinary::Add,
            Sem::Arith(ArithSem::Sub) => FloatBinary::Sub,
            Sem::Arith(ArithSem::Fma) => return self.ternary(cx, Ternary::FmaMixed(m, from), Packing::Whole),
            _ => return cx.unsupported("it has no form of mixed precision"),
        };
        self.binary(cx, Binary::FloatMixed(op, m, from), Packing::Whole)
    }

    /// `fma.oob` (manual 9.7.4.4).
    pub(super) fn fma_within_bounds(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let n = type_numbers(cx)?;
        let (Numbers::Float(format) | Numbers::Floats(format, _)) = n else {
            return cx.unsupported("its type is not a floating-point type");
        };
        if !cx.m.has(Mod::Oob) {
            return cx.unsupported("what it does out of bounds is not known here");
        }
        let m = arith(cx, format)?;
        self.ternary(cx, Ternary::FmaWithinBounds(m), n.packing())
    }

    /// `add`, `sub`, `min`, `max` and `neg` on four bytes.
    pub(super) fn packed_bytes(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let n = type_numbers(cx)?;
        let Numbers::Ints(t, _) = n else { return cx.unsupported("its type is not a pack of integers") };
        match cx.m.opcode() {
            Opcode::Add => self.binary(cx, Binary::IntAdd(t, saturation(cx)), n.packing()),
            Opcode::Sub => self.binary(cx, Binary::IntSub(t, saturation(cx)), n.packing()),
            Opcode::Min | Opcode::Max => self.extreme(cx),
            Opcode::Neg => self.unary(cx, Unary::IntNeg(t), n.packing()),
            _ => cx.unsupported("it is not a known operation on bytes"),
        }
    }

    /// `min`, `max`, of two or three values.
    pub(super) fn extreme(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let n = type_numbers(cx)?;
        let which = if cx.m.opcode() == Opcode::Min { Extreme::Min } else { Extreme::Max };
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

    /// `sad`, `mul24`, `mad24`, `dp4a`, `dp2a`.
    pub(super) fn integer(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let (a_sign, b_sign) = (sign_of(cx, Field::AType), sign_of(cx, Field::BType));
        match cx.m.sem() {
            Sem::Arith(ArithSem::Dp4a) => {
                return self.ternary(cx, Ternary::Dp4a(a_sign, b_sign), Packing::Whole);
            }
            Sem::Arith(ArithSem::Dp2a) => {
                let half = match cx.m.get(Field::Mode) {
                    Some(Mod::Lo) => Part::Lo,
                    Some(Mod::Hi) => Part::Hi,
                    _ => return cx.unsupported("which half it multiplies is not known here"),
                };
                return self.ternary(cx, Ternary::Dp2a(a_sign, b_sign, half), Packing::Whole);
            }
            _ => {}
        }
        let Numbers::Int(t) = type_numbers(cx)? else { return cx.unsupported("its type is not an integer") };
        match cx.m.sem() {
            Sem::Arith(ArithSem::Sad) => self.ternary(cx, Ternary::Sad(t), Packing::Whole),
            Sem::Arith(ArithSem::Mul24) => self.binary(cx, Binary::Mul24(t, part(cx)?), Packing::Whole),
            Sem::Arith(ArithSem::Mad24) => {
                self.ternary(cx, Ternary::Mad24(t, part(cx)?, saturation(cx)), Packing::Whole)
            }
            _ => cx.unsupported("it is not an integer operation"),
        }
    }

    /// `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`: the condition code is a register row of the function.
    pub(super) fn carry(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let Numbers::Int(t) = type_numbers(cx)? else { return cx.unsupported("its type is not an integer") };
        let d = self.dst(cx, 0)?;
        let out = if cx.m.has(Mod::Cc) { self.carry } else { self.sink };
        // `sub.cc` computes `a + ~b + 1`.
        let none = u64::from(cx.m.sem() == Sem::Arith(ArithSem::SubCarry));
        let carry = if cx.m.reads_carry() { Src::register(self.carry) } else { cx.constants.of(none) };
        let (a, b) = (self.src(cx, 1)?, self.src(cx, 2)?);
        let (op, c) = match cx.m.sem() {
            Sem::Arith(ArithSem::AddCarry) => (Dual::AddCarry(t, saturation(cx)), carry),
            Sem::Arith(ArithSem::SubCarry) => (Dual::SubCarry(t, saturation(cx)), carry),
            Sem::Arith(ArithSem::MadCarry) => {
                cx.m.ignore_words(&[Mod::Sat], "`ptxas` makes the code of `madc.hi` for `madc.hi.sat`");
                (Dual::MadCarry(t, part(cx)?), self.src(cx, 3)?)
            }
            _ => return cx.unsupported("it reads or writes no condition code"),
        };
        cx.emit(Alu::Dual { op, dsts: [d, out], srcs: [a, b, c, carry] });
        Ok(())
    }

    /// `and`, `or`, `xor`, `not`, `cnot`, `lop3`.
    pub(super) fn logic(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let ty = cx.m.scalar_type().unwrap_or(ScalarType::B64);
        let mask = super::body::row_bits(ty);
        match cx.m.sem() {
            Sem::Bits(BitsSem::And) => self.binary(cx, Binary::And, Packing::Whole),
            Sem::Bits(BitsSem::Or) => self.binary(cx, Binary::Or, Packing::Whole),
            Sem::Bits(BitsSem::Xor) => self.binary(cx, Binary::Xor, Packing::Whole),
            Sem::Bits(BitsSem::Not) => self.unary(cx, Unary::Not { mask }, Packing::Whole),
            Sem::Bits(BitsSem::Cnot) => self.unary(cx, Unary::IsZero { mask }, Packing::Whole),
            Sem::Bits(BitsSem::Lop3) => self.lop3(cx),
            _ => cx.unsupported("it is not a logic operation"),
        }
    }

    fn lop3(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let (at, operand) = cx.named("immLut")?;
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
        let d = self.dst_named(cx, "d")?;
        let (a, b, c) = (self.src_named(cx, "a")?, self.src_named(cx, "b")?, self.src_named(cx, "c")?);
        let Some(join) = super::select::join(cx)? else {
            cx.emit(ternary(Ternary::Lop3(table), d, [a, b, c]));
            return Ok(());
        };
        let (p, q) = (self.dst_named(cx, "p")?, self.src_named(cx, "q")?);
        cx.emit(Alu::Dual { op: Dual::Lop3(table, join), dsts: [d, p], srcs: [a, b, c, q] });
        Ok(())
    }

    /// Shifts, bit counts, bit fields and byte permutations.
    pub(super) fn bit_operation(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let Numbers::Int(t) = type_numbers(cx)? else { return cx.unsupported("its type is not an integer") };
        match cx.m.sem() {
            Sem::Bits(BitsSem::Shl) => self.binary(cx, Binary::Shl(t), Packing::Whole),
            Sem::Bits(BitsSem::Shr) => self.binary(cx, Binary::Shr(t), Packing::Whole),
            Sem::Bits(BitsSem::Shf) => {
                let direction = match cx.m.get(Field::Direction) {
                    Some(Mod::L) => Direction::Left,
                    Some(Mod::R) => Direction::Right,
                    _ => return cx.unsupported("its direction is not known here"),
                };
                self.ternary(cx, Ternary::Shf(direction, overshoot(cx)?), Packing::Whole)
            }
            Sem::Bits(BitsSem::Popc) => self.unary(cx, Unary::Popc(t), Packing::Whole),
            Sem::Bits(BitsSem::Clz) => self.unary(cx, Unary::Clz(t), Packing::Whole),
            Sem::Bits(BitsSem::Brev) => self.unary(cx, Unary::Brev(t), Packing::Whole),
            Sem::Bits(BitsSem::Bfind) => {
                let found = if cx.m.has(Mod::Shiftamt) { Found::ShiftAmount } else { Found::Position };
                self.unary(cx, Unary::Bfind(t, found), Packing::Whole)
            }
            Sem::Bits(BitsSem::Fns) => self.formula(cx, Formula::Fns),
            Sem::Bits(BitsSem::Bfe) => self.ternary(cx, Ternary::Bfe(t), Packing::Whole),
            Sem::Bits(BitsSem::Bfi) => self.formula(cx, Formula::Bfi(t)),
            Sem::Bits(BitsSem::Bmsk) => self.binary(cx, Binary::Bmsk(overshoot(cx)?), Packing::Whole),
            Sem::Bits(BitsSem::Szext) => {
                self.binary(cx, Binary::Szext(t.sign(), overshoot(cx)?), Packing::Whole)
            }
            Sem::Bits(BitsSem::Prmt) => {
                let mode = match cx.m.get(Field::Mode) {
                    Some(Mod::F4e) => Permutation::Forward4Extract,
                    Some(Mod::B4e) => Permutation::Backward4Extract,
                    Some(Mod::Rc8) => Permutation::Replicate8,
                    Some(Mod::Ecl) => Permutation::EdgeClampLeft,
                    Some(Mod::Ecr) => Permutation::EdgeClampRight,
                    Some(Mod::Rc16) => Permutation::Replicate16,
                    None => Permutation::Generic,
                    Some(_) => return cx.unsupported("its mode is not known here"),
                };
                self.ternary(cx, Ternary::Prmt(mode), Packing::Whole)
            }
            _ => cx.unsupported("it is not a bit operation"),
        }
    }

    /// Unary floating-point functions, `testp` and `copysign`.
    pub(super) fn function(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let n = type_numbers(cx)?;
        let (Numbers::Float(format) | Numbers::Floats(format, _)) = n else {
            return cx.unsupported("its type is not a floating-point type");
        };
        let function = match cx.m.sem() {
            // Only the upper words of the `.f64` approximations with `.ftz` are significant.
            Sem::Arith(ArithSem::Rcp)
                if format == Format::F64 && cx.m.has(Mod::Approx) && cx.m.has(Mod::Ftz) =>
            {
                return self.unary(cx, Unary::RcpUpperWord, Packing::Whole);
            }
            Sem::Arith(ArithSem::Rsqrt)
                if format == Format::F64 && cx.m.has(Mod::Approx) && cx.m.has(Mod::Ftz) =>
            {
                return self.unary(cx, Unary::RsqrtUpperWord, Packing::Whole);
            }
            Sem::Arith(ArithSem::Rcp) => FloatFunction::Rcp,
            Sem::Arith(ArithSem::Sqrt) => FloatFunction::Sqrt,
            Sem::Arith(ArithSem::Rsqrt) => FloatFunction::Rsqrt,
            Sem::Arith(ArithSem::Sin) if cx.m.has(Mod::TwoPi) => FloatFunction::SinOfTurns,
            Sem::Arith(ArithSem::Cos) if cx.m.has(Mod::TwoPi) => FloatFunction::CosOfTurns,
            Sem::Arith(ArithSem::Sin) => FloatFunction::Sin,
            Sem::Arith(ArithSem::Cos) => FloatFunction::Cos,
            Sem::Arith(ArithSem::Lg2) => FloatFunction::Lg2,
            Sem::Arith(ArithSem::Ex2) => FloatFunction::Ex2,
            Sem::Arith(ArithSem::Tanh) => FloatFunction::Tanh,
            Sem::Arith(ArithSem::Copysign) => {
                return self.binary(cx, Binary::Copysign(format), Packing::Whole);
            }
            Sem::Arith(ArithSem::Testp) => return self.test_property(cx, format),
            _ => return cx.unsupported("it is not a function of one value"),
        };
        cx.m.ignore(&[Field::Approx], ROUNDED);
        let m = arith(cx, format)?;
        self.unary(cx, Unary::Function(function, m), n.packing())
    }

    /// `testp`
    fn test_property(&mut self, cx: &mut Context<'_>, format: Format) -> Decoded<()> {
        let property = match cx.m.get(Field::Property) {
            Some(Mod::Finite) => Property::Finite,
            Some(Mod::Infinite) => Property::Infinite,
            Some(Mod::Number) => Property::Number,
            Some(Mod::Notanumber) => Property::NotANumber,
            Some(Mod::Normal) => Property::Normal,
            Some(Mod::Subnormal) => Property::Subnormal,
            _ => return cx.unsupported("its property is not known here"),
        };
        self.unary(cx, Unary::HasProperty(format, property), Packing::Whole)
    }
}
