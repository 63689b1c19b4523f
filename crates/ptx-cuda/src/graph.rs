//! Graphs: their structure, and executable ones. The nodes of an executable graph are done one after the other, in an order that their
//! dependencies allow.

use std::collections::BTreeMap;
use std::ffi::c_uint;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use crate::driver::lock;
use crate::entry::{entries, stream_entries};
use crate::error::{Answer, CUresult, Failure};
use crate::graph_nodes::Work;
use crate::handle::{Handle, Object, objects};
use crate::operation::Operation;
use crate::pointer::{In, Out, Text};
use crate::stream::{self, Stream};
use crate::types::{EdgeData, InstantiateParameters, UpdateResult};

objects! { Graph, 13, INVALID_VALUE; Node, 14, INVALID_VALUE; Executable, 15, INVALID_VALUE; UserObject, 16, INVALID_VALUE; }

/// A graph.
#[derive(Debug)]
pub struct Graph {
    pub id: u64,
    state: Mutex<State>,
    /// Objects of the program that it keeps, with their references.
    kept: Mutex<Vec<(Arc<UserObject>, u32)>>,
}

#[derive(Debug, Default)]
struct State {
    nodes: BTreeMap<u32, NodeState>,
    next: u32,
}

#[derive(Clone, Debug)]
struct NodeState {
    handle: Handle<Node>,
    work: Work,
    dependencies: Vec<u32>,
}

/// A node, which is part of its graph.
#[derive(Debug)]
pub struct Node {
    graph: Weak<Graph>,
    pub index: u32,
}

/// The operations of a graph, in an order that its dependencies allow.
#[derive(Debug)]
pub struct Program {
    pub operations: Vec<Operation>,
}

/// An executable graph.
#[derive(Debug)]
pub struct Executable {
    id: u64,
    flags: u64,
    steps: Mutex<Vec<Step>>,
}

#[derive(Clone, Debug)]
struct Step {
    /// The node of the graph that it was made of, by its handle and number.
    node: Handle<Node>,
    index: u32,
    dependencies: Vec<u32>,
    work: Work,
    is_enabled: bool,
}

/// An object of the program that lives as long as graphs refer to it.
#[derive(Debug)]
pub struct UserObject {
    object: u64,
    destroy: extern "C" fn(u64),
    references: AtomicU64,
}

impl Drop for Graph {
    fn drop(&mut self) {
        for node in lock(&self.state).nodes.values() {
            // They are only removed here, or with the node.
            let _ = node.handle.remove();
        }
        for (object, count) in lock(&self.kept).iter() {
            object.release(*count);
        }
    }
}

impl UserObject {
    fn release(&self, count: u32) {
        if self.references.fetch_sub(count.into(), Ordering::AcqRel) == u64::from(count) {
            (self.destroy)(self.object);
        }
    }
}

fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Arc<Self> {
        Arc::new(Self { id: next_id(), state: Mutex::default(), kept: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Adds a node.
    pub fn add(self: &Arc<Self>, work: Work, mut dependencies: Vec<u32>) -> Answer<(u32, Handle<Node>)> {
        dependencies.sort_unstable();
        if dependencies.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Failure::value("a node depends on another one twice"));
        }
        let mut state = self.state();
        let index = state.next;
        let handle = Node::table().insert(Arc::new(Node { graph: Arc::downgrade(self), index }))?;
        state.next += 1;
        state.nodes.insert(index, NodeState { handle, work, dependencies });
        Ok((index, handle))
    }

    /// The numbers of nodes that must be of this graph.
    pub fn indices(self: &Arc<Self>, nodes: In<Handle<Node>>, count: usize) -> Answer<Vec<u32>> {
        let index = |node: Handle<Node>| {
            let (graph, index) = node.get()?.place()?;
            if Arc::ptr_eq(&graph, self) {
                Ok(index)
            } else {
                Err(Failure::value("a node is of another graph"))
            }
        };
        nodes.list(count)?.into_iter().map(index).collect()
    }

    /// The handles of nodes.
    pub fn handles(&self, indices: &[u32]) -> Vec<Handle<Node>> {
        let state = self.state();
        indices.iter().filter_map(|index| state.nodes.get(index)).map(|node| node.handle).collect()
    }

    /// The nodes on which no other one depends.
    pub fn leaves(&self) -> Vec<u32> {
        let state = self.state();
        let is_needed = |index: u32| state.nodes.values().any(|node| node.dependencies.contains(&index));
        state.nodes.keys().copied().filter(|&index| !is_needed(index)).collect()
    }

    /// A copy, whose nodes have the same numbers.
    pub fn copy(&self) -> Answer<Arc<Self>> {
        let copy = Self::new();
        let state = self.state();
        let mut new = State { nodes: BTreeMap::new(), next: state.next };
        for (&index, node) in &state.nodes {
            let handle = Node::table().insert(Arc::new(Node { graph: Arc::downgrade(&copy), index }))?;
            new.nodes.insert(
                index,
                NodeState { handle, work: node.work.copy()?, dependencies: node.dependencies.clone() },
            );
        }
        *copy.state() = new;
        Ok(copy)
    }

    /// The nodes in an order that their dependencies allow: of those that may be next, the one that was added first.
    fn order(&self) -> Answer<Vec<Step>> {
        let state = self.state();
        let mut missing: BTreeMap<u32, usize> =
            state.nodes.iter().map(|(&index, node)| (index, node.dependencies.len())).collect();
        let mut dependents: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (&index, node) in &state.nodes {
            for &dependency in &node.dependencies {
                dependents.entry(dependency).or_default().push(index);
            }
        }
        let mut ready: std::collections::BTreeSet<u32> =
            missing.iter().filter(|(_, count)| **count == 0).map(|(&index, _)| index).collect();
        let mut steps = Vec::new();
        while let Some(index) = ready.pop_first() {
            let node = &state.nodes[&index];
            let (dependencies, work) = (node.dependencies.clone(), node.work.clone());
            steps.push(Step { node: node.handle, index, dependencies, work, is_enabled: true });
            for dependent in dependents.remove(&index).unwrap_or_default() {
                if let Some(count) = missing.get_mut(&dependent) {
                    *count -= 1;
                    if *count == 0 {
                        ready.insert(dependent);
                    }
                }
            }
        }
        if steps.len() == state.nodes.len() {
            Ok(steps)
        } else {
            Err(Failure::value("the graph has a cycle"))
        }
    }

    /// Its operations in order.
    pub fn program(&self) -> Answer<Arc<Program>> {
        let operations: Answer<Vec<Operation>> =
            self.order()?.iter().map(|step| step.work.operation()).collect();
        Ok(Arc::new(Program { operations: operations? }))
    }

    fn instantiate(&self, flags: u64) -> Answer<Handle<Executable>> {
        // Memory is freed at the next launch, upload, launches by kernels, priorities of nodes.
        if flags & !0xf != 0 {
            return Err(Failure::value(format!("flags {flags:#x} of an executable graph")));
        }
        if flags & 4 != 0 {
            return Err(Failure::because(CUresult::NOT_SUPPORTED, "graphs that kernels launch"));
        }
        let steps = self.order()?;
        steps.iter().try_for_each(|step| step.work.operation().map(drop))?;
        Executable::table().insert(Arc::new(Executable { id: next_id(), flags, steps: Mutex::new(steps) }))
    }

    fn edges(&self) -> Vec<(Handle<Node>, Handle<Node>)> {
        let state = self.state();
        let of = |node: &NodeState| {
            let from = node.dependencies.iter().filter_map(|index| state.nodes.get(index));
            from.map(|from| (from.handle, node.handle)).collect::<Vec<_>>()
        };
        state.nodes.values().flat_map(of).collect()
    }

    fn connect(
        self: &Arc<Self>,
        from: In<Handle<Node>>,
        to: In<Handle<Node>>,
        count: usize,
        connects: bool,
    ) -> Answer {
        let (from, to) = (self.indices(from, count)?, self.indices(to, count)?);
        let mut state = self.state();
        for (from, to) in from.iter().zip(&to) {
            let node = state.nodes.get_mut(to).ok_or(CUresult::INVALID_VALUE)?;
            let has = node.dependencies.contains(from);
            if from == to || has == connects {
                return Err(Failure::value("an edge exists, or does not, or is from a node to itself"));
            }
            if connects {
                node.dependencies.push(*from);
            } else {
                node.dependencies.retain(|dependency| dependency != from);
            }
        }
        Ok(())
    }
}

impl Node {
    /// Its graph, and its number in it.
    pub fn place(&self) -> Answer<(Arc<Graph>, u32)> {
        let graph =
            self.graph.upgrade().ok_or_else(|| Failure::value("the graph of the node was destroyed"))?;
        Ok((graph, self.index))
    }

    /// What it does.
    pub fn work(&self) -> Answer<Work> {
        let (graph, index) = self.place()?;
        let state = graph.state();
        Ok(state.nodes.get(&index).ok_or(CUresult::INVALID_VALUE)?.work.clone())
    }

    /// Changes what it does to something of the same kind.
    pub fn set_work(&self, work: Work) -> Answer {
        let (graph, index) = self.place()?;
        let mut state = graph.state();
        let node = state.nodes.get_mut(&index).ok_or(CUresult::INVALID_VALUE)?;
        if node.work.kind() != work.kind() {
            return Err(Failure::value("parameters of another kind of node"));
        }
        node.work = work;
        Ok(())
    }

    fn dependencies(&self) -> Answer<Vec<Handle<Node>>> {
        let (graph, index) = self.place()?;
        let indices = graph.state().nodes.get(&index).map(|node| node.dependencies.clone());
        Ok(graph.handles(&indices.ok_or(CUresult::INVALID_VALUE)?))
    }

    fn dependents(&self) -> Answer<Vec<Handle<Node>>> {
        let (graph, index) = self.place()?;
        let state = graph.state();
        let needs = |node: &&NodeState| node.dependencies.contains(&index);
        Ok(state.nodes.values().filter(needs).map(|node| node.handle).collect())
    }
}

impl Executable {
    /// Changes what the step of a node does to something of the same kind.
    pub fn set_work(&self, node: Handle<Node>, work: Work) -> Answer {
        let mut steps = lock(&self.steps);
        let step = steps.iter_mut().find(|step| step.node == node);
        let step =
            step.ok_or_else(|| Failure::value("the node is not of the graph that was instantiated"))?;
        if step.work.kind() != work.kind() {
            return Err(Failure::value("parameters of another kind of node"));
        }
        step.work = work;
        Ok(())
    }

    /// What the step of a node does.
    pub fn work(&self, node: Handle<Node>) -> Answer<Work> {
        let steps = lock(&self.steps);
        let step = steps.iter().find(|step| step.node == node);
        Ok(step
            .ok_or_else(|| Failure::value("the node is not of the graph that was instantiated"))?
            .work
            .clone())
    }

    fn operations(&self) -> Answer<Vec<Operation>> {
        lock(&self.steps).iter().filter(|step| step.is_enabled).map(|step| step.work.operation()).collect()
    }

    /// Takes over what the nodes of a graph of the same structure do; else the reason, `CUgraphExecUpdateResult`, and the node.
    fn update(&self, graph: &Graph) -> Answer<Result<(), (c_uint, Handle<Node>)>> {
        const TOPOLOGY: c_uint = 2;
        const KIND: c_uint = 3;
        let new = graph.order()?;
        let mut steps = lock(&self.steps);
        if new.len() != steps.len() {
            return Ok(Err((TOPOLOGY, Handle::NULL)));
        }
        let place = |steps: &[Step], index: u32| steps.iter().position(|step| step.index == index);
        for (old, new_step) in steps.iter().zip(&new) {
            if old.work.kind() != new_step.work.kind() {
                return Ok(Err((KIND, new_step.node)));
            }
            let mut before: Vec<_> = old.dependencies.iter().map(|&index| place(&steps, index)).collect();
            let mut after: Vec<_> = new_step.dependencies.iter().map(|&index| place(&new, index)).collect();
            before.sort_unstable();
            after.sort_unstable();
            if before != after {
                return Ok(Err((TOPOLOGY, new_step.node)));
            }
        }
        for (old, new) in steps.iter_mut().zip(new) {
            old.work = new.work;
        }
        Ok(Ok(()))
    }
}

/// Writes as many items of a list as there is room for, and how many there are. Without a place, only the number.
fn store_list<T: Copy + Default>(to: Out<T>, count: Out<usize>, list: &[T]) -> Answer {
    if !to.is_null() {
        let room = count.get()?;
        // What is not a node is null.
        to.set_all((0..room).map(|index| list.get(index).copied().unwrap_or_default()))?;
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

/// All edges are of the usual kind.
fn store_edge_data(to: Out<EdgeData>, count: usize) -> Answer {
    if to.is_null() { Ok(()) } else { to.set_all((0..count).map(|_| EdgeData::default())) }
}

/// Edges of other kinds than the usual one let a node begin before another has ended, which is never of need here.
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
        Err((result, node)) => UpdateResult { result, node, from: Handle::NULL },
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
        graph.remove().map(drop)
    }

    fn cuGraphClone(clone: Out<Handle<Graph>>, graph: Handle<Graph>) {
        clone.require()?;
        clone.set(Graph::table().insert(graph.get()?.copy()?)?)
    }

    fn cuGraphNodeFindInClone(to: Out<Handle<Node>>, node: Handle<Node>, clone: Handle<Graph>) {
        let index = node.get()?.index;
        let found = clone.get()?.handles(&[index]);
        to.set(*found.first().ok_or_else(|| Failure::value("the clone has no such node"))?)
    }

    fn cuGraphDestroyNode(node: Handle<Node>) {
        let (graph, index) = node.get()?.place()?;
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
        node.set_if_wanted(found.node);
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
            stream::named(given.upload, null)?;
        }
        let made = instantiate(to, graph, given.flags);
        parameters.set(InstantiateParameters { error_node: Handle::NULL, result: made.is_err().into(), ..given })?;
        made
    }

    fn cuGraphUpload / cuGraphUpload_ptsz |null| (executable: Handle<Executable>, stream: Handle<Stream>) {
        executable.get()?;
        stream::named(stream, null).map(drop)
    }

    fn cuGraphLaunch / cuGraphLaunch_ptsz |null| (executable: Handle<Executable>, stream: Handle<Stream>) {
        let operations = executable.get()?.operations()?;
        let stream = stream::named(stream, null)?;
        stream.submit(Operation::Child(Arc::new(Program { operations })))
    }
}
