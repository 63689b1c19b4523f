//! Graphs of operations.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptx_device::graph::{ExecutableGraph, Graph, HostFunction, KernelLaunch, Mismatch, NodeId, Operation};

use crate::boxes::PtxBox;
use crate::device::User;
use crate::module::{PtxKernel, PtxShape, gather};
use crate::pointer::{given, items, store};
use crate::status::{Failure, PtxStatus, guard};
use crate::stream::{PtxCallback, PtxEvent, PtxStream};

/// Operations with dependencies on each other, each a node with a number.
pub struct PtxGraph(Mutex<Graph>);

/// A graph that is ready to be launched.
pub struct PtxExecutableGraph(Mutex<ExecutableGraph>);

impl PtxGraph {
    fn lock(&self) -> MutexGuard<'_, Graph> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PtxExecutableGraph {
    fn lock(&self) -> MutexGuard<'_, ExecutableGraph> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// # Safety
/// The pointer is null or points to room for a handle.
unsafe fn give(graph: *mut *mut PtxGraph, made: Graph) -> Result<(), Failure> {
    let made = Box::into_raw(Box::new(PtxGraph(Mutex::new(made))));
    // SAFETY: by the contract of this function.
    unsafe { store(graph, made, "`graph`") }
}

/// Creates a graph without nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_create(graph: *mut *mut PtxGraph) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| unsafe { give(graph, Graph::new()) })
}

/// Copies a graph; its nodes have the same numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_clone(original: *const PtxGraph, graph: *mut *mut PtxGraph) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let copy = unsafe { given(original, "`original`") }?.lock().clone();
        // SAFETY: the header's contract.
        unsafe { give(graph, copy) }
    })
}

/// Destroys a graph. Graphs that were instantiated from it stay as they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_destroy(graph: *mut PtxGraph) -> PtxStatus {
    guard(|| {
        if !graph.is_null() {
            // SAFETY: the header's contract: it came from this library and is destroyed once.
            drop(unsafe { Box::from_raw(graph) });
        }
        Ok(())
    })
}

/// # Safety
/// The header's contract.
unsafe fn add(
    graph: *const PtxGraph,
    operation: Operation,
    dependencies: *const u32,
    count: usize,
    node: *mut u32,
) -> Result<(), Failure> {
    // SAFETY: by the contract of this function.
    let (graph, numbers) =
        unsafe { (given(graph, "`graph`")?, items(dependencies, count, "`dependencies`")?) };
    let dependencies: Vec<NodeId> = numbers.iter().map(|&number| NodeId::new(number)).collect();
    let added = graph.lock().add(operation, &dependencies)?;
    // SAFETY: by the contract of this function.
    unsafe { store(node, added.number(), "`node`") }
}

/// # Safety
/// The header's contract.
unsafe fn kernel_launch(
    kernel: *const PtxKernel,
    shape: *const PtxShape,
    arguments: *const *const c_void,
) -> Result<Operation, Failure> {
    // SAFETY: by the contract of this function.
    let (kernel, shape) = unsafe { (&given(kernel, "`kernel`")?.kernel, given(shape, "`shape`")?.read()) };
    // SAFETY: by the contract of this function.
    let space = unsafe { gather(kernel, arguments) }?;
    Ok(Operation::Kernel(KernelLaunch::raw(kernel, &shape, &space)?))
}

/// Adds a launch of a kernel, with the values that the arguments have now, after `count` nodes that it depends on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_add_kernel(
    graph: *const PtxGraph,
    kernel: *const PtxKernel,
    shape: *const PtxShape,
    arguments: *const *const c_void,
    dependencies: *const u32,
    count: usize,
    node: *mut u32,
) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| unsafe { add(graph, kernel_launch(kernel, shape, arguments)?, dependencies, count, node) })
}

/// Adds a copy of the rows of a box within memory of the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_add_copy(
    graph: *const PtxGraph,
    rows: *const PtxBox,
    dependencies: *const u32,
    count: usize,
    node: *mut u32,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let rows = unsafe { given(rows, "`rows`") }?;
        let operation = Operation::Copy { to: rows.target(), from: rows.source(), size: rows.size() };
        // SAFETY: the header's contract.
        unsafe { add(graph, operation, dependencies, count, node) }
    })
}

/// Adds a fill of the rows of a box with copies of a pattern, which is read before the function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_add_fill(
    graph: *const PtxGraph,
    rows: *const PtxBox,
    pattern: *const c_void,
    pattern_bytes: usize,
    dependencies: *const u32,
    count: usize,
    node: *mut u32,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let rows = unsafe { given(rows, "`rows`") }?;
        // SAFETY: the header's contract.
        let pattern = unsafe { items(pattern.cast::<u8>(), pattern_bytes, "`pattern`") }?;
        let operation = Operation::Fill { to: rows.target(), pattern: pattern.into(), size: rows.size() };
        // SAFETY: the header's contract.
        unsafe { add(graph, operation, dependencies, count, node) }
    })
}

/// Adds a call of a function of the process, which is made by the thread of the stream, also after errors. It must not wait for the stream or the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_add_call(
    graph: *const PtxGraph,
    function: PtxCallback,
    user: *mut c_void,
    dependencies: *const u32,
    count: usize,
    node: *mut u32,
) -> PtxStatus {
    guard(|| {
        let function = function.ok_or_else(|| Failure::value("`function` is a null pointer"))?;
        let user = User(user);
        let call = HostFunction::new(move || {
            let user = &user;
            function(user.0);
        });
        // SAFETY: the header's contract.
        unsafe { add(graph, Operation::Host(call), dependencies, count, node) }
    })
}

/// Adds a recording of an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_add_record(
    graph: *const PtxGraph,
    event: *const PtxEvent,
    dependencies: *const u32,
    count: usize,
    node: *mut u32,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let operation = Operation::Record(unsafe { given(event, "`event`") }?.0.in_operation());
        // SAFETY: the header's contract.
        unsafe { add(graph, operation, dependencies, count, node) }
    })
}

/// Adds a wait for the last recording of an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_add_wait(
    graph: *const PtxGraph,
    event: *const PtxEvent,
    dependencies: *const u32,
    count: usize,
    node: *mut u32,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let operation = Operation::Wait(unsafe { given(event, "`event`") }?.0.in_operation());
        // SAFETY: the header's contract.
        unsafe { add(graph, operation, dependencies, count, node) }
    })
}

/// Adds a node that does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_add_empty(
    graph: *const PtxGraph,
    dependencies: *const u32,
    count: usize,
    node: *mut u32,
) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| unsafe { add(graph, Operation::Empty, dependencies, count, node) })
}

/// Adds the operations of another graph, as they are now, as one node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_add_graph(
    graph: *const PtxGraph,
    inner: *const PtxGraph,
    dependencies: *const u32,
    count: usize,
    node: *mut u32,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let inner = unsafe { given(inner, "`inner`") }?.lock().clone();
        // SAFETY: the header's contract.
        unsafe { add(graph, Operation::Graph(Arc::new(inner)), dependencies, count, node) }
    })
}

/// Makes a node depend on another one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_add_dependency(
    graph: *const PtxGraph,
    node: u32,
    dependency: u32,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let graph = unsafe { given(graph, "`graph`") }?;
        Ok(graph.lock().add_dependency(NodeId::new(node), NodeId::new(dependency))?)
    })
}

/// Removes a dependency.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_remove_dependency(
    graph: *const PtxGraph,
    node: u32,
    dependency: u32,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let graph = unsafe { given(graph, "`graph`") }?;
        Ok(graph.lock().remove_dependency(NodeId::new(node), NodeId::new(dependency))?)
    })
}

/// Removes a node and its dependencies. The others keep their numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_remove(graph: *const PtxGraph, node: u32) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| Ok(unsafe { given(graph, "`graph`") }?.lock().remove(NodeId::new(node))?))
}

/// The number of nodes of a graph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_node_count(graph: *const PtxGraph, count: *mut usize) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let nodes = unsafe { given(graph, "`graph`") }?.lock().nodes().count();
        // SAFETY: the header's contract.
        unsafe { store(count, nodes, "`count`") }
    })
}

/// Prepares a graph for launches. Later changes of the graph do not matter. PTX_INVALID_GRAPH if it has a cycle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_graph_instantiate(
    graph: *const PtxGraph,
    executable: *mut *mut PtxExecutableGraph,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let made = unsafe { given(graph, "`graph`") }?.lock().instantiate()?;
        let made = Box::into_raw(Box::new(PtxExecutableGraph(Mutex::new(made))));
        // SAFETY: the header's contract.
        unsafe { store(executable, made, "`executable`") }
    })
}

/// Destroys a graph that was instantiated. Launches that are queued are still done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_executable_graph_destroy(executable: *mut PtxExecutableGraph) -> PtxStatus {
    guard(|| {
        if !executable.is_null() {
            // SAFETY: the header's contract: it came from this library and is destroyed once.
            drop(unsafe { Box::from_raw(executable) });
        }
        Ok(())
    })
}

/// Queues a launch of a graph, as it is now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_launch_graph(
    stream: *const PtxStream,
    executable: *const PtxExecutableGraph,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (stream, graph) = unsafe { (given(stream, "`stream`")?, given(executable, "`executable`")?) };
        let graph = graph.lock().clone();
        Ok(stream.0.launch_graph(&graph)?)
    })
}

/// Replaces the launch of a kernel for subsequent launches of a graph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_executable_graph_set_kernel(
    executable: *const PtxExecutableGraph,
    node: u32,
    kernel: *const PtxKernel,
    shape: *const PtxShape,
    arguments: *const *const c_void,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let graph = unsafe { given(executable, "`executable`") }?;
        // SAFETY: the header's contract.
        let operation = unsafe { kernel_launch(kernel, shape, arguments) }?;
        Ok(graph.lock().set_operation(NodeId::new(node), operation)?)
    })
}

/// Sets whether launches perform a node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_executable_graph_set_enabled(
    executable: *const PtxExecutableGraph,
    node: u32,
    is_enabled: bool,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let graph = unsafe { given(executable, "`executable`") }?;
        Ok(graph.lock().set_enabled(NodeId::new(node), is_enabled)?)
    })
}

/// Takes over the operations of a graph with the same nodes and dependencies. PTX_INVALID_GRAPH if they differ; nothing is changed then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_executable_graph_update(
    executable: *const PtxExecutableGraph,
    graph: *const PtxGraph,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (executable, graph) = unsafe { (given(executable, "`executable`")?, given(graph, "`graph`")?) };
        let graph = graph.lock().clone();
        executable.lock().update(&graph).map_err(|mismatch| {
            let text = match mismatch {
                Mismatch::Topology => "the nodes or their dependencies differ".to_owned(),
                Mismatch::Kind(node) => format!("node {} is of another kind", node.number()),
                Mismatch::Invalid => "the graph cannot be launched".to_owned(),
            };
            Failure::new(PtxStatus::PtxInvalidGraph, text)
        })
    })
}

/// Begins a capture: work that is queued on the stream is not done, but becomes nodes of a graph, until `ptx_stream_end_capture`. Streams that wait for
/// events that were recorded in the capture take part in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_begin_capture(stream: *const PtxStream) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| Ok(unsafe { given(stream, "`stream`") }?.0.begin_capture()?))
}

/// Ends the capture that a stream began, and gives its graph. PTX_INVALID_GRAPH if it cannot become one; then it has ended, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_end_capture(
    stream: *const PtxStream,
    graph: *mut *mut PtxGraph,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let captured = unsafe { given(stream, "`stream`") }?.0.end_capture()?;
        // SAFETY: the header's contract.
        unsafe { give(graph, captured) }
    })
}

/// Whether a stream takes part in a capture.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_is_captured(
    stream: *const PtxStream,
    is_captured: *mut bool,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let found = unsafe { given(stream, "`stream`") }?.0.capture_info().is_some();
        // SAFETY: the header's contract.
        unsafe { store(is_captured, found, "`is_captured`") }
    })
}
