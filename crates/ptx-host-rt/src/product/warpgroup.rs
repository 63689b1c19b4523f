//! A warp's share of a `wgmma`, computed in the order of the registers of D: a register has rows `lane / 4` of columns
//! `lane % 4 * 2`, so that adjacent vector elements are adjacent in register rows.

use ptx_exec::engine::WarpgroupPart;
use ptx_program::{Dst, Element, FactorA, Join, Overflow, Row, WARP};

use super::factor::{Known, by_line, values};
use super::processor::{for_processors, fused};
use super::sparse::{SparseRow, TILES, add_row};
use super::sum::{Sum, with_sum};
use super::tiles::{Eight, Kept, TILE};

/// Rows of a warp.
const ROWS: usize = 16;

/// Caches of a host thread for the products that it computes.
#[derive(Default)]
pub(super) struct ProductCaches {
    pub(super) known: Known,
    kept: Kept,
    pub(super) raw: Vec<u8>,
    a: Vec<f64>,
    by_lane: Vec<[f64; 2 * WARP]>,
}

/// Computes D; `None`, without effect, if its form is unsupported.
pub(super) fn warpgroup(
    part: &WarpgroupPart<'_>,
    rows: &mut [Row],
    caches: &mut ProductCaches,
) -> Option<()> {
    let product = &part.op.product;
    // The products of 1-bit values count common bits.
    let is_sum = product.join != Join::Xor;
    is_sum.then(|| with_sum!(product.d, product.overflow, of_type(part, rows, caches)))?
}

fn of_type<S: Sum>(part: &WarpgroupPart<'_>, rows: &mut [Row], caches: &mut ProductCaches) -> Option<()> {
    let (op, product) = (part.op, &part.op.product);
    let (n, depth) = (product.size.n as usize, product.size.k as usize);
    let is_sparse = product.sparse.is_some();
    let kept = if is_sparse { depth / 2 } else { depth };
    let ProductCaches { known, kept: factors, raw, a, by_lane } = caches;
    factor_a(part, kept, rows, (known, raw), a)?;
    let has_shape = n.is_multiple_of(TILE)
        && kept > 0
        && a.len() == ROWS * kept
        && (part.b.count(), part.b.depth()) == (n, depth)
        && op.d.len() == n / TILE * 4 / S::EACH
        && are_distinct(&op.d, rows.len());
    let has_depths = part.depths.len() == ROWS * kept && part.depths.iter().all(|&at| at < depth);
    if !has_shape || is_sparse != has_depths {
        return None;
    }
    if op.negated {
        a.iter_mut().for_each(|value| *value = -*value);
    }
    let b = factors.tiles(&part.b, product.b.element, known)?;
    if is_sparse {
        add_sparse::<S>((a, part.depths), b, depth, part.accumulates, &op.d, rows);
    } else {
        by_lane.resize(depth, [0.0; 2 * WARP]);
        spread(a, by_lane);
        add_dense::<S>(by_lane, b, part.accumulates, &op.d, rows);
    }
    Some(())
}

/// A, row by row, with the stored elements.
fn factor_a(
    part: &WarpgroupPart<'_>,
    kept: usize,
    rows: &[Row],
    (known, raw): (&mut Known, &mut Vec<u8>),
    a: &mut Vec<f64>,
) -> Option<()> {
    let element = part.op.product.a.element;
    match (&part.op.a, &part.a) {
        (_, Some(lines)) => {
            let first = part.quarter * ROWS;
            by_line(lines, element, first..first + ROWS, (known, raw), a)
        }
        (FactorA::Registers(srcs), None) => {
            // Consecutive elements of a register are consecutive in a row, and so are those of four lanes.
            let words = kept / element.per_register() as usize;
            if srcs.len() * WARP != ROWS * words {
                return None;
            }
            raw.resize(ROWS * words * 4, 0);
            let places = raw.as_chunks_mut::<4>().0;
            for (register, src) in srcs.iter().enumerate() {
                for (lane, word) in src.of(rows, part.constants).iter().enumerate() {
                    let (row, at) = (lane / 4 + register % 2 * 8, register / 2 * 4 + lane % 4);
                    *places.get_mut(row * words + at)? = (*word as u32).to_le_bytes();
                }
            }
            values(element, raw, a)
        }
        (FactorA::Shared(_), None) => None,
    }
}

/// Whether all of these are registers, and distinct: then their order does not matter.
fn are_distinct(d: &[Dst], count: usize) -> bool {
    let mut named = vec![false; count];
    let is_new = |&d: &Dst| named.get_mut(d as usize).is_some_and(|named| !std::mem::replace(named, true));
    d.iter().all(is_new)
}

/// The sums of one half of the rows that `LANES` lanes hold of a tile: of its even columns, and of its odd ones.
type Pair<const LANES: usize> = [[f64; LANES]; 2];

/// Loads D, starting from a lane.
#[inline(always)]
fn load<S: Sum, const LANES: usize>(
    accumulates: bool,
    rows: &[Row],
    d: &[Dst],
    (half, from): (usize, usize),
) -> Pair<LANES> {
    let mut sums = [[0.0; LANES]; 2];
    if !accumulates {
        return sums;
    }
    let [even, odd] = &mut sums;
    match S::EACH {
        1 => {
            for (sums, &d) in [even, odd].into_iter().zip(&d[2 * half..]) {
                let words = &rows[d as usize][from..][..LANES];
                sums.iter_mut().zip(words).for_each(|(sum, &word)| *sum = S::value(word as u32));
            }
        }
        _ => {
            let words = &rows[d[half] as usize][from..][..LANES];
            for ((even, odd), &word) in even.iter_mut().zip(odd).zip(words) {
                (*even, *odd) = (S::value(word as u32 & 0xffff), S::value(word as u32 >> 16));
            }
        }
    }
    sums
}

#[inline(always)]
fn store<S: Sum, const LANES: usize>(
    [even, odd]: &Pair<LANES>,
    rows: &mut [Row],
    d: &[Dst],
    (half, from): (usize, usize),
) {
    match S::EACH {
        1 => {
            for (sums, &d) in [even, odd].into_iter().zip(&d[2 * half..]) {
                let words = &mut rows[d as usize][from..][..LANES];
                words.iter_mut().zip(sums).for_each(|(word, &sum)| *word = S::raw(sum).into());
            }
        }
        _ => {
            let words = &mut rows[d[half] as usize][from..][..LANES];
            for ((&even, &odd), word) in even.iter().zip(odd).zip(words) {
                *word = (S::raw(even) | S::raw(odd) << 16).into();
            }
        }
    }
}

/// Replicates the elements of each row of A to the four lanes that have the row: by depth, so that lanes are contiguous.
#[inline(always)]
fn spread_with<const FUSED: bool, const LANES: usize>(a: &[f64], by_lane: &mut [[f64; 2 * WARP]]) {
    let depth = by_lane.len();
    for (k, lanes) in by_lane.iter_mut().enumerate() {
        for (place, row) in lanes.as_chunks_mut().0.iter_mut().zip(a.chunks_exact(depth)) {
            *place = [row[k]; 4];
        }
    }
}

/// D = A * B + D for a dense A, which is given for each lane by depth.
#[inline(always)]
fn add_dense_with<S: Sum, const FUSED: bool, const LANES: usize>(
    a: &[[f64; 2 * WARP]],
    b: &[Eight],
    accumulates: bool,
    d: &[Dst],
    rows: &mut [Row],
) {
    for (d, b) in d.chunks_exact(4 / S::EACH).zip(b.chunks_exact(a.len())) {
        for half in 0..2 {
            for from in (0..WARP).step_by(LANES) {
                let at = (half, from);
                let mut sums = load::<S, LANES>(accumulates, rows, d, at);
                for (a, b) in a.iter().zip(b) {
                    let a = &a[half * WARP + from..][..LANES];
                    for (sums, b) in sums.iter_mut().zip(b.as_chunks::<4>().0) {
                        // In this form all sums stay in registers.
                        let eight = [b[0], b[1], b[2], b[3], b[0], b[1], b[2], b[3]];
                        for (sums, a) in sums.chunks_exact_mut(8).zip(a.chunks_exact(8)) {
                            for ((sum, &a), &b) in sums.iter_mut().zip(a).zip(&eight) {
                                *sum = fused::<FUSED>(a, b, *sum);
                            }
                        }
                    }
                }
                store::<S, LANES>(&sums, rows, d, at);
            }
        }
    }
}

/// D = A * B + D for a sparse A, row by row, with the depth of each element.
#[inline(always)]
fn add_sparse_with<S: Sum, const FUSED: bool, const LANES: usize>(
    (a, depths): (&[f64], &[usize]),
    b: &[Eight],
    depth: usize,
    accumulates: bool,
    d: &[Dst],
    rows: &mut [Row],
) {
    let (kept, each) = (a.len() / ROWS, 4 / S::EACH);
    for (number, (values, depths)) in a.chunks_exact(kept).zip(depths.chunks_exact(kept)).enumerate() {
        let (row, at) = (SparseRow { values, depths }, (number / 8, number % 8 * 4));
        let groups = d.chunks_exact(TILES * each).zip(b.chunks_exact(TILES * depth));
        groups.for_each(|(d, b)| sparse_tiles::<S, FUSED, TILES>(row, (b, depth), accumulates, d, rows, at));
        let rest = |whole: usize, each: usize| whole / (TILES * each) * (TILES * each);
        let (d, b) = (&d[rest(d.len(), each)..], &b[rest(b.len(), depth)..]);
        for (d, b) in d.chunks_exact(each).zip(b.chunks_exact(depth)) {
            sparse_tiles::<S, FUSED, 1>(row, (b, depth), accumulates, d, rows, at);
        }
    }
}

/// The sums of a row for several tiles.
#[inline(always)]
fn sparse_tiles<S: Sum, const FUSED: bool, const T: usize>(
    row: SparseRow<'_>,
    (b, depth): (&[Eight], usize),
    accumulates: bool,
    d: &[Dst],
    rows: &mut [Row],
    at: (usize, usize),
) {
    let each = 4 / S::EACH;
    let mut sums: [Eight; T] = std::array::from_fn(|tile| {
        let [[a, b, c, d], [e, f, g, h]] = load::<S, 4>(accumulates, rows, &d[tile * each..], at);
        [a, b, c, d, e, f, g, h]
    });
    add_row::<FUSED, T>(row, std::array::from_fn(|tile| &b[tile * depth..][..depth]), &mut sums);
    for (&[a, b, c, e, f, g, h, i], d) in sums.iter().zip(d.chunks_exact(each)) {
        store::<S, 4>(&[[a, b, c, e], [f, g, h, i]], rows, d, at);
    }
}

for_processors!(spread, spread_with, a: &[f64], by_lane: &mut [[f64; 2 * WARP]]);
for_processors!(
    add_dense<S: Sum>,
    add_dense_with,
    a: &[[f64; 2 * WARP]],
    b: &[Eight],
    accumulates: bool,
    d: &[Dst],
    rows: &mut [Row],
);
for_processors!(
    add_sparse<S: Sum>,
    add_sparse_with,
    a: (&[f64], &[usize]),
    b: &[Eight],
    depth: usize,
    accumulates: bool,
    d: &[Dst],
    rows: &mut [Row],
);
