//! The driver: `libcuda.so.1`, loaded when it is first needed.

use std::ffi::{CStr, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};

use crate::error::{Answer, Error, Failure};
use crate::functions::Functions;

/// The folder of the library that this code is in.
fn own_folder() -> Option<PathBuf> {
    let mut found = libc::Dl_info {
        dli_fname: std::ptr::null::<c_char>(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let own: fn() -> Option<PathBuf> = own_folder;
    // SAFETY: the address is one of this code, and the result has room.
    let is_found = unsafe { libc::dladdr(own as *const c_void, &raw mut found) } != 0;
    if !is_found || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the name is a text that exists as long as the library does.
    let name = unsafe { CStr::from_ptr(found.dli_fname) };
    Some(Path::new(OsStr::from_bytes(name.to_bytes())).parent()?.to_owned())
}

fn open() -> Answer<Library> {
    let flags = RTLD_LAZY | RTLD_LOCAL;
    let beside = own_folder().map(|folder| folder.join("libcuda.so.1")).filter(|file| file.exists());
    let beside = beside.into_iter().map(PathBuf::into_os_string);
    let mut reason = String::new();
    for name in beside.chain(["libcuda.so.1".into()]) {
        // SAFETY: the driver is meant to be loaded; what else has its name is the choice of the user.
        match unsafe { Library::open(Some(&name), flags) } {
            Ok(library) => return Ok(library),
            Err(error) => reason = error.to_string(),
        }
    }
    Err(Failure::because(Error::INSUFFICIENT_DRIVER, format!("the driver cannot be loaded: {reason}")))
}

/// The functions of the driver, whether it can be initialized or not.
///
/// # Errors
/// `cudaErrorInsufficientDriver` if it cannot be loaded.
pub(crate) fn functions() -> Answer<&'static Functions> {
    static LOADED: OnceLock<Answer<Functions>> = OnceLock::new();
    let load = || {
        let library = open()?;
        let functions = Functions::of(&library);
        // It stays loaded until the process ends.
        std::mem::forget(library);
        Ok(functions)
    };
    LOADED.get_or_init(load).as_ref().map_err(Clone::clone)
}

/// Initializes the driver.
pub fn initialize() -> Answer {
    static DONE: OnceLock<Answer> = OnceLock::new();
    DONE.get_or_init(|| crate::functions::cuInit(0)).clone()
}

/// The result of a function of the driver.
pub(crate) fn answer(name: &'static str, result: u32) -> Answer {
    match result {
        0 => Ok(()),
        // The driver writes the reason to the log itself.
        result => Err(Failure::because(Error(result), format!("as {name} of the driver says"))),
    }
}

/// A function that the driver does not have.
pub(crate) fn absent(name: &'static str) -> Failure {
    Failure::because(Error::CALL_REQUIRES_NEWER_DRIVER, format!("the driver has no {name}"))
}
