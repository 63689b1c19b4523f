//! Blocks at which lanes wait for each other (see `analysis/gather.rs`).
//!
//! ```text
//! block5:                                    ; vote.sync with the mask %m
//!   %strays = and i32 %w5, not %m            ; lanes that the mask does not name are an error
//!   %missing = and i32 %m, %elsewhere        ; members that have neither arrived nor exited
//!   br i1 %missing.any, label %incomplete, label %complete
//! incomplete:
//!   br i1 %any.w7, label %block7, label %deadlock
//! ```

use std::collections::BTreeSet;

use ptx_exec::program::{Src, WARP};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, Block, CastOp, IntPredicate, Value};

use super::state::{Code, Present, Version};
use crate::analysis::{BlockId, Gather};
use crate::run::Status;

impl<'c> Code<'_, '_, 'c> {
    /// Begins a block: the lanes that wait at it become active, or those of them that do not wait for others.
    pub(super) fn take(&mut self, id: BlockId) -> Result<(), LlvmError> {
        let analysis = self.analysis;
        let block = analysis.graph.block(id);
        let Some(gather) = analysis.shapes.gather(self.program, block) else {
            if analysis.hands_over && block.gathers && self.is_question(id) {
                self.let_warps_run(id)?;
            }
            return self.take_waiting(id);
        };
        let others = self.beside(id);
        match gather {
            Gather::Asking => {
                // Default: no lane is elsewhere, so that no other block can run.
                self.let_others_run(id, &others.unwrap_or_default())?;
                self.take_waiting(id)?;
            }
            Gather::All => {
                if let Some(others) = others.filter(|_| self.analysis.warps == 1) {
                    let missing = self.missing(self.lanes_of(&self.masks_of(id)?)?)?;
                    self.go_on_without(id, missing, &others)?;
                }
                self.take_waiting(id)?;
                let is_whole = self.at.version == Version::Full || self.analysis.is_whole(id, self.launched);
                self.masks.present = match (is_whole, self.analysis.warps) {
                    (true, _) => Present::Whole,
                    (false, 1) => Present::Same(self.lanes_of(&self.masks.active)?),
                    (false, _) => Present::Each(self.present_of_warps()?),
                };
            }
            // Default: as above.
            Gather::Arriving => self.take_arrived(id, &others.unwrap_or_default())?,
            Gather::One(members) => self.take_members(id, members, others.as_ref())?,
            // Default: as above.
            Gather::Each(members) => self.take_groups(id, members, &others.unwrap_or_default())?,
        }
        Ok(())
    }

    /// For each lane the active lanes of its warp, in vectors.
    fn present_of_warps(&self) -> Result<Vec<Value<'c>>, LlvmError> {
        let mut all = Vec::new();
        for lanes in self.lanes_of_warps(&self.masks.active)? {
            let lanes = self.builder().splat(lanes, self.lanes)?;
            all.extend(std::iter::repeat_n(lanes, self.chunks / self.analysis.warps));
        }
        Ok(all)
    }

    /// Takes the lanes that have arrived, which all give the same mask.
    fn take_members(
        &mut self,
        id: BlockId,
        members: Src,
        others: Option<&BTreeSet<BlockId>>,
    ) -> Result<(), LlvmError> {
        let here = self.lanes_of(&self.masks_of(id)?)?;
        let members = self.of_lowest(members, here)?;
        let members = self.emit.resize(members, 32)?;
        let strays = self.builder().binary(BinaryOp::And, here, self.not(members)?)?;
        self.refuse_strays(id, strays, |_, _| Ok(members))?;
        if let Some(others) = others {
            let missing = self.builder().binary(BinaryOp::And, members, self.missing(here)?)?;
            self.go_on_without(id, missing, others)?;
        }
        self.take_waiting(id)?;
        self.masks.present = Present::Same(here);
        Ok(())
    }

    /// Takes lanes that may give different masks: those whose group is complete, so that all members that have not exited have arrived
    /// with the same mask.
    fn take_groups(
        &mut self,
        id: BlockId,
        members: Src,
        others: &BTreeSet<BlockId>,
    ) -> Result<(), LlvmError> {
        let masks = self.masks_of(id)?;
        let here = self.lanes_of(&masks)?;
        let members: Vec<_> = (0..self.chunks)
            .map(|chunk| self.emit.resize(self.vector(members, chunk)?, 32))
            .collect::<Result<_, _>>()?;
        let mut strays = Vec::new();
        for (chunk, (&mask, &members)) in masks.iter().zip(&members).enumerate() {
            let own = self.constants(32, chunk, |lane| 1 << lane)?;
            let is_named = self.any_bit(self.builder().binary(BinaryOp::And, members, own)?)?;
            strays.push(self.builder().binary(BinaryOp::And, mask, self.not(is_named)?)?);
        }
        let of_lanes = self.in_memory(&members)?;
        let word = self.types.int(32);
        self.refuse_strays(id, self.lanes_of(&strays)?, |code, lane| {
            code.lane_in_memory(of_lanes, word, lane)
        })?;
        // Lanes of complete groups run now, the others stay here. If no group is complete, another block has to run first.
        let ready = self.complete_groups(&members, of_lanes, &masks, here)?;
        let incomplete = self.builder().binary(BinaryOp::And, here, self.not(ready)?)?;
        let none = self.builder().int_compare(IntPredicate::Eq, ready, self.int(32, 0))?;
        let (on, rest) = (self.append("complete"), self.append("incomplete"));
        self.builder().branch_if(none, rest, on)?;
        self.run_others(id, rest, here, others)?;
        self.builder().position_at_end(on);
        self.masks.active = self.vectors_of(ready)?;
        for (place, left) in self.masks.at(id)?.to_vec().into_iter().zip(self.vectors_of(incomplete)?) {
            self.builder().store(left, place, 8, Ordinary)?;
        }
        let ready = self.builder().splat(ready, self.lanes)?;
        let groups = members.iter().map(|&members| self.builder().binary(BinaryOp::And, members, ready));
        self.masks.present = Present::Each(groups.collect::<Result<_, _>>()?);
        Ok(())
    }

    /// The lanes of complete groups, one group after the other:
    ///
    /// ```text
    /// rest = here; ready = 0
    /// while rest != 0 {
    ///     mask = members[lowest lane of rest]; group = lanes here with this mask
    ///     if mask & alive is within group { ready |= group }
    ///     rest &= ~group
    /// }
    /// ```
    ///
    /// `of_lanes` is memory with the masks that lanes give.
    fn complete_groups(
        &mut self,
        members: &[Value<'c>],
        of_lanes: Value<'c>,
        masks: &[Value<'c>],
        here: Value<'c>,
    ) -> Result<Value<'c>, LlvmError> {
        let word = self.types.int(32);
        let alive = self.alive_lanes()?;
        let [rest_at, ready_at] =
            [self.builder().alloca_in_entry(word, 4)?, self.builder().alloca_in_entry(word, 4)?];
        self.builder().store(here, rest_at, 4, Ordinary)?;
        self.builder().store(self.int(32, 0), ready_at, 4, Ordinary)?;
        let [head, body, end] = ["groups", "group", "grouped"].map(|name| self.append(name));
        self.builder().branch(head)?;
        self.builder().position_at_end(head);
        let rest = self.builder().load(word, rest_at, 4, Ordinary)?;
        let is_done = self.builder().int_compare(IntPredicate::Eq, rest, self.int(32, 0))?;
        self.builder().branch_if(is_done, end, body)?;
        self.builder().position_at_end(body);
        let mask = self.lane_in_memory(of_lanes, word, self.lowest(rest)?)?;
        let splat = self.builder().splat(mask, self.lanes)?;
        let mut same = Vec::new();
        for (&members, &here) in members.iter().zip(masks) {
            let is_same = self.builder().int_compare(IntPredicate::Eq, members, splat)?;
            same.push(self.builder().binary(BinaryOp::And, is_same, here)?);
        }
        let group = self.lanes_of(&same)?;
        let others = self.not(group)?;
        let missing = self.builder().binary(BinaryOp::And, mask, alive)?;
        let missing = self.builder().binary(BinaryOp::And, missing, others)?;
        let is_complete = self.builder().int_compare(IntPredicate::Eq, missing, self.int(32, 0))?;
        let complete = self.builder().select(is_complete, group, self.int(32, 0))?;
        let ready = self.builder().load(word, ready_at, 4, Ordinary)?;
        let ready = self.builder().binary(BinaryOp::Or, ready, complete)?;
        self.builder().store(ready, ready_at, 4, Ordinary)?;
        let rest = self.builder().binary(BinaryOp::And, rest, others)?;
        self.builder().store(rest, rest_at, 4, Ordinary)?;
        self.builder().branch(head)?;
        self.builder().position_at_end(end);
        self.builder().load(word, ready_at, 4, Ordinary)
    }

    /// Lets other blocks run if lanes are missing.
    fn go_on_without(
        &self,
        id: BlockId,
        missing: Value<'c>,
        others: &BTreeSet<BlockId>,
    ) -> Result<(), LlvmError> {
        let complete = self.builder().int_compare(IntPredicate::Eq, missing, self.int(32, 0))?;
        let (on, rest) = (self.append("complete"), self.append("incomplete"));
        self.builder().branch_if(complete, on, rest)?;
        let here = {
            self.builder().position_at_end(rest);
            self.lanes_of(&self.masks_of(id)?)?
        };
        self.run_others(id, rest, here, others)?;
        self.builder().position_at_end(on);
        Ok(())
    }

    /// In an LLVM block: runs the lowest block after this one at which lanes wait. No lane waits at an earlier one, except lanes of
    /// other groups and in kernels with loops that may wait for other threads; if there is none, the lanes wait for each other forever.
    pub(super) fn run_others(
        &self,
        id: BlockId,
        from: Block<'c>,
        here: Value<'c>,
        others: &BTreeSet<BlockId>,
    ) -> Result<(), LlvmError> {
        self.builder().position_at_end(from);
        if self.segment.is_some() {
            return self.run_others_of_segment(id, here, others);
        }
        self.count_vain(id, others)?;
        for next in self.analysis.schedule.in_order_after_incomplete(id, others.clone()) {
            let after = self.append("after");
            let pc = self.analysis.graph.block(id).first;
            let way = self.way_from(self.at.version, (id, pc), next, |_| Ok(here))?;
            self.builder().branch_if(self.has_waiting(next)?, way, after)?;
            self.builder().position_at_end(after);
        }
        self.ask_again(id, others)?;
        if self.analysis.arrives_singly {
            return self.wait_for_phase(id, others);
        }
        if self.begins_with_barrier(id) {
            self.expect_together((id, self.analysis.graph.block(id).first), others, here)?;
        }
        self.end_stuck()
    }

    /// The blocks at which lanes may wait when others arrive at this one, `None` if there are none; in a segment, those of the segment.
    pub(super) fn beside(&self, id: BlockId) -> Option<BTreeSet<BlockId>> {
        if self.segment.is_some() {
            return self.beside_in_segment(id);
        }
        let beside = self.analysis.schedule.beside(&self.analysis.graph, id);
        Some(beside).filter(|beside| !beside.is_empty())
    }

    /// Counts operations for which lanes are missing since a block ran, if these can let each other run in turn (`analysis/progress.rs`): if
    /// there are more than blocks, the lanes wait for each other forever.
    fn count_vain(&self, id: BlockId, others: &BTreeSet<BlockId>) -> Result<(), LlvmError> {
        let Some(place) = self.masks.vain else { return Ok(()) };
        let word = self.types.int(32);
        let count = self.builder().load(word, place, 4, Ordinary)?;
        let count = self.builder().binary(BinaryOp::Add, count, self.int(32, 1))?;
        self.builder().store(count, place, 4, Ordinary)?;
        let most = self.int(32, self.analysis.graph.blocks().len() as u64);
        let goes_on = self.builder().int_compare(IntPredicate::Ule, count, most)?;
        self.unless(goes_on, |code| match code.analysis.arrives_singly {
            true => code.wait_for_phase(id, others),
            false => code.end_stuck(),
        })
    }

    /// Resets the counter when a block runs.
    pub(super) fn forget_vain(&self) -> Result<(), LlvmError> {
        let Some(place) = self.masks.vain else { return Ok(()) };
        self.builder().store(self.int(32, 0), place, 4, Ordinary).map(drop)
    }

    /// Stops lanes that execute an operation whose mask does not name them; `members` gives the mask of a lane.
    fn refuse_strays(
        &self,
        id: BlockId,
        strays: Value<'c>,
        members: impl FnOnce(&Self, Value<'c>) -> Result<Value<'c>, LlvmError>,
    ) -> Result<(), LlvmError> {
        let pc = self.analysis.graph.block(id).first;
        let none = self.builder().int_compare(IntPredicate::Eq, strays, self.int(32, 0))?;
        self.unless(none, |code| {
            let members = members(code, code.lowest(strays)?)?;
            code.stop_at(pc, members, strays, Status::NotMember)
        })
    }

    /// The lanes that have neither exited nor arrived here.
    pub(super) fn missing(&self, here: Value<'c>) -> Result<Value<'c>, LlvmError> {
        self.builder().binary(BinaryOp::And, self.alive_lanes()?, self.not(here)?)
    }

    /// The lanes that have not exited, as a lane mask.
    pub(super) fn alive_lanes(&self) -> Result<Value<'c>, LlvmError> {
        if self.at.version == Version::Full {
            return Ok(self.int(32, u32::MAX.into()));
        }
        let ty = self.types.vector(self.types.int(1), self.lanes);
        let alive: Vec<Value<'c>> = self
            .masks
            .alive
            .iter()
            .map(|&place| self.builder().load(ty, place, 8, Ordinary))
            .collect::<Result<_, _>>()?;
        self.lanes_of(&alive)
    }

    pub(super) fn masks_of(&self, id: BlockId) -> Result<Vec<Value<'c>>, LlvmError> {
        if self.is_outside(id) {
            return self.masks_outside(id);
        }
        let ty = self.types.vector(self.types.int(1), self.lanes);
        self.masks.at(id)?.iter().map(|&place| self.builder().load(ty, place, 8, Ordinary)).collect()
    }

    /// The inverse of [`Self::lanes_of`], for one warp.
    pub(super) fn vectors_of(&self, lanes: Value<'c>) -> Result<Vec<Value<'c>>, LlvmError> {
        let ty = self.types.vector(self.types.int(1), self.lanes);
        (0..(WARP / self.lanes as usize).min(self.chunks))
            .map(|chunk| {
                let shift = self.int(32, chunk as u64 * u64::from(self.lanes));
                let bits = self.builder().binary(BinaryOp::LShr, lanes, shift)?;
                let bits = self.emit.resize(bits, self.lanes)?;
                self.builder().cast(CastOp::BitCast, bits, ty)
            })
            .collect()
    }

    fn append(&self, name: &str) -> Block<'c> {
        self.function.append_block(self.types, name)
    }

    /// Inverts all bits.
    pub(super) fn not(&self, value: Value<'c>) -> Result<Value<'c>, LlvmError> {
        let bits = self.emit.bits(value);
        let ones = self.emit.constant(value, bits, u64::MAX >> (64 - bits));
        self.builder().binary(BinaryOp::Xor, value, ones)
    }

    /// Whether an integer is not zero.
    pub(super) fn any_bit(&self, value: Value<'c>) -> Result<Value<'c>, LlvmError> {
        self.builder().int_compare(IntPredicate::Ne, value, value.ty().zero())
    }

    /// A constant for each lane of a chunk.
    pub(super) fn constants(
        &self,
        bits: u32,
        chunk: usize,
        of_lane: impl Fn(usize) -> u64,
    ) -> Result<Value<'c>, LlvmError> {
        let first = chunk * self.lanes as usize;
        let values: Vec<u64> = (first..first + self.lanes as usize).map(of_lane).collect();
        self.types.int_vector(bits, &values)
    }

    /// The number of the lowest lane of a mask; for an empty mask, an arbitrary valid lane.
    pub(super) fn lowest(&self, lanes: Value<'c>) -> Result<Value<'c>, LlvmError> {
        let arguments = [lanes, self.types.bool_value(false)];
        let number = self.builder().intrinsic("llvm.cttz", &[lanes.ty()], &arguments)?;
        self.builder().binary(BinaryOp::And, number, self.emit.constant(number, 32, WARP as u64 - 1))
    }

    /// The values of all lanes in memory, one after the other.
    pub(super) fn in_memory(&self, values: &[Value<'c>]) -> Result<Value<'c>, LlvmError> {
        let Some(first) = values.first() else { return Err(super::registers::defect("no values")) };
        let array = self.types.array(first.ty(), values.len() as u64);
        let place = self.builder().alloca_in_entry(array, 64)?;
        let size = bytes(first.ty())?;
        for (chunk, &value) in values.iter().enumerate() {
            let at = self.builder().offset(place, self.int(64, chunk as u64 * size))?;
            self.builder().store(value, at, 8, Ordinary)?;
        }
        Ok(place)
    }

    /// The value of a lane in such memory.
    pub(super) fn lane_in_memory(
        &self,
        memory: Value<'c>,
        ty: ptx_llvm::build::Type<'c>,
        lane: Value<'c>,
    ) -> Result<Value<'c>, LlvmError> {
        let size = bytes(ty)?;
        let offset = self.emit.resize(lane, 64)?;
        let offset = self.builder().binary(BinaryOp::Mul, offset, self.int(64, size))?;
        let alignment = size.next_power_of_two() as u32;
        self.builder().load(ty, self.builder().offset(memory, offset)?, alignment, Ordinary)
    }
}

/// The size of a value in memory, an integer, a float, or a vector of them.
fn bytes(ty: ptx_llvm::build::Type<'_>) -> Result<u64, LlvmError> {
    match ty.bits() {
        Some(bits) if bits % 8 == 0 => Ok(u64::from(bits / 8)),
        _ => Err(super::registers::defect("a value that does not consist of bytes")),
    }
}
