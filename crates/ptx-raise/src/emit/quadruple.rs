//! `fp128`: two words, which PTX can move and change the sign of; it has no arithmetic for it.

use ptx_isa::ptx;
use ptx_llvm::view::{Call, FloatKind, InstId, IntPredicate, Type, TypeId, Value};

use super::append::Arg;
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::intrinsics::{FloatOp, Function};
use crate::types::Scalar;
use crate::value::Val;

/// What becomes of a sign.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SignOp {
    Negate,
    Clear,
    /// It is the second operand's.
    Copy,
}

/// The sign in the high word.
const SIGN: u64 = 1 << 63;

impl Emitter<'_, '_, '_> {
    /// Whether a type is `fp128` or a vector of it.
    pub(super) fn is_quadruple(&self, ty: TypeId) -> bool {
        let view = self.module.view;
        let element = match view.ty(ty) {
            Type::Vector { element, .. } => *element,
            _ => ty,
        };
        matches!(view.ty(element), Type::Float(FloatKind::Other("fp128")))
    }

    /// Refuses an operation that reads or gives `fp128`.
    pub(super) fn no_quadruple(&self, id: InstId, operands: &[Value]) -> Result<()> {
        let mut types = vec![self.type_of(id)];
        for &operand in operands {
            types.extend(self.module.view.value_type(self.function, operand));
        }
        if types.into_iter().any(|ty| self.is_quadruple(ty)) {
            let help = "software floating point belongs into a library";
            return Err(RaiseError::new(INSTRUCTION, "PTX has no arithmetic on fp128").with_help(help));
        }
        Ok(())
    }

    /// `fneg`, `llvm.fabs` or `llvm.copysign` of `fp128`, by the sign.
    pub(super) fn quadruple_sign(&mut self, id: InstId, op: SignOp, operands: &[Value]) -> Result<()> {
        let operand = |at: usize| operands.get(at).copied();
        let missing = || RaiseError::new(INSTRUCTION, "an operation on fp128 with too few operands");
        let mut words = self.value(operand(0).ok_or_else(missing)?)?.to_vec();
        let signs = match op {
            SignOp::Copy => self.value(operand(1).ok_or_else(missing)?)?.to_vec(),
            SignOp::Negate | SignOp::Clear => words.clone(),
        };
        let word = Scalar::Int(64);
        for (high, sign) in words.iter_mut().zip(signs).skip(1).step_by(2) {
            let from = self.arg(*high, word)?;
            let changed = match op {
                SignOp::Negate => self.compute(ptx!("xor.b64"), &[from, Arg::Bits(SIGN, 64)])?,
                SignOp::Clear => self.compute(ptx!("and.b64"), &[from, Arg::Bits(!SIGN, 64)])?,
                SignOp::Copy => {
                    let size = self.compute(ptx!("and.b64"), &[from, Arg::Bits(!SIGN, 64)])?;
                    let sign = self.arg(sign, word)?;
                    let sign = self.compute(ptx!("and.b64"), &[sign, Arg::Bits(SIGN, 64)])?;
                    self.compute(ptx!("or.b64"), &[size.into(), sign.into()])?
                }
            };
            *high = Val::reg(changed);
        }
        self.define(id, words.into());
        Ok(())
    }

    /// For each `fp128` its high word, odd where the low word is not zero: what tells its class.
    pub(super) fn quadruple_summaries(&mut self, words: &[Val]) -> Result<Vec<(Val, Scalar)>> {
        let word = Scalar::Int(64);
        let mut summaries = Vec::with_capacity(words.len() / 2);
        for pair in words.chunks_exact(2) {
            let &[low, high] = pair else { continue };
            let some = self.compare_ints(IntPredicate::Ne, low, Val::Bits(0), word)?;
            let odd = self.choose(some, Val::Bits(1), Val::Bits(0), word)?;
            let (high, odd) = (self.arg(high, word)?, self.arg(odd, word)?);
            summaries.push((Val::reg(self.compute(ptx!("or.b64"), &[high, odd])?), word));
        }
        Ok(summaries)
    }

    /// A function of `fp128`: what concerns the sign alone; whether that is done. What computes is refused.
    pub(super) fn quadruple_intrinsic(
        &mut self,
        id: InstId,
        call: &Call,
        function: Function,
    ) -> Result<bool> {
        let mut types = vec![self.type_of(id)];
        types.extend(argument(call, 0).and_then(|first| self.value_type(first)));
        if !types.into_iter().any(|ty| self.is_quadruple(ty)) {
            return Ok(false);
        }
        let sign = match function {
            Function::Exact(FloatOp::Absolute) => SignOp::Clear,
            Function::Exact(FloatOp::CopySign) => SignOp::Copy,
            Function::Exact(_) | Function::Transcendental(_) => {
                return self.no_quadruple(id, &call.args).map(|()| false);
            }
        };
        self.quadruple_sign(id, sign, &call.args).map(|()| true)
    }
}
