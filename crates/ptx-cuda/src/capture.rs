//! Capture of the work of streams to graphs.

use std::cell::Cell;
use std::ffi::c_uint;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread::ThreadId;

use crate::driver::lock;
use crate::entry::{entries, stream_entries};
use crate::error::{Answer, CUresult, Failure};
use crate::graph::{Graph, Node};
use crate::graph_nodes::Work;
use crate::handle::{Handle, Object};
use crate::operation::Operation;
use crate::pointer::{In, Out};
use crate::stream::{self, Stream};
use crate::types::EdgeData;

/// `CUstreamCaptureMode`.
const GLOBAL: c_uint = 0;
const RELAXED: c_uint = 2;

/// One capture, of one or more streams.
#[derive(Debug)]
struct Session {
    id: u64,
    mode: c_uint,
    thread: ThreadId,
    is_invalid: AtomicBool,
    graph: Arc<Graph>,
    handle: Handle<Graph>,
    /// The streams that take part, except the one that began it.
    joined: Mutex<Vec<Weak<Stream>>>,
}

static SESSIONS: Mutex<Vec<Arc<Session>>> = Mutex::new(Vec::new());

thread_local! {
    static MODE: Cell<c_uint> = const { Cell::new(GLOBAL) };
}

/// The part of a stream in a capture.
#[derive(Debug)]
pub struct Capture {
    session: Arc<Session>,
    is_origin: bool,
    /// The nodes that the next one depends on.
    before: Vec<u32>,
    /// What the caller was told of them, for as long as it may read it.
    told: Vec<Handle<Node>>,
}

/// A point in a capture, which an event that was recorded there means.
#[derive(Clone, Debug)]
pub struct Captured {
    session: Arc<Session>,
    before: Vec<u32>,
}

impl Session {
    fn check(&self) -> Answer {
        if self.is_invalid.load(Ordering::Acquire) {
            Err(CUresult::STREAM_CAPTURE_INVALIDATED.into())
        } else {
            Ok(())
        }
    }
}

impl Capture {
    /// Adds an operation as a node.
    pub fn add(&mut self, operation: Operation) -> Answer {
        self.add_work(Work::captured(operation))
    }

    /// Adds a node.
    pub fn add_work(&mut self, work: Work) -> Answer {
        self.session.check()?;
        let (index, _) = self.session.graph.add(work, self.before.clone())?;
        self.before = vec![index];
        Ok(())
    }

    /// Makes the capture end with an error.
    pub fn invalidate(&self) {
        self.session.is_invalid.store(true, Ordering::Release);
    }

    /// The present point.
    pub fn place(&self) -> Captured {
        Captured { session: self.session.clone(), before: self.before.clone() }
    }
}

impl Captured {
    /// Whether its capture has not ended.
    pub fn is_open(&self) -> bool {
        lock(&SESSIONS).iter().any(|session| Arc::ptr_eq(session, &self.session))
    }
}

/// Fails in a capture that does not allow calls that may wait for other work, such as allocations.
pub fn refuse_unsafe_call() -> Answer {
    let (own, thread) = (MODE.get(), std::thread::current().id());
    if own == RELAXED {
        return Ok(());
    }
    let sessions = lock(&SESSIONS);
    let refuses = |session: &&Arc<Session>| {
        let is_global = session.mode == GLOBAL && own == GLOBAL;
        is_global || (session.mode != RELAXED && session.thread == thread)
    };
    match sessions.iter().find(refuses) {
        None => Ok(()),
        Some(session) => {
            session.is_invalid.store(true, Ordering::Release);
            Err(CUresult::STREAM_CAPTURE_UNSUPPORTED.into())
        }
    }
}

impl Stream {
    /// Makes a stream wait for a point in a capture, which it takes part in from now on.
    pub fn join_capture(self: &Arc<Self>, point: &Captured) -> Answer {
        point.session.check()?;
        if !point.is_open() {
            return Err(CUresult::CAPTURED_EVENT.into());
        }
        let mut capture = lock(&self.capture);
        match &mut *capture {
            Some(capture) if Arc::ptr_eq(&capture.session, &point.session) => {
                capture.before.extend(&point.before);
                capture.before.sort_unstable();
                capture.before.dedup();
            }
            Some(capture) => {
                capture.invalidate();
                point.session.is_invalid.store(true, Ordering::Release);
                return Err(CUresult::STREAM_CAPTURE_MERGE.into());
            }
            None if self.is_legacy() => {
                point.session.is_invalid.store(true, Ordering::Release);
                return Err(CUresult::STREAM_CAPTURE_IMPLICIT.into());
            }
            None => {
                let (session, before) = (point.session.clone(), point.before.clone());
                lock(&session.joined).push(Arc::downgrade(self));
                *capture = Some(Capture { session, is_origin: false, before, told: Vec::new() });
            }
        }
        Ok(())
    }

    fn begin_capture(self: &Arc<Self>, mode: c_uint, graph: Option<(Handle<Graph>, Vec<u32>)>) -> Answer {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if mode > RELAXED {
            return Err(Failure::value(format!("there is no mode {mode} of captures")));
        }
        if self.is_legacy() {
            return Err(CUresult::STREAM_CAPTURE_UNSUPPORTED.into());
        }
        let mut capture = lock(&self.capture);
        if capture.is_some() {
            return Err(CUresult::ILLEGAL_STATE.into());
        }
        let (handle, before) = match graph {
            Some((handle, before)) => (handle, before),
            None => (Graph::table().insert(Graph::new())?, Vec::new()),
        };
        let session = Arc::new(Session {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            mode,
            thread: std::thread::current().id(),
            is_invalid: AtomicBool::new(false),
            graph: handle.get()?,
            handle,
            joined: Mutex::default(),
        });
        lock(&SESSIONS).push(session.clone());
        *capture = Some(Capture { session, is_origin: true, before, told: Vec::new() });
        Ok(())
    }

    fn end_capture(&self, to: Out<Handle<Graph>>) -> Answer {
        let mut own = lock(&self.capture);
        let capture = own.as_ref().ok_or(CUresult::ILLEGAL_STATE)?;
        if !capture.is_origin {
            capture.invalidate();
            return Err(CUresult::STREAM_CAPTURE_UNMATCHED.into());
        }
        let session = capture.session.clone();
        if session.mode != RELAXED && session.thread != std::thread::current().id() {
            return Err(CUresult::STREAM_CAPTURE_WRONG_THREAD.into());
        }
        let before = capture.before.clone();
        *own = None;
        drop(own);
        lock(&SESSIONS).retain(|other| !Arc::ptr_eq(other, &session));
        for stream in lock(&session.joined).iter().filter_map(Weak::upgrade) {
            lock(&stream.capture).take();
        }
        let end = || {
            session.check()?;
            let is_joined = session.graph.leaves().iter().all(|leaf| before.contains(leaf));
            if is_joined { Ok(()) } else { Err(CUresult::STREAM_CAPTURE_UNJOINED.into()) }
        };
        match end() {
            Ok(()) => to.set(session.handle),
            Err(failure) => {
                to.set_if_wanted(Handle::NULL);
                // The caller has not got it.
                let _ = session.handle.remove();
                Err(failure)
            }
        }
    }
}

/// What is told of a capture; each result may be unwanted.
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
    Out::at(std::ptr::null_mut())
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

stream_entries! {
    fn cuStreamBeginCapture / cuStreamBeginCapture_ptsz |null| (stream: Handle<Stream>) {
        stream::named(stream, null)?.begin_capture(GLOBAL, None)
    }

    fn cuStreamBeginCapture_v2 / cuStreamBeginCapture_v2_ptsz |null| (stream: Handle<Stream>, mode: c_uint) {
        stream::named(stream, null)?.begin_capture(mode, None)
    }

    fn cuStreamBeginCaptureToGraph / cuStreamBeginCaptureToGraph_ptsz |null| (
        stream: Handle<Stream>, graph: Handle<Graph>, nodes: In<Handle<Node>>, _data: In<EdgeData>, count: usize, mode: c_uint,
    ) {
        let before = graph.get()?.indices(nodes, count)?;
        stream::named(stream, null)?.begin_capture(mode, Some((graph, before)))
    }

    fn cuStreamEndCapture / cuStreamEndCapture_ptsz |null| (stream: Handle<Stream>, graph: Out<Handle<Graph>>) {
        stream::named(stream, null)?.end_capture(graph)
    }

    fn cuStreamIsCapturing / cuStreamIsCapturing_ptsz |null| (stream: Handle<Stream>, status: Out<c_uint>) {
        let stream = stream::named(stream, null)?;
        status.require()?;
        tell(&stream, &Wanted { status, id: unwanted(), graph: unwanted(), nodes: unwanted(), data: unwanted(), count: unwanted() })
    }

    fn cuStreamGetCaptureInfo / cuStreamGetCaptureInfo_ptsz |null| (stream: Handle<Stream>, status: Out<c_uint>, id: Out<u64>) {
        let stream = stream::named(stream, null)?;
        tell(&stream, &Wanted { status, id, graph: unwanted(), nodes: unwanted(), data: unwanted(), count: unwanted() })
    }

    fn cuStreamGetCaptureInfo_v2 / cuStreamGetCaptureInfo_v2_ptsz |null| (
        stream: Handle<Stream>, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle<Graph>>, nodes: Out<*const Handle<Node>>, count: Out<usize>,
    ) {
        let stream = stream::named(stream, null)?;
        tell(&stream, &Wanted { status, id, graph, nodes, data: unwanted(), count })
    }

    fn cuStreamGetCaptureInfo_v3 / cuStreamGetCaptureInfo_v3_ptsz |null| (
        stream: Handle<Stream>, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle<Graph>>, nodes: Out<*const Handle<Node>>,
        data: Out<*const EdgeData>, count: Out<usize>,
    ) {
        let stream = stream::named(stream, null)?;
        tell(&stream, &Wanted { status, id, graph, nodes, data, count })
    }

    fn cuStreamUpdateCaptureDependencies / cuStreamUpdateCaptureDependencies_ptsz |null| (
        stream: Handle<Stream>, nodes: In<Handle<Node>>, count: usize, flags: c_uint,
    ) {
        update(&*stream::named(stream, null)?, nodes, count, flags)
    }

    fn cuStreamUpdateCaptureDependencies_v2 / cuStreamUpdateCaptureDependencies_v2_ptsz |null| (
        stream: Handle<Stream>, nodes: In<Handle<Node>>, _data: In<EdgeData>, count: usize, flags: c_uint,
    ) {
        update(&*stream::named(stream, null)?, nodes, count, flags)
    }
}
