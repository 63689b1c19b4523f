//! Vectors of 16-bit integers, two at a time as words: what combines bits, chooses, adds, loads or stores two neighbours is one instruction for both.
//!
//! A vector has a register for each element. It is recorded which of them are the halves of a word, so that an operation on such halves is one on the words:
//!
//! ```text
//! %r = xor <2 x i16> %a, %b    -->    xor.b32 %r3, %r1, %r2;
//!                                     mov.b32 {%rs5, %rs6}, %r3;
//! ```
//!
//! Words that are taken apart for nobody are dropped (`ptx_coalesce::drop_unread`). Sums and minima of words are a matter of the cover, too, which knows what they are used for
//! (`cover/packed_i16.rs`).

use ptx_ir::RegId;
use ptx_isa::{Mnemonic, ScalarType, ptx};
use ptx_llvm::view::{BinaryOp, InstId, Op, TypeId};

use super::access::Access;
use super::append::Arg;
use super::state::Emitter;
use crate::cover::shorts;
use crate::error::Result;
use crate::types::{Class, Leaf, Scalar};
use crate::value::{Val, mask};

/// A vector access of words.
const MOST_WORDS: usize = 4;

impl Emitter<'_, '_, '_> {
    /// Loads a vector of `i16` as words, where something reads it as such.
    pub(super) fn load_shorts(&mut self, id: InstId, access: &Access<'_>) -> Result<Option<Vec<Val>>> {
        let ty = self.type_of(id);
        let reads_words = |user: &InstId| {
            let inst = self.function.inst(*user);
            inst.ty == ty && !matches!(inst.op, Op::Phi { .. } | Op::InsertElement { .. })
        };
        if !self.cover.uses.users(id).iter().any(reads_words) {
            return Ok(None);
        }
        let Some(words) = self.words_of_shorts(ty, access) else { return Ok(None) };
        let mut values = Vec::with_capacity(2 * words);
        for at in (0..words).step_by(MOST_WORDS) {
            let count = MOST_WORDS.min(words - at);
            let part = access.after(4 * at as u64);
            for word in self.load_vector(&part, ScalarType::B32, Class::B32, count)? {
                values.extend(self.shorts_of(word)?);
            }
        }
        Ok(Some(values))
    }

    /// Stores a vector of `i16` as words if all are words already; whether it did.
    pub(super) fn store_shorts(
        &mut self,
        ty: TypeId,
        values: &[Option<Val>],
        access: &Access<'_>,
    ) -> Result<bool> {
        let Some(words) = self.words_of_shorts(ty, access) else { return Ok(false) };
        let Some(values) = values.iter().copied().collect::<Option<Vec<Val>>>() else { return Ok(false) };
        let is_word = |pair: &[Val]| matches!(self.word_of_shorts(pair), Some(Val::Register(..)));
        if values.len() != 2 * words || !values.chunks(2).all(is_word) {
            return Ok(false);
        }
        for (at, part) in values.chunks(2 * MOST_WORDS).enumerate() {
            let mut registers = Vec::with_capacity(MOST_WORDS);
            for pair in part.chunks(2) {
                if let Some(word) = self.word_of_shorts(pair) {
                    registers.push(self.in_register(word, Scalar::Int(32))?);
                }
            }
            let part = access.after(4 * (at * MOST_WORDS) as u64);
            self.store_vector(&part, ScalarType::B32, &registers)?;
        }
        Ok(true)
    }

    /// The number of words of a vector of `i16` that accesses of one, two or four words read or write.
    fn words_of_shorts(&self, ty: TypeId, access: &Access<'_>) -> Option<usize> {
        let words = shorts(self.source, ty).filter(|len| len % 2 == 0)? as usize / 2;
        let least = 4 * words.min(MOST_WORDS) as u64;
        let fits = matches!(words, 1 | 2) || words.is_multiple_of(MOST_WORDS);
        (fits && access.align >= least && !access.is_volatile() && !self.module.target.is_debugging())
            .then_some(words)
    }

    /// An operation that acts on both halves of words, of vectors that are words already.
    pub(super) fn combine_shorts(
        &mut self,
        op: BinaryOp,
        leaves: &[Leaf],
        a: &[Val],
        b: &[Val],
    ) -> Result<Option<Vec<Val>>> {
        let mnemonic: Mnemonic = match op {
            BinaryOp::And => ptx!("and.b32"),
            BinaryOp::Or => ptx!("or.b32"),
            BinaryOp::Xor => ptx!("xor.b32"),
            BinaryOp::Add if self.module.target.supports(ptx!("add.u16x2")) => ptx!("add.u16x2"),
            _ => return Ok(None),
        };
        let Some(words) = self.pairs_of_words(leaves, a, b) else { return Ok(None) };
        let mut result = Vec::with_capacity(leaves.len());
        for (a, b) in words {
            let word = match (op, b) {
                (BinaryOp::Xor, Val::Bits(ones)) if ones == mask(32) => {
                    let a = self.arg(a, Scalar::Int(32))?;
                    self.compute(ptx!("not.b32"), &[a])?
                }
                (BinaryOp::Add, _) => {
                    let args = [self.in_register(a, Scalar::Int(32))?, self.in_register(b, Scalar::Int(32))?];
                    self.compute(mnemonic, &args.map(Arg::from))?
                }
                _ => {
                    let args = [self.arg(a, Scalar::Int(32))?, self.arg(b, Scalar::Int(32))?];
                    self.compute(mnemonic, &args)?
                }
            };
            result.extend(self.shorts_of(word)?);
        }
        Ok(Some(result))
    }

    /// One of two vectors of `i16`, where both are words already.
    pub(super) fn choose_shorts(
        &mut self,
        cond: Val,
        leaves: &[Leaf],
        a: &[Val],
        b: &[Val],
    ) -> Result<Option<Vec<Val>>> {
        if matches!(cond, Val::Bits(_)) {
            return Ok(None);
        }
        let Some(words) = self.pairs_of_words(leaves, a, b) else { return Ok(None) };
        let mut result = Vec::with_capacity(leaves.len());
        for (a, b) in words {
            let word = self.choose(cond, a, b, Scalar::Int(32))?;
            let word = self.in_register(word, Scalar::Int(32))?;
            result.extend(self.shorts_of(word)?);
        }
        Ok(Some(result))
    }

    /// The words of two vectors of `i16`, where all of them are words or constants, and not both are constants.
    fn pairs_of_words(&self, leaves: &[Leaf], a: &[Val], b: &[Val]) -> Option<Vec<(Val, Val)>> {
        let is_short = |leaf: &Leaf| leaf.scalar == Scalar::Int(16);
        let are_shorts = !leaves.is_empty() && leaves.len().is_multiple_of(2) && leaves.iter().all(is_short);
        if !are_shorts || self.module.target.is_debugging() {
            return None;
        }
        let pairs = a.chunks_exact(2).zip(b.chunks_exact(2));
        let words = pairs.map(|(a, b)| {
            let (a, b) = (self.word_of_shorts(a)?, self.word_of_shorts(b)?);
            (!matches!((a, b), (Val::Bits(_), Val::Bits(_)))).then_some((a, b))
        });
        words.collect()
    }

    /// The word that two values are the halves of.
    fn word_of_shorts(&self, pair: &[Val]) -> Option<Val> {
        match *pair {
            [Val::Bits(low), Val::Bits(high)] => Some(Val::Bits(low & mask(16) | (high & mask(16)) << 16)),
            [Val::Register(low, _), Val::Register(high, _)] => self.joined([low, high]).map(Val::reg),
            _ => None,
        }
    }

    /// The halves of a word.
    pub(super) fn shorts_of(&mut self, word: RegId) -> Result<[Val; 2]> {
        let halves = self.halves_of(word, Class::B16)?;
        self.computed.halves.insert(halves, word);
        Ok(halves.map(Val::reg))
    }

    /// The register whose halves two registers are.
    pub(super) fn joined(&self, halves: [RegId; 2]) -> Option<RegId> {
        let known = self.computed.halves.get(&halves);
        known.or_else(|| self.computed.joined_here.get(&halves)).copied()
    }
}
