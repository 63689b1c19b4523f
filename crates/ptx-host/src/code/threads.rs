//! Which threads of the block (CTA) the lanes of the function are.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, IntPredicate, Value};
use ptx_program::WARP;

use super::state::{Code, Inputs};

/// The lanes that are threads, of the warp that has its turn.
pub(super) fn lanes_of_turn<'c>(code: &Code<'_, '_, 'c>) -> Result<Option<Value<'c>>, LlvmError> {
    let Some(turns) = &code.turns else { return Ok(None) };
    let threads: u64 = code.launched.block.iter().map(|&extent| u64::from(extent)).product();
    let last = threads - (turns.warps - 1) * WARP as u64;
    let lanes = code.int(32, u64::from(u32::MAX) >> (WARP as u64 - last));
    let is_last = code.builder().int_compare(IntPredicate::Eq, turns.warp, code.int(32, turns.warps - 1))?;
    code.builder().select(is_last, lanes, code.int(32, u32::MAX.into())).map(Some)
}

/// Lanes of the warps that execute together, or of a part of a warp.
pub(super) fn lanes_of_group(code: &Code<'_, '_, '_>) -> u64 {
    code.analysis.shapes.lanes().group.into()
}

/// The inputs of the warps, or of the part of a warp, that have this turn.
pub(super) fn inputs_of_turn<'c>(code: &Code<'_, '_, 'c>, turn: Value<'c>) -> Result<Inputs<'c>, LlvmError> {
    let (builder, lanes) = (code.builder(), code.analysis.shapes.lanes());
    let (warp, part) = match lanes.parts() {
        1 => (builder.binary(BinaryOp::Mul, turn, code.int(32, lanes.warps() as u64))?, None),
        parts => (builder.binary(BinaryOp::UDiv, turn, code.int(32, parts.into()))?, Some(turn)),
    };
    Ok(Inputs { warp, part, ..code.inputs })
}

/// The index in the block of the first thread of those that execute together.
pub(super) fn first_thread<'c>(code: &Code<'_, '_, 'c>) -> Result<Value<'c>, LlvmError> {
    let (number, lanes) = match code.inputs.part {
        Some(part) => (part, lanes_of_group(code)),
        None => (code.inputs.warp, WARP as u64),
    };
    code.builder().binary(BinaryOp::Mul, number, code.int(32, lanes))
}

/// Converts a lane mask of a part of a warp to one of the warp.
pub(super) fn in_warp<'c>(code: &Code<'_, '_, 'c>, lanes: Value<'c>) -> Result<Value<'c>, LlvmError> {
    if code.inputs.part.is_none() {
        return Ok(lanes);
    }
    let first = first_thread(code)?;
    let first = code.builder().binary(BinaryOp::And, first, code.int(32, WARP as u64 - 1))?;
    code.builder().binary(BinaryOp::Shl, lanes, first)
}

/// The number of threads of the block from the first one of the current warps on.
pub(super) fn threads_left<'c>(code: &Code<'_, '_, 'c>) -> Result<Value<'c>, LlvmError> {
    let threads: u64 = code.launched.block.iter().map(|&extent| u64::from(extent)).product();
    code.builder().binary(BinaryOp::Sub, code.int(32, threads), first_thread(code)?)
}

pub(super) fn of_warp<'c>(
    code: &Code<'_, '_, 'c>,
    array: Value<'c>,
    warp: Value<'c>,
    bytes: u64,
) -> Result<Value<'c>, LlvmError> {
    let at = code.builder().binary(BinaryOp::Mul, code.emit.resize(warp, 64)?, code.int(64, bytes))?;
    code.builder().offset(array, at)
}
