//! The rows that are live into each block: those that the code from there on may read before it writes them.

use std::ops::RangeInclusive;

use ptx_exec::program::Program;
use ptx_ir::liveness::{BlockAccesses, End};

use super::gather::guard_of;
use super::{Block, BlockId, Edges, Graph};

/// The rows that are live at the beginning of each block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Liveness {
    /// For each block the rows, in ascending order.
    live_into: Vec<Vec<u32>>,
    /// For each row the blocks, in ascending order.
    blocks: Vec<Vec<u32>>,
}

impl Liveness {
    /// Computes liveness. A guarded write does not kill its rows: lanes for which the guard does not hold keep them.
    pub fn new(program: &Program, graph: &Graph) -> Self {
        let rows = program.kernel().rows;
        let mut accesses = BlockAccesses::new(rows as usize);
        for (id, block) in graph.blocks().iter().enumerate() {
            add_accesses(program, graph, block, id, &mut accesses);
        }
        // Default: without a limit on the steps there is always a result.
        let live_into = accesses.live_at(&Edges::new(graph), End::Start, usize::MAX).unwrap_or_default();
        let mut blocks = vec![Vec::new(); rows as usize];
        for (id, rows) in live_into.iter().enumerate() {
            rows.iter().for_each(|&row| blocks[row as usize].push(id as u32));
        }
        Self { live_into, blocks }
    }

    /// Whether a row is live at the beginning of any block.
    pub fn is_live_anywhere(&self, row: u32) -> bool {
        self.blocks.get(row as usize).is_some_and(|blocks| !blocks.is_empty())
    }

    /// The blocks of a range at whose beginning a row is live, in order.
    pub(super) fn blocks_within(
        &self,
        row: u32,
        range: RangeInclusive<BlockId>,
    ) -> impl Iterator<Item = BlockId> {
        let blocks = self.blocks.get(row as usize).into_iter().flatten();
        let from = self
            .blocks
            .get(row as usize)
            .map_or(0, |blocks| blocks.partition_point(|&block| (block as usize) < *range.start()));
        blocks.skip(from).map(|&block| block as usize).take_while(move |block| block <= range.end())
    }

    /// The rows that are live at the beginning of a block, in ascending order.
    pub(crate) fn rows_into(&self, block: BlockId) -> &[u32] {
        &self.live_into[block]
    }

    /// Whether a row is live at the beginning of a block.
    pub fn is_live_into(&self, block: BlockId, row: u32) -> bool {
        self.live_into[block].binary_search(&row).is_ok()
    }
}

/// What a block does to rows: it writes those of an instruction without a guard in all active lanes.
fn add_accesses(program: &Program, graph: &Graph, block: &Block, id: BlockId, accesses: &mut BlockAccesses) {
    for (_, inst, access) in graph.code(program, block) {
        let rows = access.reads.iter().filter_map(|src| src.as_register());
        let guard = guard_of(inst).map(|guard| guard.row);
        rows.chain(guard).for_each(|row| accesses.read(id, row as usize));
        if guard.is_none() {
            access.writes.iter().for_each(|&row| accesses.write(id, row as usize));
        }
    }
    block.terminator.decided_by().into_iter().for_each(|row| accesses.read(id, row as usize));
}
