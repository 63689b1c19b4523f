//! Performs warpgroup matrix products: the rows of one warp.

use ptx_program::memory::Space;
use ptx_program::{
    Dst, Effect, Element, FactorA, MatrixOperand, Op, Order, Row, WARP, WARPGROUP, WarpgroupAction,
    WarpgroupProduct,
};

use crate::machine::grid::Grid;
use crate::machine::indexed::values_in;
use crate::machine::matrix::{Matrices, rounded};
use crate::machine::memory::View;
use crate::machine::products::{Lines, WarpgroupPart};
use crate::machine::warpgroup::{Source, WarpgroupWork};
use crate::memory::Fault;

/// Rows of A of a warpgroup, and of each of its warps.
pub(in crate::machine) const ROWS: usize = 64;
const ROWS_OF_WARP: usize = ROWS / WARPGROUP;

/// The product that is the instruction at `pc`.
pub(in crate::machine) fn product_at<'p>(grid: &Grid<'p>, pc: u32) -> Option<&'p WarpgroupProduct> {
    match &grid.program.code.get(pc as usize)?.op {
        Op::Effect(Effect::Warpgroup(action)) => match &**action {
            WarpgroupAction::Multiply(op) => Some(op),
            WarpgroupAction::Fence | WarpgroupAction::Commit | WarpgroupAction::Wait(_) => None,
        },
        Op::Alu(_) | Op::Effect(_) => None,
    }
}

/// The values of a factor, line by line.
fn values(view: &View<'_>, source: &Source, element: Element) -> Result<Vec<f64>, Fault> {
    match source {
        Source::Read(values) => Ok(values.clone()),
        Source::Shared(matrix) => {
            let read = |address| view.read_wide(0, Space::Shared, address, Order::Relaxed);
            Ok(matrix.elements(read)?.into_iter().map(|raw| element.value(raw)).collect())
        }
    }
}

/// Reads the factors, so that memory may change.
pub(super) fn read_factors(view: &View<'_>, work: &mut WarpgroupWork, pc: u32) -> Result<(), Fault> {
    let Some(op) = product_at(view.grid, pc) else { return Ok(()) };
    if let Some(a) = &mut work.a {
        *a = Source::Read(values(view, a, op.product.a.element)?);
    }
    work.b = Source::Read(values(view, &work.b, op.product.b.element)?);
    Ok(())
}

/// Computes the rows of a warp with the external implementation, if there is one.
fn perform_elsewhere(
    view: &View<'_>,
    op: &WarpgroupProduct,
    work: &WarpgroupWork,
    warp: usize,
    rows: &mut [Row],
) -> bool {
    let (Some(products), true) = (view.grid.products, work.stale.is_empty()) else { return false };
    let lines = |source: &Source| match source {
        Source::Shared(matrix) => Some(Lines::new(*matrix, &view.block.shared)),
        Source::Read(_) => None,
    };
    let Some(b) = lines(&work.b) else { return false };
    let part = WarpgroupPart {
        op,
        a: work.a.as_ref().and_then(lines),
        depths: work.columns.of_rows(),
        b,
        accumulates: work.accumulates,
        quarter: warp % WARPGROUP,
        constants: view.grid.constants(view.block.rank),
    };
    products.warpgroup(&part, rows)
}

/// Computes the 16 rows of a warp, with the arithmetic of `mma`.
pub(super) fn perform_product(
    view: &View<'_>,
    work: &WarpgroupWork,
    (warp, pc): (usize, u32),
    rows: &mut [Row],
) -> Result<(), Fault> {
    let Some(op) = product_at(view.grid, pc) else { return Ok(()) };
    if perform_elsewhere(view, op, work, warp, rows) {
        return Ok(());
    }
    let product = &op.product;
    let (kept, depth) = (product.kept(MatrixOperand::A).k as usize, product.size.k as usize);
    let mut a: Vec<f64> = match (&op.a, &work.a) {
        (_, Some(source)) => {
            let all = values(view, source, product.a.element)?;
            let first = warp % WARPGROUP * ROWS_OF_WARP * kept;
            all.into_iter().skip(first).take(ROWS_OF_WARP * kept).collect()
        }
        (FactorA::Registers(srcs), None) => {
            let constants = view.grid.constants(view.block.rank);
            let held: Vec<Row> = srcs.iter().map(|&src| work.found(src, rows, constants)).collect();
            Matrices::gather(product, MatrixOperand::A, product.a, &held).values(product.a.element)
        }
        (FactorA::Shared(_), None) => Vec::new(),
    };
    if op.negated {
        a.iter_mut().for_each(|value| *value = -*value);
    }
    let b = values(view, &work.b, product.b.element)?;
    for &(d, before) in work.stale.iter().filter(|(register, _)| op.d.contains(register)) {
        rows[d as usize] = before;
    }
    let mut sums = Sums::new(op, rows, work.accumulates);
    let n = (product.size.n as usize).max(1);
    // B transposed to rows, so that the sums of a row of D are contiguous.
    let b: Vec<f64> = (0..depth).flat_map(|k| b.iter().skip(k).step_by(depth).take(n)).copied().collect();
    for (row, (sums, a)) in sums.values.chunks_mut(n).zip(a.chunks(kept.max(1))).enumerate() {
        for (i, value) in a.iter().enumerate() {
            let depth = work.columns.at(row, i);
            let of_b = values_in(&b, depth * n..(depth + 1) * n);
            sums.iter_mut().zip(of_b).for_each(|(sum, other)| *sum += value * other);
        }
    }
    sums.store(op, rows);
    Ok(())
}

/// The sums of a warp, row by row.
struct Sums {
    values: Vec<f64>,
}

impl Sums {
    /// Initialized with D, or zeros.
    fn new(op: &WarpgroupProduct, rows: &[Row], accumulates: bool) -> Self {
        let mut sums = Self { values: vec![0.0; ROWS_OF_WARP * op.product.size.n as usize] };
        if accumulates {
            let element = op.product.d;
            let mask = u64::MAX >> (64 - element.bits());
            sums.each(op, |sum, d, lane, low| {
                let word = rows[d as usize][lane];
                *sum = element.value(word >> low & mask);
            });
        }
        sums
    }

    /// Calls `f` for each sum with its register, lane and lowest bit.
    fn each(&mut self, op: &WarpgroupProduct, mut f: impl FnMut(&mut f64, Dst, usize, u32)) {
        let (bits, each) = (op.product.d.bits(), op.product.d.per_register() as usize);
        for (register, &d) in op.d.iter().enumerate() {
            for (lane, sub) in (0..WARP).flat_map(|lane| (0..each).map(move |sub| (lane, sub))) {
                let (row, column) = WarpgroupProduct::place(lane, register * each + sub);
                if let Some(sum) = self.values.get_mut(row * op.product.size.n as usize + column) {
                    f(sum, d, lane, bits * sub as u32);
                }
            }
        }
    }

    /// Writes them to D.
    fn store(&mut self, op: &WarpgroupProduct, rows: &mut [Row]) {
        let (element, overflow) = (op.product.d, op.product.overflow);
        self.each(op, |sum, d, lane, low| {
            if let Some(word) = rows.get_mut(d as usize).map(|words| &mut words[lane]) {
                // The first element of a register clears it.
                let kept = *word & ((1 << low) - 1);
                *word = kept | rounded(element, overflow, *sum) << low;
            }
        });
    }
}
