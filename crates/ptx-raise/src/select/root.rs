//! The reciprocal of a square root, which is one approximation (manual 9.7.3.17).

use ptx_llvm::view::{BinaryOp, Constant, FloatKind, InstId, Op, Type, Value};

use super::FunctionRaiser;
use crate::error::Raised;
use crate::types::{Class, Scalar};
use crate::value::Val;

/// A square root of which a division takes the reciprocal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct InverseRoot {
    /// The square root.
    pub(super) call: InstId,
    /// What it is the root of.
    pub(super) of: Value,
}

impl FunctionRaiser<'_, '_, '_> {
    /// The `rsqrt.approx` that a division is, if it is one: where root and quotient may be approximations, or where nothing else reads the
    /// root, which may be any number near.
    ///
    /// ```text
    /// %s = call afn float @llvm.sqrt.f32(float %x)
    /// %r = fdiv afn float 1.0, %s                      ; rsqrt.approx.f32 %r, %x;
    /// ```
    pub(super) fn inverse_root(&self, id: InstId) -> Option<InverseRoot> {
        const ONE: u64 = 0x3f80_0000;
        let inst = self.function.inst(id);
        let Op::Binary { op: BinaryOp::FDiv, lhs: Value::Const(one), rhs: Value::Inst(call), fast, .. } =
            inst.op
        else {
            return None;
        };
        let single = matches!(self.module.view.ty(inst.ty), Type::Float(FloatKind::Float));
        let Op::Call(root) = &self.function.inst(call).op else { return None };
        let fits = single
            && *self.module.view.constant(one) == Constant::Float(ONE)
            && inst.metadata("ptx.literal").is_none()
            && root.fast.afn
            && self.callee(root).is_some_and(|callee| callee.name == "llvm.sqrt.f32")
            && (fast.afn || matches!(self.uses.get(call.index()), Some(0 | 1)))
            && !self.spelled.contains(&call)
            && !self.spellings.contains_key(&call);
        fits.then_some(InverseRoot { call, of: *root.args.first()? })
    }

    /// Computes it.
    pub(super) fn reciprocal_root(&mut self, id: InstId, root: InverseRoot) -> Raised<()> {
        let (value, scalar) = self.scalar(root.of)?;
        let arg = self.arg(value, scalar)?;
        let text = format!("rsqrt.approx{}.f32", self.ftz(Scalar::Float));
        let register = self.emit_new(Class::F32, &text, &[arg])?;
        self.define_one(id, Val::reg(register));
        Ok(())
    }

    /// Leaves out a root that nothing reads any more.
    pub(super) fn drop_unread(&mut self, call: InstId) {
        if self.uses.get(call.index()) == Some(&0) {
            self.fused.insert(call);
        }
    }
}
