//! Numbers that constants stand for: how far constant indices go, what the address of a block is.

use ptx_llvm::view::{BlockId, ConstId, Constant, Type, TypeId, View};

use crate::error::{INITIALIZER, RaiseError, Result};
use crate::value::sign_extend;

/// The address of a block is its number in its function, from one on, since no address is null. Nothing but
/// `indirectbr` in the same function can use it.
pub(crate) fn block_number(block: BlockId) -> u64 {
    block.index() as u64 + 1
}

/// The bytes that constant indices step over.
pub(crate) fn gep_offset(view: &View, source: TypeId, indices: &[ConstId]) -> Result<i64> {
    let mut offset: i64 = 0;
    let mut ty = source;
    for (at, &index) in indices.iter().enumerate() {
        let bits = view.layout(view.constant_type(index)).map_or(64, |layout| layout.bits as u32);
        let number = match view.constant(index) {
            Constant::Int(words) => sign_extend(words.first().copied().unwrap_or(0), bits),
            Constant::Zero | Constant::Undef | Constant::Poison => 0,
            _ => return Err(RaiseError::new(INITIALIZER, "an index of a constant that is not a number")),
        };
        let element = match (at, view.ty(ty)) {
            (0, _) => ty,
            (_, Type::Struct { fields }) => {
                let field = usize::try_from(number).ok();
                let place = field.and_then(|field| view.layout(ty)?.offsets.get(field).copied());
                let next = field.and_then(|field| fields.get(field).copied());
                let (Some(place), Some(next)) = (place, next) else {
                    return Err(RaiseError::new(INITIALIZER, "a field number past the last field"));
                };
                offset = offset.wrapping_add(place as i64);
                ty = next;
                continue;
            }
            (_, Type::Array { element, .. } | Type::Vector { element, .. }) => *element,
            _ => return Err(RaiseError::new(INITIALIZER, "an index into something that has no elements")),
        };
        let size = view.layout(element).map(|layout| layout.size as i64);
        let size =
            size.ok_or_else(|| RaiseError::new(INITIALIZER, "an index over elements without a size"))?;
        offset = offset.wrapping_add(number.wrapping_mul(size));
        ty = element;
    }
    Ok(offset)
}
