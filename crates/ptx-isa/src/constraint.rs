//! Constraints between the modifiers of an instruction, beyond those that decide which row a text means.

use crate::names::Mod;

/// A constraint between modifiers of a row that the verifier checks. In contrast to a [`Rule`](crate::Rule), it does not decide
/// whether a text means the row: the parser accepts what violates it, so that the verifier can report the reason.
#[derive(Clone, Copy, Debug)]
pub enum Constraint {
    /// There is no such instruction, for this reason.
    Never(Mod, &'static str),
    /// With one of the first modifiers there must be one of the second.
    Needs(&'static [Mod], &'static [Mod]),
    /// None of the first modifiers can be combined with one of the second.
    Excludes(&'static [Mod], &'static [Mod]),
    /// None of the first modifiers is allowed with one of the second, which name where the instruction acts, for this reason.
    Misplaced(&'static [Mod], &'static [Mod], &'static str),
}

impl Constraint {
    /// The modifiers of a set that violate the constraint: the first one that it is about, and the one that must not be beside it, if
    /// there is one.
    pub fn violated_by(&self, has: &dyn Fn(Mod) -> bool) -> Option<(Mod, Option<Mod>)> {
        let first = |list: &[Mod]| list.iter().copied().find(|modifier| has(*modifier));
        match self {
            Constraint::Never(modifier, _) => has(*modifier).then_some((*modifier, None)),
            Constraint::Needs(with, needed) => {
                first(with).filter(|_| first(needed).is_none()).zip(Some(None))
            }
            Constraint::Excludes(with, others) | Constraint::Misplaced(with, others, _) => {
                first(with).zip(first(others).map(Some))
            }
        }
    }
}
