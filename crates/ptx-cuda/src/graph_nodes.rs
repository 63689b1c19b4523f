//! The nodes of graphs: their operations and parameters.

use std::ffi::c_uint;
use std::sync::Arc;

use crate::error::Answer;
use crate::fill::Fill;
use crate::graph::Graph;
use crate::graph_memory::GraphMemory;
use crate::handle::{AnyHandle, Handle, Object};
use crate::host_call::HostCall;
use crate::launch::Launch;
use crate::operation::Operation;
use crate::types::{AllocationNode, Copy3d, FillNode};

/// A graph that a node of another graph contains, which its handle refers to as long as the node exists.
#[derive(Debug)]
pub struct ChildGraph {
    pub handle: Handle<Graph>,
    pub graph: Arc<Graph>,
}

impl ChildGraph {
    /// A copy of a graph for a node.
    pub fn copy_of(graph: &Graph) -> Answer<Arc<Self>> {
        let copy = graph.copy()?;
        copy.set_child()?;
        Ok(Arc::new(Self { handle: Graph::table().insert(copy.clone())?, graph: copy }))
    }

    /// A graph whose ownership a node takes over.
    pub fn moved(handle: Handle<Graph>) -> Answer<Arc<Self>> {
        let graph = handle.get()?;
        graph.set_child()?;
        Ok(Arc::new(Self { handle, graph }))
    }
}

impl Drop for ChildGraph {
    fn drop(&mut self) {
        // The handle is removed only here.
        let _ = self.handle.remove();
    }
}

/// The operation of a node, with the parameters of the node where the operation does not contain them.
#[derive(Clone, Debug)]
pub enum Work {
    Kernel(Arc<Launch>),
    Copy(Box<Copy3d>, Operation),
    Fill(FillNode),
    Host(HostCall),
    Child(Arc<ChildGraph>),
    Empty,
    /// The event, and its handle if the node was given one.
    Wait(AnyHandle, ptx_device::Event),
    Record(AnyHandle, ptx_device::Event),
    Allocate(Box<AllocationNode>, Arc<GraphMemory>),
    Free(Arc<GraphMemory>),
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

    /// Whether it allocates or frees memory of a graph.
    pub fn is_of_memory(&self) -> bool {
        matches!(self, Work::Allocate(..) | Work::Free(_))
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
            Operation::Empty => Work::Empty,
            other => Work::Captured(other),
        }
    }

    /// The same operation for a copy of the graph: graphs within it are copied.
    pub fn copy(&self) -> Answer<Self> {
        if let Work::Child(child) = self {
            return Ok(Work::Child(ChildGraph::copy_of(&child.graph)?));
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
            Work::Child(child) => Operation::Child(child.graph.program()?),
            Work::Wait(_, event) => Operation::Wait(event.clone()),
            Work::Record(_, event) => Operation::Record(event.clone()),
            // Launches allocate and free the memory when they are queued, and hold it until they are complete.
            Work::Empty | Work::Allocate(..) | Work::Free(_) => Operation::Empty,
        })
    }
}

pub fn fill_of(given: &FillNode) -> Fill {
    let &FillNode { to, pitch, value, element, width, height, .. } = given;
    Fill { to, pitch: pitch as u64, value, element, width: width as u64, height: height as u64 }
}
