//! The memory that a launch sees: state spaces, generic addresses and checked accesses (manual 5.1, 6.4.1.1).
//!
//! A generic address says which space it lies in by its upper bits:
//!
//! | bits 63..36 | bits 35..32 | what |
//! |---|---|---|
//! | 0 | 4 | `.shared`, offset in the low 32 bits |
//! | 0 | 8 | `.local` |
//! | 0 | 10 | kernel parameters |
//! | 0 | 12 | `.const` |
//! | n > 0 | any | `.global`: byte `address mod 2^36` of allocation `n - 1`; from 2^27 on of a multimem object |
//! | 0 | others | `.global` from 2^16 on; only the host process has memory there |
//!
//! so that every allocation is fenced off by unmapped addresses, a null pointer and small offsets from it are never
//! valid, and addresses in `.shared`, `.local`, `.const` and `.param` fit 32 bits. In memory that outlives launches
//! ([`Memory`]) global addresses are those of the host process; what has an address in a window there cannot be registered.
//!
//! Every access is checked: it must lie within one allocation and be aligned to its size.

mod beyond;
mod device;
mod freed;
mod global;
mod multicast;
mod pieces;
mod private;
mod region;

pub use beyond::{HostMemory, HostRegion};
pub use device::{Kind, Memory, MemoryError, RegionInfo, Words};
pub(crate) use global::{Concurrency, GlobalMemory, Order};
pub(crate) use multicast::Multicast;
pub(crate) use pieces::Pieces;
pub(crate) use private::{read_bytes, write_bytes};
pub(crate) use region::Region;

use std::fmt;

/// Bits of a global address below the number of its allocation.
pub(crate) const ALLOCATION_SHIFT: u32 = 36;

/// Addresses from 0 on where no operating system has memory.
const NULL_BYTES: u64 = 1 << 16;

/// A space that an access can go to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Any of the others, told by the address.
    Generic,
    /// Memory of the whole grid.
    Global,
    /// Memory of a block.
    Shared,
    /// Memory of one thread.
    Local,
    /// Read-only memory of the module.
    Const,
    /// The parameters of the kernel.
    Param,
}

impl Space {
    /// The generic address of offset 0 of the space; global addresses are generic ones already.
    pub const fn window(self) -> u64 {
        match self {
            Space::Generic | Space::Global => 0,
            Space::Shared => 4 << 32,
            Space::Local => 8 << 32,
            Space::Param => 10 << 32,
            Space::Const => 12 << 32,
        }
    }

    /// The space a generic address lies in and its address there; `None` when it lies in no window.
    pub const fn of_generic(address: u64) -> Option<(Space, u64)> {
        if address >> ALLOCATION_SHIFT != 0 {
            return Some((Space::Global, address));
        }
        let offset = address & 0xffff_ffff;
        match address >> 32 {
            4 => Some((Space::Shared, offset)),
            8 => Some((Space::Local, offset)),
            10 => Some((Space::Param, offset)),
            12 => Some((Space::Const, offset)),
            14 => None,
            _ if address >= NULL_BYTES => Some((Space::Global, address)),
            _ => None,
        }
    }

    /// The name in PTX.
    pub const fn as_str(self) -> &'static str {
        match self {
            Space::Generic => "generic",
            Space::Global => ".global",
            Space::Shared => ".shared",
            Space::Local => ".local",
            Space::Const => ".const",
            Space::Param => ".param",
        }
    }
}

/// What is wrong with an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// No allocation holds all of its bytes.
    OutOfBounds,
    /// The memory was there and has been freed.
    Freed,
    /// The address is no multiple of the size of the access.
    Misaligned,
    /// The memory may not be written.
    ReadOnly,
    /// An atomic operation on memory that has none.
    NotAtomic,
}

/// An access that cannot be carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The space of the access; a generic one that hits no window stays generic.
    pub space: Space,
    /// The address within that space.
    pub address: u64,
    /// Size in bytes.
    pub size: u32,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, space, address) = (self.size, self.space.as_str(), self.address);
        match self.kind {
            FaultKind::OutOfBounds => {
                write!(f, "access of {size} bytes at {address:#x} in {space} memory is out of bounds")
            }
            FaultKind::Freed => {
                write!(f, "access of {size} bytes at {address:#x} in {space} memory that was freed")
            }
            FaultKind::Misaligned => {
                write!(
                    f,
                    "access of {size} bytes at {address:#x} in {space} memory is not aligned to {size} bytes"
                )
            }
            FaultKind::ReadOnly => {
                write!(f, "write of {size} bytes at {address:#x} in {space} memory, which is read-only")
            }
            FaultKind::NotAtomic => {
                write!(
                    f,
                    "atomic operation on {size} bytes at {address:#x} in {space} memory, which has none"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_addresses_tell_their_space() {
        for space in [Space::Shared, Space::Local, Space::Param, Space::Const] {
            assert_eq!(Space::of_generic(space.window() + 20), Some((space, 20)));
        }
        assert_eq!(Space::of_generic(1 << 36), Some((Space::Global, 1 << 36)));
        assert_eq!(Space::of_generic(0), None);
        assert_eq!(Space::of_generic(0xffff), None);
        assert_eq!(Space::of_generic(0x40_1000), Some((Space::Global, 0x40_1000)));
        assert_eq!(Space::of_generic(14 << 32), None, "functions");
        assert_eq!(Space::of_generic(u64::MAX), Some((Space::Global, u64::MAX)));
    }
}
