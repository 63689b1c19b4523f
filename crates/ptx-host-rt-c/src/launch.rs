//! Launches and their results: what is in the header.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};

/// Result of a launch.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PtxHostStatus {
    /// All threads have exited.
    PTX_HOST_SUCCESS = 0,
    /// The launch does not fit the kernel; nothing was run.
    PTX_HOST_INVALID_LAUNCH = 1,
    /// A thread executed `trap` or `brkpt`.
    PTX_HOST_TRAP = 2,
    /// An assertion of the kernel failed.
    PTX_HOST_ASSERTION = 3,
    /// The threads of a block wait for each other for ever.
    PTX_HOST_DEADLOCK = 4,
    /// The time of the launch is over.
    PTX_HOST_TIMEOUT = 5,
    /// A barrier, a collective operation, a branch or a call was used in a way that has no meaning.
    PTX_HOST_MISUSE = 6,
    /// There is no memory for stacks, or the kernel wrote more text than it may.
    PTX_HOST_LIMIT = 7,
    /// An address that a function of the system was given is none.
    PTX_HOST_FAULT = 8,
    /// The object file was made by another version than this library.
    PTX_HOST_VERSION = 9,
    /// A defect of the library.
    PTX_HOST_DEFECT = 10,
}

/// How a kernel is launched. Fields that are zero have a meaning: `{ .grid = {8, 1, 1}, .block = {128, 1, 1} }` is enough.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxHostLaunch {
    /// Blocks of the grid: x, y, z; each at least 1.
    pub grid: [u32; 3],
    /// Threads of a block; the header of the kernel names the shapes that there is code for.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
    /// Host threads that blocks are spread over; 0 for as many as the host has.
    pub threads: u32,
    /// Milliseconds that the launch may take; 0 for no limit.
    pub timeout_ms: u64,
}

thread_local! {
    static ERROR: RefCell<CString> = RefCell::default();
}

/// Why the last launch of this thread did not succeed: what happened, where in the source of the kernel, in which thread. Empty
/// when it did. The text is valid until the next launch of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn ptx_host_error() -> *const c_char {
    ERROR.with(|error| match error.try_borrow() {
        Ok(error) => error.as_ptr(),
        Err(_) => c"".as_ptr(),
    })
}

/// The name of a status, such as `PTX_HOST_TRAP`; `unknown` for another number.
#[unsafe(no_mangle)]
pub extern "C" fn ptx_host_status_name(status: c_int) -> *const c_char {
    const NAMES: [&CStr; 11] = [
        c"PTX_HOST_SUCCESS",
        c"PTX_HOST_INVALID_LAUNCH",
        c"PTX_HOST_TRAP",
        c"PTX_HOST_ASSERTION",
        c"PTX_HOST_DEADLOCK",
        c"PTX_HOST_TIMEOUT",
        c"PTX_HOST_MISUSE",
        c"PTX_HOST_LIMIT",
        c"PTX_HOST_FAULT",
        c"PTX_HOST_VERSION",
        c"PTX_HOST_DEFECT",
    ];
    usize::try_from(status).ok().and_then(|status| NAMES.get(status)).unwrap_or(&c"unknown").as_ptr()
}

/// Keeps the text of an error of this thread.
pub(crate) fn keep_error(text: &str) {
    ERROR.with(|error| {
        if let Ok(mut error) = error.try_borrow_mut() {
            // Default: the text has no zeros, so that it is one of C.
            *error = CString::new(text.replace('\0', " ")).unwrap_or_default();
        }
    });
}
