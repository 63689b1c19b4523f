//! Deadlocks of lanes that wait for each other: code reports to the runtime which lanes wait where, and ends the warp.
//!
//! A function has one block for that, which examines all blocks at which lanes wait.

use std::collections::BTreeSet;
use std::mem::offset_of;

use ptx_host_rt::{Runtime, Status, field};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, IntPredicate, Value};
use ptx_program::{Effect, Op, Src};

use super::state::{Code, Parted, Segment};
use super::{lane_masks, outside, registers, runtime};
use crate::analysis::{BlockId, Gather};
use crate::error::defect;
use crate::strategy::Version;

/// Generates the code that [`runtime::end_stuck`] branches to.
pub(super) fn finish_stuck(code: &mut Code<'_, '_, '_>) -> Result<(), LlvmError> {
    let Some(block) = code.ends.stuck.get() else { return Ok(()) };
    code.builder().position_at_end(block);
    if code.segment.is_some() {
        return outside::end_stuck_segment(code);
    }
    report_stuck(code)
}

/// For each lane, the operation at which it waits, and the lanes that must arrive there; -1 where it waits at none.
pub(super) struct Waits<'c> {
    places: Vec<Value<'c>>,
    members: Vec<Value<'c>>,
}

impl<'c> Waits<'c> {
    pub(super) fn none(code: &Code<'_, '_, 'c>) -> Result<Self, LlvmError> {
        let nowhere = lane_masks::constants(code, 32, 0, |_| u64::from(u32::MAX))?;
        Ok(Self { places: vec![nowhere; code.chunks], members: vec![nowhere; code.chunks] })
    }

    /// Stores them in memory, places before members, for [`Self::load`].
    pub(super) fn in_memory(&self, code: &Code<'_, '_, 'c>) -> Result<Value<'c>, LlvmError> {
        lane_masks::in_memory(code, &[&self.places[..], &self.members[..]].concat())
    }

    pub(super) fn load(code: &Code<'_, '_, 'c>, memory: Value<'c>) -> Result<Self, LlvmError> {
        let places = lane_masks::from_memory(code, memory, code.vector_of(32), 2 * code.chunks)?;
        let members = places[code.chunks..].to_vec();
        Ok(Self { places: places[..code.chunks].to_vec(), members })
    }

    pub(super) fn store(&self, code: &Code<'_, '_, 'c>, memory: Value<'c>) -> Result<(), LlvmError> {
        lane_masks::to_memory(code, memory, &[&self.places[..], &self.members[..]].concat())
    }

    /// Adds those of lanes that wait at one of these blocks.
    pub(super) fn add(
        &mut self,
        code: &Code<'_, '_, 'c>,
        blocks: impl IntoIterator<Item = BlockId>,
    ) -> Result<(), LlvmError> {
        for id in blocks {
            let Some(gather) = collective_gather(code, id) else { continue };
            for (chunk, mask) in lane_masks::masks_of(code, id)?.into_iter().enumerate() {
                let place = places_of_lanes(code, code.analysis.graph.block(id).first, chunk)?;
                self.places[chunk] = code.builder().select(mask, place, self.places[chunk])?;
                if let Gather::One(src) | Gather::Each(src) = gather {
                    let own = code.emit.resize(registers::vector(code, src, chunk)?, 32)?;
                    self.members[chunk] = code.builder().select(mask, own, self.members[chunk])?;
                }
            }
        }
        Ok(())
    }

    /// Reports them, and ends the warp.
    pub(super) fn report(&self, code: &Code<'_, '_, 'c>) -> Result<(), LlvmError> {
        let arguments = [
            lane_masks::in_memory(code, &self.places)?,
            lane_masks::in_memory(code, &self.members)?,
            lane_masks::alive_lanes(code)?,
        ];
        let status = runtime::call_runtime(code, offset_of!(Runtime, stuck), &arguments, code.types.int(32))?;
        code.builder().ret(Some(status)).map(drop)
    }
}

/// Reports the operations at which lanes wait, and ends the warp.
fn report_stuck(code: &mut Code<'_, '_, '_>) -> Result<(), LlvmError> {
    code.rows.current.borrow_mut().clear();
    code.at.version = Version::Partial;
    let mut waits = Waits::none(code)?;
    waits.add(code, 0..code.analysis.graph.blocks().len())?;
    waits.report(code)
}

/// The lanes that must arrive at the collective operation that a block begins with.
pub(super) fn collective_gather(code: &Code<'_, '_, '_>, id: BlockId) -> Option<Gather> {
    let block = code.analysis.graph.block(id);
    let op = code.program.code.get(block.first as usize).map(|inst| &inst.op);
    let Some(Op::Effect(Effect::Collective(_))) = op else { return None };
    code.analysis.shapes.gather(code.program, block)
}

/// For each lane of a chunk, the number by which the runtime knows the operation at which it waits.
fn places_of_lanes<'c>(code: &Code<'_, '_, 'c>, pc: u32, chunk: usize) -> Result<Value<'c>, LlvmError> {
    let Some((row, sites)) = code.reports.joined.and_then(|joined| joined.meeting(pc)) else {
        let place = code.reports.joined.map_or(pc, |joined| joined.place(pc));
        return lane_masks::constants(code, 32, chunk, |_| place.into());
    };
    let numbers = code.emit.resize(registers::vector(code, Src::register(row), chunk)?, 32)?;
    let mut places = lane_masks::constants(code, 32, chunk, |_| pc.into())?;
    for (own, &site) in (0..).zip(sites) {
        let own = lane_masks::constants(code, 32, chunk, |_| own)?;
        let site = lane_masks::constants(code, 32, chunk, |_| site.into())?;
        let is_it = code.builder().int_compare(IntPredicate::Eq, numbers, own)?;
        places = code.builder().select(is_it, site, places)?;
    }
    Ok(places)
}

/// Stops the warp if lanes are elsewhere when `all` others have reached a barrier.
pub(super) fn expect_together_in_segment<'c>(
    code: &Code<'_, '_, 'c>,
    pc: u32,
    all: Value<'c>,
) -> Result<(), LlvmError> {
    let Some(segment) = &code.segment else { return Err(defect("a kernel in one function")) };
    let missing = lane_masks::missing(code, all)?;
    let none = code.builder().int_compare(IntPredicate::Eq, missing, code.int(32, 0))?;
    let parted = match segment.parted.get() {
        Some(parted) => parted,
        None => {
            let [pc, all] = [(); 2].map(|()| code.builder().alloca_in_entry(code.types.int(32), 4));
            Parted { block: code.block("parted"), pc: pc?, all: all? }
        }
    };
    segment.parted.set(Some(parted));
    lane_masks::unless(code, none, |code| {
        code.builder().store(code.int(32, pc.into()), parted.pc, 4, Ordinary)?;
        code.builder().store(all, parted.all, 4, Ordinary)?;
        code.builder().branch(parted.block).map(drop)
    })
}

/// Generates the block that [`expect_together_in_segment`] branches to.
pub(super) fn finish_parted<'a, 'c>(
    code: &Code<'a, '_, 'c>,
    segment: &Segment<'a, 'c>,
) -> Result<(), LlvmError> {
    let Some(Parted { block, pc, all }) = segment.parted.get() else { return Ok(()) };
    let builder = code.builder();
    builder.position_at_end(block);
    outside::save_lanes(code, segment)?;
    let [pc, all] = [pc, all].map(|place| builder.load(code.types.int(32), place, 4, Ordinary));
    let status = builder.call(segment.plan.parted.function, &[code.frame, segment.state, pc?, all?])?;
    builder.ret(Some(status)).map(drop)
}

/// Stops the warp if lanes are elsewhere: at another barrier, or where they wait for these lanes.
pub(super) fn expect_together<'c>(
    code: &Code<'_, '_, 'c>,
    (id, pc): (BlockId, u32),
    elsewhere: &BTreeSet<BlockId>,
    all: Value<'c>,
) -> Result<(), LlvmError> {
    let builder = code.builder();
    let is_barrier = |pc: u32| {
        let inst = code.program.code.get(pc as usize);
        inst.is_some_and(|inst| matches!(inst.op, Op::Effect(Effect::BlockBarrier(_))))
    };
    let none = code.int(32, 0);
    let (mut others, mut place, mut waiting) = (none, code.int(32, pc.into()), none);
    for &other in elsewhere.iter().filter(|&&other| other != id).rev() {
        let ty = code.vector_of(1);
        let masks = code.masks.at(other)?.iter().map(|&place| builder.load(ty, place, 8, Ordinary));
        let lanes = lane_masks::lanes_of(code, &masks.collect::<Result<Vec<_>, _>>()?)?;
        let first = code.analysis.graph.block(other).first;
        if !is_barrier(first) {
            waiting = builder.binary(BinaryOp::Or, waiting, lanes)?;
            continue;
        }
        let any = builder.int_compare(IntPredicate::Ne, lanes, none)?;
        others = builder.select(any, lanes, others)?;
        place = builder.select(any, code.int(32, first.into()), place)?;
    }
    let is_together = builder.int_compare(IntPredicate::Eq, others, none)?;
    lane_masks::unless(code, is_together, |code| {
        let arguments = [code.int(32, pc.into()), all, place, others];
        let status = runtime::call_runtime(code, field::runtime::PART, &arguments, code.types.int(32))?;
        code.builder().ret(Some(status)).map(drop)
    })?;
    let is_alone = builder.int_compare(IntPredicate::Eq, waiting, none)?;
    lane_masks::unless(code, is_alone, |code| runtime::stop(code, pc, all, Status::Deadlock))
}
