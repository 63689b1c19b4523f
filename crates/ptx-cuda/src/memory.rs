//! Memory: what is allocated, what is at an address, and accesses to it.
//!
//! Device addresses are addresses of the process. Memory of a device is accessed through it, which checks the bounds of each access; memory of the host
//! that is allocated, registered or managed here is known to all devices and accessed directly.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use crate::context::{self, Context};
use crate::device;
use crate::driver::{Driver, Gpu};
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::handle::Handle;
use crate::host_memory::{self, Block};
use crate::pointer::{In, Out, Untyped, copy_host, host_bytes, host_bytes_mut};
use crate::pool::Pool;

/// The kind of an allocation.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Memory of a device.
    Device,
    /// Memory of a device from a pool.
    Pool(Handle<Pool>),
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
    pub context: Handle<Context>,
    pub gpu: &'static Gpu,
    /// `CU_POINTER_ATTRIBUTE_BUFFER_ID`.
    id: u64,
}

impl Allocation {
    pub fn is_managed(&self) -> bool {
        matches!(self.kind, Kind::Managed)
    }

    /// Whether it is memory of the host process that all devices know.
    pub fn is_of_host(&self) -> bool {
        matches!(self.kind, Kind::Host(_) | Kind::Registered | Kind::Managed | Kind::Virtual)
    }
}

static ALLOCATIONS: RwLock<BTreeMap<u64, Allocation>> = RwLock::new(BTreeMap::new());

/// Remembers an allocation.
pub fn remember(base: u64, bytes: u64, kind: Kind, context: Handle<Context>, gpu: &'static Gpu) {
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

/// The allocation that begins at an address, which is forgotten if its kind is as expected.
pub fn forget(base: u64, is_expected: impl Fn(&Kind) -> bool) -> Option<Allocation> {
    let mut all = ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner);
    if is_expected(&all.get(&base)?.kind) { all.remove(&base) } else { None }
}

/// Allocations that overlap a range.
pub fn overlaps(address: u64, bytes: u64) -> bool {
    let all = ALLOCATIONS.read().unwrap_or_else(PoisonError::into_inner);
    let last = all.range(..address.saturating_add(bytes)).next_back();
    last.is_some_and(|(_, found)| found.base + found.bytes > address)
}

/// Frees what was allocated in a context.
pub fn free_of(context: Handle<Context>) {
    let mut all = ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner);
    let (of_context, rest) =
        std::mem::take(&mut *all).into_iter().partition(|(_, found)| found.context == context);
    *all = rest;
    drop(all);
    let of_context: BTreeMap<u64, Allocation> = of_context;
    for allocation in of_context.into_values() {
        // Nothing else can free it any more.
        let _ = release(&allocation);
    }
}

/// Gives the memory of a forgotten allocation back.
fn release(allocation: &Allocation) -> Answer {
    match allocation.kind {
        Kind::Device | Kind::Pool(_) => {
            allocation.gpu.device.free(allocation.base)?;
            allocation.gpu.pools.freed(&allocation.kind, allocation.bytes);
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
    found.gpu.pools.freed(&found.kind, found.bytes);
    if matches!(found.kind, Kind::Managed) {
        return release(&found);
    }
    found.gpu.pools.retire(found.gpu, found.base);
    Ok(())
}

/// Allocates memory of a device.
pub fn allocate(gpu: &'static Gpu, bytes: u64, kind: Kind, context: Handle<Context>) -> Answer<u64> {
    gpu.pools.collect(gpu);
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
            gpu.device.write(to, host_bytes(from, count)).map_err(|e| gpu.failure(e))?
        }
        (Home::Host, Home::Gpu(gpu)) => {
            gpu.device.read(from, host_bytes_mut(to, count)).map_err(|e| gpu.failure(e))?
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

/// An attribute of a pointer, `CUpointer_attribute`, written to memory of its type.
fn attribute(to: Untyped, which: c_uint, address: u64) -> Answer {
    let found = find(address);
    let variable = || -> Option<(u64, u64, &'static Gpu)> {
        match region(address)? {
            (base, bytes, Home::Gpu(gpu)) => Some((base, bytes, gpu)),
            (_, _, Home::Host) => None,
        }
    };
    let known = found.as_ref().map(|found| (found.base, found.bytes, found.gpu)).or_else(variable);
    let unknown = || Failure::value(format!("{address:#x} is no memory of CUDA"));
    let (base, bytes, gpu) = match (which, known) {
        // What every pointer has.
        (9, None) => return to.cast::<c_int>().set(-2),
        (11, None) => return to.cast::<u64>().set(address),
        (_, known) => known.ok_or_else(unknown)?,
    };
    let kind = found.as_ref().map_or(&Kind::Device, |found| &found.kind);
    let is_host = matches!(kind, Kind::Host(_) | Kind::Registered);
    let is_device = !is_host;
    match which {
        1 => {
            // Default: the context of a variable is the current one.
            let context = found.as_ref().map_or_else(context::current_handle, |found| found.context);
            to.cast::<Handle<Context>>().set(context)
        }
        2 => to.cast::<c_uint>().set(if is_host { crate::types::HOST } else { crate::types::DEVICE }),
        3 => to.cast::<u64>().set(address),
        4 if is_host || matches!(kind, Kind::Managed) => to.cast::<u64>().set(address),
        4 | 5 => Err(unknown()),
        6 => to.cast::<u8>().set(0),
        7 => to.cast::<u64>().set(found.as_ref().map_or(base, |found| found.id)),
        8 => to.cast::<u8>().set(matches!(kind, Kind::Managed).into()),
        9 => to.cast::<c_int>().set(gpu.ordinal),
        10 => to.cast::<u8>().set(0),
        11 => to.cast::<u64>().set(base),
        12 => to.cast::<usize>().set(bytes as usize),
        13 => to.cast::<u8>().set(1),
        14 => to.cast::<u64>().set(0),
        15 => to.cast::<u8>().set(0),
        16 => to.cast::<c_uint>().set(3),
        17 => match kind {
            Kind::Pool(pool) => to.cast::<Handle<Pool>>().set(*pool),
            _ => to.cast::<Handle<Pool>>().set(Handle::NULL),
        },
        18 => to.cast::<usize>().set(bytes as usize),
        19 => to.cast::<u64>().set(base),
        20 | 21 => to.cast::<u8>().set(0),
        _ => {
            debug_assert!(is_device || is_host);
            Err(Failure::value(format!("there is no attribute {which} of pointers")))
        }
    }
}

/// Allocates rows whose distance is a multiple of 512 bytes.
fn allocate_rows(to: Out<u64>, pitch: Out<usize>, width: usize, height: usize, element: c_uint) -> Answer {
    let context = context::current()?;
    to.require()?;
    pitch.require()?;
    if width == 0 || height == 0 || !matches!(element, 4 | 8 | 16) {
        return Err(Failure::value("sizes of rows"));
    }
    let distance =
        width.checked_next_multiple_of(512).filter(|&bytes| bytes <= device::LARGEST_PITCH as usize);
    let distance = distance.ok_or_else(|| Failure::value("rows are too long"))?;
    let bytes = distance.checked_mul(height).ok_or(CUresult::OUT_OF_MEMORY)?;
    to.set(allocate(context.gpu, bytes as u64, Kind::Device, context::current_handle())?)?;
    pitch.set(distance)
}

entries! {
    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        let gpu = context::current()?.gpu;
        free.set_if_wanted(device::free_bytes(gpu) as usize);
        total.set_if_wanted(gpu.memory_bytes as usize);
        Ok(())
    }

    fn cuMemAlloc_v2(to: Out<u64>, bytes: usize) {
        let context = context::current()?;
        to.require()?;
        if bytes == 0 {
            return Err(Failure::value("an allocation of no bytes"));
        }
        crate::capture::refuse_unsafe_call()?;
        to.set(allocate(context.gpu, bytes as u64, Kind::Device, context::current_handle())?)
    }

    fn cuMemAllocPitch_v2(to: Out<u64>, pitch: Out<usize>, width: usize, height: usize, element: c_uint) {
        allocate_rows(to, pitch, width, height, element)
    }

    fn cuMemFree_v2(address: u64) {
        context::current()?;
        if address == 0 {
            return Ok(());
        }
        crate::capture::refuse_unsafe_call()?;
        let found = forget(address, |kind| matches!(kind, Kind::Device | Kind::Pool(_) | Kind::Managed));
        release(&found.ok_or_else(|| Failure::value(format!("{address:#x} is not allocated")))?)
    }

    fn cuMemGetAddressRange_v2(base: Out<u64>, size: Out<usize>, address: u64) {
        context::current()?;
        let found = region(address).ok_or_else(|| Failure::because(CUresult::NOT_FOUND, format!("{address:#x} is not allocated")))?;
        base.set_if_wanted(found.0);
        size.set_if_wanted(found.1 as usize);
        Ok(())
    }

    fn cuMemAllocManaged(to: Out<u64>, bytes: usize, flags: c_uint) {
        let context = context::current()?;
        to.require()?;
        if bytes == 0 || !matches!(flags, 1 | 2) {
            return Err(Failure::value("size or flags of managed memory"));
        }
        let base = host_memory::allocate(bytes, "managed memory")?;
        remember(base, bytes as u64, Kind::Managed, context::current_handle(), context.gpu);
        to.set(base)
    }

    fn cuPointerGetAttribute(to: Untyped, which: c_uint, address: u64) {
        to.require()?;
        attribute(to, which, address)
    }

    fn cuPointerGetAttributes(count: c_uint, which: In<c_uint>, to: In<*mut c_void>, address: u64) {
        let which = which.list(count as usize)?;
        let to = to.list(count as usize)?;
        for (&which, &to) in which.iter().zip(&to) {
            let place = Out::at(to);
            place.require()?;
            match attribute(place, which, address) {
                Ok(()) => {}
                // An attribute that a pointer does not have is zero here.
                Err(_) if which == 1 || (3..=5).contains(&which) || which == 7 || which == 17 => place.cast::<u64>().set(0)?,
                Err(_) if which == 12 || which == 18 || which == 14 || which == 19 => place.cast::<u64>().set(0)?,
                Err(_) if which == 2 || which == 16 => place.cast::<u32>().set(0)?,
                Err(_) if matches!(which, 6 | 8 | 10 | 13 | 15 | 20 | 21) => place.cast::<u8>().set(0)?,
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    fn cuPointerSetAttribute(value: In<c_uint>, which: c_uint, address: u64) {
        value.get()?;
        if which != 6 {
            return Err(Failure::value("only whether memory operations are synchronous can be set"));
        }
        region(address).map(drop).ok_or_else(|| Failure::value(format!("{address:#x} is no memory of CUDA")))
    }
}
