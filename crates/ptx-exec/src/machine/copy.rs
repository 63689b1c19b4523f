//! Asynchronous copies of single threads (manual 9.7.9.25.3.1).

use super::Stop;
use super::block::BlockState;
use super::completion::{Registers, operand_address};
use super::grid::Grid;
use super::memory::{View, addresses, check_alignment};
use super::operation::{Operation, Order as Ordered};
use super::warp::Warp;
use super::work::{CopyWork, Work};

use crate::error::TrapKind;
use crate::memory::{Fault, Order};
use crate::program::{AsyncCopy, CopyAmount, Family, Mask, Row, lanes};

impl View<'_> {
    pub(super) fn perform_copy(&mut self, copy: &CopyWork) -> Result<(), Fault> {
        let ((to_space, to), (from_space, from)) = (copy.to, copy.from);
        let unit = if copy.copied.is_multiple_of(4) { 4 } else { 1 };
        for byte in (0..u64::from(copy.size)).step_by(unit as usize) {
            let value = if byte < u64::from(copy.copied) {
                self.read(0, from_space, from.wrapping_add(byte), unit, Order::Relaxed)?
            } else {
                0
            };
            self.write(0, to_space, to.wrapping_add(byte), unit, value, Order::Relaxed)?;
        }
        self.block.show_written(copy.to, copy.size.into());
        Ok(())
    }
}

impl Warp {
    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn async_copy(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        copy: &AsyncCopy,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let constants = self.constants(grid);
        let (local, warp) = (self.frames[frame].local, self.id);
        let mut view = self.view(grid, block);
        for lane in lanes(active) {
            let copied = match copy.amount {
                CopyAmount::Whole => copy.size,
                CopyAmount::Bytes(src) => (src.of(rows, constants)[lane] as u32).min(copy.size),
                CopyAmount::UnlessTrue(src) if src.of(rows, constants)[lane] & 1 == 1 => 0,
                CopyAmount::UnlessTrue(_) => copy.size,
            };
            let resolved = |address| {
                let at = addresses(address, rows, constants, local).of(lane);
                check_alignment(address.space, at, copy.size.into()).map_err(TrapKind::Fault)?;
                operand_address(grid, address.space, at, copy.size)
            };
            let places = resolved(&copy.to).and_then(|to| Ok((to, resolved(&copy.from)?)));
            let (to, from) = places.map_err(|kind| Stop::at(kind, pc, lane))?;
            let work = Work::Copy(CopyWork { to, from, size: copy.size, copied });
            let operation = Operation::new(work, (warp, lane, pc)).grouped(Family::Copies, Ordered::Free);
            view.issue(operation, &mut Registers::Running { warp, frame, rows })?;
        }
        self.issued(block);
        Ok(())
    }
}
