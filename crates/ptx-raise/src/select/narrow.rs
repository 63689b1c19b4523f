//! Loads and stores of less than a register (manual 9.4.1): `ld.s8` extends what it loads to the width of its register, and `st.b8`
//! takes the low bits of a wider one. So an extension right after a load and a truncation right before a store need no
//! instruction of their own.

use ptx_llvm::view::{AtomicOrder, BinaryOp, CastOp, InstId, Op, Type, Value};

use super::FunctionRaiser;
use crate::types::{Class, Scalar};

/// How a load fills a wider register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Widening {
    pub(super) class: Class,
    /// The type that says how: `u8`, `s16`, ...
    pub(super) text: String,
    /// The extensions that get the register.
    pub(super) casts: Vec<InstId>,
}

impl FunctionRaiser<'_, '_, '_> {
    /// Finds the extensions of loads and truncations for stores.
    pub(super) fn widen_accesses(&mut self) {
        for block in self.layout.clone() {
            for id in self.function.block(block).inst_ids() {
                if self.fused.contains(&id) || self.spelled.contains(&id) {
                    continue;
                }
                if let Some(widening) = self.widening(id) {
                    // Nothing looks through these extensions: what they extend has no register.
                    self.spelled.extend(&widening.casts);
                    self.fused.extend(&widening.casts);
                    self.widened.insert(id, widening);
                } else if let Some((truncation, wide)) = self.truncated_store(id) {
                    self.fused.insert(truncation);
                    self.narrowed.insert(id, wide);
                }
            }
        }
    }

    /// What a load is extended to, when that is all that is done with it.
    fn widening(&self, id: InstId) -> Option<Widening> {
        let inst = self.function.inst(id);
        let Op::Load { align, order: AtomicOrder::NotAtomic, .. } = inst.op else { return None };
        let narrow = self.plain_bits(inst.ty).filter(|bits| matches!(bits, 8 | 16 | 32))?;
        let users = self.users.get(id.index())?;
        let first = self.function.inst(*users.first()?);
        let Op::Cast { op, .. } = first.op else { return None };
        let letter = match op {
            CastOp::SExt => 's',
            CastOp::ZExt => 'u',
            _ => return None,
        };
        let wide = self.plain_bits(first.ty).filter(|bits| matches!(bits, 16 | 32 | 64))?;
        let same = users.iter().all(|user| {
            let cast = self.function.inst(*user);
            matches!(cast.op, Op::Cast { op: other, .. } if other == op)
                && cast.ty == first.ty
                && cast.metadata("ptx.inst").is_none()
                && !self.fused.contains(user)
                && !self.spelled.contains(user)
                && !self.combines(*user)
        });
        let class = Scalar::Int(wide).class();
        let aligned = u64::from(align) * 8 >= u64::from(narrow);
        (same && aligned).then(|| Widening { class, text: format!("{letter}{narrow}"), casts: users.clone() })
    }

    /// Whether a user of an extension may become one instruction with it: products, halves side by side, indices.
    fn combines(&self, extension: InstId) -> bool {
        let users = self.users.get(extension.index()).map_or(&[][..], Vec::as_slice);
        users.iter().any(|user| {
            matches!(
                self.function.inst(*user).op,
                Op::Binary { op: BinaryOp::Mul | BinaryOp::Shl | BinaryOp::Or, .. } | Op::Gep { .. }
            )
        })
    }

    /// The truncation whose result a store alone takes, and what it truncates.
    fn truncated_store(&self, id: InstId) -> Option<(InstId, Value)> {
        let Op::Store { value: Value::Inst(stored), align, order: AtomicOrder::NotAtomic, .. } =
            self.function.inst(id).op
        else {
            return None;
        };
        let truncation = self.function.inst(stored);
        let Op::Cast { op: CastOp::Trunc, value, .. } = truncation.op else { return None };
        let narrow = self.plain_bits(truncation.ty).filter(|bits| matches!(bits, 8 | 16 | 32))?;
        let wide = self.module.view.value_type(self.function, value)?;
        self.plain_bits(wide).filter(|bits| matches!(bits, 16 | 32 | 64))?;
        let alone = self.uses.get(stored.index()) == Some(&1)
            && !self.fused.contains(&stored)
            && !self.spelled.contains(&stored)
            && !self.returned_pieces.contains_key(&id)
            && matches!(value, Value::Inst(_) | Value::Arg(_));
        (alone && u64::from(align) * 8 >= u64::from(narrow)).then_some((stored, value))
    }

    /// The width of an integer type.
    fn plain_bits(&self, ty: ptx_llvm::view::TypeId) -> Option<u32> {
        match self.module.view.ty(ty) {
            Type::Int { bits } => Some(*bits),
            _ => None,
        }
    }
}
