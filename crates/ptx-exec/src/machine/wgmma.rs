//! Products of a warpgroup: `wgmma` (manual 9.7.15).
//!
//! Each warp computes its 16 rows when it executes the instruction. A product is one operation of four warps, though, which is
//! complete when all of them have executed it: until then a wait for it lasts, since one thread may tell others then that the
//! shared memory of the factors is free.

use std::collections::VecDeque;

use super::Stop;
use super::block::BlockState;
use super::call::same_value;
use super::descriptor::{Descriptor, SharedMatrix};
use super::grid::Grid;
use super::matrix::{Columns, Matrices, rounded};
use super::memory::View;
use super::step::predicate_mask;
use super::warp::Warp;
use crate::error::TrapKind;
use crate::memory::{Order, Space};
use crate::program::{
    Element, FULL, Factor, FactorA, Mask, Part, Row, SharedFactor, Src, WARPGROUP, WarpgroupAction,
    WarpgroupProduct, first_lane,
};

/// Rows of A of a warpgroup, and of each of its warps.
const ROWS: usize = 64;
const ROWS_OF_WARP: usize = ROWS / WARPGROUP;

/// What all warps of a group must give alike: the instruction, the descriptors of A and B, and whether D is added.
type Common = (u32, [u64; 2], bool);

/// The products that the warps of a group have come to.
#[derive(Debug, Default)]
pub(super) struct Warpgroup {
    /// How many each has.
    counts: [u64; WARPGROUP],
    /// Those that not all have come to.
    common: VecDeque<Common>,
    /// How many products are before those.
    passed: u64,
    /// Whether a warp waits for others.
    is_awaited: bool,
}

impl Warpgroup {
    /// Notes that a warp has come to its next product.
    fn note(&mut self, warp: usize, common: Common) -> Result<(), &'static str> {
        let Some(count) = self.counts.get_mut(warp) else { return Ok(()) };
        let at = count.saturating_sub(self.passed) as usize;
        *count += 1;
        match self.common.get(at) {
            None => self.common.push_back(common),
            Some(first) if first.0 != common.0 => {
                return Err("the warps of a warpgroup execute different `wgmma` instructions");
            }
            Some(first) if *first != common => {
                return Err("the warps of a warpgroup give different matrix descriptors or `scale-d`");
            }
            Some(_) => {}
        }
        while self.common.front().is_some() && self.counts.iter().all(|&count| count > self.passed) {
            self.common.pop_front();
            self.passed += 1;
        }
        Ok(())
    }
}

/// The products of a warp.
#[derive(Debug, Default)]
pub(super) struct Products {
    /// How many it has come to at the end of each group that it may still wait for.
    groups: VecDeque<u64>,
}

/// The operands of a product that are read when it is issued.
struct Resolved {
    a: Option<SharedMatrix>,
    b: SharedMatrix,
    accumulates: bool,
    metadata: Option<Row>,
}

/// What stops a warp, and the lane that is told.
type Stopped = (TrapKind, usize);

fn misuse<T>(text: impl Into<String>) -> Result<T, Stopped> {
    Err((TrapKind::Misuse(text.into()), 0))
}

/// The value that all lanes give.
fn uniform(row: &Row, what: &str) -> Result<u64, Stopped> {
    if same_value(row, FULL, 0) == FULL {
        return Ok(row[0]);
    }
    misuse(format!("the threads of the warp give different {what}"))
}

impl Resolved {
    fn new(op: &WarpgroupProduct, rows: &[Row], constants: &[Row]) -> Result<(Self, [u64; 2]), Stopped> {
        let product = &op.product;
        let matrix = |factor: SharedFactor, part: Part, Factor { element, .. }: Factor, lines| {
            let bits = uniform(factor.descriptor.of(rows, constants), "matrix descriptors")?;
            let descriptor = Descriptor::of_warpgroup(bits).map_err(|text| (TrapKind::Misuse(text), 0))?;
            let depth = product.kept(part).k as usize;
            let matrix =
                SharedMatrix { descriptor, majorness: factor.majorness, bits: element.bits(), lines, depth };
            matrix.check().map_err(|text| (TrapKind::Misuse(text), 0))?;
            Ok::<_, Stopped>((matrix, bits))
        };
        let a = match &op.a {
            FactorA::Registers(_) => None,
            FactorA::Shared(factor) => Some(matrix(*factor, Part::A, product.a, ROWS)?),
        };
        let b = matrix(op.b, Part::B, product.b, product.size.n as usize)?;
        let accumulates = predicate_mask(op.accumulates.of(rows, constants));
        if !matches!(accumulates, 0 | FULL) {
            return misuse("the threads of the warp give different values of `scale-d`");
        }
        let metadata = op.metadata.map(|metadata| *metadata.of(rows, constants));
        let descriptors = [a.map_or(0, |(_, bits)| bits), b.1];
        let resolved = Self { a: a.map(|(a, _)| a), b: b.0, accumulates: accumulates != 0, metadata };
        Ok((resolved, descriptors))
    }
}

impl View<'_> {
    /// The values of a matrix in shared memory, line after line.
    fn shared_values(&self, matrix: &SharedMatrix, element: Element) -> Result<Vec<f64>, Stopped> {
        let read = |address| self.read_wide(0, Space::Shared, address, Order::Relaxed);
        let elements = matrix.elements(read).map_err(|fault| (TrapKind::Fault(fault), 0))?;
        Ok(elements.into_iter().map(|raw| element.value(raw)).collect())
    }

    /// The part of a warp of a product. It is computed as products of `mma` are.
    fn multiply_rows(
        &self,
        op: &WarpgroupProduct,
        resolved: &Resolved,
        warp: usize,
        rows: &mut [Row],
    ) -> Result<(), Stopped> {
        let product = &op.product;
        let columns = Columns::new(product, resolved.metadata.as_ref())?;
        let kept = product.kept(Part::A).k as usize;
        let (depth, constants) = (product.size.k as usize, &self.grid.program.constants);
        let mut a = match (&op.a, &resolved.a) {
            (_, Some(matrix)) => {
                let all = self.shared_values(matrix, product.a.element)?;
                let first = warp % WARPGROUP * ROWS_OF_WARP * kept;
                all.into_iter().skip(first).take(ROWS_OF_WARP * kept).collect()
            }
            (FactorA::Registers(srcs), _) => {
                let held: Vec<Row> = srcs.iter().map(|src: &Src| *src.of(rows, constants)).collect();
                Matrices::gather(product, Part::A, product.a, &held).values(product.a.element)
            }
            (FactorA::Shared(_), None) => Vec::new(),
        };
        if op.negated {
            a.iter_mut().for_each(|value| *value = -*value);
        }
        let b = self.shared_values(&resolved.b, product.b.element)?;
        let (bits, each) = (product.d.bits(), product.d.per_register() as usize);
        let mask = u64::MAX >> (64 - bits);
        for (register, &d) in op.d.iter().enumerate() {
            let Some(words) = rows.get_mut(d as usize) else { continue };
            for (lane, word) in words.iter_mut().enumerate() {
                *word = (0..each).fold(0, |new, sub| {
                    let (row, column) = WarpgroupProduct::place(lane, register * each + sub);
                    let low = bits * sub as u32;
                    let old = *word >> low & mask;
                    let first = if resolved.accumulates { product.d.value(old) } else { 0.0 };
                    let of_a = a.get(row * kept..).unwrap_or_default().iter().take(kept).enumerate();
                    let of_b = b.get(column * depth..).unwrap_or_default();
                    let sum = of_a.fold(first, |sum, (i, value)| {
                        sum + value * of_b.get(columns.at(row, i)).copied().unwrap_or(0.0)
                    });
                    new | rounded(product.d, product.overflow, sum) << low
                });
            }
        }
        Ok(())
    }
}

impl Warp {
    /// Whether all four warps of the group of this one are whole, or have come further before their threads exited.
    fn check_warpgroup(&self, block: &BlockState, active: Mask, needed: u64) -> Result<(), Stopped> {
        if active != FULL {
            return Err((
                TrapKind::Misuse("`wgmma` needs all 32 threads of the warp".to_owned()),
                first_lane(active),
            ));
        }
        let group = self.index / WARPGROUP;
        let counts = block.warpgroups.get(&group).map_or([0; WARPGROUP], |group| group.counts);
        for (warp, count) in (group * WARPGROUP..).zip(counts) {
            let live = block.live.get(warp).copied();
            if live != Some(FULL) && count < needed {
                let what = if live.is_some() { "has threads that have exited" } else { "does not exist" };
                return misuse(format!(
                    "`wgmma` needs four whole warps, from a multiple of four on; warp {warp} {what}"
                ));
            }
        }
        Ok(())
    }

    /// An instruction of a warpgroup; false when it has to wait for other warps, and is executed again then.
    pub(super) fn warpgroup(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        rows: &mut [Row],
        action: &WarpgroupAction,
        active: Mask,
        pc: u32,
    ) -> Result<bool, Stop> {
        let done = match action {
            WarpgroupAction::Multiply(op) => self.multiply(grid, block, rows, op, active, pc).map(|()| true),
            WarpgroupAction::Commit => {
                let group = block.warpgroups.get(&(self.index / WARPGROUP));
                let count = group.map_or(0, |group| group.counts[self.index % WARPGROUP]);
                self.products.groups.push_back(count);
                Ok(true)
            }
            WarpgroupAction::Wait(left) => self.wait_for_warpgroup(block, active, *left),
        };
        done.map_err(|(kind, lane)| Stop::at(kind, pc, lane))
    }

    fn multiply(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        rows: &mut [Row],
        op: &WarpgroupProduct,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stopped> {
        let (index, number) = (self.index, self.index / WARPGROUP);
        let group = block.warpgroups.entry(number).or_default();
        let needed = group.counts[index % WARPGROUP] + 1;
        self.check_warpgroup(block, active, needed)?;
        let (resolved, descriptors) = Resolved::new(op, rows, &grid.program.constants)?;
        let group = block.warpgroups.entry(number).or_default();
        let noted = group.note(index % WARPGROUP, (pc, descriptors, resolved.accumulates));
        noted.map_err(|text| (TrapKind::Misuse(text.to_owned()), 0))?;
        block.wake |= std::mem::take(&mut group.is_awaited);
        self.view(grid, block).multiply_rows(op, &resolved, index, rows)
    }

    /// Whether the groups that are waited for are complete.
    fn wait_for_warpgroup(
        &mut self,
        block: &mut BlockState,
        active: Mask,
        left: u64,
    ) -> Result<bool, Stopped> {
        let closed = self.products.groups.len().saturating_sub(usize::try_from(left).unwrap_or(usize::MAX));
        let Some(&needed) = closed.checked_sub(1).and_then(|last| self.products.groups.get(last)) else {
            return Ok(true);
        };
        self.check_warpgroup(block, active, needed)?;
        let group = block.warpgroups.entry(self.index / WARPGROUP).or_default();
        let is_complete = group.counts.iter().all(|&count| count >= needed);
        if is_complete {
            self.products.groups.drain(..closed);
        } else {
            group.is_awaited = true;
        }
        Ok(is_complete)
    }
}
