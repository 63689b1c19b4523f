//! Memory: allocations, lookup by address, and accesses.
//!
//! Device addresses are addresses of the process. Memory of a device is accessed through it, which checks the bounds of each access; memory of the host
//! that is allocated, registered or managed here is known to all devices and accessed directly.

use std::ffi::{c_int, c_uint};
use std::sync::atomic::Ordering;

use crate::context::{self, Context};
use crate::device;
use crate::driver::Gpu;
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::graph_memory::GraphMemory;
use crate::handle::Handle;
use crate::host_memory;
use crate::memory::{Allocation, Home, Kind, allocate, find, forget, region, release, remember};
use crate::pointer::{In, Out, Untyped};

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
            let context = found.as_ref().map_or_else(context::current_handle, |found| found.context.cast());
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
            Kind::Pool(usage) => to.cast::<u64>().set(usage.handle.load(Ordering::Relaxed)),
            _ => to.cast::<u64>().set(0),
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
    to.set(allocate(context.gpu, bytes as u64, Kind::Device, context::current_handle().cast())?)?;
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
        to.set(allocate(context.gpu, bytes as u64, Kind::Device, context::current_handle().cast())?)
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
        if let Some(Allocation { kind: Kind::Graph(_), .. }) = find(address) {
            return GraphMemory::at(address)?.free();
        }
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
        remember(base, bytes as u64, Kind::Managed, context::current_handle().cast(), context.gpu);
        to.set(base)
    }

    fn cuPointerGetAttribute(to: Untyped, which: c_uint, address: u64) {
        to.require()?;
        attribute(to, which, address)
    }

    fn cuPointerGetAttributes(count: c_uint, which: In<c_uint>, to: In<Untyped>, address: u64) {
        let which = which.list(count as usize)?;
        let to = to.list(count as usize)?;
        for (&which, &place) in which.iter().zip(&to) {
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
