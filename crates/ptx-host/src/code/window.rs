//! Accesses to shared memory whose lanes are known to be close together (`analysis/patterns.rs`): one or two vectors that cover the
//! elements of all lanes, and a shuffle.
//!
//! ```text
//! %low = masked.load(%first, ..), %high = masked.load(%first + 64, ..)
//! %x = shufflevector %low, %high, <0, 1, 2, 3, 8, 9, 10, 11, 16, ..>   ; 2 * tid - (tid & 3)
//! ```

use ptx_exec::Space;
use ptx_exec::program::{Src, Store};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Value;
use ptx_llvm::build::Volatility::Ordinary;

use super::addressing::Accessed;
use super::state::Code;
use super::{addressing, registers};
use crate::analysis::is_loaded_before;

/// The elements of a chunk's lanes.
pub(super) struct Window {
    /// Elements from the first lane to the window.
    least: i64,
    /// The element of each lane.
    places: Vec<u32>,
    /// For each vector and element, the lane that accesses it.
    lanes: Vec<Vec<Option<u32>>>,
    /// Whether each vector is within a cache line; shared memory consists of whole lines.
    is_aligned: bool,
}

/// The window of an access of single elements, if there is one: each lane has an element of its own.
pub(super) fn window_of(code: &Code<'_, '_, '_>, accessed: Accessed<'_>) -> Option<Window> {
    const MOST_VECTORS: i64 = 2;
    let is_plain = accessed.address.space == Space::Shared && accessed.count == 1 && !code.checks();
    let pattern = code.analysis.patterns.of(&code.analysis.shapes, accessed.base).filter(|_| is_plain)?;
    let size = i64::from(accessed.size);
    let distances: Vec<i64> = pattern.iter().map(|&distance| i64::from(distance as i32)).collect();
    let least = *distances.iter().min()?;
    let most = *distances.iter().max()?;
    let count = i64::from(code.lanes);
    if distances.iter().any(|distance| distance % size != 0) {
        return None;
    }
    let span = |least: i64| Some(most.checked_sub(least)? / size + 1);
    let before = past_line(code, accessed, least).filter(|before| before % size == 0);
    let aligned = before.map(|before| least - before);
    let aligned = aligned.filter(|&least| span(least).is_some_and(|span| span <= MOST_VECTORS * count));
    let (least, is_aligned) = (aligned.unwrap_or(least), aligned.is_some());
    let span = span(least)?;
    if span > MOST_VECTORS * count {
        return None;
    }
    let places: Vec<u32> = distances.iter().map(|distance| ((distance - least) / size) as u32).collect();
    let vectors = (span + count - 1) / count;
    // The inverse of `places`, for stores. It does not exist if two lanes have one element: then the last of them must store.
    let mut lanes = vec![vec![None; count as usize]; vectors as usize];
    for (lane, &place) in places.iter().enumerate() {
        let element = lanes.get_mut((place / code.lanes) as usize)?.get_mut((place % code.lanes) as usize)?;
        if element.replace(lane as u32).is_some() {
            return None;
        }
    }
    Some(Window { least: least / size, places, lanes, is_aligned })
}

/// The bytes by which the place `distance` bytes after the first lane's is past a multiple of a vector's size, if that is known.
fn past_line(code: &Code<'_, '_, '_>, accessed: Accessed<'_>, distance: i64) -> Option<i64> {
    /// Shared memory consists of whole lines, and begins with one.
    const LINE: i64 = 64;
    let bytes = i64::from(code.lanes) * i64::from(accessed.size);
    let zeros = code.analysis.shapes.facts(accessed.base).zeros.chunk;
    let is_known = bytes <= LINE && zeros >= bytes.trailing_zeros() && !code.launched.clusters;
    is_known.then(|| accessed.offset(0).wrapping_add(distance).rem_euclid(bytes))
}

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
        && !code.warps.is_heavy
        && is_full(code)
        && first.is_some_and(|first| is_loaded_before(code.program, first, pc, store));
    let window = if is_consecutive { None } else { window_of(code, accessed) };
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
