//! Graphs: their structure, and executable ones. The nodes of an executable graph are performed one after the other, in an order that their
//! dependencies allow.

use std::ffi::c_uint;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::context;
use crate::driver::lock;
use crate::entry::{entries, stream_entries};
use crate::error::{Answer, CUresult, Failure};
use crate::graph::{Executable, Graph, Node, UserObject};
use crate::handle::{Handle, Object};
use crate::operation::{Operation, Program};
use crate::pointer::{In, Out, Text};
use crate::stream::Stream;
use crate::types::{EdgeData, InstantiateParameters, UpdateResult};

/// Writes as many items of a list as the caller's buffer holds, and the number of items. Without a buffer, only the number.
fn store_list<T: Copy + Default>(to: Out<T>, count: Out<usize>, list: &[T]) -> Answer {
    if !to.is_null() {
        let room = count.get()?;
        // Elements beyond the last item are null.
        to.set_all(list.iter().copied().chain(std::iter::repeat(T::default())).take(room))?;
    }
    count.set(list.len())
}

fn store_edges(
    graph: Handle<Graph>,
    from: Out<Handle<Node>>,
    to: Out<Handle<Node>>,
    count: Out<usize>,
) -> Answer<usize> {
    let edges = graph.get()?.edges();
    let sides: (Vec<_>, Vec<_>) = edges.iter().copied().unzip();
    if from.is_null() != to.is_null() {
        return Err(Failure::value("both sides of edges are wanted, or none"));
    }
    let room = if from.is_null() { 0 } else { count.get()?.min(edges.len()) };
    if !from.is_null() {
        let asked = count.get()?;
        store_list(from, count, &sides.0)?;
        count.set(asked)?;
    }
    store_list(to, count, &sides.1)?;
    Ok(room)
}

/// All edges are of the default kind.
fn store_edge_data(to: Out<EdgeData>, count: usize) -> Answer {
    if to.is_null() { Ok(()) } else { to.set_all((0..count).map(|_| EdgeData::default())) }
}

/// Edges of other kinds (programmatic dependencies) allow a node to begin before the other has ended. They are taken as full dependencies, which satisfies them.
fn check_edge_data(data: In<EdgeData>, count: usize) -> Answer {
    if data.is_null() {
        return Ok(());
    }
    let is_known = |data: &EdgeData| data.kind <= 1 && data.reserved == [0; 5];
    if data.list(count)?.iter().all(is_known) { Ok(()) } else { Err(Failure::value("data of an edge")) }
}

fn instantiate(to: Out<Handle<Executable>>, graph: Handle<Graph>, flags: u64) -> Answer {
    to.require()?;
    to.set(graph.get()?.instantiate(flags)?)
}

fn update(executable: Handle<Executable>, graph: Handle<Graph>) -> Answer<UpdateResult> {
    Ok(match executable.get()?.update(&*graph.get()?)? {
        Ok(()) => UpdateResult::default(),
        Err((result, node)) => UpdateResult { result, node: node.cast(), from: Handle::NULL },
    })
}

entries! {
    fn cuGraphCreate(graph: Out<Handle<Graph>>, flags: c_uint) {
        graph.require()?;
        if flags != 0 {
            return Err(Failure::value("flags of a graph"));
        }
        graph.set(Graph::table().insert(Graph::new())?)
    }

    fn cuGraphDestroy(graph: Handle<Graph>) {
        if graph.get()?.is_child() {
            return Err(Failure::value("the graph belongs to a node"));
        }
        graph.remove().map(drop)
    }

    fn cuGraphClone(clone: Out<Handle<Graph>>, graph: Handle<Graph>) {
        clone.require()?;
        graph.get()?.refuse_memory_nodes()?;
        clone.set(Graph::table().insert(graph.get()?.copy()?)?)
    }

    fn cuGraphNodeFindInClone(to: Out<Handle<Node>>, node: Handle<Node>, clone: Handle<Graph>) {
        let index = node.get()?.index;
        let found = clone.get()?.handles(&[index]);
        to.set(*found.first().ok_or_else(|| Failure::value("the clone has no such node"))?)
    }

    fn cuGraphDestroyNode(node: Handle<Node>) {
        let (graph, index) = node.get()?.place()?;
        graph.refuse_memory_nodes()?;
        let mut state = graph.state();
        let removed = state.nodes.remove(&index);
        state.nodes.values_mut().for_each(|node| node.dependencies.retain(|&dependency| dependency != index));
        drop(state);
        drop(removed);
        node.remove().map(drop)
    }

    fn cuGraphGetId(graph: Handle<Graph>, id: Out<c_uint>) {
        id.set(graph.get()?.id as c_uint)
    }

    fn cuGraphExecGetId(executable: Handle<Executable>, id: Out<c_uint>) {
        id.set(executable.get()?.id as c_uint)
    }

    fn cuGraphNodeGetLocalId(node: Handle<Node>, id: Out<c_uint>) {
        id.set(node.get()?.index)
    }

    fn cuGraphNodeGetToolsId(node: Handle<Node>, id: Out<u64>) {
        let (graph, index) = node.get()?.place()?;
        id.set(graph.id << 32 | u64::from(index))
    }

    fn cuGraphNodeGetContainingGraph(node: Handle<Node>, graph: Out<Handle<Graph>>) {
        let (own, _) = node.get()?.place()?;
        let found = Graph::table().find(|graph| std::ptr::eq(graph, &*own));
        graph.set(*found.first().ok_or(CUresult::INVALID_VALUE)?)
    }

    fn cuGraphGetNodes(graph: Handle<Graph>, to: Out<Handle<Node>>, count: Out<usize>) {
        let nodes: Vec<_> = graph.get()?.state().nodes.values().map(|node| node.handle).collect();
        store_list(to, count, &nodes)
    }

    fn cuGraphGetRootNodes(graph: Handle<Graph>, to: Out<Handle<Node>>, count: Out<usize>) {
        let graph = graph.get()?;
        let state = graph.state();
        let roots = state.nodes.values().filter(|node| node.dependencies.is_empty());
        store_list(to, count, &roots.map(|node| node.handle).collect::<Vec<_>>())
    }

    fn cuGraphGetEdges(graph: Handle<Graph>, from: Out<Handle<Node>>, to: Out<Handle<Node>>, count: Out<usize>) {
        store_edges(graph, from, to, count).map(drop)
    }

    fn cuGraphGetEdges_v2(graph: Handle<Graph>, from: Out<Handle<Node>>, to: Out<Handle<Node>>, data: Out<EdgeData>, count: Out<usize>) {
        let written = store_edges(graph, from, to, count)?;
        store_edge_data(data, written)
    }

    fn cuGraphNodeGetDependencies(node: Handle<Node>, to: Out<Handle<Node>>, count: Out<usize>) {
        store_list(to, count, &node.get()?.dependencies()?)
    }

    fn cuGraphNodeGetDependencies_v2(node: Handle<Node>, to: Out<Handle<Node>>, data: Out<EdgeData>, count: Out<usize>) {
        let list = node.get()?.dependencies()?;
        let room = if to.is_null() { 0 } else { count.get()?.min(list.len()) };
        store_list(to, count, &list)?;
        store_edge_data(data, room)
    }

    fn cuGraphNodeGetDependentNodes(node: Handle<Node>, to: Out<Handle<Node>>, count: Out<usize>) {
        store_list(to, count, &node.get()?.dependents()?)
    }

    fn cuGraphNodeGetDependentNodes_v2(node: Handle<Node>, to: Out<Handle<Node>>, data: Out<EdgeData>, count: Out<usize>) {
        let list = node.get()?.dependents()?;
        let room = if to.is_null() { 0 } else { count.get()?.min(list.len()) };
        store_list(to, count, &list)?;
        store_edge_data(data, room)
    }

    fn cuGraphAddDependencies(graph: Handle<Graph>, from: In<Handle<Node>>, to: In<Handle<Node>>, count: usize) {
        graph.get()?.connect(from, to, count, true)
    }

    fn cuGraphAddDependencies_v2(graph: Handle<Graph>, from: In<Handle<Node>>, to: In<Handle<Node>>, data: In<EdgeData>, count: usize) {
        check_edge_data(data, count)?;
        graph.get()?.connect(from, to, count, true)
    }

    fn cuGraphRemoveDependencies(graph: Handle<Graph>, from: In<Handle<Node>>, to: In<Handle<Node>>, count: usize) {
        graph.get()?.connect(from, to, count, false)
    }

    fn cuGraphRemoveDependencies_v2(graph: Handle<Graph>, from: In<Handle<Node>>, to: In<Handle<Node>>, data: In<EdgeData>, count: usize) {
        check_edge_data(data, count)?;
        graph.get()?.connect(from, to, count, false)
    }

    fn cuGraphInstantiate(to: Out<Handle<Executable>>, graph: Handle<Graph>, node: Out<Handle<Node>>, _log: Out<u8>, _room: usize) {
        node.set_if_wanted(Handle::NULL);
        instantiate(to, graph, 0)
    }

    fn cuGraphInstantiate_v2(to: Out<Handle<Executable>>, graph: Handle<Graph>, node: Out<Handle<Node>>, _log: Out<u8>, _room: usize) {
        node.set_if_wanted(Handle::NULL);
        instantiate(to, graph, 0)
    }

    fn cuGraphInstantiateWithFlags(to: Out<Handle<Executable>>, graph: Handle<Graph>, flags: u64) {
        instantiate(to, graph, flags)
    }

    fn cuGraphExecDestroy(executable: Handle<Executable>) {
        executable.remove().map(drop)
    }

    fn cuGraphExecGetFlags(executable: Handle<Executable>, flags: Out<u64>) {
        flags.set(executable.get()?.flags)
    }

    fn cuGraphExecUpdate(executable: Handle<Executable>, graph: Handle<Graph>, node: Out<Handle<Node>>, result: Out<c_uint>) {
        let found = update(executable, graph)?;
        node.set_if_wanted(found.node.cast());
        result.set_if_wanted(found.result);
        if found.result == 0 { Ok(()) } else { Err(CUresult::GRAPH_EXEC_UPDATE_FAILURE.into()) }
    }

    fn cuGraphExecUpdate_v2(executable: Handle<Executable>, graph: Handle<Graph>, result: Out<UpdateResult>) {
        let found = update(executable, graph)?;
        result.set_if_wanted(found);
        if found.result == 0 { Ok(()) } else { Err(CUresult::GRAPH_EXEC_UPDATE_FAILURE.into()) }
    }

    fn cuGraphNodeSetEnabled(executable: Handle<Executable>, node: Handle<Node>, is_enabled: c_uint) {
        let executable = executable.get()?;
        let mut steps = lock(&executable.steps);
        let step = steps.iter_mut().find(|step| step.node == node);
        step.ok_or_else(|| Failure::value("the node is not of the graph that was instantiated"))?.is_enabled = is_enabled != 0;
        Ok(())
    }

    fn cuGraphNodeGetEnabled(executable: Handle<Executable>, node: Handle<Node>, is_enabled: Out<c_uint>) {
        let executable = executable.get()?;
        let steps = lock(&executable.steps);
        let step = steps.iter().find(|step| step.node == node);
        is_enabled.set(step.ok_or_else(|| Failure::value("the node is not of the graph that was instantiated"))?.is_enabled.into())
    }

    fn cuGraphNodeGetType(node: Handle<Node>, kind: Out<c_uint>) {
        kind.set(node.get()?.work()?.kind())
    }

    fn cuGraphDebugDotPrint(graph: Handle<Graph>, path: Text, _flags: c_uint) {
        let graph = graph.get()?;
        let mut text = String::from("digraph graph {\n");
        for step in graph.order()? {
            text += &format!("  n{} [label=\"{} {:?}\"];\n", step.index, step.index, step.work.operation()?);
            text.extend(step.dependencies.iter().map(|from| format!("  n{from} -> n{};\n", step.index)));
        }
        text += "}\n";
        let path = path.name()?;
        std::fs::write(path, text).map_err(|error| Failure::because(CUresult::OPERATING_SYSTEM, format!("{path}: {error}")))
    }

    fn cuUserObjectCreate(object: Out<Handle<UserObject>>, address: u64, destroy: Option<extern "C" fn(u64)>, count: c_uint, flags: c_uint) {
        object.require()?;
        let destroy = destroy.ok_or(CUresult::INVALID_VALUE)?;
        if count == 0 || flags != 1 {
            return Err(Failure::value("references or flags of an object"));
        }
        let made = UserObject { object: address, destroy, references: AtomicU64::new(count.into()) };
        object.set(UserObject::table().insert(Arc::new(made))?)
    }

    fn cuUserObjectRetain(object: Handle<UserObject>, count: c_uint) {
        object.get()?.references.fetch_add(count.into(), Ordering::AcqRel);
        Ok(())
    }

    fn cuUserObjectRelease(object: Handle<UserObject>, count: c_uint) {
        let found = object.get()?;
        if u64::from(count) > found.references.load(Ordering::Acquire) {
            return Err(Failure::value("more references than there are"));
        }
        found.release(count);
        if found.references.load(Ordering::Acquire) == 0 { object.remove().map(drop) } else { Ok(()) }
    }

    fn cuGraphRetainUserObject(graph: Handle<Graph>, object: Handle<UserObject>, count: c_uint, flags: c_uint) {
        let (graph, object) = (graph.get()?, object.get()?);
        if count == 0 || flags > 1 {
            return Err(Failure::value("references or flags of an object"));
        }
        // With the flag the references of the caller become those of the graph.
        if flags == 0 {
            object.references.fetch_add(count.into(), Ordering::AcqRel);
        }
        lock(&graph.kept).push((object, count));
        Ok(())
    }

    fn cuGraphReleaseUserObject(graph: Handle<Graph>, object: Handle<UserObject>, count: c_uint) {
        let (graph, object) = (graph.get()?, object.get()?);
        let mut kept = lock(&graph.kept);
        let found = kept.iter_mut().find(|(kept, references)| Arc::ptr_eq(kept, &object) && *references >= count);
        found.ok_or_else(|| Failure::value("the graph has fewer references"))?.1 -= count;
        kept.retain(|(_, references)| *references > 0);
        drop(kept);
        object.release(count);
        Ok(())
    }
}

stream_entries! {
    fn cuGraphInstantiateWithParams / cuGraphInstantiateWithParams_ptsz |null| (to: Out<Handle<Executable>>, graph: Handle<Graph>, parameters: Out<InstantiateParameters>) {
        let given = parameters.get()?;
        if given.flags & 2 != 0 {
            context::stream(given.upload.cast(), null)?;
        }
        let made = instantiate(to, graph, given.flags);
        parameters.set(InstantiateParameters { error_node: Handle::NULL, result: made.is_err().into(), ..given })?;
        made
    }

    fn cuGraphUpload / cuGraphUpload_ptsz |null| (executable: Handle<Executable>, stream: Handle<Stream>) {
        executable.get()?;
        context::stream(stream, null).map(drop)
    }

    fn cuGraphLaunch / cuGraphLaunch_ptsz |null| (executable: Handle<Executable>, stream: Handle<Stream>) {
        let stream = context::stream(stream, null)?;
        let executable = executable.get()?;
        let is_captured = lock(&stream.capture).is_some();
        let operations = if is_captured { executable.captured()? } else { executable.launch()? };
        stream.submit(Operation::Child(Arc::new(Program { operations })))
    }
}
