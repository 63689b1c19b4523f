//! For each block the others at which lanes of the warp may wait while it runs.
//!
//! In go the graph and, for each block, whether lanes may leave it for different ones; out come the sets of [`Schedule::waiting`]. Code tests only
//! these blocks for waiting lanes at the end of a block, and writes a row in all lanes where none of them reads it.
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
//!
//! Lanes in a loop that may wait for others (`progress.rs`) would be the lowest for ever. After a block of such a loop, those of blocks
//! that come after it run before those at the lowest one, so that all lanes of the warp come to run between two rounds. Lanes that come to
//! an operation of several lanes then may find some missing that wait at a lower block; those run next.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{BlockId, Gather, Graph, Terminator};

/// For each block the others at which lanes may wait while it runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    waiting: Vec<BTreeSet<BlockId>>,
    /// The blocks that lanes may run of whose warp others have exited.
    lacking: BTreeSet<BlockId>,
    /// The blocks of loops that may wait for other threads.
    patient: BTreeSet<BlockId>,
    /// The first barrier of those that come last.
    late: BlockId,
    /// The blocks of lanes that stop the launch before any other block runs.
    stops: Range<BlockId>,
}

impl Schedule {
    /// That of a kernel, where `parts_lanes` tells whether lanes may leave a block for different ones, and `gather` which lanes have
    /// to come to a block before it runs; `patient` are the blocks of loops that may wait for other threads.
    pub fn new(
        graph: &Graph,
        patient: &BTreeSet<BlockId>,
        parts_lanes: impl Fn(BlockId) -> bool,
        gather: impl Fn(BlockId) -> Option<Gather>,
    ) -> Self {
        let mut waiting = vec![BTreeSet::new(); graph.blocks().len()];
        if !patient.is_empty() {
            let late = (0..graph.blocks().len()).find(|&id| graph.is_late(id));
            let late = late.unwrap_or(graph.blocks().len());
            let (lack, stops) = (BTreeSet::new(), graph.stopping());
            let mut schedule = Self { waiting, lacking: lack, patient: patient.clone(), late, stops };
            schedule.fill_patiently(graph, &parts_lanes, &gather);
            schedule.lacking = lacking(graph, &schedule.waiting, parts_lanes);
            return schedule;
        }
        // The least fixed point: sets only grow, and a block is looked at again when its set has. With `n` blocks that is `n` growths of each at most;
        // blocks are taken in order, so that most are looked at once.
        let mut work: BTreeSet<BlockId> = (0..graph.blocks().len()).collect();
        while let Some(id) = work.pop_first() {
            for ways in ways(graph, id, parts_lanes(id)) {
                let mut rest: BTreeSet<BlockId> = waiting[id].iter().copied().chain(ways).collect();
                // Where not all members have come yet, later blocks run, and those that came wait here.
                let mut incomplete = BTreeSet::new();
                // Any of them may be empty, so each may be the one that runs next.
                while let Some(next) = rest.pop_first() {
                    let gather = gather(next);
                    if gather.is_some() {
                        incomplete.insert(next);
                    }
                    let others = rest.iter().chain(&incomplete).copied();
                    let before = waiting[next].len();
                    match gather {
                        None => waiting[next].extend(others),
                        Some(Gather::All) => {}
                        Some(Gather::Asking | Gather::One(_)) => {
                            waiting[next].extend(others.filter(|&other| other != next));
                        }
                        // Lanes of other groups may stay where they are.
                        Some(Gather::Each(_)) => waiting[next].extend(others),
                    }
                    if waiting[next].len() > before {
                        work.insert(next);
                    }
                }
            }
        }
        let lacking = lacking(graph, &waiting, parts_lanes);
        Self {
            waiting,
            lacking,
            patient: BTreeSet::new(),
            late: graph.blocks().len(),
            stops: graph.stopping(),
        }
    }

    /// Where lanes wait in a kernel with loops that may wait for other threads.
    fn fill_patiently(
        &mut self,
        graph: &Graph,
        parts_lanes: &impl Fn(BlockId) -> bool,
        gather: &impl Fn(BlockId) -> Option<Gather>,
    ) {
        let mut work: BTreeSet<BlockId> = (0..graph.blocks().len()).collect();
        while let Some(id) = work.pop_first() {
            for ways in ways(graph, id, parts_lanes(id)) {
                let all: BTreeSet<BlockId> = self.waiting[id].iter().copied().chain(ways).collect();
                let order = self.in_order(id, all);
                for (at, &next) in order.iter().enumerate() {
                    let is_before =
                        |(place, other): (usize, &BlockId)| place < at && gather(*other).is_some();
                    // Where not all have come who are waited for, any other block may run, but barriers only when there is no other.
                    let is_any = next < self.late && order.iter().enumerate().any(is_before);
                    let own = gather(next);
                    let waits = |&(place, &other): &(usize, &BlockId)| match own {
                        Some(Gather::All) => false,
                        // Lanes of other groups may stay where they are.
                        Some(Gather::Each(_)) if other == next => true,
                        _ if other == next => false,
                        _ => is_any || at < place || gather(other).is_some(),
                    };
                    let others = order.iter().enumerate().filter(waits).map(|(_, &other)| other);
                    let before = self.waiting[next].len();
                    self.waiting[next].extend(others);
                    if self.waiting[next].len() > before {
                        work.insert(next);
                    }
                }
            }
        }
    }

    /// Whether lanes that leave the block let others run first, as they are in a loop that may wait for those.
    pub fn is_patient(&self, block: BlockId) -> bool {
        self.patient.contains(&block)
    }

    /// Whether there is a loop that may wait for other threads.
    pub fn has_patient(&self) -> bool {
        !self.patient.is_empty()
    }

    /// Blocks in the order in which they are tried after one, each of which runs if lanes wait at it.
    pub fn in_order(&self, block: BlockId, candidates: BTreeSet<BlockId>) -> Vec<BlockId> {
        let mut order: Vec<BlockId> = candidates.into_iter().collect();
        if self.is_patient(block) {
            order.sort_by_key(|&next| (!self.stops.contains(&next), self.late <= next, next <= block, next));
        }
        order
    }

    /// The same after an operation for which lanes are missing.
    pub fn in_order_after_incomplete(&self, block: BlockId, candidates: BTreeSet<BlockId>) -> Vec<BlockId> {
        if !self.has_patient() {
            return candidates.range(block + 1..).copied().collect();
        }
        let mut order: Vec<BlockId> = candidates.into_iter().filter(|&next| next != block).collect();
        order.sort_by_key(|&next| (!self.stops.contains(&next), self.late <= next, next <= block, next));
        order
    }

    /// The blocks at which lanes may wait while this one runs, in order: others, or this one where each lane waits for lanes of its
    /// own. Where there is none, all lanes that have not exited run it.
    pub fn waiting(&self, block: BlockId) -> &BTreeSet<BlockId> {
        &self.waiting[block]
    }

    /// Whether all lanes that have not exited run the block together.
    pub fn is_together(&self, block: BlockId) -> bool {
        self.waiting[block].is_empty()
    }

    /// Whether a lane of the warp may have exited when others run the block.
    pub fn may_lack_lanes(&self, block: BlockId) -> bool {
        self.lacking.contains(&block)
    }

    /// The sets of blocks at which lanes may wait at one time: where those of a block go, and where others wait meanwhile.
    pub(super) fn together(
        &self,
        graph: &Graph,
        parts_lanes: impl Fn(BlockId) -> bool,
    ) -> BTreeSet<BTreeSet<BlockId>> {
        let mut sets = BTreeSet::new();
        for (id, waiting) in self.waiting.iter().enumerate() {
            let ways = ways(graph, id, parts_lanes(id)).into_iter();
            sets.extend(ways.map(|way| way.into_iter().chain(waiting.iter().copied()).collect()));
        }
        sets
    }

    /// The blocks at which lanes may wait when lanes have come to this one, but not yet run it.
    pub fn beside(&self, graph: &Graph, block: BlockId) -> BTreeSet<BlockId> {
        let mut beside = BTreeSet::new();
        for (id, waiting) in self.waiting.iter().enumerate() {
            let targets = graph.block(id).terminator.targets();
            if waiting.contains(&block) || targets.contains(&block) {
                beside.extend(waiting.iter().copied().chain(targets));
            }
        }
        beside.remove(&block);
        beside
    }
}

/// The blocks that can be reached from where lanes are when others exit.
fn lacking(
    graph: &Graph,
    waiting: &[BTreeSet<BlockId>],
    parts_lanes: impl Fn(BlockId) -> bool,
) -> BTreeSet<BlockId> {
    // Where lanes exit, the others are at the blocks that wait meanwhile, or go on past the exit's guard. Whatever these reach runs without the
    // lanes that have exited.
    let mut work = Vec::new();
    for (id, block) in graph.blocks().iter().enumerate() {
        if let Terminator::Exit { guard } = block.terminator {
            work.extend(&waiting[id]);
            work.extend(guard.map(|(_, other)| other).filter(|_| parts_lanes(id)));
        }
    }
    let mut lacking = BTreeSet::new();
    while let Some(id) = work.pop() {
        if lacking.insert(id) {
            work.extend(graph.block(id).terminator.targets());
        }
    }
    lacking
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
