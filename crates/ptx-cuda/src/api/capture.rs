//! Capture of the work of streams to graphs.

use std::ffi::c_uint;
use std::sync::atomic::Ordering;

use crate::capture::{Capture, GLOBAL, MODE, RELAXED};
use crate::context;
use crate::driver::lock;
use crate::entry::{NullStream, entries, stream_entries};
use crate::error::{Answer, CUresult, Failure};
use crate::graph::{Graph, Node};
use crate::handle::Handle;
use crate::pointer::{In, Out};
use crate::stream::Stream;
use crate::types::EdgeData;

/// The results of a query of a capture, each of which may be null.
struct Wanted {
    status: Out<c_uint>,
    id: Out<u64>,
    graph: Out<Handle<Graph>>,
    nodes: Out<*const Handle<Node>>,
    data: Out<*const EdgeData>,
    count: Out<usize>,
}

fn tell(stream: &Stream, wanted: &Wanted) -> Answer {
    let mut capture = lock(&stream.capture);
    let Some(capture) = &mut *capture else {
        return wanted.status.set(0);
    };
    let is_invalid = capture.session.is_invalid.load(Ordering::Acquire);
    wanted.status.set(if is_invalid { 2 } else { 1 })?;
    wanted.id.set_if_wanted(capture.session.id);
    wanted.graph.set_if_wanted(capture.session.handle);
    capture.told = capture.session.graph.handles(&capture.before);
    wanted.nodes.set_if_wanted(capture.told.as_ptr());
    wanted.data.set_if_wanted(std::ptr::null());
    wanted.count.set_if_wanted(capture.told.len());
    Ok(())
}

fn unwanted<T>() -> Out<T> {
    Out::null()
}

fn update(stream: &Stream, nodes: In<Handle<Node>>, count: usize, flags: c_uint) -> Answer {
    let mut capture = lock(&stream.capture);
    let capture = capture.as_mut().ok_or(CUresult::ILLEGAL_STATE)?;
    let indices = capture.session.graph.indices(nodes, count)?;
    match flags {
        // They are added to those that the next node depends on, or replace them.
        0 => capture.before.extend(indices),
        1 => capture.before = indices,
        _ => return Err(Failure::value("flags of dependencies")),
    }
    capture.before.sort_unstable();
    capture.before.dedup();
    Ok(())
}

entries! {
    fn cuThreadExchangeStreamCaptureMode(mode: Out<c_uint>) {
        let given = mode.get()?;
        if given > RELAXED {
            return Err(Failure::value(format!("there is no mode {given} of captures")));
        }
        mode.set(MODE.replace(given))
    }
}

fn begin(
    stream: Handle<Stream>,
    null: NullStream,
    mode: c_uint,
    graph: Option<(Handle<Graph>, Vec<u32>)>,
) -> Answer {
    let stream = context::stream(stream, null)?;
    Capture::begin(&stream.capture, stream.is_legacy(), mode, graph)
}

stream_entries! {
    fn cuStreamBeginCapture / cuStreamBeginCapture_ptsz |null| (stream: Handle<Stream>) {
        begin(stream, null, GLOBAL, None)
    }

    fn cuStreamBeginCapture_v2 / cuStreamBeginCapture_v2_ptsz |null| (stream: Handle<Stream>, mode: c_uint) {
        begin(stream, null, mode, None)
    }

    fn cuStreamBeginCaptureToGraph / cuStreamBeginCaptureToGraph_ptsz |null| (
        stream: Handle<Stream>, graph: Handle<Graph>, nodes: In<Handle<Node>>, _data: In<EdgeData>, count: usize, mode: c_uint,
    ) {
        let before = graph.get()?.indices(nodes, count)?;
        begin(stream, null, mode, Some((graph, before)))
    }

    fn cuStreamEndCapture / cuStreamEndCapture_ptsz |null| (stream: Handle<Stream>, graph: Out<Handle<Graph>>) {
        Capture::end(&context::stream(stream, null)?.capture, graph)
    }

    fn cuStreamIsCapturing / cuStreamIsCapturing_ptsz |null| (stream: Handle<Stream>, status: Out<c_uint>) {
        let stream = context::stream(stream, null)?;
        status.require()?;
        tell(&stream, &Wanted { status, id: unwanted(), graph: unwanted(), nodes: unwanted(), data: unwanted(), count: unwanted() })
    }

    fn cuStreamGetCaptureInfo / cuStreamGetCaptureInfo_ptsz |null| (stream: Handle<Stream>, status: Out<c_uint>, id: Out<u64>) {
        let stream = context::stream(stream, null)?;
        tell(&stream, &Wanted { status, id, graph: unwanted(), nodes: unwanted(), data: unwanted(), count: unwanted() })
    }

    fn cuStreamGetCaptureInfo_v2 / cuStreamGetCaptureInfo_v2_ptsz |null| (
        stream: Handle<Stream>, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle<Graph>>, nodes: Out<*const Handle<Node>>, count: Out<usize>,
    ) {
        let stream = context::stream(stream, null)?;
        tell(&stream, &Wanted { status, id, graph, nodes, data: unwanted(), count })
    }

    fn cuStreamGetCaptureInfo_v3 / cuStreamGetCaptureInfo_v3_ptsz |null| (
        stream: Handle<Stream>, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle<Graph>>, nodes: Out<*const Handle<Node>>,
        data: Out<*const EdgeData>, count: Out<usize>,
    ) {
        let stream = context::stream(stream, null)?;
        tell(&stream, &Wanted { status, id, graph, nodes, data, count })
    }

    fn cuStreamUpdateCaptureDependencies / cuStreamUpdateCaptureDependencies_ptsz |null| (
        stream: Handle<Stream>, nodes: In<Handle<Node>>, count: usize, flags: c_uint,
    ) {
        update(&*context::stream(stream, null)?, nodes, count, flags)
    }

    fn cuStreamUpdateCaptureDependencies_v2 / cuStreamUpdateCaptureDependencies_v2_ptsz |null| (
        stream: Handle<Stream>, nodes: In<Handle<Node>>, _data: In<EdgeData>, count: usize, flags: c_uint,
    ) {
        update(&*context::stream(stream, null)?, nodes, count, flags)
    }
}
