//! A device that executes PTX on the host CPU: memory, modules, kernels, streams and events, like a GPU driver's.
//!
//! ```
//! use ptx_device::{Argument, Device, Module, Shape};
//!
//! let device = Device::new();
//! let module = Module::load(&device, "scale.ptx", r#"
//! .version 8.0
//! .target sm_80
//! .address_size 64
//! .visible .entry scale(.param .u64 data, .param .f32 factor, .param .u32 n)
//! {
//!     .reg .pred %p;
//!     .reg .b32 %i, %n;
//!     .reg .b64 %a;
//!     .reg .f32 %x, %f;
//!     mov.u32 %i, %tid.x;
//!     ld.param.u32 %n, [n];
//!     setp.ge.u32 %p, %i, %n;
//!     @%p bra end;
//!     ld.param.u64 %a, [data];
//!     mad.wide.u32 %a, %i, 4, %a;
//!     ld.param.f32 %f, [factor];
//!     ld.global.f32 %x, [%a];
//!     mul.f32 %x, %x, %f;
//!     st.global.f32 [%a], %x;
//! end:
//!     ret;
//! }
//! "#)?;
//! let scale = module.kernel("scale")?;
//!
//! let data = device.upload(&[1.5f32, 2.0, -4.0])?;
//! scale.launch(&Shape::linear(1, 32), &[data.into(), 2.0f32.into(), 3u32.into()])?;
//!
//! let mut numbers = [0.0f32; 3];
//! device.download(data, &mut numbers)?;
//! assert_eq!(numbers, [3.0, 4.0, -8.0]);
//!
//! // Errors are values that describe the location and the memory.
//! let error = scale.launch(&Shape::linear(1, 32), &[data.into(), 2.0f32.into(), 4u32.into()]).unwrap_err();
//! assert!(error.to_string().contains("offset 12 of allocation 1, which has 12 bytes"), "{error}");
//! # Ok::<(), ptx_device::DeviceError>(())
//! ```
//!
//! # Memory
//!
//! Device addresses are host addresses: memory that a device allocates, and host memory that is
//! [registered](Device::register), is accessed at the same address by kernels and by the host ([`Device::words`]), also
//! while kernels run. All of it is thus mapped and managed memory in CUDA's terms. Every access of a kernel must be
//! within one allocation, registered region or variable; with [`Bounds::Lenient`] allocations end at a multiple of 512
//! bytes. The host provides memory page by page when it is accessed, so that unused memory costs nothing; more than
//! [`DeviceOptions::memory`] is an error ([`ErrorKind::OutOfMemory`]).
//!
//! # LLVM IR
//!
//! With the feature `llvm`, which requires LLVM's library when such a module is loaded, [`Module::load`] and
//! [`Module::link`] also accept LLVM IR for NVPTX, text and bitcode, also mixed with PTX. Without it the crate neither
//! needs nor builds any part of LLVM.
//!
#![cfg_attr(
    feature = "llvm",
    doc = r#"
```
use ptx_device::{Device, Module, Shape};

let kernel = "
target triple = \"nvptx64-nvidia-cuda\"
declare i32 @square(i32)
define ptx_kernel void @sum(ptr addrspace(1) %to, i32 %n) {
entry:
  br label %next
next:
  %i = phi i32 [ 1, %entry ], [ %j, %next ]
  %s = phi i32 [ 0, %entry ], [ %t, %next ]
  %q = call i32 @square(i32 %i)
  %t = add i32 %s, %q
  %j = add i32 %i, 1
  %more = icmp ule i32 %j, %n
  br i1 %more, label %next, label %end
end:
  store i32 %t, ptr addrspace(1) %to
  ret void
}";
let callee = ".version 8.0
.target sm_80
.address_size 64
.visible .func (.param .b32 r) square(.param .b32 x)
{
    .reg .b32 %x;
    ld.param.b32 %x, [x];
    mul.lo.s32 %x, %x, %x;
    st.param.b32 [r], %x;
    ret;
}";
let device = Device::new();
let module = Module::link(&device, [("sum.ll", kernel), ("square.ptx", callee)])?;
let to = device.allocate(4)?;
module.kernel("sum")?.launch(&Shape::default(), &[to.into(), 4u32.into()])?;
let mut sum = [0; 4];
device.read(to, &mut sum)?;
assert_eq!(u32::from_le_bytes(sum), 1 + 4 + 9 + 16);
# Ok::<(), ptx_device::DeviceError>(())
```
"#
)]
//!
//! # Compiled kernels
//!
//! Without the feature `jit` kernels run in the interpreter, which checks every access. With it, which requires LLVM's
//! library when the first kernel is compiled, the interpreter begins by default, and kernels that take long are compiled
//! meanwhile to native code that checks every access, too ([`Engine::Automatic`]; [`policy`] has the rules).
//! [`DeviceOptions::engine`] selects one of the two, and [`DeviceOptions::check`] whether native code checks accesses: see
//! [`Engine`] and [`Check`].
//!
//! # Errors
//!
//! [`DeviceError::kind`] tells errors apart, and has the number of each in CUDA. As in CUDA there are two groups. A request that does not fit (a module with errors, wrong arguments, an impossible
//! shape, a copy out of bounds) only affects the call. A kernel that is stopped leaves memory partially modified, so
//! the device refuses all further work with [`DeviceError::Stopped`], which contains the first such error, until
//! [`Device::recover`] is called (in CUDA the process has to end); [`AfterStop::GoOn`] makes it an error of the launch
//! alone. Launches on streams are checked when they are queued; if they are stopped, [`Stream::synchronize`] and all
//! further work return the error.
//!
//! # Streams
//!
//! A [`Stream`] does its work in order on a separate host thread; streams run concurrently. [`Kernel::launch`] runs the
//! kernel before it returns, independently of all streams. Streams are not ordered with each other unless they wait for
//! [events](Event), or have [roles](StreamRole) as those of CUDA's default stream. What streams are asked to do can be
//! captured as a [graph](graph::Graph) that is launched any number of times.

mod architecture;
mod argument;
mod cache_folder;
mod code;
#[cfg(feature = "jit")]
mod compilers;
mod control;
mod default_stream;
mod device;
mod engine;
mod error;
mod error_kind;
mod event;
pub mod graph;
mod host_memory;
mod module;
mod number;
mod objects;
mod operation;
pub mod policy;
mod progress;
mod recording;
mod source;
mod stream;

pub use architecture::{MultiprocessorLimits, USUAL_SHARED_BYTES};
pub use argument::Argument;
pub use cache_folder::cache_folder_in;
pub use control::LaunchControl;
pub use default_stream::StreamRole;
pub use device::{AfterStop, Device, DeviceOptions, Properties, SharedMemory};
pub use engine::{Check, Engine};
pub use error::{DeviceError, Stopped};
pub use error_kind::ErrorKind;
pub use event::Event;
pub use module::{Kernel, Module};
pub use number::Number;
pub use stream::{Pending, Stream, StreamOptions};

pub use ptx_diag::{Finding, Position, Severity};
pub use ptx_exec::format as printf;
pub use ptx_exec::{
    AddressSize, Bounds, BoxSize, Completion, Dim3, HostMemory, HostRegion, Interrupt, KernelAttributes,
    Limits, MemoryError, MemoryKind, Parameter, Pitched, RegionInfo, RegionKind, Report, Shape, Space,
    TensorMap, Trap, TrapKind, Variable, Words, tensormap, texture,
};
pub use ptx_isa::Sm;

/// The code of findings about functions and variables that a module uses and does not define.
pub const UNDEFINED: &str = ptx_exec::codes::UNDEFINED.0;

/// The examples of the page about the runtime.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/runtime.md")]
struct Page;
