//! Memory of the host that devices may access: allocated here, registered, or managed. All devices know it by its address in the process.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use ptx_device::HostRegion;

use crate::driver::{Driver, lock};
use crate::error::{Answer, CUresult, Failure};

pub const PAGE: usize = 4096;

/// Memory that is registered with devices, and its layout if it was allocated here.
#[derive(Debug)]
pub struct Block {
    pub layout: Option<Layout>,
}

pub static BLOCKS: Mutex<BTreeMap<u64, Block>> = Mutex::new(BTreeMap::new());

/// Registers memory of the process with all devices.
pub fn publish(address: u64, bytes: u64, is_writable: bool, name: &str) -> Answer {
    let start = address & !7;
    let words = (address + bytes).div_ceil(8) - start / 8;
    // SAFETY: the memory is allocated until it is withdrawn, or the caller guarantees so. Whole words are within its pages.
    let words = unsafe { std::slice::from_raw_parts(start as *const AtomicU64, words as usize) };
    let mut told: Vec<&ptx_device::Device> = Vec::new();
    for gpu in &Driver::get()?.gpus {
        let region = HostRegion { words, address, bytes, is_writable };
        if let Err(error) = gpu.device.register(region, name) {
            for device in told {
                // It was registered above, so this cannot fail.
                let _ = device.unregister(address);
            }
            return Err(gpu.failure(error));
        }
        told.push(&gpu.device);
    }
    Ok(())
}

/// Removes memory from all devices, once they are idle.
pub fn withdraw(address: u64) -> Answer {
    for gpu in &Driver::get()?.gpus {
        gpu.device.unregister(address)?;
    }
    Ok(())
}

/// Allocates zeroed memory of the process that all devices know.
pub fn allocate(bytes: usize, name: &str) -> Answer<u64> {
    let size = bytes.max(1).checked_next_multiple_of(PAGE).ok_or(CUresult::OUT_OF_MEMORY)?;
    let layout = Layout::from_size_align(size, PAGE).map_err(|_| CUresult::OUT_OF_MEMORY)?;
    // Pages are allocated when they are first accessed: without a limit, the system would end the process at that time for lack of memory.
    let used: u64 = lock(&BLOCKS).values().filter_map(|block| Some(block.layout?.size() as u64)).sum();
    let most = Driver::get()?.gpus.iter().map(|gpu| gpu.memory_bytes).max().ok_or(CUresult::NO_DEVICE)?;
    if size as u64 > most.saturating_sub(used) {
        return Err(Failure::because(
            CUresult::OUT_OF_MEMORY,
            format!("{size} bytes beside {used} of {most}"),
        ));
    }
    // SAFETY: the size is not zero.
    let memory = unsafe { std::alloc::alloc_zeroed(layout) };
    if memory.is_null() {
        return Err(CUresult::OUT_OF_MEMORY.into());
    }
    let address = memory as u64;
    if let Err(failure) = publish(address, bytes as u64, true, name) {
        // SAFETY: it was allocated with this layout, and no one knows it.
        unsafe { std::alloc::dealloc(memory, layout) };
        return Err(failure);
    }
    lock(&BLOCKS).insert(address, Block { layout: Some(layout) });
    Ok(address)
}

impl Block {
    /// Removes memory from all devices, and frees it if it was allocated here.
    pub fn take(address: u64, is_allocated: bool) -> Answer {
        withdraw(address)?;
        let block = lock(&BLOCKS).remove(&address);
        if let Some(layout) = block.and_then(|block| block.layout).filter(|_| is_allocated) {
            // SAFETY: it was allocated with this layout, and the devices no longer know it.
            unsafe { std::alloc::dealloc(address as *mut u8, layout) };
        }
        Ok(())
    }
}
