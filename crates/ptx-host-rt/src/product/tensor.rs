//! A block's share of a `tcgen05.mma`: adjacent lanes of a column of D are contiguous.

use ptx_exec::engine::TensorPart;
use ptx_program::{Element, LANES as ALL, Overflow};

use super::processor::{for_processors, fused};
use super::sparse::{SparseRow, TILES, add_row};
use super::sum::{Sum, with_sum};
use super::tiles::{Eight, TILE, in_order};

/// Number of columns of D computed together. With as many lanes as [`for_processors`] has, two fill the registers for sums. With fewer lanes and more
/// columns LLVM unrolls the loop over lanes that converts D, and vectorizes the one over columns around it, with gathers.
const COLUMNS: usize = 2;

/// Computes D; `None`, without effect, if its form is unsupported.
pub(super) fn tensor(part: &TensorPart<'_>, cells: &mut [u32]) -> Option<()> {
    with_sum!(part.d, part.overflow, of_type(part, cells))
}

fn of_type<S: Sum>(part: &TensorPart<'_>, cells: &mut [u32]) -> Option<()> {
    let &TensorPart { a, b, depth, kept, depths, ref rows, ref columns, .. } = part;
    let count = cells.len() / ALL;
    let fits = |first: &usize| (first + count) * depth <= b.len();
    let has_row = |row: &usize| (row + 1) * kept <= a.len();
    let is_dense = depths.is_empty();
    let has_depths = depths.len() == ALL * kept && depths.iter().all(|&at| at < depth);
    let is_known = kept > 0
        && count > 0
        && columns.iter().all(fits)
        && rows.iter().flatten().all(has_row)
        && if is_dense { kept == depth } else { has_depths };
    if !is_known {
        return None;
    }
    if is_dense {
        add_dense::<S>(part, cells);
        return Some(());
    }
    let is_whole = |first: &usize| first.is_multiple_of(TILE) && count.is_multiple_of(TILE);
    if !columns.iter().all(is_whole) {
        return None;
    }
    add_sparse::<S>(part, &in_order(b, depth), cells);
    Some(())
}

/// The sums of adjacent lanes.
type Sums<const LANES: usize> = [[f64; LANES]; COLUMNS];

#[inline(always)]
fn add_dense_with<S: Sum, const FUSED: bool, const LANES: usize>(part: &TensorPart<'_>, cells: &mut [u32]) {
    // A by depth, so that adjacent lanes are contiguous.
    let mut by_depth = vec![[0.0; LANES]; part.depth];
    for lane in (0..ALL).step_by(LANES) {
        let rows = &part.rows[lane..][..LANES];
        if rows.iter().all(Option::is_none) {
            continue;
        }
        for (at, row) in rows.iter().enumerate() {
            let Some(row) = row else { continue };
            let row = &part.a[row * part.depth..][..part.depth];
            by_depth.iter_mut().zip(row).for_each(|(place, &value)| place[at] = value);
        }
        let b = &part.b[part.columns[lane / (ALL / 4)] * part.depth..];
        let is_whole = rows.iter().all(Option::is_some);
        for (number, cells) in cells.chunks_mut(ALL * COLUMNS).enumerate() {
            let mut sums = load::<S, LANES>(part, cells, lane);
            // Columns past the last one are computed as copies of it, and not stored.
            let last = cells.len() / ALL - 1;
            let column = |at: usize| &b[(number * COLUMNS + at.min(last)) * part.depth..][..part.depth];
            add_columns::<FUSED, LANES>(&by_depth, [column(0), column(1)], &mut sums);
            for (sums, cells) in sums.iter().zip(cells.chunks_exact_mut(ALL)) {
                let cells = &mut cells[lane..][..LANES];
                if is_whole {
                    cells.iter_mut().zip(sums).for_each(|(cell, &sum)| *cell = S::raw(sum));
                } else {
                    let lanes = cells.iter_mut().zip(sums).zip(rows).filter(|(_, row)| row.is_some());
                    lanes.for_each(|((cell, &sum), _)| *cell = S::raw(sum));
                }
            }
        }
    }
}

/// Loads D for adjacent lanes.
#[inline(always)]
fn load<S: Sum, const LANES: usize>(part: &TensorPart<'_>, cells: &[u32], lane: usize) -> Sums<LANES> {
    let mut sums = [[0.0; LANES]; COLUMNS];
    if part.adds {
        for (sums, cells) in sums.iter_mut().zip(cells.chunks_exact(ALL)) {
            for (sum, &cell) in sums.iter_mut().zip(&cells[lane..][..LANES]) {
                *sum = value::<S>(cell) * part.scale;
            }
        }
    }
    sums
}

/// An element of D, in the low bits of a cell.
#[inline(always)]
fn value<S: Sum>(cell: u32) -> f64 {
    S::value(if S::EACH == 1 { cell } else { cell & 0xffff })
}

/// Adds the products of columns.
#[inline(always)]
fn add_columns<const FUSED: bool, const LANES: usize>(
    a: &[[f64; LANES]],
    b: [&[f64]; COLUMNS],
    sums: &mut Sums<LANES>,
) {
    let mut local = *sums;
    let [first, second] = b;
    for ((a, &first), &second) in a.iter().zip(first).zip(second) {
        for (b, sums) in [first, second].into_iter().zip(&mut local) {
            for (sum, &a) in sums.iter_mut().zip(a) {
                *sum = fused::<FUSED>(a, b, *sum);
            }
        }
    }
    *sums = local;
}

/// D for a sparse A, lane by lane, with the depth of each element; B in tiles.
#[inline(always)]
fn add_sparse_with<S: Sum, const FUSED: bool, const LANES: usize>(
    part: &TensorPart<'_>,
    b: &[Eight],
    cells: &mut [u32],
) {
    let (kept, depth) = (part.kept, part.depth);
    for (lane, row) in part.rows.iter().enumerate() {
        let Some(row) = row else { continue };
        let values = &part.a[row * kept..][..kept];
        let row = SparseRow { values, depths: &part.depths[lane * kept..][..kept] };
        let b = &b[part.columns[lane / (ALL / 4)] / TILE * depth..];
        let whole = cells.len() / (ALL * TILE * TILES) * TILES;
        let (groups, rest) = cells.split_at_mut(whole * TILE * ALL);
        for (cells, b) in groups.chunks_exact_mut(TILES * TILE * ALL).zip(b.chunks_exact(TILES * depth)) {
            sparse_tiles::<S, FUSED, TILES>(row, (b, part), cells, lane);
        }
        for (cells, b) in rest.chunks_exact_mut(TILE * ALL).zip(b[whole * depth..].chunks_exact(depth)) {
            sparse_tiles::<S, FUSED, 1>(row, (b, part), cells, lane);
        }
    }
}

/// The sums of a lane for several tiles.
#[inline(always)]
fn sparse_tiles<S: Sum, const FUSED: bool, const T: usize>(
    row: SparseRow<'_>,
    (b, part): (&[Eight], &TensorPart<'_>),
    cells: &mut [u32],
    lane: usize,
) {
    let mut sums = [[0.0; TILE]; T];
    if part.adds {
        for (sum, cells) in sums.as_flattened_mut().iter_mut().zip(cells.chunks_exact(ALL)) {
            *sum = value::<S>(cells[lane]) * part.scale;
        }
    }
    add_row::<FUSED, T>(row, std::array::from_fn(|tile| &b[tile * part.depth..][..part.depth]), &mut sums);
    for (&sum, cells) in sums.as_flattened().iter().zip(cells.chunks_exact_mut(ALL)) {
        cells[lane] = S::raw(sum);
    }
}

for_processors!(add_dense<S: Sum>, add_dense_with, part: &TensorPart<'_>, cells: &mut [u32]);
for_processors!(
    add_sparse<S: Sum>,
    add_sparse_with,
    part: &TensorPart<'_>,
    b: &[Eight],
    cells: &mut [u32],
);
