//! Builtin functions provided to device code: `vprintf`, `malloc`, `free` and failed assertions.

use std::sync::{Mutex, PoisonError};

use ptx_program::memory::Space;
use ptx_program::{Builtin, Call, Order, lanes};

use super::Stop;
use super::group::GroupAt;
use super::heap::Heap;
use super::memory::View;
use super::slots::{read_slot, write_slot};
use crate::error::TrapKind;
use crate::format::{ArgumentSource, format_c};
use crate::memory::Fault;

/// Maximum length of a string read from device memory.
const LONGEST_TEXT: u64 = 1 << 16;

/// Executes a call of a builtin function.
pub(super) fn builtin(at: &mut GroupAt<'_>, builtin: Builtin, call: &Call) -> Result<(), Stop> {
    let (frame, place) = (at.frame(), at.place);
    let GroupAt { warp, grid, block, .. } = at;
    let (grid, word) = (*grid, grid.program.address_size.bytes());
    for lane in lanes(place.active) {
        let argument = |at: usize| {
            let mut bytes = Vec::new();
            if let Some(slot) = call.arguments.get(at) {
                read_slot(warp, grid, (frame, *slot), lane, &mut bytes);
            }
            bytes.iter().take(8).rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte))
        };
        let arguments: [u64; 5] = std::array::from_fn(argument);
        let stop = |kind| place.stop(kind, lane);
        let view = View { grid, block, local: &mut warp.local };
        let read = |address, size| view.read(lane, Space::Generic, address, size, Order::Relaxed);
        let (result, text) = perform(builtin, arguments, grid.heap, word, &read).map_err(stop)?;
        grid.write_output(text.len() as u64).map_err(stop)?;
        block.output.extend(text);
        if let Some(slot) = call.results.first() {
            write_slot(warp, (frame, *slot), lane, &result.to_le_bytes());
        }
    }
    Ok(())
}

/// Reads bytes at a generic address of the calling thread.
type Read<'r> = &'r dyn Fn(u64, u32) -> Result<u64, Fault>;

/// Executes a builtin function; returns its result and its output. Addresses have `word` bytes.
pub(crate) fn perform(
    builtin: Builtin,
    arguments: [u64; 5],
    heap: &Mutex<Heap>,
    word: u32,
    read: Read<'_>,
) -> Result<(u64, Vec<u8>), TrapKind> {
    let heap = || heap.lock().unwrap_or_else(PoisonError::into_inner);
    let mut source = LaneSource { read, next: arguments[1], word };
    match builtin {
        Builtin::Malloc => Ok((heap().allocate(arguments[0]), Vec::new())),
        Builtin::Free => {
            if arguments[0] != 0 && !heap().release(arguments[0]) {
                let text = format!("`free` of {:#x}, which `malloc` did not give", arguments[0]);
                return Err(TrapKind::Misuse(text));
            }
            Ok((0, Vec::new()))
        }
        Builtin::Printf => {
            let template = source.text(arguments[0]).map_err(TrapKind::Fault)?;
            let (text, conversions) = format_c(&template, &mut source).map_err(TrapKind::Fault)?;
            Ok((conversions.into(), text))
        }
        Builtin::AssertFail => {
            let text = |address| source.text(address).map(|text| String::from_utf8_lossy(&text).into_owned());
            let all = (text(arguments[0]), text(arguments[1]), text(arguments[3]));
            let (Ok(message), Ok(file), Ok(function)) = all else {
                return Err(TrapKind::Assertion("its text cannot be read".to_owned()));
            };
            let line = arguments[2] & 0xffff_ffff;
            Err(TrapKind::Assertion(format!("{file}:{line}: {function}: {message}")))
        }
    }
}

/// The arguments of `vprintf`: a buffer in which each is naturally aligned.
struct LaneSource<'r> {
    read: Read<'r>,
    next: u64,
    /// Bytes of an address.
    word: u32,
}

impl LaneSource<'_> {
    fn byte(&self, address: u64) -> Result<u8, Fault> {
        (self.read)(address, 1).map(|byte| byte as u8)
    }
}

impl ArgumentSource for LaneSource<'_> {
    type Error = Fault;

    fn word(&self) -> u32 {
        self.word
    }

    fn next(&mut self, size: u32) -> Result<u64, Fault> {
        let at = self.next.next_multiple_of(u64::from(size));
        self.next = at.wrapping_add(size.into());
        (self.read)(at, size)
    }

    fn text(&self, address: u64) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        for offset in 0..LONGEST_TEXT {
            match self.byte(address.wrapping_add(offset))? {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }
}
