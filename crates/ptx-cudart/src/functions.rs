//! The functions of the driver that this library calls, with the driver's names.

use std::ffi::{c_int, c_uint, c_void};

use libloading::os::unix::Library;

use crate::driver::{absent, answer, functions};
use crate::error::Answer;
use crate::pointer::{In, Out, Text};
use crate::types::{
    AccessDescription, AllocationNode, ArrayDescription, ArrayRequirements, BatchCopy3d, CopyAttributes,
    DriverCopy, DriverKernelNode, DriverResource, DriverTexture, DriverView, EdgeData, Fill, Handle,
    HostCall, InstantiateParameters, LaunchConfig, MemoryLocation, NodeParameters, PoolProperties,
    UpdateResult,
};

macro_rules! functions {
    ($(fn $name:ident($($arg:ident: $ty:ty),*);)*) => {
        /// The addresses of the functions; those that the driver does not have are missing.
        #[derive(Debug)]
        pub(crate) struct Functions {
            $($name: Option<unsafe extern "C" fn($($ty),*) -> u32>),*
        }

        impl Functions {
            /// The functions of a driver.
            pub(crate) fn of(library: &Library) -> Self {
                Self {
                    // SAFETY: functions with these names have these parameters, as `cuda.h` says.
                    $($name: unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }.ok().map(|found| *found)),*
                }
            }
        }

        $(
            pub fn $name($($arg: $ty),*) -> Answer {
                let function = functions()?.$name.ok_or_else(|| absent(stringify!($name)))?;
                // SAFETY: the arguments are what the caller of this library gave to a function with the same requirements, or are made here.
                answer(stringify!($name), unsafe { function($($arg),*) })
            }
        )*
    };
}

functions! {
    fn cuInit(flags: c_uint);
    fn cuDriverGetVersion(version: Out<c_int>);
    fn cuGetProcAddress_v2(symbol: Text, function: Out<u64>, version: c_int, flags: u64, status: Out<c_int>);
    fn cuDeviceGetCount(count: Out<c_int>);
    fn cuDeviceGetAttribute(value: Out<c_int>, which: c_int, device: c_int);
    fn cuDeviceGetName(name: Out<u8>, room: c_int, device: c_int);
    fn cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, device: c_int);
    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: c_int);
    fn cuDeviceGetPCIBusId(to: Out<u8>, room: c_int, device: c_int);
    fn cuDeviceGetByPCIBusId(device: Out<c_int>, id: Text);
    fn cuDeviceCanAccessPeer(can: Out<c_int>, device: c_int, peer: c_int);
    fn cuDeviceGetP2PAttribute(value: Out<c_int>, which: c_int, device: c_int, peer: c_int);
    fn cuDeviceGetHostAtomicCapabilities(to: Out<c_uint>, operations: In<c_uint>, count: c_uint, device: c_int);
    fn cuDeviceGetTexture1DLinearMaxWidth(width: Out<usize>, format: c_uint, channels: c_uint, device: c_int);
    fn cuDevicePrimaryCtxRetain(context: Out<Handle>, device: c_int);
    fn cuDevicePrimaryCtxRelease_v2(device: c_int);
    fn cuDevicePrimaryCtxReset_v2(device: c_int);
    fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint);
    fn cuDevicePrimaryCtxGetState(device: c_int, flags: Out<c_uint>, is_active: Out<c_int>);
    fn cuCtxGetCurrent(context: Out<Handle>);
    fn cuCtxSetCurrent(context: Handle);
    fn cuCtxGetDevice(device: Out<c_int>);
    fn cuCtxGetFlags(flags: Out<c_uint>);
    fn cuCtxSynchronize();
    fn cuCtxGetLimit(value: Out<usize>, limit: c_uint);
    fn cuCtxSetLimit(limit: c_uint, value: usize);
    fn cuCtxGetCacheConfig(config: Out<c_uint>);
    fn cuCtxSetCacheConfig(config: c_uint);
    fn cuCtxGetSharedMemConfig(config: Out<c_uint>);
    fn cuCtxSetSharedMemConfig(config: c_uint);
    fn cuCtxGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>);
    fn cuCtxResetPersistingL2Cache();
    fn cuCtxEnablePeerAccess(peer: Handle, flags: c_uint);
    fn cuCtxDisablePeerAccess(peer: Handle);
    fn cuFlushGPUDirectRDMAWrites(target: c_uint, scope: c_uint);
    fn cuProfilerStart();
    fn cuProfilerStop();
    fn cuLibraryLoadData(library: Out<Handle>, image: u64, jit: In<c_uint>, jit_values: Out<usize>, jit_count: c_uint, options: In<c_uint>, values: In<u64>, count: c_uint);
    fn cuLibraryLoadFromFile(library: Out<Handle>, path: Text, jit: In<c_uint>, jit_values: Out<usize>, jit_count: c_uint, options: In<c_uint>, values: In<u64>, count: c_uint);
    fn cuLibraryUnload(library: Handle);
    fn cuLibraryGetKernel(kernel: Out<Handle>, library: Handle, name: Text);
    fn cuLibraryGetKernelCount(count: Out<c_uint>, library: Handle);
    fn cuLibraryEnumerateKernels(to: Out<Handle>, count: c_uint, library: Handle);
    fn cuLibraryGetGlobal(to: Out<u64>, bytes: Out<usize>, library: Handle, name: Text);
    fn cuLibraryGetManaged(to: Out<u64>, bytes: Out<usize>, library: Handle, name: Text);
    fn cuLibraryGetUnifiedFunction(to: Out<u64>, library: Handle, name: Text);
    fn cuLinkCreate_v2(count: c_uint, options: In<c_uint>, values: Out<usize>, link: Out<Handle>);
    fn cuLinkAddData_v2(link: Handle, kind: c_uint, data: u64, bytes: usize, name: Text, count: c_uint, options: In<c_uint>, values: Out<usize>);
    fn cuLinkComplete(link: Handle, image: Out<u64>, bytes: Out<usize>);
    fn cuLinkDestroy(link: Handle);
    fn cuKernelGetFunction(function: Out<Handle>, kernel: Handle);
    fn cuKernelSetAttribute(which: c_uint, value: c_int, kernel: Handle, device: c_int);
    fn cuFuncGetAttribute(value: Out<c_int>, which: c_uint, function: Handle);
    fn cuFuncSetAttribute(function: Handle, which: c_uint, value: c_int);
    fn cuFuncSetCacheConfig(function: Handle, config: c_uint);
    fn cuFuncSetSharedMemConfig(function: Handle, config: c_uint);
    fn cuFuncGetName(name: Out<Text>, function: Handle);
    fn cuFuncGetParamCount(function: Handle, count: Out<usize>);
    fn cuFuncGetParamInfo(function: Handle, index: usize, offset: Out<usize>, bytes: Out<usize>);
    fn cuLaunchKernelEx(config: In<LaunchConfig>, function: Handle, each: In<u64>, extra: In<u64>);
    fn cuLaunchHostFunc(stream: Handle, function: u64, data: u64);
    fn cuLaunchHostFunc_v2(stream: Handle, function: u64, data: u64, mode: c_uint);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(to: Out<c_int>, function: Handle, threads: c_int, shared: usize, flags: c_uint);
    fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: Out<usize>, function: Handle, blocks: c_int, threads: c_int);
    fn cuOccupancyMaxPotentialClusterSize(size: Out<c_int>, function: Handle, config: In<LaunchConfig>);
    fn cuOccupancyMaxActiveClusters(count: Out<c_int>, function: Handle, config: In<LaunchConfig>);
    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>);
    fn cuMemAlloc_v2(to: Out<u64>, bytes: usize);
    fn cuMemAllocPitch_v2(to: Out<u64>, pitch: Out<usize>, width: usize, height: usize, element: c_uint);
    fn cuMemFree_v2(address: u64);
    fn cuMemAllocManaged(to: Out<u64>, bytes: usize, flags: c_uint);
    fn cuMemHostAlloc(to: Out<u64>, bytes: usize, flags: c_uint);
    fn cuMemFreeHost(address: u64);
    fn cuMemHostRegister_v2(address: u64, bytes: usize, flags: c_uint);
    fn cuMemHostUnregister(address: u64);
    fn cuMemHostGetDevicePointer_v2(to: Out<u64>, address: u64, flags: c_uint);
    fn cuMemHostGetFlags(flags: Out<c_uint>, address: u64);
    fn cuPointerGetAttributes(count: c_uint, which: In<c_uint>, to: In<u64>, address: u64);
    fn cuMemAdvise(address: u64, bytes: usize, advice: c_uint, device: c_int);
    fn cuMemAdvise_v2(address: u64, bytes: usize, advice: c_uint, location: MemoryLocation);
    fn cuMemPrefetchAsync(address: u64, bytes: usize, device: c_int, stream: Handle);
    fn cuMemPrefetchAsync_v2(address: u64, bytes: usize, location: MemoryLocation, flags: c_uint, stream: Handle);
    fn cuMemRangeGetAttribute(to: Out<c_void>, bytes: usize, which: c_uint, address: u64, count: usize);
    fn cuMemRangeGetAttributes(to: In<u64>, sizes: In<usize>, which: In<c_uint>, attributes: usize, address: u64, count: usize);
    fn cuMemAllocAsync(to: Out<u64>, bytes: usize, stream: Handle);
    fn cuMemAllocFromPoolAsync(to: Out<u64>, bytes: usize, pool: Handle, stream: Handle);
    fn cuMemFreeAsync(address: u64, stream: Handle);
    fn cuDeviceGetDefaultMemPool(pool: Out<Handle>, device: c_int);
    fn cuDeviceGetMemPool(pool: Out<Handle>, device: c_int);
    fn cuDeviceSetMemPool(device: c_int, pool: Handle);
    fn cuMemGetDefaultMemPool(pool: Out<Handle>, location: In<MemoryLocation>, kind: c_uint);
    fn cuMemGetMemPool(pool: Out<Handle>, location: In<MemoryLocation>, kind: c_uint);
    fn cuMemSetMemPool(location: In<MemoryLocation>, kind: c_uint, pool: Handle);
    fn cuMemPoolCreate(pool: Out<Handle>, properties: In<PoolProperties>);
    fn cuMemPoolDestroy(pool: Handle);
    fn cuMemPoolTrimTo(pool: Handle, bytes: usize);
    fn cuMemPoolGetAttribute(pool: Handle, which: c_uint, value: Out<c_void>);
    fn cuMemPoolSetAttribute(pool: Handle, which: c_uint, value: In<c_void>);
    fn cuMemPoolSetAccess(pool: Handle, access: In<AccessDescription>, count: usize);
    fn cuMemPoolGetAccess(flags: Out<c_uint>, pool: Handle, location: In<MemoryLocation>);
    fn cuDeviceGetGraphMemAttribute(device: c_int, which: c_uint, value: Out<u64>);
    fn cuDeviceSetGraphMemAttribute(device: c_int, which: c_uint, value: In<u64>);
    fn cuDeviceGraphMemTrim(device: c_int);
    fn cuMemcpy(to: u64, from: u64, bytes: usize);
    fn cuMemcpyHtoD_v2(to: u64, from: u64, bytes: usize);
    fn cuMemcpyDtoH_v2(to: u64, from: u64, bytes: usize);
    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize);
    fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: Handle);
    fn cuMemcpyHtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle);
    fn cuMemcpyDtoHAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle);
    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle);
    fn cuMemcpyPeer(to: u64, to_context: Handle, from: u64, from_context: Handle, bytes: usize);
    fn cuMemcpyPeerAsync(to: u64, to_context: Handle, from: u64, from_context: Handle, bytes: usize, stream: Handle);
    fn cuMemcpy3D_v2(copy: In<DriverCopy>);
    fn cuMemcpy3DAsync_v2(copy: In<DriverCopy>, stream: Handle);
    fn cuMemcpy3DPeer(copy: In<DriverCopy>);
    fn cuMemcpy3DPeerAsync(copy: In<DriverCopy>, stream: Handle);
    fn cuMemcpyBatchAsync_v2(to: In<u64>, from: In<u64>, bytes: In<usize>, count: usize, attributes: In<CopyAttributes>, indices: In<usize>, attribute_count: usize, stream: Handle);
    fn cuMemcpyBatchAsync(to: In<u64>, from: In<u64>, bytes: In<usize>, count: usize, attributes: In<CopyAttributes>, indices: In<usize>, attribute_count: usize, failed: Out<usize>, stream: Handle);
    fn cuMemcpy3DBatchAsync_v2(count: usize, list: In<BatchCopy3d>, flags: u64, stream: Handle);
    fn cuMemcpy3DBatchAsync(count: usize, list: In<BatchCopy3d>, failed: Out<usize>, flags: u64, stream: Handle);
    fn cuMemcpy3DWithAttributesAsync(copy: In<BatchCopy3d>, flags: u64, stream: Handle);
    fn cuMemPrefetchBatchAsync(addresses: In<u64>, bytes: In<usize>, count: usize, locations: In<MemoryLocation>, first: In<usize>, location_count: usize, flags: u64, stream: Handle);
    fn cuMemDiscardBatchAsync(addresses: In<u64>, bytes: In<usize>, count: usize, flags: u64, stream: Handle);
    fn cuMemDiscardAndPrefetchBatchAsync(addresses: In<u64>, bytes: In<usize>, count: usize, locations: In<MemoryLocation>, first: In<usize>, location_count: usize, flags: u64, stream: Handle);
    fn cuMemcpyWithAttributesAsync(to: u64, from: u64, bytes: usize, attributes: In<CopyAttributes>, stream: Handle);
    fn cuMemsetD8_v2(to: u64, value: u8, count: usize);
    fn cuMemsetD8Async(to: u64, value: u8, count: usize, stream: Handle);
    fn cuMemsetD2D8_v2(to: u64, pitch: usize, value: u8, width: usize, height: usize);
    fn cuMemsetD2D8Async(to: u64, pitch: usize, value: u8, width: usize, height: usize, stream: Handle);
    fn cuArray3DCreate_v2(array: Out<Handle>, description: In<ArrayDescription>);
    fn cuArray3DGetDescriptor_v2(to: Out<ArrayDescription>, array: Handle);
    fn cuArrayDestroy(array: Handle);
    fn cuArrayGetMemoryRequirements(to: Out<ArrayRequirements>, array: Handle, device: c_int);
    fn cuMipmappedArrayGetMemoryRequirements(to: Out<ArrayRequirements>, array: Handle, device: c_int);
    fn cuMipmappedArrayCreate(array: Out<Handle>, description: In<ArrayDescription>, levels: c_uint);
    fn cuMipmappedArrayGetLevel(array: Out<Handle>, whole: Handle, level: c_uint);
    fn cuMipmappedArrayDestroy(array: Handle);
    fn cuTexObjectCreate(object: Out<u64>, resource: In<DriverResource>, texture: In<DriverTexture>, view: In<DriverView>);
    fn cuTexObjectDestroy(object: u64);
    fn cuTexObjectGetResourceDesc(to: Out<DriverResource>, object: u64);
    fn cuTexObjectGetTextureDesc(to: Out<DriverTexture>, object: u64);
    fn cuTexObjectGetResourceViewDesc(to: Out<DriverView>, object: u64);
    fn cuSurfObjectCreate(object: Out<u64>, resource: In<DriverResource>);
    fn cuSurfObjectDestroy(object: u64);
    fn cuSurfObjectGetResourceDesc(to: Out<DriverResource>, object: u64);
    fn cuStreamCreateWithPriority(stream: Out<Handle>, flags: c_uint, priority: c_int);
    fn cuStreamCreate(stream: Out<Handle>, flags: c_uint);
    fn cuStreamDestroy_v2(stream: Handle);
    fn cuStreamSynchronize(stream: Handle);
    fn cuStreamQuery(stream: Handle);
    fn cuStreamGetPriority(stream: Handle, priority: Out<c_int>);
    fn cuStreamGetFlags(stream: Handle, flags: Out<c_uint>);
    fn cuStreamGetId(stream: Handle, id: Out<u64>);
    fn cuStreamGetDevice(stream: Handle, device: Out<c_int>);
    fn cuStreamAddCallback(stream: Handle, callback: u64, data: u64, flags: c_uint);
    fn cuStreamAttachMemAsync(stream: Handle, address: u64, bytes: usize, flags: c_uint);
    fn cuStreamGetAttribute(stream: Handle, id: c_uint, value: Out<[u64; 8]>);
    fn cuStreamSetAttribute(stream: Handle, id: c_uint, value: In<[u64; 8]>);
    fn cuStreamCopyAttributes(to: Handle, from: Handle);
    fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint);
    fn cuStreamBeginCapture_v2(stream: Handle, mode: c_uint);
    fn cuStreamBeginCaptureToGraph(stream: Handle, graph: Handle, dependencies: In<Handle>, edges: In<EdgeData>, count: usize, mode: c_uint);
    fn cuStreamEndCapture(stream: Handle, graph: Out<Handle>);
    fn cuStreamIsCapturing(stream: Handle, status: Out<c_uint>);
    fn cuStreamGetCaptureInfo_v2(stream: Handle, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle>, dependencies: Out<u64>, count: Out<usize>);
    fn cuStreamGetCaptureInfo_v3(stream: Handle, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle>, dependencies: Out<u64>, edges: Out<u64>, count: Out<usize>);
    fn cuStreamUpdateCaptureDependencies_v2(stream: Handle, dependencies: In<Handle>, edges: In<EdgeData>, count: usize, flags: c_uint);
    fn cuThreadExchangeStreamCaptureMode(mode: Out<c_uint>);
    fn cuEventCreate(event: Out<Handle>, flags: c_uint);
    fn cuEventDestroy_v2(event: Handle);
    fn cuEventQuery(event: Handle);
    fn cuEventSynchronize(event: Handle);
    fn cuEventElapsedTime_v2(to: Out<f32>, start: Handle, end: Handle);
    fn cuEventRecordWithFlags(event: Handle, stream: Handle, flags: c_uint);
    fn cuGraphCreate(graph: Out<Handle>, flags: c_uint);
    fn cuGraphDestroy(graph: Handle);
    fn cuGraphClone(clone: Out<Handle>, graph: Handle);
    fn cuGraphNodeFindInClone(to: Out<Handle>, node: Handle, clone: Handle);
    fn cuGraphDestroyNode(node: Handle);
    fn cuGraphGetId(graph: Handle, id: Out<c_uint>);
    fn cuGraphExecGetId(graph: Handle, id: Out<c_uint>);
    fn cuGraphNodeGetLocalId(node: Handle, id: Out<c_uint>);
    fn cuGraphNodeGetToolsId(node: Handle, id: Out<u64>);
    fn cuGraphNodeGetContainingGraph(node: Handle, graph: Out<Handle>);
    fn cuGraphGetNodes(graph: Handle, to: Out<Handle>, count: Out<usize>);
    fn cuGraphGetRootNodes(graph: Handle, to: Out<Handle>, count: Out<usize>);
    fn cuGraphGetEdges_v2(graph: Handle, from: Out<Handle>, to: Out<Handle>, data: Out<EdgeData>, count: Out<usize>);
    fn cuGraphNodeGetDependencies_v2(node: Handle, to: Out<Handle>, data: Out<EdgeData>, count: Out<usize>);
    fn cuGraphNodeGetDependentNodes_v2(node: Handle, to: Out<Handle>, data: Out<EdgeData>, count: Out<usize>);
    fn cuGraphAddDependencies_v2(graph: Handle, from: In<Handle>, to: In<Handle>, data: In<EdgeData>, count: usize);
    fn cuGraphRemoveDependencies_v2(graph: Handle, from: In<Handle>, to: In<Handle>, data: In<EdgeData>, count: usize);
    fn cuGraphInstantiateWithFlags(to: Out<Handle>, graph: Handle, flags: u64);
    fn cuGraphInstantiateWithParams(to: Out<Handle>, graph: Handle, parameters: Out<InstantiateParameters>);
    fn cuGraphExecDestroy(executable: Handle);
    fn cuGraphExecGetFlags(executable: Handle, flags: Out<u64>);
    fn cuGraphExecUpdate_v2(executable: Handle, graph: Handle, result: Out<UpdateResult>);
    fn cuGraphUpload(executable: Handle, stream: Handle);
    fn cuGraphLaunch(executable: Handle, stream: Handle);
    fn cuGraphNodeSetEnabled(executable: Handle, node: Handle, is_enabled: c_uint);
    fn cuGraphNodeGetEnabled(executable: Handle, node: Handle, is_enabled: Out<c_uint>);
    fn cuGraphNodeGetType(node: Handle, kind: Out<c_uint>);
    fn cuGraphDebugDotPrint(graph: Handle, path: Text, flags: c_uint);
    fn cuGraphAddNode_v2(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, edges: In<EdgeData>, count: usize, parameters: Out<NodeParameters>);
    fn cuGraphNodeSetParams(node: Handle, parameters: Out<NodeParameters>);
    fn cuGraphExecNodeSetParams(executable: Handle, node: Handle, parameters: Out<NodeParameters>);
    fn cuGraphAddKernelNode_v2(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, parameters: In<DriverKernelNode>);
    fn cuGraphKernelNodeGetParams_v2(node: Handle, parameters: Out<DriverKernelNode>);
    fn cuGraphKernelNodeSetParams_v2(node: Handle, parameters: In<DriverKernelNode>);
    fn cuGraphExecKernelNodeSetParams_v2(executable: Handle, node: Handle, parameters: In<DriverKernelNode>);
    fn cuGraphKernelNodeCopyAttributes(to: Handle, from: Handle);
    fn cuGraphKernelNodeGetAttribute(node: Handle, id: c_uint, value: Out<[u64; 8]>);
    fn cuGraphKernelNodeSetAttribute(node: Handle, id: c_uint, value: In<[u64; 8]>);
    fn cuGraphAddMemcpyNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, copy: In<DriverCopy>, context: Handle);
    fn cuGraphMemcpyNodeGetParams(node: Handle, copy: Out<DriverCopy>);
    fn cuGraphMemcpyNodeSetParams(node: Handle, copy: In<DriverCopy>);
    fn cuGraphExecMemcpyNodeSetParams(executable: Handle, node: Handle, copy: In<DriverCopy>, context: Handle);
    fn cuGraphAddMemsetNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, fill: In<Fill>, context: Handle);
    fn cuGraphMemsetNodeGetParams(node: Handle, fill: Out<Fill>);
    fn cuGraphMemsetNodeSetParams(node: Handle, fill: In<Fill>);
    fn cuGraphExecMemsetNodeSetParams(executable: Handle, node: Handle, fill: In<Fill>, context: Handle);
    fn cuGraphAddHostNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, parameters: In<HostCall>);
    fn cuGraphHostNodeGetParams(node: Handle, parameters: Out<HostCall>);
    fn cuGraphHostNodeSetParams(node: Handle, parameters: In<HostCall>);
    fn cuGraphExecHostNodeSetParams(executable: Handle, node: Handle, parameters: In<HostCall>);
    fn cuGraphAddChildGraphNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, child: Handle);
    fn cuGraphChildGraphNodeGetGraph(node: Handle, graph: Out<Handle>);
    fn cuGraphExecChildGraphNodeSetParams(executable: Handle, node: Handle, child: Handle);
    fn cuGraphAddEmptyNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize);
    fn cuGraphAddEventRecordNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, event: Handle);
    fn cuGraphEventRecordNodeGetEvent(node: Handle, event: Out<Handle>);
    fn cuGraphEventRecordNodeSetEvent(node: Handle, event: Handle);
    fn cuGraphExecEventRecordNodeSetEvent(executable: Handle, node: Handle, event: Handle);
    fn cuGraphAddEventWaitNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, event: Handle);
    fn cuGraphEventWaitNodeGetEvent(node: Handle, event: Out<Handle>);
    fn cuGraphEventWaitNodeSetEvent(node: Handle, event: Handle);
    fn cuGraphExecEventWaitNodeSetEvent(executable: Handle, node: Handle, event: Handle);
    fn cuGraphAddMemAllocNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, parameters: Out<AllocationNode>);
    fn cuGraphMemAllocNodeGetParams(node: Handle, parameters: Out<AllocationNode>);
    fn cuGraphAddMemFreeNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, address: u64);
    fn cuGraphMemFreeNodeGetParams(node: Handle, address: Out<u64>);
    fn cuUserObjectCreate(object: Out<Handle>, address: u64, destroy: u64, count: c_uint, flags: c_uint);
    fn cuUserObjectRetain(object: Handle, count: c_uint);
    fn cuUserObjectRelease(object: Handle, count: c_uint);
    fn cuGraphRetainUserObject(graph: Handle, object: Handle, count: c_uint, flags: c_uint);
    fn cuGraphReleaseUserObject(graph: Handle, object: Handle, count: c_uint);
}
