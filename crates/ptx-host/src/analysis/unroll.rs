//! Copies of blocks, specialized for the values of uniform rows on entry.
//!
//! A loop over barriers with known trip count, such as a reduction that halves 128 again and again, gets a copy of its blocks for each iteration. In
//! these, a comparison of `tid.x` with the loop's counter is a constant for each chunk, so that chunks without active lanes need no code.
//!
//! Rows are followed by executing the kernel with their known values. Either the continuation of a loop is known in each iteration, or the rows that the
//! loop writes are not followed; so the walk terminates, and if the copies become too many, each block has one copy.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ptx_exec::RowOperation;
use ptx_program::{Effect, Inst, Op, Program, Src, WARP};

use super::together::leaves_loop;
use super::{Access, Analysis, BlockId, Shape, Terminator, guard_of};

/// Known values of rows.
type Known = BTreeMap<u32, u64>;

/// A copy of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockCopy {
    /// The block.
    pub block: BlockId,
    /// Known values of rows on entry.
    pub known: Known,
    /// Whether the condition at its end holds, if that is known.
    pub decided: Option<bool>,
    /// The copies of the blocks that may run next.
    next: Next,
}

/// The copies of blocks that may run after one.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Next {
    /// These.
    Copies(BTreeMap<BlockId, usize>),
    /// The only copy of any block of a range.
    Only(Range<BlockId>),
}

impl BlockCopy {
    /// The copy of a block that runs next.
    pub fn next(&self, block: BlockId) -> Option<usize> {
        match &self.next {
            Next::Copies(copies) => copies.get(&block).copied(),
            Next::Only(range) => range.contains(&block).then(|| block - range.start),
        }
    }

    /// The successors.
    fn targets(&self, terminator: &Terminator) -> Vec<BlockId> {
        match (terminator, self.decided) {
            (Terminator::Branch { taken, .. }, Some(true)) => vec![*taken],
            (Terminator::Branch { other, .. }, Some(false)) => vec![*other],
            (Terminator::Exit { guard: Some(_) }, Some(true)) => Vec::new(),
            _ => terminator.targets(),
        }
    }
}

/// Whether `from` can be reached again from its successor `to`, so that both are in a loop. The copies of a fully unrolled loop are
/// not.
pub fn come_back(copies: &[BlockCopy], from: usize, to: usize) -> bool {
    let (mut seen, mut work) = (BTreeSet::from([to]), vec![to]);
    while let Some(at) = work.pop() {
        let Some(copy) = copies.get(at) else { continue };
        // Blocks with one copy each count as one loop.
        let Next::Copies(next) = &copy.next else { return true };
        for next in next.values().copied() {
            if next == from {
                return true;
            }
            if seen.insert(next) {
                work.push(next);
            }
        }
    }
    from == to
}

/// One copy of each block.
pub fn single_copies(analysis: &Analysis) -> Vec<BlockCopy> {
    copies_of(0..analysis.graph.blocks().len())
}

/// One copy of each block of a range.
pub(crate) fn copies_of(range: Range<BlockId>) -> Vec<BlockCopy> {
    let one =
        |block| BlockCopy { block, known: Known::new(), decided: None, next: Next::Only(range.clone()) };
    range.clone().map(one).collect()
}

/// The copies, the entry first, of no more than `most` instructions in total.
pub fn copies(program: &Program, analysis: &Analysis, most: u32) -> Vec<BlockCopy> {
    let rows = program.kernel().rows;
    // At first all uniform rows are followed. Each failed walk names rows to give up, so that there are at most as many walks as rows; in practice
    // a loop with unknown trip count costs one.
    let mut followed: BTreeSet<u32> =
        (0..rows).filter(|&row| analysis.shapes.row(row) == Shape::Uniform).collect();
    while !followed.is_empty() {
        match Walk::new(program, analysis, &followed).run(most) {
            Ok(copies) => return copies,
            Err(rows) if rows.is_empty() => break,
            Err(rows) => followed.retain(|row| !rows.contains(row)),
        }
    }
    single_copies(analysis)
}

struct Walk<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    followed: &'a BTreeSet<u32>,
    copies: Vec<BlockCopy>,
    numbers: BTreeMap<(BlockId, Known), usize>,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program, analysis: &'a Analysis, followed: &'a BTreeSet<u32>) -> Self {
        Self { program, analysis, followed, copies: Vec::new(), numbers: BTreeMap::new() }
    }

    /// The copies, or the rows not to follow; that set is empty if there would be too many copies.
    fn run(mut self, most: u32) -> Result<Vec<BlockCopy>, BTreeSet<u32>> {
        self.copy_of(0, Known::new());
        let (mut at, mut size) = (0, 0);
        while let Some(copy) = self.copies.get(at).cloned() {
            let block = self.analysis.graph.block(copy.block);
            size += block.end - block.first + 1;
            if size > most {
                return Err(BTreeSet::new());
            }
            let (known, decided) = self.executed(&copy);
            // The counter of a loop with unknown end would give a copy for each of its values, without end.
            if decided.is_none() && leaves_loop(&self.analysis.graph, copy.block) {
                let written = self.written_in_loop(copy.block);
                if !written.is_disjoint(self.followed) {
                    return Err(written);
                }
            }
            self.copies[at].decided = decided;
            self.go_on(at, &known);
            at += 1;
        }
        Ok(self.copies)
    }

    fn copy_of(&mut self, block: BlockId, known: Known) -> usize {
        *self.numbers.entry((block, known)).or_insert_with_key(|(block, known)| {
            let copy = BlockCopy {
                block: *block,
                known: known.clone(),
                decided: None,
                next: Next::Copies(BTreeMap::new()),
            };
            self.copies.push(copy);
            self.copies.len() - 1
        })
    }

    /// Finds the copies that run after one, given the known rows at its end.
    fn go_on(&mut self, at: usize, known: &Known) {
        let Some(copy) = self.copies.get(at).cloned() else { return };
        let (schedule, liveness) = (&self.analysis.schedule, &self.analysis.liveness);
        let targets = copy.targets(&self.analysis.graph.block(copy.block).terminator);
        let next: BTreeSet<BlockId> = schedule.waiting(copy.block).iter().copied().chain(targets).collect();
        let is_kept = |row: u32| next.iter().any(|&block| liveness.is_live_into(block, row));
        // Only rows that the copy or a block waiting beside it still reads tell copies apart; a dead counter would multiply them for nothing.
        for &block in &next {
            let waiting = schedule.waiting(block);
            let is_read = |row: u32| {
                let mut others = waiting.iter().chain([&block]);
                is_kept(row) && others.any(|&other| liveness.is_live_into(other, row))
            };
            let rows = known.iter().filter(|(row, _)| is_read(**row)).map(|(&row, &value)| (row, value));
            let number = self.copy_of(block, rows.collect());
            if let Next::Copies(next) = &mut self.copies[at].next {
                next.insert(block, number);
            }
        }
    }

    /// The known rows at the end of a copy, and whether its condition holds.
    fn executed(&self, copy: &BlockCopy) -> (Known, Option<bool>) {
        let mut known = copy.known.clone();
        let block = self.analysis.graph.block(copy.block);
        let insts = self.analysis.graph.code(self.program, block);
        insts.for_each(|(_, inst, access)| self.execute(inst, access, &mut known));
        let condition = match block.terminator {
            Terminator::Branch { condition, .. } | Terminator::Exit { guard: Some((condition, _)) } => {
                condition
            }
            _ => return (known, None),
        };
        let holds = self.value(&known, Src::register(condition.0));
        (known, holds.map(|holds| (holds & 1 == 1) != condition.1))
    }

    fn execute(&self, inst: &Inst, access: &Access, known: &mut Known) {
        let holds = match guard_of(inst) {
            None => Some(true),
            Some(guard) => {
                self.value(known, Src::register(guard.row)).map(|holds| (holds & 1 == 1) != guard.negated)
            }
        };
        if holds == Some(false) {
            return;
        }
        let mut results: Vec<(u32, Option<u64>)> = match &inst.op {
            Op::Alu(alu) if access.writes.len() == 1 => {
                let values: Option<Vec<u64>> =
                    access.reads.iter().map(|&src| self.value(known, src)).collect();
                let result = values.filter(|values| values.len() <= 4).map(|values| {
                    let mut rows = [[0; WARP]; 4];
                    rows.iter_mut().zip(values).for_each(|(row, value)| row[0] = value);
                    let (mut first, mut second) = ([0; WARP], [0; WARP]);
                    RowOperation::new(*alu).apply(rows.each_ref(), 1, [&mut first, &mut second]);
                    first[0]
                });
                access.writes.iter().map(|&row| (row, result)).collect()
            }
            Op::Effect(Effect::Copy(pairs)) => {
                pairs.iter().map(|(row, src)| (*row, self.value(known, *src))).collect()
            }
            _ => access.writes.iter().map(|&row| (row, None)).collect(),
        };
        for (row, value) in results.drain(..) {
            match value.filter(|_| holds == Some(true) && self.followed.contains(&row)) {
                Some(value) => known.insert(row, value),
                None => known.remove(&row),
            };
        }
    }

    fn value(&self, known: &Known, src: Src) -> Option<u64> {
        match self.analysis.shapes.src(src) {
            Shape::Constant(value) => Some(value),
            _ => known.get(&src.as_register()?).copied(),
        }
    }

    /// The rows that are written in the outermost loop around a block.
    fn written_in_loop(&self, id: BlockId) -> BTreeSet<u32> {
        let graph = &self.analysis.graph;
        let blocks = graph.loop_around(id).iter().map(|&id| graph.block(id));
        let insts = blocks.flat_map(|block| graph.code(self.program, block));
        insts.flat_map(|(_, _, access)| access.writes.iter().copied()).collect()
    }
}
