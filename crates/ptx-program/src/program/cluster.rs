//! Operations between the blocks of a cluster (manual 9.7.9.23, 9.7.13.3, 9.7.13.17).

use super::{Address, Dst, Src};

/// Action of a thread at the cluster barrier (manual 9.7.13.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ClusterAction {
    /// Arrives without waiting.
    Arrive,
    /// Waits for the threads that have not arrived.
    Wait,
}

/// `mapa`: the address, in the block of a given rank, that corresponds to a shared address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct MapAddress {
    /// The destination of the address.
    pub d: Dst,
    /// The shared address.
    pub a: Src,
    /// The rank of the block.
    pub rank: Src,
    /// Base of the shared window, if the addresses are generic.
    pub window: Option<u64>,
}

/// The blocks that receive a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Audience {
    /// The requesting block.
    Block,
    /// `.multicast::cluster::all`: all blocks of its cluster, each at the same offset.
    Cluster,
}

/// `clusterlaunchcontrol.try_cancel`: cancels the launch of a cluster that has not started. The response has 16 bytes:
/// the index of its first block, 32 bits each, and in the highest bit whether a cluster was cancelled.
#[derive(Clone, Debug, Hash)]
pub struct TryCancel {
    /// Where the response is written.
    pub to: Address,
    /// The mbarrier that counts the bytes.
    pub barrier: Address,
    /// The blocks that receive the response.
    pub audience: Audience,
}
