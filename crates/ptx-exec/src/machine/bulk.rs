//! Copies and reductions of blocks of memory (manual 9.7.9.25.4.1, 9.7.9.25.4.2, 9.7.9.13).

use super::Stop;
use super::block::BlockState;
use super::cluster::in_target;
use super::grid::Grid;
use super::memory::{View, addresses, check_alignment};
use super::multimem::places;
use super::pending::{Operation, Order as Ordered, Place, Registers, Signal, Work, operand_place};
use super::warp::Warp;
use crate::error::TrapKind;
use crate::memory::{Fault, Order, Space};
use crate::program::{Bulk, BulkSource, Combine, Family, Mask, Row, lanes};

/// Bytes that are copied in one step, and those that a mask is for.
const STEP: u32 = 8;
const MASKED: u64 = 16;

/// A bulk copy or reduction of a thread.
#[derive(Clone, Debug)]
pub(super) struct BulkWork {
    to: Place,
    source: Source,
    /// Bytes.
    size: u64,
    effect: BulkEffect,
}

/// Where the bytes of a bulk operation come from.
#[derive(Clone, Debug)]
enum Source {
    Memory(Place),
    /// They have been read.
    Read(Box<[u8]>),
}

/// What a bulk operation does to its destination.
#[derive(Clone, Copy, Debug)]
enum BulkEffect {
    /// Overwrites it.
    Copy,
    /// Overwrites those bytes of each 16 whose bit is set.
    CopyMasked(u64),
    /// Combines elements of so many bytes with what it holds, each in a step of its own.
    Combine(Combine, u32),
}

impl BulkWork {
    pub(super) fn reads_shared(&self) -> bool {
        matches!(self.source, Source::Memory((Space::Shared | Space::SharedCluster, _)))
    }
}

impl View<'_> {
    fn clear_block(&mut self, lane: usize, (space, to): (Space, u64), size: u64) -> Result<(), Fault> {
        (0..size)
            .step_by(STEP as usize)
            .try_for_each(|at| self.write(lane, space, to.wrapping_add(at), STEP, 0, Order::Relaxed))
    }

    /// An element of a source.
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

    pub(super) fn perform_bulk(&mut self, bulk: &BulkWork) -> Result<(), Fault> {
        let (space, to) = bulk.to;
        let (step, mask) = match bulk.effect {
            BulkEffect::Copy => (STEP, u64::MAX),
            BulkEffect::CopyMasked(mask) => (1, mask),
            BulkEffect::Combine(_, element) => (element, u64::MAX),
        };
        for at in (0..bulk.size).step_by(step as usize).filter(|at| mask >> (at % MASKED) & 1 == 1) {
            let value = self.bulk_element(&bulk.source, at, step)?;
            let to = to.wrapping_add(at);
            match bulk.effect {
                BulkEffect::Copy | BulkEffect::CopyMasked(_) => {
                    self.write(0, space, to, step, value, Order::Relaxed)?;
                }
                BulkEffect::Combine(combine, _) => {
                    self.update(space, to, step, |space, old| combine.of(space, old, value, value))?;
                }
            }
        }
        Ok(())
    }

    /// Reads the source, so that it may change.
    pub(super) fn read_bulk(&self, bulk: &mut BulkWork) -> Result<(), Fault> {
        if let Source::Memory(_) = bulk.source {
            let byte = |at| Ok(self.bulk_element(&bulk.source, at, 1)? as u8);
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
                operand_place(address.space, at, STEP)
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
                    }
                    continue;
                }
                BulkSource::Memory { from, mask: None } => (from, BulkEffect::Copy),
                BulkSource::Memory { from, mask: Some(mask) } => {
                    (from, BulkEffect::CopyMasked(mask.of(rows, constants)[lane]))
                }
                BulkSource::Combined { from, combine, element } => {
                    (from, BulkEffect::Combine(*combine, *element))
                }
            };
            let source = Source::Memory(resolved(from).map_err(trap)?);
            for (to, target) in destinations {
                let work = BulkWork { to, source: source.clone(), size, effect };
                let operation = Operation::new(Work::Bulk(work), (warp, lane, pc));
                let operation = match &bulk.barrier {
                    None => operation.grouped(Family::Bulk, Ordered::Free),
                    Some(barrier) => {
                        let at = addresses(barrier, rows, constants, local).of(lane);
                        let barrier = view.barrier_place((barrier.space, at)).map_err(trap)?;
                        let barrier = in_target(barrier, target);
                        operation.signals(Signal::Transactions(barrier, size))
                    }
                };
                view.issue(operation, &mut Registers::Running { warp, frame, rows })?;
            }
        }
        self.issued(block);
        Ok(())
    }
}
