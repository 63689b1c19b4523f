//! What blocks of a cluster do with each other (manual 9.7.9.23, 9.7.13.3, 9.7.13.17).

use super::{Address, Dst, Src};

/// What a thread does at the barrier of its cluster (manual 9.7.13.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ClusterAction {
    Arrive,
    Wait,
}

/// `mapa`: the address, in the block of a rank, that corresponds to a shared address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct MapAddress {
    pub d: Dst,
    pub a: Src,
    pub rank: Src,
    /// Where shared memory begins among the generic addresses, where they are generic.
    pub window: Option<u64>,
}

/// Which blocks get an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Audience {
    /// The one that asks.
    Block,
    /// `.multicast::cluster::all`: all of its cluster, each at the same place.
    Cluster,
}

/// `clusterlaunchcontrol.try_cancel`: takes a cluster that has not started from the launch. The answer has 16 bytes: the index
/// of its first block, 32 bits each, then whether there was one, in the highest bit.
#[derive(Clone, Debug, Hash)]
pub struct TryCancel {
    pub to: Address,
    /// The barrier that counts the bytes.
    pub barrier: Address,
    pub audience: Audience,
}
