//! The rows that are live into each block: those that the code from there on may read before it writes them.

use ptx_exec::program::Program;
use ptx_ir::liveness::{BlockAccesses, End};

use super::gather::guard_of;
use super::{Access, Block, BlockId, Edges, Graph, Refusal};

/// The rows that are live at the beginning of each block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Liveness {
    /// In ascending order.
    live_into: Vec<Vec<u32>>,
}

impl Liveness {
    /// Computes liveness. A guarded write does not kill its rows: lanes for which the guard does not hold keep them.
    ///
    /// # Errors
    /// The first instruction that is not compiled.
    pub fn new(program: &Program, graph: &Graph) -> Result<Self, Refusal> {
        let rows = program.functions.get(program.entry as usize).map_or(0, |kernel| kernel.rows);
        let mut accesses = BlockAccesses::new(rows as usize);
        for (id, block) in graph.blocks().iter().enumerate() {
            add_accesses(program, block, id, &mut accesses)?;
        }
        let live_into = accesses.live_at(&Edges::new(graph), End::Start, usize::MAX).unwrap_or_default();
        Ok(Self { live_into })
    }

    /// Whether a row is live at the beginning of any block.
    pub fn is_live_anywhere(&self, row: u32) -> bool {
        self.live_into.iter().any(|rows| rows.contains(&row))
    }

    /// Whether a row is live at the beginning of a block.
    pub fn is_live_into(&self, block: BlockId, row: u32) -> bool {
        self.live_into[block].binary_search(&row).is_ok()
    }
}

/// What a block does to rows: it writes those of an instruction without a guard in all active lanes.
fn add_accesses(
    program: &Program,
    block: &Block,
    id: BlockId,
    accesses: &mut BlockAccesses,
) -> Result<(), Refusal> {
    for pc in block.first..block.end {
        let inst = &program.code[pc as usize];
        let access = Access::of(&inst.op).map_err(|why| Refusal { pc, why })?;
        let rows = access.reads.iter().filter_map(|src| src.as_register());
        let guard = guard_of(inst).map(|guard| guard.row);
        rows.chain(guard).for_each(|row| accesses.read(id, row as usize));
        if guard.is_none() {
            access.writes.into_iter().for_each(|row| accesses.write(id, row as usize));
        }
    }
    block.terminator.decided_by().into_iter().for_each(|row| accesses.read(id, row as usize));
    Ok(())
}
