//! Tensor copies and reductions, and tensor maps (manual 9.7.9.25.5, 9.7.9.28, 9.7.13.16).
//!
//! An instruction becomes a [`TensorWork`] with all operands for each thread; it is performed when it completes.

use ptx_program::memory::{Space, SpaceAddress, rank_and_offset};
use ptx_program::scalar::float::{Extreme, NanRule, SignRule, Subnormals};
use ptx_program::scalar::format::Format;
use ptx_program::scalar::int::Int;
use ptx_program::tensormap::{ElementType, Interleave, Swizzle, TensorMap};
use ptx_program::{
    Base, Combine, Family, FloatCombine, FloatExtreme, Mask, Order, Packing, Src, TensorAction, TensorCopy,
    TensorReduction, TensormapCopy, TensormapReplace, first_lane, lanes, tensormap,
};

use super::Stop;
use super::at::{At, Operands};
use super::block::in_target;
use super::completion::{Registers, issue, operand_address};
use super::mbarrier_access::barrier_address;
use super::memory::{View, check_alignment};
use super::operation::{Operation, Order as Ordered, Signal};
use super::perform::{SHARED_ALIGNMENT, STEP};
use super::rows::same_value;
use super::tensor_walk::Walk;
use super::tensor_work::{TensorEffect, TensorWork};
use super::work::Work;
use crate::error::TrapKind;
use crate::launch::Completion;
use crate::memory::{Fault, FaultKind};

fn misuse(text: impl Into<String>) -> TrapKind {
    TrapKind::Misuse(text.into())
}

/// The reduction of an element type (manual 9.7.9.25.5.3, table of operations and types).
fn combination(op: TensorReduction, element: ElementType) -> Option<Combine> {
    use ElementType::{Bf16, F16, F32, F32Ftz, S32, S64, U32, U64};
    use TensorReduction::{Add, And, Dec, Inc, Max, Min, Or, Xor};
    let int = match element {
        U32 => Some(Int::U32),
        S32 => Some(Int::S32),
        U64 => Some(Int::U64),
        S64 => Some(Int::S64),
        _ => None,
    };
    let half = match element {
        F16 => Some(Format::F16),
        Bf16 => Some(Format::Bf16),
        _ => None,
    };
    let extreme = |which, format| {
        let (nan, sign, subnormals) = (NanRule::Ignore, SignRule::Plain, Subnormals::Keep);
        let extreme = FloatExtreme { format, subnormals, which, nan, sign };
        Combine::Float(FloatCombine::Extreme(extreme, Packing::Whole))
    };
    match (op, element) {
        (Add, U32 | S32 | U64) => int.map(Combine::IntAdd),
        (Add, F32) => Some(Combine::Float(FloatCombine::AddF32 { in_global: Subnormals::Keep })),
        (Add, F32Ftz) => Some(Combine::Float(FloatCombine::AddF32 { in_global: Subnormals::Flush })),
        (Add, _) => half.map(|format| Combine::Float(FloatCombine::Add(format, Packing::Whole))),
        (Min, _) => int.map(Combine::IntMin).or(half.map(|format| extreme(Extreme::Min, format))),
        (Max, _) => int.map(Combine::IntMax).or(half.map(|format| extreme(Extreme::Max, format))),
        (Inc, U32) => Some(Combine::Inc),
        (Dec, U32) => Some(Combine::Dec),
        (And, U32 | S32 | U64 | S64) => Some(Combine::And),
        (Or, U32 | S32 | U64 | S64) => Some(Combine::Or),
        (Xor, U32 | S32 | U64 | S64) => Some(Combine::Xor),
        (Inc | Dec | And | Or | Xor, _) => None,
    }
}

/// The 128 bytes at an address.
fn map_bytes(
    view: &View<'_>,
    lane: usize,
    (space, address): (Space, u64),
) -> Result<[u8; tensormap::BYTES], Fault> {
    check_alignment(space, address, tensormap::ALIGNMENT)?;
    let mut bytes = [0; tensormap::BYTES];
    for (n, word) in bytes.chunks_exact_mut(8).enumerate() {
        let at = address.wrapping_add(n as u64 * 8);
        let value = view.read(lane, space, at, 8, Order::Relaxed)?;
        word.copy_from_slice(&value.to_le_bytes());
    }
    Ok(bytes)
}

fn write_map(
    view: &mut View<'_>,
    lane: usize,
    (space, address): (Space, u64),
    bytes: &[u8; tensormap::BYTES],
) -> Result<(), Fault> {
    check_alignment(space, address, tensormap::ALIGNMENT)?;
    for (n, word) in bytes.chunks_exact(8).enumerate() {
        let value = word.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        view.write(lane, space, address.wrapping_add(n as u64 * 8), 8, value, Order::Relaxed)?;
    }
    Ok(())
}

/// The tensor map at an address, decoded.
fn map(view: &View<'_>, lane: usize, location: (Space, u64)) -> Result<TensorMap, TrapKind> {
    let found = match location.0 {
        Space::Generic => {
            Space::of_generic(location.1, view.grid.addresses).map_or(Space::Generic, |(space, _)| space)
        }
        space => space,
    };
    if found.is_shared() || found == Space::Local {
        let text = "a tensor map that is used lies in .param, .const or .global, not in";
        return Err(misuse(format!("{text} {}", found.as_str())));
    }
    let bytes = map_bytes(view, lane, location).map_err(TrapKind::Fault)?;
    TensorMap::from_bytes(&bytes).map_err(|error| misuse(error.to_string()))
}

pub(super) fn tensor_copy(at: &mut At<'_>, copy: &TensorCopy) -> Result<(), Stop> {
    let (mut view, mut operands, place) = at.split();
    let active = match view.grid.completion == Completion::Eager && view.grid.counting().is_none() {
        true => needed(copy, &operands, place.active),
        false => place.active,
    };
    for lane in lanes(active) {
        let resolved = LaneCopy { copy, operands: &operands, lane };
        let work = resolved.work(&view).map_err(|kind| place.stop(kind, lane))?;
        // The copies of the other blocks of a multicast read the same elements.
        if let (Some(observer), Some((first, _))) = (view.grid.counting(), work.first()) {
            observer.touch(place.pc, &first.sectors());
        }
        for (work, barrier) in work {
            let bytes = work.bytes();
            let operation = Operation::new(Work::Tensor(work), (operands.warp, lane, place.pc));
            let operation = match barrier {
                None => operation.grouped(Family::Bulk, Ordered::Free),
                Some(barrier) => operation.signals(Signal::Transactions(barrier, bytes)),
            };
            issue(&mut view, operation, &mut Registers::running(&mut operands))?;
        }
    }
    at.issued();
    Ok(())
}

pub(super) fn tensormap_replace(at: &mut At<'_>, change: &TensormapReplace) -> Result<(), Stop> {
    let (mut view, operands, place) = at.split();
    let to = operands.addresses(&change.map);
    for lane in lanes(place.active) {
        let location = (change.map.space, to.of(lane));
        let value = operands.value(change.value, lane);
        let fault = |fault| place.fault(fault, lane);
        let bytes = map_bytes(&view, lane, location).map_err(fault)?;
        let changed = TensorMap::for_replacement(&bytes).and_then(|mut map| {
            map.replace(change.field, value)?;
            Ok(map)
        });
        let map = changed.map_err(|error| place.stop(misuse(error.to_string()), lane))?;
        write_map(&mut view, lane, location, &map.to_bytes()).map_err(fault)?;
    }
    Ok(())
}

pub(super) fn tensormap_copy(at: &mut At<'_>, copy: &TensormapCopy) -> Result<(), Stop> {
    let (mut view, operands, place) = at.split();
    let (to, from) = (operands.addresses(&copy.to), operands.addresses(&copy.from));
    for lane in lanes(place.active) {
        let copied = map_bytes(&view, lane, (copy.from.space, from.of(lane)))
            .and_then(|bytes| write_map(&mut view, lane, (copy.to.space, to.of(lane)), &bytes));
        copied.map_err(|fault| place.fault(fault, lane))?;
    }
    Ok(())
}

/// The lanes that have to execute a copy: a single one if all store the same data, since the other stores would be
/// redundant. Kernels execute stores with whole warps.
fn needed(copy: &TensorCopy, operands: &Operands<'_>, active: Mask) -> Mask {
    let TensorAction::Store = copy.action else { return active };
    let bases = [copy.map.base, copy.shared.base].into_iter().filter_map(|base| match base {
        Base::Row(src, _) => Some(src),
        Base::Frame => None,
    });
    let numbers = copy.coordinates.iter().chain(&copy.offsets).chain(&copy.address);
    let first = first_lane(active);
    let is_same = |src: Src| same_value(operands.row(src), active, first) == active;
    if bases.chain(numbers.copied()).all(is_same) { 1 << first } else { active }
}

/// A tensor copy with the operands of one thread.
struct LaneCopy<'a> {
    copy: &'a TensorCopy,
    operands: &'a Operands<'a>,
    lane: usize,
}

impl LaneCopy<'_> {
    /// The work for each destination block, and the mbarrier that is signalled.
    fn work(&self, view: &View<'_>) -> Result<Vec<(TensorWork, Option<SpaceAddress>)>, TrapKind> {
        let (copy, lane) = (self.copy, self.lane);
        let of = |src: Src| self.operands.value(src, lane);
        let address = |at| self.operands.address(at, lane);
        let mut map = map(view, lane, (copy.map.space, address(&copy.map)))?;
        if let Some(src) = copy.address {
            map.address = of(src);
        }
        map.check().map_err(|error| misuse(format!("the tensor map cannot be used: {error}")))?;
        let (mut targets, mut is_for_pairs) = (vec![None], false);
        let (effect, barrier) = match &copy.action {
            TensorAction::Load { barrier, blocks, for_pairs } => {
                is_for_pairs = *for_pairs;
                targets = view.block.targets(blocks.map(of))?;
                let barrier = barrier_address(view, (barrier.space, address(barrier)))?;
                (TensorEffect::Load, Some(barrier))
            }
            TensorAction::Store if map.element == ElementType::B4x16P64 => {
                return Err(misuse("elements of type `.b4x16_p64` cannot be stored"));
            }
            TensorAction::Store => (TensorEffect::Store, None),
            TensorAction::Reduce(op) => {
                let combine = combination(*op, map.element);
                let text = || misuse(format!("elements of type {:?} have no operation {op:?}", map.element));
                (TensorEffect::Reduce(combine.ok_or_else(text)?), None)
            }
        };
        let coordinates: Vec<i64> = copy.coordinates.iter().map(|&src| i64::from(of(src) as i32)).collect();
        let offsets: Vec<u64> = copy.offsets.iter().map(|&src| of(src) & u64::from(u16::MAX)).collect();
        let stores = !matches!(effect, TensorEffect::Load);
        let (mode, map) = (copy.mode, &map);
        let walk = Walk { map, mode, coordinates: &coordinates, offsets: &offsets, stores };
        walk.check(copy.rank).map_err(TrapKind::Misuse)?;
        let (space, shared) =
            match operand_address(view.grid, copy.shared.space, address(&copy.shared), STEP as u32)? {
                (space, address) if space.is_shared() => (space, address),
                (space, _) => {
                    let text = "a box is copied from or to shared memory, not";
                    return Err(misuse(format!("{text} {}", space.as_str())));
                }
            };
        let length = walk.run_length();
        let swizzle = map.swizzle().map_err(|error| misuse(error.to_string()))?;
        check_rows(map, swizzle, length, walk.count())?;
        check_room(view, (space, shared), map.element.shared_bytes(length).saturating_mul(walk.count()))?;
        let runs = walk.runs().map_err(TrapKind::Misuse)?.into();
        let (element, out_of_bounds) = (map.element, map.out_of_bounds);
        let work =
            TensorWork { element, out_of_bounds, swizzle, shared, space, effect, runs, length, read: None };
        let of_target = |target: Option<u32>| {
            let (space, shared) = in_target((work.space, work.shared), target);
            let barrier = barrier.map(|barrier| {
                let signalled =
                    if is_for_pairs { target.map(|target| of_pair(view, target, barrier)) } else { target };
                in_target(barrier, signalled)
            });
            (TensorWork { shared, space, ..work.clone() }, barrier)
        };
        Ok(targets.into_iter().map(of_target).collect())
    }
}

/// The block of a pair whose mbarrier is signalled: the even or odd one, with the parity of the block of the given mbarrier.
fn of_pair(view: &View<'_>, target: u32, (space, address): SpaceAddress) -> u32 {
    let (rank, _) = rank_and_offset(address);
    let named = if space == Space::Shared { view.block.rank } else { rank as u32 };
    target & !1 | named & 1
}

/// Checks the row length: the layout in shared memory of rows shorter than the swizzle is not documented.
fn check_rows(map: &TensorMap, swizzle: Swizzle, length: u64, count: u64) -> Result<(), TrapKind> {
    let row = map.element.shared_bytes(length);
    match swizzle.span() {
        Some(span) if row < span && count > 1 && map.interleave == Interleave::None => Err(misuse(format!(
            "how rows of {row} bytes lie in shared memory with a swizzle of {span} bytes is not documented; \
             expected rows of {span} bytes"
        ))),
        _ => Ok(()),
    }
}

/// Checks that the box is within the shared memory of the block, which also bounds the length of the walk.
fn check_room(view: &View<'_>, (space, address): SpaceAddress, bytes: u64) -> Result<(), TrapKind> {
    check_alignment(space, address, SHARED_ALIGNMENT).map_err(TrapKind::Fault)?;
    let room = (view.block.shared.len() as u64).saturating_sub(rank_and_offset(address).1);
    if bytes <= room {
        return Ok(());
    }
    let size = bytes.min(u32::MAX.into()) as u32;
    Err(TrapKind::Fault(Fault { kind: FaultKind::OutOfBounds, space, address, size }))
}
