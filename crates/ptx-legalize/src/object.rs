//! Facts about the objects that pointers point into.

use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{
    CastOp, ConstExpr, ConstId, Constant, Function, InstId, Op, Symbol, Type, Value, View,
};
use rustc_hash::FxHashMap as HashMap;

use crate::site::{Site, stated_align};

/// The maximum number of steps from a pointer back to its origin.
const MOST_STEPS: usize = 32;
/// The alignment of memory that is filled or copied as a whole: that of the widest access there.
const FILLED_ALIGN: u64 = 8;

/// What is known of the memory that a pointer points to.
pub(crate) struct Dereferenceable {
    /// The number of bytes of the object from there on; `None` if unknown.
    pub(crate) bytes: Option<u64>,
    /// The alignment of the address.
    pub(crate) align: u64,
}

/// What is known of the memory that a pointer points to: variables, `alloca`, parameters with such an attribute, by constant steps. If a step leads out of
/// the object, nothing is known.
pub(crate) fn dereferenceable(site: &Site<'_>, mut pointer: Value) -> Option<Dereferenceable> {
    let (view, function) = (site.view, site.function);
    let mut offset = 0i64;
    for _ in 0..MOST_STEPS {
        let (size, align) = match pointer {
            Value::Inst(id) => match &function.inst(id).op {
                Op::Gep { source, base, indices, .. } => {
                    let indices: Option<Vec<ConstId>> =
                        indices.iter().map(|index| constant(*index)).collect();
                    offset = offset.checked_add(view.offset_of(*source, &indices?)?)?;
                    pointer = *base;
                    continue;
                }
                Op::Cast { op: CastOp::AddrSpaceCast, value, .. } => {
                    pointer = *value;
                    continue;
                }
                Op::Alloca { .. } => {
                    let (size, align) = variable(view, function, id)?;
                    (Some(size), site.filled.get(&id).copied().unwrap_or(align))
                }
                _ => return None,
            },
            Value::Const(id) => match view.constant(id) {
                Constant::Symbol(Symbol::Global(global)) => {
                    let global = view.global(*global);
                    let layout = view.layout(global.ty)?;
                    (Some(layout.size), u64::from(global.align.unwrap_or(layout.align)))
                }
                Constant::Expr(ConstExpr::Gep { source, base, indices }) => {
                    offset = offset.checked_add(view.offset_of(*source, indices)?)?;
                    pointer = Value::Const(*base);
                    continue;
                }
                Constant::Expr(ConstExpr::Cast { op: CastOp::AddrSpaceCast, value }) => {
                    pointer = Value::Const(*value);
                    continue;
                }
                _ => return None,
            },
            Value::Arg(number) => {
                let attributes = &function.params.get(number as usize)?.attributes;
                (attributes.number("dereferenceable"), stated_align(Some(attributes)))
            }
            Value::Block(_) | Value::Asm(_) | Value::Metadata(_) => return None,
        };
        let bytes = u64::try_from(offset).ok().and_then(|offset| size?.checked_sub(offset));
        return Some(Dereferenceable { bytes, align: 1 << (align | offset as u64).trailing_zeros() });
    }
    None
}

/// Whether a pointer is to thread-private memory.
pub(crate) fn is_private(site: &Site<'_>, mut pointer: Value) -> bool {
    let (view, function) = (site.view, site.function);
    for _ in 0..MOST_STEPS {
        let ty = view.value_type(function, pointer).map(|ty| view.ty(ty));
        if matches!(ty, Some(Type::Pointer { space: address_space::LOCAL })) {
            return true;
        }
        pointer = match pointer {
            Value::Inst(id) => match &function.inst(id).op {
                Op::Gep { base: value, .. } | Op::Cast { value, .. } => *value,
                Op::Alloca { .. } => return true,
                _ => return false,
            },
            Value::Const(id) => match view.constant(id) {
                Constant::Expr(ConstExpr::Gep { base: value, .. } | ConstExpr::Cast { value, .. }) => {
                    Value::Const(*value)
                }
                _ => return false,
            },
            Value::Arg(number) => {
                let param = function.params.get(number as usize);
                return param.is_some_and(|param| param.attributes.has("byval"));
            }
            Value::Block(_) | Value::Asm(_) | Value::Metadata(_) => return false,
        };
    }
    false
}

fn constant(value: Value) -> Option<ConstId> {
    if let Value::Const(id) = value { Some(id) } else { None }
}

/// The size and the alignment of an `alloca` of known size.
fn variable(view: &View, function: &Function, id: InstId) -> Option<(u64, u64)> {
    let Op::Alloca { ty, count, align } = function.inst(id).op else { return None };
    let count = view.constant(constant(count)?).as_u64()?;
    Some((view.layout(ty)?.size.checked_mul(count)?, u64::from(align)))
}

/// The variables among some pointers, with the alignment that wider accesses need.
pub(crate) fn filled<'a>(
    view: &View,
    function: &Function,
    pointers: impl Iterator<Item = &'a Value>,
) -> HashMap<InstId, u64> {
    let mut found = HashMap::default();
    for pointer in pointers {
        let mut at = *pointer;
        while let Value::Inst(id) = at {
            if let Op::Cast { op: CastOp::AddrSpaceCast, value, .. } = function.inst(id).op {
                at = value;
                continue;
            }
            if let Some((size, align)) = variable(view, function, id) {
                found.insert(id, align.max(FILLED_ALIGN.min(1 << size.max(1).ilog2())));
            }
            break;
        }
    }
    found
}
