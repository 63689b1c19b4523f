//! Arithmetic, logic and bit operations.

use ptx_ir::Operand;
use ptx_isa::{Field, Mod, Opcode, ScalarType, Sem, TypeKind};

use super::Decoded;
use super::body::{BodyDecoder, Context};
use super::convert::float_format;
use crate::program::{Op, Src, alu_pair, alu1, alu2, alu3, alu4};
use crate::scalar::bits::{self, Direction, Found, Overshoot, Permutation};
use crate::scalar::float::{self, Arith, Extreme, Limit, NanRule, Property, SignRule, Subnormals};
use crate::scalar::format::{Format, Rounding};
use crate::scalar::int::{self, Int, Part, Saturation, Signedness};

/// The numbers that a type holds, and how many of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Numbers {
    Int(Int),
    Float(Format),
    Ints(Int, u32),
    Floats(Format, u32),
}

/// What numbers a type holds; bits count as unsigned.
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

/// Applies a function to each of `count` fields of `width` bits.
pub(super) fn each<const N: usize>(
    width: u32,
    count: u32,
    values: [u64; N],
    f: impl Fn([u64; N]) -> u64,
) -> u64 {
    let mask = u64::MAX >> (64 - width);
    (0..count).fold(0, |result, n| {
        let shift = n * width;
        result | (f(values.map(|value| value >> shift & mask)) & mask) << shift
    })
}

/// The instruction type, without which no arithmetic row is.
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

/// The rounding that a modifier names.
pub(super) fn rounding(modifier: Option<Mod>) -> Rounding {
    match modifier {
        Some(Mod::Rz) => Rounding::TowardZero,
        Some(Mod::Rm) => Rounding::Down,
        Some(Mod::Rp) => Rounding::Up,
        Some(Mod::Rna) => Rounding::NearestAway,
        // `.rn` is also what stands for no modifier (manual 9.7.3.3).
        _ => Rounding::NearestEven,
    }
}

/// Everything about a floating-point instruction that is not its operation.
fn arith(cx: &Context<'_>, format: Format) -> Arith {
    let limit = if cx.m.has(Mod::Sat) {
        Limit::Unit
    } else if cx.m.has(Mod::Relu) {
        Limit::Relu
    } else {
        Limit::None
    };
    // `rcp` with a rounding mode takes `.ftz` on `.f64`, and `ptxas` makes the code of the one without it.
    let subnormals = if format == Format::F64 { Subnormals::Keep } else { subnormals(cx) };
    Arith { format, rounding: rounding(cx.m.get(Field::Rnd)), subnormals, limit }
}

pub(super) fn saturation(cx: &Context<'_>) -> Saturation {
    if cx.m.has(Mod::Sat) { Saturation::Clamp } else { Saturation::Wrap }
}

fn part(cx: &Context<'_>) -> Part {
    match cx.m.get(Field::Part) {
        Some(Mod::Hi) => Part::Hi,
        Some(Mod::Wide) => Part::Wide,
        _ => Part::Lo,
    }
}

pub(super) fn overshoot(cx: &Context<'_>) -> Overshoot {
    if cx.m.has(Mod::Wrap) { Overshoot::Wrap } else { Overshoot::Clamp }
}

/// The signedness of the operand whose type is in a slot.
pub(super) fn sign_of(cx: &Context<'_>, field: Field) -> Signedness {
    let signed = cx.m.type_of(field).is_some_and(ScalarType::is_signed);
    if signed { Signedness::Signed } else { Signedness::Unsigned }
}

/// Refuses a row with more or fewer operands than its operation has here, so that none is overlooked.
fn expect_operands(cx: &Context<'_>, count: usize) -> Decoded<()> {
    if cx.operands.len() == count {
        Ok(())
    } else {
        cx.unsupported("it has other operands than are known here")
    }
}

const PLAIN: Arith = Arith::nearest(Format::F32);
const FLUSHED: Arith = Arith { subnormals: Subnormals::Flush, ..PLAIN };

impl BodyDecoder<'_> {
    fn unary(&mut self, cx: &mut Context<'_>, f: impl Fn(u64) -> u64 + Send + Sync + 'static) -> Decoded<()> {
        expect_operands(cx, 2)?;
        let (d, a) = (self.dst(cx, 0)?, self.src(cx, 1)?);
        cx.emit(Op::Alu1 { f: alu1(f), d, a });
        Ok(())
    }

    fn binary(
        &mut self,
        cx: &mut Context<'_>,
        f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static,
    ) -> Decoded<()> {
        expect_operands(cx, 3)?;
        let (d, a, b) = (self.dst(cx, 0)?, self.src(cx, 1)?, self.src(cx, 2)?);
        cx.emit(Op::Alu2 { f: alu2(f), d, a, b });
        Ok(())
    }

    fn ternary(
        &mut self,
        cx: &mut Context<'_>,
        f: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static,
    ) -> Decoded<()> {
        expect_operands(cx, 4)?;
        let (d, a, b, c) = (self.dst(cx, 0)?, self.src(cx, 1)?, self.src(cx, 2)?, self.src(cx, 3)?);
        cx.emit(Op::Alu3 { f: alu3(f), d, a, b, c });
        Ok(())
    }

    fn unary_numbers(
        &mut self,
        cx: &mut Context<'_>,
        n: Numbers,
        f: impl Fn(u64) -> u64 + Send + Sync + 'static,
    ) -> Decoded<()> {
        match n {
            Numbers::Int(_) | Numbers::Float(_) => self.unary(cx, f),
            Numbers::Ints(t, count) => self.unary(cx, move |a| each(t.bits(), count, [a], |[a]| f(a))),
            Numbers::Floats(t, count) => self.unary(cx, move |a| each(t.bits(), count, [a], |[a]| f(a))),
        }
    }

    fn binary_numbers(
        &mut self,
        cx: &mut Context<'_>,
        n: Numbers,
        f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static,
    ) -> Decoded<()> {
        match n {
            Numbers::Int(_) | Numbers::Float(_) => self.binary(cx, f),
            Numbers::Ints(t, count) => {
                self.binary(cx, move |a, b| each(t.bits(), count, [a, b], |[a, b]| f(a, b)))
            }
            Numbers::Floats(t, count) => {
                self.binary(cx, move |a, b| each(t.bits(), count, [a, b], |[a, b]| f(a, b)))
            }
        }
    }

    /// `add`, `sub`, `mul`, `mad`, `fma`, `div`, `rem`, `abs`, `neg` of every type.
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
        let (n, saturation, part) = (type_numbers(cx)?, saturation(cx), part(cx));
        match (cx.m.sem(), saturation) {
            (Sem::Add, Saturation::Wrap) => self.binary_numbers(cx, n, move |a, b| t.wrap(a.wrapping_add(b))),
            (Sem::Sub, Saturation::Wrap) => self.binary_numbers(cx, n, move |a, b| t.wrap(a.wrapping_sub(b))),
            (Sem::Add, Saturation::Clamp) => {
                self.binary_numbers(cx, n, move |a, b| int::add(t, saturation, a, b))
            }
            (Sem::Sub, Saturation::Clamp) => {
                self.binary_numbers(cx, n, move |a, b| int::sub(t, saturation, a, b))
            }
            (Sem::Mul, _) => match part {
                Part::Lo => self.binary(cx, move |a, b| int::mul(t, Part::Lo, a, b)),
                Part::Hi => self.binary(cx, move |a, b| int::mul(t, Part::Hi, a, b)),
                Part::Wide => self.binary(cx, move |a, b| int::mul(t, Part::Wide, a, b)),
            },
            (Sem::Mad, Saturation::Wrap) if part == Part::Lo => {
                self.ternary(cx, move |a, b, c| t.wrap(a.wrapping_mul(b).wrapping_add(c)))
            }
            (Sem::Mad, _) => self.ternary(cx, move |a, b, c| int::mad(t, part, saturation, a, b, c)),
            (Sem::Div, _) => self.binary(cx, move |a, b| int::div(t, a, b)),
            (Sem::Rem, _) => self.binary(cx, move |a, b| int::rem(t, a, b)),
            (Sem::Abs, _) => self.unary_numbers(cx, n, move |a| int::abs(t, a)),
            (Sem::Neg, _) => self.unary_numbers(cx, n, move |a| int::neg(t, a)),
            _ => cx.unsupported("it has no integer form"),
        }
    }

    fn float_arithmetic(&mut self, cx: &mut Context<'_>, format: Format) -> Decoded<()> {
        let (n, m) = (type_numbers(cx)?, arith(cx, format));
        let approximate = cx.m.get(Field::Approx) == Some(Mod::Approx);
        // The operations that ordinary kernels consist of have closures of their own, so that they become tight loops.
        match (cx.m.sem(), n) {
            (Sem::Add, Numbers::Float(_)) if m == PLAIN => {
                self.binary(cx, |a, b| float::nearest_f32(Subnormals::Keep, [a, b], |[a, b]| a + b))
            }
            (Sem::Sub, Numbers::Float(_)) if m == PLAIN => {
                self.binary(cx, |a, b| float::nearest_f32(Subnormals::Keep, [a, b], |[a, b]| a - b))
            }
            (Sem::Mul, Numbers::Float(_)) if m == PLAIN => {
                self.binary(cx, |a, b| float::nearest_f32(Subnormals::Keep, [a, b], |[a, b]| a * b))
            }
            (Sem::Fma, Numbers::Float(_)) if m == PLAIN => self.ternary(cx, |a, b, c| {
                float::nearest_f32(Subnormals::Keep, [a, b, c], |[a, b, c]| a.mul_add(b, c))
            }),
            (Sem::Add, Numbers::Float(_)) if m == FLUSHED => {
                self.binary(cx, |a, b| float::nearest_f32(Subnormals::Flush, [a, b], |[a, b]| a + b))
            }
            (Sem::Sub, Numbers::Float(_)) if m == FLUSHED => {
                self.binary(cx, |a, b| float::nearest_f32(Subnormals::Flush, [a, b], |[a, b]| a - b))
            }
            (Sem::Mul, Numbers::Float(_)) if m == FLUSHED => self.binary(cx, float::nearest_product_flushed),
            (Sem::Fma, Numbers::Float(_)) if m == FLUSHED => self.ternary(cx, float::nearest_fma_flushed),
            (Sem::Add, _) => self.binary_numbers(cx, n, move |a, b| float::add(&m, a, b)),
            (Sem::Sub, _) => self.binary_numbers(cx, n, move |a, b| float::sub(&m, a, b)),
            (Sem::Mul, _) => self.binary_numbers(cx, n, move |a, b| float::mul(&m, a, b)),
            (Sem::Mad | Sem::Fma, Numbers::Floats(t, count)) => {
                let f = move |[a, b, c]: [u64; 3]| float::fma(&m, a, b, c);
                self.ternary(cx, move |a, b, c| each(t.bits(), count, [a, b, c], f))
            }
            (Sem::Mad | Sem::Fma, _) => self.ternary(cx, move |a, b, c| float::fma(&m, a, b, c)),
            (Sem::Div, _) if approximate => self.binary(cx, move |a, b| float::div_approx(&m, a, b)),
            (Sem::Div, _) => self.binary(cx, move |a, b| float::div(&m, a, b)),
            (Sem::Abs, _) => self.unary_numbers(cx, n, move |a| float::abs(format, m.subnormals, a)),
            (Sem::Neg, _) => self.unary_numbers(cx, n, move |a| float::neg(format, m.subnormals, a)),
            _ => cx.unsupported("it has no floating-point form"),
        }
    }

    /// Mixed precision (manual 9.7.5): `.f16` or `.bf16` arguments are widened, the last one and the result are `.f32`.
    fn mixed(&mut self, cx: &mut Context<'_>, from: ScalarType) -> Decoded<()> {
        let Some(from) = float_format(from) else {
            return cx.unsupported("its argument type has no arithmetic here");
        };
        let m = arith(cx, Format::F32);
        let widen = move |raw| Format::F32.narrow(from.widen(raw), Rounding::NearestEven);
        match cx.m.sem() {
            Sem::Add => self.binary(cx, move |a, c| float::add(&m, widen(a), c)),
            Sem::Sub => self.binary(cx, move |a, c| float::sub(&m, widen(a), c)),
            Sem::Fma => self.ternary(cx, move |a, b, c| float::fma(&m, widen(a), widen(b), c)),
            _ => cx.unsupported("it has no form of mixed precision"),
        }
    }

    /// `fma.oob` (manual 9.7.4.4).
    pub(super) fn fma_within_bounds(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let n = type_numbers(cx)?;
        let (Numbers::Float(format) | Numbers::Floats(format, _)) = n else {
            return cx.unsupported("its type is no floating-point type");
        };
        let m = arith(cx, format);
        let count = if let Numbers::Floats(_, count) = n { count } else { 1 };
        let f = move |[a, b, c]: [u64; 3]| float::fma_within_bounds(&m, a, b, c);
        self.ternary(cx, move |a, b, c| each(format.bits(), count, [a, b, c], f))
    }

    /// `add`, `sub`, `min`, `max` and `neg` on four bytes.
    pub(super) fn packed_bytes(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let n = type_numbers(cx)?;
        let Numbers::Ints(t, _) = n else { return cx.unsupported("its type is no pack of integers") };
        let saturation = saturation(cx);
        match cx.m.opcode() {
            Opcode::Add => self.binary_numbers(cx, n, move |a, b| int::add(t, saturation, a, b)),
            Opcode::Sub => self.binary_numbers(cx, n, move |a, b| int::sub(t, saturation, a, b)),
            Opcode::Min | Opcode::Max => self.extreme(cx),
            Opcode::Neg => self.unary_numbers(cx, n, move |a| int::neg(t, a)),
            _ => cx.unsupported("it is no known operation on bytes"),
        }
    }

    /// `min`, `max`, of two values or three.
    pub(super) fn extreme(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let n = type_numbers(cx)?;
        let which = if cx.m.opcode() == Opcode::Min { Extreme::Min } else { Extreme::Max };
        match n {
            Numbers::Int(t) | Numbers::Ints(t, _) => {
                let relu = cx.m.has(Mod::Relu);
                self.binary_numbers(cx, n, move |a, b| {
                    let result = if which == Extreme::Min { int::min(t, a, b) } else { int::max(t, a, b) };
                    if relu { int::max(t, result, 0) } else { result }
                })
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
                let subnormals = subnormals(cx);
                let f = move |a, b| float::extreme(format, subnormals, which, nan, sign, a, b);
                match n {
                    // The form with three arguments (PTX 8.8).
                    Numbers::Float(_) if cx.operands.len() == 4 && sign != SignRule::Xor => {
                        self.ternary(cx, move |a, b, c| f(f(a, b), c))
                    }
                    _ => self.binary_numbers(cx, n, f),
                }
            }
        }
    }

    /// `sad`, `mul24`, `mad24`, `dp4a`, `dp2a`.
    pub(super) fn integer(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let (part, saturation) = (part(cx), saturation(cx));
        let (a_sign, b_sign) = (sign_of(cx, Field::AType), sign_of(cx, Field::BType));
        match cx.m.sem() {
            Sem::Dp4a => return self.ternary(cx, move |a, b, c| int::dp4a(a_sign, b_sign, a, b, c)),
            Sem::Dp2a => {
                let half = if cx.m.has(Mod::Hi) { Part::Hi } else { Part::Lo };
                return self.ternary(cx, move |a, b, c| int::dp2a(a_sign, b_sign, half, a, b, c));
            }
            _ => {}
        }
        let Numbers::Int(t) = type_numbers(cx)? else { return cx.unsupported("its type is no integer") };
        match cx.m.sem() {
            Sem::Sad => self.ternary(cx, move |a, b, c| int::sad(t, a, b, c)),
            Sem::Mul24 => self.binary(cx, move |a, b| int::mul24(t, part, a, b)),
            Sem::Mad24 => self.ternary(cx, move |a, b, c| int::mad24(t, part, saturation, a, b, c)),
            _ => cx.unsupported("it is no integer operation"),
        }
    }

    /// `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`: the condition code is a row of the function.
    pub(super) fn carry(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let Numbers::Int(t) = type_numbers(cx)? else { return cx.unsupported("its type is no integer") };
        let d = self.dst(cx, 0)?;
        let out = if cx.m.has(Mod::Cc) { self.carry } else { self.sink };
        let reads = matches!(cx.m.opcode(), Opcode::Addc | Opcode::Subc | Opcode::Madc);
        // `sub.cc` computes `a + ~b + 1`.
        let none = u64::from(cx.m.sem() == Sem::SubCarry);
        let carry = if reads { Src::register(self.carry) } else { cx.constants.of(none) };
        let (a, b) = (self.src(cx, 1)?, self.src(cx, 2)?);
        let part = part(cx);
        let clamps = saturation(cx) == Saturation::Clamp;
        let (f, c) = match cx.m.sem() {
            Sem::AddCarry if clamps => {
                (alu_pair(move |[a, b, _, carry]| (int::add_carry_clamped(t, a, b, carry), 0)), carry)
            }
            Sem::SubCarry if clamps => {
                (alu_pair(move |[a, b, _, carry]| (int::sub_carry_clamped(t, a, b, carry), 0)), carry)
            }
            Sem::AddCarry => (alu_pair(move |[a, b, _, carry]| int::add_carry(t, a, b, carry)), carry),
            Sem::SubCarry => (alu_pair(move |[a, b, _, carry]| int::sub_carry(t, a, b, carry)), carry),
            // `ptxas` takes `madc.hi.sat` and makes the code of `madc.hi` for it.
            Sem::MadCarry => {
                let c = self.src(cx, 3)?;
                let product = move |a, b| int::carry_product(t, part, a, b);
                (alu_pair(move |[a, b, c, carry]| int::add_carry(t, product(a, b), c, carry)), c)
            }
            _ => return cx.unsupported("it reads or writes no condition code"),
        };
        cx.emit(Op::AluPair(Box::new((f, [d, out], [a, b, c, carry]))));
        Ok(())
    }

    /// `and`, `or`, `xor`, `not`, `cnot`, `lop3`.
    pub(super) fn logic(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let ty = cx.m.scalar_type().unwrap_or(ScalarType::B64);
        let mask = super::body::row_bits(ty);
        match cx.m.sem() {
            Sem::And => self.binary(cx, |a, b| a & b),
            Sem::Or => self.binary(cx, |a, b| a | b),
            Sem::Xor => self.binary(cx, |a, b| a ^ b),
            Sem::Not => self.unary(cx, move |a| !a & mask),
            Sem::Cnot => self.unary(cx, move |a| u64::from(a & mask == 0)),
            Sem::Lop3 => self.lop3(cx),
            _ => cx.unsupported("it is no logic operation"),
        }
    }

    fn lop3(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let (at, operand) = cx.named("immLut");
        let table = match operand {
            Operand::Immediate(immediate) => {
                // What goes beyond the table's 8 bits is ignored.
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
        let Some(join) = cx.m.get(Field::Bool) else {
            cx.emit(Op::Alu3 { f: alu3(move |a, b, c| bits::lop3(table, a, b, c)), d, a, b, c });
            return Ok(());
        };
        let join = super::select::join(join);
        let (p, q) = (self.dst_named(cx, "p")?, self.src_named(cx, "q")?);
        let f = alu_pair(move |[a, b, c, q]| {
            let result = bits::lop3(table, a, b, c);
            (result, join.apply(u64::from(result != 0), q))
        });
        cx.emit(Op::AluPair(Box::new((f, [d, p], [a, b, c, q]))));
        Ok(())
    }

    /// Shifts, bit counts, bit fields and byte permutations.
    pub(super) fn bit_operation(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let Numbers::Int(t) = type_numbers(cx)? else { return cx.unsupported("its type is no integer") };
        let (overshoot, sign) = (overshoot(cx), t.sign());
        match cx.m.sem() {
            Sem::Shl => self.binary(cx, move |a, b| bits::shl(t, a, b)),
            Sem::Shr => self.binary(cx, move |a, b| bits::shr(t, a, b)),
            Sem::Shf => {
                let direction = if cx.m.has(Mod::L) { Direction::Left } else { Direction::Right };
                self.ternary(cx, move |a, b, c| bits::shf(direction, overshoot, a, b, c))
            }
            Sem::Popc => self.unary(cx, move |a| bits::popc(t, a)),
            Sem::Clz => self.unary(cx, move |a| bits::clz(t, a)),
            Sem::Brev => self.unary(cx, move |a| bits::brev(t, a)),
            Sem::Bfind => {
                let found = if cx.m.has(Mod::Shiftamt) { Found::ShiftAmount } else { Found::Position };
                self.unary(cx, move |a| bits::bfind(t, found, a))
            }
            Sem::Fns => self.ternary(cx, bits::fns),
            Sem::Bfe => self.ternary(cx, move |a, pos, len| bits::bfe(t, a, pos, len)),
            Sem::Bfi => {
                let d = self.dst(cx, 0)?;
                let srcs = [self.src(cx, 1)?, self.src(cx, 2)?, self.src(cx, 3)?, self.src(cx, 4)?];
                cx.emit(Op::Alu4(Box::new((
                    alu4(move |[a, b, pos, len]| bits::bfi(t, a, b, pos, len)),
                    d,
                    srcs,
                ))));
                Ok(())
            }
            Sem::Bmsk => self.binary(cx, move |a, b| bits::bmsk(overshoot, a, b)),
            Sem::Szext => self.binary(cx, move |a, b| bits::szext(sign, overshoot, a, b)),
            Sem::Prmt => {
                let mode = match cx.m.get(Field::Mode) {
                    Some(Mod::F4e) => Permutation::Forward4Extract,
                    Some(Mod::B4e) => Permutation::Backward4Extract,
                    Some(Mod::Rc8) => Permutation::Replicate8,
                    Some(Mod::Ecl) => Permutation::EdgeClampLeft,
                    Some(Mod::Ecr) => Permutation::EdgeClampRight,
                    Some(Mod::Rc16) => Permutation::Replicate16,
                    _ => Permutation::Generic,
                };
                self.ternary(cx, move |a, b, c| bits::prmt(mode, a, b, c))
            }
            _ => cx.unsupported("it is no bit operation"),
        }
    }

    /// Functions of floating-point values, `testp` and `copysign`.
    pub(super) fn function(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let n = type_numbers(cx)?;
        let (Numbers::Float(format) | Numbers::Floats(format, _)) = n else {
            return cx.unsupported("its type is no floating-point type");
        };
        let m = arith(cx, format);
        let approximate = cx.m.get(Field::Approx) == Some(Mod::Approx);
        match cx.m.sem() {
            // Only the upper words of the flushed `.f64` approximations count.
            Sem::Rcp if format == Format::F64 && approximate => self.unary(cx, float::rcp_upper_word),
            Sem::Rsqrt if format == Format::F64 && cx.m.has(Mod::Ftz) => {
                self.unary(cx, float::rsqrt_upper_word)
            }
            Sem::Rcp => self.unary_numbers(cx, n, move |a| float::rcp(&m, a)),
            Sem::Sqrt => self.unary_numbers(cx, n, move |a| float::sqrt(&m, a)),
            Sem::Rsqrt => self.unary_numbers(cx, n, move |a| float::rsqrt(&m, a)),
            Sem::Sin if cx.m.has(Mod::TwoPi) => {
                self.unary_numbers(cx, n, move |a| float::sin_of_turns(&m, a))
            }
            Sem::Cos if cx.m.has(Mod::TwoPi) => {
                self.unary_numbers(cx, n, move |a| float::cos_of_turns(&m, a))
            }
            Sem::Sin => self.unary_numbers(cx, n, move |a| float::sin(&m, a)),
            Sem::Cos => self.unary_numbers(cx, n, move |a| float::cos(&m, a)),
            Sem::Lg2 => self.unary_numbers(cx, n, move |a| float::lg2(&m, a)),
            Sem::Ex2 => self.unary_numbers(cx, n, move |a| float::ex2(&m, a)),
            Sem::Tanh => self.unary_numbers(cx, n, move |a| float::tanh(&m, a)),
            Sem::Copysign => self.binary(cx, move |a, b| float::copysign(format, a, b)),
            Sem::Testp => {
                let property = match cx.m.get(Field::Property) {
                    Some(Mod::Finite) => Property::Finite,
                    Some(Mod::Infinite) => Property::Infinite,
                    Some(Mod::Number) => Property::Number,
                    Some(Mod::Notanumber) => Property::NotANumber,
                    Some(Mod::Normal) => Property::Normal,
                    Some(Mod::Subnormal) => Property::Subnormal,
                    _ => return cx.unsupported("it names no known property"),
                };
                self.unary(cx, move |a| float::has_property(format, property, a).into())
            }
            _ => cx.unsupported("it is no function of one value"),
        }
    }
}
