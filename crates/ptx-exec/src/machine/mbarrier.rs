//! Operations on barriers in shared memory (mbarriers, manual 9.7.13.15).

use super::Stop;
use super::block::{BlockState, in_target};
use super::completion::Registers;
use super::grid::Grid;
use super::mbarrier_object::{
    BYTES, Demand, LAYOUT, Object, PHASE_BITS, PHASE_SHIFT, Phase, Question, VALID, Wait, question,
};
use super::memory::{View, addresses, check_alignment};
use super::operation::{Operation, Order as Ordered, Signal};
use super::rows::blend;
use super::warp::Warp;
use super::work::Work;
use crate::error::TrapKind;
use crate::memory::{Order, Space, SpaceAddress};
use crate::program::{
    BarrierLayout, Completion, Dst, Family, Mask, Mbarrier, MbarrierAction, Row, Src, Stay, WARP, first_lane,
    lanes,
};

impl Question {
    /// Whether the query would now succeed.
    pub(super) fn is_answered(self, block: &BlockState) -> bool {
        let (space, address) = self.barrier;
        let bits = block.read_shared(space, address, BYTES);
        // An object that is no longer a valid mbarrier is reported to the threads that query it.
        bits.ok().is_none_or(|bits| bits & VALID == 0 || (bits >> PHASE_SHIFT ^ self.parity) & 1 != 0)
    }
}

impl View<'_> {
    /// The address of an object in the shared memory of the cluster.
    fn object_address(&self, space: Space, address: u64) -> Result<(Space, u64), TrapKind> {
        let (found, address) = match space {
            Space::Generic => Space::of_generic(address, self.grid.addresses).unwrap_or((space, address)),
            space => (space, address),
        };
        if !found.is_shared() {
            let text = format!("a barrier lies in shared memory, not at {address:#x} in {}", found.as_str());
            return Err(TrapKind::Misuse(text));
        }
        check_alignment(found, address, BYTES.into()).map_err(TrapKind::Fault)?;
        Ok((found, address))
    }

    /// Modifies an object, and returns its previous bits.
    fn change(
        &mut self,
        lane: usize,
        (space, address): (Space, u64),
        change: impl FnOnce(&mut Object) -> Result<(), String>,
    ) -> Result<u64, TrapKind> {
        let (space, address) = self.object_address(space, address)?;
        // Read and write are atomic here: the blocks of a cluster share a host thread, and no other thread can access their memory.
        let before = self.read(lane, space, address, BYTES, Order::Strong).map_err(TrapKind::Fault)?;
        let no_object = || TrapKind::Misuse(format!("there is no initialized barrier at {address:#x}"));
        let mut object = Object::from_bits(before).ok_or_else(no_object)?;
        change(&mut object).map_err(TrapKind::Misuse)?;
        self.write(lane, space, address, BYTES, object.to_bits(), Order::Strong).map_err(TrapKind::Fault)?;
        Ok(before)
    }

    /// The address of an object, for an operation that completes later.
    pub(super) fn barrier_address(&self, (space, address): SpaceAddress) -> Result<SpaceAddress, TrapKind> {
        let location = self.object_address(space, address)?;
        self.block.absolute(location, BYTES).map_err(TrapKind::Fault)
    }

    /// Whether the given signals complete the phase of an mbarrier.
    pub(super) fn would_complete(&self, (space, address): SpaceAddress, demand: Demand) -> bool {
        let bits = self.read(0, space, address, BYTES, Order::Strong).ok();
        bits.and_then(Object::from_bits).is_some_and(|object| {
            u64::from(object.pending) == demand.arrivals
                && i64::from(object.transactions) == demand.transactions as i64
        })
    }

    /// Records an unsuccessful query; returns whether operations are in flight.
    fn wait_for(&mut self, location: SpaceAddress) -> Result<bool, TrapKind> {
        if self.block.cluster.pending.is_empty() {
            return Ok(false);
        }
        let location = self.barrier_address(location)?;
        self.block.cluster.pending.want(location);
        Ok(true)
    }

    /// Signals an arrival to an mbarrier.
    pub(super) fn complete_arrival(&mut self, lane: usize, location: SpaceAddress) -> Result<(), TrapKind> {
        self.change(lane, location, |object| {
            object.arrive(1, Stay::Stays)?;
            object.advance();
            Ok(())
        })?;
        Ok(())
    }

    /// Reports to an mbarrier something that an operation found in its data.
    pub(super) fn report(&mut self, lane: usize, location: SpaceAddress) -> Result<(), TrapKind> {
        self.change(lane, location, Object::report)?;
        Ok(())
    }

    /// Whether something was reported in the phase before the current one.
    fn reported_before(&mut self, lane: usize, location: SpaceAddress) -> Result<bool, TrapKind> {
        let now = self.change(lane, location, |_| Ok(()))?;
        Ok(Object::from_bits(now).is_some_and(|object| object.reported[1]))
    }

    /// Completes transactions of an mbarrier.
    pub(super) fn complete_transactions(
        &mut self,
        lane: usize,
        location: SpaceAddress,
        count: u64,
    ) -> Result<(), TrapKind> {
        self.change(lane, location, |object| {
            object.transact(-(count as i64))?;
            object.advance();
            Ok(())
        })?;
        Ok(())
    }

    /// Performs one lane's operation on the mbarriers of several blocks of the cluster, at the same offset in each.
    fn operate_in(
        &mut self,
        lane: usize,
        location: SpaceAddress,
        action: MbarrierAction,
        blocks: u64,
        value: impl Fn(Src) -> u64 + Copy,
    ) -> Result<(), TrapKind> {
        let location = self.barrier_address(location)?;
        for target in self.block.targets(Some(blocks))? {
            self.operate(lane, in_target(location, target), action, value)?;
        }
        Ok(())
    }

    /// Performs one lane's operation, and returns its result.
    fn operate(
        &mut self,
        lane: usize,
        location: (Space, u64),
        action: MbarrierAction,
        value: impl Fn(Src) -> u64,
    ) -> Result<u64, TrapKind> {
        match action {
            MbarrierAction::Init(count, layout) => {
                let (space, address) = self.object_address(location.0, location.1)?;
                let object = Object::new(value(count), layout).map_err(TrapKind::Misuse)?;
                self.write(lane, space, address, BYTES, object.to_bits(), Order::Strong)
                    .map_err(TrapKind::Fault)?;
                Ok(0)
            }
            MbarrierAction::Invalidate => {
                self.change(lane, location, |_| Ok(()))?;
                let (space, address) = self.object_address(location.0, location.1)?;
                self.write(lane, space, address, BYTES, 0, Order::Strong).map_err(TrapKind::Fault)?;
                Ok(0)
            }
            MbarrierAction::HasLayout(layout) => {
                let now = self.change(lane, location, |_| Ok(()))?;
                Ok(u64::from((now & LAYOUT != 0) == (layout == BarrierLayout::V1)))
            }
            MbarrierAction::Expect(count) => {
                self.change(lane, location, |object| object.transact(value(count) as i64))
            }
            MbarrierAction::Complete(count) => {
                self.complete_transactions(lane, location, value(count))?;
                Ok(0)
            }
            MbarrierAction::Arrive { count, transactions, completion, stay } => {
                self.change(lane, location, |object| {
                    if let Some(count) = transactions {
                        object.transact(value(count) as i64)?;
                    }
                    object.arrive(value(count), stay)?;
                    if object.advance() && completion == Completion::Forbidden {
                        return Err("an arrival with `.noComplete` completes the phase".to_owned());
                    }
                    Ok(())
                })
            }
            // The arrival itself is an operation issued by `Warp::mbarrier`.
            MbarrierAction::ArriveOfCopies => self.change(lane, location, Object::expect_one_more),
            MbarrierAction::ArriveOfCopiesCounted => Ok(0),
            MbarrierAction::IsOver(state) => {
                let now = self.change(lane, location, |_| Ok(()))?;
                Ok(u64::from((now ^ value(state)) >> PHASE_SHIFT & ((1 << PHASE_BITS) - 1) != 0))
            }
            MbarrierAction::IsOverParity(parity) => {
                let now = self.change(lane, location, |_| Ok(()))?;
                Ok((now >> PHASE_SHIFT ^ value(parity)) & 1)
            }
            MbarrierAction::IsOverConditional(parity) => {
                let now = self.change(lane, location, |_| Ok(()))?;
                let object = Object::from_bits(now);
                let object = object.ok_or_else(|| TrapKind::Defect("an mbarrier that is none".to_owned()))?;
                Ok((u64::from(object.conditional) ^ value(parity)) & 1)
            }
        }
    }
}

impl Mbarrier {
    /// The mbarrier and the result destination of a phase query that these lanes all make, if it needs no per-lane handling.
    fn asked_alike(
        &self,
        rows: &[Row],
        constants: &[Row],
        local: u32,
        active: Mask,
    ) -> Option<(SpaceAddress, Option<Dst>)> {
        let asked = question(self.action).filter(|_| self.blocks.is_none() && self.report.is_none())?;
        let (at, phases) = (addresses(&self.address, rows, constants, local), asked.of(rows, constants));
        let first = first_lane(active);
        let is_alike = |lane: usize| at.of(lane) == at.of(first) && phases[lane] == phases[first];
        lanes(active).all(is_alike).then(|| ((self.address.space, at.of(first)), self.dst))
    }
}

impl Warp {
    #[expect(clippy::too_many_arguments, reason = "the state of the inner loop, kept in registers")]
    pub(super) fn mbarrier(
        &mut self,
        grid: &Grid<'_>,
        block: &mut BlockState,
        frame: usize,
        rows: &mut [Row],
        operation: &Mbarrier,
        active: Mask,
        pc: u32,
    ) -> Result<(), Stop> {
        // Programs poll with it.
        self.poll();
        self.question = None;
        let constants = self.constants(grid);
        let (local, warp, is_watched) = (self.frames[frame].local, self.id, self.watch.is_some());
        // Usually a whole warp queries one phase of one mbarrier. Then one lane queries it.
        let alike = (!is_watched).then(|| operation.asked_alike(rows, constants, local, active)).flatten();
        if let Some((location, dst)) = alike {
            let lane = first_lane(active);
            let stop = |kind| Stop::at(kind, pc, lane);
            let value = |src: Src| src.of(rows, constants)[lane];
            let mut view = self.view(grid, block);
            let result = view.operate(lane, location, operation.action, value).map_err(stop)?;
            let in_vain = result == 0 && view.wait_for(location).map_err(stop)?;
            if result == 0
                && let Some(phase) = Phase::new(operation.action, value)
            {
                let Phase { parity, is_conditional } = phase;
                let barrier = view.barrier_address(location).map_err(stop)?;
                self.question = (!is_conditional).then_some(Question { barrier, parity });
            }
            if let Some(dst) = dst {
                blend(rows, dst, &[result; WARP], active);
            }
            self.asked |= result == 0;
            if in_vain {
                self.give_way();
            }
            return Ok(());
        }
        let mut view = self.view(grid, block);
        let (mut asked, mut in_vain, mut waits) = (false, false, Vec::new());
        // The previous lane's query and its result: most lanes make the same query.
        let mut answered = None;
        for lane in lanes(active) {
            let address = addresses(&operation.address, rows, constants, local).of(lane);
            let location = (operation.address.space, address);
            let stop = |kind| Stop::at(kind, pc, lane);
            let value = |src: Src| src.of(rows, constants)[lane];
            let phase = Phase::new(operation.action, value).filter(|_| is_watched);
            let question = question(operation.action).map(|phase| (address, value(phase)));
            let result = match (operation.blocks, answered) {
                (_, Some((before, result))) if question == Some(before) => result,
                (None, _) => view.operate(lane, location, operation.action, value).map_err(stop)?,
                (Some(blocks), _) => {
                    let blocks = value(blocks);
                    view.operate_in(lane, location, operation.action, blocks, value).map_err(stop)?;
                    0
                }
            };
            answered = question.map(|question| (question, result));
            if let Some(dst) = operation.dst {
                rows[dst as usize][lane] = result;
            }
            if let Some([predicate, value]) = operation.report {
                // The report of an incomplete phase is undefined.
                let reported = result != 0 && view.reported_before(lane, location).map_err(stop)?;
                rows[predicate as usize][lane] = reported.into();
                rows[value as usize][lane] = 0;
            }
            match operation.action {
                MbarrierAction::ArriveOfCopies | MbarrierAction::ArriveOfCopiesCounted => {
                    let barrier = view.barrier_address(location).map_err(stop)?;
                    let arrival = Operation::new(Work::Nothing, (warp, lane, pc))
                        .grouped(Family::Copies, Ordered::AfterEarlier)
                        .signals(Signal::Arrival(barrier));
                    view.issue(arrival, &mut Registers::Running { warp, frame, rows })?;
                }
                MbarrierAction::IsOver(_)
                | MbarrierAction::IsOverParity(_)
                | MbarrierAction::IsOverConditional(_)
                    if result == 0 =>
                {
                    asked = true;
                    in_vain |= view.wait_for(location).map_err(stop)?;
                    if let Some(phase) = phase {
                        let barrier = view.barrier_address(location).map_err(stop)?;
                        waits.push((lane, Wait { barrier, phase }));
                    }
                }
                _ => {}
            }
        }
        self.asked |= asked;
        if !waits.is_empty() {
            self.watch_poll(block, frame, rows, pc, &waits);
        }
        match operation.action {
            _ if in_vain => self.give_way(),
            MbarrierAction::ArriveOfCopies | MbarrierAction::ArriveOfCopiesCounted => self.issued(block),
            _ => {}
        }
        Ok(())
    }
}
