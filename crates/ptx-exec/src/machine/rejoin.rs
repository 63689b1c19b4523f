//! Late reconvergence: threads that a branch parts run apart until the place that all paths of the branch pass.
//!
//! This is what ptxas makes of a program: a branch that may part a warp is preceded by `BSSY`, which names the place and
//! notes the threads, and `BSYNC` there waits for them. Between the two, threads that come to the same instruction on different
//! paths stay apart. Threads that execute an instruction for several threads together (barriers, `.sync`) are together afterwards:
//! ptxas precedes it by `WARPSYNC`.
//!
//! ```text
//! @p bra T;             // parts the warp; its paths meet at V
//! ..; @!q bra V;
//! A: activemask %m;     // on two paths: the mask names the threads of one of them
//! V: ..                 // all threads are here
//! ```
//!
//! A program can also depend on that threads which wait for others in this way do not wait forever (manual 3.2 promises nothing about
//! it): threads go on alone when nothing else can run, or others have run for very long.

use ptx_program::{Control, Effect, Mask};

use super::grid::Grid;
use super::warp::{Fragment, State, Warp};

/// Instructions of a warp after which threads do not wait any longer for others of their branch.
const LONGEST_WAIT: u64 = 1 << 20;

/// The number of times that other threads give way, as they do when they poll, after which threads do not wait any longer.
const MOST_YIELDS: u32 = 512;

/// A place where threads that a branch has parted meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rejoin {
    pc: u32,
    frame: usize,
    /// The threads that are to meet there; those that have exited are not waited for.
    mask: Mask,
    /// The place at which the threads, together, meet others.
    outer: Option<usize>,
    is_used: bool,
}

impl Warp {
    /// Prepares for the instruction at `pc`, which is about to part the threads of a group or to be executed by some of them only.
    pub(super) fn before_control(
        &mut self,
        grid: &Grid<'_>,
        current: usize,
        active: Mask,
        (pc, effect): (u32, &Effect),
    ) {
        let Some(places) = grid.postdominators else { return };
        let fragment = self.fragments[current];
        let place = match effect.traits().control {
            Control::Jump => places.meeting_of(pc),
            // Threads for which the guard is false go on to the next instruction, and wait there.
            Control::Call | Control::Meet => Some(pc + 1),
            Control::Wait => (active != fragment.mask).then_some(pc + 1),
            Control::Next | Control::Yield | Control::Leave | Control::Stop => None,
        };
        let Some(place) = place else { return };
        let is_there = |rejoin: &Rejoin| (rejoin.pc, rejoin.frame) == (place, fragment.frame);
        if fragment.rejoin.and_then(|at| self.rejoins.get(at)).is_some_and(is_there) {
            return;
        }
        let rejoin = Rejoin {
            pc: place,
            frame: fragment.frame,
            mask: fragment.mask,
            outer: fragment.rejoin,
            is_used: true,
        };
        let at = match self.rejoins.iter().position(|rejoin| !rejoin.is_used) {
            Some(free) => {
                self.rejoins[free] = rejoin;
                free
            }
            None => {
                self.rejoins.push(rejoin);
                self.rejoins.len() - 1
            }
        };
        self.fragments[current].rejoin = Some(at);
    }

    /// The instruction at which a group waits for others of its branch, unless that is in another call.
    pub(super) fn rejoin_place(&self, current: usize) -> Option<u32> {
        let Fragment { frame, rejoin, .. } = self.fragments[current];
        let rejoin = self.rejoins.get(rejoin?)?;
        (rejoin.frame == frame).then_some(rejoin.pc)
    }

    /// Lets groups that are at their places wait, and merges those for which no one is missing.
    pub(super) fn meet(&mut self) {
        for at in 0..self.fragments.len() {
            if self.fragments[at].state == State::Ready
                && self.rejoin_place(at) == Some(self.fragments[at].pc)
            {
                (self.fragments[at].state, self.fragments[at].ran) = (State::Rejoin, self.clock);
            }
        }
        let is_tired =
            |group: &Fragment| group.state == State::Rejoin && self.clock - group.ran > LONGEST_WAIT;
        if self.yields > MOST_YIELDS || self.fragments.iter().any(is_tired) {
            self.go_on_alone();
            self.yields = 0;
        }
        while let Some(at) = (0..self.rejoins.len()).find(|&at| self.is_complete(at)) {
            let Rejoin { mask, outer, .. } = self.rejoins[at];
            self.rejoins[at].is_used = false;
            self.yields = 0;
            for group in self.fragments.iter_mut().filter(|group| group.rejoin == Some(at)) {
                (group.state, group.rejoin) = (State::Ready, outer);
            }
            self.unite(mask);
            // The place may be that of an outer branch too.
            for at in 0..self.fragments.len() {
                let group = self.fragments[at];
                if group.state == State::Ready
                    && group.mask & mask != 0
                    && self.rejoin_place(at) == Some(group.pc)
                {
                    (self.fragments[at].state, self.fragments[at].ran) = (State::Rejoin, self.clock);
                }
            }
        }
    }

    /// Whether all threads that are to meet at a place are there or have exited.
    fn is_complete(&self, at: usize) -> bool {
        let Rejoin { mask, is_used, .. } = self.rejoins[at];
        let waits = |group: &&Fragment| group.rejoin == Some(at) && group.state == State::Rejoin;
        let here = self.fragments.iter().filter(waits).fold(0, |here, group| here | group.mask);
        is_used && mask & self.live & !here == 0
    }

    /// Lets groups that wait for others of their branch go on without them; returns whether there are any.
    pub(super) fn go_on_alone(&mut self) -> bool {
        let mut any = false;
        for at in 0..self.fragments.len() {
            let Fragment { state: State::Rejoin, mask, rejoin: Some(rejoin), .. } = self.fragments[at] else {
                continue;
            };
            any = true;
            self.rejoins[rejoin].mask &= !mask;
            let group = &mut self.fragments[at];
            (group.state, group.rejoin, group.ran) = (State::Ready, self.rejoins[rejoin].outer, self.clock);
        }
        any
    }

    /// Takes a group that returns from a call out of the branches in it.
    pub(super) fn leave_branches(&mut self, current: usize, frame: usize) {
        let Fragment { mask, mut rejoin, .. } = self.fragments[current];
        while let Some(at) = rejoin.filter(|&at| self.rejoins[at].frame == frame) {
            self.rejoins[at].mask &= !mask;
            rejoin = self.rejoins[at].outer;
        }
        self.fragments[current].rejoin = rejoin;
    }

    /// Makes one group of those of these threads that are at one place of one call. It is on the innermost branch that all of them are on.
    pub(super) fn unite(&mut self, mask: Mask) {
        let mut first = 0;
        while let Some(&kept) = self.fragments.get(first) {
            let is_of = |group: &Fragment| group.state == State::Ready && group.mask & mask == group.mask;
            let joins = |group: &Fragment| is_of(group) && (group.frame, group.pc) == (kept.frame, kept.pc);
            let others: Vec<Fragment> = if is_of(&kept) {
                self.fragments.iter().skip(first + 1).filter(|group| joins(group)).copied().collect()
            } else {
                Vec::new()
            };
            let mut whole = kept;
            for other in &others {
                let common = self.common(whole.rejoin, other.rejoin);
                self.drop_to(whole.rejoin, common, whole.mask);
                self.drop_to(other.rejoin, common, other.mask);
                (whole.mask, whole.rejoin) = (whole.mask | other.mask, common);
            }
            self.fragments[first] = whole;
            first += 1;
            let mut at = 0;
            self.fragments.retain(|group| {
                at += 1;
                at <= first || !others.iter().any(|other| other.mask == group.mask)
            });
        }
    }

    /// The innermost place at which two groups both are to meet others.
    fn common(&self, one: Option<usize>, other: Option<usize>) -> Option<usize> {
        let outer = |at: &usize| self.rejoins[*at].outer;
        let of_one: Vec<usize> = std::iter::successors(one, outer).collect();
        std::iter::successors(other, outer).find(|at| of_one.contains(at))
    }

    /// Takes threads out of the places from one to another one further out.
    fn drop_to(&mut self, from: Option<usize>, to: Option<usize>, mask: Mask) {
        let mut at = from;
        while let Some(here) = at.filter(|_| at != to) {
            self.rejoins[here].mask &= !mask;
            at = self.rejoins[here].outer;
        }
    }
}
