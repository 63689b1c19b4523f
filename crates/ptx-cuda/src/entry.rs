//! The functions that programs call: their bodies return an [`Answer`], and what they return is made of it here.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::driver::Driver;
use crate::error::{Answer, CUresult, Failure};
use crate::{host_call, log};

/// Which stream a null stream means: functions whose names end with `_ptsz` or `_ptds` mean that of the thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NullStream {
    /// The legacy default stream, which waits for the other ones.
    Legacy,
    /// The default stream of the calling thread.
    PerThread,
}

/// Calls the body of a function that may be called before `cuInit`.
pub fn unchecked(name: &'static str, body: impl FnOnce() -> Answer) -> CUresult {
    log::called(name);
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => CUresult::SUCCESS,
        Ok(Err(failure)) => {
            log::failed(name, &failure);
            failure.result
        }
        Err(_) => {
            log::failed(name, &Failure::because(CUresult::UNKNOWN, "internal error"));
            CUresult::UNKNOWN
        }
    }
}

/// Calls the body of a function, once the driver is initialized.
pub fn checked(name: &'static str, body: impl FnOnce() -> Answer) -> CUresult {
    unchecked(name, || {
        Driver::get()?;
        host_call::refuse_nested()?;
        body()
    })
}

/// Functions that require `cuInit`.
macro_rules! entries {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) -> $crate::error::CUresult {
            $crate::entry::checked(stringify!($name), move || -> $crate::error::Answer { $body })
        }
    )*};
}

/// Functions that may be called before `cuInit`.
macro_rules! unchecked_entries {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) -> $crate::error::CUresult {
            $crate::entry::unchecked(stringify!($name), move || -> $crate::error::Answer { $body })
        }
    )*};
}

/// Functions of two names, which differ in what a null stream means.
macro_rules! stream_entries {
    ($(fn $name:ident / $per_thread:ident |$null:ident| ($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        const _: () = {
            fn body($null: $crate::entry::NullStream, $($arg: $ty),*) -> $crate::error::Answer { $body }

            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($arg: $ty),*) -> $crate::error::CUresult {
                let null = $crate::entry::NullStream::Legacy;
                $crate::entry::checked(stringify!($name), move || body(null, $($arg),*))
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn $per_thread($($arg: $ty),*) -> $crate::error::CUresult {
                let null = $crate::entry::NullStream::PerThread;
                $crate::entry::checked(stringify!($per_thread), move || body(null, $($arg),*))
            }
        };
    )*};
}

pub(crate) use {entries, stream_entries, unchecked_entries};
