//! The threads of a warp that have come to barriers one by one (`singly.rs`).

use ptx_program::{BarrierAction, Mask, WARP, lanes};

use super::barrier::Phase;

/// The threads of a warp that have come to barriers.
#[derive(Clone, Default, Debug)]
pub(super) struct Singly {
    /// Those that wait, and the barrier instruction and the barrier of each.
    pub(super) waiting: Mask,
    pub(super) places: [(u32, usize); WARP],
    /// Those whose phase is over, until code lets them go on; the result of each.
    pub(super) over: Mask,
    pub(super) results: [u32; WARP],
    /// Whether the warp is suspended until a phase is over.
    pub(super) is_suspended: bool,
    /// Where lanes wait for others of the warp, once all warps of the block wait: the first lane, the instruction and the description of each group.
    pub(super) others: Vec<(usize, (u32, String))>,
}

impl Singly {
    /// The lanes that wait at a barrier by one instruction, in the order of their first lanes.
    pub(super) fn groups(&self) -> Vec<(u32, usize, Mask)> {
        let mut groups: Vec<(u32, usize, Mask)> = Vec::new();
        for lane in lanes(self.waiting) {
            let (pc, barrier) = self.places[lane];
            match groups.iter_mut().find(|group| (group.0, group.1) == (pc, barrier)) {
                Some(group) => group.2 |= 1 << lane,
                None => groups.push((pc, barrier, 1 << lane)),
            }
        }
        groups
    }

    /// Lets the threads go on that waited at a barrier for a phase that is over, given the action of an instruction; returns whether they have to be woken.
    pub(super) fn end_phase(
        &mut self,
        id: usize,
        phase: &Phase,
        action: impl Fn(u32) -> Option<BarrierAction>,
    ) -> bool {
        let waited = lanes(self.waiting).filter(|&lane| self.places[lane].1 == id);
        let waited: Mask = waited.fold(0, |mask, lane| mask | 1 << lane);
        for lane in lanes(waited) {
            self.results[lane] = match action(self.places[lane].0) {
                Some(BarrierAction::Popc) => phase.votes.trues,
                Some(BarrierAction::And) => u32::from(phase.votes.trues == phase.votes.all),
                Some(BarrierAction::Or) => u32::from(phase.votes.trues != 0),
                Some(BarrierAction::Sync | BarrierAction::Arrive) | None => 0,
            };
        }
        (self.waiting, self.over) = (self.waiting & !waited, self.over | waited);
        waited != 0 && self.is_suspended
    }
}
