//! Asynchronous stores and reductions of single threads (manual 9.7.9.12, 9.7.13.7).

use super::Stop;
use super::block::BlockState;
use super::completion::{Registers, operand_address};
use super::grid::Grid;
use super::memory::{View, addresses, check_alignment};
use super::operation::{Operation, Signal};
use super::warp::Warp;
use super::work::{Work, WriteWork};
use crate::error::TrapKind;
use crate::memory::{Fault, Order};
use crate::program::{AsyncWrite, Mask, Row, Write, lanes};

impl View<'_> {
    pub(super) fn perform_write(&mut self, work: &WriteWork) -> Result<(), Fault> {
        let (space, to) = work.to;
        for (n, &value) in work.values.iter().enumerate() {
            let at = to.wrapping_add(n as u64 * u64::from(work.size));
            match work.combine {
                None => self.write(0, space, at, work.size, value, Order::Strong)?,
                Some(combine) => {
                    self.update(space, at, work.size, |space, old| combine.of(space, old, value, value))?;
                }
            }
        }
        self.block.show_written(work.to, work.values.len() as u64 * u64::from(work.size));
        Ok(())
    }
}

impl Warp {
    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn async_write(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        write: &AsyncWrite,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let constants = self.constants(grid);
        let (local, warp) = (self.frames[frame].local, self.id);
        let mut view = self.view(grid, block);
        let (address, size, align, srcs, combine) = match &write.write {
            Write::Store(store) => (&store.address, store.size, store.align, &*store.srcs, None),
            Write::Combine(atomic) => {
                let [b, _] = &atomic.operands;
                let (size, srcs) = (atomic.size, std::slice::from_ref(b));
                (&atomic.address, size, u64::from(size), srcs, Some(atomic.combine))
            }
        };
        for lane in lanes(active) {
            let at = addresses(address, rows, constants, local).of(lane);
            let resolved = || {
                check_alignment(address.space, at, align).map_err(TrapKind::Fault)?;
                operand_address(grid, address.space, at, size)
            };
            let to = resolved().map_err(|kind| Stop::at(kind, pc, lane))?;
            let values: Box<[u64]> = srcs.iter().map(|src| src.of(rows, constants)[lane]).collect();
            // A 16-byte element is two rows.
            let size = size.min(8);
            let bytes = values.len() as u64 * u64::from(size);
            let mut operation =
                Operation::new(Work::Write(WriteWork { to, size, values, combine }), (warp, lane, pc));
            if let Some(barrier) = &write.barrier {
                let at = addresses(barrier, rows, constants, local).of(lane);
                let barrier = view.barrier_address((barrier.space, at));
                let barrier = barrier.map_err(|kind| Stop::at(kind, pc, lane))?;
                operation = operation.signals(Signal::Transactions(barrier, bytes));
            }
            view.issue(operation, &mut Registers::Running { warp, frame, rows })?;
        }
        self.issued(block);
        Ok(())
    }
}
