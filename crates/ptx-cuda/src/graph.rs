//! Graphs: their structure, and executable ones. The nodes of an executable graph are performed one after the other, in an order that their
//! dependencies allow.

use std::collections::BTreeMap;
use std::ffi::c_uint;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use crate::driver::lock;
use crate::error::{Answer, CUresult, Failure};
use crate::graph_nodes::Work;
use crate::handle::{Handle, Object, objects};
use crate::host_call;
use crate::operation::{Operation, Program};
use crate::pointer::In;

objects! { Graph, 13, INVALID_VALUE; Node, 14, INVALID_VALUE; Executable, 15, INVALID_VALUE; UserObject, 16, INVALID_VALUE; }

/// `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH`.
const AUTO_FREE_ON_LAUNCH: u64 = 1;

/// A graph.
#[derive(Debug)]
pub struct Graph {
    pub id: u64,
    pub state: Mutex<State>,
    /// Objects of the program that it retains, with the number of references.
    pub kept: Mutex<Vec<(Arc<UserObject>, u32)>>,
    /// Whether a node of another graph contains it.
    is_child: AtomicBool,
    /// The executable graph of it that was made last.
    executable: Mutex<Weak<Executable>>,
}

#[derive(Debug, Default)]
pub struct State {
    pub nodes: BTreeMap<u32, NodeState>,
    pub next: u32,
}

#[derive(Clone, Debug)]
pub struct NodeState {
    pub handle: Handle<Node>,
    pub work: Work,
    pub dependencies: Vec<u32>,
}

/// A node, which is part of its graph.
#[derive(Debug)]
pub struct Node {
    pub graph: Weak<Graph>,
    pub index: u32,
}

/// An executable graph.
#[derive(Debug)]
pub struct Executable {
    pub id: u64,
    pub flags: u64,
    pub steps: Mutex<Vec<Step>>,
}

#[derive(Clone, Debug)]
pub struct Step {
    /// The node of the graph that it was made of, by its handle and number.
    pub node: Handle<Node>,
    pub index: u32,
    pub dependencies: Vec<u32>,
    pub work: Work,
    pub is_enabled: bool,
}

/// An object of the program that lives as long as graphs refer to it.
#[derive(Debug)]
pub struct UserObject {
    pub object: u64,
    pub destroy: extern "C" fn(u64),
    pub references: AtomicU64,
}

impl Drop for Graph {
    fn drop(&mut self) {
        for node in lock(&self.state).nodes.values() {
            // Its handle is removed only here and when the node is destroyed.
            let _ = node.handle.remove();
        }
        for (object, count) in lock(&self.kept).iter() {
            object.release(*count);
        }
    }
}

impl UserObject {
    pub fn release(&self, count: u32) {
        if self.references.fetch_sub(count.into(), Ordering::AcqRel) == u64::from(count) {
            host_call::call(|| (self.destroy)(self.object));
        }
    }
}

/// Fails unless an operation may take the place of another one. Nodes that allocate or free memory keep their parameters.
fn require_replaceable(old: &Work, new: &Work) -> Answer {
    if old.kind() != new.kind() || old.is_of_memory() {
        return Err(Failure::value(
            "parameters of another kind of node, or of one that allocates or frees memory",
        ));
    }
    Ok(())
}

fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            id: next_id(),
            state: Mutex::default(),
            kept: Mutex::default(),
            is_child: AtomicBool::new(false),
            executable: Mutex::default(),
        })
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Makes it the graph of a node.
    ///
    /// # Errors
    /// If it is that of another node already.
    pub fn set_child(&self) -> Answer {
        if self.is_child.swap(true, Ordering::AcqRel) {
            return Err(Failure::value("the graph belongs to a node"));
        }
        Ok(())
    }

    pub fn is_child(&self) -> bool {
        self.is_child.load(Ordering::Acquire)
    }

    /// Fails if nodes of it allocate or free memory: it is neither copied, nor are nodes and dependencies removed.
    pub fn refuse_memory_nodes(&self) -> Answer {
        let state = self.state();
        if state.nodes.values().any(|node| node.work.is_of_memory()) {
            return Err(Failure::value("the graph has nodes that allocate or free memory"));
        }
        Ok(())
    }

    /// Adds a node.
    pub fn add(self: &Arc<Self>, work: Work, mut dependencies: Vec<u32>) -> Answer<(u32, Handle<Node>)> {
        dependencies.sort_unstable();
        if dependencies.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Failure::value("a node depends on another one twice"));
        }
        let mut state = self.state();
        let index = state.next;
        match &work {
            Work::Allocate(..) | Work::Free(_) if self.is_child() => {
                return Err(Failure::value("a graph of a node gets no nodes that allocate or free memory"));
            }
            Work::Allocate(_, memory) => memory.set_owner(self.id),
            Work::Free(memory) => memory.add_free(self.id)?,
            _ => {}
        }
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
    pub fn order(&self) -> Answer<Vec<Step>> {
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
            for dependent in dependents.remove(&index).into_iter().flatten() {
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

    pub fn instantiate(&self, flags: u64) -> Answer<Handle<Executable>> {
        // `CUDA_GRAPH_INSTANTIATE_FLAG_*`: automatic free on launch (1), upload (2), launches by kernels (4), priorities of nodes (8).
        if flags & !0xf != 0 {
            return Err(Failure::value(format!("flags {flags:#x} of an executable graph")));
        }
        if flags & 4 != 0 {
            return Err(Failure::because(CUresult::NOT_SUPPORTED, "graphs that kernels launch"));
        }
        let has_memory = self.refuse_memory_nodes().is_err();
        let mut last = lock(&self.executable);
        if has_memory && (self.is_child() || last.strong_count() > 0) {
            return Err(Failure::value(
                "a graph with nodes that allocate or free memory has one executable graph",
            ));
        }
        let steps = self.order()?;
        steps.iter().try_for_each(|step| step.work.operation().map(drop))?;
        let made = Arc::new(Executable { id: next_id(), flags, steps: Mutex::new(steps) });
        *last = Arc::downgrade(&made);
        drop(last);
        Executable::table().insert(made)
    }

    pub fn edges(&self) -> Vec<(Handle<Node>, Handle<Node>)> {
        let state = self.state();
        let of = |node: &NodeState| {
            let from = node.dependencies.iter().filter_map(|index| state.nodes.get(index));
            from.map(|from| (from.handle, node.handle)).collect::<Vec<_>>()
        };
        state.nodes.values().flat_map(of).collect()
    }

    pub fn connect(
        self: &Arc<Self>,
        from: In<Handle<Node>>,
        to: In<Handle<Node>>,
        count: usize,
        connects: bool,
    ) -> Answer {
        let (from, to) = (self.indices(from, count)?, self.indices(to, count)?);
        if !connects {
            self.refuse_memory_nodes()?;
        }
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

    /// Its operation.
    pub fn work(&self) -> Answer<Work> {
        let (graph, index) = self.place()?;
        let state = graph.state();
        Ok(state.nodes.get(&index).ok_or(CUresult::INVALID_VALUE)?.work.clone())
    }

    /// Replaces its operation by one of the same kind.
    pub fn set_work(&self, work: Work) -> Answer {
        let (graph, index) = self.place()?;
        let mut state = graph.state();
        let node = state.nodes.get_mut(&index).ok_or(CUresult::INVALID_VALUE)?;
        require_replaceable(&node.work, &work)?;
        node.work = work;
        Ok(())
    }

    pub fn dependencies(&self) -> Answer<Vec<Handle<Node>>> {
        let (graph, index) = self.place()?;
        let indices = graph.state().nodes.get(&index).map(|node| node.dependencies.clone());
        Ok(graph.handles(&indices.ok_or(CUresult::INVALID_VALUE)?))
    }

    pub fn dependents(&self) -> Answer<Vec<Handle<Node>>> {
        let (graph, index) = self.place()?;
        let state = graph.state();
        let needs = |node: &&NodeState| node.dependencies.contains(&index);
        Ok(state.nodes.values().filter(needs).map(|node| node.handle).collect())
    }
}

impl Executable {
    /// Replaces the operation of the step of a node by one of the same kind.
    pub fn set_work(&self, node: Handle<Node>, work: Work) -> Answer {
        let mut steps = lock(&self.steps);
        let step = steps.iter_mut().find(|step| step.node == node);
        let step =
            step.ok_or_else(|| Failure::value("the node is not of the graph that was instantiated"))?;
        require_replaceable(&step.work, &work)?;
        step.work = work;
        Ok(())
    }

    /// The operation of the step of a node.
    pub fn work(&self, node: Handle<Node>) -> Answer<Work> {
        let steps = lock(&self.steps);
        let step = steps.iter().find(|step| step.node == node);
        Ok(step
            .ok_or_else(|| Failure::value("the node is not of the graph that was instantiated"))?
            .work
            .clone())
    }

    /// The operations of a launch in a stream that is captured.
    ///
    /// # Errors
    /// If nodes allocate or free memory: a graph with such nodes is not copied to another graph.
    pub fn captured(&self) -> Answer<Vec<Operation>> {
        if !self.memory_nodes()?.is_empty() {
            return Err(Failure::value("a graph with nodes that allocate or free memory is not captured"));
        }
        self.operations()
    }

    /// The memory that its steps allocate and free, those of graphs within it included.
    fn memory_nodes(&self) -> Answer<Vec<Work>> {
        let mut found = Vec::new();
        let mut rest: Vec<Step> = lock(&self.steps).clone();
        while let Some(step) = rest.pop() {
            match step.work {
                Work::Child(child) => rest.extend(child.graph.order()?),
                work @ (Work::Allocate(..) | Work::Free(_)) => found.push(work),
                _ => {}
            }
        }
        Ok(found)
    }

    /// The operations of a launch. It allocates and frees the memory of its nodes now, in the order of launches, and its last operations hold that memory.
    ///
    /// # Errors
    /// If memory of an earlier launch is still allocated, unless such memory is freed automatically, or memory that a node frees is not.
    pub fn launch(&self) -> Answer<Vec<Operation>> {
        let mut operations = self.operations()?;
        let frees_automatically = self.flags & AUTO_FREE_ON_LAUNCH != 0;
        let memory_nodes = self.memory_nodes()?;
        for work in &memory_nodes {
            match work {
                Work::Allocate(_, memory) if memory.is_allocated() && !frees_automatically => {
                    return Err(Failure::value("memory that an earlier launch has allocated is not freed"));
                }
                Work::Free(memory) if !memory.is_freed_in_its_graph() && !memory.is_allocated() => {
                    return Err(Failure::value("a node frees memory that is not allocated"));
                }
                _ => {}
            }
        }
        for work in memory_nodes {
            let (Work::Allocate(_, memory) | Work::Free(memory)) = &work else { continue };
            match &work {
                _ if memory.is_freed_in_its_graph() => {}
                Work::Allocate(..) => memory.allocate(),
                _ => memory.free()?,
            }
            operations.push(Operation::Hold(memory.clone()));
        }
        Ok(operations)
    }

    /// The operations of its steps.
    fn operations(&self) -> Answer<Vec<Operation>> {
        let operation = |step: &Step| {
            if let Work::Kernel(launch) = &step.work {
                launch.require_blocks()?;
            }
            step.work.operation()
        };
        lock(&self.steps).iter().filter(|step| step.is_enabled).map(operation).collect()
    }

    /// Replaces the operations by those of a graph with the same structure; otherwise returns the reason, `CUgraphExecUpdateResult`, and the node that differs.
    pub fn update(&self, graph: &Graph) -> Answer<Result<(), (c_uint, Handle<Node>)>> {
        const TOPOLOGY: c_uint = 2;
        const KIND: c_uint = 3;
        const PARAMETERS: c_uint = 5;
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
        let memory = |work: &Work| match work {
            Work::Allocate(_, memory) | Work::Free(memory) => Some(memory.address),
            _ => None,
        };
        let differs = steps.iter().zip(&new).find(|(old, new)| memory(&old.work) != memory(&new.work));
        if let Some((_, new)) = differs {
            return Ok(Err((PARAMETERS, new.node)));
        }
        for (old, new) in steps.iter_mut().zip(new) {
            old.work = new.work;
        }
        Ok(Ok(()))
    }
}
