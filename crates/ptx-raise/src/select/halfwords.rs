//! Runs of eight elements of 16 bits in memory. Vector accesses have at most four elements (manual 9.7.9.8), of any
//! width: eight halfwords go in one access as four words of two.

use ptx_ir::{Operand, RegId};

use super::FunctionRaiser;
use super::emit::Arg;
use crate::error::Raised;
use crate::types::{Class, Leaf, Scalar};
use crate::value::Val;

/// How many elements such a run has.
pub(super) const RUN: usize = 8;

/// Whether leaves begin with eight halfwords side by side, where an access of 16 bytes is aligned.
pub(super) fn begins_with_run(leaves: &[Leaf], align: u64) -> bool {
    let Some(first) = leaves.first() else { return false };
    align >= 2 * RUN as u64
        && leaves.len() >= RUN
        && leaves.iter().take(RUN).enumerate().all(|(at, leaf)| {
            matches!(leaf.scalar, Scalar::Int(16) | Scalar::Half | Scalar::BFloat)
                && leaf.bytes == 2
                && leaf.offset == first.offset + 2 * at as u64
        })
}

impl FunctionRaiser<'_, '_, '_> {
    /// The operand of four registers for the words of a run, and the registers.
    fn words_of_run(&mut self) -> (Operand, Vec<RegId>) {
        let words: Vec<RegId> = (0..RUN / 2).map(|_| self.register(Class::B32)).collect();
        (self.vector_of(&words), words)
    }

    fn vector_of(&mut self, registers: &[RegId]) -> Operand {
        let list: Vec<Operand> = registers.iter().map(|&register| Operand::Register(register)).collect();
        Operand::Vector(self.builder.list(&list))
    }

    /// Loads a run.
    pub(super) fn load_run(
        &mut self,
        place: Operand,
        word: &str,
        opcode: &str,
        mods: &str,
    ) -> Raised<Vec<Val>> {
        let (vector, words) = self.words_of_run();
        self.access(opcode, word, mods, ".v4.b32", &[vector.into(), place.into()])?;
        let mut values = Vec::with_capacity(RUN);
        for whole in words {
            let halves = [self.register(Class::B16), self.register(Class::B16)];
            let list = self.vector_of(&halves);
            self.emit("mov.b32", &[Arg::from(list), whole.into()])?;
            values.extend(halves.map(Val::reg));
        }
        Ok(values)
    }

    /// Stores a run.
    pub(super) fn store_run(
        &mut self,
        values: &[RegId],
        place: Operand,
        word: &str,
        opcode: &str,
        mods: &str,
    ) -> Raised<()> {
        let mut words = Vec::with_capacity(RUN / 2);
        for pair in values.chunks_exact(2) {
            if let &[low, high] = pair {
                words.push(self.join_halves(low, high)?);
            }
        }
        let vector = self.vector_of(&words);
        self.access(opcode, word, mods, ".v4.b32", &[place.into(), vector.into()])
    }
}
