//! Instructions that the interpreter's runtime executes: mbarriers, bulk and tensor copies, warpgroup matrix products, tensor
//! memory, clusters.
//!
//! Code stores the rows that one reads to memory, calls the runtime (`ptx-host-rt/src/heavy.rs`) and loads the rows that it writes from there. The warps of
//! such a kernel run on fibers, because the runtime may suspend them.

use ptx_program::{Effect, Execution, MbarrierAction, Op, Program};

use super::Graph;

/// Whether the interpreter's runtime executes an instruction.
pub fn is_heavy(op: &Op) -> bool {
    Execution::of(op) == Execution::Heavy
}

/// Whether a kernel has such instructions.
pub fn has_heavy(program: &Program, graph: &Graph) -> bool {
    let mut code = graph.blocks().iter().flat_map(|block| block.first..block.end);
    code.any(|pc| program.code.get(pc as usize).is_some_and(|inst| is_heavy(&inst.op)))
}

/// The width of a row that such an instruction writes.
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
