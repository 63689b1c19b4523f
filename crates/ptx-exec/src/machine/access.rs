//! Loads, stores and atomic operations of a warp.

use ptx_program::memory::Space;
use ptx_program::{Atomic, Combine, Exchange, Load, Src, Store, VectorAtomic, WideAtomic, Within, lanes};

use super::Stop;
use super::at::At;
use super::memory::{check_alignment, halves, joined, read_used};
use crate::error::TrapKind;

pub(super) fn load(at: &mut At<'_>, load: &Load) -> Result<(), Stop> {
    if load.polls {
        at.warp.poll();
    }
    let (view, mut operands, place) = at.split();
    let addresses = operands.addresses(&load.address).all();
    for lane in lanes(place.active) {
        let address = addresses[lane];
        let stop = |fault| place.fault(fault, lane);
        check_alignment(load.address.space, address, load.align).map_err(stop)?;
        if load.size == 16 {
            for (n, pair) in load.dsts.chunks_exact(2).enumerate() {
                let at = address.wrapping_add(n as u64 * 16);
                let value = view.read_wide(lane, load.address.space, at, load.order).map_err(stop)?;
                for (&dst, half) in pair.iter().zip(halves(value)) {
                    operands.set(dst, lane, half);
                }
            }
            continue;
        }
        for (n, &dst) in load.dsts.iter().enumerate() {
            let at = address.wrapping_add(n as u64 * u64::from(load.size));
            let read = |at, size| view.read(lane, load.address.space, at, size, load.order);
            let whole = read(at, load.size);
            let raw = whole.or_else(|fault| read_used(load, n, at, fault, read)).map_err(stop)?;
            operands.set(dst, lane, load.fill.apply(raw));
        }
    }
    Ok(())
}

pub(super) fn store(at: &mut At<'_>, store: &Store) -> Result<(), Stop> {
    let (mut view, operands, place) = at.split();
    let addresses = operands.addresses(&store.address).all();
    for lane in lanes(place.active) {
        let address = addresses[lane];
        let stop = |fault| place.fault(fault, lane);
        check_alignment(store.address.space, address, store.align).map_err(stop)?;
        if store.size == 16 {
            for (n, pair) in store.srcs.chunks_exact(2).enumerate() {
                let at = address.wrapping_add(n as u64 * 16);
                let [low, high] = [pair[0], pair[1]].map(|src| operands.value(src, lane));
                view.write_wide(lane, store.address.space, at, joined(low, high), store.order)
                    .map_err(stop)?;
            }
            continue;
        }
        for (n, &src) in store.srcs.iter().enumerate() {
            let at = address.wrapping_add(n as u64 * u64::from(store.size));
            let value = operands.value(src, lane);
            view.write(lane, store.address.space, at, store.size, value, store.order).map_err(stop)?;
        }
    }
    Ok(())
}

pub(super) fn atomic(at: &mut At<'_>, atomic: &Atomic) -> Result<(), Stop> {
    at.warp.poll();
    match atomic.combine {
        // The most common atomic operation has a specialized loop.
        Combine::IntAdd(t) => update_lanes(at, atomic, |_, old: u64, b, _| t.wrap(old.wrapping_add(b))),
        combine => update_lanes(at, atomic, |space, old, b, c| combine.of(space, old, b, c)),
    }
}

#[inline]
fn update_lanes(
    at: &mut At<'_>,
    atomic: &Atomic,
    combine: impl Fn(Space, u64, u64, u64) -> u64,
) -> Result<(), Stop> {
    let (mut view, mut operands, place) = at.split();
    let addresses = operands.addresses(&atomic.address).all();
    for lane in lanes(place.active) {
        let address = addresses[lane];
        let [b, c] = atomic.operands.map(|src| operands.value(src, lane));
        let combined = |space, old| combine(space, old, b, c);
        let old = view.update(atomic.address.space, address, atomic.size, combined);
        let old = old.map_err(|fault| place.fault(fault, lane))?;
        if let Some(dst) = atomic.dst {
            operands.set(dst, lane, old);
        }
    }
    Ok(())
}

pub(super) fn vector_atomic(at: &mut At<'_>, atomic: &VectorAtomic) -> Result<(), Stop> {
    at.warp.poll();
    let (mut view, mut operands, place) = at.split();
    let whole = u64::from(atomic.size) * atomic.elements.len() as u64;
    let addresses = operands.addresses(&atomic.address).all();
    for lane in lanes(place.active) {
        let first = addresses[lane];
        let space = atomic.address.space;
        let stop = |fault| place.fault(fault, lane);
        check_alignment(space, first, whole).map_err(stop)?;
        // Destinations may alias operands.
        let mut old = [0; 8];
        for (n, &(_, b)) in atomic.elements.iter().enumerate() {
            let b = operands.value(b, lane);
            let address = first + n as u64 * u64::from(atomic.size);
            let combined = |space, old| atomic.combine.of(space, old, b, b);
            old[n] = view.update(space, address, atomic.size, combined).map_err(stop)?;
        }
        for (&(dst, _), old) in atomic.elements.iter().zip(old) {
            if let Some(dst) = dst {
                operands.set(dst, lane, old);
            }
        }
    }
    Ok(())
}

pub(super) fn wide_atomic(at: &mut At<'_>, atomic: &WideAtomic) -> Result<(), Stop> {
    at.warp.poll();
    let (mut view, mut operands, place) = at.split();
    let addresses = operands.addresses(&atomic.address).all();
    for lane in lanes(place.active) {
        let address = addresses[lane];
        let stop = |fault| place.fault(fault, lane);
        check_alignment(atomic.address.space, address, 16).map_err(stop)?;
        let of = |src: Src| joined(operands.value(src, lane), operands.value(src.plus(1), lane));
        let [b, c] = atomic.operands.map(of);
        let new = |old| match atomic.exchange {
            Exchange::Always => b,
            Exchange::WhereEqual if old == b => c,
            Exchange::WhereEqual => old,
        };
        let old = view.update_wide(lane, atomic.address.space, address, new).map_err(stop)?;
        for (&dst, half) in atomic.dst.iter().flatten().zip(halves(old)) {
            operands.set(dst, lane, half);
        }
    }
    Ok(())
}

/// Traps if the address of a thread is in another space than the instruction requires.
pub(super) fn within(at: &At<'_>, within: &Within) -> Result<(), Stop> {
    let addresses = at.operands.addresses(&within.address);
    for lane in lanes(at.place.active) {
        let address = addresses.of(lane);
        let found = match within.address.space {
            Space::Generic => Space::of_generic(address, at.grid.addresses).map(|(space, _)| space),
            space => Some(space),
        };
        if found.is_none_or(|space| !within.spaces.contains(&space)) {
            let found = match found {
                Some(space) => space.as_str(),
                None => "no state space",
            };
            let wanted: Vec<&str> = within.spaces.iter().map(|space| space.as_str()).collect();
            let text =
                format!("the address {address:#x} is in {found}, expected one in {}", wanted.join(" or "));
            return Err(at.place.stop(TrapKind::Misuse(text), lane));
        }
    }
    Ok(())
}
