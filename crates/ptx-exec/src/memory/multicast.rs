//! Several memory replicas at one address (manual 9.7.9.14).

use ptx_program::memory::{ALLOCATION_SHIFT, Space};

use super::{Fault, FaultKind, GlobalMemory};

/// Memory accessed together at one multimem address.
#[derive(Clone, Debug)]
pub(crate) struct Multicast {
    /// Bytes of each replica.
    pub(crate) bytes: u64,
    /// The address of the first byte of each replica.
    pub(crate) members: Vec<u64>,
}

/// Allocation number of the first multimem object; memory has fewer allocations, and no host has such addresses.
const FIRST: usize = 1 << 27;

impl Multicast {
    /// The multimem address of the first byte of object `index`.
    pub(crate) const fn base(index: usize) -> u64 {
        GlobalMemory::base(FIRST + index)
    }

    /// The addresses in all replicas for `bytes` bytes at a multimem address; `None` if it is not the address of any of `objects`.
    pub(super) fn members(objects: &[Self], address: u64, bytes: u64) -> Option<Result<Vec<u64>, Fault>> {
        let index = ((address >> ALLOCATION_SHIFT) as usize).checked_sub(1 + FIRST)?;
        let multicast = objects.get(index)?;
        let offset = address & ((1 << ALLOCATION_SHIFT) - 1);
        if offset.saturating_add(bytes) > multicast.bytes {
            let size = bytes.min(u32::MAX.into()) as u32;
            return Some(Err(Fault { kind: FaultKind::OutOfBounds, space: Space::Global, address, size }));
        }
        Some(Ok(multicast.members.iter().map(|member| member + offset).collect()))
    }
}
