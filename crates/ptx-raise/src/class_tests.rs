//! The fewest comparisons that tell whether a floating-point number is in a set of classes (`llvm.is.fpclass`).
//!
//! Without its sign and by its bits a number is in one of six kinds, in this order: zero, subnormal, normal, infinite, signaling NaN, quiet NaN. With the sign
//! these are twelve, and a set of them is a number of twelve bits: bit 0 is the positive zero, bit 6 the negative one. A comparison has a
//! set, and a chain of comparisons, each combined with the result of those before, has one. [`Chains`] has the cheapest chain for every set.
//!
//! Comparisons as numbers cannot tell the zeros apart, nor the NaNs; comparisons of bits need more of them where a set has both signs:
//!
//! ```text
//! is.fpclass(x, 384)    0 < x && x < inf                  subnormal and normal, positive
//! is.fpclass(x, 3)      x is unordered                    both NaNs
//! is.fpclass(x, 64)     bits == 0                         the positive zero
//! is.fpclass(x, 240)    (bits & 0x7fffffff) < 0x800000    zero and subnormal
//! ```

use ptx_llvm_core::view::{FloatPredicate, IntPredicate};

/// The kinds of numbers without their signs.
pub(crate) const KINDS: usize = 6;
/// The kinds with their signs.
const SIGNED_KINDS: usize = 2 * KINDS;
/// The set of all numbers.
const ALL: u16 = (1 << SIGNED_KINDS) - 1;
/// How many sets there are.
const SETS: usize = 1 << SIGNED_KINDS;
/// More than the dearest chain costs.
const UNREACHED: u8 = u8::MAX;

/// A number with which others are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Limit {
    /// Zero.
    Zero,
    /// The smallest normal number.
    Normal,
    /// The infinite one.
    Infinity,
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Test {
    /// As a number, or its magnitude, with a limit or its negation.
    Number { predicate: FloatPredicate, limit: Limit, is_negative: bool, of_magnitude: bool },
    /// The bits, or those of the magnitude, with the least bits of a kind; kinds count from zero to `SIGNED_KINDS`.
    Bits { predicate: IntPredicate, kind: usize, of_magnitude: bool },
    /// Whether the bits, or those of the magnitude, are in the kinds from `first` to before `end`, from the last to the first on.
    Range { first: usize, end: usize, of_magnitude: bool },
}

/// How the result of a comparison is combined with those before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Combination {
    And,
    Or,
    Xor,
}

/// A link of a chain: the comparison, and its combination with the result so far, which the first has none of.
pub(crate) type Link = (Option<Combination>, Test);

/// What comparisons cost, a machine instruction being four.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Costs {
    /// One as numbers; `None` where there is no such comparison that keeps subnormal numbers.
    number: Option<u8>,
    /// One of bits. More than one as numbers, which has the number in its register.
    bits: u8,
    /// The difference that a comparison with a range needs first.
    difference: u8,
    /// The bits of the magnitude.
    magnitude: u8,
}

impl Costs {
    /// Those in single precision.
    pub(crate) const SINGLE: Self = Self { number: Some(4), bits: 5, difference: 4, magnitude: 4 };
    /// Those in double precision: an integer of 64 bits is compared and subtracted by two instructions.
    pub(crate) const DOUBLE: Self = Self { number: Some(4), bits: 9, difference: 8, magnitude: 4 };
    /// Those in half precision, where a difference of 16 bits has to be extended.
    pub(crate) const HALF: Self = Self { number: Some(4), bits: 5, difference: 8, magnitude: 4 };
    /// Those of formats without comparisons.
    pub(crate) const BITS: Self = Self { number: None, bits: 4, difference: 4, magnitude: 4 };
}

/// The cheapest chains of comparisons.
pub(crate) struct Chains {
    /// For each set how its chain ends: the set before, and the link.
    ends: Vec<Option<(u16, Link)>>,
    costs: Vec<u8>,
}

impl Chains {
    /// The chains for a format; without comparisons of the bits of the magnitude, or with them.
    fn new(costs: Costs, has_magnitude: bool) -> Self {
        let tests = tests(costs, has_magnitude);
        let mut chains = Self { ends: vec![None; SETS], costs: vec![UNREACHED; SETS] };
        for &(set, test, cost) in &tests {
            chains.offer(set, cost, (set, (None, test)));
        }
        // Every link costs at least one, so that the sets of a cost are complete when their turn comes.
        for reached in 1..UNREACHED {
            let here: Vec<usize> = (0..SETS).filter(|set| chains.costs.get(*set) == Some(&reached)).collect();
            if here.is_empty() && chains.costs.iter().all(|cost| *cost < reached || *cost == UNREACHED) {
                break;
            }
            for before in here {
                let before = before as u16;
                for &(set, test, cost) in &tests {
                    for (combination, result) in [
                        (Combination::And, before & set),
                        (Combination::Or, before | set),
                        (Combination::Xor, before ^ set),
                    ] {
                        let end = (before, (Some(combination), test));
                        chains.offer(result, reached.saturating_add(cost), end);
                    }
                }
            }
        }
        chains
    }

    fn offer(&mut self, set: u16, cost: u8, end: (u16, Link)) {
        let at = usize::from(set);
        if let (Some(known), Some(place)) = (self.costs.get_mut(at), self.ends.get_mut(at))
            && cost < *known
        {
            (*known, *place) = (cost, Some(end));
        }
    }

    fn chain(&self, set: u16) -> Option<Vec<Link>> {
        let (mut links, mut set) = (Vec::new(), set);
        while links.len() < SIGNED_KINDS {
            let (before, link) = *self.ends.get(usize::from(set))?.as_ref()?;
            links.push(link);
            if link.0.is_none() {
                links.reverse();
                return Some(links);
            }
            set = before;
        }
        None
    }
}

/// The cheapest chains with and without the bits of the magnitude, which cost once whatever number of comparisons needs them.
pub(crate) struct ClassTests {
    plain: Chains,
    with_magnitude: Chains,
    magnitude: u8,
}

impl ClassTests {
    pub(crate) fn new(costs: Costs) -> Self {
        Self {
            plain: Chains::new(costs, false),
            with_magnitude: Chains::new(costs, true),
            magnitude: costs.magnitude,
        }
    }

    /// The comparisons for the classes of `llvm.is.fpclass`; `None` for all numbers and for none.
    pub(crate) fn of(&self, classes: u64) -> Option<Vec<Link>> {
        let set = set_of(classes);
        if set == 0 || set == ALL {
            return None;
        }
        let cost = |chains: &Chains| chains.costs.get(usize::from(set)).copied();
        let (plain, other) = (cost(&self.plain)?, cost(&self.with_magnitude)?.saturating_add(self.magnitude));
        if other < plain { self.with_magnitude.chain(set) } else { self.plain.chain(set) }
    }
}

/// The set of some classes: bits 0 and 1 are the NaNs, 2 to 5 the negative numbers from the infinite one to zero, 6 to 9 the positive ones from zero.
pub(crate) fn set_of(classes: u64) -> u16 {
    let bits = (0..10).filter(|class| classes >> class & 1 == 1).map(|class: usize| match class {
        0 | 1 => 1 << (4 + class) | 1 << (KINDS + 4 + class),
        2..=5 => 1 << (KINDS + 5 - class),
        _ => 1 << (class - 6),
    });
    bits.fold(0, |set: u16, bit: u16| set | bit)
}

/// The comparisons with their sets and costs.
fn tests(costs: Costs, has_magnitude: bool) -> Vec<(u16, Test, u8)> {
    let mut found: Vec<(u16, Test, u8)> = Vec::new();
    let mut add = |set: u16, test: Test, cost: u8| {
        if set == 0 || set == ALL {
            return;
        }
        match found.iter_mut().find(|(known, ..)| *known == set) {
            Some(known) if cost < known.2 => *known = (set, test, cost),
            Some(_) => {}
            None => found.push((set, test, cost)),
        }
    };
    if let Some(cost) = costs.number {
        for test in number_tests() {
            if let Some(set) = set_of_number_test(test) {
                add(set, test, cost);
            }
        }
    }
    for of_magnitude in [false, true] {
        if of_magnitude && !has_magnitude {
            continue;
        }
        for test in bit_tests(of_magnitude) {
            let cost = costs.bits + if matches!(test, Test::Range { .. }) { costs.difference } else { 0 };
            add(set_of_bit_test(test), test, cost);
        }
    }
    found
}

/// Every comparison as numbers.
fn number_tests() -> impl Iterator<Item = Test> {
    const PREDICATES: [FloatPredicate; 12] = [
        FloatPredicate::Uno,
        FloatPredicate::Ord,
        FloatPredicate::Oeq,
        FloatPredicate::Une,
        FloatPredicate::Olt,
        FloatPredicate::Ole,
        FloatPredicate::Ogt,
        FloatPredicate::Oge,
        FloatPredicate::Ult,
        FloatPredicate::Ule,
        FloatPredicate::Ugt,
        FloatPredicate::Uge,
    ];
    const LIMITS: [(Limit, bool); 5] = [
        (Limit::Zero, false),
        (Limit::Infinity, false),
        (Limit::Infinity, true),
        (Limit::Normal, false),
        (Limit::Normal, true),
    ];
    [false, true].into_iter().flat_map(|of_magnitude| {
        LIMITS.into_iter().flat_map(move |(limit, is_negative)| {
            PREDICATES.into_iter().map(move |predicate| Test::Number {
                predicate,
                limit,
                is_negative,
                of_magnitude,
            })
        })
    })
}

/// The set of a comparison as numbers; `None` if it divides a kind.
fn set_of_number_test(test: Test) -> Option<u16> {
    let Test::Number { predicate, limit, is_negative, of_magnitude } = test else { return None };
    let limit = match limit {
        Limit::Zero => 0.0,
        Limit::Normal => f64::MIN_POSITIVE,
        Limit::Infinity => f64::INFINITY,
    };
    let limit = if is_negative { -limit } else { limit };
    let mut set = 0;
    for kind in 0..SIGNED_KINDS {
        // A comparison with a number at an end of its kind holds for all of a kind if it does for both ends and for one in between.
        let (least, most) = ends_of(kind % KINDS);
        let holds = |magnitude: f64| {
            let number = if kind >= KINDS && !of_magnitude { -magnitude } else { magnitude };
            holds(predicate, number, limit)
        };
        let between = f64::from_bits(least.to_bits().midpoint(most.to_bits()));
        if holds(least) != holds(most) || holds(least) != holds(between) {
            return None;
        }
        set |= u16::from(holds(least)) << kind;
    }
    Some(set)
}

/// The least and the greatest magnitude of a kind.
fn ends_of(kind: usize) -> (f64, f64) {
    match kind {
        0 => (0.0, 0.0),
        1 => (f64::from_bits(1), f64::from_bits(f64::MIN_POSITIVE.to_bits() - 1)),
        2 => (f64::MIN_POSITIVE, f64::MAX),
        3 => (f64::INFINITY, f64::INFINITY),
        _ => (f64::NAN, f64::NAN),
    }
}

fn holds(predicate: FloatPredicate, a: f64, b: f64) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match predicate {
        FloatPredicate::False => false,
        FloatPredicate::True => true,
        FloatPredicate::Ord => !unordered,
        FloatPredicate::Uno => unordered,
        FloatPredicate::Oeq => a == b,
        FloatPredicate::Ogt => a > b,
        FloatPredicate::Oge => a >= b,
        FloatPredicate::Olt => a < b,
        FloatPredicate::Ole => a <= b,
        FloatPredicate::One => a != b && !unordered,
        FloatPredicate::Ueq => a == b || unordered,
        FloatPredicate::Ugt => a > b || unordered,
        FloatPredicate::Uge => a >= b || unordered,
        FloatPredicate::Ult => a < b || unordered,
        FloatPredicate::Ule => a <= b || unordered,
        FloatPredicate::Une => a != b,
    }
}

/// Every comparison of bits.
fn bit_tests(of_magnitude: bool) -> Vec<Test> {
    let kinds = if of_magnitude { KINDS } else { SIGNED_KINDS };
    let mut tests = Vec::new();
    let mut add = |predicate, kind| tests.push(Test::Bits { predicate, kind, of_magnitude });
    for kind in (0..kinds).filter(|kind| matches!(kind % KINDS, 0 | 3)) {
        add(IntPredicate::Eq, kind);
        add(IntPredicate::Ne, kind);
    }
    for kind in 1..kinds {
        add(IntPredicate::Ult, kind);
        add(IntPredicate::Uge, kind);
    }
    if !of_magnitude {
        for kind in (0..kinds).filter(|kind| *kind != KINDS) {
            add(IntPredicate::Slt, kind);
            add(IntPredicate::Sge, kind);
        }
    }
    for first in 0..kinds {
        for length in 1..kinds {
            tests.push(Test::Range { first, end: (first + length) % kinds, of_magnitude });
        }
    }
    tests
}

fn set_of_bit_test(test: Test) -> u16 {
    let (Test::Bits { of_magnitude, .. } | Test::Range { of_magnitude, .. }) = test else { return 0 };
    let kinds = if of_magnitude { KINDS } else { SIGNED_KINDS };
    // As signed integers all that have a sign come first.
    let signed = |kind: usize| (kind + KINDS) % SIGNED_KINDS;
    let has = |own: usize| match test {
        Test::Bits { predicate, kind, .. } => match predicate {
            IntPredicate::Eq => own == kind,
            IntPredicate::Ne => own != kind,
            IntPredicate::Ult => own < kind,
            IntPredicate::Uge => own >= kind,
            IntPredicate::Slt => signed(own) < signed(kind),
            IntPredicate::Sge => signed(own) >= signed(kind),
            _ => false,
        },
        Test::Range { first, end, .. } => (own + kinds - first) % kinds < (end + kinds - first) % kinds,
        Test::Number { .. } => false,
    };
    let own = |kind: usize| if of_magnitude { kind % KINDS } else { kind };
    (0..SIGNED_KINDS).filter(|kind| has(own(*kind))).fold(0, |set, kind| set | 1 << kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every set of classes has a chain, and the sets of its links give it.
    #[test]
    fn chains_give_their_sets() {
        for costs in [Costs::SINGLE, Costs::DOUBLE, Costs::HALF, Costs::BITS] {
            let tests = ClassTests::new(costs);
            for classes in 1..1023 {
                let chain = tests.of(classes).expect("a chain");
                let set = chain.iter().fold(0, |before, (combination, test)| {
                    let own = set_of_number_test(*test).unwrap_or_else(|| set_of_bit_test(*test));
                    match combination {
                        None => own,
                        Some(Combination::And) => before & own,
                        Some(Combination::Or) => before | own,
                        Some(Combination::Xor) => before ^ own,
                    }
                });
                assert_eq!(set, set_of(classes), "{classes}: {chain:?}");
            }
            assert!(tests.of(0).is_none() && tests.of(1023).is_none());
        }
    }

    #[test]
    fn ranges_of_ordered_numbers_are_two_comparisons_at_most() {
        let tests = ClassTests::new(Costs::SINGLE);
        // The classes in the order of the numbers, both zeros as one.
        let line = [1 << 2, 1 << 3, 1 << 4, 3 << 5, 1 << 7, 1 << 8, 1 << 9];
        for first in 0..line.len() {
            for end in first + 1..=line.len() {
                let classes: u64 = line[first..end].iter().sum();
                for with_nan in [classes, classes | 3] {
                    let length = tests.of(with_nan).map_or(0, |chain| chain.len());
                    assert!(length <= 2, "{with_nan}: {:?}", tests.of(with_nan));
                }
            }
        }
    }
}
