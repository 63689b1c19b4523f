//! Memory of a launch: regions and checked accesses.
//!
//! The upper bits of a generic address encode its space ([`ptx_program::memory`]), so that every allocation is surrounded by
//! unmapped addresses. In memory that outlives launches ([`Memory`]) global addresses are host addresses, unless the memory is
//! for 32-bit addresses; host memory at an address inside a window cannot be registered.
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

pub(crate) use arena::Arena;
pub use beyond::{HostMemory, HostRegion};
pub use boxes::{BoxSize, Pitched};
pub use device::{Bounds, Memory, MemoryError, MemoryKind, MemoryOptions, RegionInfo, RegionKind, Words};
pub use fault::{Fault, FaultKind};
pub(crate) use global::{Concurrency, GlobalMemory};
pub(crate) use multicast::Multicast;
pub(crate) use pieces::Pieces;
pub(crate) use private::{check_bytes, read_bytes, write_bytes};
pub(crate) use region::Region;
