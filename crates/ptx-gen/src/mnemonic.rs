//! Modifiers for a row.

use std::collections::HashSet;

use ptx_isa::{Constraint, Field, Form, FormId, Mnemonic, Mod, Rule, Slot};

use crate::choices::Choices;

/// A modifier that must occur in a slot, counted from the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pin {
    /// The slot's place in [`Form::slots`].
    pub slot: usize,
    /// One of those that the slot takes.
    pub modifier: Mod,
}

/// Every modifier of every slot of a row that has a choice, one after the other; not those that it has only to refuse them.
pub fn pins(form: &Form) -> Vec<Pin> {
    let mut all = Vec::new();
    for (slot, at) in form.slots.iter().zip(0..) {
        if let Slot::One(_, set) | Slot::Opt(_, set) = slot {
            all.extend(set.iter().map(|&modifier| Pin { slot: at, modifier }));
        }
    }
    let refused = |pin: &Pin| {
        form.constraints
            .iter()
            .any(|one| matches!(one, Constraint::Never(modifier, _) if *modifier == pin.modifier))
    };
    all.retain(|pin| !refused(pin));
    all
}

/// How many optional slots are filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Density {
    /// About one in six.
    Sparse,
    /// About two in five.
    Dense,
}

/// Every combination of modifiers of a row that its slots and rules allow, each once, in the order of the slots.
///
/// There is a bound on how many combinations are tried, far above what rows of arithmetic have; rows beyond it give none.
pub fn mnemonics(id: FormId) -> Vec<Mnemonic> {
    const MOST: usize = 1 << 16;
    let options: Vec<Vec<Option<Mod>>> = ptx_isa::form(id).slots.iter().map(options).collect();
    let Some(count) = options.iter().try_fold(1usize, |count, one| count.checked_mul(one.len())) else {
        return Vec::new();
    };
    if count > MOST {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    let chosen = |mut number: usize| -> Option<Mnemonic> {
        let pick = |all: &Vec<Option<Mod>>| {
            let at = number % all.len();
            number /= all.len();
            all.get(at).copied().flatten()
        };
        let modifiers: Vec<Mod> = options.iter().filter_map(pick).collect();
        Mnemonic::choose(id, &modifiers)
    };
    (0..count).filter_map(chosen).filter(|mnemonic| seen.insert(*mnemonic)).collect()
}

/// What may occur in a slot.
fn options(slot: &Slot) -> Vec<Option<Mod>> {
    match slot {
        Slot::Lit(modifier) => vec![Some(*modifier)],
        Slot::One(_, set) => set.iter().copied().map(Some).collect(),
        Slot::Opt(_, set) => std::iter::once(None).chain(set.iter().copied().map(Some)).collect(),
    }
}

/// Modifiers for a row, such as its slots and rules allow; `None` when no choice was found that keeps all rules.
pub(crate) fn choose(
    choices: &mut dyn Choices,
    id: FormId,
    pin: Option<Pin>,
    density: Density,
) -> Option<Mnemonic> {
    const ATTEMPTS: usize = 8;
    let form = ptx_isa::form(id);
    let pinned = |at: usize| pin.is_some_and(|pin| pin.slot == at);
    (0..ATTEMPTS).find_map(|_| {
        let mut chosen: Vec<Option<Mod>> =
            form.slots.iter().map(|slot| any(choices, slot, density)).collect();
        if let Some(pin) = pin {
            *chosen.get_mut(pin.slot)? = Some(pin.modifier);
        }
        for _ in 0..4 * (form.rules.len() + form.constraints.len()) {
            let broken = form.rules.iter().copied().find(|rule| !keeps(form, &chosen, rule));
            if let Some(rule) = broken.or_else(|| violated(form, &chosen)) {
                mend(choices, form, &mut chosen, &rule, &pinned);
            } else {
                break;
            }
        }
        let modifiers: Vec<Mod> = chosen.into_iter().flatten().collect();
        let found = Mnemonic::choose(id, &modifiers)?;
        let keeps = form.constraints.iter().all(|constraint| constraint.violation(&found).is_none());
        (keeps && pin.is_none_or(|pin| found.has(pin.modifier))).then_some(found)
    })
}

fn any(choices: &mut dyn Choices, slot: &Slot, density: Density) -> Option<Mod> {
    let (part, whole) = match density {
        Density::Sparse => (1, 6),
        Density::Dense => (2, 5),
    };
    match slot {
        Slot::Lit(modifier) => Some(*modifier),
        Slot::One(_, set) => choices.pick(set),
        Slot::Opt(_, set) if choices.chance(part, whole) => choices.pick(set),
        Slot::Opt(..) => None,
    }
}

fn keeps(form: &Form, chosen: &[Option<Mod>], rule: &Rule) -> bool {
    let has = |modifier: &Mod| chosen.contains(&Some(*modifier));
    let filled = |field: Field| form.slot_of(field).is_some_and(|at| chosen[at].is_some());
    match rule {
        Rule::Together(one, other) => filled(*one) == filled(*other),
        Rule::Needs(modifier, needed) => !has(modifier) || needed.iter().any(has),
        Rule::Excludes(modifier, excluded) => !has(modifier) || !excluded.iter().any(has),
    }
}

/// The first constraint that the modifiers violate, as the rule that mends it.
fn violated(form: &Form, chosen: &[Option<Mod>]) -> Option<Rule> {
    form.constraints.iter().find_map(|constraint| {
        let (modifier, _) = constraint.violated_by(&|modifier| chosen.contains(&Some(modifier)))?;
        Some(match constraint {
            Constraint::Never(..) => Rule::Needs(modifier, &[]),
            Constraint::Needs(_, needed) => Rule::Needs(modifier, needed),
            Constraint::Excludes(_, others) | Constraint::Misplaced(_, others, _) => {
                Rule::Excludes(modifier, others)
            }
        })
    })
}

/// Changes one slot so that the rule may hold.
fn mend(
    choices: &mut dyn Choices,
    form: &Form,
    chosen: &mut [Option<Mod>],
    rule: &Rule,
    pinned: &dyn Fn(usize) -> bool,
) {
    let free = |at: &usize| !pinned(*at);
    let choose = |choices: &mut dyn Choices, at: usize| match form.slots[at] {
        Slot::Lit(modifier) => Some(modifier),
        Slot::One(_, set) | Slot::Opt(_, set) => choices.pick(set),
    };
    match rule {
        Rule::Together(one, other) => {
            let (Some(one), Some(other)) = (form.slot_of(*one), form.slot_of(*other)) else { return };
            let empty = if chosen[one].is_none() { one } else { other };
            chosen[empty] = choose(choices, empty);
        }
        Rule::Needs(modifier, needed) => {
            let places: Vec<(usize, Mod)> = (0..form.slots.len())
                .filter(free)
                .flat_map(|at| needed.iter().map(move |&needed| (at, needed)))
                .filter(|&(at, needed)| form.slots[at].takes(needed))
                .collect();
            match choices.pick(&places) {
                Some((at, needed)) if choices.chance(3, 4) => chosen[at] = Some(needed),
                _ => redraw(choices, form, chosen, std::slice::from_ref(modifier), &free),
            }
        }
        Rule::Excludes(modifier, excluded) => {
            let one_side = choices.chance(1, 2);
            let gone = if one_side { std::slice::from_ref(modifier) } else { *excluded };
            redraw(choices, form, chosen, gone, &free);
        }
    }
}

/// Puts other modifiers, or none, where these are.
fn redraw(
    choices: &mut dyn Choices,
    form: &Form,
    chosen: &mut [Option<Mod>],
    gone: &[Mod],
    free: &dyn Fn(&usize) -> bool,
) {
    for at in (0..form.slots.len()).filter(free) {
        if chosen[at].is_some_and(|modifier| gone.contains(&modifier)) {
            chosen[at] = any(choices, &form.slots[at], Density::Sparse);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::Seeded;

    #[test]
    fn all_combinations_of_a_row_are_there_once() {
        let all = |text: &str| {
            let id = Mnemonic::from_text(text).expect("a mnemonic").form_id();
            mnemonics(id).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        // Three types (manual 9.7.1.11).
        assert_eq!(all("abs.s16"), ["abs.s16", "abs.s32", "abs.s64"]);
        // A rounding or none, `.ftz` or not, `.sat` or not (manual 9.7.3.3).
        assert_eq!(all("add.rz.ftz.sat.f32").iter().filter(|text| text.ends_with(".f32")).count(), 5 * 2 * 2);
    }

    #[test]
    fn every_modifier_of_every_row_can_be_chosen() {
        let mut choices = Seeded::new(1);
        for id in ptx_isa::form_ids() {
            let form = ptx_isa::form(id);
            for pin in pins(form) {
                let found = (0..8).find_map(|_| choose(&mut choices, id, Some(pin), Density::Sparse));
                assert!(found.is_some(), "{}: .{}", form.syntax(), pin.modifier.as_str());
            }
        }
    }
}
