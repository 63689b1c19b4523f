//! Sums of products of what is not known, with constant factors: what index arithmetic computes.
//!
//! Index arithmetic is taken not to overflow, as it must not in the languages that kernels are written in: `mul.wide.s32` of a sum is the sum of the products.

use std::collections::BTreeMap;

use ptx_ir::VarId;
use ptx_isa::{Component, SpecialReg};

use crate::ssa::ValueId;

/// The index of an operation of the table of all values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct OperationId(pub(crate) usize);

/// Something that a polynomial does not look into.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Atom {
    /// A special register.
    Special(SpecialReg, Option<Component>),
    /// What a kernel's parameter has at an offset.
    Parameter(VarId, i64),
    /// The address of a variable.
    Address(VarId),
    /// How often a loop was begun again since it was entered.
    Iteration(usize),
    /// The same of a loop that was left: of its last time.
    Finished(usize),
    /// A value of a register, where it is made or in the loops in which it is.
    Value(ValueId),
    /// A value that is made in a loop, after that: the last one.
    Left(ValueId),
    /// An operation that polynomials do not express.
    Operation(OperationId),
}

/// A sum. The empty product is the constant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Polynomial {
    terms: BTreeMap<Vec<Atom>, i64>,
}

/// Sums of more products are not looked into.
const MOST_TERMS: usize = 24;
/// Nor are products of more factors.
const MOST_FACTORS: usize = 4;

impl Polynomial {
    pub(crate) fn constant(value: i64) -> Self {
        let mut sum = Self::default();
        sum.terms.insert(Vec::new(), value);
        sum.terms.retain(|_, factor| *factor != 0);
        sum
    }

    pub(crate) fn atom(atom: Atom) -> Self {
        Self { terms: BTreeMap::from([(vec![atom], 1)]) }
    }

    /// The products with their factors.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&[Atom], i64)> {
        self.terms.iter().map(|(atoms, factor)| (atoms.as_slice(), *factor))
    }

    pub(crate) fn atoms(&self) -> impl Iterator<Item = Atom> {
        self.terms.keys().flatten().copied()
    }

    /// The value, if nothing in it is unknown.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        match self.terms.iter().next() {
            None => Some(0),
            Some((atoms, factor)) if atoms.is_empty() && self.terms.len() == 1 => Some(*factor),
            Some(_) => None,
        }
    }

    /// The constant of the sum.
    pub(crate) fn constant_term(&self) -> i64 {
        match self.terms.get([].as_slice()) {
            Some(factor) => *factor,
            None => 0,
        }
    }

    /// The atom that it is.
    pub(crate) fn as_atom(&self) -> Option<Atom> {
        match self.terms.iter().next() {
            Some((atoms, 1)) if self.terms.len() == 1 && atoms.len() == 1 => atoms.first().copied(),
            _ => None,
        }
    }

    /// Those products that `is_wanted`.
    pub(crate) fn only(&self, is_wanted: impl Fn(&[Atom]) -> bool) -> Self {
        let wanted = self.terms.iter().filter(|(atoms, _)| is_wanted(atoms));
        Self { terms: wanted.map(|(atoms, factor)| (atoms.clone(), *factor)).collect() }
    }

    /// The sum; `None` if it is too large to be looked into, here and below.
    pub(crate) fn plus(&self, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        for (atoms, factor) in &other.terms {
            match sum.terms.entry(atoms.clone()) {
                std::collections::btree_map::Entry::Vacant(place) => {
                    place.insert(*factor);
                }
                std::collections::btree_map::Entry::Occupied(mut place) => {
                    let new = place.get().checked_add(*factor)?;
                    place.insert(new);
                }
            }
        }
        sum.terms.retain(|_, factor| *factor != 0);
        (sum.terms.len() <= MOST_TERMS).then_some(sum)
    }

    pub(crate) fn times_constant(&self, by: i64) -> Option<Self> {
        let mut product = Self::default();
        for (atoms, factor) in self.terms.iter().filter(|_| by != 0) {
            product.terms.insert(atoms.clone(), factor.checked_mul(by)?);
        }
        Some(product)
    }

    pub(crate) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.times_constant(-1)?)
    }

    pub(crate) fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (atoms, factor) in &other.terms {
            let mut part = Self::default();
            for (own, own_factor) in &self.terms {
                let mut both: Vec<Atom> = own.iter().chain(atoms).copied().collect();
                if both.len() > MOST_FACTORS {
                    return None;
                }
                both.sort_unstable();
                part.terms.insert(both, own_factor.checked_mul(*factor)?);
            }
            product = product.plus(&part)?;
        }
        Some(product)
    }

    /// Whether all factors are multiples of a power of two.
    pub(crate) fn is_multiple_of(&self, power: i64) -> bool {
        self.terms.values().all(|factor| factor % power == 0)
    }

    /// The quotient, of a sum all whose factors are multiples.
    pub(crate) fn divided(&self, by: i64) -> Option<Self> {
        if by == 0 || !self.is_multiple_of(by) {
            return None;
        }
        let divided = self.terms.iter().map(|(atoms, factor)| (atoms.clone(), factor / by));
        Some(Self { terms: divided.collect() })
    }

    /// Whether a factor is negative, so that the sum may be.
    pub(crate) fn may_be_negative(&self) -> bool {
        self.terms.values().any(|factor| *factor < 0)
    }

    /// Each atom in another way.
    pub(crate) fn replaced(&self, new: &mut impl FnMut(Atom) -> Polynomial) -> Option<Self> {
        let mut sum = Self::default();
        for (atoms, factor) in &self.terms {
            let mut product = Self::constant(*factor);
            for atom in atoms {
                product = product.times(&new(*atom))?;
            }
            sum = sum.plus(&product)?;
        }
        Some(sum)
    }

    /// The sum as text, with these names: `[n] + 4*%tid.x + 16`.
    pub(crate) fn text(&self, name: &mut impl FnMut(Atom) -> String) -> String {
        let mut text = String::new();
        // Where memory begins first, the constant last.
        let rank = |atoms: &[Atom], factor: i64| match atoms {
            [] => 2,
            [Atom::Address(_) | Atom::Parameter(..)] if factor == 1 => 0,
            _ => 1,
        };
        let mut terms: Vec<(&Vec<Atom>, &i64)> = self.terms.iter().collect();
        terms.sort_by_key(|(atoms, factor)| rank(atoms, **factor));
        for (atoms, factor) in terms {
            let sign = match (text.is_empty(), *factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text.push_str(sign);
            let mut parts: Vec<String> = atoms.iter().map(|atom| name(*atom)).collect();
            if factor.unsigned_abs() != 1 || parts.is_empty() {
                parts.insert(0, factor.unsigned_abs().to_string());
            }
            text.push_str(&parts.join("*"));
        }
        if text.is_empty() {
            text.push('0');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(number: usize) -> Polynomial {
        Polynomial::atom(Atom::Iteration(number))
    }

    #[test]
    fn products_are_multiplied_out() {
        let sum = atom(0).plus(&Polynomial::constant(3)).unwrap();
        let difference = atom(0).minus(&Polynomial::constant(3)).unwrap();
        let text = |sum: &Polynomial| sum.text(&mut |atom| format!("{atom:?}"));
        assert_eq!(text(&sum.times(&difference).unwrap()), "Iteration(0)*Iteration(0) - 9");
        assert_eq!(text(&sum.minus(&sum).unwrap()), "0");
        assert_eq!(sum.minus(&atom(0)).unwrap().as_constant(), Some(3));
        assert!(difference.may_be_negative() && !sum.may_be_negative());
    }

    #[test]
    fn what_is_too_large_is_not_looked_into() {
        let large = (0..5).map(atom).fold(Polynomial::constant(1), |sum, one| sum.plus(&one).unwrap());
        let square = large.times(&large).unwrap();
        assert_eq!(square.times(&square), None, "more than {MOST_TERMS} products");
        assert_eq!(Polynomial::constant(i64::MAX).times(&atom(0)).unwrap().times_constant(2), None);
    }
}
