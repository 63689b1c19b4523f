//! Virtual memory: reserved addresses, allocations without addresses, and mappings between them.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::{Arc, Mutex};

use crate::context;
use crate::device;
use crate::driver::{Driver, Gpu, lock};
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::handle::{Handle, Object};
use crate::host_memory::{publish, withdraw};
use crate::memory::{self, Kind};
use crate::pointer::{In, Out};
use crate::types::{AccessDescription, AllocationProperties, MemoryLocation};
use crate::virtual_memory::{Mapping, Physical, Space};

/// The unit of sizes and addresses.
const GRANULARITY: usize = 2 << 20;

static SPACE: Mutex<Space> = Mutex::new(Space { reserved: BTreeMap::new(), mapped: BTreeMap::new() });

fn is_whole(bytes: usize) -> bool {
    bytes > 0 && bytes.is_multiple_of(GRANULARITY)
}

fn protect(address: u64, bytes: usize, access: c_uint) -> Answer {
    let protection = match access {
        0 => libc::PROT_NONE,
        1 => libc::PROT_READ,
        3 => libc::PROT_READ | libc::PROT_WRITE,
        _ => return Err(Failure::value(format!("access {access} to memory"))),
    };
    // SAFETY: the range is a mapping of this module.
    let result = unsafe { libc::mprotect(address as *mut c_void, bytes, protection) };
    if result == 0 { Ok(()) } else { Err(CUresult::OPERATING_SYSTEM.into()) }
}

fn check_properties(properties: &AllocationProperties) -> Answer<&'static Gpu> {
    if properties.kind != 1 {
        return Err(Failure::value("memory without addresses is pinned"));
    }
    if properties.handle_types & !1 != 0 {
        return Err(Failure::because(
            CUresult::NOT_SUPPORTED,
            "memory that is shared by other than file descriptors",
        ));
    }
    // Memory of the host is allocated like that of the first device.
    device::of_location(properties.location)?.map_or_else(|| Driver::gpu(0), Ok)
}

entries! {
    fn cuMemGetAllocationGranularity(bytes: Out<usize>, properties: In<AllocationProperties>, option: c_uint) {
        check_properties(&properties.get()?)?;
        if option > 1 {
            return Err(Failure::value("kind of granularity"));
        }
        bytes.set(GRANULARITY)
    }

    fn cuMemAddressReserve(to: Out<u64>, bytes: usize, align: usize, wanted: u64, flags: u64) {
        to.require()?;
        if !is_whole(bytes) || flags != 0 || (align != 0 && !align.is_power_of_two()) {
            return Err(Failure::value("size, alignment or flags of addresses"));
        }
        let align = align.max(GRANULARITY);
        let all = bytes.checked_add(align).ok_or(CUresult::OUT_OF_MEMORY)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: it reserves addresses that are used by nothing else; the wanted one is a hint.
        let found = unsafe { libc::mmap(wanted as *mut c_void, all, libc::PROT_NONE, flags, -1, 0) };
        if found == libc::MAP_FAILED {
            return Err(CUresult::OUT_OF_MEMORY.into());
        }
        let (found, start) = (found as usize, (found as usize).next_multiple_of(align));
        let (end, all_end) = (start + bytes, found + all);
        // SAFETY: both ranges are what was reserved too much, for the alignment.
        unsafe {
            if start > found {
                libc::munmap(found as *mut c_void, start - found);
            }
            if all_end > end {
                libc::munmap(end as *mut c_void, all_end - end);
            }
        }
        lock(&SPACE).reserved.insert(start as u64, bytes);
        to.set(start as u64)
    }

    fn cuMemAddressFree(address: u64, bytes: usize) {
        let mut space = lock(&SPACE);
        if space.reserved.get(&address) != Some(&bytes) {
            return Err(Failure::value(format!("{bytes} bytes at {address:#x} are not what was reserved")));
        }
        if space.mapped.range(address..address + bytes as u64).next().is_some() {
            return Err(Failure::value("memory is mapped there"));
        }
        space.reserved.remove(&address);
        // SAFETY: it is a reserved range without mappings.
        unsafe { libc::munmap(address as *mut c_void, bytes) };
        Ok(())
    }

    fn cuMemCreate(handle: Out<Handle<Physical>>, bytes: usize, properties: In<AllocationProperties>, flags: u64) {
        handle.require()?;
        let properties = properties.get()?;
        let gpu = check_properties(&properties)?;
        if !is_whole(bytes) || flags != 0 {
            return Err(Failure::value("size or flags of memory"));
        }
        if bytes as u64 > device::free_bytes(gpu) {
            return Err(CUresult::OUT_OF_MEMORY.into());
        }
        // SAFETY: the name is a text with a zero.
        let file = unsafe { libc::memfd_create(c"ptx-cuda".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(CUresult::OUT_OF_MEMORY.into());
        }
        // SAFETY: the descriptor was just made and belongs to no one else.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        // SAFETY: it is a file of this function.
        if unsafe { libc::ftruncate(file.as_raw_fd(), bytes as libc::off_t) } != 0 {
            return Err(CUresult::OUT_OF_MEMORY.into());
        }
        handle.set(Physical::table().insert(Arc::new(Physical { file, bytes, properties, gpu }))?)
    }

    fn cuMemRelease(handle: Handle<Physical>) {
        handle.remove().map(drop)
    }

    fn cuMemMap(address: u64, bytes: usize, offset: usize, handle: Handle<Physical>, flags: u64) {
        let physical = handle.get()?;
        let fits = offset.checked_add(bytes).is_some_and(|end| end <= physical.bytes);
        if !is_whole(bytes) || !fits || !offset.is_multiple_of(GRANULARITY) || !address.is_multiple_of(GRANULARITY as u64) || flags != 0 {
            return Err(Failure::value("address, size, offset or flags of a mapping"));
        }
        let mut space = lock(&SPACE);
        space.reservation(address, bytes)?;
        let before = space.mapped.range(..address + bytes as u64).next_back();
        if before.is_some_and(|(&start, mapping)| start + mapping.bytes as u64 > address) {
            return Err(Failure::value("memory is mapped there"));
        }
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        let file = physical.file.as_raw_fd();
        // SAFETY: the range is reserved and has no mapping.
        let found = unsafe { libc::mmap(address as *mut c_void, bytes, libc::PROT_NONE, flags, file, offset as libc::off_t) };
        if found == libc::MAP_FAILED {
            return Err(CUresult::OUT_OF_MEMORY.into());
        }
        space.mapped.insert(address, Mapping { bytes, physical, access: 0 });
        Ok(())
    }

    fn cuMemUnmap(address: u64, bytes: usize) {
        let mut space = lock(&SPACE);
        for start in space.mappings(address, bytes)? {
            let Some(mapping) = space.mapped.remove(&start) else { continue };
            if mapping.access != 0 {
                memory::forget(start, |kind| matches!(kind, Kind::Virtual));
                withdraw(start)?;
            }
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
            // SAFETY: the range is a mapping, which becomes reserved addresses again.
            unsafe { libc::mmap(start as *mut c_void, mapping.bytes, libc::PROT_NONE, flags, -1, 0) };
        }
        Ok(())
    }

    fn cuMemSetAccess(address: u64, bytes: usize, list: In<AccessDescription>, count: usize) {
        let list = list.list(count)?;
        let mut space = lock(&SPACE);
        let starts = space.mappings(address, bytes)?;
        for AccessDescription { location, flags } in list {
            let gpu = device::of_location(location)?;
            for start in &starts {
                let Some(mapping) = space.mapped.get_mut(start) else { continue };
                if gpu.is_some_and(|gpu| gpu.ordinal != mapping.physical.gpu.ordinal) {
                    return Err(CUresult::INVALID_DEVICE.into());
                }
                if mapping.access != 0 {
                    memory::forget(*start, |kind| matches!(kind, Kind::Virtual));
                    withdraw(*start)?;
                    mapping.access = 0;
                }
                protect(*start, mapping.bytes, flags)?;
                if flags != 0 {
                    publish(*start, mapping.bytes as u64, flags == 3, "mapped memory")?;
                    let context = context::current_handle().cast();
                    memory::remember(*start, mapping.bytes as u64, Kind::Virtual, context, mapping.physical.gpu);
                }
                mapping.access = flags;
            }
        }
        Ok(())
    }

    fn cuMemGetAccess(flags: Out<u64>, location: In<MemoryLocation>, address: u64) {
        let gpu = device::of_location(location.get()?)?;
        let space = lock(&SPACE);
        let found = space.mapped.range(..=address).next_back();
        let found = found.filter(|(start, mapping)| address < *start + mapping.bytes as u64);
        let (_, mapping) = found.ok_or_else(|| Failure::value(format!("nothing is mapped at {address:#x}")))?;
        let is_own = gpu.is_none_or(|gpu| gpu.ordinal == mapping.physical.gpu.ordinal);
        flags.set(if is_own { mapping.access.into() } else { 0 })
    }

    fn cuMemGetAllocationPropertiesFromHandle(to: Out<AllocationProperties>, handle: Handle<Physical>) {
        to.set(handle.get()?.properties)
    }

    fn cuMemRetainAllocationHandle(handle: Out<Handle<Physical>>, address: u64) {
        handle.require()?;
        let space = lock(&SPACE);
        let found = space.mapped.range(..=address).next_back();
        let found = found.filter(|(start, mapping)| address < *start + mapping.bytes as u64);
        let (_, mapping) = found.ok_or_else(|| Failure::value(format!("nothing is mapped at {address:#x}")))?;
        handle.set(Physical::table().insert(mapping.physical.clone())?)
    }

    fn cuMemExportToShareableHandle(to: Out<c_int>, handle: Handle<Physical>, kind: c_uint, flags: u64) {
        let physical = handle.get()?;
        to.require()?;
        if kind != 1 || flags != 0 || physical.properties.handle_types & 1 == 0 {
            return Err(Failure::value("the memory is not shared so"));
        }
        // SAFETY: it is an open descriptor.
        let copy = unsafe { libc::fcntl(physical.file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 0) };
        if copy < 0 { Err(CUresult::OPERATING_SYSTEM.into()) } else { to.set(copy) }
    }

    fn cuMemImportFromShareableHandle(handle: Out<Handle<Physical>>, from: u64, kind: c_uint) {
        handle.require()?;
        if kind != 1 {
            return Err(Failure::because(CUresult::NOT_SUPPORTED, "memory that is shared by other than file descriptors"));
        }
        let wrong = || Failure::value("the descriptor is not that of memory");
        let given = c_int::try_from(from).map_err(|_| wrong())?;
        // SAFETY: an invalid descriptor is an error.
        let copy = unsafe { libc::fcntl(given, libc::F_DUPFD_CLOEXEC, 0) };
        if copy < 0 {
            return Err(wrong());
        }
        // SAFETY: the descriptor was just made.
        let file = unsafe { OwnedFd::from_raw_fd(copy) };
        let size = std::fs::File::from(file.try_clone().map_err(|_| wrong())?).metadata().map_err(|_| wrong())?.len();
        let bytes = usize::try_from(size).ok().filter(|&bytes| is_whole(bytes)).ok_or_else(wrong)?;
        let gpu = context::current()?.gpu;
        let location = MemoryLocation { kind: 1, id: gpu.ordinal };
        let properties = AllocationProperties { kind: 1, handle_types: 1, location, ..AllocationProperties::default() };
        handle.set(Physical::table().insert(Arc::new(Physical { file, bytes, properties, gpu }))?)
    }
}
