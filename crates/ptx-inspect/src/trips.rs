//! How often loops are executed.

use ptx_ir::{Inst, Operand};
use ptx_isa::{CompareSem, ControlSem, Field, Mod, OperandKey, Sem};

use crate::code::Code;
use crate::polynomial::{Atom, Polynomial};
use crate::ssa::Origin;
use crate::values::Values;

/// How often a loop is executed each time it is entered: how often its latch is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Trips {
    Known(u64),
    /// As a term of what is known when it is entered.
    Term(String),
    Unknown,
}

/// A comparison with zero of a value that changes by a step in each iteration.
struct Condition {
    /// The comparison that holds as long as the loop goes on.
    stays: Comparison,
    step: i64,
    /// The value in the first iteration.
    start: Polynomial,
    /// Whether the latch is executed before the comparison.
    is_at_end: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Comparison {
    Equal,
    Different,
    Less,
    LessOrEqual,
}

impl Values<'_, '_> {
    /// How often a loop is executed, and whether other exits may end it before.
    pub(crate) fn trips(&self, number: usize) -> (Trips, bool) {
        let own = &self.code.loops.all[number];
        let mut found = Vec::new();
        for &(from, to) in &own.exits {
            found.extend(self.condition(number, from, to).map(|condition| trips(self, &condition)));
        }
        let ends_early = own.exits.len() > 1 || ends_threads(self.code, &own.blocks);
        let known = found.iter().filter_map(|trips| match trips {
            Trips::Known(count) => Some(*count),
            _ => None,
        });
        let first = match known.min() {
            Some(count) => Trips::Known(count),
            None => found.into_iter().find(|trips| *trips != Trips::Unknown).unwrap_or(Trips::Unknown),
        };
        (first, ends_early)
    }

    /// The condition on which a loop goes on, of an edge that leaves it.
    fn condition(&self, number: usize, from: usize, to: usize) -> Option<Condition> {
        let code = self.code;
        let own = &code.loops.all[number];
        let is_only_here = code.loops.around(from).next() == Some(number);
        if !is_only_here || !own.latches.iter().all(|latch| code.dominates(from, *latch)) {
            return None;
        }
        let (at, inst) = code.terminator(from)?;
        let guard = inst.guard.filter(|_| inst.mnemonic.sem() == Sem::Control(ControlSem::Bra))?;
        let condition = self.ssa.read(at, guard.register)?;
        let Origin::Statement { at: comparing, old: None } = self.ssa.value(condition).origin else {
            return None;
        };
        let (_, comparison) = code.instruction(comparing)?;
        let (operation, difference) = self.comparison(comparing, comparison)?;
        let is_second = self.ssa.writes[comparing].get(1) == Some(&condition);
        // The edge is taken where the guard holds, if it is the first one.
        let leaves_when = code.successors(from).next() == Some(to);
        let holds_while = (leaves_when == guard.negated) != is_second;
        let (stays, difference) = oriented(operation, holds_while, difference)?;
        let iteration = Atom::Iteration(number);
        let step = difference.only(|atoms| atoms.contains(&iteration));
        let start = difference.only(|atoms| !atoms.contains(&iteration));
        let (atoms, step) = step.terms().next().filter(|_| step.terms().count() == 1)?;
        let is_plain = atoms == [iteration] && self.is_invariant(&start, number);
        let is_at_end = own.latches == [from];
        is_plain.then_some(Condition { stays, step, start, is_at_end })
    }

    /// What a `setp` of integers compares with zero.
    fn comparison(&self, at: usize, inst: &Inst) -> Option<(Mod, Polynomial)> {
        let is_integer = inst.mnemonic.scalar_type().is_some_and(ptx_isa::ScalarType::is_integer_or_bits);
        if inst.mnemonic.sem() != Sem::Compare(CompareSem::Setp)
            || inst.mnemonic.get(Field::Bool).is_some()
            || !is_integer
        {
            return None;
        }
        let source = |key| {
            let operand = *self.code.body.operands(inst).get(inst.mnemonic.form().operand(key)?)?;
            match operand {
                Operand::Register(register) => self.read(at, register),
                Operand::Immediate(value) => {
                    value.as_integer().map(|value| Polynomial::constant(value as i64))
                }
                _ => None,
            }
        };
        let difference = source(OperandKey::A)?.minus(&source(OperandKey::B)?)?;
        Some((inst.mnemonic.get(Field::Cmp)?, difference))
    }
}

/// Whether threads may end in blocks.
fn ends_threads(code: &Code<'_>, blocks: &[usize]) -> bool {
    blocks.iter().any(|block| {
        code.terminator(*block).is_some_and(|(_, inst)| {
            matches!(inst.mnemonic.sem(), Sem::Control(ControlSem::Ret | ControlSem::Exit | ControlSem::Trap))
        })
    })
}

/// A comparison of a difference with zero that holds, or does not, as one of four.
fn oriented(operation: Mod, holds: bool, difference: Polynomial) -> Option<(Comparison, Polynomial)> {
    let negative = difference.times_constant(-1)?;
    Some(match (operation, holds) {
        (Mod::Eq, true) | (Mod::Ne, false) => (Comparison::Equal, difference),
        (Mod::Ne, true) | (Mod::Eq, false) => (Comparison::Different, difference),
        (Mod::Lt | Mod::Lo, true) | (Mod::Ge | Mod::Hs, false) => (Comparison::Less, difference),
        (Mod::Le | Mod::Ls, true) | (Mod::Gt | Mod::Hi, false) => (Comparison::LessOrEqual, difference),
        (Mod::Gt | Mod::Hi, true) | (Mod::Le | Mod::Ls, false) => (Comparison::Less, negative),
        (Mod::Ge | Mod::Hs, true) | (Mod::Lt | Mod::Lo, false) => (Comparison::LessOrEqual, negative),
        _ => return None,
    })
}

/// How often the latch is executed.
fn trips(values: &Values<'_, '_>, condition: &Condition) -> Trips {
    let Condition { stays, step, start, is_at_end } = condition;
    let (step, more) = (*step, u64::from(*is_at_end));
    if let Some(start) = start.as_constant() {
        return match first_failure(*stays, start, step) {
            Some(iteration) => Trips::Known(iteration + more),
            None => Trips::Unknown,
        };
    }
    // The distance that is left, of whole steps.
    let (distance, by) = match stays {
        Comparison::Different if step < 0 => (Some(start.clone()), -step),
        Comparison::Different | Comparison::Less | Comparison::LessOrEqual if step > 0 => {
            (start.times_constant(-1), step)
        }
        _ => return Trips::Unknown,
    };
    let distance = match stays {
        Comparison::LessOrEqual => distance.and_then(|distance| distance.plus(&Polynomial::constant(1))),
        _ => distance,
    };
    let Some(distance) = distance else { return Trips::Unknown };
    let count = match distance.plus(&Polynomial::constant(by * i64::from(*is_at_end))) {
        Some(whole) if by == 1 => values.text(&whole),
        Some(whole) => match whole.divided(by) {
            Some(quotient) => values.text(&quotient),
            None => format!("ceil(({}) / {by})", values.text(&whole)),
        },
        None => return Trips::Unknown,
    };
    Trips::Term(count)
}

/// The first iteration, from 0, in which a comparison with zero does not hold.
fn first_failure(stays: Comparison, start: i64, step: i64) -> Option<u64> {
    let holds = |value: i64| match stays {
        Comparison::Equal => value == 0,
        Comparison::Different => value != 0,
        Comparison::Less => value < 0,
        Comparison::LessOrEqual => value <= 0,
    };
    if !holds(start) {
        return Some(0);
    }
    let iteration = match stays {
        Comparison::Equal => i64::from(step != 0).checked_sub(i64::from(step == 0))?,
        Comparison::Different => start.checked_neg()?.checked_div(step)?,
        Comparison::Less => start.checked_neg()?.checked_add(step - 1)?.checked_div(step)?,
        Comparison::LessOrEqual => start.checked_neg()?.checked_add(step)?.checked_div(step)?,
    };
    let is_first = |iteration: i64| {
        let value = iteration.checked_mul(step).and_then(|moved| moved.checked_add(start));
        value.is_some_and(|value| !holds(value))
    };
    u64::try_from(iteration).ok().filter(|_| is_first(iteration))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_is_that_of_counting() {
        for stays in [Comparison::Equal, Comparison::Different, Comparison::Less, Comparison::LessOrEqual] {
            for start in -20..20 {
                for step in -4..5 {
                    let fails = |value: i64| match stays {
                        Comparison::Equal => value != 0,
                        Comparison::Different => value == 0,
                        Comparison::Less => value >= 0,
                        Comparison::LessOrEqual => value > 0,
                    };
                    let counted = (0..100).find(|iteration| fails(start + iteration * step));
                    let counted = counted.map(|count| count as u64);
                    assert_eq!(first_failure(stays, start, step), counted, "{stays:?} {start} {step}");
                }
            }
        }
    }
}
