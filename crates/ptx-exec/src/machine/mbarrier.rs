//! Operations on barriers in shared memory (mbarriers, manual 9.7.13.15).

use ptx_program::memory::SpaceAddress;
use ptx_program::{Family, Mask, Mbarrier, MbarrierAction, Src, WARP, first_lane, lanes};

use super::Stop;
use super::at::{At, Operands};
use super::block::BlockState;
use super::completion::{Registers, issue};
use super::mbarrier_access::{barrier_address, operate, operate_in, reported_before, wait_for};
use super::mbarrier_object::{BYTES, PHASE_SHIFT, Phase, Question, VALID, Wait, question};
use super::operation::{Operation, Order as Ordered, Signal};
use super::polling::watch_poll;
use super::work::Work;

impl Question {
    /// Whether the query would now succeed.
    pub(super) fn is_answered(self, block: &BlockState) -> bool {
        let (space, address) = self.barrier;
        let bits = block.read_shared(space, address, BYTES);
        // An object that is no longer a valid mbarrier is reported to the threads that query it.
        bits.ok().is_none_or(|bits| bits & VALID == 0 || (bits >> PHASE_SHIFT ^ self.parity) & 1 != 0)
    }
}

/// The mbarrier that lanes query for the end of a phase, if all of them make the same query and it needs no handling of each lane.
fn asked_alike(operation: &Mbarrier, operands: &Operands<'_>, active: Mask) -> Option<SpaceAddress> {
    let is_plain = operation.blocks.is_none() && operation.report.is_none();
    let asked = question(operation.action).filter(|_| is_plain)?;
    let (at, phases) = (operands.addresses(&operation.address), operands.row(asked));
    let first = first_lane(active);
    let is_alike = |lane: usize| at.of(lane) == at.of(first) && phases[lane] == phases[first];
    lanes(active).all(is_alike).then(|| (operation.address.space, at.of(first)))
}

/// Makes a query that is the same for all lanes.
fn ask_once(at: &mut At<'_>, operation: &Mbarrier, location: SpaceAddress) -> Result<(), Stop> {
    let (mut view, mut operands, place) = at.split();
    let lane = first_lane(place.active);
    let stop = |kind| place.stop(kind, lane);
    let value = |src: Src| operands.value(src, lane);
    let result = operate(&mut view, lane, location, operation.action, value).map_err(stop)?;
    let in_vain = result == 0 && wait_for(&mut view, location).map_err(stop)?;
    let mut asked = None;
    if result == 0
        && let Some(Phase { parity, is_conditional }) = Phase::new(operation.action, value)
    {
        let barrier = barrier_address(&view, location).map_err(stop)?;
        asked = (!is_conditional).then_some(Question { barrier, parity });
    }
    if let Some(dst) = operation.dst {
        operands.blend(dst, &[result; WARP], place.active);
    }
    at.warp.question = asked;
    at.warp.asked |= result == 0;
    if in_vain {
        at.warp.give_way();
    }
    Ok(())
}

pub(super) fn mbarrier(at: &mut At<'_>, operation: &Mbarrier) -> Result<(), Stop> {
    // Programs poll with it.
    at.warp.poll();
    at.warp.question = None;
    let is_watched = at.warp.watch.is_some();
    // Usually a whole warp queries one phase of one mbarrier. Then one lane queries it.
    let alike = (!is_watched).then(|| asked_alike(operation, &at.operands, at.place.active)).flatten();
    if let Some(location) = alike {
        return ask_once(at, operation, location);
    }
    let (mut view, mut operands, place) = at.split();
    let (mut asked, mut in_vain, mut waits) = (false, false, Vec::new());
    // The previous lane's query and its result: most lanes make the same query.
    let mut answered = None;
    for lane in lanes(place.active) {
        let address = operands.address(&operation.address, lane);
        let location = (operation.address.space, address);
        let stop = |kind| place.stop(kind, lane);
        let value = |src: Src| operands.value(src, lane);
        let phase = Phase::new(operation.action, value).filter(|_| is_watched);
        let question = question(operation.action).map(|phase| (address, value(phase)));
        let result = match (operation.blocks, answered) {
            (_, Some((before, result))) if question == Some(before) => result,
            (None, _) => operate(&mut view, lane, location, operation.action, value).map_err(stop)?,
            (Some(blocks), _) => {
                let blocks = value(blocks);
                operate_in(&mut view, lane, location, operation.action, blocks, value).map_err(stop)?;
                0
            }
        };
        answered = question.map(|question| (question, result));
        if let Some(dst) = operation.dst {
            operands.set(dst, lane, result);
        }
        if let Some([predicate, value]) = operation.report {
            // The report of an incomplete phase is undefined.
            let reported = result != 0 && reported_before(&mut view, lane, location).map_err(stop)?;
            operands.set(predicate, lane, reported.into());
            operands.set(value, lane, 0);
        }
        match operation.action {
            MbarrierAction::ArriveOfCopies | MbarrierAction::ArriveOfCopiesCounted => {
                let barrier = barrier_address(&view, location).map_err(stop)?;
                let arrival = Operation::new(Work::Nothing, (operands.warp, lane, place.pc))
                    .grouped(Family::Copies, Ordered::AfterEarlier)
                    .signals(Signal::Arrival(barrier));
                issue(&mut view, arrival, &mut Registers::running(&mut operands))?;
            }
            MbarrierAction::IsOver(_)
            | MbarrierAction::IsOverParity(_)
            | MbarrierAction::IsOverConditional(_)
                if result == 0 =>
            {
                asked = true;
                in_vain |= wait_for(&mut view, location).map_err(stop)?;
                if let Some(phase) = phase {
                    let barrier = barrier_address(&view, location).map_err(stop)?;
                    waits.push((lane, Wait { barrier, phase }));
                }
            }
            _ => {}
        }
    }
    at.warp.asked |= asked;
    if !waits.is_empty() {
        watch_poll(at, &waits);
    }
    match operation.action {
        _ if in_vain => at.warp.give_way(),
        MbarrierAction::ArriveOfCopies | MbarrierAction::ArriveOfCopiesCounted => at.issued(),
        _ => {}
    }
    Ok(())
}
