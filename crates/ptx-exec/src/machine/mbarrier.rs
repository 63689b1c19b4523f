//! Barriers in shared memory (mbarriers, manual 9.7.13.15).
//!
//! The object is opaque to programs. Its 64 bits are, from the lowest: pending arrivals (20), expected arrivals (20),
//! pending transactions (tx-count; 21, signed), the parity of the phase, the layout, and a bit that is set in every
//! valid object. A state is the object before an arrival; it is queried in its phase and in the next one, which the
//! parity distinguishes.
//!
//! An object with `.layout::v1` counts at most 511 arrivals (manual 9.4, 9.7.15.16.3), so that the upper bits of its
//! expected arrivals contain its conditional phase and its reports. Of a report only the predicate is stored: copies
//! leave the value at zero (9.7.10.28.1.3).

use super::Stop;
use super::block::BlockState;
use super::cluster::in_target;
use super::grid::Grid;
use super::memory::{View, addresses, check_alignment};
use super::pending::{Operation, Order as Ordered, Registers, Signal, SpaceAddress, Work};
use super::step::blend;
use super::warp::Warp;
use crate::error::TrapKind;
use crate::memory::{Order, Space};
use crate::program::{
    BarrierLayout, Completion, Dst, Family, Mask, Mbarrier, MbarrierAction, Row, Src, Stay, WARP, first_lane,
    lanes,
};

/// Size and alignment of an object in bytes.
const BYTES: u32 = 8;
/// Width of an arrival count, and the maximum count.
const COUNT_BITS: u32 = 20;
const MOST: u32 = (1 << COUNT_BITS) - 1;
/// The same for `.layout::v1`.
const SHORT_COUNT_BITS: u32 = 9;
const SHORT_MOST: u32 = (1 << SHORT_COUNT_BITS) - 1;
const TRANSACTION_BITS: u32 = 21;
const PHASE_SHIFT: u32 = 2 * COUNT_BITS + TRANSACTION_BITS;
const PHASE_BITS: u32 = 1;
/// In the upper bits of the expected arrivals of `.layout::v1`.
const CONDITIONAL: u64 = 1 << 37;
const REPORTED: u64 = 1 << 38;
const REPORTED_BEFORE: u64 = 1 << 39;
const LAYOUT: u64 = 1 << 62;
const VALID: u64 = 1 << 63;

/// The contents of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Object {
    pending: u32,
    expected: u32,
    transactions: i32,
    /// Modulo two.
    phase: u32,
    layout: BarrierLayout,
    /// The conditional phase, modulo two.
    conditional: u32,
    /// Whether something was reported in this phase, and in the previous one.
    reported: [bool; 2],
}

/// The maximum number of arrivals of a layout.
fn most(layout: BarrierLayout) -> u32 {
    match layout {
        BarrierLayout::V0 => MOST,
        BarrierLayout::V1 => SHORT_MOST,
    }
}

impl Object {
    fn new(count: u64, layout: BarrierLayout) -> Result<Self, String> {
        let most = most(layout);
        match u32::try_from(count) {
            Ok(count) if (1..=most).contains(&count) => Ok(Self {
                pending: count,
                expected: count,
                transactions: 0,
                phase: 0,
                layout,
                conditional: 0,
                reported: [false; 2],
            }),
            _ => Err(format!("a barrier is for 1 to {most} arrivals, not for {count}")),
        }
    }

    fn from_bits(bits: u64) -> Option<Self> {
        let field = |shift: u32, width: u32| (bits >> shift) as u32 & ((1 << width) - 1);
        // The tx-count is signed: shifting it to the top of 32 bits and back extends its sign.
        let unused = 32 - TRANSACTION_BITS;
        let phase = field(PHASE_SHIFT, PHASE_BITS);
        let (layout, width, conditional, reported) = match bits & LAYOUT != 0 {
            true => {
                let reported = [bits & REPORTED != 0, bits & REPORTED_BEFORE != 0];
                (BarrierLayout::V1, SHORT_COUNT_BITS, u32::from(bits & CONDITIONAL != 0), reported)
            }
            false => (BarrierLayout::V0, COUNT_BITS, phase, [false; 2]),
        };
        (bits & VALID != 0).then(|| Self {
            pending: field(0, COUNT_BITS),
            expected: field(COUNT_BITS, width),
            transactions: (field(2 * COUNT_BITS, TRANSACTION_BITS) << unused) as i32 >> unused,
            phase,
            layout,
            conditional,
            reported,
        })
    }

    fn to_bits(self) -> u64 {
        let transactions = u64::from(self.transactions as u32 & ((1 << TRANSACTION_BITS) - 1));
        let flag = |is_set: bool, bit: u64| if is_set { bit } else { 0 };
        let layout = match self.layout {
            BarrierLayout::V0 => 0,
            BarrierLayout::V1 => {
                LAYOUT
                    | flag(self.conditional != 0, CONDITIONAL)
                    | flag(self.reported[0], REPORTED)
                    | flag(self.reported[1], REPORTED_BEFORE)
            }
        };
        VALID
            | layout
            | u64::from(self.phase) << PHASE_SHIFT
            | transactions << (2 * COUNT_BITS)
            | u64::from(self.expected) << COUNT_BITS
            | u64::from(self.pending)
    }

    /// Adds to the tx-count.
    fn transact(&mut self, count: i64) -> Result<(), String> {
        let sum = i64::from(self.transactions) + count;
        match i32::try_from(sum) {
            Ok(sum) if sum.unsigned_abs() <= MOST => self.transactions = sum,
            _ => return Err(format!("{sum} transactions would be pending; a barrier counts to {MOST}")),
        }
        Ok(())
    }

    fn arrive(&mut self, count: u64, stay: Stay) -> Result<(), String> {
        let arrived = u32::try_from(count).ok().filter(|&count| (1..=MOST).contains(&count));
        let arrived = arrived.ok_or_else(|| format!("{count} arrivals at once; there are 1 to {MOST}"))?;
        if stay == Stay::Leaves {
            let text = || format!("{arrived} leave a barrier that waits for {}", self.expected);
            self.expected = self.expected.checked_sub(arrived).ok_or_else(text)?;
        }
        let text = || format!("{arrived} arrive at a barrier whose phase waits for {}", self.pending);
        self.pending = self.pending.checked_sub(arrived).ok_or_else(text)?;
        Ok(())
    }

    /// Makes the phase expect one more arrival.
    fn expect_one_more(&mut self) -> Result<(), String> {
        let most = most(self.layout);
        if self.pending == most {
            return Err(format!("a barrier waits for at most {most} arrivals"));
        }
        self.pending += 1;
        Ok(())
    }

    /// Records a report; this phase then ends without the conditional one.
    fn report(&mut self) -> Result<(), String> {
        if self.layout != BarrierLayout::V1 {
            return Err("a copy reports to a barrier without `.layout::v1`".to_owned());
        }
        self.reported[0] = true;
        Ok(())
    }

    /// Starts the next phase if this one is complete; returns whether it was (manual 9.4, 9.7.15.16.8).
    fn advance(&mut self) -> bool {
        let is_complete = self.pending == 0 && self.transactions == 0;
        if is_complete {
            // A phase with a report ends like any other, but the conditional phase does not: threads that wait for it keep waiting.
            self.phase = (self.phase + 1) & ((1 << PHASE_BITS) - 1);
            if !self.reported[0] {
                self.conditional ^= 1;
            }
            self.reported = [false, self.reported[0]];
            self.pending = self.expected;
        }
        is_complete
    }
}

/// Signals that an mbarrier is to receive.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Demand {
    pub(super) arrivals: u64,
    pub(super) transactions: u64,
}

/// The number of pending arrivals in a state.
pub(crate) fn pending_count(state: u64) -> u64 {
    state & u64::from(MOST)
}

/// What a thread waits for after an unsuccessful query of a phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    /// The mbarrier, as an address valid in every block of the cluster.
    pub(super) barrier: SpaceAddress,
    pub(super) phase: Phase,
}

/// A phase queried by a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phase {
    parity: u64,
    is_conditional: bool,
}

/// The operand of a phase query: the state or the parity of the phase.
fn question(action: MbarrierAction) -> Option<Src> {
    match action {
        MbarrierAction::IsOver(phase)
        | MbarrierAction::IsOverParity(phase)
        | MbarrierAction::IsOverConditional(phase) => Some(phase),
        MbarrierAction::Init(..)
        | MbarrierAction::HasLayout(_)
        | MbarrierAction::Invalidate
        | MbarrierAction::Expect(_)
        | MbarrierAction::Complete(_)
        | MbarrierAction::Arrive { .. }
        | MbarrierAction::ArriveOfCopies
        | MbarrierAction::ArriveOfCopiesCounted => None,
    }
}

/// An unsuccessful query made by all lanes: an mbarrier, as an address valid in every block of the cluster, and the parity of the phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question {
    barrier: SpaceAddress,
    parity: u64,
}

impl Question {
    /// Whether the query would now succeed.
    pub(super) fn is_answered(self, block: &BlockState) -> bool {
        let (space, address) = self.barrier;
        let bits = block.read_shared(space, address, BYTES);
        // An object that is no longer a valid mbarrier is reported to the threads that query it.
        bits.map_or(true, |bits| bits & VALID == 0 || (bits >> PHASE_SHIFT ^ self.parity) & 1 != 0)
    }
}

impl Phase {
    fn new(action: MbarrierAction, value: impl Fn(Src) -> u64) -> Option<Self> {
        let asked = value(question(action)?);
        let parity = if matches!(action, MbarrierAction::IsOver(_)) { asked >> PHASE_SHIFT } else { asked };
        Some(Self {
            parity: parity & 1,
            is_conditional: matches!(action, MbarrierAction::IsOverConditional(_)),
        })
    }

    /// Describes what is missing to complete the phase, given the bits of the object.
    pub(super) fn missing(self, bits: u64) -> String {
        let phase = format!(
            "the {}phase of parity {}",
            if self.is_conditional { "conditional " } else { "" },
            self.parity
        );
        let Some(object) = Object::from_bits(bits) else {
            return format!("{phase}, but it is not initialized");
        };
        let mut missing = vec![format!("{} of {} arrivals are pending", object.pending, object.expected)];
        match object.transactions {
            0 => {}
            count @ 1.. => missing.push(format!("{count} bytes of transactions are pending")),
            count => missing.push(format!("{} bytes more than expected are there", -count)),
        }
        format!("{phase}, of which {}", missing.join(" and "))
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
                    object.transact(transactions.map_or(0, |count| value(count) as i64))?;
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
                let phase = Object::from_bits(now).map_or(0, |object| object.conditional);
                Ok((u64::from(phase) ^ value(parity)) & 1)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_keeps_its_counts_in_its_bits() {
        let object = Object {
            pending: 3,
            expected: MOST,
            transactions: -(MOST as i32),
            phase: 1,
            layout: BarrierLayout::V0,
            conditional: 1,
            reported: [false; 2],
        };
        assert_eq!(Object::from_bits(object.to_bits()), Some(object));
        for (conditional, now, before) in [(0, true, false), (1, false, true), (1, true, true)] {
            let layout = BarrierLayout::V1;
            let object = Object { layout, expected: 511, conditional, reported: [now, before], ..object };
            assert_eq!(Object::from_bits(object.to_bits()), Some(object));
        }
        assert_eq!(Object::from_bits(0), None);
        assert_eq!(pending_count(object.to_bits()), 3);
    }

    #[test]
    fn a_phase_ends_when_nothing_is_pending() {
        let mut object = Object::new(2, BarrierLayout::V0).unwrap();
        object.transact(16).unwrap();
        object.arrive(2, Stay::Stays).unwrap();
        assert!(!object.advance(), "16 transactions are pending");
        object.transact(-16).unwrap();
        assert!(object.advance());
        assert_eq!((object.pending, object.expected, object.phase), (2, 2, 1));
        object.arrive(1, Stay::Leaves).unwrap();
        object.arrive(1, Stay::Stays).unwrap();
        assert!(object.advance());
        assert_eq!((object.pending, object.expected, object.phase), (1, 1, 0));
    }

    #[test]
    fn counts_have_bounds() {
        assert!(Object::new(0, BarrierLayout::V0).is_err());
        assert!(Object::new(1 << 20, BarrierLayout::V0).is_err());
        assert!(Object::new(511, BarrierLayout::V1).is_ok());
        assert!(Object::new(512, BarrierLayout::V1).is_err());
        let mut object = Object::new(1, BarrierLayout::V1).unwrap();
        assert!(object.arrive(2, Stay::Stays).is_err());
        assert!(object.transact(1 << 20).is_err());
    }
}
