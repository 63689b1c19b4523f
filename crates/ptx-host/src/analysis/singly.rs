//! Barriers to which the threads of a warp come one by one: `barrier` without `.aligned`, and `barrier.cluster.wait`.
//!
//! Elsewhere all lanes of a warp reach a barrier together, so that code counts warps. Where some may arrive while others of the warp are elsewhere,
//! each lane arrives for itself (manual 9.7.13.1) and waits at the block of the barrier until its phase is over; meanwhile the others run:
//!
//! ```text
//!     setp.lt.u32 %p, %tid.x, 16;
//! @%p bra other;
//!     barrier.sync 1;                 // cooperative groups' `block.sync()`
//!     bra join;
//! other:
//!     barrier.sync 1;
//! join:
//! ```
//!
//! One such barrier decides for all of a kernel, since a warp counts at a barrier when all of its threads have come to it, by any instruction. The runtime
//! keeps where lanes wait (`code/singly.rs`).

use ptx_program::{Effect, Op, Program, Src};

use super::gather::waits_for_cluster;
use super::{Block, Graph, Schedule, Shapes};

/// Whether lanes wait for a phase of a barrier at an instruction, or arrive there.
pub(crate) fn is_waited_at(op: &Op) -> bool {
    matches!(op, Op::Effect(Effect::BlockBarrier(_))) || waits_for_cluster(op)
}

/// Whether a block begins with such an instruction. The guard of a wait for the cluster is the end of a block before it.
pub(crate) fn begins_with_wait(program: &Program, block: &Block) -> bool {
    let op = program.code.get(block.first as usize).map(|inst| &inst.op);
    op.is_some_and(|op| is_waited_at(op) && (block.gathers || !waits_for_cluster(op)))
}

/// Whether lanes of a warp may come one by one to a barrier for which that is defined; `is_heavy` is whether the interpreter's runtime executes the
/// barriers of the kernel.
pub(super) fn is_needed(
    program: &Program,
    graph: &Graph,
    shapes: &Shapes,
    schedule: &Schedule,
    is_heavy: bool,
    parts_lanes: impl Fn(usize) -> bool,
) -> bool {
    let first = |id: usize| program.code.get(graph.block(id).first as usize);
    let comes_apart = |id: usize| {
        let Some(inst) = first(id) else { return false };
        let Op::Effect(Effect::BlockBarrier(barrier)) = &inst.op else { return false };
        let splits = || inst.guard.is_some_and(|guard| !shapes.claim(Src::register(guard.row)).is_uniform());
        let together = || schedule.is_together(id) && (!is_heavy || schedule.beside(graph, id).is_empty());
        !barrier.is_aligned && (!together() || splits())
    };
    let all = 0..graph.blocks().len();
    if all.clone().any(comes_apart) {
        return true;
    }
    let is_wait = |id: &usize| {
        let inst = first(*id).filter(|_| graph.block(*id).gathers);
        inst.is_some_and(|inst| waits_for_cluster(&inst.op))
    };
    let waits: Vec<usize> = all.filter(is_wait).collect();
    waits.len() > 1 && schedule.together(graph, &waits, parts_lanes).iter().any(|set| set.len() > 1)
}
