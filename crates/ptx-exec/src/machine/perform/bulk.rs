//! Performs bulk copies and reductions.

use ptx_program::memory::Space;
use ptx_program::{Inspection, Order};

use crate::error::TrapKind;
use crate::machine::bulk_work::{BulkEffect, BulkWork, MASKED, STEP, Source};
use crate::machine::mbarrier_access::report;
use crate::machine::memory::View;
use crate::machine::runs::copy_run;
use crate::memory::Fault;

/// Whether 16 bytes are reported; `None` if that is unspecified by the manual.
fn finds(inspection: Inspection, bytes: u128) -> Option<bool> {
    let (width, pattern) = match inspection {
        Inspection::Sampled(width) => (width, 1 << (width - 1)),
        Inspection::Ones => (u8::BITS, u128::from(u8::MAX)),
    };
    let elements =
        (0..u128::BITS).step_by(width as usize).map(|at| bytes >> at & (u128::MAX >> (u128::BITS - width)));
    let found = elements.clone().filter(|&element| element == pattern).count();
    match inspection {
        // One element represents all of them.
        Inspection::Sampled(_) if found == 0 => Some(false),
        Inspection::Sampled(_) => (found == elements.count()).then_some(true),
        Inspection::Ones if found > 0 => Some(true),
        // Elements may have 4 bits.
        Inspection::Ones => {
            let mut halves = (0..u128::BITS).step_by(4).map(|at| bytes >> at & 0xF);
            (!halves.any(|half| half == 0xF)).then_some(false)
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

pub(in crate::machine) fn clear_block(
    view: &mut View<'_>,
    lane: usize,
    (space, to): (Space, u64),
    size: u64,
) -> Result<(), Fault> {
    (0..size)
        .step_by(STEP as usize)
        .try_for_each(|at| view.write(lane, space, to.wrapping_add(at), STEP, 0, Order::Relaxed))
}

/// Reads an element of a source.
fn bulk_element(view: &View<'_>, source: &Source, at: u64, size: u32) -> Result<u64, Fault> {
    match source {
        Source::Memory((space, from)) => view.read(0, *space, from.wrapping_add(at), size, Order::Relaxed),
        Source::Read(bytes) => {
            let bytes = bytes.iter().skip(at as usize).take(size as usize).rev();
            Ok(bytes.fold(0, |value, &byte| value << 8 | u64::from(byte)))
        }
    }
}

/// Performs it, and reports the result of the inspection to its mbarrier.
pub(super) fn perform_bulk(view: &mut View<'_>, lane: usize, bulk: &BulkWork) -> Result<(), TrapKind> {
    move_bulk(view, bulk).map_err(TrapKind::Fault)?;
    view.block.show_written(bulk.to, bulk.size);
    let Some((inspection, barrier)) = bulk.inspection else { return Ok(()) };
    // One reported chunk of 16 bytes is enough, even if others are undecided.
    let mut open = None;
    for at in (0..bulk.size).step_by(MASKED as usize) {
        let half = |at| bulk_element(view, &bulk.source, at, STEP).map(u128::from).map_err(TrapKind::Fault);
        let bytes = half(at)? | half(at + u64::from(STEP))? << u64::BITS;
        match finds(inspection, bytes) {
            Some(true) => return report(view, lane, barrier),
            Some(false) => {}
            None => open = open.or(Some(at)),
        }
    }
    match open {
        Some(at) => Err(TrapKind::Misuse(unspecified(inspection, at))),
        None => Ok(()),
    }
}

fn move_bulk(view: &mut View<'_>, bulk: &BulkWork) -> Result<(), Fault> {
    let (space, to) = bulk.to;
    if let (BulkEffect::Copy, Source::Memory(from)) = (bulk.effect, &bulk.source)
        && copy_run(view, bulk.to, *from, bulk.size as usize)
    {
        return Ok(());
    }
    let step = match bulk.effect {
        BulkEffect::Copy => STEP,
        BulkEffect::CopyMasked(_) | BulkEffect::CopyWithin(_) => 1,
        BulkEffect::Combine(_, element) => element,
    };
    for at in (0..bulk.size).step_by(step as usize).filter(|&at| bulk.effect.has(at, bulk.size)) {
        let value = bulk_element(view, &bulk.source, at, step)?;
        let to = to.wrapping_add(at);
        match bulk.effect {
            BulkEffect::Copy | BulkEffect::CopyMasked(_) | BulkEffect::CopyWithin(_) => {
                view.write(0, space, to, step, value, Order::Relaxed)?;
            }
            BulkEffect::Combine(combine, _) => {
                view.update(space, to, step, |space, old| combine.of(space, old, value, value))?;
            }
        }
    }
    Ok(())
}

/// Reads the source, which may change afterwards.
pub(super) fn read_bulk(view: &View<'_>, bulk: &mut BulkWork) -> Result<(), Fault> {
    if let Source::Memory(_) = bulk.source {
        let byte = |at| match bulk.effect.has(at, bulk.size) {
            true => Ok(bulk_element(view, &bulk.source, at, 1)? as u8),
            false => Ok(0),
        };
        bulk.source = Source::Read((0..bulk.size).map(byte).collect::<Result<_, Fault>>()?);
    }
    Ok(())
}
