//! Accesses to multimem addresses (manual 9.7.9.14).

use ptx_isa::{Field, Mod, OperandKey, ScalarType};

use super::combine::combination;
use super::context::Context;
use super::modifiers::{ORDERING, STRONGEST};
use super::operand::{address, space, vector_dsts, vector_srcs};
use super::output::Decoded;
use crate::memory::Space;
use crate::program::{
    Accumulation, Combine, Effect, FloatCombine, FloatExtreme, Multimem, MultimemAction, Rounds, Step,
};
use crate::scalar::convert::Element;
use crate::scalar::float::{Extreme, NanRule, SignRule, Subnormals};
use crate::scalar::format::Format;
use crate::scalar::narrow::Narrow;

/// A register type that only multimem accesses have: its element format and count.
fn narrow(modifier: Option<Mod>) -> Option<(Narrow, u32)> {
    Some(match modifier? {
        Mod::E4m3 => (Narrow::E4m3, 1),
        Mod::E5m2 => (Narrow::E5m2, 1),
        Mod::E4m3x2 => (Narrow::E4m3, 2),
        Mod::E5m2x2 => (Narrow::E5m2, 2),
        Mod::E4m3x4 => (Narrow::E4m3, 4),
        Mod::E5m2x4 => (Narrow::E5m2, 4),
        _ => return None,
    })
}

/// Decodes what is done with the values, whose type may be narrow.
type Action = fn(&mut Context<'_>, Option<(Narrow, u32)>) -> Decoded<MultimemAction>;

/// `multimem.ld_reduce`, `multimem.st`, `multimem.red`.
pub(super) fn multimem(cx: &mut Context<'_>, action: Action) -> Decoded<()> {
    cx.m.ignore(ORDERING, STRONGEST);
    cx.m.ignore(&[Field::Vec], "the operand has that many elements");
    let space = match space(cx)? {
        Space::Generic => Space::Generic,
        _ => Space::Global,
    };
    let (at, _) = cx.operand(OperandKey::A)?;
    let address = address(cx, at, space)?;
    let narrow = narrow(cx.m.get(Field::Type));
    let size = match (narrow, cx.m.scalar_type()) {
        (Some((_, count)), _) => count,
        (None, Some(ty)) => ty.bytes(),
        (None, None) => return cx.unsupported("its type is not supported"),
    };
    let action = action(cx, narrow)?;
    cx.emit(Effect::Multimem(Box::new(Multimem { address, size, action })));
    Ok(())
}

pub(super) fn multimem_load(cx: &mut Context<'_>, narrow: Option<(Narrow, u32)>) -> Decoded<MultimemAction> {
    let (at, _) = cx.operand(OperandKey::D)?;
    let accumulation = accumulation(cx, narrow)?;
    Ok(MultimemAction::Load(vector_dsts(cx, at)?.into(), accumulation))
}

pub(super) fn multimem_store(
    cx: &mut Context<'_>,
    _narrow: Option<(Narrow, u32)>,
) -> Decoded<MultimemAction> {
    cx.m.ignore(&[Field::Type], "as many bits are stored as they are");
    let (at, _) = cx.operand(OperandKey::B)?;
    Ok(MultimemAction::Store(vector_srcs(cx, at)?.into()))
}

pub(super) fn multimem_reduce(
    cx: &mut Context<'_>,
    _narrow: Option<(Narrow, u32)>,
) -> Decoded<MultimemAction> {
    let (at, _) = cx.operand(OperandKey::B)?;
    let combine = plain(cx)?;
    Ok(MultimemAction::Combine(vector_srcs(cx, at)?.into(), combine))
}

/// The reduction of two values in the precision of their type. Nothing is flushed: the manual specifies that only for `red`.
fn plain(cx: &Context<'_>) -> Decoded<Combine> {
    let Some(ty) = cx.m.scalar_type() else { return cx.unsupported("its type is not supported") };
    Ok(match combination(cx, ty)? {
        Combine::Float(FloatCombine::AddF32 { .. }) => {
            Combine::Float(FloatCombine::AddF32 { in_global: Subnormals::Keep })
        }
        combine => combine,
    })
}

/// The reduction of the values of all replicas.
fn accumulation(cx: &Context<'_>, narrow: Option<(Narrow, u32)>) -> Decoded<Accumulation> {
    let precision = cx.m.get(Field::AccPrec);
    let (element, count, format) = match (narrow, cx.m.scalar_type(), precision) {
        // These formats are exact in half precision.
        (Some((narrow, count)), _, None | Some(Mod::AccF16)) => (Element::Narrow(narrow), count, Format::F16),
        (None, _, None) => return Ok(Accumulation::Plain(plain(cx)?)),
        (None, Some(ScalarType::F16), Some(Mod::AccF32)) => (Element::Wide(Format::F16), 1, Format::F32),
        (None, Some(ScalarType::F16x2), Some(Mod::AccF32)) => (Element::Wide(Format::F16), 2, Format::F32),
        (None, Some(ScalarType::Bf16), Some(Mod::AccF32)) => (Element::Wide(Format::Bf16), 1, Format::F32),
        (None, Some(ScalarType::Bf16x2), Some(Mod::AccF32)) => (Element::Wide(Format::Bf16), 2, Format::F32),
        _ => return cx.unsupported("the precision of its sums is not supported"),
    };
    let extreme = |which| {
        let (nan, sign) = (NanRule::Ignore, SignRule::Plain);
        Step::Extreme(FloatExtreme { format, subnormals: Subnormals::Keep, which, nan, sign })
    };
    let step = match cx.m.get(Field::Op) {
        Some(Mod::Add) => Step::Add,
        Some(Mod::Min) => extreme(Extreme::Min),
        Some(Mod::Max) => extreme(Extreme::Max),
        _ => return cx.unsupported("its operation is not supported"),
    };
    let rounds = if precision.is_some() { Rounds::AtTheEnd } else { Rounds::EachStep };
    Ok(Accumulation::Widened { element, count, format, step, rounds })
}
