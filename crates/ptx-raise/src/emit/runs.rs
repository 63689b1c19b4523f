//! Runs of narrow elements in memory. Vector accesses have at most four elements (manual 9.7.9.8), of any width: eight
//! halfwords, eight bytes or sixteen go in one access, as words that hold several.

use ptx_ir::RegId;
use ptx_isa::{ScalarType, StateSpace};

use super::access::Access;
use super::state::Emitter;
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::types::{Class, Leaf, Scalar};
use crate::value::Val;

/// The bytes of a word.
const WORD: usize = 4;

/// Elements that one access reads or writes as words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    /// The words, two or four.
    words: usize,
    /// The elements in each, two or four.
    per_word: usize,
}

impl Run {
    const HALFWORDS: Run = Run { words: 4, per_word: 2 };
    const BYTES: [Run; 2] = [Run { words: 4, per_word: 4 }, Run { words: 2, per_word: 4 }];

    /// The run that leaves begin with, where an access of its size is aligned. Parameters have no runs of bytes: there elements are
    /// written one by one.
    pub(super) fn at_start(leaves: &[Leaf], access: &Access<'_>) -> Option<Run> {
        let width = |leaf: &Leaf| match leaf.scalar {
            Scalar::Int(16) | Scalar::Half | Scalar::BFloat => 2,
            Scalar::Int(8) => 1,
            _ => 0,
        };
        let bytes = width(leaves.first()?);
        let kinds = match bytes {
            2 => &[Run::HALFWORDS][..],
            1 if access.space() != Some(StateSpace::Param) => &Run::BYTES[..],
            _ => return None,
        };
        let offset = leaves.first()?.offset;
        let beside = |(at, leaf): (usize, &Leaf)| {
            width(leaf) == bytes && leaf.bytes == bytes && leaf.offset == offset + bytes * at as u64
        };
        kinds.iter().copied().find(|run| {
            access.align >= (run.words * WORD) as u64
                && leaves.len() >= run.elements()
                && leaves.iter().take(run.elements()).enumerate().all(beside)
        })
    }

    /// How many elements it has.
    pub(super) fn elements(self) -> usize {
        self.words * self.per_word
    }
}

impl Emitter<'_, '_, '_> {
    /// Loads a run.
    pub(super) fn load_run(&mut self, run: Run, access: &Access<'_>) -> Result<Vec<Val>> {
        let words = self.load_vector(access, ScalarType::B32, Class::B32, run.words)?;
        let mut values = Vec::with_capacity(run.elements());
        for whole in words {
            if run.per_word == 2 {
                values.extend(self.halves_of(whole, Class::B16)?.map(Val::reg));
            } else {
                values.extend(self.bytes_of(whole)?);
            }
        }
        Ok(values)
    }

    /// Stores a run, whose elements are in registers of 16 bits.
    pub(super) fn store_run(&mut self, run: Run, values: &[RegId], access: &Access<'_>) -> Result<()> {
        let mut words = Vec::with_capacity(run.words);
        for elements in values.chunks_exact(run.per_word) {
            words.push(match *elements {
                [low, high] => self.join_halves([low, high], Class::B16)?,
                [a, b, c, d] => self.join_separate([a, b, c, d])?,
                _ => {
                    return Err(RaiseError::new(
                        INSTRUCTION,
                        "a word of a number of elements that it cannot have",
                    ));
                }
            });
        }
        self.store_vector(access, ScalarType::B32, &words)
    }
}
