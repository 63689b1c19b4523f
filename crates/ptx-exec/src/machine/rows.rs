//! Lanes of rows: those with equal values, those that are true, and those that are written.

use ptx_program::{Dst, FULL, Mask, Row, lanes};

/// The lanes of a set whose value equals that of `lane`.
pub(super) fn same_value(row: &Row, set: Mask, lane: usize) -> Mask {
    lanes(set).filter(|&other| row[other] == row[lane]).fold(0, |mask, other| mask | 1 << other)
}

/// The lanes whose predicate is true.
#[inline]
pub(super) fn predicate_mask(row: &Row) -> Mask {
    row.iter().enumerate().fold(0, |mask, (lane, &value)| mask | ((value & 1) as u32) << lane)
}

/// Writes the active lanes of a destination row.
#[inline]
pub(super) fn blend(rows: &mut [Row], d: Dst, values: &Row, active: Mask) {
    let row = &mut rows[d as usize];
    if active == FULL {
        *row = *values;
    } else {
        for lane in lanes(active) {
            row[lane] = values[lane];
        }
    }
}
