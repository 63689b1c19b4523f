//! The reciprocal of a square root, which is one approximation (manual 9.7.3.17).

use ptx_llvm_core::marks;
use ptx_llvm_core::view::{BinaryOp, Constant, FloatKind, InstId, Op, Type, Value};

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
    const ONE: u64 = 0x3f80_0000;
    let source = cover.source;
    let inst = source.inst(id);
    let Op::Binary { op: BinaryOp::FDiv, lhs: Value::Const(one), rhs: Value::Inst(call), fast, .. } = inst.op
    else {
        return None;
    };
    let Op::Call(root) = source.op(call) else { return None };
    let radicand = *root.args.first()?;
    let fits = matches!(source.view.ty(inst.ty), Type::Float(FloatKind::Float))
        && *source.view.constant(one) == Constant::Float(ONE)
        && inst.metadata(marks::LITERAL).is_none()
        && root.fast.afn
        && source.callee(root).is_some_and(|callee| callee.name == "llvm.sqrt.f32")
        && (fast.afn || cover.cover.uses.count(call) <= 1)
        && !cover.cover.is_opaque(call);
    fits.then(|| Match { action: Action::InverseRoot(radicand), reads: smallvec![radicand] })
}
