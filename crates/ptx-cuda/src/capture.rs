//! Capture of the work of streams to graphs.

use std::cell::Cell;
use std::ffi::c_uint;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread::ThreadId;

use crate::driver::lock;
use crate::error::{Answer, CUresult, Failure};
use crate::graph::{Graph, Node};
use crate::graph_nodes::Work;
use crate::handle::{Handle, Object};
use crate::operation::Operation;
use crate::pointer::Out;

/// `CUstreamCaptureMode`.
pub const GLOBAL: c_uint = 0;

pub const RELAXED: c_uint = 2;

/// One capture, of one or more streams.
#[derive(Debug)]
pub struct Session {
    pub id: u64,
    pub mode: c_uint,
    pub thread: ThreadId,
    pub is_invalid: AtomicBool,
    pub graph: Arc<Graph>,
    pub handle: Handle<Graph>,
    /// The streams that take part, except the one that began it.
    pub joined: Mutex<Vec<Weak<Slot>>>,
}

static SESSIONS: Mutex<Vec<Arc<Session>>> = Mutex::new(Vec::new());

thread_local! {
    pub static MODE: Cell<c_uint> = const { Cell::new(GLOBAL) };
}

/// The part of a stream in a capture; `None` if it is not captured.
pub type Slot = Mutex<Option<Capture>>;

/// The part of a stream in a capture.
#[derive(Debug)]
pub struct Capture {
    pub session: Arc<Session>,
    pub is_origin: bool,
    /// The nodes that the next one depends on.
    pub before: Vec<u32>,
    /// Their handles as a query returned them; the caller may read this list until the next query.
    pub told: Vec<Handle<Node>>,
}

/// The point in a capture at which an event was recorded.
#[derive(Clone, Debug)]
pub struct Captured {
    pub session: Arc<Session>,
    pub before: Vec<u32>,
}

impl Session {
    pub fn check(&self) -> Answer {
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

    /// The point after all operations so far.
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

impl Capture {
    /// Makes a stream wait for a point in a capture, which it takes part in from now on.
    pub fn join(slot: &Arc<Slot>, is_legacy: bool, point: &Captured) -> Answer {
        point.session.check()?;
        if !point.is_open() {
            return Err(CUresult::CAPTURED_EVENT.into());
        }
        let mut capture = lock(slot);
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
            None if is_legacy => {
                point.session.is_invalid.store(true, Ordering::Release);
                return Err(CUresult::STREAM_CAPTURE_IMPLICIT.into());
            }
            None => {
                let (session, before) = (point.session.clone(), point.before.clone());
                lock(&session.joined).push(Arc::downgrade(slot));
                *capture = Some(Capture { session, is_origin: false, before, told: Vec::new() });
            }
        }
        Ok(())
    }

    /// Begins a capture of a stream to a graph, or to a new one.
    pub fn begin(
        slot: &Slot,
        is_legacy: bool,
        mode: c_uint,
        graph: Option<(Handle<Graph>, Vec<u32>)>,
    ) -> Answer {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if mode > RELAXED {
            return Err(Failure::value(format!("there is no mode {mode} of captures")));
        }
        if is_legacy {
            return Err(CUresult::STREAM_CAPTURE_UNSUPPORTED.into());
        }
        let mut capture = lock(slot);
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

    /// Ends a capture of a stream.
    pub fn end(slot: &Slot, to: Out<Handle<Graph>>) -> Answer {
        let mut own = lock(slot);
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
        for joined in lock(&session.joined).iter().filter_map(Weak::upgrade) {
            lock(&joined).take();
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
                // Its handle was not returned to the caller.
                let _ = session.handle.remove();
                Err(failure)
            }
        }
    }
}
