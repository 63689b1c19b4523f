//! Captures: what streams are asked to do becomes a graph.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::nodes::{Graph, NodeId};
use crate::DeviceError;
use crate::operation::Operation;

/// A capture, which several streams may take part in.
#[derive(Debug)]
pub(crate) struct Capture {
    id: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    graph: Graph,
    /// Why it cannot end with a graph, if it was invalidated.
    invalid: Option<&'static str>,
    /// The nodes that the next operation of each stream in it waits for; the stream that began it is the first.
    streams: Vec<Vec<NodeId>>,
    has_ended: bool,
}

/// The point of a capture at which an event was recorded.
#[derive(Clone, Debug)]
pub struct CapturedPoint {
    capture: Arc<Capture>,
    nodes: Vec<NodeId>,
}

/// The part of a stream in a capture.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    capture: Arc<Capture>,
    stream: usize,
}

/// The state of the capture of a stream.
#[derive(Clone, Debug)]
pub struct CaptureInfo {
    /// A number that no other capture of the process has.
    pub id: u64,
    /// The nodes that the next operation of the stream will wait for.
    pub dependencies: Vec<NodeId>,
    /// Whether it can no longer end with a graph.
    pub is_invalid: bool,
}

impl Capture {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a capture that adds to a graph; the first operation waits for these nodes.
    pub(crate) fn begin(graph: Graph, dependencies: Vec<NodeId>) -> Result<Part, DeviceError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        dependencies.iter().try_for_each(|&node| graph.operation(node).map(drop))?;
        let state = State { graph, invalid: None, streams: vec![dependencies], has_ended: false };
        let capture = Self { id: NEXT.fetch_add(1, Ordering::Relaxed), state: Mutex::new(state) };
        Ok(Part { capture: Arc::new(capture), stream: 0 })
    }
}

impl CapturedPoint {
    /// Begins the part of another stream in its capture, from this point on.
    pub(crate) fn join(&self) -> Result<Part, DeviceError> {
        let mut state = self.capture.lock();
        if state.has_ended {
            return Err(DeviceError::Capture("the event was recorded in a capture that has ended"));
        }
        state.streams.push(self.nodes.clone());
        Ok(Part { capture: self.capture.clone(), stream: state.streams.len() - 1 })
    }
}

impl Part {
    /// Whether the stream of this part began the capture.
    pub(crate) fn is_first(&self) -> bool {
        self.stream == 0
    }

    /// Whether the capture goes on: it ends for all of its streams.
    pub(crate) fn is_active(&self) -> bool {
        !self.capture.lock().has_ended
    }

    fn nodes(&self, state: &State) -> Vec<NodeId> {
        let nodes = state.streams.get(self.stream);
        debug_assert!(nodes.is_some(), "a part without a place");
        nodes.into_iter().flatten().copied().collect()
    }

    /// Adds an operation after all earlier ones of the stream.
    pub(crate) fn add(&self, operation: Operation) -> Result<NodeId, DeviceError> {
        let mut state = self.capture.lock();
        if let Some(why) = state.invalid {
            return Err(DeviceError::Capture(why));
        }
        let nodes = self.nodes(&state);
        let node = state.graph.add(operation, &nodes)?;
        if let Some(place) = state.streams.get_mut(self.stream) {
            *place = vec![node];
        }
        Ok(node)
    }

    /// The point after all earlier operations of the stream.
    pub(crate) fn point(&self) -> CapturedPoint {
        let nodes = self.nodes(&self.capture.lock());
        CapturedPoint { capture: self.capture.clone(), nodes }
    }

    /// Makes later operations of the stream wait for a point.
    pub(crate) fn wait(&self, point: &CapturedPoint) -> Result<(), DeviceError> {
        if !Arc::ptr_eq(&self.capture, &point.capture) {
            const OTHER: &str = "the event was recorded in another capture";
            self.invalidate(OTHER);
            return Err(DeviceError::Capture(OTHER));
        }
        let mut state = self.capture.lock();
        if let Some(place) = state.streams.get_mut(self.stream) {
            place.extend(&point.nodes);
            place.sort_unstable();
            place.dedup();
        }
        Ok(())
    }

    /// Replaces the nodes that the next operation of the stream waits for, or adds to them.
    pub(crate) fn set_dependencies(&self, nodes: &[NodeId], adds: bool) -> Result<(), DeviceError> {
        let mut state = self.capture.lock();
        nodes.iter().try_for_each(|&node| state.graph.operation(node).map(drop))?;
        if let Some(place) = state.streams.get_mut(self.stream) {
            if !adds {
                place.clear();
            }
            place.extend(nodes);
            place.sort_unstable();
            place.dedup();
        }
        Ok(())
    }

    /// Makes the capture end without a graph.
    pub(crate) fn invalidate(&self, why: &'static str) {
        self.capture.lock().invalid.get_or_insert(why);
    }

    pub(crate) fn info(&self) -> CaptureInfo {
        let state = self.capture.lock();
        let dependencies = self.nodes(&state);
        CaptureInfo { id: self.capture.id, dependencies, is_invalid: state.invalid.is_some() }
    }

    /// A copy of the graph as it is now.
    pub(crate) fn graph(&self) -> Graph {
        self.capture.lock().graph.clone()
    }

    /// Ends the capture.
    pub(crate) fn end(&self) -> Result<Graph, DeviceError> {
        let mut state = self.capture.lock();
        state.has_ended = true;
        if let Some(why) = state.invalid {
            return Err(DeviceError::Capture(why));
        }
        let Some((first, others)) = state.streams.split_first() else {
            return Err(DeviceError::Internal("a capture without a stream".to_owned()));
        };
        let is_joined = |node: &NodeId| state.graph.is_before(*node, first);
        if !others.iter().flatten().all(is_joined) {
            return Err(DeviceError::Capture(
                "a stream has work in the capture that the stream that began it does not wait for",
            ));
        }
        Ok(std::mem::take(&mut state.graph))
    }
}
