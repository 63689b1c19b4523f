//! A block: its shared memory, its barriers, and other state shared by its warps.

use std::collections::BTreeMap;

use super::barrier::Barrier;
use super::cluster::ClusterState;
use super::grid::Grid;
use super::meeting::BARRIERS;
use super::tcgen05::TensorMemory;
use super::wgmma::Warpgroup;
use crate::launch::{Completion, Dim3};
use crate::memory::shared_address;
use crate::program::{Mask, WARP};

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
