//! Integer overflow: sums, differences and products that report it or saturate, and saturating conversions of floating-point numbers (LLVM
//! language reference, "Arithmetic with Overflow Intrinsics", "Saturation Arithmetic Intrinsics", "Saturating floating-point to integer
//! conversions").

use ptx_isa::ptx;
use ptx_llvm_core::view::{BinaryOp, Call, CastOp, FloatPredicate, InstId, IntPredicate};

use super::append::Arg;
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::intrinsics::Leaving;
use crate::types::{Scalar, integer_class};
use crate::value::{Fill, Val, mask};

impl Emitter<'_, '_, '_> {
    /// A sum or difference that stays at the bound of its type.
    pub(super) fn saturating(
        &mut self,
        (op, signed): Leaving,
        a: Val,
        b: Val,
        scalar: Scalar,
    ) -> Result<Val> {
        let bits = scalar.bits();
        let adds = op == BinaryOp::Add;
        if scalar == Scalar::Int(32) && signed {
            let saturating = if adds { ptx!("add.sat.s32") } else { ptx!("sub.sat.s32") };
            return self.apply(saturating, &[a, b], scalar);
        }
        let (value, over) = self.overflowing((op, signed), a, b, scalar)?;
        let bound = if !signed {
            Val::Bits(if adds { mask(bits) } else { 0 })
        } else {
            let top = 1u64 << (bits - 1);
            let negative = self.compare_ints(IntPredicate::Slt, a, Val::Bits(0), scalar)?;
            self.choose(negative, Val::Bits(top), Val::Bits(top - 1), scalar)?
        };
        self.choose(over, bound, value, scalar)
    }

    /// A sum, difference or product with whether it left the type's range.
    fn overflowing(&mut self, (op, signed): Leaving, a: Val, b: Val, scalar: Scalar) -> Result<(Val, Val)> {
        let bits = scalar.bits();
        if op == BinaryOp::Mul {
            return self.overflowing_product(signed, a, b, scalar);
        }
        let value = self.int_binary(op, a, b, bits)?;
        let over = match (op, signed) {
            (BinaryOp::Add, false) => self.compare_ints(IntPredicate::Ult, value, a, scalar)?,
            (_, false) => self.compare_ints(IntPredicate::Ult, a, b, scalar)?,
            (_, true) => {
                let less = self.compare_ints(IntPredicate::Slt, value, a, scalar)?;
                // What makes a sum smaller, and a difference.
                let sign = if op == BinaryOp::Add { IntPredicate::Slt } else { IntPredicate::Sgt };
                let lowers = self.compare_ints(sign, b, Val::Bits(0), scalar)?;
                self.pred(ptx!("xor.pred"), less, lowers)?
            }
        };
        Ok((value, over))
    }

    fn overflowing_product(&mut self, signed: bool, a: Val, b: Val, scalar: Scalar) -> Result<(Val, Val)> {
        let bits = scalar.bits();
        if bits == 1 {
            let both = self.pred(ptx!("and.pred"), a, b)?;
            return Ok((both, if signed { both } else { Val::Bits(0) }));
        }
        let low = self.int_binary(BinaryOp::Mul, a, b, bits)?;
        let width = integer_class(bits).bits();
        let fill = Fill::of(signed);
        let (a, b) = (self.extended(a, scalar, width, fill)?, self.extended(b, scalar, width, fill)?);
        let ty = fill.integer(width);
        let high = self.compute(ptx!("mul.hi.s32").with_type(ty)?, &[a.into(), b.into()])?;
        let full = self.compute(ptx!("mul.lo.s32").with_type(ty)?, &[a.into(), b.into()])?;
        // The product fits when the full one is the extension of its low bits.
        let extended = self.extended(low, scalar, width, fill)?;
        let above = if signed {
            let shift = ptx!("shr.s32").with_type(ty)?;
            self.compute(shift, &[extended.into(), Arg::Bits(u64::from(width - 1), 32)])?
        } else {
            self.in_register(Val::Bits(0), Scalar::Int(width))?
        };
        let word = Scalar::Int(width);
        let low_differs = self.compare_ints(IntPredicate::Ne, Val::reg(full), Val::reg(extended), word)?;
        let high_differs = self.compare_ints(IntPredicate::Ne, Val::reg(high), Val::reg(above), word)?;
        let over = self.pred(ptx!("or.pred"), low_differs, high_differs)?;
        Ok((low, over))
    }

    /// The result and whether it left the type's range, of integers with a sign or without.
    pub(super) fn with_overflow(&mut self, id: InstId, call: &Call, (op, signed): Leaving) -> Result<()> {
        self.no_wide(argument(call, 0)?)?;
        let leaves = self.value_leaves(argument(call, 0)?)?;
        let (a, b) = (self.value(argument(call, 0)?)?, self.value(argument(call, 1)?)?);
        let (mut values, mut overs) = (Vec::new(), Vec::new());
        for ((leaf, &a), &b) in leaves.iter().zip(a.iter()).zip(b.iter()) {
            let (value, over) = self.overflowing((op, signed), a, b, leaf.scalar)?;
            values.push(value);
            overs.push(over);
        }
        values.extend(overs);
        self.define(id, values.into())
    }

    /// `fptosi.sat`, `fptoui.sat`: `cvt` clamps to the range of its type, and narrower ranges are clamped after it.
    pub(super) fn saturating_cast(&mut self, id: InstId, call: &Call, signed: bool) -> Result<()> {
        self.no_quadruple(id, &call.args)?;
        let to = self.leaves(self.type_of(id))?;
        let parts = self.parts_of(argument(call, 0)?)?;
        if self.wide_result(id).is_some() {
            return Err(RaiseError::new(INTRINSIC, "a conversion to an integer over 64 bits"));
        }
        let result: Vec<_> = parts
            .into_iter()
            .zip(to.iter())
            .map(|((value, from), to)| self.saturate_one(value, from, to.scalar.bits(), signed))
            .collect::<Result<_>>()?;
        self.define(id, result.into())
    }

    fn saturate_one(&mut self, value: Val, from: Scalar, bits: u32, signed: bool) -> Result<Val> {
        let width = if bits > 32 { 64 } else { 32 };
        let whole = self.float_to_int(value, from, width, signed)?;
        let scalar = Scalar::Int(width);
        let clamped = if bits == width {
            whole
        } else if signed {
            let top = mask(bits - 1);
            let low = self.int_extreme(ptx!("min.s32"), whole, Val::Bits(top), scalar)?;
            self.int_extreme(ptx!("max.s32"), low, Val::Bits(!top & mask(width)), scalar)?
        } else {
            self.int_extreme(ptx!("min.u32"), whole, Val::Bits(mask(bits)), scalar)?
        };
        // The manual makes NaN zero only where neither the source has double precision nor the result 64 bits (9.7.9.21).
        let cleaned = if width == 64 || from == Scalar::Double {
            let nan = self.compare_floats(FloatPredicate::Uno, value, value, from)?;
            self.choose(nan, Val::Bits(0), clamped, scalar)?
        } else {
            clamped
        };
        Ok(self.resize_integer(CastOp::Trunc, &[cleaned], width, bits)?.first().copied().unwrap_or(cleaned))
    }
}
