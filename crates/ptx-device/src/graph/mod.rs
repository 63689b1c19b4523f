//! Graphs of operations: built node by node, or captured from streams; instantiated once and launched any number of times, as CUDA's graphs.
//!
//! ```
//! use ptx_device::graph::{Graph, KernelLaunch, Operation};
//! use ptx_device::{Device, Module, Shape, Stream};
//!
//! let device = Device::new();
//! let module = Module::load(&device, "add.ptx", ".version 8.0\n.target sm_80\n.address_size 64
//! .visible .entry add(.param .u64 to, .param .u32 n)
//! {
//!     .reg .b64 %a;
//!     .reg .b32 %n;
//!     ld.param.u64 %a, [to];
//!     ld.param.u32 %n, [n];
//!     red.global.add.u32 [%a], %n;
//!     ret;
//! }")?;
//! let (add, to) = (module.kernel("add")?, device.allocate(4)?);
//! let launch = |n: u32| KernelLaunch::new(&add, &Shape::default(), &[to.into(), n.into()]);
//!
//! // Two nodes, the second after the first.
//! let mut graph = Graph::new();
//! let first = graph.add(Operation::Kernel(launch(1)?), &[])?;
//! let second = graph.add(Operation::Kernel(launch(10)?), &[first])?;
//! let mut executable = graph.instantiate()?;
//! let stream = Stream::new(&device)?;
//! stream.launch_graph(&executable)?;
//! executable.set_operation(second, Operation::Kernel(launch(100)?))?;
//! stream.launch_graph(&executable)?;
//!
//! // The same from a stream.
//! stream.begin_capture()?;
//! stream.launch(&add, &Shape::default(), &[to.into(), 1000u32.into()])?;
//! stream.launch_graph(&stream.end_capture()?.instantiate()?)?;
//!
//! stream.synchronize()?;
//! let mut sum = [0; 4];
//! device.read(to, &mut sum)?;
//! assert_eq!(u32::from_le_bytes(sum), 1 + 10 + 1 + 100 + 1000);
//! # Ok::<(), ptx_device::DeviceError>(())
//! ```
//!
//! A launch performs the operations of a graph one after the other, in an order that their dependencies allow, on the thread of its stream.

mod capture;
mod executable;
mod nodes;

pub(crate) use capture::{Capture, Part};
pub use capture::{CaptureInfo, CapturedPoint};
pub use executable::{ExecutableGraph, Mismatch};
pub use nodes::{Graph, NodeId};

pub use crate::operation::{
    Condition, HostFunction, KernelLaunch, Operation, RecordedEvent, Transfer, ValueSize,
};
