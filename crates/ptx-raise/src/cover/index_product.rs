//! 32-bit indices (manual 9.7.1.5, `mul.wide`): they are multiplied by the size of an element without a preceding extension.

use ptx_llvm_core::marks;
use ptx_llvm_core::view::{BinaryOp, CastOp, InstId, Op, Type, Value};

use super::decision::{Action, Match, Narrow, WideProduct};
use super::state::Covering;
use crate::types::{Class, space_class};
use crate::value::Fill;

/// How many extensions of a product become products of their own.
const MOST_EXTENSIONS: usize = 8;

/// How a number is extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extends {
    Sign,
    Zero,
    /// The number is not negative.
    Either,
}

/// Recognizes an address whose index is a narrower number times the size of an element.
///
/// ```text
/// %i = sext i32 %x to i64
/// %r = getelementptr float, ptr %p, i64 %i         ; mul.wide.s32 %i, %x, 4; add.s64 %r, %p, %i;
/// ```
pub(super) fn find(cover: &Covering<'_, '_, '_>, id: InstId) -> Option<Match> {
    let inst = cover.source.inst(id);
    let Op::Gep { source, base, ref indices, .. } = inst.op else { return None };
    let &[index] = indices.as_slice() else { return None };
    let stride = cover.source.view.layout(source)?.size;
    let Type::Pointer { space } = *cover.source.view.ty(cover.source.type_of(base)?) else { return None };
    let class = space_class(cover.source.view, cover.module.leaves.shared(), space);
    if class != Class::B64 || inst.metadata(marks::LITERAL).is_some() {
        return None;
    }
    let product = cover.wide_index(index, stride)?;
    let reads = product.index.value().into_iter().chain([base]).collect();
    Some(Match { action: Action::Index(product), reads })
}

impl Covering<'_, '_, '_> {
    /// The offset in bytes of an index into elements of `stride` bytes, as a product of 32-bit factors.
    fn wide_index(&self, index: Value, stride: u64) -> Option<WideProduct> {
        let (narrow, extends) = self.index_factor(index)?;
        let signed = extends == Extends::Sign;
        let product = match narrow {
            Narrow::Value(value) if value != index => self.exact_product(value, extends),
            Narrow::Value(_) | Narrow::Short(..) | Narrow::Constant(_) => None,
        };
        let (index, factor) = match product {
            Some((inner, factor)) => (Narrow::Value(inner), stride.checked_mul(factor)?),
            None => (narrow, stride),
        };
        (2..1 << 31).contains(&factor).then_some(WideProduct { index, factor, signed })
    }

    /// An index in 32 bits: one of fewer than 64 bits is signed.
    fn index_factor(&self, index: Value) -> Option<(Narrow, Extends)> {
        let ty = self.source.type_of(index)?;
        match (self.source.view.ty(ty), index) {
            (_, Value::Const(_)) => None,
            (Type::Int { bits: 32 }, _) => Some((Narrow::Value(index), Extends::Sign)),
            (Type::Int { bits: 8 | 16 }, _) => Some((Narrow::Short(index, Fill::Sign), Extends::Sign)),
            _ => self.before_extension(index),
        }
    }

    /// The operand of an extension from 32 bits, or from a number that fits them.
    fn before_extension(&self, value: Value) -> Option<(Narrow, Extends)> {
        let Value::Inst(id) = value else { return None };
        if self.cover.is_opaque(id) || self.source.is_own_register(id) {
            return None;
        }
        let Op::Cast { op, value: narrow, nneg, .. } = *self.source.op(id) else { return None };
        let bits = self.source.int_bits(self.source.type_of(narrow)?)?;
        match (bits, op) {
            (32, CastOp::SExt) => Some((Narrow::Value(narrow), Extends::Sign)),
            (32, CastOp::ZExt) if nneg => Some((Narrow::Value(narrow), Extends::Either)),
            (32, CastOp::ZExt) => Some((Narrow::Value(narrow), Extends::Zero)),
            (8 | 16, CastOp::SExt) => Some((Narrow::Short(narrow, Fill::Sign), Extends::Sign)),
            // With zeros above it is not negative.
            (8 | 16, CastOp::ZExt) => Some((Narrow::Short(narrow, Fill::Zero), Extends::Either)),
            _ => None,
        }
    }

    /// A number before it was multiplied by a constant, or shifted, without losing bits, and the factor.
    ///
    /// ```text
    /// %m = mul nuw i32 %x, 24
    /// %i = zext i32 %m to i64                          ; mul.wide.u32 %i, %x, 24;
    /// ```
    fn exact_product(&self, value: Value, extends: Extends) -> Option<(Value, u64)> {
        let Value::Inst(id) = value else { return None };
        let inst = self.source.inst(id);
        let Op::Binary { op, lhs, rhs, wrap, .. } = inst.op else { return None };
        let exact = match extends {
            Extends::Sign => wrap.nsw,
            Extends::Zero | Extends::Either => wrap.nuw,
        };
        let kept = self.cover.is_opaque(id) || inst.metadata(marks::INST).is_some();
        let number = self.source.number(rhs).filter(|_| exact && !kept)?;
        let factor = match op {
            BinaryOp::Shl if number < 31 => 1 << number,
            // A negative one is a large number. A product that is used otherwise is computed in any case.
            BinaryOp::Mul if number < 1 << 31 && self.is_only_extended(id) => number,
            _ => return None,
        };
        Some((lhs, factor))
    }

    /// Whether nothing but extensions uses a product, few of them: all are looked at for each.
    fn is_only_extended(&self, id: InstId) -> bool {
        let users = self.cover.uses.users(id);
        users.len() <= MOST_EXTENSIONS
            && users.iter().all(|user| matches!(self.source.op(*user), Op::Cast { .. }))
    }
}
