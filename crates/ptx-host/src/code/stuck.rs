//! Deadlocks of lanes that wait for each other: code reports to the runtime which lanes wait where, and ends the warp.
//!
//! A function has one block for that, which examines all blocks at which lanes wait.

use std::mem::offset_of;

use super::state::{Code, Version};
use crate::run::Runtime;
use ptx_exec::program::{Effect, Op, Src};
use ptx_llvm::LlvmError;
use ptx_llvm::build::{IntPredicate, Value};

use crate::analysis::{BlockId, Gather};

impl<'c> Code<'_, '_, 'c> {
    /// Ends the warp, whose lanes wait for each other forever. It is at the beginning of a block, so that all rows are in memory.
    pub(super) fn end_stuck(&self) -> Result<(), LlvmError> {
        let block = self.ends.stuck.get().unwrap_or_else(|| self.function.append_block(self.types, "stuck"));
        self.ends.stuck.set(Some(block));
        self.builder().branch(block).map(drop)
    }

    /// Generates the code that [`Self::end_stuck`] branches to.
    pub(super) fn finish_stuck(&mut self) -> Result<(), LlvmError> {
        let Some(block) = self.ends.stuck.get() else { return Ok(()) };
        self.builder().position_at_end(block);
        if self.segment.is_some() {
            return self.end_stuck_segment();
        }
        self.report_stuck()
    }

    /// Reports the operations at which lanes wait, and ends the warp.
    pub(super) fn report_stuck(&mut self) -> Result<(), LlvmError> {
        self.rows.current.borrow_mut().clear();
        self.at.version = Version::Partial;
        let nowhere = self.constants(32, 0, |_| u64::from(u32::MAX))?;
        let mut places = vec![nowhere; self.chunks];
        let mut members = vec![nowhere; self.chunks];
        for id in 0..self.analysis.graph.blocks().len() {
            let Some(gather) = self.collective_gather(id) else { continue };
            for (chunk, mask) in self.masks_of(id)?.into_iter().enumerate() {
                let place = self.places_of_lanes(self.analysis.graph.block(id).first, chunk)?;
                places[chunk] = self.builder().select(mask, place, places[chunk])?;
                if let Gather::One(src) | Gather::Each(src) = gather {
                    let own = self.emit.resize(self.vector(src, chunk)?, 32)?;
                    members[chunk] = self.builder().select(mask, own, members[chunk])?;
                }
            }
        }
        let arguments = [self.in_memory(&places)?, self.in_memory(&members)?, self.alive_lanes()?];
        let status = self.call_runtime(offset_of!(Runtime, stuck), &arguments, self.types.int(32))?;
        self.builder().ret(Some(status)).map(drop)
    }

    /// The lanes that must arrive at the collective operation that a block begins with.
    pub(super) fn collective_gather(&self, id: BlockId) -> Option<Gather> {
        let block = self.analysis.graph.block(id);
        let op = self.program.code.get(block.first as usize).map(|inst| &inst.op);
        let Some(Op::Effect(Effect::Collective(_))) = op else { return None };
        self.analysis.shapes.gather(self.program, block)
    }

    /// For each lane of a chunk, the number by which the runtime knows the operation at which it waits.
    fn places_of_lanes(&self, pc: u32, chunk: usize) -> Result<Value<'c>, LlvmError> {
        let Some((row, sites)) = self.reports.joined.and_then(|joined| joined.meeting(pc)) else {
            let place = self.reports.joined.map_or(pc, |joined| joined.place(pc));
            return self.constants(32, chunk, |_| place.into());
        };
        let numbers = self.emit.resize(self.vector(Src::register(row), chunk)?, 32)?;
        let mut places = self.constants(32, chunk, |_| pc.into())?;
        for (own, &site) in (0..).zip(sites) {
            let own = self.constants(32, chunk, |_| own)?;
            let site = self.constants(32, chunk, |_| site.into())?;
            let is_it = self.builder().int_compare(IntPredicate::Eq, numbers, own)?;
            places = self.builder().select(is_it, site, places)?;
        }
        Ok(places)
    }
}
