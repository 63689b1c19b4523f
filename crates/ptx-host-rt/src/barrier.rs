//! The barriers of a block (manual 9.7.13.1).
//!
//! Where all lanes of a warp that have not exited arrive together, warps are counted, as 32 threads each. Elsewhere (`singly.rs`) a warp counts when all of
//! its threads that have not exited have arrived, as in the interpreter (`ptx-exec/src/machine/barrier.rs`).

use ptx_exec::engine::{BarrierMisuse, BarrierWait, Expected, Reduces};
use ptx_program::{Mask, WARP};

/// Maximum number of warps of a block.
pub(crate) const WARPS: usize = 32;

/// The predicates of a phase.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Votes {
    /// Number of true predicates.
    pub(crate) trues: u32,
    /// Number of threads that supplied a predicate.
    pub(crate) all: u32,
}

/// The arrival of a warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// Its number in the block.
    pub(crate) warp: usize,
    /// The threads that arrive, and all of the warp that have not exited.
    pub(crate) lanes: Mask,
    pub(crate) live: Mask,
    /// The completion condition.
    pub(crate) expected: Expected,
    /// Lanes whose predicate is true, for reductions.
    pub(crate) trues: Option<Mask>,
    /// The warps of the block.
    pub(crate) warps: usize,
}

/// A barrier.
#[derive(Clone, Default, Debug)]
pub(crate) struct Barrier {
    /// Bit mask of the warps that arrived in this phase, of those that arrived with some of their threads only, and the threads with which each arrived.
    arrived: u32,
    partial: u32,
    lanes: [Mask; WARPS],
    /// Threads counted so far for warps that arrived repeatedly in the same phase.
    counted: u32,
    /// What this phase waits for; `None` before the first arrival.
    expected: Option<Expected>,
    reduces: Reduces,
    /// The warps of the block, once a warp has arrived repeatedly in a phase. A count of all threads of the block is then one
    /// like others, as in the interpreter.
    counts_all: Option<usize>,
    votes: Votes,
    /// Bit mask of the warps that wait for the end of the phase.
    pub(crate) waiting: u32,
}

/// A completed phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Phase {
    /// Bit mask of the warps that waited.
    pub(crate) waited: u32,
    /// The predicates.
    pub(crate) votes: Votes,
}

impl Barrier {
    /// Counts an arrival, which must agree with earlier ones of the same phase.
    pub(crate) fn arrive(&mut self, arrival: &Arrival) -> Result<(), BarrierMisuse> {
        arrival.expected.agree(&mut self.expected)?;
        self.reduces.agree(arrival.trues.is_some())?;
        let mut arrived = self.lanes_of(arrival.warp);
        // Lanes that have already arrived arrive again, as producers may for a count that includes it: the arrivals so far count as 32 threads.
        if arrived & arrival.lanes != 0 {
            if arrival.live & !arrived != 0 {
                return Err(BarrierMisuse::Ahead);
            }
            self.counts_all = Some(arrival.warps);
            self.counted += WARP as u32;
            arrived = 0;
        }
        self.set_lanes(arrival.warp, arrived | arrival.lanes, arrival.live);
        if let Some(trues) = arrival.trues {
            self.votes.trues += trues.count_ones();
            self.votes.all += arrival.lanes.count_ones();
        }
        Ok(())
    }

    /// The threads of a warp that have arrived in this phase.
    fn lanes_of(&self, warp: usize) -> Mask {
        if (self.arrived | self.partial) >> warp & 1 == 1 { self.lanes[warp % WARPS] } else { 0 }
    }

    fn set_lanes(&mut self, warp: usize, arrived: Mask, live: Mask) {
        let bit = 1 << warp;
        self.lanes[warp % WARPS] = arrived;
        (self.arrived, self.partial) = match live & !arrived {
            0 => (self.arrived | bit, self.partial & !bit),
            _ => (self.arrived & !bit, self.partial | bit),
        };
    }

    /// Threads of a warp have exited, and these have not: the warp counts if all of them have arrived.
    pub(crate) fn remain(&mut self, warp: usize, live: Mask) {
        if self.partial >> warp & 1 == 1 {
            self.set_lanes(warp, self.lanes_of(warp), live);
        }
    }

    /// Starts the next phase if this one is complete, given the warps with threads that have not exited.
    pub(crate) fn complete(&mut self, live: u32) -> Option<Phase> {
        let is_complete = match self.condition()? {
            Expected::Everyone => live & !self.arrived == 0,
            Expected::Count(count) => self.counted + self.arrived.count_ones() * WARP as u32 >= count,
        };
        is_complete.then(|| {
            let phase = Phase { waited: self.waiting, votes: self.votes };
            (self.arrived, self.partial, self.waiting, self.counted) = (0, 0, 0, 0);
            (self.expected, self.reduces, self.votes) = (None, Reduces::default(), Votes::default());
            phase
        })
    }

    /// What this phase waits for.
    fn condition(&self) -> Option<Expected> {
        let expected = self.expected?;
        Some(self.counts_all.map_or(expected, |warps| expected.counted(warps)))
    }

    /// Resets the barrier for the next block.
    pub(crate) fn reset(&mut self) {
        (self.arrived, self.partial, self.waiting, self.counted) = (0, 0, 0, 0);
        (self.expected, self.reduces, self.votes) = (None, Reduces::default(), Votes::default());
        self.counts_all = None;
    }

    /// The threads that the arrived threads wait for, given the threads of each warp that have not exited.
    pub(crate) fn awaited(&self, live: &[Mask]) -> BarrierWait {
        match self.condition() {
            Some(Expected::Count(count)) => {
                let threads = (0..WARPS).map(|warp| self.lanes_of(warp));
                let arrived = self.counted + threads.map(u32::count_ones).sum::<u32>();
                BarrierWait::More { arrived, count }
            }
            Some(Expected::Everyone) | None => {
                let missing = live.iter().enumerate().map(|(warp, live)| (warp, live & !self.lanes_of(warp)));
                BarrierWait::Threads(missing.filter(|&(_, lanes)| lanes != 0).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrive(barrier: &mut Barrier, warp: usize, lanes: Mask, expected: Expected) -> Option<Phase> {
        barrier.arrive(&Arrival { warp, lanes, live: lanes, expected, trues: None, warps: 2 }).unwrap();
        barrier.complete(0b11)
    }

    #[test]
    fn everyone_means_every_warp_with_threads() {
        let mut barrier = Barrier::default();
        assert_eq!(arrive(&mut barrier, 1, 0xffff, Expected::Everyone), None);
        assert_eq!(barrier.awaited(&[7, 0xffff]), BarrierWait::Threads(vec![(0, 7)]));
        barrier.waiting = 0b10;
        // The other one exits.
        assert_eq!(barrier.complete(0b10), Some(Phase { waited: 0b10, votes: Votes::default() }));
        assert_eq!(barrier.complete(0b10), None);
    }

    #[test]
    fn warps_count_as_full_ones_and_may_arrive_twice() {
        let mut barrier = Barrier::default();
        assert_eq!(arrive(&mut barrier, 1, 0xffff, Expected::Count(96)), None);
        assert_eq!(arrive(&mut barrier, 1, 0xffff, Expected::Count(96)), None);
        // 32 for the first arrival, 16 threads that are there now.
        assert_eq!(barrier.awaited(&[1, 0xffff]), BarrierWait::More { arrived: 48, count: 96 });
        assert!(arrive(&mut barrier, 0, u32::MAX, Expected::Count(96)).is_some());
        let mut alone = Barrier::default();
        assert!(arrive(&mut alone, 0, 1, Expected::Count(32)).is_some());
    }

    #[test]
    fn a_warp_counts_when_all_its_threads_have_arrived() {
        let mut barrier = Barrier::default();
        let mut part = |warp, lanes, live, expected| {
            barrier.arrive(&Arrival { warp, lanes, live, expected, trues: None, warps: 2 })?;
            Ok::<_, BarrierMisuse>(barrier.complete(0b11).is_some())
        };
        let count = Expected::Count(32);
        assert_eq!(part(0, 0x00ff, u32::MAX, count), Ok(false));
        // Half of another warp, which comes again before the rest of it has come once.
        assert_eq!(part(1, 0x00ff, 0xffff, count), Ok(false));
        assert_eq!(part(1, 0x0001, 0xffff, count), Err(BarrierMisuse::Ahead));
        assert_eq!(part(1, 0xff00, 0xffff, count), Ok(true));
        assert_eq!(part(0, 0x00ff, u32::MAX, Expected::Everyone), Ok(false));
        assert_eq!(part(1, 0xffff, 0xffff, Expected::Everyone), Ok(false));
        assert_eq!(barrier.awaited(&[u32::MAX, 0xffff]), BarrierWait::Threads(vec![(0, 0xffff_ff00)]));
        // The others of the first warp exit.
        barrier.remain(0, 0x00ff);
        assert!(barrier.complete(0b11).is_some());
    }

    #[test]
    fn arrivals_past_the_count_are_missing_in_the_next_phase() {
        let mut barrier = Barrier::default();
        assert_eq!(arrive(&mut barrier, 0, u32::MAX, Expected::Everyone), None);
        assert!(arrive(&mut barrier, 0, u32::MAX, Expected::Everyone).is_some());
        assert_eq!(arrive(&mut barrier, 1, 0xffff, Expected::Everyone), None);
        // That the first warp has exited does not replace its arrival.
        assert_eq!(barrier.complete(0b10), None);
        assert_eq!(barrier.awaited(&[0, 0xffff]), BarrierWait::More { arrived: 16, count: 64 });
        barrier.reset();
        assert_eq!(arrive(&mut barrier, 1, 0xffff, Expected::Everyone), None);
        assert!(barrier.complete(0b10).is_some());
    }

    #[test]
    fn reductions_are_not_mixed_with_other_arrivals_of_a_phase() {
        let arrival =
            |warp, trues| Arrival { warp, lanes: 1, live: 1, expected: Expected::Everyone, trues, warps: 2 };
        for (first, second) in [(Some(1), None), (None, Some(1))] {
            let mut barrier = Barrier::default();
            assert_eq!(barrier.arrive(&arrival(0, first)), Ok(()));
            assert_eq!(barrier.arrive(&arrival(1, second)), Err(BarrierMisuse::Mixed));
            let mut barrier = Barrier::default();
            barrier.arrive(&arrival(0, first)).unwrap();
            barrier.arrive(&arrival(1, first)).unwrap();
            assert!(barrier.complete(0b11).is_some());
            assert_eq!(barrier.arrive(&arrival(1, second)), Ok(()));
        }
    }

    #[test]
    fn votes_are_counted() {
        let mut barrier = Barrier::default();
        let arrival = |warp, lanes, trues| Arrival {
            warp,
            lanes,
            live: lanes,
            expected: Expected::Everyone,
            trues: Some(trues),
            warps: 2,
        };
        barrier.arrive(&arrival(0, u32::MAX, 0x7)).unwrap();
        assert_eq!(barrier.complete(0b11), None);
        barrier.arrive(&arrival(1, 0xffff, 0x1)).unwrap();
        let votes = barrier.complete(0b11).unwrap().votes;
        assert_eq!(votes, Votes { trues: 4, all: 48 });
    }

    #[test]
    fn different_counts_contradict_each_other() {
        let mut barrier = Barrier::default();
        assert_eq!(arrive(&mut barrier, 0, u32::MAX, Expected::Count(128)), None);
        let other =
            Arrival { warp: 1, lanes: 1, live: 1, expected: Expected::Count(32), trues: None, warps: 2 };
        let contradiction = BarrierMisuse::Contradiction(Expected::Count(128), Expected::Count(32));
        assert_eq!(barrier.arrive(&other), Err(contradiction));
    }
}
