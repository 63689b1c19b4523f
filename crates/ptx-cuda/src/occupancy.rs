//! Occupancy: how many blocks are resident on a multiprocessor, by the limits of the CUDA C++ Programming Guide.

use crate::function::Function;
use crate::types::LaunchConfig;

/// Resident blocks of a multiprocessor, for blocks of so many threads and bytes of dynamic shared memory.
pub fn blocks(function: &Function, threads: u32, dynamic_shared: u32) -> u32 {
    function.gpu.model.limits().resident_blocks(function.kernel.attributes(), threads, dynamic_shared)
}

pub fn threads(config: &LaunchConfig) -> u32 {
    config.block.iter().fold(1, |all: u32, &one| all.saturating_mul(one))
}
