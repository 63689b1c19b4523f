//! The rows that are live into each block: those that the code from there on may read before it writes them.

use std::collections::BTreeSet;

use ptx_exec::program::Program;

use super::gather::guard_of;
use super::{Access, BlockId, Graph, Refusal};

/// The rows that are live at the beginning of each block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Liveness {
    live_into: Vec<BTreeSet<u32>>,
}

impl Liveness {
    /// Computes liveness by backward dataflow. A guarded write does not kill its rows: lanes for which the guard does not hold keep them.
    ///
    /// # Errors
    /// The first instruction that is not compiled.
    pub fn new(program: &Program, graph: &Graph) -> Result<Self, Refusal> {
        let effects: Result<Vec<_>, _> =
            (0..graph.blocks().len()).map(|id| reads_and_kills(program, graph, id)).collect();
        let effects = effects?;
        // Backward over the blocks, whose order puts most successors later: one round for code without loops, and one more for each level of nesting.
        let mut live_into = vec![BTreeSet::new(); graph.blocks().len()];
        let mut changed = true;
        while changed {
            changed = false;
            for id in (0..graph.blocks().len()).rev() {
                let (reads, kills) = &effects[id];
                let targets = graph.block(id).terminator.targets();
                let after = targets.iter().flat_map(|&to| live_into[to].iter().copied());
                let mut live: BTreeSet<u32> = after.filter(|row| !kills.contains(row)).collect();
                live.extend(reads);
                if live != live_into[id] {
                    live_into[id] = live;
                    changed = true;
                }
            }
        }
        Ok(Self { live_into })
    }

    /// Whether a row is live at the beginning of any block.
    pub fn is_live_anywhere(&self, row: u32) -> bool {
        self.live_into.iter().any(|rows| rows.contains(&row))
    }

    /// Whether a row is live at the beginning of a block.
    pub fn is_live_into(&self, block: BlockId, row: u32) -> bool {
        self.live_into[block].contains(&row)
    }
}

/// The rows that a block reads before it writes them, and those that it writes in all active lanes.
fn reads_and_kills(
    program: &Program,
    graph: &Graph,
    id: BlockId,
) -> Result<(BTreeSet<u32>, BTreeSet<u32>), Refusal> {
    let block = graph.block(id);
    let (mut reads, mut kills) = (BTreeSet::new(), BTreeSet::new());
    for pc in block.first..block.end {
        let inst = &program.code[pc as usize];
        let access = Access::of(&inst.op).map_err(|why| Refusal { pc, why })?;
        let rows = access.reads.iter().filter_map(|src| src.as_register());
        let guard = guard_of(inst).map(|guard| guard.row);
        reads.extend(rows.chain(guard).filter(|row| !kills.contains(row)));
        if guard.is_none() {
            kills.extend(access.writes);
        }
    }
    reads.extend(block.terminator.decided_by().into_iter().filter(|row| !kills.contains(row)));
    Ok((reads, kills))
}
