//! Which words decide what an instruction does. A suggestion keeps them: who writes `atom.add.s64` wants an addition of another
//! type, and not the minimum that has this one.

use crate::families::Opcode;
use crate::form::{Form, Slot};
use crate::names::{Field, Mod};
use crate::{form_ids, forms_of, name};

use super::super::order::Order;
use super::Word;

/// The kinds of modifiers for which a suggestion lists what the opcode has instead of choosing one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Listed {
    Operations,
    Spaces,
    MemoryOrders,
    Scopes,
}

impl Listed {
    fn of(field: Field) -> Option<Self> {
        match field {
            Field::Space => Some(Self::Spaces),
            Field::MemOrder => Some(Self::MemoryOrders),
            Field::Scope => Some(Self::Scopes),
            _ => decides_operation(field).then_some(Self::Operations),
        }
    }

    /// That the opcode does not have a word.
    pub(super) fn message(self, opcode: Opcode, word: &str) -> String {
        format!("`{}` has no {} `.{word}`", opcode.as_str(), self.name())
    }

    /// What the opcode has instead.
    pub(super) fn help(self, opcode: Opcode) -> String {
        let all: Vec<String> =
            self.of_opcode(opcode).iter().map(|one| format!("`.{}`", one.as_str())).collect();
        match all.as_slice() {
            [only] => format!("the only {} of `{}` is {only}", self.name(), opcode.as_str()),
            all => format!("the {}s of `{}` are {}", self.name(), opcode.as_str(), super::listed(all, "and")),
        }
    }

    /// What one of them is called.
    const fn name(self) -> &'static str {
        match self {
            Self::Operations => "operation",
            Self::Spaces => "state space",
            Self::MemoryOrders => "memory ordering",
            Self::Scopes => "scope",
        }
    }

    /// Those that the opcode has, each once, in the order of the table.
    fn of_opcode(self, opcode: Opcode) -> Vec<Mod> {
        let mut all: Vec<Mod> = Vec::new();
        for slot in slots_of(opcode).filter(|slot| slot.field().and_then(Self::of) == Some(self)) {
            for modifier in super::modifiers_in(slot) {
                if !all.contains(modifier) {
                    all.push(*modifier);
                }
            }
        }
        all
    }
}

fn slots_of(opcode: Opcode) -> impl Iterator<Item = &'static Slot> {
    forms_of(opcode).1.iter().flat_map(|form| form.slots)
}

/// Whether the modifiers of a field are different operations, and not variants of one.
pub(super) fn decides_operation(field: Field) -> bool {
    matches!(
        field,
        Field::Op
            | Field::Action
            | Field::Cmp
            | Field::Bool
            | Field::Mode
            | Field::Part
            | Field::Direction
            | Field::Query
            | Field::Property
            | Field::MapField
            | Field::Component
    )
}

/// Whether a modifier decides what an instruction of the opcode does.
pub(super) fn is_operation(opcode: Opcode, modifier: Mod) -> bool {
    // The lower half of a product is what a type without halves has as the whole: `mul.lo.f32` means `mul.f32`.
    let is_whole = modifier == Mod::Lo && slots_of(opcode).any(|slot| slot.field() == Some(Field::Part));
    let decides = |slot: &Slot| slot.field().is_some_and(decides_operation) && slot.takes(modifier);
    !is_whole && (name::is_word(modifier) || slots_of(opcode).any(decides))
}

/// Whether a row of the opcode has all the operations among the words, so that none of them has to be given up.
pub(super) fn may_all_be_kept(opcode: Opcode, words: &[Word<'_>]) -> bool {
    let operations: Vec<Mod> =
        words.iter().filter(|word| word.is_operation).filter_map(|word| word.modifier).collect();
    forms_of(opcode).1.iter().any(|form| has_slots_for(form, &operations))
}

fn has_slots_for(form: &Form, operations: &[Mod]) -> bool {
    let mut taken = vec![false; form.slots.len()];
    // Operations that are read in their order (`.and.popc`) never go to a slot before that of an earlier one.
    let mut ordered_from = 0;
    operations.iter().all(|operation| {
        let is_ordered = matches!(Order::of(*operation), Some(Order::Operations));
        let from = if is_ordered { ordered_from } else { 0 };
        let found = (from..taken.len()).find(|&at| !taken[at] && form.slots[at].takes(*operation));
        if let Some(at) = found {
            taken[at] = true;
            if is_ordered {
                ordered_from = at + 1;
            }
        }
        found.is_some()
    })
}

/// What a modifier that no row of the opcode has would decide elsewhere, where the opcode has others of its kind.
pub(super) fn kind_elsewhere(opcode: Opcode, modifier: Mod) -> Option<Listed> {
    let kinds = [Field::Space, Field::MemOrder, Field::Scope];
    let has = |slot: &Slot, field| slot.field() == Some(field) && slot.takes(modifier);
    let kind = kinds
        .into_iter()
        .find(|field| form_ids().any(|id| crate::form(id).slots.iter().any(|slot| has(slot, *field))));
    kind.and_then(Listed::of).filter(|listed| !listed.of_opcode(opcode).is_empty())
}
