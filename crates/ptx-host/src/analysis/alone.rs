//! Loops that the lanes of a warp execute one lane at a time.
//!
//! Lanes that leave a loop after different numbers of iterations wait for the last one, and their loads from separate addresses are gathers: a
//! processor takes longer for a gather of 16 lanes than for 16 loads, and loads what one lane needs from the same cache line again in each
//! iteration. A single lane executes each iteration with scalar loads, and while it leaves, the processor has begun with the next lane:
//!
//! ```text
//! loop: ld.global.u32 %column, [%at]          ; each lane has a row of a sparse matrix
//!       ld.global.f32 %x, [%vector + %column * 4]
//!       fma.rn.f32 %sum, %x, %value, %sum ..
//! ```
//!
//! This pays if an iteration consists mostly of loads and the processor can predict and overlap iterations: no branch depends on what
//! the loop loads, and no address on what an earlier iteration loaded, as in a list or a search. A region may span several such loops and
//! the code between them. It has no effects other than on rows, so that the order of lanes is not observable.
//!
//! When a region is entered, no lane is at any of its blocks but the first, and all lanes leave it for later blocks: as its blocks are
//! the lowest ones, no other block would run until the last lane has left (`schedule.rs`). So the analysis results for all
//! other blocks stay valid.

use std::collections::BTreeSet;

use ptx_program::memory::Space;
use ptx_program::scalar::float::Arith;
use ptx_program::scalar::format::{Format, Rounding};
use ptx_program::{
    AddressWidth, Alu, Base, Binary, Effect, FloatBinary, Formula, Inst, Op, Order, Program, Src, Ternary,
    Unary,
};

use super::{Access, BlockId, Graph, Liveness, Shape, Shapes, Terminator};

/// With fewer gathers per iteration, the mispredicted branches (one or two per lane) cost more than is gained.
const FEWEST_GATHERS: usize = 2;
/// The most other instructions for each gather: vectors execute those of 16 lanes at once.
const MOST_OTHERS: usize = 8;
/// The most instructions of a region outside of its loops, and the most blocks before its first loop.
const MOST_BETWEEN: usize = 24;
const MOST_BEFORE: usize = 8;

/// Blocks that a warp executes one lane at a time: those from `first` to `last`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// The only block through which lanes enter.
    pub first: BlockId,
    /// The last block.
    pub last: BlockId,
    /// The blocks outside that its lanes go to.
    pub exits: BTreeSet<BlockId>,
}

impl Region {
    /// Whether a block is part of the region.
    pub fn contains(&self, block: BlockId) -> bool {
        (self.first..=self.last).contains(&block)
    }

    fn insts<'a>(&self, program: &'a Program, graph: &'a Graph) -> Vec<(&'a Inst, &'a Access)> {
        insts(program, graph, self.first, self.last)
    }

    /// The rows that its instructions write.
    pub fn writes(&self, program: &Program, graph: &Graph) -> BTreeSet<u32> {
        let insts = self.insts(program, graph).into_iter();
        insts.flat_map(|(_, access)| access.writes.iter().copied()).collect()
    }

    /// The rows that it reads, including branch conditions.
    pub fn reads(&self, program: &Program, graph: &Graph) -> BTreeSet<u32> {
        let mut rows = BTreeSet::new();
        for (inst, access) in self.insts(program, graph) {
            rows.extend(access.reads.iter().filter_map(|src| src.as_register()));
            rows.extend(inst.guard.map(|guard| guard.row));
        }
        let blocks = &graph.blocks()[self.first..=self.last];
        rows.extend(blocks.iter().flat_map(|block| block.terminator.decided_by()));
        rows
    }
}

fn insts<'a>(
    program: &'a Program,
    graph: &'a Graph,
    first: BlockId,
    last: BlockId,
) -> Vec<(&'a Inst, &'a Access)> {
    let blocks = graph.blocks()[first..=last].iter();
    blocks.flat_map(|block| graph.code(program, block)).map(|(_, inst, access)| (inst, access)).collect()
}

/// The inputs of the search for regions.
struct Search<'a> {
    program: &'a Program,
    graph: &'a Graph,
    liveness: &'a Liveness,
    shapes: &'a Shapes,
}

/// The regions of a kernel, in order.
pub(super) fn regions(program: &Program, graph: &Graph, liveness: &Liveness, shapes: &Shapes) -> Vec<Region> {
    let search = Search { program, graph, liveness, shapes };
    let loops = search.loops();
    let mut regions: Vec<Region> = Vec::new();
    let (mut rest, mut after) = (&loops[..], 0);
    while !rest.is_empty() {
        // As many loops as possible in one region, since between two regions all rows go through vectors. Regions do not overlap.
        let found = (1..=rest.len()).rev().find_map(|count| {
            let region = search.region(&rest[..count], after)?;
            Some((region, count))
        });
        match found {
            Some((region, count)) => {
                after = region.last + 1;
                regions.push(region);
                rest = &rest[count..];
            }
            None => rest = &rest[1..],
        }
    }
    regions
}

impl Search<'_> {
    /// The first and last blocks of loops to execute one lane at a time; a loop that qualifies hides the loops nested in it.
    fn loops(&self) -> Vec<(BlockId, BlockId)> {
        let mut loops: Vec<(BlockId, BlockId)> = Vec::new();
        for head in 0..self.graph.blocks().len() {
            if loops.last().is_some_and(|&(_, last)| head <= last) {
                continue;
            }
            // The blocks of a loop are contiguous, so all blocks between a back edge's source and its target belong to it.
            let jumps_back = |id: &BlockId| self.targets(*id).contains(&head);
            let last = (head..self.graph.blocks().len()).rev().find(jumps_back);
            if let Some(last) = last.filter(|&last| self.pays(head, last)) {
                loops.push((head, last));
            }
        }
        loops
    }

    fn targets(&self, id: BlockId) -> Vec<BlockId> {
        self.graph.block(id).terminator.targets()
    }

    /// Whether the blocks are a loop that lanes leave one by one and that consists mostly of gathers.
    fn pays(&self, head: BlockId, last: BlockId) -> bool {
        let mut blocks = head..=last;
        let leaves = |id: BlockId| {
            let parts = self.shapes.parts_lanes(self.graph.block(id));
            parts && self.targets(id).iter().any(|to| !(head..=last).contains(to))
        };
        if !blocks.clone().any(leaves) || !blocks.all(|id| self.is_simple(id)) {
            return false;
        }
        let insts = insts(self.program, self.graph, head, last);
        let gathers: usize = insts.iter().map(|(inst, _)| self.gathers(inst)).sum();
        let others = insts.iter().filter(|(inst, _)| matches!(inst.op, Op::Alu(_))).count();
        gathers >= FEWEST_GATHERS && others <= MOST_OTHERS * gathers && self.is_foreseen(head, last, &insts)
    }

    /// Whether the loop is predictable: no branch depends on what it loads, and no address on what an earlier iteration loaded.
    fn is_foreseen(&self, head: BlockId, last: BlockId, insts: &[(&Inst, &Access)]) -> bool {
        let mut loaded = BTreeSet::new();
        for (inst, _) in insts {
            if let Op::Effect(Effect::Load(load)) = &inst.op {
                loaded.extend(load.dsts.iter().copied());
            }
        }
        // `loaded` are the rows that are computed from loads; `before` those of them that are live into a loop header, so carried from an earlier
        // iteration, and what is computed from these: an address among them is a list or a search.
        let loaded = depend(insts, loaded);
        let is_from_before = |row: &u32| {
            let heads = (head..=last).filter(|id| (*id..=last).any(|from| self.targets(from).contains(id)));
            heads.into_iter().any(|id| self.liveness.is_live_into(id, *row))
        };
        let before = depend(insts, loaded.iter().copied().filter(is_from_before).collect());
        let finds_way = |(inst, _): &(&Inst, &Access)| {
            let Op::Effect(Effect::Load(load)) = &inst.op else { return false };
            let Base::Row(base, _) = load.address.base else { return false };
            base.as_register().is_some_and(|row| before.contains(&row))
        };
        let decides = |id: BlockId| self.graph.block(id).terminator.decided_by();
        !insts.iter().any(finds_way) && !(head..=last).flat_map(decides).any(|row| loaded.contains(&row))
    }

    /// The elements that a load from global memory gathers: 0 if lanes read the same address or consecutive ones.
    fn gathers(&self, inst: &Inst) -> usize {
        let Op::Effect(Effect::Load(load)) = &inst.op else { return 0 };
        let Base::Row(base, _) = load.address.base else { return 0 };
        let bytes = i64::from(load.size) * load.dsts.len() as i64;
        let is_gather = match self.shapes.claim(base) {
            Shape::Varying => true,
            Shape::Strided(stride) => stride.within != 0 && stride.within != bytes,
            Shape::Indexed(indexed) => indexed.stride().within != bytes,
            Shape::Unwritten | Shape::Constant(_) | Shape::Uniform => false,
        };
        if is_gather && load.address.space == Space::Global { load.dsts.len() } else { 0 }
    }

    /// Whether a block has only loads and operations that take few machine instructions.
    fn is_simple(&self, id: BlockId) -> bool {
        let block = self.graph.block(id);
        let goes_on = matches!(block.terminator, Terminator::Jump(_) | Terminator::Branch { .. });
        let code = &self.program.code[block.first as usize..block.end as usize];
        goes_on && !block.gathers && !self.graph.is_late(id) && code.iter().all(|inst| is_simple(&inst.op))
    }

    /// The smallest region with some consecutive loops, of blocks from `after` on.
    fn region(&self, loops: &[(BlockId, BlockId)], after: BlockId) -> Option<Region> {
        let (&(head, _), &(_, last)) = (loops.first()?, loops.last()?);
        let is_between = |id: &BlockId| !loops.iter().any(|&(head, last)| (head..=last).contains(id));
        for first in (after.max(head.saturating_sub(MOST_BEFORE))..=head).rev() {
            if !self.is_simple(first) {
                return None;
            }
            let between: u32 = (first..=last)
                .filter(is_between)
                .map(|id| self.graph.block(id))
                .map(|block| block.end - block.first)
                .sum();
            if between as usize > MOST_BETWEEN {
                return None;
            }
            let region = self.closed(first, last);
            if region.is_some() {
                return region;
            }
        }
        None
    }

    /// The region of these blocks, if lanes enter only through the first, all leave for later blocks, and rows that it writes and that are live there
    /// are uniform or have a vector for each chunk.
    fn closed(&self, first: BlockId, last: BlockId) -> Option<Region> {
        let is_inside = |id: &BlockId| (first..=last).contains(id);
        let mut exits = BTreeSet::new();
        for id in 0..self.graph.blocks().len() {
            let targets = self.targets(id);
            if is_inside(&id) {
                exits.extend(targets.into_iter().filter(|to| !is_inside(to)));
            } else if targets.iter().any(|to| is_inside(to) && *to != first) {
                return None;
            }
        }
        let region = Region { first, last, exits };
        let is_held = |row: u32| match self.shapes.claim(Src::register(row)) {
            Shape::Unwritten | Shape::Constant(_) | Shape::Uniform => true,
            Shape::Varying => self.shapes.has_value_for_each_chunk(row),
            Shape::Strided(_) | Shape::Indexed(_) => false,
        };
        let writes = region.writes(self.program, self.graph);
        let is_left = |row: &u32| region.exits.iter().any(|&to| self.liveness.is_live_into(to, *row));
        let is_closed = (first..=last).all(|id| self.is_simple(id))
            && region.exits.iter().all(|&to| to > last)
            && !region.exits.is_empty()
            && writes.iter().filter(|row| is_left(row)).all(|&row| is_held(row));
        is_closed.then_some(region)
    }
}

/// The rows that are computed from the given ones, these included.
fn depend(insts: &[(&Inst, &Access)], mut rows: BTreeSet<u32>) -> BTreeSet<u32> {
    loop {
        let before = rows.len();
        for (inst, access) in insts {
            if reads_any(inst, access, &rows) {
                rows.extend(access.writes.iter().copied());
            }
        }
        if rows.len() == before {
            return rows;
        }
    }
}

fn reads_any(inst: &Inst, access: &Access, rows: &BTreeSet<u32>) -> bool {
    let guard = inst.guard.map(|guard| guard.row);
    access.reads.iter().filter_map(|src| src.as_register()).chain(guard).any(|row| rows.contains(&row))
}

/// Whether an instruction takes only a few machine instructions on every processor.
fn is_simple(op: &Op) -> bool {
    match op {
        Op::Alu(alu) => is_simple_operation(alu),
        Op::Effect(Effect::Load(load)) => {
            let is_plain = matches!(
                (load.address.space, load.address.base),
                (Space::Global, Base::Row(_, AddressWidth::Bits64))
                    | (Space::Param | Space::Const | Space::Shared, Base::Row(..))
            );
            is_plain && load.size <= 8 && !load.polls && load.order == Order::Relaxed
        }
        Op::Effect(Effect::Copy(_) | Effect::Nothing) => true,
        Op::Effect(_) => false,
    }
}

pub(super) fn is_simple_operation(alu: &Alu) -> bool {
    let is_nearest = |arith: Arith| {
        arith.rounding == Rounding::NearestEven && matches!(arith.format, Format::F32 | Format::F64)
    };
    match alu {
        Alu::Unary { op, .. } => matches!(
            op,
            Unary::Field { .. }
                | Unary::AddConstant { .. }
                | Unary::Not { .. }
                | Unary::IsZero { .. }
                | Unary::IntAbs(_)
                | Unary::IntNeg(_)
                | Unary::Popc(_)
                | Unary::Clz(_)
                | Unary::FloatAbs(..)
                | Unary::FloatNeg(..)
                | Unary::IntToInt { .. }
                | Unary::FloatToFloat { .. }
        ),
        Alu::Binary { op, .. } => match op {
            Binary::Float(op, arith) => {
                matches!(op, FloatBinary::Add | FloatBinary::Sub | FloatBinary::Mul) && is_nearest(*arith)
            }
            Binary::And
            | Binary::Or
            | Binary::Xor
            | Binary::Insert { .. }
            | Binary::IntAdd(..)
            | Binary::IntSub(..)
            | Binary::IntMul(..)
            | Binary::IntMin(_)
            | Binary::IntMax(_)
            | Binary::Shl(_)
            | Binary::Shr(_)
            | Binary::Extreme(_)
            | Binary::Compare(_) => true,
            _ => false,
        },
        Alu::Ternary { op, .. } => match op {
            Ternary::Fma(arith) => is_nearest(*arith),
            Ternary::IntMad(..)
            | Ternary::Lop3(_)
            | Ternary::Shf(..)
            | Ternary::Bfe(_)
            | Ternary::Prmt(_)
            | Ternary::Select
            | Ternary::Set(_) => true,
            _ => false,
        },
        Alu::Formula { op, .. } => matches!(op, Formula::Bfi(_)),
        Alu::Dual { .. } => false,
    }
}
