//! `fp128`: two words, which PTX can move and change the sign of; it has no arithmetic for it.

use ptx_isa::ptx;
use ptx_llvm::view::{Call, FloatKind, InstId, IntPredicate, Type, TypeId, Value};

use super::append::Arg;
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INSTRUCTION, Raised, Refusal};
use crate::types::Scalar;
use crate::value::Val;

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
    pub(super) fn no_quadruple(&self, id: InstId, operands: &[Value]) -> Raised<()> {
        let mut types = vec![self.type_of(id)];
        for &operand in operands {
            types.extend(self.module.view.value_type(self.function, operand));
        }
        if types.into_iter().any(|ty| self.is_quadruple(ty)) {
            let help = "software floating point belongs into a library";
            return Err(Refusal::new(INSTRUCTION, "PTX has no arithmetic on fp128").with_help(help));
        }
        Ok(())
    }

    /// `fneg`, `llvm.fabs` or `llvm.copysign` of `fp128`, by the sign; whether the name is one of them.
    pub(super) fn quadruple_sign(&mut self, id: InstId, name: &str, operands: &[Value]) -> Raised<bool> {
        let Some(&operand) = operands.first() else { return Ok(false) };
        let mut words = self.value(operand)?.to_vec();
        let signs = match (name, operands.get(1)) {
            ("copysign", Some(&other)) => self.value(other)?.to_vec(),
            ("copysign", None) => return Ok(false),
            _ => words.clone(),
        };
        let word = Scalar::Int(64);
        for (high, sign) in words.iter_mut().zip(signs).skip(1).step_by(2) {
            let from = self.arg(*high, word)?;
            *high = Val::reg(match name {
                "fneg" => self.compute(ptx!("xor.b64"), &[from, Arg::Bits(SIGN, 64)])?,
                "fabs" | "copysign" => self.compute(ptx!("and.b64"), &[from, Arg::Bits(!SIGN, 64)])?,
                _ => return Ok(false),
            });
            if name == "copysign" {
                let sign = self.arg(sign, word)?;
                let sign = self.compute(ptx!("and.b64"), &[sign, Arg::Bits(SIGN, 64)])?;
                let size = self.arg(*high, word)?;
                *high = Val::reg(self.compute(ptx!("or.b64"), &[size, sign.into()])?);
            }
        }
        self.define(id, words.into());
        Ok(true)
    }

    /// For each `fp128` its high word, odd where the low word is not zero: what tells its class.
    pub(super) fn quadruple_summaries(&mut self, words: &[Val]) -> Raised<Vec<(Val, Scalar)>> {
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

    /// An intrinsic on `fp128`: what concerns the sign alone; whether that is done. What computes is refused.
    pub(super) fn quadruple_intrinsic(&mut self, id: InstId, call: &Call, name: &str) -> Raised<bool> {
        let mut types = vec![self.type_of(id)];
        types.extend(argument(call, 0).and_then(|first| self.value_type(first)));
        if !types.into_iter().any(|ty| self.is_quadruple(ty)) {
            return Ok(false);
        }
        if matches!(name, "fabs" | "copysign") {
            return self.quadruple_sign(id, name, &call.args);
        }
        self.no_quadruple(id, &call.args).map(|()| false)
    }
}
