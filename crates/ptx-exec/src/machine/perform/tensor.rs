//! Performs tensor copies and reductions.

use std::ops::Range;

use ptx_program::memory::{Space, rank_and_offset};
use ptx_program::scalar::float::OUT_OF_BOUNDS;
use ptx_program::tensormap::{ElementType, OutOfBounds};
use ptx_program::{Combine, Order};

use crate::machine::memory::View;
use crate::machine::runs::Way;
use crate::machine::tensor_walk::Run;
use crate::machine::tensor_work::{TensorEffect, TensorWork};
use crate::memory::Fault;

/// Alignment of shared memory addresses of tensor copies.
pub(in crate::machine) const SHARED_ALIGNMENT: u64 = 128;
/// Bytes copied per step if all of them are inside the tensor.
pub(in crate::machine) const STEP: u64 = 8;
/// Elements that are padded together, and their bytes in shared memory.
const GROUP: u64 = 16;

impl TensorWork {
    /// The bits written for bits of the tensor: one or more elements.
    fn loaded(&self, bits: u64) -> u64 {
        match self.element {
            ElementType::Tf32 | ElementType::Tf32Ftz => {
                rounded(bits as u32) | rounded((bits >> 32) as u32) << 32
            }
            _ => bits,
        }
    }

    /// The bits written for an element outside the tensor.
    fn filler(&self) -> u64 {
        match self.out_of_bounds {
            OutOfBounds::Zeros => 0,
            // Repeated two or four times for wider types.
            OutOfBounds::Nan => OUT_OF_BOUNDS * 0x0001_0001_0001_0001,
        }
    }
}

/// Copies or reduces all runs.
pub(super) fn perform_tensor(view: &mut View<'_>, work: &TensorWork) -> Result<(), Fault> {
    let (length, mut row) = (work.row(), Vec::new());
    for (number, run) in work.runs.iter().enumerate() {
        let at = work.shared + number as u64 * length;
        match (work.effect, work.element.is_padded()) {
            (TensorEffect::Load, false) if load_whole(view, work, run, at, &mut row) => {}
            (TensorEffect::Store, false) if store_whole(view, work, run, at, &mut row) => {}
            (TensorEffect::Load, false) => load_run(view, work, run, at)?,
            (TensorEffect::Load, true) => load_padded(view, work, run, at)?,
            (TensorEffect::Store, false) => store_run(view, work, run, at)?,
            (TensorEffect::Store, true) => store_padded(view, work, run, at)?,
            (TensorEffect::Reduce(combine), _) => reduce_run(view, work, run, at, combine)?,
        }
    }
    if let TensorEffect::Load = work.effect {
        // A swizzle moves bytes within lines.
        let bytes = work.bytes().next_multiple_of(SHARED_ALIGNMENT);
        view.block.show_written((work.space, work.shared), bytes);
    }
    Ok(())
}

/// Reads the source of a store or reduction, so that shared memory may change.
pub(super) fn read_tensor(view: &View<'_>, work: &mut TensorWork) -> Result<(), Fault> {
    if work.reads_shared() {
        // A swizzle moves bytes within lines of 128.
        let wanted = work.bytes().next_multiple_of(SHARED_ALIGNMENT);
        let (_, offset) = rank_and_offset(work.shared);
        let room = (view.block.shared.len() as u64).saturating_sub(offset);
        let end = work.shared + wanted.min(room);
        let space = work.space;
        let byte = |at| Ok(view.read(0, space, at, 1, Order::Relaxed)? as u8);
        work.read = Some((work.shared..end).map(byte).collect::<Result<_, Fault>>()?);
    }
    Ok(())
}

/// The contents of shared memory, as of the time it was read if it has been.
fn tensor_source(view: &View<'_>, work: &TensorWork, at: u64, size: u64) -> Result<u64, Fault> {
    let at = work.swizzle.apply(at);
    match &work.read {
        None => view.read(0, work.space, at, size as u32, Order::Relaxed),
        Some(bytes) => {
            let bytes = bytes.iter().skip((at - work.shared) as usize).take(size as usize).rev();
            Ok(bytes.fold(0, |value, &byte| value << 8 | u64::from(byte)))
        }
    }
}

/// Copies a run like [`Self::load_run`], all bytes at once; returns false, without effect, if it has to be done in steps. `row` is a buffer.
fn load_whole(view: &mut View<'_>, work: &TensorWork, run: &Run, at: u64, row: &mut Vec<u8>) -> bool {
    let (unit, inside) = units(work.element, run);
    let [first, last, bytes] = [inside.start * unit, inside.end * unit, work.row()];
    if !(run.global | first | at | bytes).is_multiple_of(STEP) {
        return false;
    }
    row.resize(bytes as usize, 0);
    if (first, last) != (0, bytes) {
        // A nonzero filler is a NaN of at least 16 bits (`TensorMap::check`), which repeats within 8 bytes.
        row.as_chunks_mut().0.fill(work.filler().to_le_bytes());
    }
    let Some(from_tensor) = row.get_mut(first as usize..last as usize) else { return false };
    let address = run.global.wrapping_add(first);
    if !from_tensor.is_empty() && !view.grid.global.read_run(address, from_tensor) {
        return false;
    }
    if let ElementType::Tf32 | ElementType::Tf32Ftz = work.element {
        for element in from_tensor.as_chunks_mut().0 {
            *element = (rounded(u32::from_le_bytes(*element)) as u32).to_le_bytes();
        }
    }
    view.block.move_row((work.space, at), work.swizzle, row, Way::ToShared)
}

/// Copies a run like [`Self::store_run`], all bytes at once; see [`Self::load_whole`].
fn store_whole(view: &mut View<'_>, work: &TensorWork, run: &Run, at: u64, row: &mut Vec<u8>) -> bool {
    let (unit, inside) = units(work.element, run);
    let [first, last, bytes] = [inside.start * unit, inside.end * unit, work.row()];
    if work.read.is_some() || !(run.global | first | at | bytes).is_multiple_of(STEP) {
        return false;
    }
    row.resize(bytes as usize, 0);
    if !view.block.move_row((work.space, at), work.swizzle, row, Way::FromShared) {
        return false;
    }
    let to_tensor = row.get(first as usize..last as usize);
    let address = run.global.wrapping_add(first);
    to_tensor.is_some_and(|bytes| bytes.is_empty() || view.grid.global.write_run(address, bytes))
}

/// Copies a run to shared memory and fills elements outside the tensor.
fn load_run(view: &mut View<'_>, work: &TensorWork, run: &Run, at: u64) -> Result<(), Fault> {
    let (unit, inside) = units(work.element, run);
    let (first, last) = (inside.start * unit, inside.end * unit);
    for offset in (0..work.row()).step_by(STEP as usize) {
        let to = work.swizzle.apply(at + offset);
        if first <= offset && offset + STEP <= last {
            let address = run.global.wrapping_add(offset);
            let value = view.read(0, Space::Global, address, STEP as u32, Order::Relaxed)?;
            view.write(0, work.space, to, STEP as u32, work.loaded(value), Order::Relaxed)?;
            continue;
        }
        for byte in (0..STEP).step_by(unit as usize) {
            let address = run.global.wrapping_add(offset + byte);
            let value = if (first..last).contains(&(offset + byte)) {
                work.loaded(view.read(0, Space::Global, address, unit as u32, Order::Relaxed)?)
            } else {
                work.filler()
            };
            view.write(0, work.space, to + byte, unit as u32, value, Order::Relaxed)?;
        }
    }
    Ok(())
}

/// Like [`Self::load_run`], for elements with unused bytes after every 16 elements in shared memory; these are not written.
fn load_padded(view: &mut View<'_>, work: &TensorWork, run: &Run, at: u64) -> Result<(), Fault> {
    let packed = GROUP * work.element.bits() / 8;
    for group in 0..work.length / GROUP {
        let is_inside = run.inside.contains(&(group * GROUP));
        for byte in (0..packed).step_by(4) {
            let from = run.global.wrapping_add(group * packed + byte);
            let value = if is_inside { view.read(0, Space::Global, from, 4, Order::Relaxed)? } else { 0 };
            let to = work.swizzle.apply(at + group * GROUP + byte);
            view.write(0, work.space, to, 4, value, Order::Relaxed)?;
        }
    }
    Ok(())
}

/// Copies the elements inside the tensor to it.
fn store_run(view: &mut View<'_>, work: &TensorWork, run: &Run, at: u64) -> Result<(), Fault> {
    let (unit, inside) = units(work.element, run);
    let (mut offset, last) = (inside.start * unit, inside.end * unit);
    while offset < last {
        let whole = offset.is_multiple_of(STEP) && offset + STEP <= last;
        let size = if whole { STEP } else { unit };
        let value = tensor_source(view, work, at + offset, size)?;
        let to = run.global.wrapping_add(offset);
        view.write(0, Space::Global, to, size as u32, value, Order::Relaxed)?;
        offset += size;
    }
    Ok(())
}

/// Packs the lower 6 bits of each byte (`.b6p2x16`).
fn store_padded(view: &mut View<'_>, work: &TensorWork, run: &Run, at: u64) -> Result<(), Fault> {
    let bits = work.element.bits();
    let packed = GROUP * bits / 8;
    for group in (run.inside.start / GROUP)..(run.inside.end / GROUP) {
        let mut word = 0u128;
        for n in 0..GROUP {
            let value = tensor_source(view, work, at + group * GROUP + n, 1)?;
            word |= u128::from(value & ((1 << bits) - 1)) << (n * bits);
        }
        for byte in (0..packed).step_by(4) {
            let to = run.global.wrapping_add(group * packed + byte);
            let value = (word >> (byte * 8)) as u64 & u64::from(u32::MAX);
            view.write(0, Space::Global, to, 4, value, Order::Relaxed)?;
        }
    }
    Ok(())
}

/// Combines the elements of the tensor with those of shared memory, each atomically.
fn reduce_run(
    view: &mut View<'_>,
    work: &TensorWork,
    run: &Run,
    at: u64,
    combine: Combine,
) -> Result<(), Fault> {
    let (unit, inside) = units(work.element, run);
    for number in inside {
        let value = tensor_source(view, work, at + number * unit, unit)?;
        let to = run.global.wrapping_add(number * unit);
        view.update(Space::Global, to, unit as u32, |space, old| combine.of(space, old, value, value))?;
    }
    Ok(())
}

/// The bytes moved as a unit, and the range of units of the run inside the tensor.
fn units(element: ElementType, run: &Run) -> (u64, Range<u64>) {
    match element.bits() {
        // Two elements share a byte; sizes are even.
        4 => (1, run.inside.start / 2..run.inside.end / 2),
        bits => (bits / 8, run.inside.clone()),
    }
}

/// Rounds an `.f32` value to `.tf32`: 13 bits of the significand are rounded to nearest even (manual 5.5.1). A NaN
/// keeps only the bits that `.tf32` has.
fn rounded(bits: u32) -> u64 {
    const DROPPED: u32 = 13;
    const KEPT: u32 = u32::MAX << DROPPED;
    let magnitude = bits & (u32::MAX >> 1);
    let result = match magnitude {
        0x7f80_0001.. => u32::MAX >> 1 & KEPT,
        0x7f80_0000 => bits,
        _ => {
            let odd = bits >> DROPPED & 1;
            bits.wrapping_add((1 << (DROPPED - 1)) - 1 + odd) & KEPT
        }
    };
    result.into()
}
