//! Tensor copies, and updates and copies of tensor maps (manual 9.7.9.25.5, 9.7.9.28, 9.7.13.16).

use ptx_ir::{AddressBase, Operand, Symbol};
use ptx_isa::{AsyncSem, Field as Slot, Mod, OperandKey, OperandKind, ScalarType, Sem};

use super::collective;
use super::context::Context;
use super::modifiers::{CACHING, NO_CACHES, STRONGEST};
use super::operand::{address, space, src, src_of, src_operand};
use super::output::{Decoded, finding};
use super::scope::VariableAddress;
use crate::codes;
use crate::memory::Space;
use crate::program::{
    Address, AddressWidth, AsyncOp, Base, CollectiveKind, Effect, Participants, Src, TensorAction,
    TensorCopy, TensorMode, TensorReduction, TensormapCopy, TensormapReplace,
};
use crate::tensormap::Field;

/// The parts of `[map, address, {c0, c1}]`.
struct Tensor {
    map: Operand,
    address: Option<Operand>,
    coordinates: Operand,
}

/// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`.
pub(super) fn bulk_tensor(cx: &mut Context<'_>) -> Decoded<()> {
    if cx.m.get(Slot::OverrideSizes).is_some() {
        return cx
            .unsupported("how sizes and strides in registers replace those of the map is not documented");
    }
    match cx.m.get(Slot::Report) {
        None | Some(Mod::MbarrierReportDisabled) => {}
        Some(_) => {
            return cx.unsupported("which elements of a tensor a report inspects is not documented");
        }
    }
    cx.m.ignore(CACHING, NO_CACHES);
    let for_pairs = match cx.m.get(Slot::CtaGroup) {
        None | Some(Mod::CtaGroup1) => false,
        Some(Mod::CtaGroup2) => true,
        Some(other) => return cx.unsupported(&format!("`.{}` is not supported", other.as_str())),
    };
    let (at, operand) = cx.operand(OperandKey::Tensor)?;
    let span = cx.span(at);
    let tensor = tensor(cx, at, operand)?;
    let map = map_address(cx, tensor.map, at)?;
    let coordinates = vector(cx, tensor.coordinates, ScalarType::S32, at)?;
    let address = match tensor.address {
        Some(operand) => Some(src_of(cx, operand, ScalarType::U64, span)?),
        None => None,
    };
    let offsets = match cx.given(OperandKey::Im2colInfo) {
        Some((at, operand @ Operand::Vector(_))) => vector(cx, operand, ScalarType::U16, at)?,
        _ => Box::default(),
    };
    let is_load = cx.m.has(Mod::MbarrierCompleteTxBytes);
    let spaces = &[Mod::SharedCta, Mod::SharedCluster, Mod::Global, Mod::BulkGroup];
    cx.m.ignore_words(spaces, "what completes it determines the spaces");
    let space = if is_load && cx.m.has(Mod::SharedCluster) { Space::SharedCluster } else { Space::Shared };
    let shared = loose(cx, if is_load { OperandKey::DstMem } else { OperandKey::SrcMem }, space)?;
    let action = if is_load {
        let blocks = multicast(cx)?;
        // The mbarrier of a pair may be in the other block.
        let space = if for_pairs { Space::SharedCluster } else { space };
        TensorAction::Load { barrier: loose(cx, OperandKey::Mbar, space)?, blocks, for_pairs }
    } else if cx.m.sem() == Sem::Async(AsyncSem::TensorReduce) {
        TensorAction::Reduce(reduction(cx)?)
    } else {
        TensorAction::Store
    };
    let (rank, mode) = (rank(cx)?, mode(cx)?);
    let copy = TensorCopy { map, rank, mode, shared, coordinates, offsets, address, action };
    cx.emit(Effect::Async(AsyncOp::TensorCopy(Box::new(copy))));
    Ok(())
}

/// The mask of a multicast, which has 16 or 32 bits; `None` without a multicast.
pub(super) fn multicast(cx: &mut Context<'_>) -> Decoded<Option<Src>> {
    if cx.m.get(Slot::Multicast).is_none() {
        return Ok(None);
    }
    let operands = cx.m.form().operands.iter().enumerate();
    let given = |at: usize| cx.operands.get(at).is_some_and(|operand| !operand.is_omitted());
    let at = operands
        .filter(|(_, place)| place.key == OperandKey::CtaMask)
        .map(|(at, _)| at)
        .find(|&at| given(at));
    match at {
        Some(at) => Ok(Some(src(cx, at)?)),
        None => cx.unsupported("it has no mask of blocks"),
    }
}

/// The parts of the tensor operand.
fn tensor(cx: &Context<'_>, at: usize, operand: Operand) -> Decoded<Tensor> {
    let place = cx.m.form().operands.get(at).map(|place| place.kind);
    let (Operand::Bracket(list), Some(OperandKind::Bracketed(parts))) = (operand, place) else {
        return finding(codes::OPERAND, cx.span(at), "expected a tensor map and coordinates in brackets");
    };
    let values = cx.scope.body.list(list);
    let placement = cx.m.place_values(parts, values.len());
    let part = |key: OperandKey| {
        let mut placed = parts.iter().zip(placement?.spread(parts.len(), values));
        placed.find(|(part, _)| part.key == key).and_then(|(_, value)| value.copied())
    };
    match (part(OperandKey::TensorMap), part(OperandKey::TensorCoords)) {
        (Some(map), Some(coordinates)) => {
            let is_given = cx.m.has(Mod::OverrideGlobalAddress);
            let address = if is_given { part(OperandKey::GlobalAddress) } else { None };
            Ok(Tensor { map, address, coordinates })
        }
        _ => finding(codes::OPERAND, cx.span(at), "expected a tensor map and coordinates in brackets"),
    }
}

/// The address of a tensor map, a generic address in a register.
fn map_address(cx: &mut Context<'_>, operand: Operand, at: usize) -> Decoded<Address> {
    let span = cx.span(at);
    match operand {
        Operand::Register(register) => {
            let bits = cx.scope.body.reg_type(register).bits();
            let width = if bits == 32 { AddressWidth::Bits32 } else { cx.scope.address_width() };
            let base = Base::Row(Src::register(cx.scope.row_of(register)), width);
            Ok(Address { space: Space::Generic, base, offset: 0 })
        }
        Operand::Symbol(Symbol::Variable(id), offset) => match cx.scope.variable_address(id, span)? {
            VariableAddress::Fixed(space, address) => {
                let address = match space {
                    Space::Global => cx.constants.of_global(address),
                    _ => cx.constants.of(address),
                };
                Ok(Address { space, base: Base::Row(address, AddressWidth::Bits64), offset })
            }
            VariableAddress::Frame(_) => finding(codes::OPERAND, span, "a tensor map does not lie in .local"),
        },
        _ => finding(codes::OPERAND, span, "expected a variable or a register with its address"),
    }
}

/// The elements of a vector in braces.
fn vector(cx: &mut Context<'_>, operand: Operand, ty: ScalarType, at: usize) -> Decoded<Box<[Src]>> {
    let span = cx.span(at);
    let elements = cx.scope.elements(operand);
    elements.into_iter().map(|element| src_of(cx, element, ty, span)).collect()
}

/// An address in shared memory whose brackets may be omitted.
fn loose(cx: &mut Context<'_>, key: OperandKey, space: Space) -> Decoded<Address> {
    let (at, operand) = cx.operand(key)?;
    let Operand::Register(register) = operand else { return address(cx, at, space) };
    let bits = cx.scope.body.reg_type(register).bits();
    let width = if bits == 32 { AddressWidth::Bits32 } else { cx.scope.address_width() };
    let base = Base::Row(Src::register(cx.scope.row_of(register)), width);
    Ok(Address { space, base, offset: 0 })
}

/// `tensormap.replace`.
pub(super) fn tensormap_replace(cx: &mut Context<'_>) -> Decoded<()> {
    let space = space(cx)?;
    cx.m.ignore_words(&[Mod::B32, Mod::B64], "the field has a type");
    let (at, _) = cx.operand(OperandKey::Addr)?;
    let map = address(cx, at, space)?;
    let value = src_operand(cx, OperandKey::NewVal)?;
    let field = field(cx)?;
    cx.emit(Effect::Async(AsyncOp::TensormapReplace(Box::new(TensormapReplace { map, field, value }))));
    Ok(())
}

/// `tensormap.cp_fenceproxy`: the threads of the warp synchronize, then each copies.
pub(super) fn tensormap_copy(cx: &mut Context<'_>) -> Decoded<()> {
    let (at, _) = cx.operand(OperandKey::Dst)?;
    let to = address(cx, at, Space::Global)?;
    let (at, _) = cx.operand(OperandKey::Src)?;
    let from = address(cx, at, Space::Shared)?;
    cx.m.ignore(&[Slot::Scope], STRONGEST);
    let none = (Space::Generic, 0);
    collective::emit(cx, CollectiveKind::Barrier, Participants::Warp, Vec::new(), Vec::new(), none);
    cx.emit(Effect::Async(AsyncOp::TensormapCopy(Box::new(TensormapCopy { to, from }))));
    Ok(())
}

fn rank(cx: &Context<'_>) -> Decoded<usize> {
    match cx.m.get(Slot::Dim).and_then(Mod::dimensions) {
        Some(dimensions) => Ok(dimensions as usize),
        None => cx.unsupported("its number of dimensions is not supported"),
    }
}

fn mode(cx: &Context<'_>) -> Decoded<TensorMode> {
    Ok(match cx.m.get(Slot::LoadMode) {
        None | Some(Mod::Tile) => TensorMode::Tile,
        Some(Mod::TileGather4 | Mod::TileScatter4) => TensorMode::FourRows,
        Some(Mod::Im2col | Mod::Im2colNoOffs) => TensorMode::Im2col,
        Some(Mod::Im2colW) => TensorMode::Im2colW,
        Some(Mod::Im2colW128) => TensorMode::Im2colW128,
        Some(other) => return cx.unsupported(&format!("`.{}` is not supported", other.as_str())),
    })
}

fn reduction(cx: &Context<'_>) -> Decoded<TensorReduction> {
    Ok(match cx.m.get(Slot::Op) {
        Some(Mod::Add) => TensorReduction::Add,
        Some(Mod::Min) => TensorReduction::Min,
        Some(Mod::Max) => TensorReduction::Max,
        Some(Mod::Inc) => TensorReduction::Inc,
        Some(Mod::Dec) => TensorReduction::Dec,
        Some(Mod::And) => TensorReduction::And,
        Some(Mod::Or) => TensorReduction::Or,
        Some(Mod::Xor) => TensorReduction::Xor,
        _ => return cx.unsupported("its operation is not supported"),
    })
}

/// The replaced field, with its dimension.
fn field(cx: &Context<'_>) -> Decoded<Field> {
    let ord = cx.given(OperandKey::Ord);
    let dimension = match ord {
        Some((_, Operand::Immediate(value))) => {
            value.as_integer().and_then(|value| usize::try_from(value).ok())
        }
        Some((_, Operand::Address(AddressBase::Absolute, value))) => usize::try_from(value).ok(),
        _ => None,
    };
    let span = ord.map_or(cx.inst.at.0, |(at, _)| cx.span(at));
    let of = |field: fn(usize) -> Field| match dimension {
        Some(dimension) => Ok(field(dimension)),
        None => finding(codes::OPERAND, span, "expected the number of a dimension"),
    };
    if cx.m.has(Mod::GlobalAddress) {
        return Ok(Field::Address);
    }
    if cx.m.has(Mod::Rank) {
        return Ok(Field::Rank);
    }
    if cx.m.has(Mod::GlobalStride) {
        return of(Field::GlobalStride);
    }
    match cx.m.get(Slot::MapField) {
        Some(Mod::BoxDim) => of(Field::BoxDim),
        Some(Mod::GlobalDim) => of(Field::GlobalDim),
        Some(Mod::ElementStride) => of(Field::ElementStride),
        Some(Mod::Elemtype) => Ok(Field::ElementType),
        Some(Mod::InterleaveLayout) => Ok(Field::Interleave),
        Some(Mod::SwizzleMode) => Ok(Field::SwizzleMode),
        Some(Mod::SwizzleAtomicity) => Ok(Field::SwizzleAtomicity),
        Some(Mod::FillMode) => Ok(Field::Fill),
        _ => cx.unsupported("its field is not supported"),
    }
}
