//! Factors B in tiles of eight columns, as read by products; those of `wgmma`, which are common to the four warps of a warpgroup, are cached.

use ptx_exec::engine::{Lines, Matrix};
use ptx_program::{Element, Majorness};

use super::factor::{Known, bytes, values};

/// Columns per tile.
pub(super) const TILE: usize = 8;

/// Eight elements of B at one depth.
pub(super) type Eight = [f64; TILE];

/// The column at each position of a tile of `wgmma`: a register of D has even or odd columns.
const EVEN_ODD: [usize; TILE] = [0, 2, 4, 6, 1, 3, 5, 7];
/// The column order for `tcgen05.mma`.
const IN_ORDER: [usize; TILE] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Cache of the factors last read by a host thread.
#[derive(Default)]
pub(super) struct Kept {
    factors: Vec<Factor>,
    /// The oldest one.
    next: usize,
    values: Vec<f64>,
}

/// A factor B in shared memory.
#[derive(Default)]
struct Factor {
    kind: Option<(Element, Matrix)>,
    raw: Vec<u8>,
    /// Tile by tile, depth by depth within each.
    tiles: Vec<Eight>,
}

impl Kept {
    /// Cache size: a pipeline stage has four factors, with 16-bit elements in 128 bytes.
    const MOST: usize = 8;

    /// B in tiles, with even columns before odd ones. A cached factor is compared with the current contents of memory.
    pub(super) fn tiles(
        &mut self,
        lines: &Lines<'_>,
        element: Element,
        known: &mut Known,
    ) -> Option<&[Eight]> {
        let places = known.places(lines, element, 0..lines.count())?;
        let kind = Some((element, lines.matrix()));
        let kept = self.factors.iter().position(|factor| factor.kind == kind);
        let is_same = |factor: &Factor| lines.is(places, factor.raw.as_chunks().0);
        let at = match kept {
            Some(at) if is_same(&self.factors[at]) => at,
            Some(at) => self.read(at, lines, element, places)?,
            None => {
                let at = self.next;
                self.next = (at + 1) % Self::MOST;
                if at >= self.factors.len() {
                    self.factors.push(Factor::default());
                }
                self.read(at, lines, element, places)?
            }
        };
        Some(&self.factors.get(at)?.tiles)
    }

    /// Reads a factor, replacing a cached one.
    fn read(&mut self, at: usize, lines: &Lines<'_>, element: Element, places: &[u32]) -> Option<usize> {
        let Self { factors, values: read, .. } = self;
        let factor = factors.get_mut(at)?;
        factor.kind = None;
        bytes(lines, places, &mut factor.raw)?;
        values(element, &factor.raw, read)?;
        match lines.majorness() {
            Majorness::K => of_columns(read, lines.depth(), EVEN_ODD, &mut factor.tiles),
            Majorness::Mn => of_rows(read, lines.count(), EVEN_ODD, &mut factor.tiles),
        }
        factor.kind = Some((element, lines.matrix()));
        Some(at)
    }
}

/// Tiles from columns that are contiguous.
fn of_columns(values: &[f64], depth: usize, order: [usize; TILE], tiles: &mut Vec<Eight>) {
    tiles.resize(values.len() / TILE, [0.0; TILE]);
    let depth = depth.max(1);
    for (columns, tile) in values.chunks_exact(TILE * depth).zip(tiles.chunks_exact_mut(depth)) {
        let [a, b, c, d, e, f, g, h] = order.map(|column| &columns[column * depth..][..depth]);
        for (k, eight) in tile.iter_mut().enumerate() {
            *eight = [a[k], b[k], c[k], d[k], e[k], f[k], g[k], h[k]];
        }
    }
}

/// Tiles from rows that are contiguous, of `columns` columns.
fn of_rows(values: &[f64], columns: usize, order: [usize; TILE], tiles: &mut Vec<Eight>) {
    tiles.resize(values.len() / TILE, [0.0; TILE]);
    let columns = columns.max(1);
    let depth = values.len() / columns;
    for (k, row) in values.chunks_exact(columns).enumerate() {
        let places = tiles.iter_mut().skip(k).step_by(depth);
        places.zip(row.as_chunks::<TILE>().0).for_each(|(eight, row)| *eight = order.map(|at| row[at]));
    }
}

/// Tiles from columns that are contiguous, in order.
pub(super) fn in_order(values: &[f64], depth: usize) -> Vec<Eight> {
    let mut tiles = Vec::new();
    of_columns(values, depth, IN_ORDER, &mut tiles);
    tiles
}
