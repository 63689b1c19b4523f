//! Shifts with a guard against amounts that are too large.
//!
//! LLVM's shifts by the width or more are poison, so what shifts by any amount chooses between a shift and what is left when
//! all bits are gone. PTX's `shl` and `shr` say that alone: amounts over the width count as the width (manual 9.7.8.8,
//! 9.7.8.9). Passes write the guard in many ways, so that it is understood here, not compared with one of them.

use ptx_llvm::view::{BinaryOp, CastOp, Constant, InstId, IntPredicate, Op, Type, Value};

use super::FunctionRaiser;
use super::emit::Arg;
use crate::error::Raised;
use crate::references::for_each_operand;
use crate::types::Scalar;
use crate::value::{Val, mask};

/// Casts and masks deeper than this are not looked through.
const MAX_STEPS: usize = 8;

/// A shift that PTX clamps by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Clamped {
    op: BinaryOp,
    value: Value,
    /// Width of the shifted value.
    bits: u32,
    amount: Bits,
    /// The cast between the shift and the choice.
    cast: Option<CastOp>,
    /// The width after the cast.
    to: u32,
}

/// Some bits of a number, the others zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bits {
    base: Value,
    /// Width of the base.
    width: u32,
    mask: u64,
}

impl FunctionRaiser<'_, '_, '_> {
    /// Finds the choices that one clamped shift says.
    pub(super) fn find_clamped_shifts(&mut self) {
        for block in self.layout.clone() {
            for id in self.function.block(block).inst_ids() {
                if self.is_taken(id) {
                    continue;
                }
                let Some(clamped) = self.clamped_shift(id) else { continue };
                for value in [clamped.value, clamped.amount.base] {
                    if let Value::Inst(used) = value
                        && let Some(count) = self.uses.get_mut(used.index())
                    {
                        *count += 1;
                    }
                }
                for_each_operand(&self.function.inst(id).op.clone(), &mut |value| self.release(value));
                self.clamped.insert(id, clamped);
            }
        }
    }

    /// Whether an instruction's work is done otherwise.
    pub(super) fn is_taken(&self, id: InstId) -> bool {
        self.fused.contains(&id) || self.spelled.contains(&id) || self.spellings.contains_key(&id)
    }

    /// The clamped shift that a `select` is.
    fn clamped_shift(&self, id: InstId) -> Option<Clamped> {
        let Op::Select { cond, then, other, .. } = self.function.inst(id).op else { return None };
        let to = self.integer_bits(Value::Inst(id))?;
        let (chosen, inside) = match (self.small_number(then), self.small_number(other)) {
            (None, Some(0)) => (then, true),
            (Some(0), None) => (other, false),
            _ => return None,
        };
        let (shift, cast) = match self.plain_op(chosen)? {
            Op::Cast { op: op @ (CastOp::ZExt | CastOp::SExt | CastOp::Trunc), value, .. } => {
                (*value, Some(*op))
            }
            _ => (chosen, None),
        };
        let Op::Binary { op: op @ (BinaryOp::Shl | BinaryOp::LShr), lhs, rhs, .. } = *self.plain_op(shift)?
        else {
            return None;
        };
        let bits = self.integer_bits(shift).filter(|bits| matches!(bits, 16 | 32 | 64))?;
        let low = u64::from(bits) - 1;
        let used = self.part(rhs)?;
        let guard = self.bits_that_must_be_zero(cond, inside, low)?;
        if used.base != guard.base {
            return None;
        }
        // Where the guard holds, the amount is what the shift uses, or the shift is poison; elsewhere it is too large.
        let mask = guard.mask | used.mask & low;
        let high = guard.mask & low == 0 && guard.mask != 0 && mask <= u64::from(u32::MAX);
        high.then_some(Clamped { op, value: lhs, bits, amount: Bits { mask, ..used }, cast, to })
    }

    /// The bits that are all zero exactly when a condition is true, or false when `holds` is false. Those not in `low`.
    fn bits_that_must_be_zero(&self, cond: Value, holds: bool, low: u64) -> Option<Bits> {
        let Op::ICmp { predicate, lhs, rhs } = *self.plain_op(cond)? else { return None };
        let number = self.small_number(rhs)?;
        let tested = self.part(lhs)?;
        let below = match (predicate, number, holds) {
            (IntPredicate::Ult, limit, true) | (IntPredicate::Uge, limit, false) => limit == low + 1,
            (IntPredicate::Ule, last, true) | (IntPredicate::Ugt, last, false) => last == low,
            (IntPredicate::Eq, 0, true) | (IntPredicate::Ne, 0, false) => tested.mask & low == 0,
            _ => false,
        };
        below.then_some(Bits { mask: tested.mask & !low, ..tested })
    }

    /// Which bits of which number a value is.
    pub(super) fn part(&self, value: Value) -> Option<Bits> {
        let width = self.integer_bits(value)?;
        let mut part = Bits { base: value, width, mask: mask(width) };
        for _ in 0..MAX_STEPS {
            let inner = match self.plain_op(part.base) {
                Some(&Op::Cast { op: CastOp::ZExt | CastOp::Trunc, value, .. }) => value,
                Some(&Op::Binary { op: BinaryOp::And, lhs, rhs, .. }) => {
                    let Some(kept) = self.small_number(rhs) else { break };
                    part.mask &= kept;
                    lhs
                }
                _ => break,
            };
            let Some(width) = self.integer_bits(inner) else { break };
            part = Bits { base: inner, width, mask: part.mask & mask(width) };
        }
        Some(part)
    }

    /// What a value is computed by, where no text stands for it.
    pub(super) fn plain_op(&self, value: Value) -> Option<&Op> {
        match value {
            Value::Inst(id) if !self.is_taken(id) && !self.is_own_register(id) => {
                Some(&self.function.inst(id).op)
            }
            _ => None,
        }
    }

    /// The width of an integer of at most 64 bits.
    pub(super) fn integer_bits(&self, value: Value) -> Option<u32> {
        let ty = self.module.view.value_type(self.function, value)?;
        match self.module.view.ty(ty) {
            Type::Int { bits } if *bits <= 64 => Some(*bits),
            _ => None,
        }
    }

    pub(super) fn small_number(&self, value: Value) -> Option<u64> {
        let Value::Const(constant) = value else { return None };
        match self.module.view.constant(constant) {
            constant @ Constant::Int(_) => constant.as_u64(),
            _ => None,
        }
    }

    /// Takes one use from a value; what has no other and no effect is not computed.
    pub(super) fn release(&mut self, value: Value) {
        let mut unused = vec![value];
        while let Some(value) = unused.pop() {
            let Value::Inst(id) = value else { continue };
            let Some(count) = self.uses.get_mut(id.index()) else { continue };
            *count = count.saturating_sub(1);
            let op = &self.function.inst(id).op;
            let pure =
                matches!(op, Op::Binary { .. } | Op::Cast { .. } | Op::ICmp { .. } | Op::Select { .. });
            if *count == 0 && pure && !self.is_taken(id) {
                self.fused.insert(id);
                for_each_operand(op, &mut |operand| unused.push(operand));
            }
        }
    }

    /// The shift in the place of the choice.
    pub(super) fn shift_clamped(&mut self, id: InstId, shift: Clamped) -> Raised<()> {
        let (base, scalar) = self.scalar(shift.amount.base)?;
        let amount = match base {
            Val::Bits(bits) => Arg::Bits(bits & shift.amount.mask, 32),
            base => {
                let word = self.zero_extended(base, scalar, 32)?;
                let all = mask(shift.amount.width.min(32));
                if shift.amount.mask == all {
                    word.into()
                } else {
                    let kept = Arg::Bits(shift.amount.mask, 32);
                    self.emit_new(crate::types::Class::B32, "and.b32", &[word.into(), kept])?.into()
                }
            }
        };
        let (value, _) = self.scalar(shift.value)?;
        let shifted = self.shift_by(shift.op, value, amount, shift.bits)?;
        let result = match shift.cast {
            None => vec![shifted],
            Some(cast) => self.resize_integer(cast, &[shifted], shift.bits, shift.to)?,
        };
        self.define(id, result.into());
        Ok(())
    }

    /// `shl` or `shr` of a value of a register's width.
    fn shift_by(&mut self, op: BinaryOp, value: Val, amount: Arg, bits: u32) -> Raised<Val> {
        let scalar = Scalar::Int(bits);
        let word = if op == BinaryOp::Shl { "shl.b" } else { "shr.u" };
        let value = self.arg(value, scalar)?;
        Ok(Val::reg(self.emit_new(scalar.class(), &format!("{word}{bits}"), &[value, amount])?))
    }
}
