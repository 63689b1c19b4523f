//! The shapes of the rows of a kernel, and the facts about them.
//!
//! Rows are not in SSA form, so each row has one shape and one set of facts, the join over all instructions that write it (`rounds.rs`). The answers
//! are those for code generation, unless they are called a claim or known.

use std::sync::Arc;

use ptx_program::{Dst, Program, Src};

use super::by_row::ByRow;
use super::facts::{self, Facts};
use super::shape::Among;
use super::{Block, Claim, Claims, Lanes, Launched, Shape, Stride, Widths};

/// The shapes of the rows of a kernel.
#[derive(Clone, Debug)]
pub struct Shapes {
    rows: ByRow<Shape>,
    facts: ByRow<Known>,
    /// The bits in which the lanes of a warp may differ, and those of a chunk, for varying rows.
    differing: ByRow<[u64; 2]>,
    /// The bits of the chunk's number that values depend on, for rows whose chunks have different values.
    chunkwise: ByRow<u32>,
    /// The constants whose values the module alone decides, the same in all blocks (CTAs).
    constants: Vec<Option<u64>>,
    widths: Widths,
    lanes: Lanes,
    /// The results of the analysis, for code that ignores them ([`Shapes::compute_per_lane`]).
    claims: Option<Arc<Claims>>,
    /// Whether lanes poll mbarriers and let later blocks run while the phase is not over.
    pub(super) has_questions: bool,
    /// Whether threads come to barriers one by one (`singly.rs`).
    pub(super) arrives_singly: bool,
}

/// Facts about the values of a row so far.
#[derive(Clone, Copy, Default, Debug)]
struct Known {
    facts: Option<Facts>,
    changes: u32,
}

/// How often the bounds of a row may grow before they are widened to those of its width; otherwise loop counters would grow for long.
const MOST_CHANGES: u32 = 6;

impl Shapes {
    /// All rows of a kernel, unwritten.
    pub(super) fn unwritten(
        program: &Program,
        widths: Widths,
        launched: &Launched,
        lanes: Lanes,
        has_questions: bool,
    ) -> Self {
        let rows = program.kernel().rows;
        // Each block of a cluster has addresses of its own in shared memory.
        let is_own = |constant| launched.clusters && program.constants.is_shared(constant);
        let count = program.constants.rows().len() as u32;
        let fixed = |constant| program.constants.fixed(constant).filter(|_| !is_own(constant));
        let constants = (0..count).map(fixed).collect();
        Self {
            rows: ByRow::new(rows, Shape::Varying, |_| Shape::Unwritten),
            facts: ByRow::new(rows, Known { facts: Some(Facts::of_bits(64)), changes: 0 }, |_| {
                Known::default()
            }),
            differing: ByRow::new(rows, [u64::MAX; 2], |_| [0; 2]),
            chunkwise: ByRow::new(rows, lanes.chunk_bits(), |_| 0),
            constants,
            widths,
            lanes,
            claims: None,
            has_questions,
            arrives_singly: false,
        }
    }

    /// The number of rows.
    pub(super) fn count(&self) -> u32 {
        self.rows.count()
    }

    /// The shape of a row that code is generated for.
    pub fn row(&self, row: u32) -> Shape {
        if self.claims.is_some() {
            return Shape::Varying;
        }
        *self.rows.get(row)
    }

    /// The shape of an operand that the analysis found, also if code is generated as if it were unknown.
    pub fn claim(&self, src: Src) -> Shape {
        match src.as_register() {
            Some(row) => *self.rows.get(row),
            None => self.src(src),
        }
    }

    /// From now on every row counts as varying, so that code is generated which computes every lane separately. The blocks at which lanes
    /// diverge and wait still follow from the analysis.
    pub(crate) fn compute_per_lane(&mut self) {
        self.claims = Some(Arc::new(self.found()));
    }

    /// The results of the analysis, if code is generated that computes every lane separately.
    pub(crate) fn claims(&self) -> Option<&Arc<Claims>> {
        self.claims.as_ref()
    }

    fn found(&self) -> Claims {
        let claim = |row: u32| Claim {
            shape: self.claim(Src::register(row)),
            facts: self.known(row),
            differing: self.differing(row, Among::Group),
            chunkwise: *self.chunkwise.get(row),
            bits: self.widths.row(row),
        };
        Claims::new((0..self.count()).map(claim).collect(), self.lanes.chunk)
    }

    /// The shape of an operand.
    pub fn src(&self, src: Src) -> Shape {
        match (src.as_register(), src.as_constant()) {
            (Some(row), _) => self.row(row),
            (None, Some(constant)) => {
                let value = self.constants.get(constant as usize).copied().flatten();
                value.map_or(Shape::Uniform, Shape::Constant)
            }
            (None, None) => Shape::Varying,
        }
    }

    /// The facts about the values of an operand.
    pub fn facts(&self, src: Src) -> Facts {
        match (src.as_register(), src.as_constant()) {
            (Some(row), _) => self.known(row).unwrap_or(Facts::of_bits(self.widths.row(row))),
            (None, Some(constant)) => {
                let value = self.constants.get(constant as usize).copied().flatten();
                value.map_or(Facts::of_bits(64), Facts::constant)
            }
            (None, None) => Facts::of_bits(64),
        }
    }

    /// The facts about the values of a row so far; `None` if it is unwritten.
    pub(super) fn known(&self, row: u32) -> Option<Facts> {
        self.facts.get(row).facts
    }

    /// The bits in which lanes of a varying row may differ.
    pub(super) fn differing(&self, row: u32, among: Among) -> u64 {
        self.differing.get(row)[among as usize]
    }

    /// The bits of the chunk's number on which the values of a varying row depend: chunks whose numbers differ only in other bits have equal
    /// values. In blocks of 16 x 16 threads, all chunks of 16 lanes have the same `tid.x`.
    pub fn chunkwise(&self, row: u32) -> u32 {
        if self.claims.is_some() {
            return self.lanes.chunk_bits();
        }
        *self.chunkwise.get(row)
    }

    /// Whether no two chunks are known to have equal values in a row.
    pub(super) fn has_value_for_each_chunk(&self, row: u32) -> bool {
        self.chunkwise(row) & self.lanes.chunk_bits() == self.lanes.chunk_bits()
    }

    /// How many bits an operand needs.
    pub(super) fn bits(&self, src: Src) -> u32 {
        self.widths.src(src)
    }

    /// Lanes of a chunk and of the group.
    pub(crate) fn lanes(&self) -> Lanes {
        self.lanes
    }

    /// Whether a row with this stride does not wrap around at `bits` bits: all its values are less than half of the range, and the lanes span
    /// no more than half of it.
    pub(super) fn stays_within(&self, src: Src, stride: Stride, bits: u32) -> bool {
        let chunks = u64::from(self.lanes.chunks());
        let times =
            |stride: i64, count: u64| u128::from(stride.unsigned_abs()) * u128::from(count.saturating_sub(1));
        let span = times(stride.within, u64::from(self.lanes.chunk)) + times(stride.known_across(), chunks);
        self.facts(src).are_small(bits) && span <= u128::from(facts::mask(bits) >> 1)
    }

    /// Whether the branch at the end of a block may be divergent.
    pub fn parts_lanes(&self, block: &Block) -> bool {
        #[cfg(test)]
        if super::lies::get().parts_nothing {
            return false;
        }
        block.terminator.decided_by().iter().any(|&row| !self.claim(Src::register(row)).is_uniform())
    }

    /// Joins a result into a row; returns whether its shape changed.
    pub(super) fn join(&mut self, row: Dst, written: Shape) -> bool {
        let Some(shape) = self.rows.get_mut(row) else { return false };
        let joined = shape.join(written);
        let changed = joined != *shape;
        *shape = joined;
        changed
    }

    /// As [`Self::join`], for the bits in which lanes may differ.
    pub(super) fn differ(&mut self, row: Dst, differing: u64, among: Among) -> bool {
        let bits = self.differing.get_mut(row).and_then(|bits| bits.get_mut(among as usize));
        let Some(bits) = bits else { return false };
        let changed = differing & !*bits != 0;
        *bits |= differing;
        changed
    }

    /// As [`Self::join`], for the bits of the chunk's number on which values depend.
    pub(super) fn depend(&mut self, row: Dst, chunkwise: u32) -> bool {
        let Some(bits) = self.chunkwise.get_mut(row) else { return false };
        let changed = chunkwise & !*bits != 0;
        *bits |= chunkwise;
        changed
    }

    /// As [`Self::join`], for facts.
    pub(super) fn learn(&mut self, row: Dst, learned: Facts) -> bool {
        let bits = self.widths.row(row);
        let Some(known) = self.facts.get_mut(row) else { return false };
        let mut joined = known.facts.map_or(learned, |before| before.join(learned));
        if known.facts == Some(joined) {
            return false;
        }
        known.changes += 1;
        if known.changes > MOST_CHANGES {
            joined = Facts { zeros: joined.zeros, ..Facts::of_bits(bits) };
        }
        let changed = known.facts != Some(joined);
        known.facts = Some(joined);
        changed
    }
}
