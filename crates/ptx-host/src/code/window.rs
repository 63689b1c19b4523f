//! Accesses to shared memory whose lanes are known to be close together (`analysis/patterns.rs`): one or two vectors that cover the
//! elements of all lanes, and a shuffle.
//!
//! ```text
//! %low = masked.load(%first, ..), %high = masked.load(%first + 64, ..)
//! %x = shufflevector %low, %high, <0, 1, 2, 3, 8, 9, 10, 11, 16, ..>   ; 2 * tid - (tid & 3)
//! ```

use ptx_llvm::LlvmError;
use ptx_llvm::build::Value;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_program::{Src, Store};

use super::state::Code;
use super::{addressing, registers};
use crate::analysis::{Accessed, Window, is_loaded_before, window_of};

/// Whether all lanes of the warp are known to execute the current block.
fn is_full(code: &Code<'_, '_, '_>) -> bool {
    let all = code.types.int_vector(1, &vec![1; code.lanes as usize]);
    all.is_ok_and(|all| code.masks.active.iter().all(|&mask| mask == all))
}

/// Stores single elements where a guard holds, to addresses that all lanes have loaded from (`analysis/exchange.rs`): the other lanes
/// store the old value again. Returns whether it applies.
pub(super) fn store_blended(
    code: &Code<'_, '_, '_>,
    accessed: Accessed<'_>,
    is_consecutive: bool,
    (store, pc): (&Store, u32),
) -> Result<bool, LlvmError> {
    let first = code.at.block.map(|id| code.analysis.graph.block(id).first);
    let is_exchange = accessed.guard.is_some()
        && !code.checks()
        && !code.launched.clusters
        && !code.strategy.is_heavy()
        && is_full(code)
        && first.is_some_and(|first| is_loaded_before(code.program, first, pc, store));
    let window = if is_consecutive { None } else { window_of(code.analysis, code.launched, accessed) };
    let (true, &[src]) = (is_exchange && (is_consecutive || window.is_some()), &*store.srcs) else {
        return Ok(false);
    };
    for chunk in 0..code.chunks {
        let active = registers::active(code, accessed.guard, chunk)?;
        let all = Accessed { guard: None, ..accessed };
        let value = code.emit.resize(registers::vector(code, src, chunk)?, accessed.bits())?;
        if let Some(window) = &window {
            let before = load_window(code, all, window, chunk)?;
            let value = code.builder().select(active, value, before)?;
            store_window_of(code, all, window, chunk, value)?;
            continue;
        }
        let place =
            addressing::element_place(code, accessed, registers::first(code, accessed.base, chunk)?, 0)?;
        let before = code.builder().load(value.ty(), place, accessed.size, Ordinary)?;
        let value = code.builder().select(active, value, before)?;
        code.builder().store(value, place, accessed.size, Ordinary)?;
    }
    Ok(true)
}

/// The loaded values of a chunk's lanes.
pub(super) fn load_window<'c>(
    code: &Code<'_, '_, 'c>,
    accessed: Accessed<'_>,
    window: &Window,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    let ty = code.types.vector(code.types.int(accessed.bits()), code.lanes);
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
    store_window_of(code, accessed, window, chunk, value)
}

fn store_window_of<'c>(
    code: &Code<'_, '_, 'c>,
    accessed: Accessed<'_>,
    window: &Window,
    chunk: usize,
    value: Value<'c>,
) -> Result<(), LlvmError> {
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
