//! Streams and events.

use std::ffi::c_void;

use ptx_device::graph::{Condition, ValueSize};
use ptx_device::{Event, Stream, StreamOptions, StreamRole};

use crate::device::{PtxDevice, User, address_of};
use crate::pointer::{given, items, output_buffer, store};
use crate::status::{Failure, PtxStatus, guard};

/// A queue of work done in order, concurrently with other streams.
pub struct PtxStream(pub(crate) Stream);

/// A point in the work of a stream.
pub struct PtxEvent(pub(crate) Event);

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

/// How a stream is ordered with default streams of its device, as those of CUDA.
#[repr(C)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PtxStreamRole {
    /// Not at all.
    PtxStreamIndependent = 0,
    /// Its work waits for earlier work of default streams.
    PtxStreamBlocking = 1,
    /// It is a default stream: its work waits for earlier work of all blocking streams, and they for its.
    PtxStreamDefault = 2,
}

/// Options of a stream. Zeros select the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxStreamOptions {
    /// How it is ordered with default streams, a `PtxStreamRole`.
    pub role: u32,
    /// A number that has no effect.
    pub priority: i32,
}

/// Creates a stream of a device with options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_create_with(
    device: *const PtxDevice,
    options: *const PtxStreamOptions,
    stream: *mut *mut PtxStream,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (device, options) = unsafe { (given(device, "`device`")?, given(options, "`options`")?) };
        let role = match options.role {
            role if role == PtxStreamRole::PtxStreamIndependent as u32 => StreamRole::Independent,
            role if role == PtxStreamRole::PtxStreamBlocking as u32 => StreamRole::Blocking,
            role if role == PtxStreamRole::PtxStreamDefault as u32 => StreamRole::Default,
            other => return Err(Failure::value(format!("`role` is {other}; expected 0, 1 or 2"))),
        };
        let made = Stream::with(&device.0, StreamOptions { role, priority: options.priority })?;
        // SAFETY: the header's contract.
        unsafe { store(stream, Box::into_raw(Box::new(PtxStream(made))), "`stream`") }
    })
}

/// A number that no other stream of the process has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_id(stream: *const PtxStream, id: *mut u64) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let found = unsafe { given(stream, "`stream`") }?.0.id();
        // SAFETY: the header's contract.
        unsafe { store(id, found, "`id`") }
    })
}

/// Allocates memory for work that is queued afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_malloc(
    stream: *const PtxStream,
    bytes: usize,
    pointer: *mut *mut c_void,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let address = unsafe { given(stream, "`stream`") }?.0.allocate(bytes as u64)?;
        // SAFETY: the header's contract.
        unsafe { store(pointer, std::ptr::with_exposed_provenance_mut(address as usize), "`pointer`") }
    })
}

/// Queues the release of memory of `ptx_malloc` or `ptx_stream_malloc`. Work of other streams on it is not waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_free(stream: *const PtxStream, pointer: *mut c_void) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| Ok(unsafe { given(stream, "`stream`") }?.0.free(address_of(pointer))?))
}

fn value_size(bytes: u32) -> Result<ValueSize, Failure> {
    match bytes {
        4 => Ok(ValueSize::Four),
        8 => Ok(ValueSize::Eight),
        other => Err(Failure::value(format!("`bytes` is {other}; expected 4 or 8"))),
    }
}

/// Queues a write of a number of 4 or 8 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_write_value(
    stream: *const PtxStream,
    pointer: *mut c_void,
    value: u64,
    bytes: u32,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let stream = unsafe { given(stream, "`stream`") }?;
        Ok(stream.0.write_value(address_of(pointer), value, value_size(bytes)?)?)
    })
}

/// What a stream waits for, of a number in memory and a value.
#[repr(C)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PtxCondition {
    /// Their difference, as a signed number, is not negative.
    PtxConditionGreaterOrEqual = 0,
    /// They are equal.
    PtxConditionEqual = 1,
    /// They have a bit in common.
    PtxConditionAnd = 2,
    /// Together they do not have all bits.
    PtxConditionNor = 3,
}

/// Makes subsequently queued work wait until a number of 4 or 8 bytes in memory fulfils a condition, a `PtxCondition`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_stream_wait_value(
    stream: *const PtxStream,
    pointer: *const c_void,
    value: u64,
    bytes: u32,
    condition: u32,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let stream = unsafe { given(stream, "`stream`") }?;
        let until = match condition {
            is if is == PtxCondition::PtxConditionGreaterOrEqual as u32 => Condition::GreaterOrEqual,
            is if is == PtxCondition::PtxConditionEqual as u32 => Condition::Equal,
            is if is == PtxCondition::PtxConditionAnd as u32 => Condition::And,
            is if is == PtxCondition::PtxConditionNor as u32 => Condition::Nor,
            other => return Err(Failure::value(format!("`condition` is {other}; expected 0 to 3"))),
        };
        Ok(stream.0.wait_value(address_of(pointer), value, value_size(bytes)?, until)?)
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
pub unsafe extern "C" fn ptx_stream_fill_pattern(
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
