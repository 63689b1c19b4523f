//! Memory of a launch: state spaces, generic addresses and checked accesses (manual 5.1, 6.4.1.1).
//!
//! The upper bits of a generic address encode its space ([`windows`]), so that every allocation is surrounded by
//! unmapped addresses, a null pointer and small offsets from it are never valid, and addresses in `.shared`, `.local`,
//! `.const` and `.param` fit in 32 bits. Modules with 32-bit addresses have separate windows ([`AddressSize`]). In
//! memory that outlives launches ([`Memory`]) global addresses are host addresses, unless the memory is for 32-bit
//! addresses; host memory at an address inside a window cannot be registered.
//!
//! A shared address contains the rank of its block in the cluster in bits 31..24 and the offset below, so that an
//! address of the own memory (`.shared::cta`) is also valid for `.shared::cluster`, as the windows of the manual are
//! nested (5.1.8). A number below 2^24, which is the address of no variable in a block of rank 1 or higher, refers with
//! `.shared::cta` to the own memory in every block.
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
pub use device::{Memory, MemoryError, RegionInfo, RegionKind, Words};
pub use global::Order;
pub(crate) use global::{Concurrency, GlobalMemory};
pub(crate) use multicast::Multicast;
pub(crate) use pieces::Pieces;
pub(crate) use private::{check_bytes, read_bytes, write_bytes};
pub(crate) use region::Region;
pub use windows::AddressSize;
pub(crate) use windows::{LOW_FUNCTIONS, LOW_LOCAL_BYTES};

use std::fmt;

/// Bits of a global address below the allocation number.
pub(crate) const ALLOCATION_SHIFT: u32 = 36;

/// Position of the block rank in a shared address.
pub(crate) const RANK_SHIFT: u32 = 24;

/// The address of an offset in the shared memory of the block of this rank; other bits of the address are unchanged.
pub(crate) const fn shared_address(rank: u32, address: u64) -> u64 {
    address | (rank as u64) << RANK_SHIFT
}

/// The corresponding address in the block of this rank.
pub(crate) const fn address_in(rank: u32, address: u64) -> u64 {
    shared_address(rank, address & !(0xff << RANK_SHIFT))
}

/// The rank and the offset encoded in a shared address.
pub(crate) const fn rank_and_offset(address: u64) -> (u64, u64) {
    (address >> RANK_SHIFT, address & ((1 << RANK_SHIFT) - 1))
}

/// The state space of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Space {
    /// Any of the others, determined by the address.
    Generic,
    /// Memory of the whole grid.
    Global,
    /// Shared memory of the own block: `.shared`, `.shared::cta`.
    Shared,
    /// Shared memory of any block of the cluster.
    SharedCluster,
    /// Memory of one thread.
    Local,
    /// Read-only memory of the module.
    Const,
    /// The parameters of the kernel.
    Param,
}

impl Space {
    /// Whether it is shared memory, of the own block or of one of the cluster.
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

/// The reason why an access faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// The bytes are not all within one allocation.
    OutOfBounds,
    /// The memory has been freed.
    Freed,
    /// The address is not a multiple of the size of the access.
    Misaligned,
    /// The memory is read-only.
    ReadOnly,
    /// An atomic operation on memory that does not support it.
    NotAtomic,
    /// The address is in the shared memory of another block, but the instruction only accesses the own one.
    OtherBlock,
    /// The block that owns the shared memory has exited.
    Exited,
}

/// A memory access that faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The reason.
    pub kind: FaultKind,
    /// The space of the access; a generic address in no window stays generic.
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
