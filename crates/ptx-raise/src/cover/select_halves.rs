//! Adjacent halves (manual 9.7.9.4, `mov` of a vector) one or both of which are selected before.
//!
//! LLVM's passes move a select after its operands, and so after the extension and the shift that position a half: the select
//! is then one of whole numbers, with the other half zero on both sides.

use ptx_llvm_core::marks;
use ptx_llvm_core::view::{BinaryOp, CastOp, InstId, Op, Value};

use super::decision::{Action, Half, HalfSource, Joined, Match};
use super::state::Covering;
use crate::value::mask;

/// Recognizes two adjacent halves one or both of which are selected.
///
/// ```text
/// %z = zext i32 %a to i64
/// %l = select i1 %c, i64 %z, i64 0                 ; selp.b32 %l, %a, 0, %c;
/// %h = shl i64 %b, 32
/// %r = or i64 %l, %h                               ; mov.b64 %r, {%l, %b};
/// ```
pub(super) fn find(cover: &Covering<'_, '_, '_>, id: InstId) -> Option<Match> {
    let source = cover.source;
    let inst = source.inst(id);
    let Op::Binary { op: BinaryOp::Or, lhs, rhs, .. } = inst.op else { return None };
    // Code that was PTX and computed with whole numbers is kept.
    if source.was_ptx && inst.metadata(marks::INST).is_none() {
        return None;
    }
    let bits = source.integer_bits(Value::Inst(id)).filter(|bits| matches!(bits, 32 | 64))? / 2;
    [(lhs, rhs), (rhs, lhs)].into_iter().find_map(|(low, high)| {
        let (low, high) = (cover.half(low, bits, 0)?, cover.half(high, bits, bits)?);
        let chosen = [low, high].iter().any(|half| matches!(half, Half::Chosen { .. }));
        let (action, reads) = (Action::JoinChosen(Joined { low, high, bits }), reads(low).chain(reads(high)));
        chosen.then(|| Match { action, reads: reads.collect() })
    })
}

/// The values that are read for a half.
fn reads(half: Half) -> impl Iterator<Item = Value> {
    let (cond, sources) = match half {
        Half::Plain(source) => (None, [Some(source), None]),
        Half::Chosen { cond, then, other } => (Some(cond), [Some(then), Some(other)]),
    };
    let read = |source: HalfSource| match source {
        HalfSource::Constant(_) => None,
        HalfSource::Narrow(value) | HalfSource::Part(value, _) => Some(value),
    };
    cond.into_iter().chain(sources.into_iter().flatten().filter_map(read))
}

impl Covering<'_, '_, '_> {
    /// A number whose bits outside the half that begins at a bit are zero.
    fn half(&self, value: Value, bits: u32, at: u32) -> Option<Half> {
        if let Some(source) = self.half_source(value, bits, at) {
            return Some(Half::Plain(source));
        }
        let Value::Inst(id) = value else { return None };
        let Op::Select { cond, then, other, .. } = *self.cover.plain_op(value)? else { return None };
        let free = self.cover.uses.count(id) == 1 && !self.is_decided(id);
        if !free || self.text_inputs.contains(&value) {
            return None;
        }
        let (then, other) = (self.half_source(then, bits, at)?, self.half_source(other, bits, at)?);
        Some(Half::Chosen { cond, then, other })
    }

    fn half_source(&self, value: Value, bits: u32, at: u32) -> Option<HalfSource> {
        if let Some(number) = self.source.number(value) {
            return (number & !(mask(bits) << at) == 0).then_some(HalfSource::Constant(number >> at));
        }
        match *self.cover.plain_op(value)? {
            Op::Cast { op: CastOp::ZExt, value: inner, .. } if at == 0 => self.narrow_source(inner, bits),
            Op::Binary { op: BinaryOp::And, lhs, rhs, .. } => {
                (self.source.number(rhs)? == mask(bits) << at).then_some(HalfSource::Part(lhs, at))
            }
            Op::Binary { op: BinaryOp::Shl, lhs, rhs, .. } if at == bits => {
                if self.source.number(rhs)? != u64::from(bits) {
                    return None;
                }
                let narrow = match self.cover.plain_op(lhs) {
                    Some(Op::Cast { op: CastOp::ZExt | CastOp::SExt, value: inner, .. }) => {
                        self.narrow_source(*inner, bits)
                    }
                    _ => None,
                };
                Some(narrow.unwrap_or(HalfSource::Part(lhs, 0)))
            }
            _ => None,
        }
    }

    fn narrow_source(&self, value: Value, bits: u32) -> Option<HalfSource> {
        (self.source.integer_bits(value) == Some(bits)).then_some(HalfSource::Narrow(value))
    }
}
