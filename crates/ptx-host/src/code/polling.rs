//! Blocks that begin with a question to a barrier or another thread: other lanes, and other warps, run before it is repeated.

use std::collections::BTreeSet;

use ptx_host_rt::field;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::IntPredicate;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_program::{Effect, Op};

use super::state::Code;
use super::{lane_masks, next_block, runtime};
use crate::analysis::{BlockId, asks, repeats};

/// Failed polls of the lanes of a warp after which other warps get their turn.
pub(super) const MOST_QUESTIONS: u64 = 64;

/// Before lanes repeat a poll: if it has failed, lets others run.
pub(super) fn let_others_run(
    code: &Code<'_, '_, '_>,
    id: BlockId,
    others: &BTreeSet<BlockId>,
) -> Result<(), LlvmError> {
    let (builder, word) = (code.builder(), code.types.int(32));
    let pc = code.analysis.graph.block(id).first;
    let [rest, few, many, alone, on] = code.blocks(["in.vain", "others", "many", "alone", "ask"]);
    let at = |field: usize| builder.offset(code.frame, code.int(64, field as u64));
    let vain = builder.load(word, at(field::VAIN)?, 4, Ordinary)?;
    let is_in_vain = builder.int_compare(IntPredicate::Eq, vain, code.int(32, u64::from(pc) + 1))?;
    builder.branch_if(is_in_vain, rest, on)?;
    builder.position_at_end(rest);
    builder.store(code.int(32, 0), at(field::VAIN)?, 4, Ordinary)?;
    let questions = builder.load(word, at(field::QUESTIONS)?, 4, Ordinary)?;
    let are_many = builder.int_compare(IntPredicate::Uge, questions, code.int(32, MOST_QUESTIONS))?;
    builder.branch_if(are_many, many, few)?;
    builder.position_at_end(few);
    for next in code.analysis.schedule.in_order_after_incomplete(id, others.clone()) {
        let after = code.block("after");
        // At an earlier block lanes are in a loop that may wait for other threads.
        let way = next_block::way_from(code, code.at.version, (id, pc), next, |code| {
            lane_masks::lanes_of(code, &lane_masks::masks_of(code, id)?)
        })?;
        builder.branch_if(next_block::has_waiting(code, next)?, way, after)?;
        builder.position_at_end(after);
    }
    builder.branch(alone)?;
    for (block, is_alone) in [(many, false), (alone, true)] {
        builder.position_at_end(block);
        idle(code, id, is_alone)?;
        builder.branch(on)?;
    }
    builder.position_at_end(on);
    Ok(())
}

/// Lets other warps run before lanes poll at the beginning of a block; `is_alone` is whether no other lane of this warp can run.
fn idle(code: &Code<'_, '_, '_>, id: BlockId, is_alone: bool) -> Result<(), LlvmError> {
    let repeats = is_alone && repeats(code.program, &code.analysis.graph, &code.analysis.liveness, id);
    let pc = code.analysis.graph.block(id).first;
    let none = code.int(32, 0);
    let arguments = [code.int(32, pc.into()), none, none, code.int(32, repeats.into())];
    runtime::call_checked(code, field::runtime::IDLE, &arguments)
}

/// If lanes wait for others that poll in vain, lets other warps run and then repeats the poll.
pub(super) fn ask_again(
    code: &Code<'_, '_, '_>,
    id: BlockId,
    others: &BTreeSet<BlockId>,
) -> Result<(), LlvmError> {
    for &other in others.range(..id).filter(|&&other| is_question(code, other)) {
        let [ask, after] = code.blocks(["ask", "after"]);
        code.builder().branch_if(next_block::has_waiting(code, other)?, ask, after)?;
        code.builder().position_at_end(ask);
        idle(code, other, true)?;
        code.builder().branch(next_block::first_block(code, code.at.version, other)?)?;
        code.builder().position_at_end(after);
    }
    Ok(())
}

fn first_op<'a>(code: &Code<'a, '_, '_>, id: BlockId) -> Option<&'a Op> {
    let first = code.analysis.graph.block(id).first;
    code.program.code.get(first as usize).map(|inst| &inst.op)
}

pub(super) fn is_question(code: &Code<'_, '_, '_>, id: BlockId) -> bool {
    first_op(code, id).is_some_and(asks)
}

/// Whether a block begins with a block barrier.
pub(super) fn begins_with_barrier(code: &Code<'_, '_, '_>, id: BlockId) -> bool {
    matches!(first_op(code, id), Some(Op::Effect(Effect::BlockBarrier(_))))
}
