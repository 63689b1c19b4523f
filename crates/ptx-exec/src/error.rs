//! Why a launch is refused or stops.

use std::fmt;
use std::sync::Arc;

use ptx_diag::{Code, Detail, Diagnostic, Diagnostics, Span};
use thiserror::Error;

use crate::launch::Dim3;
use crate::memory::{Fault, FaultKind};
use crate::program::SourceLine;

/// Codes of the findings of this crate.
pub mod codes {
    ptx_diag::codes! {
        /// The module has no such kernel.
        pub const NO_KERNEL: Code = Code("X0001");
        /// The launch's shape is impossible.
        pub const SHAPE: Code = Code("X0002");
        /// The arguments do not match the kernel's parameters.
        pub const ARGUMENTS: Code = Code("X0003");
        /// Too much shared memory, or a variable that is too large.
        pub const SIZE: Code = Code("X0004");
        /// Something of the host failed.
        pub const HOST: Code = Code("X0005");
        /// Something that the interpreter cannot execute.
        pub const UNSUPPORTED: Code = Code("X0101");
        /// A name without a definition.
        pub const UNDEFINED: Code = Code("X0102");
        /// An operand that does not fit its instruction.
        pub const OPERAND: Code = Code("X0103");
        /// An access to memory that is not there, is misaligned or read-only.
        pub const FAULT: Code = Code("X0201");
        /// The program stopped itself.
        pub const TRAP: Code = Code("X0202");
        /// No thread can go on.
        pub const DEADLOCK: Code = Code("X0203");
        /// The time is over.
        pub const TIMEOUT: Code = Code("X0204");
        /// A limit on steps, stack or output was reached.
        pub const LIMIT: Code = Code("X0205");
        /// A barrier or collective was used in a way that has no meaning.
        pub const MISUSE: Code = Code("X0206");
        /// Compiled code contradicts what its compiler claimed: a defect of the tool, not of the program.
        pub const DEFECT: Code = Code("X0207");
    }
}

/// What stopped a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TrapKind {
    /// An access to memory that cannot be carried out.
    Fault(Fault),
    /// An access to a surface beyond its edge, or misaligned; specifies which.
    Surface(String),
    /// `trap`.
    Trap,
    /// `brkpt`, with no debugger to take over.
    Breakpoint,
    /// A failed device-side assertion, with its text.
    Assertion(String),
    /// No thread of the block can continue; the text names who waits where.
    Deadlock(String),
    /// The time limit of the launch is over.
    Timeout,
    /// The step limit of the launch is reached.
    Steps,
    /// The call needs more stack than a thread may have.
    Stack,
    /// `vprintf` wrote more than the launch allows.
    Output,
    /// A `brx.idx` with an index beyond its list.
    BranchIndex(u64),
    /// An indirect call of something that is not a function of the module, or has other parameters.
    CallTarget(u64),
    /// A barrier or collective was used in a way that has no meaning; the text explains how.
    Misuse(String),
    /// Compiled code that checks what its compiler claimed has found it wrong; specifies what.
    Defect(String),
}

impl TrapKind {
    /// The code of the finding.
    pub const fn code(&self) -> Code {
        match self {
            TrapKind::Fault(_) | TrapKind::Surface(_) => codes::FAULT,
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
            TrapKind::Surface(text) | TrapKind::Misuse(text) => f.write_str(text),
            TrapKind::Defect(text) => write!(f, "internal error: {text}"),
        }
    }
}

/// A thread that was stopped, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trap {
    /// What stopped it.
    pub kind: TrapKind,
    /// The argument or variable that a faulty access is nearest to: its size, and the offset of the access in it or past its end.
    pub object: Option<String>,
    /// The instruction, when it was one.
    pub span: Option<Span>,
    /// The line of the source that the instruction is from, when the module names it (`.loc`).
    pub source: Option<Arc<SourceLine>>,
    /// The instruction's mnemonic, empty when it was none.
    pub instruction: String,
    /// The function it is in.
    pub function: String,
    /// The kernel.
    pub kernel: String,
    /// The index of the block in the grid.
    pub block: Dim3,
    /// The index of the thread in the block.
    pub thread: Dim3,
    /// Other places that explain it: where the threads of a deadlock wait.
    pub related: Vec<(Span, String)>,
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
    /// What the text has, by name: `kernel`, `function`, `block`, `thread`, and where they are known `instruction`, `source_file`, `source_line`,
    /// `source_column` of `.loc`, `object`; of an access to memory `access` (what is wrong with it), `space`, `address` (in hexadecimal) and `bytes`.
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

/// Why a launch left no result.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ExecError {
    /// It was refused before any thread ran: what was asked for does not fit the module, or the module has something
    /// that cannot be executed.
    #[error("the launch was refused: {} error(s)", .0.error_count())]
    Refused(Diagnostics),
    /// A thread was stopped.
    #[error("{0}")]
    Trap(Box<Trap>),
}

impl ExecError {
    /// The findings, for rendering beside those of other stages.
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
