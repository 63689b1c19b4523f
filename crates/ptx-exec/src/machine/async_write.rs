//! Asynchronous stores and reductions of single threads (manual 9.7.9.12, 9.7.13.7).

use ptx_program::{AsyncWrite, Write, lanes};

use super::Stop;
use super::at::At;
use super::completion::{Registers, issue, operand_address};
use super::mbarrier_access::barrier_address;
use super::memory::check_alignment;
use super::operation::{Operation, Signal};
use super::work::{Work, WriteWork};
use crate::error::TrapKind;

pub(super) fn async_write(at: &mut At<'_>, write: &AsyncWrite) -> Result<(), Stop> {
    let (mut view, mut operands, place) = at.split();
    let (address, size, align, srcs, combine) = match &write.write {
        Write::Store(store) => (&store.address, store.size, store.align, &*store.srcs, None),
        Write::Combine(atomic) => {
            let [b, _] = &atomic.operands;
            let (size, srcs) = (atomic.size, std::slice::from_ref(b));
            (&atomic.address, size, u64::from(size), srcs, Some(atomic.combine))
        }
    };
    for lane in lanes(place.active) {
        let at = operands.address(address, lane);
        let resolved = || {
            check_alignment(address.space, at, align).map_err(TrapKind::Fault)?;
            operand_address(view.grid, address.space, at, size)
        };
        let to = resolved().map_err(|kind| place.stop(kind, lane))?;
        let values: Box<[u64]> = srcs.iter().map(|&src| operands.value(src, lane)).collect();
        // A 16-byte element is two rows.
        let size = size.min(8);
        let bytes = values.len() as u64 * u64::from(size);
        let mut operation = Operation::new(
            Work::Write(WriteWork { to, size, values, combine }),
            (operands.warp, lane, place.pc),
        );
        if let Some(barrier) = &write.barrier {
            let at = operands.address(barrier, lane);
            let barrier = barrier_address(&view, (barrier.space, at));
            let barrier = barrier.map_err(|kind| place.stop(kind, lane))?;
            operation = operation.signals(Signal::Transactions(barrier, bytes));
        }
        issue(&mut view, operation, &mut Registers::running(&mut operands))?;
    }
    at.issued();
    Ok(())
}
