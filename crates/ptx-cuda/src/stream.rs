//! Streams, and the order of the work of a context.
//!
//! The legacy default stream waits for all work queued before in the streams that are not `CU_STREAM_NON_BLOCKING`, and their later work waits
//! for it. All queue their work under one lock for each context, so that "before" has a meaning.

use std::ffi::{c_int, c_uint};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak, mpsc};

use crate::capture::Slot;
use crate::driver::{Gpu, lock};
use crate::error::{Answer, CUresult};
use crate::event::Event;
use crate::graph_nodes::Work;
use crate::handle::{AnyHandle, objects};
use crate::operation::Operation;

pub const LEAST_PRIORITY: c_int = 0;

pub const GREATEST_PRIORITY: c_int = -5;

/// The handles that mean a default stream.
pub const LEGACY: usize = 1;

pub const PER_THREAD: usize = 2;

objects! { Stream, 2; }

/// How a stream is ordered with others of its context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Legacy,
    Blocking,
    NonBlocking,
}

/// A stream.
#[derive(Debug)]
pub struct Stream {
    pub context: AnyHandle,
    pub order: Arc<Order>,
    pub role: Role,
    pub priority: c_int,
    pub id: u64,
    /// Its queue, which has a thread, once it is used.
    pub queue: Mutex<Option<ptx_device::Stream>>,
    pub capture: Arc<Slot>,
    /// `CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY`.
    pub policy: AtomicU32,
}

/// The streams of a context.
#[derive(Debug)]
pub struct Order {
    pub gpu: &'static Gpu,
    pub legacy: Mutex<Option<Arc<Stream>>>,
    pub others: Mutex<Vec<Weak<Stream>>>,
}

impl Order {
    /// No streams.
    pub fn new(gpu: &'static Gpu) -> Arc<Self> {
        Arc::new(Self { gpu, legacy: Mutex::default(), others: Mutex::default() })
    }

    pub fn add(self: &Arc<Self>, context: AnyHandle, role: Role, priority: c_int) -> Arc<Stream> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let stream = Arc::new(Stream {
            context,
            order: self.clone(),
            role,
            priority,
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            queue: Mutex::default(),
            capture: Arc::default(),
            policy: AtomicU32::new(1),
        });
        if role != Role::Legacy {
            let mut others = lock(&self.others);
            others.retain(|other| other.strong_count() > 0);
            others.push(Arc::downgrade(&stream));
        }
        stream
    }

    pub fn legacy(self: &Arc<Self>, context: AnyHandle) -> Arc<Stream> {
        let mut legacy = lock(&self.legacy);
        legacy.get_or_insert_with(|| self.add(context, Role::Legacy, LEAST_PRIORITY)).clone()
    }

    /// Drops the legacy stream, which has a reference to this object.
    pub fn close(&self) {
        lock(&self.legacy).take();
    }

    pub fn all(&self) -> Vec<Arc<Stream>> {
        lock(&self.others).iter().filter_map(Weak::upgrade).chain(lock(&self.legacy).clone()).collect()
    }

    /// Fails if one of the streams is capturing.
    pub fn refuse_capture(&self) -> Answer {
        self.all().iter().try_for_each(|stream| stream.refuse_capture())
    }

    /// Records an event after all work of all streams.
    pub fn record_all(self: &Arc<Self>, event: &Event) -> Answer {
        self.refuse_capture()?;
        let context = event.context;
        let gather = self.add(context, Role::NonBlocking, LEAST_PRIORITY);
        for stream in self.all().into_iter().filter(|stream| !Arc::ptr_eq(stream, &gather)) {
            let done = ptx_device::Event::new();
            stream.with_queue(|queue| queue.record(&done))?;
            gather.with_queue(|queue| queue.wait(&done))??;
        }
        gather.with_queue(|queue| queue.record(&event.inner))
    }

    /// Makes later work of all streams wait for an event.
    pub fn wait_all(&self, event: &Event) -> Answer {
        self.refuse_capture()?;
        self.all().iter().try_for_each(|stream| Ok(stream.with_queue(|queue| queue.wait(&event.inner))??))
    }
}

impl Stream {
    pub fn gpu(&self) -> &'static Gpu {
        self.order.gpu
    }

    pub fn with_queue<T>(&self, act: impl FnOnce(&ptx_device::Stream) -> T) -> Answer<T> {
        let mut queue = lock(&self.queue);
        if queue.is_none() {
            *queue = Some(ptx_device::Stream::new(&self.gpu().device)?);
        }
        Ok(act(queue.as_ref().ok_or(CUresult::UNKNOWN)?))
    }

    /// Whether it is the legacy default stream.
    pub fn is_legacy(&self) -> bool {
        self.role == Role::Legacy
    }

    /// Whether all its work is done. A stream that has no queue has no work.
    pub fn is_idle(&self) -> bool {
        lock(&self.queue).as_ref().is_none_or(ptx_device::Stream::is_idle)
    }

    /// The streams that its next work waits for.
    pub fn before(&self, others: &[Weak<Stream>]) -> Vec<Arc<Stream>> {
        let before: Vec<Arc<Stream>> = match self.role {
            Role::NonBlocking => Vec::new(),
            Role::Blocking => lock(&self.order.legacy).clone().into_iter().collect(),
            Role::Legacy => {
                let others = others.iter().filter_map(Weak::upgrade);
                others.filter(|other| other.role == Role::Blocking).collect()
            }
        };
        before.into_iter().filter(|stream| !stream.is_idle()).collect()
    }

    /// Queues operations, one after the other.
    pub fn enqueue(self: &Arc<Self>, operations: &[Operation]) -> Answer {
        if let Some(error) = self.gpu().device.stopped() {
            return Err(self.gpu().failure(error));
        }
        // Other streams can queue work meanwhile.
        let queue = lock(&self.queue).clone();
        queue.iter().for_each(ptx_device::Stream::wait_for_room);
        let others = lock(&self.order.others);
        for stream in self.before(&others) {
            let done = ptx_device::Event::new();
            stream.with_queue(|queue| queue.record(&done))?;
            self.with_queue(|queue| queue.wait(&done))??;
        }
        self.with_queue(|queue| {
            operations.iter().try_for_each(|operation| operation.queue(self.gpu(), queue))
        })?
    }

    /// Queues an operation, or adds it to the graph that the stream is captured to.
    pub fn submit(self: &Arc<Self>, operation: Operation) -> Answer {
        if let Some(capture) = &mut *lock(&self.capture) {
            return capture.add(operation);
        }
        self.refuse_implicit()?;
        self.enqueue(&[operation])
    }

    /// The legacy stream would wait for streams that are captured.
    pub fn refuse_implicit(&self) -> Answer {
        if self.role != Role::Legacy {
            return Ok(());
        }
        let is_captured =
            |stream: &Arc<Stream>| stream.role == Role::Blocking && lock(&stream.capture).is_some();
        if self.order.all().iter().any(is_captured) {
            return Err(CUresult::STREAM_CAPTURE_IMPLICIT.into());
        }
        Ok(())
    }

    /// Fails if the stream is capturing, and invalidates the capture.
    pub fn refuse_capture(&self) -> Answer {
        match &*lock(&self.capture) {
            None => Ok(()),
            Some(capture) => {
                capture.invalidate();
                Err(CUresult::STREAM_CAPTURE_UNSUPPORTED.into())
            }
        }
    }

    /// Performs work in the order of the stream before it returns: on the calling thread if no other work is queued.
    pub fn run(self: &Arc<Self>, operation: Operation) -> Answer {
        self.refuse_capture()?;
        self.refuse_implicit()?;
        if let Some(error) = self.gpu().device.stopped() {
            return Err(self.gpu().failure(error));
        }
        let is_free = {
            let others = lock(&self.order.others);
            self.is_idle() && self.before(&others).is_empty()
        };
        if is_free {
            return operation.run(self.gpu());
        }
        let (tell, told) = mpsc::channel();
        let gpu = self.gpu();
        let task = move || {
            // The caller waits for it.
            let _ = tell.send(operation.run(gpu));
            Ok(())
        };
        self.enqueue(&[Operation::Task(Arc::new(Mutex::new(Some(Box::new(task)))))])?;
        told.recv().map_err(|_| CUresult::UNKNOWN)?
    }

    /// Waits for all its work.
    pub fn synchronize(&self) -> Answer {
        self.refuse_capture()?;
        let before = {
            let others = lock(&self.order.others);
            self.before(&others)
        };
        for stream in before.iter().map(Arc::as_ref).chain([self]) {
            let queue = lock(&stream.queue).clone();
            if let Some(queue) = queue {
                // Operations record their errors themselves.
                let _ = queue.synchronize();
            }
        }
        self.gpu().check()
    }

    /// Records an event, which has this handle.
    pub fn record(self: &Arc<Self>, event: &Event, node: Work, flags: c_uint) -> Answer {
        if let Some(capture) = &mut *lock(&self.capture) {
            if flags == 1 {
                return capture.add_work(node);
            }
            *lock(&event.captured) = Some(capture.place());
            return Ok(());
        }
        lock(&event.captured).take();
        self.submit(Operation::Record(event.inner.clone()))
    }
}
