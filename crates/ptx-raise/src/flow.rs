//! The blocks that are raised, and their order.

use ptx_llvm_core::view::{BlockId, InstId, Op};
use rustc_hash::FxHashSet as HashSet;

use crate::source_function::SourceFunction;

/// The blocks that control can reach.
#[derive(Debug)]
pub(crate) struct Flow {
    /// In reverse post-order: definitions come before their uses.
    pub(crate) order: Vec<BlockId>,
    /// In LLVM's order, which is that of the text.
    pub(crate) layout: Vec<BlockId>,
}

impl Flow {
    pub(crate) fn of(source: SourceFunction<'_>) -> Self {
        let mut order = Vec::new();
        let entry = BlockId::new(0);
        let mut seen = HashSet::from_iter([entry]);
        let mut stack = vec![(entry, source.successors(entry), 0)];
        while let Some((block, successors, next)) = stack.last_mut() {
            match successors.get(*next).copied() {
                Some(successor) => {
                    *next += 1;
                    if seen.insert(successor) {
                        stack.push((successor, source.successors(successor), 0));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        let dead = dead_defaults(source, &seen);
        order.retain(|block| !dead.contains(block));
        let layout = source.function.block_ids();
        Self { order, layout: layout.filter(|block| seen.contains(block) && !dead.contains(block)).collect() }
    }

    /// The instructions, in the order of the text.
    pub(crate) fn insts<'v>(&self, source: SourceFunction<'v>) -> impl Iterator<Item = InstId> + use<'v, '_> {
        self.layout.iter().flat_map(move |block| source.insts(*block))
    }
}

/// Blocks that contain only `unreachable` and are used only as the default of a switch: control never reaches them.
fn dead_defaults(source: SourceFunction<'_>, reachable: &HashSet<BlockId>) -> HashSet<BlockId> {
    let mut dead: HashSet<BlockId> =
        reachable.iter().copied().filter(|&block| source.is_unreachable(block)).collect();
    dead.remove(&BlockId::new(0));
    for &block in reachable {
        let targets = match source.insts(block).next_back().map(|id| source.op(id)) {
            Some(Op::Switch { cases, .. }) => cases.iter().map(|(_, target)| *target).collect(),
            _ => source.successors(block),
        };
        for target in targets {
            dead.remove(&target);
        }
    }
    dead
}
