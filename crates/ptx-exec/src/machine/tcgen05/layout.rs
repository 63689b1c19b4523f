//! Mapping from rows of D to lanes of tensor memory (manual 9.7.16.10.5).

use ptx_program::{Group, LANES};

use super::misuse::misuse;
use crate::error::TrapKind;

/// Distribution of the rows of D over lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spread {
    /// Layouts A and D: one row per lane.
    Full,
    /// Layouts C and F: 16 of 32 lanes have one row each.
    Half,
    /// Layouts B and E: the upper half of the lanes contains the second half of the columns.
    Two,
    /// Layout G: each quarter of the lanes contains a quarter of the columns.
    Four,
}

/// A layout of D in the tensor memory of each block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    spread: Spread,
    /// The lowest lane.
    pub(super) base: usize,
    /// Rows per block.
    pub(super) rows: usize,
    /// Columns per lane.
    pub(super) columns: usize,
}

impl Layout {
    /// The layout for a number of rows and columns.
    pub(super) fn new(
        (m, n): (usize, usize),
        group: Group,
        keeps_b: bool,
        is_sparse: bool,
        base: usize,
    ) -> Result<Self, TrapKind> {
        let (spread, rows, columns) = match (m, group, keeps_b) {
            (256, Group::Pair, false) | (128, Group::One, _) => (Spread::Full, 128, n),
            (128, Group::Pair, false) if is_sparse => (Spread::Half, 64, n),
            (128, Group::Pair, false) | (64, Group::One, true) => (Spread::Two, 64, n / 2),
            (64, Group::One, false) => (Spread::Half, 64, n),
            (32, Group::One, true) => (Spread::Four, 32, n / 4),
            _ => return misuse(format!("D has no layout with {m} rows")),
        };
        if base != 0 && (spread != Spread::Half || base != 16) {
            return misuse(format!("the address of D is in lane {base}, where no D with {m} rows begins"));
        }
        Ok(Self { spread, base, rows, columns })
    }

    /// The row of D in a lane, relative to its block, and its first column.
    pub(super) const fn row(&self, lane: usize) -> Option<(usize, usize)> {
        if lane >= LANES {
            return None;
        }
        match self.spread {
            Spread::Full => Some((lane, 0)),
            Spread::Half if lane / 16 % 2 == self.base / 16 => Some((lane / 32 * 16 + lane % 16, 0)),
            Spread::Half => None,
            Spread::Two => Some((lane % 64, lane / 64 * self.columns)),
            Spread::Four => Some((lane % 32, lane / 32 * self.columns)),
        }
    }
}
