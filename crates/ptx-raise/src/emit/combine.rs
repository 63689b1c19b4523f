//! What read-modify-write operations compute where no `atom` does it.

use ptx_isa::{Field, Mnemonic, Mod, ptx};
use ptx_llvm::view::{AtomicOp, BinaryOp, FastMath, FloatPredicate, IntPredicate, Type, TypeId};

use super::state::Emitter;
use crate::error::{ORDER, RaiseError, Result};
use crate::types::Scalar;
use crate::value::{Val, mask};

impl Emitter<'_, '_, '_> {
    /// What an operation stores, from the old value and the operand.
    pub(super) fn combined(
        &mut self,
        op: AtomicOp,
        ty: TypeId,
        old: &[Val],
        operand: &[Val],
    ) -> Result<Vec<Val>> {
        if op == AtomicOp::Xchg {
            return Ok(operand.to_vec());
        }
        let leaves = self.leaves(ty)?;
        if let Type::Int { bits } = self.module.view.ty(ty)
            && *bits > 64
        {
            return self.combine_wide(op, old, operand, *bits);
        }
        let mut all = Vec::with_capacity(leaves.len());
        for ((leaf, &old), &value) in leaves.iter().zip(old).zip(operand) {
            all.push(self.combine(op, old, value, leaf.scalar)?);
        }
        Ok(all)
    }

    /// What an operation stores in an integer over 64 bits.
    fn combine_wide(&mut self, op: AtomicOp, old: &[Val], value: &[Val], bits: u32) -> Result<Vec<Val>> {
        let number = |low: u64, high: u64| [Val::Bits(low), Val::Bits(high)];
        match op {
            AtomicOp::Xchg => Ok(value.to_vec()),
            AtomicOp::Add => self.wide_binary(BinaryOp::Add, old, value, bits),
            AtomicOp::Sub => self.wide_binary(BinaryOp::Sub, old, value, bits),
            AtomicOp::And => self.wide_binary(BinaryOp::And, old, value, bits),
            AtomicOp::Nand => {
                let both = self.wide_binary(BinaryOp::And, old, value, bits)?;
                self.wide_binary(BinaryOp::Xor, &both, &number(u64::MAX, u64::MAX), bits)
            }
            AtomicOp::Or => self.wide_binary(BinaryOp::Or, old, value, bits),
            AtomicOp::Xor => self.wide_binary(BinaryOp::Xor, old, value, bits),
            AtomicOp::Max => self.wide_pick(IntPredicate::Sgt, old, value, bits),
            AtomicOp::Min => self.wide_pick(IntPredicate::Slt, old, value, bits),
            AtomicOp::UMax => self.wide_pick(IntPredicate::Ugt, old, value, bits),
            AtomicOp::UMin => self.wide_pick(IntPredicate::Ult, old, value, bits),
            AtomicOp::UIncWrap => {
                let full = self.compare_words(IntPredicate::Uge, old, value, bits)?;
                let more = self.wide_binary(BinaryOp::Add, old, &number(1, 0), bits)?;
                self.choose_words(full, &number(0, 0), &more)
            }
            AtomicOp::UDecWrap => {
                let zero = self.compare_words(IntPredicate::Eq, old, &number(0, 0), bits)?;
                let over = self.compare_words(IntPredicate::Ugt, old, value, bits)?;
                let wraps = self.pred(ptx!("or.pred"), zero, over)?;
                let less = self.wide_binary(BinaryOp::Sub, old, &number(1, 0), bits)?;
                self.choose_words(wraps, value, &less)
            }
            AtomicOp::USubCond | AtomicOp::USubSat => {
                let fits = self.compare_words(IntPredicate::Uge, old, value, bits)?;
                let less = self.wide_binary(BinaryOp::Sub, old, value, bits)?;
                let otherwise = if op == AtomicOp::USubCond { old } else { &number(0, 0) };
                self.choose_words(fits, &less, otherwise)
            }
            AtomicOp::FAdd
            | AtomicOp::FSub
            | AtomicOp::FMax
            | AtomicOp::FMin
            | AtomicOp::FMaximum
            | AtomicOp::FMinimum => Err(RaiseError::new(ORDER, "floating-point arithmetic on integers")),
        }
    }

    /// The old value where it compares so with the other, else the other.
    fn wide_pick(
        &mut self,
        predicate: IntPredicate,
        old: &[Val],
        value: &[Val],
        bits: u32,
    ) -> Result<Vec<Val>> {
        let keep = self.compare_words(predicate, old, value, bits)?;
        self.choose_words(keep, old, value)
    }

    fn choose_words(&mut self, cond: Val, a: &[Val], b: &[Val]) -> Result<Vec<Val>> {
        let mut words = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            words.push(self.choose(cond, a, b, Scalar::Int(64))?);
        }
        Ok(words)
    }

    /// What an operation stores in a leaf, from the old value.
    fn combine(&mut self, op: AtomicOp, old: Val, value: Val, scalar: Scalar) -> Result<Val> {
        let bits = scalar.bits();
        let plain = FastMath::default();
        let pick = |this: &mut Self, predicate: IntPredicate| -> Result<Val> {
            let keep = this.compare_ints(predicate, old, value, scalar)?;
            this.choose(keep, old, value, scalar)
        };
        match op {
            AtomicOp::Xchg => Ok(value),
            AtomicOp::Add => self.int_binary(BinaryOp::Add, old, value, bits),
            AtomicOp::Sub => self.int_binary(BinaryOp::Sub, old, value, bits),
            AtomicOp::And => self.int_binary(BinaryOp::And, old, value, bits),
            AtomicOp::Nand => {
                let both = self.int_binary(BinaryOp::And, old, value, bits)?;
                self.int_binary(BinaryOp::Xor, both, Val::Bits(mask(bits)), bits)
            }
            AtomicOp::Or => self.int_binary(BinaryOp::Or, old, value, bits),
            AtomicOp::Xor => self.int_binary(BinaryOp::Xor, old, value, bits),
            AtomicOp::Max => pick(self, IntPredicate::Sgt),
            AtomicOp::Min => pick(self, IntPredicate::Slt),
            AtomicOp::UMax => pick(self, IntPredicate::Ugt),
            AtomicOp::UMin => pick(self, IntPredicate::Ult),
            AtomicOp::FAdd => self.float_binary(BinaryOp::FAdd, old, value, scalar, plain),
            AtomicOp::FSub => self.float_binary(BinaryOp::FSub, old, value, scalar, plain),
            AtomicOp::FMax => self.float_extreme(ptx!("max.f32"), old, value, scalar),
            AtomicOp::FMin => self.float_extreme(ptx!("min.f32"), old, value, scalar),
            AtomicOp::FMaximum => self.float_extreme(ptx!("max.NaN.f32"), old, value, scalar),
            AtomicOp::FMinimum => self.float_extreme(ptx!("min.NaN.f32"), old, value, scalar),
            AtomicOp::UIncWrap => {
                let full = self.compare_ints(IntPredicate::Uge, old, value, scalar)?;
                let more = self.int_binary(BinaryOp::Add, old, Val::Bits(1), bits)?;
                self.choose(full, Val::Bits(0), more, scalar)
            }
            AtomicOp::UDecWrap => {
                let zero = self.compare_ints(IntPredicate::Eq, old, Val::Bits(0), scalar)?;
                let over = self.compare_ints(IntPredicate::Ugt, old, value, scalar)?;
                let wraps = self.pred(ptx!("or.pred"), zero, over)?;
                let less = self.int_binary(BinaryOp::Sub, old, Val::Bits(1), bits)?;
                self.choose(wraps, value, less, scalar)
            }
            AtomicOp::USubCond | AtomicOp::USubSat => {
                let fits = self.compare_ints(IntPredicate::Uge, old, value, scalar)?;
                let less = self.int_binary(BinaryOp::Sub, old, value, bits)?;
                let otherwise = if op == AtomicOp::USubCond { old } else { Val::Bits(0) };
                self.choose(fits, less, otherwise, scalar)
            }
        }
    }

    /// The smaller or larger of two floating-point numbers, by `min` or `max` of single precision; `.NaN` when one NaN makes the result
    /// one.
    pub(super) fn float_extreme(&mut self, single: Mnemonic, a: Val, b: Val, scalar: Scalar) -> Result<Val> {
        let of_numbers = single.with(Field::Nan, None).filter(|_| single.has(Mod::Nan));
        if let (Scalar::Double, Some(plain)) = (scalar, of_numbers) {
            let extreme = self.float_extreme(plain, a, b, scalar)?;
            let unordered = self.compare_floats(FloatPredicate::Uno, a, b, scalar)?;
            return self.choose(unordered, Val::Bits(0x7ff8 << 48), extreme, scalar);
        }
        let halves = matches!(scalar, Scalar::Half | Scalar::BFloat | Scalar::HalfPair | Scalar::BFloatPair);
        if halves && self.module.target.sm() < 80 {
            return self.through_single(scalar, &[a, b], &mut |this, args| {
                this.float_extreme(single, args[0], args[1], Scalar::Float)
            });
        }
        if let (Scalar::Float, Some(plain), true) = (scalar, of_numbers, self.module.target.sm() < 80) {
            let extreme = self.float_extreme(plain, a, b, scalar)?;
            let unordered = self.compare_floats(FloatPredicate::Uno, a, b, scalar)?;
            return self.choose(unordered, Val::Bits(0x7fc0_0000), extreme, scalar);
        }
        let args = [self.arg(a, scalar)?, self.arg(b, scalar)?];
        Ok(Val::reg(self.compute(self.float_form(single, scalar)?, &args)?))
    }
}
