//! Devices: their number and attributes.

use crate::driver::{Driver, Gpu};
use crate::error::{Answer, Failure};
use crate::types::MemoryLocation;

/// Multiprocessors of a device: as programs launch a number of blocks for each, a few are enough to keep the threads of a CPU busy.
pub const MULTIPROCESSORS: u32 = 16;

pub const LARGEST_PITCH: u32 = i32::MAX as u32;

/// Memory that a device can still allocate.
pub fn free_bytes(gpu: &Gpu) -> u64 {
    gpu.memory_bytes.saturating_sub(gpu.device.used_bytes())
}

/// The device of a location of memory, if it is one.
pub fn of_location(location: MemoryLocation) -> Answer<Option<&'static Gpu>> {
    match location.kind {
        1 => Driver::gpu(location.id).map(Some),
        2..=4 => Ok(None),
        _ => Err(Failure::value("the location of memory is neither a device nor the host")),
    }
}
