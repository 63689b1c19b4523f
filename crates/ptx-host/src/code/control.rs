//! Control flow: the code at the end of a block that sends its lanes to other blocks and continues with the lowest block at which lanes wait (see
//! `analysis/schedule.rs`).
//!
//! Lanes that go to a block are added to the mask of those that wait at it, and the lowest block with waiting lanes runs next:
//!
//! ```text
//! %taken = and <16 x i1> %mask, %p          ; lanes that branch
//! %w5 = or <16 x i1> %w5.old, %taken        ; wait at block 5
//! ...
//! br i1 %any.w5, label %block5, label %next ; 5 before 7
//! ```

use std::collections::BTreeSet;
use std::mem::offset_of;

use ptx_exec::program::{Src, WARP};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::{Ordinary, Volatile};
use ptx_llvm::build::{BinaryOp, Block, CastOp, IntPredicate, Value};

use super::registers::defect;
use super::state::{Code, Version};
use crate::analysis::{BlockId, Terminator, come_back};
use crate::error::CompileError;
use crate::notes::RemarkKind;
use crate::run::{Runtime, Status, field};

/// Whether lanes are left after those of a block have gone to their targets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// There are some.
    Some,
    /// All may have exited.
    Perhaps,
}

impl<'c> Code<'_, '_, 'c> {
    /// Sends the lanes of the warp to the first block.
    pub(super) fn enter(&mut self) -> Result<(), LlvmError> {
        if !self.analysis.is_of_warp() {
            return self.enter_group();
        }
        let lanes = self.lanes_of_warp()?;
        let ty = self.types.vector(self.types.int(1), self.lanes);
        for (chunk, &place) in self.masks.at(0)?.to_vec().iter().enumerate() {
            let shift = self.int(32, chunk as u64 * u64::from(self.lanes));
            let bits = self.builder().binary(BinaryOp::LShr, lanes, shift)?;
            let bits = self.emit.resize(bits, self.lanes)?;
            let lanes = self.builder().cast(CastOp::BitCast, bits, ty)?;
            self.builder().store(lanes, place, 8, Ordinary)?;
            self.builder().store(lanes, self.masks.alive[chunk], 8, Ordinary)?;
        }
        let is_full = self.builder().int_compare(IntPredicate::Eq, lanes, self.int(32, u32::MAX.into()))?;
        self.begin_version(is_full)
    }

    /// The lanes of the warp that are threads, as a lane mask.
    pub(super) fn lanes_of_warp(&self) -> Result<Value<'c>, LlvmError> {
        let threads: u64 = self.launched.block.iter().map(|&extent| u64::from(extent)).product();
        if threads.is_multiple_of(WARP as u64) {
            return Ok(self.int(32, u64::from(u32::MAX)));
        }
        if let Some(lanes) = self.lanes_of_turn()? {
            return Ok(lanes);
        }
        let at = self.builder().offset(self.frame, self.int(64, field::LANES as u64))?;
        self.builder().load(self.types.int(32), at, 4, Ordinary)
    }

    /// As [`Self::enter`], for several warps or a part of one: lanes whose index is below the number of remaining threads.
    fn enter_group(&mut self) -> Result<(), LlvmError> {
        let (left, lanes) = (self.threads_left()?, self.int(32, self.chunks as u64 * u64::from(self.lanes)));
        let all = self.builder().splat(left, self.lanes)?;
        for (chunk, &place) in self.masks.at(0)?.to_vec().iter().enumerate() {
            let numbers = self.constants(32, chunk, |lane| lane as u64)?;
            let lanes = self.builder().int_compare(IntPredicate::Ult, numbers, all)?;
            self.builder().store(lanes, place, 8, Ordinary)?;
            self.builder().store(lanes, self.masks.alive[chunk], 8, Ordinary)?;
        }
        let is_full = self.builder().int_compare(IntPredicate::Uge, left, lanes)?;
        self.begin_version(is_full)
    }

    /// Begins with the version for full warps if all lanes are threads, otherwise with the other one.
    fn begin_version(&self, is_full: Value<'c>) -> Result<(), LlvmError> {
        match [Version::Full, Version::Partial].map(|version| self.entry(version)) {
            [Ok(full), Ok(partial)] => {
                self.builder().branch_if(is_full, full, partial)?;
            }
            [Ok(only), Err(_)] | [Err(_), Ok(only)] => {
                self.builder().branch(only)?;
            }
            [Err(error), Err(_)] => return Err(error),
        }
        Ok(())
    }

    /// The versions that a kernel has.
    pub(super) fn versions(&self) -> Vec<Version> {
        /// Kernels with more instructions have one version only, which compiles faster.
        const MOST: u32 = 2048;
        let (graph, schedule) = (&self.analysis.graph, &self.analysis.schedule);
        let threads: u64 = self.launched.block.iter().map(|&extent| u64::from(extent)).product();
        let lanes = self.chunks as u64 * u64::from(self.lanes);
        let splits = |(id, block): (BlockId, &crate::analysis::Block)| match &block.terminator {
            Terminator::Exit { guard: Some(((row, _), _)) }
                if !self.analysis.shapes.row(*row).is_uniform() =>
            {
                true
            }
            Terminator::Exit { .. } => !schedule.is_together(id),
            _ => false,
        };
        if threads.is_multiple_of(lanes) && !graph.blocks().iter().enumerate().any(splits) {
            return vec![Version::Full];
        }
        let size: u32 = graph.blocks().iter().map(|block| block.end - block.first).sum();
        if size > MOST { vec![Version::Partial] } else { vec![Version::Full, Version::Partial] }
    }

    /// The first block of the kernel in a version.
    fn entry(&self, version: Version) -> Result<Block<'c>, LlvmError> {
        self.at.blocks[version as usize].first().copied().ok_or_else(|| defect("a kernel without code"))
    }

    /// The first LLVM block of a block in a version, for the copy that follows the one being generated.
    pub(super) fn first_block(&self, version: Version, id: BlockId) -> Result<Block<'c>, LlvmError> {
        let copy = self.at.copies.get(self.at.copy).and_then(|copy| copy.next(id));
        let block = copy.and_then(|copy| self.at.blocks[version as usize].get(copy).copied());
        block.ok_or_else(|| defect("a block without code"))
    }

    /// Makes the lanes that wait at a block its active mask: all that have not exited, if no other block has any. The mask of all live lanes is
    /// the simpler value of the two, because it is the same before a branch and after its join point.
    pub(super) fn take_waiting(&mut self, id: BlockId) -> Result<(), LlvmError> {
        let ty = self.types.vector(self.types.int(1), self.lanes);
        let (mut mask, mut waiting) = (Vec::new(), Vec::new());
        let all = self.types.int_vector(1, &vec![1; self.lanes as usize])?;
        let is_together = self.analysis.schedule.is_together(id);
        // In a segment the mask stays in memory: otherwise those of a chain of branches are one expression, of which LLVM's `instcombine` looks at
        // several levels from each of them.
        let kept = if self.segment.is_some() { Volatile } else { Ordinary };
        for (&place, &alive) in self.masks.at(id)?.iter().zip(&self.masks.alive) {
            mask.push(match (is_together, self.at.version) {
                (true, Version::Full) => all,
                (true, Version::Partial) => self.builder().load(ty, alive, 8, Ordinary)?,
                (false, _) => self.builder().load(ty, place, 8, kept)?,
            });
            if self.checks() {
                waiting.push(self.builder().load(ty, place, 8, Ordinary)?);
            }
            self.builder().store(ty.zero(), place, 8, Ordinary)?;
        }
        if is_together && self.checks() {
            self.check_together(id, &mask, &waiting)?;
        }
        self.masks.active = mask;
        Ok(())
    }

    /// Sends the lanes of a block to the targets of its terminator.
    pub(super) fn leave(&mut self, id: BlockId, terminator: &Terminator) -> Result<(), CompileError> {
        match terminator {
            Terminator::Jump(to) => {
                self.send_first(id, *to, &self.masks.active)?;
                self.run_next(id, &[*to], Left::Some)?;
            }
            Terminator::Branch { condition, taken, other } => {
                self.branch(id, *condition, Some(*taken), *other)?;
            }
            Terminator::Exit { guard: None } => {
                self.exit_all(id)?;
            }
            Terminator::Exit { guard: Some((condition, other)) } => {
                self.branch(id, *condition, None, *other)?;
            }
            Terminator::Indexed { index, guard, targets } => self.switch(id, *index, *guard, targets)?,
            Terminator::Stop { guard } => {
                let pc = self.analysis.graph.block(id).end;
                self.stop_where(pc, guard.map(|(condition, _)| condition))?;
                match guard {
                    None => {
                        self.builder().branch(self.ends.done)?;
                    }
                    // No lane has stopped.
                    Some((_, other)) => {
                        self.send(*other, &self.masks.active.clone())?;
                        self.run_next(id, &[*other], Left::Some)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Sends lanes for which a condition holds to `taken`, or lets them exit; the others go to `other`.
    fn branch(
        &mut self,
        id: BlockId,
        condition: (u32, bool),
        taken: Option<BlockId>,
        other: BlockId,
    ) -> Result<(), LlvmError> {
        let (row, negated) = condition;
        if let Some(holds) = self.at.copies.get(self.at.copy).and_then(|copy| copy.decided) {
            let to = if holds { taken } else { Some(other) };
            let Some(to) = to else { return self.exit_all(id) };
            self.send_first(id, to, &self.masks.active)?;
            return self.run_next(id, &[to], Left::Some);
        }
        if self.analysis.shapes.row(row).is_uniform() {
            let holds = self.emit.resize(self.first(Src::register(row), 0)?, 1)?;
            let holds = self.negated(holds, negated)?;
            let [yes, no] = ["yes", "no"].map(|name| self.function.append_block(self.types, name));
            self.builder().branch_if(holds, yes, no)?;
            let mask = self.masks.active.clone();
            for (block, to) in [(yes, taken), (no, Some(other))] {
                self.builder().position_at_end(block);
                match to {
                    Some(to) => {
                        self.send_first(id, to, &mask)?;
                        self.run_next(id, &[to], Left::Some)?;
                    }
                    None => self.exit_all(id)?,
                }
            }
            return Ok(());
        }
        self.note(RemarkKind::Divergent, Some(Src::register(row)));
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for (chunk, &mask) in self.masks.active.iter().enumerate() {
            let holds = self.condition(condition, chunk)?;
            yes.push(self.builder().binary(BinaryOp::And, mask, holds)?);
            no.push(self.builder().binary(BinaryOp::And, mask, self.negated(holds, true)?)?);
        }
        if let Some(taken) = taken {
            self.send_first(id, taken, &yes)?;
            if other == taken {
                self.send(other, &no)?;
            } else {
                self.send_first(id, other, &no)?;
            }
            return self.run_next(id, &[taken, other], Left::Some);
        }
        // In the version for full warps one test comes first: while no lane exits, its masks stay constants. If one does, the rest of the warp continues
        // in the other version, and never comes back.
        if self.at.version == Version::Full {
            let [some, none] = ["exit", "stay"].map(|name| self.function.append_block(self.types, name));
            self.builder().branch_if(self.is_any(&yes)?, some, none)?;
            self.builder().position_at_end(none);
            self.send_first(id, other, &self.masks.active)?;
            self.run_next(id, &[other], Left::Some)?;
            self.builder().position_at_end(some);
        }
        self.exit(&yes)?;
        self.send(other, &no)?;
        self.run_next_of(Version::Partial, id, &[other], Left::Perhaps)
    }

    /// All active lanes exit.
    fn exit_all(&self, id: BlockId) -> Result<(), LlvmError> {
        if self.analysis.schedule.is_together(id) && self.segment.is_none() {
            self.builder().branch(self.ends.done)?;
            return Ok(());
        }
        self.exit(&self.masks.active)?;
        self.run_next_of(Version::Partial, id, &[], Left::Perhaps)
    }

    /// Removes lanes that exit from the mask of live lanes.
    fn exit(&self, lanes: &[Value<'c>]) -> Result<(), LlvmError> {
        self.exit_segment(lanes)?;
        for (&place, &lanes) in self.masks.alive.iter().zip(lanes) {
            let before = self.builder().load(lanes.ty(), place, 8, Ordinary)?;
            let others = self.negated(lanes, true)?;
            let left = self.builder().binary(BinaryOp::And, before, others)?;
            self.builder().store(left, place, 8, Ordinary)?;
        }
        self.tell_exits()
    }

    /// Sends the first lanes of a block to another one: if no others can wait there, they are the only ones.
    fn send_first(&self, from: BlockId, to: BlockId, lanes: &[Value<'c>]) -> Result<(), LlvmError> {
        let schedule = &self.analysis.schedule;
        if self.is_outside(to) || self.warps.is_heavy || schedule.has_patient() || schedule.may_wait(from, to)
        {
            return self.send(to, lanes);
        }
        for (&place, &lanes) in self.masks.at(to)?.iter().zip(lanes) {
            self.builder().store(lanes, place, 8, Ordinary)?;
        }
        Ok(())
    }

    /// Adds lanes to those that wait at a block.
    pub(super) fn send(&self, to: BlockId, lanes: &[Value<'c>]) -> Result<(), LlvmError> {
        if self.is_outside(to) {
            return self.send_outside(to, lanes);
        }
        for (&place, &lanes) in self.masks.at(to)?.iter().zip(lanes) {
            let before = self.builder().load(lanes.ty(), place, 8, Ordinary)?;
            let all = self.builder().binary(BinaryOp::Or, before, lanes)?;
            self.builder().store(all, place, 8, Ordinary)?;
        }
        Ok(())
    }

    /// Runs the lowest block at which lanes wait: those that waited before, and the targets of the block.
    pub(super) fn run_next(&self, id: BlockId, targets: &[BlockId], left: Left) -> Result<(), LlvmError> {
        self.run_next_of(self.at.version, id, targets, left)
    }

    fn run_next_of(
        &self,
        version: Version,
        id: BlockId,
        targets: &[BlockId],
        left: Left,
    ) -> Result<(), LlvmError> {
        if self.segment.is_some() {
            return self.run_next_of_segment(version, id, targets, left);
        }
        let waiting = self.analysis.schedule.waiting(id);
        let all: BTreeSet<BlockId> = waiting.iter().chain(targets).copied().collect();
        self.run_next_among(version, id, (all, targets), left)
    }

    /// Runs the lowest of some blocks at which lanes wait; `targets` are the ones that lanes were just sent to.
    pub(super) fn run_next_among(
        &self,
        version: Version,
        id: BlockId,
        (all, targets): (BTreeSet<BlockId>, &[BlockId]),
        left: Left,
    ) -> Result<(), LlvmError> {
        let order = self.analysis.schedule.in_order(id, all);
        let last = order.last().copied();
        // The last candidate needs no test if lanes are left: they must be somewhere. Neither does a first one to which all lanes of this
        // block were just sent.
        let is_sure = |next| left == Left::Some && (targets == [next] || Some(next) == last);
        self.run_first_of(version, id, &order, is_sure, self.ends.done)
    }

    /// Runs the first of some blocks at which lanes wait, or goes to `none`: a chain of tests, up to one that is known to hold.
    ///
    /// ```text
    /// br i1 %any.w5, label %block5, label %after
    /// ```
    pub(super) fn run_first_of(
        &self,
        version: Version,
        id: BlockId,
        order: &[BlockId],
        is_sure: impl Fn(BlockId) -> bool,
        none: Block<'c>,
    ) -> Result<(), LlvmError> {
        for &next in order {
            let way = self.way(version, id, next)?;
            if is_sure(next) {
                self.builder().branch(way)?;
                return Ok(());
            }
            let after = self.function.append_block(self.types, "after");
            self.builder().branch_if(self.has_waiting(next)?, way, after)?;
            self.builder().position_at_end(after);
        }
        self.builder().branch(none).map(drop)
    }

    /// The LLVM block through which control reaches a block from another. A back edge polls whether the warp is to stop, since the launch's time
    /// may be over: each loop has a back edge.
    fn way(&self, version: Version, id: BlockId, next: BlockId) -> Result<Block<'c>, LlvmError> {
        let pc = self.analysis.graph.block(id).end;
        self.way_from(version, (id, pc), next, |code| code.lanes_of(&code.masks.active))
    }

    /// As [`Self::way`], from an instruction of the block at which these lanes are.
    pub(super) fn way_from(
        &self,
        version: Version,
        (id, pc): (BlockId, u32),
        next: BlockId,
        lanes: impl Fn(&Self) -> Result<Value<'c>, LlvmError>,
    ) -> Result<Block<'c>, LlvmError> {
        let first = self.first_block(version, next)?;
        let to = self.at.copies.get(self.at.copy).and_then(|copy| copy.next(next));
        if next > id || to.is_some_and(|to| !come_back(&self.at.copies, self.at.copy, to)) {
            return Ok(first);
        }
        let builder = self.builder();
        let here = builder.block()?;
        let back = self.function.append_block(self.types, "back");
        builder.position_at_end(back);
        self.poll(pc, &lanes)?;
        if self.analysis.schedule.is_patient(next) {
            // All lanes may wait for other warps.
            let lanes = lanes(self)?;
            let arguments = [self.instruction_of(pc, lanes)?, lanes];
            self.call_checked(offset_of!(Runtime, give_way), &arguments)?;
        }
        builder.branch(first)?;
        builder.position_at_end(here);
        Ok(back)
    }

    /// Stops the warp if the launch is to end, at an instruction at which these lanes are.
    pub(super) fn poll(
        &self,
        pc: u32,
        lanes: impl Fn(&Self) -> Result<Value<'c>, LlvmError>,
    ) -> Result<(), LlvmError> {
        let attention = self.builder().load(self.types.int(32), self.inputs.attention, 4, Volatile)?;
        let goes_on = self.builder().int_compare(IntPredicate::Eq, attention, self.int(32, 0))?;
        self.unless(goes_on, |code| match code.analysis.is_of_warp() {
            true => code.stop(pc, lanes(code)?, Status::Interrupted),
            false => code.stop_first(pc, &code.masks.active, Status::Interrupted),
        })
    }

    /// Whether a lane waits at a block.
    pub(super) fn has_waiting(&self, id: BlockId) -> Result<Value<'c>, LlvmError> {
        let ty = self.types.vector(self.types.int(1), self.lanes);
        let chunks = self.masks.at(id)?.iter().map(|&place| self.builder().load(ty, place, 8, Ordinary));
        self.is_any(&chunks.collect::<Result<Vec<_>, _>>()?)
    }

    /// Whether a mask is not empty.
    pub(super) fn is_any(&self, chunks: &[Value<'c>]) -> Result<Value<'c>, LlvmError> {
        let mut any: Option<Value<'c>> = None;
        for &lanes in chunks {
            any = Some(match any {
                None => lanes,
                Some(others) => self.builder().binary(BinaryOp::Or, others, lanes)?,
            });
        }
        let any = any.ok_or_else(|| defect("a warp without lanes"))?;
        let bits = self.builder().cast(CastOp::BitCast, any, self.types.int(self.lanes))?;
        self.builder().int_compare(IntPredicate::Ne, bits, self.int(self.lanes, 0))
    }
}
