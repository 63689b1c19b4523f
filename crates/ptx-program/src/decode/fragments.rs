//! What matrix instructions have in common: element types, shapes, addresses.

use ptx_ir::Operand;
use ptx_isa::{Field, Mod, OperandKey, PACKED_KINDS};

use super::context::{Context, unary};
use super::operand::{address, space};
use super::output::{Decoded, finding};
use crate::codes;
use crate::memory::Space;
use crate::program::{Address, AddressWidth, Base, Element, Indices, Size, Sparse, Src, Unary};
use crate::scalar::narrow::Narrow;

/// The space and offset of instructions that do not access memory.
pub(super) const NOWHERE: (Space, i64) = (Space::Generic, 0);

/// The addresses of a matrix instruction as a row, and their space. The offset is folded into the row, so that
/// instructions in two places match only if they access the same memory.
pub(super) fn matrix_address(cx: &mut Context<'_>, at: usize) -> Decoded<(Src, (Space, i64))> {
    let space = space(cx)?;
    let Address { space, base, offset } = address(cx, at, space)?;
    let Base::Row(row, width) = base else {
        return finding(codes::OPERAND, cx.span(at), "matrices do not lie in the memory of one thread");
    };
    if offset == 0 {
        return Ok((row, (space, 0)));
    }
    let mask = match width {
        AddressWidth::Bits32 => 0xffff_ffff,
        AddressWidth::Bits64 => u64::MAX,
    };
    let d = cx.temporary();
    cx.prepare(unary(Unary::AddConstant { addend: offset as u64, mask }, d, row));
    Ok((Src::register(d), (space, 0)))
}

/// The element type of a matrix; `wmma.mma` does not specify it for halves.
pub(super) fn element(cx: &Context<'_>, field: Field) -> Decoded<Element> {
    Ok(match cx.m.get(field) {
        None | Some(Mod::F16) => Element::F16,
        Some(Mod::Bf16) => Element::Bf16,
        Some(Mod::Tf32) => Element::Tf32,
        Some(Mod::F32) => Element::F32,
        Some(Mod::F64) => Element::F64,
        Some(Mod::E4m3) => Element::Narrow(Narrow::E4m3),
        Some(Mod::E5m2) => Element::Narrow(Narrow::E5m2),
        Some(Mod::E3m2) => Element::Narrow(Narrow::E3m2),
        Some(Mod::E2m3) => Element::Narrow(Narrow::E2m3),
        Some(Mod::E2m1) if PACKED_KINDS.iter().any(|kind| cx.m.has(*kind)) => Element::E2m1,
        Some(Mod::E2m1) => Element::Narrow(Narrow::E2m1),
        Some(Mod::U8) => Element::U8,
        Some(Mod::S8) => Element::S8,
        Some(Mod::U4) => Element::U4,
        Some(Mod::S4) => Element::S4,
        Some(Mod::B1) => Element::B1,
        Some(Mod::S32) => Element::S32,
        Some(_) => return cx.unsupported("its types are not known here"),
    })
}

/// The shape of a product.
pub(super) fn size(cx: &Context<'_>) -> Decoded<Size> {
    match cx.m.get(Field::Shape).and_then(Mod::matrix_shape) {
        Some(shape) => Ok(shape.into()),
        None => cx.unsupported("its shape is not supported"),
    }
}

/// The sparsity of A; `None` for dense products. `key` is the operand with the selector.
pub(super) fn sparse(
    cx: &Context<'_>,
    key: OperandKey,
    size: Size,
    element: Element,
) -> Decoded<Option<Sparse>> {
    let Some((at, operand)) = cx.given(key) else { return Ok(None) };
    let selector = match operand {
        Operand::Immediate(value) => value.as_integer().and_then(|value| usize::try_from(value).ok()),
        _ => None,
    };
    // `ptxas` accepts 2 and 3 where pairs of threads provide the metadata, which the manual leaves undefined.
    match selector {
        Some(selector) if selector < Sparse::selectors(size, element) => {
            let indices = match (cx.m.has(Mod::Sp), cx.m.has(Mod::SpOrderedMetadata)) {
                (true, false) => Indices::AnyOrder,
                (false, true) => Indices::Increasing,
                _ => return cx.unsupported("the order of its positions is not supported"),
            };
            Ok(Some(Sparse { selector, indices }))
        }
        _ => finding(
            codes::OPERAND,
            cx.span(at),
            format!(
                "the sparsity selector of `{}` must be less than {}",
                cx.m,
                Sparse::selectors(size, element)
            ),
        ),
    }
}

/// Refuses vectors that have not the expected number of registers.
pub(super) fn expect_registers(cx: &Context<'_>, count: usize, expected: u32) -> Decoded<()> {
    if count == expected as usize {
        return Ok(());
    }
    finding(codes::OPERAND, cx.inst.at.0, "the vectors do not have the lengths of the matrices")
}
