//! Rows of a sparse A: each element is multiplied with the row of B given by its metadata.

use super::processor::fused;
use super::tiles::Eight;

/// A row of A.
#[derive(Clone, Copy)]
pub(super) struct SparseRow<'a> {
    /// The stored elements.
    pub(super) values: &'a [f64],
    /// The depth of each.
    pub(super) depths: &'a [usize],
}

/// Number of tiles computed together.
pub(super) const TILES: usize = 4;

/// Adds the products of a row to its sums of the columns of tiles.
#[inline(always)]
pub(super) fn add_row<const FUSED: bool, const T: usize>(
    row: SparseRow<'_>,
    tiles: [&[Eight]; T],
    sums: &mut [Eight; T],
) {
    let mut local = *sums;
    for (&value, &depth) in row.values.iter().zip(row.depths) {
        for (sums, tile) in local.iter_mut().zip(tiles) {
            // Depths have been checked against the depth of B.
            let Some(eight) = tile.get(depth) else {
                debug_assert!(false, "row {depth} of B, which has {}", tile.len());
                continue;
            };
            for (sum, &b) in sums.iter_mut().zip(eight) {
                *sum = fused::<FUSED>(value, b, *sum);
            }
        }
    }
    *sums = local;
}
