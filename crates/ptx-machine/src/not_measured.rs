//! Why the machine code of a kernel has no estimate.

use std::fmt;

/// Why a kernel has no weighted count.
#[derive(Clone, PartialEq, Debug)]
pub enum NotMeasured {
    /// A loop at this PTX line repeats until another thread has done something, so that its trips depend on the scheduler.
    Spinning {
        /// The line of the loop's first instruction.
        line: u32,
    },
    /// A call through a pointer, of which the machine code does not tell the function.
    IndirectCall {
        /// The line of the call, where it is known.
        line: Option<u32>,
    },
    /// This part of the anchors' executions has no place in the machine code's graph.
    Residual(f64),
    /// The linear program has no solution.
    Unsolved(String),
    /// The machine code does not have the kernel.
    NoCode,
    /// Several kernels were launched, and counts of a function do not tell which of them called it.
    SeveralKernels {
        /// The function.
        function: String,
    },
}

impl fmt::Display for NotMeasured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spinning { line } => write!(f, "the loop at PTX line {line} waits for other threads"),
            Self::IndirectCall { line: Some(line) } => {
                write!(f, "a call through a pointer at PTX line {line}")
            }
            Self::IndirectCall { line: None } => f.write_str("a call through a pointer"),
            Self::Residual(part) => write!(f, "{:.1} % of the anchors' executions do not fit", part * 100.0),
            Self::Unsolved(why) => write!(f, "no solution: {why}"),
            Self::NoCode => f.write_str("the kernel is not in the machine code"),
            Self::SeveralKernels { function } => {
                write!(f, "several kernels were launched, and `{function}` may be called by any of them")
            }
        }
    }
}
