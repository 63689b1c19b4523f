//! Attributes of kernels, and occupancy.

use ptx_device::{MultiprocessorLimits, Sm};

use crate::module::PtxKernel;
use crate::pointer::{given, or_zero, store};
use crate::status::{Failure, PtxStatus, guard};

/// What a kernel requires of a device.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxKernelAttributes {
    /// An estimate of the 32-bit registers of a thread: those that are live at once, and a few more.
    pub registers: u32,
    /// Maximum threads of a block (`.maxntid`, `.reqntid`).
    pub max_threads: u32,
    /// Bytes of static shared memory of a block.
    pub static_shared_bytes: u64,
    /// Maximum bytes of dynamic shared memory of a launch.
    pub dynamic_shared_bytes: u64,
    /// Bytes of local memory of a thread.
    pub local_bytes: u64,
    /// Bytes of constant memory of the module.
    pub constant_bytes: u64,
    /// Bytes of its parameters.
    pub parameter_bytes: u64,
    /// The extents that blocks must have (`.reqntid`); zeros if any.
    pub required_block: [u32; 3],
    /// The shape that clusters must have (`.reqnctapercluster`); zeros if any.
    pub required_cluster: [u32; 3],
    /// Nonzero if a launch must give a cluster shape (`.explicitcluster`).
    pub needs_cluster: u32,
    /// Maximum blocks of a cluster (`.maxclusterrank`); 0 if the kernel does not limit it.
    pub max_cluster_blocks: u32,
    /// The blocks that should fit on a multiprocessor (`.minnctapersm`); 0 if not given.
    pub min_blocks: u32,
    /// The PTX version of the module, 86 for 8.6.
    pub ptx_version: u32,
    /// The target of the module, 90 for `sm_90a`; 0 if there is none.
    pub target: u32,
}

/// The attributes of a kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_kernel_attributes(
    kernel: *const PtxKernel,
    attributes: *mut PtxKernelAttributes,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let kernel = &unsafe { given(kernel, "`kernel`") }?.kernel;
        let found = kernel.attributes();
        let version = found.ptx_version;
        let version = version.map(|version| u32::from(version.major) * 10 + u32::from(version.minor));
        let found = PtxKernelAttributes {
            registers: found.registers,
            max_threads: found.max_threads,
            static_shared_bytes: found.static_shared_bytes,
            dynamic_shared_bytes: kernel.dynamic_shared(),
            local_bytes: found.local_bytes,
            constant_bytes: found.constant_bytes,
            parameter_bytes: found.parameter_bytes,
            required_block: or_zero(found.required_block),
            required_cluster: or_zero(found.required_cluster),
            needs_cluster: found.needs_cluster.into(),
            max_cluster_blocks: or_zero(found.max_cluster_blocks),
            min_blocks: or_zero(found.min_blocks),
            ptx_version: or_zero(version),
            target: or_zero(found.target.map(|sm| sm.number.into())),
        };
        // SAFETY: the header's contract.
        unsafe { store(attributes, found, "`attributes`") }
    })
}

/// Sets the maximum bytes of dynamic shared memory of subsequent launches of a kernel, for all handles of it. Devices with `opt_in_shared` require
/// it for launches with more than 48 KiB of shared memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_kernel_set_dynamic_shared(kernel: *const PtxKernel, bytes: u32) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| Ok(unsafe { given(kernel, "`kernel`") }?.kernel.set_dynamic_shared(bytes)?))
}

/// How many blocks of a kernel can be resident on a multiprocessor of the device's architecture, or else of the module's target, with this number of
/// threads and bytes of dynamic shared memory; 0 if not even one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_kernel_occupancy(
    kernel: *const PtxKernel,
    threads: u32,
    dynamic_shared: u32,
    blocks: *mut u32,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let kernel = &unsafe { given(kernel, "`kernel`") }?.kernel;
        let found = kernel.multiprocessor().resident_blocks(kernel.attributes(), threads, dynamic_shared);
        // SAFETY: the header's contract.
        unsafe { store(blocks, found, "`blocks`") }
    })
}

/// The largest block size with which the most threads of a kernel are resident on a multiprocessor, of at most `most_threads` threads if that is not
/// 0, and how many blocks of that size are resident. `blocks` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_kernel_best_block(
    kernel: *const PtxKernel,
    dynamic_shared: u32,
    most_threads: u32,
    threads: *mut u32,
    blocks: *mut u32,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let kernel = &unsafe { given(kernel, "`kernel`") }?.kernel;
        let limits = kernel.multiprocessor();
        let (size, resident) = limits.best_block(kernel.attributes(), |_| dynamic_shared, most_threads);
        // SAFETY: the header's contract.
        unsafe {
            store(threads, size, "`threads`")?;
            if !blocks.is_null() {
                store(blocks, resident, "`blocks`")?;
            }
        }
        Ok(())
    })
}

/// Limits of a multiprocessor.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxMultiprocessor {
    /// Maximum resident blocks.
    pub blocks: u32,
    /// Maximum resident threads.
    pub threads: u32,
    /// 32-bit registers.
    pub registers: u32,
    /// Maximum registers of a block.
    pub block_registers: u32,
    /// Bytes of shared memory.
    pub shared_bytes: u32,
    /// Maximum bytes of shared memory of a block that opts in.
    pub block_shared_bytes: u32,
    /// Bytes of shared memory that each block takes in addition.
    pub reserved_shared_bytes: u32,
    /// Maximum blocks of a cluster that all devices execute; 1 if there are no clusters.
    pub cluster_blocks: u32,
}

/// The limits of a multiprocessor of an architecture, 90 for `sm_90`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_architecture_limits(
    architecture: u32,
    limits: *mut PtxMultiprocessor,
) -> PtxStatus {
    guard(|| {
        let number = u16::try_from(architecture);
        let number = number.map_err(|_| Failure::value("there is no such architecture"))?;
        let found = MultiprocessorLimits::of(Sm::new(number));
        let found = PtxMultiprocessor {
            blocks: found.blocks,
            threads: found.threads(),
            registers: found.registers,
            block_registers: found.block_registers,
            shared_bytes: found.shared_bytes,
            block_shared_bytes: found.block_shared_bytes,
            reserved_shared_bytes: found.reserved_shared_bytes,
            cluster_blocks: found.cluster_blocks,
        };
        // SAFETY: the header's contract.
        unsafe { store(limits, found, "`limits`") }
    })
}
