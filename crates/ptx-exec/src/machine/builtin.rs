//! Functions that the system provides to device code: `vprintf`, `malloc`, `free` and failed assertions.

use std::sync::PoisonError;

use super::Stop;
use super::block::BlockState;
use super::grid::Grid;
use super::memory::View;
use super::warp::Warp;
use crate::error::TrapKind;
use crate::format::{Source, format_c};
use crate::memory::{Fault, Order, Space};
use crate::program::{Builtin, Call, Mask, lanes};

/// The longest text that is read from device memory.
const LONGEST_TEXT: u64 = 1 << 16;

impl Warp {
    #[expect(clippy::too_many_arguments, reason = "the state of a call")]
    pub(super) fn builtin(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        current: usize,
        active: Mask,
        pc: u32,
        builtin: Builtin,
        call: &Call,
    ) -> Result<(), Stop> {
        let frame = self.fragment(current).frame;
        let word = grid.program.address_size.bytes();
        for lane in lanes(active) {
            let argument = |at: usize| {
                let mut bytes = Vec::new();
                if let Some(slot) = call.arguments.get(at) {
                    self.read_slot(grid, (frame, *slot), lane, &mut bytes);
                }
                bytes.iter().take(8).rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte))
            };
            let arguments: [u64; 5] = std::array::from_fn(argument);
            let stop = |kind| Stop::at(kind, pc, lane);
            let result = match builtin {
                Builtin::Malloc => {
                    let mut heap = grid.heap.lock().unwrap_or_else(PoisonError::into_inner);
                    heap.allocate(arguments[0])
                }
                Builtin::Free => {
                    let mut heap = grid.heap.lock().unwrap_or_else(PoisonError::into_inner);
                    if arguments[0] != 0 && !heap.release(arguments[0]) {
                        let text = format!("`free` of {:#x}, which `malloc` did not give", arguments[0]);
                        return Err(stop(TrapKind::Misuse(text)));
                    }
                    0
                }
                Builtin::Printf => {
                    let view = View { grid, block, local: &mut self.local };
                    let mut source = LaneSource { view: &view, lane, next: arguments[1], word };
                    let fault = |fault| stop(TrapKind::Fault(fault));
                    let template = source.text(arguments[0]).map_err(fault)?;
                    let (text, conversions) = format_c(&template, &mut source).map_err(fault)?;
                    grid.write_output(text.len() as u64).map_err(stop)?;
                    block.output.extend(text);
                    u64::from(conversions)
                }
                Builtin::AssertFail => {
                    let view = View { grid, block, local: &mut self.local };
                    let source = LaneSource { view: &view, lane, next: 0, word };
                    let text = |address| {
                        source.text(address).map(|text| String::from_utf8_lossy(&text).into_owned())
                    };
                    let all = (text(arguments[0]), text(arguments[1]), text(arguments[3]));
                    let (Ok(message), Ok(file), Ok(function)) = all else {
                        return Err(stop(TrapKind::Assertion("its text cannot be read".to_owned())));
                    };
                    let line = arguments[2] & 0xffff_ffff;
                    return Err(stop(TrapKind::Assertion(format!("{file}:{line}: {function}: {message}"))));
                }
            };
            if let Some(slot) = call.results.first() {
                self.write_slot((frame, *slot), lane, &result.to_le_bytes());
            }
        }
        Ok(())
    }
}

/// The arguments of `vprintf`: a buffer in which each stands at a multiple of its size.
struct LaneSource<'v, 'a> {
    view: &'v View<'a>,
    lane: usize,
    next: u64,
    /// Bytes of an address.
    word: u32,
}

impl LaneSource<'_, '_> {
    fn byte(&self, address: u64) -> Result<u8, Fault> {
        self.view.read(self.lane, Space::Generic, address, 1, Order::Relaxed).map(|byte| byte as u8)
    }
}

impl Source for LaneSource<'_, '_> {
    type Error = Fault;

    fn word(&self) -> u32 {
        self.word
    }

    fn next(&mut self, size: u32) -> Result<u64, Fault> {
        let at = self.next.next_multiple_of(u64::from(size));
        self.next = at.wrapping_add(size.into());
        self.view.read(self.lane, Space::Generic, at, size, Order::Relaxed)
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
