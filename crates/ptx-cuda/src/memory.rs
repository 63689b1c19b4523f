//! Memory: allocations, lookup by address, and accesses.
//!
//! Device addresses are addresses of the process. Memory of a device is accessed through it, which checks the bounds of each access; memory of the host
//! that is allocated, registered or managed here is known to all devices and accessed directly.

use std::collections::BTreeMap;
use std::ffi::c_uint;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};

use crate::device;
use crate::driver::{Driver, Gpu};
use crate::error::{Answer, CUresult, Failure};
use crate::graph_memory::GraphMemory;
use crate::handle::AnyHandle;
use crate::host_memory::Block;
use crate::pointer::{copy_host, host_bytes, host_bytes_mut};

/// What is allocated from a pool.
#[derive(Debug, Default)]
pub struct PoolUsage {
    /// The handle of the pool.
    pub handle: AtomicU64,
    pub used: AtomicU64,
    pub most_used: AtomicU64,
}

impl PoolUsage {
    /// Counts an allocation.
    pub fn add(&self, bytes: u64) {
        let used = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.most_used.fetch_max(used, Ordering::Relaxed);
    }
}

/// The kind of an allocation.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Memory of a device.
    Device,
    /// Memory of a device from a pool.
    Pool(Arc<PoolUsage>),
    /// Memory of an allocation node of a graph.
    Graph(Weak<GraphMemory>),
    /// Memory of the host that was allocated with these flags.
    Host(c_uint),
    /// Memory of the program that was registered.
    Registered,
    Managed,
    /// Mapped virtual memory.
    Virtual,
}

/// An allocation.
#[derive(Clone, Debug)]
pub struct Allocation {
    pub base: u64,
    pub bytes: u64,
    pub kind: Kind,
    pub context: AnyHandle,
    pub gpu: &'static Gpu,
    /// `CU_POINTER_ATTRIBUTE_BUFFER_ID`.
    pub id: u64,
}

impl Allocation {
    /// Counts that it is freed.
    pub fn count_free(&self) {
        if let Kind::Pool(usage) = &self.kind {
            usage.used.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }

    pub fn is_managed(&self) -> bool {
        matches!(self.kind, Kind::Managed)
    }

    /// Whether it is memory of the host process that all devices know.
    pub fn is_of_host(&self) -> bool {
        matches!(self.kind, Kind::Host(_) | Kind::Registered | Kind::Managed | Kind::Virtual)
    }
}

static ALLOCATIONS: RwLock<BTreeMap<u64, Allocation>> = RwLock::new(BTreeMap::new());

/// Records an allocation.
pub fn remember(base: u64, bytes: u64, kind: Kind, context: AnyHandle, gpu: &'static Gpu) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut all = ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner);
    all.insert(base, Allocation { base, bytes, kind, context, gpu, id });
}

/// The allocation that contains an address.
pub fn find(address: u64) -> Option<Allocation> {
    let all = ALLOCATIONS.read().unwrap_or_else(PoisonError::into_inner);
    let (_, found) = all.range(..=address).next_back()?;
    (address - found.base < found.bytes).then(|| found.clone())
}

/// The allocation that begins at an address, whose record is removed if its kind is as expected.
pub fn forget(base: u64, is_expected: impl Fn(&Kind) -> bool) -> Option<Allocation> {
    let mut all = ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner);
    if is_expected(&all.get(&base)?.kind) { all.remove(&base) } else { None }
}

/// Changes the kind of the allocation that begins at an address.
pub fn set_kind(base: u64, kind: Kind) {
    let mut all = ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = all.get_mut(&base) {
        found.kind = kind;
    }
}

/// Allocations that overlap a range.
pub fn overlaps(address: u64, bytes: u64) -> bool {
    let all = ALLOCATIONS.read().unwrap_or_else(PoisonError::into_inner);
    let last = all.range(..address.saturating_add(bytes)).next_back();
    last.is_some_and(|(_, found)| found.base + found.bytes > address)
}

/// Frees what was allocated in a context.
pub fn free_of(context: AnyHandle) {
    let mut all = ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner);
    let (of_context, rest) =
        std::mem::take(&mut *all).into_iter().partition(|(_, found)| found.context == context);
    *all = rest;
    drop(all);
    let of_context: BTreeMap<u64, Allocation> = of_context;
    for allocation in of_context.into_values() {
        // Without a record it cannot be freed twice.
        let _ = release(&allocation);
    }
}

/// Frees the memory of an allocation whose record was removed.
pub fn release(allocation: &Allocation) -> Answer {
    match allocation.kind {
        Kind::Device | Kind::Pool(_) | Kind::Graph(_) => {
            allocation.gpu.device.free(allocation.base)?;
            allocation.count_free();
        }
        Kind::Host(_) | Kind::Managed => Block::take(allocation.base, true)?,
        Kind::Registered => Block::take(allocation.base, false)?,
        Kind::Virtual => {}
    }
    Ok(())
}

/// Frees memory of a pool in the order of a stream, on whose thread this is: the device is not idle.
pub fn free_now(address: u64) -> Answer {
    let found = forget(address, |kind| matches!(kind, Kind::Device | Kind::Pool(_) | Kind::Managed));
    let found = found.ok_or_else(|| Failure::value(format!("{address:#x} is not allocated")))?;
    if matches!(found.kind, Kind::Managed) {
        return release_when_idle(found);
    }
    found.count_free();
    Ok(found.gpu.device.release(found.base)?)
}

/// Frees memory of the process when no device is busy, since kernels of other streams may use it. Another thread does so: until the calling stream
/// goes on, its device is busy.
fn release_when_idle(allocation: Allocation) -> Answer {
    let thread = std::thread::Builder::new().name("free".to_owned());
    // A device that an error stopped keeps the memory: it frees none.
    let started = thread.spawn(move || drop(release(&allocation)));
    started.map(drop).map_err(|error| Failure::because(CUresult::OUT_OF_MEMORY, error.to_string()))
}

/// Allocates memory of a device.
pub fn allocate(gpu: &'static Gpu, bytes: u64, kind: Kind, context: AnyHandle) -> Answer<u64> {
    if bytes > device::free_bytes(gpu) {
        let text = format!("{bytes} bytes; {} are free", device::free_bytes(gpu));
        return Err(Failure::because(CUresult::OUT_OF_MEMORY, text));
    }
    let base = gpu.device.allocate(bytes).map_err(|error| gpu.failure(error))?;
    remember(base, bytes, kind, context, gpu);
    Ok(base)
}

/// Where memory is.
#[derive(Clone, Copy, Debug)]
pub enum Home {
    /// Memory of a device: an allocation, or a variable of a module.
    Gpu(&'static Gpu),
    /// Memory of the process that is known to all devices, or not known at all.
    Host,
}

/// The region that contains an address, and where it is; `None` if it is unknown.
pub fn region(address: u64) -> Option<(u64, u64, Home)> {
    if let Some(found) = find(address) {
        let home = if found.is_of_host() { Home::Host } else { Home::Gpu(found.gpu) };
        return Some((found.base, found.bytes, home));
    }
    let gpus = Driver::get().ok()?.gpus.iter();
    let mut variables = gpus.filter_map(|gpu| Some((gpu, gpu.device.region(address)?)));
    variables.next().map(|(gpu, found)| (found.address, found.bytes, Home::Gpu(gpu)))
}

/// Whether memory is that of the host process.
pub fn is_of_host(address: u64) -> bool {
    matches!(home(address), Home::Host)
}

fn home(address: u64) -> Home {
    region(address).map_or(Home::Host, |(_, _, home)| home)
}

/// Fails unless bytes are in one region that devices know.
pub fn require(address: u64, bytes: u64) -> Answer {
    if bytes == 0 {
        return Ok(());
    }
    let outside = || Failure::value(format!("{bytes} bytes at {address:#x} are not memory of a device"));
    let (mut base, mut size, home) = region(address).ok_or_else(outside)?;
    // Mappings of virtual memory may follow one another.
    while address.checked_add(bytes).ok_or_else(outside)? > base + size {
        match find(base + size) {
            Some(next) if matches!(next.kind, Kind::Virtual) && matches!(home, Home::Host) => {
                (base, size) = (next.base, next.bytes);
            }
            _ => return Err(outside()),
        }
    }
    Ok(())
}

/// Reads bytes of any memory.
pub fn read(address: u64, to: &mut [u8]) -> Answer {
    match home(address) {
        Home::Gpu(gpu) => gpu.device.read(address, to).map_err(|error| gpu.failure(error)),
        Home::Host => {
            to.copy_from_slice(host_bytes(address, to.len()));
            Ok(())
        }
    }
}

/// Writes bytes of any memory.
pub fn write(address: u64, from: &[u8]) -> Answer {
    match home(address) {
        Home::Gpu(gpu) => gpu.device.write(address, from).map_err(|error| gpu.failure(error)),
        Home::Host => {
            host_bytes_mut(address, from.len()).copy_from_slice(from);
            Ok(())
        }
    }
}

/// Copies bytes between any memories.
pub fn transfer(to: u64, from: u64, bytes: u64) -> Answer {
    let count = bytes as usize;
    match (home(to), home(from)) {
        (Home::Host, Home::Host) => copy_host(to, from, count),
        (Home::Gpu(gpu), Home::Host) => {
            gpu.device.write(to, host_bytes(from, count)).map_err(|e| gpu.failure(e))?;
        }
        (Home::Host, Home::Gpu(gpu)) => {
            gpu.device.read(from, host_bytes_mut(to, count)).map_err(|e| gpu.failure(e))?;
        }
        (Home::Gpu(one), Home::Gpu(other)) if one.ordinal == other.ordinal => {
            one.device.copy(to, from, bytes).map_err(|error| one.failure(error))?;
        }
        (Home::Gpu(one), Home::Gpu(other)) => {
            let mut between = vec![0; count];
            other.device.read(from, &mut between).map_err(|error| other.failure(error))?;
            one.device.write(to, &between).map_err(|error| one.failure(error))?;
        }
    }
    Ok(())
}
