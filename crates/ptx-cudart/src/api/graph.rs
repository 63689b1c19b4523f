//! Graphs: their nodes and edges, and executable graphs.

use std::ffi::c_uint;

use crate::error::Answer;
use crate::functions::{
    cuGraphAddDependencies_v2, cuGraphAddNode_v2, cuGraphClone, cuGraphCreate, cuGraphDebugDotPrint,
    cuGraphDestroy, cuGraphDestroyNode, cuGraphExecDestroy, cuGraphExecGetFlags, cuGraphExecGetId,
    cuGraphExecUpdate_v2, cuGraphGetEdges_v2, cuGraphGetId, cuGraphGetNodes, cuGraphGetRootNodes,
    cuGraphInstantiateWithFlags, cuGraphInstantiateWithParams, cuGraphLaunch, cuGraphNodeFindInClone,
    cuGraphNodeGetContainingGraph, cuGraphNodeGetDependencies_v2, cuGraphNodeGetDependentNodes_v2,
    cuGraphNodeGetEnabled, cuGraphNodeGetLocalId, cuGraphNodeGetToolsId, cuGraphNodeGetType,
    cuGraphNodeSetEnabled, cuGraphReleaseUserObject, cuGraphRemoveDependencies_v2, cuGraphRetainUserObject,
    cuGraphUpload, cuUserObjectCreate, cuUserObjectRelease, cuUserObjectRetain,
};
use crate::node::parameters_of;
use crate::pointer::{In, Out, Text};
use crate::types::{EdgeData, Handle, InstantiateParameters, NodeParameters, UpdateResult};
use crate::{entries, stream_entries};

// Functions with other parameters in CUDA 12 than in CUDA 13 under one name; the forms of CUDA 13 are those that end with `_v2` in CUDA 12.

pub fn add_dependencies(
    graph: Handle,
    from: In<Handle>,
    to: In<Handle>,
    edges: In<EdgeData>,
    count: usize,
) -> Answer {
    cuGraphAddDependencies_v2(graph, from, to, edges, count)
}

pub fn remove_dependencies(
    graph: Handle,
    from: In<Handle>,
    to: In<Handle>,
    edges: In<EdgeData>,
    count: usize,
) -> Answer {
    cuGraphRemoveDependencies_v2(graph, from, to, edges, count)
}

pub fn edges(
    graph: Handle,
    from: Out<Handle>,
    to: Out<Handle>,
    edges: Out<EdgeData>,
    count: Out<usize>,
) -> Answer {
    cuGraphGetEdges_v2(graph, from, to, edges, count)
}

pub fn dependencies(node: Handle, to: Out<Handle>, edges: Out<EdgeData>, count: Out<usize>) -> Answer {
    cuGraphNodeGetDependencies_v2(node, to, edges, count)
}

pub fn dependents(node: Handle, to: Out<Handle>, edges: Out<EdgeData>, count: Out<usize>) -> Answer {
    cuGraphNodeGetDependentNodes_v2(node, to, edges, count)
}

/// Adds a node of any kind. `has_function_types` is whether the parameters of launches say how the function is named, as of CUDA 13.
pub fn add_node(
    node: Out<Handle>,
    graph: Handle,
    dependencies: In<Handle>,
    edges: In<EdgeData>,
    count: usize,
    parameters: Out<NodeParameters>,
    has_function_types: bool,
) -> Answer {
    let given = parameters.get()?;
    let mut own = parameters_of(&given, has_function_types)?;
    cuGraphAddNode_v2(node, graph, dependencies, edges, count, Out::to(&mut own))?;
    // What the driver returns in them is of kinds with the same form: the address of an allocation, the copy of a graph.
    if own.kind > 1 { parameters.set(own) } else { Ok(()) }
}

entries! {
    fn cudaGraphCreate(graph: Out<Handle>, flags: c_uint) {
        cuGraphCreate(graph, flags)
    }

    fn cudaGraphDestroy(graph: Handle) {
        cuGraphDestroy(graph)
    }

    fn cudaGraphClone(clone: Out<Handle>, graph: Handle) {
        cuGraphClone(clone, graph)
    }

    fn cudaGraphNodeFindInClone(to: Out<Handle>, node: Handle, clone: Handle) {
        cuGraphNodeFindInClone(to, node, clone)
    }

    fn cudaGraphDestroyNode(node: Handle) {
        cuGraphDestroyNode(node)
    }

    fn cudaGraphGetId(graph: Handle, id: Out<c_uint>) {
        cuGraphGetId(graph, id)
    }

    fn cudaGraphExecGetId(executable: Handle, id: Out<c_uint>) {
        cuGraphExecGetId(executable, id)
    }

    fn cudaGraphNodeGetLocalId(node: Handle, id: Out<c_uint>) {
        cuGraphNodeGetLocalId(node, id)
    }

    fn cudaGraphNodeGetToolsId(node: Handle, id: Out<u64>) {
        cuGraphNodeGetToolsId(node, id)
    }

    fn cudaGraphNodeGetContainingGraph(node: Handle, graph: Out<Handle>) {
        cuGraphNodeGetContainingGraph(node, graph)
    }

    fn cudaGraphGetNodes(graph: Handle, to: Out<Handle>, count: Out<usize>) {
        cuGraphGetNodes(graph, to, count)
    }

    fn cudaGraphGetRootNodes(graph: Handle, to: Out<Handle>, count: Out<usize>) {
        cuGraphGetRootNodes(graph, to, count)
    }

    fn cudaGraphNodeGetType(node: Handle, kind: Out<c_uint>) {
        cuGraphNodeGetType(node, kind)
    }

    fn cudaGraphNodeSetEnabled(executable: Handle, node: Handle, is_enabled: c_uint) {
        cuGraphNodeSetEnabled(executable, node, is_enabled)
    }

    fn cudaGraphNodeGetEnabled(executable: Handle, node: Handle, is_enabled: Out<c_uint>) {
        cuGraphNodeGetEnabled(executable, node, is_enabled)
    }

    fn cudaGraphInstantiate(to: Out<Handle>, graph: Handle, flags: u64) {
        cuGraphInstantiateWithFlags(to, graph, flags)
    }

    fn cudaGraphInstantiateWithFlags(to: Out<Handle>, graph: Handle, flags: u64) {
        cuGraphInstantiateWithFlags(to, graph, flags)
    }

    fn cudaGraphExecDestroy(executable: Handle) {
        cuGraphExecDestroy(executable)
    }

    fn cudaGraphExecGetFlags(executable: Handle, flags: Out<u64>) {
        cuGraphExecGetFlags(executable, flags)
    }

    fn cudaGraphExecUpdate(executable: Handle, graph: Handle, result: Out<UpdateResult>) {
        cuGraphExecUpdate_v2(executable, graph, result)
    }

    fn cudaGraphDebugDotPrint(graph: Handle, path: Text, flags: c_uint) {
        cuGraphDebugDotPrint(graph, path, flags)
    }

    fn cudaUserObjectCreate(object: Out<Handle>, address: u64, destroy: u64, count: c_uint, flags: c_uint) {
        cuUserObjectCreate(object, address, destroy, count, flags)
    }

    fn cudaUserObjectRetain(object: Handle, count: c_uint) {
        cuUserObjectRetain(object, count)
    }

    fn cudaUserObjectRelease(object: Handle, count: c_uint) {
        cuUserObjectRelease(object, count)
    }

    fn cudaGraphRetainUserObject(graph: Handle, object: Handle, count: c_uint, flags: c_uint) {
        cuGraphRetainUserObject(graph, object, count, flags)
    }

    fn cudaGraphReleaseUserObject(graph: Handle, object: Handle, count: c_uint) {
        cuGraphReleaseUserObject(graph, object, count)
    }

    // Names of CUDA 12.
    fn cudaGraphAddDependencies_v2(graph: Handle, from: In<Handle>, to: In<Handle>, edges: In<EdgeData>, count: usize) {
        add_dependencies(graph, from, to, edges, count)
    }

    fn cudaGraphRemoveDependencies_v2(graph: Handle, from: In<Handle>, to: In<Handle>, edges: In<EdgeData>, count: usize) {
        remove_dependencies(graph, from, to, edges, count)
    }

    fn cudaGraphGetEdges_v2(graph: Handle, from: Out<Handle>, to: Out<Handle>, data: Out<EdgeData>, count: Out<usize>) {
        edges(graph, from, to, data, count)
    }

    fn cudaGraphNodeGetDependencies_v2(node: Handle, to: Out<Handle>, edges: Out<EdgeData>, count: Out<usize>) {
        dependencies(node, to, edges, count)
    }

    fn cudaGraphNodeGetDependentNodes_v2(node: Handle, to: Out<Handle>, edges: Out<EdgeData>, count: Out<usize>) {
        dependents(node, to, edges, count)
    }

    fn cudaGraphAddNode_v2(
        node: Out<Handle>, graph: Handle, dependencies: In<Handle>, edges: In<EdgeData>, count: usize, parameters: Out<NodeParameters>,
    ) {
        add_node(node, graph, dependencies, edges, count, parameters, false)
    }
}

stream_entries! {
    fn cudaGraphInstantiateWithParams / cudaGraphInstantiateWithParams_ptsz |null| (
        to: Out<Handle>, graph: Handle, parameters: Out<InstantiateParameters>,
    ) {
        let mut own = parameters.get()?;
        let given = own.stream;
        own.stream = null.stream(given);
        let answer = cuGraphInstantiateWithParams(to, graph, Out::to(&mut own));
        // The driver writes the reason of a failure to them.
        own.stream = given;
        parameters.set(own)?;
        answer
    }

    fn cudaGraphUpload / cudaGraphUpload_ptsz |null| (executable: Handle, stream: Handle) {
        cuGraphUpload(executable, null.stream(stream))
    }

    fn cudaGraphLaunch / cudaGraphLaunch_ptsz |null| (executable: Handle, stream: Handle) {
        cuGraphLaunch(executable, null.stream(stream))
    }
}
