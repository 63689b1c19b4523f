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

use std::collections::BTreeSet;

use ptx_exec::program::{Effect, Op, WARP};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, Block, IntPredicate, Ordering, Scope, Type, Value};

use super::state::{Code, Loops, Turns, Version};
use super::threads::warps;
use super::{lane_masks, phases, slots, threads};
use crate::analysis::{BlockId, Shape, take_turns};
use crate::error::CompileError;
use crate::run::field;
use crate::stack::{LARGEST_ON_THREAD, stack_bytes_of};

/// Bytes for the masks of lanes that have not exited.
const LANES: u64 = 64;

/// The most bytes for the state of all warps, on the stack of a host thread.
const MOST: u64 = 512 << 10;

/// A saved value of a warp: its memory, type, and offset in the state of the warp.
struct Kept<'c> {
    place: Value<'c>,
    ty: Type<'c>,
    offset: u64,
}

/// Bytes of a value in the saved state, an integer or a vector of them.
fn room(ty: Type<'_>) -> u64 {
    debug_assert!(ty.bits().is_some(), "a row of {}", ty.text());
    // Default: other values are pointers at most.
    let bytes = u64::from(ty.bits().unwrap_or(64)).div_ceil(8);
    bytes.next_multiple_of(if ty.vector_parts().is_some() { 64 } else { 8 })
}

/// Whether the function executes a whole block (CTA). Code that checks claims does only if that is just a loop over warps in lockstep: the indices
/// on which claims depend are not saved from turn to turn.
pub(super) fn has_turns(code: &Code<'_, '_, '_>) -> bool {
    let has_one = || warps(code.launched, threads::lanes_of_group(code)) == 1;
    let has_none = || (0..code.analysis.graph.blocks().len()).all(|id| !is_barrier(code, id));
    (!code.checks() || !code.analysis.is_of_warp() && (has_one() || has_none()))
        && !code.analysis.schedule.has_patient()
        && !code.warps.is_heavy
        && take_turns(code.program, &code.analysis.graph)
        && code.program.kernel().local == 0
        && state_bytes(code) * warps(code.launched, threads::lanes_of_group(code)) <= MOST
        && stack_bytes_of(code.program, WARP.min(threads::lanes_of_group(code) as usize)) <= LARGEST_ON_THREAD
}

/// Bytes of state per warp: its lane masks, and the rows that are saved at any barrier.
fn state_bytes(code: &Code<'_, '_, '_>) -> u64 {
    let rows: u64 = kept_anywhere(code).iter().map(|(_, row)| row_bytes(code, *row)).sum();
    // The state of each warp starts at a cache line.
    (rows + LANES).next_multiple_of(64)
}

/// The rows that are saved at any barrier. Each has the same place at all barriers, so that LLVM sees that a row which has not changed
/// since the last barrier need not be stored again.
fn kept_anywhere(code: &Code<'_, '_, '_>) -> BTreeSet<(bool, u32)> {
    let barriers = (0..code.analysis.graph.blocks().len()).filter(|&id| is_barrier(code, id));
    // Vectors come first, so that they start at cache lines.
    barriers.flat_map(|id| kept_rows(code, id)).map(|row| (!code.is_vector(row), row)).collect()
}

fn is_barrier(code: &Code<'_, '_, '_>, id: BlockId) -> bool {
    let first = code.analysis.graph.block(id).first;
    let inst = code.program.code.get(first as usize);
    inst.is_some_and(|inst| matches!(inst.op, Op::Effect(Effect::BlockBarrier(_))))
}

/// The rows that are live at a barrier and not constants or recomputed.
fn kept_rows(code: &Code<'_, '_, '_>, id: BlockId) -> Vec<u32> {
    let rows = code.program.kernel().rows;
    let is_known = |row: u32| matches!(code.analysis.shapes.row(row), Shape::Unwritten | Shape::Constant(_));
    let loops = code.warps.turns.as_ref().and_then(|turns| turns.loops.as_ref());
    let is_kept = |row: u32| !is_known(row) && !loops.is_some_and(|loops| loops.computes(row));
    (0..rows).filter(|&row| code.analysis.liveness.is_live_into(id, row) && is_kept(row)).collect()
}

/// Bytes of a row.
fn row_bytes(code: &Code<'_, '_, '_>, row: u32) -> u64 {
    let index = slots::indexed(code, row).map(|indexed| room(code.types.int(indexed.bits)));
    let all = [room(slots::type_of(code, row))].into_iter().chain(index);
    all.sum::<u64>() * slots::copies(code, row) as u64
}

/// Begins the function; afterwards the builder is where the code of a warp starts.
pub(super) fn begin_turns(code: &mut Code<'_, '_, '_>) -> Result<(), LlvmError> {
    let (word, types) = (code.types.int(32), code.types);
    let (warps, bytes) = (warps(code.launched, threads::lanes_of_group(code)), state_bytes(code));
    if warps == 1 {
        return begin_only_turn(code);
    }
    if let Some(loops) = Loops::new(code)? {
        return begin_loops(code, loops, warps);
    }
    let [turn, start, advance] =
        ["turn", "start", "advance"].map(|name| code.function.append_block(types, name));
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
    let resumes = vec![(0, start)];
    let loops = None;
    code.warps.turns = Some(Turns { warps, warp, next, left, state, bytes, turn, advance, resumes, loops });
    Ok(())
}

/// Begins loops over warps, which reach barriers in one order.
fn begin_loops<'c>(code: &mut Code<'_, '_, 'c>, loops: Loops<'c>, warps: u64) -> Result<(), LlvmError> {
    let none = code.int(32, 0);
    let entry = code.builder().block()?;
    phases::begin_phases(code, &loops)?;
    let turns = Turns {
        warps,
        warp: none,
        next: none,
        left: none,
        state: none,
        bytes: 0,
        turn: entry,
        advance: entry,
        resumes: Vec::new(),
        loops: Some(loops),
    };
    code.warps.turns = Some(turns);
    let bytes = state_bytes(code);
    let state = code.builder().alloca_in_entry(code.types.array(code.types.int(8), bytes * warps), 64)?;
    if let Some(turns) = &mut code.warps.turns {
        (turns.state, turns.bytes) = (state, bytes);
    }
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
    let [again, end] = ["again", "end"].map(|name| code.function.append_block(code.types, name));
    builder.position_at_end(advance);
    let next = builder.binary(BinaryOp::Add, warp, code.int(32, 1))?;
    let is_last = builder.int_compare(
        IntPredicate::Eq,
        next,
        code.int(32, warps(code.launched, threads::lanes_of_group(code))),
    )?;
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
        let end = code.function.append_block(code.types, "end");
        phases::end_turn(code, last, Some(end))?;
        code.builder().position_at_end(end);
        code.builder().ret(Some(code.int(32, 0)))?;
        return Ok(());
    }
    let Some(turns) = code.warps.turns.take() else {
        code.builder().ret(Some(code.int(32, 0)))?;
        return Ok(());
    };
    let builder = code.builder();
    let word = code.types.int(32);
    builder.store(
        code.int(32, u32::MAX.into()),
        threads::of_warp(code, turns.next, turns.warp, 4)?,
        4,
        Ordinary,
    )?;
    let left = builder.load(word, turns.left, 4, Ordinary)?;
    builder.store(builder.binary(BinaryOp::Sub, left, code.int(32, 1))?, turns.left, 4, Ordinary)?;
    builder.branch(turns.advance)?;
    builder.position_at_end(turns.turn);
    if let [(_, start)] = turns.resumes[..] {
        // Without barriers each warp has one turn.
        builder.branch(start)?;
        return Ok(());
    }
    let place = builder.load(word, threads::of_warp(code, turns.next, turns.warp, 4)?, 4, Ordinary)?;
    builder.switch_on(place, turns.advance, &turns.resumes)?;
    Ok(())
}

/// A barrier, the first instruction of its block, which all lanes of the warp that have not exited execute: the next warp takes its turn.
pub(super) fn wait_for_turn(code: &mut Code<'_, '_, '_>, id: BlockId) -> Result<(), CompileError> {
    // Orders the block's stores before the barrier ahead of those after it, as other blocks see them.
    if !code.warps.is_quiet {
        code.builder().fence(Ordering::AcqRel, Scope::System)?;
    }
    let Some(turns) = &code.warps.turns else { return Ok(()) };
    let kept = kept(code, id);
    let place = threads::of_warp(code, turns.state, turns.warp, turns.bytes)?;
    for Kept { place: from, ty, offset } in &kept {
        let value = code.builder().load(*ty, *from, 8, Ordinary)?;
        code.builder().store(value, code.builder().offset(place, code.int(64, *offset))?, 8, Ordinary)?;
    }
    if code.at.version == Version::Partial {
        keep_lanes(code, place)?;
    }
    let number = turns.resumes.len() as u64;
    let resume = if let Some((phase, next)) = phases::phase_ended_by(code, id) {
        phases::end_turn(code, phase, None)?;
        next
    } else {
        let next = threads::of_warp(code, turns.next, turns.warp, 4)?;
        code.builder().store(code.int(32, number), next, 4, Ordinary)?;
        code.builder().branch(turns.advance)?;
        code.function.append_block(code.types, "resume")
    };
    code.builder().position_at_end(resume);
    if phases::last_phase(code).is_some() {
        phases::begin_turn(code)?;
    }
    let Some(turns) = &code.warps.turns else { return Ok(()) };
    let place = threads::of_warp(code, turns.state, turns.warp, turns.bytes)?;
    for Kept { place: to, ty, offset } in &kept {
        let from = code.builder().offset(place, code.int(64, *offset))?;
        code.builder().store(code.builder().load(*ty, from, 8, Ordinary)?, *to, 8, Ordinary)?;
    }
    code.masks.active = match code.at.version {
        Version::Full => vec![code.types.int_vector(1, &vec![1; code.lanes as usize])?; code.chunks],
        Version::Partial => kept_lanes(code, place)?,
    };
    for (&place, &lanes) in code.masks.alive.iter().zip(&code.masks.active) {
        code.builder().store(lanes, place, 8, Ordinary)?;
    }
    phases::compute_again(code, id)?;
    slots::read_live(code, id)?;
    if let Some(turns) = code.warps.turns.as_mut().filter(|turns| turns.loops.is_none()) {
        turns.resumes.push((number, resume));
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
    let (mut kept, mut offset) = (Vec::new(), LANES);
    for (_, row) in kept_anywhere(code) {
        let index = slots::indexed(code, row).map(|indexed| code.types.int(indexed.bits));
        let indices = code.rows.indices(row).iter().zip(index);
        let places = code.rows.slot(row).iter().map(|&place| (place, slots::type_of(code, row)));
        let mut at = offset;
        for (place, ty) in places.chain(indices.map(|(&place, ty)| (place, ty))) {
            if code.analysis.liveness.is_live_into(id, row) {
                kept.push(Kept { place, ty, offset: at });
            }
            at += room(ty);
        }
        offset += row_bytes(code, row);
    }
    kept
}
