//! Elements of vectors, two at a time: pairs of 16-bit integers that the cover found, halves of words, and pairs of single-precision numbers.
//!
//! Vectors of 16-bit integers as words: what combines bits, chooses, adds, loads or stores two neighbours is one instruction for both.
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
//!
//! Vectors of single-precision numbers (`.f32x2`, manual 9.7.3.3 to 9.7.3.6): from sm_100 on.
//!
//! A vector has a register for each element, and an operation joins two of each operand and takes its result apart again:
//!
//! ```text
//! %r = fadd <2 x float> %a, %b    -->    mov.b64 %rd1, {%f1, %f2};
//!                                        mov.b64 %rd2, {%f3, %f4};
//!                                        add.rn.f32x2 %rd3, %rd1, %rd2;
//!                                        mov.b64 {%f5, %f6}, %rd3;
//! ```
//!
//! A pair that has been in one register is not joined again, and what is taken apart for nobody is dropped (`ptx_coalesce::drop_unread`). The other moves
//! cost nothing: to ptxas they are two names of a pair of registers.

use ptx_ir::RegId;
use ptx_isa::{Mnemonic, ScalarType, ptx};
use ptx_llvm_core::view::{BinaryOp, InstId, Op, TypeId, Value};

use super::access::Access;
use super::append::Arg;
use super::state::Emitter;
use crate::cover::{Pair, shorts, viewed, word_of_load};
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::types::{Class, Leaf, Scalar};
use crate::value::{Val, mask};

/// A vector access of words.
const MOST_WORDS: usize = 4;

impl Emitter<'_, '_, '_> {
    /// Loads a vector of `i16` as numbers of 32 bits.
    pub(super) fn load_pairs(&mut self, id: InstId, apart: bool, access: &Access<'_>) -> Result<()> {
        let Some(len) = shorts(self.source, self.function.inst(id).ty) else {
            return Err(RaiseError::defect("a load of pairs that is no vector of i16"));
        };
        let len = len as usize;
        let words = self.load_vector(access, ScalarType::B32, Class::B32, len / 2)?;
        if let &[register] = words.as_slice() {
            self.computed.whole_pairs.insert(id, register);
        }
        for user in self.cover.uses.users(id).to_vec() {
            if let Some(&register) = word_of_load(self.source, user, id).and_then(|word| words.get(word)) {
                self.computed.whole_pairs.insert(user, register);
            }
        }
        if apart {
            let mut values = Vec::with_capacity(len);
            for register in words {
                values.extend(shorts_of(self, register)?);
            }
            self.define(id, values.into())?;
        }
        Ok(())
    }

    /// Computes a whole pair.
    pub(super) fn compute_pair(&mut self, id: InstId, pair: &Pair) -> Result<()> {
        let args = [self.pair_operand(pair.args[0])?, self.pair_operand(pair.args[1])?];
        let register = self.compute(pair.mnemonic, &args)?;
        self.computed.whole_pairs.insert(id, register);
        if pair.apart {
            let halves = shorts_of(self, register)?;
            self.define(id, halves.into_iter().collect())?;
        }
        Ok(())
    }

    /// The register of a value that is a whole pair.
    pub(super) fn whole_pair(&self, value: Value) -> Option<RegId> {
        match value {
            Value::Inst(id) => self.computed.whole_pairs.get(&id).copied(),
            _ => None,
        }
    }

    /// A pair as an operand of 32 bits.
    fn pair_operand(&mut self, value: Value) -> Result<Arg> {
        if let Some(register) = self.whole_pair(value) {
            return Ok(register.into());
        }
        if let Some(number) = viewed(self.source, &self.cover, value) {
            let (number, scalar) = self.scalar(number)?;
            return self.arg(number, scalar);
        }
        match *self.value(value)? {
            [Val::Bits(low), Val::Bits(high)] => {
                let whole = Val::Bits(low & mask(16) | (high & mask(16)) << 16);
                Ok(self.in_register(whole, Scalar::Int(32))?.into())
            }
            _ => Err(RaiseError::new(INSTRUCTION, "a pair of integers that is in two registers")),
        }
    }
}

/// Loads a vector of `i16` as words, where something reads it as such.
pub(super) fn load_shorts(
    emitter: &mut Emitter<'_, '_, '_>,
    id: InstId,
    access: &Access<'_>,
) -> Result<Option<Vec<Val>>> {
    let ty = emitter.type_of(id);
    let reads_words = |user: &InstId| {
        let inst = emitter.function.inst(*user);
        inst.ty == ty && !matches!(inst.op, Op::Phi { .. } | Op::InsertElement { .. })
    };
    if !emitter.cover.uses.users(id).iter().any(reads_words) {
        return Ok(None);
    }
    let Some(words) = words_of_shorts(emitter, ty, access) else { return Ok(None) };
    let mut values = Vec::with_capacity(2 * words);
    for at in (0..words).step_by(MOST_WORDS) {
        let count = MOST_WORDS.min(words - at);
        let part = access.after(4 * at as u64);
        for word in emitter.load_vector(&part, ScalarType::B32, Class::B32, count)? {
            values.extend(shorts_of(emitter, word)?);
        }
    }
    Ok(Some(values))
}

/// Stores a vector of `i16` as words if all are words already; whether it did.
pub(super) fn store_shorts(
    emitter: &mut Emitter<'_, '_, '_>,
    ty: TypeId,
    values: &[Option<Val>],
    access: &Access<'_>,
) -> Result<bool> {
    let Some(words) = words_of_shorts(emitter, ty, access) else { return Ok(false) };
    let Some(values) = values.iter().copied().collect::<Option<Vec<Val>>>() else { return Ok(false) };
    let is_word = |pair: &[Val]| matches!(word_of_shorts(emitter, pair), Some(Val::Register(..)));
    if values.len() != 2 * words || !values.chunks(2).all(is_word) {
        return Ok(false);
    }
    for (at, part) in values.chunks(2 * MOST_WORDS).enumerate() {
        let mut registers = Vec::with_capacity(MOST_WORDS);
        for pair in part.chunks(2) {
            if let Some(word) = word_of_shorts(emitter, pair) {
                registers.push(emitter.in_register(word, Scalar::Int(32))?);
            }
        }
        let part = access.after(4 * (at * MOST_WORDS) as u64);
        emitter.store_vector(&part, ScalarType::B32, &registers)?;
    }
    Ok(true)
}

/// The number of words of a vector of `i16` that accesses of one, two or four words read or write.
fn words_of_shorts(emitter: &Emitter<'_, '_, '_>, ty: TypeId, access: &Access<'_>) -> Option<usize> {
    let words = shorts(emitter.source, ty).filter(|len| len % 2 == 0)? as usize / 2;
    let least = 4 * words.min(MOST_WORDS) as u64;
    let fits = matches!(words, 1 | 2) || words.is_multiple_of(MOST_WORDS);
    (fits && access.align >= least && !access.is_volatile() && !emitter.module.target.is_debugging())
        .then_some(words)
}

/// An operation that acts on both halves of words, of vectors that are words already.
pub(super) fn combine_shorts(
    emitter: &mut Emitter<'_, '_, '_>,
    op: BinaryOp,
    leaves: &[Leaf],
    a: &[Val],
    b: &[Val],
) -> Result<Option<Vec<Val>>> {
    let mnemonic: Mnemonic = match op {
        BinaryOp::And => ptx!("and.b32"),
        BinaryOp::Or => ptx!("or.b32"),
        BinaryOp::Xor => ptx!("xor.b32"),
        BinaryOp::Add if emitter.module.target.supports(ptx!("add.u16x2")) => ptx!("add.u16x2"),
        _ => return Ok(None),
    };
    let Some(words) = pairs_of_words(emitter, leaves, a, b) else { return Ok(None) };
    let mut result = Vec::with_capacity(leaves.len());
    for (a, b) in words {
        let word = match (op, b) {
            (BinaryOp::Xor, Val::Bits(ones)) if ones == mask(32) => {
                let a = emitter.arg(a, Scalar::Int(32))?;
                emitter.compute(ptx!("not.b32"), &[a])?
            }
            (BinaryOp::Add, _) => {
                let args =
                    [emitter.in_register(a, Scalar::Int(32))?, emitter.in_register(b, Scalar::Int(32))?];
                emitter.compute(mnemonic, &args.map(Arg::from))?
            }
            _ => {
                let args = [emitter.arg(a, Scalar::Int(32))?, emitter.arg(b, Scalar::Int(32))?];
                emitter.compute(mnemonic, &args)?
            }
        };
        result.extend(shorts_of(emitter, word)?);
    }
    Ok(Some(result))
}

/// One of two vectors of `i16`, where both are words already.
pub(super) fn choose_shorts(
    emitter: &mut Emitter<'_, '_, '_>,
    cond: Val,
    leaves: &[Leaf],
    a: &[Val],
    b: &[Val],
) -> Result<Option<Vec<Val>>> {
    if matches!(cond, Val::Bits(_)) {
        return Ok(None);
    }
    let Some(words) = pairs_of_words(emitter, leaves, a, b) else { return Ok(None) };
    let mut result = Vec::with_capacity(leaves.len());
    for (a, b) in words {
        let word = emitter.choose(cond, a, b, Scalar::Int(32))?;
        let word = emitter.in_register(word, Scalar::Int(32))?;
        result.extend(shorts_of(emitter, word)?);
    }
    Ok(Some(result))
}

/// The words of two vectors of `i16`, where all of them are words or constants, and not both are constants.
fn pairs_of_words(
    emitter: &Emitter<'_, '_, '_>,
    leaves: &[Leaf],
    a: &[Val],
    b: &[Val],
) -> Option<Vec<(Val, Val)>> {
    let is_short = |leaf: &Leaf| leaf.scalar == Scalar::Int(16);
    let are_shorts = !leaves.is_empty() && leaves.len().is_multiple_of(2) && leaves.iter().all(is_short);
    if !are_shorts || emitter.module.target.is_debugging() {
        return None;
    }
    let pairs = a.chunks_exact(2).zip(b.chunks_exact(2));
    let words = pairs.map(|(a, b)| {
        let (a, b) = (word_of_shorts(emitter, a)?, word_of_shorts(emitter, b)?);
        (!matches!((a, b), (Val::Bits(_), Val::Bits(_)))).then_some((a, b))
    });
    words.collect()
}

/// The word that two values are the halves of.
fn word_of_shorts(emitter: &Emitter<'_, '_, '_>, pair: &[Val]) -> Option<Val> {
    match *pair {
        [Val::Bits(low), Val::Bits(high)] => Some(Val::Bits(low & mask(16) | (high & mask(16)) << 16)),
        [Val::Register(low, _), Val::Register(high, _)] => joined(emitter, [low, high]).map(Val::reg),
        _ => None,
    }
}

/// The halves of a word.
pub(super) fn shorts_of(emitter: &mut Emitter<'_, '_, '_>, word: RegId) -> Result<[Val; 2]> {
    let halves = emitter.halves_of(word, Class::B16)?;
    emitter.computed.halves.insert(halves, word);
    Ok(halves.map(Val::reg))
}

/// The register whose halves two registers are.
pub(super) fn joined(emitter: &Emitter<'_, '_, '_>, halves: [RegId; 2]) -> Option<RegId> {
    let known = emitter.computed.halves.get(&halves);
    known.or_else(|| emitter.computed.joined_here.get(&halves)).copied()
}

/// Whether the target computes with two numbers in single precision at once.
pub(super) fn has_single_pairs(emitter: &Emitter<'_, '_, '_>) -> bool {
    emitter.module.target.supports(ptx!("add.rn.f32x2")) && !emitter.module.target.is_debugging()
}

/// An operation on vectors, in single precision as the mnemonic is; `None` if they do not have two numbers in single precision.
pub(super) fn by_single_pairs(
    emitter: &mut Emitter<'_, '_, '_>,
    single: Mnemonic,
    leaves: &[Leaf],
    args: &[&[Val]],
) -> Result<Option<Vec<Val>>> {
    let is_vector = leaves.len() > 1 && leaves.iter().all(|leaf| leaf.scalar == Scalar::Float);
    let fits = args.iter().all(|values| values.len() == leaves.len());
    if !is_vector || !fits || !has_single_pairs(emitter) {
        return Ok(None);
    }
    let single = emitter.float_form(single, Scalar::Float)?;
    let paired = single.with_type(ScalarType::F32x2)?;
    let mut result = Vec::with_capacity(leaves.len());
    for at in (0..leaves.len()).step_by(2) {
        let parts: Vec<&[Val]> = args.iter().filter_map(|values| values.get(at..)).collect();
        if at + 1 == leaves.len() {
            let last: Vec<Val> = parts.iter().filter_map(|values| values.first().copied()).collect();
            result.push(emitter.apply(single, &last, Scalar::Float)?);
            continue;
        }
        let mut pairs = Vec::with_capacity(parts.len());
        for values in parts {
            if let &[low, high, ..] = values {
                pairs.push(single_pair(emitter, low, high)?);
            }
        }
        let register = emitter.compute(paired, &pairs)?;
        result.extend(single_halves(emitter, register)?);
    }
    Ok(Some(result))
}

/// The same bits as another type: integers of 64 bits as pairs, and pairs that have been in one register as such integers.
pub(super) fn cast_single_pairs(
    emitter: &mut Emitter<'_, '_, '_>,
    from: &[Leaf],
    values: &[Val],
    to: &[Leaf],
) -> Result<Option<Vec<Val>>> {
    let all = |leaves: &[Leaf], scalar| leaves.iter().all(|leaf| leaf.scalar == scalar);
    if !has_single_pairs(emitter) {
        return Ok(None);
    }
    let words = values.iter().map(|value| match *value {
        Val::Register(register, _) => Some(register),
        _ => None,
    });
    let Some(words) = words.collect::<Option<Vec<RegId>>>() else { return Ok(None) };
    if all(from, Scalar::Int(64)) && all(to, Scalar::Float) && to.len() == 2 * words.len() {
        let mut cast = Vec::with_capacity(to.len());
        for word in words {
            cast.extend(single_halves(emitter, word)?);
        }
        return Ok(Some(cast));
    }
    if all(from, Scalar::Float) && all(to, Scalar::Int(64)) && words.len() == 2 * to.len() {
        let pairs = words.chunks_exact(2).map(|pair| match pair {
            &[low, high] => joined(emitter, [low, high]).map(Val::reg),
            _ => None,
        });
        return Ok(pairs.collect());
    }
    Ok(None)
}

/// Two numbers in one register.
fn single_pair(emitter: &mut Emitter<'_, '_, '_>, low: Val, high: Val) -> Result<Arg> {
    if let (Val::Bits(low), Val::Bits(high)) = (low, high) {
        let whole = Val::Bits(low & 0xffff_ffff | high << 32);
        return Ok(emitter.in_register(whole, Scalar::Int(64))?.into());
    }
    let halves = [emitter.in_register(low, Scalar::Float)?, emitter.in_register(high, Scalar::Float)?];
    if let Some(known) = joined(emitter, halves) {
        return Ok(known.into());
    }
    let register = emitter.join_halves(halves, Class::B32)?;
    emitter.computed.joined_here.insert(halves, register);
    Ok(register.into())
}

/// The numbers in a register of two.
pub(super) fn single_halves(emitter: &mut Emitter<'_, '_, '_>, register: RegId) -> Result<[Val; 2]> {
    let halves = emitter.halves_of(register, Class::F32)?;
    emitter.computed.halves.insert(halves, register);
    Ok(halves.map(Val::reg))
}
