//! Contexts: the primary one of each device, others, and the stack of them that each thread has.

use std::ffi::{c_int, c_uint};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use ptx_device::Limits;

use crate::context::{Context, Primary, current, current_handle, named, with_stack};
use crate::device::free_bytes;
use crate::driver::{Driver, Gpu, lock};
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::event::Event;
use crate::handle::{Handle, Object};
use crate::library;
use crate::memory;
use crate::module::Module;
use crate::pointer::{In, Out};
use crate::stream::{Order, Stream};
use crate::types::ContextParameters;

/// Flags of contexts: three bits for the way of waiting, host memory, local memory, core dumps, synchronous memory operations.
const FLAGS: u32 = 0xff;

/// `CUlimit`: stack, output, heap, and the granularity of fetches to the L2 cache; their values in a new context.
const LIMITS: [usize; 4] = [1024, 1 << 20, 8 << 20, MOST_FETCHED];

/// Bytes of the largest granularity of fetches to the L2 cache.
const MOST_FETCHED: usize = 128;

fn create(gpu: &'static Gpu, flags: u32, api_version: u32, is_primary: bool) -> Answer<Handle<Context>> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    if flags & !FLAGS != 0 || flags & 7 > 4 || flags & 7 == 3 {
        return Err(Failure::value(format!("flags {flags:#x} of a context")));
    }
    let context = Context {
        gpu,
        order: Order::new(gpu),
        is_primary,
        flags: AtomicU32::new(flags),
        id: NEXT.fetch_add(1, Ordering::Relaxed),
        api_version,
        limits: Mutex::new(LIMITS),
    };
    Context::table().insert(Arc::new(context))
}

fn create_and_push(to: Out<Handle<Context>>, gpu: &'static Gpu, flags: u32, api_version: u32) -> Answer {
    to.require()?;
    let handle = create(gpu, flags, api_version, false)?;
    with_stack(|stack| stack.push(handle))?;
    to.set(handle)
}

/// The primary context of a device, with one more user if it is retained.
fn primary(gpu: &'static Gpu) -> Answer<Handle<Context>> {
    Primary::of(gpu, |primary| {
        let handle = match primary.context {
            Some(handle) => handle,
            None => {
                let made = create(gpu, primary.flags, 0, true)?;
                *primary.context.insert(made)
            }
        };
        primary.users += 1;
        Ok(handle)
    })
}

/// Destroys a context with all that was created in it.
fn destroy(handle: Handle<Context>) -> Answer {
    let context = handle.remove()?;
    // Errors of its work cannot be reported: its handle is invalid.
    let _ = context.gpu.synchronize();
    for stream in Stream::table().find(|stream| stream.context == handle.cast()) {
        let _ = stream.remove();
    }
    for event in Event::table().find(|event| event.context == handle.cast()) {
        let _ = event.remove();
    }
    for module in Module::table().find(|module| module.context == handle.cast()) {
        let _ = module.remove();
    }
    if context.is_primary {
        library::unload_modules(context.gpu);
    }
    context.order.close();
    context.gpu.recover();
    memory::free_of(handle.cast());
    // This fails only in a thread that ends, which has no current context.
    let _ = with_stack(|stack| {
        if stack.last() == Some(&handle) {
            stack.pop();
        }
    });
    Ok(())
}

fn release_primary(gpu: &'static Gpu, all: bool) -> Answer {
    let released = Primary::of(gpu, |primary| {
        if !all {
            primary.users = primary.users.checked_sub(1).ok_or(CUresult::INVALID_CONTEXT)?;
            if primary.users > 0 {
                return Ok::<_, Failure>(None);
            }
        }
        // Programs that retain it use the next primary context after this.
        Ok(primary.context.take())
    })?;
    released.map_or(Ok(()), destroy)
}

fn limit_index(limit: c_uint) -> Answer<usize> {
    match limit {
        0..=2 => Ok(limit as usize),
        5 => Ok(3),
        3 | 4 | 6..=10 => Err(CUresult::UNSUPPORTED_LIMIT.into()),
        _ => Err(Failure::value(format!("there is no limit {limit}"))),
    }
}

/// Makes the heap of a device large enough, which its contexts share.
fn enlarge_heap(gpu: &Gpu, bytes: usize) -> Answer {
    let limits = gpu.device.limits();
    if bytes <= limits.heap {
        return Ok(());
    }
    if bytes as u64 > free_bytes(gpu) {
        return Err(Failure::because(CUresult::OUT_OF_MEMORY, format!("a heap of {bytes} bytes")));
    }
    gpu.device.set_limits(Limits { heap: bytes, ..limits }).map_err(|error| gpu.failure(error))
}

fn push(context: Handle<Context>) -> Answer {
    context.get()?;
    with_stack(|stack| stack.push(context))
}

fn pop(to: Out<Handle<Context>>) -> Answer {
    let popped = with_stack(Vec::pop)?.ok_or(CUresult::INVALID_CONTEXT)?;
    to.set_if_wanted(popped);
    Ok(())
}

fn destroy_named(context: Handle<Context>) -> Answer {
    if context.get()?.is_primary {
        return Err(CUresult::INVALID_CONTEXT.into());
    }
    destroy(context)
}

fn set_primary_flags(device: c_int, flags: c_uint) -> Answer {
    let gpu = Driver::gpu(device)?;
    if flags & !FLAGS != 0 || flags & 7 > 4 || flags & 7 == 3 {
        return Err(Failure::value(format!("flags {flags:#x} of a context")));
    }
    Primary::of(gpu, |primary| {
        primary.flags = flags;
        if let Some(context) = primary.context {
            context.get()?.flags.store(flags, Ordering::Relaxed);
        }
        Ok(())
    })
}

entries! {
    fn cuDevicePrimaryCtxRetain(context: Out<Handle<Context>>, device: c_int) {
        context.require()?;
        context.set(primary(Driver::gpu(device)?)?)
    }

    fn cuDevicePrimaryCtxRelease(device: c_int) {
        release_primary(Driver::gpu(device)?, false)
    }

    fn cuDevicePrimaryCtxRelease_v2(device: c_int) {
        release_primary(Driver::gpu(device)?, false)
    }

    fn cuDevicePrimaryCtxReset(device: c_int) {
        release_primary(Driver::gpu(device)?, true)
    }

    fn cuDevicePrimaryCtxReset_v2(device: c_int) {
        release_primary(Driver::gpu(device)?, true)
    }

    fn cuDevicePrimaryCtxSetFlags(device: c_int, flags: c_uint) {
        set_primary_flags(device, flags)
    }

    fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint) {
        set_primary_flags(device, flags)
    }

    fn cuDevicePrimaryCtxGetState(device: c_int, flags: Out<c_uint>, is_active: Out<c_int>) {
        let (primary_flags, active) = Primary::of(Driver::gpu(device)?, |primary| (primary.flags, primary.context.is_some()));
        is_active.require()?;
        flags.set(primary_flags)?;
        is_active.set(active.into())
    }

    fn cuCtxCreate(context: Out<Handle<Context>>, flags: c_uint, device: c_int) {
        create_and_push(context, Driver::gpu(device)?, flags, 3010)
    }

    fn cuCtxCreate_v2(context: Out<Handle<Context>>, flags: c_uint, device: c_int) {
        create_and_push(context, Driver::gpu(device)?, flags, 3020)
    }

    fn cuCtxCreate_v3(context: Out<Handle<Context>>, _parameters: In<u64>, count: c_int, flags: c_uint, device: c_int) {
        if count != 0 {
            return Err(CUresult::UNSUPPORTED_EXEC_AFFINITY.into());
        }
        create_and_push(context, Driver::gpu(device)?, flags, 3020)
    }

    fn cuCtxCreate_v4(context: Out<Handle<Context>>, parameters: In<ContextParameters>, flags: c_uint, device: c_int) {
        if let Some(parameters) = parameters.optional() {
            if parameters.affinity_count != 0 {
                return Err(CUresult::UNSUPPORTED_EXEC_AFFINITY.into());
            }
            if parameters.graphics != 0 {
                return Err(CUresult::NOT_SUPPORTED.into());
            }
        }
        create_and_push(context, Driver::gpu(device)?, flags, 3020)
    }

    fn cuCtxDestroy(context: Handle<Context>) {
        destroy_named(context)
    }

    fn cuCtxDestroy_v2(context: Handle<Context>) {
        destroy_named(context)
    }

    fn cuCtxAttach(context: Out<Handle<Context>>, flags: c_uint) {
        if flags != 0 {
            return Err(Failure::value("flags of an attachment"));
        }
        current()?;
        context.set(current_handle())
    }

    fn cuCtxDetach(context: Handle<Context>) {
        if context != current_handle() {
            return Err(CUresult::INVALID_CONTEXT.into());
        }
        context.get().map(drop)
    }

    fn cuCtxPushCurrent(context: Handle<Context>) {
        push(context)
    }

    fn cuCtxPushCurrent_v2(context: Handle<Context>) {
        push(context)
    }

    fn cuCtxPopCurrent(context: Out<Handle<Context>>) {
        pop(context)
    }

    fn cuCtxPopCurrent_v2(context: Out<Handle<Context>>) {
        pop(context)
    }

    fn cuCtxSetCurrent(context: Handle<Context>) {
        if !context.is_null() {
            context.get()?;
        }
        with_stack(|stack| {
            stack.pop();
            if !context.is_null() {
                stack.push(context);
            }
        })
    }

    fn cuCtxGetCurrent(context: Out<Handle<Context>>) {
        context.set(current_handle())
    }

    fn cuCtxGetDevice(device: Out<c_int>) {
        device.set(current()?.gpu.ordinal)
    }

    fn cuCtxGetDevice_v2(device: Out<c_int>, context: Handle<Context>) {
        device.set(named(context)?.gpu.ordinal)
    }

    fn cuCtxGetFlags(flags: Out<c_uint>) {
        flags.set(current()?.flags.load(Ordering::Relaxed))
    }

    fn cuCtxSetFlags(flags: c_uint) {
        if flags & !FLAGS != 0 {
            return Err(Failure::value(format!("flags {flags:#x} of a context")));
        }
        current()?.flags.store(flags, Ordering::Relaxed);
        Ok(())
    }

    fn cuCtxGetId(context: Handle<Context>, id: Out<u64>) {
        id.set(named(context)?.id)
    }

    fn cuCtxGetApiVersion(context: Handle<Context>, version: Out<c_uint>) {
        let context = named(context)?;
        version.set(if context.api_version == 0 { 3020 } else { context.api_version })
    }

    fn cuCtxSynchronize() {
        current()?.synchronize()
    }

    fn cuCtxSynchronize_v2(context: Handle<Context>) {
        named(context)?.synchronize()
    }

    fn cuCtxSetLimit(limit: c_uint, value: usize) {
        let context = current()?;
        let index = limit_index(limit)?;
        // The stack, up to its largest size, and the output buffer grow as needed; the granularity of fetches is a hint.
        match index {
            0 if value > context.gpu.device.properties().stack_bytes => {
                let most = context.gpu.device.properties().stack_bytes;
                return Err(Failure::because(CUresult::OUT_OF_MEMORY, format!("the stack has at most {most} bytes")));
            }
            2 => enlarge_heap(context.gpu, value)?,
            3 if value > MOST_FETCHED => {
                return Err(Failure::value(format!("fetches of {value} bytes to the L2 cache")));
            }
            _ => {}
        }
        lock(&context.limits)[index] = value;
        Ok(())
    }

    fn cuCtxGetLimit(value: Out<usize>, limit: c_uint) {
        let context = current()?;
        value.set(lock(&context.limits)[limit_index(limit)?])
    }

    fn cuCtxGetCacheConfig(config: Out<c_uint>) {
        current()?;
        config.set(0)
    }

    // There are no caches to configure.
    fn cuCtxSetCacheConfig(config: c_uint) {
        current()?;
        if config > 3 { Err(Failure::value("configuration of caches")) } else { Ok(()) }
    }

    fn cuCtxGetSharedMemConfig(config: Out<c_uint>) {
        current()?;
        config.set(1)
    }

    fn cuCtxSetSharedMemConfig(config: c_uint) {
        current()?;
        if config > 2 { Err(Failure::value("configuration of shared memory")) } else { Ok(()) }
    }

    fn cuCtxGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) {
        current()?;
        least.set_if_wanted(crate::stream::LEAST_PRIORITY);
        greatest.set_if_wanted(crate::stream::GREATEST_PRIORITY);
        Ok(())
    }

    fn cuCtxResetPersistingL2Cache() {
        current().map(drop)
    }

    fn cuCtxGetExecAffinity(_to: Out<u64>, _kind: c_uint) {
        current()?;
        Err(CUresult::UNSUPPORTED_EXEC_AFFINITY.into())
    }

    fn cuCtxRecordEvent(context: Handle<Context>, event: Handle<Event>) {
        let (context, event) = (named(context)?, event.get()?);
        context.order.record_all(&event)
    }

    fn cuCtxWaitEvent(context: Handle<Context>, event: Handle<Event>) {
        let (context, event) = (named(context)?, event.get()?);
        context.order.wait_all(&event)
    }
}
