//! Warp-collective operations on tensor memory: allocation, loads, stores and waits (manual 9.7.16.7, 9.7.16.8).
//!
//! Loads complete when they are issued: an instruction that reads a destination register sees the value without a wait (9.7.16.6.4.5).

use ptx_program::memory::Space;
use ptx_program::scalar::float::{Extreme, NanRule, SignRule, Subnormals};
use ptx_program::scalar::format::Format;
use ptx_program::scalar::{float, int};
use ptx_program::{
    Columns, Dst, FULL, Family, Group, Order, Reduction, Row, Sharing, TensorAccess, TensorMove, WARP,
};

use super::memory::{TensorMemory, check_lanes, parts};
use super::moves::Moves;
use super::perform::use_group;
use super::work::TensorStore;
use crate::error::TrapKind;
use crate::launch::Completion;
use crate::machine::completion::{Registers, complete, issue as put_in_flight};
use crate::machine::geometry::WarpId;
use crate::machine::memory::View;
use crate::machine::operation::{Operation, Order as InOrder, Track};
use crate::machine::rows::same_value;
use crate::machine::work::Work;

/// The trap of a lane, and the lane.
type Stopped = (TrapKind, usize);

/// The issuing warp and instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Issue {
    pub(crate) warp: WarpId,
    pub(crate) pc: u32,
}

/// Whether an access was performed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Done,
    /// It waits for columns to be freed.
    Waits,
}

/// Performs an access by all threads of a warp.
pub(crate) fn access(
    access: TensorAccess,
    issue: Issue,
    view: &mut View<'_>,
    (space, offset): (Space, i64),
    inputs: &[Row],
    outputs: &mut [Row],
) -> Result<Outcome, Stopped> {
    let stop = |kind| (kind, 0);
    match access {
        TensorAccess::Allocate(group, sharing) => {
            use_group(view.block, group).map_err(stop)?;
            let (address, _) = split_address(inputs)?;
            let to = (space, address[0].wrapping_add_signed(offset));
            return allocate((group, sharing), issue, view, to, inputs);
        }
        TensorAccess::Free(group, sharing) => {
            use_group(view.block, group).map_err(stop)?;
            let address = same(inputs.first(), "addresses")?;
            let count = same(inputs.get(1), "numbers of columns")?;
            view.block.tensor.free(address as u32, count, sharing).map_err(stop)?;
            view.block.wake = true;
            view.block.cluster.wake |= group == Group::Pair;
        }
        TensorAccess::Relinquish(group) => {
            use_group(view.block, group).map_err(stop)?;
            view.block.tensor.relinquish();
        }
        TensorAccess::Load(cells) => load(cells, issue, &view.block.tensor, inputs, outputs)?,
        TensorAccess::LoadReduced(cells, reduction) => {
            let Some((found, registers)) = outputs.split_last_mut() else { return Ok(Outcome::Done) };
            load(cells, issue, &view.block.tensor, inputs, registers)?;
            *found = reduced(reduction, registers);
        }
        TensorAccess::LoadCompressed(cells, which, nan, sign) => {
            compressed(cells, (which, nan, sign), issue, &view.block.tensor, inputs, outputs)?;
        }
        TensorAccess::Store(cells) => store(cells, issue, view, inputs)?,
        TensorAccess::WaitForLoads => {}
        TensorAccess::WaitForStores => {
            let own = |operation: &Operation| {
                operation.track.is_some_and(|(track, _)| track == stores_of(issue.warp))
            };
            let done = complete(view, &mut Registers::All(&mut []), own);
            done.map_err(|stop| (stop.kind, stop.lane))?;
        }
    }
    Ok(Outcome::Done)
}

/// The value of a uniform operand.
fn same(row: Option<&Row>, what: &str) -> Result<u64, Stopped> {
    let Some(row) = row else { return Ok(0) };
    let alike = same_value(row, FULL, 0);
    if alike == FULL {
        return Ok(row[0]);
    }
    let text = format!("the threads of the warp give different {what}");
    Err((TrapKind::Misuse(text), (!alike).trailing_zeros() as usize))
}

fn allocate(
    (group, sharing): (Group, Sharing),
    issue: Issue,
    view: &mut View<'_>,
    (space, to): (Space, u64),
    inputs: &[Row],
) -> Result<Outcome, Stopped> {
    same(inputs.first(), "addresses")?;
    let count = same(inputs.get(1), "numbers of columns")?;
    let stop = |kind| (kind, 0);
    let found = match space {
        Space::Generic => Space::of_generic(to, view.grid.addresses).map(|(space, _)| space),
        space => Some(space),
    };
    if !found.is_some_and(Space::is_shared) {
        let text = format!("the address of tensor memory is written to shared memory, not to {to:#x}");
        return Err(stop(TrapKind::Misuse(text)));
    }
    let first = match group {
        Group::One => view.block.tensor.allocate(count, sharing, issue.pc),
        Group::Pair => {
            let both = view.block.with_peer(|block, peer| {
                block.tensor.allocate_both(&mut peer.tensor, count, sharing, issue.pc)
            });
            both.unwrap_or(Ok(None))
        }
    };
    let Some(first) = first.map_err(stop)? else { return Ok(Outcome::Waits) };
    view.block.cluster.wake |= group == Group::Pair;
    let written = view.write(0, space, to, 4, first as u64, Order::Relaxed);
    written.map_err(|fault| stop(TrapKind::Fault(fault)))?;
    Ok(Outcome::Done)
}

/// The lane and column of a uniform address.
/// The row with the addresses, and the other operands.
fn split_address(inputs: &[Row]) -> Result<(&Row, &[Row]), Stopped> {
    let missing = || (TrapKind::Defect("an access to tensor memory without an address".to_owned()), 0);
    inputs.split_first().ok_or_else(missing)
}

fn base(cells: TensorMove, issue: Issue, inputs: &[Row]) -> Result<(usize, i64), Stopped> {
    let (lane, column) = parts(same(inputs.first(), "addresses")? as u32);
    check_lanes(issue.warp.index, lane, cells.shape.lanes()).map_err(|kind| (kind, 0))?;
    Ok((lane, column as i64))
}

/// Loads all registers of a warp directly into rows; false, without effect, if it has to be done cell by cell.
pub(crate) fn load_in_place(
    cells: TensorMove,
    issue: Issue,
    memory: &TensorMemory,
    inputs: &[Row],
    rows: &mut [Row],
    registers: &[Dst],
) -> Result<bool, Stopped> {
    let (lane, column) = base(cells, issue, inputs)?;
    let registers = registers.iter().map(|&register| register as usize);
    Ok(Moves::new(cells, lane, column).load(memory, rows, registers))
}

fn load(
    cells: TensorMove,
    issue: Issue,
    memory: &TensorMemory,
    inputs: &[Row],
    registers: &mut [Row],
) -> Result<(), Stopped> {
    let (first_lane, first_column) = base(cells, issue, inputs)?;
    let count = registers.len();
    if Moves::new(cells, first_lane, first_column).load(memory, registers, 0..count) {
        return Ok(());
    }
    for thread in 0..WARP {
        for (register, row) in registers.iter_mut().enumerate() {
            let (lane, columns) = cells.cells(thread, register);
            let mut value = 0;
            for (half, column) in columns.enumerate() {
                let cell = memory.read(first_lane + lane, first_column + column);
                let cell = u64::from(cell.map_err(|kind| (kind, thread))?);
                value |= match cells.columns {
                    Columns::Whole => cell,
                    Columns::Halves => (cell & 0xffff) << (16 * half),
                };
            }
            row[thread] = value;
        }
    }
    Ok(())
}

/// The track of the in-flight stores of a warp.
fn stores_of(warp: WarpId) -> Track {
    Track { family: Family::TensorStores, warp, lane: 0 }
}

fn store(cells: TensorMove, issue: Issue, view: &mut View<'_>, inputs: &[Row]) -> Result<(), Stopped> {
    let (lane, column) = base(cells, issue, inputs)?;
    let (_, registers) = split_address(inputs)?;
    let is_eager = view.grid.completion == Completion::Eager;
    if is_eager && Moves::new(cells, lane, column).store(&mut view.block.tensor, registers) {
        return Ok(());
    }
    let registers = registers.to_vec();
    let store = TensorStore { cells, lane, column, registers };
    let memory = &view.block.tensor;
    if !store.moves().fits(memory, store.registers.len()) {
        store.each(|thread, lane, column, _| {
            memory.read(lane, column).map(drop).map_err(|kind| (kind, thread))
        })?;
    }
    let work = Work::TensorStore(Box::new(store));
    let mut operation = Operation::new(work, (issue.warp, 0, issue.pc));
    operation.track = Some((stores_of(issue.warp), InOrder::AfterEarlier));
    put_in_flight(view, operation, &mut Registers::All(&mut [])).map_err(|stop| (stop.kind, stop.lane))
}

/// The minimum or maximum of the values of each thread. A single value is combined with itself, so that a NaN is
/// canonicalized and a magnitude loses its sign.
fn reduced(reduction: Reduction, registers: &[Row]) -> Row {
    let join = |a: u64, b: u64| match reduction {
        Reduction::Float(which, nan, sign) => {
            float::extreme(Format::F32, Subnormals::Keep, which, nan, sign, a, b)
        }
        Reduction::Integer(Extreme::Min, ty) => int::min(ty, a, b),
        Reduction::Integer(Extreme::Max, ty) => int::max(ty, a, b),
    };
    let Some((first, others)) = registers.split_first() else {
        debug_assert!(false, "a reduction of no registers");
        return [0; WARP];
    };
    std::array::from_fn(|thread| {
        let same = |row: &Row| join(row[thread], row[thread]);
        others.iter().fold(same(first), |joined, row| join(joined, same(row)))
    })
}

/// Keeps two of every four values of a thread, in order: the results of the reduction of all four, and of the remaining
/// three; of equal values the first. The positions have two bits each.
fn compressed(
    cells: TensorMove,
    (which, nan, sign): (Extreme, NanRule, SignRule),
    issue: Issue,
    memory: &TensorMemory,
    inputs: &[Row],
    outputs: &mut [Row],
) -> Result<(), Stopped> {
    let Some((found, rest)) = outputs.split_last_mut() else { return Ok(()) };
    let position_rows = rest.len().div_ceil(17);
    let (positions, kept) = rest.split_at_mut(position_rows.min(rest.len()));
    let mut all = vec![[0; WARP]; kept.len() * 2];
    load(cells, issue, memory, inputs, &mut all)?;
    *found = reduced(Reduction::Float(which, nan, sign), &all);
    positions.iter_mut().for_each(|row| *row = [0; WARP]);
    for thread in 0..WARP {
        for (chunk, values) in all.chunks_exact(4).enumerate() {
            let values: [u64; 4] = std::array::from_fn(|at| values[at][thread]);
            for (nth, at) in best_two(values, (which, nan, sign)).into_iter().enumerate() {
                let place = chunk * 2 + nth;
                if let (Some(row), Some(word)) = (kept.get_mut(place), positions.get_mut(place / 16)) {
                    row[thread] = values[at];
                    word[thread] |= (at as u64) << (2 * (place % 16));
                }
            }
        }
    }
    Ok(())
}

/// The positions of the two values selected from four, in order.
fn best_two(values: [u64; 4], (which, nan, sign): (Extreme, NanRule, SignRule)) -> [usize; 2] {
    let join = |a, b| float::extreme(Format::F32, Subnormals::Keep, which, nan, sign, a, b);
    let same = |value: u64| join(value, value);
    let better = |a: usize, b: usize| {
        let (x, y) = (same(values[a]), same(values[b]));
        if x != y && join(x, y) == y { b } else { a }
    };
    let first = better(better(better(0, 1), 2), 3);
    let [a, b, c] = match first {
        0 => [1, 2, 3],
        1 => [0, 2, 3],
        2 => [0, 1, 3],
        _ => [0, 1, 2],
    };
    let second = better(better(a, b), c);
    [first.min(second), first.max(second)]
}
