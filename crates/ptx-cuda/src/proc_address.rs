//! Version, initialization and the addresses of functions.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use crate::error::{Answer, Failure};
use crate::log::LOG;
use crate::pointer::{Out, Text};
use crate::table::{NAMES, Name};

/// The version of CUDA whose names this driver has. Programs keep workarounds for versions before 13.2 (Triton changes tensor maps, for instance).
pub const VERSION: u32 = 13_050;

const LEGACY_STREAM: u64 = 1;

const PER_THREAD_STREAM: u64 = 2;

/// The status of a query, as `cuGetProcAddress_v2` returns it.
#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    Yes = 0,
    No = 1,
    TooOld = 2,
}

/// Names that are found for versions before that of the header, with the first one: existing programs ask for them with such versions (numba-cuda-mlir).
const FOUND_EARLIER: &[(&str, u32)] = &[("cuFuncGetAttribute", 2000), ("cuFuncSetAttribute", 2000)];

/// The symbols of each name, in the order of their versions.
fn by_name() -> &'static HashMap<&'static str, Vec<&'static Name>> {
    static ALL: OnceLock<HashMap<&'static str, Vec<&'static Name>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: HashMap<_, Vec<_>> = HashMap::new();
        for name in NAMES {
            all.entry(name.base()).or_default().push(name);
        }
        all.values_mut().for_each(|names| names.sort_by_key(|name| name.since));
        all
    })
}

/// The newest function of a name that a version has.
fn find(name: &str, version: u32, per_thread: bool) -> Result<&'static Name, Found> {
    let names = by_name().get(name).ok_or(Found::No)?;
    let earlier = FOUND_EARLIER.iter().find(|(earlier, first)| *earlier == name && version >= *first);
    let version = match (earlier, names.first()) {
        (Some(_), Some(oldest)) => version.max(oldest.since),
        _ => version,
    };
    let newest = |per_thread| {
        let fits = |name: &&&Name| name.since <= version && name.is_per_thread() == per_thread;
        names.iter().rfind(fits).copied()
    };
    let own = newest(false).ok_or(Found::TooOld)?;
    // The variant of a thread's default stream may be of a later version than the function; the function is the result then.
    let variant = newest(true).filter(|_| per_thread);
    Ok(variant.filter(|variant| variant.symbol.contains(own.symbol)).unwrap_or(own))
}

pub fn get(symbol: Text, function: Out<*const c_void>, version: c_int, flags: u64) -> Answer<Found> {
    function.require()?;
    let name = symbol.name()?;
    if flags & !(LEGACY_STREAM | PER_THREAD_STREAM) != 0 || name.is_empty() {
        return Err(Failure::value("flags or name of an entry point"));
    }
    let version = u32::try_from(version).map_err(|_| Failure::value("the version is negative"))?;
    match find(name, version, flags & PER_THREAD_STREAM != 0) {
        Ok(found) => {
            function.set(found.address.0 as *const c_void)?;
            Ok(Found::Yes)
        }
        Err(found) => {
            function.set(std::ptr::null())?;
            LOG.write(&format!("there is no function `{name}` in version {version}"));
            Ok(found)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str, version: u32, per_thread: bool) -> Result<&'static str, Found> {
        find(name, version, per_thread).map(|name| name.symbol)
    }

    #[test]
    fn the_newest_function_that_the_version_has() {
        assert_eq!(symbol("cuMemcpyHtoD", 13_000, false), Ok("cuMemcpyHtoD_v2"));
        assert_eq!(symbol("cuMemcpyHtoD", 3_000, false), Ok("cuMemcpyHtoD"));
        assert_eq!(symbol("cuMemcpyHtoD", 12_000, true), Ok("cuMemcpyHtoD_v2_ptds"));
        assert_eq!(symbol("cuCtxCreate", 12_000, false), Ok("cuCtxCreate_v3"));
        assert_eq!(symbol("cuStreamGetCtx", 12_040, true), Ok("cuStreamGetCtx_ptsz"));
        assert_eq!(symbol("cuStreamGetCtx", 13_000, true), Ok("cuStreamGetCtx_v2_ptsz"));
        assert_eq!(symbol("cuInit", 13_000, true), Ok("cuInit"));
        assert_eq!(symbol("cuFuncSetAttribute", 2_000, false), Ok("cuFuncSetAttribute"));
        assert_eq!(symbol("cuKernelGetName", 12_000, false), Err(Found::TooOld));
        assert_eq!(symbol("cuMemAlloc_v2", 13_000, false), Err(Found::No));
        assert_eq!(symbol("cudaMalloc", 13_000, false), Err(Found::No));
    }
}
