//! Random calls with handles of all kinds, valid or not, and random sizes, from several threads: each returns, and what it returns is a result of CUDA.

#![allow(unsafe_code)]

use std::sync::Mutex;

use cuda::error::RESULTS;
use cuda::table::NAMES;

const PTX: &std::ffi::CStr = c".version 8.0
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

/// Handles and addresses that calls have returned, which later calls are given, also where another kind is expected and after they were destroyed.
static KNOWN: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// A function with its arguments as words: all integers and pointers of up to 64 bits are passed alike.
type Function = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> u32;

struct Caller {
    random: fastrand::Rng,
    out: Box<[u64; 64]>,
    /// It is never freed: a graph may keep a copy to it.
    memory: &'static mut [u64; 512],
    parameters: Box<[u64; 2]>,
    pointers: Box<[u64; 2]>,
    image_bytes: u64,
}

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
    /// The text of a kernel's name, of a variable's, or null.
    Name,
    Image,
    /// The size of the image before it, or of its beginning.
    ImageSize,
    /// The arguments of the kernel.
    Arguments,
    Null,
}

use Kind::{Arguments, Handle, Host, Image, ImageSize, Name, Null, Out, Size, Small};

const CALLS: &[(&str, &[Kind])] = &[
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

impl Caller {
    fn new(seed: u64) -> Self {
        Self {
            random: fastrand::Rng::with_seed(seed),
            out: Box::new([0; 64]),
            memory: Box::leak(Box::new([0; 512])),
            parameters: Box::new([0; 2]),
            pointers: Box::new([0; 2]),
            image_bytes: 0,
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
            Name => match self.random.u8(..8) {
                0 => 0,
                1 => c"none".as_ptr() as u64,
                2 => c"count".as_ptr() as u64,
                3 => c"image".as_ptr() as u64,
                _ => c"add".as_ptr() as u64,
            },
            Image => {
                let image = match self.random.u8(..8) {
                    0 => return 0,
                    1 => c" ",
                    2 => c"\x7fELF",
                    _ => PTX,
                };
                self.image_bytes = image.count_bytes() as u64 + 1;
                image.as_ptr() as u64
            }
            ImageSize => match self.random.u8(..4) {
                0 => self.random.u64(..=self.image_bytes),
                _ => self.image_bytes,
            },
            Arguments => {
                self.parameters[0] = self.handle();
                self.parameters[1] = self.random.u64(..);
                *self.pointers = [&raw const self.parameters[0] as u64, &raw const self.parameters[1] as u64];
                self.pointers.as_ptr() as u64
            }
            Null => 0,
        }
    }

    /// Calls a function; its results become known. Memory of the host is not freed while other threads may copy to it, as programs must not.
    fn call(&mut self, is_alone: bool) {
        let (name, kinds) = CALLS[self.random.usize(..CALLS.len())];
        if !is_alone && matches!(name, "cuMemAllocHost_v2" | "cuMemAllocManaged") {
            return;
        }
        let mut words = [0; 11];
        let mut host_bytes = 0;
        for (word, &kind) in words.iter_mut().zip(kinds) {
            *word = self.argument(kind);
            host_bytes = host_bytes.max(if matches!(kind, Size) { *word } else { 0 });
        }
        // The memory of the host is as large as the caller says.
        if host_bytes > 4096 && kinds.iter().any(|kind| matches!(kind, Host)) {
            return;
        }
        self.out.fill(0);
        let [a, b, c, d, e, f, g, h, i, j, k] = words;
        // SAFETY: pointers are null or refer to memory of the caller that is large enough; handles may be anything.
        let result = unsafe { function(name)(a, b, c, d, e, f, g, h, i, j, k) };
        assert!(RESULTS.iter().any(|(known, ..)| known.0 == result), "{name} returns {result}");
        if result == 0 {
            let mut known = KNOWN.lock().unwrap();
            known.extend(self.out.iter().copied().filter(|&word| word > 2));
            let excess = known.len().saturating_sub(400);
            known.drain(..excess);
        }
    }
}

#[test]
fn random_calls_return() {
    // SAFETY: no other thread has been started.
    unsafe { std::env::set_var("PTX_CUDA_MEMORY", (64 << 20).to_string()) };
    let init = function("cuInit");
    // SAFETY: it takes one word.
    assert_eq!(unsafe { init(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }, 0);
    let calls = testing::count("random calls of the driver", 300_000, 30_000);
    // Default: the calls are the same in each run.
    let seed = testing::asked_seed().unwrap_or_default() << 2;
    let mut alone = Caller::new(seed);
    (0..calls).for_each(|_| alone.call(true));
    KNOWN.lock().unwrap().clear();
    let threads: Vec<_> = (1..4)
        .map(|thread| {
            std::thread::spawn(move || {
                let mut caller = Caller::new(seed | thread);
                (0..calls / 3).for_each(|_| caller.call(false));
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
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
