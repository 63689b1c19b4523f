//! Divisions whose result for a divisor of zero is open (manual 9.7.1.8, 9.7.1.9).
//!
//! LLVM's division by zero is undefined, so the lowering divides by some other number then, and by one where the quotient does
//! not fit. It marks the choice with `!ptx.open`: PTX's own `div` and `rem` do as well there. Only the choice that carries
//! the mark is understood so; a program that chooses a divisor itself means it.

use ptx_llvm::view::{BinaryOp, InstId, IntPredicate, Op, Value};

use super::FunctionRaiser;
use crate::error::Raised;
use crate::value::mask;

/// A division without its guard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Division {
    op: BinaryOp,
    dividend: Value,
    divisor: Value,
    bits: u32,
}

impl FunctionRaiser<'_, '_, '_> {
    /// Finds the divisions whose divisor is guarded with a mark.
    pub(super) fn find_divisions(&mut self) {
        for block in self.layout.clone() {
            for id in self.function.block(block).inst_ids() {
                let Some(division) = self.open_division(id) else { continue };
                if let Value::Inst(used) = division.divisor
                    && let Some(count) = self.uses.get_mut(used.index())
                {
                    *count += 1;
                }
                if let Op::Binary { rhs, .. } = self.function.inst(id).op {
                    self.release(rhs);
                }
                self.divisions.insert(id, division);
            }
        }
    }

    fn open_division(&self, id: InstId) -> Option<Division> {
        if self.is_taken(id) {
            return None;
        }
        let Op::Binary { op, lhs: dividend, rhs, .. } = self.function.inst(id).op else { return None };
        let signed = match op {
            BinaryOp::UDiv | BinaryOp::URem => false,
            BinaryOp::SDiv | BinaryOp::SRem => true,
            _ => return None,
        };
        let Value::Inst(guard) = rhs else { return None };
        self.function.inst(guard).metadata("ptx.open")?;
        let Op::Select { cond, then, other, .. } = *self.plain_op(rhs)? else { return None };
        let bits = self.integer_bits(rhs).filter(|bits| matches!(bits, 16 | 32 | 64))?;
        [(other, true), (then, false)].into_iter().find_map(|(chosen, holds)| {
            let divisor = if signed { self.without_overflow(chosen, dividend, bits) } else { chosen };
            let zero = self.holds_where_equal(cond, holds, divisor, 0);
            zero.then_some(Division { op, dividend, divisor, bits })
        })
    }

    /// A divisor before the choice of one where the least number is divided by -1.
    fn without_overflow(&self, chosen: Value, dividend: Value, bits: u32) -> Value {
        let least = 1 << (bits - 1);
        let inner = || {
            let Op::Select { cond, then, other, .. } = *self.plain_op(chosen)? else { return None };
            let Op::Binary { op: BinaryOp::And, lhs, rhs, .. } = *self.plain_op(cond)? else { return None };
            let overflows = |first, second| {
                self.holds_where_equal(first, true, other, mask(bits))
                    && self.holds_where_equal(second, true, dividend, least)
            };
            let one = self.small_number(then) == Some(1);
            (one && (overflows(lhs, rhs) || overflows(rhs, lhs))).then_some(other)
        };
        inner().unwrap_or(chosen)
    }

    /// Whether a condition is true exactly where a value is that number, or false there when `holds` is false.
    fn holds_where_equal(&self, cond: Value, holds: bool, value: Value, number: u64) -> bool {
        let test = || {
            let Op::ICmp { predicate, lhs, rhs } = *self.plain_op(cond)? else { return None };
            let same = self.part(lhs)? == self.part(value)?;
            let polarity = match predicate {
                IntPredicate::Eq => holds,
                IntPredicate::Ne => !holds,
                _ => return None,
            };
            Some(polarity && same && self.small_number(rhs)? == number)
        };
        test().unwrap_or(false)
    }

    /// `div` or `rem`.
    pub(super) fn divide_openly(&mut self, id: InstId, division: Division) -> Raised<()> {
        let (a, _) = self.scalar(division.dividend)?;
        let (b, _) = self.scalar(division.divisor)?;
        let result = self.int_binary(division.op, a, b, division.bits)?;
        self.define_one(id, result);
        Ok(())
    }
}
