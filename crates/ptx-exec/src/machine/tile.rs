//! `ldmatrix` and `stmatrix`: matrix moves between shared memory and the registers of a warp.

use ptx_program::memory::{AddressSize, Space};
use ptx_program::{Order, Row, Tiles, WARP};

use super::memory::View;
use crate::error::TrapKind;
use crate::memory::{Fault, FaultKind};

/// The trap of a lane, and the lane.
type Stopped = (TrapKind, usize);

/// Bytes of a matrix row.
const LINE: u64 = 16;

/// The lane that provides the address of a row, and the address: rows of the first matrix come first.
fn line_address(
    (tiles, bits): (&Tiles, AddressSize),
    (matrix, line): (usize, usize),
    addresses: &Row,
    (space, offset): (Space, i64),
) -> Result<(usize, u64), Stopped> {
    let lane = (matrix * tiles.lines + line) % WARP;
    let address = addresses[lane].wrapping_add(offset as u64);
    if space == Space::Generic
        && let Some((other @ (Space::Global | Space::Local | Space::Const | Space::Param), _)) =
            Space::of_generic(address, bits)
    {
        let text = format!("rows of these matrices lie in shared memory, not in {}", other.as_str());
        return Err((TrapKind::Misuse(text), lane));
    }
    let fault = |kind| Err((TrapKind::Fault(Fault { kind, space, address, size: LINE as u32 }), lane));
    if !address.is_multiple_of(LINE) {
        fault(FaultKind::Misaligned)
    } else if address > u64::MAX - LINE {
        fault(FaultKind::OutOfBounds)
    } else {
        Ok((lane, address))
    }
}

/// Checks whether `ldmatrix` or `stmatrix` can access its rows; `probe` checks one row, given its address.
///
/// # Errors
/// The trap that stops a lane.
pub(super) fn probe(
    tiles: &Tiles,
    (space, offset): (Space, i64),
    addresses: &Row,
    probe: impl Fn(u64) -> Result<(), Fault>,
) -> Result<(), Stopped> {
    for at in 0..tiles.count * tiles.lines {
        let line = (at / tiles.lines, at % tiles.lines);
        let (lane, address) = line_address((tiles, AddressSize::Bits64), line, addresses, (space, offset))?;
        probe(address).map_err(|fault| of_line(fault, lane))?;
    }
    Ok(())
}

/// Converts a fault in a part of a row to one of the whole row.
fn of_line(fault: Fault, lane: usize) -> Stopped {
    let address = fault.address & !(LINE - 1);
    (TrapKind::Fault(Fault { address, size: LINE as u32, ..fault }), lane)
}

/// `ldmatrix`: the input is the lanes' addresses.
pub(super) fn load(
    tiles: &Tiles,
    view: &View<'_>,
    addressing: (Space, i64),
    inputs: &[Row],
    outputs: &mut [Row],
) -> Result<(), Stopped> {
    let Some(addresses) = inputs.first() else { return Ok(()) };
    let (stored, held) = (tiles.cell.stored(), tiles.cell.held());
    for (matrix, outputs) in outputs.chunks_mut(tiles.registers()).enumerate().take(tiles.count) {
        let mut lines = Vec::with_capacity(tiles.lines);
        for line in 0..tiles.lines {
            let (lane, address) =
                line_address((tiles, view.grid.addresses), (matrix, line), addresses, addressing)?;
            let read = view.read_wide(lane, addressing.0, address, Order::Relaxed);
            lines.push(read.map_err(|fault| of_line(fault, lane))?);
        }
        for (register, out) in outputs.iter_mut().enumerate() {
            for (lane, out) in out.iter_mut().enumerate() {
                *out = (0..tiles.cell.per_register()).fold(0, |word, i| {
                    let (line, at) = tiles.place(lane, register, i);
                    let element = lines[line] >> (stored as usize * at) & ((1 << stored) - 1);
                    word | (element as u64) << (held as usize * i)
                });
            }
        }
    }
    Ok(())
}

/// `stmatrix`: the inverse of [`load`]; the matrices follow the addresses in the inputs.
pub(super) fn store(
    tiles: &Tiles,
    mut view: View<'_>,
    addressing: (Space, i64),
    inputs: &[Row],
) -> Result<(), Stopped> {
    let Some((addresses, registers)) = inputs.split_first() else { return Ok(()) };
    let bits = tiles.cell.held() as usize;
    for (matrix, registers) in registers.chunks(tiles.registers()).enumerate().take(tiles.count) {
        let mut lines = vec![0; tiles.lines];
        for (register, values) in registers.iter().enumerate() {
            for (lane, word) in values.iter().enumerate() {
                for i in 0..tiles.cell.per_register() {
                    let (line, at) = tiles.place(lane, register, i);
                    let element = word >> (bits * i) & ((1 << bits) - 1);
                    lines[line] |= u128::from(element) << (bits * at);
                }
            }
        }
        for (line, value) in lines.into_iter().enumerate() {
            let (lane, address) =
                line_address((tiles, view.grid.addresses), (matrix, line), addresses, addressing)?;
            let written = view.write_wide(lane, addressing.0, address, value, Order::Relaxed);
            written.map_err(|fault| of_line(fault, lane))?;
        }
    }
    Ok(())
}
