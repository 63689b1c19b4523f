//! Threads that compile kernels, most of them detached.
//!
//! When a process exits, the C library runs the destructors of LLVM's library while other threads go on. A thread that
//! uses LLVM then would crash, so the exit has to wait before that:
//!
//! - On a thread that has launched something, from which most programs exit, the destructor of a thread-local value waits ([`watch_exit`]):
//!   with glibc these run before all others. They also run at the end of a thread, which therefore waits, too.
//! - On other threads, and with other C libraries, a function waits that is registered with `atexit`. Functions registered later are called
//!   earlier, and LLVM registers destructors also while it compiles something for the first time. Therefore it is registered again after
//!   each stage of a compilation; a destructor that belongs to the stage during which the process exits may still run too early.
//!
//! Compilations ask [`is_ending`] between their stages, so that the wait is short. A program that knows
//! that nothing else is to be done at its exit does not wait: [`end_if_compiling`].

use std::cell::Cell;
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The stack of such a thread: LLVM's passes recurse over expressions. Memory is only taken when it is used.
const STACK_BYTES: usize = 256 << 20;

#[derive(Debug)]
struct State {
    /// Threads that load LLVM, before the function is registered.
    loading: usize,
    /// Threads that use LLVM or are about to.
    using: usize,
    /// The process that they are threads of: after a fork the child has none of them.
    process: u32,
    is_ending: bool,
}

impl State {
    /// Counts a thread, until what is returned is dropped.
    fn begin(&mut self) -> (Using, Loading) {
        let process = std::process::id();
        if self.process != process {
            *self = Self { loading: 0, using: 0, process, is_ending: false };
        }
        self.using += 1;
        self.loading += 1;
        (Using { process }, Loading { process })
    }

    /// How many threads of this process use LLVM.
    fn using(&self) -> usize {
        if self.process == std::process::id() { self.using } else { 0 }
    }
}

static STATE: Mutex<State> = Mutex::new(State { loading: 0, using: 0, process: 0, is_ending: false });
/// Signalled when a number becomes smaller.
static CHANGED: Condvar = Condvar::new();

thread_local! {
    /// Whether this is such a thread, while it uses LLVM.
    static IS_USING: Cell<bool> = const { Cell::new(false) };
}

fn lock() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts this thread as using LLVM until it is dropped.
struct Using {
    process: u32,
}

impl Drop for Using {
    fn drop(&mut self) {
        let mut state = lock();
        // A child that was forked while the thread was counted has begun to count anew.
        if state.process == self.process {
            state.using -= 1;
        }
        IS_USING.set(false);
        CHANGED.notify_all();
    }
}

/// Counts this thread as loading LLVM until it is dropped.
struct Loading {
    process: u32,
}

impl Drop for Loading {
    fn drop(&mut self) {
        let mut state = lock();
        if state.process == self.process {
            state.loading -= 1;
        }
        CHANGED.notify_all();
    }
}

/// Starts a thread for `compile`, which uses LLVM, and then for `take`, which gets the result and does not use LLVM.
/// Neither is called in a process that is about to end.
///
/// # Errors
/// The host cannot start a thread.
pub fn detach<T: 'static>(
    name: &str,
    compile: impl FnOnce() -> T + Send + 'static,
    take: impl FnOnce(T) + Send + 'static,
) -> io::Result<()> {
    let counted = lock().begin();
    let work = move || {
        let (using, loading) = counted;
        IS_USING.set(true);
        if lock().is_ending {
            return;
        }
        // Without LLVM `compile` reports that itself.
        if crate::library::load().is_ok() {
            register();
        }
        drop(loading);
        let result = compile();
        drop(using);
        take(result);
    };
    // If no thread starts, the closure and the counts in it are dropped.
    thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES).spawn(work).map(drop)
}

/// Calls a function that uses LLVM on this thread, which an exit of the process from another thread waits for as for those that are detached; `None` in a
/// process that is about to end, in which it is not called.
pub fn attached<T>(compile: impl FnOnce() -> T) -> Option<T> {
    if IS_USING.get() {
        return Some(compile());
    }
    let (using, loading) = {
        let mut state = lock();
        if state.is_ending {
            return None;
        }
        state.begin()
    };
    IS_USING.set(true);
    if crate::library::load().is_ok() {
        register();
    }
    drop(loading);
    let result = compile();
    drop(using);
    Some(result)
}

/// Waits until no such thread is loading LLVM: from then on the process may end at any time.
pub fn settle() {
    let mut state = lock();
    while state.loading > 0 {
        state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Whether the process is ending, so that the results of compilations are not needed. Compilations call it between their
/// stages.
pub fn is_ending() -> bool {
    if IS_USING.get() {
        register();
    }
    lock().is_ending
}

/// Has the exit of the process wait, from now on before all destructors that were registered until now.
fn register() {
    // SAFETY: the function is valid for the whole life of the process.
    let refused = unsafe { libc::atexit(wait_for_compilers) };
    debug_assert_eq!(refused, 0, "there is room for another function");
}

/// Has the exit of the process wait if it comes from the main thread, which calls this.
pub fn watch_main_exit() {
    if is_main_thread() {
        watch_exit();
    }
}

/// Has the exit of the process wait if it comes from this thread, and the end of the thread. Threads call it that
/// launch something for which a thread may be detached.
pub fn watch_exit() {
    /// Waits when it is dropped, at the exit of the process or at the end of another thread than the main one.
    struct Exit;

    impl Drop for Exit {
        fn drop(&mut self) {
            wait(is_main_thread());
        }
    }

    thread_local! {
        static EXIT: Exit = const { Exit };
    }
    // It is gone already if a destructor of this thread launches something.
    let _ = EXIT.try_with(|_| ());
}

#[cfg(target_os = "linux")]
fn is_main_thread() -> bool {
    // SAFETY: both functions only return numbers.
    unsafe { libc::gettid() == libc::getpid() }
}

#[cfg(not(target_os = "linux"))]
fn is_main_thread() -> bool {
    false
}

/// Ends the process with an exit status if a thread is compiling, without calling destructors: LLVM's must not be
/// called, and the compilation is not worth the wait. Standard output is flushed. Returns otherwise.
pub fn end_if_compiling(status: i32) {
    if lock().using() == 0 {
        return;
    }
    let _ = io::stdout().flush();
    // SAFETY: `_exit` is always safe to call; no destructor of this process has an effect outside of it.
    unsafe { libc::_exit(status) };
}

/// Called when the process exits, before the destructors of LLVM.
extern "C" fn wait_for_compilers() {
    wait(true);
}

/// Waits until no thread uses LLVM; compilations are abandoned if the process is known to be ending.
fn wait(is_ending: bool) {
    let mut state = lock();
    state.is_ending |= is_ending;
    // A fatal error of LLVM ends the process from the thread itself.
    let own = usize::from(IS_USING.get());
    while state.using() > own {
        state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}
