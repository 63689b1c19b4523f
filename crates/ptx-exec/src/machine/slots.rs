//! Arguments and results of calls.

use ptx_program::{Mask, Slot, lanes};

use super::grid::Grid;
use super::indexed::values_in;
use super::warp::Warp;

/// Copies an argument or result between frames.
pub(super) fn pass(warp: &mut Warp, grid: &Grid<'_>, from: (usize, Slot), to: (usize, Slot), active: Mask) {
    let mut bytes = Vec::new();
    for lane in lanes(active) {
        bytes.clear();
        read_slot(warp, grid, from, lane, &mut bytes);
        write_slot(warp, to, lane, &bytes);
    }
}

/// Appends the bytes of an argument or result.
pub(super) fn read_slot(
    warp: &Warp,
    grid: &Grid<'_>,
    (frame, slot): (usize, Slot),
    lane: usize,
    bytes: &mut Vec<u8>,
) {
    match slot {
        Slot::Nothing => {}
        Slot::Memory { offset, size } | Slot::Open { offset, size } => {
            let start = warp.frames[frame].local as usize + offset as usize;
            bytes.extend(values_in(&warp.local[lane], start..start + size as usize));
        }
        Slot::Rows { first, count, .. } => {
            for n in 0..count {
                bytes.extend(warp.row(grid, frame, first.plus(n))[lane].to_le_bytes());
            }
        }
    }
}

/// Stores the bytes of an argument or result; missing ones are zero.
pub(super) fn write_slot(warp: &mut Warp, (frame, slot): (usize, Slot), lane: usize, bytes: &[u8]) {
    match slot {
        Slot::Nothing => {}
        Slot::Memory { offset, size } | Slot::Open { offset, size } => {
            let start = warp.frames[frame].local as usize + offset as usize;
            if let Some(place) = warp.local[lane].get_mut(start..start + size as usize) {
                let known = bytes.len().min(place.len());
                place[..known].copy_from_slice(&bytes[..known]);
                place[known..].fill(0);
            }
        }
        Slot::Rows { first, count, bits } => {
            for n in 0..count {
                let word = bytes.iter().skip(n as usize * 8).take(8).rev();
                let value = word.fold(0u64, |value, &byte| value << 8 | u64::from(byte));
                if let Some(row) = first.plus(n).as_register() {
                    warp.frames[frame].rows[row as usize][lane] = value & bits;
                }
            }
        }
    }
}
