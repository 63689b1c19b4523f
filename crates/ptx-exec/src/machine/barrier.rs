//! Block barriers (manual 9.7.13.1).
//!
//! Arrivals are counted per thread, as on every architecture since `sm_70`. A warp whose threads have all arrived counts
//! as 32 threads, so that the partial last warp of a block, and warps with exited threads, match the
//! counts given by programs. A barrier without a count is complete when every thread that has not exited has arrived.

use super::meeting::{BarrierMisuse, BarrierWait, Expected};
use crate::program::{BarrierAction, Mask};

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
    /// Counts an arrival, which must expect the same as earlier ones of the same phase.
    pub(super) fn arrive(&mut self, arrival: &Arrival, warps: usize) -> Result<(), BarrierMisuse> {
        self.arrived.resize(warps, 0);
        arrival.expected.agree(&mut self.expected)?;
        // Lanes that have already arrived arrive again, as producers do: the warp's arrivals so far count as 32 threads, and its mask restarts.
        let Some(arrived) = self.arrived.get_mut(arrival.warp) else { return Ok(()) };
        if *arrived & arrival.lanes != 0 {
            self.counted += 32;
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
        let complete = match expected {
            Expected::Everyone => live.iter().zip(&self.arrived).all(|(live, arrived)| live & !arrived == 0),
            Expected::Count(count) => {
                let of_warp = |(live, arrived): (&Mask, &Mask)| match arrived {
                    0 => 0,
                    _ if live & !arrived == 0 => 32,
                    _ => arrived.count_ones(),
                };
                self.counted + live.iter().zip(&self.arrived).map(of_warp).sum::<u32>() >= count
            }
        };
        if complete {
            self.phase += 1;
            self.last = (self.trues, self.predicates);
            self.arrived.fill(0);
            (self.counted, self.trues, self.predicates, self.expected) = (0, 0, 0, None);
        }
        complete
    }

    /// The threads that the arrived threads wait for, given the threads of each warp that have not exited.
    pub(super) fn awaited(&self, live: &[Mask]) -> BarrierWait {
        // Default: a warp that is not listed has not arrived.
        let arrived = |warp: usize| self.arrived.get(warp).copied().unwrap_or(0);
        let missing = live.iter().enumerate().map(|(warp, live)| (warp, live & !arrived(warp)));
        let missing: Vec<(usize, Mask)> = missing.filter(|(_, lanes)| *lanes != 0).collect();
        match self.expected {
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

    fn arrive(barrier: &mut Barrier, warp: usize, lanes: Mask, expected: Expected) -> bool {
        barrier.arrive(&Arrival { warp, lanes, expected, trues: None }, 2).unwrap();
        barrier.complete(&[u32::MAX, 0xffff])
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
        barrier.arrive(&arrival(0, u32::MAX, 0x7), 2).unwrap();
        barrier.arrive(&arrival(1, 0xffff, 0x1), 2).unwrap();
        assert!(barrier.complete(&[u32::MAX, 0xffff]));
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
        assert_eq!(barrier.arrive(&other, 2), Err(contradiction));
    }
}
