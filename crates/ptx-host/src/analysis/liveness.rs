//! The rows that are live into each block: those that the code from there on may read before it writes them.
//!
//! A row is live into a few runs of blocks, because blocks are numbered in the order in which they run. That of a row that is live at very many
//! places is approximated by one run: memory and time would otherwise grow with the square of a kernel that keeps many values to its end.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use ptx_ir::liveness::BlockAccesses;
use ptx_program::Program;

use super::dominance::Dominance;
use super::gather::guard_of;
use super::{Block, BlockId, Edges, Graph};

/// The most places at which a row is live of which each is found; smaller kernels have no more.
const MOST_PLACES: usize = 1024;
/// The most writes of a row that is live at more places that are looked at to find one before all reads.
const MOST_WRITERS: usize = 8;

/// The rows that are live at the beginning of each block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Liveness {
    /// For each row the blocks, as ascending ranges that do not touch.
    blocks: Vec<Vec<Range<u32>>>,
}

impl Liveness {
    /// Computes liveness. A guarded write does not kill its rows: lanes for which the guard does not hold keep them.
    pub fn new(program: &Program, graph: &Graph) -> Self {
        Self::within(program, graph, MOST_PLACES)
    }

    /// As [`Liveness::new`]; rows that are live at more than `most` places are approximated.
    fn within(program: &Program, graph: &Graph, most: usize) -> Self {
        let rows = program.kernel().rows;
        let mut accesses = BlockAccesses::new(rows as usize);
        for (id, block) in graph.blocks().iter().enumerate() {
            visit(program, graph, block, |use_, row| match use_ {
                Use::Read => accesses.read(id, row as usize),
                Use::Write => accesses.write(id, row as usize),
            });
        }
        let edges = Edges::new(graph);
        let lives = accesses.live_into(&edges, most);
        let dominance = lives.contains(&None).then(|| Dominance::new(&edges));
        let ranges = |(row, life): (usize, Option<Vec<u32>>)| match (life, &dominance) {
            (Some(blocks), _) => ranges(&blocks),
            (None, dominance) => {
                let is_written = dominance.as_ref().is_some_and(|dominance| {
                    accesses
                        .writers(row)
                        .take(MOST_WRITERS)
                        .any(|writer| accesses.readers(row).all(|reader| dominance.is_before(writer, reader)))
                });
                let begin = (!is_written).then_some(0);
                let mut hull = hull(graph, accesses.readers(row).chain(accesses.writers(row)).chain(begin));
                if is_written {
                    // Not into the entry: otherwise the row would seem to be zero where the kernel begins.
                    hull.iter_mut().for_each(|blocks| blocks.start = blocks.start.max(1));
                    hull.retain(|blocks| !blocks.is_empty());
                }
                hull
            }
        };
        Self { blocks: lives.into_iter().enumerate().map(ranges).collect() }
    }

    /// Whether a row is live at the beginning of any block.
    pub fn is_live_anywhere(&self, row: u32) -> bool {
        !self.ranges(row).is_empty()
    }

    /// Whether a row is live at the beginning of a block.
    pub fn is_live_into(&self, block: BlockId, row: u32) -> bool {
        self.blocks_within(row, block..=block).next().is_some()
    }

    /// The blocks of a range at whose beginning a row is live, in order.
    pub(super) fn blocks_within(
        &self,
        row: u32,
        range: RangeInclusive<BlockId>,
    ) -> impl Iterator<Item = BlockId> {
        let ranges = self.ranges(row);
        let from = ranges.partition_point(|live| live.end as usize <= *range.start());
        let (first, last) = range.into_inner();
        let within =
            move |live: &Range<u32>| (live.start as usize).max(first)..(live.end as usize).min(last + 1);
        ranges[from..].iter().map(within).take_while(|blocks| !blocks.is_empty()).flatten()
    }

    /// The rows that are live at the beginning of a block, in ascending order.
    pub(crate) fn rows_into(&self, block: BlockId) -> impl Iterator<Item = u32> {
        (0..self.blocks.len() as u32).filter(move |&row| self.is_live_into(block, row))
    }

    /// The blocks at whose beginning a row is live, as ascending ranges.
    pub(super) fn ranges(&self, row: u32) -> &[Range<u32>] {
        let ranges = self.blocks.get(row as usize);
        debug_assert!(ranges.is_some(), "row {row} is none of the kernel");
        // Default: such a row is read nowhere.
        ranges.map_or(&[], Vec::as_slice)
    }
}

/// Ascending numbers as ranges.
fn ranges(blocks: &[u32]) -> Vec<Range<u32>> {
    let runs = blocks.chunk_by(|one, next| one + 1 == *next);
    runs.filter_map(|run| Some(*run.first()?..*run.last()? + 1)).collect()
}

/// Blocks that contain those into which a row is live that these blocks access.
///
/// Loops are contiguous and edges between them go forward, so that no path from one access to another leaves the blocks between the first and the
/// last one, with the loops around these. Only barriers, which come last, and blocks that stop the launch, which come first, are out of
/// that order.
fn hull(graph: &Graph, accesses: impl Iterator<Item = BlockId>) -> Vec<Range<u32>> {
    let (stopping, late) = (graph.stopping(), graph.first_late());
    let (mut first, mut last, mut stops) = (late, 0, false);
    for id in accesses {
        let around = graph.loop_around(id);
        if stopping.contains(&id) {
            stops = true;
        } else if id < late {
            first = around.first().copied().map_or(id, |loop_first| loop_first.min(id)).min(first);
            let inside = around.partition_point(|&id| id < late);
            let end = inside.checked_sub(1).and_then(|at| around.get(at)).copied();
            last = end.map_or(id, |loop_last| loop_last.max(id)).max(last);
        } else {
            // Where the order places a barrier is not known.
            (first, last) = (0, late.saturating_sub(1));
        }
    }
    if stops {
        first = first.min(stopping.start);
    }
    let own = first as u32..(last + 1) as u32;
    let all = graph.blocks().len() as u32;
    let late = late as u32;
    if own.end == late {
        return std::iter::once(own.start..all).collect();
    }
    [own, late..all].into_iter().filter(|blocks| !blocks.is_empty()).collect()
}

/// What an instruction does to a row.
enum Use {
    Read,
    /// In all active lanes.
    Write,
}

/// What a block does to rows, in order: it writes those of an instruction without a guard in all active lanes.
fn visit(program: &Program, graph: &Graph, block: &Block, mut act: impl FnMut(Use, u32)) {
    for (_, inst, access) in graph.code(program, block) {
        let rows = access.reads.iter().filter_map(|src| src.as_register());
        let guard = guard_of(inst).map(|guard| guard.row);
        rows.chain(guard).for_each(|row| act(Use::Read, row));
        if guard.is_none() {
            access.writes.iter().for_each(|&row| act(Use::Write, row));
        }
    }
    block.terminator.decided_by().into_iter().for_each(|row| act(Use::Read, row));
}

/// The rows whose values at the beginning of a block it reads. They are live into it; where lives are approximated, others that it accesses seem to be.
pub(crate) fn read_from_before(program: &Program, graph: &Graph, id: BlockId) -> BTreeSet<u32> {
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    visit(program, graph, graph.block(id), |use_, row| match use_ {
        Use::Write => drop(written.insert(row)),
        Use::Read if written.contains(&row) => {}
        Use::Read => drop(read.insert(row)),
    });
    read
}

#[cfg(test)]
mod tests;
