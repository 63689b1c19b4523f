//! A bulk copy or reduction with its operands resolved.

use ptx_program::memory::{Space, SpaceAddress};
use ptx_program::{Combine, Inspection};

/// Bytes copied per step, and bytes covered by a byte mask.
pub(super) const STEP: u32 = 8;
pub(super) const MASKED: u64 = 16;

/// A bulk copy or reduction of a thread.
#[derive(Clone, Debug)]
pub(super) struct BulkWork {
    pub(super) to: SpaceAddress,
    pub(super) source: Source,
    /// Bytes.
    pub(super) size: u64,
    pub(super) effect: BulkEffect,
    /// The property inspected in the data, and the mbarrier that receives the report.
    pub(super) inspection: Option<(Inspection, SpaceAddress)>,
}

/// Source of the bytes of a bulk operation.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Memory(SpaceAddress),
    /// Already read.
    Read(Box<[u8]>),
}

/// Effect of a bulk operation on its destination.
#[derive(Clone, Copy, Debug)]
pub(super) enum BulkEffect {
    /// Overwrites it.
    Copy,
    /// Overwrites the bytes of each 16 whose mask bit is set.
    CopyMasked(u64),
    /// Overwrites all but the given numbers of bytes at its beginning and end, which may be outside any allocation.
    CopyWithin([u64; 2]),
    /// Combines elements of this size with its contents, each atomically.
    Combine(Combine, u32),
}

impl BulkEffect {
    /// The range of copied bytes in a copy of `size` bytes; with a mask only some of each 16.
    pub(super) fn span(self, size: u64) -> std::ops::Range<u64> {
        match self {
            Self::Copy | Self::Combine(..) => 0..size,
            Self::CopyMasked(mask) if mask & ((1 << MASKED) - 1) == 0 => 0..0,
            Self::CopyMasked(_) => 0..size,
            Self::CopyWithin([left, right]) => left..size.saturating_sub(right).max(left),
        }
    }

    /// Whether the byte at an offset is copied.
    pub(super) fn has(self, at: u64, size: u64) -> bool {
        match self {
            Self::Copy | Self::Combine(..) => true,
            Self::CopyMasked(mask) => mask >> (at % MASKED) & 1 == 1,
            Self::CopyWithin([left, right]) => at >= left && at + right < size,
        }
    }
}

impl BulkWork {
    pub(super) fn reads_shared(&self) -> bool {
        matches!(self.source, Source::Memory((Space::Shared | Space::SharedCluster, _)))
    }
}
