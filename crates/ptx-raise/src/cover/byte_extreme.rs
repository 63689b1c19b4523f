//! Minima and maxima of bytes, extended to words.
//!
//! PTX computes these in halfwords, whose registers are already sign-extended; LLVM truncates them to bytes.

use ptx_llvm::view::{BinaryOp, CastOp, InstId, Op, Value};
use smallvec::smallvec;

use super::decision::{Action, Match};
use super::state::Covering;
use crate::value::mask;

/// Recognizes an extension under a mask: sign-extended to a halfword, with zeros above.
///
/// ```text
/// %m = call i8 @llvm.smin.i8(i8 %a, i8 %b)
/// %s = sext i8 %m to i32
/// %r = and i32 %s, 65535
/// ```
pub(super) fn find(cover: &Covering<'_, '_, '_>, id: InstId) -> Option<Match> {
    let narrow = cover.masked_extension(id)?;
    Some(Match { action: Action::ExtendUnderMask(narrow), reads: smallvec![narrow] })
}

impl Covering<'_, '_, '_> {
    /// The byte that is extended.
    fn masked_extension(&self, id: InstId) -> Option<Value> {
        let inst = self.source.inst(id);
        let Op::Binary { op: BinaryOp::And, lhs: Value::Inst(extension), rhs, .. } = inst.op else {
            return None;
        };
        let Op::Cast { op: CastOp::SExt, value: Value::Inst(narrow), .. } = self.source.inst(extension).op
        else {
            return None;
        };
        let Op::Call(call) = &self.source.inst(narrow).op else { return None };
        let callee = self.source.callee(call)?.name.as_str();
        let fits = matches!(callee, "llvm.smin.i8" | "llvm.smax.i8")
            && self.source.number(rhs) == Some(mask(16))
            && self.source.int_bits(inst.ty) == Some(32)
            && self.cover.uses.count(extension) <= 1
            && !self.cover.is_opaque(extension);
        fits.then_some(Value::Inst(narrow))
    }
}
