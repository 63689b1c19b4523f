//! Results that are computed for all lanes at once, as rows.

use ptx_host_rt::Status;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{IntPredicate, Value};
use ptx_program::Src;

use super::state::{Code, Guard, Present};
use super::{lane_masks, registers, runtime};
use crate::analysis::BlockId;
use crate::error::defect;

/// Stops the warp unless all 32 lanes take part.
pub(super) fn expect_whole(code: &Code<'_, '_, '_>, pc: u32) -> Result<(), LlvmError> {
    match &code.masks.present {
        Present::Whole => Ok(()),
        Present::Same(lanes) => {
            let all = code.int(32, u64::from(u32::MAX));
            let is_whole = code.builder().int_compare(IntPredicate::Eq, *lanes, all)?;
            lane_masks::unless(code, is_whole, |code| runtime::stop(code, pc, *lanes, Status::NotWhole))
        }
        Present::Each(_) => Err(defect("a matrix instruction of some lanes")),
    }
}

/// Writes one value to all active lanes.
pub(super) fn write_same<'c>(
    code: &Code<'_, '_, 'c>,
    id: BlockId,
    guard: Guard,
    d: u32,
    value: Value<'c>,
) -> Result<(), LlvmError> {
    let values: Vec<Value<'c>> = (0..code.analysis.shapes.copies(d))
        .map(|_| registers::spread(code, value, d))
        .collect::<Result<_, _>>()?;
    registers::write(code, id, guard, d, &values)
}

/// Writes vectors. A row that is not a vector is known to be uniform.
pub(super) fn write_lanes<'c>(
    code: &Code<'_, '_, 'c>,
    id: BlockId,
    guard: Guard,
    d: u32,
    values: &[Value<'c>],
) -> Result<(), LlvmError> {
    if code.analysis.shapes.is_vector(d) {
        return registers::write(code, id, guard, d, values);
    }
    let first = values.first().ok_or_else(|| defect("no values"))?;
    write_same(code, id, guard, d, code.builder().extract_element(*first, 0)?)
}

/// The values of a source in vectors, of at least 32 bits.
pub(super) fn words<'c>(code: &Code<'_, '_, 'c>, src: Src) -> Result<Vec<Value<'c>>, LlvmError> {
    let bits = code.analysis.widths.src(src).max(32);
    registers::vectors(code, src, bits)
}
