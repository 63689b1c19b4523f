//! Random calls with handles of all kinds, valid or not, and random sizes, from several threads: each returns, and what it returns is a result of CUDA.

#![allow(unsafe_code)]

use std::ffi::CStr;

use cuda::error::RESULTS;
use cuda::table::NAMES;
use testing::calls::Kind::{Arguments, Handle, Host, Image, ImageSize, Name, Null, Out, Own, Size, Small};
use testing::calls::{self, Caller, Interface};

const PTX: &CStr = c".version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 count;
.visible .global .texref image;
.visible .entry add(.param .u64 to, .param .u32 n)
{
    .reg .b64 %a; .reg .b32 %n;
    ld.param.u64 %a, [to]; ld.param.u32 %n, [n];
    red.global.add.u32 [%a], %n;
    ret;
}
";

/// A function with its arguments as words.
type Function = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> u32;

/// The kinds of arguments that only the driver has.
#[derive(Clone, Copy)]
enum Argument {
    /// Addresses of memory of the host, for a batch of copies.
    Addresses,
    /// The number of elements of a list, of which each has at least two.
    Count,
    /// Sizes of such copies.
    Sizes,
    /// Attributes of copies, and the indices of the copies that they are for.
    Attributes,
    Indices,
    /// Descriptions of copies of boxes between memory of the host and arrays.
    Boxes,
    /// The parameters of an allocation node.
    Allocation,
}

type Kind = calls::Kind<Argument>;

const ADDRESSES: Kind = Own(Argument::Addresses);
const COUNT: Kind = Own(Argument::Count);
const SIZES: Kind = Own(Argument::Sizes);
const ATTRIBUTES: Kind = Own(Argument::Attributes);
const INDICES: Kind = Own(Argument::Indices);
const BOXES: Kind = Own(Argument::Boxes);
const ALLOCATION: Kind = Own(Argument::Allocation);

/// `CUmemcpy3DOperand`: memory of the host, or an array.
fn operand(caller: &mut Caller<'_>) -> [u64; 5] {
    if caller.random.bool() {
        [1, caller.host_memory(), caller.random.u64(..6), caller.random.u64(..6), 0]
    } else {
        [2, caller.handle(), caller.random.u64(..3), caller.random.u64(..3), caller.random.u64(..3)]
    }
}

/// `CUDA_MEMCPY3D_BATCH_OP`.
fn boxed(caller: &mut Caller<'_>) -> [u64; 14] {
    let mut words = [0; 14];
    words[..5].copy_from_slice(&operand(caller));
    words[5..10].copy_from_slice(&operand(caller));
    words[10..].fill_with(|| caller.random.u64(..4));
    words
}

const FUNCTIONS: &[(&str, &[Kind])] = &[
    ("cuDeviceGet", &[Out, Small]),
    ("cuDeviceGetAttribute", &[Out, Small, Small]),
    ("cuDevicePrimaryCtxRetain", &[Out, Small]),
    ("cuDevicePrimaryCtxRelease_v2", &[Small]),
    ("cuDevicePrimaryCtxReset_v2", &[Small]),
    ("cuCtxCreate_v2", &[Out, Small, Small]),
    ("cuCtxDestroy_v2", &[Handle]),
    ("cuCtxSetCurrent", &[Handle]),
    ("cuCtxPushCurrent_v2", &[Handle]),
    ("cuCtxPopCurrent_v2", &[Out]),
    ("cuCtxGetCurrent", &[Out]),
    ("cuCtxSynchronize", &[]),
    ("cuCtxGetLimit", &[Out, Small]),
    ("cuCtxSetLimit", &[Small, Size]),
    ("cuModuleLoadData", &[Out, Image]),
    ("cuModuleLoadData", &[Out, Image]),
    ("cuModuleUnload", &[Handle]),
    ("cuModuleGetFunction", &[Out, Handle, Name]),
    ("cuModuleGetFunction", &[Out, Handle, Name]),
    ("cuModuleGetGlobal_v2", &[Out, Out, Handle, Name]),
    ("cuLibraryLoadData", &[Out, Image, Null, Null, Null, Null, Null, Null]),
    ("cuLibraryGetKernel", &[Out, Handle, Name]),
    ("cuLibraryUnload", &[Handle]),
    ("cuKernelGetFunction", &[Out, Handle]),
    ("cuFuncGetAttribute", &[Out, Small, Handle]),
    ("cuFuncSetAttribute", &[Handle, Small, Size]),
    ("cuOccupancyMaxActiveBlocksPerMultiprocessor", &[Out, Handle, Small, Size]),
    ("cuMemAlloc_v2", &[Out, Size]),
    ("cuMemAlloc_v2", &[Out, Size]),
    ("cuMemFree_v2", &[Handle]),
    ("cuMemGetInfo_v2", &[Out, Out]),
    ("cuMemGetAddressRange_v2", &[Out, Out, Handle]),
    ("cuMemAllocPitch_v2", &[Out, Out, Size, Small, Small]),
    ("cuMemAllocHost_v2", &[Out, Size]),
    ("cuMemFreeHost", &[Handle]),
    ("cuMemAllocManaged", &[Out, Size, Small]),
    ("cuMemAllocAsync", &[Out, Size, Handle]),
    ("cuMemFreeAsync", &[Handle, Handle]),
    ("cuPointerGetAttribute", &[Out, Small, Handle]),
    ("cuMemcpyHtoD_v2", &[Handle, Host, Size]),
    ("cuMemcpyDtoH_v2", &[Host, Handle, Size]),
    ("cuMemcpyDtoD_v2", &[Handle, Handle, Size]),
    ("cuMemcpyHtoDAsync_v2", &[Handle, Host, Size, Handle]),
    ("cuMemcpyDtoHAsync_v2", &[Host, Handle, Size, Handle]),
    ("cuMemcpyBatchAsync", &[ADDRESSES, ADDRESSES, SIZES, COUNT, ATTRIBUTES, INDICES, COUNT, Out, Handle]),
    ("cuMemcpy3DBatchAsync_v2", &[COUNT, BOXES, Null, Handle]),
    ("cuMemcpy3DWithAttributesAsync", &[BOXES, Null, Handle]),
    ("cuMemPrefetchBatchAsync", &[ADDRESSES, SIZES, COUNT, ATTRIBUTES, INDICES, COUNT, Null, Handle]),
    ("cuMemHostRegister_v2", &[Host, Size, Small]),
    ("cuMemHostUnregister", &[Host]),
    ("cuMemsetD8_v2", &[Handle, Small, Size]),
    ("cuMemsetD32Async", &[Handle, Small, Small, Handle]),
    ("cuMemsetD2D16_v2", &[Handle, Size, Small, Small, Small]),
    ("cuStreamCreate", &[Out, Small]),
    ("cuStreamCreateWithPriority", &[Out, Small, Small]),
    ("cuStreamDestroy_v2", &[Handle]),
    ("cuStreamSynchronize", &[Handle]),
    ("cuStreamQuery", &[Handle]),
    ("cuStreamGetCtx", &[Handle, Out]),
    ("cuStreamWaitEvent", &[Handle, Handle, Small]),
    ("cuStreamWriteValue32_v2", &[Handle, Handle, Small, Small]),
    ("cuStreamBeginCapture_v2", &[Handle, Small]),
    ("cuStreamEndCapture", &[Handle, Out]),
    ("cuStreamEndCapture", &[Handle, Out]),
    ("cuStreamIsCapturing", &[Handle, Out]),
    ("cuEventCreate", &[Out, Small]),
    ("cuEventDestroy_v2", &[Handle]),
    ("cuEventRecord", &[Handle, Handle]),
    ("cuEventQuery", &[Handle]),
    ("cuEventSynchronize", &[Handle]),
    ("cuEventElapsedTime_v2", &[Out, Handle, Handle]),
    ("cuLaunchKernel", &[Handle, Small, Small, Small, Small, Small, Small, Small, Handle, Arguments, Null]),
    ("cuLaunchKernel", &[Handle, Small, Small, Small, Small, Small, Small, Small, Handle, Arguments, Null]),
    ("cuGraphCreate", &[Out, Small]),
    ("cuGraphDestroy", &[Handle]),
    ("cuGraphClone", &[Out, Handle]),
    ("cuGraphAddEmptyNode", &[Out, Handle, Null, Null]),
    ("cuGraphAddChildGraphNode", &[Out, Handle, Null, Null, Handle]),
    ("cuGraphChildGraphNodeGetGraph", &[Handle, Out]),
    ("cuGraphAddMemAllocNode", &[Out, Handle, Null, Null, ALLOCATION]),
    ("cuGraphMemAllocNodeGetParams", &[Handle, Out]),
    ("cuGraphAddMemFreeNode", &[Out, Handle, Null, Null, Handle]),
    ("cuGraphMemFreeNodeGetParams", &[Handle, Out]),
    ("cuDeviceGetGraphMemAttribute", &[Small, Small, Out]),
    ("cuGraphExecUpdate_v2", &[Handle, Handle, Out]),
    ("cuGraphDestroyNode", &[Handle]),
    ("cuGraphGetNodes", &[Handle, Null, Out]),
    ("cuGraphNodeGetType", &[Handle, Out]),
    ("cuGraphInstantiateWithFlags", &[Out, Handle, Small]),
    ("cuGraphLaunch", &[Handle, Handle]),
    ("cuGraphExecDestroy", &[Handle]),
    ("cuMipmappedArrayGetLevel", &[Out, Handle, Small]),
    ("cuArrayDestroy", &[Handle]),
    ("cuTexObjectDestroy", &[Handle]),
    ("cuModuleGetTexRef", &[Out, Handle, Name]),
    ("cuTexRefCreate", &[Out]),
    ("cuTexRefDestroy", &[Handle]),
    ("cuTexRefSetAddress_v2", &[Out, Handle, Handle, Size]),
    ("cuTexRefSetArray", &[Handle, Handle, Small]),
    ("cuTexRefSetFormat", &[Handle, Small, Small]),
    ("cuTexRefSetFlags", &[Handle, Small]),
    ("cuTexRefSetAddressMode", &[Handle, Small, Small]),
    ("cuTexRefSetFilterMode", &[Handle, Small]),
    ("cuTexRefGetAddress_v2", &[Out, Handle]),
    ("cuTexRefGetArray", &[Out, Handle]),
    ("cuLinkCreate_v2", &[Null, Null, Null, Out]),
    ("cuLinkAddData_v2", &[Handle, Small, Image, ImageSize, Name, Null, Null, Null]),
    ("cuLinkComplete", &[Handle, Out, Out]),
    ("cuLinkDestroy", &[Handle]),
    ("cuMemPoolDestroy", &[Handle]),
    ("cuDeviceGetDefaultMemPool", &[Out, Small]),
    ("cuMemRelease", &[Handle]),
];

fn function(name: &str) -> Function {
    let found = NAMES.iter().find(|found| found.symbol == name).unwrap_or_else(|| panic!("no {name}"));
    // SAFETY: all arguments are words, of which a function takes as many as it has.
    unsafe { std::mem::transmute::<unsafe extern "C" fn(), Function>(found.address.0) }
}

struct Driver;

impl Interface for Driver {
    type Own = Argument;
    const FUNCTIONS: &'static [(&'static str, &'static [Kind])] = FUNCTIONS;
    const IMAGE: &'static CStr = PTX;
    const NAMES: &'static [&'static CStr] = &[c"none", c"count", c"image", c"add"];
    const ALONE: &'static [&'static str] = &["cuMemAllocHost_v2", "cuMemAllocManaged"];

    fn own(&self, kind: Argument, caller: &mut Caller<'_>) -> u64 {
        let words = match kind {
            Argument::Count => return caller.random.u64(..=2),
            Argument::Addresses => vec![caller.host_memory(); 3],
            Argument::Sizes => vec![caller.random.u64(..=4096), caller.random.u64(..=4096), 4],
            Argument::Attributes => vec![caller.random.u64(..4), 0, 0, caller.random.u64(..4), 0, 0],
            Argument::Indices => vec![0, caller.random.u64(..4), caller.random.u64(..4)],
            Argument::Boxes => [boxed(caller), boxed(caller)].concat(),
            Argument::Allocation => {
                let mut words = vec![0; 16];
                // Pinned memory of the first device, `CUmemAllocationType` and `CUmemLocationType`.
                words[0] = 1;
                words[1] = caller.random.u64(..3);
                words[13] = caller.random.u64(..4096);
                words
            }
        };
        caller.structure(&words)
    }

    fn call(&self, name: &str, [a, b, c, d, e, f, g, h, i, j, k]: [u64; calls::MOST_ARGUMENTS]) -> u32 {
        // SAFETY: pointers are null or refer to memory of the caller that is large enough; handles may be anything.
        unsafe { function(name)(a, b, c, d, e, f, g, h, i, j, k) }
    }

    fn is_result(&self, result: u32) -> bool {
        RESULTS.iter().any(|(known, ..)| known.0 == result)
    }
}

#[test]
fn random_calls_return() {
    // SAFETY: no other thread has been started.
    unsafe { std::env::set_var("PTX_CUDA_MEMORY", (64 << 20).to_string()) };
    assert_eq!(Driver.call("cuInit", [0; calls::MOST_ARGUMENTS]), 0);
    let calls = testing::count("random calls of the driver", 300_000, 30_000);
    // Default: the calls are the same in each run.
    calls::random_calls(&Driver, calls, testing::asked_seed().unwrap_or_default());
}

#[test]
fn names_are_found_by_their_versions() {
    let get = function("cuGetProcAddress");
    for name in NAMES.iter().filter(|name| !name.is_per_thread()) {
        let text = std::ffi::CString::new(name.base()).unwrap();
        let mut address = 0u64;
        let words = (text.as_ptr() as u64, &raw mut address as u64, u64::from(name.since));
        // SAFETY: a text, a place for an address, and numbers.
        let result = unsafe { get(words.0, words.1, words.2, 0, 0, 0, 0, 0, 0, 0, 0) };
        assert_eq!((result, address), (0, name.address.0 as usize as u64), "{}", name.symbol);
    }
}
