//! Random calls of `libcudart.so.13` with handles of all kinds, valid or not, and random sizes, from several threads: each returns, and what it returns is
//! a result of CUDA.

#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::sync::{LazyLock, Mutex};

use cudart::error::ERRORS;
use libloading::os::unix::Library;

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

/// Handles and addresses that calls have returned, which later calls are given, also where another kind is expected and after they were destroyed.
static KNOWN: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// A function with its arguments as words: all integers and pointers of up to 64 bits are passed alike, and structures of up to 16 bytes as two.
type Function = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> u32;

/// What an argument is.
#[derive(Clone, Copy)]
enum Kind {
    /// A handle or a device address.
    Handle,
    /// The address of one or more results, or null.
    Out,
    /// The address of memory of the host.
    Host,
    Small,
    Size,
    /// This number.
    Fixed(u64),
    /// What stands for the kernel on the host, or for something else.
    Kernel,
    /// What stands for the variable on the host, or for something else.
    Variable,
    /// The text of a kernel's name, of a variable's, or null.
    Name,
    Image,
    /// The arguments of the kernel.
    Arguments,
    /// The description of a launch in a graph.
    Launch,
    /// The description of channels.
    Channels,
    Null,
}

use Kind::{
    Arguments, Channels, Fixed, Handle, Host, Image, Kernel, Launch, Name, Null, Out, Size, Small, Variable,
};

const TO_DEVICE: Kind = Fixed(1);
const TO_HOST: Kind = Fixed(2);
const WITHIN: Kind = Fixed(3);

const CALLS: &[(&str, &[Kind])] = &[
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
    ("cudaFuncGetAttributes", &[Out, Kernel]),
    ("cudaFuncSetAttribute", &[Kernel, Small, Size]),
    ("cudaFuncSetCacheConfig", &[Kernel, Small]),
    ("cudaFuncGetName", &[Out, Kernel]),
    ("cudaFuncGetParamInfo", &[Kernel, Small, Out, Out]),
    ("cudaGetKernel", &[Out, Kernel]),
    ("cudaGetFuncBySymbol", &[Out, Kernel]),
    ("cudaGetSymbolAddress", &[Out, Variable]),
    ("cudaGetSymbolSize", &[Out, Variable]),
    ("cudaOccupancyMaxActiveBlocksPerMultiprocessor", &[Out, Kernel, Small, Size]),
    ("__cudaPushCallConfiguration", &[Small, Small, Small, Small, Size, Handle]),
    ("__cudaPopCallConfiguration", &[Out, Out, Out, Out]),
    ("cudaLaunchKernel", &[Kernel, Small, Small, Small, Small, Arguments, Small, Handle]),
    (
        "cudaLaunchKernel",
        &[Kernel, Fixed(1 << 32 | 1), Fixed(1), Fixed(1 << 32 | 8), Fixed(1), Arguments, Fixed(0), Handle],
    ),
    ("cudaLaunchCooperativeKernel", &[Kernel, Small, Small, Small, Small, Arguments, Small, Handle]),
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
    ("cudaMemcpyToSymbol", &[Variable, Host, Size, Small, TO_DEVICE]),
    ("cudaMemcpyFromSymbol", &[Host, Variable, Size, Size, TO_HOST]),
    ("cudaMemcpyPeer", &[Handle, Small, Handle, Small, Size]),
    ("cudaMemset", &[Handle, Small, Size]),
    ("cudaMemsetAsync", &[Handle, Small, Size, Handle]),
    ("cudaMemset2D", &[Handle, Size, Small, Small, Small]),
    ("cudaMallocArray", &[Out, Channels, Small, Small, Small]),
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
    ("cudaGraphAddKernelNode", &[Out, Handle, Null, Null, Launch]),
    ("cudaGraphKernelNodeGetParams", &[Handle, Out]),
    ("cudaGraphKernelNodeSetParams", &[Handle, Launch]),
    ("cudaGraphExecKernelNodeSetParams", &[Handle, Handle, Launch]),
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
static FUNCTIONS: LazyLock<HashMap<&'static str, Function>> = LazyLock::new(|| {
    let folder = testing::built(&["ptx-cuda", "ptx-cudart-13"], &[]);
    // SAFETY: these are the libraries that this tests. The runtime finds the driver by its name, as it is loaded.
    let [_, runtime] =
        ["libcuda.so", "libcudart13.so"].map(|name| unsafe { Library::new(folder.join(name)) }.unwrap());
    let more = ["__cudaRegisterFatBinary", "__cudaRegisterFunction", "__cudaRegisterVar"];
    let names = CALLS.iter().map(|call| call.0).chain(more);
    // SAFETY: all arguments are words, of which a function takes as many as it has.
    let found =
        names.map(|name| (name, *unsafe { runtime.get::<Function>(name.as_bytes()) }.expect(name))).collect();
    std::mem::forget(runtime);
    found
});

fn call(name: &str, words: [u64; 10]) -> u32 {
    let [a, b, c, d, e, f, g, h, i, j] = words;
    // SAFETY: pointers are null or refer to memory of the caller that is large enough; handles may be anything.
    unsafe { FUNCTIONS[name](a, b, c, d, e, f, g, h, i, j) }
}

struct Caller {
    random: fastrand::Rng,
    out: Box<[u64; 256]>,
    /// It is never freed: a graph may keep a copy to it.
    memory: &'static mut [u64; 1024],
    parameters: Box<[u64; 2]>,
    pointers: Box<[u64; 2]>,
    launch: Box<[u64; 8]>,
    channels: Box<[i32; 5]>,
}

impl Caller {
    fn new(seed: u64) -> Self {
        Self {
            random: fastrand::Rng::with_seed(seed),
            out: Box::new([0; 256]),
            memory: Box::leak(Box::new([0; 1024])),
            parameters: Box::new([0; 2]),
            pointers: Box::new([0; 2]),
            launch: Box::new([0; 8]),
            channels: Box::new([0; 5]),
        }
    }

    fn handle(&mut self) -> u64 {
        let known = KNOWN.lock().unwrap();
        match self.random.u8(..) {
            0..=9 => 0,
            10..=14 => self.random.u64(1..=2),
            15..=19 => self.random.u64(..) >> self.random.u32(0..64),
            20..=29 if !known.is_empty() => {
                known[self.random.usize(..known.len())] ^ 1 << self.random.u32(0..48)
            }
            _ if known.is_empty() => 0,
            // What is new is more often valid.
            30..=160 => known[known.len() - 1 - self.random.usize(..known.len().min(12))],
            _ => known[self.random.usize(..known.len())],
        }
    }

    fn arguments(&mut self) -> u64 {
        self.parameters[0] = self.handle();
        self.parameters[1] = self.random.u64(..);
        *self.pointers = [&raw const self.parameters[0] as u64, &raw const self.parameters[1] as u64];
        self.pointers.as_ptr() as u64
    }

    fn one_of(&mut self, usual: &'static u8) -> u64 {
        match self.random.u8(..16) {
            0 => self.handle(),
            1 => &raw const NOTHING as u64,
            2 => &raw const VARIABLE as u64,
            3 => &raw const KERNEL as u64,
            _ => &raw const *usual as u64,
        }
    }

    fn argument(&mut self, kind: Kind) -> u64 {
        match kind {
            Handle => self.handle(),
            Out if self.random.u8(..) < 8 => 0,
            Out => {
                let at = self.random.usize(..16);
                &raw mut self.out[at] as u64
            }
            Host => self.memory.as_mut_ptr() as u64,
            Small if self.random.u8(..) < 10 => u64::from(self.random.u32(..)),
            Small => self.random.u64(..4),
            Size => match self.random.u8(..8) {
                0 => 0,
                1 => self.random.u64(..) >> self.random.u32(0..64),
                _ => self.random.u64(1..=4096),
            },
            Fixed(word) => word,
            Kernel => self.one_of(&KERNEL),
            Variable => self.one_of(&VARIABLE),
            Name => match self.random.u8(..8) {
                0 => 0,
                1 => c"none".as_ptr() as u64,
                2 => c"count".as_ptr() as u64,
                3 => c"cuMemAlloc".as_ptr() as u64,
                _ => c"add".as_ptr() as u64,
            },
            Image => match self.random.u8(..8) {
                0 => 0,
                1 => c" ".as_ptr() as u64,
                2 => c"\x7fELF".as_ptr() as u64,
                _ => PTX.as_ptr() as u64,
            },
            Arguments => self.arguments(),
            Launch => {
                let sides = |random: &mut fastrand::Rng| random.u64(..3) << 32 | random.u64(..3);
                let kernel = self.one_of(&KERNEL);
                let [a, b, c] = [(); 3].map(|()| sides(&mut self.random));
                *self.launch = [kernel, a, b, c, 0, self.arguments(), 0, 0];
                self.launch.as_ptr() as u64
            }
            Channels => {
                let bits = [8, 16, 32, 7][self.random.usize(..4)];
                *self.channels = [bits, bits * self.random.i32(0..2), 0, 0, self.random.i32(0..4)];
                self.channels.as_ptr() as u64
            }
            Null => 0,
        }
    }

    /// Calls a function; its results become known. Memory of the host is not freed, and contexts are not destroyed, while other threads may copy to
    /// them, as programs must not.
    fn call(&mut self, is_alone: bool) {
        let (name, kinds) = CALLS[self.random.usize(..CALLS.len())];
        if !is_alone && matches!(name, "cudaMallocHost" | "cudaMallocManaged" | "cudaDeviceReset") {
            return;
        }
        let mut words = [0; 10];
        let mut host_bytes = 0;
        for (word, &kind) in words.iter_mut().zip(kinds) {
            *word = self.argument(kind);
            host_bytes = host_bytes.max(if matches!(kind, Size) { *word } else { 0 });
        }
        let rows = |at: usize| words[at].saturating_mul(words[at + 1]).saturating_mul(words[at + 2]);
        host_bytes = match name {
            "cudaMemcpy2D" => rows(3),
            "cudaMemcpy2DToArray" => rows(4),
            _ => host_bytes,
        };
        // The memory of the host is as large as the caller says.
        if host_bytes > 4096 && kinds.iter().any(|kind| matches!(kind, Host)) {
            return;
        }
        self.out.fill(0);
        let result = call(name, words);
        let is_known = ERRORS.iter().any(|(known, ..)| *known == result);
        assert!(is_known, "{name} returns {result}");
        if result == 0 {
            let mut known = KNOWN.lock().unwrap();
            known.extend(self.out.iter().copied().filter(|&word| word > 2));
            let excess = known.len().saturating_sub(400);
            known.drain(..excess);
        }
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
    let register = FUNCTIONS["__cudaRegisterFatBinary"];
    // SAFETY: it returns a handle, as a word.
    let register = unsafe { std::mem::transmute::<Function, unsafe extern "C" fn(u64) -> u64>(register) };
    // SAFETY: the structure and its image are never freed.
    let binary = unsafe { register(&raw const *wrapper as u64) };
    let (kernel, variable) = (&raw const KERNEL as u64, &raw const VARIABLE as u64);
    call("__cudaRegisterFunction", [binary, kernel, 0, c"add".as_ptr() as u64, 0, 0, 0, 0, 0, 0]);
    call("__cudaRegisterVar", [binary, variable, 0, c"count".as_ptr() as u64, 0, 4, 0, 0, 0, 0]);
    let calls = testing::count("random calls of the CUDA runtime", 300_000, 30_000);
    let mut alone = Caller::new(0);
    (0..calls).for_each(|_| alone.call(true));
    KNOWN.lock().unwrap().clear();
    let threads: Vec<_> = (1..4)
        .map(|seed| {
            std::thread::spawn(move || {
                let mut caller = Caller::new(seed);
                (0..calls / 3).for_each(|_| caller.call(false));
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}
