//! Structures of `driver_types.h` and `cuda.h`: their fields, in their order and sizes. A test compares them with the headers.

use std::ffi::{c_int, c_uint};

/// A handle of an object of the driver.
pub type Handle = usize;

/// The kind of memory of a side of a copy, `CUmemorytype`.
pub const HOST: c_uint = 1;
pub const DEVICE: c_uint = 2;
pub const ARRAY: c_uint = 3;
pub const UNIFIED: c_uint = 4;

ptx_cabi::structures! {
    struct Dim3 "dim3" { x "x": c_uint, y "y": c_uint, z "z": c_uint }
    struct ChannelFormat "cudaChannelFormatDesc" { bits "x": [c_int; 4], kind "f": c_uint }
    struct Extent "cudaExtent" { width "width": usize, height "height": usize, depth "depth": usize }
    struct Position "cudaPos" { x "x": usize, y "y": usize, z "z": usize }
    struct Pitched "cudaPitchedPtr" { address "ptr": u64, pitch "pitch": usize, width "xsize": usize, height "ysize": usize }
    struct Copy3d "cudaMemcpy3DParms" {
        from_array "srcArray": Handle, from_position "srcPos": Position, from "srcPtr": Pitched,
        to_array "dstArray": Handle, to_position "dstPos": Position, to "dstPtr": Pitched,
        extent "extent": Extent, kind "kind": c_uint,
    }
    struct PeerCopy "cudaMemcpy3DPeerParms" {
        from_array "srcArray": Handle, from_position "srcPos": Position, from "srcPtr": Pitched, from_device "srcDevice": c_int,
        to_array "dstArray": Handle, to_position "dstPos": Position, to "dstPtr": Pitched, to_device "dstDevice": c_int,
        extent "extent": Extent,
    }
    struct DriverCopy "CUDA_MEMCPY3D" {
        from_x "srcXInBytes": usize, from_y "srcY": usize, from_z "srcZ": usize, from_level "srcLOD": usize,
        from_kind "srcMemoryType": c_uint, from_host "srcHost": u64, from_device "srcDevice": u64,
        from_array "srcArray": Handle, from_context "reserved0": Handle, from_pitch "srcPitch": usize,
        from_height "srcHeight": usize,
        to_x "dstXInBytes": usize, to_y "dstY": usize, to_z "dstZ": usize, to_level "dstLOD": usize,
        to_kind "dstMemoryType": c_uint, to_host "dstHost": u64, to_device "dstDevice": u64,
        to_array "dstArray": Handle, to_context "reserved1": Handle, to_pitch "dstPitch": usize,
        to_height "dstHeight": usize,
        width "WidthInBytes": usize, height "Height": usize, depth "Depth": usize,
    }
    struct ArrayDescription "CUDA_ARRAY3D_DESCRIPTOR" {
        width "Width": usize, height "Height": usize, depth "Depth": usize, format "Format": c_uint,
        channels "NumChannels": c_uint, flags "Flags": c_uint,
    }
    struct ArrayRequirements "cudaArrayMemoryRequirements" {
        size "size": usize, align "alignment": usize, reserved "reserved": [c_uint; 4],
    }
    /// The fields that all versions have, up to the end of the description of rows.
    struct Resource "" {
        kind "resType": c_uint, address "res": u64, format "": ChannelFormat, width "": usize, height "": usize, pitch "": usize,
    }
    struct LinearResource "" {
        address "": u64, format "": c_uint, channels "": c_uint, width "": usize, height "": usize, pitch "": usize,
        rest "": [u64; 11],
    }
    struct DriverResource "CUDA_RESOURCE_DESC" { kind "resType": c_uint, resource "res": LinearResource, flags "flags": c_uint }
    struct Texture "cudaTextureDesc" {
        address_mode "addressMode": [c_uint; 3], filter "filterMode": c_uint, read_mode "readMode": c_uint, srgb "sRGB": c_int,
        border "borderColor": [f32; 4], is_normalized "normalizedCoords": c_int, max_anisotropy "maxAnisotropy": c_uint,
        level_filter "mipmapFilterMode": c_uint, level_bias "mipmapLevelBias": f32, min_level "minMipmapLevelClamp": f32,
        max_level "maxMipmapLevelClamp": f32, no_trilinear "disableTrilinearOptimization": c_int,
        is_seamless "seamlessCubemap": c_int,
    }
    struct DriverTexture "CUDA_TEXTURE_DESC" {
        address_mode "addressMode": [c_uint; 3], filter "filterMode": c_uint, flags "flags": c_uint,
        max_anisotropy "maxAnisotropy": c_uint, level_filter "mipmapFilterMode": c_uint, level_bias "mipmapLevelBias": f32,
        min_level "minMipmapLevelClamp": f32, max_level "maxMipmapLevelClamp": f32, border "borderColor": [f32; 4],
        reserved "reserved": [c_int; 12],
    }
    /// The fields that all versions have.
    struct View "" {
        format "format": c_uint, width "width": usize, height "height": usize, depth "depth": usize,
        first_level "firstMipmapLevel": c_uint, last_level "lastMipmapLevel": c_uint,
        first_layer "firstLayer": c_uint, last_layer "lastLayer": c_uint,
    }
    struct DriverView "CUDA_RESOURCE_VIEW_DESC" { view "format": View, reserved "reserved": [c_uint; 16] }
    struct FunctionAttributes "cudaFuncAttributes" {
        shared "sharedSizeBytes": usize, constant "constSizeBytes": usize, local "localSizeBytes": usize,
        threads "maxThreadsPerBlock": c_int, registers "numRegs": c_int, ptx "ptxVersion": c_int, binary "binaryVersion": c_int,
        caches_all "cacheModeCA": c_int, dynamic_shared "maxDynamicSharedSizeBytes": c_int,
        carveout "preferredShmemCarveout": c_int, needs_cluster "clusterDimMustBeSet": c_int,
        cluster "requiredClusterWidth": [c_int; 3], cluster_policy "clusterSchedulingPolicyPreference": c_int,
        non_portable_cluster "nonPortableClusterSizeAllowed": c_int, reserved "": [c_int; 16],
    }
    struct MemoryLocation "cudaMemLocation" { kind "type": c_uint, id "id": c_int }
    struct AccessDescription "cudaMemAccessDesc" { location "location": MemoryLocation, flags "flags": c_uint }
    struct PoolProperties "cudaMemPoolProps" {
        kind "allocType": c_uint, handle_types "handleTypes": c_uint, location "location": MemoryLocation,
        windows "win32SecurityAttributes": u64, most_bytes "maxSize": usize, usage "usage": u16, reserved "reserved": [u8; 54],
    }
    struct CopyAttributes "cudaMemcpyAttributes" {
        order "srcAccessOrder": c_uint, from "srcLocHint": MemoryLocation, to "dstLocHint": MemoryLocation, flags "flags": c_uint,
    }
    /// An address or array with what the driver needs to know of it, in the driver's form.
    struct CopyOperand "cudaMemcpy3DOperand" { kind "type": c_uint, words "op": [u64; 4] }
    struct BatchCopy3d "cudaMemcpy3DBatchOp" {
        from "src": CopyOperand, to "dst": CopyOperand, extent "extent": Extent, order "srcAccessOrder": c_uint, flags "flags": c_uint,
    }
    struct LaunchAttribute "cudaLaunchAttribute" { id "id": c_uint, padding "pad": [u8; 4], value "val": [u64; 8] }
    struct RuntimeLaunchConfig "cudaLaunchConfig_t" {
        grid "gridDim": Dim3, block "blockDim": Dim3, shared "dynamicSmemBytes": usize, stream "stream": Handle,
        attributes "attrs": u64, attribute_count "numAttrs": c_uint,
    }
    struct LaunchConfig "CUlaunchConfig" {
        grid "gridDimX": Dim3, block "blockDimX": Dim3, shared "sharedMemBytes": c_uint,
        stream "hStream": Handle, attributes "attrs": u64, attribute_count "numAttrs": c_uint,
    }
    struct KernelNode "cudaKernelNodeParams" {
        function "func": u64, grid "gridDim": Dim3, block "blockDim": Dim3, shared "sharedMemBytes": c_uint,
        parameters "kernelParams": u64, extra "extra": u64,
    }
    struct DriverKernelNode "CUDA_KERNEL_NODE_PARAMS" {
        function "func": Handle, grid "gridDimX": Dim3, block "blockDimX": Dim3,
        shared "sharedMemBytes": c_uint, parameters "kernelParams": u64, extra "extra": u64,
        kernel "kern": Handle, context "ctx": Handle,
    }
    struct KernelNode2 "cudaKernelNodeParamsV2" { node "func": KernelNode, context "ctx": Handle, kind "functionType": c_uint }
    struct CopyNode "cudaMemcpyNodeParams" {
        flags "flags": c_int, reserved "reserved": c_int, context "ctx": Handle, copy "copyParams": Copy3d,
    }
    struct DriverCopyNode "CUDA_MEMCPY_NODE_PARAMS" {
        flags "flags": c_int, reserved "reserved": c_int, context "copyCtx": Handle, copy "copyParams": DriverCopy,
    }
    struct Fill "cudaMemsetParams" {
        to "dst": u64, pitch "pitch": usize, value "value": c_uint, element "elementSize": c_uint, width "width": usize,
        height "height": usize,
    }
    struct HostCall "cudaHostNodeParams" { function "fn": u64, data "userData": u64 }
    struct AllocationNode "cudaMemAllocNodeParams" {
        pool "poolProps": PoolProperties, access "accessDescs": u64, access_count "accessDescCount": usize,
        bytes "bytesize": usize, address "dptr": u64,
    }
    struct NodeParameters "cudaGraphNodeParams" {
        kind "type": c_uint, reserved "reserved0": [c_int; 3], parameters "reserved1": [u64; 29], rest "reserved2": u64,
    }
    struct EdgeData "cudaGraphEdgeData" { from_port "from_port": u8, to_port "to_port": u8, kind "type": u8, reserved "reserved": [u8; 5] }
    struct InstantiateParameters "cudaGraphInstantiateParams" {
        flags "flags": u64, stream "uploadStream": Handle, node "errNode_out": Handle, result "result_out": c_uint,
    }
    struct UpdateResult "cudaGraphExecUpdateResultInfo" {
        result "result": c_uint, node "errorNode": Handle, from "errorFromNode": Handle,
    }
}
