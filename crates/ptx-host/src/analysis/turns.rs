//! Whether the warps of a block (CTA) can take turns in one function.

use ptx_program::{BarrierAction, BlockBarrier, Effect, Op, Program, Src};

use super::{Graph, has_heavy};

/// Whether a kernel has no barriers, or only `bar.sync` with one number, for all threads of the block, without a guard. Then a warp that reaches
/// one only waits until all others have arrived or exited, so that code can execute one warp after the other from barrier to barrier, without
/// a stack for each.
pub fn take_turns(program: &Program, graph: &Graph) -> bool {
    // The runtime may suspend warps that call it.
    if has_heavy(program, graph) {
        return false;
    }
    // The number of the first barrier, once one was found. One whose number is not a constant could be any of the 16.
    let mut number: Option<Option<u64>> = None;
    for block in graph.blocks() {
        for inst in &program.code[block.first as usize..block.end as usize] {
            let Op::Effect(Effect::BlockBarrier(barrier)) = &inst.op else { continue };
            let own = constant(program, barrier.id);
            if inst.guard.is_some()
                || own.is_none()
                || !is_plain(barrier)
                || number.is_some_and(|number| number != own)
            {
                return false;
            }
            number = Some(own);
        }
    }
    true
}

fn is_plain(barrier: &BlockBarrier) -> bool {
    barrier.action == BarrierAction::Sync && barrier.count.is_none() && barrier.predicate.is_none()
}

/// The number of a barrier, if it is a constant; a block has 16 barriers.
fn constant(program: &Program, src: Src) -> Option<u64> {
    program.constants.fixed(src.as_constant()?).filter(|&number| number < 16)
}
