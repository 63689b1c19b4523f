//! Kinds of errors, which callers can tell apart without reading messages.

use ptx_diag::Finding;
use ptx_exec::{Fault, FaultKind, MemoryError, TrapKind, codes};

use crate::{DeviceError, RegionKind};

/// The kind of an error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ErrorKind {
    /// An argument of a call is invalid: an address, a size, a handle, or arguments that do not match the parameters.
    InvalidValue,
    /// The device or the host has not enough memory.
    OutOfMemory,
    /// The module is not valid PTX.
    InvalidModule,
    /// The module is machine code, or intermediate code without PTX: cubin, fatbin, LTO-IR.
    NoBinary,
    /// The module is for a later architecture than that of the device.
    Target,
    /// A function or variable is declared, used, and defined nowhere.
    UndefinedSymbol,
    /// There is no kernel or variable of this name.
    NotFound,
    /// The kernel requires something that cannot be executed.
    Unsupported,
    /// The shape of the launch does not fit the kernel or the device.
    InvalidLaunch,
    /// The launch requires more shared memory than it may have.
    SharedMemory,
    /// A cooperative launch has more blocks than can be co-resident.
    CooperativeTooLarge,
    /// The memory to be registered is registered or allocated already.
    AlreadyRegistered,
    /// The memory is not registered.
    NotRegistered,
    /// An event was not recorded, or has not been reached.
    NotReady,
    /// The host cannot create a thread.
    Host,
    /// A thread accessed memory that it may not access: out of bounds, freed, read-only, or of another block.
    IllegalAddress,
    /// A thread accessed an address that is not a multiple of the size of the access.
    Misaligned,
    /// An instruction was given an address in a state space on which it does not operate.
    InvalidAddressSpace,
    /// A thread branched to an index that is not in the list of targets, or called an address that is not a suitable function.
    InvalidPc,
    /// A thread executed `trap`, or `brkpt` without a debugger.
    Trap,
    /// An assertion failed.
    Assertion,
    /// Undefined use of a barrier, collective or descriptor.
    Misuse,
    /// A call requires more stack than a thread may have.
    StackOverflow,
    /// No thread of a block can go on.
    Deadlock,
    /// The launch took longer than its time limit.
    Timeout,
    /// The launch executed more instructions than its limit.
    StepLimit,
    /// The launch printed more than its limit.
    OutputLimit,
    /// The operation is not allowed while a stream is captured.
    Capture,
    /// The graph has a cycle, or a change does not fit it.
    InvalidGraph,
    /// A defect of this project.
    Internal,
}

impl ErrorKind {
    /// All kinds.
    pub const ALL: [Self; 30] = [
        Self::InvalidValue,
        Self::OutOfMemory,
        Self::InvalidModule,
        Self::NoBinary,
        Self::Target,
        Self::UndefinedSymbol,
        Self::NotFound,
        Self::Unsupported,
        Self::InvalidLaunch,
        Self::SharedMemory,
        Self::CooperativeTooLarge,
        Self::AlreadyRegistered,
        Self::NotRegistered,
        Self::NotReady,
        Self::Host,
        Self::IllegalAddress,
        Self::Misaligned,
        Self::InvalidAddressSpace,
        Self::InvalidPc,
        Self::Trap,
        Self::Assertion,
        Self::Misuse,
        Self::StackOverflow,
        Self::Deadlock,
        Self::Timeout,
        Self::StepLimit,
        Self::OutputLimit,
        Self::Capture,
        Self::InvalidGraph,
        Self::Internal,
    ];

    /// The number that the CUDA driver returns for such an error (`CUresult`). Where a GPU would hang, that of the launch timeout.
    pub const fn cuda_result(self) -> u32 {
        match self {
            Self::InvalidValue | Self::InvalidLaunch | Self::SharedMemory | Self::InvalidGraph => 1,
            Self::OutOfMemory => 2,
            Self::NoBinary | Self::Target => 209,
            Self::InvalidModule | Self::UndefinedSymbol => 218,
            Self::Host => 304,
            Self::NotFound => 500,
            Self::NotReady => 600,
            Self::IllegalAddress => 700,
            Self::Timeout | Self::StepLimit | Self::Deadlock => 702,
            Self::Assertion => 710,
            Self::AlreadyRegistered => 712,
            Self::NotRegistered => 713,
            Self::StackOverflow => 714,
            Self::Misaligned => 716,
            Self::InvalidAddressSpace => 717,
            Self::InvalidPc => 718,
            Self::Trap | Self::Misuse | Self::OutputLimit => 719,
            Self::CooperativeTooLarge => 720,
            Self::Unsupported => 801,
            Self::Capture => 900,
            Self::Internal => 999,
        }
    }

    /// The kind of the error that stopped a thread.
    pub const fn of_trap(kind: &TrapKind) -> Self {
        match kind {
            TrapKind::Fault(Fault { kind, .. }) => match kind {
                FaultKind::Misaligned => Self::Misaligned,
                FaultKind::NotAtomic => Self::InvalidAddressSpace,
                FaultKind::OutOfBounds
                | FaultKind::Freed
                | FaultKind::ReadOnly
                | FaultKind::OtherBlock
                | FaultKind::Exited => Self::IllegalAddress,
            },
            TrapKind::Surface(_) => Self::IllegalAddress,
            TrapKind::MisalignedSurface(_) => Self::Misaligned,
            TrapKind::Trap | TrapKind::Breakpoint => Self::Trap,
            TrapKind::Assertion(_) => Self::Assertion,
            TrapKind::Deadlock(_) => Self::Deadlock,
            TrapKind::Timeout => Self::Timeout,
            TrapKind::Steps => Self::StepLimit,
            TrapKind::Stack => Self::StackOverflow,
            TrapKind::Output => Self::OutputLimit,
            TrapKind::BranchIndex(_) | TrapKind::CallTarget(_) => Self::InvalidPc,
            TrapKind::Misuse(_) => Self::Misuse,
            TrapKind::Defect(_) => Self::Internal,
        }
    }

    fn of_memory(error: &MemoryError) -> Self {
        match error {
            MemoryError::NoRoom { .. } | MemoryError::TooLarge { .. } | MemoryError::OutOfMemory { .. } => {
                Self::OutOfMemory
            }
            MemoryError::Overlap { .. } => Self::AlreadyRegistered,
            MemoryError::NotARegion { expected: RegionKind::Registered, .. } => Self::NotRegistered,
            MemoryError::OutOfBounds { .. }
            | MemoryError::Freed { .. }
            | MemoryError::ReadOnly { .. }
            | MemoryError::NotARegion { .. }
            | MemoryError::Unfit { .. } => Self::InvalidValue,
        }
    }

    /// The kind of the first error among diagnostics, by its code, or else the given one.
    fn of_findings(findings: &[Finding], otherwise: Self) -> Self {
        let first = findings.iter().find(|finding| finding.is_error);
        let known = first.and_then(|finding| {
            let is = |code: ptx_diag::Code| finding.code == code.0;
            [
                (codes::NO_KERNEL, Self::NotFound),
                (codes::UNDEFINED, Self::UndefinedSymbol),
                (codes::NO_MEMORY, Self::OutOfMemory),
                (codes::COOPERATIVE, Self::CooperativeTooLarge),
                (codes::TIMEOUT, Self::Timeout),
                (ptx_link::code::DEVICE_RUNTIME, Self::Unsupported),
                (ptx_syntax::codes::BINARY, Self::NoBinary),
            ]
            .into_iter()
            .find_map(|(code, kind)| is(code).then_some(kind))
        });
        // Other codes are of the stage that reports them.
        known.into_iter().fold(otherwise, |_, known| known)
    }
}

impl DeviceError {
    /// Its kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Module(findings) => ErrorKind::of_findings(findings, ErrorKind::InvalidModule),
            Self::Target { .. } => ErrorKind::Target,
            Self::Kernel(findings) => ErrorKind::of_findings(findings, ErrorKind::Unsupported),
            Self::Launch(findings) if findings.iter().any(|finding| finding.code == codes::SIZE.0) => {
                ErrorKind::SharedMemory
            }
            Self::Launch(findings) => ErrorKind::of_findings(findings, ErrorKind::InvalidLaunch),
            Self::Arguments(_) | Self::Texture(_) | Self::Limit(_) => ErrorKind::InvalidValue,
            Self::Memory(error) => ErrorKind::of_memory(error),
            Self::Stopped(stopped) => ErrorKind::of_trap(&stopped.trap.kind),
            Self::Event(_) => ErrorKind::NotReady,
            Self::Host(_) => ErrorKind::Host,
            Self::Capture(_) => ErrorKind::Capture,
            Self::Graph(_) => ErrorKind::InvalidGraph,
            Self::Internal(_) => ErrorKind::Internal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_are_listed_once() {
        for (index, kind) in ErrorKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, index, "{kind:?}");
        }
    }
}
