//! The nodes of graphs: their operations and parameters.

use std::ffi::c_uint;
use std::sync::Arc;

use crate::driver::Gpu;
use crate::error::Answer;
use crate::fill::Fill;
use crate::graph::Graph;
use crate::handle::{AnyHandle, Handle, Object};
use crate::host_call::HostCall;
use crate::launch::Launch;
use crate::memory;
use crate::operation::Operation;
use crate::types::{AllocationNode, Copy3d, FillNode};

/// Memory of a graph: it is freed with the last graph that has it.
#[derive(Debug)]
pub struct Reserved {
    pub address: u64,
    pub gpu: &'static Gpu,
}

impl Reserved {
    pub fn new(address: u64, gpu: &'static Gpu) -> Arc<Self> {
        Arc::new(Self { address, gpu })
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if memory::forget(self.address, |kind| matches!(kind, memory::Kind::Pool(_))).is_some() {
            // It was allocated, and no one else frees it.
            let _ = self.gpu.device.release(self.address);
        }
    }
}

/// The operation of a node, with the parameters of the node where the operation does not contain them.
#[derive(Clone, Debug)]
pub enum Work {
    Kernel(Arc<Launch>),
    Copy(Box<Copy3d>, Operation),
    Fill(FillNode),
    Host(HostCall),
    Child(Handle<Graph>, Arc<Graph>),
    Empty,
    /// The event, and its handle if the node was given one.
    Wait(AnyHandle, ptx_device::Event),
    Record(AnyHandle, ptx_device::Event),
    Allocate(Box<AllocationNode>, Arc<Reserved>),
    Free(u64),
    /// A captured operation whose parameters cannot be queried.
    Captured(Operation),
}

impl Work {
    /// Its kind, `CUgraphNodeType`.
    pub fn kind(&self) -> c_uint {
        match self {
            Work::Kernel(_) => 0,
            Work::Copy(..) => 1,
            Work::Fill(_) => 2,
            Work::Host(_) => 3,
            Work::Child(..) => 4,
            Work::Empty => 5,
            Work::Wait(..) => 6,
            Work::Record(..) => 7,
            Work::Allocate(..) => 10,
            Work::Free(_) => 11,
            Work::Captured(operation) => match operation {
                Operation::Words(_) => 12,
                Operation::Copy(_) => 1,
                Operation::Child(_) => 4,
                _ => 3,
            },
        }
    }

    /// A captured operation.
    pub fn captured(operation: Operation) -> Self {
        match operation {
            Operation::Launch(launch) => Work::Kernel(launch),
            Operation::Fill(fill) => Work::Fill(FillNode {
                to: fill.to,
                pitch: fill.pitch as usize,
                value: fill.value,
                element: fill.element,
                width: fill.width as usize,
                height: fill.height as usize,
                context: Handle::NULL,
            }),
            Operation::Host(call) => Work::Host(call),
            Operation::Wait(event) => Work::Wait(Handle::NULL, event),
            Operation::Record(event) => Work::Record(Handle::NULL, event),
            Operation::Free(address) => Work::Free(address),
            Operation::Empty => Work::Empty,
            other => Work::Captured(other),
        }
    }

    /// The same operation for a copy of the graph: graphs within it are copied.
    pub fn copy(&self) -> Answer<Self> {
        if let Work::Child(_, graph) = self {
            let copy = graph.copy()?;
            return Ok(Work::Child(Graph::table().insert(copy.clone())?, copy));
        }
        Ok(self.clone())
    }

    /// The operation.
    pub fn operation(&self) -> Answer<Operation> {
        Ok(match self {
            Work::Kernel(launch) => Operation::Launch(launch.clone()),
            Work::Copy(_, operation) | Work::Captured(operation) => operation.clone(),
            Work::Fill(fill) => Operation::Fill(fill_of(fill)),
            Work::Host(call) => Operation::Host(*call),
            Work::Child(_, graph) => Operation::Child(graph.program()?),
            Work::Wait(_, event) => Operation::Wait(event.clone()),
            Work::Record(_, event) => Operation::Record(event.clone()),
            // Memory of a graph is its own until it is destroyed, so that its address is the same at each launch.
            Work::Empty | Work::Allocate(..) | Work::Free(_) => Operation::Empty,
        })
    }
}

pub fn fill_of(given: &FillNode) -> Fill {
    let &FillNode { to, pitch, value, element, width, height, .. } = given;
    Fill { to, pitch: pitch as u64, value, element, width: width as u64, height: height as u64 }
}
