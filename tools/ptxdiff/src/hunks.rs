//! What is shown of a sequence: what differs, with some of what does not around it.

use std::ops::Range;

/// The runs of entries that differ, with so many others around each; runs that meet are one.
pub fn hunks<T>(entries: &[T], context: usize, differs: impl Fn(&T) -> bool) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (at, _) in entries.iter().enumerate().filter(|(_, entry)| differs(entry)) {
        let (start, end) = (at.saturating_sub(context), at.saturating_add(context).saturating_add(1));
        let end = end.min(entries.len());
        match ranges.last_mut() {
            Some(last) if start <= last.end => last.end = end,
            _ => ranges.push(start..end),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_meet_are_one() {
        let entries = [0, 1, 0, 0, 0, 1, 0];
        let of = |context| -> Vec<(usize, usize)> {
            let ranges = hunks(&entries, context, |entry| *entry == 1);
            ranges.into_iter().map(|range| (range.start, range.end)).collect()
        };
        assert_eq!(of(0), [(1, 2), (5, 6)]);
        assert_eq!(of(1), [(0, 3), (4, 7)]);
        assert_eq!(of(2), [(0, 7)]);
        assert_eq!(of(usize::MAX), [(0, 7)]);
    }
}
