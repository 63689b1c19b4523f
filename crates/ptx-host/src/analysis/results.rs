//! The analysis results of a kernel, and the fixed point that they come from.
//!
//! The inputs are the program, the kind of launches and the lanes that execute together; the result is an [`Analysis`], which answers what depends on
//! several of its parts.
//!
//! `schedule` and `shape` depend on each other: a divergent branch makes lanes wait, and a row that is written while waiting lanes still need its
//! old value is divergent. [`Analysis::new`] starts optimistically, with no divergent branch, and iterates to the least fixed point; it terminates
//! because the sets of waiting lanes only grow and shapes only ascend in their lattice.

use std::collections::BTreeSet;

use ptx_program::{Builtin, Callee, Effect, Op, Program};

use super::Refusal;
use super::alone::{self, Region};
use super::gather::asks;
use super::graph::{BlockId, Graph};
use super::heavy::has_heavy;
use super::liveness::Liveness;
use super::nans::Nans;
use super::patterns::Patterns;
use super::places::{self, APART};
use super::progress::waiting;
use super::rows::Shapes;
use super::schedule::{self, Schedule};
use super::segments::{Limits, Segments};
use super::shape::{Lanes, Launched};
use super::singly;
use super::sweep::Sweep;
use super::width::Widths;

/// Limit on the number of pairs (running block, block at which lanes may wait meanwhile) in kernels whose operations are joined and that are not split: each
/// pair is a jump in the code, and LLVM takes minutes for the 4,000 to 8,000 of CUTLASS's kernels for sm_90a.
const MOST_PLACES: usize = 2048;

/// Limit on the number of these pairs in kernels that are not split into segments.
const MOST_IN_ONE: usize = 16_384;

/// Why a kernel with more is refused.
const TOO_MANY: &str = "lanes of a warp may wait at too many places in a kernel with such an operation";

/// Above this, kernels are compiled to hand warps over to the interpreter when lanes wait for others of their warp ([`Analysis::handing_over`]).
const FEW_PLACES: usize = 256;

/// The analysis results for the kernel of a program.
#[derive(Debug)]
pub struct Analysis {
    /// Its basic blocks.
    pub graph: Graph,
    /// The rows that are live into each block.
    pub liveness: Liveness,
    /// The blocks at which lanes wait.
    pub schedule: Schedule,
    /// How many bits the values of each row need.
    pub widths: Widths,
    /// The rows whose NaNs may have any payload.
    pub nans: Nans,
    /// The shapes of rows.
    pub shapes: Shapes,
    /// Offsets of lanes from the first lane of their chunk.
    pub patterns: Patterns,
    /// The regions that lanes execute one lane at a time, in order.
    pub alone: Vec<Region>,
    /// Pairs of instructions, by number, at which lanes of a warp may have to execute one operation together. Code is generated only for kernels
    /// without any: `join.rs` transforms the others.
    pub apart: Vec<[u32; 2]>,
    /// Warps that execute in lockstep, as one warp with as many times the lanes ([`groups`](super::groups)): "the warp" of all other results.
    pub warps: usize,
    /// Whether lanes that poll an mbarrier in vain keep lanes at later blocks waiting until the interpreter takes over the warp
    /// (`code/handover.rs`).
    pub hands_over: bool,
    /// Whether threads of a warp come to barriers one by one (`singly.rs`).
    pub arrives_singly: bool,
    /// The functions that the kernel is compiled to, if it is not one.
    pub segments: Option<Segments>,
}

/// How a kernel is analysed.
#[derive(Clone, Copy)]
struct Request<'l> {
    lanes: Lanes,
    hands_over: bool,
    singly: bool,
    limits: &'l Limits,
    /// Whether it is split into segments.
    split: bool,
}

impl Analysis {
    /// Analyses the kernel for launches of this kind, for code with vectors of `lanes` lanes.
    ///
    /// # Errors
    /// The first instruction that is not compiled.
    pub fn new(program: &Program, launched: &Launched, lanes: u32) -> Result<Self, Refusal> {
        Self::within(program, launched, lanes, &Limits::DEFAULT)
    }

    /// As [`Analysis::new`]; kernels above the limits are split into segments.
    ///
    /// # Errors
    /// As [`Analysis::new`].
    pub fn within(
        program: &Program,
        launched: &Launched,
        lanes: u32,
        limits: &Limits,
    ) -> Result<Self, Refusal> {
        Self::with(program, launched, Request::new(Lanes::new(lanes, 1), limits))
    }

    /// As [`Analysis::new`], for code that executes `warps` warps in lockstep, a power of two.
    ///
    /// # Errors
    /// As [`Analysis::new`].
    pub fn of_group(
        program: &Program,
        launched: &Launched,
        lanes: u32,
        warps: usize,
    ) -> Result<Self, Refusal> {
        Self::with(program, launched, Request::new(Lanes::new(lanes, warps), &Limits::DEFAULT))
    }

    /// As [`Analysis::new`], for code that executes a warp as parts of `chunks` chunks, one after the other (`analysis/part.rs`).
    ///
    /// # Errors
    /// As [`Analysis::new`].
    pub fn of_part(program: &Program, launched: &Launched, lanes: u32, chunks: u32) -> Result<Self, Refusal> {
        Self::with(program, launched, Request::new(Lanes::of_part(lanes, chunks), &Limits::DEFAULT))
    }

    /// As [`Analysis::new`], for code that hands a warp over to the interpreter when lanes poll an mbarrier in vain while others of the warp
    /// wait at later blocks; `None` where no lane polls, or where the interpreter could not resume the warp.
    ///
    /// # Errors
    /// As [`Analysis::new`].
    pub fn handing_over(program: &Program, launched: &Launched, lanes: u32) -> Result<Option<Self>, Refusal> {
        let ops = || program.code.iter().map(|inst| &inst.op);
        if !ops().any(asks) || ops().any(has_stack) {
            return Ok(None);
        }
        let request = Request::new(Lanes::new(lanes, 1), &Limits::DEFAULT);
        Self::with(program, launched, Request { hands_over: true, ..request }).map(Some)
    }

    fn with(program: &Program, launched: &Launched, request: Request<'_>) -> Result<Self, Refusal> {
        let Request { lanes, hands_over, singly, limits, split } = request;
        let graph = Graph::with_blocks(program, if split { limits.block_instructions } else { u32::MAX })?;
        let patient = waiting(program, &graph);
        let is_plain = lanes.is_warp()
            && !hands_over
            && patient.is_empty()
            && !launched.clusters
            && !has_heavy(program, &graph);
        let again = || Self::with(program, launched, Request { split: true, ..request });
        let is_heavy = launched.clusters || has_heavy(program, &graph);
        let is_patient = !patient.is_empty();
        let can_be_split = is_plain || is_patient && lanes.is_warp() && !hands_over && !singly && !is_heavy;
        if can_be_split && !split && graph.size() > limits.instructions {
            return again();
        }
        let liveness = Liveness::new(program, &graph);
        let most = match can_be_split && !split {
            true if is_patient => limits.patient_pairs,
            true => limits.pairs,
            false => MOST_IN_ONE,
        };
        let widths = Widths::new(program, &graph);
        let nans = Nans::new(program, &graph);
        let has_questions = !hands_over && program.code.iter().any(|inst| asks(&inst.op));
        let (warps, of_rows) = (lanes.warps(), widths.clone());
        let mut shapes = Shapes::new(program, &graph, &liveness, of_rows, launched, lanes, has_questions);
        shapes.arrives_singly = singly;
        let too_many = Refusal { pc: graph.block(0).first, why: TOO_MANY };
        // Optimistic: no branch is divergent until a shape shows it. Starting with all branches divergent would be correct too, but would stay there:
        // rows that are written while lanes wait would vary, and with them the conditions that make lanes wait.
        let mut schedule =
            Schedule::new(&graph, &patient, |_| false, |_| None, usize::MAX).ok_or(too_many)?;
        let mut sweep = Sweep::new(program, &graph);
        let mut round = 0;
        loop {
            shapes.widen(&graph, round);
            let changed = shapes.update(&mut sweep, &liveness, &schedule, launched);
            let parts = |block| shapes.parts_lanes(graph.block(block));
            let gather = |block| shapes.gather(program, graph.block(block));
            // Once intervals are used they stay: both are least fixed points only of one kind of schedule.
            let sets = match schedule.pairs() {
                Some(_) => Schedule::new(&graph, &patient, parts, gather, most),
                None => None,
            };
            let next = match sets {
                Some(next) => next,
                None if split => Schedule::of_spans(&graph, &patient, parts, gather),
                None if can_be_split => return again(),
                None => return Err(too_many),
            };
            if !changed && next == schedule {
                let is_open = |id| parts(id) && !schedule.is_together(id);
                let open = (0..graph.blocks().len()).filter(|&id| is_open(id)).count();
                if is_plain && !split && open > limits.open_branches {
                    return again();
                }
                if !singly
                    && lanes.is_warp()
                    && singly::is_needed(program, &graph, &shapes, &schedule, is_heavy, parts)
                {
                    // Loops that wait are not split then.
                    let split = split && !is_patient;
                    return Self::with(program, launched, Request { singly: true, split, ..request });
                }
                let apart = places::check(program, &graph, &shapes, &schedule, parts)?;
                let is_small = split || schedule.pairs().is_some_and(|count| count <= MOST_PLACES);
                if !apart.is_empty() && !is_small && can_be_split {
                    return again();
                }
                if let Some(&[_, pc]) = apart.first().filter(|_| warps > 1 || !is_small) {
                    return Err(Refusal { pc, why: APART });
                }
                let patterns = Patterns::new(program, &graph, &liveness, &schedule, &shapes);
                let rows = (&liveness, program.kernel().rows);
                let segments = split.then(|| Segments::new(&graph, rows, &schedule, limits, gather));
                let alone = if is_plain && !split {
                    alone::regions(program, &graph, &liveness, &shapes)
                } else {
                    Vec::new()
                };
                return Ok(Self {
                    graph,
                    liveness,
                    schedule,
                    widths,
                    nans,
                    shapes,
                    patterns,
                    alone,
                    apart,
                    warps,
                    hands_over,
                    arrives_singly: singly,
                    segments,
                });
            }
            schedule = next;
            round += 1;
        }
    }

    /// Whether the lanes that execute together are those of exactly one warp.
    pub(crate) fn is_of_warp(&self) -> bool {
        self.shapes.lanes().is_warp()
    }

    /// Whether the code is small and diverges seldom: lanes reach each operation at one instruction, and wait at few places.
    pub(crate) fn is_plain(&self) -> bool {
        self.apart.is_empty() && self.schedule.pairs().is_some_and(|count| count <= FEW_PLACES)
    }

    /// The rows that a block reads or writes.
    pub(crate) fn rows_of(&self, program: &Program, id: BlockId) -> BTreeSet<u32> {
        let block = self.graph.block(id);
        let mut rows: BTreeSet<u32> = block.terminator.decided_by().into_iter().collect();
        for (_, inst, access) in self.graph.code(program, block) {
            rows.extend(access.reads.iter().filter_map(|src| src.as_register()));
            rows.extend(access.writes.iter().copied());
            rows.extend(inst.guard.map(|guard| guard.row));
        }
        rows
    }

    /// Whether all 32 lanes of the warp execute a block together, in launches of this kind.
    pub fn is_whole(&self, block: BlockId, launched: &Launched) -> bool {
        schedule::is_whole(&self.schedule, block, launched)
    }

    /// Whether a write to the row in the block must preserve the row's values in inactive lanes: some of them wait at a block that
    /// reads it.
    pub fn keeps_others(&self, block: BlockId, row: u32) -> bool {
        schedule::keeps_others(&self.liveness, &self.schedule, block, row)
    }

    /// Whether a row that the instruction writes may be read after it, before it is overwritten in all lanes.
    pub fn is_read_after(&self, program: &Program, block: BlockId, pc: u32, row: u32) -> bool {
        let block = self.graph.block(block);
        let terminator = &block.terminator;
        for (_, inst, access) in self.graph.code(program, block).skip_while(|&(at, ..)| at <= pc) {
            let is_guard = inst.guard.is_some_and(|guard| guard.row == row);
            if is_guard || access.reads.iter().any(|src| src.as_register() == Some(row)) {
                return true;
            }
            if inst.guard.is_none() && access.writes.contains(&row) {
                return false;
            }
        }
        terminator.decided_by().contains(&row)
            || terminator.targets().iter().any(|&to| self.liveness.is_live_into(to, row))
    }
}

impl<'l> Request<'l> {
    /// A kernel in one function.
    fn new(lanes: Lanes, limits: &'l Limits) -> Self {
        Self { lanes, hands_over: false, singly: false, limits, split: false }
    }
}

/// Whether an instruction calls a function other than the one for a failed assertion, or allocates memory on the stack: the interpreter cannot
/// resume code after either.
fn has_stack(op: &Op) -> bool {
    match op {
        Op::Effect(Effect::Call(call)) => !matches!(call.callee, Callee::Builtin(Builtin::AssertFail)),
        Op::Effect(Effect::Stack(_)) => true,
        _ => false,
    }
}
