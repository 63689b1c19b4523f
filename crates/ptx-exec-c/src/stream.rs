//! Streams and events.

use std::ffi::c_void;

use ptx_device::{Event, Stream};

use crate::device::{PtxDevice, User, address_of};
use crate::pointer::{given, items, output_buffer, store};
use crate::status::{Failure, PtxStatus, guard};

/// A queue of work done in order, concurrently with other streams.
pub struct PtxStream(pub(crate) Stream);

/// A point in the work of a stream.
pub struct PtxEvent(Event);

/// Creates a stream of a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_create(
    device: *const PtxDevice,
    stream: *mut *mut PtxStream,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let made = Stream::new(&unsafe { given(device, "`device`") }?.0)?;
        // SAFETY: the header's contract.
        unsafe { store(stream, Box::into_raw(Box::new(PtxStream(made))), "`stream`") }
    })
}

/// Destroys the handle of a stream. Queued work is still completed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_destroy(stream: *mut PtxStream) -> PtxStatus {
    guard(|| {
        if !stream.is_null() {
            // SAFETY: the header's contract: it came from `ptx_stream_create` and is destroyed once.
            drop(unsafe { Box::from_raw(stream) });
        }
        Ok(())
    })
}

/// Waits until a stream has completed all queued work; returns its first error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_synchronize(stream: *const PtxStream) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| Ok(unsafe { given(stream, "`stream`") }?.0.synchronize()?))
}

/// Queues a copy of bytes to memory of the device. They are read before the function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_copy_in(
    stream: *const PtxStream,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let stream = unsafe { given(stream, "`stream`") }?;
        // SAFETY: the header's contract.
        let from = unsafe { items(from.cast::<u8>(), bytes, "`from`") }?;
        Ok(stream.0.write(address_of(to), from.to_vec())?)
    })
}

/// Queues a copy of bytes from memory of the device. They are available, and `to` may be reused, once the stream has reached work queued later.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_copy_out(
    stream: *const PtxStream,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let stream = unsafe { given(stream, "`stream`") }?;
        // SAFETY: the contract of this function: `to` is room for the bytes until the stream has done the copy.
        let to = unsafe { output_buffer(to.cast::<u8>(), bytes, "`to`") }?;
        Ok(stream.0.read_with(address_of(from), bytes, move |read| to.fill(read))?)
    })
}

/// Queues a write of `count` copies of a pattern. The pattern is read before the function returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_fill(
    stream: *const PtxStream,
    to: *mut c_void,
    pattern: *const c_void,
    pattern_bytes: usize,
    count: usize,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let stream = unsafe { given(stream, "`stream`") }?;
        // SAFETY: the header's contract.
        let pattern = unsafe { items(pattern.cast::<u8>(), pattern_bytes, "`pattern`") }?;
        Ok(stream.0.fill(address_of(to), pattern.to_vec(), count as u64)?)
    })
}

/// A function called by a stream.
pub type PtxCallback = Option<extern "C" fn(*mut c_void)>;

/// Queues a call of a function on the stream's thread, which is made even after errors. The function must not wait for the stream or the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_call(
    stream: *const PtxStream,
    function: PtxCallback,
    user: *mut c_void,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let stream = unsafe { given(stream, "`stream`") }?;
        let function = function.ok_or_else(|| Failure::value("`function` is a null pointer"))?;
        let user = User(user);
        stream.0.call(move || {
            let user = &user;
            function(user.0);
        })?;
        Ok(())
    })
}

/// Whether a stream has completed all queued work: PTX_SUCCESS, or PTX_NOT_READY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_query(stream: *const PtxStream) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let is_idle = unsafe { given(stream, "`stream`") }?.0.is_idle();
        let busy = || Failure::new(PtxStatus::PtxNotReady, "the stream has work to do");
        is_idle.then_some(()).ok_or_else(busy)
    })
}

/// Queues a copy within memory of the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_copy(
    stream: *const PtxStream,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let stream = unsafe { given(stream, "`stream`") }?;
        Ok(stream.0.copy(address_of(to), address_of(from), bytes as u64)?)
    })
}

/// Creates an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_event_create(event: *mut *mut PtxEvent) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| unsafe { store(event, Box::into_raw(Box::new(PtxEvent(Event::new()))), "`event`") })
}

/// Destroys the handle of an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_event_destroy(event: *mut PtxEvent) -> PtxStatus {
    guard(|| {
        if !event.is_null() {
            // SAFETY: the header's contract: it came from `ptx_event_create` and is destroyed once.
            drop(unsafe { Box::from_raw(event) });
        }
        Ok(())
    })
}

/// Records an event: it is reached when the stream has completed all work queued so far.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_event_record(event: *const PtxEvent, stream: *const PtxStream) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (event, stream) = unsafe { (given(event, "`event`")?, given(stream, "`stream`")?) };
        stream.0.record(&event.0);
        Ok(())
    })
}

/// Makes subsequently queued work wait for an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_wait(stream: *const PtxStream, event: *const PtxEvent) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (stream, event) = unsafe { (given(stream, "`stream`")?, given(event, "`event`")?) };
        stream.0.wait(&event.0)?;
        Ok(())
    })
}

/// Waits until an event is reached.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_event_synchronize(event: *const PtxEvent) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        unsafe { given(event, "`event`") }?.0.synchronize();
        Ok(())
    })
}

/// Whether an event has been reached, or was never recorded: PTX_SUCCESS, or PTX_NOT_READY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_event_query(event: *const PtxEvent) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let is_reached = unsafe { given(event, "`event`") }?.0.is_reached();
        let waits = || Failure::new(PtxStatus::PtxNotReady, "the event was not reached yet");
        is_reached.then_some(()).ok_or_else(waits)
    })
}

/// Milliseconds from one event to another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_event_elapsed(
    from: *const PtxEvent,
    to: *const PtxEvent,
    milliseconds: *mut f64,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (from, to) = unsafe { (given(from, "`from`")?, given(to, "`to`")?) };
        let elapsed = to.0.since(&from.0)?.as_secs_f64() * 1e3;
        // SAFETY: the header's contract.
        unsafe { store(milliseconds, elapsed, "`milliseconds`") }
    })
}
