//! Rows of a sparse A: each element meets the row of B that its metadata names.

use super::processor::fused;
use super::tiles::{Eight, TILE};

/// A row of A.
#[derive(Clone, Copy)]
pub(super) struct SparseRow<'a> {
    /// The elements that are kept.
    pub(super) values: &'a [f64],
    /// The depth of each.
    pub(super) depths: &'a [usize],
}

/// Tiles that are computed together.
pub(super) const TILES: usize = 4;

/// Adds the products of a row to its sums of the columns of tiles, of which each has so many depths.
#[inline(always)]
pub(super) fn add_row<const FUSED: bool, const T: usize>(
    row: SparseRow<'_>,
    tiles: [&[Eight]; T],
    sums: &mut [Eight; T],
) {
    let mut local = *sums;
    for (&value, &depth) in row.values.iter().zip(row.depths) {
        for (sums, tile) in local.iter_mut().zip(tiles) {
            // Depths were compared with those of B.
            let eight = tile.get(depth).unwrap_or(&[0.0; TILE]);
            for (sum, &b) in sums.iter_mut().zip(eight) {
                *sum = fused::<FUSED>(value, b, *sum);
            }
        }
    }
    *sums = local;
}
