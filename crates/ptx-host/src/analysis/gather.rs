//! Operations at which lanes wait for each other. Who takes part follows from the shapes of member masks (`participants.rs`).
//!
//! Such an operation begins a block. Lanes wait there until all participants have arrived:
//!
//! | member mask | executes | lanes that may wait elsewhere meanwhile |
//! |---|---|---|
//! | all lanes, or an `.aligned` instruction | when no lane waits elsewhere | none |
//! | uniform | when none of its members waits elsewhere | lanes that it does not name |
//! | divergent | for each complete group of lanes with the same mask | also lanes of other groups |
//! | (a poll whether the phase of an mbarrier is over) | when lanes arrive, and again after others have run | all others |
//! | (a barrier to which threads come one by one: `singly.rs`) | for the lanes whose phase is over | all others, and lanes of other phases |

use ptx_program::{ClusterAction, Collective, Effect, Guard, Inst, MbarrierAction, Op, Participants, Src};

/// The lanes that must arrive before an operation executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gather {
    /// All that have not exited.
    All,
    /// The members of one uniform mask.
    One(Src),
    /// For each lane, the members of its own mask.
    Each(Src),
    /// None: lanes poll whether a phase is over. Those whose poll fails let others run before they poll again.
    Asking,
    /// None: each lane arrives at a barrier for itself, and goes on when the barrier's phase is over.
    Arriving,
}

impl Gather {
    /// Whether the block may run for some of the lanes at it while others stay there.
    pub fn leaves_some(self) -> bool {
        match self {
            Self::Each(_) | Self::Arriving => true,
            Self::All | Self::One(_) | Self::Asking => false,
        }
    }
}

/// The collective operation, if lanes wait for each other at it.
pub(super) fn waits(op: &Op) -> Option<&Collective> {
    match op {
        Op::Effect(Effect::Collective(collective)) => match collective.participants {
            Participants::Members(_) | Participants::Warp => Some(collective),
            Participants::Converged => None,
        },
        _ => None,
    }
}

/// Whether an instruction polls whether a phase of an mbarrier is over.
pub fn asks(op: &Op) -> bool {
    let Op::Effect(Effect::Mbarrier(operation)) = op else { return false };
    matches!(
        operation.action,
        MbarrierAction::IsOver(_) | MbarrierAction::IsOverParity(_) | MbarrierAction::IsOverConditional(_)
    )
}

/// Whether lanes wait for the barrier of their cluster.
pub(crate) fn waits_for_cluster(op: &Op) -> bool {
    matches!(op, Op::Effect(Effect::ClusterBarrier(ClusterAction::Wait)))
}

/// Whether an instruction begins a block, so that lanes can wait there for others of their warp: each collective operation, and each
/// poll of an mbarrier's phase.
pub(super) fn meets(op: &Op) -> bool {
    waits(op).is_some() || asks(op) || waits_for_cluster(op)
}

/// The guard of an instruction, but `None` if lanes wait at it: there the guard selects which lanes arrive (see [`Block::gathers`](super::Block::gathers)).
pub fn guard_of(inst: &Inst) -> Option<Guard> {
    inst.guard.filter(|_| !meets(&inst.op))
}
