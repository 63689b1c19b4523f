//! Streams and events.

use std::ffi::c_void;

use ptx_device::{Event, Stream};

use crate::device::{PtxDevice, address_of};
use crate::pointer::{given, items, store};
use crate::status::{PtxStatus, guard};

/// Work that is done in order, beside other streams.
pub struct PtxStream(pub(crate) Stream);

/// A point in the work of a stream.
pub struct PtxEvent(Event);

/// Makes a stream of a device.
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

/// Destroys the handle of a stream. Work that is queued is still done.
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

/// Waits until a stream has done all queued work; gives the first error of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_synchronize(stream: *const PtxStream) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| Ok(unsafe { given(stream, "`stream`") }?.0.synchronize()?))
}

/// Lets a stream copy bytes into memory of the device. They are read before the function returns.
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

/// Lets a stream copy bytes within memory of the device.
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

/// Makes an event.
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

/// Records an event: it is reached when the stream has done all work queued until now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_event_record(event: *const PtxEvent, stream: *const PtxStream) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (event, stream) = unsafe { (given(event, "`event`")?, given(stream, "`stream`")?) };
        stream.0.record(&event.0);
        Ok(())
    })
}

/// Makes work that is queued from now on wait for an event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_wait(stream: *const PtxStream, event: *const PtxEvent) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (stream, event) = unsafe { (given(stream, "`stream`")?, given(event, "`event`")?) };
        stream.0.wait(&event.0);
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
