//! Asynchronous copies of single threads (manual 9.7.9.25.3.1).

use ptx_program::{AsyncCopy, CopyAmount, Family, lanes};

use super::Stop;
use super::at::At;
use super::completion::{Registers, issue, operand_address};
use super::memory::check_alignment;
use super::operation::{Operation, Order as Ordered};
use super::work::{CopyWork, Work};
use crate::error::TrapKind;

pub(super) fn async_copy(at: &mut At<'_>, copy: &AsyncCopy) -> Result<(), Stop> {
    let (mut view, mut operands, place) = at.split();
    let grid = view.grid;
    for lane in lanes(place.active) {
        let copied = match copy.amount {
            CopyAmount::Whole => copy.size,
            CopyAmount::Bytes(src) => (operands.value(src, lane) as u32).min(copy.size),
            CopyAmount::UnlessTrue(src) if operands.value(src, lane) & 1 == 1 => 0,
            CopyAmount::UnlessTrue(_) => copy.size,
        };
        let resolved = |address| {
            let at = operands.address(address, lane);
            check_alignment(address.space, at, copy.size.into()).map_err(TrapKind::Fault)?;
            operand_address(grid, address.space, at, copy.size)
        };
        let places = resolved(&copy.to).and_then(|to| Ok((to, resolved(&copy.from)?)));
        let (to, from) = places.map_err(|kind| place.stop(kind, lane))?;
        let work = Work::Copy(CopyWork { to, from, size: copy.size, copied });
        let operation =
            Operation::new(work, (operands.warp, lane, place.pc)).grouped(Family::Copies, Ordered::Free);
        issue(&mut view, operation, &mut Registers::running(&mut operands))?;
    }
    at.issued();
    Ok(())
}
