//! Whether any or all of several truth values are true.
//!
//! LLVM compares a vector of them as an integer; PTX, which has them in separate predicate registers, combines them.

use ptx_llvm::view::{CastOp, InstId, IntPredicate, Op, Type, Value};

use smallvec::smallvec;

use super::decision::{Action, Match, Truths};
use super::state::Covering;
use crate::value::mask;

/// Recognizes a comparison of integers that tests whether any or all of several truth values are true.
///
/// ```text
/// %i = bitcast <4 x i1> %v to i4
/// %any = icmp ne i4 %i, 0                          ; or.pred of the four
/// ```
pub(super) fn find(cover: &Covering<'_, '_, '_>, id: InstId) -> Option<Match> {
    let truths = cover.truths(id)?;
    Some(Match { action: Action::Truths(truths), reads: smallvec![truths.vector] })
}

impl Covering<'_, '_, '_> {
    fn truths(&self, id: InstId) -> Option<Truths> {
        let Op::ICmp { lhs: Value::Inst(cast), .. } = self.source.inst(id).op else { return None };
        let Op::Cast { op: CastOp::BitCast, value: vector, .. } = self.source.inst(cast).op else {
            return None;
        };
        let Type::Vector { element, len, .. } = self.source.view.ty(self.source.type_of(vector)?) else {
            return None;
        };
        let is_truth = matches!(self.source.view.ty(*element), Type::Int { bits: 1 });
        let is_number = matches!(self.source.view.ty(self.source.inst(cast).ty), Type::Int { .. });
        if !is_truth || !is_number || !(2..=64).contains(len) || self.cover.is_opaque(cast) {
            return None;
        }
        let mut users = self.cover.uses.users(cast).iter();
        let (all, negated) = self.question(id, cast, *len)?;
        users.all(|user| self.question(*user, cast, *len).is_some()).then_some(Truths {
            vector,
            all,
            negated,
        })
    }

    /// Whether a comparison of an integer of `bits` bits tests for all of them or for any, and whether its result is negated.
    fn question(&self, id: InstId, integer: InstId, bits: u32) -> Option<(bool, bool)> {
        let Op::ICmp { predicate, lhs: Value::Inst(lhs), rhs } = self.source.inst(id).op else {
            return None;
        };
        let equal = match predicate {
            IntPredicate::Eq => true,
            IntPredicate::Ne => false,
            _ => return None,
        };
        let all = match self.source.number(rhs)? {
            0 => false,
            number if number == mask(bits) => true,
            _ => return None,
        };
        (lhs == integer).then_some((all, equal != all))
    }
}
