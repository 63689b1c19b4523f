//! The reciprocal of a square root, which is one approximation (manual 9.7.3.17).

use ptx_llvm::marks;
use ptx_llvm::view::{BinaryOp, Constant, FloatKind, InstId, Op, Type, Value};

use smallvec::smallvec;

use super::decision::{Action, Match};
use super::state::Covering;

/// Recognizes a division that is `rsqrt.approx`: if root and quotient may be approximations, or if nothing else reads the root, which may
/// be any close number.
///
/// ```text
/// %s = call afn float @llvm.sqrt.f32(float %x)
/// %r = fdiv afn float 1.0, %s                      ; rsqrt.approx.f32 %r, %x;
/// ```
pub(super) fn find(cover: &Covering<'_, '_, '_>, id: InstId) -> Option<Match> {
    let of = cover.inverse_root(id)?;
    Some(Match { action: Action::InverseRoot(of), reads: smallvec![of] })
}

impl Covering<'_, '_, '_> {
    /// The radicand, if a division is the reciprocal of a square root.
    fn inverse_root(&self, id: InstId) -> Option<Value> {
        const ONE: u64 = 0x3f80_0000;
        let inst = self.source.inst(id);
        let Op::Binary { op: BinaryOp::FDiv, lhs: Value::Const(one), rhs: Value::Inst(call), fast, .. } =
            inst.op
        else {
            return None;
        };
        let single = matches!(self.source.view.ty(inst.ty), Type::Float(FloatKind::Float));
        let Op::Call(root) = &self.source.inst(call).op else { return None };
        let fits = single
            && *self.source.view.constant(one) == Constant::Float(ONE)
            && inst.metadata(marks::LITERAL).is_none()
            && root.fast.afn
            && self.source.callee(root).is_some_and(|callee| callee.name == "llvm.sqrt.f32")
            && (fast.afn || self.cover.uses.count(call) <= 1)
            && !self.cover.is_opaque(call);
        root.args.first().copied().filter(|_| fits)
    }
}
