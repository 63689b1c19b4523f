//! The functions that programs call: their bodies return an [`Answer`], and what they return is made of it here.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::context;
use crate::error::{self, Answer, Error, Failure};
use crate::log;
use crate::types::Handle;

/// Which stream a null stream means: functions whose names end with `_ptsz` or `_ptds` mean that of the thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NullStream {
    /// The legacy default stream, which waits for the other ones.
    Legacy,
    /// The default stream of the calling thread.
    PerThread,
}

impl NullStream {
    /// The default stream that it means, `cudaStreamLegacy` or `cudaStreamPerThread`.
    pub fn handle(self) -> Handle {
        match self {
            NullStream::Legacy => 1,
            NullStream::PerThread => 2,
        }
    }

    /// The stream that an argument names.
    pub fn stream(self, stream: Handle) -> Handle {
        if stream == 0 { self.handle() } else { stream }
    }
}

/// Calls the body of a function that needs no context.
pub fn unchecked(name: &'static str, body: impl FnOnce() -> Answer) -> Error {
    log::called(name);
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return Error::SUCCESS,
        Ok(Err(failure)) => failure,
        Err(_) => Failure::because(Error::UNKNOWN, "internal error"),
    };
    log::failed(name, &failure);
    error::remember(failure.error);
    failure.error
}

/// Calls the body of a function in the context of the thread.
pub fn checked(name: &'static str, body: impl FnOnce() -> Answer) -> Error {
    unchecked(name, || {
        context::enter()?;
        body()
    })
}

/// Functions that need a context, which is the primary one of the device of the thread unless another one is current.
#[macro_export]
macro_rules! entries {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) -> $crate::error::Error {
            $crate::entry::checked(stringify!($name), move || -> $crate::error::Answer { $body })
        }
    )*};
}

/// Functions that need no context.
#[macro_export]
macro_rules! unchecked_entries {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) -> $crate::error::Error {
            $crate::entry::unchecked(stringify!($name), move || -> $crate::error::Answer { $body })
        }
    )*};
}

/// Functions of two names, which differ in what a null stream means.
#[macro_export]
macro_rules! stream_entries {
    ($(fn $name:ident / $per_thread:ident |$null:ident| ($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        const _: () = {
            fn body($null: $crate::entry::NullStream, $($arg: $ty),*) -> $crate::error::Answer { $body }

            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($arg: $ty),*) -> $crate::error::Error {
                let null = $crate::entry::NullStream::Legacy;
                $crate::entry::checked(stringify!($name), move || body(null, $($arg),*))
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn $per_thread($($arg: $ty),*) -> $crate::error::Error {
                let null = $crate::entry::NullStream::PerThread;
                $crate::entry::checked(stringify!($per_thread), move || body(null, $($arg),*))
            }
        };
    )*};
}
