//! The machine code that `ptxas` makes of PTX: read from the listing of `nvdisasm`, and estimated how often warps issue each instruction.
//!
//! A count of instructions in a listing misleads in both directions: a loop that ptxas no longer unrolls is short and slow, a path that is copied is long and
//! fast. No GPU is needed for the number of times each instruction is issued, which is estimated from three sources:
//!
//! - `ptxas -lineinfo` and `nvdisasm -gp` give the machine code with the PTX line of each instruction ([`functions`]), and from it the graph of blocks;
//! - an interpreter counts threads and warps for each PTX instruction ([`Source`]);
//! - a linear program finds the counts of the machine blocks that agree with both ([`estimate()`]): what enters a block leaves it, instructions that
//!   ptxas neither merges nor splits are executed, over all copies, as often as their line, a loop is entered before it repeats, slow paths
//!   of divisions are taken where there is no other way, and of what stays open the least is taken.
//!
//! What cannot be estimated is [`NotMeasured`] with the reason, and never a number: loops whose trips depend on the scheduler, calls through pointers, and estimates that
//! do not fit the counts. Only issued instructions are counted: neither latency nor caches nor bank conflicts.

mod anchor;
mod class;
mod estimate;
mod graph;
mod issued;
mod joined;
mod listing;
mod loops;
mod not_measured;
mod pinned;
mod program;
mod source;
mod spinning;
mod toolchain;
mod usage;
mod weighted;
mod wishes;

pub use class::{Class, Space};
pub use estimate::{Counted, Estimate, MOST_RESIDUAL, MachineLoop, estimate};
pub use issued::Issued;
pub use listing::{Instruction, Item, functions, length};
pub use not_measured::NotMeasured;
pub use source::{Block, Executions, Line, Loop, Source};
pub use toolchain::{Complaint, MachineCode, Toolchain, ToolchainError};
pub use usage::{Usage, usage};
pub use weighted::Weighted;
