//! Graphs as they are built: nodes and their dependencies.

use std::collections::VecDeque;

use super::executable::ExecutableGraph;
use crate::operation::{Marks, Operation};
use crate::{Device, DeviceError};

/// A node of a graph, and of graphs that were cloned or instantiated from it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The node with a number. Graphs refuse those that they do not have.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// Its number in its graph.
    pub const fn number(self) -> u32 {
        self.0
    }
}

#[derive(Clone, Debug)]
struct Node {
    operation: Operation,
    /// What it waits for, in the order in which that was given.
    dependencies: Vec<NodeId>,
}

/// Operations with dependencies on each other. Clones are independent, and their nodes have the same numbers.
#[derive(Clone, Default, Debug)]
pub struct Graph {
    /// By number; `None` for nodes that were removed.
    nodes: Vec<Option<Node>>,
}

const NO_NODE: DeviceError = DeviceError::Graph("the graph has no such node");

impl Graph {
    /// A graph without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    fn node(&self, id: NodeId) -> Result<&Node, DeviceError> {
        self.nodes.get(id.0 as usize).and_then(Option::as_ref).ok_or(NO_NODE)
    }

    fn node_mut(&mut self, id: NodeId) -> Result<&mut Node, DeviceError> {
        self.nodes.get_mut(id.0 as usize).and_then(Option::as_mut).ok_or(NO_NODE)
    }

    /// Adds a node.
    ///
    /// # Errors
    /// [`DeviceError::Graph`] if a dependency is not a node, or given twice.
    pub fn add(&mut self, operation: Operation, dependencies: &[NodeId]) -> Result<NodeId, DeviceError> {
        for (index, &dependency) in dependencies.iter().enumerate() {
            self.node(dependency)?;
            if dependencies[..index].contains(&dependency) {
                return Err(DeviceError::Graph("a dependency is given twice"));
            }
        }
        let number = u32::try_from(self.nodes.len())
            .map_err(|_| DeviceError::Graph("the graph has too many nodes"))?;
        self.nodes.push(Some(Node { operation, dependencies: dependencies.to_vec() }));
        Ok(NodeId(number))
    }

    /// Removes a node and its dependencies.
    ///
    /// # Errors
    /// [`DeviceError::Graph`] if there is no such node.
    pub fn remove(&mut self, node: NodeId) -> Result<(), DeviceError> {
        self.node(node)?;
        if let Some(place) = self.nodes.get_mut(node.0 as usize) {
            *place = None;
        }
        self.nodes.iter_mut().flatten().for_each(|other| other.dependencies.retain(|&id| id != node));
        Ok(())
    }

    /// Adds a dependency: `node` waits for `dependency`. A cycle is an error when the graph is instantiated.
    ///
    /// # Errors
    /// [`DeviceError::Graph`] if there is no such node, or the dependency is there already.
    pub fn add_dependency(&mut self, node: NodeId, dependency: NodeId) -> Result<(), DeviceError> {
        self.node(dependency)?;
        let dependencies = &mut self.node_mut(node)?.dependencies;
        if node == dependency || dependencies.contains(&dependency) {
            return Err(DeviceError::Graph("the node depends on itself, or on the other one already"));
        }
        dependencies.push(dependency);
        Ok(())
    }

    /// Removes a dependency.
    ///
    /// # Errors
    /// [`DeviceError::Graph`] if there is no such node or dependency.
    pub fn remove_dependency(&mut self, node: NodeId, dependency: NodeId) -> Result<(), DeviceError> {
        let dependencies = &mut self.node_mut(node)?.dependencies;
        let index = dependencies.iter().position(|&id| id == dependency);
        dependencies.remove(index.ok_or(DeviceError::Graph("the node does not depend on the other one"))?);
        Ok(())
    }

    /// Its nodes, in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.nodes.iter().zip(0..).filter_map(|(node, number)| node.as_ref().map(|_| NodeId(number)))
    }

    /// The operation of a node.
    ///
    /// # Errors
    /// [`DeviceError::Graph`] if there is no such node.
    pub fn operation(&self, node: NodeId) -> Result<&Operation, DeviceError> {
        Ok(&self.node(node)?.operation)
    }

    /// Replaces the operation of a node, by one of the same kind.
    ///
    /// # Errors
    /// [`DeviceError::Graph`] if there is no such node, or the kind differs.
    pub fn set_operation(&mut self, node: NodeId, operation: Operation) -> Result<(), DeviceError> {
        let place = &mut self.node_mut(node)?.operation;
        if std::mem::discriminant(place) != std::mem::discriminant(&operation) {
            return Err(DeviceError::Graph("the operation is of another kind than that of the node"));
        }
        *place = operation;
        Ok(())
    }

    /// The nodes that a node waits for.
    ///
    /// # Errors
    /// [`DeviceError::Graph`] if there is no such node.
    pub fn dependencies(&self, node: NodeId) -> Result<&[NodeId], DeviceError> {
        Ok(&self.node(node)?.dependencies)
    }

    /// The nodes that wait for a node.
    ///
    /// # Errors
    /// [`DeviceError::Graph`] if there is no such node.
    pub fn dependents(&self, node: NodeId) -> Result<Vec<NodeId>, DeviceError> {
        self.node(node)?;
        let waits = |id: &NodeId| self.node(*id).is_ok_and(|other| other.dependencies.contains(&node));
        Ok(self.nodes().filter(waits).collect())
    }

    /// The nodes that wait for no other.
    pub fn roots(&self) -> Vec<NodeId> {
        self.nodes().filter(|&id| self.node(id).is_ok_and(|node| node.dependencies.is_empty())).collect()
    }

    /// All dependencies: a node and one that it waits for.
    pub fn edges(&self) -> Vec<(NodeId, NodeId)> {
        let of = |id: NodeId| {
            let node = self.node(id).ok();
            node.into_iter()
                .flat_map(move |node| node.dependencies.iter().map(move |&dependency| (id, dependency)))
        };
        self.nodes().flat_map(of).collect()
    }

    /// The nodes in an order that their dependencies allow; of those that may be next the one that was added first of all that became so.
    ///
    /// # Errors
    /// [`DeviceError::Graph`] if there is a cycle.
    pub fn order(&self) -> Result<Vec<NodeId>, DeviceError> {
        let mut waiting: Vec<usize> = vec![0; self.nodes.len()];
        let mut dependents: Vec<Vec<NodeId>> = vec![Vec::new(); self.nodes.len()];
        for (node, dependency) in self.edges() {
            waiting[node.0 as usize] += 1;
            dependents[dependency.0 as usize].push(node);
        }
        let mut ready: VecDeque<NodeId> = self.roots().into();
        let mut order = Vec::new();
        while let Some(node) = ready.pop_front() {
            order.push(node);
            for &next in &dependents[node.0 as usize] {
                waiting[next.0 as usize] -= 1;
                if waiting[next.0 as usize] == 0 {
                    ready.push_back(next);
                }
            }
        }
        if order.len() == self.nodes().count() {
            Ok(order)
        } else {
            Err(DeviceError::Graph("the graph has a cycle"))
        }
    }

    /// Whether a node is among some nodes or one of those that they wait for, directly or indirectly.
    pub(crate) fn is_before(&self, node: NodeId, later: &[NodeId]) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut rest = later.to_vec();
        while let Some(next) = rest.pop() {
            if next == node {
                return true;
            }
            if let Some(seen) = seen.get_mut(next.0 as usize)
                && !std::mem::replace(seen, true)
                && let Ok(found) = self.node(next)
            {
                rest.extend(&found.dependencies);
            }
        }
        false
    }

    /// Prepares it for launches.
    ///
    /// # Errors
    /// [`DeviceError::Graph`] if it, or a graph in it, has a cycle, or graphs are nested too deeply.
    pub fn instantiate(&self) -> Result<ExecutableGraph, DeviceError> {
        self.check_nesting(MOST_NESTING)?;
        ExecutableGraph::new(self.clone())
    }

    fn check_nesting(&self, most: usize) -> Result<(), DeviceError> {
        let most = most.checked_sub(1).ok_or(DeviceError::Graph("graphs are nested too deeply"))?;
        for id in self.nodes() {
            if let Operation::Graph(inner) = self.operation(id)? {
                inner.order()?;
                inner.check_nesting(most)?;
            }
        }
        Ok(())
    }

    /// Begins the recordings of events of its operations, in the order in which they are performed.
    pub(crate) fn begin(&self, marks: &mut Marks) {
        // A graph with a cycle is not performed either.
        for id in self.order().into_iter().flatten() {
            if let Ok(operation) = self.operation(id) {
                operation.begin(marks);
            }
        }
    }

    /// Performs its operations as part of another graph.
    pub(crate) fn perform(&self, device: &Device, marks: &mut Marks) -> Result<(), DeviceError> {
        self.order()?.into_iter().try_for_each(|id| self.operation(id)?.perform(device, marks))
    }
}

/// Graphs in graphs.
const MOST_NESTING: usize = 64;
