//! A block: its shared memory, its barriers, and what else its warps share.

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

/// What the warps of a block share.
#[derive(Debug, Default)]
pub(super) struct BlockState {
    /// Index of the block in the grid.
    pub(super) index: Dim3,
    /// The same, counted `x` first.
    pub(super) number: u64,
    /// Its rank in the cluster.
    pub(super) rank: u32,
    /// The address of its shared memory in that of the cluster.
    pub(super) window: u64,
    pub(super) shared: Vec<u8>,
    /// The same as the asynchronous proxy sees it; empty where both are one.
    pub(super) seen: Vec<u8>,
    pub(super) barriers: Vec<Barrier>,
    /// What `vprintf` wrote.
    pub(super) output: Vec<u8>,
    /// Threads of each warp that have not exited.
    pub(super) live: Vec<Mask>,
    pub(super) tensor: TensorMemory,
    /// Its warpgroups that multiply, by number.
    pub(super) warpgroups: BTreeMap<usize, Warpgroup>,
    /// Whether a barrier was completed or tensor memory freed, so that waiting warps must be woken.
    pub(super) wake: bool,
    /// The cluster, while the block runs.
    pub(super) cluster: ClusterState,
}

impl BlockState {
    /// A block of a cluster that starts.
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

    /// Notes that threads of a warp have exited, which may complete barriers.
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
