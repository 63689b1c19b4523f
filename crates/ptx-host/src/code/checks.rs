//! Code that checks the claims of the analysis (`analysis/claims.rs`).
//!
//! Every row is then a vector, written in the active lanes only, so that each lane has the values that its instructions
//! compute. Only the order of blocks and the masks of lanes that wait at them still follow from the analysis, and are checked too.

use std::sync::Arc;

use ptx_exec::TrapKind;
use ptx_exec::program::{Mask, Src, WARP};
use ptx_llvm::LlvmError;
use ptx_llvm::build::Volatility::Ordinary;
use ptx_llvm::build::{BinaryOp, CastOp, IntPredicate, Type, Value};

use super::registers::defect;
use super::serial::Held;
use super::state::Code;
use crate::analysis::{BlockId, Claims, Indexed, Shape};
use crate::run::{Status, WarpFrame, note};

/// The arrays (`serial.rs`) of checked values, in addition to those of operations.
const VALUES: usize = 6;
const INDICES: usize = 7;
/// The array of the lane masks of warps.
const LANES: usize = 8;

impl<'c> Code<'_, '_, 'c> {
    /// Whether the code checks claims.
    pub(super) fn checks(&self) -> bool {
        self.analysis.shapes.claims().is_some()
    }

    /// The types of the indices in memory from which a row is claimed to follow.
    pub(super) fn types_of_claimed_index(&self, row: u32) -> Vec<Type<'c>> {
        let index = self.claimed_index(row);
        let ty = |indexed: Indexed| self.types.vector(self.types.int(indexed.bits), self.lanes);
        index.map(|indexed| vec![ty(indexed); self.chunks]).into_iter().flatten().collect()
    }

    fn claimed_index(&self, row: u32) -> Option<Indexed> {
        match self.analysis.shapes.claim(Src::register(row)) {
            Shape::Indexed(indexed) if self.checks() => Some(indexed),
            _ => None,
        }
    }

    /// Writes the indices from which a row is claimed to follow; one of these operands has or is the index.
    pub(super) fn write_claimed_index(
        &self,
        guard: Option<(u32, bool)>,
        row: u32,
        reads: &[Src],
    ) -> Result<(), LlvmError> {
        let Some(indexed) = self.claimed_index(row) else { return Ok(()) };
        for (chunk, &place) in self.claimed_places(row).iter().enumerate() {
            let index = self.claimed_index_of(indexed, reads, chunk)?;
            let before = self.builder().load(index.ty(), place, 8, Ordinary)?;
            let index = self.builder().select(self.active(guard, chunk)?, index, before)?;
            self.builder().store(index, place, 8, Ordinary)?;
        }
        Ok(())
    }

    fn claimed_places(&self, row: u32) -> &[Value<'c>] {
        self.rows.indices(row)
    }

    fn claimed_index_of(
        &self,
        indexed: Indexed,
        reads: &[Src],
        chunk: usize,
    ) -> Result<Value<'c>, LlvmError> {
        let shapes = &self.analysis.shapes;
        let has_index = |src: &&Src| matches!(shapes.claim(**src), Shape::Indexed(_));
        if let Some(row) = reads.iter().find(has_index).and_then(|src| src.as_register()) {
            let place = self.claimed_places(row).get(chunk).copied();
            let ty = self.types.vector(self.types.int(indexed.bits), self.lanes);
            let place = place.ok_or_else(|| defect("a row without an index"))?;
            return self.builder().load(ty, place, 8, Ordinary);
        }
        let is_index = |src: &&Src| shapes.claim(**src) == Shape::Strided(indexed.index);
        let src = reads.iter().find(is_index).ok_or_else(|| defect("a row without an index"))?;
        self.emit.resize(self.vector(*src, chunk)?, indexed.bits)
    }

    /// Checks the rows that a block reads, in its active lanes.
    pub(super) fn check_read(&mut self, id: BlockId) -> Result<(), LlvmError> {
        let analysis = self.analysis;
        let rows = analysis.rows_of(self.program, id);
        let lanes = self.active_warps(None)?;
        for row in rows.into_iter().filter(|&row| analysis.liveness.is_live_into(id, row)) {
            self.check(analysis.graph.block(id).first, row, &lanes)?;
        }
        Ok(())
    }

    /// Checks the results of an instruction, in lanes of each warp.
    pub(super) fn check_written(&mut self, pc: u32, lanes: &[Value<'c>]) -> Result<(), LlvmError> {
        let analysis = self.analysis;
        for &row in &analysis.graph.access(pc).writes {
            self.check(pc, row, lanes)?;
        }
        Ok(())
    }

    fn check(&mut self, pc: u32, row: u32, lanes: &[Value<'c>]) -> Result<(), LlvmError> {
        let widened = |code: &Self, value: Value<'c>| code.emit.resize(value, 64);
        let values = (0..self.chunks).map(|chunk| widened(self, self.vector(Src::register(row), chunk)?));
        let values = values.collect::<Result<Vec<_>, LlvmError>>()?;
        self.put(VALUES, &values)?;
        if let Some(indexed) = self.claimed_index(row) {
            let ty = self.types.vector(self.types.int(indexed.bits), self.lanes);
            let places = self.claimed_places(row).to_vec();
            let indices =
                places.into_iter().map(|place| widened(self, self.builder().load(ty, place, 8, Ordinary)?));
            let indices = indices.collect::<Result<Vec<_>, LlvmError>>()?;
            self.put(INDICES, &indices)?;
        }
        let [values, indices, sets] = [self.array(VALUES)?, self.array(INDICES)?, self.array(LANES)?];
        for (warp, &lanes) in lanes.iter().enumerate() {
            let place = self.builder().offset(sets, self.int(64, 4 * warp as u64))?;
            self.builder().store(lanes, place, 4, Ordinary)?;
        }
        let Some(claims) = self.analysis.shapes.claims() else { return Ok(()) };
        let address = |number: usize| {
            self.builder().cast(CastOp::IntToPtr, self.int(64, number as u64), self.types.pointer(0))
        };
        // The code lives no longer than the claims, and runs in this process only.
        let claims = address(Arc::as_ptr(claims) as usize)?;
        let function = address(check as CheckCode as usize)?;
        let warps = self.int(32, lanes.len() as u64);
        // Programs with joined operations execute one warp at a time.
        let pc = self.instruction_of(pc, lanes.first().copied().unwrap_or_else(|| self.int(32, 0)))?;
        let arguments = [claims, self.frame, pc, self.int(32, row.into()), warps, sets, values, indices];
        let parameters = arguments.map(Value::ty);
        let ty = self.types.function(self.types.int(32), &parameters);
        let status = self.builder().call_value(ty, function, &arguments)?;
        self.end_unless_done(status)
    }

    /// Checks that the active mask that a block assumes is that of the lanes that wait at it.
    pub(super) fn check_together(
        &self,
        id: BlockId,
        taken: &[Value<'c>],
        waiting: &[Value<'c>],
    ) -> Result<(), LlvmError> {
        let pairs = taken.iter().zip(waiting);
        let differs = pairs.map(|(&taken, &waiting)| self.builder().binary(BinaryOp::Xor, taken, waiting));
        let differs = differs.collect::<Result<Vec<_>, _>>()?;
        let some = self.any_lane(&self.lanes_of_warps(&differs)?)?;
        let none = self.builder().binary(BinaryOp::Xor, some, self.types.bool_value(true))?;
        let pc = self.analysis.graph.block(id).first;
        self.unless(none, |code| code.stop_first(pc, &differs, Status::Apart))
    }

    /// In checked code, the value that all active lanes are claimed to have.
    pub(super) fn claimed_one(
        &mut self,
        src: Src,
        guard: Option<(u32, bool)>,
    ) -> Result<Option<Value<'c>>, LlvmError> {
        if !self.checks() || !self.analysis.shapes.claim(src).is_uniform() {
            return Ok(None);
        }
        let lanes = self.active_warps(guard)?;
        let values = self.values_of(src)?;
        let lane = self.emit.resize(self.lowest_of(&lanes)?, 64)?;
        self.of_lane(values, lane).map(Some)
    }

    /// The value of the first of these lanes.
    pub(super) fn of_lowest(&mut self, src: Src, lanes: Value<'c>) -> Result<Value<'c>, LlvmError> {
        if !self.checks() || src.as_register().is_none() {
            return self.first(src, 0);
        }
        let values = self.values_of(src)?;
        let lane = self.emit.resize(self.lowest(lanes)?, 64)?;
        self.of_lane(values, lane)
    }

    fn values_of(&mut self, src: Src) -> Result<Held<'c>, LlvmError> {
        let values = (0..self.chunks).map(|chunk| self.emit.resize(self.vector(src, chunk)?, 64));
        let values = values.collect::<Result<Vec<_>, LlvmError>>()?;
        self.put(VALUES, &values)
    }

    /// The number of the first of these lanes, given the mask of each warp.
    fn lowest_of(&self, warps: &[Value<'c>]) -> Result<Value<'c>, LlvmError> {
        let mut found = self.int(32, 0);
        for (warp, &lanes) in warps.iter().enumerate().rev() {
            let any = self.builder().int_compare(IntPredicate::Ne, lanes, self.int(32, 0))?;
            let first = self.int(32, (warp * WARP) as u64);
            let lane = self.builder().binary(BinaryOp::Add, self.lowest(lanes)?, first)?;
            found = self.builder().select(any, lane, found)?;
        }
        Ok(found)
    }
}

type CheckCode = unsafe extern "C" fn(
    *const Claims,
    *mut WarpFrame,
    u32,
    u32,
    u32,
    *const Mask,
    *const u64,
    *const u64,
) -> i32;

/// Checks the values of a row at an instruction against its claim; returns a [`Status`]. `indices` are read if the claim
/// needs them.
///
/// # Safety
/// The frame is that of a running warp, the first of `warps`; the claims are alive; there is a lane mask for each warp, and a value for each lane.
unsafe extern "C" fn check(
    claims: *const Claims,
    frame: *mut WarpFrame,
    pc: u32,
    row: u32,
    warps: u32,
    lanes: *const Mask,
    values: *const u64,
    indices: *const u64,
) -> i32 {
    let warps = warps as usize;
    // SAFETY: as above.
    let (claims, lanes, values, indices) = unsafe {
        let slice = |values| std::slice::from_raw_parts(values, warps * WARP);
        (&*claims, std::slice::from_raw_parts(lanes, warps), slice(values), slice(indices))
    };
    let Err(text) = claims.check(row, lanes, values, indices) else { return Status::Done as i32 };
    // Default: a claim fails for an active lane only, so that a warp has one.
    let first = lanes.iter().position(|&lanes| lanes != 0).unwrap_or(0);
    // SAFETY: as above.
    unsafe {
        (*frame).warp += first as u32;
        note(frame, pc, lanes[first], TrapKind::Defect(text))
    }
}
