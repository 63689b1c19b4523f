//! Memory of devices, of the host, and managed; queries by address.

use std::ffi::{c_int, c_uint, c_void};

use crate::entry::NullStream;
use crate::error::{Answer, Failure};
use crate::functions::{
    cuMemAdvise, cuMemAdvise_v2, cuMemAlloc_v2, cuMemAllocManaged, cuMemAllocPitch_v2, cuMemFree_v2,
    cuMemFreeHost, cuMemGetInfo_v2, cuMemHostAlloc, cuMemHostGetDevicePointer_v2, cuMemHostGetFlags,
    cuMemHostRegister_v2, cuMemHostUnregister, cuMemPrefetchAsync, cuMemPrefetchAsync_v2,
    cuMemRangeGetAttribute, cuMemRangeGetAttributes, cuPointerGetAttributes,
};
use crate::pointer::{In, Out};
use crate::types::{Extent, HOST, Handle, MemoryLocation, Pitched};
use crate::{entries, stream_entries};

/// The element size that is given for pitched allocations, whose pitch does not depend on it.
const ELEMENT: c_uint = 4;

/// Allocates rows; none at all is null.
fn allocate_rows(to: Out<u64>, pitch: Out<usize>, width: usize, height: usize) -> Answer {
    to.require()?;
    pitch.require()?;
    if width == 0 || height == 0 {
        to.set(0)?;
        return pitch.set(0);
    }
    cuMemAllocPitch_v2(to, pitch, width, height, ELEMENT)
}

/// Allocates memory; none at all is null.
fn allocate(to: Out<u64>, bytes: usize, allocate: impl FnOnce() -> Answer) -> Answer {
    to.require()?;
    if bytes == 0 { to.set(0) } else { allocate() }
}

/// The attributes of an address: the kind of its memory, its device, its address there and on the host. All versions of the structure begin so.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct PointerAttributes {
    pub kind: c_uint,
    pub device: c_int,
    pub device_address: u64,
    pub host_address: u64,
}

/// `cudaMemoryType`.
const UNREGISTERED: c_uint = 0;
const OF_HOST: c_uint = 1;
const OF_DEVICE: c_uint = 2;
const MANAGED: c_uint = 3;

/// `cudaInvalidDeviceId`.
const NO_DEVICE: c_int = -2;

/// The attributes of an address.
pub fn pointer_attributes(address: u64) -> Answer<PointerAttributes> {
    let (mut kind, mut device, mut device_address, mut host_address, mut is_managed) =
        (0u32, 0, 0u64, 0u64, 0u8);
    // The kind of memory, the device, the addresses, and whether it is managed.
    let which = [2, 9, 3, 4, 8];
    let places = [
        Out::to(&mut kind).address(),
        Out::to(&mut device).address(),
        Out::to(&mut device_address).address(),
        Out::to(&mut host_address).address(),
        Out::to(&mut is_managed).address(),
    ];
    cuPointerGetAttributes(which.len() as c_uint, In::list_of(&which), In::list_of(&places), address)?;
    let kind = match kind {
        0 => {
            return Ok(PointerAttributes {
                kind: UNREGISTERED,
                device: NO_DEVICE,
                device_address: 0,
                host_address: address,
            });
        }
        _ if is_managed != 0 => MANAGED,
        HOST => OF_HOST,
        _ => OF_DEVICE,
    };
    Ok(PointerAttributes { kind, device, device_address, host_address })
}

/// `cudaMemAdvise` of CUDA 13, `_v2` of CUDA 12.
pub fn advise(address: u64, bytes: usize, advice: c_uint, location: MemoryLocation) -> Answer {
    cuMemAdvise_v2(address, bytes, advice, location)
}

/// `cudaMemPrefetchAsync` of CUDA 13, `_v2` of CUDA 12.
pub fn prefetch(
    null: NullStream,
    address: u64,
    bytes: usize,
    location: MemoryLocation,
    flags: c_uint,
    stream: Handle,
) -> Answer {
    cuMemPrefetchAsync_v2(address, bytes, location, flags, null.stream(stream))
}

/// `cudaMemAdvise` of CUDA 12, with the number of a device, or -1 for the host.
pub fn advise_for_device(address: u64, bytes: usize, advice: c_uint, device: c_int) -> Answer {
    cuMemAdvise(address, bytes, advice, device)
}

/// `cudaMemPrefetchAsync` of CUDA 12, with the number of a device, or -1 for the host.
pub fn prefetch_to_device(
    null: NullStream,
    address: u64,
    bytes: usize,
    device: c_int,
    stream: Handle,
) -> Answer {
    cuMemPrefetchAsync(address, bytes, device, null.stream(stream))
}

entries! {
    fn cudaMalloc(to: Out<u64>, bytes: usize) {
        allocate(to, bytes, || cuMemAlloc_v2(to, bytes))
    }

    fn cudaFree(address: u64) {
        cuMemFree_v2(address)
    }

    fn cudaMallocPitch(to: Out<u64>, pitch: Out<usize>, width: usize, height: usize) {
        allocate_rows(to, pitch, width, height)
    }

    fn cudaMalloc3D(to: Out<Pitched>, extent: Extent) {
        to.require()?;
        let (mut address, mut pitch) = (0, 0);
        let rows = extent.height.checked_mul(extent.depth).ok_or_else(|| Failure::value("a box is too large"))?;
        allocate_rows(Out::to(&mut address), Out::to(&mut pitch), extent.width, rows)?;
        to.set(Pitched { address, pitch, width: extent.width, height: extent.height })
    }

    fn cudaMallocHost(to: Out<u64>, bytes: usize) {
        allocate(to, bytes, || cuMemHostAlloc(to, bytes, 0))
    }

    fn cudaHostAlloc(to: Out<u64>, bytes: usize, flags: c_uint) {
        allocate(to, bytes, || cuMemHostAlloc(to, bytes, flags))
    }

    fn cudaFreeHost(address: u64) {
        if address == 0 { Ok(()) } else { cuMemFreeHost(address) }
    }

    fn cudaHostRegister(address: u64, bytes: usize, flags: c_uint) {
        cuMemHostRegister_v2(address, bytes, flags)
    }

    fn cudaHostUnregister(address: u64) {
        cuMemHostUnregister(address)
    }

    fn cudaHostGetDevicePointer(to: Out<u64>, address: u64, flags: c_uint) {
        cuMemHostGetDevicePointer_v2(to, address, flags)
    }

    fn cudaHostGetFlags(flags: Out<c_uint>, address: u64) {
        cuMemHostGetFlags(flags, address)
    }

    fn cudaMallocManaged(to: Out<u64>, bytes: usize, flags: c_uint) {
        cuMemAllocManaged(to, bytes, flags)
    }

    fn cudaMemGetInfo(free: Out<usize>, total: Out<usize>) {
        cuMemGetInfo_v2(free, total)
    }

    fn cudaMemRangeGetAttribute(to: Out<c_void>, bytes: usize, which: c_uint, address: u64, count: usize) {
        cuMemRangeGetAttribute(to, bytes, which, address, count)
    }

    fn cudaMemRangeGetAttributes(to: In<u64>, sizes: In<usize>, which: In<c_uint>, attributes: usize, address: u64, count: usize) {
        cuMemRangeGetAttributes(to, sizes, which, attributes, address, count)
    }

    // Names of CUDA 12.
    fn cudaMemAdvise_v2(address: u64, bytes: usize, advice: c_uint, location: MemoryLocation) {
        advise(address, bytes, advice, location)
    }
}

stream_entries! {
    fn cudaMemPrefetchAsync_v2 / cudaMemPrefetchAsync_v2_ptsz |null| (
        address: u64, bytes: usize, location: MemoryLocation, flags: c_uint, stream: Handle,
    ) {
        prefetch(null, address, bytes, location, flags, stream)
    }
}
