//! The log of the driver.

use ptx_cabi::Log;

use crate::error::CUresult;

pub(crate) static LOG: Log = Log::new("ptx-cuda");

/// What a function that is not implemented returns.
pub(crate) fn missing(name: &'static str) -> CUresult {
    LOG.missing(name);
    CUresult::NOT_SUPPORTED
}
