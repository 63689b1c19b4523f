//! Instructions that the interpreter's runtime executes (`ptx-host-rt/src/effect.rs`): their operands are rows in memory, one after the other.

use std::mem::offset_of;

use ptx_host_rt::{Operands, Runtime, operands};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Value;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_program::{Effect, Src, WARP};

use super::state::{Code, Guard};
use super::{lane_values, registers, runtime};
use crate::analysis::BlockId;

/// Bytes of a row.
pub(super) const ROW: u64 = 8 * WARP as u64;

/// Calls the runtime for an instruction that each lane executes on its own.
pub(super) fn perform(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    effect: &Effect,
    pc: u32,
) -> Result<(), LlvmError> {
    let operands = operands(effect);
    let rows = rows_in_memory(code, operands.len())?;
    for (n, operand) in operands.iter().enumerate() {
        match *operand {
            Operands::Read(src) => put_row(code, rows, n, src)?,
            Operands::Update(row) => put_row(code, rows, n, Src::register(row))?,
            Operands::Write(_) => {}
        }
    }
    let lanes = registers::active_lanes(code, guard)?;
    runtime::call_checked(code, offset_of!(Runtime, effect), &[code.int(32, pc.into()), lanes, rows])?;
    for (n, operand) in operands.iter().enumerate() {
        if let Operands::Write(row) | Operands::Update(row) = *operand {
            let values = row_at(code, rows, n)?;
            lane_values::write_lanes(code, id, guard, row, &values)?;
        }
    }
    Ok(())
}

/// Memory for `count` rows, shared by all instructions that need no more.
pub(super) fn rows_in_memory<'c>(code: &mut Code<'_, '_, 'c>, count: usize) -> Result<Value<'c>, LlvmError> {
    if let Some((memory, rows)) = code.rows.passed
        && rows >= count
    {
        return Ok(memory);
    }
    let ty = code.types.array(code.types.int(64), (count * WARP) as u64);
    let memory = code.builder().alloca_in_entry(ty, 64)?;
    code.rows.passed = Some((memory, count));
    Ok(memory)
}

/// The address of the lanes of a chunk in a row.
fn place_in_row<'c>(
    code: &Code<'_, '_, 'c>,
    rows: Value<'c>,
    row: usize,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    let bytes = row as u64 * ROW + 8 * chunk as u64 * u64::from(code.lanes);
    code.builder().offset(rows, code.int(64, bytes))
}

pub(super) fn put_row<'c>(
    code: &Code<'_, '_, 'c>,
    rows: Value<'c>,
    row: usize,
    src: Src,
) -> Result<(), LlvmError> {
    for chunk in 0..code.chunks {
        let value = code.emit.resize(registers::vector(code, src, chunk)?, 64)?;
        code.builder().store(value, place_in_row(code, rows, row, chunk)?, 8, Ordinary)?;
    }
    Ok(())
}

pub(super) fn row_at<'c>(
    code: &Code<'_, '_, 'c>,
    rows: Value<'c>,
    row: usize,
) -> Result<Vec<Value<'c>>, LlvmError> {
    let ty = code.vector_of(64);
    (0..code.chunks)
        .map(|chunk| code.builder().load(ty, place_in_row(code, rows, row, chunk)?, 8, Ordinary))
        .collect()
}
