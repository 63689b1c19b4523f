//! Operations that the runtime executes for all lanes: those on registers that have no code here, with the interpreter's row functions, and
//! system calls.

use std::mem::offset_of;

use ptx_host_rt::{ARGUMENTS, Runtime};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Value;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_program::{Alu, Call, Op, Slot, WARP};

use super::serial::Held;
use super::state::{Code, Guard};
use super::{registers, runtime, serial};
use crate::analysis::{Access, BlockId};
use crate::error::CompileError;

/// Computes an operation for all lanes, also inactive ones: each function is total.
pub(super) fn by_interpreter<'c>(
    code: &mut Code<'_, '_, 'c>,
    id: BlockId,
    guard: Guard,
    alu: &Alu,
    pc: u32,
) -> Result<(), LlvmError> {
    const SOURCES: usize = 4;
    let access = Access::of(&Op::Alu(*alu));
    for (n, &src) in access.reads.iter().enumerate() {
        let chunks: Result<Vec<_>, LlvmError> = (0..code.chunks)
            .map(|chunk| code.emit.resize(registers::vector(code, src, chunk)?, 64))
            .collect();
        serial::put(code, n, &chunks?)?;
    }
    let mut arguments = vec![code.int(32, pc.into())];
    for n in 0..SOURCES + 2 {
        arguments.push(serial::array(code, n)?);
    }
    runtime::call_runtime(code, offset_of!(Runtime, row), &arguments, code.types.void())?;
    for (n, &dst) in access.writes.iter().enumerate() {
        let result = Held::Array(serial::array(code, SOURCES + n)?, 64);
        let values: Vec<Value<'c>> = if code.analysis.shapes.is_vector(dst) {
            serial::taken(code, result)?
        } else {
            let firsts = code
                .analysis
                .shapes
                .chunks_of(dst)
                .into_iter()
                .map(|chunk| chunk as u64 * u64::from(code.lanes));
            firsts.map(|lane| serial::of_lane(code, result, code.int(64, lane))).collect::<Result<_, _>>()?
        };
        registers::write_index(code, guard, dst, &access.reads)?;
        registers::write(code, id, guard, dst, &values)?;
    }
    Ok(())
}

/// Calls a system function. Its arguments and its result are rows (`inline.rs`).
pub(super) fn call_system(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    call: &Call,
    pc: u32,
) -> Result<(), CompileError> {
    let refused = || CompileError::refused(pc, "the call is not compiled");
    let word = code.types.int(64);
    // The rows of the arguments are one after the other in memory.
    let rows = code.types.array(word, (WARP * ARGUMENTS) as u64);
    let arguments = code.builder().alloca_in_entry(rows, 64)?;
    for (n, slot) in call.arguments.iter().enumerate().take(ARGUMENTS) {
        let Slot::Rows { first, count: 1, .. } = *slot else { return Err(refused()) };
        for chunk in 0..code.chunks {
            let value = code.emit.resize(registers::vector(code, first, chunk)?, 64)?;
            let bytes = 8 * (n * WARP + chunk * code.lanes as usize) as u64;
            let place = code.builder().offset(arguments, code.int(64, bytes))?;
            code.builder().store(value, place, 8, Ordinary)?;
        }
    }
    let result = serial::results(code, 0, 64)?;
    let results = serial::array(code, 0)?;
    let lanes = registers::active_lanes(code, guard)?;
    let local = code.local.unwrap_or_else(|| code.types.pointer(0).zero());
    let given = [code.int(32, pc.into()), lanes, arguments, results, local];
    runtime::call_checked(code, offset_of!(Runtime, call), &given)?;
    if let Some(Slot::Rows { first, .. }) = call.results.first() {
        let dst = first.as_register().ok_or_else(refused)?;
        let values = serial::taken(code, result)?;
        registers::write(code, id, guard, dst, &values)?;
    }
    Ok(())
}
