//! What the libraries with CUDA's C interfaces share (`libcuda.so.1`, `libcudart.so`, `libnvJitLink.so`): definitions of exported functions and of
//! C structures, checked pointers among their arguments, and the log.
//!
//! Each library has its own result codes. It implements [`Failure`] for its error type, which the pointers of [`mod@pointer`] return when they are null, and
//! the bodies of its functions return `Result<(), _>` with it:
//!
//! - [`call`] runs such a body, writes it to the [`Log`], and turns a panic into an error;
//! - [`functions!`] and [`stream_functions!`] export functions by their C names;
//! - [`structures!`] defines structures with the layout of a C header, and lists that layout for tests.
//!
//! The crate has no dependencies: `ptx-cudart`, which works with any CUDA driver, uses it as well.

#![allow(unsafe_code)]

mod function;
mod log;
pub mod pointer;
mod structure;

pub use function::{NullStream, call, try_call};
pub use log::Log;
pub use pointer::{ArgumentError, In, Out, Text};
pub use structure::Layout;

/// The error of a library's functions: a result code, and the reason for the log.
pub trait Failure: From<ArgumentError> {
    /// The failure of a function that panicked.
    fn internal() -> Self;

    /// The result and the reason as a line of the log; `None` for results that report a state and no error, such as an operation that has not ended.
    fn line(&self) -> Option<String>;
}

/// The line of the log for the name of a result code and a reason.
pub fn line(result: &str, reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("{result}: {reason}"),
        None => result.to_owned(),
    }
}
