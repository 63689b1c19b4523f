//! Errors, with their names and texts.

use std::ffi::{CStr, c_char};

use crate::error::{self, Error};

const UNKNOWN: &CStr = c"unrecognized error code";

// These change nothing and cannot fail.

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetLastError() -> Error {
    error::take_last()
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaPeekAtLastError() -> Error {
    error::last()
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorName(error: Error) -> *const c_char {
    error.find().map_or(UNKNOWN, |(name, _)| name).as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorString(error: Error) -> *const c_char {
    error.find().map_or(UNKNOWN, |(_, text)| text).as_ptr()
}
