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

use ptx_host_rt::{HANDED_OVER, field};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::IntPredicate;
use ptx_llvm_core::build::Volatility::Ordinary;

use super::state::{Code, Handover};
use super::{heavy, lane_masks, runtime};
use crate::analysis::{BlockId, repeats};

/// Before lanes repeat a poll at the beginning of a block: if it failed, lets other warps run, and leaves compiled code if that
/// does not help.
pub(super) fn let_warps_run(code: &Code<'_, '_, '_>, id: BlockId) -> Result<(), LlvmError> {
    let (builder, word) = (code.builder(), code.types.int(32));
    let pc = code.analysis.graph.block(id).first;
    let [rest, on] = code.blocks(["in.vain", "ask"]);
    let at = builder.offset(code.frame, code.int(64, field::VAIN as u64))?;
    let vain = builder.load(word, at, 4, Ordinary)?;
    let is_in_vain = builder.int_compare(IntPredicate::Eq, vain, code.int(32, u64::from(pc) + 1))?;
    builder.branch_if(is_in_vain, rest, on)?;
    builder.position_at_end(rest);
    builder.store(code.int(32, 0), at, 4, Ordinary)?;
    let is_together = code.analysis.schedule.is_together(id);
    let others = match is_together {
        true => code.int(32, 0),
        false => lane_masks::missing(code, lane_masks::lanes_of(code, &lane_masks::masks_of(code, id)?)?)?,
    };
    let repeats = repeats(code.program, &code.analysis.graph, &code.analysis.liveness, id);
    let arguments = [code.int(32, pc.into()), others, code.int(32, 0), code.int(32, repeats.into())];
    runtime::call_checked(code, field::runtime::IDLE, &arguments)?;
    if is_together {
        builder.branch(on)?;
    } else {
        let leave = code.block("leave");
        let vain = builder.load(word, at, 4, Ordinary)?;
        let stays = builder.int_compare(IntPredicate::Ne, vain, code.int(32, HANDED_OVER.into()))?;
        builder.branch_if_likely(stays, on, leave, true)?;
        code.ends.handovers.borrow_mut().push(Handover { id, version: code.at.version, leave });
    }
    builder.position_at_end(on);
    Ok(())
}

/// Generates the code that hands warps over, each at the beginning of a block, where all rows are in memory.
pub(super) fn finish_handovers(code: &mut Code<'_, '_, '_>) -> Result<(), LlvmError> {
    let nowhere = lane_masks::constants(code, 32, 0, |_| u64::from(u32::MAX))?;
    let rows = code.program.kernel().rows;
    for Handover { id, version, leave } in code.ends.handovers.take() {
        code.builder().position_at_end(leave);
        code.rows.current.borrow_mut().clear();
        code.at.version = version;
        let analysis = code.analysis;
        let at: BTreeSet<BlockId> = analysis.schedule.waiting(id).iter().copied().chain([id]).collect();
        let mut places = vec![nowhere; code.chunks];
        for &id in &at {
            let place = lane_masks::constants(code, 32, 0, |_| analysis.graph.block(id).first.into())?;
            for (chunk, mask) in lane_masks::masks_of(code, id)?.into_iter().enumerate() {
                places[chunk] = code.builder().select(mask, place, places[chunk])?;
            }
        }
        let is_live = |row: &u32| at.iter().any(|&id| analysis.liveness.is_live_into(id, *row));
        (0..rows).filter(is_live).try_for_each(|row| heavy::store_row(code, row))?;
        let local = code.local.unwrap_or(code.types.pointer(0).zero());
        let arguments = [lane_masks::in_memory(code, &places)?, lane_masks::alive_lanes(code)?, local];
        let status = runtime::call_runtime(code, field::runtime::HAND_OVER, &arguments, code.types.int(32))?;
        code.builder().ret(Some(status))?;
    }
    Ok(())
}
