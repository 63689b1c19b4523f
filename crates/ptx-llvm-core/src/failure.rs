//! What happens when LLVM cannot go on: it reports a fatal error, or it crashes.
//!
//! Neither can be caught: LLVM's frames cannot be unwound, and after either nothing in the process that LLVM owns can be
//! trusted. A child process for every use of LLVM would survive, at the price of a second start-up and of the module as
//! text; but nothing is left to do after it than to say so. So a program that wants to end in an orderly way registers its
//! last words here, and products are written only once LLVM is done with them.

use std::ffi::{CStr, c_char};
use std::sync::{Once, OnceLock};

use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;

/// What to do about a fatal error.
static FATAL: OnceLock<fn(&str) -> !> = OnceLock::new();

/// Calls `handler` with LLVM's sentence when LLVM meets a fatal error, instead of printing it and aborting.
///
/// LLVM cannot go on after a fatal error and its frames cannot be unwound, so the handler must end the process. Only a program can decide to do so: a tool reports the sentence as an
/// error of its own and exits with the status for rejected input. The first handler stays; it counts for every
/// [`crate::Context`] and [`crate::Machine`] made afterwards.
pub fn on_fatal_error(handler: fn(&str) -> !) {
    let _ = FATAL.set(handler);
}

/// How a process ends that crashes: what it writes, where to, and its exit status.
#[derive(Clone, Copy, Debug)]
pub struct LastWords {
    /// What to write, given the signal's name (`SIGSEGV`). It is asked once for each signal when LLVM is loaded, for at the
    /// time of a crash nothing can be computed.
    pub words: fn(&str) -> Vec<u8>,
    /// The descriptor to write to: 2, or what a program that has redirected standard error made of it.
    pub descriptor: i32,
    /// The exit status.
    pub status: i32,
}

/// What to do about a crash.
static CRASH: OnceLock<LastWords> = OnceLock::new();

/// Ends the process with `last` when it crashes after LLVM has been loaded: LLVM's release builds leave out the checks of
/// its invariants, and on some input run into them (unreachable code, null pointers, the end of the stack).
///
/// As with [`on_fatal_error`], the first counts. On systems without POSIX signals it does nothing.
pub fn on_crash(last: LastWords) {
    let _ = CRASH.set(last);
}

/// How a process ends that crashes while code that was compiled for this processor runs: prepared once, for any number of runs.
///
/// Such code accesses what it computes as a native program does; what it has no right to may not be mapped.
#[derive(Debug)]
pub struct KernelCrash(
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no signals"))] signals::Prepared,
);

impl KernelCrash {
    /// Prepares what to write for each signal's name (`SIGSEGV`), to which descriptor, and the exit status.
    pub fn new(words: impl Fn(&str) -> Vec<u8>, descriptor: i32, status: i32) -> Self {
        Self(signals::Prepared::new(words, descriptor, status))
    }

    /// Runs code; a crash of any thread until it returns ends the process with the words. One run of a process is told of at a time.
    ///
    /// `printed` passes what the code has printed until then to a function, which writes it to standard output before the words. It is called
    /// in a signal handler, so it must not allocate or wait for a lock.
    pub fn during<T>(&self, printed: Printed<'_>, run: impl FnOnce() -> T) -> T {
        signals::during(&self.0, printed, run)
    }
}

/// Passes what was printed, piece by piece, to a function.
pub type Printed<'a> = &'a (dyn Fn(&mut dyn FnMut(&[u8])) + Sync);

/// Tells LLVM, which has been loaded, and the system of the handlers; before that nothing asks for them.
pub(crate) fn install_handlers() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if FATAL.get().is_some() {
            // SAFETY: the function is valid for the whole life of the process; LLVM guards its own handler with a lock.
            unsafe { LLVMInstallFatalErrorHandler(Some(fatal)) };
        }
        if let Some(last) = CRASH.get() {
            signals::install(*last);
        }
    });
}

extern "C" fn fatal(reason: *const c_char) {
    // SAFETY: LLVM passes a NUL-terminated string that lives for the duration of the call.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    if let Some(handler) = FATAL.get() {
        handler(&tidy(&reason));
    }
}

/// LLVM's message, without what carries no information: a place in a source that it does not know, and the addresses of nodes in its memory,
/// which are others in each run. They become `t1`, `t2` and so on.
pub(crate) fn tidy(text: &str) -> String {
    let mut text = text.trim_end().trim_start_matches("<unknown>:0:0: ");
    let mut nodes: Vec<&str> = Vec::new();
    let mut tidied = String::with_capacity(text.len());
    while let Some((before, rest)) = text.split_once("0x") {
        let digits = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
        let (digits, behind) = rest.split_at(digits);
        tidied.push_str(before);
        text = behind;
        // Shorter ones are numbers.
        if digits.len() < SHORTEST_ADDRESS {
            tidied.push_str("0x");
            tidied.push_str(digits);
            continue;
        }
        let number = nodes.iter().position(|node| *node == digits).unwrap_or_else(|| {
            nodes.push(digits);
            nodes.len() - 1
        });
        tidied.push_str(&format!("t{}", number + 1));
    }
    tidied + text
}

/// The hexadecimal digits of an address in a process's memory, at least.
const SHORTEST_ADDRESS: usize = 9;

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn addresses_and_unknown_places_are_no_part_of_what_llvm_says() {
        let text =
            "Cannot select: 0x7fa780095070: f64 = fsin 0x7fa780094f20\n  0x7fa780094f20: f64 = load 0x10\n";
        assert_eq!(tidy(text), "Cannot select: t1: f64 = fsin t2\n  t2: f64 = load 0x10");
        assert_eq!(tidy("<unknown>:0:0: in function f: no alloca\n"), "in function f: no alloca");
    }
}

#[cfg(not(unix))]
mod signals {
    #[derive(Debug)]
    pub(super) struct Prepared;

    impl Prepared {
        pub(super) fn new(_: impl Fn(&str) -> Vec<u8>, _: i32, _: i32) -> Self {
            Self
        }
    }

    pub(super) fn during<T>(_: &Prepared, _: super::Printed<'_>, run: impl FnOnce() -> T) -> T {
        run()
    }

    pub(super) fn install(_: super::LastWords) {}
}

/// Makes writes past the limit on the size of files fail as on a full disk, instead of ending the process: what was written
/// beside its place so far would stay. On systems without POSIX signals it does nothing.
pub fn fail_past_file_limit() {
    #[cfg(unix)]
    // SAFETY: the signal exists and is ignored from here on, for which no handler of ours is called.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

#[cfg(unix)]
mod signals {
    use std::ptr;
    use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
    use std::sync::{Once, OnceLock};

    use super::{LastWords, Printed};

    /// The signals by which a process crashes.
    const SIGNALS: [(libc::c_int, &str); 6] = [
        (libc::SIGSEGV, "SIGSEGV"),
        (libc::SIGBUS, "SIGBUS"),
        (libc::SIGILL, "SIGILL"),
        (libc::SIGTRAP, "SIGTRAP"),
        (libc::SIGFPE, "SIGFPE"),
        (libc::SIGABRT, "SIGABRT"),
    ];

    /// What to write for each of [`SIGNALS`], where to, and the exit status.
    #[derive(Debug)]
    pub(super) struct Prepared {
        words: [Vec<u8>; 6],
        descriptor: i32,
        status: i32,
    }

    impl Prepared {
        pub(super) fn new(words: impl Fn(&str) -> Vec<u8>, descriptor: i32, status: i32) -> Self {
            Self { words: SIGNALS.map(|(_, name)| words(name)), descriptor, status }
        }
    }

    /// For crashes of LLVM.
    static READY: OnceLock<Prepared> = OnceLock::new();

    /// The code that runs.
    struct Running<'a> {
        prepared: &'a Prepared,
        printed: Printed<'a>,
    }

    /// For crashes of the code that runs; null while none does.
    static RUNNING: AtomicPtr<Running<'static>> = AtomicPtr::new(ptr::null_mut());

    pub(super) fn during<T>(prepared: &Prepared, printed: Printed<'_>, run: impl FnOnce() -> T) -> T {
        /// Takes the words back, also from a panic.
        struct Registered;

        impl Drop for Registered {
            fn drop(&mut self) {
                RUNNING.store(ptr::null_mut(), Ordering::Release);
            }
        }

        handle();
        let running = Running { prepared, printed };
        // The lifetimes end after `Registered` has removed the pointer.
        RUNNING.store(ptr::from_ref(&running).cast_mut().cast(), Ordering::Release);
        let _registered = Registered;
        run()
    }

    pub(super) fn install(last: LastWords) {
        if READY.set(Prepared::new(last.words, last.descriptor, last.status)).is_ok() {
            handle();
        }
    }

    /// Has the handler called.
    fn handle() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            for (signal, _) in SIGNALS {
                // SAFETY: the structure is plain data for which zero is a value, and `end` is an `extern "C"` function that does
                // only what a signal handler may. It runs on the alternate stack that Rust's runtime gives each thread, so that
                // it works at the end of the stack too.
                unsafe {
                    let mut action: libc::sigaction = std::mem::zeroed();
                    let handler: extern "C" fn(libc::c_int) = end;
                    action.sa_sigaction = handler as libc::sighandler_t;
                    action.sa_flags = libc::SA_ONSTACK;
                    // While a thread handles one of them the others are blocked for it: a crash in the handler then ends the process
                    // by the system's default action. `SA_RESETHAND` would do so for all threads, also for a second kernel thread
                    // that crashes while the first one writes.
                    for (other, _) in SIGNALS {
                        libc::sigaddset(&raw mut action.sa_mask, other);
                    }
                    libc::sigaction(signal, &raw const action, ptr::null_mut());
                }
            }
        });
    }

    extern "C" fn end(signal: libc::c_int) {
        // Threads that run one kernel crash together; the first one ends the process.
        static ENDING: AtomicBool = AtomicBool::new(false);
        if ENDING.swap(true, Ordering::AcqRel) {
            loop {
                // SAFETY: `pause` may be called in signal handlers.
                unsafe { libc::pause() };
            }
        }
        // SAFETY: `during` borrows what the pointer leads to for as long as it is there; the thread that crashed is one of those that it runs.
        let running = unsafe { RUNNING.load(Ordering::Acquire).as_ref() };
        if let Some(running) = running {
            (running.printed)(&mut |bytes| write(libc::STDOUT_FILENO, bytes));
        }
        let ready = running.map(|running| running.prepared).or_else(|| READY.get());
        let (words, descriptor, status) = match ready {
            Some(ready) => {
                let at = SIGNALS.iter().position(|(number, _)| *number == signal);
                let words = at.and_then(|at| ready.words.get(at));
                // Default: a signal that is not listed has nothing to tell.
                (words.map_or(&[][..], Vec::as_slice), ready.descriptor, ready.status)
            }
            None => (&[][..], libc::STDERR_FILENO, 1),
        };
        write(descriptor, words);
        // SAFETY: `_exit` may be called in signal handlers.
        unsafe { libc::_exit(status) };
    }

    /// Writes bytes in a signal handler.
    fn write(descriptor: i32, mut rest: &[u8]) {
        while !rest.is_empty() {
            // SAFETY: `write` may be called in signal handlers; the range is that of a live slice.
            let written = unsafe { libc::write(descriptor, rest.as_ptr().cast(), rest.len()) };
            match usize::try_from(written) {
                // Default: nothing is left. No panic in a signal handler.
                Ok(written) if written > 0 => rest = rest.get(written..).unwrap_or_default(),
                _ => break,
            }
        }
    }
}
