//! The functions that programs call: their bodies return an [`Answer`](crate::error::Answer), which is turned into a result code here.

pub use ptx_cabi::NullStream;

use crate::driver::Driver;
use crate::error::{Answer, CUresult};
use crate::host_call;
use crate::log::LOG;

/// Runs the body of a function that may be called before `cuInit`.
pub fn unchecked(name: &str, body: impl FnOnce() -> Answer) -> CUresult {
    match ptx_cabi::call(&LOG, name, body) {
        Ok(()) => CUresult::SUCCESS,
        Err(failure) => failure.result,
    }
}

/// Runs the body of a function, once the driver is initialized.
pub fn checked(name: &str, body: impl FnOnce() -> Answer) -> CUresult {
    unchecked(name, || {
        Driver::get()?;
        host_call::refuse_nested()?;
        body()
    })
}

/// Functions that require `cuInit`.
macro_rules! entries {
    ($($functions:tt)*) => {
        ptx_cabi::functions! { ($crate::entry::checked => $crate::error::Answer => $crate::error::CUresult) $($functions)* }
    };
}

/// Functions that may be called before `cuInit`.
macro_rules! unchecked_entries {
    ($($functions:tt)*) => {
        ptx_cabi::functions! { ($crate::entry::unchecked => $crate::error::Answer => $crate::error::CUresult) $($functions)* }
    };
}

/// Functions of two names, which differ in what a null stream is.
macro_rules! stream_entries {
    ($($functions:tt)*) => {
        ptx_cabi::stream_functions! {
            ($crate::entry::checked => $crate::error::Answer => $crate::error::CUresult) $($functions)*
        }
    };
}

pub(crate) use {entries, stream_entries, unchecked_entries};
