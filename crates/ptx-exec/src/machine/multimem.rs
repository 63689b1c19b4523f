//! Accesses to several replicas at one address (manual 9.7.9.14).

use ptx_program::memory::{AddressSize, Space};
use ptx_program::{Address, Mask, Multimem, MultimemAction, Order, Row, lanes};

use super::Stop;
use super::at::{At, Operands};
use super::grid::Grid;
use super::memory::{addresses, check_alignment, resolve_in};
use crate::error::TrapKind;
use crate::memory::{Fault, GlobalMemory};

/// The global addresses of all replicas of a multimem address, each valid for `bytes` bytes.
pub(super) fn places(grid: &Grid<'_>, address: &Address, at: u64, bytes: u64) -> Result<Vec<u64>, TrapKind> {
    places_in((&grid.global, grid.addresses), address.space, at, bytes)
}

/// Like [`places`], in a memory of the given address size.
fn places_in(
    (global, addresses): (&GlobalMemory, AddressSize),
    space: Space,
    at: u64,
    bytes: u64,
) -> Result<Vec<u64>, TrapKind> {
    let (space, at) = resolve_in(addresses, space, at, bytes as u32).map_err(TrapKind::Fault)?;
    match (space, global.members(at, bytes)) {
        (Space::Global, Some(members)) => members.map_err(TrapKind::Fault),
        _ => Err(TrapKind::Misuse(format!("the address {at:#x} is not a multimem address"))),
    }
}

/// Executes an access to a multimem address for these lanes, in a memory of the given address size. `local` is the base
/// of the local memory of the call. An error includes the lane that is stopped.
pub(crate) fn multimem(
    (global, size_of_address): (&GlobalMemory, AddressSize),
    rows: &mut [Row],
    constants: &[Row],
    (access, local): (&Multimem, u32),
    active: Mask,
) -> Result<(), (TrapKind, usize)> {
    let size = access.size;
    for lane in lanes(active) {
        let stop = |kind| (kind, lane);
        let fault = |fault: Fault| stop(TrapKind::Fault(fault));
        let at = addresses(&access.address, rows, constants, local).of(lane);
        let count = match &access.action {
            MultimemAction::Store(srcs) | MultimemAction::Combine(srcs, _) => srcs.len(),
            MultimemAction::Load(dsts, _) => dsts.len(),
        };
        let bytes = u64::from(size) * count as u64;
        check_alignment(access.address.space, at, bytes).map_err(fault)?;
        let members = places_in((global, size_of_address), access.address.space, at, bytes).map_err(stop)?;
        for n in 0..count {
            let offset = n as u64 * u64::from(size);
            let places = members.iter().map(|member| member.wrapping_add(offset));
            match &access.action {
                MultimemAction::Store(srcs) => {
                    let value = srcs[n].of(rows, constants)[lane];
                    for to in places {
                        global.write(to, size, value, Order::Strong).map_err(fault)?;
                    }
                }
                MultimemAction::Combine(srcs, combine) => {
                    let value = srcs[n].of(rows, constants)[lane];
                    let combined = |old| combine.of(Space::Global, old, value, value);
                    for to in places {
                        global.update(to, size, combined).map_err(fault)?;
                    }
                }
                MultimemAction::Load(dsts, accumulation) => {
                    let read = |from| global.read(from, size, Order::Strong);
                    let values: Vec<u64> = places.map(read).collect::<Result<_, _>>().map_err(fault)?;
                    rows[dsts[n] as usize][lane] = accumulation.of(&values);
                }
            }
        }
    }
    Ok(())
}

/// Executes the instruction.
pub(super) fn execute(at: &mut At<'_>, access: &Multimem) -> Result<(), Stop> {
    at.warp.poll();
    let At { grid, operands, place, .. } = at;
    let Operands { rows, constants, local, .. } = operands;
    let memory = (&grid.global, grid.addresses);
    multimem(memory, rows, constants, (access, *local), place.active)
        .map_err(|(kind, lane)| place.stop(kind, lane))
}
