//! The object of a barrier in shared memory, which is opaque to programs, and queries of it.
//!
//! Its 64 bits are, from the lowest: pending arrivals (20), expected arrivals (20),
//! pending transactions (tx-count; 21, signed), the parity of the phase, the layout, and a bit that is set in every
//! valid object. A state is the object before an arrival; it is queried in its phase and in the next one, which the
//! parity distinguishes.
//!
//! An object with `.layout::v1` counts at most 511 arrivals (manual 9.4, 9.7.15.16.3), so that the upper bits of its
//! expected arrivals contain its conditional phase and its reports. Of a report only the predicate is stored: copies
//! leave the value at zero (9.7.10.28.1.3).

use ptx_program::memory::SpaceAddress;
use ptx_program::{BarrierLayout, MbarrierAction, Src, Stay};

/// Size and alignment of an object in bytes.
pub(super) const BYTES: u32 = 8;

/// Width of an arrival count, and the maximum count.
const COUNT_BITS: u32 = 20;
const MOST: u32 = (1 << COUNT_BITS) - 1;

/// The same for `.layout::v1`.
const SHORT_COUNT_BITS: u32 = 9;
const SHORT_MOST: u32 = (1 << SHORT_COUNT_BITS) - 1;
const TRANSACTION_BITS: u32 = 21;
pub(super) const PHASE_SHIFT: u32 = 2 * COUNT_BITS + TRANSACTION_BITS;
pub(super) const PHASE_BITS: u32 = 1;

/// In the upper bits of the expected arrivals of `.layout::v1`.
const CONDITIONAL: u64 = 1 << 37;
const REPORTED: u64 = 1 << 38;
const REPORTED_BEFORE: u64 = 1 << 39;
pub(super) const LAYOUT: u64 = 1 << 62;
pub(super) const VALID: u64 = 1 << 63;

/// The contents of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Object {
    pub(super) pending: u32,
    expected: u32,
    pub(super) transactions: i32,
    /// Modulo two.
    phase: u32,
    layout: BarrierLayout,
    /// The conditional phase, modulo two.
    pub(super) conditional: u32,
    /// Whether something was reported in this phase, and in the previous one.
    pub(super) reported: [bool; 2],
}

/// The maximum number of arrivals of a layout.
fn most(layout: BarrierLayout) -> u32 {
    match layout {
        BarrierLayout::V0 => MOST,
        BarrierLayout::V1 => SHORT_MOST,
    }
}

impl Object {
    pub(super) fn new(count: u64, layout: BarrierLayout) -> Result<Self, String> {
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

    pub(super) fn from_bits(bits: u64) -> Option<Self> {
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

    pub(super) fn to_bits(self) -> u64 {
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
    pub(super) fn transact(&mut self, count: i64) -> Result<(), String> {
        let sum = i64::from(self.transactions) + count;
        match i32::try_from(sum) {
            Ok(sum) if sum.unsigned_abs() <= MOST => self.transactions = sum,
            _ => return Err(format!("{sum} transactions would be pending; a barrier counts to {MOST}")),
        }
        Ok(())
    }

    pub(super) fn arrive(&mut self, count: u64, stay: Stay) -> Result<(), String> {
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
    pub(super) fn expect_one_more(&mut self) -> Result<(), String> {
        let most = most(self.layout);
        if self.pending == most {
            return Err(format!("a barrier waits for at most {most} arrivals"));
        }
        self.pending += 1;
        Ok(())
    }

    /// Records a report; this phase then ends without the conditional one.
    pub(super) fn report(&mut self) -> Result<(), String> {
        if self.layout != BarrierLayout::V1 {
            return Err("a copy reports to a barrier without `.layout::v1`".to_owned());
        }
        self.reported[0] = true;
        Ok(())
    }

    /// Starts the next phase if this one is complete; returns whether it was (manual 9.4, 9.7.15.16.8).
    pub(super) fn advance(&mut self) -> bool {
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
    pub(super) parity: u64,
    pub(super) is_conditional: bool,
}

/// The operand of a phase query: the state or the parity of the phase.
pub(super) fn question(action: MbarrierAction) -> Option<Src> {
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
    pub(super) barrier: SpaceAddress,
    pub(super) parity: u64,
}

impl Phase {
    pub(super) fn new(action: MbarrierAction, value: impl Fn(Src) -> u64) -> Option<Self> {
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
