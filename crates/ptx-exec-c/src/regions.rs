//! Kinds of memory, and what is at an address.

use std::ffi::c_void;

use ptx_device::{MemoryKind, RegionKind};

use crate::device::{PtxDevice, address_of};
use crate::pointer::{given, store};
use crate::status::{Failure, PtxStatus, guard};

/// In the terms of CUDA, the memory that an allocation is in. Kernels and the process access all of it.
#[repr(C)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PtxMemoryKind {
    /// Memory of the device.
    PtxMemoryDevice = 0,
    /// Page-locked memory of the process.
    PtxMemoryHost = 1,
    /// Managed memory.
    PtxMemoryManaged = 2,
}

/// The kind of a region of memory.
#[repr(C)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PtxRegionKind {
    /// Memory of `ptx_malloc`.
    PtxRegionAllocation = 0,
    /// Memory of `ptx_register`.
    PtxRegionRegistered = 1,
    /// A variable of a module, or the constant memory of one.
    PtxRegionVariable = 2,
    /// The heap of `malloc` in kernels.
    PtxRegionHeap = 3,
}

/// A region of memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxRegion {
    /// Its first byte.
    pub start: *mut c_void,
    /// Its size in bytes, as requested.
    pub bytes: u64,
    /// Its kind, a `PtxRegionKind`.
    pub kind: u32,
    /// The memory that it is in, a `PtxMemoryKind`; registered memory is that of the process.
    pub memory: u32,
}

/// The region of memory that contains an address; PTX_NOT_FOUND if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_pointer_region(
    device: *const PtxDevice,
    pointer: *const c_void,
    region: *mut PtxRegion,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let found = unsafe { given(device, "`device`") }?.0.region(address_of(pointer));
        let missing = || Failure::new(PtxStatus::PtxNotFound, format!("there is no memory at {pointer:p}"));
        let found = found.ok_or_else(missing)?;
        let kind = match found.kind {
            RegionKind::Allocation => PtxRegionKind::PtxRegionAllocation,
            RegionKind::Registered => PtxRegionKind::PtxRegionRegistered,
            RegionKind::Variable => PtxRegionKind::PtxRegionVariable,
            RegionKind::Heap => PtxRegionKind::PtxRegionHeap,
        };
        let memory = match found.memory {
            MemoryKind::Device => PtxMemoryKind::PtxMemoryDevice,
            MemoryKind::Host => PtxMemoryKind::PtxMemoryHost,
            MemoryKind::Managed => PtxMemoryKind::PtxMemoryManaged,
        };
        let start = std::ptr::with_exposed_provenance_mut(found.address as usize);
        let found = PtxRegion { start, bytes: found.bytes, kind: kind as u32, memory: memory as u32 };
        // SAFETY: the header's contract.
        unsafe { store(region, found, "`region`") }
    })
}

/// The kind of memory with a number.
pub(crate) fn memory_kind(number: u32) -> Result<MemoryKind, Failure> {
    match number {
        number if number == PtxMemoryKind::PtxMemoryDevice as u32 => Ok(MemoryKind::Device),
        number if number == PtxMemoryKind::PtxMemoryHost as u32 => Ok(MemoryKind::Host),
        number if number == PtxMemoryKind::PtxMemoryManaged as u32 => Ok(MemoryKind::Managed),
        other => Err(Failure::value(format!("`memory` is {other}; expected 0, 1 or 2"))),
    }
}

/// `ptx_malloc` for any kind of memory, a `PtxMemoryKind`. Only that of the device counts as used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_malloc_in(
    device: *const PtxDevice,
    memory: u32,
    bytes: usize,
    pointer: *mut *mut c_void,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let device = &unsafe { given(device, "`device`") }?.0;
        let address = device.allocate_in(memory_kind(memory)?, bytes as u64)?;
        // SAFETY: the header's contract.
        unsafe { store(pointer, std::ptr::with_exposed_provenance_mut(address as usize), "`pointer`") }
    })
}
