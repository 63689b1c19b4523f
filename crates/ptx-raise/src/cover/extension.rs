//! Numbers before their extension.

use ptx_llvm::view::{CastOp, Op, Type, Value};

use super::decision::Narrow;
use super::state::Covering;
use crate::value::Fill;

/// How a number is extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extends {
    Sign,
    Zero,
    /// The number is not negative.
    Either,
}

impl Covering<'_, '_, '_> {
    /// The operand of an extension from exactly this width.
    fn extension(&self, value: Value, bits: u32) -> Option<(Value, Extends)> {
        let Value::Inst(id) = value else { return None };
        if self.cover.is_opaque(id) || self.source.is_own_register(id) {
            return None;
        }
        let Op::Cast { op, value: narrow, nneg, .. } = self.source.inst(id).op else { return None };
        let ty = self.source.type_of(narrow)?;
        if *self.source.view.ty(ty) != (Type::Int { bits }) {
            return None;
        }
        match op {
            CastOp::SExt => Some((narrow, Extends::Sign)),
            CastOp::ZExt if nneg => Some((narrow, Extends::Either)),
            CastOp::ZExt => Some((narrow, Extends::Zero)),
            _ => None,
        }
    }

    /// The operand of an extension from this width, or from a number that fits it.
    pub(super) fn narrow_factor(&self, value: Value, bits: u32) -> Option<(Narrow, Extends)> {
        if let Some((narrow, extends)) = self.extension(value, bits) {
            return Some((Narrow::Value(narrow), extends));
        }
        [8, 16].into_iter().filter(|short| *short < bits).find_map(|short| {
            let (narrow, extends) = self.extension(value, short)?;
            Some(match extends {
                Extends::Sign => (Narrow::Short(narrow, Fill::Sign), Extends::Sign),
                // With zeros above it is not negative.
                Extends::Zero | Extends::Either => (Narrow::Short(narrow, Fill::Zero), Extends::Either),
            })
        })
    }
}
