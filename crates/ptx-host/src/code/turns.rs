//! Functions that execute a whole block (CTA), whose warps take turns at barriers (`analysis/turns.rs`): a loop over warps around the code of one, and
//! the state that a warp saves from one turn to the next.
//!
//! A warp that reaches a barrier saves the rows that are live there, and the next warp runs. When all have arrived, the first one resumes after
//! the barrier:
//!
//! ```text
//! turn:
//!   %where = load i32, ptr %next[%warp]
//!   switch i32 %where, label %advance [ i32 0, label %start  i32 1, label %resume1 ]
//! block4:                                    ; a barrier
//!   store <16 x i32> %r5, ptr %state[%warp].r5
//!   store i32 1, ptr %next[%warp]
//!   br label %advance
//! resume1:
//!   %r5 = load <16 x i32>, ptr %state[%warp].r5
//! advance:
//!   %warp.next = ..                          ; back to %turn, with warp 0 after the last one, until all have exited
//! ```

use std::collections::BTreeSet;

use ptx_exec::program::{Effect, Op, WARP};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, Block, IntPredicate, Ordering, Scope, Type, Value};

use super::state::{Code, Inputs, Loops, Turns, Version};
use crate::analysis::{BlockId, Launched, Shape, take_turns};
use crate::error::CompileError;
use crate::run::field;
use crate::stack::{LARGEST_ON_THREAD, stack_bytes_of};

/// Bytes for the masks of lanes that have not exited.
const LANES: u64 = 64;

/// The most bytes for the state of all warps, on the stack of a host thread.
const MOST: u64 = 512 << 10;

/// A saved value of a warp: its memory, type, and offset in the state of the warp.
struct Kept<'c> {
    place: Value<'c>,
    ty: Type<'c>,
    offset: u64,
}

/// Bytes of a value in the saved state, an integer or a vector of them.
fn room(ty: Type<'_>) -> u64 {
    debug_assert!(ty.bits().is_some(), "a row of {}", ty.text());
    // Default: other values are pointers at most.
    let bytes = u64::from(ty.bits().unwrap_or(64)).div_ceil(8);
    bytes.next_multiple_of(if ty.vector_parts().is_some() { 64 } else { 8 })
}

/// Warps of a block (CTA); those that execute in lockstep count as one.
pub(super) fn warps(launched: &Launched, lanes: u64) -> u64 {
    let threads: u64 = launched.block.iter().map(|&extent| u64::from(extent)).product();
    threads.div_ceil(lanes)
}

impl<'c> Code<'_, '_, 'c> {
    /// Whether the function executes a whole block (CTA). Code that checks claims does only if that is just a loop over warps in lockstep: the indices
    /// on which claims depend are not saved from turn to turn.
    pub(super) fn has_turns(&self) -> bool {
        let has_one = || warps(self.launched, self.lanes_of_group()) == 1;
        let has_none = || (0..self.analysis.graph.blocks().len()).all(|id| !self.is_barrier(id));
        (!self.checks() || !self.analysis.is_of_warp() && (has_one() || has_none()))
            && !self.analysis.schedule.has_patient()
            && !self.warps.is_heavy
            && !self.analysis.arrives_singly
            && take_turns(self.program, &self.analysis.graph)
            && self.program.kernel().local == 0
            && self.state_bytes() * warps(self.launched, self.lanes_of_group()) <= MOST
            && stack_bytes_of(self.program, WARP.min(self.lanes_of_group() as usize)) <= LARGEST_ON_THREAD
    }

    /// Bytes of state per warp: its lane masks, and the rows that are saved at any barrier.
    fn state_bytes(&self) -> u64 {
        let rows: u64 = self.kept_anywhere().iter().map(|(_, row)| self.row_bytes(*row)).sum();
        // The state of each warp starts at a cache line.
        (rows + LANES).next_multiple_of(64)
    }

    /// The rows that are saved at any barrier. Each has the same place at all barriers, so that LLVM sees that a row which has not changed
    /// since the last barrier need not be stored again.
    fn kept_anywhere(&self) -> BTreeSet<(bool, u32)> {
        let barriers = (0..self.analysis.graph.blocks().len()).filter(|&id| self.is_barrier(id));
        // Vectors come first, so that they start at cache lines.
        barriers.flat_map(|id| self.kept_rows(id)).map(|row| (!self.is_vector(row), row)).collect()
    }

    fn is_barrier(&self, id: BlockId) -> bool {
        let first = self.analysis.graph.block(id).first;
        let inst = self.program.code.get(first as usize);
        inst.is_some_and(|inst| matches!(inst.op, Op::Effect(Effect::BlockBarrier(_))))
    }

    /// The rows that are live at a barrier and not constants or recomputed.
    fn kept_rows(&self, id: BlockId) -> Vec<u32> {
        let rows = self.program.kernel().rows;
        let is_known =
            |row: u32| matches!(self.analysis.shapes.row(row), Shape::Unwritten | Shape::Constant(_));
        let loops = self.warps.turns.as_ref().and_then(|turns| turns.loops.as_ref());
        let is_kept = |row: u32| !is_known(row) && !loops.is_some_and(|loops| loops.computes(row));
        (0..rows).filter(|&row| self.analysis.liveness.is_live_into(id, row) && is_kept(row)).collect()
    }

    /// Bytes of a row.
    fn row_bytes(&self, row: u32) -> u64 {
        let index = self.indexed(row).map(|indexed| room(self.types.int(indexed.bits)));
        let all = [room(self.type_of(row))].into_iter().chain(index);
        all.sum::<u64>() * self.copies(row) as u64
    }

    /// Begins the function; afterwards the builder is where the code of a warp starts.
    pub(super) fn begin_turns(&mut self) -> Result<(), LlvmError> {
        let (word, types) = (self.types.int(32), self.types);
        let (warps, bytes) = (warps(self.launched, self.lanes_of_group()), self.state_bytes());
        if warps == 1 {
            return self.begin_only_turn();
        }
        if let Some(loops) = Loops::new(self)? {
            return self.begin_loops(loops, warps);
        }
        let [turn, start, advance] =
            ["turn", "start", "advance"].map(|name| self.function.append_block(types, name));
        let builder = self.builder();
        let next = builder.alloca_in_entry(types.array(word, warps), 64)?;
        let [warp_at, left] = [builder.alloca_in_entry(word, 4)?, builder.alloca_in_entry(word, 4)?];
        let state = builder.alloca_in_entry(types.array(types.int(8), bytes * warps), 64)?;
        for warp in 0..warps {
            builder.store(self.int(32, 0), builder.offset(next, self.int(64, 4 * warp))?, 4, Ordinary)?;
        }
        builder.store(self.int(32, warps), left, 4, Ordinary)?;
        builder.store(self.int(32, 0), warp_at, 4, Ordinary)?;
        builder.branch(turn)?;
        builder.position_at_end(turn);
        let warp = builder.load(word, warp_at, 4, Ordinary)?;
        let frame_warp = builder.offset(self.frame, self.int(64, field::WARP as u64))?;
        let inputs = self.inputs_of_turn(warp)?;
        builder.store(inputs.warp, frame_warp, 4, Ordinary)?;
        self.inputs = inputs;
        self.end_turns(warp, warp_at, left, [turn, advance])?;
        self.builder().position_at_end(start);
        let resumes = vec![(0, start)];
        let loops = None;
        self.warps.turns =
            Some(Turns { warps, warp, next, left, state, bytes, turn, advance, resumes, loops });
        Ok(())
    }

    /// Begins loops over warps, which reach barriers in one order.
    fn begin_loops(&mut self, loops: Loops<'c>, warps: u64) -> Result<(), LlvmError> {
        let none = self.int(32, 0);
        let entry = self.builder().block()?;
        self.begin_phases(&loops)?;
        let turns = Turns {
            warps,
            warp: none,
            next: none,
            left: none,
            state: none,
            bytes: 0,
            turn: entry,
            advance: entry,
            resumes: Vec::new(),
            loops: Some(loops),
        };
        self.warps.turns = Some(turns);
        let bytes = self.state_bytes();
        let state = self.builder().alloca_in_entry(self.types.array(self.types.int(8), bytes * warps), 64)?;
        if let Some(turns) = &mut self.warps.turns {
            (turns.state, turns.bytes) = (state, bytes);
        }
        self.begin_turn()
    }

    /// Begins the function for one warp or group of warps, for which a barrier is a no-op.
    fn begin_only_turn(&mut self) -> Result<(), LlvmError> {
        let none = self.int(32, 0);
        let place = self.builder().offset(self.frame, self.int(64, field::WARP as u64))?;
        self.builder().store(none, place, 4, Ordinary)?;
        self.inputs = self.inputs_of_turn(none)?;
        Ok(())
    }

    /// Gives the turn to the next warp, until all have exited.
    fn end_turns(
        &self,
        warp: Value<'c>,
        warp_at: Value<'c>,
        left: Value<'c>,
        [turn, advance]: [Block<'c>; 2],
    ) -> Result<(), LlvmError> {
        let builder = self.builder();
        let [again, end] = ["again", "end"].map(|name| self.function.append_block(self.types, name));
        builder.position_at_end(advance);
        let next = builder.binary(BinaryOp::Add, warp, self.int(32, 1))?;
        let is_last = builder.int_compare(
            IntPredicate::Eq,
            next,
            self.int(32, warps(self.launched, self.lanes_of_group())),
        )?;
        let next = builder.select(is_last, self.int(32, 0), next)?;
        builder.store(next, warp_at, 4, Ordinary)?;
        let left = builder.load(self.types.int(32), left, 4, Ordinary)?;
        let is_done = builder.int_compare(IntPredicate::Eq, left, self.int(32, 0))?;
        let is_done = builder.binary(BinaryOp::And, is_last, is_done)?;
        builder.branch_if(is_done, end, again)?;
        builder.position_at_end(again);
        builder.branch(turn)?;
        builder.position_at_end(end);
        builder.ret(Some(self.int(32, 0)))?;
        Ok(())
    }

    /// The lanes that are threads, of the warp that has its turn.
    pub(super) fn lanes_of_turn(&self) -> Result<Option<Value<'c>>, LlvmError> {
        let Some(turns) = &self.warps.turns else { return Ok(None) };
        let threads: u64 = self.launched.block.iter().map(|&extent| u64::from(extent)).product();
        let last = threads - (turns.warps - 1) * WARP as u64;
        let lanes = self.int(32, u64::from(u32::MAX) >> (WARP as u64 - last));
        let is_last =
            self.builder().int_compare(IntPredicate::Eq, turns.warp, self.int(32, turns.warps - 1))?;
        self.builder().select(is_last, lanes, self.int(32, u32::MAX.into())).map(Some)
    }

    /// Lanes of the warps that execute together, or of a part of a warp.
    fn lanes_of_group(&self) -> u64 {
        self.analysis.shapes.lanes().group.into()
    }

    /// The inputs of the warps, or of the part of a warp, that have this turn.
    pub(super) fn inputs_of_turn(&self, turn: Value<'c>) -> Result<Inputs<'c>, LlvmError> {
        let (builder, lanes) = (self.builder(), self.analysis.shapes.lanes());
        let (warp, part) = match lanes.parts() {
            1 => (builder.binary(BinaryOp::Mul, turn, self.int(32, lanes.warps() as u64))?, None),
            parts => (builder.binary(BinaryOp::UDiv, turn, self.int(32, parts.into()))?, Some(turn)),
        };
        Ok(Inputs { warp, part, ..self.inputs })
    }

    /// The index in the block of the first thread of those that execute together.
    pub(super) fn first_thread(&self) -> Result<Value<'c>, LlvmError> {
        let (number, lanes) = match self.inputs.part {
            Some(part) => (part, self.lanes_of_group()),
            None => (self.inputs.warp, WARP as u64),
        };
        self.builder().binary(BinaryOp::Mul, number, self.int(32, lanes))
    }

    /// Converts a lane mask of a part of a warp to one of the warp.
    pub(super) fn in_warp(&self, lanes: Value<'c>) -> Result<Value<'c>, LlvmError> {
        if self.inputs.part.is_none() {
            return Ok(lanes);
        }
        let first = self.first_thread()?;
        let first = self.builder().binary(BinaryOp::And, first, self.int(32, WARP as u64 - 1))?;
        self.builder().binary(BinaryOp::Shl, lanes, first)
    }

    /// The number of threads of the block from the first one of the current warps on.
    pub(super) fn threads_left(&self) -> Result<Value<'c>, LlvmError> {
        let threads: u64 = self.launched.block.iter().map(|&extent| u64::from(extent)).product();
        self.builder().binary(BinaryOp::Sub, self.int(32, threads), self.first_thread()?)
    }

    /// Completes the function after the code of warps: a warp that exits takes no more turns, and each turn resumes where its warp is.
    pub(super) fn finish_turns(&mut self) -> Result<(), LlvmError> {
        self.builder().position_at_end(self.ends.done);
        if let Some(last) = self.last_phase() {
            self.read_turn()?;
            let end = self.function.append_block(self.types, "end");
            self.end_turn(last, Some(end))?;
            self.builder().position_at_end(end);
            self.builder().ret(Some(self.int(32, 0)))?;
            return Ok(());
        }
        let Some(turns) = self.warps.turns.take() else {
            self.builder().ret(Some(self.int(32, 0)))?;
            return Ok(());
        };
        let builder = self.builder();
        let word = self.types.int(32);
        builder.store(
            self.int(32, u32::MAX.into()),
            self.of_warp(turns.next, turns.warp, 4)?,
            4,
            Ordinary,
        )?;
        let left = builder.load(word, turns.left, 4, Ordinary)?;
        builder.store(builder.binary(BinaryOp::Sub, left, self.int(32, 1))?, turns.left, 4, Ordinary)?;
        builder.branch(turns.advance)?;
        builder.position_at_end(turns.turn);
        if let [(_, start)] = turns.resumes[..] {
            // Without barriers each warp has one turn.
            builder.branch(start)?;
            return Ok(());
        }
        let place = builder.load(word, self.of_warp(turns.next, turns.warp, 4)?, 4, Ordinary)?;
        builder.switch_on(place, turns.advance, &turns.resumes)?;
        Ok(())
    }

    fn of_warp(&self, array: Value<'c>, warp: Value<'c>, bytes: u64) -> Result<Value<'c>, LlvmError> {
        let at = self.builder().binary(BinaryOp::Mul, self.emit.resize(warp, 64)?, self.int(64, bytes))?;
        self.builder().offset(array, at)
    }

    /// A barrier, the first instruction of its block, which all lanes of the warp that have not exited execute: the next warp takes its turn.
    pub(super) fn wait_for_turn(&mut self, id: BlockId) -> Result<(), CompileError> {
        // Orders the block's stores before the barrier ahead of those after it, as other blocks see them.
        if !self.warps.is_quiet {
            self.builder().fence(Ordering::AcqRel, Scope::System)?;
        }
        let Some(turns) = &self.warps.turns else { return Ok(()) };
        let kept = self.kept(id);
        let place = self.of_warp(turns.state, turns.warp, turns.bytes)?;
        for Kept { place: from, ty, offset } in &kept {
            let value = self.builder().load(*ty, *from, 8, Ordinary)?;
            self.builder().store(value, self.builder().offset(place, self.int(64, *offset))?, 8, Ordinary)?;
        }
        if self.at.version == Version::Partial {
            self.keep_lanes(place)?;
        }
        let number = turns.resumes.len() as u64;
        let resume = if let Some((phase, next)) = self.phase_ended_by(id) {
            self.end_turn(phase, None)?;
            next
        } else {
            let next = self.of_warp(turns.next, turns.warp, 4)?;
            self.builder().store(self.int(32, number), next, 4, Ordinary)?;
            self.builder().branch(turns.advance)?;
            self.function.append_block(self.types, "resume")
        };
        self.builder().position_at_end(resume);
        if self.last_phase().is_some() {
            self.begin_turn()?;
        }
        let Some(turns) = &self.warps.turns else { return Ok(()) };
        let place = self.of_warp(turns.state, turns.warp, turns.bytes)?;
        for Kept { place: to, ty, offset } in &kept {
            let from = self.builder().offset(place, self.int(64, *offset))?;
            self.builder().store(self.builder().load(*ty, from, 8, Ordinary)?, *to, 8, Ordinary)?;
        }
        self.masks.active = match self.at.version {
            Version::Full => vec![self.types.int_vector(1, &vec![1; self.lanes as usize])?; self.chunks],
            Version::Partial => self.kept_lanes(place)?,
        };
        for (&place, &lanes) in self.masks.alive.iter().zip(&self.masks.active) {
            self.builder().store(lanes, place, 8, Ordinary)?;
        }
        self.compute_again(id)?;
        self.read_live(id)?;
        if let Some(turns) = self.warps.turns.as_mut().filter(|turns| turns.loops.is_none()) {
            turns.resumes.push((number, resume));
        }
        Ok(())
    }

    /// Saves the masks of lanes that have not exited, one word per warp.
    fn keep_lanes(&self, place: Value<'c>) -> Result<(), LlvmError> {
        for (warp, lanes) in self.lanes_of_warps(&self.masks.active)?.into_iter().enumerate() {
            let place = self.builder().offset(place, self.int(64, 4 * warp as u64))?;
            self.builder().store(lanes, place, 4, Ordinary)?;
        }
        Ok(())
    }

    fn kept_lanes(&self, place: Value<'c>) -> Result<Vec<Value<'c>>, LlvmError> {
        let mut masks = Vec::new();
        for warp in 0..self.analysis.warps as u64 {
            let place = self.builder().offset(place, self.int(64, 4 * warp))?;
            let lanes = self.builder().load(self.types.int(32), place, 4, Ordinary)?;
            masks.extend(self.vectors_of(lanes)?);
        }
        Ok(masks)
    }

    /// The saved state of the rows that are live at a barrier.
    fn kept(&self, id: BlockId) -> Vec<Kept<'c>> {
        let (mut kept, mut offset) = (Vec::new(), LANES);
        for (_, row) in self.kept_anywhere() {
            let index = self.indexed(row).map(|indexed| self.types.int(indexed.bits));
            let indices = self.rows.indices(row).iter().zip(index);
            let places = self.rows.slot(row).iter().map(|&place| (place, self.type_of(row)));
            let mut at = offset;
            for (place, ty) in places.chain(indices.map(|(&place, ty)| (place, ty))) {
                if self.analysis.liveness.is_live_into(id, row) {
                    kept.push(Kept { place, ty, offset: at });
                }
                at += room(ty);
            }
            offset += self.row_bytes(row);
        }
        kept
    }
}
