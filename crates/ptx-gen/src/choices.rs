//! Where decisions come from: a seed, or the bytes of a fuzzer.

/// A source of decisions.
///
/// The generators decide nothing but through this, so that the same source gives the same text: a seed for
/// reproducible checks, the bytes of a fuzzer for inputs that it can change a little.
pub trait Choices {
    /// 64 bits.
    fn bits(&mut self) -> u64;

    /// A number below `end`; 0 when `end` is 0.
    fn below(&mut self, end: usize) -> usize;
}

impl dyn Choices + '_ {
    /// True in `part` of `whole` cases.
    pub(crate) fn chance(&mut self, part: usize, whole: usize) -> bool {
        self.below(whole) < part
    }

    /// One of several; `None` when there are none.
    pub(crate) fn pick<T: Copy>(&mut self, several: &[T]) -> Option<T> {
        several.get(self.below(several.len())).copied()
    }

    /// A number from the first to the last, both included; the ends and small powers of two are frequent.
    pub(crate) fn between(&mut self, first: i64, last: i64) -> i64 {
        let small = [0, 1, 2, 4, 8, 16, 32, 64, 128, -1].map(|value: i64| value.clamp(first, last));
        match self.below(8) {
            0 => first,
            1 => last,
            2..=5 => self.pick(&small).unwrap_or(first),
            _ => {
                let width = last.wrapping_sub(first) as u64;
                let step = match width.checked_add(1) {
                    Some(count) => self.bits() % count,
                    None => self.bits(),
                };
                first.wrapping_add(step as i64)
            }
        }
    }
}

/// Decisions that follow from a seed.
#[derive(Clone, Debug)]
pub struct Seeded(fastrand::Rng);

impl Seeded {
    /// The decisions of this seed: the same on every machine.
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }
}

impl Choices for Seeded {
    fn bits(&mut self) -> u64 {
        self.0.u64(..)
    }

    fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { self.0.usize(..end) }
    }
}

/// Decisions read from bytes, the first option where they have run out.
///
/// A small decision takes one byte, so that a fuzzer that changes one byte changes one decision.
#[derive(Clone, Debug)]
pub struct Script<'b>(&'b [u8]);

impl<'b> Script<'b> {
    /// The decisions that these bytes say.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// Whether all bytes have been used.
    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    fn take(&mut self, count: usize) -> u64 {
        let (head, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        head.iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
    }
}

impl Choices for Script<'_> {
    fn bits(&mut self) -> u64 {
        self.take(8)
    }

    fn below(&mut self, end: usize) -> usize {
        match end {
            0 | 1 => 0,
            2..=256 => self.take(1) as usize % end,
            _ => (self.take(4) % end as u64) as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_decisions_again() {
        let all = |seed| {
            let mut choices = Seeded::new(seed);
            (0..16).map(|_| choices.bits()).collect::<Vec<_>>()
        };
        assert_eq!(all(1), all(1));
        assert_ne!(all(1), all(2));
    }

    #[test]
    fn bytes_that_have_run_out_give_the_first_option() {
        let mut choices = Script::new(&[7]);
        assert_eq!(choices.below(4), 3);
        assert!(choices.is_at_end());
        assert_eq!((choices.below(4), choices.bits()), (0, 0));
    }

    #[test]
    fn numbers_lie_between_their_ends() {
        let mut seeded = Seeded::new(3);
        let choices: &mut dyn Choices = &mut seeded;
        for (first, last) in [(0, 0), (-1, 1), (24, 256), (i64::MIN, i64::MAX), (0, i64::MAX)] {
            for _ in 0..200 {
                assert!((first..=last).contains(&choices.between(first, last)));
            }
        }
    }
}
