//! How the warps of a kernel are executed: decided here, once and before any code is generated, from the results of the analyses. Code generation obeys.
//!
//! | decision | values |
//! |---|---|
//! | [`Group`] | the lanes that one function executes: a part of a warp, a warp, several warps in lockstep |
//! | [`Order`] | the warps of a block (CTA): called by the runtime, or in turns in one function |
//! | [`Waits`] | how a warp waits for others |
//! | [`Version`]s | the code for warps whose lanes have not exited, and that for others |
//! | copies | the copies of blocks, one for each iteration of unrolled loops |
//!
//! Each special form has a name ([`Form`]) and can be disabled ([`Options::disabled`](crate::Options::disabled)).

mod choice;
mod form;
mod order;

use std::fmt;

use ptx_llvm_core::host::HostMachine;
use ptx_program::{Program, WARP};

use crate::analysis::{
    Analysis, BlockCopy, BlockId, Launched, Terminator, copies, has_heavy, runs_together, single_copies,
};
use crate::error::CompileError;
pub(crate) use choice::{Chosen, choose, choose_warp};
pub use form::{Form, Forms};
pub(crate) use order::{Order, PhaseLoops, SAVED_LANES, room, warps};

/// The lanes that one function executes at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Group {
    /// This many chunks of a warp, from the beginning of the kernel to its end.
    Part(u32),
    /// A warp.
    Warp,
    /// Several warps in lockstep.
    Lockstep(usize),
}

/// How a warp waits for others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Waits {
    /// At barriers of the block (CTA) only.
    Barriers,
    /// In loops, too, which let other warps run (`analysis/progress.rs`).
    Loops,
    /// In the runtime, which executes some of the kernel's instructions and may suspend the warp. All warps of a cluster run concurrently.
    Runtime,
}

/// The two versions of code that are generated if some lanes of a warp may exit before others: in the first, masks are constants, so that accesses are
/// unmasked, and loads that chunks have in common execute once. A warp branches from the first version to the second when some of its lanes
/// exit: between blocks its whole state is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Version {
    /// No lane of the warp has exited.
    Full,
    /// Some may have exited.
    Partial,
}

/// How the warps of a kernel are executed.
#[derive(Clone, Debug)]
pub(crate) struct Strategy {
    pub(crate) group: Group,
    pub(crate) order: Order,
    pub(crate) waits: Waits,
    /// The versions of the code, in order; at least one.
    pub(crate) versions: Vec<Version>,
    /// The copies of blocks.
    pub(crate) copies: Vec<BlockCopy>,
    /// Whether the warps of a group run in lockstep without synchronizing with other threads, so that barriers need no fence.
    pub(crate) is_quiet: bool,
    /// Whether warps that poll in vain are handed over to the interpreter.
    pub(crate) hands_over: bool,
    /// The functions that the kernel is split into, if it is.
    pub(crate) segments: Option<usize>,
    /// The loops that run one lane at a time.
    pub(crate) lane_loops: usize,
    pub(crate) disabled: Forms,
}

impl Strategy {
    /// The strategy for a kernel that was analysed for a group.
    ///
    /// # Errors
    /// The group has no order in which its warps can run.
    pub(crate) fn new(
        program: &Program,
        analysis: &Analysis,
        launched: &Launched,
        disabled: Forms,
    ) -> Result<Self, CompileError> {
        let waits = if launched.clusters || has_heavy(program, &analysis.graph) {
            Waits::Runtime
        } else if analysis.schedule.has_patient() {
            Waits::Loops
        } else {
            Waits::Barriers
        };
        let is_quiet = analysis.warps > 1 && runs_together(program, analysis);
        let versions = versions(analysis, launched, disabled);
        let question = order::Question {
            program,
            analysis,
            launched,
            disabled,
            versions: &versions,
            waits: waits == Waits::Runtime || analysis.schedule.has_patient(),
            is_quiet,
        };
        let order = if analysis.segments.is_some() { Order::Calls } else { question.order() };
        if !analysis.is_of_warp() && order == Order::Calls {
            let why = "warps can run together, and parts of them separately, only if they take turns";
            return Err(CompileError::refused(0, why));
        }
        let lanes = analysis.shapes.lanes();
        let group = match analysis.warps {
            1 if analysis.is_of_warp() => Group::Warp,
            1 => Group::Part(lanes.chunks()),
            warps => Group::Lockstep(warps),
        };
        Ok(Self {
            group,
            order,
            waits,
            versions,
            copies: copies_of_blocks(program, analysis, is_quiet && !disabled.contains(Form::Unrolling)),
            is_quiet,
            hands_over: analysis.hands_over,
            segments: analysis.segments.as_ref().map(|segments| segments.ranges().len()),
            lane_loops: analysis.alone.len(),
            disabled,
        })
    }

    /// Whether a special form may be used.
    pub(crate) fn allows(&self, form: Form) -> bool {
        !self.disabled.contains(form)
    }

    /// Whether the function executes a whole block (CTA).
    pub(crate) fn is_of_block(&self) -> bool {
        self.order != Order::Calls
    }

    /// Whether the runtime executes instructions of the kernel, including all that may suspend warps.
    pub(crate) fn is_heavy(&self) -> bool {
        self.waits == Waits::Runtime
    }
}

/// The copies of blocks: one for each iteration of loops over barriers with known trip count, where warps run in lockstep from barrier to barrier.
fn copies_of_blocks(program: &Program, analysis: &Analysis, is_unrolled: bool) -> Vec<BlockCopy> {
    /// Limit on instructions times chunks.
    const MOST: u32 = 8192;
    if is_unrolled {
        copies(program, analysis, MOST / analysis.shapes.lanes().chunks())
    } else {
        single_copies(analysis)
    }
}

/// The versions that a kernel has.
fn versions(analysis: &Analysis, launched: &Launched, disabled: Forms) -> Vec<Version> {
    /// Kernels with more instructions have one version only, which compiles faster.
    const MOST: u64 = 2048;
    let (graph, schedule) = (&analysis.graph, &analysis.schedule);
    let threads: u64 = launched.block.iter().map(|&extent| u64::from(extent)).product();
    let splits = |(id, block): (BlockId, &crate::analysis::Block)| match &block.terminator {
        Terminator::Exit { guard: Some(((row, _), _)) } if !analysis.shapes.row(*row).is_uniform() => true,
        Terminator::Exit { .. } => !schedule.is_together(id),
        _ => false,
    };
    let is_whole = threads.is_multiple_of(analysis.shapes.lanes().group.into());
    if is_whole && !graph.blocks().iter().enumerate().any(splits) {
        return vec![Version::Full];
    }
    // Segments are functions of one version.
    let has_one = analysis.segments.is_some() || disabled.contains(Form::FullWarps);
    if has_one || graph.size() > MOST {
        vec![Version::Partial]
    } else {
        vec![Version::Full, Version::Partial]
    }
}

/// In words, as in remarks: `2 warps in lockstep, in turns from barrier to barrier; lanes may exit early`.
impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.group {
            Group::Part(1) => write!(f, "a warp runs part by part, each one vector of every register")?,
            Group::Part(chunks) => {
                write!(f, "a warp runs part by part, each {chunks} vectors of every register")?;
            }
            Group::Warp => write!(f, "a warp at a time")?,
            Group::Lockstep(warps) => write!(f, "{warps} warps in lockstep")?,
        }
        match &self.order {
            Order::Calls => {}
            Order::Single => write!(f, ", which are the whole block")?,
            Order::Turns(saved) => {
                write!(f, ", in turns from barrier to barrier, at which a warp saves {} bytes", saved.bytes)?;
            }
            Order::Phases(loops) => {
                let bytes = loops.saved.bytes;
                write!(f, ", in loops from barrier to barrier, at which a warp saves {bytes} bytes")?;
                if !loops.recomputed.is_empty() {
                    write!(f, " and recomputes {} registers", loops.recomputed.len())?;
                }
            }
        }
        match self.waits {
            Waits::Barriers => {}
            Waits::Loops => write!(f, "; loops that wait for other threads let these run")?,
            Waits::Runtime => write!(f, "; the interpreter's runtime executes some instructions")?,
        }
        if let Some(segments) = self.segments {
            write!(f, "; split into {segments} functions")?;
        }
        if self.hands_over {
            write!(f, "; warps that poll in vain are handed over to the interpreter")?;
        }
        if self.versions.contains(&Version::Partial) {
            write!(f, "; lanes may exit early")?;
        }
        if self.lane_loops > 0 && self.allows(Form::LaneLoops) {
            write!(f, "; {} loops run lane by lane", self.lane_loops)?;
        }
        Ok(())
    }
}

/// The number of the processor's vector registers.
fn registers(machine: &HostMachine) -> usize {
    if machine.vector_bits() >= 512 || machine.cpu().triple.starts_with("aarch64") { 32 } else { 16 }
}

/// Lanes of a vector. It is based on 32-bit values, the most frequent ones.
pub(crate) fn lanes(machine: &HostMachine) -> u32 {
    (machine.vector_bits() / 32).clamp(1, WARP as u32)
}
