//! Kinds of errors.

use std::ffi::c_char;

use ptx_device::ErrorKind;

use crate::status::last_kind;

/// The kind of an error, which is finer than its status. `ptx_last_error_kind` returns it.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
pub enum PtxErrorKind {
    /// No error.
    PtxErrorNone = 0,
    /// An argument of a call is invalid: an address, a size, a handle, or arguments that do not match the parameters.
    PtxErrorInvalidValue = 1,
    /// The device or the host has not enough memory.
    PtxErrorOutOfMemory = 2,
    /// The module is not valid PTX.
    PtxErrorInvalidModule = 3,
    /// The module is machine code, or intermediate code without PTX: cubin, fatbin, LTO-IR.
    PtxErrorNoBinary = 4,
    /// The module is for a later architecture than that of the device.
    PtxErrorTarget = 5,
    /// A function or variable is declared, used, and defined nowhere.
    PtxErrorUndefinedSymbol = 6,
    /// There is no kernel or variable of this name.
    PtxErrorNotFound = 7,
    /// The kernel requires something that cannot be executed.
    PtxErrorUnsupported = 8,
    /// The shape of the launch does not fit the kernel or the device.
    PtxErrorInvalidLaunch = 9,
    /// The launch requires more shared memory than it may have.
    PtxErrorSharedMemory = 10,
    /// A cooperative launch has more blocks than can be co-resident.
    PtxErrorCooperativeTooLarge = 11,
    /// The memory to be registered is registered or allocated already.
    PtxErrorAlreadyRegistered = 12,
    /// The memory is not registered.
    PtxErrorNotRegistered = 13,
    /// An event was not recorded, or has not been reached.
    PtxErrorNotReady = 14,
    /// The host cannot create a thread.
    PtxErrorHost = 15,
    /// A thread accessed memory that it may not access: out of bounds, freed, read-only, or of another block.
    PtxErrorIllegalAddress = 16,
    /// A thread accessed an address that is not a multiple of the size of the access.
    PtxErrorMisaligned = 17,
    /// An instruction was given an address in a state space on which it does not operate.
    PtxErrorInvalidAddressSpace = 18,
    /// A thread branched to an index that is not in the list of targets, or called an address that is not a suitable function.
    PtxErrorInvalidPc = 19,
    /// A thread executed `trap`, or `brkpt` without a debugger.
    PtxErrorTrap = 20,
    /// An assertion failed.
    PtxErrorAssertion = 21,
    /// Undefined use of a barrier, collective or descriptor.
    PtxErrorMisuse = 22,
    /// A call requires more stack than a thread may have.
    PtxErrorStackOverflow = 23,
    /// No thread of a block can go on.
    PtxErrorDeadlock = 24,
    /// The launch took longer than its time limit.
    PtxErrorTimeout = 25,
    /// The launch executed more instructions than its limit.
    PtxErrorStepLimit = 26,
    /// The launch printed more than its limit.
    PtxErrorOutputLimit = 27,
    /// The operation is not allowed while a stream is captured.
    PtxErrorCapture = 28,
    /// The graph has a cycle, or a change does not fit it.
    PtxErrorInvalidGraph = 29,
    /// A defect of this project.
    PtxErrorInternal = 30,
}

/// The kinds, in the order of their numbers from 1 on, with their names in C.
const KINDS: [(ErrorKind, PtxErrorKind, &std::ffi::CStr); 30] = [
    (ErrorKind::InvalidValue, PtxErrorKind::PtxErrorInvalidValue, c"PTX_ERROR_INVALID_VALUE"),
    (ErrorKind::OutOfMemory, PtxErrorKind::PtxErrorOutOfMemory, c"PTX_ERROR_OUT_OF_MEMORY"),
    (ErrorKind::InvalidModule, PtxErrorKind::PtxErrorInvalidModule, c"PTX_ERROR_INVALID_MODULE"),
    (ErrorKind::NoBinary, PtxErrorKind::PtxErrorNoBinary, c"PTX_ERROR_NO_BINARY"),
    (ErrorKind::Target, PtxErrorKind::PtxErrorTarget, c"PTX_ERROR_TARGET"),
    (ErrorKind::UndefinedSymbol, PtxErrorKind::PtxErrorUndefinedSymbol, c"PTX_ERROR_UNDEFINED_SYMBOL"),
    (ErrorKind::NotFound, PtxErrorKind::PtxErrorNotFound, c"PTX_ERROR_NOT_FOUND"),
    (ErrorKind::Unsupported, PtxErrorKind::PtxErrorUnsupported, c"PTX_ERROR_UNSUPPORTED"),
    (ErrorKind::InvalidLaunch, PtxErrorKind::PtxErrorInvalidLaunch, c"PTX_ERROR_INVALID_LAUNCH"),
    (ErrorKind::SharedMemory, PtxErrorKind::PtxErrorSharedMemory, c"PTX_ERROR_SHARED_MEMORY"),
    (
        ErrorKind::CooperativeTooLarge,
        PtxErrorKind::PtxErrorCooperativeTooLarge,
        c"PTX_ERROR_COOPERATIVE_TOO_LARGE",
    ),
    (ErrorKind::AlreadyRegistered, PtxErrorKind::PtxErrorAlreadyRegistered, c"PTX_ERROR_ALREADY_REGISTERED"),
    (ErrorKind::NotRegistered, PtxErrorKind::PtxErrorNotRegistered, c"PTX_ERROR_NOT_REGISTERED"),
    (ErrorKind::NotReady, PtxErrorKind::PtxErrorNotReady, c"PTX_ERROR_NOT_READY"),
    (ErrorKind::Host, PtxErrorKind::PtxErrorHost, c"PTX_ERROR_HOST"),
    (ErrorKind::IllegalAddress, PtxErrorKind::PtxErrorIllegalAddress, c"PTX_ERROR_ILLEGAL_ADDRESS"),
    (ErrorKind::Misaligned, PtxErrorKind::PtxErrorMisaligned, c"PTX_ERROR_MISALIGNED"),
    (
        ErrorKind::InvalidAddressSpace,
        PtxErrorKind::PtxErrorInvalidAddressSpace,
        c"PTX_ERROR_INVALID_ADDRESS_SPACE",
    ),
    (ErrorKind::InvalidPc, PtxErrorKind::PtxErrorInvalidPc, c"PTX_ERROR_INVALID_PC"),
    (ErrorKind::Trap, PtxErrorKind::PtxErrorTrap, c"PTX_ERROR_TRAP"),
    (ErrorKind::Assertion, PtxErrorKind::PtxErrorAssertion, c"PTX_ERROR_ASSERTION"),
    (ErrorKind::Misuse, PtxErrorKind::PtxErrorMisuse, c"PTX_ERROR_MISUSE"),
    (ErrorKind::StackOverflow, PtxErrorKind::PtxErrorStackOverflow, c"PTX_ERROR_STACK_OVERFLOW"),
    (ErrorKind::Deadlock, PtxErrorKind::PtxErrorDeadlock, c"PTX_ERROR_DEADLOCK"),
    (ErrorKind::Timeout, PtxErrorKind::PtxErrorTimeout, c"PTX_ERROR_TIMEOUT"),
    (ErrorKind::StepLimit, PtxErrorKind::PtxErrorStepLimit, c"PTX_ERROR_STEP_LIMIT"),
    (ErrorKind::OutputLimit, PtxErrorKind::PtxErrorOutputLimit, c"PTX_ERROR_OUTPUT_LIMIT"),
    (ErrorKind::Capture, PtxErrorKind::PtxErrorCapture, c"PTX_ERROR_CAPTURE"),
    (ErrorKind::InvalidGraph, PtxErrorKind::PtxErrorInvalidGraph, c"PTX_ERROR_INVALID_GRAPH"),
    (ErrorKind::Internal, PtxErrorKind::PtxErrorInternal, c"PTX_ERROR_INTERNAL"),
];

impl From<ErrorKind> for PtxErrorKind {
    fn from(kind: ErrorKind) -> Self {
        match KINDS.iter().find(|(known, ..)| *known == kind) {
            Some((_, kind, _)) => *kind,
            None => {
                debug_assert!(false, "{kind:?} is not listed");
                Self::PtxErrorInternal
            }
        }
    }
}

/// The kind of the error of the last function that this thread called; `PTX_ERROR_NONE` if it succeeded.
#[unsafe(no_mangle)]
pub extern "C" fn ptx_last_error_kind() -> PtxErrorKind {
    last_kind()
}

fn known(kind: i32) -> Option<&'static (ErrorKind, PtxErrorKind, &'static std::ffi::CStr)> {
    KINDS.iter().find(|(_, number, _)| *number as i32 == kind)
}

/// The name of a kind, such as `PTX_ERROR_MISALIGNED`.
#[unsafe(no_mangle)]
pub extern "C" fn ptx_error_kind_name(kind: i32) -> *const c_char {
    let name = match known(kind) {
        Some((_, _, name)) => name,
        None if kind == PtxErrorKind::PtxErrorNone as i32 => c"PTX_ERROR_NONE",
        None => c"no kind",
    };
    name.as_ptr()
}

/// The number that the CUDA driver returns for an error of a kind (`CUresult`): 716 for `PTX_ERROR_MISALIGNED`. 0 for `PTX_ERROR_NONE`, and
/// 999, an unknown error, for a number that is no kind.
#[unsafe(no_mangle)]
pub extern "C" fn ptx_error_kind_cuda_result(kind: i32) -> u32 {
    match known(kind) {
        Some((kind, ..)) => kind.cuda_result(),
        None if kind == PtxErrorKind::PtxErrorNone as i32 => 0,
        None => ErrorKind::Internal.cuda_result(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_have_numbers() {
        assert_eq!(KINDS.map(|(kind, ..)| kind), ErrorKind::ALL);
        assert!(KINDS.iter().zip(1..).all(|((_, kind, _), number)| *kind as i32 == number));
    }
}
