//! Instructions that the interpreter's runtime executes: barriers in shared memory, bulk and tensor copies, products of warpgroups, tensor
//! memory, clusters.
//!
//! Code puts the rows that one reads to memory, calls the runtime (`run/heavy.rs`) and takes those that it writes from there. The warps of
//! such a kernel are on fibres, because the runtime may let them wait.

use ptx_exec::program::{ClusterAction, Effect, MbarrierAction, Op, Program};

use super::{Execution, Graph};

/// Whether the interpreter's runtime executes an instruction.
pub fn is_heavy(op: &Op) -> bool {
    Execution::of(op) == Execution::Heavy
}

/// Whether a kernel has such instructions.
pub fn has_heavy(program: &Program, graph: &Graph) -> bool {
    let mut code = graph.blocks().iter().flat_map(|block| block.first..block.end);
    code.any(|pc| program.code.get(pc as usize).is_some_and(|inst| is_heavy(&inst.op)))
}

/// Whether lanes ask whether a phase of a barrier in shared memory is over.
pub fn asks(op: &Op) -> bool {
    let Op::Effect(Effect::Mbarrier(operation)) = op else { return false };
    matches!(
        operation.action,
        MbarrierAction::IsOver(_) | MbarrierAction::IsOverParity(_) | MbarrierAction::IsOverConditional(_)
    )
}

/// Whether lanes wait for the barrier of their cluster.
pub(super) fn waits_for_cluster(op: &Op) -> bool {
    matches!(op, Op::Effect(Effect::ClusterBarrier(ClusterAction::Wait)))
}

/// The bits of a row that such an instruction writes.
pub(super) fn width(effect: &Effect) -> u32 {
    match effect {
        Effect::Mbarrier(operation) => match operation.action {
            MbarrierAction::Arrive { .. } => 64,
            _ if operation.report.is_some() => 64,
            _ => 1,
        },
        Effect::MapAddress(map) if map.window.is_none() => 32,
        Effect::Collective(_) | Effect::Warpgroup(_) => 32,
        _ => 64,
    }
}
