//! Barriers to which the threads of a warp come one by one (`analysis/singly.rs`).
//!
//! Lanes that have arrived stay at the block of the barrier until the phase is over, and other blocks run. The runtime knows which of them have arrived
//! already, and which may go on:
//!
//! ```text
//! block7:                                    ; barrier.sync 1
//!   call i32 %arrive(ptr %warp, i32 pc, i32 %here, i32 %guarded, i32 %alive, i32 %trues, ptr %ids, ptr %counts, ptr %results)
//!   %ready = load i32, ptr %warp.trues
//!   br i1 %ready.none, label %rest, label %on
//! rest:
//!   br i1 %any.w8, label %block8, label %wait
//! wait:                                      ; no lane of the warp can run
//!   %stuck = call i32 %await_phase(ptr %warp, i32 %alive)
//!   br i1 %stuck.not, label %block7, label %deadlock
//! ```

use std::collections::BTreeSet;

use ptx_exec::program::{Effect, Op, Src};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, IntPredicate, Value};

use super::serial::Held;
use super::state::{Code, Segment};
use crate::analysis::{Access, BlockId, begins_with_wait, is_waited_at};
use crate::run::field;

/// The arrays of a barrier's numbers, counts and results.
const NUMBERS: usize = 0;
const COUNTS: usize = 1;
const RESULTS: usize = 2;

impl<'a, 'c> Code<'a, '_, 'c> {
    /// Whether lanes come one by one to the barrier that an instruction is.
    pub(super) fn comes_singly(&self, op: &Op) -> bool {
        self.analysis.arrives_singly && is_waited_at(op)
    }

    fn begins_singly(&self, id: BlockId) -> bool {
        self.analysis.arrives_singly && begins_with_wait(self.program, self.analysis.graph.block(id))
    }

    /// Lets the lanes arrive that have come to the barrier at which a block begins, and takes those whose phase is over.
    pub(super) fn take_arrived(&mut self, id: BlockId, others: &BTreeSet<BlockId>) -> Result<(), LlvmError> {
        let block = self.analysis.graph.block(id);
        let (pc, program) = (block.first, self.program);
        let inst = &program.code[pc as usize];
        let masks = self.masks_of(id)?;
        let here = self.lanes_of(&masks)?;
        let mut guarded = here;
        // Where lanes wait for each other, the guard belongs to the block before.
        if let Some(guard) = inst.guard.filter(|_| !block.gathers) {
            let of_chunk = |(chunk, &mask): (usize, &Value<'c>)| {
                let holds = self.condition((guard.row, guard.negated), chunk)?;
                self.builder().binary(BinaryOp::And, mask, holds)
            };
            let chunks: Result<Vec<_>, LlvmError> = masks.iter().enumerate().map(of_chunk).collect();
            guarded = self.lanes_of(&chunks?)?;
        }
        let [trues, numbers, counts] = self.operands_of_barrier(&inst.op)?;
        let results = self.array(RESULTS)?;
        let alive = self.alive_lanes()?;
        let arguments = [self.int(32, pc.into()), here, guarded, alive, trues, numbers, counts, results];
        self.call_checked(field::runtime::ARRIVE, &arguments)?;
        let place = self.builder().offset(self.frame, self.int(64, field::TRUES as u64))?;
        let ready = self.builder().load(self.types.int(32), place, 4, Ordinary)?;
        let rest = self.builder().binary(BinaryOp::And, here, self.not(ready)?)?;
        let none = self.builder().int_compare(IntPredicate::Eq, ready, self.int(32, 0))?;
        let [on, wait] = ["over", "not.over"].map(|name| self.function.append_block(self.types, name));
        self.builder().branch_if(none, wait, on)?;
        self.run_others(id, wait, here, others)?;
        self.builder().position_at_end(on);
        self.masks.active = self.vectors_of(ready)?;
        for (place, left) in self.masks.at(id)?.to_vec().into_iter().zip(self.vectors_of(rest)?) {
            self.builder().store(left, place, 8, Ordinary)?;
        }
        Ok(())
    }

    /// The lanes whose predicate is true, and the arrays of the numbers and the counts of a barrier. The interpreter's runtime finds its operands in the
    /// rows of the warp.
    fn operands_of_barrier(&mut self, op: &Op) -> Result<[Value<'c>; 3], LlvmError> {
        let (none, nowhere) = (self.int(32, 0), self.types.pointer(0).zero());
        if self.warps.is_heavy {
            let reads = Access::of(op).reads;
            reads.iter().filter_map(|src| src.as_register()).try_for_each(|row| self.store_row(row))?;
            return Ok([none, nowhere, nowhere]);
        }
        let Op::Effect(Effect::BlockBarrier(barrier)) = op else { return Ok([none, nowhere, nowhere]) };
        let trues = match barrier.predicate {
            None => none,
            Some(predicate) => {
                let chunks: Result<Vec<_>, LlvmError> = (0..self.chunks)
                    .map(|chunk| self.emit.resize(self.vector(predicate, chunk)?, 1))
                    .collect();
                self.lanes_of(&chunks?)?
            }
        };
        let numbers = self.array_of(NUMBERS, barrier.id)?;
        let counts = match barrier.count {
            Some(count) => self.array_of(COUNTS, count)?,
            None => nowhere,
        };
        Ok([trues, numbers, counts])
    }

    /// The 32-bit values of all lanes in memory.
    fn array_of(&mut self, number: usize, src: Src) -> Result<Value<'c>, LlvmError> {
        let chunks: Result<Vec<_>, LlvmError> =
            (0..self.chunks).map(|chunk| self.emit.resize(self.vector(src, chunk)?, 32)).collect();
        self.put(number, &chunks?)?;
        self.array(number)
    }

    /// Writes the results of a barrier for the lanes whose phase is over.
    pub(super) fn give_arrived(
        &mut self,
        id: BlockId,
        guard: Option<(u32, bool)>,
        op: &Op,
    ) -> Result<(), LlvmError> {
        let Some(&dst) = Access::of(op).writes.first() else { return Ok(()) };
        let results = Held::Array(self.array(RESULTS)?, 32);
        let bits = self.analysis.widths.row(dst);
        let values: Vec<Value<'c>> = self
            .taken(results)?
            .into_iter()
            .map(|chunk| self.emit.resize(chunk, bits))
            .collect::<Result<_, _>>()?;
        self.write(id, guard, dst, &values)
    }

    /// Where no lane of the warp can run: waits until a phase is over for which lanes wait, and goes to the first barrier at which there are some; if there
    /// are none, lanes wait for each other forever.
    pub(super) fn wait_for_phase(&self, id: BlockId, others: &BTreeSet<BlockId>) -> Result<(), LlvmError> {
        self.await_phase()?;
        if let Some(place) = self.masks.vain {
            self.builder().store(self.int(32, 0), place, 4, Ordinary)?;
        }
        let barriers = others.iter().copied().chain([id]).filter(|&other| self.begins_singly(other));
        for barrier in barriers.collect::<BTreeSet<_>>() {
            let after = self.function.append_block(self.types, "after");
            let to = self.first_block(self.at.version, barrier)?;
            self.builder().branch_if(self.has_waiting(barrier)?, to, after)?;
            self.builder().position_at_end(after);
        }
        self.end_stuck()
    }

    /// As [`Self::wait_for_phase`], where no lane of the warp is at a segment that can run.
    pub(super) fn wait_for_phase_in_segment(&self, segment: &Segment<'a, 'c>) -> Result<(), LlvmError> {
        self.await_phase()?;
        self.builder().store(self.int(32, 0), segment.bound, 4, Ordinary)?;
        self.builder().branch(segment.leave).map(drop)
    }

    fn await_phase(&self) -> Result<(), LlvmError> {
        let arguments = [self.alive_lanes()?];
        let status = self.call_runtime(field::runtime::AWAIT_PHASE, &arguments, self.types.int(32))?;
        let goes_on = self.builder().int_compare(IntPredicate::Eq, status, self.int(32, 0))?;
        self.unless(goes_on, Self::end_stuck)
    }

    /// Tells the runtime which lanes are left after others have exited, which barriers do not wait for any more.
    pub(super) fn tell_exits(&self) -> Result<(), LlvmError> {
        if !self.analysis.arrives_singly {
            return Ok(());
        }
        let ty = self.types.vector(self.types.int(1), self.lanes);
        let alive = self.masks.alive.iter().map(|&place| self.builder().load(ty, place, 8, Ordinary));
        let alive = self.lanes_of(&alive.collect::<Result<Vec<_>, _>>()?)?;
        self.call_checked(field::runtime::LEFT, &[alive])
    }
}
