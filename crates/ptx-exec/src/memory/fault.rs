//! Faulty accesses: the reason, and the message.

use std::fmt;

use ptx_diag::counted;
use ptx_program::memory::{AddressSize, Space, rank_and_offset};

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

impl Fault {
    /// The same with the space of a generic address, if it has one.
    pub(crate) fn resolved(self, size: AddressSize) -> Self {
        let resolved = match self.space {
            Space::Generic => Space::of_generic(self.address, size),
            _ => None,
        };
        match resolved {
            Some((space, address)) => Self { space, address, ..self },
            None => self,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, space, address) = (counted(self.size, "byte"), self.space.as_str(), self.address);
        match self.kind {
            FaultKind::OutOfBounds => {
                write!(f, "access of {size} at {address:#x} in {space} memory is out of bounds")
            }
            FaultKind::Freed => {
                write!(f, "access of {size} at {address:#x} in {space} memory that was freed")
            }
            FaultKind::Misaligned => {
                write!(f, "access of {size} at {address:#x} in {space} memory is not aligned to {size}")
            }
            FaultKind::ReadOnly => {
                write!(f, "write of {size} at {address:#x} in {space} memory, which is read-only")
            }
            FaultKind::OtherBlock => {
                let (rank, _) = rank_and_offset(address);
                write!(
                    f,
                    "access of {size} at {address:#x} in {space} memory is one to block {rank} of the cluster, \
                     which takes `.shared::cluster`"
                )
            }
            FaultKind::Exited => {
                let (rank, _) = rank_and_offset(address);
                write!(
                    f,
                    "access of {size} at {address:#x} in {space} memory: block {rank} of the cluster has exited"
                )
            }
            FaultKind::NotAtomic => {
                write!(f, "atomic operation on {size} at {address:#x} in {space} memory, which has none")
            }
        }
    }
}
