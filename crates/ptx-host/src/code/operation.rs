//! Operations on registers alone, which need neither memory nor other lanes.

use ptx_isa::{Component, SpecialReg};
use ptx_llvm_core::LlvmError;
use ptx_program::{Alu, Effect, Op, Src};

use super::state::{Code, Guard};
use super::{lines, notes, registers, rows, special};
use crate::analysis::{Access, BlockId, guard_of};
use crate::emit::alu::{Nan, Style, alu_with};
use crate::error::{CompileError, defect};

/// Generates an operation. Those that have no emitter are executed by the interpreter's functions.
///
/// # Errors
/// There is no emitter, and the function is not of one warp.
pub(super) fn operation(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    alu: &Alu,
    pc: u32,
) -> Result<(), CompileError> {
    if emitted(code, id, guard, alu)?.is_some() {
        return Ok(());
    }
    if !code.analysis.is_of_warp() {
        return Err(CompileError::refused(pc, "the interpreter's functions are for one warp"));
    }
    Ok(rows::by_interpreter(code, id, guard, alu, pc)?)
}

/// Generates an operation, if it has an emitter: once if its results are scalars, otherwise for each chunk.
fn emitted(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    alu: &Alu,
) -> Result<Option<()>, LlvmError> {
    let access = Access::of(&Op::Alu(*alu));
    let mut results = Vec::new();
    for &dst in &access.writes {
        let nan = if code.analysis.nans.has_any(dst) { Nan::Any } else { Nan::Canonical };
        let style = Style { nan, ..code.style };
        let mut values = Vec::new();
        for chunk in code.analysis.shapes.chunks_of(dst) {
            let arguments = registers::arguments(code, alu, &access.reads, dst, chunk)?;
            let Some(made) = alu_with(&code.emit, alu, &arguments, style)? else { return Ok(None) };
            let which = usize::from(results.len() == 1);
            values.extend(made.get(which));
        }
        results.push((dst, values));
    }
    for (dst, values) in results {
        registers::write_index(code, guard, dst, &access.reads)?;
        registers::write(code, id, guard, dst, &values)?;
    }
    Ok(Some(()))
}

/// Generates copies of registers, all read before any is written.
pub(super) fn copy(
    code: &Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    pairs: &[(u32, Src)],
) -> Result<(), LlvmError> {
    let read: Result<Vec<_>, LlvmError> =
        pairs.iter().map(|(dst, src)| Ok((*dst, registers::copied(code, *src, *dst)?))).collect();
    for ((dst, values), (_, src)) in read?.into_iter().zip(pairs.iter()) {
        registers::write_index(code, guard, dst, &[*src])?;
        registers::write(code, id, guard, dst, &values)?;
    }
    Ok(())
}

/// Generates a read of a special register into a row.
pub(super) fn special_register(
    code: &Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    (d, register, component): (u32, SpecialReg, Option<Component>),
    pc: u32,
) -> Result<(), CompileError> {
    let values = special::special(code, d, register, component, pc)?;
    Ok(registers::write(code, id, guard, d, &values)?)
}

/// Generates the operation of an instruction again, at a place where its row is recomputed (`analysis/again.rs`).
///
/// # Errors
/// The instruction is not an operation on registers alone.
pub(super) fn recompute(code: &mut Code<'_, '_, '_>, id: BlockId, pc: u32) -> Result<(), CompileError> {
    let program = code.program;
    let inst = &program.code[pc as usize];
    notes::begin_notes(code, id, pc);
    lines::locate(code, pc);
    code.at.pc.set(pc);
    let guard = guard_of(inst).map(|guard| (guard.row, guard.negated));
    match &inst.op {
        Op::Alu(alu) => operation(code, id, guard, alu, pc),
        Op::Effect(Effect::Copy(pairs)) => Ok(copy(code, id, guard, pairs)?),
        Op::Effect(Effect::Special { d, register, component }) => {
            special_register(code, id, guard, (*d, *register, *component), pc)
        }
        Op::Effect(_) => Err(defect("a row is recomputed by more than an operation on registers").into()),
    }
}
