//! Instructions that the interpreter's runtime executes (`ptx-host-rt/src/heavy.rs`), and lanes that poll mbarriers.
//!
//! ```text
//! store <16 x i64> %r5, ptr %rows.5           ; a row that the instruction reads, and the other chunk
//! %status = call i32 %step(ptr %warp, i32 pc, i32 %active, i32 %mask, i32 %live)
//! %r7 = load <16 x i64>, ptr %rows.7          ; a row that it writes
//! ```
//!
//! A poll whether a phase is over begins a block. If it has failed, later blocks at which lanes wait run first, and other
//! warps if there are none:
//!
//! ```text
//! block3:
//!   br i1 %asked.in.vain, label %others, label %ask
//! others:
//!   br i1 %any.w7, label %block7, label %alone
//! alone:
//!   call i32 %idle(..)
//!   br label %ask
//! ```

use std::collections::BTreeSet;

use ptx_host_rt::field;
use ptx_isa::SpecialReg;
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, IntPredicate, Value};
use ptx_program::{Effect, Op, Src, WARP};

use super::state::{Code, Guard};
use super::{lane_masks, registers, runtime, serial};
use crate::analysis::{Access, BlockId};

/// Bytes of a row in memory.
const ROW: u64 = 8 * WARP as u64;

/// Calls the runtime to execute an instruction.
pub(super) fn by_runtime<'c>(
    code: &mut Code<'_, '_, 'c>,
    id: BlockId,
    guard: Guard,
    op: &Op,
    pc: u32,
) -> Result<(), LlvmError> {
    let access = Access::of(op);
    let (active, mask) = (registers::active_lanes(code, guard)?, registers::active_lanes(code, None)?);
    let live = lane_masks::alive_lanes(code)?;
    let mut given = std::mem::take(&mut code.rows.given);
    let read: BTreeSet<u32> = access.reads.iter().filter_map(|src| src.as_register()).collect();
    let call = |code: &Code<'_, '_, 'c>| {
        read.difference(&given).try_for_each(|&row| store_row(code, row))?;
        runtime::call_checked(code, field::runtime::STEP, &[code.int(32, pc.into()), active, mask, live])
    };
    match guard {
        None => call(code)?,
        Some(_) => {
            let some = code.builder().int_compare(IntPredicate::Ne, active, code.int(32, 0))?;
            serial::only_if(code, some, call)?;
        }
    }
    let written: BTreeSet<u32> = access.writes.iter().copied().collect();
    for row in written {
        let values = loaded_row(code, row, active)?;
        registers::write_index(code, guard, row, &access.reads)?;
        registers::write(code, id, guard, row, &values)?;
        given.remove(&row);
    }
    // The next such instruction finds its operands there, for example a product that accumulates into the result of the one before. With a guard,
    // inactive lanes have other values there.
    if guard.is_none() {
        given.extend(read.into_iter().chain(access.writes));
    }
    code.rows.given = given;
    Ok(())
}

fn row_place<'c>(code: &Code<'_, '_, 'c>, row: u32, bytes: u64) -> Result<Value<'c>, LlvmError> {
    let rows = code.builder().offset(code.frame, code.int(64, field::ROWS as u64))?;
    let rows = code.builder().load(code.types.pointer(0), rows, 8, Ordinary)?;
    code.builder().offset(rows, code.int(64, u64::from(row) * ROW + bytes))
}

/// Stores a row to the memory that the runtime reads.
pub(super) fn store_row(code: &Code<'_, '_, '_>, row: u32) -> Result<(), LlvmError> {
    for chunk in 0..code.chunks {
        let value = code.emit.resize(registers::vector(code, Src::register(row), chunk)?, 64)?;
        let place = row_place(code, row, chunk as u64 * u64::from(code.lanes) * 8)?;
        code.builder().store(value, place, 8, Ordinary)?;
    }
    Ok(())
}

/// Loads a row that the runtime has written: if it is uniform, the value of an active lane.
fn loaded_row<'c>(code: &Code<'_, '_, 'c>, row: u32, active: Value<'c>) -> Result<Vec<Value<'c>>, LlvmError> {
    let word = code.types.int(64);
    if code.analysis.shapes.is_vector(row) {
        let ty = code.types.vector(word, code.lanes);
        let chunks = 0..code.chunks as u64;
        let place = |chunk: u64| row_place(code, row, chunk * u64::from(code.lanes) * 8);
        return chunks.map(|chunk| code.builder().load(ty, place(chunk)?, 8, Ordinary)).collect();
    }
    let lane = code.emit.resize(lane_masks::lowest(code, active)?, 64)?;
    let bytes = code.builder().binary(BinaryOp::Mul, lane, code.int(64, 8))?;
    let place = code.builder().offset(row_place(code, row, 0)?, bytes)?;
    let value = code.builder().load(word, place, 8, Ordinary)?;
    Ok(vec![value; code.analysis.shapes.copies(row)])
}

/// Whether an instruction reads a special register that differs between the blocks of a cluster.
pub(super) fn is_of_cluster(code: &Code<'_, '_, '_>, op: &Op) -> bool {
    let Op::Effect(Effect::Special { register, .. }) = op else { return false };
    code.launched.clusters
        && matches!(
            register,
            SpecialReg::ClusterId
                | SpecialReg::NClusterId
                | SpecialReg::ClusterCtaId
                | SpecialReg::ClusterNCtaId
                | SpecialReg::ClusterCtaRank
                | SpecialReg::ClusterNCtaRank
        )
}
