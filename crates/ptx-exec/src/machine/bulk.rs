//! Copies of blocks of memory (manual 9.7.9.25.4.1, 9.7.9.13). They are done at once: a program must not look before it has
//! waited, so it cannot tell.

use super::Stop;
use super::block::BlockState;
use super::grid::Grid;
use super::memory::{addresses, check_alignment};
use super::warp::Warp;
use crate::error::TrapKind;
use crate::memory::Order;
use crate::program::{Bulk, BulkSource, Mask, Row, lanes};

/// Bytes that are copied in one step, and those that a mask is for.
const STEP: u32 = 8;
const MASKED: u64 = 16;

impl Warp {
    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn bulk(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &[Row],
        bulk: &Bulk,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let constants = &grid.program.constants;
        let local = self.frames[frame].local;
        let to = addresses(&bulk.to, rows, constants, local);
        let barrier =
            bulk.barrier.map(|barrier| (barrier.space, addresses(&barrier, rows, constants, local)));
        let mut view = self.view(grid, block);
        for lane in lanes(active) {
            let stop = |fault| Stop::at(TrapKind::Fault(fault), pc, lane);
            let misuse = |text: String| Stop::at(TrapKind::Misuse(text), pc, lane);
            let blocks = bulk.blocks.map_or(1, |blocks| blocks.of(rows, constants)[lane]);
            if blocks & !1 != 0 {
                return Err(misuse(format!(
                    "the mask {blocks:#x} names blocks that the cluster does not have"
                )));
            }
            let size = bulk.size.of(rows, constants)[lane];
            if !size.is_multiple_of(bulk.unit) {
                return Err(misuse(format!("{size} bytes are not a multiple of {}", bulk.unit)));
            }
            if blocks == 0 {
                continue;
            }
            let to = to.of(lane);
            check_alignment(bulk.to.space, to, bulk.unit).map_err(stop)?;
            match bulk.source {
                BulkSource::Zeros => {
                    for at in (0..size).step_by(STEP as usize) {
                        view.write(lane, bulk.to.space, to.wrapping_add(at), STEP, 0, Order::Relaxed)
                            .map_err(stop)?;
                    }
                }
                BulkSource::Memory { from: source, mask } => {
                    let from = addresses(&source, rows, constants, local).of(lane);
                    check_alignment(source.space, from, bulk.unit).map_err(stop)?;
                    let mask = mask.map(|mask| mask.of(rows, constants)[lane]);
                    let step = if mask.is_some() { 1 } else { STEP };
                    let is_copied = |at: &u64| mask.is_none_or(|mask| mask >> (at % MASKED) & 1 == 1);
                    for at in (0..size).step_by(step as usize).filter(is_copied) {
                        let value =
                            view.read(lane, source.space, from.wrapping_add(at), step, Order::Relaxed);
                        let value = value.map_err(stop)?;
                        view.write(lane, bulk.to.space, to.wrapping_add(at), step, value, Order::Relaxed)
                            .map_err(stop)?;
                    }
                }
            }
            if let Some((space, barrier)) = &barrier {
                view.complete_transactions(lane, (*space, barrier.of(lane)), size)
                    .map_err(|kind| Stop::at(kind, pc, lane))?;
            }
        }
        Ok(())
    }
}
