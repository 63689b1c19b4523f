//! Comparison and selection (manual 9.7.6).

use ptx_isa::{Mnemonic, ScalarType, ptx};
use std::rc::Rc;

use ptx_llvm_core::view::{FloatPredicate, InstId, IntPredicate, Type, Value};

use super::append::Arg;
use super::float::unflushed_form;
use super::pairs::choose_shorts;
use super::state::Emitter;
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::types::{Class, Scalar, integer_type};
use crate::value::{Fill, Val};

impl Emitter<'_, '_, '_> {
    /// `icmp`, element by element.
    pub(super) fn int_compare(
        &mut self,
        id: InstId,
        predicate: IntPredicate,
        lhs: Value,
        rhs: Value,
    ) -> Result<()> {
        let ty = self.value_type(lhs)?;
        let leaves = self.leaves(ty)?;
        let (a, b) = (self.value(lhs)?, self.value(rhs)?);
        let mut result = Vec::new();
        match self.width_of_integers(ty) {
            Some(bits) if bits > 64 => {
                let words = bits.div_ceil(64) as usize;
                let fill = Fill::of(is_signed(predicate));
                for (a, b) in a.chunks(words).zip(b.chunks(words)) {
                    let (a, b) = (self.full_words(a, bits, fill)?, self.full_words(b, bits, fill)?);
                    result.push(self.wide_compare(predicate, &a, &b)?);
                }
            }
            _ => {
                let hint = self.hints(id).first().copied().and_then(ScalarType::from_mod);
                for ((leaf, &a), &b) in leaves.iter().zip(a.iter()).zip(b.iter()) {
                    result.push(self.compare_ints_as(hint, predicate, a, b, leaf.scalar)?);
                }
            }
        }
        self.define(id, Rc::from(result))
    }

    /// Compares integers of at most 64 bits or addresses.
    pub(super) fn compare_ints(
        &mut self,
        predicate: IntPredicate,
        a: Val,
        b: Val,
        scalar: Scalar,
    ) -> Result<Val> {
        self.compare_ints_as(None, predicate, a, b, scalar)
    }

    /// Compares integers or addresses; `hint` may name the type that an equality, which has no sign, was written with.
    fn compare_ints_as(
        &mut self,
        hint: Option<ScalarType>,
        predicate: IntPredicate,
        a: Val,
        b: Val,
        scalar: Scalar,
    ) -> Result<Val> {
        if scalar == Scalar::Int(1) {
            return self.compare_bits(predicate, a, b);
        }
        let fill = Fill::of(is_signed(predicate));
        let args = [self.extended_arg(a, scalar, fill)?, self.extended_arg(b, scalar, fill)?];
        let compare = match predicate {
            IntPredicate::Eq => ptx!("setp.eq.s32"),
            IntPredicate::Ne => ptx!("setp.ne.s32"),
            IntPredicate::Ugt | IntPredicate::Sgt => ptx!("setp.gt.s32"),
            IntPredicate::Uge | IntPredicate::Sge => ptx!("setp.ge.s32"),
            IntPredicate::Ult | IntPredicate::Slt => ptx!("setp.lt.s32"),
            IntPredicate::Ule | IntPredicate::Sle => ptx!("setp.le.s32"),
        };
        let ty = match predicate {
            IntPredicate::Eq | IntPredicate::Ne => equality_type(hint, scalar),
            _ => fill.integer(scalar.class().bits()),
        };
        Ok(Val::reg(self.compute(compare.with_type(ty)?, &args)?))
    }

    /// Compares truth values; a true one is 1 unsigned and -1 signed.
    fn compare_bits(&mut self, predicate: IntPredicate, a: Val, b: Val) -> Result<Val> {
        match predicate {
            IntPredicate::Ne => self.pred(ptx!("xor.pred"), a, b),
            IntPredicate::Eq => {
                let differ = self.pred(ptx!("xor.pred"), a, b)?;
                self.pred_not(differ)
            }
            IntPredicate::Ugt | IntPredicate::Slt => {
                let not = self.pred_not(b)?;
                self.pred(ptx!("and.pred"), a, not)
            }
            IntPredicate::Ult | IntPredicate::Sgt => {
                let not = self.pred_not(a)?;
                self.pred(ptx!("and.pred"), not, b)
            }
            IntPredicate::Uge | IntPredicate::Sle => {
                let not = self.pred_not(b)?;
                self.pred(ptx!("or.pred"), a, not)
            }
            IntPredicate::Ule | IntPredicate::Sge => {
                let not = self.pred_not(a)?;
                self.pred(ptx!("or.pred"), not, b)
            }
        }
    }

    /// `fcmp`, element by element.
    pub(super) fn float_compare(
        &mut self,
        id: InstId,
        predicate: FloatPredicate,
        lhs: Value,
        rhs: Value,
    ) -> Result<()> {
        let (a, b) = (self.parts_of(lhs)?, self.parts_of(rhs)?);
        let result: Vec<_> = a
            .into_iter()
            .zip(b)
            .map(|((a, scalar), (b, _))| self.compare_floats(predicate, a, b, scalar))
            .collect::<Result<_>>()?;
        self.define(id, Rc::from(result))
    }

    /// Compares floating-point numbers.
    pub(super) fn compare_floats(
        &mut self,
        predicate: FloatPredicate,
        a: Val,
        b: Val,
        scalar: Scalar,
    ) -> Result<Val> {
        let compare = match float_comparison(predicate) {
            Ok(compare) => compare,
            Err(known) => return Ok(Val::Bits(u64::from(known))),
        };
        if scalar == Scalar::BFloat && !self.has_bfloat_arithmetic() {
            // Without `.ftz`: what is subnormal here is so in bfloat.
            let a = self.float_to_float(a, Scalar::BFloat, Scalar::Float)?;
            let b = self.float_to_float(b, Scalar::BFloat, Scalar::Float)?;
            return self.apply(compare, &[a, b], Scalar::Float);
        }
        self.apply(self.float_form(compare, scalar)?, &[a, b], scalar)
    }

    /// `select`: one condition for all leaves, or one an element.
    pub(super) fn select_value(&mut self, id: InstId, cond: Value, then: Value, other: Value) -> Result<()> {
        let leaves = self.leaves(self.type_of(id))?;
        let conds = self.value(cond)?;
        let (a, b) = (self.value(then)?, self.value(other)?);
        let by_element = matches!(self.module.view.ty(self.value_type(cond)?), Type::Vector { .. });
        if !by_element {
            let cond = conds
                .first()
                .copied()
                .ok_or_else(|| RaiseError::new(INSTRUCTION, "a select without a condition"))?;
            if let Some(result) = self.choose_bytes(cond, &leaves, &a, &b)? {
                return self.define(id, result.into());
            }
            if let Some(result) = choose_shorts(self, cond, &leaves, &a, &b)? {
                return self.define(id, result.into());
            }
            let result: Vec<_> = leaves
                .iter()
                .zip(a.iter())
                .zip(b.iter())
                .map(|((leaf, &a), &b)| self.choose(cond, a, b, leaf.scalar))
                .collect::<Result<_>>()?;
            return self.define(id, Rc::from(result));
        }
        let (a, b) = (self.apart(&leaves, &a)?, self.apart(&leaves, &b)?);
        let words = (a.len() / conds.len().max(1)).max(1);
        let mut result = Vec::with_capacity(a.len());
        for (at, ((a, scalar), (b, _))) in a.into_iter().zip(b).enumerate() {
            let cond = conds.get(at / words).copied().unwrap_or(Val::Bits(0));
            result.push(self.choose(cond, a, b, scalar)?);
        }
        let result = self.together(&leaves, &result)?;
        self.define(id, Rc::from(result))
    }

    /// One of two values by a predicate.
    pub(super) fn choose(&mut self, cond: Val, a: Val, b: Val, scalar: Scalar) -> Result<Val> {
        if let Val::Bits(bits) = cond {
            return Ok(if bits & 1 == 1 { a } else { b });
        }
        if a == b {
            return Ok(a);
        }
        let cond_register = self.in_register(cond, Scalar::Int(1))?;
        let class = scalar.class();
        if class == Class::Pred {
            return self.choose_pred(cond, a, b);
        }
        let args = [self.selectable(a, scalar)?, self.selectable(b, scalar)?, cond_register.into()];
        let choice = ptx!("selp.b32").with_type(class.register_type())?;
        Ok(Val::reg(self.compute(choice, &args)?))
    }

    /// Half-precision constants are plain bits to `selp`.
    fn selectable(&mut self, value: Val, scalar: Scalar) -> Result<Arg> {
        match (value, scalar) {
            (Val::Bits(bits), Scalar::Half | Scalar::BFloat) => Ok(Arg::Bits(bits, 16)),
            (Val::Bits(bits), Scalar::HalfPair | Scalar::BFloatPair) => Ok(Arg::Bits(bits, 32)),
            _ => self.arg(value, scalar),
        }
    }

    fn choose_pred(&mut self, cond: Val, a: Val, b: Val) -> Result<Val> {
        match (a, b) {
            (Val::Bits(1), _) => return self.pred(ptx!("or.pred"), cond, b),
            (_, Val::Bits(0)) => return self.pred(ptx!("and.pred"), cond, a),
            _ => {}
        }
        let first = self.pred(ptx!("and.pred"), cond, a)?;
        let not = self.pred_not(cond)?;
        let second = self.pred(ptx!("and.pred"), not, b)?;
        self.pred(ptx!("or.pred"), first, second)
    }
}

/// The instruction of a comparison, in single precision, or its result where that does not depend on the numbers.
fn float_comparison(predicate: FloatPredicate) -> std::result::Result<Mnemonic, bool> {
    Ok(match predicate {
        FloatPredicate::False => return Err(false),
        FloatPredicate::True => return Err(true),
        FloatPredicate::Oeq => ptx!("setp.eq.f32"),
        FloatPredicate::Ogt => ptx!("setp.gt.f32"),
        FloatPredicate::Oge => ptx!("setp.ge.f32"),
        FloatPredicate::Olt => ptx!("setp.lt.f32"),
        FloatPredicate::Ole => ptx!("setp.le.f32"),
        FloatPredicate::One => ptx!("setp.ne.f32"),
        FloatPredicate::Ord => ptx!("setp.num.f32"),
        FloatPredicate::Uno => ptx!("setp.nan.f32"),
        FloatPredicate::Ueq => ptx!("setp.equ.f32"),
        FloatPredicate::Ugt => ptx!("setp.gtu.f32"),
        FloatPredicate::Uge => ptx!("setp.geu.f32"),
        FloatPredicate::Ult => ptx!("setp.ltu.f32"),
        FloatPredicate::Ule => ptx!("setp.leu.f32"),
        FloatPredicate::Une => ptx!("setp.neu.f32"),
    })
}

fn is_signed(predicate: IntPredicate) -> bool {
    matches!(predicate, IntPredicate::Sgt | IntPredicate::Sge | IntPredicate::Slt | IntPredicate::Sle)
}

/// The type that two integers are compared for equality as. It does not change the result, but ptxas compiles the types
/// differently; without a hint narrow ones, whose upper bits are zero then, are unsigned.
fn equality_type(hint: Option<ScalarType>, scalar: Scalar) -> ScalarType {
    let bits = scalar.class().bits();
    let fits = |ty: &ScalarType| ty.is_integer_or_bits() && ty.bits() == bits;
    hint.filter(fits).unwrap_or_else(|| integer_type(!(scalar.bits() < bits || bits == 16), bits))
}

/// Compares numbers whose subnormal ones are not zero, whatever the function says of its arithmetic.
pub(super) fn compare_unflushed(
    emitter: &mut Emitter<'_, '_, '_>,
    predicate: FloatPredicate,
    a: Val,
    b: Val,
    scalar: Scalar,
) -> Result<Val> {
    match float_comparison(predicate) {
        Ok(compare) => emitter.apply(unflushed_form(compare, scalar)?, &[a, b], scalar),
        Err(known) => Ok(Val::Bits(u64::from(known))),
    }
}
