//! Operations for which lanes are missing, in kernels with loops that may wait for other threads (`analysis/progress.rs`): these can let each other run
//! in turn forever, so code counts them.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, IntPredicate};

use super::lane_masks;
use super::state::Code;

/// Counts an operation for which lanes are missing. If there were more since a block ran than there are blocks, the lanes wait for each
/// other forever, and `end` follows.
pub(super) fn unless_in_vain<'c>(
    code: &Code<'_, '_, 'c>,
    end: impl FnOnce(&Code<'_, '_, 'c>) -> Result<(), LlvmError>,
) -> Result<(), LlvmError> {
    let Some(place) = code.masks.vain else { return Ok(()) };
    let word = code.types.int(32);
    let count = code.builder().load(word, place, 4, Ordinary)?;
    let count = code.builder().binary(BinaryOp::Add, count, code.int(32, 1))?;
    code.builder().store(count, place, 4, Ordinary)?;
    let most = code.int(32, code.analysis.graph.blocks().len() as u64);
    let goes_on = code.builder().int_compare(IntPredicate::Ule, count, most)?;
    lane_masks::unless(code, goes_on, end)
}

/// Resets the counter when a block runs.
pub(super) fn forget(code: &Code<'_, '_, '_>) -> Result<(), LlvmError> {
    let Some(place) = code.masks.vain else { return Ok(()) };
    code.builder().store(code.int(32, 0), place, 4, Ordinary).map(drop)
}
