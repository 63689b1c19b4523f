//! Streams, and the order of the work of a context.
//!
//! The legacy default stream waits for all work queued before in the streams that are not `CU_STREAM_NON_BLOCKING`, and their later work waits
//! for it. All queue their work under one lock for each context, so that "before" has a meaning.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use crate::context::{self, Context};
use crate::driver::lock;
use crate::entry::{entries, stream_entries};
use crate::error::{Answer, CUresult, Failure};
use crate::handle::{Handle, Object};
use crate::host_call::{self, HostCall};
use crate::operation::Operation;
use crate::pointer::Out;
use crate::stream::{GREATEST_PRIORITY, LEAST_PRIORITY, LEGACY, PER_THREAD, Role, Stream};

const NON_BLOCKING: c_uint = 1;

fn create(to: Out<Handle<Stream>>, flags: c_uint, priority: c_int) -> Answer {
    let context = context::current()?;
    to.require()?;
    if flags & !NON_BLOCKING != 0 {
        return Err(Failure::value(format!("flags {flags:#x} of a stream")));
    }
    let role = if flags & NON_BLOCKING == 0 { Role::Blocking } else { Role::NonBlocking };
    let priority = priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY);
    let stream = context.order.add(context::current_handle().cast(), role, priority);
    to.set(Stream::table().insert(stream)?)
}

fn destroy(stream: Handle<Stream>) -> Answer {
    if matches!(stream.bits(), 0 | LEGACY | PER_THREAD) {
        return Err(Failure::because(CUresult::INVALID_HANDLE, "a default stream is not destroyed"));
    }
    let stream = stream.remove()?;
    // Its queued work is still performed. If it takes part in the capture of another stream, its nodes must be joined like any others.
    if let Some(capture) = lock(&stream.capture).as_ref().filter(|capture| capture.is_origin) {
        capture.invalidate();
    }
    Ok(())
}

/// The attributes of streams: an access policy (1), the synchronization policy (3), the priority (8), memory domains (9, 10).
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
        context::stream(stream, null)?.synchronize()
    }

    fn cuStreamQuery / cuStreamQuery_ptsz |null| (stream: Handle<Stream>) {
        let stream = context::stream(stream, null)?;
        stream.refuse_capture()?;
        let is_waiting = !stream.before(&lock(&stream.order.others)).is_empty();
        if is_waiting || !stream.is_idle() {
            return Err(CUresult::NOT_READY.into());
        }
        stream.gpu().check()
    }

    fn cuStreamGetPriority / cuStreamGetPriority_ptsz |null| (stream: Handle<Stream>, priority: Out<c_int>) {
        priority.set(context::stream(stream, null)?.priority)
    }

    fn cuStreamGetFlags / cuStreamGetFlags_ptsz |null| (stream: Handle<Stream>, flags: Out<c_uint>) {
        flags.set(if context::stream(stream, null)?.role == Role::NonBlocking { NON_BLOCKING } else { 0 })
    }

    fn cuStreamGetId / cuStreamGetId_ptsz |null| (stream: Handle<Stream>, id: Out<u64>) {
        id.set(context::stream(stream, null)?.id)
    }

    fn cuStreamGetDevice / cuStreamGetDevice_ptsz |null| (stream: Handle<Stream>, device: Out<c_int>) {
        device.set(context::stream(stream, null)?.gpu().ordinal)
    }

    fn cuStreamGetCtx / cuStreamGetCtx_ptsz |null| (stream: Handle<Stream>, context: Out<Handle<Context>>) {
        context.set(context::stream(stream, null)?.context.cast())
    }

    fn cuStreamGetCtx_v2 / cuStreamGetCtx_v2_ptsz |null| (stream: Handle<Stream>, context: Out<Handle<Context>>, green: Out<usize>) {
        let stream = context::stream(stream, null)?;
        context.set_if_wanted(stream.context.cast());
        green.set_if_wanted(0);
        Ok(())
    }

    fn cuStreamAddCallback / cuStreamAddCallback_ptsz |null| (stream: Handle<Stream>, callback: Option<Callback>, data: u64, flags: c_uint) {
        let found = context::stream(stream, null)?;
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
            host_call::call(|| callback(stream, result, data as *mut c_void));
            Ok(())
        };
        found.submit(Operation::Task(Arc::new(Mutex::new(Some(Box::new(task))))))
    }

    fn cuLaunchHostFunc / cuLaunchHostFunc_ptsz |null| (stream: Handle<Stream>, function: u64, data: u64) {
        context::stream(stream, null)?.submit(Operation::Host(HostCall::new(function, data)?))
    }

    fn cuLaunchHostFunc_v2 / cuLaunchHostFunc_v2_ptsz |null| (stream: Handle<Stream>, function: u64, data: u64, mode: c_uint) {
        if mode > 1 {
            return Err(Failure::value("how to wait for a function of the host"));
        }
        context::stream(stream, null)?.submit(Operation::Host(HostCall::new(function, data)?))
    }

    // Managed memory is accessible to both sides at all times.
    fn cuStreamAttachMemAsync / cuStreamAttachMemAsync_ptsz |null| (stream: Handle<Stream>, address: u64, _bytes: usize, flags: c_uint) {
        context::stream(stream, null)?;
        if !matches!(flags, 1 | 2 | 4) {
            return Err(Failure::value("flags of an attachment"));
        }
        match crate::memory::find(address) {
            Some(found) if found.is_managed() => Ok(()),
            _ => Err(Failure::value("the memory is not managed")),
        }
    }

    fn cuStreamGetAttribute / cuStreamGetAttribute_ptsz |null| (stream: Handle<Stream>, id: c_uint, value: Out<[u64; 8]>) {
        value.set(attribute(&*context::stream(stream, null)?, id)?)
    }

    // Values are stored for queries; they have no effect on a CPU.
    fn cuStreamSetAttribute / cuStreamSetAttribute_ptsz |null| (stream: Handle<Stream>, id: c_uint, value: crate::pointer::In<[u64; 8]>) {
        let stream = context::stream(stream, null)?;
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
        let (to, from) = (context::stream(to, null)?, context::stream(from, null)?);
        to.policy.store(from.policy.load(Ordering::Relaxed), Ordering::Relaxed);
        Ok(())
    }
}
