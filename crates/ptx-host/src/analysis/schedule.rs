//! Which blocks lanes wait at while others run.
//!
//! The lanes of a warp run together, at one block at a time; lanes that have to go elsewhere wait there. At the end of a block the
//! lowest block runs next at which lanes wait, in the order of the [`Graph`]: so lanes that left a loop wait after it until the last
//! one has left it, and the two sides of a branch come together where they meet. This is right for every graph, also one with loops
//! that have several entries; the order only decides how soon lanes run together again.
//!
//! With two sides A and B of a branch that meet at C, `%p` different in each lane:
//!
//! | runs | waiting before | goes to | waiting after |
//! |---|---|---|---|
//! | branch | | A and B | A, B |
//! | A | B | C | B, C |
//! | B | C | C | C |
//! | C | | | |

use std::collections::BTreeSet;

use super::{BlockId, Graph};

/// For each block the others at which lanes may wait while it runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    waiting: Vec<BTreeSet<BlockId>>,
}

impl Schedule {
    /// That of a kernel, where `parts_lanes` tells whether lanes may leave a block for different ones.
    pub fn new(graph: &Graph, parts_lanes: impl Fn(BlockId) -> bool) -> Self {
        let mut waiting = vec![BTreeSet::new(); graph.blocks().len()];
        let mut work: BTreeSet<BlockId> = (0..graph.blocks().len()).collect();
        while let Some(id) = work.pop_first() {
            for ways in ways(graph, id, parts_lanes(id)) {
                let mut rest: BTreeSet<BlockId> = waiting[id].iter().copied().chain(ways).collect();
                // Any of them may be empty, so each may be the one that runs next.
                while let Some(next) = rest.pop_first() {
                    let before = waiting[next].len();
                    waiting[next].extend(&rest);
                    if waiting[next].len() > before {
                        work.insert(next);
                    }
                }
            }
        }
        Self { waiting }
    }

    /// The other blocks at which lanes may wait while this one runs, in order. Where there is none, all lanes that have not exited run
    /// it.
    pub fn waiting(&self, block: BlockId) -> &BTreeSet<BlockId> {
        &self.waiting[block]
    }

    /// Whether all lanes that have not exited run the block together.
    pub fn is_together(&self, block: BlockId) -> bool {
        self.waiting[block].is_empty()
    }
}

/// The sets of blocks that the lanes of a block may go to at one time.
fn ways(graph: &Graph, id: BlockId, parts_lanes: bool) -> Vec<Vec<BlockId>> {
    let terminator = &graph.block(id).terminator;
    let targets = terminator.targets();
    if parts_lanes || targets.is_empty() {
        return vec![targets];
    }
    targets.into_iter().map(|to| vec![to]).collect()
}
