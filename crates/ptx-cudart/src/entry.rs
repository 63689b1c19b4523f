//! The functions that programs call: their bodies return an [`Answer`], which is turned into a result code here.

pub use ptx_cabi::NullStream;

use crate::context;
use crate::error::{self, Answer, Error};
use crate::log::LOG;

/// Runs the body of a function that needs no context.
pub fn unchecked(name: &str, body: impl FnOnce() -> Answer) -> Error {
    match ptx_cabi::call(&LOG, name, body) {
        Ok(()) => Error::SUCCESS,
        Err(failure) => {
            error::remember(failure.error);
            failure.error
        }
    }
}

/// Runs the body of a function in the context of the thread.
pub fn checked(name: &str, body: impl FnOnce() -> Answer) -> Error {
    unchecked(name, || {
        context::enter()?;
        body()
    })
}

/// Functions that need a context, which is the primary one of the device of the thread unless another one is current.
#[macro_export]
macro_rules! entries {
    ($($functions:tt)*) => {
        $crate::ptx_cabi::functions! { ($crate::entry::checked => $crate::error::Answer => $crate::error::Error) $($functions)* }
    };
}

/// Functions that need no context.
#[macro_export]
macro_rules! unchecked_entries {
    ($($functions:tt)*) => {
        $crate::ptx_cabi::functions! { ($crate::entry::unchecked => $crate::error::Answer => $crate::error::Error) $($functions)* }
    };
}

/// Functions of two names, which differ in what a null stream is.
#[macro_export]
macro_rules! stream_entries {
    ($($functions:tt)*) => {
        $crate::ptx_cabi::stream_functions! {
            ($crate::entry::checked => $crate::error::Answer => $crate::error::Error) $($functions)*
        }
    };
}
