//! Calls of the runtime, and the ends of warps that are stopped.

use ptx_exec::program::{Src, WARP};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, CastOp, IntPredicate, Type, Value};

use super::state::Code;
use crate::run::{Status, field};

impl<'c> Code<'_, '_, 'c> {
    /// Calls the runtime function at offset `entry` of its table (`offset_of!(Runtime, ..)`), with the frame of the
    /// warp and then the arguments.
    pub(super) fn call_runtime(
        &self,
        entry: usize,
        arguments: &[Value<'c>],
        result: Type<'c>,
    ) -> Result<Value<'c>, LlvmError> {
        self.asks.borrow_mut().push((self.at.pc.get(), entry));
        let builder = self.builder();
        let pointer = self.types.pointer(0);
        let table = builder.offset(self.frame, self.int(64, field::RUNTIME as u64))?;
        let table = builder.load(pointer, table, 8, Ordinary)?;
        let function = builder.offset(table, self.int(64, entry as u64))?;
        let function = builder.load(pointer, function, 8, Ordinary)?;
        let arguments: Vec<Value<'c>> =
            std::iter::once(self.frame).chain(arguments.iter().copied()).collect();
        let parameters: Vec<Type<'c>> = arguments.iter().map(|argument| argument.ty()).collect();
        builder.call_value(self.types.function(result, &parameters), function, &arguments)
    }

    /// Calls a runtime function that returns a [`Status`], and ends the warp with it unless it is [`Status::Done`].
    pub(super) fn call_checked(&self, entry: usize, arguments: &[Value<'c>]) -> Result<(), LlvmError> {
        let status = self.call_runtime(entry, arguments, self.types.int(32))?;
        self.end_unless_done(status)
    }

    /// Ends the warp with a [`Status`] unless it is [`Status::Done`].
    pub(super) fn end_unless_done(&self, status: Value<'c>) -> Result<(), LlvmError> {
        let done = self.int(32, Status::Done as u64);
        let is_done = self.builder().int_compare(IntPredicate::Eq, status, done)?;
        self.unless(is_done, |code| code.builder().ret(Some(status)).map(drop))
    }

    /// Stops the warp if the guard holds for an active lane.
    pub(super) fn stop_where(&self, pc: u32, guard: Option<(u32, bool)>) -> Result<(), LlvmError> {
        let masks: Result<Vec<_>, _> = (0..self.chunks).map(|chunk| self.active(guard, chunk)).collect();
        let lanes = self.lanes_of(&masks?)?;
        let none = self.builder().int_compare(IntPredicate::Eq, lanes, self.int(32, 0))?;
        self.unless(none, |code| code.stop(pc, lanes, Status::Stopped))
    }

    /// Ends the warp: the lanes of this mask are stopped at an instruction.
    pub(super) fn stop(&self, pc: u32, lanes: Value<'c>, status: Status) -> Result<(), LlvmError> {
        self.stop_numbered(self.instruction_of(pc, lanes)?, lanes, status)
    }

    /// As [`Self::stop`], at an instruction with this number in the original program.
    pub(super) fn stop_numbered(
        &self,
        pc: Value<'c>,
        lanes: Value<'c>,
        status: Status,
    ) -> Result<(), LlvmError> {
        let builder = self.builder();
        for (at, value) in [(field::PC, pc), (field::STOPPED, lanes)] {
            builder.store(value, builder.offset(self.frame, self.int(64, at as u64))?, 4, Ordinary)?;
        }
        builder.ret(Some(self.int(32, status as u64))).map(drop)
    }

    /// The number that the runtime knows an instruction by: its place in the program before operations were joined. For a merged operation
    /// it is the place of the original that the first of these lanes reached.
    pub(super) fn instruction_of(&self, pc: u32, lanes: Value<'c>) -> Result<Value<'c>, LlvmError> {
        let Some((row, sites)) = self.reports.joined.and_then(|joined| joined.meeting(pc)) else {
            let place = self.reports.joined.map_or(pc, |joined| joined.place(pc));
            return Ok(self.int(32, place.into()));
        };
        let numbers: Vec<Value<'c>> = (0..self.chunks)
            .map(|chunk| self.emit.resize(self.vector(Src::register(row), chunk)?, 32))
            .collect::<Result<_, _>>()?;
        let memory = self.in_memory(&numbers)?;
        let number = self.lane_in_memory(memory, self.types.int(32), self.lowest(lanes)?)?;
        let mut place = self.int(32, sites.first().copied().unwrap_or(pc).into());
        for (own, &site) in (0..).zip(sites) {
            let is_it = self.builder().int_compare(IntPredicate::Eq, number, self.int(32, own))?;
            place = self.builder().select(is_it, self.int(32, site.into()), place)?;
        }
        Ok(place)
    }

    /// As [`Self::stop`], for lanes of several warps, of which only those of the first affected warp are stopped, or for those of a part of one.
    pub(super) fn stop_first(&self, pc: u32, masks: &[Value<'c>], status: Status) -> Result<(), LlvmError> {
        let builder = self.builder();
        let warps: Vec<Value<'c>> = self.lanes_of_warps(masks)?;
        let (mut first, mut number) = (self.int(32, 0), self.int(32, 0));
        for (warp, &lanes) in warps.iter().enumerate().rev() {
            let any = builder.int_compare(IntPredicate::Ne, lanes, self.int(32, 0))?;
            first = builder.select(any, lanes, first)?;
            number = builder.select(any, self.int(32, warp as u64), number)?;
        }
        if warps.len() > 1 {
            let number = builder.binary(BinaryOp::Add, self.inputs.warp, number)?;
            let place = builder.offset(self.frame, self.int(64, field::WARP as u64))?;
            builder.store(number, place, 4, Ordinary)?;
        }
        self.stop(pc, self.in_warp(first)?, status)
    }

    /// The lane mask of each warp, from the masks of all chunks.
    pub(super) fn lanes_of_warps(&self, masks: &[Value<'c>]) -> Result<Vec<Value<'c>>, LlvmError> {
        masks.chunks((WARP / self.lanes as usize).max(1)).map(|masks| self.lanes_of(masks)).collect()
    }

    /// Generates a rare path: `rare` ends the function if the condition, which usually holds, does not.
    pub(super) fn unless(
        &self,
        usually: Value<'c>,
        rare: impl FnOnce(&Self) -> Result<(), LlvmError>,
    ) -> Result<(), LlvmError> {
        let [on, off] = ["on", "rare"].map(|name| self.function.append_block(self.types, name));
        self.builder().branch_if_likely(usually, on, off, true)?;
        self.builder().position_at_end(off);
        rare(self)?;
        self.builder().position_at_end(on);
        Ok(())
    }

    /// Converts the masks of all chunks to one lane mask.
    pub(super) fn lanes_of(&self, masks: &[Value<'c>]) -> Result<Value<'c>, LlvmError> {
        let builder = self.builder();
        let mut lanes = self.int(32, 0);
        for (chunk, &mask) in masks.iter().enumerate() {
            let bits = builder.cast(CastOp::BitCast, mask, self.types.int(self.lanes))?;
            let bits = self.emit.resize(bits, 32)?;
            let shift = self.int(32, chunk as u64 * u64::from(self.lanes));
            lanes = builder.binary(BinaryOp::Or, lanes, builder.binary(BinaryOp::Shl, bits, shift)?)?;
        }
        Ok(lanes)
    }
}
