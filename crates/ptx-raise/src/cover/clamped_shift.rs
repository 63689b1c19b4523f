//! Shifts with a guard against amounts that are too large.
//!
//! LLVM's shifts by the width or more are poison, so that a shift by any amount is a select between a shift and the value
//! when all bits are shifted out. PTX's `shl` and `shr` need no select: amounts over the width count as the width (manual
//! 9.7.8.8, 9.7.8.9). Passes transform the guard in many ways, so that it is analysed here, not compared with one of them.

use ptx_llvm_core::view::{BinaryOp, CastOp, InstId, IntPredicate, Op, Value};
use smallvec::smallvec;

use super::decision::{Action, Bits, ClampedShift, Match};
use super::state::Covering;
use crate::value::mask;

/// The maximum depth of casts and masks that are looked through.
const MAX_STEPS: usize = 8;

/// Recognizes a `select` that is a clamped shift.
///
/// ```text
/// %s = shl i32 %x, %n
/// %in = icmp ult i32 %n, 32
/// %r = select i1 %in, i32 %s, i32 0                ; shl.b32 %r, %x, %n;
/// ```
pub(super) fn find(cover: &Covering<'_, '_, '_>, id: InstId) -> Option<Match> {
    let source = cover.source;
    let Op::Select { cond, then, other, .. } = *source.op(id) else { return None };
    let to = source.integer_bits(Value::Inst(id))?;
    let (chosen, inside) = match (source.number(then), source.number(other)) {
        (None, Some(0)) => (then, true),
        (Some(0), None) => (other, false),
        _ => return None,
    };
    let (shift, cast) = match cover.cover.plain_op(chosen)? {
        Op::Cast { op: op @ (CastOp::ZExt | CastOp::SExt | CastOp::Trunc), value, .. } => (*value, Some(*op)),
        _ => (chosen, None),
    };
    let Op::Binary { op: op @ (BinaryOp::Shl | BinaryOp::LShr), lhs: value, rhs, .. } =
        *cover.cover.plain_op(shift)?
    else {
        return None;
    };
    let bits = source.integer_bits(shift).filter(|bits| matches!(bits, 16 | 32 | 64))?;
    let low = u64::from(bits) - 1;
    let used = cover.part(rhs)?;
    let guard = cover.bits_that_must_be_zero(cond, inside, low)?;
    // If the guard is true, the amount is that of the shift, or the shift is poison; otherwise it is too large.
    let mask = guard.mask | used.mask & low;
    let fits =
        used.base == guard.base && guard.mask & low == 0 && guard.mask != 0 && mask <= u64::from(u32::MAX);
    let amount = Bits { mask, ..used };
    let action = Action::ClampedShift(ClampedShift { op, value, bits, amount, cast, to });
    fits.then(|| Match { action, reads: smallvec![value, used.base] })
}

impl Covering<'_, '_, '_> {
    /// The bits that are all zero exactly when a condition is true, or false when `holds` is false. Those not in `low`.
    fn bits_that_must_be_zero(&self, cond: Value, holds: bool, low: u64) -> Option<Bits> {
        let Op::ICmp { predicate, lhs, rhs } = *self.cover.plain_op(cond)? else { return None };
        let number = self.source.number(rhs)?;
        let tested = self.part(lhs)?;
        let below = match (predicate, number, holds) {
            (IntPredicate::Ult, limit, true) | (IntPredicate::Uge, limit, false) => limit == low + 1,
            (IntPredicate::Ule, last, true) | (IntPredicate::Ugt, last, false) => last == low,
            (IntPredicate::Eq, 0, true) | (IntPredicate::Ne, 0, false) => tested.mask & low == 0,
            _ => false,
        };
        below.then_some(Bits { mask: tested.mask & !low, ..tested })
    }

    /// The bits of a number that a value consists of.
    pub(super) fn part(&self, value: Value) -> Option<Bits> {
        let width = self.source.integer_bits(value)?;
        let mut part = Bits { base: value, width, mask: mask(width) };
        for _ in 0..MAX_STEPS {
            let inner = match self.cover.plain_op(part.base) {
                Some(&Op::Cast { op: CastOp::ZExt | CastOp::Trunc, value, .. }) => value,
                Some(&Op::Binary { op: BinaryOp::And, lhs, rhs, .. }) => {
                    let Some(kept) = self.source.number(rhs) else { break };
                    part.mask &= kept;
                    lhs
                }
                _ => break,
            };
            let Some(width) = self.source.integer_bits(inner) else { break };
            part = Bits { base: inner, width, mask: part.mask & mask(width) };
        }
        Some(part)
    }
}
