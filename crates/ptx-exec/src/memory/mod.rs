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
mod boxes;
mod device;
mod fault;
mod freed;
mod global;
mod multicast;
mod pieces;
mod private;
mod region;
mod shadow;
mod space;
mod windows;

pub(crate) use arena::Arena;
pub use beyond::{HostMemory, HostRegion};
pub use boxes::{BoxSize, Pitched};
pub use device::{Bounds, Memory, MemoryError, MemoryKind, MemoryOptions, RegionInfo, RegionKind, Words};
pub use fault::{Fault, FaultKind};
pub use global::Order;
pub(crate) use global::{Concurrency, GlobalMemory};
pub(crate) use multicast::Multicast;
pub(crate) use pieces::Pieces;
pub(crate) use private::{check_bytes, read_bytes, write_bytes};
pub(crate) use region::Region;
pub use space::Space;
pub(crate) use space::{RANK_SHIFT, SpaceAddress, address_in, rank_and_offset, shared_address};
pub use windows::AddressSize;
pub(crate) use windows::{ALLOCATION_SHIFT, LOW_FUNCTIONS, LOW_LOCAL_BYTES};
