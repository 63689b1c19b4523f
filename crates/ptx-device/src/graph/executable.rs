//! Graphs that are launched.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::nodes::{Graph, NodeId};
use crate::operation::{Marks, Operation};
use crate::{Device, DeviceError};

/// A graph that is ready to be launched by [`Stream::launch_graph`](crate::Stream::launch_graph). Changes hold for subsequent launches.
#[derive(Clone, Debug)]
pub struct ExecutableGraph {
    plan: Arc<Plan>,
}

/// What a launch performs.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    graph: Graph,
    order: Vec<NodeId>,
    /// The nodes that are not performed.
    disabled: BTreeSet<NodeId>,
}

/// Why a graph does not fit an executable one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// The number of nodes or their dependencies differ.
    Topology,
    /// The operation of a node is of another kind.
    Kind(NodeId),
    /// It has a cycle, or graphs are nested too deeply.
    Invalid,
}

impl Plan {
    /// The operations that are performed, in order.
    fn operations(&self) -> impl Iterator<Item = &Operation> {
        let enabled = self.order.iter().filter(|id| !self.disabled.contains(id));
        enabled.filter_map(|&id| self.graph.operation(id).ok())
    }

    /// Begins the recordings of events, when it is queued.
    pub(crate) fn begin(&self) -> Marks {
        let mut marks = Marks::default();
        self.operations().for_each(|operation| operation.begin(&mut marks));
        marks
    }

    /// Performs all operations. Calls of host functions and recordings of events happen also after an error, of which the first is returned.
    pub(crate) fn perform(&self, device: &Device, mut marks: Marks) -> Result<(), DeviceError> {
        let mut result = Ok(());
        for operation in self.operations() {
            if result.is_ok() || matches!(operation, Operation::Host(_) | Operation::Record(_)) {
                result = result.and(operation.perform(device, &mut marks));
            }
        }
        // Those of graphs in it that were not performed.
        marks.iter().for_each(|mark| mark.reach());
        result
    }
}

impl ExecutableGraph {
    pub(super) fn new(graph: Graph) -> Result<Self, DeviceError> {
        let order = graph.order()?;
        Ok(Self { plan: Arc::new(Plan { graph, order, disabled: BTreeSet::new() }) })
    }

    /// What a launch that starts now performs.
    pub(crate) fn plan(&self) -> Arc<Plan> {
        self.plan.clone()
    }

    /// It as an operation of another graph.
    pub(crate) fn as_operation(&self) -> Result<Operation, DeviceError> {
        if !self.plan.disabled.is_empty() {
            return Err(DeviceError::Capture("a graph with disabled nodes cannot be captured"));
        }
        Ok(Operation::Graph(Arc::new(self.plan.graph.clone())))
    }

    /// The graph that launches perform.
    pub fn graph(&self) -> &Graph {
        &self.plan.graph
    }

    /// Replaces the operation of a node, by one of the same kind.
    ///
    /// # Errors
    /// [`DeviceError::Graph`] if there is no such node, or the kind differs.
    pub fn set_operation(&mut self, node: NodeId, operation: Operation) -> Result<(), DeviceError> {
        if let Operation::Graph(inner) = &operation {
            inner.instantiate()?;
        }
        Arc::make_mut(&mut self.plan).graph.set_operation(node, operation)
    }

    /// Whether launches perform a node.
    ///
    /// # Errors
    /// [`DeviceError::Graph`] if there is no such node.
    pub fn is_enabled(&self, node: NodeId) -> Result<bool, DeviceError> {
        self.plan.graph.operation(node)?;
        Ok(!self.plan.disabled.contains(&node))
    }

    /// Sets whether launches perform a node. Others wait for what it waits for in any case.
    ///
    /// # Errors
    /// [`DeviceError::Graph`] if there is no such node.
    pub fn set_enabled(&mut self, node: NodeId, is_enabled: bool) -> Result<(), DeviceError> {
        self.plan.graph.operation(node)?;
        let disabled = &mut Arc::make_mut(&mut self.plan).disabled;
        if is_enabled {
            disabled.remove(&node);
        } else {
            disabled.insert(node);
        }
        Ok(())
    }

    /// Takes over the operations of a graph with the same nodes and dependencies, in the same order, as the one that it was instantiated from. Nodes that
    /// were disabled stay so.
    ///
    /// # Errors
    /// What differs; nothing is changed then.
    pub fn update(&mut self, graph: &Graph) -> Result<(), Mismatch> {
        let (own, other): (Vec<NodeId>, Vec<NodeId>) =
            (self.plan.graph.nodes().collect(), graph.nodes().collect());
        let index = |ids: &[NodeId], id: NodeId| ids.binary_search(&id).ok();
        let places = |graph: &Graph, ids: &[NodeId]| -> Vec<(Option<usize>, Option<usize>)> {
            let mut edges: Vec<_> =
                graph.edges().into_iter().map(|(a, b)| (index(ids, a), index(ids, b))).collect();
            edges.sort_unstable();
            edges
        };
        if own.len() != other.len() || places(&self.plan.graph, &own) != places(graph, &other) {
            return Err(Mismatch::Topology);
        }
        graph.instantiate().map_err(|_| Mismatch::Invalid)?;
        let mut updated = (*self.plan).clone();
        for (&own, &other) in own.iter().zip(&other) {
            let operation = graph.operation(other).map_err(|_| Mismatch::Topology)?;
            updated.graph.set_operation(own, operation.clone()).map_err(|_| Mismatch::Kind(other))?;
        }
        self.plan = Arc::new(updated);
        Ok(())
    }
}
