//! Functions that programs call.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{Failure, Log};

/// Which stream a null stream is: functions whose names end with `_ptsz` or `_ptds` take that of the calling thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NullStream {
    /// The legacy default stream, which waits for the other ones.
    Legacy,
    /// The default stream of the calling thread.
    PerThread,
}

impl NullStream {
    /// The handle of this default stream, which is the same in the driver and the runtime: `CU_STREAM_LEGACY` or `CU_STREAM_PER_THREAD`.
    pub const fn handle(self) -> usize {
        match self {
            NullStream::Legacy => 1,
            NullStream::PerThread => 2,
        }
    }

    /// The handle of the stream that an argument names.
    pub const fn stream(self, argument: usize) -> usize {
        if argument == 0 { self.handle() } else { argument }
    }
}

/// Runs the body of a function; a panic is an error.
///
/// # Errors
/// Those of the body, and [`Failure::internal`].
pub fn try_call<F: Failure>(body: impl FnOnce() -> Result<(), F>) -> Result<(), F> {
    // The state of a library is behind locks that accept what a panicking thread has left.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err(F::internal()))
}

/// Runs the body of a function as [`try_call`], and writes it to the log.
///
/// # Errors
/// Those of [`try_call`].
pub fn call<F: Failure>(log: &Log, name: &str, body: impl FnOnce() -> Result<(), F>) -> Result<(), F> {
    log.called(name);
    try_call(body).inspect_err(|failure| log.failed(name, failure))
}

/// Exports functions by their C names. `call` is a function that gets the name and the body of each, a closure that returns a [`Result`], and returns the
/// result code:
///
/// ```ignore
/// functions! { (crate::entry::checked => Answer => CUresult)
///     fn cuDeviceGetCount(count: Out<c_int>) { count.set(1) }
/// }
/// ```
#[macro_export]
macro_rules! functions {
    (($call:path => $answer:ty => $result:ty) $(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) -> $result {
            $call(stringify!($name), move || -> $answer { $body })
        }
    )*};
}

/// As [`functions!`], each under two names, which differ in what a null stream is: the body gets a [`NullStream`] by the name between bars.
#[macro_export]
macro_rules! stream_functions {
    (($call:path => $answer:ty => $result:ty)
     $(fn $name:ident / $per_thread:ident |$null:ident| ($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        const _: () = {
            fn body($null: $crate::NullStream, $($arg: $ty),*) -> $answer { $body }

            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($arg: $ty),*) -> $result {
                $call(stringify!($name), move || body($crate::NullStream::Legacy, $($arg),*))
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn $per_thread($($arg: $ty),*) -> $result {
                $call(stringify!($per_thread), move || body($crate::NullStream::PerThread, $($arg),*))
            }
        };
    )*};
}
