//! What one PTX instruction says with several of LLVM's, found before selection.
//!
//! A product of two extended operands is `mul.wide` (manual 9.7.1.3): the extensions have no instruction of their own then.

use ptx_llvm::view::{BinaryOp, CastOp, Constant, InstId, Op, Type, Value};

use super::FunctionRaiser;

/// A product of narrow operands in twice their width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WideProduct {
    pub(super) lhs: Narrow,
    pub(super) rhs: Narrow,
    pub(super) signed: bool,
    /// Width of the operands.
    pub(super) bits: u32,
}

/// An operand before its extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Narrow {
    Value(Value),
    Constant(u64),
}

impl FunctionRaiser<'_, '_, '_> {
    /// Takes the extensions out of the count of uses where a product does their work.
    pub(super) fn fuse(&mut self) {
        for block in self.layout.clone() {
            for id in self.function.block(block).inst_ids() {
                let done = self.fused.contains(&id) || self.spellings.contains_key(&id);
                if done || self.wide_product(id).is_none() {
                    continue;
                }
                let Op::Binary { lhs, rhs, .. } = self.function.inst(id).op else { continue };
                for operand in [lhs, rhs] {
                    if let Value::Inst(extension) = operand
                        && let Some(count) = self.uses.get_mut(extension.index())
                    {
                        *count = count.saturating_sub(1);
                        if *count == 0 {
                            self.fused.insert(extension);
                        }
                    }
                }
            }
        }
    }

    /// The `mul.wide` an instruction is, if it is one.
    pub(super) fn wide_product(&self, id: InstId) -> Option<WideProduct> {
        let inst = self.function.inst(id);
        let Op::Binary { op: BinaryOp::Mul, lhs, rhs, .. } = &inst.op else { return None };
        let wide = match self.module.view.ty(inst.ty) {
            Type::Int { bits: bits @ (32 | 64) } => *bits,
            _ => return None,
        };
        let bits = wide / 2;
        let (value, signed) = self.extension(*lhs, bits).or_else(|| self.extension(*rhs, bits))?;
        let other = if self.extension(*lhs, bits).is_some() { *rhs } else { *lhs };
        let second = match other {
            Value::Const(constant) => {
                let Constant::Int(words) = self.module.view.constant(constant) else { return None };
                let number = words.first().copied()?;
                let fits = if signed {
                    let signed = crate::value::sign_extend(number, wide);
                    signed == crate::value::sign_extend(number, bits)
                } else {
                    number <= crate::value::mask(bits)
                };
                fits.then_some(Narrow::Constant(number & crate::value::mask(bits)))?
            }
            other => {
                let (value, other_signed) = self.extension(other, bits)?;
                if other_signed != signed {
                    return None;
                }
                Narrow::Value(value)
            }
        };
        Some(WideProduct { lhs: Narrow::Value(value), rhs: second, signed, bits })
    }

    /// What a value is the extension of, from exactly that width, and whether by sign.
    fn extension(&self, value: Value, bits: u32) -> Option<(Value, bool)> {
        let Value::Inst(id) = value else { return None };
        let Op::Cast { op, value: narrow, nneg, .. } = self.function.inst(id).op else { return None };
        let ty = self.module.view.value_type(self.function, narrow)?;
        if *self.module.view.ty(ty) != (Type::Int { bits }) {
            return None;
        }
        match op {
            CastOp::SExt => Some((narrow, true)),
            CastOp::ZExt if !nneg => Some((narrow, false)),
            _ => None,
        }
    }
}
