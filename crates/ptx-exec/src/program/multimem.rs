//! Accesses to a multimem address, which are to several places at once (manual 9.7.9.14).

use super::{Address, Combine, Dst, FloatExtreme, Src};
use crate::scalar::convert::{Element, Range, Repack, Scale};
use crate::scalar::float::{Arith, add};
use crate::scalar::format::{Format, Rounding};
use crate::scalar::narrow::{Direction, Negatives};

/// `multimem.ld_reduce`, `multimem.st`, `multimem.red`.
#[derive(Clone, Debug, Hash)]
pub struct Multimem {
    pub address: Address,
    /// Bytes of what a register has of it.
    pub size: u32,
    pub action: MultimemAction,
}

#[derive(Clone, Debug, Hash)]
pub enum MultimemAction {
    /// Writes the same to all places.
    Store(Box<[Src]>),
    /// Combines every place with the same, each in a step of its own.
    Combine(Box<[Src]>, Combine),
    /// Reads all places and accumulates what they hold, in the order of the places.
    Load(Box<[Dst]>, Accumulation),
}

/// How the contents of several places become one.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Accumulation {
    /// As an atomic operation has it.
    Plain(Combine),
    /// Elements of so many in a register, each in a format in which it is exact.
    Widened { element: Element, count: u32, format: Format, step: Step, rounds: Rounds },
}

/// What is done with the next of several values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Step {
    Add,
    Extreme(FloatExtreme),
}

/// When an accumulated value is rounded to the type of its elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Rounds {
    /// After each step: the precision of the type.
    EachStep,
    /// `.acc::f32`, `.acc::f16`.
    AtTheEnd,
}

impl Accumulation {
    /// The contents of all places as one; zero when there are none.
    pub fn of(&self, values: &[u64]) -> u64 {
        let Some((&first, others)) = values.split_first() else { return 0 };
        match *self {
            Self::Plain(combine) => others
                .iter()
                .fold(first, |sum, &value| combine.of(crate::memory::Space::Global, sum, value, value)),
            Self::Widened { element, count, .. } => (0..count).fold(0, |word, n| {
                let shift = n * element.place();
                let mask = u64::MAX >> (64 - element.place());
                let sum =
                    self.element(first >> shift & mask, others.iter().map(|value| value >> shift & mask));
                word | sum << shift
            }),
        }
    }

    /// One element of all places.
    fn element(&self, first: u64, others: impl Iterator<Item = u64>) -> u64 {
        let Self::Widened { element, format, step, rounds, .. } = *self else { return first };
        let wide = Element::Wide(format);
        let convert = |to, from, range, raw| {
            let repack = Repack { to, from, range, negatives: Negatives::Keep };
            repack.element(Scale::NONE, Direction::By(Rounding::NearestEven), raw)
        };
        let widened = |raw| convert(wide, element, Range::Infinite, raw);
        // What is too large for an 8-bit format becomes its largest value, as with every conversion to one.
        let range = if matches!(element, Element::Narrow(_)) { Range::Finite } else { Range::Infinite };
        let narrowed = |raw| convert(element, wide, range, raw);
        let sum = others.fold(widened(first), |sum, value| {
            let sum = match step {
                Step::Add => add(&Arith::nearest(format), sum, widened(value)),
                Step::Extreme(extreme) => extreme.of(sum, widened(value)),
            };
            if rounds == Rounds::EachStep { widened(narrowed(sum)) } else { sum }
        });
        narrowed(sum)
    }
}
