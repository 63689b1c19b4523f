//! What object files refer to: functions that ptx2ll writes call these, and no one else does.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

use ptx_exec::TrapKind;
use ptx_host_rt::{Failure, Linked, Request, WarpCode};

use crate::launch::{PtxHostLaunch, PtxHostStatus, keep_error};

/// A kernel in an object file, which ptx2ll writes.
#[repr(C)]
#[derive(Debug)]
pub struct PtxHostKernel {
    /// A text in JSON, and its bytes.
    about: *const u8,
    about_bytes: u64,
    /// For each shape of blocks the function.
    codes: *const WarpCode,
    /// The constant memory.
    constant: *const u8,
    /// What the library made of the text; null at first.
    linked: AtomicPtr<Linked>,
}

/// Runs a kernel of an object file; the functions that ptx2ll declares call it. `params` is the parameter space of the kernel.
///
/// # Safety
/// The kernel is one that ptx2ll wrote, the launch is null or one, and the kernel accesses memory that it may access alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_host_run(
    kernel: *const PtxHostKernel,
    launch: *const PtxHostLaunch,
    params: *const u8,
) -> PtxHostStatus {
    let run = || {
        // SAFETY: by this function's contract.
        let (kernel, launch) = unsafe { (kernel.as_ref(), launch.as_ref()) };
        let (Some(kernel), Some(launch)) = (kernel, launch) else {
            return Err(Failure::Refused("the launch is a null pointer".to_owned()));
        };
        // SAFETY: as above.
        unsafe { run(kernel, launch, params) }
    };
    let (status, text) = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => (PtxHostStatus::PTX_HOST_SUCCESS, String::new()),
        Ok(Err(failure)) => status_of(failure),
        Err(_) => (PtxHostStatus::PTX_HOST_DEFECT, "a defect of the runtime library".to_owned()),
    };
    keep_error(&text);
    status
}

/// # Safety
/// As [`ptx_host_run`].
unsafe fn run(kernel: &PtxHostKernel, launch: &PtxHostLaunch, params: *const u8) -> Result<(), Failure> {
    // SAFETY: an object file has what its kernels refer to, and the parameter space is as large as the kernel's.
    let (linked, codes, params) = unsafe {
        let linked = linked(kernel)?;
        let codes = std::slice::from_raw_parts(kernel.codes, linked.shapes());
        (linked, codes, std::slice::from_raw_parts(params, linked.parameter_bytes()))
    };
    let request = Request {
        grid: launch.grid,
        block: launch.block,
        shared: launch.shared,
        threads: launch.threads,
        timeout: (launch.timeout_ms > 0).then(|| Duration::from_millis(launch.timeout_ms)),
    };
    // SAFETY: as above. The constant memory is accessed by its address alone.
    let (output, result) = unsafe {
        let constant = std::slice::from_raw_parts(kernel.constant, 0);
        linked.launch(codes, constant, params, &request)
    };
    print(&output);
    result
}

/// What there is to know of a kernel, which is kept with it.
///
/// # Safety
/// The kernel is one that ptx2ll wrote.
unsafe fn linked(kernel: &PtxHostKernel) -> Result<&'static Linked, Failure> {
    // SAFETY: it is null, or was made by `Box::into_raw` below and is never freed.
    if let Some(linked) = unsafe { kernel.linked.load(Ordering::Acquire).as_ref() } {
        return Ok(linked);
    }
    // SAFETY: a text of the object file.
    let about = unsafe { std::slice::from_raw_parts(kernel.about, kernel.about_bytes as usize) };
    let made = Box::into_raw(Box::new(Linked::new(about)?));
    let null = std::ptr::null_mut();
    match kernel.linked.compare_exchange(null, made, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: it is not freed any more.
        Ok(_) => Ok(unsafe { &*made }),
        Err(other) => {
            // SAFETY: no one else has seen this one; the other one is as above.
            unsafe {
                drop(Box::from_raw(made));
                Ok(&*other)
            }
        }
    }
}

fn status_of(failure: Failure) -> (PtxHostStatus, String) {
    match failure {
        Failure::Version(text) => (PtxHostStatus::PTX_HOST_VERSION, text),
        Failure::Refused(text) => (PtxHostStatus::PTX_HOST_INVALID_LAUNCH, text),
        Failure::Stopped { kind, text } => {
            let status = match kind {
                TrapKind::Trap | TrapKind::Breakpoint => PtxHostStatus::PTX_HOST_TRAP,
                TrapKind::Assertion(_) => PtxHostStatus::PTX_HOST_ASSERTION,
                TrapKind::Deadlock(_) => PtxHostStatus::PTX_HOST_DEADLOCK,
                TrapKind::Timeout => PtxHostStatus::PTX_HOST_TIMEOUT,
                TrapKind::BranchIndex(_) | TrapKind::CallTarget(_) | TrapKind::Misuse(_) => {
                    PtxHostStatus::PTX_HOST_MISUSE
                }
                TrapKind::Steps | TrapKind::Stack | TrapKind::Output => PtxHostStatus::PTX_HOST_LIMIT,
                TrapKind::Fault(_) | TrapKind::Surface(_) | TrapKind::MisalignedSurface(_) => {
                    PtxHostStatus::PTX_HOST_FAULT
                }
                TrapKind::Defect(_) => PtxHostStatus::PTX_HOST_DEFECT,
            };
            (status, text)
        }
    }
}

unsafe extern "C" {
    fn putchar(byte: c_int) -> c_int;
}

/// Writes to C's standard output, so that what the program prints and what its kernels print stay in order.
fn print(bytes: &[u8]) {
    for &byte in bytes {
        // SAFETY: a function of the C library without preconditions.
        unsafe { putchar(byte.into()) };
    }
}
