//! A device that executes PTX on the host CPU: memory, modules, kernels, streams and events, as a GPU's driver has them.
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
//! let data = device.allocate(4 * 3)?;
//! let numbers = [1.5f32, 2.0, -4.0];
//! device.write(data, &numbers.map(f32::to_le_bytes).concat())?;
//! scale.launch(&Shape::linear(1, 32), &[data.into(), 2.0f32.into(), 3u32.into()])?;
//!
//! let mut bytes = [0; 12];
//! device.read(data, &mut bytes)?;
//! assert_eq!(bytes.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect::<Vec<_>>(), [3.0, 4.0, -8.0]);
//!
//! // What goes wrong is a value that names the place and the memory.
//! let error = scale.launch(&Shape::linear(1, 32), &[data.into(), 2.0f32.into(), 4u32.into()]).unwrap_err();
//! assert!(error.to_string().contains("offset 12 of allocation 1, which has 12 bytes"), "{error}");
//! # Ok::<(), ptx_device::DeviceError>(())
//! ```
//!
//! # Memory
//!
//! Addresses are those of the host process: memory that a device allocates, and memory of the host that is
//! [registered](Device::register), is read and written at the same address by kernels and by the host ([`Device::words`]), while
//! kernels run too. So all of it is what CUDA calls mapped, and managed. Every access of a kernel has to lie in one allocation,
//! registered region or variable.
//!
//! # Errors
//!
//! As with CUDA there are two kinds. What does not fit (a module with errors, wrong arguments, an impossible shape, a copy out of
//! bounds) concerns the call alone. A kernel that is stopped leaves memory half-changed, so the device refuses all further
//! work with [`DeviceError::Stopped`], which holds the first such error, until [`Device::recover`] is called (with CUDA the process
//! has to end); [`AfterStop::GoOn`] makes it an error of the launch alone. Launches on streams are checked when they are made; when they are stopped, [`Stream::synchronize`] and all further
//! work return the error.
//!
//! # Streams
//!
//! A [`Stream`] does its work in order on a host thread of its own; streams run at the same time. [`Kernel::launch`] runs the kernel
//! before it returns, independently of all streams: there is no default stream that others wait for.

mod argument;
mod device;
mod error;
mod event;
mod module;
mod objects;
mod stream;

pub use argument::Argument;
pub use device::{AfterStop, Device, DeviceOptions, Properties};
pub use error::{DeviceError, Finding};
pub use event::Event;
pub use module::{Kernel, Module};
pub use stream::{Pending, Stream};

pub use ptx_exec::{
    Completion, Dim3, HostMemory, HostRegion, Kind, Limits, MemoryError, Parameter, RegionInfo, Report,
    Shape, Space, TensorMap, Trap, TrapKind, Variable, Words, tensormap, texture,
};
pub use ptx_isa::Sm;

/// The examples of the page about the runtime.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/runtime.md")]
struct Page;
