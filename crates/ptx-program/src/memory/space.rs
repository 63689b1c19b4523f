//! State spaces, addresses in them, and the rank of a block in shared addresses.

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
    #[inline]
    pub const fn is_shared(self) -> bool {
        matches!(self, Space::Shared | Space::SharedCluster)
    }

    /// The name in PTX.
    #[inline]
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

/// Position of the block rank in a shared address.
pub const RANK_SHIFT: u32 = 24;

/// The address of an offset in the shared memory of the block of this rank; other bits of the address are unchanged.
#[inline]
pub const fn shared_address(rank: u32, address: u64) -> u64 {
    address | (rank as u64) << RANK_SHIFT
}

/// The corresponding address in the block of this rank.
#[inline]
pub const fn address_in(rank: u32, address: u64) -> u64 {
    shared_address(rank, address & !(0xff << RANK_SHIFT))
}

/// The rank and the offset encoded in a shared address.
#[inline]
pub const fn rank_and_offset(address: u64) -> (u64, u64) {
    (address >> RANK_SHIFT, address & ((1 << RANK_SHIFT) - 1))
}

/// An address with a resolved space, never a generic one.
pub type SpaceAddress = (Space, u64);
