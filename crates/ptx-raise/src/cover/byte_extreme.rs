//! Minima and maxima of bytes, extended to words.
//!
//! PTX computes these in halfwords, whose registers are already sign-extended; LLVM truncates them to bytes.

use ptx_llvm_core::view::{BinaryOp, CastOp, InstId, Op, Value};
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
    let source = cover.source;
    let inst = source.inst(id);
    let Op::Binary { op: BinaryOp::And, lhs: Value::Inst(extension), rhs, .. } = inst.op else { return None };
    let Op::Cast { op: CastOp::SExt, value, .. } = *source.op(extension) else { return None };
    let Value::Inst(narrow) = value else { return None };
    let Op::Call(call) = source.op(narrow) else { return None };
    let fits = matches!(source.callee(call)?.name.as_str(), "llvm.smin.i8" | "llvm.smax.i8")
        && source.number(rhs) == Some(mask(16))
        && source.int_bits(inst.ty) == Some(32)
        && cover.cover.uses.count(extension) <= 1
        && !cover.cover.is_opaque(extension);
    fits.then(|| Match { action: Action::ExtendUnderMask(value), reads: smallvec![value] })
}
