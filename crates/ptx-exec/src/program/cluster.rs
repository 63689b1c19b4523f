//! What blocks of a cluster do with each other (manual 9.7.9.23, 9.7.13.3).

use super::{Dst, Src};

/// What a thread does at the barrier of its cluster (manual 9.7.13.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClusterAction {
    Arrive,
    Wait,
}

/// `mapa`: the address, in the block of a rank, that corresponds to a shared address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MapAddress {
    pub(crate) d: Dst,
    pub(crate) a: Src,
    pub(crate) rank: Src,
    /// Whether the addresses are generic.
    pub(crate) is_generic: bool,
}
