//! The fixed points of shapes and facts: each instruction's result is joined into the rows that it writes.
//!
//! [`Shapes::new`] computes the facts, which depend on nothing else, then each [`Shapes::update`] is one round of the fixed point of shapes
//! and schedule. The transfer functions (`transfer.rs`, `differing.rs`, `chunkwise.rs`, `facts.rs`, `participants.rs`) say what an instruction writes.

use ptx_program::{Dst, Effect, Inst, Op, Program, Src};

use super::access::Access;
use super::facts::{self, Facts};
use super::gather::guard_of;
use super::graph::Graph;
use super::liveness::Liveness;
use super::rows::Shapes;
use super::schedule::{Schedule, is_whole, keeps_others};
use super::shape::{Among, Lanes, Launched, Shape};
use super::sweep::Sweep;
use super::width::Widths;
use super::{chunkwise, transfer};

/// The number of rounds after which results are approximated. Kernels of compilers take five at most.
const MOST_ROUNDS: usize = 16;

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
        shapes.learn_all(program, graph, Some(launched));
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
        shapes.learn_all(program, graph, None);
        shapes
    }

    /// Joins the result of each instruction into its rows, until nothing changes under this schedule; returns whether a shape changed.
    pub(super) fn update(
        &mut self,
        sweep: &mut Sweep<'_>,
        liveness: &Liveness,
        schedule: &Schedule,
        launched: &Launched,
    ) -> bool {
        let mut changed = false;
        sweep.restart();
        while let Some(visit) = sweep.next() {
            for &row in &visit.access.writes {
                // Lanes at other blocks keep their values of the row.
                let keeps = keeps_others(liveness, schedule, visit.block, row);
                let is_whole = is_whole(schedule, visit.block, launched);
                if self.join_all(visit.inst, row, keeps, is_whole, launched) {
                    changed = true;
                    sweep.changed(row);
                }
            }
        }
        changed
    }

    /// In kernels with many rounds, takes for varying what decides branches, so that the number of rounds does not grow with the kernel: with branches
    /// each of which is divergent because the one before it is, a round would find one of them.
    pub(super) fn widen(&mut self, graph: &Graph, round: usize) {
        if round < MOST_ROUNDS {
            return;
        }
        // What is constant so far is in most cases to the end.
        let is_last = round >= 2 * MOST_ROUNDS;
        let counts = |shape: &Shape| is_last || !matches!(shape, Shape::Constant(_) | Shape::Unwritten);
        for row in graph.blocks().iter().flat_map(|block| block.terminator.decided_by()) {
            if counts(&self.row(row)) {
                self.join(row, Shape::Varying);
            }
        }
    }

    /// Joins what an instruction writes to a row; returns whether something changed.
    fn join_all(&mut self, inst: &Inst, row: Dst, keeps: bool, is_whole: bool, launched: &Launched) -> bool {
        // Lanes for which the guard does not hold keep their values, which mixes two strided values, the old one and the new, in one vector.
        // With a uniform guard it is one or the other, which the join covers.
        let mixes = keeps || guard_of(inst).is_some_and(|guard| !self.row(guard.row).is_uniform());
        let written = match &inst.op {
            _ if mixes => Shape::Varying,
            // Lanes of several phases may go on together.
            Op::Effect(Effect::BlockBarrier(_)) if self.arrives_singly => Shape::Varying,
            Op::Effect(Effect::Collective(collective)) => self.of_collective(collective, row, is_whole),
            op => transfer::written(self, op, row, launched),
        };
        #[cfg(test)]
        let written = super::lies::get().shape.map_or(written, |lie| lie(&inst.op, written));
        let mut changed = self.join(row, written);
        for among in [Among::Group, Among::Chunk] {
            let differing = if mixes { u64::MAX } else { transfer::differing(self, &inst.op, row, among) };
            #[cfg(test)]
            let differing = super::lies::get().differing.map_or(differing, |lie| lie(&inst.op, differing));
            changed |= self.differ(row, differing, among);
        }
        let chunkwise = match mixes {
            true => self.lanes().chunk_bits(),
            false => chunkwise::written(self, &inst.op, row, launched),
        };
        #[cfg(test)]
        let chunkwise = super::lies::get().chunkwise.map_or(chunkwise, |lie| lie(&inst.op, chunkwise));
        changed | self.depend(row, chunkwise)
    }

    /// Joins the facts of each instruction's result into its rows, until nothing changes.
    fn learn_all(&mut self, program: &Program, graph: &Graph, launched: Option<&Launched>) {
        let mut sweep = Sweep::new(program, graph);
        while let Some(visit) = sweep.next() {
            for &row in &visit.access.writes {
                if let Some(facts) = self.learned(visit.op(), row, launched)
                    && self.learn(row, facts)
                {
                    sweep.changed(row);
                }
            }
        }
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
