//! Vectors of bytes, four of which are kept in one 32-bit register as long as they stay together.
//!
//! A vector of `i8` has a register for each element. If such registers are extracted from a word, it is recorded which byte of which word
//! they are: four that are combined again are the word itself, or one `prmt` (manual 9.7.9.7) of the words that they were extracted from.
//! Unused extractions are removed at the end ([`Emitter::drop_cuts`]).
//!
//! Code that was PTX has each byte in a separate register, and keeps it there.

use ptx_ir::{Operand, RegId, Stmt};
use ptx_isa::{ScalarType, ptx};
use ptx_llvm_core::view::{BinaryOp, BlockId, InstId};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::access::Access;
use super::append::Arg;
use super::state::{Byte, Emitter};
use super::undefined::filled;
use crate::error::{RaiseError, Result};
use crate::types::{Class, Leaf, Scalar, WORD};
use crate::value::{Fill, Upper, Val};

/// The source of a byte of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// A constant.
    Bits(u64),
    /// A byte of a register of 32 bits.
    Part(RegId, u64),
    /// The low byte of a register of 16 bits.
    Alone(RegId),
}

/// Whether four leaves are bytes side by side.
fn are_bytes(leaves: &[Leaf]) -> bool {
    leaves.len() == WORD
        && leaves.iter().enumerate().all(|(at, leaf)| {
            leaf.scalar == Scalar::Int(8) && leaf.bytes == 1 && leaf.offset == leaves[0].offset + at as u64
        })
}

impl Emitter<'_, '_, '_> {
    /// Whether vectors of bytes stay together.
    fn keeps_words(&self) -> bool {
        !self.source.was_ptx && !self.module.target.is_debugging()
    }

    /// The number of words in memory filled by the bytes at the start of the leaves, up to the maximum of one access.
    pub(super) fn words_at_start(&self, leaves: &[Leaf], align: u64) -> Option<usize> {
        let fits = |count: &usize| {
            align >= (count * WORD) as u64
                && leaves.get(..count * WORD).is_some_and(|leaves| leaves.chunks(WORD).all(are_bytes))
        };
        [4, 2, 1].into_iter().find(fits).filter(|_| self.keeps_words())
    }

    /// Loads words of bytes.
    pub(super) fn load_words(&mut self, count: usize, access: &Access<'_>) -> Result<Vec<Val>> {
        let words = self.load_vector(access, ScalarType::B32, Class::B32, count)?;
        self.bytes_of_words(&words)
    }

    /// The bytes of words.
    fn bytes_of_words(&mut self, words: &[RegId]) -> Result<Vec<Val>> {
        let mut values = Vec::with_capacity(words.len() * WORD);
        for &word in words {
            values.extend(self.bytes_of(word)?);
        }
        Ok(values)
    }

    /// Stores bytes as words where they are parts of words; whether it did.
    pub(super) fn store_words(
        &mut self,
        count: usize,
        values: &[Option<Val>],
        access: &Access<'_>,
    ) -> Result<bool> {
        let Some(values) = values.get(..count * WORD) else { return Ok(false) };
        if !values.chunks(WORD).all(|bytes| self.is_stored_whole(bytes)) {
            return Ok(false);
        }
        let words = self.words_of_bytes(&filled(values))?;
        if let &[Val::Bits(bits)] = words.as_slice() {
            self.emit(access.of(ScalarType::B32, 1)?, &[access.address.into(), Arg::Bits(bits, 32)])?;
            return Ok(true);
        }
        let registers = self.in_registers(&words, Scalar::Int(32))?;
        self.store_vector(access, ScalarType::B32, &registers)?;
        Ok(true)
    }

    /// The leaves of a value as words, where all of them are bytes.
    fn is_words(&self, leaves: &[Leaf]) -> bool {
        self.keeps_words()
            && !leaves.is_empty()
            && leaves.len().is_multiple_of(WORD)
            && leaves.chunks(WORD).all(are_bytes)
    }

    /// Registers for the bytes of a word.
    fn byte_registers(&mut self, whole: RegId) -> [Val; WORD] {
        let mut values = [Val::Bits(0); WORD];
        for (at, value) in values.iter_mut().enumerate() {
            let (register, wide) = (self.register(Class::B16), self.register(Class::B32));
            self.registers.bytes.insert(register, Byte { whole, at: at as u64, wide });
            *value = Val::Register(register, if at == 0 { Upper::Any } else { Upper::Zero });
        }
        values
    }

    /// Cuts bytes out of their words.
    fn cut(&mut self, values: &[Val]) -> Result<()> {
        for value in values {
            let Val::Register(register, _) = *value else { continue };
            let Some(Byte { whole, at, wide }) = self.registers.bytes.get(&register).copied() else {
                continue;
            };
            let args = [wide.into(), whole.into(), Arg::Bits(8 * at, 32), Arg::Bits(8, 32)];
            self.emit(ptx!("bfe.u32"), &args)?;
            let from = if at == 0 { whole } else { wide };
            self.emit(ptx!("cvt.u16.u32"), &[register.into(), from.into()])?;
        }
        Ok(())
    }

    /// The bytes of a word.
    pub(super) fn bytes_of(&mut self, whole: RegId) -> Result<[Val; WORD]> {
        let values = self.byte_registers(whole);
        self.cut(&values)?;
        Ok(values)
    }

    fn source(&self, value: Val) -> Option<Source> {
        match value {
            Val::Bits(bits) => Some(Source::Bits(bits & 0xff)),
            Val::Register(register, _) => Some(match self.registers.bytes.get(&register) {
                Some(byte) => Source::Part(byte.whole, byte.at),
                None => Source::Alone(register),
            }),
            Val::Address { .. } => None,
        }
    }

    fn sources(&self, values: &[Val]) -> Option<[Source; WORD]> {
        let &[a, b, c, d] = values else { return None };
        Some([self.source(a)?, self.source(b)?, self.source(c)?, self.source(d)?])
    }

    /// The number of instructions that combine four bytes in one register, if they need no conversions.
    fn cost(&self, values: &[Val]) -> Option<usize> {
        let sources = self.sources(values)?;
        if whole_of(&sources).is_some() {
            return Some(0);
        }
        let mut words = HashSet::default();
        let mut constant = false;
        for source in sources {
            match source {
                Source::Bits(_) => constant = true,
                Source::Part(word, _) => {
                    words.insert(word);
                }
                Source::Alone(_) => return None,
            }
        }
        Some((words.len() + usize::from(constant)).saturating_sub(1).max(1))
    }

    /// Whether bytes had better be put together before they are stored: most of them are parts of words.
    fn is_stored_whole(&self, values: &[Option<Val>]) -> bool {
        let alone = |value: &Option<Val>| {
            value.is_none_or(|value| matches!(self.source(value), Some(Source::Alone(_)) | None))
        };
        values.len() == WORD && values.iter().filter(|value| alone(value)).count() <= 1
    }

    /// Four bytes in one register of 32 bits, the first one lowest.
    pub(super) fn join_bytes(&mut self, values: &[Val]) -> Result<Val> {
        if let &[Val::Register(a, _), Val::Register(b, _), Val::Register(c, _), Val::Register(d, _)] = values
            && [a, b, c, d].iter().all(|register| !self.registers.bytes.contains_key(register))
        {
            return self.join_separate([a, b, c, d]).map(Val::reg);
        }
        let mut sources = [Source::Bits(0); WORD];
        for (source, &value) in sources.iter_mut().zip(values) {
            *source = match self.source(value) {
                Some(Source::Alone(register)) => {
                    Source::Part(self.compute(ptx!("cvt.u32.u16"), &[register.into()])?, 0)
                }
                Some(source) => source,
                None => Source::Part(self.in_register(value, Scalar::Int(32))?, 0),
            };
        }
        if let Some(whole) = whole_of(&sources) {
            return Ok(whole);
        }
        let mut words: Vec<RegId> = Vec::new();
        let mut constants: Vec<u64> = Vec::new();
        for source in sources {
            match source {
                Source::Bits(bits) if !constants.contains(&bits) => constants.push(bits),
                Source::Part(word, _) if !words.contains(&word) => words.push(word),
                Source::Bits(_) | Source::Part(..) | Source::Alone(_) => {}
            }
        }
        let Some((&first, rest)) = words.split_first() else { return Ok(Val::Bits(0)) };
        let constant = constants.iter().rev().fold(0, |sum, byte| sum << 8 | byte);
        // Bytes of the first two words are combined by one instruction, and each further word needs another one.
        let mut others: Vec<Arg> = rest.iter().map(|&word| word.into()).collect();
        if !constants.is_empty() {
            others.push(Arg::Bits(constant, 32));
        }
        if others.is_empty() {
            others.push(Arg::Bits(0, 32));
        }
        let mut sum = first;
        for (step, other) in others.into_iter().enumerate() {
            let mut selector = 0;
            for (at, source) in sources.iter().enumerate() {
                let place = match *source {
                    Source::Part(word, byte) if word == first && step == 0 => byte,
                    Source::Part(word, byte) if rest.get(step) == Some(&word) => 4 + byte,
                    Source::Bits(byte) if step == rest.len() => {
                        let number = constants.iter().position(|other| *other == byte);
                        4 + number.ok_or_else(|| RaiseError::defect("a byte that no operand has"))? as u64
                    }
                    // Where it is already, or will be.
                    _ => at as u64,
                };
                selector |= place << (4 * at);
            }
            sum = self.compute(ptx!("prmt.b32"), &[sum.into(), other, Arg::Bits(selector, 32)])?;
        }
        Ok(Val::reg(sum))
    }

    /// The low bytes of four registers as one word, the first one lowest (`prmt`, manual 9.7.9.7).
    pub(super) fn join_separate(&mut self, bytes: [RegId; 4]) -> Result<RegId> {
        let mut wide = bytes;
        for byte in &mut wide {
            *byte = self.compute(ptx!("cvt.u32.u16"), &[(*byte).into()])?;
        }
        let [a, b, c, d] = wide;
        let low = self.compute(ptx!("prmt.b32"), &[a.into(), b.into(), Arg::Bits(0x0040, 32)])?;
        let high = self.compute(ptx!("prmt.b32"), &[c.into(), d.into(), Arg::Bits(0x0040, 32)])?;
        self.compute(ptx!("prmt.b32"), &[low.into(), high.into(), Arg::Bits(0x5410, 32)])
    }

    /// `and`, `or`, `xor` of vectors of bytes as words, where both are words already.
    pub(super) fn combine_bytes(
        &mut self,
        op: BinaryOp,
        leaves: &[Leaf],
        a: &[Val],
        b: &[Val],
    ) -> Result<Option<Vec<Val>>> {
        let mnemonic = match op {
            BinaryOp::And => ptx!("and.b32"),
            BinaryOp::Or => ptx!("or.b32"),
            BinaryOp::Xor => ptx!("xor.b32"),
            _ => return Ok(None),
        };
        if !self.are_cheap_words(leaves, a, b) {
            return Ok(None);
        }
        let mut result = Vec::with_capacity(a.len());
        for (a, b) in a.chunks(WORD).zip(b.chunks(WORD)) {
            let (a, b) = (self.join_bytes(a)?, self.join_bytes(b)?);
            let args = [self.arg(a, Scalar::Int(32))?, self.arg(b, Scalar::Int(32))?];
            let word = self.compute(mnemonic, &args)?;
            result.extend(self.bytes_of(word)?);
        }
        Ok(Some(result))
    }

    /// One of two vectors of bytes as words, where both are words already.
    pub(super) fn choose_bytes(
        &mut self,
        cond: Val,
        leaves: &[Leaf],
        a: &[Val],
        b: &[Val],
    ) -> Result<Option<Vec<Val>>> {
        if matches!(cond, Val::Bits(_)) || !self.are_cheap_words(leaves, a, b) {
            return Ok(None);
        }
        let mut result = Vec::with_capacity(a.len());
        for (a, b) in a.chunks(WORD).zip(b.chunks(WORD)) {
            let (a, b) = (self.join_bytes(a)?, self.join_bytes(b)?);
            let word = self.choose(cond, a, b, Scalar::Int(32))?;
            let word = self.in_register(word, Scalar::Int(32))?;
            result.extend(self.bytes_of(word)?);
        }
        Ok(Some(result))
    }

    /// Whether operations on words cost less than on bytes.
    fn are_cheap_words(&self, leaves: &[Leaf], a: &[Val], b: &[Val]) -> bool {
        let constant = |values: &[Val]| values.iter().all(|value| matches!(value, Val::Bits(_)));
        self.is_words(leaves)
            && a.chunks(WORD).zip(b.chunks(WORD)).all(|(a, b)| {
                let costs = self.cost(a).zip(self.cost(b));
                costs.is_some_and(|(a, b)| a + b < WORD - 1) && !(constant(a) && constant(b))
            })
    }

    /// A bit cast between vectors of bytes and of words, where one is from one and to the other.
    pub(super) fn cast_bytes(
        &mut self,
        from: &[Leaf],
        values: &[Val],
        to: &[Leaf],
    ) -> Result<Option<Vec<Val>>> {
        let bits = |leaves: &[Leaf]| leaves.iter().map(|leaf| leaf.scalar.bits()).sum::<u32>();
        let wide = |leaves: &[Leaf]| leaves.iter().all(|leaf| matches!(leaf.scalar.bits(), 32 | 64));
        if bits(from) != bits(to) {
            return Ok(None);
        }
        if self.is_words(from) && wide(to) {
            let joined = self.words_of_bytes(values)?;
            return self.bit_cast(&words(to), &joined, to).map(Some);
        }
        if self.is_words(to) && wide(from) && !values.iter().all(|value| matches!(value, Val::Bits(_))) {
            let words = words(from);
            let split = self.bit_cast(from, values, &words)?;
            let split = self.in_registers(&split, Scalar::Int(32))?;
            return self.bytes_of_words(&split).map(Some);
        }
        Ok(None)
    }

    /// A byte of a word extended to more than 16 bits, without a separate extraction.
    pub(super) fn extended_byte(&mut self, register: RegId, to: Class, fill: Fill) -> Result<Option<RegId>> {
        let Some(Byte { whole, at, wide }) = self.registers.bytes.get(&register).copied() else {
            return Ok(None);
        };
        if !matches!(to, Class::B32 | Class::B64) {
            return Ok(None);
        }
        let word = match fill {
            Fill::Zero => wide,
            Fill::Sign => {
                // The byte, and its sign three times.
                let selector = at + (8 + at) * 0x1110;
                let args = [whole.into(), Arg::Bits(0, 32), Arg::Bits(selector, 32)];
                self.compute(ptx!("prmt.b32"), &args)?
            }
        };
        self.resized_with(word, Class::B32, to, fill).map(Some)
    }

    /// Registers for a phi of words: those that predecessors write, and the value.
    pub(super) fn word_phi(&mut self, id: InstId) -> Result<(Vec<RegId>, Vec<Val>)> {
        let count = self.leaves(self.type_of(id))?.len() / WORD;
        let inputs = (0..count).map(|_| self.register(Class::B32)).collect();
        let mut values = Vec::with_capacity(count * WORD);
        for _ in 0..count {
            let whole = self.register(Class::B32);
            values.extend(self.byte_registers(whole));
        }
        Ok((inputs, values))
    }

    /// The copy of a phi of words at the start of its block.
    pub(super) fn copy_word_phi(&mut self, inputs: &[RegId], values: &[Val]) -> Result<()> {
        for (&input, bytes) in inputs.iter().zip(values.chunks(WORD)) {
            if let Some(Val::Register(first, _)) = bytes.first()
                && let Some(Byte { whole, .. }) = self.registers.bytes.get(first).copied()
            {
                self.copy_to(whole, Val::reg(input), Scalar::Int(32))?;
            }
        }
        self.cut(values)
    }

    /// The words that bytes are.
    pub(super) fn words_of_bytes(&mut self, values: &[Val]) -> Result<Vec<Val>> {
        values.chunks(WORD).map(|bytes| self.join_bytes(bytes)).collect()
    }

    /// Removes unused extractions of bytes.
    pub(super) fn drop_cuts(&mut self, parts: &mut HashMap<BlockId, Vec<Stmt>>) {
        if self.registers.bytes.is_empty() {
            return;
        }
        let body = self.builder.body();
        let mut mentions: HashMap<RegId, usize> = HashMap::default();
        for byte in &self.registers.bytes {
            mentions.insert(*byte.0, 0);
            mentions.insert(byte.1.wide, 0);
        }
        for statement in parts.values().flatten() {
            if let Stmt::Inst(inst) = statement {
                body.for_each_register(inst, |register, _| {
                    if let Some(count) = mentions.get_mut(&register) {
                        *count += 1;
                    }
                });
            }
        }
        let mut unread: HashSet<RegId> = HashSet::default();
        for (register, byte) in &self.registers.bytes {
            let at_most = |register, count| mentions.get(register).is_some_and(|found| *found <= count);
            let is_unread = at_most(register, 1);
            if is_unread {
                unread.insert(*register);
            }
            // All but the lowest byte are copied from there.
            let wide_is_unread =
                if byte.at == 0 { at_most(&byte.wide, 1) } else { is_unread && at_most(&byte.wide, 2) };
            if wide_is_unread {
                unread.insert(byte.wide);
            }
        }
        for statements in parts.values_mut() {
            statements.retain(|statement| match statement {
                Stmt::Inst(inst) => match body.operands(inst).first() {
                    Some(Operand::Register(register)) => !unread.contains(register),
                    _ => true,
                },
                _ => true,
            });
        }
    }
}

/// The register or the constant that four bytes are already.
fn whole_of(sources: &[Source; WORD]) -> Option<Val> {
    if let Source::Part(word, 0) = sources[0] {
        let same = |(at, source): (usize, &Source)| *source == Source::Part(word, at as u64);
        return sources.iter().enumerate().all(same).then_some(Val::reg(word));
    }
    let mut bits = 0;
    for (at, source) in sources.iter().enumerate() {
        let Source::Bits(byte) = source else { return None };
        bits |= byte << (8 * at);
    }
    Some(Val::Bits(bits))
}

/// Leaves of 32 bits as words, and of 64 as two.
fn words(leaves: &[Leaf]) -> Vec<Leaf> {
    let word = Leaf { scalar: Scalar::Int(32), offset: 0, bytes: WORD as u64 };
    leaves.iter().flat_map(|leaf| std::iter::repeat_n(word, (leaf.scalar.bits() / 32) as usize)).collect()
}
