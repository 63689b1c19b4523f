//! The memory that an access of a thread reads or writes.

use ptx_program::memory::{AddressSize, Space};
use ptx_program::scalar::bits::shifted;
use ptx_program::{Address, AddressWidth, Base, Load, Order, Row, WARP};

use super::block::BlockState;
use super::grid::Grid;
use crate::memory::{Fault, FaultKind, read_bytes, write_bytes};

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
pub(super) fn read_used(
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
    pub(super) fn update_wide(
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
pub(super) fn joined(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// Splits a value into two halves, the lower one first.
pub(super) fn halves(value: u128) -> [u64; 2] {
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

    /// The addresses of all lanes, which do not change with the registers.
    #[inline]
    pub(super) fn all(&self) -> Row {
        let Some((row, width)) = self.base else { return [self.offset; WARP] };
        let mask = match width {
            AddressWidth::Bits64 => u64::MAX,
            AddressWidth::Bits32 => u32::MAX.into(),
        };
        row.map(|base| base.wrapping_add(self.offset) & mask)
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
