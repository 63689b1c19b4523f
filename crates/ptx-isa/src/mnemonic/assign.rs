//! Assigning modifiers to the slots of a row.

use crate::families::Opcode;
use crate::form::FormId;
use crate::names::Mod;
use crate::{form, name, table};

use super::chosen::{MAX_SLOTS, Mnemonic};
use super::order::Order;
use super::rules::keeps_rules;

impl Mnemonic {
    /// Chooses modifiers for a row; each is assigned to the first empty slot that accepts it, types after types,
    /// layouts after layouts, state spaces after state spaces, and the words of the instruction's name before all
    /// others: `cvt.rn.f32.s32` is not `cvt.rn.s32.f32`. `None` if a modifier fits no slot or a required slot stays
    /// empty.
    pub fn choose(id: FormId, modifiers: &[Mod]) -> Option<Self> {
        let placed = placed(id, modifiers)?;
        let mut mnemonic = Self { form: id, chosen: [0; MAX_SLOTS] };
        let mut complete = true;
        for ((slot, place), chosen) in form(id).slots.iter().zip(&placed).zip(&mut mnemonic.chosen) {
            complete &= slot.is_optional() || place.is_some();
            *chosen = place.map_or(Some(0), |modifier| slot.number_of(modifier))?;
        }
        let named = name::matches_name_prefix(form(id), &placed, modifiers);
        (complete && named && mnemonic.keeps_rules()).then_some(mnemonic)
    }

    pub(super) fn keeps_rules(&self) -> bool {
        keeps_rules(self.form(), self)
    }
}

/// The slots of a row with each of these modifiers in the first one that accepts it; `None` if there is none for one of them.
pub(super) fn placed(id: FormId, modifiers: &[Mod]) -> Option<[Option<Mod>; MAX_SLOTS]> {
    let slots = form(id).slots;
    let mut chosen = [None; MAX_SLOTS];
    let mut first_free = [0; Order::COUNT];
    for &modifier in modifiers {
        let order = Order::of(modifier);
        // Default: a modifier without an order may be in any slot.
        let from = order.map_or(0, |order| first_free[order as usize]);
        let fits = |at: &usize| chosen[*at].is_none() && slots[*at].takes(modifier);
        let at = (from..slots.len()).find(fits)?;
        chosen[at] = Some(modifier);
        if let Some(order) = order {
            first_free[order as usize] = at + 1;
        }
    }
    Some(chosen)
}

/// The ids of the rows of an opcode.
pub(super) fn ids_of(opcode: Opcode) -> impl Iterator<Item = FormId> {
    table::ids_of(opcode).map(FormId)
}
