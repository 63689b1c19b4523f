//! Occupancy.

use std::ffi::{c_int, c_uint};

use crate::api::launch::config;
use crate::entries;
use crate::entry::NullStream;
use crate::functions::{
    cuOccupancyAvailableDynamicSMemPerBlock, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
    cuOccupancyMaxActiveClusters, cuOccupancyMaxPotentialClusterSize,
};
use crate::pointer::{In, Out};
use crate::registry::function;
use crate::types::RuntimeLaunchConfig;

entries! {
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks: Out<c_int>, address: u64, threads: c_int, shared: usize) {
        cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function(address)?, threads, shared, 0)
    }

    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<c_int>, address: u64, threads: c_int, shared: usize, flags: c_uint,
    ) {
        cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function(address)?, threads, shared, flags)
    }

    fn cudaOccupancyAvailableDynamicSMemPerBlock(bytes: Out<usize>, address: u64, blocks: c_int, threads: c_int) {
        cuOccupancyAvailableDynamicSMemPerBlock(bytes, function(address)?, blocks, threads)
    }

    fn cudaOccupancyMaxPotentialClusterSize(blocks: Out<c_int>, address: u64, given: In<RuntimeLaunchConfig>) {
        let config = config(&given.get()?, NullStream::Legacy)?;
        cuOccupancyMaxPotentialClusterSize(blocks, function(address)?, In::from(&config))
    }

    fn cudaOccupancyMaxActiveClusters(clusters: Out<c_int>, address: u64, given: In<RuntimeLaunchConfig>) {
        let config = config(&given.get()?, NullStream::Legacy)?;
        cuOccupancyMaxActiveClusters(clusters, function(address)?, In::from(&config))
    }
}
