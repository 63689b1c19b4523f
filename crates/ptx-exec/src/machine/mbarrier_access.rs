//! Operations of single threads on barriers in shared memory, and the signals of asynchronous operations to them.

use ptx_program::memory::{Space, SpaceAddress};
use ptx_program::{BarrierLayout, Completion, MbarrierAction, Order, Src, Stay};

use super::block::in_target;
use super::mbarrier_object::{BYTES, Demand, LAYOUT, Object, PHASE_BITS, PHASE_SHIFT};
use super::memory::{View, check_alignment};
use crate::error::TrapKind;

/// The address of an object in the shared memory of the cluster.
fn object_address(view: &View<'_>, space: Space, address: u64) -> Result<(Space, u64), TrapKind> {
    let (found, address) = match space {
        Space::Generic => Space::of_generic(address, view.grid.addresses).unwrap_or((space, address)),
        space => (space, address),
    };
    if !found.is_shared() {
        let text = format!("a barrier lies in shared memory, not at {address:#x} in {}", found.as_str());
        return Err(TrapKind::Misuse(text));
    }
    check_alignment(found, address, BYTES.into()).map_err(TrapKind::Fault)?;
    Ok((found, address))
}

/// Modifies an object, and returns its previous bits.
fn change(
    view: &mut View<'_>,
    lane: usize,
    (space, address): (Space, u64),
    change: impl FnOnce(&mut Object) -> Result<(), String>,
) -> Result<u64, TrapKind> {
    let (space, address) = object_address(view, space, address)?;
    // Read and write are atomic here: the blocks of a cluster share a host thread, and no other thread can access their memory.
    let before = view.read(lane, space, address, BYTES, Order::Strong).map_err(TrapKind::Fault)?;
    let no_object = || TrapKind::Misuse(format!("there is no initialized barrier at {address:#x}"));
    let mut object = Object::from_bits(before).ok_or_else(no_object)?;
    change(&mut object).map_err(TrapKind::Misuse)?;
    view.write(lane, space, address, BYTES, object.to_bits(), Order::Strong).map_err(TrapKind::Fault)?;
    Ok(before)
}

/// The address of an object, for an operation that completes later.
pub(super) fn barrier_address(
    view: &View<'_>,
    (space, address): SpaceAddress,
) -> Result<SpaceAddress, TrapKind> {
    let location = object_address(view, space, address)?;
    view.block.absolute(location, BYTES).map_err(TrapKind::Fault)
}

/// Whether the given signals complete the phase of an mbarrier.
pub(super) fn would_complete(view: &View<'_>, (space, address): SpaceAddress, demand: Demand) -> bool {
    let bits = view.read(0, space, address, BYTES, Order::Strong).ok();
    bits.and_then(Object::from_bits).is_some_and(|object| {
        u64::from(object.pending) == demand.arrivals
            && i64::from(object.transactions) == demand.transactions as i64
    })
}

/// Records an unsuccessful query; returns whether operations are in flight.
pub(super) fn wait_for(view: &mut View<'_>, location: SpaceAddress) -> Result<bool, TrapKind> {
    if view.block.cluster.pending.is_empty() {
        return Ok(false);
    }
    let location = barrier_address(view, location)?;
    view.block.cluster.pending.want(location);
    Ok(true)
}

/// Signals an arrival to an mbarrier.
pub(super) fn complete_arrival(
    view: &mut View<'_>,
    lane: usize,
    location: SpaceAddress,
) -> Result<(), TrapKind> {
    change(view, lane, location, |object| {
        object.arrive(1, Stay::Stays)?;
        object.advance();
        Ok(())
    })?;
    Ok(())
}

/// Reports to an mbarrier something that an operation found in its data.
pub(super) fn report(view: &mut View<'_>, lane: usize, location: SpaceAddress) -> Result<(), TrapKind> {
    change(view, lane, location, Object::report)?;
    Ok(())
}

/// Whether something was reported in the phase before the current one.
pub(super) fn reported_before(
    view: &mut View<'_>,
    lane: usize,
    location: SpaceAddress,
) -> Result<bool, TrapKind> {
    let now = change(view, lane, location, |_| Ok(()))?;
    Ok(Object::from_bits(now).is_some_and(|object| object.reported[1]))
}

/// Completes transactions of an mbarrier.
pub(super) fn complete_transactions(
    view: &mut View<'_>,
    lane: usize,
    location: SpaceAddress,
    count: u64,
) -> Result<(), TrapKind> {
    change(view, lane, location, |object| {
        object.transact(-(count as i64))?;
        object.advance();
        Ok(())
    })?;
    Ok(())
}

/// Performs one lane's operation on the mbarriers of several blocks of the cluster, at the same offset in each.
pub(super) fn operate_in(
    view: &mut View<'_>,
    lane: usize,
    location: SpaceAddress,
    action: MbarrierAction,
    blocks: u64,
    value: impl Fn(Src) -> u64 + Copy,
) -> Result<(), TrapKind> {
    let location = barrier_address(view, location)?;
    for target in view.block.targets(Some(blocks))? {
        operate(view, lane, in_target(location, target), action, value)?;
    }
    Ok(())
}

/// Performs one lane's operation, and returns its result.
pub(super) fn operate(
    view: &mut View<'_>,
    lane: usize,
    location: (Space, u64),
    action: MbarrierAction,
    value: impl Fn(Src) -> u64,
) -> Result<u64, TrapKind> {
    match action {
        MbarrierAction::Init(count, layout) => {
            let (space, address) = object_address(view, location.0, location.1)?;
            let object = Object::new(value(count), layout).map_err(TrapKind::Misuse)?;
            view.write(lane, space, address, BYTES, object.to_bits(), Order::Strong)
                .map_err(TrapKind::Fault)?;
            Ok(0)
        }
        MbarrierAction::Invalidate => {
            change(view, lane, location, |_| Ok(()))?;
            let (space, address) = object_address(view, location.0, location.1)?;
            view.write(lane, space, address, BYTES, 0, Order::Strong).map_err(TrapKind::Fault)?;
            Ok(0)
        }
        MbarrierAction::HasLayout(layout) => {
            let now = change(view, lane, location, |_| Ok(()))?;
            Ok(u64::from((now & LAYOUT != 0) == (layout == BarrierLayout::V1)))
        }
        MbarrierAction::Expect(count) => {
            change(view, lane, location, |object| object.transact(value(count) as i64))
        }
        MbarrierAction::Complete(count) => {
            complete_transactions(view, lane, location, value(count))?;
            Ok(0)
        }
        MbarrierAction::Arrive { count, transactions, completion, stay } => {
            change(view, lane, location, |object| {
                if let Some(count) = transactions {
                    object.transact(value(count) as i64)?;
                }
                object.arrive(value(count), stay)?;
                if object.advance() && completion == Completion::Forbidden {
                    return Err("an arrival with `.noComplete` completes the phase".to_owned());
                }
                Ok(())
            })
        }
        // The arrival itself is an operation issued by the instruction's function.
        MbarrierAction::ArriveOfCopies => change(view, lane, location, Object::expect_one_more),
        MbarrierAction::ArriveOfCopiesCounted => Ok(0),
        MbarrierAction::IsOver(state) => {
            let now = change(view, lane, location, |_| Ok(()))?;
            Ok(u64::from((now ^ value(state)) >> PHASE_SHIFT & ((1 << PHASE_BITS) - 1) != 0))
        }
        MbarrierAction::IsOverParity(parity) => {
            let now = change(view, lane, location, |_| Ok(()))?;
            Ok((now >> PHASE_SHIFT ^ value(parity)) & 1)
        }
        MbarrierAction::IsOverConditional(parity) => {
            let now = change(view, lane, location, |_| Ok(()))?;
            let object = Object::from_bits(now);
            let object = object.ok_or_else(|| TrapKind::Defect("an mbarrier that is none".to_owned()))?;
            Ok((u64::from(object.conditional) ^ value(parity)) & 1)
        }
    }
}
