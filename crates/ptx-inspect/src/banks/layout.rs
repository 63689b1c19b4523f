//! Other layouts of an array: rows with bytes after them, and rows whose parts change places.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::banks::{ArrayAccess, BANKS, WORD, conflicts};

/// An array with conflicts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ArrayLayout {
    /// Its name.
    pub array: String,
    /// Its accesses of which all is known.
    pub accesses: Vec<LayoutAccess>,
    /// How many accesses are not known: nothing is claimed of them.
    pub unknown: u32,
    /// The best padding, if there is one with fewer conflicts.
    pub padding: Option<Padding>,
    /// The best swizzle, if there is one with fewer conflicts.
    pub swizzle: Option<Swizzle>,
}

/// An access to an array with conflicts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LayoutAccess {
    /// Its line.
    pub line: u32,
    /// The instruction.
    pub instruction: String,
    /// Its cycles beyond those without conflicts, at most.
    pub before: u32,
    /// The same with the padding.
    pub padded: Option<u32>,
    /// The same with the swizzle.
    pub swizzled: Option<u32>,
}

/// Bytes added after each row: `offset + bytes * (offset / row)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Padding {
    /// Bytes of a row.
    pub row: i64,
    /// Bytes added to each.
    pub bytes: i64,
}

/// Parts of a row that change places by the number of the row: `offset ^ (offset / row % rows * unit)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Swizzle {
    /// Bytes of a row.
    pub row: i64,
    /// After how many rows it repeats.
    pub rows: i64,
    /// Bytes that stay together.
    pub unit: i64,
}

/// Lengths of rows that are tried.
const MOST_ROWS: usize = 8;
/// A layout is not tried if an access has more places than this.
const MOST_PLACES: i64 = 2048;

/// A place for each offset.
trait Layout {
    fn place(&self, offset: i64) -> i64;
    /// Offsets that differ by this have places that differ by whole words, in the same way for all.
    fn period(&self) -> i64;
}

impl Layout for Padding {
    fn place(&self, offset: i64) -> i64 {
        offset + self.bytes * offset.div_euclid(self.row)
    }

    fn period(&self) -> i64 {
        self.row
    }
}

impl Layout for Swizzle {
    fn place(&self, offset: i64) -> i64 {
        let row = offset.div_euclid(self.row);
        row * self.row + (offset.rem_euclid(self.row) ^ (row.rem_euclid(self.rows) * self.unit))
    }

    fn period(&self) -> i64 {
        self.row * self.rows
    }
}

/// The array as it is.
struct Plain;

impl Layout for Plain {
    fn place(&self, offset: i64) -> i64 {
        offset
    }

    fn period(&self) -> i64 {
        WORD
    }
}

/// The most cycles that an access takes beyond those without conflicts, for all warps and wherever its address is moved. `None` if there are too many places.
fn cost(access: &ArrayAccess, layout: &impl Layout) -> Option<u32> {
    let period = layout.period();
    let step = match access.step {
        0 => period,
        step => crate::coalescing::gcd(period, step),
    };
    if period / step > MOST_PLACES {
        return None;
    }
    let aligned = i64::from(access.bytes.next_power_of_two().min(16));
    let mut most = 0;
    for (lanes, first) in &access.shapes {
        for moved in (0..period / step).map(|at| first.wrapping_add(at * step)) {
            // Only aligned addresses are accessed.
            if moved.rem_euclid(aligned) != 0 {
                continue;
            }
            let places: Vec<i64> = lanes.iter().map(|lane| layout.place(moved.wrapping_add(*lane))).collect();
            most = most.max(conflicts(&places, access.bytes).0);
        }
    }
    Some(most)
}

/// The cycles of all accesses, and their sum; `None` if it is not less than a bound.
fn costs(accesses: &[ArrayAccess], layout: &impl Layout, below: u32) -> Option<(u32, Vec<u32>)> {
    let (mut sum, mut all) = (0, Vec::with_capacity(accesses.len()));
    for access in accesses {
        let cost = cost(access, layout)?;
        sum += cost;
        if sum >= below {
            return None;
        }
        all.push(cost);
    }
    Some((sum, all))
}

/// Layouts of an array with fewer conflicts, if it has conflicts.
pub(super) fn better(name: &str, accesses: &[ArrayAccess], unknown: usize) -> Option<ArrayLayout> {
    let (total, before) = costs(accesses, &Plain, u32::MAX)?;
    if total == 0 {
        return None;
    }
    let padding = best(accesses, paddings(accesses), total);
    let swizzle = best(accesses, swizzles(accesses), total);
    let of = |found: &Option<Vec<u32>>, at: usize| found.as_ref().and_then(|costs| costs.get(at).copied());
    let (padding, padded) = padding.unzip();
    let (swizzle, swizzled) = swizzle.unzip();
    let accesses = accesses.iter().zip(before).enumerate().map(|(at, (access, before))| LayoutAccess {
        line: access.line,
        instruction: access.instruction.clone(),
        before,
        padded: of(&padded, at),
        swizzled: of(&swizzled, at),
    });
    Some(ArrayLayout {
        array: name.to_owned(),
        accesses: accesses.collect(),
        unknown: u32::try_from(unknown).ok()?,
        padding,
        swizzle,
    })
}

/// The first of those with the fewest conflicts.
fn best<L: Layout>(
    accesses: &[ArrayAccess],
    layouts: impl IntoIterator<Item = L>,
    total: u32,
) -> Option<(L, Vec<u32>)> {
    let mut found: Option<(u32, L, Vec<u32>)> = None;
    for layout in layouts {
        let below = found.as_ref().map_or(total, |(sum, ..)| *sum);
        if below == 0 {
            break;
        }
        if let Some((sum, costs)) = costs(accesses, &layout, below) {
            found = Some((sum, layout, costs));
        }
    }
    found.map(|(_, layout, costs)| (layout, costs))
}

/// The bytes that an access needs together.
fn unit(accesses: &[ArrayAccess]) -> i64 {
    accesses.iter().map(|access| i64::from(access.bytes.next_power_of_two())).fold(WORD, i64::max)
}

/// Lengths of rows that the addresses speak of, and the bytes of all banks.
fn rows(accesses: &[ArrayAccess]) -> Vec<i64> {
    let unit = unit(accesses);
    let all: BTreeSet<i64> = accesses.iter().flat_map(|access| access.factors.iter().copied()).collect();
    let is_row = |row: &i64| *row > unit && row % unit == 0 && *row <= 1 << 16;
    let mut rows: Vec<i64> = all.into_iter().filter(is_row).rev().take(MOST_ROWS).collect();
    rows.extend((!rows.contains(&(BANKS * WORD))).then_some(BANKS * WORD));
    rows
}

fn paddings(accesses: &[ArrayAccess]) -> Vec<Padding> {
    let (unit, rows) = (unit(accesses), rows(accesses));
    let amounts = (1..=BANKS * WORD / unit).map(|count| count * unit);
    // Little memory first.
    amounts.flat_map(|bytes| rows.iter().map(move |row| Padding { row: *row, bytes })).collect()
}

fn swizzles(accesses: &[ArrayAccess]) -> Vec<Swizzle> {
    let unit = unit(accesses);
    let mut all = Vec::new();
    for row in rows(accesses).into_iter().filter(|row| row & (row - 1) == 0) {
        let counts = (1..=5).map(|power| 1 << power).filter(|rows| rows * unit <= row);
        all.extend(counts.map(|rows| Swizzle { row, rows, unit }));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A transposed tile: it is written by rows of 32 words, and read by columns.
    fn tile() -> [ArrayAccess; 2] {
        let access = |stride: i64, step| ArrayAccess {
            line: 1,
            instruction: String::new(),
            bytes: 4,
            shapes: vec![((0..32).map(|lane| lane * stride).collect(), 0)],
            step,
            factors: BTreeSet::from([stride, step]),
        };
        [access(4, 128), access(128, 4)]
    }

    #[test]
    fn a_tile_is_padded_by_a_word_or_swizzled_by_rows() {
        let found = better("tile", &tile(), 0).unwrap();
        assert_eq!(found.padding, Some(Padding { row: 128, bytes: 4 }));
        assert_eq!(found.swizzle, Some(Swizzle { row: 128, rows: 32, unit: 4 }));
        let costs: Vec<_> =
            found.accesses.iter().map(|access| (access.before, access.padded, access.swizzled)).collect();
        assert_eq!(costs, [(0, Some(0), Some(0)), (31, Some(0), Some(0))]);
    }

    #[test]
    fn a_layout_has_a_place_of_its_own_for_each_offset() {
        let swizzle = Swizzle { row: 256, rows: 8, unit: 16 };
        let places: BTreeSet<i64> = (0..4096).map(|offset| swizzle.place(offset)).collect();
        assert_eq!(places, (0..4096).collect());
        let padding = Padding { row: 96, bytes: 16 };
        let padded: BTreeSet<i64> = (0..4096).map(|offset| padding.place(offset)).collect();
        assert_eq!(padded.len(), 4096);
        // What stays together has no gap, nor does it change its alignment.
        for offset in (0..4096).step_by(16) {
            assert!((0..16).all(|byte| swizzle.place(offset + byte) == swizzle.place(offset) + byte));
            assert_eq!(padding.place(offset).rem_euclid(16), 0);
        }
    }

    #[test]
    fn arrays_without_conflicts_stay_as_they_are() {
        let [rows, _] = tile();
        assert_eq!(better("tile", &[rows], 1), None);
    }
}
