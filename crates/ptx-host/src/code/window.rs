//! Accesses to shared memory whose lanes are known to be close together (`analysis/patterns.rs`): one or two vectors that cover the
//! elements of all lanes, and a shuffle.
//!
//! ```text
//! %low = masked.load(%first, ..), %high = masked.load(%first + 64, ..)
//! %x = shufflevector %low, %high, <0, 1, 2, 3, 8, 9, 10, 11, 16, ..>   ; 2 * tid - (tid & 3)
//! ```

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Value;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_program::Src;

use super::state::Code;
use super::{addressing, lane_masks, registers};
use crate::analysis::{Accessed, Window};

/// Whether all lanes of the warp are known to execute the current block.
fn is_full(code: &Code<'_, '_, '_>) -> bool {
    let all = lane_masks::all_of_chunk(code);
    all.is_ok_and(|all| code.masks.active.iter().all(|&mask| mask == all))
}

/// The loaded values of a chunk's lanes.
pub(super) fn load_window<'c>(
    code: &Code<'_, '_, 'c>,
    accessed: Accessed<'_>,
    window: &Window,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    let ty = code.vector_of(accessed.bits());
    let active = registers::active(code, accessed.guard, chunk)?;
    let mut vectors = Vec::new();
    for (number, lanes) in window.lanes.iter().enumerate() {
        let place = window_place(code, accessed, window, chunk, number)?;
        // At least one lane accesses the line.
        if window.is_aligned && accessed.guard.is_none() && is_full(code) && lanes.iter().any(Option::is_some)
        {
            vectors.push(code.builder().load(ty, place, accessed.size, Ordinary)?);
            continue;
        }
        let mask = window_mask(code, active, lanes)?;
        vectors.push(code.builder().masked_load(ty, place, accessed.size, mask, ty.zero())?);
    }
    let places: Vec<_> = window.places.iter().map(|&place| Some(place)).collect();
    let (Some(&low), Some(&high)) = (vectors.first(), vectors.last()) else {
        return Err(crate::error::defect("a window without vectors"));
    };
    code.builder().shuffle(low, high, &places)
}

/// Stores the values of a chunk's lanes.
pub(super) fn store_window(
    code: &Code<'_, '_, '_>,
    accessed: Accessed<'_>,
    window: &Window,
    chunk: usize,
    src: Src,
) -> Result<(), LlvmError> {
    let value = code.emit.resize(registers::vector(code, src, chunk)?, accessed.bits())?;
    let active = registers::active(code, accessed.guard, chunk)?;
    let count = code.lanes;
    for (number, lanes) in window.lanes.iter().enumerate() {
        let place = window_place(code, accessed, window, chunk, number)?;
        if window.is_aligned && accessed.guard.is_none() && is_full(code) && lanes.iter().any(Option::is_some)
        {
            // Elements in between are stored unchanged: no other thread of the block runs meanwhile.
            let before = code.builder().load(value.ty(), place, accessed.size, Ordinary)?;
            let places = (0..count).zip(lanes).map(|(at, lane)| Some(lane.unwrap_or(count + at)));
            let values = code.builder().shuffle(value, before, &places.collect::<Vec<_>>())?;
            code.builder().store(values, place, accessed.size, Ordinary)?;
            continue;
        }
        let mask = window_mask(code, active, lanes)?;
        let values = code.builder().shuffle(value, value, lanes)?;
        code.builder().masked_store(values, place, accessed.size, mask)?;
    }
    Ok(())
}

fn window_place<'c>(
    code: &Code<'_, '_, 'c>,
    accessed: Accessed<'_>,
    window: &Window,
    chunk: usize,
    number: usize,
) -> Result<Value<'c>, LlvmError> {
    let first = registers::first(code, accessed.base, chunk)?;
    let elements = window.least + number as i64 * i64::from(code.lanes);
    let offset = accessed.offset(0).wrapping_add(elements * i64::from(accessed.size));
    addressing::place(code, accessed.address.space, first, offset)
}

/// The elements of a vector whose lanes are active.
fn window_mask<'c>(
    code: &Code<'_, '_, 'c>,
    active: Value<'c>,
    lanes: &[Option<u32>],
) -> Result<Value<'c>, LlvmError> {
    let none = code.lanes;
    let lanes: Vec<_> = lanes.iter().map(|lane| Some(lane.unwrap_or(none))).collect();
    code.builder().shuffle(active, active.ty().zero(), &lanes)
}
