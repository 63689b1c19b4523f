//! The nodes of graphs, and their parameters.

use std::ffi::c_uint;

use crate::api::copy::{TO_DEVICE, TO_HOST, require_symbol_kind, within};
use crate::entries;
use crate::error::Answer;
use crate::functions::{
    cuCtxGetCurrent, cuGraphAddChildGraphNode, cuGraphAddEmptyNode, cuGraphAddEventRecordNode,
    cuGraphAddEventWaitNode, cuGraphAddHostNode, cuGraphAddKernelNode_v2, cuGraphAddMemAllocNode,
    cuGraphAddMemFreeNode, cuGraphAddMemcpyNode, cuGraphAddMemsetNode, cuGraphChildGraphNodeGetGraph,
    cuGraphEventRecordNodeGetEvent, cuGraphEventRecordNodeSetEvent, cuGraphEventWaitNodeGetEvent,
    cuGraphEventWaitNodeSetEvent, cuGraphExecChildGraphNodeSetParams, cuGraphExecEventRecordNodeSetEvent,
    cuGraphExecEventWaitNodeSetEvent, cuGraphExecHostNodeSetParams, cuGraphExecKernelNodeSetParams_v2,
    cuGraphExecMemcpyNodeSetParams, cuGraphExecMemsetNodeSetParams, cuGraphExecNodeSetParams,
    cuGraphHostNodeGetParams, cuGraphHostNodeSetParams, cuGraphKernelNodeCopyAttributes,
    cuGraphKernelNodeGetAttribute, cuGraphKernelNodeGetParams_v2, cuGraphKernelNodeSetAttribute,
    cuGraphKernelNodeSetParams_v2, cuGraphMemAllocNodeGetParams, cuGraphMemFreeNodeGetParams,
    cuGraphMemcpyNodeGetParams, cuGraphMemcpyNodeSetParams, cuGraphMemsetNodeGetParams,
    cuGraphMemsetNodeSetParams, cuGraphNodeSetParams,
};
use crate::node::{copy_of, copy_of_bytes, described, kernel_described, kernel_of, parameters_of};
use crate::pointer::{In, Out};
use crate::types::{
    AllocationNode, Copy3d, DriverCopy, DriverKernelNode, Fill, Handle, HostCall, KernelNode, NodeParameters,
};

/// The current context, which copies and fills of graphs name.
fn context() -> Answer<Handle> {
    let mut context = 0;
    cuCtxGetCurrent(Out::to(&mut context))?;
    Ok(context)
}

/// A place in a graph: the graph, and the nodes that come before.
#[derive(Clone, Copy, Debug)]
struct After {
    graph: Handle,
    nodes: In<Handle>,
    count: usize,
}

fn add_copy(node: Out<Handle>, after: After, copy: &DriverCopy) -> Answer {
    cuGraphAddMemcpyNode(node, after.graph, after.nodes, after.count, In::from(copy), context()?)
}

fn set_copy(executable: Handle, node: Handle, copy: &DriverCopy) -> Answer {
    cuGraphExecMemcpyNodeSetParams(executable, node, In::from(copy), context()?)
}

fn copy_to_symbol(symbol: u64, from: u64, bytes: usize, offset: usize, kind: c_uint) -> Answer<DriverCopy> {
    require_symbol_kind(kind, TO_DEVICE)?;
    copy_of_bytes(within(symbol, offset, bytes)?, from, bytes, kind)
}

fn copy_from_symbol(to: u64, symbol: u64, bytes: usize, offset: usize, kind: c_uint) -> Answer<DriverCopy> {
    require_symbol_kind(kind, TO_HOST)?;
    copy_of_bytes(to, within(symbol, offset, bytes)?, bytes, kind)
}

entries! {
    fn cudaGraphAddKernelNode(node: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, given: In<KernelNode>) {
        cuGraphAddKernelNode_v2(node, graph, nodes, count, In::from(&kernel_of(&given.get()?)?))
    }

    fn cudaGraphKernelNodeGetParams(node: Handle, to: Out<KernelNode>) {
        to.require()?;
        let mut found = DriverKernelNode::default();
        cuGraphKernelNodeGetParams_v2(node, Out::to(&mut found))?;
        to.set(kernel_described(&found))
    }

    fn cudaGraphKernelNodeSetParams(node: Handle, given: In<KernelNode>) {
        cuGraphKernelNodeSetParams_v2(node, In::from(&kernel_of(&given.get()?)?))
    }

    fn cudaGraphExecKernelNodeSetParams(executable: Handle, node: Handle, given: In<KernelNode>) {
        cuGraphExecKernelNodeSetParams_v2(executable, node, In::from(&kernel_of(&given.get()?)?))
    }

    fn cudaGraphKernelNodeCopyAttributes(to: Handle, from: Handle) {
        cuGraphKernelNodeCopyAttributes(to, from)
    }

    fn cudaGraphKernelNodeGetAttribute(node: Handle, id: c_uint, value: Out<[u64; 8]>) {
        cuGraphKernelNodeGetAttribute(node, id, value)
    }

    fn cudaGraphKernelNodeSetAttribute(node: Handle, id: c_uint, value: In<[u64; 8]>) {
        cuGraphKernelNodeSetAttribute(node, id, value)
    }

    fn cudaGraphAddMemcpyNode(node: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, given: In<Copy3d>) {
        add_copy(node, After { graph, nodes, count }, &copy_of(&given.get()?)?)
    }

    fn cudaGraphAddMemcpyNode1D(node: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, to: u64, from: u64, bytes: usize, kind: c_uint) {
        add_copy(node, After { graph, nodes, count }, &copy_of_bytes(to, from, bytes, kind)?)
    }

    fn cudaGraphAddMemcpyNodeToSymbol(node: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, symbol: u64, from: u64, bytes: usize, offset: usize, kind: c_uint) {
        add_copy(node, After { graph, nodes, count }, &copy_to_symbol(symbol, from, bytes, offset, kind)?)
    }

    fn cudaGraphAddMemcpyNodeFromSymbol(node: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, to: u64, symbol: u64, bytes: usize, offset: usize, kind: c_uint) {
        add_copy(node, After { graph, nodes, count }, &copy_from_symbol(to, symbol, bytes, offset, kind)?)
    }

    fn cudaGraphMemcpyNodeGetParams(node: Handle, to: Out<Copy3d>) {
        to.require()?;
        let mut found = DriverCopy::default();
        cuGraphMemcpyNodeGetParams(node, Out::to(&mut found))?;
        to.set(described(&found)?)
    }

    fn cudaGraphMemcpyNodeSetParams(node: Handle, given: In<Copy3d>) {
        cuGraphMemcpyNodeSetParams(node, In::from(&copy_of(&given.get()?)?))
    }

    fn cudaGraphMemcpyNodeSetParams1D(node: Handle, to: u64, from: u64, bytes: usize, kind: c_uint) {
        cuGraphMemcpyNodeSetParams(node, In::from(&copy_of_bytes(to, from, bytes, kind)?))
    }

    fn cudaGraphMemcpyNodeSetParamsToSymbol(node: Handle, symbol: u64, from: u64, bytes: usize, offset: usize, kind: c_uint) {
        cuGraphMemcpyNodeSetParams(node, In::from(&copy_to_symbol(symbol, from, bytes, offset, kind)?))
    }

    fn cudaGraphMemcpyNodeSetParamsFromSymbol(node: Handle, to: u64, symbol: u64, bytes: usize, offset: usize, kind: c_uint) {
        cuGraphMemcpyNodeSetParams(node, In::from(&copy_from_symbol(to, symbol, bytes, offset, kind)?))
    }

    fn cudaGraphExecMemcpyNodeSetParams(executable: Handle, node: Handle, given: In<Copy3d>) {
        set_copy(executable, node, &copy_of(&given.get()?)?)
    }

    fn cudaGraphExecMemcpyNodeSetParams1D(executable: Handle, node: Handle, to: u64, from: u64, bytes: usize, kind: c_uint) {
        set_copy(executable, node, &copy_of_bytes(to, from, bytes, kind)?)
    }

    fn cudaGraphExecMemcpyNodeSetParamsToSymbol(executable: Handle, node: Handle, symbol: u64, from: u64, bytes: usize, offset: usize, kind: c_uint) {
        set_copy(executable, node, &copy_to_symbol(symbol, from, bytes, offset, kind)?)
    }

    fn cudaGraphExecMemcpyNodeSetParamsFromSymbol(executable: Handle, node: Handle, to: u64, symbol: u64, bytes: usize, offset: usize, kind: c_uint) {
        set_copy(executable, node, &copy_from_symbol(to, symbol, bytes, offset, kind)?)
    }

    fn cudaGraphAddMemsetNode(node: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, given: In<Fill>) {
        cuGraphAddMemsetNode(node, graph, nodes, count, given, context()?)
    }

    fn cudaGraphMemsetNodeGetParams(node: Handle, to: Out<Fill>) {
        cuGraphMemsetNodeGetParams(node, to)
    }

    fn cudaGraphMemsetNodeSetParams(node: Handle, given: In<Fill>) {
        cuGraphMemsetNodeSetParams(node, given)
    }

    fn cudaGraphExecMemsetNodeSetParams(executable: Handle, node: Handle, given: In<Fill>) {
        cuGraphExecMemsetNodeSetParams(executable, node, given, context()?)
    }

    fn cudaGraphAddHostNode(node: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, given: In<HostCall>) {
        cuGraphAddHostNode(node, graph, nodes, count, given)
    }

    fn cudaGraphHostNodeGetParams(node: Handle, to: Out<HostCall>) {
        cuGraphHostNodeGetParams(node, to)
    }

    fn cudaGraphHostNodeSetParams(node: Handle, given: In<HostCall>) {
        cuGraphHostNodeSetParams(node, given)
    }

    fn cudaGraphExecHostNodeSetParams(executable: Handle, node: Handle, given: In<HostCall>) {
        cuGraphExecHostNodeSetParams(executable, node, given)
    }

    fn cudaGraphAddChildGraphNode(node: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, child: Handle) {
        cuGraphAddChildGraphNode(node, graph, nodes, count, child)
    }

    fn cudaGraphChildGraphNodeGetGraph(node: Handle, graph: Out<Handle>) {
        cuGraphChildGraphNodeGetGraph(node, graph)
    }

    fn cudaGraphExecChildGraphNodeSetParams(executable: Handle, node: Handle, child: Handle) {
        cuGraphExecChildGraphNodeSetParams(executable, node, child)
    }

    fn cudaGraphAddEmptyNode(node: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize) {
        cuGraphAddEmptyNode(node, graph, nodes, count)
    }

    fn cudaGraphAddEventRecordNode(node: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, event: Handle) {
        cuGraphAddEventRecordNode(node, graph, nodes, count, event)
    }

    fn cudaGraphEventRecordNodeGetEvent(node: Handle, event: Out<Handle>) {
        cuGraphEventRecordNodeGetEvent(node, event)
    }

    fn cudaGraphEventRecordNodeSetEvent(node: Handle, event: Handle) {
        cuGraphEventRecordNodeSetEvent(node, event)
    }

    fn cudaGraphExecEventRecordNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        cuGraphExecEventRecordNodeSetEvent(executable, node, event)
    }

    fn cudaGraphAddEventWaitNode(node: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, event: Handle) {
        cuGraphAddEventWaitNode(node, graph, nodes, count, event)
    }

    fn cudaGraphEventWaitNodeGetEvent(node: Handle, event: Out<Handle>) {
        cuGraphEventWaitNodeGetEvent(node, event)
    }

    fn cudaGraphEventWaitNodeSetEvent(node: Handle, event: Handle) {
        cuGraphEventWaitNodeSetEvent(node, event)
    }

    fn cudaGraphExecEventWaitNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        cuGraphExecEventWaitNodeSetEvent(executable, node, event)
    }

    fn cudaGraphAddMemAllocNode(node: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, parameters: Out<AllocationNode>) {
        cuGraphAddMemAllocNode(node, graph, nodes, count, parameters)
    }

    fn cudaGraphMemAllocNodeGetParams(node: Handle, to: Out<AllocationNode>) {
        cuGraphMemAllocNodeGetParams(node, to)
    }

    fn cudaGraphAddMemFreeNode(node: Out<Handle>, graph: Handle, nodes: In<Handle>, count: usize, address: u64) {
        cuGraphAddMemFreeNode(node, graph, nodes, count, address)
    }

    fn cudaGraphMemFreeNodeGetParams(node: Handle, address: Out<u64>) {
        cuGraphMemFreeNodeGetParams(node, address)
    }

}

/// Changes a node of any kind. `has_function_types` is whether the parameters of launches say how the function is named, as of CUDA 13.
pub fn set_node(node: Handle, parameters: In<NodeParameters>, has_function_types: bool) -> Answer {
    let mut own = parameters_of(&parameters.get()?, has_function_types)?;
    cuGraphNodeSetParams(node, Out::to(&mut own))
}

/// Changes a node of any kind in a graph that is instantiated.
pub fn set_executable_node(
    executable: Handle,
    node: Handle,
    parameters: In<NodeParameters>,
    has_function_types: bool,
) -> Answer {
    let mut own = parameters_of(&parameters.get()?, has_function_types)?;
    cuGraphExecNodeSetParams(executable, node, Out::to(&mut own))
}
