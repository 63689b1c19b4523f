//! The shapes of the rows of a kernel, and the facts about them.
//!
//! Rows are not in SSA form, so each row has one shape and one set of facts, the join over all instructions that write it. Both are least fixed
//! points: [`Shapes::new`] computes the facts, which depend on nothing else, then each [`Shapes::update`] is one round of the fixed point of shapes
//! and schedule.

use std::sync::Arc;

use ptx_exec::program::{Dst, Effect, Op, Program, Src};

use super::chunkwise;
use super::differing::Among;
use super::facts::{self, Facts};
use super::transfer;
use super::{
    Access, Block, Claim, Claims, Graph, Lanes, Launched, Liveness, Refusal, Schedule, Shape, Stride, Widths,
    guard_of, is_whole, keeps_others,
};

/// The shapes of the rows of a kernel.
#[derive(Clone, Debug)]
pub struct Shapes {
    rows: Vec<Shape>,
    facts: Vec<Known>,
    /// The bits in which the lanes of a warp may differ, and those of a chunk, for varying rows.
    differing: Vec<[u64; 2]>,
    /// The bits of the chunk's number that values depend on, for rows whose chunks have different values.
    chunkwise: Vec<u32>,
    /// The constants whose values the module alone decides, the same in all blocks (CTAs).
    constants: Vec<Option<u64>>,
    widths: Widths,
    lanes: Lanes,
    /// The results of the analysis, for code that ignores them ([`Shapes::compute_per_lane`]).
    claims: Option<Arc<Claims>>,
    /// Whether lanes poll mbarriers and let later blocks run while the phase is not over.
    pub(super) has_questions: bool,
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
    /// Rows that may be read before they are written are zero, as in the interpreter; all others are unwritten. The facts are computed here,
    /// because shapes depend on them and not the other way around.
    pub(super) fn new(
        program: &Program,
        graph: &Graph,
        liveness: &Liveness,
        widths: Widths,
        launched: &Launched,
        lanes: Lanes,
        has_questions: bool,
    ) -> Self {
        let rows = program.functions.get(program.entry as usize).map_or(0, |function| function.rows);
        // Each block of a cluster has addresses of its own in shared memory.
        let is_own = |constant| launched.clusters && program.constants.is_shared(constant);
        let count = program.constants.rows().len() as u32;
        let fixed = |constant| program.constants.fixed(constant).filter(|_| !is_own(constant));
        let constants = (0..count).map(fixed).collect();
        let mut shapes = Self {
            rows: vec![Shape::Unwritten; rows as usize],
            facts: vec![Known::default(); rows as usize],
            differing: vec![[0; 2]; rows as usize],
            chunkwise: vec![0; rows as usize],
            constants,
            widths,
            lanes,
            claims: None,
            has_questions,
        };
        for row in (0..rows).filter(|&row| liveness.is_live_into(0, row)) {
            shapes.join(row, Shape::Constant(0));
            shapes.learn(row, Facts::constant(0));
        }
        while shapes.learn_all(program, graph, launched) {}
        shapes
    }

    /// The shape of a row that code is generated for.
    pub fn row(&self, row: u32) -> Shape {
        if self.claims.is_some() {
            return Shape::Varying;
        }
        self.rows.get(row as usize).copied().unwrap_or(Shape::Varying)
    }

    /// The shape of an operand that the analysis found, also if code is generated as if it were unknown.
    pub fn claim(&self, src: Src) -> Shape {
        match src.as_register() {
            Some(row) => self.rows.get(row as usize).copied().unwrap_or(Shape::Varying),
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
            facts: self.facts.get(row as usize).and_then(|known| known.facts),
            differing: self.differing(row, Among::Group),
            chunkwise: self.chunkwise.get(row as usize).copied().unwrap_or(u32::MAX),
            bits: self.widths.row(row),
        };
        Claims::new((0..self.rows.len() as u32).map(claim).collect(), self.lanes.chunk)
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
            (Some(row), _) => {
                let known = self.facts.get(row as usize).and_then(|known| known.facts);
                known.unwrap_or(Facts::of_bits(self.widths.row(row)))
            }
            (None, Some(constant)) => {
                let value = self.constants.get(constant as usize).copied().flatten();
                value.map_or(Facts::of_bits(64), Facts::constant)
            }
            (None, None) => Facts::of_bits(64),
        }
    }

    /// The bits in which lanes of a varying row may differ.
    pub(super) fn differing(&self, row: u32, among: Among) -> u64 {
        self.differing.get(row as usize).map_or(u64::MAX, |bits| bits[among as usize])
    }

    /// The bits of the chunk's number on which the values of a varying row depend: chunks whose numbers differ only in other bits have equal
    /// values. In blocks of 16 x 16 threads, all chunks of 16 lanes have the same `tid.x`.
    pub fn chunkwise(&self, row: u32) -> u32 {
        if self.claims.is_some() {
            return self.lanes.chunk_bits();
        }
        self.chunkwise.get(row as usize).copied().unwrap_or(self.lanes.chunk_bits())
    }

    /// Whether no two chunks are known to have equal values in a row.
    pub(super) fn has_value_for_each_chunk(&self, row: u32) -> bool {
        self.chunkwise(row) & self.lanes.chunk_bits() == self.lanes.chunk_bits()
    }

    /// As [`Shapes::chunkwise`], for an operand.
    pub fn chunkwise_of(&self, src: Src) -> u32 {
        chunkwise::of_source(self, src)
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
        let span =
            times(stride.within, u64::from(self.lanes.chunk)) + times(stride.across.unwrap_or(0), chunks);
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

    /// Joins the result of each instruction into its rows; returns whether a shape changed.
    ///
    /// # Errors
    /// The first instruction that is not compiled.
    pub(super) fn update(
        &mut self,
        program: &Program,
        graph: &Graph,
        liveness: &Liveness,
        schedule: &Schedule,
        launched: &Launched,
    ) -> Result<bool, Refusal> {
        let mut changed = false;
        for (id, block) in graph.blocks().iter().enumerate() {
            for pc in block.first..block.end {
                let inst = &program.code[pc as usize];
                let access = Access::of(&inst.op).map_err(|why| Refusal { pc, why })?;
                let guard = guard_of(inst).map(|guard| self.row(guard.row));
                let is_whole = is_whole(schedule, id, launched);
                for &row in &access.writes {
                    let written = match guard {
                        // Lanes for which the guard does not hold keep their values, which mixes two strided values, the old one and the new, in one vector.
                        // With a uniform guard it is one or the other, which the join covers.
                        Some(shape) if !shape.is_uniform() => Shape::Varying,
                        _ if keeps_others(liveness, schedule, id, row) => Shape::Varying,
                        _ => match &inst.op {
                            Op::Effect(Effect::Collective(collective)) => {
                                self.of_collective(collective, row, is_whole)
                            }
                            op => transfer::written(self, op, row, launched),
                        },
                    };
                    #[cfg(test)]
                    let written = super::lies::get().shape.map_or(written, |lie| lie(&inst.op, written));
                    changed |= self.join(row, written);
                    for among in [Among::Group, Among::Chunk] {
                        let differing = match guard {
                            Some(shape) if !shape.is_uniform() => u64::MAX,
                            _ if keeps_others(liveness, schedule, id, row) => u64::MAX,
                            _ => transfer::differing(self, &inst.op, row, among),
                        };
                        #[cfg(test)]
                        let differing =
                            super::lies::get().differing.map_or(differing, |lie| lie(&inst.op, differing));
                        changed |= self.differ(row, differing, among);
                    }
                    let chunkwise = match guard {
                        Some(shape) if !shape.is_uniform() => self.lanes.chunk_bits(),
                        _ if keeps_others(liveness, schedule, id, row) => self.lanes.chunk_bits(),
                        _ => chunkwise::written(self, &inst.op, row, launched),
                    };
                    #[cfg(test)]
                    let chunkwise =
                        super::lies::get().chunkwise.map_or(chunkwise, |lie| lie(&inst.op, chunkwise));
                    changed |= self.depend(row, chunkwise);
                }
            }
        }
        Ok(changed)
    }

    fn join(&mut self, row: Dst, written: Shape) -> bool {
        let Some(shape) = self.rows.get_mut(row as usize) else { return false };
        let joined = shape.join(written);
        let changed = joined != *shape;
        *shape = joined;
        changed
    }

    /// Joins the facts of each instruction's result into its rows; returns whether anything changed.
    fn learn_all(&mut self, program: &Program, graph: &Graph, launched: &Launched) -> bool {
        let mut changed = false;
        let insts =
            graph.blocks().iter().flat_map(|block| &program.code[block.first as usize..block.end as usize]);
        for inst in insts {
            let Ok(access) = Access::of(&inst.op) else { continue };
            for row in access.writes {
                if let Some(facts) = self.learned(&inst.op, row, launched) {
                    changed |= self.learn(row, facts);
                }
            }
        }
        changed
    }

    fn differ(&mut self, row: Dst, differing: u64, among: Among) -> bool {
        let bits = self.differing.get_mut(row as usize).and_then(|bits| bits.get_mut(among as usize));
        let Some(bits) = bits else { return false };
        let changed = differing & !*bits != 0;
        *bits |= differing;
        changed
    }

    fn depend(&mut self, row: Dst, chunkwise: u32) -> bool {
        let Some(bits) = self.chunkwise.get_mut(row as usize) else { return false };
        let changed = chunkwise & !*bits != 0;
        *bits |= chunkwise;
        changed
    }

    /// The facts about the result that an instruction writes to a row; `None` while one of its sources is unwritten.
    fn learned(&self, op: &Op, row: Dst, launched: &Launched) -> Option<Facts> {
        let bits = self.widths.row(row);
        let known = |src: Src| match src.as_register() {
            Some(row) => self.facts.get(row as usize).and_then(|known| known.facts),
            None => Some(self.facts(src)),
        };
        let facts = match op {
            Op::Alu(alu) => {
                let reads = Access::of(op).ok()?.reads;
                let sources: Option<Vec<Facts>> = reads.into_iter().map(known).collect();
                facts::of_alu(alu, &sources?)
            }
            Op::Effect(Effect::Copy(pairs)) => {
                let mut copied = pairs.iter().filter(|(dst, _)| *dst == row).map(|(_, src)| known(*src));
                let first = copied.next().flatten()?;
                Some(copied.flatten().fold(first, Facts::join))
            }
            Op::Effect(Effect::Special { register, component, .. }) => {
                facts::of_special(*register, *component, launched, self.lanes)
            }
            Op::Effect(_) => None,
        };
        #[cfg(test)]
        let facts = super::lies::get().facts.map_or(facts, |lie| lie(op, facts));
        Some(facts.filter(|facts| facts.most <= facts::mask(bits)).unwrap_or(Facts::of_bits(bits)))
    }

    fn learn(&mut self, row: Dst, learned: Facts) -> bool {
        let bits = self.widths.row(row);
        let Some(known) = self.facts.get_mut(row as usize) else { return false };
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
