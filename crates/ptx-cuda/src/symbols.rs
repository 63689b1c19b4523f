//! The names of `cuda.h` and `cudaProfiler.h` 13.5 with the version of CUDA that added each, and whether this driver has them.

use crate::log;
use crate::table::{Name, Subject};

/// The address of a function.
#[derive(Clone, Copy, Debug)]
pub struct Address(pub unsafe extern "C" fn());

macro_rules! is_done {
    (done) => {
        true
    };
    (todo) => {
        false
    };
}

/// The function of a name that is not implemented.
macro_rules! stub {
    (done $name:ident) => {};
    (todo $name:ident) => {
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> $crate::error::CUresult {
            $crate::symbols::log::missing(stringify!($name))
        }
    };
}

macro_rules! names {
    ($($subject:ident { $($state:ident $name:ident $since:literal;)* })*) => {
        /// All names, in alphabetical order within each subject.
        pub const NAMES: &[Name] = &[$($(Name {
            symbol: stringify!($name),
            since: $since,
            subject: Subject::$subject,
            implemented: is_done!($state),
            address: Address(functions::$name),
        }),*),*];

        /// All functions, declared without their parameters: only their addresses are used.
        mod functions {
            unsafe extern "C" {
                $($(pub fn $name();)*)*
            }
        }

        /// A stub is called with the arguments of the function that it replaces and ignores them: by the calling convention the caller removes them.
        mod stubs {
            $($(stub!($state $name);)*)*
        }
    };
}

names! {
    Errors {
        done cuGetErrorName 6000;
        done cuGetErrorString 6000;
    }
    Initialization {
        done cuDriverGetVersion 2020;
        done cuGetExportTable 3000;
        done cuGetProcAddress 11030;
        done cuGetProcAddress_v2 12000;
        done cuInit 2000;
    }
    Devices {
        done cuDeviceComputeCapability 2000;
        done cuDeviceGet 2000;
        done cuDeviceGetAttribute 2000;
        done cuDeviceGetByPCIBusId 4010;
        done cuDeviceGetCount 2000;
        done cuDeviceGetExecAffinitySupport 11040;
        done cuDeviceGetHostAtomicCapabilities 13000;
        done cuDeviceGetLuid 10000;
        done cuDeviceGetName 2000;
        done cuDeviceGetPCIBusId 4010;
        done cuDeviceGetProperties 2000;
        done cuDeviceGetTexture1DLinearMaxWidth 11010;
        done cuDeviceGetUuid 9020;
        done cuDeviceGetUuid_v2 11040;
        todo cuDeviceRegisterAsyncNotification 12040;
        todo cuDeviceTotalMem 2000;
        done cuDeviceTotalMem_v2 3020;
        todo cuDeviceUnregisterAsyncNotification 12040;
        done cuFlushGPUDirectRDMAWrites 11030;
    }
    PrimaryContexts {
        done cuDevicePrimaryCtxGetState 7000;
        done cuDevicePrimaryCtxRelease 7000;
        done cuDevicePrimaryCtxRelease_v2 11000;
        done cuDevicePrimaryCtxReset 7000;
        done cuDevicePrimaryCtxReset_v2 11000;
        done cuDevicePrimaryCtxRetain 7000;
        done cuDevicePrimaryCtxSetFlags 7000;
        done cuDevicePrimaryCtxSetFlags_v2 11000;
    }
    Contexts {
        done cuCtxAttach 2000;
        done cuCtxCreate 2000;
        done cuCtxCreate_v2 3020;
        done cuCtxCreate_v3 11040;
        done cuCtxCreate_v4 12050;
        done cuCtxDestroy 2000;
        done cuCtxDestroy_v2 4000;
        done cuCtxDetach 2000;
        done cuCtxGetApiVersion 3020;
        done cuCtxGetCacheConfig 3020;
        done cuCtxGetCurrent 4000;
        done cuCtxGetDevice 2000;
        done cuCtxGetDevice_v2 13000;
        done cuCtxGetExecAffinity 11040;
        done cuCtxGetFlags 7000;
        done cuCtxGetId 12000;
        done cuCtxGetLimit 3010;
        done cuCtxGetSharedMemConfig 4020;
        done cuCtxGetStreamPriorityRange 5050;
        done cuCtxPopCurrent 2000;
        done cuCtxPopCurrent_v2 4000;
        done cuCtxPushCurrent 2000;
        done cuCtxPushCurrent_v2 4000;
        done cuCtxResetPersistingL2Cache 11000;
        done cuCtxSetCacheConfig 3020;
        done cuCtxSetCurrent 4000;
        done cuCtxSetFlags 12010;
        done cuCtxSetLimit 3010;
        done cuCtxSetSharedMemConfig 4020;
        done cuCtxSynchronize 2000;
        done cuCtxSynchronize_v2 13000;
    }
    Modules {
        done cuModuleEnumerateFunctions 12040;
        done cuModuleGetFunction 2000;
        done cuModuleGetFunctionCount 12040;
        todo cuModuleGetGlobal 2000;
        done cuModuleGetGlobal_v2 3020;
        done cuModuleGetLoadingMode 11070;
        done cuModuleLoad 2000;
        done cuModuleLoadData 2000;
        done cuModuleLoadDataEx 2010;
        done cuModuleLoadFatBinary 2000;
        done cuModuleUnload 2000;
    }
    Libraries {
        done cuKernelGetAttribute 12000;
        done cuKernelGetFunction 12000;
        done cuKernelGetLibrary 12050;
        done cuKernelGetName 12030;
        done cuKernelGetParamCount 13020;
        done cuKernelGetParamInfo 12040;
        done cuKernelSetAttribute 12000;
        done cuKernelSetCacheConfig 12000;
        done cuLibraryEnumerateKernels 12040;
        done cuLibraryGetGlobal 12000;
        done cuLibraryGetKernel 12000;
        done cuLibraryGetKernelCount 12040;
        done cuLibraryGetManaged 12000;
        done cuLibraryGetModule 12000;
        done cuLibraryGetUnifiedFunction 12000;
        done cuLibraryLoadData 12000;
        done cuLibraryLoadFromFile 12000;
        done cuLibraryUnload 12000;
    }
    Linking {
        done cuLinkAddData 5050;
        done cuLinkAddData_v2 6050;
        done cuLinkAddFile 5050;
        done cuLinkAddFile_v2 6050;
        done cuLinkComplete 5050;
        done cuLinkCreate 5050;
        done cuLinkCreate_v2 6050;
        done cuLinkDestroy 5050;
    }
    Memory {
        done cuMemAdvise 8000;
        done cuMemAdvise_v2 12020;
        todo cuMemAlloc 2000;
        todo cuMemAllocHost 2000;
        done cuMemAllocHost_v2 3020;
        done cuMemAllocManaged 6000;
        todo cuMemAllocPitch 2000;
        done cuMemAllocPitch_v2 3020;
        done cuMemAlloc_v2 3020;
        todo cuMemBatchDecompressAsync 12060;
        todo cuMemBatchDecompressAsync_ptsz 12060;
        done cuMemDiscardAndPrefetchBatchAsync 13000;
        done cuMemDiscardAndPrefetchBatchAsync_ptsz 13000;
        done cuMemDiscardBatchAsync 13000;
        done cuMemDiscardBatchAsync_ptsz 13000;
        todo cuMemFree 2000;
        done cuMemFreeHost 2000;
        done cuMemFree_v2 3020;
        todo cuMemGetAddressRange 2000;
        done cuMemGetAddressRange_v2 3020;
        todo cuMemGetInfo 2000;
        done cuMemGetInfo_v2 3020;
        todo cuMemGetLocationInfo 13040;
        done cuMemHostAlloc 2020;
        todo cuMemHostGetDevicePointer 2020;
        done cuMemHostGetDevicePointer_v2 3020;
        done cuMemHostGetFlags 2030;
        todo cuMemHostRegister 4000;
        done cuMemHostRegister_v2 6050;
        done cuMemHostUnregister 4000;
        done cuMemPrefetchAsync 8000;
        done cuMemPrefetchAsync_ptsz 8000;
        done cuMemPrefetchAsync_v2 12020;
        done cuMemPrefetchAsync_v2_ptsz 12020;
        done cuMemPrefetchBatchAsync 13000;
        done cuMemPrefetchBatchAsync_ptsz 13000;
        done cuMemRangeGetAttribute 8000;
        done cuMemRangeGetAttributes 8000;
        done cuPointerGetAttribute 4000;
        done cuPointerGetAttributes 7000;
        done cuPointerSetAttribute 6000;
    }
    Pools {
        done cuDeviceGetDefaultMemPool 11020;
        done cuDeviceGetMemPool 11020;
        done cuDeviceSetMemPool 11020;
        done cuMemAllocAsync 11020;
        done cuMemAllocAsync_ptsz 11020;
        done cuMemAllocFromPoolAsync 11020;
        done cuMemAllocFromPoolAsync_ptsz 11020;
        done cuMemFreeAsync 11020;
        done cuMemFreeAsync_ptsz 11020;
        done cuMemGetDefaultMemPool 13000;
        done cuMemGetMemPool 13000;
        done cuMemPoolCreate 11020;
        done cuMemPoolDestroy 11020;
        todo cuMemPoolExportPointer 11020;
        done cuMemPoolExportToShareableHandle 11020;
        done cuMemPoolGetAccess 11020;
        done cuMemPoolGetAttribute 11020;
        done cuMemPoolSetAccess 11020;
        done cuMemPoolSetAttribute 11020;
        done cuMemPoolTrimTo 11020;
        done cuMemSetMemPool 13000;
    }
    VirtualMemory {
        done cuMemAddressFree 10020;
        done cuMemAddressReserve 10020;
        done cuMemCreate 10020;
        done cuMemExportToShareableHandle 10020;
        done cuMemGetAccess 10020;
        done cuMemGetAllocationGranularity 10020;
        done cuMemGetAllocationPropertiesFromHandle 10020;
        todo cuMemGetHandleForAddressRange 11070;
        done cuMemMap 10020;
        done cuMemRelease 10020;
        done cuMemRetainAllocationHandle 11000;
        done cuMemSetAccess 10020;
        done cuMemUnmap 10020;
    }
    Multicast {
        todo cuMulticastAddDevice 12010;
        todo cuMulticastBindAddr 12010;
        todo cuMulticastBindAddr_v2 13010;
        todo cuMulticastBindMem 12010;
        todo cuMulticastBindMem_v2 13010;
        todo cuMulticastCreate 12010;
        todo cuMulticastGetGranularity 12010;
        todo cuMulticastUnbind 12010;
    }
    Copies {
        done cuMemcpy 4000;
        todo cuMemcpy2D 2000;
        todo cuMemcpy2DAsync 2000;
        done cuMemcpy2DAsync_v2 3020;
        done cuMemcpy2DAsync_v2_ptsz 7000;
        todo cuMemcpy2DUnaligned 2000;
        done cuMemcpy2DUnaligned_v2 3020;
        done cuMemcpy2DUnaligned_v2_ptds 7000;
        done cuMemcpy2D_v2 3020;
        done cuMemcpy2D_v2_ptds 7000;
        todo cuMemcpy3D 2000;
        todo cuMemcpy3DAsync 2000;
        done cuMemcpy3DAsync_v2 3020;
        done cuMemcpy3DAsync_v2_ptsz 7000;
        done cuMemcpy3DBatchAsync 12080;
        done cuMemcpy3DBatchAsync_ptsz 12080;
        done cuMemcpy3DBatchAsync_v2 13000;
        done cuMemcpy3DBatchAsync_v2_ptsz 13000;
        done cuMemcpy3DPeer 4000;
        done cuMemcpy3DPeerAsync 4000;
        done cuMemcpy3DPeerAsync_ptsz 7000;
        done cuMemcpy3DPeer_ptds 7000;
        done cuMemcpy3DWithAttributesAsync 13020;
        done cuMemcpy3DWithAttributesAsync_ptsz 13020;
        done cuMemcpy3D_v2 3020;
        done cuMemcpy3D_v2_ptds 7000;
        done cuMemcpyAsync 4000;
        done cuMemcpyAsync_ptsz 7000;
        todo cuMemcpyAtoA 2000;
        done cuMemcpyAtoA_v2 3020;
        done cuMemcpyAtoA_v2_ptds 7000;
        todo cuMemcpyAtoD 2000;
        done cuMemcpyAtoD_v2 3020;
        done cuMemcpyAtoD_v2_ptds 7000;
        todo cuMemcpyAtoH 2000;
        todo cuMemcpyAtoHAsync 2000;
        done cuMemcpyAtoHAsync_v2 3020;
        done cuMemcpyAtoHAsync_v2_ptsz 7000;
        done cuMemcpyAtoH_v2 3020;
        done cuMemcpyAtoH_v2_ptds 7000;
        done cuMemcpyBatchAsync 12080;
        done cuMemcpyBatchAsync_ptsz 12080;
        done cuMemcpyBatchAsync_v2 13000;
        done cuMemcpyBatchAsync_v2_ptsz 13000;
        todo cuMemcpyDtoA 2000;
        done cuMemcpyDtoA_v2 3020;
        done cuMemcpyDtoA_v2_ptds 7000;
        todo cuMemcpyDtoD 2000;
        todo cuMemcpyDtoDAsync 3000;
        done cuMemcpyDtoDAsync_v2 3020;
        done cuMemcpyDtoDAsync_v2_ptsz 7000;
        done cuMemcpyDtoD_v2 3020;
        done cuMemcpyDtoD_v2_ptds 7000;
        todo cuMemcpyDtoH 2000;
        todo cuMemcpyDtoHAsync 2000;
        done cuMemcpyDtoHAsync_v2 3020;
        done cuMemcpyDtoHAsync_v2_ptsz 7000;
        done cuMemcpyDtoH_v2 3020;
        done cuMemcpyDtoH_v2_ptds 7000;
        todo cuMemcpyHtoA 2000;
        todo cuMemcpyHtoAAsync 2000;
        done cuMemcpyHtoAAsync_v2 3020;
        done cuMemcpyHtoAAsync_v2_ptsz 7000;
        done cuMemcpyHtoA_v2 3020;
        done cuMemcpyHtoA_v2_ptds 7000;
        todo cuMemcpyHtoD 2000;
        todo cuMemcpyHtoDAsync 2000;
        done cuMemcpyHtoDAsync_v2 3020;
        done cuMemcpyHtoDAsync_v2_ptsz 7000;
        done cuMemcpyHtoD_v2 3020;
        done cuMemcpyHtoD_v2_ptds 7000;
        done cuMemcpyPeer 4000;
        done cuMemcpyPeerAsync 4000;
        done cuMemcpyPeerAsync_ptsz 7000;
        done cuMemcpyPeer_ptds 7000;
        done cuMemcpyWithAttributesAsync 13020;
        done cuMemcpyWithAttributesAsync_ptsz 13020;
        done cuMemcpy_ptds 7000;
    }
    Fills {
        todo cuMemsetD16 2000;
        done cuMemsetD16Async 3020;
        done cuMemsetD16Async_ptsz 7000;
        done cuMemsetD16_v2 3020;
        done cuMemsetD16_v2_ptds 7000;
        todo cuMemsetD2D16 2000;
        done cuMemsetD2D16Async 3020;
        done cuMemsetD2D16Async_ptsz 7000;
        done cuMemsetD2D16_v2 3020;
        done cuMemsetD2D16_v2_ptds 7000;
        todo cuMemsetD2D32 2000;
        done cuMemsetD2D32Async 3020;
        done cuMemsetD2D32Async_ptsz 7000;
        done cuMemsetD2D32_v2 3020;
        done cuMemsetD2D32_v2_ptds 7000;
        todo cuMemsetD2D8 2000;
        done cuMemsetD2D8Async 3020;
        done cuMemsetD2D8Async_ptsz 7000;
        done cuMemsetD2D8_v2 3020;
        done cuMemsetD2D8_v2_ptds 7000;
        todo cuMemsetD32 2000;
        done cuMemsetD32Async 3020;
        done cuMemsetD32Async_ptsz 7000;
        done cuMemsetD32_v2 3020;
        done cuMemsetD32_v2_ptds 7000;
        todo cuMemsetD8 2000;
        done cuMemsetD8Async 3020;
        done cuMemsetD8Async_ptsz 7000;
        done cuMemsetD8_v2 3020;
        done cuMemsetD8_v2_ptds 7000;
    }
    Arrays {
        todo cuArray3DCreate 2000;
        done cuArray3DCreate_v2 3020;
        todo cuArray3DGetDescriptor 2000;
        done cuArray3DGetDescriptor_v2 3020;
        todo cuArrayCreate 2000;
        done cuArrayCreate_v2 3020;
        done cuArrayDestroy 2000;
        todo cuArrayGetDescriptor 2000;
        done cuArrayGetDescriptor_v2 3020;
        done cuArrayGetMemoryRequirements 11060;
        todo cuArrayGetPlane 11020;
        todo cuArrayGetSparseProperties 11010;
        todo cuExternalMemoryGetMappedMipmappedArray 10000;
        todo cuGraphicsResourceGetMappedMipmappedArray 5000;
        todo cuGraphicsSubResourceGetMappedArray 3000;
        todo cuMemMapArrayAsync 11010;
        todo cuMemMapArrayAsync_ptsz 11010;
        done cuMipmappedArrayCreate 5000;
        done cuMipmappedArrayDestroy 5000;
        done cuMipmappedArrayGetLevel 5000;
        done cuMipmappedArrayGetMemoryRequirements 11060;
        todo cuMipmappedArrayGetSparseProperties 11010;
    }
    Textures {
        done cuModuleGetSurfRef 3000;
        done cuModuleGetTexRef 2000;
        done cuParamSetTexRef 2000;
        done cuSurfObjectCreate 5000;
        done cuSurfObjectDestroy 5000;
        done cuSurfObjectGetResourceDesc 5000;
        done cuSurfRefGetArray 3000;
        done cuSurfRefSetArray 3000;
        done cuTexObjectCreate 5000;
        done cuTexObjectDestroy 5000;
        done cuTexObjectGetResourceDesc 5000;
        done cuTexObjectGetResourceViewDesc 5000;
        done cuTexObjectGetTextureDesc 5000;
        done cuTexRefCreate 2000;
        done cuTexRefDestroy 2000;
        todo cuTexRefGetAddress 2000;
        done cuTexRefGetAddressMode 2000;
        done cuTexRefGetAddress_v2 3020;
        done cuTexRefGetArray 2000;
        done cuTexRefGetBorderColor 8000;
        done cuTexRefGetFilterMode 2000;
        done cuTexRefGetFlags 2000;
        done cuTexRefGetFormat 2000;
        done cuTexRefGetMaxAnisotropy 5000;
        done cuTexRefGetMipmapFilterMode 5000;
        done cuTexRefGetMipmapLevelBias 5000;
        done cuTexRefGetMipmapLevelClamp 5000;
        done cuTexRefGetMipmappedArray 5000;
        todo cuTexRefSetAddress 2000;
        todo cuTexRefSetAddress2D 2020;
        done cuTexRefSetAddress2D_v2 3020;
        done cuTexRefSetAddress2D_v3 4010;
        done cuTexRefSetAddressMode 2000;
        done cuTexRefSetAddress_v2 3020;
        done cuTexRefSetArray 2000;
        done cuTexRefSetBorderColor 8000;
        done cuTexRefSetFilterMode 2000;
        done cuTexRefSetFlags 2000;
        done cuTexRefSetFormat 2000;
        done cuTexRefSetMaxAnisotropy 5000;
        done cuTexRefSetMipmapFilterMode 5000;
        done cuTexRefSetMipmapLevelBias 5000;
        done cuTexRefSetMipmapLevelClamp 5000;
        done cuTexRefSetMipmappedArray 5000;
    }
    TensorMaps {
        done cuTensorMapEncodeIm2col 12000;
        done cuTensorMapEncodeIm2colWide 12080;
        done cuTensorMapEncodeTiled 12000;
        done cuTensorMapReplaceAddress 12000;
        todo cuTensorMapSetAllocationClass 13050;
    }
    Streams {
        done cuStreamAddCallback 5000;
        done cuStreamAddCallback_ptsz 7000;
        done cuStreamAttachMemAsync 6000;
        done cuStreamAttachMemAsync_ptsz 7000;
        done cuStreamCopyAttributes 11000;
        done cuStreamCopyAttributes_ptsz 11000;
        done cuStreamCreate 2000;
        done cuStreamCreateWithPriority 5050;
        done cuStreamDestroy 2000;
        done cuStreamDestroy_v2 4000;
        done cuStreamGetAttribute 11000;
        done cuStreamGetAttribute_ptsz 11000;
        done cuStreamGetCtx 9020;
        done cuStreamGetCtx_ptsz 9020;
        done cuStreamGetCtx_v2 12050;
        done cuStreamGetCtx_v2_ptsz 12050;
        done cuStreamGetDevice 12080;
        done cuStreamGetDevice_ptsz 12080;
        done cuStreamGetFlags 5050;
        done cuStreamGetFlags_ptsz 7000;
        done cuStreamGetId 12000;
        done cuStreamGetId_ptsz 12000;
        done cuStreamGetPriority 5050;
        done cuStreamGetPriority_ptsz 7000;
        done cuStreamIsCapturing 10000;
        done cuStreamIsCapturing_ptsz 10000;
        done cuStreamQuery 2000;
        done cuStreamQuery_ptsz 7000;
        done cuStreamSetAttribute 11000;
        done cuStreamSetAttribute_ptsz 11000;
        done cuStreamSynchronize 2000;
        done cuStreamSynchronize_ptsz 7000;
    }
    StreamMemory {
        todo cuStreamBatchMemOp 8000;
        todo cuStreamBatchMemOp_ptsz 8000;
        done cuStreamBatchMemOp_v2 11070;
        done cuStreamBatchMemOp_v2_ptsz 11070;
        todo cuStreamWaitValue32 8000;
        todo cuStreamWaitValue32_ptsz 8000;
        done cuStreamWaitValue32_v2 11070;
        done cuStreamWaitValue32_v2_ptsz 11070;
        todo cuStreamWaitValue64 9000;
        todo cuStreamWaitValue64_ptsz 9000;
        done cuStreamWaitValue64_v2 11070;
        done cuStreamWaitValue64_v2_ptsz 11070;
        todo cuStreamWriteValue32 8000;
        todo cuStreamWriteValue32_ptsz 8000;
        done cuStreamWriteValue32_v2 11070;
        done cuStreamWriteValue32_v2_ptsz 11070;
        todo cuStreamWriteValue64 9000;
        todo cuStreamWriteValue64_ptsz 9000;
        done cuStreamWriteValue64_v2 11070;
        done cuStreamWriteValue64_v2_ptsz 11070;
    }
    Events {
        done cuCtxRecordEvent 12050;
        done cuCtxWaitEvent 12050;
        done cuEventCreate 2000;
        done cuEventDestroy 2000;
        done cuEventDestroy_v2 4000;
        done cuEventElapsedTime 2000;
        done cuEventElapsedTime_v2 12080;
        done cuEventQuery 2000;
        done cuEventRecord 2000;
        done cuEventRecordWithFlags 11010;
        done cuEventRecordWithFlags_ptsz 11010;
        done cuEventRecord_ptsz 7000;
        done cuEventSynchronize 2000;
        done cuStreamWaitEvent 3020;
        done cuStreamWaitEvent_ptsz 7000;
    }
    Launching {
        done cuFuncGetAttribute 2020;
        done cuFuncGetModule 11000;
        done cuFuncGetName 12030;
        done cuFuncGetParamCount 13020;
        done cuFuncGetParamInfo 12040;
        done cuFuncIsLoaded 12040;
        done cuFuncLoad 12040;
        done cuFuncSetAttribute 9000;
        done cuFuncSetBlockShape 2000;
        done cuFuncSetCacheConfig 3000;
        done cuFuncSetSharedMemConfig 4020;
        done cuFuncSetSharedSize 2000;
        todo cuLaunch 2000;
        done cuLaunchCooperativeKernel 9000;
        done cuLaunchCooperativeKernelMultiDevice 9000;
        done cuLaunchCooperativeKernel_ptsz 9000;
        todo cuLaunchGrid 2000;
        todo cuLaunchGridAsync 2000;
        done cuLaunchHostFunc 10000;
        done cuLaunchHostFunc_ptsz 10000;
        done cuLaunchHostFunc_v2 13010;
        done cuLaunchHostFunc_v2_ptsz 13010;
        done cuLaunchKernel 4000;
        done cuLaunchKernelEx 11060;
        done cuLaunchKernelEx_ptsz 11060;
        done cuLaunchKernel_ptsz 7000;
        todo cuParamSetSize 2000;
        todo cuParamSetf 2000;
        todo cuParamSeti 2000;
        todo cuParamSetv 2000;
    }
    Occupancy {
        done cuOccupancyAvailableDynamicSMemPerBlock 10020;
        done cuOccupancyMaxActiveBlocksPerMultiprocessor 6050;
        done cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags 7000;
        done cuOccupancyMaxActiveClusters 11070;
        done cuOccupancyMaxPotentialBlockSize 6050;
        done cuOccupancyMaxPotentialBlockSizeWithFlags 7000;
        done cuOccupancyMaxPotentialClusterSize 11070;
    }
    Graphs {
        done cuDeviceGetGraphMemAttribute 11040;
        done cuDeviceGraphMemTrim 11040;
        done cuDeviceSetGraphMemAttribute 11040;
        todo cuGraphAddBatchMemOpNode 11070;
        done cuGraphAddChildGraphNode 10000;
        done cuGraphAddDependencies 10000;
        done cuGraphAddDependencies_v2 12030;
        done cuGraphAddEmptyNode 10000;
        done cuGraphAddEventRecordNode 11010;
        done cuGraphAddEventWaitNode 11010;
        todo cuGraphAddExternalSemaphoresSignalNode 11020;
        todo cuGraphAddExternalSemaphoresWaitNode 11020;
        done cuGraphAddHostNode 10000;
        done cuGraphAddKernelNode 10000;
        done cuGraphAddKernelNode_v2 12000;
        done cuGraphAddMemAllocNode 11040;
        done cuGraphAddMemFreeNode 11040;
        done cuGraphAddMemcpyNode 10000;
        done cuGraphAddMemsetNode 10000;
        done cuGraphAddNode 12020;
        done cuGraphAddNode_v2 12030;
        todo cuGraphAddNode_v3 13040;
        todo cuGraphBatchMemOpNodeGetParams 11070;
        todo cuGraphBatchMemOpNodeSetParams 11070;
        done cuGraphChildGraphNodeGetGraph 10000;
        done cuGraphClone 10000;
        todo cuGraphConditionalHandleCreate 12030;
        done cuGraphCreate 10000;
        done cuGraphDebugDotPrint 11030;
        done cuGraphDestroy 10000;
        done cuGraphDestroyNode 10000;
        done cuGraphEventRecordNodeGetEvent 11010;
        done cuGraphEventRecordNodeSetEvent 11010;
        done cuGraphEventWaitNodeGetEvent 11010;
        done cuGraphEventWaitNodeSetEvent 11010;
        todo cuGraphExecBatchMemOpNodeSetParams 11070;
        done cuGraphExecChildGraphNodeSetParams 11010;
        done cuGraphExecDestroy 10000;
        done cuGraphExecEventRecordNodeSetEvent 11010;
        done cuGraphExecEventWaitNodeSetEvent 11010;
        todo cuGraphExecExternalSemaphoresSignalNodeSetParams 11020;
        todo cuGraphExecExternalSemaphoresWaitNodeSetParams 11020;
        done cuGraphExecGetFlags 12000;
        done cuGraphExecGetId 13010;
        done cuGraphExecHostNodeSetParams 10020;
        done cuGraphExecKernelNodeSetParams 10010;
        done cuGraphExecKernelNodeSetParams_v2 12000;
        done cuGraphExecMemcpyNodeSetParams 10020;
        done cuGraphExecMemsetNodeSetParams 10020;
        done cuGraphExecNodeSetParams 12020;
        done cuGraphExecUpdate 10020;
        done cuGraphExecUpdate_v2 12000;
        todo cuGraphExternalSemaphoresSignalNodeGetParams 11020;
        todo cuGraphExternalSemaphoresSignalNodeSetParams 11020;
        todo cuGraphExternalSemaphoresWaitNodeGetParams 11020;
        todo cuGraphExternalSemaphoresWaitNodeSetParams 11020;
        done cuGraphGetEdges 10000;
        done cuGraphGetEdges_v2 12030;
        done cuGraphGetId 13010;
        done cuGraphGetNodes 10000;
        done cuGraphGetRootNodes 10000;
        done cuGraphHostNodeGetParams 10000;
        done cuGraphHostNodeSetParams 10000;
        done cuGraphInstantiate 10000;
        done cuGraphInstantiateWithFlags 11040;
        done cuGraphInstantiateWithParams 12000;
        done cuGraphInstantiateWithParams_ptsz 12000;
        done cuGraphInstantiate_v2 11000;
        done cuGraphKernelNodeCopyAttributes 11000;
        done cuGraphKernelNodeGetAttribute 11000;
        done cuGraphKernelNodeGetParams 10000;
        done cuGraphKernelNodeGetParams_v2 12000;
        done cuGraphKernelNodeSetAttribute 11000;
        done cuGraphKernelNodeSetParams 10000;
        done cuGraphKernelNodeSetParams_v2 12000;
        done cuGraphLaunch 10000;
        done cuGraphLaunch_ptsz 10000;
        done cuGraphMemAllocNodeGetParams 11040;
        done cuGraphMemFreeNodeGetParams 11040;
        done cuGraphMemcpyNodeGetParams 10000;
        done cuGraphMemcpyNodeSetParams 10000;
        done cuGraphMemsetNodeGetParams 10000;
        done cuGraphMemsetNodeSetParams 10000;
        done cuGraphNodeFindInClone 10000;
        done cuGraphNodeGetContainingGraph 13010;
        done cuGraphNodeGetDependencies 10000;
        done cuGraphNodeGetDependencies_v2 12030;
        done cuGraphNodeGetDependentNodes 10000;
        done cuGraphNodeGetDependentNodes_v2 12030;
        done cuGraphNodeGetEnabled 11060;
        done cuGraphNodeGetLocalId 13010;
        todo cuGraphNodeGetParams 13020;
        done cuGraphNodeGetToolsId 13010;
        done cuGraphNodeGetType 10000;
        done cuGraphNodeSetEnabled 11060;
        done cuGraphNodeSetParams 12020;
        todo cuGraphNodeSetParams_v2 13040;
        done cuGraphReleaseUserObject 11030;
        done cuGraphRemoveDependencies 10000;
        done cuGraphRemoveDependencies_v2 12030;
        done cuGraphRetainUserObject 11030;
        done cuGraphUpload 11010;
        done cuGraphUpload_ptsz 11010;
        done cuUserObjectCreate 11030;
        done cuUserObjectRelease 11030;
        done cuUserObjectRetain 11030;
    }
    Capture {
        done cuStreamBeginCapture 10000;
        todo cuStreamBeginCaptureToCig 13010;
        todo cuStreamBeginCaptureToCig_ptsz 13010;
        done cuStreamBeginCaptureToGraph 12030;
        done cuStreamBeginCaptureToGraph_ptsz 12030;
        done cuStreamBeginCapture_ptsz 10000;
        done cuStreamBeginCapture_v2 10010;
        done cuStreamBeginCapture_v2_ptsz 10010;
        todo cuStreamBeginRecaptureToGraph 13030;
        todo cuStreamBeginRecaptureToGraph_ptsz 13030;
        done cuStreamEndCapture 10000;
        todo cuStreamEndCaptureToCig 13010;
        todo cuStreamEndCaptureToCig_ptsz 13010;
        done cuStreamEndCapture_ptsz 10000;
        done cuStreamGetCaptureInfo 10010;
        done cuStreamGetCaptureInfo_ptsz 10010;
        done cuStreamGetCaptureInfo_v2 11030;
        done cuStreamGetCaptureInfo_v2_ptsz 11030;
        done cuStreamGetCaptureInfo_v3 12030;
        done cuStreamGetCaptureInfo_v3_ptsz 12030;
        done cuStreamUpdateCaptureDependencies 11030;
        done cuStreamUpdateCaptureDependencies_ptsz 11030;
        done cuStreamUpdateCaptureDependencies_v2 12030;
        done cuStreamUpdateCaptureDependencies_v2_ptsz 12030;
        done cuThreadExchangeStreamCaptureMode 10010;
    }
    PeerAccess {
        done cuCtxDisablePeerAccess 4000;
        done cuCtxEnablePeerAccess 4000;
        done cuDeviceCanAccessPeer 4000;
        todo cuDeviceGetP2PAtomicCapabilities 13000;
        done cuDeviceGetP2PAttribute 8000;
    }
    Interprocess {
        todo cuIpcCloseMemHandle 4010;
        todo cuIpcGetEventHandle 4010;
        todo cuIpcGetMemHandle 4010;
        todo cuIpcOpenEventHandle 4010;
        todo cuIpcOpenMemHandle 4010;
        todo cuIpcOpenMemHandle_v2 11000;
    }
    GreenContexts {
        todo cuCtxFromGreenCtx 12040;
        todo cuCtxGetDevResource 12040;
        todo cuDevResourceGenerateDesc 12040;
        todo cuDevSmResourceSplit 13010;
        todo cuDevSmResourceSplitByCount 12040;
        todo cuDeviceGetDevResource 12040;
        todo cuGreenCtxCreate 12040;
        todo cuGreenCtxDestroy 12040;
        todo cuGreenCtxGetDevResource 12040;
        todo cuGreenCtxGetId 12090;
        todo cuGreenCtxRecordEvent 12040;
        todo cuGreenCtxStreamCreate 12050;
        todo cuGreenCtxWaitEvent 12040;
        todo cuStreamGetDevResource 13010;
        todo cuStreamGetDevResource_ptsz 13010;
        todo cuStreamGetGreenCtx 12040;
    }
    External {
        todo cuDestroyExternalMemory 10000;
        todo cuDestroyExternalSemaphore 10000;
        todo cuDeviceGetNvSciSyncAttributes 10020;
        todo cuExternalMemoryGetMappedBuffer 10000;
        todo cuImportExternalMemory 10000;
        todo cuImportExternalSemaphore 10000;
        todo cuLogicalEndpointImport 13030;
        done cuMemImportFromShareableHandle 10020;
        todo cuMemPoolImportFromShareableHandle 11020;
        todo cuMemPoolImportPointer 11020;
        todo cuSignalExternalSemaphoresAsync 10000;
        todo cuSignalExternalSemaphoresAsync_ptsz 10000;
        todo cuWaitExternalSemaphoresAsync 10000;
        todo cuWaitExternalSemaphoresAsync_ptsz 10000;
    }
    Graphics {
        todo cuGraphicsMapResources 3000;
        todo cuGraphicsMapResources_ptsz 7000;
        todo cuGraphicsResourceGetMappedPointer 3000;
        todo cuGraphicsResourceGetMappedPointer_v2 3020;
        todo cuGraphicsResourceSetMapFlags 3000;
        todo cuGraphicsResourceSetMapFlags_v2 6050;
        todo cuGraphicsUnmapResources 3000;
        todo cuGraphicsUnmapResources_ptsz 7000;
        todo cuGraphicsUnregisterResource 3000;
    }
    LogicalEndpoints {
        todo cuDeviceGetCliqueCount 13040;
        todo cuDeviceGetCliqueInfo 13040;
        todo cuDeviceGetFabricClusterUuid 13040;
        todo cuFabricCpyBatchAsync 13050;
        todo cuFabricCpyBatchAsync_ptsz 13050;
        todo cuLogicalEndpointAddDevice 13030;
        todo cuLogicalEndpointBindAddr 13030;
        todo cuLogicalEndpointBindMem 13030;
        todo cuLogicalEndpointCreate 13030;
        todo cuLogicalEndpointDestroy 13030;
        todo cuLogicalEndpointExport 13030;
        todo cuLogicalEndpointGetLimits 13030;
        todo cuLogicalEndpointIdRelease 13030;
        todo cuLogicalEndpointIdReserve 13030;
        todo cuLogicalEndpointQuery 13030;
        todo cuLogicalEndpointUnbind 13030;
    }
    Checkpoint {
        todo cuCheckpointOperationComplete 13040;
        todo cuCheckpointProcessCheckpoint 12080;
        todo cuCheckpointProcessGetRestoreThreadId 12080;
        todo cuCheckpointProcessGetState 12080;
        todo cuCheckpointProcessLock 12080;
        todo cuCheckpointProcessRestore 12080;
        todo cuCheckpointProcessUnlock 12080;
    }
    Coredump {
        todo cuCoredumpDeregisterCompleteCallback 13020;
        todo cuCoredumpDeregisterStartCallback 13020;
        todo cuCoredumpGetAttribute 12010;
        todo cuCoredumpGetAttributeGlobal 12010;
        todo cuCoredumpRegisterCompleteCallback 13020;
        todo cuCoredumpRegisterStartCallback 13020;
        todo cuCoredumpSetAttribute 12010;
        todo cuCoredumpSetAttributeGlobal 12010;
    }
    Logs {
        todo cuLogsCurrent 12090;
        todo cuLogsDumpToFile 12090;
        todo cuLogsDumpToMemory 12090;
        todo cuLogsRegisterCallback 12090;
        todo cuLogsUnregisterCallback 12090;
    }
    Profiler {
        done cuProfilerInitialize 4000;
        done cuProfilerStart 4000;
        done cuProfilerStop 4000;
    }
}
