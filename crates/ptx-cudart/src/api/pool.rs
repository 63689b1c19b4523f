//! Pools of memory, and allocation in the order of streams.

use std::ffi::{c_int, c_uint, c_void};

use crate::functions::{
    cuDeviceGetDefaultMemPool, cuDeviceGetGraphMemAttribute, cuDeviceGetMemPool, cuDeviceGraphMemTrim,
    cuDeviceSetGraphMemAttribute, cuDeviceSetMemPool, cuMemAllocAsync, cuMemAllocFromPoolAsync,
    cuMemFreeAsync, cuMemGetDefaultMemPool, cuMemGetMemPool, cuMemPoolCreate, cuMemPoolDestroy,
    cuMemPoolGetAccess, cuMemPoolGetAttribute, cuMemPoolSetAccess, cuMemPoolSetAttribute, cuMemPoolTrimTo,
    cuMemSetMemPool,
};
use crate::pointer::{In, Out};
use crate::types::{AccessDescription, Handle, MemoryLocation, PoolProperties};
use crate::{entries, stream_entries};

entries! {
    fn cudaDeviceGetDefaultMemPool(pool: Out<Handle>, device: c_int) {
        cuDeviceGetDefaultMemPool(pool, device)
    }

    fn cudaDeviceGetMemPool(pool: Out<Handle>, device: c_int) {
        cuDeviceGetMemPool(pool, device)
    }

    fn cudaDeviceSetMemPool(device: c_int, pool: Handle) {
        cuDeviceSetMemPool(device, pool)
    }

    fn cudaMemGetDefaultMemPool(pool: Out<Handle>, location: In<MemoryLocation>, kind: c_uint) {
        cuMemGetDefaultMemPool(pool, location, kind)
    }

    fn cudaMemGetMemPool(pool: Out<Handle>, location: In<MemoryLocation>, kind: c_uint) {
        cuMemGetMemPool(pool, location, kind)
    }

    fn cudaMemSetMemPool(location: In<MemoryLocation>, kind: c_uint, pool: Handle) {
        cuMemSetMemPool(location, kind, pool)
    }

    fn cudaMemPoolCreate(pool: Out<Handle>, properties: In<PoolProperties>) {
        cuMemPoolCreate(pool, properties)
    }

    fn cudaMemPoolDestroy(pool: Handle) {
        cuMemPoolDestroy(pool)
    }

    fn cudaMemPoolTrimTo(pool: Handle, bytes: usize) {
        cuMemPoolTrimTo(pool, bytes)
    }

    fn cudaMemPoolGetAttribute(pool: Handle, which: c_uint, value: Out<c_void>) {
        cuMemPoolGetAttribute(pool, which, value)
    }

    fn cudaMemPoolSetAttribute(pool: Handle, which: c_uint, value: In<c_void>) {
        cuMemPoolSetAttribute(pool, which, value)
    }

    fn cudaMemPoolSetAccess(pool: Handle, access: In<AccessDescription>, count: usize) {
        cuMemPoolSetAccess(pool, access, count)
    }

    fn cudaMemPoolGetAccess(flags: Out<c_uint>, pool: Handle, location: In<MemoryLocation>) {
        cuMemPoolGetAccess(flags, pool, location)
    }

    fn cudaDeviceGetGraphMemAttribute(device: c_int, which: c_uint, value: Out<u64>) {
        cuDeviceGetGraphMemAttribute(device, which, value)
    }

    fn cudaDeviceSetGraphMemAttribute(device: c_int, which: c_uint, value: In<u64>) {
        cuDeviceSetGraphMemAttribute(device, which, value)
    }

    fn cudaDeviceGraphMemTrim(device: c_int) {
        cuDeviceGraphMemTrim(device)
    }
}

stream_entries! {
    fn cudaMallocAsync / cudaMallocAsync_ptsz |null| (to: Out<u64>, bytes: usize, stream: Handle) {
        to.require()?;
        if bytes == 0 { to.set(0) } else { cuMemAllocAsync(to, bytes, null.stream(stream)) }
    }

    fn cudaMallocFromPoolAsync / cudaMallocFromPoolAsync_ptsz |null| (to: Out<u64>, bytes: usize, pool: Handle, stream: Handle) {
        to.require()?;
        if bytes == 0 { to.set(0) } else { cuMemAllocFromPoolAsync(to, bytes, pool, null.stream(stream)) }
    }

    fn cudaFreeAsync / cudaFreeAsync_ptsz |null| (address: u64, stream: Handle) {
        if address == 0 { Ok(()) } else { cuMemFreeAsync(address, null.stream(stream)) }
    }
}
