//! Blocks at which lanes wait for each other (see `analysis/gather.rs`).
//!
//! ```text
//! block5:                                    ; vote.sync with the mask %m
//!   %strays = and i32 %w5, not %m            ; lanes that the mask does not name are an error
//!   %missing = and i32 %m, %elsewhere        ; members that have neither arrived nor exited
//!   br i1 %missing.any, label %incomplete, label %complete
//! incomplete:
//!   br i1 %any.w7, label %block7, label %deadlock
//! ```

use std::collections::BTreeSet;

use ptx_host_rt::Status;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, Block, IntPredicate, Value};
use ptx_program::Src;

use super::state::{Code, Present};
use super::{
    checks, handover, lane_masks, next_block, next_segment, polling, registers, runtime, singly, stuck, vain,
};
use crate::analysis::{BlockId, Gather};
use crate::strategy::Version;

/// Begins a block: the lanes that wait at it become active, or those of them that do not wait for others.
pub(super) fn take(code: &mut Code<'_, '_, '_>, id: BlockId) -> Result<(), LlvmError> {
    let analysis = code.analysis;
    let block = analysis.graph.block(id);
    let Some(gather) = analysis.shapes.gather(code.program, block) else {
        if analysis.hands_over && block.gathers && polling::is_question(code, id) {
            handover::let_warps_run(code, id)?;
        }
        return next_block::take_waiting(code, id);
    };
    let others = lane_masks::beside(code, id);
    match gather {
        Gather::Asking => {
            // Default: no lane is elsewhere, so that no other block can run.
            polling::let_others_run(code, id, &others.unwrap_or_default())?;
            next_block::take_waiting(code, id)?;
        }
        Gather::All => {
            if let Some(others) = others.filter(|_| code.analysis.warps == 1) {
                let missing =
                    lane_masks::missing(code, lane_masks::lanes_of(code, &lane_masks::masks_of(code, id)?)?)?;
                go_on_without(code, id, missing, &others)?;
            }
            next_block::take_waiting(code, id)?;
            let is_whole = code.at.version == Version::Full || code.analysis.is_whole(id, code.launched);
            code.masks.present = match (is_whole, code.analysis.warps) {
                (true, _) => Present::Whole,
                (false, 1) => Present::Same(lane_masks::lanes_of(code, &code.masks.active)?),
                (false, _) => Present::Each(present_of_warps(code)?),
            };
        }
        // Default: as above.
        Gather::Arriving => singly::take_arrived(code, id, &others.unwrap_or_default())?,
        Gather::One(members) => take_members(code, id, members, others.as_ref())?,
        // Default: as above.
        Gather::Each(members) => take_groups(code, id, members, &others.unwrap_or_default())?,
    }
    Ok(())
}

/// For each lane the active lanes of its warp, in vectors.
fn present_of_warps<'c>(code: &Code<'_, '_, 'c>) -> Result<Vec<Value<'c>>, LlvmError> {
    let mut all = Vec::new();
    for lanes in lane_masks::lanes_of_warps(code, &code.masks.active)? {
        let lanes = code.builder().splat(lanes, code.lanes)?;
        all.extend(std::iter::repeat_n(lanes, code.chunks / code.analysis.warps));
    }
    Ok(all)
}

/// Takes the lanes that have arrived, which all give the same mask.
fn take_members(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    members: Src,
    others: Option<&BTreeSet<BlockId>>,
) -> Result<(), LlvmError> {
    let here = lane_masks::lanes_of(code, &lane_masks::masks_of(code, id)?)?;
    let members = checks::of_lowest(code, members, here)?;
    let members = code.emit.resize(members, 32)?;
    let strays = code.builder().binary(BinaryOp::And, here, lane_masks::not(code, members)?)?;
    refuse_strays(code, id, strays, |_, _| Ok(members))?;
    if let Some(others) = others {
        let missing = code.builder().binary(BinaryOp::And, members, lane_masks::missing(code, here)?)?;
        go_on_without(code, id, missing, others)?;
    }
    next_block::take_waiting(code, id)?;
    code.masks.present = Present::Same(here);
    Ok(())
}

/// Takes lanes that may give different masks: those whose group is complete, so that all members that have not exited have arrived
/// with the same mask.
fn take_groups(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    members: Src,
    others: &BTreeSet<BlockId>,
) -> Result<(), LlvmError> {
    let masks = lane_masks::masks_of(code, id)?;
    let here = lane_masks::lanes_of(code, &masks)?;
    let members = registers::vectors(code, members, 32)?;
    let mut strays = Vec::new();
    for (chunk, (&mask, &members)) in masks.iter().zip(&members).enumerate() {
        let own = lane_masks::constants(code, 32, chunk, |lane| 1 << lane)?;
        let is_named = lane_masks::any_bit(code, code.builder().binary(BinaryOp::And, members, own)?)?;
        strays.push(code.builder().binary(BinaryOp::And, mask, lane_masks::not(code, is_named)?)?);
    }
    let of_lanes = lane_masks::in_memory(code, &members)?;
    let word = code.types.int(32);
    refuse_strays(code, id, lane_masks::lanes_of(code, &strays)?, |code, lane| {
        lane_masks::lane_in_memory(code, of_lanes, word, lane)
    })?;
    // Lanes of complete groups run now, the others stay here. If no group is complete, another block has to run first.
    let ready = complete_groups(code, &members, of_lanes, &masks, here)?;
    let incomplete = code.builder().binary(BinaryOp::And, here, lane_masks::not(code, ready)?)?;
    let none = code.builder().int_compare(IntPredicate::Eq, ready, code.int(32, 0))?;
    let [on, rest] = code.blocks(["complete", "incomplete"]);
    code.builder().branch_if(none, rest, on)?;
    run_others(code, id, rest, here, others)?;
    code.builder().position_at_end(on);
    code.masks.active = lane_masks::vectors_of(code, ready)?;
    for (place, left) in
        code.masks.at(id)?.to_vec().into_iter().zip(lane_masks::vectors_of(code, incomplete)?)
    {
        code.builder().store(left, place, 8, Ordinary)?;
    }
    let ready = code.builder().splat(ready, code.lanes)?;
    let groups = members.iter().map(|&members| code.builder().binary(BinaryOp::And, members, ready));
    code.masks.present = Present::Each(groups.collect::<Result<_, _>>()?);
    Ok(())
}

/// The lanes of complete groups, one group after the other:
///
/// ```text
/// rest = here; ready = 0
/// while rest != 0 {
///     mask = members[lowest lane of rest]; group = lanes here with this mask
///     if mask & alive is within group { ready |= group }
///     rest &= ~group
/// }
/// ```
///
/// `of_lanes` is memory with the masks that lanes give.
fn complete_groups<'c>(
    code: &mut Code<'_, '_, 'c>,
    members: &[Value<'c>],
    of_lanes: Value<'c>,
    masks: &[Value<'c>],
    here: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let word = code.types.int(32);
    let alive = lane_masks::alive_lanes(code)?;
    let [rest_at, ready_at] =
        [code.builder().alloca_in_entry(word, 4)?, code.builder().alloca_in_entry(word, 4)?];
    code.builder().store(here, rest_at, 4, Ordinary)?;
    code.builder().store(code.int(32, 0), ready_at, 4, Ordinary)?;
    let [head, body, end] = code.blocks(["groups", "group", "grouped"]);
    code.builder().branch(head)?;
    code.builder().position_at_end(head);
    let rest = code.builder().load(word, rest_at, 4, Ordinary)?;
    let is_done = code.builder().int_compare(IntPredicate::Eq, rest, code.int(32, 0))?;
    code.builder().branch_if(is_done, end, body)?;
    code.builder().position_at_end(body);
    let mask = lane_masks::lane_in_memory(code, of_lanes, word, lane_masks::lowest(code, rest)?)?;
    let splat = code.builder().splat(mask, code.lanes)?;
    let mut same = Vec::new();
    for (&members, &here) in members.iter().zip(masks) {
        let is_same = code.builder().int_compare(IntPredicate::Eq, members, splat)?;
        same.push(code.builder().binary(BinaryOp::And, is_same, here)?);
    }
    let group = lane_masks::lanes_of(code, &same)?;
    let others = lane_masks::not(code, group)?;
    let missing = code.builder().binary(BinaryOp::And, mask, alive)?;
    let missing = code.builder().binary(BinaryOp::And, missing, others)?;
    let is_complete = code.builder().int_compare(IntPredicate::Eq, missing, code.int(32, 0))?;
    let complete = code.builder().select(is_complete, group, code.int(32, 0))?;
    let ready = code.builder().load(word, ready_at, 4, Ordinary)?;
    let ready = code.builder().binary(BinaryOp::Or, ready, complete)?;
    code.builder().store(ready, ready_at, 4, Ordinary)?;
    let rest = code.builder().binary(BinaryOp::And, rest, others)?;
    code.builder().store(rest, rest_at, 4, Ordinary)?;
    code.builder().branch(head)?;
    code.builder().position_at_end(end);
    code.builder().load(word, ready_at, 4, Ordinary)
}

/// Lets other blocks run if lanes are missing.
fn go_on_without<'c>(
    code: &Code<'_, '_, 'c>,
    id: BlockId,
    missing: Value<'c>,
    others: &BTreeSet<BlockId>,
) -> Result<(), LlvmError> {
    let complete = code.builder().int_compare(IntPredicate::Eq, missing, code.int(32, 0))?;
    let [on, rest] = code.blocks(["complete", "incomplete"]);
    code.builder().branch_if(complete, on, rest)?;
    let here = {
        code.builder().position_at_end(rest);
        lane_masks::lanes_of(code, &lane_masks::masks_of(code, id)?)?
    };
    run_others(code, id, rest, here, others)?;
    code.builder().position_at_end(on);
    Ok(())
}

/// In an LLVM block: runs the lowest block after this one at which lanes wait. No lane waits at an earlier one, except lanes of
/// other groups and in kernels with loops that may wait for other threads; if there is none, the lanes wait for each other forever.
pub(super) fn run_others<'c>(
    code: &Code<'_, '_, 'c>,
    id: BlockId,
    from: Block<'c>,
    here: Value<'c>,
    others: &BTreeSet<BlockId>,
) -> Result<(), LlvmError> {
    code.builder().position_at_end(from);
    if code.segment.is_some() {
        return next_segment::run_others_of_segment(code, id, here, others);
    }
    vain::unless_in_vain(code, |code| match code.analysis.arrives_singly {
        true => singly::wait_for_phase(code, id, others),
        false => runtime::end_stuck(code),
    })?;
    for next in code.analysis.schedule.in_order_after_incomplete(id, others.clone()) {
        let after = code.block("after");
        let pc = code.analysis.graph.block(id).first;
        let way = next_block::way_from(code, code.at.version, (id, pc), next, |_| Ok(here))?;
        code.builder().branch_if(next_block::has_waiting(code, next)?, way, after)?;
        code.builder().position_at_end(after);
    }
    polling::ask_again(code, id, others)?;
    if code.analysis.arrives_singly {
        return singly::wait_for_phase(code, id, others);
    }
    if polling::begins_with_barrier(code, id) {
        stuck::expect_together(code, (id, code.analysis.graph.block(id).first), others, here)?;
    }
    runtime::end_stuck(code)
}

/// Stops lanes that execute an operation whose mask does not name them; `members` gives the mask of a lane.
fn refuse_strays<'c>(
    code: &Code<'_, '_, 'c>,
    id: BlockId,
    strays: Value<'c>,
    members: impl FnOnce(&Code<'_, '_, 'c>, Value<'c>) -> Result<Value<'c>, LlvmError>,
) -> Result<(), LlvmError> {
    let pc = code.analysis.graph.block(id).first;
    let none = code.builder().int_compare(IntPredicate::Eq, strays, code.int(32, 0))?;
    lane_masks::unless(code, none, |code| {
        let members = members(code, lane_masks::lowest(code, strays)?)?;
        runtime::stop_at(code, pc, members, strays, Status::NotMember)
    })
}
