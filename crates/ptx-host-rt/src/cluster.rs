//! A running cluster some of whose instructions the interpreter's runtime executes, and the scheduling state of its
//! warps: what they wait for and query in, which of them can run out.

use ptx_exec::engine::{AssistedCluster, Question, Stop, Threads};
use ptx_program::Mask;

/// A running cluster. It is pinned, since frames point to it.
pub(crate) struct Heavy {
    pub(super) cluster: AssistedCluster<'static>,
    pub(super) warps: Vec<Turn>,
    pub(super) ranks: usize,
    /// Number of actions that may change what others wait for.
    pub(super) done: u64,
    pub(super) stopped: Option<Box<Stop>>,
}

/// Scheduling state of a warp.
#[derive(Clone, Copy, Default)]
pub(super) struct Turn {
    pub(super) has_ended: bool,
    /// Where it polls, with the threads that have not exited.
    pub(super) asks: Option<(Threads, Mask)>,
    /// The value of `done` at its last query, if it repeats the same query.
    pub(super) since: Option<u64>,
    /// The repeated query, if it is a single one: the warp resumes when its result changes.
    pub(super) waits_for: Option<Question>,
    /// The value of `done` at its last query, and the number of queries since then.
    pub(super) asked: (u64, u32),
    /// Whether lanes of it wait that code does not run before the query of others succeeds; whether the interpreter is
    /// to take the warp over, and has done so.
    pub(super) keeps: bool,
    pub(super) hands_over: bool,
    pub(super) is_interpreted: bool,
    /// Whether it has yielded in a loop in which it may wait for other clusters, since it last ran.
    pub(super) gave_way: bool,
    /// Whether it waits until a phase of a barrier is over to which its threads came one by one.
    pub(super) awaits_phase: bool,
}

impl std::fmt::Debug for Heavy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Heavy").field("warps", &self.warps.len()).finish_non_exhaustive()
    }
}

impl Heavy {
    /// For each block of the cluster whether it has warps that have not ended.
    pub(super) fn live(&self) -> Vec<bool> {
        let warps = (self.warps.len() / self.ranks.max(1)).max(1);
        self.warps.chunks(warps).map(|warps| warps.iter().any(|turn| !turn.has_ended)).collect()
    }

    pub(super) fn count(&self) -> usize {
        self.warps.len()
    }

    pub(super) fn has_ended(&self, number: usize) -> bool {
        self.warps.get(number).is_none_or(|turn| turn.has_ended)
    }

    /// Whether a warp has yielded in a loop since it was last asked.
    pub(super) fn has_given_way(&mut self, number: usize) -> bool {
        self.warps.get_mut(number).is_some_and(|turn| std::mem::take(&mut turn.gave_way))
    }

    /// Records that all threads of a warp have exited.
    pub(super) fn end(&mut self, number: usize, warps: usize) {
        if let Some(turn) = self.warps.get_mut(number) {
            turn.has_ended = true;
        }
        self.done += 1;
        self.cluster.exited((number / warps) as u32, number % warps);
    }

    /// Whether a warp neither waits nor would repeat an unsuccessful query without any action since that could change its result.
    pub(super) fn can_run(&self, number: usize, warps: usize, is_patient: bool) -> bool {
        let (rank, warp) = ((number / warps) as u32, number % warps);
        let is_ready = match self.warps[number].is_interpreted {
            true => self.cluster.can_run(rank, warp),
            false => self.cluster.is_ready(rank, warp),
        };
        let turn = &self.warps[number];
        let in_vain =
            turn.waits_for.filter(|_| is_patient).is_some_and(|asked| !self.cluster.is_answered(asked));
        let is_over = !turn.awaits_phase || self.cluster.awaits(rank, warp).1;
        is_ready && is_over && turn.since != Some(self.done) && !in_vain
    }

    /// Selects a polling warp with waiting lanes for the interpreter to take over, since no warp can do anything else; returns whether there is one.
    pub(super) fn hand_over_one(&mut self) -> bool {
        let turn = self.warps.iter_mut().find(|turn| turn.keeps && turn.since.is_some() && !turn.has_ended);
        if let Some(turn) = turn {
            (turn.hands_over, turn.since, turn.waits_for) = (true, None, None);
            return true;
        }
        false
    }

    pub(super) fn deadlock(&mut self) -> Stop {
        let asking = |turn: &Turn| turn.asks.filter(|_| turn.since.is_some() && !turn.has_ended);
        let asking: Vec<_> = self.warps.iter().filter_map(asking).collect();
        self.cluster.deadlock(&asking)
    }
}
