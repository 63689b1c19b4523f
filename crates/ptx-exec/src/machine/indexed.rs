//! Elements of arrays whose shape determines the indices, in loops that have no way to report an error.

use std::ops::Range;

/// The element at an index that the array has.
#[inline]
pub(super) fn value_at<T: Copy + Default>(all: &[T], at: usize) -> T {
    let [value] = values_in(all, at..at.saturating_add(1)) else { return T::default() };
    *value
}

/// The elements in a range that the array has.
#[inline]
pub(super) fn values_in<T>(all: &[T], range: Range<usize>) -> &[T] {
    debug_assert!(range.end <= all.len(), "elements {range:?} of {}", all.len());
    // Default: the range follows from the shape of an instruction, as the length of the array does.
    all.get(range).unwrap_or_default()
}
