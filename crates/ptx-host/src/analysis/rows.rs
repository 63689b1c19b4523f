//! The shapes of the rows of a kernel, and the facts about them.
//!
//! In go the blocks and their instructions, out comes for each row one shape and one set of bounds that hold wherever it is written: rows are not
//! in SSA form, so that what several instructions write is joined. All of it is computed from below: [`Shapes::new`] finds the facts, which
//! depend on nothing else, then each [`Shapes::update`] is one round of the fixed point of shapes and schedule.

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
    /// The bits in which the lanes of a warp may differ, and those of a chunk, of rows that have any values.
    differing: Vec<[u64; 2]>,
    /// The bits of the number of a chunk that values depend on, of rows whose chunks have values of their own.
    chunkwise: Vec<u32>,
    /// Those that the module alone decides, the same in all blocks.
    constants: Vec<Option<u64>>,
    widths: Widths,
    lanes: Lanes,
    /// What was found, where code is made as if it were not ([`Shapes::compute_per_lane`]).
    claims: Option<Arc<Claims>>,
    /// Whether lanes ask whether phases of barriers in shared memory are over, and let later blocks run where that is in vain.
    pub(super) has_questions: bool,
}

/// What is known of the values of a row so far.
#[derive(Clone, Copy, Default, Debug)]
struct Known {
    facts: Option<Facts>,
    changes: u32,
}

/// So often the bounds of a row may grow; then they are those of its width. Counters of loops would grow for long otherwise.
const MOST_CHANGES: u32 = 6;

impl Shapes {
    /// Rows that may be read before they are written are zero, as in the interpreter; all others are unwritten. The facts are found here,
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

    /// The shape of a row that code is made for.
    pub fn row(&self, row: u32) -> Shape {
        if self.claims.is_some() {
            return Shape::Varying;
        }
        self.rows.get(row as usize).copied().unwrap_or(Shape::Varying)
    }

    /// The shape of an operand that was found, also where code is made as if it were not known.
    pub fn claim(&self, src: Src) -> Shape {
        match src.as_register() {
            Some(row) => self.rows.get(row as usize).copied().unwrap_or(Shape::Varying),
            None => self.src(src),
        }
    }

    /// From now on each row has any values: code is made that computes every lane by itself. The lanes that blocks run, and where they
    /// wait, still follow from what was found.
    pub(crate) fn compute_per_lane(&mut self) {
        self.claims = Some(Arc::new(self.found()));
    }

    /// What was found, where code is made that computes every lane by itself.
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

    /// What is known of the values of an operand.
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

    /// The bits of a row of any values in which lanes may differ.
    pub(super) fn differing(&self, row: u32, among: Among) -> u64 {
        self.differing.get(row as usize).map_or(u64::MAX, |bits| bits[among as usize])
    }

    /// The bits of the number of a chunk on which the values of a row depend, where each chunk has values of its own: chunks that differ
    /// in others only have the same. Of 16 x 16 threads, chunks of 16 lanes have the same `tid.x`.
    pub fn chunkwise(&self, row: u32) -> u32 {
        if self.claims.is_some() {
            return self.lanes.chunk_bits();
        }
        self.chunkwise.get(row as usize).copied().unwrap_or(self.lanes.chunk_bits())
    }

    /// Whether each chunk has values of its own in a row.
    pub(super) fn has_value_for_each_chunk(&self, row: u32) -> bool {
        self.chunkwise(row) & self.lanes.chunk_bits() == self.lanes.chunk_bits()
    }

    /// The same of an operand.
    pub fn chunkwise_of(&self, src: Src) -> u32 {
        chunkwise::of_source(self, src)
    }

    /// How many bits an operand takes.
    pub(super) fn bits(&self, src: Src) -> u32 {
        self.widths.src(src)
    }

    /// Lanes of a chunk and of the warp.
    pub(crate) fn lanes(&self) -> Lanes {
        self.lanes
    }

    /// Whether a row of this stride does not wrap around at so many bits: all its values are less than half of the numbers, and it spans
    /// no more than half of them.
    pub(super) fn stays_within(&self, src: Src, stride: Stride, bits: u32) -> bool {
        let chunks = u64::from(self.lanes.chunks());
        let times =
            |stride: i64, count: u64| u128::from(stride.unsigned_abs()) * u128::from(count.saturating_sub(1));
        let span =
            times(stride.within, u64::from(self.lanes.chunk)) + times(stride.across.unwrap_or(0), chunks);
        self.facts(src).are_small(bits) && span <= u128::from(facts::mask(bits) >> 1)
    }

    /// Whether lanes may leave a block for different ones.
    pub fn parts_lanes(&self, block: &Block) -> bool {
        #[cfg(test)]
        if super::lies::get().parts_nothing {
            return false;
        }
        block.terminator.decided_by().iter().any(|&row| !self.claim(Src::register(row)).is_uniform())
    }

    /// Joins what each instruction writes; tells whether a shape changed.
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
                        // Lanes for which the guard does not hold keep what they have. Two values with a stride each, the old one and the new, are
                        // mixed in one vector then; with a uniform guard it is one or the other, which the join is for.
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

    /// Learns what each instruction writes; tells whether anything changed.
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

    /// The facts about what an instruction writes to a row; `None` while one of its sources is unwritten.
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
