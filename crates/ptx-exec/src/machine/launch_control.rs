//! Cancellation of clusters that have not started, by running ones (manual 9.7.13.17).

use super::Stop;
use super::block::{BlockState, in_target};
use super::completion::{Registers, operand_address};
use super::grid::Grid;
use super::memory::{addresses, check_alignment};
use super::operation::{Operation, Signal};
use super::warp::Warp;
use super::work::{Work, WriteWork};
use crate::error::TrapKind;
use crate::program::{Audience, Mask, Row, TryCancel, lanes};

/// Size of a response in bytes.
const ANSWER: u64 = 16;
/// The bit of the upper half that is set if a cluster was cancelled.
const IS_CANCELED: u64 = 1 << 63;

impl Warp {
    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn try_cancel(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        cancel: &TryCancel,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        let constants = self.constants(grid);
        let (local, warp) = (self.frames[frame].local, self.id);
        let mut view = self.view(grid, block);
        for lane in lanes(active) {
            let stop = |kind| Stop::at(kind, pc, lane);
            let at = addresses(&cancel.to, rows, constants, local).of(lane);
            let to = check_alignment(cancel.to.space, at, ANSWER).map_err(TrapKind::Fault);
            let to =
                to.and_then(|()| operand_address(grid, cancel.to.space, at, ANSWER as u32)).map_err(stop)?;
            let at = addresses(&cancel.barrier, rows, constants, local).of(lane);
            let barrier = view.barrier_address((cancel.barrier.space, at)).map_err(stop)?;
            if !to.0.is_shared() {
                let text = format!("the answer comes to shared memory, not to {}", to.0.as_str());
                return Err(stop(TrapKind::Misuse(text)));
            }
            let answer = match grid.take_cluster() {
                None => [0; 2],
                Some(cluster) => {
                    let [x, y, z] = grid.geometry.block_index(cluster, 0).map(u64::from);
                    [x | y << 32, z | IS_CANCELED]
                }
            };
            let targets = match cancel.audience {
                Audience::Block => vec![None],
                Audience::Cluster => (0..grid.geometry.cluster_size()).map(Some).collect(),
            };
            for target in targets {
                let work = Work::Write(WriteWork::of_pair(in_target(to, target), answer));
                let signal = Signal::Transactions(in_target(barrier, target), ANSWER);
                let operation = Operation::new(work, (warp, lane, pc)).signals(signal);
                view.issue(operation, &mut Registers::Running { warp, frame, rows })?;
            }
        }
        self.issued(block);
        Ok(())
    }
}
