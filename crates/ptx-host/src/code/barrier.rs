//! Block barriers (manual 9.7.13.1).
//!
//! All lanes of the warp that have not exited reach a barrier together: a barrier begins a block, and the blocks of barriers come last
//! ([`Graph`](crate::analysis::Graph)). If `schedule.rs` cannot prove that, an aligned barrier is checked at run time: lanes that are then still
//! elsewhere are at another barrier. Where it is not proven for a barrier that is not aligned, threads come one by one (`singly.rs`).

use ptx_host_rt::field;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, IntPredicate, Value};
use ptx_program::{BarrierAction, BlockBarrier, Src};

use super::serial::Held;
use super::state::{Code, Guard};
use super::{heavy, lane_masks, registers, runtime, serial, stuck, turns};
use crate::analysis::BlockId;
use crate::error::CompileError;

pub(super) fn barrier(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    barrier: &BlockBarrier,
    pc: u32,
) -> Result<(), CompileError> {
    let together = code.analysis.schedule.is_together(id);
    let splits = guard.is_some_and(|(row, _)| !code.analysis.shapes.claim(Src::register(row)).is_uniform());
    let is_alone = together && lane_masks::beside(code, id).is_none();
    if !barrier.is_aligned && (!(together && (is_alone || !code.strategy.is_heavy())) || splits) {
        let why =
            "a barrier without `.aligned` that threads of a warp may reach one by one is not compiled yet";
        return Err(CompileError::refused(pc, why));
    }
    if code.analysis.warps > 1 {
        if !together {
            return Err(CompileError::refused(pc, "warps run together only where their lanes do"));
        }
        return turns::wait_for_turn(code, id);
    }
    let all = lane_masks::lanes_of(code, &code.masks.active.clone())?;
    if !together {
        match code.segment {
            None => stuck::expect_together(code, (id, pc), &code.analysis.schedule.waiting(id), all)?,
            Some(_) => stuck::expect_together_in_segment(code, pc, all)?,
        }
    }
    if code.strategy.is_heavy() {
        let op = &code.program.code[pc as usize].op;
        return heavy::by_runtime(code, id, guard, op, pc).map_err(Into::into);
    }
    if code.strategy.is_of_block() {
        return turns::wait_for_turn(code, id);
    }
    if guard.is_none() {
        let result = come_to(code, barrier, pc, all, all)?;
        return give(code, id, None, barrier, result).map_err(Into::into);
    }
    let lanes = registers::active_lanes(code, guard)?;
    let place = serial::array(code, 0)?;
    code.builder().store(code.int(32, 0), place, 4, Ordinary)?;
    let comes = code.builder().int_compare(IntPredicate::Ne, lanes, code.int(32, 0))?;
    let [then, after] = code.blocks(["comes", "passed"]);
    code.builder().branch_if(comes, then, after)?;
    code.builder().position_at_end(then);
    let result = come_to(code, barrier, pc, lanes, all)?;
    if let Some(result) = result {
        code.builder().store(result, place, 4, Ordinary)?;
    }
    code.builder().branch(after)?;
    code.builder().position_at_end(after);
    let result = match result {
        Some(_) => Some(code.builder().load(code.types.int(32), place, 4, Ordinary)?),
        None => None,
    };
    Ok(give(code, id, guard, barrier, result)?)
}

/// Arrives at a barrier; returns its result, as 32 bits.
fn come_to<'c>(
    code: &mut Code<'_, '_, 'c>,
    barrier: &BlockBarrier,
    pc: u32,
    lanes: Value<'c>,
    all: Value<'c>,
) -> Result<Option<Value<'c>>, LlvmError> {
    let (number, number_differs) = common(code, 1, barrier.id, lanes)?;
    let (count, count_differs) = match barrier.count {
        Some(count) => common(code, 2, count, lanes)?,
        None => (code.int(32, 0), code.int(32, 0)),
    };
    let twice = code.builder().binary(BinaryOp::Shl, count_differs, code.int(32, 1))?;
    let differs = code.builder().binary(BinaryOp::Or, number_differs, twice)?;
    let trues = match barrier.predicate {
        None => code.int(32, 0),
        Some(predicate) => lane_masks::lanes_of(code, &registers::vectors(code, predicate, 1)?)?,
    };
    let arguments = [code.int(32, pc.into()), lanes, all, number, count, trues, differs];
    runtime::call_checked(code, field::runtime::BARRIER, &arguments)?;
    let builder = code.builder();
    let word = |at: usize| {
        let place = builder.offset(code.frame, code.int(64, at as u64))?;
        builder.load(code.types.int(32), place, 4, Ordinary)
    };
    let bit = |holds: Value<'c>| code.emit.resize(holds, 32);
    match barrier.action {
        BarrierAction::Sync | BarrierAction::Arrive => Ok(None),
        BarrierAction::Popc => word(field::TRUES).map(Some),
        BarrierAction::And => {
            let all = builder.int_compare(IntPredicate::Eq, word(field::TRUES)?, word(field::VOTES)?)?;
            bit(all).map(Some)
        }
        BarrierAction::Or => {
            let any = builder.int_compare(IntPredicate::Ne, word(field::TRUES)?, code.int(32, 0))?;
            bit(any).map(Some)
        }
    }
}

/// Writes the result of a barrier.
fn give<'c>(
    code: &Code<'_, '_, 'c>,
    id: BlockId,
    guard: Guard,
    barrier: &BlockBarrier,
    result: Option<Value<'c>>,
) -> Result<(), LlvmError> {
    let Some(result) = result else { return Ok(()) };
    let result = code.emit.resize(result, code.analysis.widths.row(barrier.dst))?;
    let copies =
        (0..code.analysis.shapes.copies(barrier.dst)).map(|_| registers::spread(code, result, barrier.dst));
    let values: Vec<Value<'c>> = copies.collect::<Result<_, LlvmError>>()?;
    registers::write(code, id, guard, barrier.dst, &values)
}

/// The 32-bit value that lanes have in common, and whether they have different ones.
fn common<'c>(
    code: &mut Code<'_, '_, 'c>,
    array: usize,
    src: Src,
    lanes: Value<'c>,
) -> Result<(Value<'c>, Value<'c>), LlvmError> {
    match serial::hold(code, array, src, 32)? {
        Held::One(value) => Ok((value, code.int(32, 0))),
        Held::Array(place, _) => {
            let arguments = [place, lanes];
            let both = runtime::call_runtime(code, field::runtime::COMMON, &arguments, code.types.int(64))?;
            let differs = code.builder().binary(BinaryOp::LShr, both, code.int(64, 32))?;
            Ok((code.emit.resize(both, 32)?, code.emit.resize(differs, 32)?))
        }
    }
}
