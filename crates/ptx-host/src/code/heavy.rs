//! Instructions that the interpreter's runtime executes (`ptx-host-rt/src/heavy.rs`), and lanes that poll mbarriers.
//!
//! ```text
//! store <16 x i64> %r5, ptr %rows.5           ; a row that the instruction reads, and the other chunk
//! %status = call i32 %step(ptr %warp, i32 pc, i32 %active, i32 %mask, i32 %live)
//! %r7 = load <16 x i64>, ptr %rows.7          ; a row that it writes
//! ```
//!
//! A poll whether a phase is over begins a block. If it has failed, later blocks at which lanes wait run first, and other
//! warps if there are none:
//!
//! ```text
//! block3:
//!   br i1 %asked.in.vain, label %others, label %ask
//! others:
//!   br i1 %any.w7, label %block7, label %alone
//! alone:
//!   call i32 %idle(..)
//!   br label %ask
//! ```

use std::collections::BTreeSet;

use ptx_exec::program::{Effect, Op, Src, WARP};
use ptx_isa::SpecialReg;
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, IntPredicate, Value};

use super::atomic::SHARED_OFFSET;
use super::registers::defect;
use super::state::Code;
use crate::analysis::{Access, BlockId, asks, repeats};
use crate::run::{PEERS, field};

/// Bytes of a row in memory.
const ROW: u64 = 8 * WARP as u64;
/// The lowest bit of a block's rank in an address of shared memory.
const RANK_SHIFT: u64 = 24;
/// Failed polls of the lanes of a warp after which other warps get their turn.
const MOST_QUESTIONS: u64 = 64;

impl<'c> Code<'_, '_, 'c> {
    /// Calls the runtime to execute an instruction.
    pub(super) fn by_runtime(
        &mut self,
        id: BlockId,
        guard: Option<(u32, bool)>,
        op: &Op,
        pc: u32,
    ) -> Result<(), LlvmError> {
        let access = Access::of(op);
        let (active, mask) = (self.active_lanes(guard)?, self.active_lanes(None)?);
        let live = self.alive_lanes()?;
        let mut given = std::mem::take(&mut self.rows.given);
        let read: BTreeSet<u32> = access.reads.iter().filter_map(|src| src.as_register()).collect();
        let call = |code: &Self| {
            read.difference(&given).try_for_each(|&row| code.store_row(row))?;
            code.call_checked(field::runtime::STEP, &[code.int(32, pc.into()), active, mask, live])
        };
        match guard {
            None => call(self)?,
            Some(_) => {
                let some = self.builder().int_compare(IntPredicate::Ne, active, self.int(32, 0))?;
                self.only_if(some, call)?;
            }
        }
        let written: BTreeSet<u32> = access.writes.iter().copied().collect();
        for row in written {
            let values = self.loaded_row(row, active)?;
            self.write_index(guard, row, &access.reads)?;
            self.write(id, guard, row, &values)?;
            given.remove(&row);
        }
        // The next such instruction finds its operands there, for example a product that accumulates into the result of the one before. With a guard,
        // inactive lanes have other values there.
        if guard.is_none() {
            given.extend(read.into_iter().chain(access.writes));
        }
        self.rows.given = given;
        Ok(())
    }

    fn row_place(&self, row: u32, bytes: u64) -> Result<Value<'c>, LlvmError> {
        let rows = self.builder().offset(self.frame, self.int(64, field::ROWS as u64))?;
        let rows = self.builder().load(self.types.pointer(0), rows, 8, Ordinary)?;
        self.builder().offset(rows, self.int(64, u64::from(row) * ROW + bytes))
    }

    /// Stores a row to the memory that the runtime reads.
    pub(super) fn store_row(&self, row: u32) -> Result<(), LlvmError> {
        for chunk in 0..self.chunks {
            let value = self.emit.resize(self.vector(Src::register(row), chunk)?, 64)?;
            let place = self.row_place(row, chunk as u64 * u64::from(self.lanes) * 8)?;
            self.builder().store(value, place, 8, Ordinary)?;
        }
        Ok(())
    }

    /// Loads a row that the runtime has written: if it is uniform, the value of an active lane.
    fn loaded_row(&self, row: u32, active: Value<'c>) -> Result<Vec<Value<'c>>, LlvmError> {
        let word = self.types.int(64);
        if self.is_vector(row) {
            let ty = self.types.vector(word, self.lanes);
            let chunks = 0..self.chunks as u64;
            let place = |chunk: u64| self.row_place(row, chunk * u64::from(self.lanes) * 8);
            return chunks.map(|chunk| self.builder().load(ty, place(chunk)?, 8, Ordinary)).collect();
        }
        let lane = self.emit.resize(self.lowest(active)?, 64)?;
        let bytes = self.builder().binary(BinaryOp::Mul, lane, self.int(64, 8))?;
        let place = self.builder().offset(self.row_place(row, 0)?, bytes)?;
        let value = self.builder().load(word, place, 8, Ordinary)?;
        Ok(vec![value; self.copies(row)])
    }

    /// Before lanes repeat a poll: if it has failed, lets others run.
    pub(super) fn let_others_run(&self, id: BlockId, others: &BTreeSet<BlockId>) -> Result<(), LlvmError> {
        let (builder, word) = (self.builder(), self.types.int(32));
        let pc = self.analysis.graph.block(id).first;
        let [rest, few, many, alone, on] = ["in.vain", "others", "many", "alone", "ask"]
            .map(|name| self.function.append_block(self.types, name));
        let at = |field: usize| builder.offset(self.frame, self.int(64, field as u64));
        let vain = builder.load(word, at(field::VAIN)?, 4, Ordinary)?;
        let is_in_vain = builder.int_compare(IntPredicate::Eq, vain, self.int(32, u64::from(pc) + 1))?;
        builder.branch_if(is_in_vain, rest, on)?;
        builder.position_at_end(rest);
        builder.store(self.int(32, 0), at(field::VAIN)?, 4, Ordinary)?;
        let questions = builder.load(word, at(field::QUESTIONS)?, 4, Ordinary)?;
        let are_many = builder.int_compare(IntPredicate::Uge, questions, self.int(32, MOST_QUESTIONS))?;
        builder.branch_if(are_many, many, few)?;
        builder.position_at_end(few);
        for next in self.analysis.schedule.in_order_after_incomplete(id, others.clone()) {
            let after = self.function.append_block(self.types, "after");
            // At an earlier block lanes are in a loop that may wait for other threads.
            let way =
                self.way_from(self.at.version, (id, pc), next, |code| code.lanes_of(&code.masks_of(id)?))?;
            builder.branch_if(self.has_waiting(next)?, way, after)?;
            builder.position_at_end(after);
        }
        builder.branch(alone)?;
        for (block, is_alone) in [(many, false), (alone, true)] {
            builder.position_at_end(block);
            self.idle(id, is_alone)?;
            builder.branch(on)?;
        }
        builder.position_at_end(on);
        Ok(())
    }

    /// Lets other warps run before lanes poll at the beginning of a block; `is_alone` is whether no other lane of this warp can run.
    fn idle(&self, id: BlockId, is_alone: bool) -> Result<(), LlvmError> {
        let repeats = is_alone && repeats(self.program, &self.analysis.graph, &self.analysis.liveness, id);
        let pc = self.analysis.graph.block(id).first;
        let none = self.int(32, 0);
        let arguments = [self.int(32, pc.into()), none, none, self.int(32, repeats.into())];
        self.call_checked(field::runtime::IDLE, &arguments)
    }

    /// If lanes wait for others that poll in vain, lets other warps run and then repeats the poll.
    pub(super) fn ask_again(&self, id: BlockId, others: &BTreeSet<BlockId>) -> Result<(), LlvmError> {
        for &other in others.range(..id).filter(|&&other| self.is_question(other)) {
            let [ask, after] = ["ask", "after"].map(|name| self.function.append_block(self.types, name));
            self.builder().branch_if(self.has_waiting(other)?, ask, after)?;
            self.builder().position_at_end(ask);
            self.idle(other, true)?;
            self.builder().branch(self.first_block(self.at.version, other)?)?;
            self.builder().position_at_end(after);
        }
        Ok(())
    }

    fn first_op(&self, id: BlockId) -> Option<&Op> {
        let first = self.analysis.graph.block(id).first;
        self.program.code.get(first as usize).map(|inst| &inst.op)
    }

    pub(super) fn is_question(&self, id: BlockId) -> bool {
        self.first_op(id).is_some_and(asks)
    }

    /// Whether a block begins with a block barrier.
    pub(super) fn begins_with_barrier(&self, id: BlockId) -> bool {
        matches!(self.first_op(id), Some(Op::Effect(Effect::BlockBarrier(_))))
    }

    /// Whether an instruction reads a special register that differs between the blocks of a cluster.
    pub(super) fn is_of_cluster(&self, op: &Op) -> bool {
        let Op::Effect(Effect::Special { register, .. }) = op else { return false };
        self.launched.clusters
            && matches!(
                register,
                SpecialReg::ClusterId
                    | SpecialReg::NClusterId
                    | SpecialReg::ClusterCtaId
                    | SpecialReg::ClusterNCtaId
                    | SpecialReg::ClusterCtaRank
                    | SpecialReg::ClusterNCtaRank
            )
    }

    /// The rank of the block in its cluster, shifted to its bits of an address.
    fn rank_bits(&self, bits: u32) -> Result<Value<'c>, LlvmError> {
        let place = self.builder().offset(self.frame, self.int(64, field::RANK as u64))?;
        let rank = self.builder().load(self.types.int(32), place, 4, Ordinary)?;
        self.builder().binary(BinaryOp::Shl, self.emit.resize(rank, bits)?, self.int(bits, RANK_SHIFT))
    }

    /// A constant that is an address in the shared memory of the block.
    pub(super) fn own_address(&self, src: Src, bits: u32) -> Result<Value<'c>, LlvmError> {
        let rows = self.program.constants.rows();
        let row = src.as_constant().and_then(|at| rows.get(at as usize));
        let first = row.ok_or_else(|| defect("a constant without a value"))?[0];
        self.builder().binary(BinaryOp::Add, self.int(bits, first), self.rank_bits(bits)?)
    }

    /// The host address of a 64-bit address in the shared memory of the blocks of the cluster.
    pub(super) fn in_cluster(&self, address: Value<'c>) -> Result<Value<'c>, LlvmError> {
        let builder = self.builder();
        let offset = builder.binary(BinaryOp::And, address, self.int(64, SHARED_OFFSET))?;
        if !self.launched.clusters {
            return builder.offset(self.inputs.shared, offset);
        }
        let rank = builder.binary(BinaryOp::LShr, address, self.int(64, RANK_SHIFT))?;
        let rank = builder.binary(BinaryOp::And, rank, self.int(64, PEERS as u64 - 1))?;
        let entry = builder.binary(BinaryOp::Mul, rank, self.int(64, 8))?;
        let peers = builder.offset(self.frame, self.int(64, field::PEERS as u64))?;
        let peers = builder.load(self.types.pointer(0), peers, 8, Ordinary)?;
        let start = builder.load(self.types.pointer(0), builder.offset(peers, entry)?, 8, Ordinary)?;
        builder.offset(start, offset)
    }
}
