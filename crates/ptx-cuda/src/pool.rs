//! Stream-ordered allocation: pools, and memory that is freed in the order of a stream.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::context;
use crate::device;
use crate::driver::{Driver, Gpu, lock};
use crate::entry::{entries, stream_entries};
use crate::error::{Answer, CUresult, Failure};
use crate::graph_nodes::{Reserved, Work};
use crate::handle::{Handle, Object, objects};
use crate::memory::{self, Kind};
use crate::operation::Operation;
use crate::pointer::{In, Out, Untyped};
use crate::stream::{self, Stream};
use crate::types::{AccessDescription, AllocationNode, MemoryLocation, PoolProperties};

/// Bytes of freed memory that are kept until the device is idle.
const MOST_RETIRED: u64 = 256 << 20;

objects! { Pool, 4, INVALID_VALUE; }

/// A pool. Memory of all pools is that of the device; a pool counts what was allocated from it.
#[derive(Debug)]
pub struct Pool {
    gpu: &'static Gpu,
    is_default: bool,
    used: AtomicU64,
    most_used: AtomicU64,
    /// `CU_MEMPOOL_ATTR_REUSE_*` and the release threshold, which are kept and of no consequence: free memory is the device's.
    settings: Mutex<[u64; 4]>,
}

/// The pools of a device, and its freed memory.
#[derive(Debug, Default)]
pub struct Pools {
    default: Mutex<Option<Handle<Pool>>>,
    current: Mutex<Option<Handle<Pool>>>,
    retired: Mutex<Vec<u64>>,
    retired_bytes: AtomicU64,
}

impl Pools {
    fn create(gpu: &'static Gpu, is_default: bool) -> Answer<Handle<Pool>> {
        Pool::table().insert(Arc::new(Pool {
            gpu,
            is_default,
            used: AtomicU64::new(0),
            most_used: AtomicU64::new(0),
            settings: Mutex::new([1, 1, 1, 0]),
        }))
    }

    fn default(gpu: &'static Gpu) -> Answer<Handle<Pool>> {
        let mut default = lock(&gpu.pools.default);
        match *default {
            Some(pool) => Ok(pool),
            None => Ok(*default.insert(Self::create(gpu, true)?)),
        }
    }

    fn current(gpu: &'static Gpu) -> Answer<Handle<Pool>> {
        let current = *lock(&gpu.pools.current);
        current.map_or_else(|| Self::default(gpu), Ok)
    }

    /// Counts memory that was freed.
    pub fn freed(&self, kind: &Kind, bytes: u64) {
        if let Kind::Pool(pool) = kind
            && let Ok(pool) = pool.get()
        {
            pool.used.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Frees memory as soon as the device is idle.
    pub fn retire(&self, gpu: &Gpu, address: u64) {
        // Default: it is memory of the device, which knows its size.
        let bytes = gpu.device.region(address).map_or(0, |region| region.bytes);
        lock(&self.retired).push(address);
        self.retired_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Frees retired memory if that pays: the device has to be idle for it.
    pub fn collect(&self, gpu: &Gpu) {
        if self.retired_bytes.load(Ordering::Relaxed) >= MOST_RETIRED {
            self.collect_all(gpu);
        }
    }

    /// Frees all retired memory, once the device is idle.
    pub fn collect_all(&self, gpu: &Gpu) {
        let retired = std::mem::take(&mut *lock(&self.retired));
        self.retired_bytes.store(0, Ordering::Relaxed);
        for address in retired {
            // It was allocated, and no one else frees it.
            let _ = gpu.device.free(address);
        }
    }
}

fn allocate(to: Out<u64>, bytes: usize, pool: Handle<Pool>, stream: &Arc<Stream>) -> Answer {
    to.require()?;
    if bytes == 0 {
        return Err(Failure::value("an allocation of no bytes"));
    }
    let found = pool.get()?;
    if found.gpu.ordinal != stream.gpu().ordinal {
        return Err(Failure::value("the pool and the stream are of different devices"));
    }
    let address = memory::allocate(found.gpu, bytes as u64, Kind::Pool(pool), stream.context)?;
    let used = found.used.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
    found.most_used.fetch_max(used, Ordering::Relaxed);
    if let Some(capture) = &mut *lock(&stream.capture) {
        let node = AllocationNode { bytes, address, ..AllocationNode::default() };
        capture.add_work(Work::Allocate(Box::new(node), Reserved::new(address, found.gpu)))?;
    }
    to.set(address)
}

stream_entries! {
    fn cuMemAllocAsync / cuMemAllocAsync_ptsz |null| (to: Out<u64>, bytes: usize, stream: Handle<Stream>) {
        let stream = stream::named(stream, null)?;
        allocate(to, bytes, Pools::current(stream.gpu())?, &stream)
    }

    fn cuMemAllocFromPoolAsync / cuMemAllocFromPoolAsync_ptsz |null| (to: Out<u64>, bytes: usize, pool: Handle<Pool>, stream: Handle<Stream>) {
        allocate(to, bytes, pool, &stream::named(stream, null)?)
    }

    fn cuMemFreeAsync / cuMemFreeAsync_ptsz |null| (address: u64, stream: Handle<Stream>) {
        let stream = stream::named(stream, null)?;
        if address == 0 {
            return Ok(());
        }
        match memory::find(address) {
            Some(found) if found.base == address && matches!(found.kind, Kind::Device | Kind::Pool(_) | Kind::Managed) => {
                stream.submit(Operation::Free(address))
            }
            _ => Err(Failure::value(format!("{address:#x} is not allocated"))),
        }
    }
}

/// The value of an attribute: flags have 32 bits, sizes 64.
fn attribute(pool: &Pool, which: c_uint) -> Answer<(u64, bool)> {
    let used = pool.used.load(Ordering::Relaxed);
    let most = pool.most_used.load(Ordering::Relaxed);
    Ok(match which {
        1..=3 => (lock(&pool.settings)[which as usize - 1], false),
        4 => (lock(&pool.settings)[3], true),
        5 | 7 => (used, true),
        6 | 8 => (most, true),
        9 => (1, false),
        10 => (0, false),
        11 => (u64::from(pool.gpu.ordinal as u32), false),
        12 => (1, false),
        13 => (pool.gpu.memory_bytes, true),
        14 => (0, false),
        _ => return Err(Failure::value(format!("there is no attribute {which} of pools"))),
    })
}

fn located(location: In<MemoryLocation>, kind: c_uint) -> Answer<&'static Gpu> {
    if kind != 1 {
        return Err(Failure::because(CUresult::NOT_SUPPORTED, "pools of other than pinned memory"));
    }
    let gpu = device::of_location(location.get()?)?;
    gpu.ok_or_else(|| Failure::because(CUresult::NOT_SUPPORTED, "pools of memory of the host"))
}

entries! {
    fn cuDeviceGetDefaultMemPool(pool: Out<Handle<Pool>>, device: c_int) {
        let gpu = Driver::gpu(device)?;
        pool.require()?;
        pool.set(Pools::default(gpu)?)
    }

    fn cuDeviceGetMemPool(pool: Out<Handle<Pool>>, device: c_int) {
        let gpu = Driver::gpu(device)?;
        pool.require()?;
        pool.set(Pools::current(gpu)?)
    }

    fn cuDeviceSetMemPool(device: c_int, pool: Handle<Pool>) {
        let gpu = Driver::gpu(device)?;
        if pool.get()?.gpu.ordinal != gpu.ordinal {
            return Err(Failure::value("the pool is of another device"));
        }
        *lock(&gpu.pools.current) = Some(pool);
        Ok(())
    }

    fn cuMemGetDefaultMemPool(pool: Out<Handle<Pool>>, location: In<MemoryLocation>, kind: c_uint) {
        pool.require()?;
        pool.set(Pools::default(located(location, kind)?)?)
    }

    fn cuMemGetMemPool(pool: Out<Handle<Pool>>, location: In<MemoryLocation>, kind: c_uint) {
        pool.require()?;
        pool.set(Pools::current(located(location, kind)?)?)
    }

    fn cuMemSetMemPool(location: In<MemoryLocation>, kind: c_uint, pool: Handle<Pool>) {
        let gpu = located(location, kind)?;
        if pool.get()?.gpu.ordinal != gpu.ordinal {
            return Err(Failure::value("the pool is of another device"));
        }
        *lock(&gpu.pools.current) = Some(pool);
        Ok(())
    }

    fn cuMemPoolCreate(pool: Out<Handle<Pool>>, properties: In<PoolProperties>) {
        let properties = properties.get()?;
        pool.require()?;
        if properties.handle_types != 0 {
            return Err(Failure::because(CUresult::NOT_SUPPORTED, "pools that processes share"));
        }
        let kind = properties.kind;
        let location = properties.location;
        let gpu = located(In::from_address(&raw const location as u64), kind)?;
        pool.set(Pools::create(gpu, false)?)
    }

    fn cuMemPoolDestroy(pool: Handle<Pool>) {
        let found = pool.get()?;
        if found.is_default {
            return Err(Failure::value("a default pool is not destroyed"));
        }
        let mut current = lock(&found.gpu.pools.current);
        if *current == Some(pool) {
            *current = None;
        }
        pool.remove().map(drop)
    }

    fn cuMemPoolTrimTo(pool: Handle<Pool>, _bytes: usize) {
        pool.get().map(drop)
    }

    fn cuMemPoolGetAttribute(pool: Handle<Pool>, which: c_uint, to: Untyped) {
        let (value, is_wide) = attribute(&*pool.get()?, which)?;
        if is_wide { to.cast::<u64>().set(value) } else { to.cast::<c_uint>().set(value as c_uint) }
    }

    fn cuMemPoolSetAttribute(pool: Handle<Pool>, which: c_uint, from: In<c_uint>) {
        let pool = pool.get()?;
        match which {
            1..=3 => lock(&pool.settings)[which as usize - 1] = from.get()?.into(),
            4 => lock(&pool.settings)[3] = from.cast::<u64>().get()?,
            // High marks are only set back.
            6 | 8 if from.cast::<u64>().get()? == 0 => {
                pool.most_used.store(pool.used.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            _ => return Err(Failure::value(format!("attribute {which} of a pool is not set"))),
        }
        Ok(())
    }

    fn cuMemPoolSetAccess(pool: Handle<Pool>, access: In<AccessDescription>, count: usize) {
        let pool = pool.get()?;
        for access in access.list(count)? {
            match device::of_location(access.location)? {
                Some(gpu) if gpu.ordinal == pool.gpu.ordinal && access.flags == 3 => {}
                Some(_) if access.flags == 0 => {}
                Some(_) => return Err(CUresult::INVALID_DEVICE.into()),
                None => return Err(Failure::value("access to a pool is given to devices")),
            }
        }
        Ok(())
    }

    fn cuMemPoolGetAccess(flags: Out<c_uint>, pool: Handle<Pool>, location: In<MemoryLocation>) {
        let pool = pool.get()?;
        let gpu = device::of_location(location.get()?)?;
        flags.set(if gpu.is_some_and(|gpu| gpu.ordinal == pool.gpu.ordinal) { 3 } else { 0 })
    }

    // Memory is not shared between processes.
    fn cuMemPoolExportToShareableHandle(_to: Out<c_void>, pool: Handle<Pool>, _kind: c_uint, _flags: u64) {
        pool.get()?;
        Err(CUresult::NOT_SUPPORTED.into())
    }

    fn cuDeviceGetGraphMemAttribute(device: c_int, which: c_uint, value: Out<u64>) {
        Driver::gpu(device)?;
        if which > 3 { Err(Failure::value("attribute of memory of graphs")) } else { value.set(0) }
    }

    fn cuDeviceSetGraphMemAttribute(device: c_int, which: c_uint, value: In<u64>) {
        Driver::gpu(device)?;
        value.get()?;
        if matches!(which, 1 | 3) { Ok(()) } else { Err(Failure::value("attribute of memory of graphs")) }
    }

    fn cuDeviceGraphMemTrim(device: c_int) {
        Driver::gpu(device).map(drop)
    }
}

/// Allocates memory for a node of a graph, which has it until it is freed.
pub fn allocate_for_graph(bytes: u64) -> Answer<u64> {
    let context = context::current()?;
    let pool = Pools::default(context.gpu)?;
    memory::allocate(context.gpu, bytes, Kind::Pool(pool), context::current_handle())
}
