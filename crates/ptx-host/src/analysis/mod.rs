//! The analyses of a kernel that code generation depends on.
//!
//! The input is the [`Program`] that the interpreter executes, the result an [`Analysis`]: the basic blocks in execution order, the blocks at which
//! lanes wait for reconvergence, and the shape and bounds of each row (a row is one register of all lanes).
//!
//! | module | computes |
//! |---|---|
//! | `again` | rows that are recomputed after barriers instead of being saved |
//! | `alone` | loops that lanes execute one lane at a time |
//! | `access` | the rows that an instruction reads and writes, or why it is not compiled |
//! | `heavy`, `asking` | instructions that the interpreter's runtime executes; loops that poll an mbarrier |
//! | `gather` | operations at which lanes wait for each other |
//! | `graph` | basic blocks, ordered so that the blocks of a loop are contiguous |
//! | `group` | how many warps execute in lockstep, as one wide warp |
//! | `part` | into how many parts, executed one after the other, a warp is split if its rows do not fit into registers |
//! | `together` | whether all warps of a block execute in lockstep, for kernels with short runs between barriers |
//! | `unroll` | copies of blocks for the iterations of loops that contain barriers |
//! | `latency` | loops bound by the latency of a warp's own results |
//! | `liveness` | the rows that are live into each block |
//! | `places` | whether lanes reach one operation at different instructions |
//! | `progress` | whether a loop waits for other threads |
//! | `schedule` | the blocks at which other lanes of the warp may wait while a block runs |
//! | `width` | how many bits the values of a row need |
//! | `turns` | whether the warps of a block (CTA) can take turns in one function |
//! | `phases` | whether all warps execute their barriers in one order |
//! | `patterns` | offsets of lanes from the first lane of their chunk |
//! | `nans` | the rows whose NaNs may have any payload |
//! | `shape` | the lattice of shapes: uniform, strided, indexed, varying |
//! | `exchange` | stores to addresses that the same lanes have just loaded from |
//! | `facts` | bounds of the values of rows |
//! | `chunkwise` | which chunks of a row have equal values |
//! | `differing` | the bits in which the lanes of a warp may differ |
//! | `rows`, `transfer` | the shape of each row, from what instructions write |
//! | `reason` | why a row is divergent: its definitions, walked backward |
//! | `claims` | whether values agree with the analysis, in checked code |
//!
//! `schedule` and `shape` depend on each other: a divergent branch makes lanes wait, and a row that is written while waiting lanes still need its
//! old value is divergent. [`Analysis::new`] starts optimistically, with no divergent branch, and iterates to the least fixed point; it terminates
//! because the sets of waiting lanes only grow and shapes only ascend in their lattice.

mod access;
mod again;
mod alone;
mod asking;
mod chunkwise;
mod claims;
mod differing;
mod edges;
mod exchange;
mod facts;
mod gather;
mod graph;
mod group;
mod heavy;
mod latency;
#[cfg(test)]
pub(crate) mod lies;
mod liveness;
mod nans;
mod part;
mod patterns;
mod phases;
mod places;
mod progress;
mod reason;
mod rows;
mod schedule;
mod shape;
mod together;
mod transfer;
mod turns;
mod unroll;
mod width;

use std::collections::BTreeSet;

use ptx_exec::program::{Builtin, Callee, Effect, Op, Program};

pub use access::{Access, Execution, Refusal};
pub use again::computed_again;
pub use alone::Region;
pub(crate) use asking::repeats;
pub use claims::{Claim, Claims};
pub(crate) use edges::Edges;
pub use exchange::is_loaded_before;
pub use facts::{Facts, Zeros};
pub use gather::{Gather, guard_of};
pub use graph::{Block, BlockId, Graph, Terminator};
pub use group::groups;
pub use heavy::{asks, has_heavy, is_heavy};
pub use liveness::Liveness;
pub use nans::Nans;
pub(crate) use nans::takes_any;
pub use part::part;
pub use patterns::{Pattern, Patterns};
pub use phases::Phases;
pub use places::APART;
pub use progress::waiting;
pub(crate) use reason::{Cause, Origin, Reasons};
pub use rows::Shapes;
pub use schedule::Schedule;
pub(crate) use shape::Lanes;
pub use shape::{Indexed, Launched, Shape, Stride};
pub use together::{pays_together, runs_together, together};
pub use turns::take_turns;
pub use unroll::{BlockCopy, come_back, copies, single_copies};
pub use width::Widths;

/// Why a kernel with operations of the runtime and a loop that may wait for other threads is refused.
pub const WAITS: &str = "a loop that waits for other threads is not compiled in clusters, and in kernels with such barriers, copies or products";

/// Limit on the number of pairs (running block, block at which lanes may wait meanwhile) in kernels whose operations are joined: each pair is a
/// jump in the code, and LLVM takes minutes for the 4,000 to 8,000 of CUTLASS's kernels for sm_90a.
const MOST_PLACES: usize = 2048;

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
    /// Warps that execute in lockstep, as one warp with as many times the lanes ([`groups`]): "the warp" of all other results.
    pub warps: usize,
    /// Whether lanes that poll an mbarrier in vain keep lanes at later blocks waiting until the interpreter takes over the warp
    /// (`code/handover.rs`).
    pub hands_over: bool,
}

impl Analysis {
    /// Analyses the kernel for launches of this kind, for code with vectors of `lanes` lanes.
    ///
    /// # Errors
    /// The first instruction that is not compiled.
    pub fn new(program: &Program, launched: &Launched, lanes: u32) -> Result<Self, Refusal> {
        Self::of_group(program, launched, lanes, 1)
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
        Self::with(program, launched, Lanes::new(lanes, warps), false)
    }

    /// As [`Analysis::new`], for code that executes a warp as parts of `chunks` chunks, one after the other (`analysis/part.rs`).
    ///
    /// # Errors
    /// As [`Analysis::new`].
    pub fn of_part(program: &Program, launched: &Launched, lanes: u32, chunks: u32) -> Result<Self, Refusal> {
        Self::with(program, launched, Lanes::of_part(lanes, chunks), false)
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
        Self::with(program, launched, Lanes::new(lanes, 1), true).map(Some)
    }

    fn with(program: &Program, launched: &Launched, lanes: Lanes, hands_over: bool) -> Result<Self, Refusal> {
        let graph = Graph::new(program)?;
        let liveness = Liveness::new(program, &graph)?;
        let patient = waiting(program, &graph);
        if let Some(&first) = patient.first().filter(|_| launched.clusters || has_heavy(program, &graph)) {
            // In clusters, kernels whose instructions the interpreter's runtime executes must not wait for other threads.
            return Err(Refusal { pc: graph.block(first).first, why: WAITS });
        }
        let widths = Widths::new(program, &graph);
        let nans = Nans::new(program, &graph);
        let has_questions = !hands_over && program.code.iter().any(|inst| asks(&inst.op));
        let (warps, of_rows) = (lanes.warps(), widths.clone());
        let mut shapes = Shapes::new(program, &graph, &liveness, of_rows, launched, lanes, has_questions);
        // Optimistic: no branch is divergent until a shape shows it. Starting with all branches divergent would be correct too, but would stay there:
        // rows that are written while lanes wait would vary, and with them the conditions that make lanes wait.
        let mut schedule = Schedule::new(&graph, &patient, |_| false, |_| None);
        loop {
            let changed = shapes.update(program, &graph, &liveness, &schedule, launched)?;
            let next = Schedule::new(
                &graph,
                &patient,
                |block| shapes.parts_lanes(graph.block(block)),
                |block| shapes.gather(program, graph.block(block)),
            );
            if !changed && next == schedule {
                let parts = |block| shapes.parts_lanes(graph.block(block));
                let apart = places::check(program, &graph, &shapes, &schedule, parts)?;
                let count = places_of(&graph, &schedule);
                if let Some(&[_, pc]) = apart.first().filter(|_| warps > 1 || count > MOST_PLACES) {
                    return Err(Refusal { pc, why: APART });
                }
                let patterns = Patterns::new(program, &graph, &liveness, &schedule, &shapes);
                let is_plain = lanes.is_warp()
                    && patient.is_empty()
                    && !launched.clusters
                    && !has_heavy(program, &graph);
                let alone =
                    if is_plain { alone::regions(program, &graph, &liveness, &shapes) } else { Vec::new() };
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
                });
            }
            schedule = next;
        }
    }

    /// Whether the lanes that execute together are those of exactly one warp.
    pub(crate) fn is_of_warp(&self) -> bool {
        self.shapes.lanes().is_warp()
    }

    /// Whether the code is small and diverges seldom: lanes reach each operation at one instruction, and wait at few places.
    pub(crate) fn is_plain(&self) -> bool {
        self.apart.is_empty() && places_of(&self.graph, &self.schedule) <= FEW_PLACES
    }

    /// The rows that a block reads or writes.
    pub(crate) fn rows_of(&self, program: &Program, id: BlockId) -> BTreeSet<u32> {
        let block = self.graph.block(id);
        let mut rows: BTreeSet<u32> = block.terminator.decided_by().into_iter().collect();
        for inst in &program.code[block.first as usize..block.end as usize] {
            let access = Access::of(&inst.op).unwrap_or_default();
            rows.extend(access.reads.iter().filter_map(|src| src.as_register()));
            rows.extend(access.writes);
            rows.extend(inst.guard.map(|guard| guard.row));
        }
        rows
    }

    /// Whether all 32 lanes of the warp execute a block together, in launches of this kind.
    pub fn is_whole(&self, block: BlockId, launched: &Launched) -> bool {
        is_whole(&self.schedule, block, launched)
    }

    /// Whether a write to the row in the block must preserve the row's values in inactive lanes: some of them wait at a block that
    /// reads it.
    pub fn keeps_others(&self, block: BlockId, row: u32) -> bool {
        keeps_others(&self.liveness, &self.schedule, block, row)
    }

    /// Whether a row that the instruction writes may be read after it, before it is overwritten in all lanes.
    pub fn is_read_after(&self, program: &Program, block: BlockId, pc: u32, row: u32) -> bool {
        let Block { end, terminator, .. } = self.graph.block(block);
        for inst in &program.code[pc as usize + 1..*end as usize] {
            // An unknown operation counts as reading everything.
            let Ok(access) = Access::of(&inst.op) else { return true };
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

/// The number of pairs of a block and another at which lanes may wait while it runs.
fn places_of(graph: &Graph, schedule: &Schedule) -> usize {
    (0..graph.blocks().len()).map(|id| schedule.waiting(id).len()).sum()
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

fn keeps_others(liveness: &Liveness, schedule: &Schedule, block: BlockId, row: u32) -> bool {
    #[cfg(test)]
    if lies::get().keeps_nothing {
        return false;
    }
    schedule.waiting(block).iter().any(|&other| liveness.is_live_into(other, row))
}

fn is_whole(schedule: &Schedule, block: BlockId, launched: &Launched) -> bool {
    launched.fills_warps() && schedule.is_together(block) && !schedule.may_lack_lanes(block)
}
