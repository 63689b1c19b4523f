//! Reasons for refusing or stopping a launch.

use std::fmt;
use std::sync::Arc;

use ptx_diag::{Code, Detail, Diagnostic, Diagnostics, Span};
use ptx_program::SourceLine;
use thiserror::Error;

use crate::launch::Dim3;
use crate::memory::{Fault, FaultKind};
use crate::pointer::Pointer;

/// Diagnostic codes of launches.
pub mod codes {
    pub use ptx_program::codes::{ARGUMENTS, NO_KERNEL, OPERAND, SIZE, UNDEFINED, UNSUPPORTED};

    ptx_diag::codes! {
        /// The launch's shape is impossible.
        pub const SHAPE: Code = Code("X0002");
        /// A failure of the host system.
        pub const HOST: Code = Code("X0005");
        /// The device or the host has not enough memory.
        pub const NO_MEMORY: Code = Code("X0006");
        /// More blocks in a cooperative launch than can be co-resident.
        pub const COOPERATIVE: Code = Code("X0007");
        /// An access to unmapped or read-only memory, or a misaligned one.
        pub const FAULT: Code = Code("X0201");
        /// The program trapped.
        pub const TRAP: Code = Code("X0202");
        /// Deadlock: no thread can make progress.
        pub const DEADLOCK: Code = Code("X0203");
        /// The time limit was exceeded.
        pub const TIMEOUT: Code = Code("X0204");
        /// A limit on steps, stack or output was reached.
        pub const LIMIT: Code = Code("X0205");
        /// Undefined use of a barrier or collective.
        pub const MISUSE: Code = Code("X0206");
        /// Compiled code violates an assumption of its compiler: a defect of the tool, not of the program.
        pub const DEFECT: Code = Code("X0207");
    }
}

/// Why a thread was stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TrapKind {
    /// A memory access that cannot be performed.
    Fault(Fault),
    /// A surface access that is out of bounds.
    Surface(String),
    /// A misaligned surface access.
    MisalignedSurface(String),
    /// `trap`.
    Trap,
    /// `brkpt` without a debugger.
    Breakpoint,
    /// A failed device-side assertion, with its message.
    Assertion(String),
    /// No thread of the block can make progress; the text specifies which threads wait where.
    Deadlock(String),
    /// The time limit of the launch was exceeded.
    Timeout,
    /// The step limit of the launch was reached.
    Steps,
    /// A call that exceeds the stack limit of a thread.
    Stack,
    /// The output of `vprintf` exceeds the limit of the launch.
    Output,
    /// A `brx.idx` whose index is out of range.
    BranchIndex(u64),
    /// An indirect call whose target is not a function of the module, or whose signature differs.
    CallTarget(u64),
    /// Undefined use of a barrier or collective; the text explains it.
    Misuse(String),
    /// A check in compiled code found an assumption of the compiler violated; the text specifies which.
    Defect(String),
}

impl TrapKind {
    /// The diagnostic code.
    pub const fn code(&self) -> Code {
        match self {
            TrapKind::Fault(_) | TrapKind::Surface(_) | TrapKind::MisalignedSurface(_) => codes::FAULT,
            TrapKind::Trap | TrapKind::Breakpoint | TrapKind::Assertion(_) => codes::TRAP,
            TrapKind::Deadlock(_) => codes::DEADLOCK,
            TrapKind::Timeout => codes::TIMEOUT,
            TrapKind::Steps | TrapKind::Stack | TrapKind::Output => codes::LIMIT,
            TrapKind::BranchIndex(_) | TrapKind::CallTarget(_) | TrapKind::Misuse(_) => codes::MISUSE,
            TrapKind::Defect(_) => codes::DEFECT,
        }
    }
}

impl fmt::Display for TrapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrapKind::Fault(fault) => fault.fmt(f),
            TrapKind::Trap => f.write_str("the thread executed `trap`"),
            TrapKind::Breakpoint => f.write_str("the thread executed `brkpt` and no debugger is attached"),
            TrapKind::Assertion(text) => write!(f, "assertion failed: {text}"),
            TrapKind::Deadlock(who) => write!(f, "deadlock: no thread of the block can go on; {who}"),
            TrapKind::Timeout => f.write_str("the launch took longer than its time limit"),
            TrapKind::Steps => f.write_str("the launch executed more instructions than its limit"),
            TrapKind::Stack => f.write_str("the call needs more stack than a thread may have"),
            TrapKind::Output => f.write_str("`vprintf` wrote more than the launch allows"),
            TrapKind::BranchIndex(index) => write!(f, "branch index {index} is beyond the list of targets"),
            TrapKind::CallTarget(address) => {
                write!(f, "indirect call of {address:#x}, which is not a function that takes these arguments")
            }
            TrapKind::Surface(text) | TrapKind::MisalignedSurface(text) | TrapKind::Misuse(text) => {
                f.write_str(text)
            }
            TrapKind::Defect(text) => write!(f, "internal error: {text}"),
        }
    }
}

/// A stopped thread, with its location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trap {
    /// The reason.
    pub kind: TrapKind,
    /// The argument or variable nearest to a faulty access: its size, and the offset of the access in it or past its
    /// end.
    pub object: Option<String>,
    /// The instruction, if any.
    pub span: Option<Span>,
    /// The source line of the instruction, if the module has line information (`.loc`).
    pub source: Option<Arc<SourceLine>>,
    /// The instruction's mnemonic, empty if there is no instruction.
    pub instruction: String,
    /// The function that contains the instruction.
    pub function: String,
    /// The kernel.
    pub kernel: String,
    /// The index of the block in the grid.
    pub block: Dim3,
    /// The index of the thread in the block.
    pub thread: Dim3,
    /// Other locations that explain the trap, such as where the threads of a deadlock wait.
    pub related: Vec<(Span, String)>,
    /// Output of `vprintf` until the stop, in block order; empty in a [`Report`](crate::Report), which has it itself.
    pub output: Vec<u8>,
    /// What the address of a faulty access may be computed from.
    pub(crate) pointers: Vec<Pointer>,
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([bx, by, bz], [tx, ty, tz]) = (self.block, self.thread);
        write!(f, "{}", self.kind)?;
        if let Some(object) = &self.object {
            write!(f, ": {object}")?;
        }
        if !self.instruction.is_empty() {
            write!(f, "; `{}`", self.instruction)?;
        }
        write!(f, " in kernel {}", self.kernel)?;
        if self.function != self.kernel {
            write!(f, ", function {}", self.function)?;
        }
        write!(f, ", block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz})")?;
        match &self.source {
            Some(source) => write!(f, ", at {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Trap {}

impl Trap {
    /// The components of the message by name: `kernel`, `function`, `block`, `thread`, and where known `instruction`,
    /// `source_file`, `source_line`, `source_column` of `.loc`, `object`; for a memory access `access` (the kind of
    /// fault), `space`, `address` (in hexadecimal) and `bytes`.
    pub fn details(&self) -> Vec<(&'static str, Detail)> {
        let text = |text: &str| Detail::Text(text.to_owned());
        let mut details = vec![
            ("kernel", text(&self.kernel)),
            ("function", text(&self.function)),
            ("block", Detail::Index(self.block)),
            ("thread", Detail::Index(self.thread)),
        ];
        if !self.instruction.is_empty() {
            details.push(("instruction", text(&self.instruction)));
        }
        if let Some(source) = &self.source {
            details.push(("source_file", text(&source.file)));
            details.push(("source_line", Detail::Number(source.line.into())));
            if source.column > 0 {
                details.push(("source_column", Detail::Number(source.column.into())));
            }
        }
        if let Some(object) = &self.object {
            details.push(("object", text(object)));
        }
        if let TrapKind::Fault(Fault { kind, space, address, size }) = &self.kind {
            let access = match kind {
                FaultKind::OutOfBounds => "out of bounds",
                FaultKind::Freed => "freed",
                FaultKind::Misaligned => "misaligned",
                FaultKind::ReadOnly => "read-only",
                FaultKind::NotAtomic => "not atomic",
                FaultKind::OtherBlock => "of another block",
                FaultKind::Exited => "of a block that has exited",
            };
            details.push(("access", text(access)));
            details.push(("space", text(space.as_str())));
            details.push(("address", Detail::Text(format!("{address:#x}"))));
            details.push(("bytes", Detail::Number((*size).into())));
        }
        details
    }
}

/// Why a launch has no result.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ExecError {
    /// Refused before any thread ran: the request does not fit the module, or the module contains a construct that
    /// cannot be executed.
    #[error("the launch was refused: {} error(s)", .0.error_count())]
    Refused(Diagnostics),
    /// A thread was stopped.
    #[error("{0}")]
    Trap(Box<Trap>),
}

impl ExecError {
    /// The same error with what the launch has printed until it was stopped.
    #[must_use]
    pub fn with_output(mut self, output: Vec<u8>) -> Self {
        if let ExecError::Trap(trap) = &mut self {
            trap.output = output;
        }
        self
    }

    /// Output of `vprintf` until the launch was stopped, in block order.
    pub fn output(&self) -> &[u8] {
        match self {
            ExecError::Refused(_) => &[],
            ExecError::Trap(trap) => &trap.output,
        }
    }

    /// Converts the error to diagnostics, for rendering with those of other stages.
    pub fn into_diagnostics(self) -> Diagnostics {
        match self {
            ExecError::Refused(diagnostics) => diagnostics,
            ExecError::Trap(trap) => {
                let mut diagnostics = Diagnostics::new();
                let (code, text) = (trap.kind.code(), trap.to_string());
                let finding = match trap.span {
                    Some(span) => Diagnostic::error(code, span, text),
                    None => Diagnostic::error_without_place(code, text),
                };
                let details = trap.details();
                let related = trap.related.into_iter();
                let finding = related.fold(finding, |finding, (span, text)| finding.with_related(span, text));
                diagnostics.push(Diagnostic { details, ..finding });
                diagnostics
            }
        }
    }
}

/// A refusal for one reason, which is at no place of the module.
pub(crate) fn one(code: Code, text: impl Into<String>) -> Diagnostics {
    let mut findings = Diagnostics::new();
    findings.push(Diagnostic::error_without_place(code, text));
    findings
}
