//! Memory that nodes of graphs allocate.
//!
//! Its address is the same in all launches, so that it is allocated with the node and belongs to the node's graph. Between launches it is either allocated
//! or not, in the order of the calls of the driver: launches of the graph allocate it, and what frees it is a node of the same graph, or else a call
//! (`cuMemFree`, `cuMemFreeAsync`), a launch of another graph, or the next launch of its own graph.

use std::sync::{Arc, Mutex};

use crate::driver::{Gpu, lock};
use crate::error::{Answer, Failure};
use crate::handle::AnyHandle;
use crate::memory::{self, Kind};

/// Memory of an allocation node. While work of a stream holds it, it is accessible.
#[derive(Debug)]
pub struct GraphMemory {
    pub address: u64,
    bytes: u64,
    gpu: &'static Gpu,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The graph with the allocation node.
    owner: Option<u64>,
    /// The last graph that got a node that frees it.
    freed_by: Option<u64>,
    is_allocated: bool,
}

impl GraphMemory {
    /// Memory for a node.
    pub fn new(gpu: &'static Gpu, bytes: u64, context: AnyHandle) -> Answer<Arc<Self>> {
        let address = memory::allocate(gpu, bytes, Kind::Device, context)?;
        let memory = Arc::new(Self { address, bytes, gpu, state: Mutex::default() });
        memory::set_kind(address, Kind::Graph(Arc::downgrade(&memory)));
        let mut usage = lock(&gpu.graph_memory);
        usage.current += bytes;
        usage.most = usage.most.max(usage.current);
        Ok(memory)
    }

    /// The memory of an allocation node that begins at an address.
    pub fn at(address: u64) -> Answer<Arc<Self>> {
        let found = memory::find(address).filter(|found| found.base == address);
        let memory = found.and_then(|found| match found.kind {
            Kind::Graph(memory) => memory.upgrade(),
            _ => None,
        });
        memory.ok_or_else(|| Failure::value(format!("{address:#x} is not the address of an allocation node")))
    }

    /// Adds the allocation node to a graph.
    pub fn set_owner(&self, graph: u64) {
        lock(&self.state).owner = Some(graph);
    }

    /// Adds a node that frees it to a graph.
    ///
    /// # Errors
    /// If the graph frees it already, or it would be freed both in its own graph and in another one.
    pub fn add_free(&self, graph: u64) -> Answer {
        let mut state = lock(&self.state);
        let (owner, graph) = (state.owner, Some(graph));
        match state.freed_by {
            None => {}
            Some(_) if state.freed_by == graph => {
                return Err(Failure::value("an allocation is freed twice in a graph"));
            }
            Some(_) if state.freed_by == owner || graph == owner => {
                return Err(Failure::value("an allocation is freed in its own graph and in another one"));
            }
            Some(_) => {}
        }
        state.freed_by = graph;
        Ok(())
    }

    /// Whether a node of its own graph frees it.
    pub fn is_freed_in_its_graph(&self) -> bool {
        let state = lock(&self.state);
        state.owner.is_some() && state.freed_by == state.owner
    }

    /// Whether it is allocated at present.
    pub fn is_allocated(&self) -> bool {
        lock(&self.state).is_allocated
    }

    /// Allocates it, as a launch of its graph does.
    pub fn allocate(&self) {
        lock(&self.state).is_allocated = true;
    }

    /// Frees it.
    ///
    /// # Errors
    /// If it is not allocated.
    pub fn free(&self) -> Answer {
        if std::mem::replace(&mut lock(&self.state).is_allocated, false) {
            Ok(())
        } else {
            Err(Failure::value(format!("the memory of a graph at {:#x} is not allocated", self.address)))
        }
    }
}

impl Drop for GraphMemory {
    /// Memory that is still allocated when its graph is destroyed remains until it is freed like any other allocation.
    fn drop(&mut self) {
        let mut usage = lock(&self.gpu.graph_memory);
        usage.current = usage.current.saturating_sub(self.bytes);
        drop(usage);
        // A context that was destroyed has freed the memory, and its address may be in use again.
        let is_own = |kind: &Kind| matches!(kind, Kind::Graph(memory) if std::ptr::eq(memory.as_ptr(), self));
        if !memory::find(self.address).is_some_and(|found| found.base == self.address && is_own(&found.kind))
        {
            return;
        }
        if self.is_allocated() {
            memory::set_kind(self.address, Kind::Device);
        } else if memory::forget(self.address, is_own).is_some() {
            // It was allocated, and without a record it cannot be freed twice.
            let _ = self.gpu.device.release(self.address);
        }
    }
}
