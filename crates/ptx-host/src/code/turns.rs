//! Functions that execute a whole block (CTA), whose warps take turns at barriers (`analysis/turns.rs`): a loop over warps around the code of one, and
//! the state that a warp saves from one turn to the next.
//!
//! A warp that reaches a barrier saves the rows that are live there, and the next warp runs. When all have arrived, the first one resumes after
//! the barrier:
//!
//! ```text
//! turn:
//!   %where = load i32, ptr %next[%warp]
//!   switch i32 %where, label %advance [ i32 0, label %start  i32 1, label %resume1 ]
//! block4:                                    ; a barrier
//!   store <16 x i32> %r5, ptr %state[%warp].r5
//!   store i32 1, ptr %next[%warp]
//!   br label %advance
//! resume1:
//!   %r5 = load <16 x i32>, ptr %state[%warp].r5
//! advance:
//!   %warp.next = ..                          ; back to %turn, with warp 0 after the last one, until all have exited
//! ```

use ptx_host_rt::field;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, Block, IntPredicate, Ordering, Scope, Type, Value};

use super::state::{Code, ResumePoints, Resumption, Turns};
use super::{lane_masks, phases, slots, threads};
use crate::analysis::BlockId;
use crate::error::{CompileError, defect};
use crate::strategy::{Order, PhaseLoops, SAVED_LANES, Version, room, warps};

/// A saved value of a warp: its memory, type, and offset in the state of the warp.
struct Kept<'c> {
    place: Value<'c>,
    ty: Type<'c>,
    offset: u64,
}

/// Begins the function; afterwards the builder is where the code of a warp starts.
pub(super) fn begin_turns(code: &mut Code<'_, '_, '_>, order: &Order) -> Result<(), LlvmError> {
    match order {
        Order::Calls => Ok(()),
        Order::Single => begin_only_turn(code),
        Order::Turns(saved) => begin_resume_points(code, saved.bytes),
        Order::Phases(loops) => begin_loops(code, loops),
    }
}

/// Begins turns with a resume point for each warp.
fn begin_resume_points(code: &mut Code<'_, '_, '_>, bytes: u64) -> Result<(), LlvmError> {
    let (word, types) = (code.types.int(32), code.types);
    let warps = warps(code.launched, code.analysis);
    let [turn, start, advance] = code.blocks(["turn", "start", "advance"]);
    let builder = code.builder();
    let next = builder.alloca_in_entry(types.array(word, warps), 64)?;
    let [warp_at, left] = [builder.alloca_in_entry(word, 4)?, builder.alloca_in_entry(word, 4)?];
    let state = builder.alloca_in_entry(types.array(types.int(8), bytes * warps), 64)?;
    for warp in 0..warps {
        builder.store(code.int(32, 0), builder.offset(next, code.int(64, 4 * warp))?, 4, Ordinary)?;
    }
    builder.store(code.int(32, warps), left, 4, Ordinary)?;
    builder.store(code.int(32, 0), warp_at, 4, Ordinary)?;
    builder.branch(turn)?;
    builder.position_at_end(turn);
    let warp = builder.load(word, warp_at, 4, Ordinary)?;
    let frame_warp = builder.offset(code.frame, code.int(64, field::WARP as u64))?;
    let inputs = threads::inputs_of_turn(code, warp)?;
    builder.store(inputs.warp, frame_warp, 4, Ordinary)?;
    code.inputs = inputs;
    end_turns(code, warp, warp_at, left, [turn, advance])?;
    code.builder().position_at_end(start);
    let points = ResumePoints { next, left, turn, advance, resumes: vec![(0, start)] };
    code.turns = Some(Turns { warps, warp, state, bytes, resumption: Resumption::Points(points) });
    Ok(())
}

/// Begins loops over warps, which reach barriers in one order.
fn begin_loops(code: &mut Code<'_, '_, '_>, loops: &PhaseLoops) -> Result<(), LlvmError> {
    let (warps, bytes) = (warps(code.launched, code.analysis), loops.saved.bytes);
    let heads = phases::begin_phases(code, &loops.phases)?;
    let state = code.builder().alloca_in_entry(code.types.array(code.types.int(8), bytes * warps), 64)?;
    let warp = code.int(32, 0);
    code.turns = Some(Turns { warps, warp, state, bytes, resumption: Resumption::Phases(heads) });
    phases::begin_turn(code)
}

/// Begins the function for one warp or group of warps, for which a barrier is a no-op.
fn begin_only_turn(code: &mut Code<'_, '_, '_>) -> Result<(), LlvmError> {
    let none = code.int(32, 0);
    let place = code.builder().offset(code.frame, code.int(64, field::WARP as u64))?;
    code.builder().store(none, place, 4, Ordinary)?;
    code.inputs = threads::inputs_of_turn(code, none)?;
    Ok(())
}

/// Gives the turn to the next warp, until all have exited.
fn end_turns<'c>(
    code: &Code<'_, '_, 'c>,
    warp: Value<'c>,
    warp_at: Value<'c>,
    left: Value<'c>,
    [turn, advance]: [Block<'c>; 2],
) -> Result<(), LlvmError> {
    let builder = code.builder();
    let [again, end] = code.blocks(["again", "end"]);
    builder.position_at_end(advance);
    let next = builder.binary(BinaryOp::Add, warp, code.int(32, 1))?;
    let is_last =
        builder.int_compare(IntPredicate::Eq, next, code.int(32, warps(code.launched, code.analysis)))?;
    let next = builder.select(is_last, code.int(32, 0), next)?;
    builder.store(next, warp_at, 4, Ordinary)?;
    let left = builder.load(code.types.int(32), left, 4, Ordinary)?;
    let is_done = builder.int_compare(IntPredicate::Eq, left, code.int(32, 0))?;
    let is_done = builder.binary(BinaryOp::And, is_last, is_done)?;
    builder.branch_if(is_done, end, again)?;
    builder.position_at_end(again);
    builder.branch(turn)?;
    builder.position_at_end(end);
    builder.ret(Some(code.int(32, 0)))?;
    Ok(())
}

/// Completes the function after the code of warps: a warp that exits takes no more turns, and each turn resumes where its warp is.
pub(super) fn finish_turns(code: &mut Code<'_, '_, '_>) -> Result<(), LlvmError> {
    code.builder().position_at_end(code.ends.done);
    if let Some(last) = phases::last_phase(code) {
        phases::read_turn(code)?;
        let end = code.block("end");
        phases::end_turn(code, last, Some(end))?;
        code.builder().position_at_end(end);
        code.builder().ret(Some(code.int(32, 0)))?;
        return Ok(());
    }
    let Some((warp, points)) = code.turns.as_ref().and_then(|turns| Some((turns.warp, turns.points()?)))
    else {
        code.builder().ret(Some(code.int(32, 0)))?;
        return Ok(());
    };
    let builder = code.builder();
    let word = code.types.int(32);
    let place = threads::of_warp(code, points.next, warp, 4)?;
    builder.store(code.int(32, u32::MAX.into()), place, 4, Ordinary)?;
    let left = builder.load(word, points.left, 4, Ordinary)?;
    builder.store(builder.binary(BinaryOp::Sub, left, code.int(32, 1))?, points.left, 4, Ordinary)?;
    builder.branch(points.advance)?;
    builder.position_at_end(points.turn);
    if let [(_, start)] = points.resumes[..] {
        // Without barriers each warp has one turn.
        builder.branch(start)?;
        return Ok(());
    }
    let place = builder.load(word, threads::of_warp(code, points.next, warp, 4)?, 4, Ordinary)?;
    builder.switch_on(place, points.advance, &points.resumes)?;
    Ok(())
}

/// A barrier, the first instruction of its block, which all lanes of the warp that have not exited execute: the next warp takes its turn.
pub(super) fn wait_for_turn(code: &mut Code<'_, '_, '_>, id: BlockId) -> Result<(), CompileError> {
    // Orders the block's stores before the barrier ahead of those after it, as other blocks see them.
    if !code.strategy.is_quiet {
        code.builder().fence(Ordering::AcqRel, Scope::System)?;
    }
    let Some(turns) = &code.turns else { return Ok(()) };
    let kept = kept(code, id);
    let place = threads::of_warp(code, turns.state, turns.warp, turns.bytes)?;
    for Kept { place: from, ty, offset } in &kept {
        let value = code.builder().load(*ty, *from, 8, Ordinary)?;
        code.builder().store(value, code.builder().offset(place, code.int(64, *offset))?, 8, Ordinary)?;
    }
    if code.at.version == Version::Partial {
        keep_lanes(code, place)?;
    }
    let resume = match &turns.resumption {
        Resumption::Phases(_) => {
            let (phase, next) =
                phases::phase_ended_by(code, id).ok_or_else(|| defect("a barrier that ends no phase"))?;
            phases::end_turn(code, phase, None)?;
            next
        }
        Resumption::Points(points) => {
            let next = threads::of_warp(code, points.next, turns.warp, 4)?;
            code.builder().store(code.int(32, points.resumes.len() as u64), next, 4, Ordinary)?;
            code.builder().branch(points.advance)?;
            code.block("resume")
        }
    };
    code.builder().position_at_end(resume);
    if phases::last_phase(code).is_some() {
        phases::begin_turn(code)?;
    }
    let Some(turns) = &code.turns else { return Ok(()) };
    let place = threads::of_warp(code, turns.state, turns.warp, turns.bytes)?;
    for Kept { place: to, ty, offset } in &kept {
        let from = code.builder().offset(place, code.int(64, *offset))?;
        code.builder().store(code.builder().load(*ty, from, 8, Ordinary)?, *to, 8, Ordinary)?;
    }
    code.masks.active = match code.at.version {
        Version::Full => vec![lane_masks::all_of_chunk(code)?; code.chunks],
        Version::Partial => kept_lanes(code, place)?,
    };
    for (&place, &lanes) in code.masks.alive.iter().zip(&code.masks.active) {
        code.builder().store(lanes, place, 8, Ordinary)?;
    }
    phases::compute_again(code, id)?;
    slots::read_live(code, id)?;
    if let Some(Turns { resumption: Resumption::Points(points), .. }) = &mut code.turns {
        points.resumes.push((points.resumes.len() as u64, resume));
    }
    Ok(())
}

/// Saves the masks of lanes that have not exited, one word per warp.
fn keep_lanes<'c>(code: &Code<'_, '_, 'c>, place: Value<'c>) -> Result<(), LlvmError> {
    for (warp, lanes) in lane_masks::lanes_of_warps(code, &code.masks.active)?.into_iter().enumerate() {
        let place = code.builder().offset(place, code.int(64, 4 * warp as u64))?;
        code.builder().store(lanes, place, 4, Ordinary)?;
    }
    Ok(())
}

fn kept_lanes<'c>(code: &Code<'_, '_, 'c>, place: Value<'c>) -> Result<Vec<Value<'c>>, LlvmError> {
    let mut masks = Vec::new();
    for warp in 0..code.analysis.warps as u64 {
        let place = code.builder().offset(place, code.int(64, 4 * warp))?;
        let lanes = code.builder().load(code.types.int(32), place, 4, Ordinary)?;
        masks.extend(lane_masks::vectors_of(code, lanes)?);
    }
    Ok(masks)
}

/// The saved state of the rows that are live at a barrier.
fn kept<'c>(code: &Code<'_, '_, 'c>, id: BlockId) -> Vec<Kept<'c>> {
    let saved = match &code.strategy.order {
        Order::Turns(saved) | Order::Phases(PhaseLoops { saved, .. }) => saved,
        Order::Calls | Order::Single => return Vec::new(),
    };
    let shapes = &code.analysis.shapes;
    let (mut kept, mut offset) = (Vec::new(), SAVED_LANES);
    for &row in &saved.rows {
        let (bits, lanes) = (code.analysis.widths.row(row), shapes.is_vector(row).then_some(code.lanes));
        let values = code.rows.slot(row).iter();
        let values = values.map(|&place| (place, slots::type_of(code, row), room(bits, lanes)));
        let index =
            shapes.indexed(row).map(|indexed| (code.types.int(indexed.bits), room(indexed.bits, None)));
        let indices = code.rows.indices(row).iter().zip(index);
        let indices = indices.map(|(&place, (ty, bytes))| (place, ty, bytes));
        for (place, ty, bytes) in values.chain(indices) {
            if code.analysis.liveness.is_live_into(id, row) {
                kept.push(Kept { place, ty, offset });
            }
            offset += bytes;
        }
    }
    kept
}
