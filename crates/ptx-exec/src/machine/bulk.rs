//! Copies and reductions of blocks of memory (manual 9.7.9.25.4.1, 9.7.9.25.4.2, 9.7.9.13). They are done at once: a program
//! must not look before it has waited, so it cannot tell.

use super::Stop;
use super::block::BlockState;
use super::grid::Grid;
use super::memory::{View, addresses, check_alignment};
use super::warp::Warp;
use crate::error::TrapKind;
use crate::memory::{Fault, Order, Space};
use crate::program::{Address, Bulk, BulkSource, Combine, Mask, Row, lanes};

/// Bytes that are copied in one step, and those that a mask is for.
const STEP: u32 = 8;
const MASKED: u64 = 16;

impl View<'_> {
    fn clear_block(&mut self, lane: usize, (space, to): (Space, u64), size: u64) -> Result<(), Fault> {
        (0..size)
            .step_by(STEP as usize)
            .try_for_each(|at| self.write(lane, space, to.wrapping_add(at), STEP, 0, Order::Relaxed))
    }

    /// Copies a block, or with a mask those bytes of each 16 whose bit is set.
    fn copy_block(
        &mut self,
        lane: usize,
        (to_space, to): (Space, u64),
        (from_space, from): (Space, u64),
        size: u64,
        mask: Option<u64>,
    ) -> Result<(), Fault> {
        let step = if mask.is_some() { 1 } else { STEP };
        let is_copied = |at: &u64| mask.is_none_or(|mask| mask >> (at % MASKED) & 1 == 1);
        for at in (0..size).step_by(step as usize).filter(is_copied) {
            let value = self.read(lane, from_space, from.wrapping_add(at), step, Order::Relaxed)?;
            self.write(lane, to_space, to.wrapping_add(at), step, value, Order::Relaxed)?;
        }
        Ok(())
    }

    /// Combines each element of a block with another, in a step of its own.
    fn combine_block(
        &mut self,
        lane: usize,
        (to_space, to): (Space, u64),
        (from_space, from): (Space, u64),
        size: u64,
        (combine, element): (Combine, u32),
    ) -> Result<(), Fault> {
        for at in (0..size).step_by(element as usize) {
            let value = self.read(lane, from_space, from.wrapping_add(at), element, Order::Relaxed)?;
            self.update(to_space, to.wrapping_add(at), element, |space, old| {
                combine.of(space, old, value, value)
            })?;
        }
        Ok(())
    }
}

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
            let place = (bulk.to.space, to);
            let from = |source: &Address| {
                let from = addresses(source, rows, constants, local).of(lane);
                check_alignment(source.space, from, bulk.unit).map(|()| (source.space, from))
            };
            let brought = match &bulk.source {
                BulkSource::Zeros => view.clear_block(lane, place, size),
                BulkSource::Memory { from: source, mask } => from(source).and_then(|from| {
                    let mask = mask.map(|mask| mask.of(rows, constants)[lane]);
                    view.copy_block(lane, place, from, size, mask)
                }),
                BulkSource::Combined { from: source, combine, element } => from(source)
                    .and_then(|from| view.combine_block(lane, place, from, size, (*combine, *element))),
            };
            brought.map_err(stop)?;
            if let Some((space, barrier)) = &barrier {
                view.complete_transactions(lane, (*space, barrier.of(lane)), size)
                    .map_err(|kind| Stop::at(kind, pc, lane))?;
            }
        }
        Ok(())
    }
}
