//! Kernels that are split into segments (`analysis/segments.rs`), each a function.
//!
//! The function of a warp keeps where each lane is, as the number of a block, and calls the segment of the lowest one:
//!
//! ```text
//! dispatch:
//!   %at = load <16 x i32>, ptr %state                       ; and the other chunk
//!   %next = call i32 @llvm.vector.reduce.umin(..)           ; of those not below %bound
//!   switch i32 %next, label %done [ i32 0, label %segment0  i32 7, label %segment1  i32 9, label %segment1 .. ]
//! segment1:
//!   %status = call i32 @segment1(ptr %warp, ptr %state, i32 %next)
//! ```
//!
//! A segment begins with masks of the lanes at its blocks, and runs these as a kernel in one function does. It returns when lanes are at a block before it, or
//! when no lane is at one of its blocks any more. In between, these are in the memory of the warp's function:
//!
//! | offset | |
//! |---|---|
//! | [`LANES_AT`] | the block at which each lane is, [`EXITED`] for lanes that have exited |
//! | [`BOUND`] | the lowest block that may run next: above that of an operation for which lanes are missing, usually 0 |
//! | [`LOCAL`] | the address of local memory |
//! | [`ROWS`] | rows that are live from one segment to another |

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

use ptx_exec::program::{Effect, Op, WARP};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, Block, IntPredicate, Linkage, Type, Value};
use rustc_hash::FxHashMap;

use super::control::Left;
use super::registers::defect;
use super::state::{Code, Plan, Segment, Version};
use crate::analysis::{BlockId, Segments, Terminator, leaves_early};
use crate::error::CompileError;
use crate::run::{Status, field};

const LANES_AT: u64 = 0;
const BOUND: u64 = 4 * WARP as u64;
const LOCAL: u64 = BOUND + 8;
const ROWS: u64 = BOUND + 64;
/// The most tests at the end of a block; where lanes may be at more blocks, all of the segment are tested in one place.
const MOST_TESTS: usize = 4;
/// The number of no block.
const EXITED: u64 = u32::MAX as u64;

impl<'a, 'c> Plan<'a, 'c> {
    /// Declares the functions, and lays the state out.
    pub(super) fn new(code: &Code<'a, '_, 'c>, segments: &'a Segments) -> Result<Self, LlvmError> {
        let (types, module) = (code.types, code.emit.module);
        let (pointer, word) = (types.pointer(0), types.int(32));
        let declare = |name: &str, parameters: &[Type<'c>]| {
            let function = module.function(name, types.function(word, parameters))?;
            function.set_linkage(Linkage::Internal);
            function.compile_like(code.function);
            function.add_attribute(types, "probe-stack", "inline-asm");
            function.add_flag(types, "noinline");
            function.add_flag(types, "nounwind");
            // The state is memory of the calling function that nothing else has the address of.
            function.add_parameter_flag(types, 1, "noalias");
            Ok::<_, LlvmError>(function)
        };
        let functions = (0..segments.ranges().len())
            .map(|number| declare(&format!("segment{number}"), &[pointer, pointer, word]))
            .collect::<Result<_, _>>()?;
        let stuck = declare("stuck", &[pointer, pointer])?;
        let parted = declare("parted", &[pointer, pointer, word, word])?;
        let (mut offsets, mut bytes) = (FxHashMap::default(), ROWS);
        let mut crossing: Vec<u32> = segments.crossing().collect();
        crossing.sort_unstable();
        for row in crossing {
            let mut place = |ty: Type<'c>| {
                let at = bytes;
                bytes += bytes_of(ty).next_multiple_of(8);
                at
            };
            let of_row = code.types_of_row(row).into_iter().map(&mut place).collect();
            let of_index = code.types_of_index(row).into_iter().map(&mut place).collect();
            offsets.insert(row, [of_row, of_index]);
        }
        Ok(Self { segments, functions, stuck, parted, offsets, bytes: bytes.next_multiple_of(64) })
    }
}

/// Bytes of a value of a row.
fn bytes_of(ty: Type<'_>) -> u64 {
    let (lane, lanes) = match ty.vector_parts() {
        Some((lane, lanes)) => (lane, u64::from(lanes)),
        None => (ty, 1),
    };
    // A predicate is a bit of a mask.
    // Default: rows are integers; no other type takes more than 64 bits.
    let bits = u64::from(lane.int_bits().unwrap_or(64)) * lanes;
    bits.div_ceil(8).next_power_of_two()
}

impl<'a, 'c> Code<'a, '_, 'c> {
    /// Generates the function of a warp, which calls the segments. The builder is at its beginning.
    pub(super) fn dispatch(&mut self, plan: &Plan<'a, 'c>, lanes: Value<'c>) -> Result<(), CompileError> {
        let (types, word) = (self.types, self.types.int(32));
        let state = self.builder().alloca_in_entry(types.array(types.int(8), plan.bytes), 64)?;
        self.make_local()?;
        if let Some(local) = self.local {
            self.builder().store(local, self.builder().offset(state, self.int(64, LOCAL))?, 8, Ordinary)?;
        }
        self.clear_rows(plan, state)?;
        for (chunk, mask) in self.vectors_of(lanes)?.into_iter().enumerate() {
            let [first, exited] = [0, EXITED].map(|number| self.constants(32, chunk, |_| number));
            let at = self.builder().select(mask, first?, exited?)?;
            self.builder().store(at, self.lanes_at(state, chunk)?, 8, Ordinary)?;
        }
        let bound_at = self.builder().offset(state, self.int(64, BOUND))?;
        self.builder().store(self.int(32, 0), bound_at, 4, Ordinary)?;
        let [head, returned, stopped] =
            ["dispatch", "returned", "stopped"].map(|name| self.function.append_block(types, name));
        self.builder().branch(head)?;
        self.builder().position_at_end(returned);
        let status = self.builder().phi(word)?;
        let done = self.builder().int_compare(IntPredicate::Eq, status, self.int(32, Status::Done as u64))?;
        self.builder().branch_if_likely(done, head, stopped, true)?;
        self.builder().position_at_end(stopped);
        self.builder().ret(Some(status))?;
        self.builder().position_at_end(head);
        let next = self.lowest_block(state, bound_at)?;
        let mut cases = Vec::new();
        let here = self.builder().block()?;
        for (range, &function) in plan.segments.ranges().iter().zip(&plan.functions) {
            let call = self.function.append_block(types, "segment");
            self.builder().position_at_end(call);
            let result = self.builder().call(function, &[self.frame, state, next])?;
            self.builder().add_incoming(status, result, call)?;
            self.builder().branch(returned)?;
            let entries = range.clone().filter(|&id| plan.segments.is_entry(id));
            cases.extend(entries.map(|id| (id as u64, call)));
        }
        cases.push((EXITED, self.ends.done));
        let nowhere = self.function.append_block(types, "nowhere");
        self.builder().position_at_end(here);
        self.builder().switch_on(next, nowhere, &cases)?;
        // Lanes are at a block at which no segment begins: a defect of `analysis/segments.rs`, which must not end the warp as if they had exited.
        self.builder().position_at_end(nowhere);
        self.stop(self.program.kernel().start, lanes, Status::Apart)?;
        self.builder().position_at_end(self.ends.done);
        self.builder().ret(Some(self.int(32, Status::Done as u64)))?;
        Ok(())
    }

    /// The lowest block, at least the bound, at which a lane is.
    fn lowest_block(&self, state: Value<'c>, bound_at: Value<'c>) -> Result<Value<'c>, LlvmError> {
        let ty = self.types.vector(self.types.int(32), self.lanes);
        let bound = self.builder().load(self.types.int(32), bound_at, 4, Ordinary)?;
        let bound = self.builder().splat(bound, self.lanes)?;
        let mut lowest: Option<Value<'c>> = None;
        for chunk in 0..self.chunks {
            let at = self.builder().load(ty, self.lanes_at(state, chunk)?, 8, Ordinary)?;
            let is_passed = self.builder().int_compare(IntPredicate::Ult, at, bound)?;
            let at = self.builder().select(is_passed, self.constants(32, chunk, |_| EXITED)?, at)?;
            lowest = Some(match lowest {
                None => at,
                Some(before) => self.builder().intrinsic("llvm.umin", &[ty], &[before, at])?,
            });
        }
        let lowest = lowest.ok_or_else(|| defect("a warp without lanes"))?;
        self.builder().intrinsic("llvm.vector.reduce.umin", &[ty], &[lowest])
    }

    /// Clears the rows that may be read before they are written.
    fn clear_rows(&self, plan: &Plan<'a, 'c>, state: Value<'c>) -> Result<(), LlvmError> {
        for row in self.analysis.liveness.rows_into(0) {
            let Some([of_row, of_index]) = plan.offsets.get(&row) else { continue };
            let values = of_row.iter().zip(self.types_of_row(row));
            for (&at, ty) in values.chain(of_index.iter().zip(self.types_of_index(row))) {
                let place = self.builder().offset(state, self.int(64, at))?;
                self.builder().store(ty.zero(), place, 8, Ordinary)?;
            }
        }
        Ok(())
    }

    fn lanes_at(&self, state: Value<'c>, chunk: usize) -> Result<Value<'c>, LlvmError> {
        let bytes = LANES_AT + 4 * chunk as u64 * u64::from(self.lanes);
        self.builder().offset(state, self.int(64, bytes))
    }

    /// Begins the function of a segment, or one that reports an error, with an empty range; the parameters after the first are `state` and, in a
    /// segment, the number of the block that runs first.
    pub(super) fn begin_segment(
        &mut self,
        plan: &'a Plan<'a, 'c>,
        range: Range<BlockId>,
        state: Value<'c>,
    ) -> Result<(), CompileError> {
        let ty = self.types.vector(self.types.int(32), self.lanes);
        let leave = self.function.append_block(self.types, "leave");
        let bound = self.builder().alloca_in_entry(self.types.int(32), 4)?;
        self.builder().store(self.int(32, 0), bound, 4, Ordinary)?;
        if self.program.kernel().local > 0 {
            let place = self.builder().offset(state, self.int(64, LOCAL))?;
            self.local = Some(self.builder().load(self.types.pointer(0), place, 8, Ordinary)?);
        }
        self.make_masks(range.clone())?;
        let mut lanes_at = Vec::new();
        for chunk in 0..self.chunks {
            let at = self.builder().load(ty, self.lanes_at(state, chunk)?, 8, Ordinary)?;
            let is_alive = self.number_is(at, chunk, IntPredicate::Ne, EXITED)?;
            self.builder().store(is_alive, self.masks.alive[chunk], 8, Ordinary)?;
            for id in range.clone().filter(|&id| plan.segments.is_entry(id)) {
                let is_here = self.number_is(at, chunk, IntPredicate::Eq, id as u64)?;
                self.builder().store(is_here, self.masks.at(id)?[chunk], 8, Ordinary)?;
            }
            let place = self.builder().alloca_in_entry(ty, 8)?;
            self.builder().store(at, place, 8, Ordinary)?;
            lanes_at.push(place);
        }
        let (dispatch, pass_over) = (Cell::new(None), Cell::new(None));
        self.segment = Some(Segment { plan, range, state, lanes_at, leave, bound, dispatch, pass_over });
        Ok(())
    }

    fn number_is(
        &self,
        at: Value<'c>,
        chunk: usize,
        how: IntPredicate,
        number: u64,
    ) -> Result<Value<'c>, LlvmError> {
        self.builder().int_compare(how, at, self.constants(32, chunk, |_| number)?)
    }

    /// Gives the rows that the blocks of the segment access their memory: in the state if they are live from one segment to another.
    pub(super) fn make_rows_of_segment(&mut self) -> Result<(), LlvmError> {
        let Some(segment) = &self.segment else { return Ok(()) };
        let (plan, state) = (segment.plan, segment.state);
        let rows: BTreeSet<u32> =
            segment.range.clone().flat_map(|id| self.analysis.rows_of(self.program, id)).collect();
        for row in rows {
            self.make_row_of_segment(plan, state, row)?;
        }
        Ok(())
    }

    fn make_row_of_segment(
        &mut self,
        plan: &Plan<'a, 'c>,
        state: Value<'c>,
        row: u32,
    ) -> Result<(), LlvmError> {
        let Some(offsets) = plan.offsets.get(&row) else { return self.make_row(row) };
        let places = |offsets: &[u64]| {
            offsets.iter().map(|&at| self.builder().offset(state, self.int(64, at))).collect::<Result<_, _>>()
        };
        let (of_row, of_index) = (places(&offsets[0])?, places(&offsets[1])?);
        self.rows.add(row, of_row, of_index);
        Ok(())
    }

    /// Branches to the block that runs first, whose number is given, and completes the function.
    pub(super) fn enter_segment(&mut self, next: Value<'c>) -> Result<(), CompileError> {
        let Some(segment) = &self.segment else { return Err(defect("a kernel in one function").into()) };
        let blocks = &self.at.blocks[self.at.version as usize];
        let entries = segment.range.clone().zip(blocks);
        let entries = entries.filter(|(id, _)| segment.plan.segments.is_entry(*id));
        let cases: Vec<_> = entries.map(|(id, &block)| (id as u64, block)).collect();
        if let [(_, only)] = cases[..] {
            self.builder().branch(only)?;
            return Ok(());
        }
        let nowhere = self.function.append_block(self.types, "nowhere");
        self.builder().switch_on(next, nowhere, &cases)?;
        self.builder().position_at_end(nowhere);
        self.builder().unreachable()?;
        Ok(())
    }

    /// Generates the code that returns from a segment.
    pub(super) fn finish_segment(&mut self) -> Result<(), CompileError> {
        let Some(segment) = &self.segment else { return Ok(()) };
        self.finish_dispatch(segment)?;
        self.builder().position_at_end(segment.leave);
        self.save_lanes(segment)?;
        self.builder().ret(Some(self.int(32, Status::Done as u64)))?;
        self.builder().position_at_end(self.ends.done);
        self.builder().branch(segment.leave)?;
        Ok(())
    }

    /// Stores where lanes are: at a block of the segment, or where they were sent.
    fn save_lanes(&self, segment: &Segment<'a, 'c>) -> Result<(), LlvmError> {
        let ty = self.types.vector(self.types.int(32), self.lanes);
        let mask = self.types.vector(self.types.int(1), self.lanes);
        for chunk in 0..self.chunks {
            let mut at = self.builder().load(ty, segment.lanes_at[chunk], 8, Ordinary)?;
            for id in segment.range.clone().filter(|&id| segment.plan.segments.is_entry(id)) {
                let waits = self.builder().load(mask, self.masks.at(id)?[chunk], 8, Ordinary)?;
                at = self.builder().select(waits, self.constants(32, chunk, |_| id as u64)?, at)?;
            }
            self.builder().store(at, self.lanes_at(segment.state, chunk)?, 8, Ordinary)?;
        }
        let place = self.builder().offset(segment.state, self.int(64, BOUND))?;
        let bound = self.builder().load(self.types.int(32), segment.bound, 4, Ordinary)?;
        self.builder().store(bound, place, 4, Ordinary)?;
        Ok(())
    }

    /// Whether a block is of another segment than the one being generated.
    pub(super) fn is_outside(&self, id: BlockId) -> bool {
        self.segment.as_ref().is_some_and(|segment| !segment.range.contains(&id))
    }

    /// Sends lanes to a block of another segment.
    pub(super) fn send_outside(&self, to: BlockId, lanes: &[Value<'c>]) -> Result<(), LlvmError> {
        let Some(segment) = &self.segment else { return Err(defect("a kernel in one function")) };
        self.set_lanes_at(segment, to as u64, lanes)
    }

    fn set_lanes_at(
        &self,
        segment: &Segment<'a, 'c>,
        number: u64,
        lanes: &[Value<'c>],
    ) -> Result<(), LlvmError> {
        let ty = self.types.vector(self.types.int(32), self.lanes);
        for (chunk, (&place, &lanes)) in segment.lanes_at.iter().zip(lanes).enumerate() {
            let before = self.builder().load(ty, place, 8, Ordinary)?;
            let at = self.builder().select(lanes, self.constants(32, chunk, |_| number)?, before)?;
            self.builder().store(at, place, 8, Ordinary)?;
        }
        Ok(())
    }

    /// In a segment, records that lanes have exited.
    pub(super) fn exit_segment(&self, lanes: &[Value<'c>]) -> Result<(), LlvmError> {
        match &self.segment {
            Some(segment) => self.set_lanes_at(segment, EXITED, lanes),
            None => Ok(()),
        }
    }

    /// Runs the lowest block at which lanes are: one of this segment, unless lanes are at an earlier one.
    pub(super) fn run_next_of_segment(
        &self,
        version: Version,
        id: BlockId,
        targets: &[BlockId],
        left: Left,
    ) -> Result<(), LlvmError> {
        let Some(segment) = &self.segment else { return Err(defect("a kernel in one function")) };
        let (schedule, range) = (&self.analysis.schedule, &segment.range);
        if leaves_early(schedule, range, id, targets) && self.leave_if_before(segment, id, targets)? {
            return Ok(());
        }
        let candidates: Vec<BlockId> =
            range.clone().filter(|other| targets.contains(other) || schedule.may_wait(id, *other)).collect();
        let tests = match *targets {
            [only] if left == Left::Some => candidates.iter().take_while(|&&next| next != only).count(),
            _ => candidates.len(),
        };
        if tests > MOST_TESTS {
            if candidates.iter().any(|&next| next <= id) {
                self.poll(self.analysis.graph.block(id).end, |code| code.lanes_of(&code.masks.active))?;
            }
            let block =
                Self::shared(&segment.dispatch, || self.function.append_block(self.types, "dispatch"));
            self.builder().branch(block)?;
            return Ok(());
        }
        // Lanes are at one of these blocks if they cannot be at a later one.
        let is_here = targets.iter().all(|to| *to < range.end)
            && schedule.bounds(id).is_none_or(|(_, last)| last < range.end);
        let last = candidates.last().copied().filter(|_| is_here);
        let is_sure = |next| left == Left::Some && (targets == [next] || Some(next) == last);
        self.run_first_of(version, id, &candidates, is_sure, segment.leave)
    }

    /// Leaves the segment if lanes are at an earlier one, which runs first; returns whether they surely are. Loops over segments pass here, so
    /// that it polls whether the warp is to stop.
    fn leave_if_before(
        &self,
        segment: &Segment<'a, 'c>,
        id: BlockId,
        targets: &[BlockId],
    ) -> Result<bool, LlvmError> {
        let leave = |code: &Self| {
            code.poll(code.analysis.graph.block(id).end, |code| code.lanes_of(&code.masks.active))?;
            code.builder().branch(segment.leave).map(drop)
        };
        if matches!(targets, [to] if *to < segment.range.start) {
            leave(self)?;
            return Ok(true);
        }
        let before = self.is_any_lane_at(segment, IntPredicate::Ult, segment.range.start as u64)?;
        let [back, on] = ["back", "after"].map(|name| self.function.append_block(self.types, name));
        self.builder().branch_if(before, back, on)?;
        self.builder().position_at_end(back);
        leave(self)?;
        self.builder().position_at_end(on);
        Ok(false)
    }

    /// Whether a lane is at a block of another segment with such a number.
    fn is_any_lane_at(
        &self,
        segment: &Segment<'a, 'c>,
        how: IntPredicate,
        number: u64,
    ) -> Result<Value<'c>, LlvmError> {
        let ty = self.types.vector(self.types.int(32), self.lanes);
        let mut any = Vec::new();
        for (chunk, &place) in segment.lanes_at.iter().enumerate() {
            let at = self.builder().load(ty, place, 8, Ordinary)?;
            let mut is_it = self.number_is(at, chunk, how, number)?;
            if how == IntPredicate::Uge {
                let is_alive = self.number_is(at, chunk, IntPredicate::Ne, EXITED)?;
                is_it = self.builder().binary(BinaryOp::And, is_it, is_alive)?;
            }
            any.push(is_it);
        }
        self.is_any(&any)
    }

    /// The blocks of the segment at which lanes may wait when others arrive at a block; `None` if no lanes wait anywhere.
    pub(super) fn beside_in_segment(&self, id: BlockId) -> Option<BTreeSet<BlockId>> {
        let segment = self.segment.as_ref()?;
        let (schedule, segments) = (&self.analysis.schedule, segment.plan.segments);
        let sends_all = |&from: &BlockId| {
            schedule.is_together(from)
                && matches!(self.analysis.graph.block(from).terminator, Terminator::Jump(_))
        };
        if !segments.can_wait(id) && segments.origins(id).iter().all(sends_all) {
            return None;
        }
        // Also blocks at which lanes never wait while another one runs: others may have been sent there by the same branch.
        Some(segment.range.clone().filter(|&other| other != id).collect())
    }

    /// As `run_others`, in a segment: where lanes are missing at an operation, a later block runs, also one of another segment.
    pub(super) fn run_others_of_segment(
        &self,
        id: BlockId,
        here: Value<'c>,
        others: &BTreeSet<BlockId>,
    ) -> Result<(), LlvmError> {
        let Some(segment) = &self.segment else { return Err(defect("a kernel in one function")) };
        let pc = self.analysis.graph.block(id).first;
        self.builder().store(self.int(32, id as u64 + 1), segment.bound, 4, Ordinary)?;
        if others.range(id + 1..).count() > MOST_TESTS {
            let block =
                Self::shared(&segment.pass_over, || self.function.append_block(self.types, "pass.over"));
            return self.builder().branch(block).map(drop);
        }
        for &next in others.range(id + 1..) {
            let [found, after] = ["found", "after"].map(|name| self.function.append_block(self.types, name));
            self.builder().branch_if(self.has_waiting(next)?, found, after)?;
            self.builder().position_at_end(found);
            self.builder().store(self.int(32, 0), segment.bound, 4, Ordinary)?;
            self.builder().branch(self.way_from(self.at.version, (id, pc), next, |_| Ok(here))?)?;
            self.builder().position_at_end(after);
        }
        self.leave_for_later(segment)
    }

    /// A block that several others branch to, which is made for the first of them.
    fn shared(block: &Cell<Option<Block<'c>>>, make: impl FnOnce() -> Block<'c>) -> Block<'c> {
        let shared = block.get().unwrap_or_else(make);
        block.set(Some(shared));
        shared
    }

    /// Leaves the segment for a later one, since none of its blocks from the bound on can run; if no lane is at a later one, the lanes of the warp wait
    /// for each other.
    fn leave_for_later(&self, segment: &Segment<'a, 'c>) -> Result<(), LlvmError> {
        let later = self.is_any_lane_at(segment, IntPredicate::Uge, segment.range.end as u64)?;
        let none = self.function.append_block(self.types, "nowhere");
        self.builder().branch_if(later, segment.leave, none)?;
        self.builder().position_at_end(none);
        if self.analysis.arrives_singly {
            return self.wait_for_phase_in_segment(segment);
        }
        self.end_stuck()
    }

    /// Generates the tests that ends of blocks and operations share: all blocks of the segment in order, and those from the bound on.
    fn finish_dispatch(&self, segment: &Segment<'a, 'c>) -> Result<(), LlvmError> {
        let blocks = segment.range.clone().zip(self.at.blocks[self.at.version as usize].iter().copied());
        if let Some(block) = segment.dispatch.get() {
            self.builder().position_at_end(block);
            for (id, to) in blocks.clone() {
                let after = self.function.append_block(self.types, "after");
                self.builder().branch_if(self.has_waiting(id)?, to, after)?;
                self.builder().position_at_end(after);
            }
            self.builder().branch(segment.leave)?;
        }
        if let Some(block) = segment.pass_over.get() {
            self.builder().position_at_end(block);
            let bound = self.builder().load(self.types.int(32), segment.bound, 4, Ordinary)?;
            for (id, to) in blocks {
                let [found, after] =
                    ["found", "after"].map(|name| self.function.append_block(self.types, name));
                let is_above =
                    self.builder().int_compare(IntPredicate::Ule, bound, self.int(32, id as u64))?;
                let runs = self.builder().binary(BinaryOp::And, self.has_waiting(id)?, is_above)?;
                self.builder().branch_if(runs, found, after)?;
                self.builder().position_at_end(found);
                self.builder().store(self.int(32, 0), segment.bound, 4, Ordinary)?;
                self.builder().branch(to)?;
                self.builder().position_at_end(after);
            }
            self.leave_for_later(segment)?;
        }
        Ok(())
    }

    /// Ends the warp, whose lanes wait for each other forever.
    pub(super) fn end_stuck_segment(&self) -> Result<(), LlvmError> {
        let Some(segment) = &self.segment else { return Err(defect("a kernel in one function")) };
        self.save_lanes(segment)?;
        let status = self.builder().call(segment.plan.stuck, &[self.frame, segment.state])?;
        self.builder().ret(Some(status)).map(drop)
    }

    /// Stops the warp if lanes are elsewhere when `all` others have reached a barrier.
    pub(super) fn expect_together_in_segment(&self, pc: u32, all: Value<'c>) -> Result<(), LlvmError> {
        let Some(segment) = &self.segment else { return Err(defect("a kernel in one function")) };
        let missing = self.missing(all)?;
        let none = self.builder().int_compare(IntPredicate::Eq, missing, self.int(32, 0))?;
        self.unless(none, |code| {
            code.save_lanes(segment)?;
            let arguments = [code.frame, segment.state, code.int(32, pc.into()), all];
            let status = code.builder().call(segment.plan.parted, &arguments)?;
            code.builder().ret(Some(status)).map(drop)
        })
    }

    /// Generates the function that reports lanes which wait for each other forever. Its segment has no blocks.
    pub(super) fn report_stuck_segments(&mut self) -> Result<(), CompileError> {
        let Some(segment) = &self.segment else { return Ok(()) };
        let (plan, state) = (segment.plan, segment.state);
        let waiting: Vec<BlockId> = (0..self.analysis.graph.blocks().len())
            .filter(|&id| self.collective_gather(id).is_some())
            .collect();
        let rows: BTreeSet<u32> =
            waiting.iter().flat_map(|&id| self.analysis.rows_of(self.program, id)).collect();
        for row in rows {
            self.make_row_of_segment(plan, state, row)?;
        }
        self.report_stuck()?;
        self.unused_ends()
    }

    /// Generates the function that reports which lanes are at another barrier, or somewhere else, when others have reached one.
    pub(super) fn report_parted_segments(
        &mut self,
        pc: Value<'c>,
        all: Value<'c>,
    ) -> Result<(), CompileError> {
        let none = self.int(32, 0);
        let (mut others, mut place) = (none, pc);
        for (id, block) in self.analysis.graph.blocks().iter().enumerate().rev() {
            let op = self.program.code.get(block.first as usize).map(|inst| &inst.op);
            if !matches!(op, Some(Op::Effect(Effect::BlockBarrier(_)))) {
                continue;
            }
            let lanes = self.lanes_of(&self.masks_of(id)?)?;
            let lanes = self.builder().binary(BinaryOp::And, lanes, self.not(all)?)?;
            let any = self.builder().int_compare(IntPredicate::Ne, lanes, none)?;
            others = self.builder().select(any, lanes, others)?;
            place = self.builder().select(any, self.int(32, block.first.into()), place)?;
        }
        let at_no_barrier = self.builder().int_compare(IntPredicate::Eq, others, none)?;
        self.unless(at_no_barrier, |code| {
            let status =
                code.call_runtime(field::runtime::PART, &[pc, all, place, others], code.types.int(32))?;
            code.builder().ret(Some(status)).map(drop)
        })?;
        self.stop_numbered(pc, all, Status::Deadlock)?;
        self.unused_ends()
    }

    /// Completes a function that is never left by its ordinary ends.
    fn unused_ends(&self) -> Result<(), CompileError> {
        let Some(segment) = &self.segment else { return Ok(()) };
        for block in [segment.leave, self.ends.done] {
            self.builder().position_at_end(block);
            self.builder().unreachable()?;
        }
        Ok(())
    }

    /// The mask of lanes at a block of another segment.
    pub(super) fn masks_outside(&self, id: BlockId) -> Result<Vec<Value<'c>>, LlvmError> {
        let Some(segment) = &self.segment else { return Err(defect("a kernel in one function")) };
        let ty = self.types.vector(self.types.int(32), self.lanes);
        let at = |(chunk, &place): (usize, &Value<'c>)| {
            let at = self.builder().load(ty, place, 8, Ordinary)?;
            self.number_is(at, chunk, IntPredicate::Eq, id as u64)
        };
        segment.lanes_at.iter().enumerate().map(at).collect()
    }
}
