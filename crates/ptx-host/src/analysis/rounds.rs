//! The fixed points of shapes and facts: each instruction's result is joined into the rows that it writes.
//!
//! [`Shapes::new`] computes the facts, which depend on nothing else, then each [`Shapes::update`] is one round of the fixed point of shapes
//! and schedule. The transfer functions (`transfer.rs`, `differing.rs`, `chunkwise.rs`, `facts.rs`, `participants.rs`) say what an instruction writes.

use ptx_program::{Dst, Effect, Op, Program, Src};

use super::access::{Access, Refusal};
use super::facts::{self, Facts};
use super::gather::guard_of;
use super::graph::Graph;
use super::liveness::Liveness;
use super::rows::Shapes;
use super::schedule::{Schedule, is_whole, keeps_others};
use super::shape::{Among, Lanes, Launched, Shape};
use super::width::Widths;
use super::{chunkwise, transfer};

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
        let mut shapes = Self::unwritten(program, widths, launched, lanes, has_questions);
        for row in (0..shapes.count()).filter(|&row| liveness.is_live_into(0, row)) {
            shapes.join(row, Shape::Constant(0));
            shapes.learn(row, Facts::constant(0));
        }
        while shapes.learn_all(program, graph, Some(launched)) {}
        shapes
    }

    /// The facts that hold in every launch and in each lane by itself; there are no shapes.
    pub(super) fn facts_only(program: &Program, graph: &Graph, liveness: &Liveness, widths: Widths) -> Self {
        // With clusters, addresses in shared memory are no constants. Each lane is the first one of its group.
        let launched = Launched { block: [1; 3], clusters: true };
        let mut shapes = Self::unwritten(program, widths, &launched, Lanes { chunk: 1, group: 1 }, false);
        for row in (0..shapes.count()).filter(|&row| liveness.is_live_into(0, row)) {
            shapes.learn(row, Facts::constant(0));
        }
        while shapes.learn_all(program, graph, None) {}
        shapes
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
            for (_, inst, access) in graph.code(program, block) {
                let guard = guard_of(inst).map(|guard| self.row(guard.row));
                let is_whole = is_whole(schedule, id, launched);
                for &row in &access.writes {
                    let written = match guard {
                        // Lanes for which the guard does not hold keep their values, which mixes two strided values, the old one and the new, in one vector.
                        // With a uniform guard it is one or the other, which the join covers.
                        Some(shape) if !shape.is_uniform() => Shape::Varying,
                        _ if keeps_others(liveness, schedule, id, row) => Shape::Varying,
                        _ => match &inst.op {
                            // Lanes of several phases may go on together.
                            Op::Effect(Effect::BlockBarrier(_)) if self.arrives_singly => Shape::Varying,
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
                        Some(shape) if !shape.is_uniform() => self.lanes().chunk_bits(),
                        _ if keeps_others(liveness, schedule, id, row) => self.lanes().chunk_bits(),
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

    /// Joins the facts of each instruction's result into its rows; returns whether anything changed.
    fn learn_all(&mut self, program: &Program, graph: &Graph, launched: Option<&Launched>) -> bool {
        let mut changed = false;
        for (_, inst, access) in graph.blocks().iter().flat_map(|block| graph.code(program, block)) {
            for &row in &access.writes {
                if let Some(facts) = self.learned(&inst.op, row, launched) {
                    changed |= self.learn(row, facts);
                }
            }
        }
        changed
    }

    /// The facts about the result that an instruction writes to a row; `None` while one of its sources is unwritten.
    fn learned(&self, op: &Op, row: Dst, launched: Option<&Launched>) -> Option<Facts> {
        let bits = self.bits(Src::register(row));
        let known = |src: Src| match src.as_register() {
            Some(row) => self.known(row),
            None => Some(self.facts(src)),
        };
        let facts = match op {
            Op::Alu(alu) => {
                let reads = Access::of(op).reads;
                let sources: Option<Vec<Facts>> = reads.into_iter().map(known).collect();
                facts::of_alu(alu, &sources?)
            }
            Op::Effect(Effect::Copy(pairs)) => {
                let mut copied = pairs.iter().filter(|(dst, _)| *dst == row).map(|(_, src)| known(*src));
                let first = copied.next().flatten()?;
                Some(copied.flatten().fold(first, Facts::join))
            }
            Op::Effect(Effect::Special { register, component, .. }) => {
                launched.and_then(|launched| facts::of_special(*register, *component, launched, self.lanes()))
            }
            Op::Effect(Effect::FrameAddress { offset, .. }) => {
                Some(Facts::constant(transfer::frame_address(*offset)))
            }
            Op::Effect(_) => None,
        };
        #[cfg(test)]
        let facts = super::lies::get().facts.map_or(facts, |lie| lie(op, facts));
        Some(facts.filter(|facts| facts.most <= facts::mask(bits)).unwrap_or(Facts::of_bits(bits)))
    }
}
