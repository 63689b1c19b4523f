//! Memory of the host that devices may access: allocated here, registered, or managed. All devices know it by its address in the process.

use std::ffi::{c_int, c_uint};

use crate::context;
use crate::driver::{Driver, lock};
use crate::entry::{entries, stream_entries};
use crate::error::{Answer, CUresult, Failure};
use crate::handle::Handle;
use crate::host_memory::{BLOCKS, Block, PAGE, allocate, publish};
use crate::memory::{self, Kind, find, forget, remember};
use crate::pointer::{In, Out};
use crate::stream::Stream;
use crate::types::MemoryLocation;

/// Whether all pages of a range are mapped.
fn is_mapped(address: u64, bytes: u64) -> bool {
    let page = PAGE as u64;
    let start = address & !(page - 1);
    let Some(end) = address.checked_add(bytes).and_then(|end| end.checked_next_multiple_of(page)) else {
        return false;
    };
    // Part by part, so that a range of any size takes no memory; it ends at the first page that is not mapped.
    let mut resident = [0u8; 4096];
    let part = page * resident.len() as u64;
    (start..end).step_by(part as usize).all(|start| {
        let bytes = part.min(end - start) as usize;
        // SAFETY: the array has a byte for each page of the part; unmapped pages are an error.
        unsafe { libc::mincore(start as *mut libc::c_void, bytes, resident.as_mut_ptr().cast()) == 0 }
    })
}

fn allocate_host(to: Out<u64>, bytes: usize, flags: c_uint) -> Answer {
    let context = context::current()?;
    to.require()?;
    if bytes == 0 || flags & !7 != 0 {
        return Err(Failure::value("size or flags of memory of the host"));
    }
    let base = allocate(bytes, "host memory")?;
    remember(base, bytes as u64, Kind::Host(flags), context::current_handle().cast(), context.gpu);
    to.set(base)
}

const READ_ONLY: c_uint = 8;

entries! {
    fn cuMemAllocHost_v2(to: Out<u64>, bytes: usize) {
        allocate_host(to, bytes, 0)
    }

    fn cuMemHostAlloc(to: Out<u64>, bytes: usize, flags: c_uint) {
        allocate_host(to, bytes, flags)
    }

    fn cuMemFreeHost(address: u64) {
        context::current()?;
        if address == 0 {
            return Ok(());
        }
        let found = forget(address, |kind| matches!(kind, Kind::Host(_)));
        found.ok_or_else(|| Failure::value(format!("{address:#x} is no memory of the host that was allocated")))?;
        Block::take(address, true)
    }

    fn cuMemHostRegister_v2(address: u64, bytes: usize, flags: c_uint) {
        let context = context::current()?;
        if address == 0 || bytes == 0 || flags & !15 != 0 {
            return Err(Failure::value("address, size or flags of memory to register"));
        }
        if flags & 4 != 0 {
            return Err(Failure::because(CUresult::NOT_SUPPORTED, "memory of input and output devices"));
        }
        let bytes = bytes as u64;
        if memory::overlaps(address, bytes) {
            return Err(CUresult::HOST_MEMORY_ALREADY_REGISTERED.into());
        }
        if !is_mapped(address, bytes) {
            return Err(Failure::value(format!("{bytes} bytes at {address:#x} are not mapped")));
        }
        publish(address, bytes, flags & READ_ONLY == 0, "registered memory")?;
        lock(&BLOCKS).insert(address, Block { layout: None });
        remember(address, bytes, Kind::Registered, context::current_handle().cast(), context.gpu);
        Ok(())
    }

    fn cuMemHostUnregister(address: u64) {
        context::current()?;
        forget(address, |kind| matches!(kind, Kind::Registered)).ok_or(CUresult::HOST_MEMORY_NOT_REGISTERED)?;
        Block::take(address, false)
    }

    fn cuMemHostGetDevicePointer_v2(to: Out<u64>, address: u64, flags: c_uint) {
        context::current()?;
        if flags != 0 {
            return Err(Failure::value("flags of a pointer"));
        }
        match find(address).map(|found| found.kind) {
            Some(Kind::Host(_) | Kind::Registered) => to.set(address),
            _ => Err(Failure::value(format!("{address:#x} is no memory of the host that devices know"))),
        }
    }

    fn cuMemHostGetFlags(flags: Out<c_uint>, address: u64) {
        context::current()?;
        match find(address).map(|found| found.kind) {
            // All memory of the host is mapped.
            Some(Kind::Host(given)) => flags.set(given | 2),
            _ => Err(Failure::value(format!("{address:#x} is no memory of the host that was allocated"))),
        }
    }

    fn cuMemAdvise(address: u64, bytes: usize, advice: c_uint, device: c_int) {
        if device != -1 {
            Driver::gpu(device)?;
        }
        advise(address, bytes, advice)
    }

    fn cuMemAdvise_v2(address: u64, bytes: usize, advice: c_uint, location: MemoryLocation) {
        crate::device::of_location(location)?;
        advise(address, bytes, advice)
    }

    fn cuMemRangeGetAttribute(to: Out<c_int>, size: usize, which: c_uint, address: u64, bytes: usize) {
        range_attribute(to, size, which, (address, bytes))
    }

    fn cuMemRangeGetAttributes(to: In<Out<c_int>>, sizes: In<usize>, which: In<c_uint>, count: usize, address: u64, bytes: usize) {
        let (to, sizes, which) = (to.list(count)?, sizes.list(count)?, which.list(count)?);
        for ((&to, &size), &which) in to.iter().zip(&sizes).zip(&which) {
            range_attribute(to, size, which, (address, bytes))?;
        }
        Ok(())
    }
}

fn managed(address: u64, bytes: usize) -> Answer {
    let found = find(address).filter(memory::Allocation::is_managed);
    let end = address.checked_add(bytes as u64);
    if bytes > 0 && found.is_some_and(|found| end.is_some_and(|end| end <= found.base + found.bytes)) {
        return Ok(());
    }
    Err(Failure::value(format!("{bytes} bytes at {address:#x} are not managed memory")))
}

/// Advice about where managed memory should be: it is in one place.
fn advise(address: u64, bytes: usize, advice: c_uint) -> Answer {
    context::current()?;
    managed(address, bytes)?;
    if (1..=6).contains(&advice) {
        Ok(())
    } else {
        Err(Failure::value(format!("there is no advice {advice}")))
    }
}

/// Attributes of a range, `CUmem_range_attribute`: none was advised, and there is one place.
fn range_attribute(to: Out<c_int>, size: usize, which: c_uint, range: (u64, usize)) -> Answer {
    managed(range.0, range.1)?;
    let fits = size >= 4 && size.is_multiple_of(4);
    let no_device = -2;
    match which {
        1 if size == 4 => to.set(0),
        2 | 4 if size == 4 => to.set(no_device),
        3 if fits => to.set_all(std::iter::repeat_n(no_device, size / 4)),
        5 | 7 if size == 4 => to.set(0),
        6 | 8 if size == 4 => to.set(no_device),
        _ => Err(Failure::value("attribute of a range of memory, or its size")),
    }
}

/// Checks a batch of operations on ranges of managed memory.
fn batch((addresses, bytes): (In<u64>, In<usize>), count: usize, flags: u64, stream: &Stream) -> Answer {
    if count == 0 || flags != 0 || stream.is_legacy() {
        return Err(Failure::value("number of ranges, flags, or the legacy default stream"));
    }
    let (addresses, bytes) = (addresses.list(count)?, bytes.list(count)?);
    addresses.into_iter().zip(bytes).try_for_each(|(address, bytes)| managed(address, bytes))
}

/// Checks the locations of a batch of prefetches, each with the index of the first range that it is for.
fn locations((list, first, count): (In<MemoryLocation>, In<usize>, usize), ranges: usize) -> Answer {
    if count == 0 || count > ranges {
        return Err(Failure::value("number of locations"));
    }
    let first = first.list(count)?;
    if first[0] != 0 || !first.windows(2).all(|pair| pair[0] < pair[1]) || first[count - 1] >= ranges {
        return Err(Failure::value("indices of the ranges that locations are for"));
    }
    list.list(count)?.into_iter().try_for_each(|location| crate::device::of_location(location).map(drop))
}

stream_entries! {
    // Managed memory is in one place: there is nothing to fetch, and what is discarded may keep its contents.
    fn cuMemPrefetchAsync / cuMemPrefetchAsync_ptsz |null| (address: u64, bytes: usize, device: c_int, stream: Handle<Stream>) {
        context::stream(stream, null)?;
        if device != -1 {
            Driver::gpu(device)?;
        }
        managed(address, bytes)
    }

    fn cuMemPrefetchAsync_v2 / cuMemPrefetchAsync_v2_ptsz |null| (address: u64, bytes: usize, location: MemoryLocation, flags: c_uint, stream: Handle<Stream>) {
        context::stream(stream, null)?;
        crate::device::of_location(location)?;
        if flags != 0 {
            return Err(Failure::value("flags of a prefetch"));
        }
        managed(address, bytes)
    }

    fn cuMemPrefetchBatchAsync / cuMemPrefetchBatchAsync_ptsz |null| (addresses: In<u64>, bytes: In<usize>, count: usize, list: In<MemoryLocation>, first: In<usize>, location_count: usize, flags: u64, stream: Handle<Stream>) {
        locations((list, first, location_count), count)?;
        batch((addresses, bytes), count, flags, &*context::stream(stream, null)?)
    }

    fn cuMemDiscardBatchAsync / cuMemDiscardBatchAsync_ptsz |null| (addresses: In<u64>, bytes: In<usize>, count: usize, flags: u64, stream: Handle<Stream>) {
        batch((addresses, bytes), count, flags, &*context::stream(stream, null)?)
    }

    fn cuMemDiscardAndPrefetchBatchAsync / cuMemDiscardAndPrefetchBatchAsync_ptsz |null| (addresses: In<u64>, bytes: In<usize>, count: usize, list: In<MemoryLocation>, first: In<usize>, location_count: usize, flags: u64, stream: Handle<Stream>) {
        locations((list, first, location_count), count)?;
        batch((addresses, bytes), count, flags, &*context::stream(stream, null)?)
    }
}
