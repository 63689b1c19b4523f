//! Bulk copies and reductions (manual 9.7.9.25.4.1, 9.7.9.25.4.2, 9.7.9.13).

use ptx_program::memory::Space;
use ptx_program::{Bulk, BulkSource, Family, lanes};

use super::Stop;
use super::at::At;
use super::block::in_target;
use super::bulk_work::{BulkEffect, BulkWork, MASKED, STEP, Source};
use super::completion::{Registers, issue, operand_address};
use super::mbarrier_access::barrier_address;
use super::memory::check_alignment;
use super::multimem::places;
use super::operation::{Operation, Order as Ordered, Signal};
use super::perform::clear_block;
use super::sectors::Sectors;
use super::work::Work;
use crate::error::TrapKind;

pub(super) fn bulk(at: &mut At<'_>, bulk: &Bulk) -> Result<(), Stop> {
    let (mut view, mut operands, place) = at.split();
    let grid = view.grid;
    for lane in lanes(place.active) {
        let trap = |kind| place.stop(kind, lane);
        let misuse = |text: String| trap(TrapKind::Misuse(text));
        let targets = bulk.blocks.map(|blocks| operands.value(blocks, lane));
        let targets = view.block.targets(targets).map_err(trap)?;
        let size = operands.value(bulk.size, lane);
        if !size.is_multiple_of(bulk.unit) {
            return Err(misuse(format!("{size} bytes are not a multiple of {}", bulk.unit)));
        }
        let resolved = |address| {
            let at = operands.address(address, lane);
            check_alignment(address.space, at, bulk.unit).map_err(TrapKind::Fault)?;
            operand_address(grid, address.space, at, STEP)
        };
        let destinations = if bulk.is_multimem {
            let at = operands.address(&bulk.to, lane);
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
                    clear_block(&mut view, lane, to, size).map_err(|fault| trap(TrapKind::Fault(fault)))?;
                    view.block.show_written(to, size);
                }
                continue;
            }
            BulkSource::Memory { from, mask: None } => (from, BulkEffect::Copy),
            BulkSource::Memory { from, mask: Some(mask) } => {
                (from, BulkEffect::CopyMasked(operands.value(*mask, lane)))
            }
            BulkSource::Within { from, ignored } => {
                let ignored = ignored.map(|count| operands.value(count, lane));
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
            observer.touch(place.pc, &sectors);
        }
        let source = Source::Memory(from);
        for (to, target) in destinations {
            let barrier = match &bulk.barrier {
                None => None,
                Some(barrier) => {
                    let at = operands.address(barrier, lane);
                    let barrier = barrier_address(&view, (barrier.space, at)).map_err(trap)?;
                    Some(in_target(barrier, target))
                }
            };
            let inspection = bulk.inspection.zip(barrier);
            let work = BulkWork { to, source: source.clone(), size, effect, inspection };
            let operation = Operation::new(Work::Bulk(work), (operands.warp, lane, place.pc));
            let operation = match barrier {
                None => operation.grouped(Family::Bulk, Ordered::Free),
                Some(barrier) => operation.signals(Signal::Transactions(barrier, size)),
            };
            issue(&mut view, operation, &mut Registers::running(&mut operands))?;
        }
    }
    at.issued();
    Ok(())
}
