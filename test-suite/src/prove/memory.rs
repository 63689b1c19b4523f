//! The two buffers of a kernel: one that is read, one that is written.

use std::collections::BTreeMap;

use super::term::{Bits, Terms};

/// The bytes that each register has in the buffers.
pub(super) const SLOT: u64 = crate::differential::SLOT as u64;

/// A value that is computed: its bits, and one bit that is set where it has no definite value (what PTX leaves open, LLVM's poison).
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Value<'t> {
    pub bits: Bits<'t>,
    pub open: Bits<'t>,
}

impl<'t> Value<'t> {
    pub(super) fn of(bits: Bits<'t>) -> Self {
        Self { bits, open: bits.terms().truth(false) }
    }

    /// Either value, selected by a bit.
    pub(super) fn pick(condition: Bits<'t>, a: Self, b: Self) -> Self {
        Self { bits: condition.pick(a.bits, b.bits), open: condition.pick(a.open, b.open) }
    }

    pub(super) fn map(self, change: impl Fn(Bits<'t>) -> Bits<'t>) -> Self {
        Self { bits: change(self.bits), ..self }
    }

    /// `self` above `low`.
    pub(super) fn concat(self, low: Self) -> Self {
        Self { bits: self.bits.concat(low.bits), open: self.open | low.open }
    }
}

/// What is in the buffers. The one that is read holds an input in each slot; accesses have offsets that are numbers.
#[derive(Clone, Debug)]
pub(super) struct Memory<'t> {
    terms: &'t Terms,
    /// The bytes that were written, by offset.
    written: BTreeMap<u64, Value<'t>>,
}

impl<'t> Memory<'t> {
    pub(super) fn new(terms: &'t Terms) -> Self {
        Self { terms, written: BTreeMap::new() }
    }

    /// The address of the buffer that is read.
    pub(super) fn source(&self) -> Bits<'t> {
        self.terms.var("in", 64)
    }

    /// The address of the buffer that is written.
    pub(super) fn target(&self) -> Bits<'t> {
        self.terms.var("out", 64)
    }

    fn offset(address: Bits<'t>, base: Bits<'t>) -> Option<u64> {
        (address - base).as_number().and_then(|offset| u64::try_from(offset).ok())
    }

    /// The bits at an address; `None` for addresses that are not in the buffers.
    pub(super) fn load(&self, address: Bits<'t>, width: u32) -> Option<Value<'t>> {
        let byte: Box<dyn Fn(u64) -> Option<Value<'t>>> =
            if let Some(from) = Self::offset(address, self.source()) {
                Box::new(move |at| {
                    let slot = self.terms.var(&input((from + at) / SLOT), 8 * SLOT as u32);
                    Some(Value::of(slot.extract(((from + at) % SLOT) as u32 * 8, 8)))
                })
            } else {
                let from = Self::offset(address, self.target())?;
                Box::new(move |at| self.written.get(&(from + at)).copied())
            };
        let mut all = byte(0)?;
        for at in 1..u64::from(width.div_ceil(8)) {
            all = byte(at)?.concat(all);
        }
        Some(all.map(|bits| bits.trunc(width)))
    }

    /// Writes bits at an address where a bit is set; `None` for addresses that are not in the buffer.
    pub(super) fn store(&mut self, address: Bits<'t>, value: Value<'t>, active: Bits<'t>) -> Option<()> {
        let from = Self::offset(address, self.target())?;
        let bits = value.bits;
        let whole = bits.resize(false, bits.width().div_ceil(8) * 8);
        for at in 0..whole.width() / 8 {
            let byte = Value { bits: whole.extract(at * 8, 8), open: value.open };
            let key = from + u64::from(at);
            let before = self.written.get(&key).copied().unwrap_or_else(|| self.untouched(key));
            self.written.insert(key, Value::pick(active, byte, before));
        }
        Some(())
    }

    fn untouched(&self, at: u64) -> Value<'t> {
        Value::of(self.terms.var(&format!("before{at}"), 8))
    }

    /// The bits of a slot of the buffer that is written.
    pub(super) fn result(&self, slot: usize, width: u32) -> Value<'t> {
        let from = slot as u64 * SLOT;
        let byte = |at| self.written.get(&(from + at)).copied().unwrap_or_else(|| self.untouched(from + at));
        let all = (1..u64::from(width.div_ceil(8))).fold(byte(0), |low, at| byte(at).concat(low));
        all.map(|bits| bits.trunc(width))
    }
}

/// The name of the input in a slot.
pub(super) fn input(slot: u64) -> String {
    format!("slot{slot}")
}
