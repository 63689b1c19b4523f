//! `wgmma` (manual 9.7.15).

use ptx_ir::Operand;
use ptx_isa::{Field, Mod, OperandKey};

use super::collective::emit;
use super::context::Context;
use super::fragments::{NOWHERE, element, expect_registers, size, sparse};
use super::operand::{src_operand, vector_dsts, vector_srcs};
use super::output::{Decoded, finding};
use crate::codes;
use crate::program::{
    CollectiveKind, Effect, Factor, FactorA, Held, Join, Major, Majorness, Overflow, Participants, Product,
    SharedFactor, Size, WARPGROUP, WarpgroupAction, WarpgroupProduct,
};
use crate::scalar::format::Rounding;

/// The value of a constant operand; `None` if the row has no such operand.
fn immediate(cx: &Context<'_>, key: OperandKey) -> Decoded<Option<u64>> {
    let Some((at, operand)) = cx.given(key) else { return Ok(None) };
    match operand {
        Operand::Immediate(value) if value.as_integer().is_some() => Ok(value.as_integer()),
        _ => finding(codes::OPERAND, cx.span(at), "expected an integer constant"),
    }
}

/// Whether an operand, which is 0 or 1, or 1 or -1, is `given`.
fn is_immediate(cx: &Context<'_>, key: OperandKey, given: i64) -> Decoded<bool> {
    Ok(immediate(cx, key)?.is_some_and(|value| value as i64 == given))
}

fn product(cx: &Context<'_>) -> Decoded<Product> {
    let size = size(cx)?;
    // A warp's share of the rows.
    let size = Size { m: size.m / WARPGROUP as u32, ..size };
    let factor = |field, major| -> Decoded<Factor> { Ok(Factor { element: element(cx, field)?, major }) };
    let (a, b) = (factor(Field::AType, Major::Row)?, factor(Field::BType, Major::Column)?);
    let sum = element(cx, Field::DType)?;
    Ok(Product {
        size,
        held: Held::Groups,
        a,
        b,
        sparse: sparse(cx, OperandKey::SpSel, size, a.element)?,
        scales: None,
        c: sum,
        d: sum,
        join: match cx.m.get(Field::Op) {
            None => Join::Multiply,
            // For 1-bit values, the population count of the conjunction is the product.
            Some(Mod::And) if cx.m.has(Mod::Popc) => Join::Multiply,
            Some(_) => return cx.unsupported("its operation is not supported"),
        },
        overflow: if cx.m.has(Mod::Satfinite) { Overflow::Finite } else { Overflow::Plain },
        rounding: Rounding::NearestEven,
    })
}

/// The number of groups that may be incomplete after a wait.
pub(super) fn groups_left(cx: &Context<'_>) -> Decoded<u64> {
    match immediate(cx, OperandKey::GroupsLeft)? {
        Some(most) => Ok(most),
        None => cx.unsupported("it has no number of groups"),
    }
}

/// `wgmma`. All of these instructions wait for the threads of the warp.
pub(super) fn warpgroup(cx: &mut Context<'_>, action: WarpgroupAction) -> Decoded<()> {
    emit(cx, CollectiveKind::Barrier, Participants::Warp, Vec::new(), Vec::new(), NOWHERE);
    cx.emit(Effect::Warpgroup(Box::new(action)));
    Ok(())
}

pub(super) fn warpgroup_product(cx: &mut Context<'_>) -> Decoded<WarpgroupProduct> {
    let product = product(cx)?;
    let [of_a, _, _, of_d] = product.registers();
    let (at, _) = cx.operand(OperandKey::D)?;
    let d = vector_dsts(cx, at)?;
    expect_registers(cx, d.len(), of_d)?;
    let a = match cx.find(OperandKey::A) {
        Some(at) => {
            let registers = vector_srcs(cx, at)?;
            expect_registers(cx, registers.len(), of_a)?;
            FactorA::Registers(registers.into())
        }
        None => FactorA::Shared(shared_factor(cx, OperandKey::ADesc, OperandKey::ImmTransA)?),
    };
    let b = shared_factor(cx, OperandKey::BDesc, OperandKey::ImmTransB)?;
    let accumulates = src_operand(cx, OperandKey::ScaleD)?;
    let negated =
        is_immediate(cx, OperandKey::ImmScaleA, -1)? != is_immediate(cx, OperandKey::ImmScaleB, -1)?;
    let metadata = match cx.find(OperandKey::SpMeta) {
        Some(at) => {
            // The operand may be in braces.
            let metadata = vector_srcs(cx, at)?;
            expect_registers(cx, metadata.len(), 1)?;
            metadata.first().copied()
        }
        None => None,
    };
    Ok(WarpgroupProduct { product, a, b, d: d.into(), accumulates, negated, metadata })
}

fn shared_factor(
    cx: &mut Context<'_>,
    descriptor: OperandKey,
    transposed: OperandKey,
) -> Decoded<SharedFactor> {
    let majorness = if is_immediate(cx, transposed, 1)? { Majorness::Mn } else { Majorness::K };
    Ok(SharedFactor { descriptor: src_operand(cx, descriptor)?, majorness })
}
