//! The code between barriers, and which accesses come together where a barrier is removed.

use ptx_llvm_core::edit::{Flow, Inst};

use super::BARRIER;
use super::accesses::{Accesses, Objects};
use super::is_barrier_of_all;

/// The instructions of a block between barriers, or all of them.
#[derive(Default)]
struct Segment {
    own: Accesses,
    /// The segments that control goes to without a barrier.
    next: Vec<usize>,
    /// Those that it comes from.
    previous: Vec<usize>,
    /// What may have been accessed since the last barrier when control comes here.
    before: Accesses,
    /// What may be accessed from here up to the next barrier.
    after: Accesses,
}

/// The segments of a kernel.
pub(super) struct Segments<'e> {
    all: Vec<Segment>,
    /// The barriers that may be removed, with the segment before each; the one after it follows.
    barriers: Vec<(usize, Inst<'e>)>,
}

impl<'e> Segments<'e> {
    pub(super) fn new(flow: &Flow<'e>) -> Self {
        let mut objects = Objects::default();
        let mut segments = Segments { all: Vec::new(), barriers: Vec::new() };
        let mut ends = Vec::new();
        for block in flow.blocks() {
            let first = segments.all.len();
            segments.all.push(Segment::default());
            for inst in block.instructions() {
                let last = segments.all.len() - 1;
                if inst.calls(BARRIER) {
                    segments.barriers.push((last, inst));
                    segments.all.push(Segment::default());
                } else if is_barrier_of_all(inst) {
                    segments.all.push(Segment::default());
                } else {
                    segments.all[last].own = segments.all[last].own.with(objects.accesses(inst));
                }
            }
            ends.push((first, segments.all.len() - 1));
        }
        for (at, &(_, last)) in ends.iter().enumerate() {
            for &to in flow.successors_of(at) {
                segments.all[last].next.push(ends[to].0);
                segments.all[ends[to].0].previous.push(last);
            }
        }
        let all: Vec<usize> = (0..segments.all.len()).collect();
        segments.spread(all);
        segments
    }

    /// Divides the barriers into those that order nothing, given that those before them in the list which order nothing are removed, and those that do.
    pub(super) fn divide(mut self) -> (Vec<Inst<'e>>, Vec<Inst<'e>>) {
        let (mut removed, mut kept) = (Vec::new(), Vec::new());
        for (segment, barrier) in std::mem::take(&mut self.barriers) {
            let (one, other) = (&self.all[segment], &self.all[segment + 1]);
            if one.before.with(one.own).conflict(other.after) {
                kept.push(barrier);
                continue;
            }
            removed.push(barrier);
            self.all[segment].next.push(segment + 1);
            self.all[segment + 1].previous.push(segment);
            self.spread(vec![segment, segment + 1]);
        }
        (removed, kept)
    }

    /// Brings accesses to where they may come without a barrier, from segments whose accesses or neighbours changed. Each segment changes at most as often as
    /// accesses have bits.
    fn spread(&mut self, changed: Vec<usize>) {
        for &at in &changed {
            self.all[at].after = self.all[at].after.with(self.all[at].own);
        }
        let mut work = changed.clone();
        while let Some(at) = work.pop() {
            let left = self.all[at].before.with(self.all[at].own);
            for place in 0..self.all[at].next.len() {
                let next = self.all[at].next[place];
                let before = self.all[next].before.with(left);
                if before != self.all[next].before {
                    self.all[next].before = before;
                    work.push(next);
                }
            }
        }
        work = changed;
        while let Some(at) = work.pop() {
            let met = self.all[at].after;
            for place in 0..self.all[at].previous.len() {
                let previous = self.all[at].previous[place];
                let after = self.all[previous].after.with(met);
                if after != self.all[previous].after {
                    self.all[previous].after = after;
                    work.push(previous);
                }
            }
        }
    }
}
