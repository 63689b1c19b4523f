//! The memory that a launch sees: state spaces, generic addresses and checked accesses (manual 5.1, 6.4.1.1).
//!
//! A generic address says which space it lies in by its upper bits ([`windows`]), so that every allocation is fenced off by unmapped addresses,
//! a null pointer and small offsets from it are never valid, and addresses in `.shared`, `.local`, `.const` and `.param` fit 32 bits. Modules
//! with 32-bit addresses have windows of their own ([`AddressSize`]). In memory that outlives launches ([`Memory`]) global addresses
//! are those of the host process, unless it is for 32 bits; what has an address in a window there cannot be registered.
//!
//! An address in shared memory has the rank of its block in the cluster in bits 31..24 and the offset below, so that one of
//! the own memory (`.shared::cta`) is one of `.shared::cluster` too, as the windows of the manual contain each other (5.1.8).
//! A number below 2^24, which is the address of no variable in a block of rank 1 or higher, means for `.shared::cta` the own
//! memory in every block.
//!
//! Every access is checked: it must lie within one allocation and be aligned to its size.

mod arena;
mod beyond;
mod device;
mod freed;
mod global;
mod multicast;
mod pieces;
mod private;
mod region;
mod windows;

pub(crate) use arena::Arena;
pub use beyond::{HostMemory, HostRegion};
pub use device::{Kind, Memory, MemoryError, RegionInfo, Words};
pub use global::Order;
pub(crate) use global::{Concurrency, GlobalMemory};
pub(crate) use multicast::Multicast;
pub(crate) use pieces::Pieces;
pub(crate) use private::{check_bytes, read_bytes, write_bytes};
pub(crate) use region::Region;
pub use windows::AddressSize;
pub(crate) use windows::{LOW_FUNCTIONS, LOW_LOCAL_BYTES};

use std::fmt;

/// Bits of a global address below the number of its allocation.
pub(crate) const ALLOCATION_SHIFT: u32 = 36;

/// The bit of a shared address that the rank of the block begins at.
pub(crate) const RANK_SHIFT: u32 = 24;

/// The address of a place in the shared memory of the block of this rank; other bits of the address stay.
pub(crate) const fn shared_address(rank: u32, address: u64) -> u64 {
    address | (rank as u64) << RANK_SHIFT
}

/// The same place in the block of this rank.
pub(crate) const fn address_in(rank: u32, address: u64) -> u64 {
    shared_address(rank, address & !(0xff << RANK_SHIFT))
}

/// The rank and the offset that a shared address names.
pub(crate) const fn rank_and_offset(address: u64) -> (u64, u64) {
    (address >> RANK_SHIFT, address & ((1 << RANK_SHIFT) - 1))
}

/// A space that an access can go to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Space {
    /// Any of the others, told by the address.
    Generic,
    /// Memory of the whole grid.
    Global,
    /// Memory of the own block: `.shared`, `.shared::cta`.
    Shared,
    /// Memory of any block of the cluster.
    SharedCluster,
    /// Memory of one thread.
    Local,
    /// Read-only memory of the module.
    Const,
    /// The parameters of the kernel.
    Param,
}

impl Space {
    /// Whether it is memory of the own block or of one of the cluster.
    pub const fn is_shared(self) -> bool {
        matches!(self, Space::Shared | Space::SharedCluster)
    }

    /// The name in PTX.
    pub const fn as_str(self) -> &'static str {
        match self {
            Space::Generic => "generic",
            Space::Global => ".global",
            Space::Shared => ".shared",
            Space::SharedCluster => ".shared::cluster",
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
    /// The address is not a multiple of the size of the access.
    Misaligned,
    /// The memory may not be written.
    ReadOnly,
    /// An atomic operation on memory that has none.
    NotAtomic,
    /// The address lies in the shared memory of another block, and the instruction is for the own one.
    OtherBlock,
    /// The block that has the shared memory has exited.
    Exited,
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
            FaultKind::OtherBlock => {
                let (rank, _) = rank_and_offset(address);
                write!(
                    f,
                    "access of {size} bytes at {address:#x} in {space} memory is one to block {rank} of the cluster, \
                     which takes `.shared::cluster`"
                )
            }
            FaultKind::Exited => {
                let (rank, _) = rank_and_offset(address);
                write!(
                    f,
                    "access of {size} bytes at {address:#x} in {space} memory: block {rank} of the cluster has exited"
                )
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
