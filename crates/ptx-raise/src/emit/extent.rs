//! How far objects reach.

use ptx_llvm::view::{CastOp, ConstExpr, ConstId, Constant, Op, Symbol, TypeId, Value};

use super::state::Emitter;
use crate::offsets::gep_offset;

/// As many steps are looked back at on the way to where a pointer comes from.
const MOST_STEPS: usize = 32;

impl Emitter<'_, '_, '_> {
    /// The number of bytes that an object is known to have from an address on: of variables, `alloca`, parameters with such an attribute, and constant
    /// steps from there. Where a step leads out of the object, nothing is known.
    pub(super) fn bytes_after(&self, pointer: Value) -> Option<u64> {
        let (mut pointer, mut offset) = (pointer, 0i64);
        for _ in 0..MOST_STEPS {
            match pointer {
                Value::Inst(id) => match &self.function.inst(id).op {
                    Op::Gep { source, base, indices, .. } => {
                        offset = offset.checked_add(self.constant_step(*source, indices)?)?;
                        pointer = *base;
                    }
                    Op::Cast { op: CastOp::AddrSpaceCast, value, .. } => pointer = *value,
                    Op::Alloca { ty, count, .. } => {
                        let count = self.source.number(*count)?;
                        return rest(self.module.view.layout(*ty)?.size.checked_mul(count)?, offset);
                    }
                    _ => return None,
                },
                Value::Const(id) => return self.constant_extent(id, offset),
                Value::Arg(number) => {
                    let attributes = &self.function.params.get(number as usize)?.attributes;
                    let copied = attributes.ty("byval").and_then(|ty| self.module.view.layout(ty));
                    let size = copied.map(|layout| layout.size).or(attributes.number("dereferenceable"))?;
                    return rest(size, offset);
                }
                Value::Block(_) | Value::Asm(_) | Value::Metadata(_) => return None,
            }
        }
        None
    }

    fn constant_extent(&self, mut id: ConstId, mut offset: i64) -> Option<u64> {
        let view = self.module.view;
        for _ in 0..MOST_STEPS {
            match view.constant(id) {
                Constant::Symbol(Symbol::Global(global)) => {
                    return rest(view.layout(view.global(*global).ty)?.size, offset);
                }
                Constant::Expr(ConstExpr::Gep { source, base, indices }) => {
                    offset = offset.checked_add(gep_offset(view, *source, indices).ok()?)?;
                    id = *base;
                }
                Constant::Expr(ConstExpr::Cast { op: CastOp::AddrSpaceCast, value }) => id = *value,
                _ => return None,
            }
        }
        None
    }

    fn constant_step(&self, source: TypeId, indices: &[Value]) -> Option<i64> {
        let constants: Option<Vec<ConstId>> =
            indices.iter().map(|index| if let Value::Const(id) = index { Some(*id) } else { None }).collect();
        gep_offset(self.module.view, source, &constants?).ok()
    }
}

/// What is left of an object after an offset into it.
fn rest(size: u64, offset: i64) -> Option<u64> {
    size.checked_sub(u64::try_from(offset).ok()?)
}
