//! Barriers to which the threads of a warp come one by one (`analysis/singly.rs`).
//!
//! Lanes that have arrived stay at the block of the barrier until the phase is over, and other blocks run. The runtime knows which of them have arrived
//! already, and which may go on:
//!
//! ```text
//! block7:                                    ; barrier.sync 1
//!   call i32 %arrive(ptr %warp, i32 pc, i32 %here, i32 %guarded, i32 %alive, i32 %trues, ptr %ids, ptr %counts, ptr %results)
//!   %ready = load i32, ptr %warp.trues
//!   br i1 %ready.none, label %rest, label %on
//! rest:
//!   br i1 %any.w8, label %block8, label %wait
//! wait:                                      ; no lane of the warp can run
//!   %stuck = call i32 %await_phase(ptr %warp, i32 %alive)
//!   br i1 %stuck.not, label %block7, label %deadlock
//! ```

use std::collections::BTreeSet;

use ptx_host_rt::field;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, IntPredicate, Value};
use ptx_program::{Effect, Op, Src};

use super::serial::Held;
use super::state::{Code, Guard};
use super::{gather, heavy, lane_masks, next_block, registers, runtime, serial};
use crate::analysis::{Access, BlockId, begins_with_wait, is_waited_at};

/// The arrays of a barrier's numbers, counts and results.
const NUMBERS: usize = 0;
const COUNTS: usize = 1;
const RESULTS: usize = 2;

/// Whether lanes come one by one to the barrier that an instruction is.
pub(super) fn comes_singly(code: &Code<'_, '_, '_>, op: &Op) -> bool {
    code.analysis.arrives_singly && is_waited_at(op)
}

fn begins_singly(code: &Code<'_, '_, '_>, id: BlockId) -> bool {
    code.analysis.arrives_singly && begins_with_wait(code.program, code.analysis.graph.block(id))
}

/// Lets the lanes arrive that have come to the barrier at which a block begins, and takes those whose phase is over.
pub(super) fn take_arrived<'c>(
    code: &mut Code<'_, '_, 'c>,
    id: BlockId,
    others: &BTreeSet<BlockId>,
) -> Result<(), LlvmError> {
    let block = code.analysis.graph.block(id);
    let (pc, program) = (block.first, code.program);
    let inst = &program.code[pc as usize];
    let masks = lane_masks::masks_of(code, id)?;
    let here = lane_masks::lanes_of(code, &masks)?;
    let mut guarded = here;
    // Where lanes wait for each other, the guard belongs to the block before.
    if let Some(guard) = inst.guard.filter(|_| !block.gathers) {
        let of_chunk = |(chunk, &mask): (usize, &Value<'c>)| {
            let holds = registers::condition(code, (guard.row, guard.negated), chunk)?;
            code.builder().binary(BinaryOp::And, mask, holds)
        };
        let chunks: Result<Vec<_>, LlvmError> = masks.iter().enumerate().map(of_chunk).collect();
        guarded = lane_masks::lanes_of(code, &chunks?)?;
    }
    let [trues, numbers, counts] = operands_of_barrier(code, &inst.op)?;
    let results = serial::array(code, RESULTS)?;
    let alive = lane_masks::alive_lanes(code)?;
    let arguments = [code.int(32, pc.into()), here, guarded, alive, trues, numbers, counts, results];
    runtime::call_checked(code, field::runtime::ARRIVE, &arguments)?;
    let place = code.builder().offset(code.frame, code.int(64, field::TRUES as u64))?;
    let ready = code.builder().load(code.types.int(32), place, 4, Ordinary)?;
    let rest = code.builder().binary(BinaryOp::And, here, lane_masks::not(code, ready)?)?;
    let none = code.builder().int_compare(IntPredicate::Eq, ready, code.int(32, 0))?;
    let [on, wait] = code.blocks(["over", "not.over"]);
    code.builder().branch_if(none, wait, on)?;
    gather::run_others(code, id, wait, here, others)?;
    code.builder().position_at_end(on);
    code.masks.active = lane_masks::vectors_of(code, ready)?;
    for (place, left) in code.masks.at(id)?.to_vec().into_iter().zip(lane_masks::vectors_of(code, rest)?) {
        code.builder().store(left, place, 8, Ordinary)?;
    }
    Ok(())
}

/// The lanes whose predicate is true, and the arrays of the numbers and the counts of a barrier. The interpreter's runtime finds its operands in the
/// rows of the warp.
fn operands_of_barrier<'c>(code: &mut Code<'_, '_, 'c>, op: &Op) -> Result<[Value<'c>; 3], LlvmError> {
    let (none, nowhere) = (code.int(32, 0), code.types.pointer(0).zero());
    if code.strategy.is_heavy() {
        let reads = Access::of(op).reads;
        reads.iter().filter_map(|src| src.as_register()).try_for_each(|row| heavy::store_row(code, row))?;
        return Ok([none, nowhere, nowhere]);
    }
    let Op::Effect(Effect::BlockBarrier(barrier)) = op else { return Ok([none, nowhere, nowhere]) };
    let trues = match barrier.predicate {
        None => none,
        Some(predicate) => lane_masks::lanes_of(code, &registers::vectors(code, predicate, 1)?)?,
    };
    let numbers = array_of(code, NUMBERS, barrier.id)?;
    let counts = match barrier.count {
        Some(count) => array_of(code, COUNTS, count)?,
        None => nowhere,
    };
    Ok([trues, numbers, counts])
}

/// The 32-bit values of all lanes in memory.
fn array_of<'c>(code: &mut Code<'_, '_, 'c>, number: usize, src: Src) -> Result<Value<'c>, LlvmError> {
    let chunks = registers::vectors(code, src, 32)?;
    serial::put(code, number, &chunks)?;
    serial::array(code, number)
}

/// Writes the results of a barrier for the lanes whose phase is over.
pub(super) fn give_arrived<'c>(
    code: &mut Code<'_, '_, 'c>,
    id: BlockId,
    guard: Guard,
    op: &Op,
) -> Result<(), LlvmError> {
    let Some(&dst) = Access::of(op).writes.first() else { return Ok(()) };
    let results = Held::Array(serial::array(code, RESULTS)?, 32);
    let bits = code.analysis.widths.row(dst);
    let values: Vec<Value<'c>> = serial::taken(code, results)?
        .into_iter()
        .map(|chunk| code.emit.resize(chunk, bits))
        .collect::<Result<_, _>>()?;
    registers::write(code, id, guard, dst, &values)
}

/// Where no lane of the warp can run: waits until a phase is over for which lanes wait, and goes to the first barrier at which there are some; if there
/// are none, lanes wait for each other forever.
pub(super) fn wait_for_phase(
    code: &Code<'_, '_, '_>,
    id: BlockId,
    others: &BTreeSet<BlockId>,
) -> Result<(), LlvmError> {
    runtime::await_phase(code)?;
    if let Some(place) = code.masks.vain {
        code.builder().store(code.int(32, 0), place, 4, Ordinary)?;
    }
    let barriers = others.iter().copied().chain([id]).filter(|&other| begins_singly(code, other));
    for barrier in barriers.collect::<BTreeSet<_>>() {
        let after = code.block("after");
        let to = next_block::first_block(code, code.at.version, barrier)?;
        code.builder().branch_if(next_block::has_waiting(code, barrier)?, to, after)?;
        code.builder().position_at_end(after);
    }
    runtime::end_stuck(code)
}

/// Tells the runtime which lanes are left after others have exited, which barriers do not wait for any more.
pub(super) fn tell_exits(code: &Code<'_, '_, '_>) -> Result<(), LlvmError> {
    if !code.analysis.arrives_singly {
        return Ok(());
    }
    let ty = code.vector_of(1);
    let alive = code.masks.alive.iter().map(|&place| code.builder().load(ty, place, 8, Ordinary));
    let alive = lane_masks::lanes_of(code, &alive.collect::<Result<Vec<_>, _>>()?)?;
    runtime::call_checked(code, field::runtime::LEFT, &[alive])
}
