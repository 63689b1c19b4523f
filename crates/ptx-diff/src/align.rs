//! The alignment of two sequences of statements.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// What is aligned with what, in the order of both sequences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Aligned {
    Both(usize, usize),
    Before(usize),
    After(usize),
}

/// Aligns two sequences so that what is aligned is equal.
pub(crate) fn align<K: Eq + Hash>(before: &[K], after: &[K]) -> Vec<Aligned> {
    // Small numbers are compared faster than keys.
    let mut numbers = FxHashMap::default();
    let mut number = |key| {
        let next = numbers.len();
        *numbers.entry(key).or_insert(next)
    };
    let before: Vec<usize> = before.iter().map(&mut number).collect();
    let after: Vec<usize> = after.iter().map(&mut number).collect();
    let mut aligned = Vec::with_capacity(before.len().max(after.len()));
    for operation in capture_diff_slices(Algorithm::Myers, &before, &after) {
        match operation {
            DiffOp::Equal { old_index, new_index, len } => {
                aligned.extend((0..len).map(|at| Aligned::Both(old_index + at, new_index + at)));
            }
            DiffOp::Delete { old_index, old_len, .. } => {
                aligned.extend((old_index..old_index + old_len).map(Aligned::Before));
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                aligned.extend((new_index..new_index + new_len).map(Aligned::After));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                aligned.extend((old_index..old_index + old_len).map(Aligned::Before));
                aligned.extend((new_index..new_index + new_len).map(Aligned::After));
            }
        }
    }
    aligned
}
