//! Events.

use std::ffi::c_uint;
use std::sync::{Arc, Mutex};

use crate::capture::Capture;
use crate::context;
use crate::driver::lock;
use crate::entry::{entries, stream_entries};
use crate::error::{Answer, CUresult, Failure};
use crate::event::Event;
use crate::graph_nodes::Work;
use crate::handle::{Handle, Object};
use crate::operation::Operation;
use crate::pointer::Out;
use crate::stream::Stream;

const BLOCKING: c_uint = 1;

const NO_TIMING: c_uint = 2;

const INTERPROCESS: c_uint = 4;

/// Milliseconds from one event to another.
fn elapsed(to: Out<f32>, start: Handle<Event>, end: Handle<Event>) -> Answer {
    let (start, end) = (start.get()?, end.get()?);
    to.require()?;
    for event in [&start, &end] {
        event.refuse_captured()?;
        if !event.has_time {
            return Err(Failure::because(CUresult::INVALID_HANDLE, "an event without time"));
        }
    }
    if !start.inner.is_reached() || !end.inner.is_reached() {
        return Err(CUresult::NOT_READY.into());
    }
    // Both are reached, or were never recorded.
    let between = |end: &Event, start: &Event| {
        let time = end
            .inner
            .since(&start.inner)
            .map_err(|error| Failure::because(CUresult::INVALID_HANDLE, error.to_string()))?;
        Ok::<f64, Failure>(time.as_secs_f64())
    };
    let (forwards, backwards) = (between(&end, &start)?, between(&start, &end)?);
    to.set(((forwards - backwards) * 1000.0) as f32)
}

fn record(event: Handle<Event>, stream: Arc<Stream>, flags: c_uint) -> Answer {
    let found = event.get()?;
    if flags > 1 {
        return Err(Failure::value("flags of a recording"));
    }
    if found.context != stream.context {
        return Err(Failure::because(
            CUresult::INVALID_HANDLE,
            "the event and the stream are of different contexts",
        ));
    }
    stream.record(&found, Work::Record(event.cast(), found.inner.clone()), flags)
}

entries! {
    fn cuEventCreate(event: Out<Handle<Event>>, flags: c_uint) {
        context::current()?;
        event.require()?;
        if flags & !(BLOCKING | NO_TIMING | INTERPROCESS) != 0 {
            return Err(Failure::value(format!("flags {flags:#x} of an event")));
        }
        if flags & INTERPROCESS != 0 {
            return Err(Failure::because(CUresult::NOT_SUPPORTED, "events that processes share"));
        }
        let made = Event {
            context: context::current_handle().cast(),
            gpu: context::current()?.gpu,
            has_time: flags & NO_TIMING == 0,
            inner: ptx_device::Event::new(),
            captured: Mutex::default(),
        };
        event.set(Event::table().insert(Arc::new(made))?)
    }

    fn cuEventDestroy(event: Handle<Event>) {
        event.remove().map(drop)
    }

    fn cuEventDestroy_v2(event: Handle<Event>) {
        event.remove().map(drop)
    }

    fn cuEventQuery(event: Handle<Event>) {
        let event = event.get()?;
        event.refuse_captured()?;
        if !event.inner.is_reached() {
            return Err(CUresult::NOT_READY.into());
        }
        event.gpu.check()
    }

    fn cuEventSynchronize(event: Handle<Event>) {
        let event = event.get()?;
        event.refuse_captured()?;
        event.inner.synchronize();
        event.gpu.check()
    }

    fn cuEventElapsedTime(to: Out<f32>, start: Handle<Event>, end: Handle<Event>) {
        elapsed(to, start, end)
    }

    fn cuEventElapsedTime_v2(to: Out<f32>, start: Handle<Event>, end: Handle<Event>) {
        elapsed(to, start, end)
    }
}

stream_entries! {
    fn cuEventRecord / cuEventRecord_ptsz |null| (event: Handle<Event>, stream: Handle<Stream>) {
        record(event, context::stream(stream, null)?, 0)
    }

    fn cuEventRecordWithFlags / cuEventRecordWithFlags_ptsz |null| (event: Handle<Event>, stream: Handle<Stream>, flags: c_uint) {
        record(event, context::stream(stream, null)?, flags)
    }

    fn cuStreamWaitEvent / cuStreamWaitEvent_ptsz |null| (stream: Handle<Stream>, event: Handle<Event>, flags: c_uint) {
        let (stream, found) = (context::stream(stream, null)?, event.get()?);
        if flags > 1 {
            return Err(Failure::value("flags of a wait"));
        }
        // Clone the place first: joining a capture locks the stream.
        let captured = lock(&found.captured).clone();
        match captured {
            Some(captured) if flags == 0 && captured.is_open() => Capture::join(&stream.capture, stream.is_legacy(), &captured),
            _ => stream.submit(Operation::Wait(found.inner.clone())),
        }
    }
}
