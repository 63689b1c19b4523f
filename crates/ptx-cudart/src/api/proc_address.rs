//! Functions of the driver, by their names.

use std::ffi::{c_int, c_uint};

use crate::entry::NullStream;
use crate::error::{Answer, Error, Failure};
use crate::functions::cuGetProcAddress_v2;
use crate::pointer::{Out, Text};
use crate::{driver, entries};

/// Flags of a query, `cudaDriverEntryPoint*`: nothing, or which of the default streams.
const DEFAULT: u64 = 0;
const LEGACY: u64 = 1;
const PER_THREAD: u64 = 2;

/// The function of the driver with a name, as of a version of CUDA. One that does not exist is null, as the status says.
pub fn entry_point(
    null: NullStream,
    symbol: Text,
    function: Out<u64>,
    version: c_uint,
    flags: u64,
    status: Out<c_int>,
) -> Answer {
    function.require()?;
    let flags = match flags {
        DEFAULT if null == NullStream::PerThread => PER_THREAD,
        DEFAULT => LEGACY,
        LEGACY | PER_THREAD => flags,
        _ => return Err(Failure::value(format!("flags {flags:#x} of a query"))),
    };
    driver::initialize()?;
    let version = c_int::try_from(version).map_err(|_| Failure::value("a version of CUDA"))?;
    cuGetProcAddress_v2(symbol, function, version, flags, status).or_else(|failure| match failure.error {
        Error::SYMBOL_NOT_FOUND => function.set(0),
        _ => Err(failure),
    })
}

entries! {
    fn cudaGetDriverEntryPointByVersion(symbol: Text, function: Out<u64>, version: c_uint, flags: u64, status: Out<c_int>) {
        entry_point(NullStream::Legacy, symbol, function, version, flags, status)
    }

    fn cudaGetDriverEntryPointByVersion_ptsz(symbol: Text, function: Out<u64>, version: c_uint, flags: u64, status: Out<c_int>) {
        entry_point(NullStream::PerThread, symbol, function, version, flags, status)
    }
}
