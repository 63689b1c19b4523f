//! Blocks, and the code of each instruction in them: the one place that knows all families of instructions.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{Ordering, Scope};
use ptx_program::{Effect, Op};

use super::state::Code;
use super::{
    alone, async_copy, atomic, barrier, checks, collective, control, effects, gather, heavy, lane_values,
    lines, memory, notes, operation, phases, probe, registers, rows, serial, singly, slots, vain,
};
use crate::analysis::{Access, BlockId, guard_of, is_heavy};
use crate::error::CompileError;

/// Generates the copies of blocks in the current version.
pub(super) fn blocks(code: &mut Code<'_, '_, '_>) -> Result<(), CompileError> {
    for copy in 0..code.at.copies.len() {
        code.at.copy = copy;
        block(code, code.at.copies[copy].block)?;
    }
    Ok(())
}

/// Generates the instructions of a block and its terminator.
fn block(code: &mut Code<'_, '_, '_>, id: BlockId) -> Result<(), CompileError> {
    code.builder().position_at_end(code.at.blocks[code.at.version as usize][code.at.copy]);
    lines::locate(code, code.analysis.graph.block(id).first);
    code.at.block = Some(id);
    phases::read_turn(code)?;
    if let Some(region) = alone::region_of(code, id) {
        return alone::go_alone(code, id, &region);
    }
    slots::read_live(code, id)?;
    gather::take(code, id)?;
    code.rows.given.clear();
    if code.checks() {
        checks::check_read(code, id)?;
    }
    vain::forget(code)?;
    let analysis = code.analysis;
    let block = analysis.graph.block(id);
    for pc in block.first..block.end {
        if code.checks() {
            let lanes = serial::active_warps(
                code,
                guard_of(&code.program.code[pc as usize]).map(|guard| (guard.row, guard.negated)),
            )?;
            instruction(code, id, pc)?;
            checks::check_written(code, pc, &lanes)?;
            continue;
        }
        instruction(code, id, pc)?;
    }
    slots::write_live(code, id)?;
    notes::begin_notes(code, id, block.end);
    lines::locate(code, block.end);
    control::leave(code, id, &block.terminator)?;
    Ok(())
}

/// Generates an instruction of a block.
fn instruction(code: &mut Code<'_, '_, '_>, id: BlockId, pc: u32) -> Result<(), CompileError> {
    let program = code.program;
    let inst = &program.code[pc as usize];
    notes::begin_notes(code, id, pc);
    lines::locate(code, pc);
    code.at.pc.set(pc);
    let guard = guard_of(inst).map(|guard| (guard.row, guard.negated));
    let is_by_runtime = is_heavy(&inst.op) || heavy::is_of_cluster(code, &inst.op);
    if !is_by_runtime && !code.rows.given.is_empty() {
        let writes = Access::of(&inst.op).writes;
        code.rows.given.retain(|row| !writes.contains(row));
    }
    if let Op::Effect(effect) = &inst.op
        && !is_by_runtime
    {
        probe::check_memory(code, id, guard, effect, pc)?;
    }
    match &inst.op {
        op if singly::comes_singly(code, op) => singly::give_arrived(code, id, guard, op)?,
        op if is_by_runtime => heavy::by_runtime(code, id, guard, op, pc)?,
        Op::Alu(alu) => operation::operation(code, id, guard, alu, pc)?,
        Op::Effect(effect) => match effect {
            Effect::Copy(pairs) => operation::copy(code, id, guard, pairs)?,
            Effect::Special { d, register, component } => {
                operation::special_register(code, id, guard, (*d, *register, *component), pc)?;
            }
            Effect::FrameAddress { d, offset } => {
                let value = code.int(64, *offset as u64 & u64::from(u32::MAX));
                let values: Result<Vec<_>, LlvmError> = (0..code.analysis.shapes.copies(*d))
                    .map(|_| registers::spread(code, value, *d))
                    .collect();
                registers::write(code, id, guard, *d, &values?)?;
            }
            Effect::ActiveMask { d } => {
                let lanes = registers::active_lanes(code, guard)?;
                lane_values::write_same(code, id, guard, *d, lanes)?;
            }
            Effect::Collective(collective) => collective::collective(code, id, guard, collective, pc)?,
            Effect::Load(load) => memory::load(code, id, guard, load, pc)?,
            Effect::Store(store) => memory::store(code, guard, store, pc)?,
            Effect::Atomic(atomic) => atomic::atomic(code, id, guard, atomic, pc)?,
            Effect::VectorAtomic(atomic) => atomic::vector_atomic(code, id, guard, atomic, pc)?,
            Effect::WideAtomic(atomic) => atomic::wide_atomic(code, id, guard, atomic, pc)?,
            // A launch has one proxy only, whose asynchronous operations complete at once.
            Effect::Fence | Effect::ProxyFence => {
                code.builder().fence(Ordering::SeqCst, Scope::System)?;
            }
            Effect::BlockBarrier(barrier) => barrier::barrier(code, id, guard, barrier, pc)?,
            Effect::AsyncCopy(copy) => async_copy::async_copy(code, guard, copy, pc)?,
            // Other families that issue asynchronous operations are not compiled.
            Effect::AsyncGroup(_) => {}
            Effect::Call(call) => rows::call_system(code, id, guard, call, pc)?,
            Effect::Texturing(_) | Effect::Multimem(_) => effects::perform(code, id, guard, effect, pc)?,
            Effect::Nothing | Effect::Pause => {}
            _ => return Err(CompileError::refused(pc, "the instruction is not compiled yet")),
        },
    }
    Ok(())
}
