//! Which variables share memory.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use ptx_llvm_core::edit::Inst;

use super::Local;
use super::lifetime::Lifetime;

/// How many slots are tried for a variable: the time is linear in their number.
const MOST_TRIED: usize = 16;

/// Memory that variables share: that of the first, which is the largest of them.
pub(super) struct Slot<'e> {
    pub(super) local: Inst<'e>,
    /// The largest alignment of them.
    pub(super) alignment: u32,
    pub(super) others: Vec<Inst<'e>>,
    /// The last instruction of each range in which one of them is alive, by the first.
    alive: BTreeMap<u32, u32>,
}

impl Slot<'_> {
    fn overlaps(&self, lifetime: &Lifetime) -> bool {
        lifetime.iter().any(|&(first, last)| {
            let before = self.alive.range(..=last).next_back();
            before.is_some_and(|(_, &end)| end >= first)
        })
    }

    fn occupy(&mut self, lifetime: Lifetime) {
        for (first, last) in lifetime {
            let end = self.alive.entry(first).or_insert(last);
            *end = last.max(*end);
        }
    }
}

/// Distributes variables, the largest first, to the first slot of a few in which no other is alive at the same time. Those of a slot are of
/// one type of pointer.
pub(super) fn share(mut locals: Vec<Local<'_>>) -> Vec<Slot<'_>> {
    locals.sort_by_key(|local| Reverse(local.bytes));
    let mut slots: Vec<Slot<'_>> = Vec::new();
    for Local { inst, alignment, lifetime, .. } in locals {
        let mut tried = slots.iter_mut().rev().take(MOST_TRIED);
        match tried.find(|slot| slot.local.ty() == inst.ty() && !slot.overlaps(&lifetime)) {
            Some(slot) => {
                slot.others.push(inst);
                slot.alignment = slot.alignment.max(alignment);
                slot.occupy(lifetime);
            }
            None => {
                let mut slot = Slot { local: inst, alignment, others: Vec::new(), alive: BTreeMap::new() };
                slot.occupy(lifetime);
                slots.push(slot);
            }
        }
    }
    slots
}
