//! Bulk copies and reductions (manual 9.7.9.25.4.1, 9.7.9.25.4.2, 9.7.9.13).

use super::Stop;
use super::block::{BlockState, in_target};
use super::bulk_work::{BulkEffect, BulkWork, MASKED, STEP, Source};
use super::completion::{Registers, operand_address};
use super::grid::Grid;
use super::memory::{View, addresses, check_alignment};
use super::multimem::places;
use super::operation::{Operation, Order as Ordered, Signal};
use super::sectors::Sectors;
use super::warp::Warp;
use super::work::Work;
use crate::error::TrapKind;
use crate::memory::{Fault, Order, Space};
use crate::program::{Bulk, BulkSource, Family, Inspection, Mask, Row, lanes};

impl Inspection {
    /// Whether 16 bytes are reported; `None` if that is unspecified by the manual.
    fn finds(self, bytes: u128) -> Option<bool> {
        let (width, pattern) = match self {
            Self::Sampled(width) => (width, 1 << (width - 1)),
            Self::Ones => (u8::BITS, u128::from(u8::MAX)),
        };
        let elements = (0..u128::BITS)
            .step_by(width as usize)
            .map(|at| bytes >> at & (u128::MAX >> (u128::BITS - width)));
        let found = elements.clone().filter(|&element| element == pattern).count();
        match self {
            // One element stands for all of them.
            Self::Sampled(_) if found == 0 => Some(false),
            Self::Sampled(_) => (found == elements.count()).then_some(true),
            Self::Ones if found > 0 => Some(true),
            // Elements may have 4 bits.
            Self::Ones => {
                let mut halves = (0..u128::BITS).step_by(4).map(|at| bytes >> at & 0xF);
                (!halves.any(|half| half == 0xF)).then_some(false)
            }
        }
    }
}

/// Explains why the report on 16 bytes is unspecified.
fn unspecified(inspection: Inspection, at: u64) -> String {
    match inspection {
        Inspection::Sampled(_) => format!(
            "a part of the elements in the 16 bytes at offset {at} are negative zeros; the manual does not tell which of \
             them the report is about, so that all or none must be"
        ),
        Inspection::Ones => format!(
            "the 16 bytes at offset {at} have an element of 4 bits that is 0xF and none of 8 bits that is 0xFF; the manual \
             does not tell which of the two sizes the report is about"
        ),
    }
}

impl View<'_> {
    fn clear_block(&mut self, lane: usize, (space, to): (Space, u64), size: u64) -> Result<(), Fault> {
        (0..size)
            .step_by(STEP as usize)
            .try_for_each(|at| self.write(lane, space, to.wrapping_add(at), STEP, 0, Order::Relaxed))
    }

    /// Reads an element of a source.
    fn bulk_element(&self, source: &Source, at: u64, size: u32) -> Result<u64, Fault> {
        match source {
            Source::Memory((space, from)) => {
                self.read(0, *space, from.wrapping_add(at), size, Order::Relaxed)
            }
            Source::Read(bytes) => {
                let bytes = bytes.iter().skip(at as usize).take(size as usize).rev();
                Ok(bytes.fold(0, |value, &byte| value << 8 | u64::from(byte)))
            }
        }
    }

    /// Performs it, and reports the result of the inspection to its mbarrier.
    pub(super) fn perform_bulk(&mut self, lane: usize, bulk: &BulkWork) -> Result<(), TrapKind> {
        self.move_bulk(bulk).map_err(TrapKind::Fault)?;
        self.block.show_written(bulk.to, bulk.size);
        let Some((inspection, barrier)) = bulk.inspection else { return Ok(()) };
        // One reported chunk of 16 bytes is enough, even if others are undecided.
        let mut open = None;
        for at in (0..bulk.size).step_by(MASKED as usize) {
            let half =
                |at| self.bulk_element(&bulk.source, at, STEP).map(u128::from).map_err(TrapKind::Fault);
            let bytes = half(at)? | half(at + u64::from(STEP))? << u64::BITS;
            match inspection.finds(bytes) {
                Some(true) => return self.report(lane, barrier),
                Some(false) => {}
                None => open = open.or(Some(at)),
            }
        }
        match open {
            Some(at) => Err(TrapKind::Misuse(unspecified(inspection, at))),
            None => Ok(()),
        }
    }

    fn move_bulk(&mut self, bulk: &BulkWork) -> Result<(), Fault> {
        let (space, to) = bulk.to;
        if let (BulkEffect::Copy, Source::Memory(from)) = (bulk.effect, &bulk.source)
            && self.copy_run(bulk.to, *from, bulk.size as usize)
        {
            return Ok(());
        }
        let step = match bulk.effect {
            BulkEffect::Copy => STEP,
            BulkEffect::CopyMasked(_) | BulkEffect::CopyWithin(_) => 1,
            BulkEffect::Combine(_, element) => element,
        };
        for at in (0..bulk.size).step_by(step as usize).filter(|&at| bulk.effect.has(at, bulk.size)) {
            let value = self.bulk_element(&bulk.source, at, step)?;
            let to = to.wrapping_add(at);
            match bulk.effect {
                BulkEffect::Copy | BulkEffect::CopyMasked(_) | BulkEffect::CopyWithin(_) => {
                    self.write(0, space, to, step, value, Order::Relaxed)?;
                }
                BulkEffect::Combine(combine, _) => {
                    self.update(space, to, step, |space, old| combine.of(space, old, value, value))?;
                }
            }
        }
        Ok(())
    }

    /// Reads the source, which may change afterwards.
    pub(super) fn read_bulk(&self, bulk: &mut BulkWork) -> Result<(), Fault> {
        if let Source::Memory(_) = bulk.source {
            let byte = |at| match bulk.effect.has(at, bulk.size) {
                true => Ok(self.bulk_element(&bulk.source, at, 1)? as u8),
                false => Ok(0),
            };
            bulk.source = Source::Read((0..bulk.size).map(byte).collect::<Result<_, Fault>>()?);
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
        rows: &mut [Row],
        bulk: &Bulk,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let constants = self.constants(grid);
        let (local, warp) = (self.frames[frame].local, self.id);
        let mut view = self.view(grid, block);
        for lane in lanes(active) {
            let trap = |kind| Stop::at(kind, pc, lane);
            let misuse = |text: String| trap(TrapKind::Misuse(text));
            let targets = bulk.blocks.map(|blocks| blocks.of(rows, constants)[lane]);
            let targets = view.block.targets(targets).map_err(trap)?;
            let size = bulk.size.of(rows, constants)[lane];
            if !size.is_multiple_of(bulk.unit) {
                return Err(misuse(format!("{size} bytes are not a multiple of {}", bulk.unit)));
            }
            let resolved = |address| {
                let at = addresses(address, rows, constants, local).of(lane);
                check_alignment(address.space, at, bulk.unit).map_err(TrapKind::Fault)?;
                operand_address(grid, address.space, at, STEP)
            };
            let destinations = if bulk.is_multimem {
                let at = addresses(&bulk.to, rows, constants, local).of(lane);
                let misaligned = |fault| trap(TrapKind::Fault(fault));
                check_alignment(bulk.to.space, at, bulk.unit).map_err(misaligned)?;
                let places = places(grid, &bulk.to, at, size).map_err(trap)?;
                places.into_iter().map(|at| ((Space::Global, at), None)).collect()
            } else {
                let to = resolved(&bulk.to).map_err(trap)?;
                targets.into_iter().map(|target| (in_target(to, target), target)).collect::<Vec<_>>()
            };
            let (from, effect) = match &bulk.source {
                BulkSource::Zeros => {
                    for (to, _) in destinations {
                        view.clear_block(lane, to, size).map_err(|fault| trap(TrapKind::Fault(fault)))?;
                        view.block.show_written(to, size);
                    }
                    continue;
                }
                BulkSource::Memory { from, mask: None } => (from, BulkEffect::Copy),
                BulkSource::Memory { from, mask: Some(mask) } => {
                    (from, BulkEffect::CopyMasked(mask.of(rows, constants)[lane]))
                }
                BulkSource::Within { from, ignored } => {
                    let ignored = ignored.map(|count| count.of(rows, constants)[lane]);
                    if ignored.iter().any(|&count| count >= MASKED) {
                        return Err(misuse(format!(
                            "{ignored:?} bytes are ignored; there are 0 to 15 at an end"
                        )));
                    }
                    (from, BulkEffect::CopyWithin(ignored))
                }
                BulkSource::Combined { from, combine, element } => {
                    (from, BulkEffect::Combine(*combine, *element))
                }
            };
            let from = resolved(from).map_err(trap)?;
            if let Some(observer) = grid.counting() {
                let (span, mut sectors) = (effect.span(size), Sectors::default());
                let places = destinations.iter().map(|(to, _)| *to).chain([from]);
                places
                    .filter(|(space, _)| *space == Space::Global)
                    .for_each(|(_, at)| sectors.add(at.wrapping_add(span.start), span.end - span.start));
                observer.touch(pc, &sectors);
            }
            let source = Source::Memory(from);
            for (to, target) in destinations {
                let barrier = match &bulk.barrier {
                    None => None,
                    Some(barrier) => {
                        let at = addresses(barrier, rows, constants, local).of(lane);
                        let barrier = view.barrier_address((barrier.space, at)).map_err(trap)?;
                        Some(in_target(barrier, target))
                    }
                };
                let inspection = bulk.inspection.zip(barrier);
                let work = BulkWork { to, source: source.clone(), size, effect, inspection };
                let operation = Operation::new(Work::Bulk(work), (warp, lane, pc));
                let operation = match barrier {
                    None => operation.grouped(Family::Bulk, Ordered::Free),
                    Some(barrier) => operation.signals(Signal::Transactions(barrier, size)),
                };
                view.issue(operation, &mut Registers::Running { warp, frame, rows })?;
            }
        }
        self.issued(block);
        Ok(())
    }
}
