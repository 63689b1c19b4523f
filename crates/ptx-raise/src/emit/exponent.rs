//! Intrinsics that take floating-point numbers apart: `ldexp`, `frexp`, `modf`, `powi`, and rounding to integers.

use ptx_isa::{Mod, ptx};
use ptx_llvm::view::{BinaryOp, Call, CastOp, FastMath, FloatPredicate, InstId, IntPredicate};

use super::append::Arg;
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, Raised, Refusal};
use crate::types::{Class, Scalar};
use crate::value::{Upper, Val, mask};

/// The layout of a floating-point format.
#[derive(Clone, Copy)]
struct Format {
    bits: u32,
    mantissa: u32,
    /// The exponent field of one.
    bias: u64,
}

impl Format {
    fn of(scalar: Scalar) -> Raised<Format> {
        match scalar {
            Scalar::Float => Ok(Format { bits: 32, mantissa: 23, bias: 127 }),
            Scalar::Double => Ok(Format { bits: 64, mantissa: 52, bias: 1023 }),
            _ => Err(Refusal::new(INTRINSIC, "an exponent of something that has none")),
        }
    }

    /// Two to that power, which must be a normal number.
    fn power(self, exponent: i64) -> Val {
        Val::Bits((self.bias.wrapping_add_signed(exponent)) << self.mantissa)
    }
}

/// Past the exponents of every format.
const MOST_EXPONENT: u64 = 1 << 20;

impl Emitter<'_, '_, '_> {
    /// Values of a floating-point intrinsic's arguments, element by element, with pairs apart: the first argument's, and
    /// those of a second one of integers, which may be one for all.
    fn with_exponents(&mut self, call: &Call) -> Raised<Vec<(Val, Scalar, Val, Scalar)>> {
        let leaves = self.value_leaves(argument(call, 0)?)?;
        let values = self.value(argument(call, 0)?)?;
        let kinds = self.value_leaves(argument(call, 1)?)?;
        let exponents = self.value(argument(call, 1)?)?;
        let parts = self.apart(&leaves, &values)?;
        let mut all = Vec::with_capacity(parts.len());
        for (at, (value, scalar)) in parts.into_iter().enumerate() {
            let place = if exponents.len() == 1 { 0 } else { at };
            let (Some(&exponent), Some(kind)) = (exponents.get(place), kinds.get(place)) else {
                return Err(Refusal::new(INTRINSIC, "an intrinsic on vectors of different lengths"));
            };
            all.push((value, scalar, exponent, kind.scalar));
        }
        Ok(all)
    }

    /// An exponent in 32 bits: a larger one, which no number has, becomes the nearest.
    fn bounded_exponent(&mut self, exponent: Val, kind: Scalar) -> Raised<ptx_ir::RegId> {
        if kind.bits() <= 32 {
            return self.sign_extended(exponent, kind, 32);
        }
        let word = Scalar::Int(64);
        let wide = Val::reg(self.sign_extended(exponent, kind, 64)?);
        let low = self.int_extreme(ptx!("min.s32"), wide, Val::Bits(MOST_EXPONENT), word)?;
        let bounded =
            self.int_extreme(ptx!("max.s32"), low, Val::Bits(MOST_EXPONENT.wrapping_neg()), word)?;
        let bounded = self.resize_integer(CastOp::Trunc, &[bounded], 64, 32)?;
        let bounded = bounded.first().copied().unwrap_or(low);
        self.in_register(bounded, Scalar::Int(32))
    }

    /// `ldexp`: a number times two to the power of an integer.
    pub(super) fn load_exponent(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let mut results = Vec::new();
        for (value, scalar, exponent, kind) in self.with_exponents(call)? {
            let exponent = self.bounded_exponent(exponent, kind)?;
            results.push(match scalar {
                Scalar::Float | Scalar::Double => self.scale_by(value, Val::reg(exponent), scalar)?,
                // Double precision holds every step, so that only the last conversion rounds.
                small => {
                    let wide = self.float_to_float(value, small, Scalar::Double)?;
                    let scaled = self.scale_by(wide, Val::reg(exponent), Scalar::Double)?;
                    self.float_to_float(scaled, Scalar::Double, small)?
                }
            });
        }
        let leaves = self.leaves(self.type_of(id))?;
        let values = self.together(&leaves, &results)?;
        self.define(id, values.into());
        Ok(())
    }

    /// Multiplies by powers of two in three steps, the first two exact: subnormal results are rounded in the last one only.
    fn scale_by(&mut self, value: Val, exponent: Val, scalar: Scalar) -> Raised<Val> {
        let format = Format::of(scalar)?;
        let word = Scalar::Int(32);
        let (largest, limit) = (format.bias as i64, 3 * format.bias as i64);
        let low = self.int_extreme(ptx!("max.s32"), exponent, Val::Bits((-limit) as u64 & mask(32)), word)?;
        let mut left = self.int_extreme(ptx!("min.s32"), low, Val::Bits(limit as u64), word)?;
        // Down: steps that leave the number normal as long as it can be, by less than its digits short of the whole range.
        let step_down = largest - 1 - i64::from(format.mantissa) - 1;
        let mut value = value;
        for _ in 0..2 {
            let below = Val::Bits((-(largest - 1)) as u64 & mask(32));
            let tiny = self.compare_ints(IntPredicate::Slt, left, below, word)?;
            let huge = self.compare_ints(IntPredicate::Sgt, left, Val::Bits(largest as u64), word)?;
            let down = self.choose(tiny, Val::Bits((-step_down) as u64 & mask(32)), Val::Bits(0), word)?;
            let step = self.choose(huge, Val::Bits(largest as u64), down, word)?;
            value = self.times_power(value, step, scalar)?;
            left = self.int_binary(BinaryOp::Sub, left, step, 32)?;
        }
        let bottom = Val::Bits((-(largest - 1)) as u64 & mask(32));
        let left = self.int_extreme(ptx!("max.s32"), left, bottom, word)?;
        let left = self.int_extreme(ptx!("min.s32"), left, Val::Bits(largest as u64), word)?;
        self.times_power(value, left, scalar)
    }

    /// A number times two to a power whose factor is a normal number.
    fn times_power(&mut self, value: Val, exponent: Val, scalar: Scalar) -> Raised<Val> {
        let format = Format::of(scalar)?;
        let biased = self.int_binary(BinaryOp::Add, exponent, Val::Bits(format.bias), 32)?;
        let field = self.zero_extended(biased, Scalar::Int(32), format.bits)?;
        let class = if format.bits == 64 { Class::B64 } else { Class::B32 };
        let text = format!("shl.b{}", format.bits);
        let place = Arg::Bits(u64::from(format.mantissa), 32);
        let factor = self.emit_new(class, &text, &[field.into(), place])?;
        let factor = self.leaf_from(factor, scalar)?;
        let flush = std::mem::replace(&mut self.flush, false);
        let product = self.float_binary(BinaryOp::FMul, value, factor, scalar, FastMath::default());
        self.flush = flush;
        product
    }

    /// `frexp`: digits between a half and one with the sign, and the exponent; zero, infinities and NaN stay with exponent zero.
    pub(super) fn split_exponent(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let leaves = self.value_leaves(argument(call, 0)?)?;
        let values = self.value(argument(call, 0)?)?;
        let whole = self.leaves(self.type_of(id))?;
        let kind = whole.last().map_or(Scalar::Int(32), |leaf| leaf.scalar);
        let (mut digits, mut exponents) = (Vec::new(), Vec::new());
        for (value, scalar) in self.apart(&leaves, &values)? {
            let wide = if matches!(scalar, Scalar::Float | Scalar::Double) { scalar } else { Scalar::Float };
            let number = self.float_to_float(value, scalar, wide)?;
            let (part, exponent) = self.split_exponent_one(number, wide)?;
            digits.push(self.float_to_float(part, wide, scalar)?);
            exponents.push(match kind.bits() {
                32 => exponent,
                bits => self
                    .resize_integer(
                        if bits > 32 { CastOp::SExt } else { CastOp::Trunc },
                        &[exponent],
                        32,
                        bits,
                    )?
                    .first()
                    .copied()
                    .unwrap_or(exponent),
            });
        }
        let mut results = self.together(&leaves, &digits)?;
        results.extend(exponents);
        self.define(id, results.into());
        Ok(())
    }

    fn split_exponent_one(&mut self, value: Val, scalar: Scalar) -> Raised<(Val, Val)> {
        let format = Format::of(scalar)?;
        let word = Scalar::Int(32);
        let infinity = Val::Bits(mask(format.bits - 1) & !mask(format.mantissa));
        let magnitude = self.absolute(value, scalar)?;
        let smallest = Val::Bits(1 << format.mantissa);
        let small = self.compare_floats(FloatPredicate::Olt, magnitude, smallest, scalar)?;
        // A subnormal number is raised so far that it has all its digits.
        let raised_by = i64::from(format.mantissa) + 1;
        let flush = std::mem::replace(&mut self.flush, false);
        let raised =
            self.float_binary(BinaryOp::FMul, value, format.power(raised_by), scalar, FastMath::default());
        self.flush = flush;
        let normal = self.choose(small, raised?, value, scalar)?;
        let offset = self.choose(
            small,
            Val::Bits((-(raised_by + format.bias as i64 - 1)) as u64 & mask(32)),
            Val::Bits((-(format.bias as i64 - 1)) as u64 & mask(32)),
            word,
        )?;
        let (bits, class) = self.bits_of(normal, scalar)?;
        let text = format!("shr.u{}", format.bits);
        let field = self.emit_new(class, &text, &[bits.into(), Arg::Bits(u64::from(format.mantissa), 32)])?;
        let field = self.resized(field, class, Class::B32)?;
        let exponent_mask = mask(format.bits - 1 - format.mantissa);
        let field = self.emit_new(Class::B32, "and.b32", &[field.into(), Arg::Bits(exponent_mask, 32)])?;
        let exponent = self.int_binary(BinaryOp::Add, Val::reg(field), offset, 32)?;
        let kept = !(exponent_mask << format.mantissa) & mask(format.bits);
        let text = format!("and.b{}", format.bits);
        let rest = self.emit_new(class, &text, &[bits.into(), Arg::Bits(kept, format.bits)])?;
        let half = (format.bias - 1) << format.mantissa;
        let text = format!("or.b{}", format.bits);
        let digits = self.emit_new(class, &text, &[rest.into(), Arg::Bits(half, format.bits)])?;
        let digits = self.leaf_from(digits, scalar)?;
        let finite = self.compare_floats(FloatPredicate::Olt, magnitude, infinity, scalar)?;
        let not_zero = self.compare_floats(FloatPredicate::One, magnitude, Val::Bits(0), scalar)?;
        let ordinary = self.pred("and.pred", finite, not_zero)?;
        let digits = self.choose(ordinary, digits, value, scalar)?;
        let exponent = self.choose(ordinary, exponent, Val::Bits(0), word)?;
        Ok((digits, exponent))
    }

    /// `modf`: what is after the point and what is before it, both with the number's sign.
    pub(super) fn split_fraction(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let leaves = self.value_leaves(argument(call, 0)?)?;
        let values = self.value(argument(call, 0)?)?;
        let (mut fractions, mut wholes) = (Vec::new(), Vec::new());
        for (value, scalar) in self.apart(&leaves, &values)? {
            let wide = if matches!(scalar, Scalar::Float | Scalar::Double) { scalar } else { Scalar::Float };
            let infinity = if wide == Scalar::Float { 0x7f80_0000 } else { 0x7ff0 << 48 };
            let number = self.float_to_float(value, scalar, wide)?;
            let whole = self.round_to_integral(Mod::Rzi, number, wide)?;
            let cut = self.float_binary(BinaryOp::FSub, number, whole, wide, FastMath::default())?;
            let magnitude = self.absolute(number, wide)?;
            let infinite = self.compare_floats(FloatPredicate::Oeq, magnitude, Val::Bits(infinity), wide)?;
            let cut = self.choose(infinite, Val::Bits(0), cut, wide)?;
            let cut = self.copy_sign(cut, number, wide)?;
            fractions.push(self.float_to_float(cut, wide, scalar)?);
            wholes.push(self.float_to_float(whole, wide, scalar)?);
        }
        let mut results = self.together(&leaves, &fractions)?;
        results.extend(self.together(&leaves, &wholes)?);
        self.define(id, results.into());
        Ok(())
    }

    /// `lrint`, `llrint` (halves to even) and `lround`, `llround` (halves away from zero).
    pub(super) fn round_to_integer(&mut self, id: InstId, call: &Call, away: bool) -> Raised<()> {
        let leaves = self.value_leaves(argument(call, 0)?)?;
        let values = self.value(argument(call, 0)?)?;
        let to = self.leaves(self.type_of(id))?;
        let parts = self.apart(&leaves, &values)?;
        if parts.len() != to.len() {
            return Err(Refusal::new(INTRINSIC, "rounding to integers over 64 bits"));
        }
        let mut results = Vec::with_capacity(to.len());
        for ((value, scalar), leaf) in parts.into_iter().zip(to.iter()) {
            let whole = if away {
                self.round_away(value, scalar)?
            } else {
                self.round_to_integral(Mod::Rni, value, scalar)?
            };
            results.push(self.float_to_int(whole, scalar, leaf.scalar.bits(), true)?);
        }
        self.define(id, results.into());
        Ok(())
    }

    /// `powi`: squares and products, by the bits of the exponent's magnitude; the reciprocal for a negative one.
    pub(super) fn integer_power(&mut self, id: InstId, call: &Call) -> Raised<()> {
        let mut results = Vec::new();
        for (value, scalar, exponent, kind) in self.with_exponents(call)? {
            if kind.bits() > 32 {
                return Err(Refusal::new(INTRINSIC, "an exponent of more than 32 bits"));
            }
            let wide = if matches!(scalar, Scalar::Float | Scalar::Double) { scalar } else { Scalar::Float };
            let number = self.float_to_float(value, scalar, wide)?;
            let exponent = self.sign_extended(exponent, kind, 32)?;
            let power = self.integer_power_one(number, exponent, wide)?;
            results.push(self.float_to_float(power, wide, scalar)?);
        }
        let leaves = self.leaves(self.type_of(id))?;
        let values = self.together(&leaves, &results)?;
        self.define(id, values.into());
        Ok(())
    }

    fn integer_power_one(&mut self, value: Val, exponent: ptx_ir::RegId, scalar: Scalar) -> Raised<Val> {
        let format = Format::of(scalar)?;
        let (one, plain, word) = (format.power(0), FastMath::default(), Scalar::Int(32));
        let (result, square) = (self.register_for(scalar), self.register_for(scalar));
        let left = self.register(Class::B32);
        self.copy_to(result, one, scalar)?;
        self.copy_to(square, value, scalar)?;
        self.emit("abs.s32", &[left.into(), exponent.into()])?;
        let again = self.new_label();
        self.builder.place(again);
        let low = self.emit_new(Class::B32, "and.b32", &[left.into(), Arg::Bits(1, 32)])?;
        let odd = self.compare_ints(IntPredicate::Ne, Val::Register(low, Upper::Zero), Val::Bits(0), word)?;
        let product = self.float_binary(BinaryOp::FMul, Val::reg(result), Val::reg(square), scalar, plain)?;
        let next = self.choose(odd, product, Val::reg(result), scalar)?;
        self.copy_to(result, next, scalar)?;
        let next = self.float_binary(BinaryOp::FMul, Val::reg(square), Val::reg(square), scalar, plain)?;
        self.copy_to(square, next, scalar)?;
        self.emit("shr.u32", &[left.into(), left.into(), Arg::Bits(1, 32)])?;
        let more = self.compare_ints(IntPredicate::Ne, Val::reg(left), Val::Bits(0), word)?;
        let more = self.in_register(more, Scalar::Int(1))?;
        self.branch_if(more, false, again)?;
        let inverse = self.float_binary(BinaryOp::FDiv, one, Val::reg(result), scalar, plain)?;
        let negative = self.compare_ints(IntPredicate::Slt, Val::reg(exponent), Val::Bits(0), word)?;
        self.choose(negative, inverse, Val::reg(result), scalar)
    }
}
