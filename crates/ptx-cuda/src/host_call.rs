//! Functions of the program that are called by streams and graphs.
//!
//! They must not call the driver (CUDA's rule for `cuLaunchHostFunc` and `cuStreamAddCallback`): they run on the thread of their stream, for which
//! most calls would wait.

use std::cell::Cell;
use std::ffi::c_void;

use crate::error::{Answer, CUresult};

thread_local! {
    /// Whether the thread is in such a function.
    static IS_RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function of the program.
pub fn call<T>(function: impl FnOnce() -> T) -> T {
    let before = IS_RUNNING.replace(true);
    let result = function();
    IS_RUNNING.set(before);
    result
}

/// Fails in a function of the program that is called by a stream.
pub fn refuse_nested() -> Answer {
    if IS_RUNNING.get() { Err(CUresult::NOT_PERMITTED.into()) } else { Ok(()) }
}

/// A function of the program with its argument.
#[derive(Clone, Copy, Debug)]
pub struct HostCall {
    pub function: extern "C" fn(*mut c_void),
    pub data: u64,
}

impl HostCall {
    /// A function at an address.
    pub fn new(function: u64, data: u64) -> Answer<Self> {
        if function == 0 {
            return Err(CUresult::INVALID_VALUE.into());
        }
        // SAFETY: the caller's address is that of such a function.
        let function = unsafe { std::mem::transmute::<usize, extern "C" fn(*mut c_void)>(function as usize) };
        Ok(Self { function, data })
    }

    pub fn addresses(self) -> (u64, u64) {
        (self.function as usize as u64, self.data)
    }

    pub fn run(self) {
        call(|| (self.function)(self.data as *mut c_void));
    }
}
