//! Turns of kernels whose warps reach barriers in one order (`analysis/phases.rs`): a loop over warps for each phase.
//!
//! ```text
//! phase1:
//!   %warp = load i32, ptr %at
//!   ..
//! block4:                                    ; the next barrier
//!   store <16 x i32> %r5, ptr %state[%warp].r5
//!   br i1 %is.last, label %reset, label %phase1
//! phase2:
//!   %r5 = load <16 x i32>, ptr %state[%warp].r5
//! ```

use std::collections::{BTreeMap, BTreeSet};

use ptx_host_rt::field;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, Block, IntPredicate};

use super::state::{Code, PhaseHeads};
use super::{operation, slots, threads};
use crate::analysis::{BlockId, Phases};
use crate::error::{CompileError, defect};
use crate::strategy::{Order, PhaseLoops};

/// Branches to the first phase, and returns the first LLVM block of each.
pub(super) fn begin_phases<'c>(
    code: &Code<'_, '_, 'c>,
    phases: &Phases,
) -> Result<PhaseHeads<'c>, LlvmError> {
    let at = code.builder().alloca_in_entry(code.types.int(32), 4)?;
    let heads: Vec<Block<'c>> = phases.blocks.iter().map(|_| code.block("phase")).collect();
    let first = *heads.first().ok_or_else(|| defect("a kernel without phases"))?;
    code.builder().store(code.int(32, 0), at, 4, Ordinary)?;
    code.builder().branch(first)?;
    code.builder().position_at_end(first);
    Ok(PhaseHeads { at, heads })
}

/// Stores the current warp's index for the runtime, at the beginning of its turn.
pub(super) fn begin_turn(code: &mut Code<'_, '_, '_>) -> Result<(), LlvmError> {
    read_turn(code)?;
    let place = code.builder().offset(code.frame, code.int(64, field::WARP as u64))?;
    code.builder().store(code.inputs.warp, place, 4, Ordinary)?;
    Ok(())
}

/// Loads the current warp's index, for code that begins here.
pub(super) fn read_turn(code: &mut Code<'_, '_, '_>) -> Result<(), LlvmError> {
    let Some(at) = code.turns.as_ref().and_then(|turns| turns.heads()).map(|heads| heads.at) else {
        return Ok(());
    };
    let warp = code.builder().load(code.types.int(32), at, 4, Ordinary)?;
    code.inputs = threads::inputs_of_turn(code, warp)?;
    if let Some(turns) = &mut code.turns {
        turns.warp = warp;
    }
    Ok(())
}

/// Ends a warp's turn: the next warp runs in this phase, or the first one in what follows: the next phase, or `after`.
pub(super) fn end_turn<'c>(
    code: &Code<'_, '_, 'c>,
    phase: usize,
    after: Option<Block<'c>>,
) -> Result<(), LlvmError> {
    let turns = code.turns.as_ref().ok_or_else(|| defect("a phase without turns"))?;
    let heads = turns.heads().ok_or_else(|| defect("turns without phases"))?;
    let head = |phase: usize| heads.heads.get(phase).copied().ok_or_else(|| defect("no such phase"));
    let after = match after {
        Some(after) => after,
        None => head(phase + 1)?,
    };
    let builder = code.builder();
    let next = builder.binary(BinaryOp::Add, turns.warp, code.int(32, 1))?;
    let is_last = builder.int_compare(IntPredicate::Eq, next, code.int(32, turns.warps))?;
    let next = builder.select(is_last, code.int(32, 0), next)?;
    builder.store(next, heads.at, 4, Ordinary)?;
    builder.branch_if(is_last, after, head(phase)?)?;
    Ok(())
}

/// The phase that a barrier ends, and the beginning of the next one.
pub(super) fn phase_ended_by<'c>(code: &Code<'_, '_, 'c>, barrier: BlockId) -> Option<(usize, Block<'c>)> {
    let next = loops(code)?.phases.begun_by(barrier)?;
    Some((next - 1, *code.turns.as_ref()?.heads()?.heads.get(next)?))
}

/// The last phase.
pub(super) fn last_phase(code: &Code<'_, '_, '_>) -> Option<usize> {
    code.turns.as_ref()?.heads()?.heads.len().checked_sub(1)
}

/// The phases, if the strategy has these.
fn loops<'a>(code: &Code<'a, '_, '_>) -> Option<&'a PhaseLoops> {
    match &code.strategy.order {
        Order::Phases(loops) => Some(loops),
        Order::Calls | Order::Single | Order::Turns(_) => None,
    }
}

/// Recomputes the rows that a phase reads, at the barrier that begins it.
pub(super) fn compute_again(code: &mut Code<'_, '_, '_>, id: BlockId) -> Result<(), CompileError> {
    let analysis = code.analysis;
    let Some(loops) = loops(code) else { return Ok(()) };
    let phase = loops.phases.begun_by(id).and_then(|phase| loops.phases.blocks.get(phase));
    let blocks = phase.into_iter().flatten();
    let read: BTreeSet<u32> = blocks.flat_map(|&block| analysis.rows_of(code.program, block)).collect();
    let is_wanted =
        |row: &u32| loops.recomputed.contains_key(row) && analysis.liveness.is_live_into(id, *row);
    let (mut order, mut seen) = (Vec::new(), BTreeSet::new());
    for row in read.into_iter().filter(is_wanted) {
        order_again(code, &loops.recomputed, row, &mut seen, &mut order);
    }
    code.rows.current.borrow_mut().clear();
    for pc in order {
        operation::recompute(code, id, pc)?;
    }
    slots::write_live_into(code, &BTreeSet::from([id]))?;
    Ok(())
}

/// Orders the instructions that compute a row so that each comes after those of its operands.
fn order_again(
    code: &Code<'_, '_, '_>,
    again: &BTreeMap<u32, u32>,
    row: u32,
    seen: &mut BTreeSet<u32>,
    order: &mut Vec<u32>,
) {
    let Some(&pc) = again.get(&row).filter(|_| seen.insert(row)) else { return };
    for row in code.analysis.graph.access(pc).reads.iter().filter_map(|src| src.as_register()) {
        order_again(code, again, row, seen, order);
    }
    order.push(pc);
}
