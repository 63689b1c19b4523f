//! Lanes that poll mbarriers in vain while others of their warp wait at later blocks.
//!
//! ```text
//!     elect.sync %r|%p, -1;
//! @!%p bra on;                        // 31 lanes wait at `on`
//! wait: mbarrier.try_wait.parity.shared::cta.b64 %q, [%bar], %parity;
//! @!%q bra wait;
//!     cp.async.bulk ..
//! on: ..                              // most often these lanes wait for the elected one, but they may be those that arrive
//! ```
//!
//! Threads are guaranteed forward progress, so the lanes at `on` must run sooner or later if the barrier waits for them. Code that lets them
//! run ahead loses all knowledge of where lanes are (`analysis/schedule.rs`). In practice other warps arrive, so code may keep those
//! lanes waiting instead, as at any other loop: registers stay uniform, and most branches too. If no other
//! warp can make progress, the interpreter takes over the warp from there: it has the state of all barriers anyway, and is told at which instructions
//! lanes are and what their registers hold.
//!
//! ```text
//! block3:
//!   br i1 %asked.in.vain, label %rest, label %ask
//! rest:
//!   call i32 %idle(..)                ; other warps run
//!   br i1 %handed.over, label %leave, label %ask
//! leave:
//!   store <16 x i64> %r5, ptr %rows.5 ..
//!   %status = call i32 %hand_over(ptr %warp, ptr %places, i32 %live, ptr %local)
//!   ret i32 %status
//! ```

use std::collections::BTreeSet;

use ptx_llvm::LlvmError;
use ptx_llvm::build::IntPredicate;
use ptx_llvm::build::Volatility::Ordinary;

use super::state::{Code, Handover};
use crate::analysis::{BlockId, repeats};
use crate::run::{HANDED_OVER, field};

impl Code<'_, '_, '_> {
    /// Before lanes repeat a poll at the beginning of a block: if it failed, lets other warps run, and leaves compiled code if that
    /// does not help.
    pub(super) fn let_warps_run(&self, id: BlockId) -> Result<(), LlvmError> {
        let (builder, word) = (self.builder(), self.types.int(32));
        let pc = self.analysis.graph.block(id).first;
        let [rest, on] = ["in.vain", "ask"].map(|name| self.function.append_block(self.types, name));
        let at = builder.offset(self.frame, self.int(64, field::VAIN as u64))?;
        let vain = builder.load(word, at, 4, Ordinary)?;
        let is_in_vain = builder.int_compare(IntPredicate::Eq, vain, self.int(32, u64::from(pc) + 1))?;
        builder.branch_if(is_in_vain, rest, on)?;
        builder.position_at_end(rest);
        builder.store(self.int(32, 0), at, 4, Ordinary)?;
        let is_together = self.analysis.schedule.is_together(id);
        let others = match is_together {
            true => self.int(32, 0),
            false => self.missing(self.lanes_of(&self.masks_of(id)?)?)?,
        };
        let repeats = repeats(self.program, &self.analysis.graph, &self.analysis.liveness, id);
        let arguments = [self.int(32, pc.into()), others, self.int(32, 0), self.int(32, repeats.into())];
        self.call_checked(field::runtime::IDLE, &arguments)?;
        if is_together {
            builder.branch(on)?;
        } else {
            let leave = self.function.append_block(self.types, "leave");
            let vain = builder.load(word, at, 4, Ordinary)?;
            let stays = builder.int_compare(IntPredicate::Ne, vain, self.int(32, HANDED_OVER.into()))?;
            builder.branch_if_likely(stays, on, leave, true)?;
            self.ends.handovers.borrow_mut().push(Handover { id, version: self.at.version, leave });
        }
        builder.position_at_end(on);
        Ok(())
    }

    /// Generates the code that hands warps over, each at the beginning of a block, where all rows are in memory.
    pub(super) fn finish_handovers(&mut self) -> Result<(), LlvmError> {
        let nowhere = self.constants(32, 0, |_| u64::from(u32::MAX))?;
        let rows = self.program.kernel().rows;
        for Handover { id, version, leave } in self.ends.handovers.take() {
            self.builder().position_at_end(leave);
            self.rows.current.borrow_mut().clear();
            self.at.version = version;
            let analysis = self.analysis;
            let at: BTreeSet<BlockId> = analysis.schedule.waiting(id).iter().copied().chain([id]).collect();
            let mut places = vec![nowhere; self.chunks];
            for &id in &at {
                let place = self.constants(32, 0, |_| analysis.graph.block(id).first.into())?;
                for (chunk, mask) in self.masks_of(id)?.into_iter().enumerate() {
                    places[chunk] = self.builder().select(mask, place, places[chunk])?;
                }
            }
            let is_live = |row: &u32| at.iter().any(|&id| analysis.liveness.is_live_into(id, *row));
            (0..rows).filter(is_live).try_for_each(|row| self.store_row(row))?;
            let local = self.local.unwrap_or(self.types.pointer(0).zero());
            let arguments = [self.in_memory(&places)?, self.alive_lanes()?, local];
            let status = self.call_runtime(field::runtime::HAND_OVER, &arguments, self.types.int(32))?;
            self.builder().ret(Some(status))?;
        }
        Ok(())
    }
}
