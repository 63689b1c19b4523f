//! Result status of functions, and the text of the last error.

use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::LocalKey;

use ptx_device::{DeviceError, ErrorKind};

use crate::error_kind::PtxErrorKind;

/// The result of a function. The text of an error is `ptx_last_error()`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
pub enum PtxStatus {
    /// Success.
    PtxSuccess = 0,
    /// A null pointer, text that is not UTF-8, or a number without meaning.
    PtxInvalidValue = 1,
    /// The module is not valid PTX, or is for a target that the device does not support.
    PtxInvalidModule = 2,
    /// There is no such kernel or variable.
    PtxNotFound = 3,
    /// The kernel requires something that cannot be executed.
    PtxUnsupported = 4,
    /// The arguments do not match the parameters.
    PtxInvalidArguments = 5,
    /// The launch does not fit the kernel or the device.
    PtxInvalidLaunch = 6,
    /// An invalid address or size: out of bounds, freed, read-only, already known.
    PtxInvalidMemory = 7,
    /// A kernel was stopped, now or earlier: a faulty access, a trap, a deadlock, a limit. Also if its time limit passed while it was compiled, after which the device goes on.
    PtxStopped = 8,
    /// An event that was not recorded or has not been reached.
    PtxNotReady = 9,
    /// The host cannot create a thread.
    PtxHostError = 10,
    /// A defect of this library.
    PtxInternalError = 11,
    /// The device or the host has not enough memory.
    PtxOutOfMemory = 12,
    /// A graph or capture for which the operation is not allowed.
    PtxInvalidGraph = 13,
}

/// Why a function failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: PtxStatus,
    pub(crate) text: String,
    kind: ErrorKind,
    /// Its diagnostics, one object per line.
    json: String,
}

impl Failure {
    pub(crate) fn new(status: PtxStatus, text: impl Into<String>) -> Self {
        let kind = match status {
            PtxStatus::PtxSuccess | PtxStatus::PtxInternalError | PtxStatus::PtxStopped => {
                ErrorKind::Internal
            }
            PtxStatus::PtxInvalidValue | PtxStatus::PtxInvalidArguments | PtxStatus::PtxInvalidMemory => {
                ErrorKind::InvalidValue
            }
            PtxStatus::PtxInvalidModule => ErrorKind::InvalidModule,
            PtxStatus::PtxNotFound => ErrorKind::NotFound,
            PtxStatus::PtxUnsupported => ErrorKind::Unsupported,
            PtxStatus::PtxInvalidLaunch => ErrorKind::InvalidLaunch,
            PtxStatus::PtxNotReady => ErrorKind::NotReady,
            PtxStatus::PtxHostError => ErrorKind::Host,
            PtxStatus::PtxOutOfMemory => ErrorKind::OutOfMemory,
            PtxStatus::PtxInvalidGraph => ErrorKind::InvalidGraph,
        };
        Self { status, text: text.into(), kind, json: String::new() }
    }

    pub(crate) fn value(text: impl Into<String>) -> Self {
        Self::new(PtxStatus::PtxInvalidValue, text)
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        let status = match &error {
            DeviceError::Module(_) | DeviceError::Target { .. } => PtxStatus::PtxInvalidModule,
            DeviceError::Kernel(findings) if findings.iter().any(|finding| finding.code == "X0001") => {
                PtxStatus::PtxNotFound
            }
            DeviceError::Kernel(_) => PtxStatus::PtxUnsupported,
            DeviceError::Arguments(_) => PtxStatus::PtxInvalidArguments,
            // The time limit is that of the launch, whether it passes in the kernel or while the kernel is compiled.
            DeviceError::Launch(_) if error.kind() == ErrorKind::Timeout => PtxStatus::PtxStopped,
            DeviceError::Launch(_) => PtxStatus::PtxInvalidLaunch,
            DeviceError::Memory(_) if error.kind() == ErrorKind::OutOfMemory => PtxStatus::PtxOutOfMemory,
            DeviceError::Memory(_) => PtxStatus::PtxInvalidMemory,
            DeviceError::Texture(_) | DeviceError::Limit(_) => PtxStatus::PtxInvalidValue,
            DeviceError::Stopped(_) => PtxStatus::PtxStopped,
            DeviceError::Event(_) => PtxStatus::PtxNotReady,
            DeviceError::Capture(_) | DeviceError::Graph(_) => PtxStatus::PtxInvalidGraph,
            DeviceError::Host(_) => PtxStatus::PtxHostError,
            DeviceError::Internal(_) => PtxStatus::PtxInternalError,
        };
        let json: Vec<&str> = error.findings().iter().map(|finding| finding.json.as_str()).collect();
        Self { status, text: error.to_string(), kind: error.kind(), json: json.join("\n") }
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
    static LAST_JSON: RefCell<CString> = RefCell::default();
    static LAST_KIND: Cell<PtxErrorKind> = const { Cell::new(PtxErrorKind::PtxErrorNone) };
}

/// A text of C; zeros are written as in a literal.
pub(crate) fn c_text(text: &str) -> CString {
    let text = CString::new(text.replace('\0', "\\0"));
    debug_assert!(text.is_ok(), "a zero was replaced");
    // Default: as asserted.
    text.unwrap_or_default()
}

fn keep(kind: PtxErrorKind, text: String, json: String) {
    let _ = LAST_KIND.try_with(|last| last.set(kind));
    for (text, place) in [(text, &LAST), (json, &LAST_JSON)] {
        let text = c_text(&text);
        // A terminating thread may have no storage for it any more.
        let _ = place.try_with(|last| last.try_borrow_mut().map(|mut last| *last = text));
    }
}

fn kept(place: &'static LocalKey<RefCell<CString>>) -> *const c_char {
    let text = place.try_with(|last| last.try_borrow().map_or(std::ptr::null(), |last| last.as_ptr()));
    text.unwrap_or(c"".as_ptr())
}

/// The text of the last error.
pub(crate) fn last_text() -> String {
    match LAST.try_with(|last| last.try_borrow().map(|last| last.to_string_lossy().into_owned())) {
        Ok(Ok(text)) => text,
        // A terminating thread has no storage for it any more.
        Ok(Err(_)) | Err(_) => String::new(),
    }
}

/// The kind of the last error.
pub(crate) fn last_kind() -> PtxErrorKind {
    let mut kind = PtxErrorKind::PtxErrorNone;
    // A terminating thread has no storage for it any more.
    let _ = LAST_KIND.try_with(|last| kind = last.get());
    kind
}

/// Runs the body of a function: records the text of an error, and catches panics.
pub(crate) fn guard(work: impl FnOnce() -> Result<(), Failure>) -> PtxStatus {
    let failure = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => {
            keep(PtxErrorKind::PtxErrorNone, String::new(), String::new());
            return PtxStatus::PtxSuccess;
        }
        Ok(Err(failure)) => failure,
        Err(_) => Failure::new(PtxStatus::PtxInternalError, "internal error: the library panicked"),
    };
    keep(failure.kind.into(), failure.text, failure.json);
    failure.status
}

/// The error text of the last function that this thread called, empty if it succeeded. It is valid until the thread calls the next function.
#[unsafe(no_mangle)]
pub extern "C" fn ptx_last_error() -> *const c_char {
    kept(&LAST)
}

/// The diagnostics of the last error about a module, a launch or a stopped kernel, as JSON: one object per line for
/// each diagnostic, with `file`, `line`, `column`, `severity`, `code`, `message` and `help`; for a stopped kernel also
/// `details` (`kernel`, `block`, `thread`, the source line by `.loc` and so on) and `related`, the positions of other
/// threads. It is empty if there are no diagnostics, and valid as long as `ptx_last_error`.
#[unsafe(no_mangle)]
pub extern "C" fn ptx_last_error_json() -> *const c_char {
    kept(&LAST_JSON)
}

/// The name of a status, such as `PTX_STOPPED`.
#[unsafe(no_mangle)]
pub extern "C" fn ptx_status_name(status: i32) -> *const c_char {
    let name = match status {
        0 => c"PTX_SUCCESS",
        1 => c"PTX_INVALID_VALUE",
        2 => c"PTX_INVALID_MODULE",
        3 => c"PTX_NOT_FOUND",
        4 => c"PTX_UNSUPPORTED",
        5 => c"PTX_INVALID_ARGUMENTS",
        6 => c"PTX_INVALID_LAUNCH",
        7 => c"PTX_INVALID_MEMORY",
        8 => c"PTX_STOPPED",
        9 => c"PTX_NOT_READY",
        10 => c"PTX_HOST_ERROR",
        11 => c"PTX_INTERNAL_ERROR",
        12 => c"PTX_OUT_OF_MEMORY",
        13 => c"PTX_INVALID_GRAPH",
        _ => c"no status",
    };
    name.as_ptr()
}

#[cfg(test)]
mod tests {
    use ptx_device::{Finding, Severity};

    use super::*;

    #[test]
    fn panics_become_errors_with_a_text() {
        let status = guard(|| panic!("on purpose"));
        assert_eq!(status, PtxStatus::PtxInternalError);
        let text = LAST.with_borrow(|last| last.to_string_lossy().into_owned());
        assert_eq!(text, "internal error: the library panicked");
        assert_eq!(guard(|| Err(Failure::value("a\0b"))), PtxStatus::PtxInvalidValue);
        assert_eq!(LAST.with_borrow(|last| last.to_string_lossy().into_owned()), "a\\0b");
        assert_eq!(guard(|| Ok(())), PtxStatus::PtxSuccess);
        assert!(LAST.with_borrow(|last| last.is_empty()));
    }

    #[test]
    fn a_time_limit_that_passes_while_a_kernel_is_compiled_has_the_status_of_one_that_passes_in_it() {
        let late = |code| {
            let finding = Finding {
                text: "the kernel was not compiled in time".to_owned(),
                message: "the kernel was not compiled in time".to_owned(),
                help: None,
                file: String::new(),
                position: None,
                code,
                is_error: true,
                severity: Severity::Error,
                json: String::new(),
                human: String::new(),
                related: Vec::new(),
            };
            Failure::from(DeviceError::Launch(vec![finding]))
        };
        let failure = late("X0204");
        assert_eq!((failure.status, failure.kind), (PtxStatus::PtxStopped, ErrorKind::Timeout));
        let failure = late("X0101");
        assert_eq!((failure.status, failure.kind), (PtxStatus::PtxInvalidLaunch, ErrorKind::InvalidLaunch));
    }
}
