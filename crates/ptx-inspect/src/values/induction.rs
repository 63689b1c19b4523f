//! Values that change by the same step with each iteration of a loop.

use rustc_hash::FxHashMap;

use crate::polynomial::{Atom, Polynomial};
use crate::ssa::{Origin, ValueId};
use crate::values::Values;

impl Values<'_, '_> {
    /// Of each value that meets at the beginning of a loop, and that the loop adds the same to each time, the loop and what it adds.
    pub(super) fn steps(&self) -> FxHashMap<ValueId, (usize, Polynomial)> {
        let mut steps = FxHashMap::default();
        for value in self.ssa.ids() {
            let Origin::Meet { block, from } = &self.ssa.value(value).origin else { continue };
            let Some(number) = self.code.loops.headed_by(*block) else { continue };
            let again = from.iter().filter(|(before, _)| self.code.loops.contains(number, *before));
            let mut found = again.map(|(before, next)| self.step(value, self.seen(*next, *before)));
            let Some(Some(step)) = found.next() else { continue };
            if found.all(|other| other.as_ref() == Some(&step)) && self.is_invariant(&step, number) {
                steps.insert(value, (number, step));
            }
        }
        steps
    }

    /// What has been added to a value.
    fn step(&self, value: ValueId, next: Polynomial) -> Option<Polynomial> {
        next.minus(&Polynomial::atom(Atom::Value(value)))
    }

    /// Whether a sum does not change in a loop.
    pub(crate) fn is_invariant(&self, sum: &Polynomial, number: usize) -> bool {
        sum.atoms().all(|atom| match atom {
            Atom::Value(value) => match self.ssa.block(self.code, value) {
                Some(block) => !self.code.loops.contains(number, block),
                None => true,
            },
            Atom::Left(value) => match self.ssa.block(self.code, value) {
                Some(block) => !self.code.loops.contains(number, block),
                None => true,
            },
            Atom::Iteration(other) | Atom::Finished(other) => {
                let header = self.code.loops.all[other].header;
                !self.code.loops.contains(number, header)
            }
            Atom::Operation(id) => {
                self.operation(id).sources.iter().all(|source| self.is_invariant(source, number))
            }
            Atom::Special(..) | Atom::Parameter(..) | Atom::Address(_) => true,
        })
    }

    /// A value that a loop begins with: the first one, and the step for each iteration.
    pub(super) fn induction(&self, value: ValueId, number: usize, step: &Polynomial) -> Option<Polynomial> {
        let Origin::Meet { block, from } = &self.ssa.value(value).origin else { return None };
        let mut first = from
            .iter()
            .filter(|(before, _)| !self.code.loops.contains(number, *before))
            .map(|(_, from)| self.seen(*from, *block));
        let start = first.next()?;
        if first.any(|other| other != start) {
            return None;
        }
        // Values around the loop may be known better than when the step was found.
        let step = step.replaced(&mut |atom| match atom {
            Atom::Value(value) => self.seen(value, *block),
            atom => Polynomial::atom(atom),
        })?;
        start.plus(&step.times(&Polynomial::atom(Atom::Iteration(number)))?)
    }
}
