//! Tensor copies and reductions, and tensor maps (manual 9.7.9.25.5, 9.7.9.28, 9.7.13.16).
//!
//! An instruction becomes a [`TensorWork`] with all operands for each thread; it is performed when it completes.

use std::ops::Range;

use super::Stop;
use super::block::{BlockState, in_target};
use super::completion::{Registers, operand_address};
use super::grid::Grid;
use super::memory::{View, addresses, check_alignment};
use super::operation::{Operation, Order as Ordered, Signal};
use super::rows::same_value;
use super::runs::Way;
use super::sectors::Sectors;
use super::tensor_walk::{Run, Walk};
use super::tensor_work::{TensorEffect, TensorWork};
use super::warp::Warp;
use super::work::Work;
use crate::error::TrapKind;
use crate::launch::Completion;
use crate::memory::{Fault, FaultKind, Order, Space, SpaceAddress, rank_and_offset};
use crate::program::{
    Base, Combine, Family, FloatCombine, FloatExtreme, Mask, Packing, Row, Src, TensorAction, TensorCopy,
    TensorReduction, TensormapCopy, TensormapReplace, first_lane, lanes,
};
use crate::scalar::float::{Extreme, NanRule, OUT_OF_BOUNDS, SignRule, Subnormals};
use crate::scalar::format::Format;
use crate::scalar::int::Int;
use crate::tensormap::{self, ElementType, Interleave, OutOfBounds, Swizzle, TensorMap};

/// Alignment of shared memory addresses of tensor copies.
const SHARED_ALIGNMENT: u64 = 128;
/// Bytes copied per step if all of them are inside the tensor.
const STEP: u64 = 8;
/// Elements that are padded together, and their bytes in shared memory.
const GROUP: u64 = 16;

fn misuse(text: impl Into<String>) -> TrapKind {
    TrapKind::Misuse(text.into())
}

impl TensorWork {
    /// Bytes of a run in shared memory.
    fn row(&self) -> u64 {
        self.element.shared_bytes(self.length)
    }

    /// Bytes of shared memory copied, including elements outside the tensor.
    fn bytes(&self) -> u64 {
        self.row() * self.runs.len() as u64
    }

    /// The sectors of the tensor's memory touched by the copy.
    fn sectors(&self) -> Sectors {
        let mut sectors = Sectors::default();
        for run in &self.runs {
            let bytes = |elements: u64| elements * self.element.bits() / 8;
            let start = run.global.wrapping_add(bytes(run.inside.start));
            sectors.add(start, bytes(run.inside.end.saturating_sub(run.inside.start)));
        }
        sectors
    }

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

impl View<'_> {
    /// Copies or reduces all runs.
    pub(super) fn perform_tensor(&mut self, work: &TensorWork) -> Result<(), Fault> {
        let (length, mut row) = (work.row(), Vec::new());
        for (number, run) in work.runs.iter().enumerate() {
            let at = work.shared + number as u64 * length;
            match (work.effect, work.element.is_padded()) {
                (TensorEffect::Load, false) if self.load_whole(work, run, at, &mut row) => {}
                (TensorEffect::Store, false) if self.store_whole(work, run, at, &mut row) => {}
                (TensorEffect::Load, false) => self.load_run(work, run, at)?,
                (TensorEffect::Load, true) => self.load_padded(work, run, at)?,
                (TensorEffect::Store, false) => self.store_run(work, run, at)?,
                (TensorEffect::Store, true) => self.store_padded(work, run, at)?,
                (TensorEffect::Reduce(combine), _) => self.reduce_run(work, run, at, combine)?,
            }
        }
        if let TensorEffect::Load = work.effect {
            // A swizzle moves bytes within lines.
            let bytes = work.bytes().next_multiple_of(SHARED_ALIGNMENT);
            self.block.show_written((work.space, work.shared), bytes);
        }
        Ok(())
    }

    /// Reads the source of a store or reduction, so that shared memory may change.
    pub(super) fn read_tensor(&self, work: &mut TensorWork) -> Result<(), Fault> {
        if work.reads_shared() {
            // A swizzle moves bytes within lines of 128.
            let wanted = work.bytes().next_multiple_of(SHARED_ALIGNMENT);
            let (_, offset) = rank_and_offset(work.shared);
            let room = (self.block.shared.len() as u64).saturating_sub(offset);
            let end = work.shared + wanted.min(room);
            let space = work.space;
            let byte = |at| Ok(self.read(0, space, at, 1, Order::Relaxed)? as u8);
            work.read = Some((work.shared..end).map(byte).collect::<Result<_, Fault>>()?);
        }
        Ok(())
    }

    /// The contents of shared memory, as of the time it was read if it has been.
    fn tensor_source(&self, work: &TensorWork, at: u64, size: u64) -> Result<u64, Fault> {
        let at = work.swizzle.apply(at);
        match &work.read {
            None => self.read(0, work.space, at, size as u32, Order::Relaxed),
            Some(bytes) => {
                let bytes = bytes.iter().skip((at - work.shared) as usize).take(size as usize).rev();
                Ok(bytes.fold(0, |value, &byte| value << 8 | u64::from(byte)))
            }
        }
    }

    /// Copies a run like [`Self::load_run`], all bytes at once; returns false, without effect, if it has to be done in steps. `row` is a buffer.
    fn load_whole(&mut self, work: &TensorWork, run: &Run, at: u64, row: &mut Vec<u8>) -> bool {
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
        if !from_tensor.is_empty() && !self.grid.global.read_run(address, from_tensor) {
            return false;
        }
        if let ElementType::Tf32 | ElementType::Tf32Ftz = work.element {
            for element in from_tensor.as_chunks_mut().0 {
                *element = (rounded(u32::from_le_bytes(*element)) as u32).to_le_bytes();
            }
        }
        self.block.move_row((work.space, at), work.swizzle, row, Way::ToShared)
    }

    /// Copies a run like [`Self::store_run`], all bytes at once; see [`Self::load_whole`].
    fn store_whole(&mut self, work: &TensorWork, run: &Run, at: u64, row: &mut Vec<u8>) -> bool {
        let (unit, inside) = units(work.element, run);
        let [first, last, bytes] = [inside.start * unit, inside.end * unit, work.row()];
        if work.read.is_some() || !(run.global | first | at | bytes).is_multiple_of(STEP) {
            return false;
        }
        row.resize(bytes as usize, 0);
        if !self.block.move_row((work.space, at), work.swizzle, row, Way::FromShared) {
            return false;
        }
        let to_tensor = row.get(first as usize..last as usize);
        let address = run.global.wrapping_add(first);
        to_tensor.is_some_and(|bytes| bytes.is_empty() || self.grid.global.write_run(address, bytes))
    }

    /// Copies a run to shared memory and fills elements outside the tensor.
    fn load_run(&mut self, work: &TensorWork, run: &Run, at: u64) -> Result<(), Fault> {
        let (unit, inside) = units(work.element, run);
        let (first, last) = (inside.start * unit, inside.end * unit);
        for offset in (0..work.row()).step_by(STEP as usize) {
            let to = work.swizzle.apply(at + offset);
            if first <= offset && offset + STEP <= last {
                let address = run.global.wrapping_add(offset);
                let value = self.read(0, Space::Global, address, STEP as u32, Order::Relaxed)?;
                self.write(0, work.space, to, STEP as u32, work.loaded(value), Order::Relaxed)?;
                continue;
            }
            for byte in (0..STEP).step_by(unit as usize) {
                let address = run.global.wrapping_add(offset + byte);
                let value = if (first..last).contains(&(offset + byte)) {
                    work.loaded(self.read(0, Space::Global, address, unit as u32, Order::Relaxed)?)
                } else {
                    work.filler()
                };
                self.write(0, work.space, to + byte, unit as u32, value, Order::Relaxed)?;
            }
        }
        Ok(())
    }

    /// Like [`Self::load_run`], for elements with unused bytes after every 16 elements in shared memory; these are not written.
    fn load_padded(&mut self, work: &TensorWork, run: &Run, at: u64) -> Result<(), Fault> {
        let packed = GROUP * work.element.bits() / 8;
        for group in 0..work.length / GROUP {
            let is_inside = run.inside.contains(&(group * GROUP));
            for byte in (0..packed).step_by(4) {
                let from = run.global.wrapping_add(group * packed + byte);
                let value = if is_inside { self.read(0, Space::Global, from, 4, Order::Relaxed)? } else { 0 };
                let to = work.swizzle.apply(at + group * GROUP + byte);
                self.write(0, work.space, to, 4, value, Order::Relaxed)?;
            }
        }
        Ok(())
    }

    /// Copies the elements inside the tensor to it.
    fn store_run(&mut self, work: &TensorWork, run: &Run, at: u64) -> Result<(), Fault> {
        let (unit, inside) = units(work.element, run);
        let (mut offset, last) = (inside.start * unit, inside.end * unit);
        while offset < last {
            let whole = offset.is_multiple_of(STEP) && offset + STEP <= last;
            let size = if whole { STEP } else { unit };
            let value = self.tensor_source(work, at + offset, size)?;
            let to = run.global.wrapping_add(offset);
            self.write(0, Space::Global, to, size as u32, value, Order::Relaxed)?;
            offset += size;
        }
        Ok(())
    }

    /// Packs the lower 6 bits of each byte (`.b6p2x16`).
    fn store_padded(&mut self, work: &TensorWork, run: &Run, at: u64) -> Result<(), Fault> {
        let bits = work.element.bits();
        let packed = GROUP * bits / 8;
        for group in (run.inside.start / GROUP)..(run.inside.end / GROUP) {
            let mut word = 0u128;
            for n in 0..GROUP {
                let value = self.tensor_source(work, at + group * GROUP + n, 1)?;
                word |= u128::from(value & ((1 << bits) - 1)) << (n * bits);
            }
            for byte in (0..packed).step_by(4) {
                let to = run.global.wrapping_add(group * packed + byte);
                let value = (word >> (byte * 8)) as u64 & u64::from(u32::MAX);
                self.write(0, Space::Global, to, 4, value, Order::Relaxed)?;
            }
        }
        Ok(())
    }

    /// Combines the elements of the tensor with those of shared memory, each atomically.
    fn reduce_run(&mut self, work: &TensorWork, run: &Run, at: u64, combine: Combine) -> Result<(), Fault> {
        let (unit, inside) = units(work.element, run);
        for number in inside {
            let value = self.tensor_source(work, at + number * unit, unit)?;
            let to = run.global.wrapping_add(number * unit);
            self.update(Space::Global, to, unit as u32, |space, old| combine.of(space, old, value, value))?;
        }
        Ok(())
    }
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

/// The reduction of an element type (manual 9.7.9.25.5.3, table of operations and types).
fn combination(op: TensorReduction, element: ElementType) -> Option<Combine> {
    use ElementType::{Bf16, F16, F32, F32Ftz, S32, S64, U32, U64};
    use TensorReduction::{Add, And, Dec, Inc, Max, Min, Or, Xor};
    let int = match element {
        U32 => Some(Int::U32),
        S32 => Some(Int::S32),
        U64 => Some(Int::U64),
        S64 => Some(Int::S64),
        _ => None,
    };
    let half = match element {
        F16 => Some(Format::F16),
        Bf16 => Some(Format::Bf16),
        _ => None,
    };
    let extreme = |which, format| {
        let (nan, sign, subnormals) = (NanRule::Ignore, SignRule::Plain, Subnormals::Keep);
        let extreme = FloatExtreme { format, subnormals, which, nan, sign };
        Combine::Float(FloatCombine::Extreme(extreme, Packing::Whole))
    };
    match (op, element) {
        (Add, U32 | S32 | U64) => int.map(Combine::IntAdd),
        (Add, F32) => Some(Combine::Float(FloatCombine::AddF32 { in_global: Subnormals::Keep })),
        (Add, F32Ftz) => Some(Combine::Float(FloatCombine::AddF32 { in_global: Subnormals::Flush })),
        (Add, _) => half.map(|format| Combine::Float(FloatCombine::Add(format, Packing::Whole))),
        (Min, _) => int.map(Combine::IntMin).or(half.map(|format| extreme(Extreme::Min, format))),
        (Max, _) => int.map(Combine::IntMax).or(half.map(|format| extreme(Extreme::Max, format))),
        (Inc, U32) => Some(Combine::Inc),
        (Dec, U32) => Some(Combine::Dec),
        (And, U32 | S32 | U64 | S64) => Some(Combine::And),
        (Or, U32 | S32 | U64 | S64) => Some(Combine::Or),
        (Xor, U32 | S32 | U64 | S64) => Some(Combine::Xor),
        (Inc | Dec | And | Or | Xor, _) => None,
    }
}

impl View<'_> {
    /// The 128 bytes at an address.
    fn map_bytes(
        &self,
        lane: usize,
        (space, address): (Space, u64),
    ) -> Result<[u8; tensormap::BYTES], Fault> {
        check_alignment(space, address, tensormap::ALIGNMENT)?;
        let mut bytes = [0; tensormap::BYTES];
        for (n, word) in bytes.chunks_exact_mut(8).enumerate() {
            let at = address.wrapping_add(n as u64 * 8);
            let value = self.read(lane, space, at, 8, Order::Relaxed)?;
            word.copy_from_slice(&value.to_le_bytes());
        }
        Ok(bytes)
    }

    fn write_map(
        &mut self,
        lane: usize,
        (space, address): (Space, u64),
        bytes: &[u8; tensormap::BYTES],
    ) -> Result<(), Fault> {
        check_alignment(space, address, tensormap::ALIGNMENT)?;
        for (n, word) in bytes.chunks_exact(8).enumerate() {
            let value = word.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
            self.write(lane, space, address.wrapping_add(n as u64 * 8), 8, value, Order::Relaxed)?;
        }
        Ok(())
    }

    /// The tensor map at an address, decoded.
    fn map(&self, lane: usize, location: (Space, u64)) -> Result<TensorMap, TrapKind> {
        let found = match location.0 {
            Space::Generic => {
                Space::of_generic(location.1, self.grid.addresses).map_or(Space::Generic, |(space, _)| space)
            }
            space => space,
        };
        if found.is_shared() || found == Space::Local {
            let text = "a tensor map that is used lies in .param, .const or .global, not in";
            return Err(misuse(format!("{text} {}", found.as_str())));
        }
        let bytes = self.map_bytes(lane, location).map_err(TrapKind::Fault)?;
        TensorMap::from_bytes(&bytes).map_err(|error| misuse(error.to_string()))
    }
}

impl Warp {
    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn tensor_copy(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        copy: &TensorCopy,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let (local, warp) = (self.frames[frame].local, self.id);
        let active = match grid.completion == Completion::Eager && grid.counting().is_none() {
            true => needed(copy, rows, self.constants(grid), active),
            false => active,
        };
        let mut view = self.view(grid, block);
        for lane in lanes(active) {
            let resolved = Operands { copy, rows: &*rows, local, lane };
            let work = resolved.work(&view).map_err(|kind| Stop::at(kind, pc, lane))?;
            // The copies of the other blocks of a multicast read the same elements.
            if let (Some(observer), Some((first, _))) = (grid.counting(), work.first()) {
                observer.touch(pc, &first.sectors());
            }
            for (work, barrier) in work {
                let bytes = work.bytes();
                let operation = Operation::new(Work::Tensor(work), (warp, lane, pc));
                let operation = match barrier {
                    None => operation.grouped(Family::Bulk, Ordered::Free),
                    Some(barrier) => operation.signals(Signal::Transactions(barrier, bytes)),
                };
                view.issue(operation, &mut Registers::Running { warp, frame, rows })?;
            }
        }
        self.issued(block);
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn tensormap_replace(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &[Row],
        change: &TensormapReplace,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let constants = self.constants(grid);
        let to = addresses(&change.map, rows, constants, self.frames[frame].local);
        let mut view = self.view(grid, block);
        for lane in lanes(active) {
            let location = (change.map.space, to.of(lane));
            let value = change.value.of(rows, constants)[lane];
            let fault = |fault| Stop::at(TrapKind::Fault(fault), pc, lane);
            let bytes = view.map_bytes(lane, location).map_err(fault)?;
            let changed = TensorMap::for_replacement(&bytes).and_then(|mut map| {
                map.replace(change.field, value)?;
                Ok(map)
            });
            let map = changed.map_err(|error| Stop::at(misuse(error.to_string()), pc, lane))?;
            view.write_map(lane, location, &map.to_bytes()).map_err(fault)?;
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn tensormap_copy(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &[Row],
        copy: &TensormapCopy,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let constants = self.constants(grid);
        let local = self.frames[frame].local;
        let (to, from) =
            (addresses(&copy.to, rows, constants, local), addresses(&copy.from, rows, constants, local));
        let mut view = self.view(grid, block);
        for lane in lanes(active) {
            let copied = view
                .map_bytes(lane, (copy.from.space, from.of(lane)))
                .and_then(|bytes| view.write_map(lane, (copy.to.space, to.of(lane)), &bytes));
            copied.map_err(|fault| Stop::at(TrapKind::Fault(fault), pc, lane))?;
        }
        Ok(())
    }
}

/// The lanes that have to execute a copy: a single one if all store the same data, since the other stores would be
/// redundant. Kernels execute stores with whole warps.
fn needed(copy: &TensorCopy, rows: &[Row], constants: &[Row], active: Mask) -> Mask {
    let TensorAction::Store = copy.action else { return active };
    let bases = [copy.map.base, copy.shared.base].into_iter().filter_map(|base| match base {
        Base::Row(src, _) => Some(src),
        Base::Frame => None,
    });
    let numbers = copy.coordinates.iter().chain(&copy.offsets).chain(&copy.address);
    let first = first_lane(active);
    let is_same = |src: Src| same_value(src.of(rows, constants), active, first) == active;
    if bases.chain(numbers.copied()).all(is_same) { 1 << first } else { active }
}

/// A tensor copy with the operands of one thread.
struct Operands<'a> {
    copy: &'a TensorCopy,
    rows: &'a [Row],
    local: u32,
    lane: usize,
}

impl Operands<'_> {
    /// The work for each destination block, and the mbarrier that is signalled.
    fn work(&self, view: &View<'_>) -> Result<Vec<(TensorWork, Option<SpaceAddress>)>, TrapKind> {
        let (copy, lane) = (self.copy, self.lane);
        let constants = view.grid.constants(view.block.rank);
        let of = |src: Src| src.of(self.rows, constants)[lane];
        let address = |at| addresses(at, self.rows, constants, self.local).of(lane);
        let mut map = view.map(lane, (copy.map.space, address(&copy.map)))?;
        if let Some(src) = copy.address {
            map.address = of(src);
        }
        map.check().map_err(|error| misuse(format!("the tensor map cannot be used: {error}")))?;
        let (mut targets, mut is_for_pairs) = (vec![None], false);
        let (effect, barrier) = match &copy.action {
            TensorAction::Load { barrier, blocks, for_pairs } => {
                is_for_pairs = *for_pairs;
                targets = view.block.targets(blocks.map(of))?;
                let barrier = view.barrier_address((barrier.space, address(barrier)))?;
                (TensorEffect::Load, Some(barrier))
            }
            TensorAction::Store if map.element == ElementType::B4x16P64 => {
                return Err(misuse("elements of type `.b4x16_p64` cannot be stored"));
            }
            TensorAction::Store => (TensorEffect::Store, None),
            TensorAction::Reduce(op) => {
                let combine = combination(*op, map.element);
                let text = || misuse(format!("elements of type {:?} have no operation {op:?}", map.element));
                (TensorEffect::Reduce(combine.ok_or_else(text)?), None)
            }
        };
        let coordinates: Vec<i64> = copy.coordinates.iter().map(|&src| i64::from(of(src) as i32)).collect();
        let offsets: Vec<u64> = copy.offsets.iter().map(|&src| of(src) & u64::from(u16::MAX)).collect();
        let stores = !matches!(effect, TensorEffect::Load);
        let (mode, map) = (copy.mode, &map);
        let walk = Walk { map, mode, coordinates: &coordinates, offsets: &offsets, stores };
        walk.check(copy.rank).map_err(TrapKind::Misuse)?;
        let (space, shared) =
            match operand_address(view.grid, copy.shared.space, address(&copy.shared), STEP as u32)? {
                (space, address) if space.is_shared() => (space, address),
                (space, _) => {
                    let text = "a box is copied from or to shared memory, not";
                    return Err(misuse(format!("{text} {}", space.as_str())));
                }
            };
        let length = walk.run_length();
        let swizzle = map.swizzle().map_err(|error| misuse(error.to_string()))?;
        check_rows(map, swizzle, length, walk.count())?;
        check_room(view, (space, shared), map.element.shared_bytes(length).saturating_mul(walk.count()))?;
        let runs = walk.runs().map_err(TrapKind::Misuse)?.into();
        let (element, out_of_bounds) = (map.element, map.out_of_bounds);
        let work =
            TensorWork { element, out_of_bounds, swizzle, shared, space, effect, runs, length, read: None };
        let of_target = |target: Option<u32>| {
            let (space, shared) = in_target((work.space, work.shared), target);
            let barrier = barrier.map(|barrier| {
                let signalled =
                    if is_for_pairs { target.map(|target| of_pair(view, target, barrier)) } else { target };
                in_target(barrier, signalled)
            });
            (TensorWork { shared, space, ..work.clone() }, barrier)
        };
        Ok(targets.into_iter().map(of_target).collect())
    }
}

/// The block of a pair whose mbarrier is signalled: the even or odd one, with the parity of the block of the given mbarrier.
fn of_pair(view: &View<'_>, target: u32, (space, address): SpaceAddress) -> u32 {
    let (rank, _) = rank_and_offset(address);
    let named = if space == Space::Shared { view.block.rank } else { rank as u32 };
    target & !1 | named & 1
}

/// Checks the row length: the layout in shared memory of rows shorter than the swizzle is not documented.
fn check_rows(map: &TensorMap, swizzle: Swizzle, length: u64, count: u64) -> Result<(), TrapKind> {
    let row = map.element.shared_bytes(length);
    match swizzle.span() {
        Some(span) if row < span && count > 1 && map.interleave == Interleave::None => Err(misuse(format!(
            "how rows of {row} bytes lie in shared memory with a swizzle of {span} bytes is not documented; \
             expected rows of {span} bytes"
        ))),
        _ => Ok(()),
    }
}

/// Checks that the box is within the shared memory of the block, which also bounds the length of the walk.
fn check_room(view: &View<'_>, (space, address): SpaceAddress, bytes: u64) -> Result<(), TrapKind> {
    check_alignment(space, address, SHARED_ALIGNMENT).map_err(TrapKind::Fault)?;
    let room = (view.block.shared.len() as u64).saturating_sub(rank_and_offset(address).1);
    if bytes <= room {
        return Ok(());
    }
    let size = bytes.min(u32::MAX.into()) as u32;
    Err(TrapKind::Fault(Fault { kind: FaultKind::OutOfBounds, space, address, size }))
}
