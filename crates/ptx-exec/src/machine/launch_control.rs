//! Cancellation of clusters that have not started, by running ones (manual 9.7.13.17).

use ptx_program::{Audience, TryCancel, lanes};

use super::Stop;
use super::at::At;
use super::block::in_target;
use super::completion::{Registers, issue, operand_address};
use super::mbarrier_access::barrier_address;
use super::memory::check_alignment;
use super::operation::{Operation, Signal};
use super::work::{Work, WriteWork};
use crate::error::TrapKind;

/// Size of a response in bytes.
const ANSWER: u64 = 16;
/// The bit of the upper half that is set if a cluster was cancelled.
const IS_CANCELED: u64 = 1 << 63;

pub(super) fn try_cancel(at: &mut At<'_>, cancel: &TryCancel) -> Result<(), Stop> {
    let (mut view, mut operands, place) = at.split();
    for lane in lanes(place.active) {
        let stop = |kind| place.stop(kind, lane);
        let at = operands.address(&cancel.to, lane);
        let to = check_alignment(cancel.to.space, at, ANSWER).map_err(TrapKind::Fault);
        let to =
            to.and_then(|()| operand_address(view.grid, cancel.to.space, at, ANSWER as u32)).map_err(stop)?;
        let at = operands.address(&cancel.barrier, lane);
        let barrier = barrier_address(&view, (cancel.barrier.space, at)).map_err(stop)?;
        if !to.0.is_shared() {
            let text = format!("the answer comes to shared memory, not to {}", to.0.as_str());
            return Err(stop(TrapKind::Misuse(text)));
        }
        let answer = match view.grid.take_cluster() {
            None => [0; 2],
            Some(cluster) => {
                let [x, y, z] = view.grid.geometry.block_index(cluster, 0).map(u64::from);
                [x | y << 32, z | IS_CANCELED]
            }
        };
        let targets = match cancel.audience {
            Audience::Block => vec![None],
            Audience::Cluster => (0..view.grid.geometry.cluster_size()).map(Some).collect(),
        };
        for target in targets {
            let work = Work::Write(WriteWork::of_pair(in_target(to, target), answer));
            let signal = Signal::Transactions(in_target(barrier, target), ANSWER);
            let operation = Operation::new(work, (operands.warp, lane, place.pc)).signals(signal);
            issue(&mut view, operation, &mut Registers::running(&mut operands))?;
        }
    }
    at.issued();
    Ok(())
}
