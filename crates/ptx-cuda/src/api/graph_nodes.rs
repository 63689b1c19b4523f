//! The nodes of graphs: their operations and parameters.

use std::ffi::{c_uint, c_void};
use std::sync::Arc;

use crate::context::{self, Context};
use crate::copy;
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::event::Event;
use crate::function::Function;
use crate::graph::{Executable, Graph, Node};
use crate::graph_memory::GraphMemory;
use crate::graph_nodes::{ChildGraph, Work, fill_of};
use crate::handle::Handle;
use crate::host_call::HostCall;
use crate::launch::{Arguments, Launch, shape};
use crate::operation::Operation;
use crate::pointer::{In, Out};
use crate::types::{
    AllocationNode, ChildNode, Copy3d, CopyNode, EdgeData, EventNode, FillNode, HostNode, KernelNode,
    NodeParameters,
};

fn fill_work(given: FillNode) -> Answer<Work> {
    if given.height == 0 || given.width == 0 {
        return Err(Failure::value("a fill of nothing"));
    }
    fill_of(&given).check()?;
    Ok(Work::Fill(given))
}

fn copy_work(given: Copy3d) -> Answer<Work> {
    let copy = copy::described(&given)?;
    Ok(Work::Copy(Box::new(given), Operation::Copy(Arc::new(copy))))
}

fn kernel_work(given: &KernelNode) -> Answer<Work> {
    // A function is of a device; a kernel of a library is launched on that of the context.
    let function: Handle<Function> = given.function.cast();
    let handle = if given.function.is_null() { given.kernel } else { given.function };
    let gpu = match function.get() {
        Ok(function) => function.gpu,
        Err(_) => context::named(given.context.cast())?.gpu,
    };
    let arguments = Arguments { each: In::at(given.parameters), extra: In::at(given.extra) };
    let launch =
        Launch::new(handle.cast(), gpu, shape(given.grid, given.block, given.shared), arguments, true)?;
    Ok(Work::Kernel(Arc::new(launch)))
}

fn host_work(given: HostNode) -> Answer<Work> {
    Ok(Work::Host(HostCall::new(given.function, given.data)?))
}

fn child_work(graph: Handle<Graph>) -> Answer<Work> {
    let graph = graph.get()?;
    graph.refuse_memory_nodes()?;
    Ok(Work::Child(ChildGraph::copy_of(&graph)?))
}

/// A graph in a node, by `CUgraphChildGraphNodeOwnership`.
fn owned_child_work(given: ChildNode) -> Answer<Work> {
    match given.ownership {
        0 => child_work(given.graph.cast()),
        1 => Ok(Work::Child(ChildGraph::moved(given.graph.cast())?)),
        other => Err(Failure::value(format!("there is no ownership {other} of graphs"))),
    }
}

fn event_work(event: Handle<Event>, is_wait: bool) -> Answer<Work> {
    let inner = event.get()?.inner.clone();
    Ok(if is_wait { Work::Wait(event.cast(), inner) } else { Work::Record(event.cast(), inner) })
}

fn allocation_work(given: &mut AllocationNode) -> Answer<Work> {
    if given.bytes == 0 {
        return Err(Failure::value("an allocation of no bytes"));
    }
    let gpu = context::current()?.gpu;
    let memory = GraphMemory::new(gpu, given.bytes as u64, context::current_handle().cast())?;
    given.address = memory.address;
    Ok(Work::Allocate(Box::new(*given), memory))
}

fn free_work(address: u64) -> Answer<Work> {
    Ok(Work::Free(GraphMemory::at(address)?))
}

fn add(
    node: Out<Handle<Node>>,
    graph: Handle<Graph>,
    dependencies: In<Handle<Node>>,
    count: usize,
    work: impl FnOnce() -> Answer<Work>,
) -> Answer {
    node.require()?;
    let graph = graph.get()?;
    let dependencies = graph.indices(dependencies, count)?;
    let (_, handle) = graph.add(work()?, dependencies)?;
    node.set(handle)
}

/// The first fields of all versions of the parameters of kernels; the later ones have more.
fn kernel_parameters(at: In<u8>, has_kernel: bool) -> Answer<KernelNode> {
    if has_kernel {
        return at.cast::<KernelNode>().get();
    }
    const WORDS: usize = size_of::<KernelNode>() / 8 - 2;
    let words: [u64; WORDS] = at.cast().get()?;
    let mut whole = KernelNode::default();
    // SAFETY: the first words of the structure are those of its first version.
    unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), (&raw mut whole).cast::<u64>(), WORDS) };
    Ok(whole)
}

fn node_kernel(node: Handle<Node>) -> Answer<Arc<Launch>> {
    match node.get()?.work()? {
        Work::Kernel(launch) => Ok(launch),
        _ => Err(Failure::value("the node is no launch")),
    }
}

/// The parameters of a launch; pointers among them are valid as long as the node has it.
fn described(launch: &Launch) -> KernelNode {
    let is_kernel = Handle::<crate::library::Kernel>::is_of_kind(launch.handle.cast());
    KernelNode {
        function: if is_kernel { Handle::NULL } else { launch.handle.cast() },
        grid: launch.shape.grid,
        block: launch.shape.block,
        shared: launch.shape.dynamic_shared,
        parameters: launch.pointers.as_ptr() as u64,
        extra: 0,
        kernel: if is_kernel { launch.handle.cast() } else { Handle::NULL },
        context: Handle::NULL,
    }
}

fn node_event(node: Handle<Node>, is_wait: bool) -> Answer<Handle<Event>> {
    match node.get()?.work()? {
        Work::Wait(event, _) if is_wait => Ok(event.cast()),
        Work::Record(event, _) if !is_wait => Ok(event.cast()),
        _ => Err(Failure::value("the node is of another kind")),
    }
}

/// The work that parameters of any kind describe, `CUgraphNodeParams`; what it returns of them is written.
fn any(given: &mut NodeParameters) -> Answer<Work> {
    let at = (&raw mut given.parameters).cast::<c_void>();
    let read = In::<u8>::at(at as u64);
    match given.kind {
        0 => kernel_work(&read.cast::<KernelNode>().get()?),
        1 => copy_work(read.cast::<CopyNode>().get()?.copy),
        2 => fill_work(read.cast::<FillNode>().get()?),
        3 => host_work(read.cast::<HostNode>().get()?),
        4 => owned_child_work(read.cast::<ChildNode>().get()?),
        5 => Ok(Work::Empty),
        6 => event_work(read.cast::<EventNode>().get()?.event.cast(), true),
        7 => event_work(read.cast::<EventNode>().get()?.event.cast(), false),
        10 => {
            let mut allocation = read.cast::<AllocationNode>().get()?;
            let work = allocation_work(&mut allocation)?;
            Out::<AllocationNode>::at(at as u64).set(allocation)?;
            Ok(work)
        }
        11 => free_work(read.cast::<u64>().get()?),
        8 | 9 | 12..=18 => {
            Err(Failure::because(CUresult::NOT_SUPPORTED, format!("nodes of kind {}", given.kind)))
        }
        other => Err(Failure::value(format!("there is no kind {other} of nodes"))),
    }
}

fn add_any(
    node: Out<Handle<Node>>,
    graph: Handle<Graph>,
    dependencies: In<Handle<Node>>,
    count: usize,
    parameters: Out<NodeParameters>,
) -> Answer {
    let mut given = parameters.get()?;
    if given.reserved != [0; 3] || given.rest != 0 {
        return Err(Failure::value("reserved fields of the parameters of a node are zero"));
    }
    add(node, graph, dependencies, count, || any(&mut given))?;
    parameters.set(given)
}

fn set(node: Handle<Node>, work: Answer<Work>) -> Answer {
    node.get()?.set_work(work?)
}

fn set_executable(executable: Handle<Executable>, node: Handle<Node>, work: Answer<Work>) -> Answer {
    let executable = executable.get()?;
    executable.work(node)?;
    executable.set_work(node, work?)
}

/// A launch in another shape.
fn reshaped(launch: &Launch, id: c_uint, value: &[u64; 8]) -> Answer<Work> {
    let mut shape = launch.shape;
    match id {
        2 => shape.cooperative = value[0] as u32 != 0,
        4 => shape.cluster = Some([value[0] as u32, (value[0] >> 32) as u32, value[1] as u32]),
        0 | 1 | 3 | 5 | 6 | 8..=11 | 14..=18 => {}
        _ => return Err(Failure::value(format!("attribute {id} of a node"))),
    }
    let arguments = Arguments { each: In::at(launch.pointers.as_ptr() as u64), extra: In::at(0) };
    Ok(Work::Kernel(Arc::new(Launch::new(launch.handle, launch.function.gpu, shape, arguments, true)?)))
}

entries! {
    fn cuGraphAddKernelNode(node: Out<Handle<Node>>, graph: Handle<Graph>, dependencies: In<Handle<Node>>, count: usize, given: In<u8>) {
        add(node, graph, dependencies, count, || kernel_work(&kernel_parameters(given, false)?))
    }

    fn cuGraphAddKernelNode_v2(node: Out<Handle<Node>>, graph: Handle<Graph>, dependencies: In<Handle<Node>>, count: usize, given: In<u8>) {
        add(node, graph, dependencies, count, || kernel_work(&kernel_parameters(given, true)?))
    }

    fn cuGraphKernelNodeGetParams(node: Handle<Node>, to: Out<[u64; 7]>) {
        let described = described(&*node_kernel(node)?);
        // The first version has no kernel of a library.
        to.set(In::at(&raw const described as u64).get()?)
    }

    fn cuGraphKernelNodeGetParams_v2(node: Handle<Node>, to: Out<KernelNode>) {
        to.set(described(&*node_kernel(node)?))
    }

    fn cuGraphKernelNodeSetParams(node: Handle<Node>, given: In<u8>) {
        set(node, kernel_work(&kernel_parameters(given, false)?))
    }

    fn cuGraphKernelNodeSetParams_v2(node: Handle<Node>, given: In<u8>) {
        set(node, kernel_work(&kernel_parameters(given, true)?))
    }

    fn cuGraphExecKernelNodeSetParams(executable: Handle<Executable>, node: Handle<Node>, given: In<u8>) {
        set_executable(executable, node, kernel_work(&kernel_parameters(given, false)?))
    }

    fn cuGraphExecKernelNodeSetParams_v2(executable: Handle<Executable>, node: Handle<Node>, given: In<u8>) {
        set_executable(executable, node, kernel_work(&kernel_parameters(given, true)?))
    }

    fn cuGraphKernelNodeGetAttribute(node: Handle<Node>, id: c_uint, value: Out<[u64; 8]>) {
        let launch = node_kernel(node)?;
        let mut words = [0; 8];
        match id {
            2 => words[0] = launch.shape.cooperative.into(),
            4 => {
                if let Some([x, y, z]) = launch.shape.cluster {
                    words[..2].copy_from_slice(&[u64::from(x) | u64::from(y) << 32, z.into()]);
                }
            }
            1 | 3 | 5 | 6 | 8..=11 | 14..=18 => {}
            _ => return Err(Failure::value(format!("attribute {id} of a node"))),
        }
        value.set(words)
    }

    fn cuGraphKernelNodeSetAttribute(node: Handle<Node>, id: c_uint, value: In<[u64; 8]>) {
        set(node, reshaped(&*node_kernel(node)?, id, &value.get()?))
    }

    fn cuGraphKernelNodeCopyAttributes(to: Handle<Node>, from: Handle<Node>) {
        let (to_launch, from) = (node_kernel(to)?, node_kernel(from)?);
        let words = [from.shape.cooperative.into(), 0, 0, 0, 0, 0, 0, 0];
        set(to, reshaped(&to_launch, 2, &words))?;
        if let Some([x, y, z]) = from.shape.cluster {
            let words = [u64::from(x) | u64::from(y) << 32, z.into(), 0, 0, 0, 0, 0, 0];
            set(to, reshaped(&*node_kernel(to)?, 4, &words))?;
        }
        Ok(())
    }

    fn cuGraphAddMemcpyNode(node: Out<Handle<Node>>, graph: Handle<Graph>, dependencies: In<Handle<Node>>, count: usize, given: In<Copy3d>, context: Handle<Context>) {
        context::named(context)?;
        add(node, graph, dependencies, count, || copy_work(given.get()?))
    }

    fn cuGraphMemcpyNodeGetParams(node: Handle<Node>, to: Out<Copy3d>) {
        match node.get()?.work()? {
            Work::Copy(given, _) => to.set(*given),
            _ => Err(Failure::value("the node is no copy that was added")),
        }
    }

    fn cuGraphMemcpyNodeSetParams(node: Handle<Node>, given: In<Copy3d>) {
        set(node, copy_work(given.get()?))
    }

    fn cuGraphExecMemcpyNodeSetParams(executable: Handle<Executable>, node: Handle<Node>, given: In<Copy3d>, context: Handle<Context>) {
        context::named(context)?;
        set_executable(executable, node, copy_work(given.get()?))
    }

    fn cuGraphAddMemsetNode(node: Out<Handle<Node>>, graph: Handle<Graph>, dependencies: In<Handle<Node>>, count: usize, given: In<[u64; 5]>, context: Handle<Context>) {
        context::named(context)?;
        add(node, graph, dependencies, count, || fill_work(first_fill(given)?))
    }

    fn cuGraphMemsetNodeGetParams(node: Handle<Node>, to: Out<[u64; 5]>) {
        match node.get()?.work()? {
            Work::Fill(given) => to.set(In::at(&raw const given as u64).get()?),
            _ => Err(Failure::value("the node is no fill")),
        }
    }

    fn cuGraphMemsetNodeSetParams(node: Handle<Node>, given: In<[u64; 5]>) {
        set(node, fill_work(first_fill(given)?))
    }

    fn cuGraphExecMemsetNodeSetParams(executable: Handle<Executable>, node: Handle<Node>, given: In<[u64; 5]>, context: Handle<Context>) {
        context::named(context)?;
        set_executable(executable, node, fill_work(first_fill(given)?))
    }

    fn cuGraphAddHostNode(node: Out<Handle<Node>>, graph: Handle<Graph>, dependencies: In<Handle<Node>>, count: usize, given: In<HostNode>) {
        add(node, graph, dependencies, count, || host_work(given.get()?))
    }

    fn cuGraphHostNodeGetParams(node: Handle<Node>, to: Out<HostNode>) {
        match node.get()?.work()? {
            Work::Host(call) => {
                let (function, data) = call.addresses();
                to.set(HostNode { function, data })
            }
            _ => Err(Failure::value("the node is no function of the host")),
        }
    }

    fn cuGraphHostNodeSetParams(node: Handle<Node>, given: In<HostNode>) {
        set(node, host_work(given.get()?))
    }

    fn cuGraphExecHostNodeSetParams(executable: Handle<Executable>, node: Handle<Node>, given: In<HostNode>) {
        set_executable(executable, node, host_work(given.get()?))
    }

    fn cuGraphAddChildGraphNode(node: Out<Handle<Node>>, graph: Handle<Graph>, dependencies: In<Handle<Node>>, count: usize, child: Handle<Graph>) {
        add(node, graph, dependencies, count, || child_work(child))
    }

    fn cuGraphChildGraphNodeGetGraph(node: Handle<Node>, to: Out<Handle<Graph>>) {
        match node.get()?.work()? {
            Work::Child(child) => to.set(child.handle),
            _ => Err(Failure::value("the node is no graph")),
        }
    }

    fn cuGraphExecChildGraphNodeSetParams(executable: Handle<Executable>, node: Handle<Node>, child: Handle<Graph>) {
        set_executable(executable, node, child_work(child))
    }

    fn cuGraphAddEmptyNode(node: Out<Handle<Node>>, graph: Handle<Graph>, dependencies: In<Handle<Node>>, count: usize) {
        add(node, graph, dependencies, count, || Ok(Work::Empty))
    }

    fn cuGraphAddEventRecordNode(node: Out<Handle<Node>>, graph: Handle<Graph>, dependencies: In<Handle<Node>>, count: usize, event: Handle<Event>) {
        add(node, graph, dependencies, count, || event_work(event, false))
    }

    fn cuGraphAddEventWaitNode(node: Out<Handle<Node>>, graph: Handle<Graph>, dependencies: In<Handle<Node>>, count: usize, event: Handle<Event>) {
        add(node, graph, dependencies, count, || event_work(event, true))
    }

    fn cuGraphEventRecordNodeGetEvent(node: Handle<Node>, to: Out<Handle<Event>>) {
        to.set(node_event(node, false)?)
    }

    fn cuGraphEventWaitNodeGetEvent(node: Handle<Node>, to: Out<Handle<Event>>) {
        to.set(node_event(node, true)?)
    }

    fn cuGraphEventRecordNodeSetEvent(node: Handle<Node>, event: Handle<Event>) {
        set(node, event_work(event, false))
    }

    fn cuGraphEventWaitNodeSetEvent(node: Handle<Node>, event: Handle<Event>) {
        set(node, event_work(event, true))
    }

    fn cuGraphExecEventRecordNodeSetEvent(executable: Handle<Executable>, node: Handle<Node>, event: Handle<Event>) {
        set_executable(executable, node, event_work(event, false))
    }

    fn cuGraphExecEventWaitNodeSetEvent(executable: Handle<Executable>, node: Handle<Node>, event: Handle<Event>) {
        set_executable(executable, node, event_work(event, true))
    }

    fn cuGraphAddMemAllocNode(node: Out<Handle<Node>>, graph: Handle<Graph>, dependencies: In<Handle<Node>>, count: usize, parameters: Out<AllocationNode>) {
        let mut given = parameters.get()?;
        add(node, graph, dependencies, count, || allocation_work(&mut given))?;
        parameters.set(given)
    }

    fn cuGraphMemAllocNodeGetParams(node: Handle<Node>, to: Out<AllocationNode>) {
        match node.get()?.work()? {
            Work::Allocate(given, memory) => to.set(AllocationNode { address: memory.address, ..*given }),
            _ => Err(Failure::value("the node is no allocation")),
        }
    }

    fn cuGraphAddMemFreeNode(node: Out<Handle<Node>>, graph: Handle<Graph>, dependencies: In<Handle<Node>>, count: usize, address: u64) {
        add(node, graph, dependencies, count, || free_work(address))
    }

    fn cuGraphMemFreeNodeGetParams(node: Handle<Node>, to: Out<u64>) {
        match node.get()?.work()? {
            Work::Free(memory) => to.set(memory.address),
            _ => Err(Failure::value("the node frees no memory")),
        }
    }

    fn cuGraphAddNode(node: Out<Handle<Node>>, graph: Handle<Graph>, dependencies: In<Handle<Node>>, count: usize, parameters: Out<NodeParameters>) {
        add_any(node, graph, dependencies, count, parameters)
    }

    fn cuGraphAddNode_v2(node: Out<Handle<Node>>, graph: Handle<Graph>, dependencies: In<Handle<Node>>, _data: In<EdgeData>, count: usize, parameters: Out<NodeParameters>) {
        add_any(node, graph, dependencies, count, parameters)
    }

    fn cuGraphNodeSetParams(node: Handle<Node>, parameters: Out<NodeParameters>) {
        let mut given = parameters.get()?;
        set(node, any(&mut given))
    }

    fn cuGraphExecNodeSetParams(executable: Handle<Executable>, node: Handle<Node>, parameters: Out<NodeParameters>) {
        let mut given = parameters.get()?;
        set_executable(executable, node, any(&mut given))
    }
}

/// The first version of the parameters of fills, which has no context.
fn first_fill(given: In<[u64; 5]>) -> Answer<FillNode> {
    let [to, pitch, value_and_size, width, height] = given.get()?;
    Ok(FillNode {
        to,
        pitch: pitch as usize,
        value: value_and_size as u32,
        element: (value_and_size >> 32) as u32,
        width: width as usize,
        height: height as usize,
        context: Handle::NULL,
    })
}
