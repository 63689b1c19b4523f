//! Streams, and the order of the work of a context.
//!
//! The legacy default stream waits for all work queued before in the streams that are not `CU_STREAM_NON_BLOCKING`, and their later work waits
//! for it. All queue their work under one lock for each context, so that "before" has a meaning.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak, mpsc};

use crate::capture::Capture;
use crate::context::{self, Context};
use crate::driver::{Gpu, lock};
use crate::entry::{NullStream, entries, stream_entries};
use crate::error::{Answer, CUresult, Failure};
use crate::event::Event;
use crate::handle::{Handle, Object, objects};
use crate::operation::{HostCall, Operation};
use crate::pointer::Out;

pub const LEAST_PRIORITY: c_int = 0;
pub const GREATEST_PRIORITY: c_int = -5;
const NON_BLOCKING: c_uint = 1;
/// The handles that mean a default stream.
const LEGACY: usize = 1;
const PER_THREAD: usize = 2;

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
    pub context: Handle<Context>,
    order: Arc<Order>,
    role: Role,
    priority: c_int,
    pub id: u64,
    /// Its queue, which has a thread, once it is used.
    queue: Mutex<Option<ptx_device::Stream>>,
    pub capture: Mutex<Option<Capture>>,
    /// `CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY`.
    policy: AtomicU32,
}

/// The streams of a context.
#[derive(Debug)]
pub struct Order {
    gpu: &'static Gpu,
    legacy: Mutex<Option<Arc<Stream>>>,
    others: Mutex<Vec<Weak<Stream>>>,
}

impl Order {
    /// No streams.
    pub fn new(gpu: &'static Gpu) -> Arc<Self> {
        Arc::new(Self { gpu, legacy: Mutex::default(), others: Mutex::default() })
    }

    fn add(self: &Arc<Self>, context: Handle<Context>, role: Role, priority: c_int) -> Arc<Stream> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let stream = Arc::new(Stream {
            context,
            order: self.clone(),
            role,
            priority,
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            queue: Mutex::default(),
            capture: Mutex::default(),
            policy: AtomicU32::new(1),
        });
        if role != Role::Legacy {
            let mut others = lock(&self.others);
            others.retain(|other| other.strong_count() > 0);
            others.push(Arc::downgrade(&stream));
        }
        stream
    }

    fn legacy(self: &Arc<Self>, context: Handle<Context>) -> Arc<Stream> {
        let mut legacy = lock(&self.legacy);
        legacy.get_or_insert_with(|| self.add(context, Role::Legacy, LEAST_PRIORITY)).clone()
    }

    /// Lets go of the legacy stream, which refers to its order.
    pub fn close(&self) {
        lock(&self.legacy).take();
    }

    fn all(&self) -> Vec<Arc<Stream>> {
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
            gather.with_queue(|queue| queue.wait(&done))?;
        }
        gather.with_queue(|queue| queue.record(&event.inner))
    }

    /// Makes later work of all streams wait for an event.
    pub fn wait_all(&self, event: &Event) -> Answer {
        self.refuse_capture()?;
        self.all().iter().try_for_each(|stream| stream.with_queue(|queue| queue.wait(&event.inner)))
    }
}

impl Stream {
    pub fn gpu(&self) -> &'static Gpu {
        self.order.gpu
    }

    fn with_queue<T>(&self, act: impl FnOnce(&ptx_device::Stream) -> T) -> Answer<T> {
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
    fn before(&self, others: &[Weak<Stream>]) -> Vec<Arc<Stream>> {
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
        let others = lock(&self.order.others);
        for stream in self.before(&others) {
            let done = ptx_device::Event::new();
            stream.with_queue(|queue| queue.record(&done))?;
            self.with_queue(|queue| queue.wait(&done))?;
        }
        self.with_queue(|queue| operations.iter().try_for_each(|operation| operation.queue(self, queue)))?
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
    fn refuse_implicit(&self) -> Answer {
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

    /// Fails if the stream is capturing, which then cannot go on.
    pub fn refuse_capture(&self) -> Answer {
        match &*lock(&self.capture) {
            None => Ok(()),
            Some(capture) => {
                capture.invalidate();
                Err(CUresult::STREAM_CAPTURE_UNSUPPORTED.into())
            }
        }
    }

    /// Does work in the order of the stream, before it returns: on the calling thread if no other work is queued.
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
                // Operations keep their errors themselves.
                let _ = queue.synchronize();
            }
        }
        self.gpu().check()
    }

    /// Records an event.
    pub fn record(self: &Arc<Self>, handle: Handle<Event>, event: &Event, flags: c_uint) -> Answer {
        if let Some(capture) = &mut *lock(&self.capture) {
            if flags == 1 {
                return capture.add(Operation::Record(handle));
            }
            *lock(&event.captured) = Some(capture.place());
            return Ok(());
        }
        lock(&event.captured).take();
        self.submit(Operation::Record(handle))
    }
}

thread_local! {
    /// The default streams of the thread, by context.
    static OWN: RefCell<HashMap<usize, Arc<Stream>>> = RefCell::new(HashMap::new());
}

/// The stream that an argument names.
pub fn named(stream: Handle<Stream>, null: NullStream) -> Answer<Arc<Stream>> {
    let is_default = match stream.bits() {
        0 => Some(null),
        LEGACY => Some(NullStream::Legacy),
        PER_THREAD => Some(NullStream::PerThread),
        _ => None,
    };
    let Some(which) = is_default else { return stream.get() };
    let context = context::current()?;
    let handle = context::current_handle();
    match which {
        NullStream::Legacy => Ok(context.order.legacy(handle)),
        NullStream::PerThread => Ok(OWN.with_borrow_mut(|own| {
            let make = || context.order.add(handle, Role::Blocking, LEAST_PRIORITY);
            own.entry(handle.bits()).or_insert_with(make).clone()
        })),
    }
}

fn create(to: Out<Handle<Stream>>, flags: c_uint, priority: c_int) -> Answer {
    let context = context::current()?;
    to.require()?;
    if flags & !NON_BLOCKING != 0 {
        return Err(Failure::value(format!("flags {flags:#x} of a stream")));
    }
    let role = if flags & NON_BLOCKING == 0 { Role::Blocking } else { Role::NonBlocking };
    let priority = priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY);
    let stream = context.order.add(context::current_handle(), role, priority);
    to.set(Stream::table().insert(stream)?)
}

fn destroy(stream: Handle<Stream>) -> Answer {
    if matches!(stream.bits(), 0 | LEGACY | PER_THREAD) {
        return Err(Failure::because(CUresult::INVALID_HANDLE, "a default stream is not destroyed"));
    }
    let stream = stream.remove()?;
    // Its work is still done.
    if let Some(capture) = &*lock(&stream.capture) {
        capture.invalidate();
    }
    Ok(())
}

/// The attributes of streams: an access policy (1), how to wait (3), the priority (8), memory domains (9, 10).
fn attribute(stream: &Stream, id: c_uint) -> Answer<[u64; 8]> {
    let mut value = [0; 8];
    match id {
        1 | 9 | 10 => {}
        3 => value[0] = stream.policy.load(Ordering::Relaxed).into(),
        8 => value[0] = u64::from(stream.priority as u32),
        _ => return Err(Failure::value(format!("there is no attribute {id} of streams"))),
    }
    Ok(value)
}

entries! {
    fn cuStreamCreate(stream: Out<Handle<Stream>>, flags: c_uint) {
        create(stream, flags, LEAST_PRIORITY)
    }

    fn cuStreamCreateWithPriority(stream: Out<Handle<Stream>>, flags: c_uint, priority: c_int) {
        create(stream, flags, priority)
    }

    fn cuStreamDestroy(stream: Handle<Stream>) {
        destroy(stream)
    }

    fn cuStreamDestroy_v2(stream: Handle<Stream>) {
        destroy(stream)
    }
}

type Callback = extern "C" fn(Handle<Stream>, CUresult, *mut c_void);

stream_entries! {
    fn cuStreamSynchronize / cuStreamSynchronize_ptsz |null| (stream: Handle<Stream>) {
        named(stream, null)?.synchronize()
    }

    fn cuStreamQuery / cuStreamQuery_ptsz |null| (stream: Handle<Stream>) {
        let stream = named(stream, null)?;
        stream.refuse_capture()?;
        let is_waiting = !stream.before(&lock(&stream.order.others)).is_empty();
        if is_waiting || !stream.is_idle() {
            return Err(CUresult::NOT_READY.into());
        }
        stream.gpu().check()
    }

    fn cuStreamGetPriority / cuStreamGetPriority_ptsz |null| (stream: Handle<Stream>, priority: Out<c_int>) {
        priority.set(named(stream, null)?.priority)
    }

    fn cuStreamGetFlags / cuStreamGetFlags_ptsz |null| (stream: Handle<Stream>, flags: Out<c_uint>) {
        flags.set(if named(stream, null)?.role == Role::NonBlocking { NON_BLOCKING } else { 0 })
    }

    fn cuStreamGetId / cuStreamGetId_ptsz |null| (stream: Handle<Stream>, id: Out<u64>) {
        id.set(named(stream, null)?.id)
    }

    fn cuStreamGetDevice / cuStreamGetDevice_ptsz |null| (stream: Handle<Stream>, device: Out<c_int>) {
        device.set(named(stream, null)?.gpu().ordinal)
    }

    fn cuStreamGetCtx / cuStreamGetCtx_ptsz |null| (stream: Handle<Stream>, context: Out<Handle<Context>>) {
        context.set(named(stream, null)?.context)
    }

    fn cuStreamGetCtx_v2 / cuStreamGetCtx_v2_ptsz |null| (stream: Handle<Stream>, context: Out<Handle<Context>>, green: Out<usize>) {
        let stream = named(stream, null)?;
        context.set_if_wanted(stream.context);
        green.set_if_wanted(0);
        Ok(())
    }

    fn cuStreamAddCallback / cuStreamAddCallback_ptsz |null| (stream: Handle<Stream>, callback: Option<Callback>, data: u64, flags: c_uint) {
        let found = named(stream, null)?;
        let callback = callback.ok_or(CUresult::INVALID_VALUE)?;
        if flags != 0 {
            return Err(Failure::value("flags of a callback"));
        }
        found.refuse_capture()?;
        let gpu = found.gpu();
        let task = move || {
            let result = match gpu.device.stopped() {
                None => CUresult::SUCCESS,
                Some(error) => gpu.failure(error).result,
            };
            callback(stream, result, data as *mut c_void);
            Ok(())
        };
        found.submit(Operation::Task(Arc::new(Mutex::new(Some(Box::new(task))))))
    }

    fn cuLaunchHostFunc / cuLaunchHostFunc_ptsz |null| (stream: Handle<Stream>, function: u64, data: u64) {
        named(stream, null)?.submit(Operation::Host(HostCall::new(function, data)?))
    }

    fn cuLaunchHostFunc_v2 / cuLaunchHostFunc_v2_ptsz |null| (stream: Handle<Stream>, function: u64, data: u64, mode: c_uint) {
        if mode > 1 {
            return Err(Failure::value("how to wait for a function of the host"));
        }
        named(stream, null)?.submit(Operation::Host(HostCall::new(function, data)?))
    }

    // Managed memory is accessible to both sides at all times.
    fn cuStreamAttachMemAsync / cuStreamAttachMemAsync_ptsz |null| (stream: Handle<Stream>, address: u64, _bytes: usize, flags: c_uint) {
        named(stream, null)?;
        if !matches!(flags, 1 | 2 | 4) {
            return Err(Failure::value("flags of an attachment"));
        }
        match crate::memory::find(address) {
            Some(found) if found.is_managed() => Ok(()),
            _ => Err(Failure::value("the memory is not managed")),
        }
    }

    fn cuStreamGetAttribute / cuStreamGetAttribute_ptsz |null| (stream: Handle<Stream>, id: c_uint, value: Out<[u64; 8]>) {
        value.set(attribute(&*named(stream, null)?, id)?)
    }

    // What is set is kept where it can be asked for; it is of no consequence on a CPU.
    fn cuStreamSetAttribute / cuStreamSetAttribute_ptsz |null| (stream: Handle<Stream>, id: c_uint, value: crate::pointer::In<[u64; 8]>) {
        let stream = named(stream, null)?;
        attribute(&stream, id)?;
        let value = value.get()?;
        if id == 3 {
            match value[0] as u32 {
                policy @ 1..=4 => stream.policy.store(policy, Ordering::Relaxed),
                _ => return Err(Failure::value("how to wait for a stream")),
            }
        }
        Ok(())
    }

    fn cuStreamCopyAttributes / cuStreamCopyAttributes_ptsz |null| (to: Handle<Stream>, from: Handle<Stream>) {
        let (to, from) = (named(to, null)?, named(from, null)?);
        to.policy.store(from.policy.load(Ordering::Relaxed), Ordering::Relaxed);
        Ok(())
    }
}
