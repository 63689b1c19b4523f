//! Which block runs next: lanes are sent to blocks, and the lowest block with waiting lanes runs.

use std::collections::BTreeSet;
use std::mem::offset_of;

use ptx_host_rt::{Runtime, Status};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::{Ordinary, Volatile};
use ptx_llvm_core::build::{BinaryOp, Block, CastOp, IntPredicate, Value};

use super::state::Code;
use super::{checks, lane_masks, next_segment, outside, runtime};
use crate::analysis::{BlockId, come_back};
use crate::error::defect;
use crate::strategy::Version;

/// Whether lanes are left after those of a block have gone to their targets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// There are some.
    Some,
    /// All may have exited.
    Perhaps,
}

/// Begins with the version for full warps if all lanes are threads, otherwise with the other one.
pub(super) fn begin_version<'c>(code: &Code<'_, '_, 'c>, is_full: Value<'c>) -> Result<(), LlvmError> {
    match [Version::Full, Version::Partial].map(|version| entry(code, version)) {
        [Ok(full), Ok(partial)] => {
            code.builder().branch_if(is_full, full, partial)?;
        }
        [Ok(only), Err(_)] | [Err(_), Ok(only)] => {
            code.builder().branch(only)?;
        }
        [Err(error), Err(_)] => return Err(error),
    }
    Ok(())
}

/// The first block of the kernel in a version.
fn entry<'c>(code: &Code<'_, '_, 'c>, version: Version) -> Result<Block<'c>, LlvmError> {
    code.at.blocks[version as usize].first().copied().ok_or_else(|| defect("a kernel without code"))
}

/// The first LLVM block of a block in a version, for the copy that follows the one being generated.
pub(super) fn first_block<'c>(
    code: &Code<'_, '_, 'c>,
    version: Version,
    id: BlockId,
) -> Result<Block<'c>, LlvmError> {
    let copy = code.at.copies.get(code.at.copy).and_then(|copy| copy.next(id));
    let block = copy.and_then(|copy| code.at.blocks[version as usize].get(copy).copied());
    block.ok_or_else(|| defect("a block without code"))
}

/// Makes the lanes that wait at a block its active mask: all that have not exited, if no other block has any. The mask of all live lanes is
/// the simpler value of the two, because it is the same before a branch and after its join point.
pub(super) fn take_waiting(code: &mut Code<'_, '_, '_>, id: BlockId) -> Result<(), LlvmError> {
    let ty = code.vector_of(1);
    let (mut mask, mut waiting) = (Vec::new(), Vec::new());
    let all = lane_masks::all_of_chunk(code)?;
    let is_together = code.analysis.schedule.is_together(id);
    // In a segment the mask stays in memory: otherwise those of a chain of branches are one expression, of which LLVM's `instcombine` looks at
    // several levels from each of them.
    let kept = if code.segment.is_some() { Volatile } else { Ordinary };
    for (&place, &alive) in code.masks.at(id)?.iter().zip(&code.masks.alive) {
        mask.push(match (is_together, code.at.version) {
            (true, Version::Full) => all,
            (true, Version::Partial) => code.builder().load(ty, alive, 8, Ordinary)?,
            (false, _) => code.builder().load(ty, place, 8, kept)?,
        });
        if code.checks() {
            waiting.push(code.builder().load(ty, place, 8, Ordinary)?);
        }
        code.builder().store(ty.zero(), place, 8, Ordinary)?;
    }
    if is_together && code.checks() {
        checks::check_together(code, id, &mask, &waiting)?;
    }
    code.masks.active = mask;
    Ok(())
}

/// Sends the first lanes of a block to another one: if no others can wait there, they are the only ones.
pub(super) fn send_first<'c>(
    code: &Code<'_, '_, 'c>,
    from: BlockId,
    to: BlockId,
    lanes: &[Value<'c>],
) -> Result<(), LlvmError> {
    let schedule = &code.analysis.schedule;
    if outside::is_outside(code, to)
        || code.strategy.is_heavy()
        || schedule.has_patient()
        || schedule.may_wait(from, to)
    {
        return send(code, to, lanes);
    }
    for (&place, &lanes) in code.masks.at(to)?.iter().zip(lanes) {
        code.builder().store(lanes, place, 8, Ordinary)?;
    }
    Ok(())
}

/// Adds lanes to those that wait at a block.
pub(super) fn send<'c>(code: &Code<'_, '_, 'c>, to: BlockId, lanes: &[Value<'c>]) -> Result<(), LlvmError> {
    if outside::is_outside(code, to) {
        return outside::send_outside(code, to, lanes);
    }
    for (&place, &lanes) in code.masks.at(to)?.iter().zip(lanes) {
        let before = code.builder().load(lanes.ty(), place, 8, Ordinary)?;
        let all = code.builder().binary(BinaryOp::Or, before, lanes)?;
        code.builder().store(all, place, 8, Ordinary)?;
    }
    Ok(())
}

/// Runs the lowest block at which lanes wait: those that waited before, and the targets of the block.
pub(super) fn run_next(
    code: &Code<'_, '_, '_>,
    id: BlockId,
    targets: &[BlockId],
    left: Left,
) -> Result<(), LlvmError> {
    run_next_of(code, code.at.version, id, targets, left)
}

pub(super) fn run_next_of(
    code: &Code<'_, '_, '_>,
    version: Version,
    id: BlockId,
    targets: &[BlockId],
    left: Left,
) -> Result<(), LlvmError> {
    if code.segment.is_some() {
        return next_segment::run_next_of_segment(code, version, id, targets, left);
    }
    let waiting = code.analysis.schedule.waiting(id);
    let all: BTreeSet<BlockId> = waiting.iter().chain(targets).copied().collect();
    run_next_among(code, version, id, (all, targets), left)
}

/// Runs the lowest of some blocks at which lanes wait; `targets` are the ones that lanes were just sent to.
pub(super) fn run_next_among(
    code: &Code<'_, '_, '_>,
    version: Version,
    id: BlockId,
    (all, targets): (BTreeSet<BlockId>, &[BlockId]),
    left: Left,
) -> Result<(), LlvmError> {
    let order = code.analysis.schedule.in_order(id, all);
    let last = order.last().copied();
    // The last candidate needs no test if lanes are left: they must be somewhere. Neither does a first one to which all lanes of this
    // block were just sent.
    let is_sure = |next| left == Left::Some && (targets == [next] || Some(next) == last);
    run_first_of(code, version, id, &order, is_sure, code.ends.done)
}

/// Runs the first of some blocks at which lanes wait, or goes to `none`: a chain of tests, up to one that is known to hold.
///
/// ```text
/// br i1 %any.w5, label %block5, label %after
/// ```
pub(super) fn run_first_of<'c>(
    code: &Code<'_, '_, 'c>,
    version: Version,
    id: BlockId,
    order: &[BlockId],
    is_sure: impl Fn(BlockId) -> bool,
    none: Block<'c>,
) -> Result<(), LlvmError> {
    for &next in order {
        let way = way(code, version, id, next)?;
        if is_sure(next) {
            code.builder().branch(way)?;
            return Ok(());
        }
        let after = code.block("after");
        code.builder().branch_if(has_waiting(code, next)?, way, after)?;
        code.builder().position_at_end(after);
    }
    code.builder().branch(none).map(drop)
}

/// The LLVM block through which control reaches a block from another. A back edge polls whether the warp is to stop, since the launch's time
/// may be over: each loop has a back edge.
fn way<'c>(
    code: &Code<'_, '_, 'c>,
    version: Version,
    id: BlockId,
    next: BlockId,
) -> Result<Block<'c>, LlvmError> {
    let pc = code.analysis.graph.block(id).end;
    way_from(code, version, (id, pc), next, |code| lane_masks::lanes_of(code, &code.masks.active))
}

/// As [`way`], from an instruction of the block at which these lanes are.
pub(super) fn way_from<'c>(
    code: &Code<'_, '_, 'c>,
    version: Version,
    (id, pc): (BlockId, u32),
    next: BlockId,
    lanes: impl Fn(&Code<'_, '_, 'c>) -> Result<Value<'c>, LlvmError>,
) -> Result<Block<'c>, LlvmError> {
    let first = first_block(code, version, next)?;
    let to = code.at.copies.get(code.at.copy).and_then(|copy| copy.next(next));
    if next > id || to.is_some_and(|to| !come_back(&code.at.copies, code.at.copy, to)) {
        return Ok(first);
    }
    let builder = code.builder();
    let here = builder.block()?;
    let back = code.block("back");
    builder.position_at_end(back);
    poll(code, pc, &lanes)?;
    if code.analysis.schedule.is_patient(next) {
        // All lanes may wait for other warps.
        let lanes = lanes(code)?;
        let arguments = [runtime::instruction_of(code, pc, lanes)?, lanes];
        runtime::call_checked(code, offset_of!(Runtime, give_way), &arguments)?;
    }
    builder.branch(first)?;
    builder.position_at_end(here);
    Ok(back)
}

/// Stops the warp if the launch is to end, at an instruction at which these lanes are.
pub(super) fn poll<'c>(
    code: &Code<'_, '_, 'c>,
    pc: u32,
    lanes: impl Fn(&Code<'_, '_, 'c>) -> Result<Value<'c>, LlvmError>,
) -> Result<(), LlvmError> {
    let attention = code.builder().load(code.types.int(32), code.inputs.attention, 4, Volatile)?;
    let goes_on = code.builder().int_compare(IntPredicate::Eq, attention, code.int(32, 0))?;
    lane_masks::unless(code, goes_on, |code| match code.analysis.is_of_warp() {
        true => runtime::stop(code, pc, lanes(code)?, Status::Interrupted),
        false => runtime::stop_first(code, pc, &code.masks.active, Status::Interrupted),
    })
}

/// Whether a lane waits at a block.
pub(super) fn has_waiting<'c>(code: &Code<'_, '_, 'c>, id: BlockId) -> Result<Value<'c>, LlvmError> {
    let ty = code.vector_of(1);
    let chunks = code.masks.at(id)?.iter().map(|&place| code.builder().load(ty, place, 8, Ordinary));
    is_any(code, &chunks.collect::<Result<Vec<_>, _>>()?)
}

/// Whether a mask is not empty.
pub(super) fn is_any<'c>(code: &Code<'_, '_, 'c>, chunks: &[Value<'c>]) -> Result<Value<'c>, LlvmError> {
    let mut any: Option<Value<'c>> = None;
    for &lanes in chunks {
        any = Some(match any {
            None => lanes,
            Some(others) => code.builder().binary(BinaryOp::Or, others, lanes)?,
        });
    }
    let any = any.ok_or_else(|| defect("a warp without lanes"))?;
    let bits = code.builder().cast(CastOp::BitCast, any, code.types.int(code.lanes))?;
    code.builder().int_compare(IntPredicate::Ne, bits, code.int(code.lanes, 0))
}
