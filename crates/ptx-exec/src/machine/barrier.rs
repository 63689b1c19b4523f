//! Block barriers (manual 9.7.13.1).
//!
//! Threads of a warp may arrive one by one, but only a warp whose threads have all arrived or exited counts, as 32 threads: "`barrier`
//! causes the executing thread to wait for all non-exited threads from its warp and marks warps' arrival". So the partial last
//! warp of a block, and warps with exited threads, match the counts given by programs. A barrier without a count is complete
//! when every thread that has not exited has arrived.

use ptx_program::{BarrierAction, Mask};

use super::meeting::{BarrierMisuse, BarrierWait, Expected, Reduces};

/// A barrier.
#[derive(Clone, Debug, Default)]
pub(super) struct Barrier {
    /// Number of completed phases.
    pub(super) phase: u64,
    /// Numbers of true predicates and of all predicates in the last completed phase.
    pub(super) last: (u32, u32),
    /// Threads that arrived in this phase, by warp.
    arrived: Vec<Mask>,
    /// Threads counted so far for warps that arrived repeatedly in the same phase.
    counted: u32,
    /// What this phase waits for; `None` before the first arrival.
    expected: Option<Expected>,
    /// Whether a warp has arrived repeatedly in a phase. A count of all threads of the block is then one like others: threads that
    /// exit do not replace the ones whose arrival came too late for the phase it was meant for.
    is_counted: bool,
    reduces: Reduces,
    trues: u32,
    predicates: u32,
}

/// The operands of an arrival.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) warp: usize,
    pub(super) lanes: Mask,
    pub(super) expected: Expected,
    /// Lanes whose predicate is true, for reductions.
    pub(super) trues: Option<Mask>,
}

impl Barrier {
    /// Counts an arrival, which must agree with earlier ones of the same phase, given the threads of each warp that have not exited.
    pub(super) fn arrive(&mut self, arrival: &Arrival, live: &[Mask]) -> Result<(), BarrierMisuse> {
        self.arrived.resize(live.len(), 0);
        arrival.expected.agree(&mut self.expected)?;
        self.reduces.agree(arrival.trues.is_some())?;
        let (Some(arrived), Some(live)) = (self.arrived.get_mut(arrival.warp), live.get(arrival.warp)) else {
            return Ok(());
        };
        // Lanes that have already arrived arrive again, as producers may for a count that includes it: the warp's arrivals so far
        // count as 32 threads, and its mask restarts.
        if *arrived & arrival.lanes != 0 {
            if live & !*arrived != 0 {
                return Err(BarrierMisuse::Ahead);
            }
            self.counted += 32;
            self.is_counted = true;
            *arrived = 0;
        }
        *arrived |= arrival.lanes;
        if let Some(trues) = arrival.trues {
            self.trues += trues.count_ones();
            self.predicates += arrival.lanes.count_ones();
        }
        Ok(())
    }

    /// Starts the next phase if this one is complete, given the threads of each warp that have not exited.
    pub(super) fn complete(&mut self, live: &[Mask]) -> bool {
        let Some(expected) = self.expected else { return false };
        let complete = match self.counting(expected, live.len()) {
            Expected::Everyone => live.iter().zip(&self.arrived).all(|(live, arrived)| live & !arrived == 0),
            Expected::Count(count) => {
                let is_whole = |(live, arrived): &(&Mask, &Mask)| **arrived != 0 && **live & !**arrived == 0;
                let warps = live.iter().zip(&self.arrived).filter(is_whole).count() as u32;
                self.counted + warps * 32 >= count
            }
        };
        if complete {
            self.phase += 1;
            self.last = (self.trues, self.predicates);
            self.arrived.fill(0);
            (self.counted, self.trues, self.predicates, self.expected) = (0, 0, 0, None);
            self.reduces = Reduces::default();
        }
        complete
    }

    /// The condition of a phase in a block of `warps` warps.
    fn counting(&self, expected: Expected, warps: usize) -> Expected {
        if self.is_counted { expected.counted(warps) } else { expected }
    }

    /// The threads that the arrived threads wait for, given the threads of each warp that have not exited.
    pub(super) fn awaited(&self, live: &[Mask]) -> BarrierWait {
        // Warps that are not listed have not arrived.
        let arrived = self.arrived.iter().copied().chain(std::iter::repeat(0));
        let missing = live.iter().zip(arrived).map(|(live, arrived)| live & !arrived).enumerate();
        let missing: Vec<(usize, Mask)> = missing.filter(|(_, lanes)| *lanes != 0).collect();
        match self.expected.map(|expected| self.counting(expected, live.len())) {
            Some(Expected::Count(count)) => {
                let arrived = self.arrived.iter().map(|lanes| lanes.count_ones()).sum::<u32>();
                BarrierWait::More { arrived: self.counted + arrived, count }
            }
            Some(Expected::Everyone) | None => BarrierWait::Threads(missing),
        }
    }

    /// The result of a waiting thread from the last completed phase.
    pub(super) fn result(&self, action: BarrierAction) -> Option<u64> {
        let (trues, predicates) = self.last;
        match action {
            BarrierAction::Sync | BarrierAction::Arrive => None,
            BarrierAction::Popc => Some(trues.into()),
            BarrierAction::And => Some((trues == predicates).into()),
            BarrierAction::Or => Some((trues != 0).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The threads of two warps, the second of which is a partial one.
    const LIVE: [Mask; 2] = [u32::MAX, 0xffff];

    fn arrive(barrier: &mut Barrier, warp: usize, lanes: Mask, expected: Expected) -> bool {
        barrier.arrive(&Arrival { warp, lanes, expected, trues: None }, &LIVE).unwrap();
        barrier.complete(&LIVE)
    }

    #[test]
    fn everyone_means_every_live_thread() {
        let mut barrier = Barrier::default();
        assert!(!arrive(&mut barrier, 0, 0xffff_0000, Expected::Everyone));
        assert!(!arrive(&mut barrier, 1, 0xffff, Expected::Everyone));
        assert!(arrive(&mut barrier, 0, 0x0000_ffff, Expected::Everyone));
        assert_eq!(barrier.phase, 1);
    }

    #[test]
    fn a_partial_warp_counts_as_a_full_one() {
        let mut barrier = Barrier::default();
        assert!(!arrive(&mut barrier, 1, 0xffff, Expected::Count(64)));
        assert!(arrive(&mut barrier, 0, u32::MAX, Expected::Count(64)));
    }

    #[test]
    fn producers_may_arrive_twice() {
        let mut barrier = Barrier::default();
        assert!(!arrive(&mut barrier, 0, u32::MAX, Expected::Count(96)));
        assert!(!arrive(&mut barrier, 0, u32::MAX, Expected::Count(96)));
        assert!(arrive(&mut barrier, 1, 0xffff, Expected::Count(96)));
    }

    #[test]
    fn a_warp_counts_when_all_its_threads_have_arrived() {
        let mut barrier = Barrier::default();
        assert!(!arrive(&mut barrier, 0, 0xffff, Expected::Count(32)));
        assert!(!arrive(&mut barrier, 1, 0x00ff, Expected::Count(32)));
        assert!(arrive(&mut barrier, 1, 0xff00, Expected::Count(32)));
    }

    #[test]
    fn arrivals_past_the_count_are_missing_in_the_next_phase() {
        let mut barrier = Barrier::default();
        assert!(!arrive(&mut barrier, 0, u32::MAX, Expected::Everyone));
        assert!(arrive(&mut barrier, 0, u32::MAX, Expected::Everyone));
        assert!(!arrive(&mut barrier, 1, 0xffff, Expected::Everyone));
        // That the first warp has exited does not replace its arrival.
        let live = [0, 0xffff];
        assert!(!barrier.complete(&live));
        assert_eq!(barrier.awaited(&live), BarrierWait::More { arrived: 16, count: 64 });
    }

    #[test]
    fn threads_do_not_arrive_again_ahead_of_their_warp() {
        let mut barrier = Barrier::default();
        assert!(!arrive(&mut barrier, 0, 0xff, Expected::Count(96)));
        let again = |lanes| Arrival { warp: 0, lanes, expected: Expected::Count(96), trues: None };
        assert_eq!(barrier.arrive(&again(1), &LIVE), Err(BarrierMisuse::Ahead));
        assert_eq!(barrier.arrive(&again(0xffff_ff00), &LIVE), Ok(()));
        assert_eq!(barrier.arrive(&again(1), &LIVE), Ok(()));
    }

    #[test]
    fn reductions_are_not_mixed_with_other_arrivals_of_a_phase() {
        let arrival = |warp, lanes, trues| Arrival { warp, lanes, expected: Expected::Everyone, trues };
        for (first, second) in [(Some(1), None), (None, Some(1))] {
            let mut barrier = Barrier::default();
            assert_eq!(barrier.arrive(&arrival(0, u32::MAX, first), &LIVE), Ok(()));
            assert_eq!(barrier.arrive(&arrival(1, 0xffff, second), &LIVE), Err(BarrierMisuse::Mixed));
            // The next phase is another matter.
            let mut barrier = Barrier::default();
            barrier.arrive(&arrival(0, u32::MAX, first), &LIVE).unwrap();
            barrier.arrive(&arrival(1, 0xffff, first), &LIVE).unwrap();
            assert!(barrier.complete(&LIVE));
            assert_eq!(barrier.arrive(&arrival(1, 0xffff, second), &LIVE), Ok(()));
        }
    }

    #[test]
    fn exits_complete_a_phase() {
        let mut barrier = Barrier::default();
        assert!(!arrive(&mut barrier, 1, 0xffff, Expected::Everyone));
        assert!(barrier.complete(&[0, 0xffff]));
    }

    #[test]
    fn who_is_awaited_is_told() {
        let mut barrier = Barrier::default();
        assert!(!arrive(&mut barrier, 0, 0xffff_0000, Expected::Everyone));
        let awaited = barrier.awaited(&[u32::MAX, 0xffff]);
        assert_eq!(awaited, BarrierWait::Threads(vec![(0, 0xffff), (1, 0xffff)]));
        // Exited threads are not waited for.
        assert_eq!(barrier.awaited(&[u32::MAX, 0]), BarrierWait::Threads(vec![(0, 0xffff)]));
        let mut named = Barrier::default();
        assert!(!arrive(&mut named, 0, u32::MAX, Expected::Count(96)));
        assert!(!arrive(&mut named, 0, 1, Expected::Count(96)));
        assert_eq!(named.awaited(&[u32::MAX, 0xffff]), BarrierWait::More { arrived: 33, count: 96 });
    }

    #[test]
    fn reductions_see_every_predicate() {
        let mut barrier = Barrier::default();
        let arrival =
            |warp, lanes, trues| Arrival { warp, lanes, expected: Expected::Everyone, trues: Some(trues) };
        barrier.arrive(&arrival(0, u32::MAX, 0x7), &LIVE).unwrap();
        barrier.arrive(&arrival(1, 0xffff, 0x1), &LIVE).unwrap();
        assert!(barrier.complete(&LIVE));
        assert_eq!(barrier.result(BarrierAction::Popc), Some(4));
        assert_eq!(barrier.result(BarrierAction::And), Some(0));
        assert_eq!(barrier.result(BarrierAction::Or), Some(1));
    }

    #[test]
    fn different_counts_contradict_each_other() {
        let mut barrier = Barrier::default();
        assert!(!arrive(&mut barrier, 0, u32::MAX, Expected::Count(64)));
        let other = Arrival { warp: 1, lanes: 1, expected: Expected::Count(32), trues: None };
        let contradiction = BarrierMisuse::Contradiction(Expected::Count(64), Expected::Count(32));
        assert_eq!(barrier.arrive(&other, &LIVE), Err(contradiction));
    }
}
