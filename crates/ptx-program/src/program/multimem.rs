//! Accesses to a multimem address, which refers to several replicas at once (manual 9.7.9.14).

use super::{Address, Combine, Dst, FloatExtreme, Src};
use crate::scalar::convert::{Element, Range, Repack, Scale};
use crate::scalar::float::{Arith, add};
use crate::scalar::format::{Format, Rounding};
use crate::scalar::narrow::{Direction, Negatives};

/// `multimem.ld_reduce`, `multimem.st`, `multimem.red`.
#[derive(Clone, Debug, Hash)]
pub struct Multimem {
    /// The multimem address.
    pub address: Address,
    /// Bytes of memory per register.
    pub size: u32,
    /// The operation.
    pub action: MultimemAction,
}

/// What is done with the replicas.
#[derive(Clone, Debug, Hash)]
pub enum MultimemAction {
    /// Writes the same value to all replicas.
    Store(Box<[Src]>),
    /// Applies the same atomic operation to every replica, each in a separate step.
    Combine(Box<[Src]>, Combine),
    /// Reads all replicas and reduces their values, in replica order.
    Load(Box<[Dst]>, Accumulation),
}

/// Reduction of the values of several replicas.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Accumulation {
    /// The reduction of an atomic operation.
    Plain(Combine),
    /// Per element, `count` elements in a register, in a format in which each element is exact.
    Widened {
        /// The type of an element in memory.
        element: Element,
        /// Elements in a register.
        count: u32,
        /// The format of the accumulation.
        format: Format,
        /// The reduction.
        step: Step,
        /// When the result is rounded.
        rounds: Rounds,
    },
}

/// Operation that accumulates the next value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Step {
    /// The sum.
    Add,
    /// The minimum or maximum.
    Extreme(FloatExtreme),
}

/// When an accumulated value is rounded to its element type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Rounds {
    /// After each step: accumulation in the element type.
    EachStep,
    /// `.acc::f32`, `.acc::f16`.
    AtTheEnd,
}

impl Accumulation {
    /// Reduces the values of all replicas; zero if there are none.
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

    /// Reduces one element of all replicas.
    fn element(&self, first: u64, others: impl Iterator<Item = u64>) -> u64 {
        let Self::Widened { element, format, step, rounds, .. } = *self else { return first };
        let wide = Element::Wide(format);
        let convert = |to, from, range, raw| {
            let repack = Repack { to, from, range, negatives: Negatives::Keep };
            repack.element(Scale::NONE, Direction::By(Rounding::NearestEven), raw)
        };
        let widened = |raw| convert(wide, element, Range::Infinite, raw);
        // Overflow in an 8-bit format saturates to its largest finite value, as in every conversion to such a format.
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
