//! Whether chosen modifiers satisfy the rules of their row, in constants too.

use crate::form::{Form, Rule};
use crate::names::{Field, Mod};

use super::chosen::Mnemonic;

/// Whether the modifiers satisfy the row's rules ([`Rule`]).
pub(super) const fn keeps_rules(form: &Form, mnemonic: &Mnemonic) -> bool {
    let mut at = 0;
    while at < form.rules.len() {
        let keeps = match &form.rules[at] {
            Rule::Together(one, other) => fills(form, mnemonic, *one) == fills(form, mnemonic, *other),
            Rule::Needs(modifier, needed) => {
                !has(form, mnemonic, *modifier) || has_any(form, mnemonic, needed)
            }
            Rule::Excludes(modifier, excluded) => {
                !has(form, mnemonic, *modifier) || !has_any(form, mnemonic, excluded)
            }
        };
        if !keeps {
            return false;
        }
        at += 1;
    }
    true
}

const fn fills(form: &Form, mnemonic: &Mnemonic, field: Field) -> bool {
    let mut at = 0;
    while at < form.slots.len() {
        if let Some(own) = form.slots[at].field()
            && own as u16 == field as u16
        {
            return mnemonic.chosen[at] != 0;
        }
        at += 1;
    }
    false
}

const fn has(form: &Form, mnemonic: &Mnemonic, modifier: Mod) -> bool {
    let mut at = 0;
    while at < form.slots.len() {
        if let Some(chosen) = form.slots[at].modifier(mnemonic.chosen[at])
            && same(chosen, modifier)
        {
            return true;
        }
        at += 1;
    }
    false
}

const fn has_any(form: &Form, mnemonic: &Mnemonic, modifiers: &[Mod]) -> bool {
    let mut at = 0;
    while at < modifiers.len() {
        if has(form, mnemonic, modifiers[at]) {
            return true;
        }
        at += 1;
    }
    false
}

pub(super) const fn same(one: Mod, other: Mod) -> bool {
    one as u16 == other as u16
}
