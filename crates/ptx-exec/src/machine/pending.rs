//! The asynchronous operations of a cluster in flight (`operation.rs`).

use std::collections::BTreeMap;

use ptx_program::memory::SpaceAddress;

use super::mbarrier_object::Demand;
use super::operation::{Operation, Order, Signal, Track};
use crate::launch::Completion;

/// Incomplete operations of a cluster.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) operations: Vec<Operation>,
    /// The number of the open group of each track, if it is not 0.
    pub(super) open: BTreeMap<Track, u64>,
    pub(super) issued: u64,
    /// Number of operations issued when the cluster was last preempted.
    pub(super) seen: u64,
    /// Mbarriers that were queried unsuccessfully since an operation completed.
    pub(super) wanted: Vec<SpaceAddress>,
    /// Number of rounds in which all warps waited.
    pub(super) idle: usize,
    pub(super) random: Option<Random>,
}

/// A random number generator (splitmix64), and the completion rate of operations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Random {
    state: u64,
    /// Out of 64.
    rate: u64,
}

impl Random {
    fn new(seed: u64, cluster: u64) -> Self {
        let mut random = Self { state: seed ^ cluster.wrapping_mul(0xd134_2543_de82_ef95), rate: 0 };
        random.rate = [56, 32, 8, 1][random.below(4)];
        random
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`, which must not be 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub(super) fn completes(&mut self) -> bool {
        self.next() % 64 < self.rate
    }
}

/// Maximum time slice of a warp, in instructions, while operations complete at random.
const LONGEST_TURN: usize = 64;

impl Pending {
    /// The queue of a cluster of the grid.
    pub(super) fn new(completion: Completion, cluster: u64) -> Self {
        let random = match completion {
            Completion::Random(seed) => Some(Random::new(seed, cluster)),
            Completion::Eager | Completion::Late => None,
        };
        Self { random, ..Self::default() }
    }

    /// Whether no operation is in flight.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The time slice of a warp in instructions, `longest` by default.
    pub(super) fn turn(&mut self, longest: u64) -> u64 {
        match &mut self.random {
            Some(random) if !self.operations.is_empty() => random.below(LONGEST_TURN) as u64 + 1,
            _ => longest,
        }
    }

    /// Whether accesses that the program failed to order are performed in the wrong order.
    pub(super) fn is_disordered(&mut self) -> bool {
        self.random.as_mut().is_none_or(|random| random.below(2) == 0)
    }

    /// Records that a thread queried an mbarrier whose phase is not complete.
    pub(super) fn want(&mut self, barrier: SpaceAddress) {
        if !self.wanted.contains(&barrier) {
            self.wanted.push(barrier);
        }
    }

    pub(super) fn open_group(&self, track: Track) -> u64 {
        // Default: the first group of a track has the number 0.
        self.open.get(&track).copied().unwrap_or(0)
    }

    pub(super) fn close_group(&mut self, track: Track) {
        *self.open.entry(track).or_default() += 1;
    }

    /// The signals of all operations in flight to an mbarrier.
    pub(super) fn demand(&self, barrier: SpaceAddress) -> Demand {
        let mut demand = Demand::default();
        for operation in &self.operations {
            match operation.signal {
                Some(Signal::Transactions(at, count)) if at == barrier => demand.transactions += count,
                Some(Signal::Arrival(at)) if at == barrier => demand.arrivals += 1,
                _ => {}
            }
        }
        demand
    }

    /// Removes the operations selected by `which`, and those ordered before them, in order of issue.
    pub(super) fn take(&mut self, which: impl Fn(&Operation) -> bool) -> Vec<Operation> {
        // For each track the last selected operation that may not overtake others; all earlier ones of the track are
        // included. Two passes, since selected operations are in no particular order among the others.
        let mut until: BTreeMap<Track, u64> = BTreeMap::new();
        for operation in self.operations.iter().filter(|operation| which(operation)) {
            if let Some((track, Order::AfterEarlier)) = operation.track {
                let last = until.entry(track).or_default();
                *last = (*last).max(operation.number);
            }
        }
        let is_before = |operation: &Operation| {
            let last = operation.track.and_then(|(track, _)| until.get(&track));
            last.is_some_and(|&last| operation.number <= last)
        };
        let mut taken: Vec<Operation> =
            self.operations.extract_if(.., |operation| which(operation) || is_before(operation)).collect();
        taken.sort_by_key(|operation| operation.number);
        if !taken.is_empty() {
            self.idle = 0;
            self.wanted.clear();
        }
        taken
    }
}
