//! Where lanes may wait, for kernels with so many open branches that sets of blocks would be too large.
//!
//! The sets of [`Schedule`](super::Schedule) have as many elements as there are pairs of blocks in the worst case: each test of a chain of
//! comparisons runs while lanes wait at the targets of all tests before it. Here a set is an interval of later blocks and a lower bound of
//! earlier ones, which are operations that wait for lanes:
//!
//! ```text
//! waiting(b)  is within  { g gathers lanes : lowest <= g < b }  and  { c : first <= c <= last, lanes may wait at c }
//! ```
//!
//! The result contains the sets that [`Schedule`](super::Schedule) would have, so that code which preserves the values of lanes waiting there is
//! correct; it may preserve more than it has to. Time and memory are linear in the number of blocks and edges, up to a logarithm and the
//! number of rounds, which is limited.
//!
//! Once lanes are in a loop that may wait for other threads while others are elsewhere, blocks run in turn, not from the lowest on. From there on
//! lanes may wait at any block that is reached while any other runs, until they meet at a barrier: these blocks are one set ([`Spans::mix`]).

use std::collections::{BTreeSet, BinaryHeap};

use super::{BlockId, Gather};

/// Rounds after which the remaining intervals are made as large as possible. Each level of nested loops may need one.
const MOST_ROUNDS: usize = 32;

/// The blocks at which lanes may wait while one block runs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Span {
    /// The lowest operation at which lanes may wait for others: before the block, or the block itself if lanes of other groups may stay there.
    lowest: Option<BlockId>,
    /// The lowest and the highest block after this one at which lanes may wait.
    later: Option<(BlockId, BlockId)>,
}

/// A set of blocks of which any may run next: those from `first` to `end` at which lanes may wait.
#[derive(Clone, Copy)]
struct Candidates {
    first: BlockId,
    end: BlockId,
    /// Whether only operations that wait for lanes are meant.
    gathering: bool,
    /// The highest block at which lanes may wait meanwhile, and the lowest operation at which they may wait for others.
    highest: BlockId,
    lowest: Option<BlockId>,
}

/// For each block the blocks at which lanes may wait while it runs, as intervals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Spans {
    of: Vec<Span>,
    /// Whether lanes may wait at a block while another one runs.
    can_wait: Vec<bool>,
    gathers: Vec<Option<Gather>>,
    /// For each block the first one from there on that waits for lanes.
    next_gather: Vec<Option<BlockId>>,
    mixed: Mixed,
}

/// Blocks that run in turn: while one runs, lanes may wait at all others.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Mixed {
    /// For each block whether it is one; empty if there are none.
    has: Vec<bool>,
    /// Those of them that run only when no lanes wait at others: barriers.
    last: BTreeSet<BlockId>,
    /// The lowest and the highest.
    bounds: Option<(BlockId, BlockId)>,
}

impl Mixed {
    /// Whether a block is one of them that runs while lanes wait at others.
    fn runs_among(&self, id: BlockId) -> bool {
        self.has.get(id) == Some(&true) && !self.last.contains(&id)
    }
}

impl Spans {
    /// Computes the intervals of `count` blocks. `ways` gives the sets of blocks that the lanes of a block may go to at one time, and `gather`
    /// which lanes must reach a block before it runs.
    pub(super) fn new(
        count: usize,
        ways: impl Fn(BlockId) -> Vec<Vec<BlockId>>,
        gather: impl Fn(BlockId) -> Option<Gather>,
    ) -> Self {
        let gathers: Vec<_> = (0..count).map(gather).collect();
        let mut next_gather = vec![None; count + 1];
        for id in (0..count).rev() {
            next_gather[id] = if gathers[id].is_some() { Some(id) } else { next_gather[id + 1] };
        }
        let mut spans = Self {
            of: vec![Span::default(); count],
            can_wait: vec![false; count],
            gathers,
            next_gather,
            mixed: Mixed::default(),
        };
        let ways: Vec<_> = (0..count).map(|id| sorted(ways(id))).collect();
        let mut earlier = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let (before, candidates) = (spans.clone(), std::mem::take(&mut earlier));
            earlier = spans.round(&ways, candidates);
            if spans == before {
                return spans;
            }
        }
        spans.widen();
        spans
    }

    /// The number of blocks.
    pub(super) fn count(&self) -> usize {
        self.of.len()
    }

    /// Whether no lane waits elsewhere while a block runs.
    pub(super) fn is_together(&self, id: BlockId) -> bool {
        self.of[id] == Span::default() && !self.is_mixed(id)
    }

    /// Whether lanes may wait at all other blocks of the set while one of it runs.
    fn is_mixed(&self, id: BlockId) -> bool {
        // All lanes execute such an operation together.
        self.mixed.runs_among(id) && !matches!(self.gathers[id], Some(Gather::All))
    }

    /// Adds that lanes may wait at any of these blocks while any other of them runs; at those of `last`, which are some of them, nothing waits
    /// meanwhile.
    pub(super) fn mix(&mut self, blocks: &BTreeSet<BlockId>, last: BTreeSet<BlockId>) {
        let [Some(&first), Some(&end)] = [blocks.first(), blocks.last()] else { return };
        self.mixed = Mixed { has: vec![false; self.of.len()], last, bounds: Some((first, end)) };
        for &id in blocks {
            self.mixed.has[id] = true;
            self.can_wait[id] = true;
        }
    }

    /// Whether lanes may wait at `other` while a block runs.
    pub(super) fn may_wait(&self, id: BlockId, other: BlockId) -> bool {
        if self.is_mixed(id) && self.mixed.has[other] {
            return other != id || self.gathers[id].is_some_and(Gather::leaves_some);
        }
        let Span { lowest, later } = self.of[id];
        let is_lower = other <= id
            && lowest.is_some_and(|lowest| lowest <= other)
            && match self.gathers[other] {
                Some(gather) => gather.leaves_some() || other < id,
                None => false,
            };
        is_lower || self.can_wait[other] && later.is_some_and(|(first, last)| (first..=last).contains(&other))
    }

    /// The lowest and the highest block at which lanes may wait while this one runs.
    pub(super) fn bounds(&self, id: BlockId) -> Option<(BlockId, BlockId)> {
        let ordered = match self.of[id] {
            Span { lowest: None, later: None } => None,
            Span { lowest: Some(lowest), later } => Some((lowest, later.map_or(id, |(_, last)| last))),
            Span { lowest: None, later: Some(bounds) } => Some(bounds),
        };
        let mixed = self.mixed.bounds.filter(|_| self.is_mixed(id));
        let both = ordered.into_iter().chain(mixed);
        both.reduce(|(first, last), (other, end)| (first.min(other), last.max(end)))
    }

    /// Whether lanes may wait at a block while another one runs.
    pub(super) fn can_wait(&self, id: BlockId) -> bool {
        self.can_wait[id]
    }

    /// Propagates the interval of each block to those that may run next. `earlier` are candidates that the round before has found after it had
    /// passed them; returns those of this round.
    fn round(&mut self, ways: &[Vec<Vec<BlockId>>], earlier: Vec<Candidates>) -> Vec<Candidates> {
        let count = self.of.len();
        let mut begins: Vec<Vec<Candidates>> = vec![Vec::new(); count];
        earlier.into_iter().for_each(|candidates| begins[candidates.first].push(candidates));
        let mut open = [Open::default(), Open::default()];
        let mut passed = Vec::new();
        for id in 0..count {
            for candidates in std::mem::take(&mut begins[id]) {
                open[usize::from(candidates.gathering)].add(candidates);
            }
            let gathers = self.gathers[id].is_some();
            for open in open.iter_mut().take(if gathers { 2 } else { 1 }) {
                open.close_before(id);
                if self.can_wait[id] {
                    self.add(id, (id + 1, open.highest()), open.lowest());
                }
            }
            if self.gathers[id].is_some_and(Gather::leaves_some) {
                // Lanes of other groups may stay here.
                self.can_wait[id] = true;
                self.add(id, (id + 1, None), Some(id));
            }
            for way in &ways[id] {
                for candidates in self.leave(id, way) {
                    if candidates.first > id {
                        begins[candidates.first].push(candidates);
                    } else {
                        passed.push(candidates);
                    }
                }
            }
        }
        passed
    }

    /// Sends the lanes of a block to the blocks of `way`. Each of them may run next, while lanes wait at the others; returns the other candidates:
    /// the blocks at which lanes wait already.
    fn leave(&mut self, id: BlockId, way: &[BlockId]) -> Vec<Candidates> {
        let Span { lowest, later } = self.of[id];
        let end = later.map(|(_, last)| last);
        let own = lowest.map(|_| id);
        let highest = way.last().copied().into_iter().chain(end).chain(own).max();
        let Some(highest) = highest else { return Vec::new() };
        // The lowest of these blocks that waits for lanes.
        let of_way = way.iter().copied().find(|&to| self.gathers[to].is_some());
        let of_later =
            later.and_then(|(first, last)| self.next_gather[first].filter(|&gather| gather <= last));
        let least = lowest.into_iter().chain(of_way).chain(of_later).min();
        if way.len() > 1 || later.is_some() || lowest.is_some() {
            way.iter().for_each(|&to| self.can_wait[to] = true);
        }
        for (at, &to) in way.iter().enumerate() {
            let next = way.get(at + 1).copied();
            let first = later.filter(|&(_, last)| last > to).map(|(first, _)| first.max(to + 1));
            // After a back edge, operations at which lanes wait may be later blocks.
            let passed = lowest.filter(|_| id > to).map(|lowest| lowest.max(to + 1));
            if let Some(first) = next.into_iter().chain(first).chain(passed).min() {
                self.add(to, (first, Some(highest)), least);
            } else {
                self.add(to, (to + 1, None), least);
            }
        }
        let of_later =
            later.map(|(first, end)| Candidates { first, end, gathering: false, highest, lowest: least });
        let of_lower =
            lowest.map(|first| Candidates { first, end: id, gathering: true, highest, lowest: least });
        of_later.into_iter().chain(of_lower).collect()
    }

    /// Lanes may wait at later blocks from `first` to `highest`, and at operations from `lowest` on, while a block runs.
    fn add(&mut self, id: BlockId, (first, highest): (BlockId, Option<BlockId>), lowest: Option<BlockId>) {
        // All lanes execute such an operation together.
        if matches!(self.gathers[id], Some(Gather::All)) {
            return;
        }
        let is_each = self.gathers[id].is_some_and(Gather::leaves_some);
        let lowest = lowest.filter(|&lowest| lowest < id || lowest == id && is_each);
        let later = highest.filter(|&highest| highest > id && first <= highest);
        if let Some(lowest) = lowest {
            self.can_wait[lowest] = true;
        }
        if let Some(highest) = later {
            self.can_wait[highest] = true;
        }
        let span = &mut self.of[id];
        span.lowest = span.lowest.into_iter().chain(lowest).min();
        span.later = match (span.later, later) {
            (Some((begin, end)), Some(highest)) => Some((begin.min(first), end.max(highest))),
            (None, Some(highest)) => Some((first, highest)),
            (before, None) => before,
        };
    }

    /// Makes every interval as large as possible.
    fn widen(&mut self) {
        let last = self.of.len().saturating_sub(1);
        self.can_wait.fill(true);
        for id in 0..self.of.len() {
            self.add(id, (id + 1, Some(last)), self.next_gather[0]);
        }
    }
}

fn sorted(mut ways: Vec<Vec<BlockId>>) -> Vec<Vec<BlockId>> {
    for way in &mut ways {
        way.sort_unstable();
        way.dedup();
    }
    ways
}

/// The candidates whose intervals the pass over the blocks is in.
#[derive(Default)]
struct Open {
    /// By the highest block at which lanes wait, and the end of the interval.
    highest: BinaryHeap<(BlockId, BlockId)>,
    /// By the lowest operation, the lowest first.
    lowest: BinaryHeap<(std::cmp::Reverse<BlockId>, BlockId)>,
}

impl Open {
    fn add(&mut self, candidates: Candidates) {
        self.highest.push((candidates.highest, candidates.end));
        if let Some(lowest) = candidates.lowest {
            self.lowest.push((std::cmp::Reverse(lowest), candidates.end));
        }
    }

    fn close_before(&mut self, id: BlockId) {
        while self.highest.peek().is_some_and(|&(_, end)| end < id) {
            self.highest.pop();
        }
        while self.lowest.peek().is_some_and(|&(_, end)| end < id) {
            self.lowest.pop();
        }
    }

    fn highest(&self) -> Option<BlockId> {
        self.highest.peek().map(|&(highest, _)| highest)
    }

    fn lowest(&self) -> Option<BlockId> {
        self.lowest.peek().map(|&(std::cmp::Reverse(lowest), _)| lowest)
    }
}

#[cfg(test)]
mod tests;
