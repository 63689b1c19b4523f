//! Watching a launch: what each instruction costs, and what each thread reads and writes.

use std::fmt;
use std::sync::Arc;

use ptx_diag::Span;
use ptx_isa::ScalarType;
use ptx_verify::Verified;

use crate::error::ExecError;
use crate::launch::{Dim3, Launch, Outcome};
use crate::program::SourceLine;

/// What a launch is watched for. It runs slower then.
#[derive(Clone, Default, Debug)]
pub struct Observation {
    /// Whether the instructions are counted.
    pub profile: bool,
    /// Who receives the instructions that threads execute.
    pub trace: Option<Trace>,
}

/// Chooses instructions by their place in the PTX and the line of the source that they are from.
pub type Choice = Arc<dyn Fn(Span, Option<&SourceLine>) -> bool + Send + Sync>;
/// Receives an instruction. Blocks that run on several host threads call it at the same time.
pub type Sink = Arc<dyn Fn(&TraceEvent) + Send + Sync>;

/// Which instructions of which threads are reported, and to whom.
#[derive(Clone)]
pub struct Trace {
    /// The index of the only block; all when there is none.
    pub block: Option<Dim3>,
    /// The index in its block of the only thread; all when there is none.
    pub thread: Option<Dim3>,
    /// The instructions, each asked about once before the launch; all when there is none.
    pub instructions: Option<Choice>,
    /// Who receives them.
    pub sink: Sink,
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").field("block", &self.block).field("thread", &self.thread).finish()
    }
}

/// A register and its value at some time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The register's name; `x` to `w` follow a dot for an element of a vector.
    pub register: Arc<str>,
    /// Its type.
    pub ty: ScalarType,
    /// Its bits; a predicate is 0 or 1.
    pub bits: u128,
}

/// An instruction that a thread executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceEvent {
    /// The index of the block.
    pub block: Dim3,
    /// The index of the thread in its block.
    pub thread: Dim3,
    /// The instruction.
    pub span: Span,
    /// The line of the source that it is from.
    pub source: Option<Arc<SourceLine>>,
    /// The registers that it names as operands, before it; its guard among them.
    pub reads: Vec<Value>,
    /// The registers that it writes, after it. An instruction that threads of a warp execute together reports these in an
    /// event of its own, without `reads`; one that waits at a barrier does not report them.
    pub writes: Vec<Value>,
}

/// What an instruction cost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// How often warps executed it; those whose guard was false for all threads count too.
    pub warps: u64,
    /// How often threads did.
    pub threads: u64,
    /// How often it parted the threads of a warp.
    pub divergent: u64,
    /// Sectors of 32 bytes of global and local memory, and of images, that its accesses touched: of each access of a warp those of all
    /// threads together, of bulk and tensor copies those of each (for all blocks of a multicast once), of `multimem` those in
    /// each place. The words of threads alternate in local memory. Of textures they are those of the texels that have a
    /// weight, in rows one after the other: how the images of a GPU lie in memory is not documented. What is prefetched does not
    /// count.
    pub sectors: u64,
    /// By how many a warp's accesses to shared memory needed more turns than without conflicts of its 32 banks of 4 bytes:
    /// loads, stores, atomic operations (for which threads at one word are one access), `cp.async`, `st.async`, `ldmatrix` and
    /// `stmatrix`. Bulk and tensor copies, which are done by lines, have none, nor has `wmma`, whose order is not documented.
    pub conflicts: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.warps += other.warps;
        self.threads += other.threads;
        self.divergent += other.divergent;
        self.sectors += other.sectors;
        self.conflicts += other.conflicts;
    }
}

/// The counts of an instruction of the PTX.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// The instruction.
    pub span: Span,
    /// The line of the source that it is from.
    pub source: Option<Arc<SourceLine>>,
    /// The instruction's mnemonic.
    pub instruction: String,
    /// The function it is in.
    pub function: String,
    /// What it cost.
    pub counts: Counts,
}

/// What a watched launch leaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    /// What the launch leaves, or what stopped it.
    pub result: Result<Outcome, ExecError>,
    /// Each instruction that was executed, in the order of the functions and their text; nothing where they were not counted.
    pub profile: Vec<Profile>,
}

/// Launches a kernel, waits for it and watches it, else as [`run`](crate::run) does.
pub fn run_observed(module: Verified<'_>, launch: &Launch, observation: &Observation) -> Observed {
    let mut profile = Vec::new();
    let result = crate::run::run_watched(module, launch, Some((observation, &mut profile)));
    Observed { result, profile }
}
