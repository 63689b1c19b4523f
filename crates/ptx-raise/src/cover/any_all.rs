//! Whether any or all of several truth values are true.
//!
//! LLVM compares a vector of them as an integer; PTX, which has them in separate predicate registers, combines them.

use ptx_llvm_core::view::{CastOp, InstId, IntPredicate, Op, Type, Value};

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
    let source = cover.source;
    let Op::ICmp { lhs: Value::Inst(cast), .. } = *source.op(id) else { return None };
    let Op::Cast { op: CastOp::BitCast, value: vector, .. } = *source.op(cast) else { return None };
    let Type::Vector { element, len, .. } = *source.view.ty(source.type_of(vector)?) else { return None };
    let (all, negated) = cover.question(id, cast, len)?;
    let fits = source.int_bits(element) == Some(1)
        && source.int_bits(source.inst(cast).ty).is_some()
        && (2..=64).contains(&len)
        && !cover.cover.is_opaque(cast)
        && cover.cover.uses.users(cast).iter().all(|user| cover.question(*user, cast, len).is_some());
    let action = Action::Truths(Truths { vector, all, negated });
    fits.then(|| Match { action, reads: smallvec![vector] })
}

impl Covering<'_, '_, '_> {
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
