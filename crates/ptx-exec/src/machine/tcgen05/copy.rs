//! `tcgen05.cp` and `tcgen05.shift` (manual 9.7.16.9).

use ptx_program::scalar::narrow::Narrow;
use ptx_program::{CopyRows, Element, LANES, Majorness, Packed, QUARTER};

use super::memory::{TensorMemory, parts};
use super::misuse::misuse;
use super::shared::{SharedFactor, element_of};
use crate::error::TrapKind;
use crate::machine::block::BlockState;

/// Columns moved by `tcgen05.shift`: 32 bytes.
const SHIFTED: usize = 8;

/// Copies rows of 16 bytes or more from shared memory to lanes.
pub(super) fn copy(
    (rows, chunks): (CopyRows, usize),
    packed: Option<Packed>,
    to: u32,
    from: u64,
    block: &mut BlockState,
) -> Result<(), TrapKind> {
    let (first_lane, first_column) = parts(to);
    let matrix = SharedFactor::new(from, Majorness::K, 8, (rows.count(), chunks * 16), &block.shared)?;
    for row in 0..rows.count() {
        for chunk in 0..chunks {
            let bytes = unpacked(packed, matrix.chunk(row, chunk)?);
            for lane in rows.lanes(row) {
                for word in 0..4 {
                    let column = (first_column + chunk * 4 + word) as i64;
                    block.tensor.write(first_lane + lane, column, (bytes >> (32 * word)) as u32)?;
                }
            }
        }
    }
    Ok(())
}

/// Unpacks 16 elements to one byte each (manual 9.7.16.9.1), in the layout that the multiplication expects.
fn unpacked(packed: Option<Packed>, bytes: u128) -> u128 {
    let element = match packed {
        None => return bytes,
        Some(Packed::Four) => Element::Narrow(Narrow::E2m1),
        // The bit positions are the same for both six-bit formats.
        Some(Packed::Six) => Element::Narrow(Narrow::E3m2),
    };
    (0..16).fold(0, |all, i| all | u128::from(element_of(element, bytes, i)) << (8 * i))
}

/// Moves 32 bytes of each of 32 lanes to the lane below; the last lane also keeps its own.
pub(super) fn shift(at: u32, memory: &mut TensorMemory) -> Result<(), TrapKind> {
    let (first, column) = parts(at);
    if !first.is_multiple_of(QUARTER) || first >= LANES {
        return misuse(format!("lanes are shifted from a multiple of {QUARTER} on, not from lane {first}"));
    }
    for column in column..column + SHIFTED {
        for lane in first..first + QUARTER - 1 {
            let value = memory.read(lane + 1, column as i64)?;
            memory.write(lane, column as i64, value)?;
        }
    }
    Ok(())
}
