//! Random calls of `libcudart.so.13` with handles of all kinds, valid or not, and random sizes, from several threads: each returns, and what it returns is
//! a result of CUDA.

#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::sync::LazyLock;

use cudart::error::ERRORS;
use libloading::os::unix::Library;
use testing::calls::Kind::{Arguments, Fixed, Handle, Host, Image, Name, Null, Out, Own, Size, Small};
use testing::calls::{self, Caller, Interface};

const PTX: &CStr = c".version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 count;
.visible .entry add(.param .u64 to, .param .u32 n)
{
    .reg .b64 %a; .reg .b32 %n;
    ld.param.u64 %a, [to]; ld.param.u32 %n, [n];
    red.global.add.u32 [%a], %n;
    ret;
}
";

/// What stands for the kernel and for the variable on the host, and what is registered as neither.
static KERNEL: u8 = 1;
static VARIABLE: u8 = 2;
static NOTHING: u8 = 3;

/// A function with its arguments as words.
type Function = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> u32;

/// The kinds of arguments that only the runtime has.
#[derive(Clone, Copy)]
enum Argument {
    /// What stands for the kernel on the host, or for something else.
    Kernel,
    /// What stands for the variable on the host, or for something else.
    Variable,
    /// The description of a launch in a graph.
    Launch,
    /// The description of channels.
    Channels,
}

type Kind = calls::Kind<Argument>;

const KERNEL_POINTER: Kind = Own(Argument::Kernel);
const VARIABLE_POINTER: Kind = Own(Argument::Variable);
const LAUNCH: Kind = Own(Argument::Launch);
const CHANNELS: Kind = Own(Argument::Channels);
const TO_DEVICE: Kind = Fixed(1);
const TO_HOST: Kind = Fixed(2);
const WITHIN: Kind = Fixed(3);

const FUNCTIONS: &[(&str, &[Kind])] = &[
    ("cudaGetLastError", &[]),
    ("cudaPeekAtLastError", &[]),
    ("cudaGetDeviceCount", &[Out]),
    ("cudaGetDevice", &[Out]),
    ("cudaSetDevice", &[Small]),
    ("cudaSetDeviceFlags", &[Small]),
    ("cudaGetDeviceFlags", &[Out]),
    ("cudaDeviceReset", &[]),
    ("cudaDeviceSynchronize", &[]),
    ("cudaDeviceGetAttribute", &[Out, Small, Small]),
    ("cudaDeviceGetLimit", &[Out, Small]),
    ("cudaDeviceSetLimit", &[Small, Size]),
    ("cudaDeviceCanAccessPeer", &[Out, Small, Small]),
    ("cudaDeviceEnablePeerAccess", &[Small, Small]),
    ("cudaDeviceGetPCIBusId", &[Out, Small, Small]),
    ("cudaSetValidDevices", &[Out, Fixed(2)]),
    ("cudaFuncGetAttributes", &[Out, KERNEL_POINTER]),
    ("cudaFuncSetAttribute", &[KERNEL_POINTER, Small, Size]),
    ("cudaFuncSetCacheConfig", &[KERNEL_POINTER, Small]),
    ("cudaFuncGetName", &[Out, KERNEL_POINTER]),
    ("cudaFuncGetParamInfo", &[KERNEL_POINTER, Small, Out, Out]),
    ("cudaGetKernel", &[Out, KERNEL_POINTER]),
    ("cudaGetFuncBySymbol", &[Out, KERNEL_POINTER]),
    ("cudaGetSymbolAddress", &[Out, VARIABLE_POINTER]),
    ("cudaGetSymbolSize", &[Out, VARIABLE_POINTER]),
    ("cudaOccupancyMaxActiveBlocksPerMultiprocessor", &[Out, KERNEL_POINTER, Small, Size]),
    ("__cudaPushCallConfiguration", &[Small, Small, Small, Small, Size, Handle]),
    ("__cudaPopCallConfiguration", &[Out, Out, Out, Out]),
    ("cudaLaunchKernel", &[KERNEL_POINTER, Small, Small, Small, Small, Arguments, Small, Handle]),
    (
        "cudaLaunchKernel",
        &[
            KERNEL_POINTER,
            Fixed(1 << 32 | 1),
            Fixed(1),
            Fixed(1 << 32 | 8),
            Fixed(1),
            Arguments,
            Fixed(0),
            Handle,
        ],
    ),
    ("cudaLaunchCooperativeKernel", &[KERNEL_POINTER, Small, Small, Small, Small, Arguments, Small, Handle]),
    ("cudaLibraryLoadData", &[Out, Image, Null, Null, Null, Null, Null, Null]),
    ("cudaLibraryGetKernel", &[Out, Handle, Name]),
    ("cudaLibraryGetGlobal", &[Out, Out, Handle, Name]),
    ("cudaLibraryUnload", &[Handle]),
    ("cudaMalloc", &[Out, Size]),
    ("cudaMalloc", &[Out, Size]),
    ("cudaFree", &[Handle]),
    ("cudaMallocPitch", &[Out, Out, Size, Small]),
    ("cudaMallocHost", &[Out, Size]),
    ("cudaFreeHost", &[Handle]),
    ("cudaMallocManaged", &[Out, Size, Small]),
    ("cudaHostGetDevicePointer", &[Out, Handle, Small]),
    ("cudaHostGetFlags", &[Out, Handle]),
    ("cudaMemGetInfo", &[Out, Out]),
    ("cudaPointerGetAttributes", &[Out, Handle]),
    ("cudaMallocAsync", &[Out, Size, Handle]),
    ("cudaFreeAsync", &[Handle, Handle]),
    ("cudaDeviceGetDefaultMemPool", &[Out, Small]),
    ("cudaMemPoolDestroy", &[Handle]),
    ("cudaMemPoolTrimTo", &[Handle, Size]),
    ("cudaMemcpy", &[Handle, Host, Size, TO_DEVICE]),
    ("cudaMemcpy", &[Host, Handle, Size, TO_HOST]),
    ("cudaMemcpy", &[Handle, Handle, Size, WITHIN]),
    ("cudaMemcpyAsync", &[Handle, Host, Size, TO_DEVICE, Handle]),
    ("cudaMemcpyAsync_ptsz", &[Host, Handle, Size, TO_HOST, Handle]),
    ("cudaMemcpy2D", &[Handle, Size, Host, Small, Small, Small, TO_DEVICE]),
    ("cudaMemcpy2DToArray", &[Handle, Small, Small, Host, Small, Small, Small, TO_DEVICE]),
    ("cudaMemcpyFromArray", &[Host, Handle, Small, Small, Size, TO_HOST]),
    ("cudaMemcpyToSymbol", &[VARIABLE_POINTER, Host, Size, Small, TO_DEVICE]),
    ("cudaMemcpyFromSymbol", &[Host, VARIABLE_POINTER, Size, Size, TO_HOST]),
    ("cudaMemcpyPeer", &[Handle, Small, Handle, Small, Size]),
    ("cudaMemset", &[Handle, Small, Size]),
    ("cudaMemsetAsync", &[Handle, Small, Size, Handle]),
    ("cudaMemset2D", &[Handle, Size, Small, Small, Small]),
    ("cudaMallocArray", &[Out, CHANNELS, Small, Small, Small]),
    ("cudaArrayGetInfo", &[Out, Out, Out, Handle]),
    ("cudaFreeArray", &[Handle]),
    ("cudaGetMipmappedArrayLevel", &[Out, Handle, Small]),
    ("cudaDestroyTextureObject", &[Handle]),
    ("cudaGetTextureObjectTextureDesc", &[Out, Handle]),
    ("cudaDestroySurfaceObject", &[Handle]),
    ("cudaStreamCreate", &[Out]),
    ("cudaStreamCreateWithPriority", &[Out, Small, Small]),
    ("cudaStreamDestroy", &[Handle]),
    ("cudaStreamSynchronize", &[Handle]),
    ("cudaStreamQuery", &[Handle]),
    ("cudaStreamGetDevice", &[Handle, Out]),
    ("cudaStreamWaitEvent", &[Handle, Handle, Small]),
    ("cudaStreamBeginCapture", &[Handle, Small]),
    ("cudaStreamEndCapture", &[Handle, Out]),
    ("cudaStreamEndCapture", &[Handle, Out]),
    ("cudaStreamIsCapturing", &[Handle, Out]),
    ("cudaEventCreateWithFlags", &[Out, Small]),
    ("cudaEventDestroy", &[Handle]),
    ("cudaEventRecord", &[Handle, Handle]),
    ("cudaEventQuery", &[Handle]),
    ("cudaEventSynchronize", &[Handle]),
    ("cudaEventElapsedTime", &[Out, Handle, Handle]),
    ("cudaGraphCreate", &[Out, Small]),
    ("cudaGraphDestroy", &[Handle]),
    ("cudaGraphClone", &[Out, Handle]),
    ("cudaGraphAddEmptyNode", &[Out, Handle, Null, Null]),
    ("cudaGraphAddKernelNode", &[Out, Handle, Null, Null, LAUNCH]),
    ("cudaGraphKernelNodeGetParams", &[Handle, Out]),
    ("cudaGraphKernelNodeSetParams", &[Handle, LAUNCH]),
    ("cudaGraphExecKernelNodeSetParams", &[Handle, Handle, LAUNCH]),
    ("cudaGraphAddMemcpyNode1D", &[Out, Handle, Null, Null, Handle, Host, Size, TO_DEVICE]),
    ("cudaGraphMemcpyNodeGetParams", &[Handle, Out]),
    ("cudaGraphAddDependencies", &[Handle, Out, Out, Null, Fixed(1)]),
    ("cudaGraphDestroyNode", &[Handle]),
    ("cudaGraphNodeGetType", &[Handle, Out]),
    ("cudaGraphInstantiate", &[Out, Handle, Small]),
    ("cudaGraphLaunch", &[Handle, Handle]),
    ("cudaGraphExecUpdate", &[Handle, Handle, Out]),
    ("cudaGraphExecDestroy", &[Handle]),
    ("cudaGetDriverEntryPointByVersion", &[Name, Out, Fixed(12000), Small, Out]),
    ("cudaIpcGetMemHandle", &[Out, Handle]),
    ("cudaGetExportTable", &[Out, Out]),
];

/// The functions, from the library as programs load it, over the driver as it is built.
static LOADED: LazyLock<HashMap<&'static str, Function>> = LazyLock::new(|| {
    let folder = testing::built(&["ptx-cuda", "ptx-cudart-13"], &[]);
    // SAFETY: these are the libraries that this tests. The runtime finds the driver by its name, as it is loaded.
    let [_, runtime] =
        ["libcuda.so", "libcudart13.so"].map(|name| unsafe { Library::new(folder.join(name)) }.unwrap());
    let more = ["__cudaRegisterFatBinary", "__cudaRegisterFunction", "__cudaRegisterVar"];
    let names = FUNCTIONS.iter().map(|call| call.0).chain(more);
    // SAFETY: all arguments are words, of which a function takes as many as it has.
    let found =
        names.map(|name| (name, *unsafe { runtime.get::<Function>(name.as_bytes()) }.expect(name))).collect();
    std::mem::forget(runtime);
    found
});

fn call(name: &str, words: [u64; calls::MOST_ARGUMENTS]) -> u32 {
    let [a, b, c, d, e, f, g, h, i, j, k] = words;
    // SAFETY: pointers are null or refer to memory of the caller that is large enough; handles may be anything.
    unsafe { LOADED[name](a, b, c, d, e, f, g, h, i, j, k) }
}

struct Runtime;

fn one_of(usual: &'static u8, caller: &mut Caller<'_>) -> u64 {
    match caller.random.u8(..16) {
        0 => caller.handle(),
        1 => &raw const NOTHING as u64,
        2 => &raw const VARIABLE as u64,
        3 => &raw const KERNEL as u64,
        _ => &raw const *usual as u64,
    }
}

impl Interface for Runtime {
    type Own = Argument;
    const FUNCTIONS: &'static [(&'static str, &'static [Kind])] = FUNCTIONS;
    const IMAGE: &'static CStr = PTX;
    const NAMES: &'static [&'static CStr] = &[c"none", c"count", c"cuMemAlloc", c"add"];
    const ALONE: &'static [&'static str] = &["cudaMallocHost", "cudaMallocManaged", "cudaDeviceReset"];

    fn own(&self, kind: Argument, caller: &mut Caller<'_>) -> u64 {
        match kind {
            Argument::Kernel => one_of(&KERNEL, caller),
            Argument::Variable => one_of(&VARIABLE, caller),
            Argument::Launch => {
                let kernel = one_of(&KERNEL, caller);
                let [a, b, c] = [(); 3].map(|()| caller.random.u64(..3) << 32 | caller.random.u64(..3));
                let arguments = caller.kernel_arguments();
                caller.structure(&[kernel, a, b, c, 0, arguments, 0, 0])
            }
            Argument::Channels => {
                let bits = [8, 16, 32, 7][caller.random.usize(..4)];
                let second = bits * caller.random.u64(0..2);
                let format = caller.random.u64(0..4);
                caller.structure(&[second << 32 | bits, 0, format])
            }
        }
    }

    fn host_bytes(&self, name: &str, words: &[u64]) -> Option<u64> {
        let rows = |at: usize| words[at].saturating_mul(words[at + 1]).saturating_mul(words[at + 2]);
        match name {
            "cudaMemcpy2D" => Some(rows(3)),
            "cudaMemcpy2DToArray" => Some(rows(4)),
            // Default: the others are given the number of bytes.
            _ => None,
        }
    }

    fn call(&self, name: &str, words: [u64; calls::MOST_ARGUMENTS]) -> u32 {
        call(name, words)
    }

    fn is_result(&self, result: u32) -> bool {
        ERRORS.iter().any(|(known, ..)| *known == result)
    }
}

/// What `nvcc` describes a binary by.
#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    image: *const c_char,
    parts: u64,
}

#[test]
fn random_calls_return() {
    // SAFETY: no other thread has been started.
    unsafe {
        std::env::set_var("PTX_CUDA_MEMORY", (64 << 20).to_string());
        std::env::set_var("PTX_CUDA_DEVICES", "2");
    }
    let wrapper =
        Box::leak(Box::new(Wrapper { magic: 0x4662_43b1, version: 1, image: PTX.as_ptr(), parts: 0 }));
    let register = LOADED["__cudaRegisterFatBinary"];
    // SAFETY: it returns a handle, as a word.
    let register = unsafe { std::mem::transmute::<Function, unsafe extern "C" fn(u64) -> u64>(register) };
    // SAFETY: the structure and its image are never freed.
    let binary = unsafe { register(&raw const *wrapper as u64) };
    let (kernel, variable) = (&raw const KERNEL as u64, &raw const VARIABLE as u64);
    call("__cudaRegisterFunction", [binary, kernel, 0, c"add".as_ptr() as u64, 0, 0, 0, 0, 0, 0, 0]);
    call("__cudaRegisterVar", [binary, variable, 0, c"count".as_ptr() as u64, 0, 4, 0, 0, 0, 0, 0]);
    let calls = testing::count("random calls of the CUDA runtime", 300_000, 30_000);
    // Default: the calls are the same in each run.
    calls::random_calls(&Runtime, calls, testing::asked_seed().unwrap_or_default());
}
