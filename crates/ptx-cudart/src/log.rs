//! The log of the runtime, which is written to the same file as that of the driver.

use ptx_cabi::Log;

use crate::error::{self, Error};

pub(crate) static LOG: Log = Log::new("ptx-cudart");

/// What a function that is not implemented returns.
pub(crate) fn missing(name: &'static str) -> Error {
    LOG.missing(name);
    error::remember(Error::NOT_SUPPORTED);
    Error::NOT_SUPPORTED
}
