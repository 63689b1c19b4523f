//! The shape of a launch, and the numbers of its blocks, clusters, warps and threads.

use ptx_program::WARP;

use crate::launch::Dim3;

/// The shape of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// Blocks of the grid.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Blocks of a cluster; the grid extents are multiples of it.
    pub cluster: Dim3,
    /// Whether the launch or the kernel specifies the cluster shape.
    pub is_explicit_cluster: bool,
    /// Bytes of shared memory of a block, including dynamic shared memory.
    pub shared: u32,
    /// Bytes of dynamic shared memory requested by the launch.
    pub dynamic_shared: u32,
}

fn product(dims: Dim3) -> u64 {
    dims.iter().fold(1, |product, &dim| product.saturating_mul(dim.into()))
}

/// The position of linear index `number` in a shape, `x` fastest.
fn unflatten(number: u64, [x, y, _]: Dim3) -> Dim3 {
    let (x, y) = (u64::from(x.max(1)), u64::from(y.max(1)));
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

impl Geometry {
    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        product(self.grid)
    }

    /// Threads of a block.
    pub fn threads(&self) -> usize {
        product(self.block) as usize
    }

    /// Extents of the grid in clusters.
    pub fn cluster_grid(&self) -> Dim3 {
        std::array::from_fn(|axis| self.grid[axis] / self.cluster[axis].max(1))
    }

    /// Number of clusters of the grid.
    pub fn clusters(&self) -> u64 {
        product(self.cluster_grid())
    }

    /// Blocks of a cluster.
    pub fn cluster_size(&self) -> u32 {
        product(self.cluster) as u32
    }

    /// The index of a cluster in the grid of clusters.
    pub fn cluster_index(&self, cluster: u64) -> Dim3 {
        unflatten(cluster, self.cluster_grid())
    }

    /// The index of the block of a given rank in its cluster (manual 10: `%cluster_ctaid`, `%cluster_ctarank`).
    pub fn index_in_cluster(&self, rank: u32) -> Dim3 {
        unflatten(rank.into(), self.cluster)
    }

    /// The index in the grid of the block of a given cluster and rank.
    pub fn block_index(&self, cluster: u64, rank: u32) -> Dim3 {
        let (first, own) = (self.cluster_index(cluster), self.index_in_cluster(rank));
        std::array::from_fn(|axis| first[axis] * self.cluster[axis] + own[axis])
    }

    /// The linear index of a block in the grid, `x` fastest.
    pub fn block_number(&self, [x, y, z]: Dim3) -> u64 {
        let [width, height, _] = self.grid.map(u64::from);
        u64::from(x) + width * (u64::from(y) + height * u64::from(z))
    }

    /// The index of a thread in its block.
    pub fn thread(&self, warp: usize, lane: usize) -> Dim3 {
        unflatten((warp * WARP + lane) as u64, self.block)
    }
}

/// Identifies a warp of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct WarpId {
    /// The rank of its block in the cluster.
    pub(crate) rank: u32,
    /// Its number in the block.
    pub(crate) index: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Geometry = Geometry {
        grid: [1; 3],
        block: [1; 3],
        cluster: [1; 3],
        is_explicit_cluster: false,
        shared: 0,
        dynamic_shared: 0,
    };

    #[test]
    fn threads_are_numbered_x_first() {
        let geometry = Geometry { grid: [2, 3, 4], block: [5, 4, 3], ..NOTHING };
        assert_eq!(geometry.thread(1, 3), [0, 3, 1], "thread 35 = 0 + 3 * 5 + 1 * 20");
        assert_eq!(geometry.block_index(23, 0), [1, 2, 3]);
        assert_eq!((geometry.threads(), geometry.blocks()), (60, 24));
    }

    #[test]
    fn blocks_are_numbered_by_cluster_and_rank() {
        let geometry = Geometry { grid: [6, 4, 3], cluster: [2, 2, 1], ..NOTHING };
        assert_eq!((geometry.clusters(), geometry.cluster_size()), (18, 4));
        // Cluster 7 = 1 + 0 * 3 + 1 * 6; rank 3 = 1 + 1 * 2.
        assert_eq!(geometry.cluster_index(7), [1, 0, 1]);
        assert_eq!(geometry.index_in_cluster(3), [1, 1, 0]);
        assert_eq!(geometry.block_index(7, 3), [3, 1, 1]);
        assert_eq!(geometry.block_number([3, 1, 1]), 3 + 6 + 24);
    }
}
