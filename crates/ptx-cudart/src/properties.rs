//! The properties of a device, `cudaDeviceProp`, in the layouts of both versions.

use std::ffi::{c_int, c_uint};
use std::mem::{offset_of, size_of};

use crate::context;
use crate::error::Answer;
use crate::functions::{cuDeviceGetAttribute, cuDeviceGetName, cuDeviceGetUuid_v2, cuDeviceTotalMem_v2};
use crate::pointer::{In, Out};

/// Conversions of attributes of the driver to the types of fields.
trait Values: Sized {
    /// Reads attributes of a device.
    fn read(attributes: &[c_int], device: c_int) -> Answer<Self>;
}

fn attribute(which: c_int, device: c_int) -> Answer<c_int> {
    let mut value = 0;
    cuDeviceGetAttribute(Out::to(&mut value), which, device)?;
    Ok(value)
}

impl Values for c_int {
    fn read(attributes: &[c_int], device: c_int) -> Answer<Self> {
        attribute(attributes[0], device)
    }
}

impl Values for c_uint {
    fn read(attributes: &[c_int], device: c_int) -> Answer<Self> {
        Ok(attribute(attributes[0], device)?.cast_unsigned())
    }
}

impl Values for usize {
    fn read(attributes: &[c_int], device: c_int) -> Answer<Self> {
        // Sizes of 2 GiB or more are negative as attributes.
        Ok(attribute(attributes[0], device)?.cast_unsigned() as usize)
    }
}

impl<const N: usize> Values for [c_int; N] {
    fn read(attributes: &[c_int], device: c_int) -> Answer<Self> {
        let mut values = [0; N];
        for (value, &which) in values.iter_mut().zip(attributes) {
            *value = attribute(which, device)?;
        }
        Ok(values)
    }
}

macro_rules! properties {
    ($($(#[$meta:meta])* struct $name:ident reserved $reserved:literal {
        $($field:ident $c_name:literal: $ty:ty = [$($attribute:literal),*]),* $(,)?
    })*) => {$(
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name {
            pub name: [u8; 256],
            pub uuid: [u8; 16],
            pub luid: [u8; 8],
            pub luid_mask: c_uint,
            pub memory_bytes: usize,
            $(pub $field: $ty,)*
            pub reserved: [c_int; $reserved],
        }

        impl $name {
            /// The size, and the names in the header and offsets of the fields.
            pub const LAYOUT: (usize, &'static [(&'static str, usize)]) = (
                size_of::<Self>(),
                &[
                    ("uuid", offset_of!(Self, uuid)),
                    ("luid", offset_of!(Self, luid)),
                    ("luidDeviceNodeMask", offset_of!(Self, luid_mask)),
                    ("totalGlobalMem", offset_of!(Self, memory_bytes)),
                    $(($c_name, offset_of!(Self, $field)),)*
                ],
            );

            /// Reads the properties of a device.
            pub fn of(device: c_int) -> Answer<Self> {
                context::require_device(device)?;
                let (mut name, mut uuid, mut memory_bytes) = ([0u8; 256], [0; 16], 0);
                cuDeviceGetName(Out::to(&mut name).cast(), name.len() as c_int, device)?;
                cuDeviceGetUuid_v2(Out::to(&mut uuid), device)?;
                cuDeviceTotalMem_v2(Out::to(&mut memory_bytes), device)?;
                Ok(Self {
                    name,
                    uuid,
                    // Only Windows has these.
                    luid: [0; 8],
                    luid_mask: 0,
                    memory_bytes,
                    $($field: <$ty as Values>::read(&[$($attribute),*], device)?,)*
                    reserved: [0; $reserved],
                })
            }
        }
    )*};
}

properties! {
    /// The layout of CUDA 12.
    struct Properties12 reserved 63 {
        shared_mem_per_block "sharedMemPerBlock": usize = [8], regs_per_block "regsPerBlock": c_int = [12],
        warp_size "warpSize": c_int = [10], mem_pitch "memPitch": usize = [11],
        max_threads_per_block "maxThreadsPerBlock": c_int = [1], max_threads_dim "maxThreadsDim": [c_int; 3] = [2, 3, 4],
        max_grid_size "maxGridSize": [c_int; 3] = [5, 6, 7], clock_rate "clockRate": c_int = [13],
        total_const_mem "totalConstMem": usize = [9], major "major": c_int = [75], minor "minor": c_int = [76],
        texture_alignment "textureAlignment": usize = [14], texture_pitch_alignment "texturePitchAlignment": usize = [51],
        device_overlap "deviceOverlap": c_int = [15], multiprocessor_count "multiProcessorCount": c_int = [16],
        kernel_exec_timeout_enabled "kernelExecTimeoutEnabled": c_int = [17], integrated "integrated": c_int = [18],
        can_map_host_memory "canMapHostMemory": c_int = [19], compute_mode "computeMode": c_int = [20],
        max_texture1d "maxTexture1D": c_int = [21], max_texture1d_mipmap "maxTexture1DMipmap": c_int = [77],
        max_texture1d_linear "maxTexture1DLinear": c_int = [69], max_texture2d "maxTexture2D": [c_int; 2] = [22, 23],
        max_texture2d_mipmap "maxTexture2DMipmap": [c_int; 2] = [73, 74],
        max_texture2d_linear "maxTexture2DLinear": [c_int; 3] = [70, 71, 72],
        max_texture2d_gather "maxTexture2DGather": [c_int; 2] = [45, 46], max_texture3d "maxTexture3D": [c_int; 3] = [24, 25, 26],
        max_texture3d_alt "maxTexture3DAlt": [c_int; 3] = [47, 48, 49], max_texture_cubemap "maxTextureCubemap": c_int = [52],
        max_texture1d_layered "maxTexture1DLayered": [c_int; 2] = [42, 43],
        max_texture2d_layered "maxTexture2DLayered": [c_int; 3] = [27, 28, 29],
        max_texture_cubemap_layered "maxTextureCubemapLayered": [c_int; 2] = [53, 54], max_surface1d "maxSurface1D": c_int = [55],
        max_surface2d "maxSurface2D": [c_int; 2] = [56, 57], max_surface3d "maxSurface3D": [c_int; 3] = [58, 59, 60],
        max_surface1d_layered "maxSurface1DLayered": [c_int; 2] = [61, 62],
        max_surface2d_layered "maxSurface2DLayered": [c_int; 3] = [63, 64, 65],
        max_surface_cubemap "maxSurfaceCubemap": c_int = [66],
        max_surface_cubemap_layered "maxSurfaceCubemapLayered": [c_int; 2] = [67, 68],
        surface_alignment "surfaceAlignment": usize = [30], concurrent_kernels "concurrentKernels": c_int = [31],
        eccenabled "ECCEnabled": c_int = [32], pci_bus_id "pciBusID": c_int = [33], pci_device_id "pciDeviceID": c_int = [34],
        pci_domain_id "pciDomainID": c_int = [50], tcc_driver "tccDriver": c_int = [35],
        async_engine_count "asyncEngineCount": c_int = [40], unified_addressing "unifiedAddressing": c_int = [41],
        memory_clock_rate "memoryClockRate": c_int = [36], memory_bus_width "memoryBusWidth": c_int = [37],
        l2_cache_size "l2CacheSize": c_int = [38], persisting_l2_cache_max_size "persistingL2CacheMaxSize": c_int = [108],
        max_threads_per_multiprocessor "maxThreadsPerMultiProcessor": c_int = [39],
        stream_priorities_supported "streamPrioritiesSupported": c_int = [78],
        global_l1_cache_supported "globalL1CacheSupported": c_int = [79],
        local_l1_cache_supported "localL1CacheSupported": c_int = [80],
        shared_mem_per_multiprocessor "sharedMemPerMultiprocessor": usize = [81],
        regs_per_multiprocessor "regsPerMultiprocessor": c_int = [82], managed_memory "managedMemory": c_int = [83],
        is_multi_gpu_board "isMultiGpuBoard": c_int = [84], multi_gpu_board_group_id "multiGpuBoardGroupID": c_int = [85],
        host_native_atomic_supported "hostNativeAtomicSupported": c_int = [86],
        single_to_double_precision_perf_ratio "singleToDoublePrecisionPerfRatio": c_int = [87],
        pageable_memory_access "pageableMemoryAccess": c_int = [88],
        concurrent_managed_access "concurrentManagedAccess": c_int = [89],
        compute_preemption_supported "computePreemptionSupported": c_int = [90],
        can_use_host_pointer_for_registered_mem "canUseHostPointerForRegisteredMem": c_int = [91],
        cooperative_launch "cooperativeLaunch": c_int = [95],
        cooperative_multi_device_launch "cooperativeMultiDeviceLaunch": c_int = [96],
        shared_mem_per_block_optin "sharedMemPerBlockOptin": usize = [97],
        pageable_memory_access_uses_host_page_tables "pageableMemoryAccessUsesHostPageTables": c_int = [100],
        direct_managed_mem_access_from_host "directManagedMemAccessFromHost": c_int = [101],
        max_blocks_per_multiprocessor "maxBlocksPerMultiProcessor": c_int = [106],
        access_policy_max_window_size "accessPolicyMaxWindowSize": c_int = [109],
        reserved_shared_mem_per_block "reservedSharedMemPerBlock": usize = [111],
        host_register_supported "hostRegisterSupported": c_int = [99],
        sparse_cuda_array_supported "sparseCudaArraySupported": c_int = [112],
        host_register_read_only_supported "hostRegisterReadOnlySupported": c_int = [113],
        timeline_semaphore_interop_supported "timelineSemaphoreInteropSupported": c_int = [114],
        memory_pools_supported "memoryPoolsSupported": c_int = [115],
        gpu_direct_rdmasupported "gpuDirectRDMASupported": c_int = [116],
        gpu_direct_rdmaflush_writes_options "gpuDirectRDMAFlushWritesOptions": c_uint = [117],
        gpu_direct_rdmawrites_ordering "gpuDirectRDMAWritesOrdering": c_int = [118],
        memory_pool_supported_handle_types "memoryPoolSupportedHandleTypes": c_uint = [119],
        deferred_mapping_cuda_array_supported "deferredMappingCudaArraySupported": c_int = [121],
        ipc_event_supported "ipcEventSupported": c_int = [125], cluster_launch "clusterLaunch": c_int = [120],
        unified_function_pointers "unifiedFunctionPointers": c_int = [129],
    }

    /// The layout of CUDA 13.
    struct Properties13 reserved 56 {
        shared_mem_per_block "sharedMemPerBlock": usize = [8], regs_per_block "regsPerBlock": c_int = [12],
        warp_size "warpSize": c_int = [10], mem_pitch "memPitch": usize = [11],
        max_threads_per_block "maxThreadsPerBlock": c_int = [1], max_threads_dim "maxThreadsDim": [c_int; 3] = [2, 3, 4],
        max_grid_size "maxGridSize": [c_int; 3] = [5, 6, 7], total_const_mem "totalConstMem": usize = [9],
        major "major": c_int = [75], minor "minor": c_int = [76], texture_alignment "textureAlignment": usize = [14],
        texture_pitch_alignment "texturePitchAlignment": usize = [51], multiprocessor_count "multiProcessorCount": c_int = [16],
        integrated "integrated": c_int = [18], can_map_host_memory "canMapHostMemory": c_int = [19],
        max_texture1d "maxTexture1D": c_int = [21], max_texture1d_mipmap "maxTexture1DMipmap": c_int = [77],
        max_texture2d "maxTexture2D": [c_int; 2] = [22, 23], max_texture2d_mipmap "maxTexture2DMipmap": [c_int; 2] = [73, 74],
        max_texture2d_linear "maxTexture2DLinear": [c_int; 3] = [70, 71, 72],
        max_texture2d_gather "maxTexture2DGather": [c_int; 2] = [45, 46], max_texture3d "maxTexture3D": [c_int; 3] = [24, 25, 26],
        max_texture3d_alt "maxTexture3DAlt": [c_int; 3] = [47, 48, 49], max_texture_cubemap "maxTextureCubemap": c_int = [52],
        max_texture1d_layered "maxTexture1DLayered": [c_int; 2] = [42, 43],
        max_texture2d_layered "maxTexture2DLayered": [c_int; 3] = [27, 28, 29],
        max_texture_cubemap_layered "maxTextureCubemapLayered": [c_int; 2] = [53, 54], max_surface1d "maxSurface1D": c_int = [55],
        max_surface2d "maxSurface2D": [c_int; 2] = [56, 57], max_surface3d "maxSurface3D": [c_int; 3] = [58, 59, 60],
        max_surface1d_layered "maxSurface1DLayered": [c_int; 2] = [61, 62],
        max_surface2d_layered "maxSurface2DLayered": [c_int; 3] = [63, 64, 65],
        max_surface_cubemap "maxSurfaceCubemap": c_int = [66],
        max_surface_cubemap_layered "maxSurfaceCubemapLayered": [c_int; 2] = [67, 68],
        surface_alignment "surfaceAlignment": usize = [30], concurrent_kernels "concurrentKernels": c_int = [31],
        eccenabled "ECCEnabled": c_int = [32], pci_bus_id "pciBusID": c_int = [33], pci_device_id "pciDeviceID": c_int = [34],
        pci_domain_id "pciDomainID": c_int = [50], tcc_driver "tccDriver": c_int = [35],
        async_engine_count "asyncEngineCount": c_int = [40], unified_addressing "unifiedAddressing": c_int = [41],
        memory_bus_width "memoryBusWidth": c_int = [37], l2_cache_size "l2CacheSize": c_int = [38],
        persisting_l2_cache_max_size "persistingL2CacheMaxSize": c_int = [108],
        max_threads_per_multiprocessor "maxThreadsPerMultiProcessor": c_int = [39],
        stream_priorities_supported "streamPrioritiesSupported": c_int = [78],
        global_l1_cache_supported "globalL1CacheSupported": c_int = [79],
        local_l1_cache_supported "localL1CacheSupported": c_int = [80],
        shared_mem_per_multiprocessor "sharedMemPerMultiprocessor": usize = [81],
        regs_per_multiprocessor "regsPerMultiprocessor": c_int = [82], managed_memory "managedMemory": c_int = [83],
        is_multi_gpu_board "isMultiGpuBoard": c_int = [84], multi_gpu_board_group_id "multiGpuBoardGroupID": c_int = [85],
        host_native_atomic_supported "hostNativeAtomicSupported": c_int = [86],
        pageable_memory_access "pageableMemoryAccess": c_int = [88],
        concurrent_managed_access "concurrentManagedAccess": c_int = [89],
        compute_preemption_supported "computePreemptionSupported": c_int = [90],
        can_use_host_pointer_for_registered_mem "canUseHostPointerForRegisteredMem": c_int = [91],
        cooperative_launch "cooperativeLaunch": c_int = [95], shared_mem_per_block_optin "sharedMemPerBlockOptin": usize = [97],
        pageable_memory_access_uses_host_page_tables "pageableMemoryAccessUsesHostPageTables": c_int = [100],
        direct_managed_mem_access_from_host "directManagedMemAccessFromHost": c_int = [101],
        max_blocks_per_multiprocessor "maxBlocksPerMultiProcessor": c_int = [106],
        access_policy_max_window_size "accessPolicyMaxWindowSize": c_int = [109],
        reserved_shared_mem_per_block "reservedSharedMemPerBlock": usize = [111],
        host_register_supported "hostRegisterSupported": c_int = [99],
        sparse_cuda_array_supported "sparseCudaArraySupported": c_int = [112],
        host_register_read_only_supported "hostRegisterReadOnlySupported": c_int = [113],
        timeline_semaphore_interop_supported "timelineSemaphoreInteropSupported": c_int = [114],
        memory_pools_supported "memoryPoolsSupported": c_int = [115],
        gpu_direct_rdmasupported "gpuDirectRDMASupported": c_int = [116],
        gpu_direct_rdmaflush_writes_options "gpuDirectRDMAFlushWritesOptions": c_uint = [117],
        gpu_direct_rdmawrites_ordering "gpuDirectRDMAWritesOrdering": c_int = [118],
        memory_pool_supported_handle_types "memoryPoolSupportedHandleTypes": c_uint = [119],
        deferred_mapping_cuda_array_supported "deferredMappingCudaArraySupported": c_int = [121],
        ipc_event_supported "ipcEventSupported": c_int = [125], cluster_launch "clusterLaunch": c_int = [120],
        unified_function_pointers "unifiedFunctionPointers": c_int = [129], device_numa_config "deviceNumaConfig": c_int = [130],
        device_numa_id "deviceNumaId": c_int = [131], mps_enabled "mpsEnabled": c_int = [133],
        host_numa_id "hostNumaId": c_int = [134], gpu_pci_device_id "gpuPciDeviceID": c_uint = [139],
        gpu_pci_subsystem_id "gpuPciSubsystemID": c_uint = [140],
        host_numa_multinode_ipc_supported "hostNumaMultinodeIpcSupported": c_int = [143],
    }
}

impl Properties12 {
    /// The bytes of the structure of CUDA 11, whose fields are the first ones; `cudaGetDeviceProperties` of CUDA 12 still has it.
    pub const BYTES_11: usize = offset_of!(Self, reserved_shared_mem_per_block) + size_of::<usize>();

    /// Writes its first bytes.
    pub fn write_first(&self, to: Out<u8>, bytes: usize) -> Answer {
        let from = In::from(self).cast::<u8>();
        (0..bytes.min(size_of::<Self>())).try_for_each(|index| to.nth(index).set(from.nth(index).get()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size of `cudaDeviceProp` in the header of CUDA 11.8.
    #[test]
    fn the_structure_of_cuda_11_begins_that_of_cuda_12() {
        assert_eq!(Properties12::BYTES_11, 728);
    }
}
