//! The names that NVIDIA's libraries of CUDA 12.9 and 13.5 export, and whether this crate has them.

use crate::table::{Address, Name, Subject, Versions};

macro_rules! state {
    (todo) => {
        false
    };
    ($done:ident) => {
        true
    };
}

macro_rules! versions {
    (both) => {
        Versions::Both
    };
    (v12) => {
        Versions::Only12
    };
    (v13) => {
        Versions::Only13
    };
}

/// The address of the function of a name; `None` if each version of the library has a function of its own.
macro_rules! address {
    (apart $name:ident) => {
        None
    };
    ($here:ident $name:ident) => {
        Some(Address(functions::$name))
    };
}

/// The declaration of the function of a name.
macro_rules! declare {
    (apart $name:ident) => {};
    ($here:ident $name:ident) => {
        unsafe extern "C" {
            pub fn $name();
        }
    };
}

/// The function of a name that is not implemented.
macro_rules! stub {
    (todo $name:ident) => {
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> $crate::error::Error {
            $crate::log::missing(stringify!($name))
        }
    };
    ($done:ident $name:ident) => {};
}

macro_rules! names {
    ($($subject:ident { $($state:ident $name:ident $versions:ident;)* })*) => {
        /// All names, in alphabetical order within each subject.
        pub const NAMES: &[Name] = &[$($(Name {
            symbol: stringify!($name),
            versions: versions!($versions),
            subject: Subject::$subject,
            implemented: state!($state),
            address: address!($state $name),
        }),*),*];

        /// All functions, declared without their parameters: only their addresses are used.
        mod functions {
            $($(declare!($state $name);)*)*
        }

        /// A stub is called with the arguments of the function that it replaces and ignores them: by the calling convention the caller removes them.
        mod stubs {
            $($(stub!($state $name);)*)*
        }
    };
}

names! {
    Errors {
        done cudaGetErrorName both;
        done cudaGetErrorString both;
        done cudaGetLastError both;
        done cudaPeekAtLastError both;
    }
    Versions {
        done cudaDriverGetVersion both;
        apart cudaGetDriverEntryPoint both;
        done cudaGetDriverEntryPointByVersion both;
        done cudaGetDriverEntryPointByVersion_ptsz both;
        apart cudaGetDriverEntryPoint_ptsz both;
        todo cudaGetExportTable both;
        apart cudaRuntimeGetVersion both;
    }
    Devices {
        done cudaChooseDevice both;
        done cudaCtxResetPersistingL2Cache both;
        done cudaDeviceFlushGPUDirectRDMAWrites both;
        done cudaDeviceGetAttribute both;
        done cudaDeviceGetByPCIBusId both;
        done cudaDeviceGetCacheConfig both;
        done cudaDeviceGetHostAtomicCapabilities v13;
        done cudaDeviceGetLimit both;
        done cudaDeviceGetPCIBusId both;
        done cudaDeviceGetSharedMemConfig both;
        done cudaDeviceGetTexture1DLinearMaxWidth both;
        todo cudaDeviceRegisterAsyncNotification both;
        done cudaDeviceReset both;
        done cudaDeviceSetCacheConfig both;
        done cudaDeviceSetLimit both;
        done cudaDeviceSetSharedMemConfig both;
        done cudaDeviceSynchronize both;
        todo cudaDeviceUnregisterAsyncNotification both;
        done cudaFuncSetSharedMemConfig both;
        done cudaGetDevice both;
        done cudaGetDeviceCount both;
        done cudaGetDeviceFlags both;
        apart cudaGetDeviceProperties both;
        apart cudaGetDeviceProperties_v2 v12;
        done cudaInitDevice both;
        done cudaSetDevice both;
        done cudaSetDeviceFlags both;
        done cudaSetValidDevices both;
        done cudaThreadExit v12;
        done cudaThreadGetCacheConfig v12;
        done cudaThreadGetLimit v12;
        done cudaThreadSetCacheConfig v12;
        done cudaThreadSetLimit v12;
        done cudaThreadSynchronize v12;
    }
    Compiled {
        done __cudaGetKernel both;
        todo __cudaGetProcAddress v13;
        done __cudaInitModule both;
        done __cudaLaunchKernel both;
        done __cudaLaunchKernel_ptsz both;
        done __cudaPopCallConfiguration both;
        done __cudaPushCallConfiguration both;
        done __cudaRegisterFatBinary both;
        done __cudaRegisterFatBinaryEnd both;
        done __cudaRegisterFunction both;
        todo __cudaRegisterHostVar both;
        done __cudaRegisterManagedVar both;
        todo __cudaRegisterUnifiedTable both;
        done __cudaRegisterVar both;
        done __cudaUnregisterFatBinary both;
        done cudaGetFuncBySymbol both;
        done cudaGetKernel both;
        done cudaGetSymbolAddress both;
        done cudaGetSymbolSize both;
    }
    Launching {
        done cudaFuncGetAttributes both;
        done cudaFuncGetName both;
        done cudaFuncGetParamCount v13;
        done cudaFuncGetParamInfo both;
        done cudaFuncSetAttribute both;
        done cudaFuncSetCacheConfig both;
        done cudaKernelSetAttributeForDevice both;
        done cudaLaunchCooperativeKernel both;
        todo cudaLaunchCooperativeKernelMultiDevice v12;
        done cudaLaunchCooperativeKernel_ptsz both;
        done cudaLaunchHostFunc both;
        done cudaLaunchHostFunc_ptsz both;
        done cudaLaunchHostFunc_v2 v13;
        done cudaLaunchHostFunc_v2_ptsz v13;
        done cudaLaunchKernel both;
        done cudaLaunchKernelExC both;
        done cudaLaunchKernelExC_ptsz both;
        done cudaLaunchKernel_ptsz both;
        done cudaSetDoubleForDevice v12;
        done cudaSetDoubleForHost v12;
        done cudaStreamAddCallback both;
        done cudaStreamAddCallback_ptsz both;
    }
    Occupancy {
        done cudaOccupancyAvailableDynamicSMemPerBlock both;
        done cudaOccupancyMaxActiveBlocksPerMultiprocessor both;
        done cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags both;
        done cudaOccupancyMaxActiveClusters both;
        done cudaOccupancyMaxPotentialClusterSize both;
    }
    Libraries {
        done cudaLibraryEnumerateKernels both;
        done cudaLibraryGetGlobal both;
        done cudaLibraryGetKernel both;
        done cudaLibraryGetKernelCount both;
        done cudaLibraryGetManaged both;
        done cudaLibraryGetUnifiedFunction both;
        done cudaLibraryLoadData both;
        done cudaLibraryLoadFromFile both;
        done cudaLibraryUnload both;
    }
    Memory {
        done cudaFree both;
        done cudaFreeHost both;
        done cudaHostAlloc both;
        done cudaHostGetDevicePointer both;
        done cudaHostGetFlags both;
        done cudaHostRegister both;
        done cudaHostUnregister both;
        done cudaMalloc both;
        done cudaMalloc3D both;
        done cudaMallocHost both;
        done cudaMallocManaged both;
        done cudaMallocPitch both;
        apart cudaMemAdvise both;
        done cudaMemAdvise_v2 v12;
        done cudaMemDiscardAndPrefetchBatchAsync v13;
        done cudaMemDiscardAndPrefetchBatchAsync_ptsz v13;
        done cudaMemDiscardBatchAsync v13;
        done cudaMemDiscardBatchAsync_ptsz v13;
        done cudaMemGetInfo both;
        todo cudaMemGetLocationInfo v13;
        apart cudaMemPrefetchAsync both;
        apart cudaMemPrefetchAsync_ptsz both;
        done cudaMemPrefetchAsync_v2 v12;
        done cudaMemPrefetchAsync_v2_ptsz v12;
        done cudaMemPrefetchBatchAsync v13;
        done cudaMemPrefetchBatchAsync_ptsz v13;
        done cudaMemRangeGetAttribute both;
        done cudaMemRangeGetAttributes both;
        apart cudaPointerGetAttributes both;
    }
    Pools {
        done cudaDeviceGetDefaultMemPool both;
        done cudaDeviceGetMemPool both;
        done cudaDeviceSetMemPool both;
        done cudaFreeAsync both;
        done cudaFreeAsync_ptsz both;
        done cudaMallocAsync both;
        done cudaMallocAsync_ptsz both;
        done cudaMallocFromPoolAsync both;
        done cudaMallocFromPoolAsync_ptsz both;
        done cudaMemGetDefaultMemPool v13;
        done cudaMemGetMemPool v13;
        done cudaMemPoolCreate both;
        done cudaMemPoolDestroy both;
        done cudaMemPoolGetAccess both;
        done cudaMemPoolGetAttribute both;
        done cudaMemPoolSetAccess both;
        done cudaMemPoolSetAttribute both;
        done cudaMemPoolTrimTo both;
        done cudaMemSetMemPool v13;
    }
    Copies {
        done cudaMemcpy both;
        done cudaMemcpy2D both;
        done cudaMemcpy2DAsync both;
        done cudaMemcpy2DAsync_ptsz both;
        done cudaMemcpy2D_ptds both;
        done cudaMemcpy3D both;
        done cudaMemcpy3DAsync both;
        done cudaMemcpy3DAsync_ptsz both;
        apart cudaMemcpy3DBatchAsync both;
        apart cudaMemcpy3DBatchAsync_ptsz both;
        done cudaMemcpy3DWithAttributesAsync v13;
        done cudaMemcpy3DWithAttributesAsync_ptsz v13;
        done cudaMemcpy3D_ptds both;
        done cudaMemcpyAsync both;
        done cudaMemcpyAsync_ptsz both;
        apart cudaMemcpyBatchAsync both;
        apart cudaMemcpyBatchAsync_ptsz both;
        done cudaMemcpyFromSymbol both;
        done cudaMemcpyFromSymbolAsync both;
        done cudaMemcpyFromSymbolAsync_ptsz both;
        done cudaMemcpyFromSymbol_ptds both;
        done cudaMemcpyToSymbol both;
        done cudaMemcpyToSymbolAsync both;
        done cudaMemcpyToSymbolAsync_ptsz both;
        done cudaMemcpyToSymbol_ptds both;
        done cudaMemcpyWithAttributesAsync v13;
        done cudaMemcpyWithAttributesAsync_ptsz v13;
        done cudaMemcpy_ptds both;
    }
    Fills {
        done cudaMemset both;
        done cudaMemset2D both;
        done cudaMemset2DAsync both;
        done cudaMemset2DAsync_ptsz both;
        done cudaMemset2D_ptds both;
        done cudaMemset3D both;
        done cudaMemset3DAsync both;
        done cudaMemset3DAsync_ptsz both;
        done cudaMemset3D_ptds both;
        done cudaMemsetAsync both;
        done cudaMemsetAsync_ptsz both;
        done cudaMemset_ptds both;
    }
    Arrays {
        done cudaArrayGetInfo both;
        done cudaArrayGetMemoryRequirements both;
        done cudaArrayGetPlane both;
        done cudaArrayGetSparseProperties both;
        done cudaCreateChannelDesc both;
        done cudaFreeArray both;
        done cudaFreeMipmappedArray both;
        done cudaGetChannelDesc both;
        done cudaGetMipmappedArrayLevel both;
        done cudaMalloc3DArray both;
        done cudaMallocArray both;
        done cudaMallocMipmappedArray both;
        done cudaMemcpy2DArrayToArray both;
        done cudaMemcpy2DArrayToArray_ptds both;
        done cudaMemcpy2DFromArray both;
        done cudaMemcpy2DFromArrayAsync both;
        done cudaMemcpy2DFromArrayAsync_ptsz both;
        done cudaMemcpy2DFromArray_ptds both;
        done cudaMemcpy2DToArray both;
        done cudaMemcpy2DToArrayAsync both;
        done cudaMemcpy2DToArrayAsync_ptsz both;
        done cudaMemcpy2DToArray_ptds both;
        done cudaMemcpyArrayToArray both;
        done cudaMemcpyArrayToArray_ptds both;
        done cudaMemcpyFromArray both;
        done cudaMemcpyFromArrayAsync both;
        done cudaMemcpyFromArrayAsync_ptsz both;
        done cudaMemcpyFromArray_ptds both;
        done cudaMemcpyToArray both;
        done cudaMemcpyToArrayAsync both;
        done cudaMemcpyToArrayAsync_ptsz both;
        done cudaMemcpyToArray_ptds both;
        done cudaMipmappedArrayGetMemoryRequirements both;
        todo cudaMipmappedArrayGetSparseProperties both;
    }
    Textures {
        done cudaCreateSurfaceObject both;
        done cudaCreateTextureObject both;
        done cudaDestroySurfaceObject both;
        done cudaDestroyTextureObject both;
        done cudaGetSurfaceObjectResourceDesc both;
        done cudaGetTextureObjectResourceDesc both;
        done cudaGetTextureObjectResourceViewDesc both;
        done cudaGetTextureObjectTextureDesc both;
    }
    Streams {
        done cudaDeviceGetStreamPriorityRange both;
        done cudaStreamAttachMemAsync both;
        done cudaStreamAttachMemAsync_ptsz both;
        todo cudaStreamBeginRecaptureToGraph v13;
        todo cudaStreamBeginRecaptureToGraph_ptsz v13;
        done cudaStreamCopyAttributes both;
        done cudaStreamCopyAttributes_ptsz both;
        done cudaStreamCreate both;
        done cudaStreamCreateWithFlags both;
        done cudaStreamCreateWithPriority both;
        done cudaStreamDestroy both;
        done cudaStreamGetAttribute both;
        done cudaStreamGetAttribute_ptsz both;
        done cudaStreamGetDevice both;
        done cudaStreamGetDevice_ptsz both;
        done cudaStreamGetFlags both;
        done cudaStreamGetFlags_ptsz both;
        done cudaStreamGetId both;
        done cudaStreamGetId_ptsz both;
        done cudaStreamGetPriority both;
        done cudaStreamGetPriority_ptsz both;
        done cudaStreamIsCapturing both;
        done cudaStreamIsCapturing_ptsz both;
        done cudaStreamQuery both;
        done cudaStreamQuery_ptsz both;
        done cudaStreamSetAttribute both;
        done cudaStreamSetAttribute_ptsz both;
        done cudaStreamSynchronize both;
        done cudaStreamSynchronize_ptsz both;
    }
    Capture {
        done cudaStreamBeginCapture both;
        done cudaStreamBeginCaptureToGraph both;
        done cudaStreamBeginCaptureToGraph_ptsz both;
        done cudaStreamBeginCapture_ptsz both;
        done cudaStreamEndCapture both;
        done cudaStreamEndCapture_ptsz both;
        apart cudaStreamGetCaptureInfo both;
        apart cudaStreamGetCaptureInfo_ptsz both;
        done cudaStreamGetCaptureInfo_v2 v12;
        done cudaStreamGetCaptureInfo_v2_ptsz v12;
        done cudaStreamGetCaptureInfo_v3 v12;
        done cudaStreamGetCaptureInfo_v3_ptsz v12;
        apart cudaStreamUpdateCaptureDependencies both;
        apart cudaStreamUpdateCaptureDependencies_ptsz both;
        done cudaStreamUpdateCaptureDependencies_v2 v12;
        done cudaStreamUpdateCaptureDependencies_v2_ptsz v12;
        done cudaThreadExchangeStreamCaptureMode both;
    }
    Events {
        done cudaEventCreate both;
        done cudaEventCreateWithFlags both;
        done cudaEventDestroy both;
        done cudaEventElapsedTime both;
        done cudaEventElapsedTime_v2 v12;
        done cudaEventQuery both;
        done cudaEventRecord both;
        done cudaEventRecordWithFlags both;
        done cudaEventRecordWithFlags_ptsz both;
        done cudaEventRecord_ptsz both;
        done cudaEventSynchronize both;
        done cudaStreamWaitEvent both;
        done cudaStreamWaitEvent_ptsz both;
    }
    Graphs {
        done cudaDeviceGetGraphMemAttribute both;
        done cudaDeviceGraphMemTrim both;
        done cudaDeviceSetGraphMemAttribute both;
        done cudaGraphAddChildGraphNode both;
        apart cudaGraphAddDependencies both;
        done cudaGraphAddDependencies_v2 v12;
        done cudaGraphAddEmptyNode both;
        done cudaGraphAddEventRecordNode both;
        done cudaGraphAddEventWaitNode both;
        done cudaGraphAddHostNode both;
        done cudaGraphAddKernelNode both;
        done cudaGraphAddMemAllocNode both;
        done cudaGraphAddMemFreeNode both;
        done cudaGraphAddMemcpyNode both;
        done cudaGraphAddMemcpyNode1D both;
        done cudaGraphAddMemcpyNodeFromSymbol both;
        done cudaGraphAddMemcpyNodeToSymbol both;
        done cudaGraphAddMemsetNode both;
        apart cudaGraphAddNode both;
        done cudaGraphAddNode_v2 v12;
        done cudaGraphChildGraphNodeGetGraph both;
        done cudaGraphClone both;
        todo cudaGraphConditionalHandleCreate both;
        todo cudaGraphConditionalHandleCreate_v2 v13;
        done cudaGraphCreate both;
        done cudaGraphDebugDotPrint both;
        done cudaGraphDestroy both;
        done cudaGraphDestroyNode both;
        done cudaGraphEventRecordNodeGetEvent both;
        done cudaGraphEventRecordNodeSetEvent both;
        done cudaGraphEventWaitNodeGetEvent both;
        done cudaGraphEventWaitNodeSetEvent both;
        done cudaGraphExecChildGraphNodeSetParams both;
        done cudaGraphExecDestroy both;
        done cudaGraphExecEventRecordNodeSetEvent both;
        done cudaGraphExecEventWaitNodeSetEvent both;
        done cudaGraphExecGetFlags both;
        done cudaGraphExecGetId v13;
        done cudaGraphExecHostNodeSetParams both;
        done cudaGraphExecKernelNodeSetParams both;
        done cudaGraphExecMemcpyNodeSetParams both;
        done cudaGraphExecMemcpyNodeSetParams1D both;
        done cudaGraphExecMemcpyNodeSetParamsFromSymbol both;
        done cudaGraphExecMemcpyNodeSetParamsToSymbol both;
        done cudaGraphExecMemsetNodeSetParams both;
        apart cudaGraphExecNodeSetParams both;
        done cudaGraphExecUpdate both;
        apart cudaGraphGetEdges both;
        done cudaGraphGetEdges_v2 v12;
        done cudaGraphGetId v13;
        done cudaGraphGetNodes both;
        done cudaGraphGetRootNodes both;
        done cudaGraphHostNodeGetParams both;
        done cudaGraphHostNodeSetParams both;
        done cudaGraphInstantiate both;
        done cudaGraphInstantiateWithFlags both;
        done cudaGraphInstantiateWithParams both;
        done cudaGraphInstantiateWithParams_ptsz both;
        done cudaGraphKernelNodeCopyAttributes both;
        done cudaGraphKernelNodeGetAttribute both;
        done cudaGraphKernelNodeGetParams both;
        done cudaGraphKernelNodeSetAttribute both;
        done cudaGraphKernelNodeSetParams both;
        done cudaGraphLaunch both;
        done cudaGraphLaunch_ptsz both;
        done cudaGraphMemAllocNodeGetParams both;
        done cudaGraphMemFreeNodeGetParams both;
        done cudaGraphMemcpyNodeGetParams both;
        done cudaGraphMemcpyNodeSetParams both;
        done cudaGraphMemcpyNodeSetParams1D both;
        done cudaGraphMemcpyNodeSetParamsFromSymbol both;
        done cudaGraphMemcpyNodeSetParamsToSymbol both;
        done cudaGraphMemsetNodeGetParams both;
        done cudaGraphMemsetNodeSetParams both;
        done cudaGraphNodeFindInClone both;
        done cudaGraphNodeGetContainingGraph v13;
        apart cudaGraphNodeGetDependencies both;
        done cudaGraphNodeGetDependencies_v2 v12;
        apart cudaGraphNodeGetDependentNodes both;
        done cudaGraphNodeGetDependentNodes_v2 v12;
        done cudaGraphNodeGetEnabled both;
        done cudaGraphNodeGetLocalId v13;
        todo cudaGraphNodeGetParams v13;
        done cudaGraphNodeGetToolsId v13;
        done cudaGraphNodeGetType both;
        done cudaGraphNodeSetEnabled both;
        apart cudaGraphNodeSetParams both;
        done cudaGraphReleaseUserObject both;
        apart cudaGraphRemoveDependencies both;
        done cudaGraphRemoveDependencies_v2 v12;
        done cudaGraphRetainUserObject both;
        done cudaGraphUpload both;
        done cudaGraphUpload_ptsz both;
        done cudaUserObjectCreate both;
        done cudaUserObjectRelease both;
        done cudaUserObjectRetain both;
    }
    PeerAccess {
        done cudaDeviceCanAccessPeer both;
        done cudaDeviceDisablePeerAccess both;
        done cudaDeviceEnablePeerAccess both;
        todo cudaDeviceGetP2PAtomicCapabilities v13;
        done cudaDeviceGetP2PAttribute both;
        done cudaMemcpy3DPeer both;
        done cudaMemcpy3DPeerAsync both;
        done cudaMemcpy3DPeerAsync_ptsz both;
        done cudaMemcpy3DPeer_ptds both;
        done cudaMemcpyPeer both;
        done cudaMemcpyPeerAsync both;
    }
    Interprocess {
        todo cudaIpcCloseMemHandle both;
        todo cudaIpcGetEventHandle both;
        todo cudaIpcGetMemHandle both;
        todo cudaIpcOpenEventHandle both;
        todo cudaIpcOpenMemHandle both;
        todo cudaMemPoolExportPointer both;
        todo cudaMemPoolExportToShareableHandle both;
        todo cudaMemPoolImportFromShareableHandle both;
        todo cudaMemPoolImportPointer both;
    }
    Contexts {
        todo cudaDevResourceGenerateDesc v13;
        todo cudaDevSmResourceSplit v13;
        todo cudaDevSmResourceSplitByCount v13;
        todo cudaDeviceGetDevResource v13;
        todo cudaDeviceGetExecutionCtx v13;
        todo cudaExecutionCtxDestroy v13;
        todo cudaExecutionCtxGetDevResource v13;
        todo cudaExecutionCtxGetDevice v13;
        todo cudaExecutionCtxGetId v13;
        todo cudaExecutionCtxRecordEvent v13;
        todo cudaExecutionCtxStreamCreate v13;
        todo cudaExecutionCtxSynchronize v13;
        todo cudaExecutionCtxWaitEvent v13;
        todo cudaGreenCtxCreate v13;
        todo cudaStreamGetDevResource v13;
        todo cudaStreamGetDevResource_ptsz v13;
        todo cudaSubgridCreate v13;
        todo cudaSubgridWorkerGridCreate v13;
        todo cudaSubgridWorksetCreate v13;
    }
    External {
        todo cudaDestroyExternalMemory both;
        todo cudaDestroyExternalSemaphore both;
        todo cudaDeviceGetNvSciSyncAttributes both;
        todo cudaExternalMemoryGetMappedBuffer both;
        todo cudaExternalMemoryGetMappedMipmappedArray both;
        todo cudaGraphAddExternalSemaphoresSignalNode both;
        todo cudaGraphAddExternalSemaphoresWaitNode both;
        todo cudaGraphExecExternalSemaphoresSignalNodeSetParams both;
        todo cudaGraphExecExternalSemaphoresWaitNodeSetParams both;
        todo cudaGraphExternalSemaphoresSignalNodeGetParams both;
        todo cudaGraphExternalSemaphoresSignalNodeSetParams both;
        todo cudaGraphExternalSemaphoresWaitNodeGetParams both;
        todo cudaGraphExternalSemaphoresWaitNodeSetParams both;
        todo cudaImportExternalMemory both;
        todo cudaImportExternalSemaphore both;
        todo cudaSignalExternalSemaphoresAsync both;
        todo cudaSignalExternalSemaphoresAsync_ptsz both;
        todo cudaSignalExternalSemaphoresAsync_v2 v12;
        todo cudaSignalExternalSemaphoresAsync_v2_ptsz v12;
        todo cudaWaitExternalSemaphoresAsync both;
        todo cudaWaitExternalSemaphoresAsync_ptsz both;
        todo cudaWaitExternalSemaphoresAsync_v2 v12;
        todo cudaWaitExternalSemaphoresAsync_v2_ptsz v12;
    }
    Graphics {
        todo cudaEGLStreamConsumerAcquireFrame both;
        todo cudaEGLStreamConsumerConnect both;
        todo cudaEGLStreamConsumerConnectWithFlags both;
        todo cudaEGLStreamConsumerDisconnect both;
        todo cudaEGLStreamConsumerReleaseFrame both;
        todo cudaEGLStreamProducerConnect both;
        todo cudaEGLStreamProducerDisconnect both;
        todo cudaEGLStreamProducerPresentFrame both;
        todo cudaEGLStreamProducerReturnFrame both;
        todo cudaEventCreateFromEGLSync both;
        todo cudaGLGetDevices both;
        todo cudaGLMapBufferObject both;
        todo cudaGLMapBufferObjectAsync both;
        todo cudaGLRegisterBufferObject both;
        todo cudaGLSetBufferObjectMapFlags both;
        todo cudaGLSetGLDevice both;
        todo cudaGLUnmapBufferObject both;
        todo cudaGLUnmapBufferObjectAsync both;
        todo cudaGLUnregisterBufferObject both;
        todo cudaGraphicsEGLRegisterImage both;
        todo cudaGraphicsGLRegisterBuffer both;
        todo cudaGraphicsGLRegisterImage both;
        todo cudaGraphicsMapResources both;
        todo cudaGraphicsResourceGetMappedEglFrame both;
        todo cudaGraphicsResourceGetMappedMipmappedArray both;
        todo cudaGraphicsResourceGetMappedPointer both;
        todo cudaGraphicsResourceSetMapFlags both;
        todo cudaGraphicsSubResourceGetMappedArray both;
        todo cudaGraphicsUnmapResources both;
        todo cudaGraphicsUnregisterResource both;
        todo cudaGraphicsVDPAURegisterOutputSurface both;
        todo cudaGraphicsVDPAURegisterVideoSurface both;
        todo cudaVDPAUGetDevice both;
        todo cudaVDPAUSetVDPAUDevice both;
    }
    Logs {
        todo cudaLogsCurrent v13;
        todo cudaLogsDumpToFile v13;
        todo cudaLogsDumpToMemory v13;
        todo cudaLogsRegisterCallback v13;
        todo cudaLogsUnregisterCallback v13;
    }
    Profiler {
        done cudaProfilerStart both;
        done cudaProfilerStop both;
    }
}
