//! The contexts of threads: the current one of the driver, or the primary context of the thread's device, which is made current when it is needed.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use crate::driver;
use crate::error::{Answer, Error};
use crate::functions::{
    cuCtxGetCurrent, cuCtxGetDevice, cuCtxSetCurrent, cuDeviceGetCount, cuDevicePrimaryCtxGetState,
    cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxRetain,
};
use crate::pointer::Out;
use crate::types::Handle;

thread_local! {
    /// The device that the thread has chosen, which is used while no context is current.
    static DEVICE: Cell<c_int> = const { Cell::new(0) };
}

/// The primary contexts that are retained here, by device.
static RETAINED: Mutex<Option<HashMap<c_int, Handle>>> = Mutex::new(None);

/// Primary contexts that were reset: they may still be current in other threads.
static RESET: RwLock<Option<HashSet<Handle>>> = RwLock::new(None);
static ANY_RESET: AtomicBool = AtomicBool::new(false);

fn retained() -> MutexGuard<'static, Option<HashMap<c_int, Handle>>> {
    RETAINED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_reset(context: Handle) -> bool {
    // A thread may rely on the reset of another one only after it has synchronized with it, which orders this load.
    ANY_RESET.load(Ordering::Acquire) && {
        let reset = RESET.read().unwrap_or_else(PoisonError::into_inner);
        reset.as_ref().is_some_and(|reset| reset.contains(&context))
    }
}

/// The current context of the thread, unless it was reset.
fn current() -> Answer<Option<Handle>> {
    let mut context = 0;
    cuCtxGetCurrent(Out::to(&mut context))?;
    Ok(Some(context).filter(|&context| context != 0 && !is_reset(context)))
}

/// Fails if there is no such device.
pub fn require_device(device: c_int) -> Answer {
    driver::initialize()?;
    let mut count = 0;
    cuDeviceGetCount(Out::to(&mut count))?;
    if (0..count).contains(&device) { Ok(()) } else { Err(Error::INVALID_DEVICE.into()) }
}

/// The primary context of a device.
pub fn primary(device: c_int) -> Answer<Handle> {
    require_device(device)?;
    let mut retained = retained();
    let retained = retained.get_or_insert_default();
    if let Some(&context) = retained.get(&device) {
        return Ok(context);
    }
    let mut context = 0;
    cuDevicePrimaryCtxRetain(Out::to(&mut context), device)?;
    retained.insert(device, context);
    Ok(context)
}

/// Makes sure that the thread has a context.
pub fn enter() -> Answer {
    driver::initialize()?;
    match current()? {
        Some(_) => Ok(()),
        None => cuCtxSetCurrent(primary(DEVICE.get())?),
    }
}

/// The device of the thread.
pub fn device() -> Answer<c_int> {
    driver::initialize()?;
    let mut device = DEVICE.get();
    if current()?.is_some() {
        cuCtxGetDevice(Out::to(&mut device))?;
    }
    Ok(device)
}

/// Chooses the device of the thread, and makes its primary context current.
pub fn set_device(device: c_int) -> Answer {
    let context = primary(device)?;
    DEVICE.set(device);
    cuCtxSetCurrent(context)
}

/// Chooses the device of the thread for when it next needs a context.
pub fn prefer_device(device: c_int) -> Answer {
    require_device(device)?;
    DEVICE.set(device);
    Ok(())
}

/// Whether the primary context of a device exists.
pub fn is_active(device: c_int) -> Answer<bool> {
    let (mut flags, mut active) = (0, 0);
    cuDevicePrimaryCtxGetState(device, Out::to(&mut flags), Out::to(&mut active))?;
    Ok(active != 0)
}

/// Destroys the primary context of the thread's device with all that is in it.
pub fn reset() -> Answer {
    let device = device()?;
    let context = retained().get_or_insert_default().remove(&device);
    if let Some(context) = context {
        RESET.write().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(context);
        ANY_RESET.store(true, Ordering::Release);
        // A program may have reset it by the driver: then it is released.
        let _ = cuDevicePrimaryCtxRelease_v2(device);
    }
    cuDevicePrimaryCtxReset_v2(device)?;
    DEVICE.set(device);
    let mut current = 0;
    cuCtxGetCurrent(Out::to(&mut current))?;
    if current != 0 && is_reset(current) { cuCtxSetCurrent(0) } else { Ok(()) }
}
