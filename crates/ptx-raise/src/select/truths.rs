//! Whether any or all of several truth values hold.
//!
//! LLVM compares the integer that a vector of them is; PTX, whose predicates lie in registers of their own, combines them.

use ptx_llvm::view::{CastOp, InstId, IntPredicate, Op, Type, Value};

use super::FunctionRaiser;
use crate::error::Raised;
use crate::value::{Val, mask};

/// A comparison of truth values with none or all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Truths {
    /// What makes an integer of them, for such comparisons alone.
    pub(super) cast: InstId,
    /// The vector of them.
    pub(super) vector: Value,
    /// Whether all are asked for, and not any.
    all: bool,
    /// Whether the answer is the opposite.
    negated: bool,
}

impl FunctionRaiser<'_, '_, '_> {
    /// The question about several truth values that a comparison of integers is, if it is one.
    ///
    /// ```text
    /// %i = bitcast <4 x i1> %v to i4
    /// %any = icmp ne i4 %i, 0
    /// ```
    pub(super) fn truths(&self, id: InstId) -> Option<Truths> {
        let Op::ICmp { lhs: Value::Inst(cast), .. } = self.function.inst(id).op else { return None };
        let Op::Cast { op: CastOp::BitCast, value: vector, .. } = self.function.inst(cast).op else {
            return None;
        };
        let Type::Vector { element, len, .. } = self.module.view.ty(self.value_type(vector).ok()?) else {
            return None;
        };
        let is_truth = matches!(self.module.view.ty(*element), Type::Int { bits: 1 });
        let is_number = matches!(self.module.view.ty(self.type_of(cast)), Type::Int { .. });
        if !is_truth || !is_number || !(2..=64).contains(len) || self.spelled.contains(&cast) {
            return None;
        }
        let mut users = self.users.get(cast.index())?.iter();
        let (all, negated) = self.question(id, cast, *len)?;
        users.all(|user| self.question(*user, cast, *len).is_some()).then_some(Truths {
            cast,
            vector,
            all,
            negated,
        })
    }

    /// Whether a comparison of an integer of so many bits asks for all of them or for any, and whether its answer is the opposite.
    fn question(&self, id: InstId, integer: InstId, bits: u32) -> Option<(bool, bool)> {
        let Op::ICmp { predicate, lhs: Value::Inst(lhs), rhs } = self.function.inst(id).op else {
            return None;
        };
        let equal = match predicate {
            IntPredicate::Eq => true,
            IntPredicate::Ne => false,
            _ => return None,
        };
        let all = match self.number(rhs)? {
            0 => false,
            number if number == mask(bits) => true,
            _ => return None,
        };
        (lhs == integer).then_some((all, equal != all))
    }

    /// Answers it.
    pub(super) fn combine_truths(&mut self, id: InstId, truths: Truths) -> Raised<()> {
        let text = if truths.all { "and.pred" } else { "or.pred" };
        let values = self.value(truths.vector)?;
        let mut values = values.iter().copied();
        let mut combined = values.next().unwrap_or(Val::Bits(u64::from(truths.all)));
        for value in values {
            combined = self.pred(text, combined, value)?;
        }
        if truths.negated {
            combined = self.pred_not(combined)?;
        }
        self.define_one(id, combined);
        Ok(())
    }
}
