//! Structures of `cuda.h`: their fields, in its order and sizes. A test compares them with the header.

use std::ffi::{c_int, c_uint};

use crate::handle::AnyHandle;

/// The kind of memory of a side of a copy, `CUmemorytype`.
pub const HOST: c_uint = 1;
pub const DEVICE: c_uint = 2;
pub const ARRAY: c_uint = 3;
pub const UNIFIED: c_uint = 4;

ptx_cabi::structures! {
    struct CUdevprop "CUdevprop" {
        max_threads_per_block "maxThreadsPerBlock": c_int, max_threads_dim "maxThreadsDim": [c_int; 3],
        max_grid_size "maxGridSize": [c_int; 3], shared_mem_per_block "sharedMemPerBlock": c_int,
        total_constant_memory "totalConstantMemory": c_int, simd_width "SIMDWidth": c_int, mem_pitch "memPitch": c_int,
        regs_per_block "regsPerBlock": c_int, clock_rate "clockRate": c_int, texture_align "textureAlign": c_int,
    }
    struct MemoryLocation "CUmemLocation" { kind "type": c_uint, id "id": c_int }
    struct AllocationProperties "CUmemAllocationProp" {
        kind "type": c_uint, handle_types "requestedHandleTypes": c_uint, location "location": MemoryLocation,
        windows "win32HandleMetaData": u64, flags "allocFlags": [u8; 8],
    }
    struct AccessDescription "CUmemAccessDesc" { location "location": MemoryLocation, flags "flags": c_uint }
    struct PoolProperties "CUmemPoolProps" {
        kind "allocType": c_uint, handle_types "handleTypes": c_uint, location "location": MemoryLocation,
        windows "win32SecurityAttributes": u64, most_bytes "maxSize": usize, usage "usage": u16, rdma "gpuDirectRDMACapable": u8,
        reserved "reserved": [u8; 53],
    }
    struct Copy2d "CUDA_MEMCPY2D" {
        from_x "srcXInBytes": usize, from_y "srcY": usize, from_kind "srcMemoryType": c_uint, from_host "srcHost": u64,
        from_device "srcDevice": u64, from_array "srcArray": AnyHandle, from_pitch "srcPitch": usize,
        to_x "dstXInBytes": usize, to_y "dstY": usize, to_kind "dstMemoryType": c_uint, to_host "dstHost": u64,
        to_device "dstDevice": u64, to_array "dstArray": AnyHandle, to_pitch "dstPitch": usize,
        width "WidthInBytes": usize, height "Height": usize,
    }
    struct Copy3d "CUDA_MEMCPY3D" {
        from_x "srcXInBytes": usize, from_y "srcY": usize, from_z "srcZ": usize, from_level "srcLOD": usize,
        from_kind "srcMemoryType": c_uint, from_host "srcHost": u64, from_device "srcDevice": u64,
        from_array "srcArray": AnyHandle, from_context "reserved0": AnyHandle, from_pitch "srcPitch": usize,
        from_height "srcHeight": usize,
        to_x "dstXInBytes": usize, to_y "dstY": usize, to_z "dstZ": usize, to_level "dstLOD": usize,
        to_kind "dstMemoryType": c_uint, to_host "dstHost": u64, to_device "dstDevice": u64,
        to_array "dstArray": AnyHandle, to_context "reserved1": AnyHandle, to_pitch "dstPitch": usize,
        to_height "dstHeight": usize,
        width "WidthInBytes": usize, height "Height": usize, depth "Depth": usize,
    }
    struct ArrayDescription "CUDA_ARRAY_DESCRIPTOR" {
        width "Width": usize, height "Height": usize, format "Format": c_uint, channels "NumChannels": c_uint,
    }
    struct Array3dDescription "CUDA_ARRAY3D_DESCRIPTOR" {
        width "Width": usize, height "Height": usize, depth "Depth": usize, format "Format": c_uint,
        channels "NumChannels": c_uint, flags "Flags": c_uint,
    }
    struct LinearResource "" {
        address "": u64, format "": c_uint, channels "": c_uint, width "": usize, height "": usize, pitch "": usize,
        rest "": [u64; 11],
    }
    struct ResourceDescription "CUDA_RESOURCE_DESC" { kind "resType": c_uint, resource "res": LinearResource, flags "flags": c_uint }
    struct TextureDescription "CUDA_TEXTURE_DESC" {
        address_mode "addressMode": [c_uint; 3], filter "filterMode": c_uint, flags "flags": c_uint,
        max_anisotropy "maxAnisotropy": c_uint, level_filter "mipmapFilterMode": c_uint, level_bias "mipmapLevelBias": f32,
        min_level "minMipmapLevelClamp": f32, max_level "maxMipmapLevelClamp": f32, border "borderColor": [f32; 4],
        reserved "reserved": [c_int; 12],
    }
    struct ViewDescription "CUDA_RESOURCE_VIEW_DESC" {
        format "format": c_uint, width "width": usize, height "height": usize, depth "depth": usize,
        first_level "firstMipmapLevel": c_uint, last_level "lastMipmapLevel": c_uint,
        first_layer "firstLayer": c_uint, last_layer "lastLayer": c_uint, reserved "reserved": [c_uint; 16],
    }
    struct LaunchAttribute "CUlaunchAttribute" { id "id": c_uint, padding "pad": [u8; 4], value "value": [u64; 8] }
    struct LaunchConfig "CUlaunchConfig" {
        grid "gridDimX": [c_uint; 3], block "blockDimX": [c_uint; 3], shared "sharedMemBytes": c_uint,
        stream "hStream": AnyHandle, attributes "attrs": u64, attribute_count "numAttrs": c_uint,
    }
    struct KernelNode "CUDA_KERNEL_NODE_PARAMS_v2" {
        function "func": AnyHandle, grid "gridDimX": [c_uint; 3], block "blockDimX": [c_uint; 3],
        shared "sharedMemBytes": c_uint, parameters "kernelParams": u64, extra "extra": u64,
        kernel "kern": AnyHandle, context "ctx": AnyHandle,
    }
    struct FillNode "CUDA_MEMSET_NODE_PARAMS_v2" {
        to "dst": u64, pitch "pitch": usize, value "value": c_uint, element "elementSize": c_uint, width "width": usize,
        height "height": usize, context "ctx": AnyHandle,
    }
    struct HostNode "CUDA_HOST_NODE_PARAMS_v1" { function "fn": u64, data "userData": u64 }
    struct CopyNode "CUDA_MEMCPY_NODE_PARAMS" {
        flags "flags": c_int, reserved "reserved": c_int, context "copyCtx": AnyHandle, copy "copyParams": Copy3d,
    }
    struct AllocationNode "CUDA_MEM_ALLOC_NODE_PARAMS_v2" {
        pool "poolProps": PoolProperties, access "accessDescs": u64, access_count "accessDescCount": usize,
        bytes "bytesize": usize, address "dptr": u64,
    }
    struct ChildNode "CUDA_CHILD_GRAPH_NODE_PARAMS" { graph "graph": AnyHandle, ownership "ownership": c_int }
    struct EventNode "CUDA_EVENT_RECORD_NODE_PARAMS" { event "event": AnyHandle, context "": AnyHandle }
    struct NodeParameters "CUgraphNodeParams" {
        kind "type": c_uint, reserved "reserved0": [c_int; 3], parameters "reserved1": [u64; 29], rest "reserved2": u64,
    }
    struct EdgeData "CUgraphEdgeData" { from_port "from_port": u8, to_port "to_port": u8, kind "type": u8, reserved "reserved": [u8; 5] }
    struct InstantiateParameters "CUDA_GRAPH_INSTANTIATE_PARAMS" {
        flags "flags": u64, upload "hUploadStream": AnyHandle, error_node "hErrNode_out": AnyHandle, result "result_out": c_uint,
    }
    struct UpdateResult "CUgraphExecUpdateResultInfo" {
        result "result": c_uint, node "errorNode": AnyHandle, from "errorFromNode": AnyHandle,
    }
    struct MemoryOperation "CUstreamBatchMemOpParams" { words "pad": [u64; 6] }
    struct ArrayRequirements "CUDA_ARRAY_MEMORY_REQUIREMENTS" { size "size": usize, align "alignment": usize, reserved "reserved": [c_uint; 4] }
    struct ContextParameters "CUctxCreateParams" {
        affinity "execAffinityParams": u64, affinity_count "numExecAffinityParams": c_int, graphics "cigParams": u64,
    }
    struct CopyAttributes "CUmemcpyAttributes" {
        order "srcAccessOrder": c_uint, from "srcLocHint": MemoryLocation, to "dstLocHint": MemoryLocation, flags "flags": c_uint,
    }
    /// Memory: an address, elements of a row, rows of a slice, and a location. Arrays: a handle, and the offsets of the first element along x, y and z.
    struct CopyOperand "CUmemcpy3DOperand" { kind "type": c_uint, words "op": [u64; 4] }
    struct BatchCopy3d "CUDA_MEMCPY3D_BATCH_OP" {
        from "src": CopyOperand, to "dst": CopyOperand, extent "extent": [usize; 3], order "srcAccessOrder": c_uint, flags "flags": c_uint,
    }
}
