//! The analyses of a kernel that code generation depends on.
//!
//! In goes the [`Program`] that the interpreter executes, out comes an [`Analysis`]: blocks in their order, where lanes wait, and what is known of
//! the values of each row.
//!
//! | module | gives |
//! |---|---|
//! | `again` | rows that are computed again after barriers instead of being kept |
//! | `alone` | loops that lanes go through one after the other |
//! | `access` | the rows that an instruction reads and writes, or that it is not compiled |
//! | `heavy`, `asking` | instructions that the interpreter's runtime executes; loops that ask a barrier in shared memory |
//! | `gather` | operations that lanes wait for each other at |
//! | `graph` | basic blocks in an order in which loops are together |
//! | `group` | how many warps run together, as one wide one |
//! | `part` | how many parts of a warp run one after the other, where its rows do not fit into registers |
//! | `together` | whether all do, for a kernel that comes to barriers soon |
//! | `unroll` | copies of blocks for the rounds of loops over barriers |
//! | `latency` | loops in which a warp waits for its own results |
//! | `liveness` | the rows whose values each block may still read |
//! | `places` | whether lanes come to one operation at different instructions |
//! | `progress` | whether a loop waits for other threads |
//! | `schedule` | which blocks other lanes of the warp may wait at while a block runs |
//! | `width` | how many bits the values of a row take |
//! | `turns` | whether the warps of a block can take turns in one function |
//! | `phases` | whether warps come to barriers in one order |
//! | `patterns` | where lanes lie from the first one of their chunk |
//! | `nans` | the rows whose NaNs may have any bits |
//! | `shape` | what lanes of a row may have in common: one value, a stride |
//! | `exchange` | stores to places that the same lanes have just loaded from |
//! | `facts` | bounds of the values of rows |
//! | `chunkwise` | which chunks of a row have the same values |
//! | `differing` | in which bits the lanes of a warp may differ |
//! | `rows`, `transfer` | the shape of each row, from what instructions write |
//! | `reason` | why lanes differ: the definitions of a row, walked back |
//! | `claims` | whether values agree with what was found |
//!
//! `schedule` and `shape` depend on each other: a branch whose condition differs between lanes lets lanes wait, and a row that is
//! written while lanes wait which need its old value differs between lanes. [`Analysis::new`] starts with no branch that parts lanes
//! and goes on until nothing changes; sets of waiting lanes only grow and shapes only become less regular, so that it ends.

mod access;
mod again;
mod alone;
mod asking;
mod chunkwise;
mod claims;
mod differing;
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

/// Why a kernel with operations of the runtime and a loop that may wait for other threads is not compiled.
pub const WAITS: &str = "a loop that waits for other threads is not compiled in clusters, and in kernels with such barriers, copies or products";

/// Places at which lanes may wait, counted for each block that runs meanwhile, of kernels whose operations are joined: each is a jump in the code,
/// and LLVM takes minutes for the 4,000 to 8,000 of CUTLASS's kernels for sm_90a.
const MOST_PLACES: usize = 2048;

/// More of them are worth handing warps over to the interpreter where lanes wait for others of their warp ([`Analysis::handing_over`]).
const FEW_PLACES: usize = 256;

/// What is known of the kernel of a program.
#[derive(Debug)]
pub struct Analysis {
    /// Its blocks.
    pub graph: Graph,
    /// The rows that are live.
    pub liveness: Liveness,
    /// Where lanes wait.
    pub schedule: Schedule,
    /// How many bits rows take.
    pub widths: Widths,
    /// Whose NaNs may have any bits.
    pub nans: Nans,
    /// What rows hold.
    pub shapes: Shapes,
    /// Where lanes lie from the first one of their chunk.
    pub patterns: Patterns,
    /// The blocks that lanes go through one after the other, in order.
    pub alone: Vec<Region>,
    /// Two operations each that lanes of a warp may have to carry out together, by their instructions. Code is made for kernels without:
    /// `join.rs` makes such of others.
    pub apart: Vec<[u32; 2]>,
    /// Warps that run together, as one with as many more lanes ([`groups`]): "the warp" of all else that is known.
    pub warps: usize,
    /// Whether lanes that ask a barrier in shared memory in vain keep those waiting that wait at later blocks, until the interpreter runs
    /// the warp (`code/handover.rs`).
    pub hands_over: bool,
}

impl Analysis {
    /// Analyses the kernel for launches of this kind, in code for vectors of `lanes` lanes.
    ///
    /// # Errors
    /// The first instruction that is not compiled.
    pub fn new(program: &Program, launched: &Launched, lanes: u32) -> Result<Self, Refusal> {
        Self::of_group(program, launched, lanes, 1)
    }

    /// The same in code that runs so many warps together, a power of two.
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

    /// The same in code that runs a part of a warp, so many chunks, after the other (`analysis/part.rs`).
    ///
    /// # Errors
    /// As [`Analysis::new`].
    pub fn of_part(program: &Program, launched: &Launched, lanes: u32, chunks: u32) -> Result<Self, Refusal> {
        Self::with(program, launched, Lanes::of_part(lanes, chunks), false)
    }

    /// The same for code that hands warps over to the interpreter in which lanes ask a barrier in shared memory in vain while others of the warp
    /// wait at later blocks; nothing where no lane asks, or where the interpreter could not go on.
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
            // Clusters whose instructions the interpreter's runtime executes do not wait for others.
            return Err(Refusal { pc: graph.block(first).first, why: WAITS });
        }
        let widths = Widths::new(program, &graph);
        let nans = Nans::new(program, &graph);
        let has_questions = !hands_over && program.code.iter().any(|inst| asks(&inst.op));
        let (warps, of_rows) = (lanes.warps(), widths.clone());
        let mut shapes = Shapes::new(program, &graph, &liveness, of_rows, launched, lanes, has_questions);
        // From below: no branch parts lanes until a shape tells otherwise. Starting with all that might part lanes would be correct too, but never
        // find that they do not: rows that are written while lanes wait would vary, and with them the conditions that make lanes wait.
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

    /// Whether the lanes that run together are those of one warp.
    pub(crate) fn is_of_warp(&self) -> bool {
        self.shapes.lanes().is_warp()
    }

    /// Whether code is short, and its lanes part seldom: they come to each operation at one instruction, and wait at few places.
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

    /// Whether all 32 lanes of the warp run a block together, in launches of this kind.
    pub fn is_whole(&self, block: BlockId, launched: &Launched) -> bool {
        is_whole(&self.schedule, block, launched)
    }

    /// Whether a value that the block writes to a row has to leave the row of lanes that are elsewhere as it is: some of them
    /// wait at a block that reads it.
    pub fn keeps_others(&self, block: BlockId, row: u32) -> bool {
        keeps_others(&self.liveness, &self.schedule, block, row)
    }

    /// Whether a row that the instruction writes may be read after it, before something else is written to it in all lanes.
    pub fn is_read_after(&self, program: &Program, block: BlockId, pc: u32, row: u32) -> bool {
        let Block { end, terminator, .. } = self.graph.block(block);
        for inst in &program.code[pc as usize + 1..*end as usize] {
            // An unknown operation counts as one that reads everything.
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

/// Places at which lanes may wait, counted for each block that runs meanwhile.
fn places_of(graph: &Graph, schedule: &Schedule) -> usize {
    (0..graph.blocks().len()).map(|id| schedule.waiting(id).len()).sum()
}

/// Whether an instruction calls a function other than that of a failed assertion, or allocates memory on the stack: what the interpreter does
/// not go on with where code left off.
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
