//! A block: its shared memory, its barriers, and other state shared by its warps; and what the blocks of a cluster share.
//!
//! The running block of a cluster owns the state of the others, so that an access to its own shared
//! memory is as fast as in a grid without clusters.

use std::collections::BTreeMap;

use ptx_program::memory::{Space, SpaceAddress, address_in, rank_and_offset, shared_address};
use ptx_program::{Mask, WARP, WARPGROUP};

use super::barrier::Barrier;
use super::grid::Grid;
use super::meeting::BARRIERS;
use super::pending::Pending;
use super::tcgen05::TensorMemory;
use super::warpgroup::Warpgroup;
use crate::error::TrapKind;
use crate::launch::{Completion, Dim3};
use crate::memory::{Fault, FaultKind, read_bytes, write_bytes};

/// State shared by the warps of a block.
#[derive(Debug, Default)]
pub(super) struct BlockState {
    /// Index of the block in the grid.
    pub(super) index: Dim3,
    /// The linear index, `x` fastest.
    pub(super) number: u64,
    /// Its rank in the cluster.
    pub(super) rank: u32,
    /// The base address of its shared memory in the shared window of the cluster.
    pub(super) window: u64,
    pub(super) shared: Vec<u8>,
    /// Shared memory as seen by the asynchronous proxy; empty if both views agree.
    pub(super) seen: Vec<u8>,
    pub(super) barriers: Vec<Barrier>,
    /// Output of `vprintf`.
    pub(super) output: Vec<u8>,
    /// Threads of each warp that have not exited.
    pub(super) live: Vec<Mask>,
    pub(super) tensor: TensorMemory,
    /// Its warpgroups with matrix products, by number.
    pub(super) warpgroups: BTreeMap<usize, Warpgroup>,
    /// Whether a barrier was completed or tensor memory was freed, so that waiting warps must be woken.
    pub(super) wake: bool,
    /// The state of the cluster, while this block is the running one.
    pub(super) cluster: ClusterState,
}

impl BlockState {
    /// A block of a cluster that is about to start.
    pub(super) fn new(grid: &Grid<'_>, cluster: u64, rank: u32) -> Self {
        let threads = grid.geometry.threads();
        let live = (0..threads.div_ceil(WARP))
            .map(|warp| u32::MAX >> (WARP - (threads - warp * WARP).min(WARP)))
            .collect();
        let index = grid.geometry.block_index(cluster, rank);
        Self {
            index,
            number: grid.geometry.block_number(index),
            rank,
            window: shared_address(rank, 0),
            shared: vec![0; grid.geometry.shared as usize],
            seen: vec![
                0;
                if grid.completion == Completion::Eager { 0 } else { grid.geometry.shared as usize }
            ],
            barriers: vec![Barrier::default(); BARRIERS],
            live,
            ..Self::default()
        }
    }

    /// The number of products that each warp of a warpgroup has issued.
    pub(super) fn products_of(&self, warpgroup: usize) -> [u64; WARPGROUP] {
        match self.warpgroups.get(&warpgroup) {
            Some(group) => group.counts,
            // A warpgroup is listed from its first product on.
            None => [0; WARPGROUP],
        }
    }

    /// Records that threads of a warp have exited, which may complete barriers.
    pub(super) fn exited(&mut self, warp: usize, live: Mask) {
        let warps = self.live.len();
        if let Some(entry) = self.live.get_mut(warp) {
            *entry = live;
        }
        self.wake |= !self.warpgroups.is_empty();
        for barrier in &mut self.barriers {
            self.wake |= barrier.complete(&self.live);
        }
        let cluster = &mut self.cluster;
        if let Some(entry) = cluster.live.get_mut(self.rank as usize * warps + warp) {
            *entry = live;
        }
        cluster.wake |= cluster.barrier.complete(&cluster.live);
    }
}

/// State shared by the blocks of a cluster, owned by the running block.
#[derive(Debug, Default)]
pub(super) struct ClusterState {
    /// The blocks by rank, with an empty placeholder for the running one.
    pub(super) peers: Vec<BlockState>,
    /// The barrier of the threads of all blocks (`barrier.cluster`).
    pub(super) barrier: Barrier,
    /// Threads that have not exited, for each warp of each block in rank order.
    pub(super) live: Vec<Mask>,
    /// Whether the barrier was completed, so that waiting warps must be woken.
    pub(super) wake: bool,
    /// Asynchronous operations in flight.
    pub(super) pending: Pending,
    /// Number of actions of watched threads that other threads may notice, or whose outcome does not depend on the acting thread alone.
    pub(super) disturbances: u64,
}

impl ClusterState {
    /// Number of blocks of the cluster.
    pub(super) fn blocks(&self) -> usize {
        self.peers.len()
    }

    /// Its blocks by rank, with an empty placeholder for the running one.
    pub(super) fn peers_mut(&mut self) -> &mut [BlockState] {
        &mut self.peers
    }
}

/// The address in the block of the target rank that corresponds to a shared address; unchanged without a target.
pub(super) fn in_target((space, address): SpaceAddress, target: Option<u32>) -> SpaceAddress {
    match target {
        None => (space, address),
        Some(rank) => (Space::SharedCluster, address_in(rank, address)),
    }
}

/// The block that a shared address refers to.
pub(super) enum Owner {
    Running,
    Peer(usize),
}

impl BlockState {
    /// Reads 1, 2, 4 or 8 bytes of the cluster's shared memory.
    #[inline]
    pub(super) fn read_shared(&self, space: Space, address: u64, size: u32) -> Result<u64, Fault> {
        match read_bytes(&self.shared, space, address ^ self.window, size) {
            Ok(value) => Ok(value),
            Err(_) => self.read_elsewhere(space, address, size),
        }
    }

    /// Writes 1, 2, 4 or 8 bytes of the cluster's shared memory.
    #[inline]
    pub(super) fn write_shared(
        &mut self,
        space: Space,
        address: u64,
        size: u32,
        value: u64,
    ) -> Result<(), Fault> {
        match write_bytes(&mut self.shared, space, address ^ self.window, size, value) {
            Ok(()) => Ok(()),
            Err(_) => self.write_elsewhere(space, address, size, value),
        }
    }

    #[cold]
    fn read_elsewhere(&self, space: Space, address: u64, size: u32) -> Result<u64, Fault> {
        let (owner, offset) = self.owner(space, address, size)?;
        let block = match owner {
            Owner::Running => self,
            Owner::Peer(rank) => self.cluster.peers.get(rank).unwrap_or(self),
        };
        read_bytes(&block.shared, space, offset, size).map_err(|fault| Fault { address, ..fault })
    }

    #[cold]
    fn write_elsewhere(&mut self, space: Space, address: u64, size: u32, value: u64) -> Result<(), Fault> {
        let (owner, offset) = self.owner(space, address, size)?;
        let shared = match owner {
            Owner::Running => &mut self.shared,
            Owner::Peer(rank) => match self.cluster.peers.get_mut(rank) {
                Some(peer) => &mut peer.shared,
                None => &mut self.shared,
            },
        };
        write_bytes(shared, space, offset, size, value).map_err(|fault| Fault { address, ..fault })
    }

    /// The block whose shared memory contains an address, and the offset in it.
    pub(super) fn owner(&self, space: Space, address: u64, size: u32) -> Result<(Owner, u64), Fault> {
        let fault = |kind| Err(Fault { kind, space, address, size });
        let blocks = self.cluster.blocks();
        // A shared address contains the rank of its block in its upper bits. In `.shared::cta` rank 0 denotes the own
        // block, regardless of its rank: these are the offsets that programs compute with.
        let (rank, offset) = rank_and_offset(address);
        let own = u64::from(self.rank);
        let is_own = rank == own || rank == 0 && space == Space::Shared;
        match usize::try_from(rank) {
            _ if is_own => Ok((Owner::Running, offset)),
            Ok(rank) if rank < blocks => {
                if space == Space::Shared {
                    return fault(FaultKind::OtherBlock);
                }
                match self.cluster.peers.get(rank) {
                    Some(peer) if peer.live.iter().any(|&live| live != 0) => Ok((Owner::Peer(rank), offset)),
                    _ => fault(FaultKind::Exited),
                }
            }
            _ => fault(FaultKind::OutOfBounds),
        }
    }

    /// Switches to the block of this rank, which takes ownership of the cluster state.
    pub(super) fn become_block(&mut self, rank: u32) {
        // Three moves: take the shared state out of the block that ran; swap the two blocks; swap the list entry of the
        // next block, which now contains the old block, with the old block's entry, which contained the placeholder.
        // References to the running block stay valid.
        let last = self.rank;
        if last == rank {
            return;
        }
        let mut cluster = std::mem::take(&mut self.cluster);
        if let Some(next) = cluster.peers.get_mut(rank as usize) {
            std::mem::swap(self, next);
            cluster.peers.swap(last as usize, rank as usize);
        }
        self.cluster = cluster;
    }

    /// Calls `action` with the block and its peer, whose rank differs in the lowest bit; `None` if there is no peer.
    pub(super) fn with_peer<T>(&mut self, action: impl FnOnce(&mut Self, &mut Self) -> T) -> Option<T> {
        let rank = (self.rank ^ 1) as usize;
        let mut peer = std::mem::take(self.cluster.peers.get_mut(rank)?);
        let done = action(self, &mut peer);
        if let Some(place) = self.cluster.peers.get_mut(rank) {
            *place = peer;
        }
        Some(done)
    }

    /// The blocks in a multicast mask; without a mask the block that the address itself refers to.
    pub(super) fn targets(&self, mask: Option<u64>) -> Result<Vec<Option<u32>>, TrapKind> {
        let Some(mask) = mask else { return Ok(vec![None]) };
        if mask >> self.cluster.blocks().min(63) != 0 {
            let text = format!("the mask {mask:#x} names blocks that the cluster does not have");
            return Err(TrapKind::Misuse(text));
        }
        Ok((0..u64::BITS).filter(|rank| mask >> rank & 1 == 1).map(Some).collect())
    }

    /// Converts an address to a form that is valid in every block of the cluster.
    pub(super) fn absolute(&self, (space, address): SpaceAddress, size: u32) -> Result<SpaceAddress, Fault> {
        match space {
            Space::Shared | Space::SharedCluster if self.cluster.blocks() > 1 => {
                match self.owner(space, address, size)? {
                    (Owner::Running, offset) => Ok((Space::SharedCluster, self.window | offset)),
                    (Owner::Peer(_), _) => Ok((space, address)),
                }
            }
            Space::Shared | Space::SharedCluster => Ok((Space::Shared, address)),
            Space::Generic | Space::Global | Space::Local | Space::Const | Space::Param => {
                Ok((space, address))
            }
        }
    }
}
