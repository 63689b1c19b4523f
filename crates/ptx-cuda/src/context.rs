//! Contexts: the primary one of each device, others, and the stack of them that each thread has.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};

use crate::driver::{Gpu, lock};
use crate::entry::NullStream;
use crate::error::{Answer, CUresult};
use crate::handle::{Handle, objects};
use crate::stream::{LEAST_PRIORITY, LEGACY, Order, PER_THREAD, Role, Stream};

objects! { Context, 1, INVALID_CONTEXT; }

/// A context.
#[derive(Debug)]
pub struct Context {
    pub gpu: &'static Gpu,
    pub order: Arc<Order>,
    pub is_primary: bool,
    pub flags: AtomicU32,
    pub id: u64,
    pub api_version: u32,
    pub limits: Mutex<[usize; 4]>,
}

/// The primary context of a device.
#[derive(Debug, Default)]
pub struct Primary {
    pub context: Option<Handle<Context>>,
    pub users: u32,
    pub flags: u32,
}

/// The primary contexts, by device.
static PRIMARIES: Mutex<BTreeMap<i32, Primary>> = Mutex::new(BTreeMap::new());

impl Primary {
    /// Calls a function with the primary context of a device.
    pub fn of<T>(gpu: &Gpu, act: impl FnOnce(&mut Self) -> T) -> T {
        act(lock(&PRIMARIES).entry(gpu.ordinal).or_default())
    }
}

thread_local! {
    /// The default streams of the thread, by context.
    static OWN: RefCell<HashMap<usize, Arc<Stream>>> = RefCell::new(HashMap::new());
    /// The contexts that the thread has made current, the current one last.
    static STACK: RefCell<Vec<Handle<Context>>> = const { RefCell::new(Vec::new()) };
}

/// Calls a function with the contexts that the thread has made current, the current one last.
///
/// # Errors
/// When the thread ends: destructors of a program's own objects may call the driver after those of this library.
pub fn with_stack<T>(act: impl FnOnce(&mut Vec<Handle<Context>>) -> T) -> Answer<T> {
    STACK.try_with(|stack| act(&mut stack.borrow_mut())).map_err(|_| CUresult::DEINITIALIZED.into())
}

/// The handle of the current context, null if there is none, as in a thread that ends.
pub fn current_handle() -> Handle<Context> {
    let current = with_stack(|stack| stack.last().copied());
    current.ok().flatten().map_or(Handle::NULL, |handle| handle)
}

/// The current context.
pub fn current() -> Answer<Arc<Context>> {
    let handle = current_handle();
    if handle.is_null() {
        return Err(CUresult::INVALID_CONTEXT.into());
    }
    handle.get().map_err(|_| CUresult::CONTEXT_IS_DESTROYED.into())
}

/// A context that an argument names: null is the current one.
pub fn named(handle: Handle<Context>) -> Answer<Arc<Context>> {
    if handle.is_null() { current() } else { handle.get() }
}

impl Context {
    /// Waits for all its work.
    pub fn synchronize(&self) -> Answer {
        self.order.refuse_capture()?;
        self.gpu.synchronize()
    }
}

/// The stream that an argument names.
pub fn stream(stream: Handle<Stream>, null: NullStream) -> Answer<Arc<Stream>> {
    let is_default = match stream.bits() {
        0 => Some(null),
        LEGACY => Some(NullStream::Legacy),
        PER_THREAD => Some(NullStream::PerThread),
        _ => None,
    };
    let Some(which) = is_default else { return stream.get() };
    let context = current()?;
    let handle = current_handle();
    match which {
        NullStream::Legacy => Ok(context.order.legacy(handle.cast())),
        NullStream::PerThread => {
            let own = OWN.try_with(|own| {
                let make = || context.order.add(handle.cast(), Role::Blocking, LEAST_PRIORITY);
                own.borrow_mut().entry(handle.bits()).or_insert_with(make).clone()
            });
            own.map_err(|_| CUresult::DEINITIALIZED.into())
        }
    }
}
