//! For each block, the other blocks at which lanes of the warp may wait while it runs.
//!
//! The input is the graph and, for each block, whether its branch may be divergent; the result the sets of [`Schedule::waiting`]. At the end of a
//! block code tests only these blocks for waiting lanes, and a write needs no mask where none of them reads the row.
//!
//! The active lanes of a warp execute one block at a time; lanes that have to go elsewhere wait there. At the end of a block, the lowest block (in
//! the order of the [`Graph`]) at which lanes wait runs next: so lanes that left a loop wait after it until the last one has left it, and the two
//! sides of a branch reconverge at their join point. This is correct for every graph, also for irreducible loops; the order only decides
//! how soon lanes reconverge.
//!
//! With the two sides A and B of a divergent branch that join at C:
//!
//! | runs | waiting before | goes to | waiting after |
//! |---|---|---|---|
//! | branch | | A and B | A, B |
//! | A | B | C | B, C |
//! | B | C | C | C |
//! | C | | | |
//!
//! Lanes in a loop that may wait for other threads (`progress.rs`) would be the lowest forever. After a block of such a loop, lanes at later blocks
//! therefore run before those at the lowest one, so that all lanes of the warp run between two iterations. An operation of several lanes may then
//! find lanes missing that wait at a lower block; those run next.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::block_set::BlockSet;
use super::spans::Spans;
use super::{BlockId, Gather, Graph, Launched, Liveness, Terminator};

/// The most blocks at which lanes may wait at one time for which sets are computed: each step takes the square of their number.
const MOST_AT_ONCE: usize = 512;

/// For each block, the other blocks at which lanes may wait while it runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    waiting: Waiting,
    /// The blocks that may run after other lanes of the warp have exited.
    lacking: BTreeSet<BlockId>,
    /// The blocks of loops that may wait for other threads.
    patient: BTreeSet<BlockId>,
    /// The first of the barrier blocks, which come last.
    late: BlockId,
    /// The blocks that only stop the launch; lanes at them run before any other block.
    stops: Range<BlockId>,
}

/// The blocks at which lanes may wait while each block runs.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Waiting {
    /// Exactly these.
    Sets(Vec<BTreeSet<BlockId>>),
    /// Those of an interval, in kernels that are split into segments.
    Spans(Box<Spans>),
}

impl Schedule {
    /// Computes the schedule of a kernel. `parts_lanes` is whether a block's branch may be divergent, and `gather` which lanes must reach a
    /// block before it runs; `patient` is the set of blocks of loops that may wait for other threads. `None` if there are more than `most` pairs of
    /// a block and another at which lanes may wait meanwhile.
    pub fn new(
        graph: &Graph,
        patient: &BTreeSet<BlockId>,
        parts_lanes: impl Fn(BlockId) -> bool,
        gather: impl Fn(BlockId) -> Option<Gather>,
        most: usize,
    ) -> Option<Self> {
        if !patient.is_empty() {
            let late = (0..graph.blocks().len()).find(|&id| graph.is_late(id));
            let late = late.unwrap_or(graph.blocks().len());
            let (lack, stops) = (BTreeSet::new(), graph.stopping());
            let waiting = Waiting::Sets(Vec::new());
            let mut schedule = Self { waiting, lacking: lack, patient: patient.clone(), late, stops };
            let waiting = schedule.fill_patiently(graph, &parts_lanes, &gather, most)?;
            schedule.lacking = lacking(graph, &waiting, parts_lanes);
            schedule.waiting = Waiting::Sets(waiting);
            return Some(schedule);
        }
        // The least fixed point, with a worklist: sets only grow, and a block is revisited when its set has grown, at most `n` times with `n` blocks.
        // Blocks are taken in order, so that most are visited once.
        let (mut waiting, mut pairs) = (vec![BlockSet::default(); graph.blocks().len()], 0);
        let gathers: Vec<Option<Gather>> = (0..graph.blocks().len()).map(gather).collect();
        let mut work: BTreeSet<BlockId> = (0..graph.blocks().len()).collect();
        while let Some(id) = work.pop_first() {
            for ways in ways(graph, id, parts_lanes(id)) {
                let mut rest = waiting[id].clone();
                ways.into_iter().for_each(|to| rest.insert(to));
                if rest.len() > MOST_AT_ONCE {
                    return None;
                }
                // If some participants have not arrived yet, later blocks run, and the lanes that have arrived wait here.
                let mut incomplete = BlockSet::default();
                // Any of them may have no waiting lanes, so each may be the one that runs next.
                while let Some(next) = rest.pop_first() {
                    let mut grown = 0;
                    if !matches!(gathers[next], Some(Gather::All)) {
                        grown += waiting[next].extend(&rest) + waiting[next].extend(&incomplete);
                    }
                    if gathers[next].is_some() {
                        incomplete.insert(next);
                    }
                    // Lanes of other groups may stay here.
                    if gathers[next].is_some_and(Gather::leaves_some) && !waiting[next].contains(next) {
                        waiting[next].insert(next);
                        grown += 1;
                    }
                    if grown > 0 {
                        work.insert(next);
                        pairs += grown;
                    }
                }
                if pairs > most {
                    return None;
                }
            }
        }
        let waiting: Vec<BTreeSet<BlockId>> = waiting.iter().map(|set| set.iter().collect()).collect();
        let lacking = lacking(graph, &waiting, parts_lanes);
        Some(Self::plain(graph, Waiting::Sets(waiting), lacking))
    }

    /// As [`Schedule::new`], with intervals instead of sets.
    pub(super) fn of_spans(
        graph: &Graph,
        patient: &BTreeSet<BlockId>,
        parts_lanes: impl Fn(BlockId) -> bool,
        gather: impl Fn(BlockId) -> Option<Gather>,
    ) -> Self {
        let mut spans = Spans::new(graph.blocks().len(), |id| ways(graph, id, parts_lanes(id)), &gather);
        let (mixed, last) = mixed(graph, patient, &spans, &parts_lanes, gather);
        spans.mix(&mixed, last);
        let lacking = lacking_of_spans(graph, &spans, parts_lanes);
        let mut schedule = Self::plain(graph, Waiting::Spans(Box::new(spans)), lacking);
        if !patient.is_empty() {
            (schedule.patient, schedule.late) = (patient.clone(), graph.first_late());
        }
        schedule
    }

    fn plain(graph: &Graph, waiting: Waiting, lacking: BTreeSet<BlockId>) -> Self {
        let late = graph.blocks().len();
        Self { waiting, lacking, patient: BTreeSet::new(), late, stops: graph.stopping() }
    }

    /// Computes the sets for a kernel with loops that may wait for other threads.
    fn fill_patiently(
        &self,
        graph: &Graph,
        parts_lanes: &impl Fn(BlockId) -> bool,
        gather: &impl Fn(BlockId) -> Option<Gather>,
        most: usize,
    ) -> Option<Vec<BTreeSet<BlockId>>> {
        let (mut waiting, mut pairs) = (vec![BTreeSet::new(); graph.blocks().len()], 0);
        let mut work: BTreeSet<BlockId> = (0..graph.blocks().len()).collect();
        while let Some(id) = work.pop_first() {
            for ways in ways(graph, id, parts_lanes(id)) {
                let all: BTreeSet<BlockId> = waiting[id].iter().copied().chain(ways).collect();
                if all.len() > MOST_AT_ONCE {
                    return None;
                }
                let order = self.in_order(id, all);
                for (at, &next) in order.iter().enumerate() {
                    let is_before =
                        |(place, other): (usize, &BlockId)| place < at && gather(*other).is_some();
                    // If participants are missing, any other block may run, but barriers only when there is no other.
                    let is_any = next < self.late && order.iter().enumerate().any(is_before);
                    let own = gather(next);
                    let waits = |&(place, &other): &(usize, &BlockId)| match own {
                        Some(Gather::All) => false,
                        // Lanes of other groups may stay here.
                        Some(gather) if other == next && gather.leaves_some() => true,
                        _ if other == next => false,
                        _ => is_any || at < place || gather(other).is_some(),
                    };
                    let others = order.iter().enumerate().filter(waits).map(|(_, &other)| other);
                    let before = waiting[next].len();
                    waiting[next].extend(others);
                    let grown = waiting[next].len() - before;
                    if grown > 0 {
                        work.insert(next);
                        pairs += grown;
                    }
                }
                if pairs > most {
                    return None;
                }
            }
        }
        Some(waiting)
    }

    /// Whether lanes that leave the block let others run first, because they are in a loop that may wait for those.
    pub fn is_patient(&self, block: BlockId) -> bool {
        self.patient.contains(&block)
    }

    /// The first of the barriers, which come last, if there is a loop that may wait for other threads.
    pub fn first_late(&self) -> BlockId {
        self.late
    }

    /// Whether there is a loop that may wait for other threads.
    pub fn has_patient(&self) -> bool {
        !self.patient.is_empty()
    }

    /// The candidates in the order in which they are tried after a block; the first at which lanes wait runs.
    pub fn in_order(&self, block: BlockId, candidates: BTreeSet<BlockId>) -> Vec<BlockId> {
        let mut order: Vec<BlockId> = candidates.into_iter().collect();
        if self.is_patient(block) {
            order.sort_by_key(|&next| (!self.stops.contains(&next), self.late <= next, next <= block, next));
        }
        order
    }

    /// As [`Schedule::in_order`], after an operation for which lanes are missing.
    pub fn in_order_after_incomplete(&self, block: BlockId, candidates: BTreeSet<BlockId>) -> Vec<BlockId> {
        if !self.has_patient() {
            return candidates.range(block + 1..).copied().collect();
        }
        let mut order: Vec<BlockId> = candidates.into_iter().filter(|&next| next != block).collect();
        order.sort_by_key(|&next| (!self.stops.contains(&next), self.late <= next, next <= block, next));
        order
    }

    /// The blocks at which lanes may wait while this one runs, in order: others, or this one if each lane waits for a group of its own.
    /// If empty, all lanes that have not exited run it.
    pub fn waiting(&self, block: BlockId) -> Cow<'_, BTreeSet<BlockId>> {
        match &self.waiting {
            Waiting::Sets(sets) => Cow::Borrowed(&sets[block]),
            Waiting::Spans(spans) => Cow::Owned(match spans.bounds(block) {
                Some((first, last)) => (first..=last).filter(|&other| spans.may_wait(block, other)).collect(),
                None => BTreeSet::new(),
            }),
        }
    }

    /// Whether lanes may wait at `other` while a block runs.
    pub fn may_wait(&self, block: BlockId, other: BlockId) -> bool {
        match &self.waiting {
            Waiting::Sets(sets) => sets[block].contains(&other),
            Waiting::Spans(spans) => spans.may_wait(block, other),
        }
    }

    /// The lowest and the highest block at which lanes may wait while a block runs.
    pub fn bounds(&self, block: BlockId) -> Option<(BlockId, BlockId)> {
        match &self.waiting {
            Waiting::Sets(sets) => sets[block].first().copied().zip(sets[block].last().copied()),
            Waiting::Spans(spans) => spans.bounds(block),
        }
    }

    /// For each block, whether lanes may wait at it while another one runs.
    pub(super) fn waited_at(&self) -> Vec<bool> {
        match &self.waiting {
            Waiting::Sets(sets) => {
                let mut waited_at = vec![false; sets.len()];
                sets.iter().flatten().for_each(|&id| waited_at[id] = true);
                waited_at
            }
            Waiting::Spans(spans) => (0..spans.count()).map(|id| spans.can_wait(id)).collect(),
        }
    }

    /// The number of pairs of a block and another at which lanes may wait meanwhile; `None` if they were not counted because there are too many.
    pub(super) fn pairs(&self) -> Option<usize> {
        match &self.waiting {
            Waiting::Sets(sets) => Some(sets.iter().map(BTreeSet::len).sum()),
            Waiting::Spans(_) => None,
        }
    }

    /// Whether all lanes that have not exited run the block together.
    pub fn is_together(&self, block: BlockId) -> bool {
        match &self.waiting {
            Waiting::Sets(sets) => sets[block].is_empty(),
            Waiting::Spans(spans) => spans.is_together(block),
        }
    }

    /// Whether lanes may wait at a block that reads a row while this block runs.
    fn needs(&self, liveness: &Liveness, block: BlockId, row: u32) -> bool {
        match &self.waiting {
            Waiting::Sets(sets) => sets[block].iter().any(|&other| liveness.is_live_into(other, row)),
            Waiting::Spans(spans) => spans.bounds(block).is_some_and(|(first, last)| {
                // Looking at a few blocks decides for most rows; the answer may be yes for a row that no waiting lane needs.
                const MOST: usize = 16;
                let readers = liveness.blocks_within(row, first..=last);
                let mut looked = 0;
                readers.into_iter().any(|other| {
                    looked += 1;
                    looked > MOST || spans.may_wait(block, other)
                })
            }),
        }
    }

    /// Whether a lane of the warp may have exited when others run the block.
    pub fn may_lack_lanes(&self, block: BlockId) -> bool {
        self.lacking.contains(&block)
    }

    /// The sets of those of some blocks at which lanes may wait at one time: the targets of a block, and the blocks at which others wait
    /// meanwhile. `among` is in ascending order.
    pub(super) fn together(
        &self,
        graph: &Graph,
        among: &[BlockId],
        parts_lanes: impl Fn(BlockId) -> bool,
    ) -> BTreeSet<BTreeSet<BlockId>> {
        let mut sets = BTreeSet::new();
        let is_among = |id: &BlockId| among.binary_search(id).is_ok();
        for id in (0..graph.blocks().len()).filter(|_| !among.is_empty()) {
            let waiting: Vec<BlockId> = match self.bounds(id) {
                Some((first, last)) => {
                    let from = among.partition_point(|&other| other < first);
                    let within = among[from..].iter().copied().take_while(|&other| other <= last);
                    within.filter(|&other| self.may_wait(id, other)).collect()
                }
                None => Vec::new(),
            };
            let ways = ways(graph, id, parts_lanes(id)).into_iter();
            let with_targets = |way: Vec<BlockId>| -> BTreeSet<BlockId> {
                way.into_iter().filter(is_among).chain(waiting.iter().copied()).collect()
            };
            sets.extend(ways.map(with_targets).filter(|set| set.len() > 1));
        }
        sets
    }

    /// The blocks at which lanes may wait when lanes have arrived at this one, but not run it yet.
    pub fn beside(&self, graph: &Graph, block: BlockId) -> BTreeSet<BlockId> {
        let mut beside = BTreeSet::new();
        for id in 0..graph.blocks().len() {
            let waiting = self.waiting(id);
            let targets = graph.block(id).terminator.targets();
            if waiting.contains(&block) || targets.contains(&block) {
                beside.extend(waiting.iter().copied().chain(targets));
            }
        }
        beside.remove(&block);
        beside
    }
}

/// The blocks that lanes may be at after some of them were in a loop that may wait for other threads while others were elsewhere, and those of
/// them that are barriers at which lanes meet. Lanes that have met are at one block again.
fn mixed(
    graph: &Graph,
    patient: &BTreeSet<BlockId>,
    spans: &Spans,
    parts_lanes: &impl Fn(BlockId) -> bool,
    gather: impl Fn(BlockId) -> Option<Gather>,
) -> (BTreeSet<BlockId>, BTreeSet<BlockId>) {
    let mut work: Vec<BlockId> =
        patient.iter().copied().filter(|&id| parts_lanes(id) || !spans.is_together(id)).collect();
    // One interval for all loops: one for each could take the square of their blocks.
    let bounds = work.iter().filter_map(|&id| spans.bounds(id));
    if let Some((first, last)) = bounds.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) {
        work.extend((first..=last).filter(|&other| spans.can_wait(other)));
    }
    let mut mixed = BTreeSet::new();
    let mut barriers = BTreeSet::new();
    while let Some(id) = work.pop() {
        if !mixed.insert(id) {
            continue;
        }
        if graph.is_late(id) {
            barriers.insert(id);
        } else {
            work.extend(graph.block(id).terminator.targets());
        }
    }
    // Lanes can be at several barriers, or wait for lanes that are at one: then they do not meet.
    if barriers.len() > 1 || mixed.iter().any(|&id| gather(id).is_some()) {
        work.extend(barriers.iter().flat_map(|&id| graph.block(id).terminator.targets()));
        mixed.extend(graph.reached_from(work));
        barriers.clear();
    }
    (mixed, barriers)
}

/// The blocks that can be reached from where lanes are when others exit.
fn lacking(
    graph: &Graph,
    waiting: &[BTreeSet<BlockId>],
    parts_lanes: impl Fn(BlockId) -> bool,
) -> BTreeSet<BlockId> {
    // When lanes exit, the others are at the blocks that wait meanwhile, or continue past the exit's guard. All blocks that these reach run without
    // the lanes that have exited.
    let mut work = Vec::new();
    for (id, block) in graph.blocks().iter().enumerate() {
        if let Terminator::Exit { guard } = block.terminator {
            work.extend(&waiting[id]);
            work.extend(guard.map(|(_, other)| other).filter(|_| parts_lanes(id)));
        }
    }
    graph.reached_from(work)
}

/// As [`lacking`], where intervals are known.
fn lacking_of_spans(
    graph: &Graph,
    spans: &Spans,
    parts_lanes: impl Fn(BlockId) -> bool,
) -> BTreeSet<BlockId> {
    let count = graph.blocks().len();
    // Intervals overlap: how many begin before a block and end after it.
    let (mut begins, mut ends) = (vec![0_usize; count + 1], vec![0_usize; count + 1]);
    let mut work = Vec::new();
    for (id, block) in graph.blocks().iter().enumerate() {
        if let Terminator::Exit { guard } = block.terminator {
            if let Some((first, last)) = spans.bounds(id) {
                begins[first] += 1;
                ends[last + 1] += 1;
            }
            work.extend(guard.map(|(_, other)| other).filter(|_| parts_lanes(id)));
        }
    }
    let mut open = 0;
    for id in 0..count {
        open = open + begins[id] - ends[id];
        if open > 0 && spans.can_wait(id) {
            work.push(id);
        }
    }
    graph.reached_from(work)
}

/// The sets of blocks that the lanes of a block may go to at one time: all targets if it diverges, otherwise one of them.
fn ways(graph: &Graph, id: BlockId, parts_lanes: bool) -> Vec<Vec<BlockId>> {
    let terminator = &graph.block(id).terminator;
    let targets = terminator.targets();
    if parts_lanes || targets.is_empty() {
        return vec![targets];
    }
    targets.into_iter().map(|to| vec![to]).collect()
}

/// Whether a write to the row in the block must preserve the row's values in inactive lanes: some of them wait at a block that
/// reads it.
pub(super) fn keeps_others(liveness: &Liveness, schedule: &Schedule, block: BlockId, row: u32) -> bool {
    #[cfg(test)]
    if super::lies::get().keeps_nothing {
        return false;
    }
    schedule.needs(liveness, block, row)
}

/// Whether all 32 lanes of the warp execute a block together, in launches of this kind.
pub(super) fn is_whole(schedule: &Schedule, block: BlockId, launched: &Launched) -> bool {
    launched.fills_warps() && schedule.is_together(block) && !schedule.may_lack_lanes(block)
}
