//! Graphs: built, captured, changed and launched. What is expected follows from the operations, which do not commute: a value is doubled or increased.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ptx_device::graph::{
    Condition, Graph, HostFunction, KernelLaunch, Mismatch, NodeId, Operation, ValueSize,
};
use ptx_device::{BoxSize, Device, ErrorKind, Event, Kernel, Module, Pitched, Shape, Stream};

const KERNELS: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry step(.param .u64 p, .param .u32 factor, .param .u32 summand)
{
    .reg .b64 %a; .reg .b32 %v, %f, %s;
    ld.param.u64 %a, [p]; ld.param.u32 %f, [factor]; ld.param.u32 %s, [summand];
    ld.global.u32 %v, [%a]; mad.lo.u32 %v, %v, %f, %s; st.global.u32 [%a], %v;
    ret;
}
.visible .entry stop() { trap; }
";

struct Ground {
    device: Device,
    stream: Stream,
    step: Kernel,
    stop: Kernel,
    at: u64,
}

impl Ground {
    fn new() -> Self {
        let device = Device::new();
        let module = Module::load(&device, "step.ptx", KERNELS).unwrap();
        let (step, stop) = (module.kernel("step").unwrap(), module.kernel("stop").unwrap());
        let (stream, at) = (Stream::new(&device).unwrap(), device.allocate(4).unwrap());
        Self { device, stream, step, stop, at }
    }

    fn operation(&self, factor: u32, summand: u32) -> Operation {
        let arguments = [self.at.into(), factor.into(), summand.into()];
        Operation::Kernel(KernelLaunch::new(&self.step, &Shape::default(), &arguments).unwrap())
    }

    /// The value, after setting it, and a launch.
    fn launched(&self, graph: &ptx_device::graph::ExecutableGraph, before: u32) -> u32 {
        self.device.write(self.at, &before.to_le_bytes()).unwrap();
        self.stream.launch_graph(graph).unwrap();
        self.value()
    }

    fn value(&self) -> u32 {
        self.stream.synchronize().unwrap();
        let mut bytes = [0; 4];
        self.device.read(self.at, &mut bytes).unwrap();
        u32::from_le_bytes(bytes)
    }

    fn capture(&self, stream: &Stream, factor: u32, summand: u32) {
        let arguments = [self.at.into(), factor.into(), summand.into()];
        stream.launch(&self.step, &Shape::default(), &arguments).unwrap();
    }
}

#[test]
fn operations_come_after_what_they_depend_on() {
    let ground = Ground::new();
    let mut graph = Graph::new();
    // Added in the reverse of the order that the dependencies ask for: double, add 1, double.
    let last = graph.add(ground.operation(2, 0), &[]).unwrap();
    let middle = graph.add(ground.operation(1, 1), &[]).unwrap();
    let first = graph.add(ground.operation(2, 0), &[]).unwrap();
    graph.add_dependency(last, middle).unwrap();
    graph.add_dependency(middle, first).unwrap();
    assert_eq!((graph.order().unwrap(), graph.roots()), (vec![first, middle, last], vec![first]));
    assert_eq!(
        (graph.edges(), graph.dependents(middle).unwrap()),
        (vec![(last, middle), (middle, first)], vec![last])
    );
    let executable = graph.instantiate().unwrap();
    assert_eq!(ground.launched(&executable, 3), 14);
    assert_eq!(ground.launched(&executable, 4), 18);

    // A clone is independent, with the same nodes.
    let mut clone = graph.clone();
    clone.set_operation(middle, ground.operation(1, 5)).unwrap();
    assert_eq!(ground.launched(&clone.instantiate().unwrap(), 3), 22);
    assert_eq!(ground.launched(&graph.instantiate().unwrap(), 3), 14);

    graph.add_dependency(first, last).unwrap();
    assert_eq!(graph.instantiate().unwrap_err().kind(), ErrorKind::InvalidGraph);
    graph.remove_dependency(first, last).unwrap();
    graph.remove(middle).unwrap();
    assert_eq!((graph.edges(), graph.nodes().collect::<Vec<_>>()), (vec![], vec![last, first]));
    assert!(graph.remove(middle).is_err() && graph.operation(middle).is_err());
    assert!(graph.add(Operation::Empty, &[middle]).is_err());
    assert!(graph.add(Operation::Empty, &[first, first]).is_err());
    assert!(graph.add_dependency(first, first).is_err() && graph.remove_dependency(first, last).is_err());
    assert_eq!(ground.launched(&graph.instantiate().unwrap(), 3), 12);
}

#[test]
fn all_kinds_of_operations_are_performed() {
    let ground = Ground::new();
    let other = ground.device.allocate(16).unwrap();
    let calls = Arc::new(AtomicUsize::new(0));
    let called = calls.clone();
    let event = Event::new();
    let mut graph = Graph::new();
    let mut last = None;
    let mut inner = Graph::new();
    inner.add(ground.operation(3, 1), &[]).unwrap();
    let row = Pitched::row;
    for operation in [
        Operation::Empty,
        Operation::Write {
            to: row(ground.at),
            bytes: [5, 0, 0, 0].into(),
            pitch: 0,
            slice: 0,
            size: BoxSize::row(4),
        },
        Operation::Graph(Arc::new(inner)),
        Operation::Copy { to: row(other + 4), from: row(ground.at), size: BoxSize::row(4) },
        Operation::Fill { to: row(other), pattern: [7, 8].into(), size: BoxSize::row(4) },
        Operation::Host(HostFunction::new(move || {
            called.fetch_add(1, Ordering::SeqCst);
        })),
        Operation::Record(event.in_operation()),
        Operation::Wait(event.in_operation()),
    ] {
        let dependencies: Vec<NodeId> = last.into_iter().collect();
        last = Some(graph.add(operation, &dependencies).unwrap());
    }
    let executable = graph.instantiate().unwrap();
    for launches in 1..3 {
        assert_eq!((ground.launched(&executable, 0), calls.load(Ordering::SeqCst)), (16, launches));
        let mut bytes = [0; 8];
        ground.device.read(other, &mut bytes).unwrap();
        assert_eq!(bytes, [7, 8, 7, 8, 16, 0, 0, 0]);
    }
    assert!(event.is_reached());
    // Whoever waits for the event after a launch waits for that launch.
    let gate = ground.device.allocate(4).unwrap();
    ground.stream.wait_value(gate, 1, ValueSize::Four, Condition::Equal).unwrap();
    ground.stream.launch_graph(&executable).unwrap();
    assert!(!event.is_reached());
    ground.device.write(gate, &[1]).unwrap();
    event.synchronize();
    assert_eq!(calls.load(Ordering::SeqCst), 3);
    // What stops a launch stops the rest of it, except for calls of the host.
    let called = calls.clone();
    let mut graph = Graph::new();
    let stop = KernelLaunch::new(&ground.stop, &Shape::default(), &[]).unwrap();
    let stop = graph.add(Operation::Kernel(stop), &[]).unwrap();
    let step = graph.add(ground.operation(1, 1), &[stop]).unwrap();
    graph
        .add(
            Operation::Host(HostFunction::new(move || {
                called.fetch_add(10, Ordering::SeqCst);
            })),
            &[step],
        )
        .unwrap();
    ground.stream.launch_graph(&graph.instantiate().unwrap()).unwrap();
    assert_eq!(ground.stream.synchronize().unwrap_err().kind(), ErrorKind::Trap);
    assert_eq!(calls.load(Ordering::SeqCst), 13);
    ground.device.recover();
    assert_eq!(ground.value(), 16);
}

#[test]
fn executable_graphs_are_changed_and_updated() {
    let ground = Ground::new();
    let mut graph = Graph::new();
    let first = graph.add(ground.operation(2, 0), &[]).unwrap();
    let second = graph.add(ground.operation(1, 1), &[first]).unwrap();
    let mut executable = graph.instantiate().unwrap();
    executable.set_operation(second, ground.operation(1, 10)).unwrap();
    assert_eq!(ground.launched(&executable, 3), 16);
    assert!(executable.set_operation(second, Operation::Empty).is_err());
    executable.set_enabled(first, false).unwrap();
    assert_eq!((ground.launched(&executable, 3), executable.is_enabled(first).unwrap()), (13, false));
    executable.set_enabled(first, true).unwrap();
    assert_eq!(ground.launched(&executable, 3), 16);

    let mut other = Graph::new();
    let gone = other.add(Operation::Empty, &[]).unwrap();
    let third = other.add(ground.operation(5, 0), &[]).unwrap();
    let fourth = other.add(ground.operation(1, 2), &[third]).unwrap();
    assert_eq!(executable.update(&other), Err(Mismatch::Topology));
    other.remove(gone).unwrap();
    executable.update(&other).unwrap();
    assert_eq!(ground.launched(&executable, 3), 17);
    other.remove_dependency(fourth, third).unwrap();
    assert_eq!(executable.update(&other), Err(Mismatch::Topology));
    let mut kinds = Graph::new();
    let third = kinds.add(ground.operation(5, 0), &[]).unwrap();
    let empty = kinds.add(Operation::Empty, &[third]).unwrap();
    assert_eq!(executable.update(&kinds), Err(Mismatch::Kind(empty)));
    assert_eq!(ground.launched(&executable, 3), 17);
}

#[test]
fn what_a_stream_is_asked_for_is_captured_and_not_done() {
    let ground = Ground::new();
    let stream = &ground.stream;
    ground.device.write(ground.at, &[1, 0, 0, 0]).unwrap();
    stream.begin_capture().unwrap();
    assert!(stream.begin_capture().is_err());
    ground.capture(stream, 2, 0);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let see = seen.clone();
    stream.read_with(ground.at, 4, move |bytes| see.lock().unwrap().push(bytes[0])).unwrap();
    ground.capture(stream, 1, 1);
    assert_eq!(stream.read(ground.at, 4).unwrap_err().kind(), ErrorKind::Capture);
    assert_eq!(stream.allocate(4).unwrap_err().kind(), ErrorKind::Capture);
    let info = stream.capture_info().unwrap();
    assert_eq!((info.dependencies.len(), info.is_invalid), (1, false));
    assert_eq!(stream.captured_graph().unwrap().nodes().count(), 3);
    let graph = stream.end_capture().unwrap();
    assert!(stream.capture_info().is_none() && stream.end_capture().is_err());
    assert_eq!((ground.value(), graph.nodes().count(), graph.roots().len()), (1, 3, 1));
    let executable = graph.instantiate().unwrap();
    assert_eq!((ground.launched(&executable, 4), ground.launched(&executable, 5)), (9, 11));
    assert_eq!(*seen.lock().unwrap(), [8, 10]);

    // A launch of a graph is captured as one node, and nodes are added to a graph that is there.
    stream.begin_capture_to(graph, &[]).unwrap();
    stream.launch_graph(&executable).unwrap();
    let both = stream.end_capture().unwrap();
    assert_eq!((both.nodes().count(), both.roots().len()), (4, 2));
}

#[test]
fn other_streams_take_part_in_a_capture_by_events() {
    let ground = Ground::new();
    let (first, second) = (&ground.stream, Stream::new(&ground.device).unwrap());
    let (fork, join) = (Event::new(), Event::new());
    first.begin_capture().unwrap();
    ground.capture(first, 2, 0);
    first.record(&fork);
    second.wait(&fork).unwrap();
    assert_eq!(second.capture_info().unwrap().id, first.capture_info().unwrap().id);
    ground.capture(&second, 1, 1);
    let ended = second.end_capture().unwrap_err();
    assert_eq!(ended.kind(), ErrorKind::Capture);
    // That has invalidated it.
    second.record(&join);
    first.wait(&join).unwrap();
    assert!(
        first.end_capture().is_err() && first.capture_info().is_none() && second.capture_info().is_none()
    );

    first.begin_capture().unwrap();
    ground.capture(first, 2, 0);
    first.record(&fork);
    assert!(fork.is_captured());
    second.wait(&fork).unwrap();
    ground.capture(&second, 1, 1);
    second.record(&join);
    first.wait(&join).unwrap();
    ground.capture(first, 3, 0);
    let graph = first.end_capture().unwrap();
    assert_eq!(graph.edges().len(), 3);
    assert_eq!(ground.launched(&graph.instantiate().unwrap(), 4), 27);
    // The other stream works as before.
    ground.capture(&second, 1, 1);
    second.synchronize().unwrap();
    assert_eq!(ground.value(), 28);

    // Work that is not joined, and waits for events of no capture or one that has ended.
    first.begin_capture().unwrap();
    first.record(&fork);
    second.wait(&fork).unwrap();
    ground.capture(&second, 1, 1);
    assert_eq!(first.end_capture().unwrap_err().kind(), ErrorKind::Capture);
    assert!(second.wait(&fork).is_err());
    let outside = Event::new();
    second.record(&outside);
    first.begin_capture().unwrap();
    assert!(first.wait(&outside).is_err() && first.end_capture().is_err());
    first.begin_capture().unwrap();
    assert!(first.synchronize().is_err() && first.end_capture().is_err());
    first.synchronize().unwrap();
}

#[test]
fn long_graphs_are_instantiated_and_launched_in_linear_time() {
    let ground = Ground::new();
    let mut graph = Graph::new();
    let mut last = graph.add(Operation::Empty, &[]).unwrap();
    let root = last;
    for _ in 0..50_000 {
        last = graph.add(Operation::Empty, &[last]).unwrap();
        graph.add_dependency(last, root).unwrap_or_default();
    }
    let executable = graph.instantiate().unwrap();
    ground.stream.launch_graph(&executable).unwrap();
    ground.stream.synchronize().unwrap();
}
