//! Loads, stores and atomic operations of a warp.

use super::Stop;
use super::block::BlockState;
use super::grid::Grid;
use super::warp::Warp;
use crate::error::TrapKind;
use crate::memory::{AddressSize, Fault, FaultKind, Order, Space, read_bytes, write_bytes};
use crate::program::{
    Address, AddressWidth, Atomic, Base, Combine, Exchange, Load, Mask, Row, Src, Store, VectorAtomic,
    WideAtomic, Within, lanes,
};
use crate::scalar::bits::shifted;

/// The memory visible to an access.
pub(super) struct View<'a> {
    pub(super) grid: &'a Grid<'a>,
    pub(super) block: &'a mut BlockState,
    pub(super) local: &'a mut [Vec<u8>],
}

/// Resolves a generic address: out of line, so that accesses of other spaces stay small.
#[inline(never)]
fn resolve_generic(addresses: AddressSize, address: u64, size: u32) -> Result<(Space, u64), Fault> {
    let fault = Fault { kind: FaultKind::OutOfBounds, space: Space::Generic, address, size };
    Space::of_generic(address, addresses).ok_or(fault)
}

/// Resolves the space of a possibly generic address.
#[inline]
pub(super) fn resolve(grid: &Grid<'_>, space: Space, address: u64, size: u32) -> Result<(Space, u64), Fault> {
    resolve_in(grid.addresses, space, address, size)
}

/// Like [`resolve`], given the address size.
#[inline]
pub(super) fn resolve_in(
    addresses: AddressSize,
    space: Space,
    address: u64,
    size: u32,
) -> Result<(Space, u64), Fault> {
    match space {
        Space::Generic => resolve_generic(addresses, address, size),
        Space::Global | Space::Shared | Space::SharedCluster | Space::Local | Space::Const | Space::Param => {
            Ok((space, address))
        }
    }
}

/// Reads an element that is not entirely readable: bytes that the program does not use may be out of bounds, and are zero then.
fn read_used(
    load: &Load,
    element: usize,
    at: u64,
    fault: Fault,
    read: impl Fn(u64, u32) -> Result<u64, Fault>,
) -> Result<u64, Fault> {
    let used = shifted(load.used.into(), element as u32 * load.size);
    if used.trailing_ones() >= load.size {
        return Err(fault);
    }
    (0..load.size).try_fold(0, |value, byte| {
        let found = match read(at.wrapping_add(u64::from(byte)), 1) {
            Ok(found) => found,
            Err(_) if used >> byte & 1 == 0 => 0,
            Err(_) => return Err(fault),
        };
        Ok(value | found << (8 * byte))
    })
}

impl View<'_> {
    /// Reads 1, 2, 4 or 8 bytes for a lane.
    #[inline(always)]
    pub(super) fn read(
        &self,
        lane: usize,
        space: Space,
        address: u64,
        size: u32,
        order: Order,
    ) -> Result<u64, Fault> {
        let (space, address) = resolve(self.grid, space, address, size)?;
        match space {
            Space::Global | Space::Generic => self.grid.global.read(address, size, order),
            Space::Shared | Space::SharedCluster => self.block.read_shared(space, address, size),
            Space::Local => read_bytes(&self.local[lane], space, address, size),
            Space::Const => read_bytes(self.grid.constant, space, address, size),
            Space::Param => read_bytes(self.grid.params, space, address, size),
        }
    }

    /// Writes 1, 2, 4 or 8 bytes for a lane.
    #[inline(always)]
    pub(super) fn write(
        &mut self,
        lane: usize,
        space: Space,
        address: u64,
        size: u32,
        value: u64,
        order: Order,
    ) -> Result<(), Fault> {
        let (space, address) = resolve(self.grid, space, address, size)?;
        match space {
            Space::Global | Space::Generic => self.grid.global.write(address, size, value, order),
            Space::Shared | Space::SharedCluster => self.block.write_shared(space, address, size, value),
            Space::Local => write_bytes(&mut self.local[lane], space, address, size, value),
            Space::Const | Space::Param => Err(Fault { kind: FaultKind::ReadOnly, space, address, size }),
        }
    }

    /// Reads 16 bytes for a lane, atomically.
    pub(super) fn read_wide(
        &self,
        lane: usize,
        space: Space,
        address: u64,
        order: Order,
    ) -> Result<u128, Fault> {
        let (placed, at) = resolve(self.grid, space, address, 16)?;
        match placed {
            Space::Global | Space::Generic => self.grid.global.read_wide(at, order),
            Space::Shared | Space::SharedCluster | Space::Local | Space::Const | Space::Param => {
                let low = self.read(lane, placed, at, 8, order)?;
                let high = self.read(lane, placed, at.wrapping_add(8), 8, order)?;
                Ok(joined(low, high))
            }
        }
    }

    /// Writes 16 bytes for a lane, atomically.
    pub(super) fn write_wide(
        &mut self,
        lane: usize,
        space: Space,
        address: u64,
        value: u128,
        order: Order,
    ) -> Result<(), Fault> {
        let (placed, at) = resolve(self.grid, space, address, 16)?;
        match placed {
            Space::Global | Space::Generic => self.grid.global.write_wide(at, value, order),
            Space::Shared | Space::SharedCluster | Space::Local | Space::Const | Space::Param => {
                self.write(lane, placed, at, 8, value as u64, order)?;
                self.write(lane, placed, at.wrapping_add(8), 8, (value >> 64) as u64, order)
            }
        }
    }

    /// Updates 16 bytes atomically and returns the old ones.
    fn update_wide(
        &mut self,
        lane: usize,
        space: Space,
        address: u64,
        new: impl FnOnce(u128) -> u128,
    ) -> Result<u128, Fault> {
        let (placed, at) = resolve(self.grid, space, address, 16)?;
        match placed {
            Space::Global | Space::Generic => self.grid.global.update_wide(at, new),
            // A cluster runs on one host thread at a time.
            Space::Shared | Space::SharedCluster => {
                let old = self.read_wide(lane, placed, at, Order::Strong)?;
                self.write_wide(lane, placed, at, new(old), Order::Strong)?;
                Ok(old)
            }
            Space::Local | Space::Const | Space::Param => {
                Err(Fault { kind: FaultKind::NotAtomic, space: placed, address: at, size: 16 })
            }
        }
    }

    /// Updates 1, 2, 4 or 8 bytes atomically and returns the old ones.
    pub(super) fn update(
        &mut self,
        space: Space,
        address: u64,
        size: u32,
        new: impl Fn(Space, u64) -> u64,
    ) -> Result<u64, Fault> {
        let (space, address) = resolve(self.grid, space, address, size)?;
        match space {
            Space::Global | Space::Generic => self.grid.global.update(address, size, |old| new(space, old)),
            Space::Shared | Space::SharedCluster => {
                let old = self.block.read_shared(space, address, size)?;
                self.block.write_shared(space, address, size, new(space, old))?;
                Ok(old)
            }
            Space::Local | Space::Const | Space::Param => {
                Err(Fault { kind: FaultKind::NotAtomic, space, address, size })
            }
        }
    }
}

/// Joins two halves, the lower one first.
fn joined(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// Splits a value into two halves, the lower one first.
fn halves(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

/// An address operand with a resolved base.
pub(super) struct Addresses<'r> {
    base: Option<(&'r Row, AddressWidth)>,
    offset: u64,
}

impl Addresses<'_> {
    /// The address of a lane.
    #[inline]
    pub(super) fn of(&self, lane: usize) -> u64 {
        match self.base {
            None => self.offset,
            Some((row, AddressWidth::Bits64)) => row[lane].wrapping_add(self.offset),
            Some((row, AddressWidth::Bits32)) => row[lane].wrapping_add(self.offset) & 0xffff_ffff,
        }
    }
}

/// Resolves the base of an address operand.
pub(super) fn addresses<'r>(
    address: &Address,
    rows: &'r [Row],
    constants: &'r [Row],
    frame_local: u32,
) -> Addresses<'r> {
    match address.base {
        Base::Row(src, width) => {
            Addresses { base: Some((src.of(rows, constants), width)), offset: address.offset as u64 }
        }
        Base::Frame => {
            Addresses { base: None, offset: u64::from(frame_local).wrapping_add(address.offset as u64) }
        }
    }
}

pub(super) fn check_alignment(space: Space, address: u64, align: u64) -> Result<(), Fault> {
    // The alignment is a power of two.
    if address & (align - 1) == 0 {
        return Ok(());
    }
    Err(Fault { kind: FaultKind::Misaligned, space, address, size: align as u32 })
}

impl Warp {
    pub(super) fn view<'a>(&'a mut self, grid: &'a Grid<'a>, block: &'a mut BlockState) -> View<'a> {
        View { grid, block, local: &mut self.local }
    }

    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn load(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        load: &Load,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        if load.polls {
            self.poll();
        }
        let base = self.frames[frame].local;
        let constants = self.constants(grid);
        let view = self.view(grid, block);
        for lane in lanes(active) {
            let address = addresses(&load.address, rows, constants, base).of(lane);
            let stop = |fault| Stop::at(TrapKind::Fault(fault), pc, lane);
            check_alignment(load.address.space, address, load.align).map_err(stop)?;
            if load.size == 16 {
                for (n, pair) in load.dsts.chunks_exact(2).enumerate() {
                    let at = address.wrapping_add(n as u64 * 16);
                    let value = view.read_wide(lane, load.address.space, at, load.order).map_err(stop)?;
                    for (&dst, half) in pair.iter().zip(halves(value)) {
                        rows[dst as usize][lane] = half;
                    }
                }
                continue;
            }
            for (n, &dst) in load.dsts.iter().enumerate() {
                let at = address.wrapping_add(n as u64 * u64::from(load.size));
                let read = |at, size| view.read(lane, load.address.space, at, size, load.order);
                let whole = read(at, load.size);
                let raw = whole.or_else(|fault| read_used(load, n, at, fault, read)).map_err(stop)?;
                rows[dst as usize][lane] = load.fill.apply(raw);
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn store(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &[Row],
        store: &Store,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let constants = self.constants(grid);
        let addresses = addresses(&store.address, rows, constants, self.frames[frame].local);
        let mut view = self.view(grid, block);
        for lane in lanes(active) {
            let address = addresses.of(lane);
            let stop = |fault| Stop::at(TrapKind::Fault(fault), pc, lane);
            check_alignment(store.address.space, address, store.align).map_err(stop)?;
            if store.size == 16 {
                for (n, pair) in store.srcs.chunks_exact(2).enumerate() {
                    let at = address.wrapping_add(n as u64 * 16);
                    let [low, high] = [pair[0], pair[1]].map(|src| src.of(rows, constants)[lane]);
                    view.write_wide(lane, store.address.space, at, joined(low, high), store.order)
                        .map_err(stop)?;
                }
                continue;
            }
            for (n, src) in store.srcs.iter().enumerate() {
                let at = address.wrapping_add(n as u64 * u64::from(store.size));
                let value = src.of(rows, constants)[lane];
                view.write(lane, store.address.space, at, store.size, value, store.order).map_err(stop)?;
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn atomic(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        atomic: &Atomic,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        self.poll();
        match atomic.combine {
            // The most common atomic operation has a specialized loop.
            Combine::IntAdd(t) => {
                let sum = |_, old: u64, b, _| t.wrap(old.wrapping_add(b));
                self.update_lanes(grid, block, frame, rows, atomic, active, pc, sum)
            }
            combine => {
                let combined = |space, old, b, c| combine.of(space, old, b, c);
                self.update_lanes(grid, block, frame, rows, atomic, active, pc, combined)
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    #[inline]
    fn update_lanes(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        atomic: &Atomic,
        active: Mask,
        pc: u32,
        combine: impl Fn(Space, u64, u64, u64) -> u64,
    ) -> Result<(), Stop> {
        let constants = self.constants(grid);
        let base = self.frames[frame].local;
        let mut view = self.view(grid, block);
        for lane in lanes(active) {
            let address = addresses(&atomic.address, rows, constants, base).of(lane);
            let [b, c] = atomic.operands.map(|src: Src| src.of(rows, constants)[lane]);
            let combined = |space, old| combine(space, old, b, c);
            let old = view.update(atomic.address.space, address, atomic.size, combined);
            let old = old.map_err(|fault| Stop::at(TrapKind::Fault(fault), pc, lane))?;
            if let Some(dst) = atomic.dst {
                rows[dst as usize][lane] = old;
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn vector_atomic(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        atomic: &VectorAtomic,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let constants = self.constants(grid);
        self.poll();
        let base = self.frames[frame].local;
        let mut view = self.view(grid, block);
        let whole = u64::from(atomic.size) * atomic.elements.len() as u64;
        for lane in lanes(active) {
            let first = addresses(&atomic.address, rows, constants, base).of(lane);
            let space = atomic.address.space;
            let stop = |fault| Stop::at(TrapKind::Fault(fault), pc, lane);
            check_alignment(space, first, whole).map_err(stop)?;
            // Destinations may alias operands.
            let mut old = [0; 8];
            for (n, (_, b)) in atomic.elements.iter().enumerate() {
                let b = b.of(rows, constants)[lane];
                let address = first + n as u64 * u64::from(atomic.size);
                let combined = |space, old| atomic.combine.of(space, old, b, b);
                old[n] = view.update(space, address, atomic.size, combined).map_err(stop)?;
            }
            for ((dst, _), old) in atomic.elements.iter().zip(old) {
                if let Some(dst) = dst {
                    rows[*dst as usize][lane] = old;
                }
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn wide_atomic(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        atomic: &WideAtomic,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let constants = self.constants(grid);
        self.poll();
        let base = self.frames[frame].local;
        let mut view = self.view(grid, block);
        for lane in lanes(active) {
            let address = addresses(&atomic.address, rows, constants, base).of(lane);
            let stop = |fault| Stop::at(TrapKind::Fault(fault), pc, lane);
            check_alignment(atomic.address.space, address, 16).map_err(stop)?;
            let of = |src: Src| joined(src.of(rows, constants)[lane], src.plus(1).of(rows, constants)[lane]);
            let [b, c] = atomic.operands.map(of);
            let new = |old| match atomic.exchange {
                Exchange::Always => b,
                Exchange::WhereEqual if old == b => c,
                Exchange::WhereEqual => old,
            };
            let old = view.update_wide(lane, atomic.address.space, address, new).map_err(stop)?;
            for (&dst, half) in atomic.dst.iter().flatten().zip(halves(old)) {
                rows[dst as usize][lane] = half;
            }
        }
        Ok(())
    }

    /// Traps if the address of a thread is in another space than the instruction requires.
    pub(super) fn within(
        &self,
        grid: &Grid<'_>,
        frame: usize,
        rows: &[Row],
        within: &Within,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let local = self.frames[frame].local;
        let addresses = addresses(&within.address, rows, self.constants(grid), local);
        for lane in lanes(active) {
            let address = addresses.of(lane);
            let found = match within.address.space {
                Space::Generic => Space::of_generic(address, grid.addresses).map(|(space, _)| space),
                space => Some(space),
            };
            if found.is_none_or(|space| !within.spaces.contains(&space)) {
                let found = match found {
                    Some(space) => space.as_str(),
                    None => "no state space",
                };
                let wanted: Vec<&str> = within.spaces.iter().map(|space| space.as_str()).collect();
                let text = format!(
                    "the address {address:#x} is in {found}, expected one in {}",
                    wanted.join(" or ")
                );
                return Err(Stop::at(TrapKind::Misuse(text), pc, lane));
            }
        }
        Ok(())
    }
}
