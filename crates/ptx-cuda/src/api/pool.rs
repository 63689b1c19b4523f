//! Stream-ordered allocation: pools, and memory that is freed in the order of a stream.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::context;
use crate::device;
use crate::driver::{Driver, Gpu, lock};
use crate::entry::{entries, stream_entries};
use crate::error::{Answer, CUresult, Failure};
use crate::graph_memory::GraphMemory;
use crate::graph_nodes::Work;
use crate::handle::Handle;
use crate::memory::{self, Kind};
use crate::operation::Operation;
use crate::pointer::{In, Out, Untyped};
use crate::pool::Pool;
use crate::stream::Stream;
use crate::types::{AccessDescription, AllocationNode, MemoryLocation, PoolProperties};

fn allocate(to: Out<u64>, bytes: usize, pool: Handle<Pool>, stream: &Arc<Stream>) -> Answer {
    to.require()?;
    let found = pool.get()?;
    if found.gpu.ordinal != stream.gpu().ordinal {
        return Err(Failure::value("the pool and the stream are of different devices"));
    }
    if bytes == 0 {
        // The suite of cuda.core expects success; other functions refuse an allocation of no bytes.
        return to.set(0);
    }
    if let Some(capture) = &mut *lock(&stream.capture) {
        let memory = GraphMemory::new(found.gpu, bytes as u64, stream.context)?;
        let node = AllocationNode { bytes, address: memory.address, ..AllocationNode::default() };
        to.set(memory.address)?;
        return capture.add_work(Work::Allocate(Box::new(node), memory));
    }
    to.set(found.allocate(bytes as u64, stream.context)?)
}

stream_entries! {
    fn cuMemAllocAsync / cuMemAllocAsync_ptsz |null| (to: Out<u64>, bytes: usize, stream: Handle<Stream>) {
        let stream = context::stream(stream, null)?;
        allocate(to, bytes, Pool::current_of(stream.gpu())?, &stream)
    }

    fn cuMemAllocFromPoolAsync / cuMemAllocFromPoolAsync_ptsz |null| (to: Out<u64>, bytes: usize, pool: Handle<Pool>, stream: Handle<Stream>) {
        allocate(to, bytes, pool, &context::stream(stream, null)?)
    }

    fn cuMemFreeAsync / cuMemFreeAsync_ptsz |null| (address: u64, stream: Handle<Stream>) {
        let stream = context::stream(stream, null)?;
        if address == 0 {
            return Ok(());
        }
        if let Some(capture) = &mut *lock(&stream.capture) {
            return capture.add_work(Work::Free(GraphMemory::at(address)?));
        }
        match memory::find(address) {
            Some(found) if found.base == address && matches!(found.kind, Kind::Graph(_)) => {
                let memory = GraphMemory::at(address)?;
                memory.free()?;
                stream.submit(Operation::Hold(memory))
            }
            Some(found) if found.base == address && matches!(found.kind, Kind::Device | Kind::Pool(_) | Kind::Managed) => {
                stream.submit(Operation::Free(address))
            }
            _ => Err(Failure::value(format!("{address:#x} is not allocated"))),
        }
    }
}

/// The value of an attribute: flags have 32 bits, sizes 64.
fn attribute(pool: &Pool, which: c_uint) -> Answer<(u64, bool)> {
    let used = pool.usage.used.load(Ordering::Relaxed);
    let most = pool.usage.most_used.load(Ordering::Relaxed);
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
        pool.set(Pool::default_of(gpu)?)
    }

    fn cuDeviceGetMemPool(pool: Out<Handle<Pool>>, device: c_int) {
        let gpu = Driver::gpu(device)?;
        pool.require()?;
        pool.set(Pool::current_of(gpu)?)
    }

    fn cuDeviceSetMemPool(device: c_int, pool: Handle<Pool>) {
        let gpu = Driver::gpu(device)?;
        if pool.get()?.gpu.ordinal != gpu.ordinal {
            return Err(Failure::value("the pool is of another device"));
        }
        Pool::choose(gpu, Some(pool));
        Ok(())
    }

    fn cuMemGetDefaultMemPool(pool: Out<Handle<Pool>>, location: In<MemoryLocation>, kind: c_uint) {
        pool.require()?;
        pool.set(Pool::default_of(located(location, kind)?)?)
    }

    fn cuMemGetMemPool(pool: Out<Handle<Pool>>, location: In<MemoryLocation>, kind: c_uint) {
        pool.require()?;
        pool.set(Pool::current_of(located(location, kind)?)?)
    }

    fn cuMemSetMemPool(location: In<MemoryLocation>, kind: c_uint, pool: Handle<Pool>) {
        let gpu = located(location, kind)?;
        if pool.get()?.gpu.ordinal != gpu.ordinal {
            return Err(Failure::value("the pool is of another device"));
        }
        Pool::choose(gpu, Some(pool));
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
        let gpu = located(In::at(&raw const location as u64), kind)?;
        pool.set(Pool::create(gpu, false)?)
    }

    fn cuMemPoolDestroy(pool: Handle<Pool>) {
        let found = pool.get()?;
        if found.is_default {
            return Err(Failure::value("a default pool is not destroyed"));
        }
        if Pool::current_of(found.gpu)? == pool {
            Pool::choose(found.gpu, None);
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
                pool.usage.most_used.store(pool.usage.used.load(Ordering::Relaxed), Ordering::Relaxed);
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
        let usage = *lock(&Driver::gpu(device)?.graph_memory);
        // All memory that is reserved for graphs belongs to one: it returns to the device with the graph.
        value.set(match which {
            0 | 2 => usage.current,
            1 | 3 => usage.most,
            _ => return Err(Failure::value("attribute of memory of graphs")),
        })
    }

    fn cuDeviceSetGraphMemAttribute(device: c_int, which: c_uint, value: In<u64>) {
        let gpu = Driver::gpu(device)?;
        if !matches!(which, 1 | 3) || value.get()? != 0 {
            return Err(Failure::value("attribute of memory of graphs"));
        }
        let mut usage = lock(&gpu.graph_memory);
        usage.most = usage.current;
        Ok(())
    }

    fn cuDeviceGraphMemTrim(device: c_int) {
        Driver::gpu(device).map(drop)
    }
}
