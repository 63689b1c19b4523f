//! Machine code weighted by execution: how often warps issue each machine instruction of a kernel at a launch.
//!
//! A count of instructions in a listing misleads in both directions: a loop that ptxas no longer unrolls is short and slow, a path that is copied is long and
//! fast. No GPU is needed for the number of times each instruction is issued, which is estimated from three sources:
//!
//! - `ptxas -lineinfo` and `nvdisasm -gp` give the machine code with the PTX line of each instruction, and from it the graph of blocks ([`listing`]);
//! - the interpreter counts threads and warps for each PTX instruction ([`source`]);
//! - a linear program finds the counts of the machine blocks that agree with both ([`estimate`]): what enters a block leaves it, instructions that
//!   ptxas neither merges nor splits are executed, over all copies, as often as their line ([`anchor`]), a loop is entered before it repeats, slow paths
//!   of divisions are taken where there is no other way, and of what stays open the least is taken.
//!
//! What cannot be estimated is [`NotMeasured`] with the reason, and never a number: loops whose trips depend on the scheduler, calls through pointers, and estimates that
//! do not fit the counts. Only issued instructions are counted: neither latency nor caches nor bank conflicts.
//!
//! [`measure()`](kernel::measure) estimates a kernel, [`compare`] holds what a way through LLVM makes of it against the original, [`report`] judges a set of kernels
//! (`cargo xtask opt-report`).

pub mod anchor;
pub mod class;
pub mod compare;
pub mod compiled;
pub mod estimate;
pub mod graph;
mod joined;
pub mod kernel;
pub mod listing;
mod loops;
mod occupancy;
mod pinned;
mod program;
pub mod reasons;
pub mod report;
pub mod sets;
pub mod source;
mod spinning;
pub mod trip_counts;
pub mod way;
mod wishes;

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
        }
    }
}
