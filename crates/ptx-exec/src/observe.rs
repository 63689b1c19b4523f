//! Instrumented launches: the cost of each instruction, and the registers each thread reads and writes.

use std::fmt;
use std::sync::Arc;

use ptx_diag::Span;
use ptx_isa::ScalarType;
use ptx_program::SourceLine;

use crate::error::ExecError;
use crate::launch::{Dim3, Outcome};

/// What to record about a launch. Recording slows the launch down.
#[derive(Clone, Default, Debug)]
pub struct Observation {
    /// Whether to count instructions.
    pub profile: bool,
    /// Which executed instructions to report, and where.
    pub trace: Option<Trace>,
}

/// Selects instructions by their location in the PTX and their source line.
pub type Choice = Arc<dyn Fn(Span, Option<&SourceLine>) -> bool + Send + Sync>;
/// Receives an instruction. It is called concurrently by blocks that run on several host threads.
pub type Sink = Arc<dyn Fn(&TraceEvent) + Send + Sync>;

/// Which instructions of which threads are reported, and to which sink.
#[derive(Clone)]
pub struct Trace {
    /// The index of the only block to report; `None` for all.
    pub block: Option<Dim3>,
    /// The index in its block of the only thread to report; `None` for all.
    pub thread: Option<Dim3>,
    /// Selects instructions; called once for each before the launch. `None` for all.
    pub instructions: Option<Choice>,
    /// Receives the events.
    pub sink: Sink,
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").field("block", &self.block).field("thread", &self.thread).finish()
    }
}

/// A register and its value at one point of execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The register's name; for an element of a vector with a suffix `.x` to `.w`.
    pub register: Arc<str>,
    /// Its type.
    pub ty: ScalarType,
    /// Its bits; a predicate is 0 or 1.
    pub bits: u128,
}

/// An instruction executed by a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceEvent {
    /// The index of the block.
    pub block: Dim3,
    /// The index of the thread in its block.
    pub thread: Dim3,
    /// The instruction.
    pub span: Span,
    /// The source line of the instruction.
    pub source: Option<Arc<SourceLine>>,
    /// The registers it names as operands, before execution; the guard included.
    pub reads: Vec<Value>,
    /// The registers it writes, after execution. An instruction that threads of a warp execute together, and a call, reports
    /// these in a separate event without `reads`; one that waits at a barrier does not report them.
    pub writes: Vec<Value>,
}

/// Execution counts of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Number of times warps executed it, including when the guard was false for all threads.
    pub warps: u64,
    /// Number of times threads executed it.
    pub threads: u64,
    /// Number of times it made a warp diverge.
    pub divergent: u64,
    /// Sectors of 32 bytes of global and local memory, and of images, touched by its accesses: for each access of a
    /// warp those of all threads together, for bulk and tensor copies those of each copy (once for all blocks of a
    /// multicast), for `multimem` those of each replica. Local memory is interleaved by thread at word granularity. For
    /// textures they are the sectors of texels with a nonzero weight, in row-major order: the layout of images in GPU
    /// memory is not documented. Prefetches do not count.
    pub sectors: u64,
    /// Additional shared-memory cycles of a warp's accesses caused by conflicts of the 32 banks of 4 bytes: loads,
    /// stores, atomic operations (where threads at the same word are one access), `cp.async`, `st.async`, `ldmatrix`
    /// and `stmatrix`. Bulk and tensor copies work line by line and have none; `wmma` counts none, since its order is
    /// not documented.
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

/// The counts of one PTX instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// The instruction.
    pub span: Span,
    /// The source line of the instruction.
    pub source: Option<Arc<SourceLine>>,
    /// The instruction's mnemonic.
    pub instruction: String,
    /// The function that contains it.
    pub function: String,
    /// Its counts.
    pub counts: Counts,
}

/// Results of an instrumented launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    /// The result of the launch, or the error that stopped it.
    pub result: Result<Outcome, ExecError>,
    /// Each executed instruction, in the order of functions and their text; empty without [`Observation::profile`].
    pub profile: Vec<Profile>,
}
