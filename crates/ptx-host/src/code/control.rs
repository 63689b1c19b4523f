//! Control flow: the code at the end of a block that sends its lanes to other blocks and continues with the lowest block at which lanes wait (see
//! `analysis/schedule.rs`).
//!
//! Lanes that go to a block are added to the mask of those that wait at it, and the lowest block with waiting lanes runs next:
//!
//! ```text
//! %taken = and <16 x i1> %mask, %p          ; lanes that branch
//! %w5 = or <16 x i1> %w5.old, %taken        ; wait at block 5
//! ...
//! br i1 %any.w5, label %block5, label %next ; 5 before 7
//! ```

use ptx_host_rt::field;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate, Value};
use ptx_program::{Src, WARP};

use super::next_block::Left;
use super::state::Code;
use super::{lane_masks, next_block, notes, outside, registers, runtime, singly, switch, threads};
use crate::analysis::{BlockId, Terminator};
use crate::error::CompileError;
use crate::notes::RemarkKind;
use crate::strategy::Version;

/// Sends the lanes of the warp to the first block.
pub(super) fn enter(code: &mut Code<'_, '_, '_>) -> Result<(), LlvmError> {
    if !code.analysis.is_of_warp() {
        return enter_group(code);
    }
    let lanes = lanes_of_warp(code)?;
    let ty = code.vector_of(1);
    for (chunk, &place) in code.masks.at(0)?.to_vec().iter().enumerate() {
        let shift = code.int(32, chunk as u64 * u64::from(code.lanes));
        let bits = code.builder().binary(BinaryOp::LShr, lanes, shift)?;
        let bits = code.emit.resize(bits, code.lanes)?;
        let lanes = code.builder().cast(CastOp::BitCast, bits, ty)?;
        code.builder().store(lanes, place, 8, Ordinary)?;
        code.builder().store(lanes, code.masks.alive[chunk], 8, Ordinary)?;
    }
    let is_full = code.builder().int_compare(IntPredicate::Eq, lanes, code.int(32, u32::MAX.into()))?;
    next_block::begin_version(code, is_full)
}

/// The lanes of the warp that are threads, as a lane mask.
pub(super) fn lanes_of_warp<'c>(code: &Code<'_, '_, 'c>) -> Result<Value<'c>, LlvmError> {
    let threads: u64 = code.launched.block.iter().map(|&extent| u64::from(extent)).product();
    if threads.is_multiple_of(WARP as u64) {
        return Ok(code.int(32, u64::from(u32::MAX)));
    }
    if let Some(lanes) = threads::lanes_of_turn(code)? {
        return Ok(lanes);
    }
    let at = code.builder().offset(code.frame, code.int(64, field::LANES as u64))?;
    code.builder().load(code.types.int(32), at, 4, Ordinary)
}

/// As [`enter`], for several warps or a part of one: lanes whose index is below the number of remaining threads.
fn enter_group(code: &mut Code<'_, '_, '_>) -> Result<(), LlvmError> {
    let (left, lanes) =
        (threads::threads_left(code)?, code.int(32, code.chunks as u64 * u64::from(code.lanes)));
    let all = code.builder().splat(left, code.lanes)?;
    for (chunk, &place) in code.masks.at(0)?.to_vec().iter().enumerate() {
        let numbers = lane_masks::constants(code, 32, chunk, |lane| lane as u64)?;
        let lanes = code.builder().int_compare(IntPredicate::Ult, numbers, all)?;
        code.builder().store(lanes, place, 8, Ordinary)?;
        code.builder().store(lanes, code.masks.alive[chunk], 8, Ordinary)?;
    }
    let is_full = code.builder().int_compare(IntPredicate::Uge, left, lanes)?;
    next_block::begin_version(code, is_full)
}

/// Sends the lanes of a block to the targets of its terminator.
pub(super) fn leave(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    terminator: &Terminator,
) -> Result<(), CompileError> {
    match terminator {
        Terminator::Jump(to) => {
            next_block::send_first(code, id, *to, &code.masks.active)?;
            next_block::run_next(code, id, &[*to], Left::Some)?;
        }
        Terminator::Branch { condition, taken, other } => {
            branch(code, id, *condition, Some(*taken), *other)?;
        }
        Terminator::Exit { guard: None } => {
            exit_all(code, id)?;
        }
        Terminator::Exit { guard: Some((condition, other)) } => {
            branch(code, id, *condition, None, *other)?;
        }
        Terminator::Indexed { index, guard, targets } => switch::switch(code, id, *index, *guard, targets)?,
        Terminator::Stop { guard } => {
            let pc = code.analysis.graph.block(id).end;
            runtime::stop_where(code, pc, guard.map(|(condition, _)| condition))?;
            match guard {
                None => {
                    code.builder().branch(code.ends.done)?;
                }
                // No lane has stopped.
                Some((_, other)) => {
                    next_block::send(code, *other, &code.masks.active.clone())?;
                    next_block::run_next(code, id, &[*other], Left::Some)?;
                }
            }
        }
    }
    Ok(())
}

/// Sends lanes for which a condition holds to `taken`, or lets them exit; the others go to `other`.
fn branch(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    condition: (u32, bool),
    taken: Option<BlockId>,
    other: BlockId,
) -> Result<(), LlvmError> {
    let (row, negated) = condition;
    if let Some(holds) = code.at.copies.get(code.at.copy).and_then(|copy| copy.decided) {
        let to = if holds { taken } else { Some(other) };
        let Some(to) = to else { return exit_all(code, id) };
        next_block::send_first(code, id, to, &code.masks.active)?;
        return next_block::run_next(code, id, &[to], Left::Some);
    }
    if code.analysis.shapes.row(row).is_uniform() {
        let holds = code.emit.resize(registers::first(code, Src::register(row), 0)?, 1)?;
        let holds = registers::negate_if(code, holds, negated)?;
        let [yes, no] = code.blocks(["yes", "no"]);
        code.builder().branch_if(holds, yes, no)?;
        let mask = code.masks.active.clone();
        for (block, to) in [(yes, taken), (no, Some(other))] {
            code.builder().position_at_end(block);
            match to {
                Some(to) => {
                    next_block::send_first(code, id, to, &mask)?;
                    next_block::run_next(code, id, &[to], Left::Some)?;
                }
                None => exit_all(code, id)?,
            }
        }
        return Ok(());
    }
    notes::note(code, RemarkKind::Divergent, Some(Src::register(row)));
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    for (chunk, &mask) in code.masks.active.iter().enumerate() {
        let holds = registers::condition(code, condition, chunk)?;
        yes.push(code.builder().binary(BinaryOp::And, mask, holds)?);
        no.push(code.builder().binary(BinaryOp::And, mask, registers::negate_if(code, holds, true)?)?);
    }
    if let Some(taken) = taken {
        next_block::send_first(code, id, taken, &yes)?;
        if other == taken {
            next_block::send(code, other, &no)?;
        } else {
            next_block::send_first(code, id, other, &no)?;
        }
        return next_block::run_next(code, id, &[taken, other], Left::Some);
    }
    // In the version for full warps one test comes first: while no lane exits, its masks stay constants. If one does, the rest of the warp continues
    // in the other version, and never comes back.
    if code.at.version == Version::Full {
        let [some, none] = code.blocks(["exit", "stay"]);
        code.builder().branch_if(next_block::is_any(code, &yes)?, some, none)?;
        code.builder().position_at_end(none);
        next_block::send_first(code, id, other, &code.masks.active)?;
        next_block::run_next(code, id, &[other], Left::Some)?;
        code.builder().position_at_end(some);
    }
    exit(code, &yes)?;
    next_block::send(code, other, &no)?;
    next_block::run_next_of(code, Version::Partial, id, &[other], Left::Perhaps)
}

/// All active lanes exit.
fn exit_all(code: &Code<'_, '_, '_>, id: BlockId) -> Result<(), LlvmError> {
    if code.analysis.schedule.is_together(id) && code.segment.is_none() {
        code.builder().branch(code.ends.done)?;
        return Ok(());
    }
    exit(code, &code.masks.active)?;
    next_block::run_next_of(code, Version::Partial, id, &[], Left::Perhaps)
}

/// Removes lanes that exit from the mask of live lanes.
fn exit<'c>(code: &Code<'_, '_, 'c>, lanes: &[Value<'c>]) -> Result<(), LlvmError> {
    outside::exit_segment(code, lanes)?;
    for (&place, &lanes) in code.masks.alive.iter().zip(lanes) {
        let before = code.builder().load(lanes.ty(), place, 8, Ordinary)?;
        let others = registers::negate_if(code, lanes, true)?;
        let left = code.builder().binary(BinaryOp::And, before, others)?;
        code.builder().store(left, place, 8, Ordinary)?;
    }
    singly::tell_exits(code)
}
