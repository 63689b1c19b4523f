//! Integers over 64 bits, as 64-bit words with the low one first.

use ptx_ir::RegId;
use ptx_isa::{Mnemonic, ptx};
use ptx_llvm_core::view::{BinaryOp, IntPredicate, Value};

use super::append::{Arg, number};
use super::state::Emitter;
use crate::error::{INSTRUCTION, INTRINSIC, RaiseError, Result};
use crate::types::{Class, Scalar};
use crate::value::{Fill, Val};

/// Addition or subtraction of a word, with a carry in and out where there is one (manual 9.7.2).
const fn step(op: BinaryOp, has_carry: bool, carries: bool) -> Mnemonic {
    match (matches!(op, BinaryOp::Sub), has_carry, carries) {
        (false, false, false) => ptx!("add.s64"),
        (false, false, true) => ptx!("add.cc.u64"),
        (false, true, true) => ptx!("addc.cc.u64"),
        (false, true, false) => ptx!("addc.u64"),
        (true, false, false) => ptx!("sub.s64"),
        (true, false, true) => ptx!("sub.cc.u64"),
        (true, true, true) => ptx!("subc.cc.u64"),
        (true, true, false) => ptx!("subc.u64"),
    }
}

impl Emitter<'_, '_, '_> {
    /// Arithmetic on integers of `bits` bits, over 64.
    pub(super) fn wide_binary(&mut self, op: BinaryOp, a: &[Val], b: &[Val], bits: u32) -> Result<Vec<Val>> {
        let fill = match op {
            BinaryOp::AShr => Fill::Sign,
            _ => Fill::Zero,
        };
        let a = self.full_words(a, bits, fill)?;
        let result = match op {
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
                let amount = match b.first() {
                    Some(Val::Bits(amount)) => number(*amount),
                    Some(low) => self.extended(*low, Scalar::Int(64), 32, Fill::Zero)?.into(),
                    None => return Err(RaiseError::new(INSTRUCTION, "a shift without an amount")),
                };
                self.wide_shift(op, &a, amount)?
            }
            _ => {
                let b = self.full_words(b, bits, fill)?;
                self.wide_words(op, &a, &b)?
            }
        };
        self.narrow_words(&result, bits)
    }

    pub(super) fn wide_words(&mut self, op: BinaryOp, a: &[RegId], b: &[RegId]) -> Result<Vec<RegId>> {
        match op {
            BinaryOp::Add | BinaryOp::Sub => self.chain(op, a, b),
            BinaryOp::Mul => self.wide_multiply(a, b),
            BinaryOp::And => self.each_word(ptx!("and.b64"), a, b),
            BinaryOp::Or => self.each_word(ptx!("or.b64"), a, b),
            BinaryOp::Xor => self.each_word(ptx!("xor.b64"), a, b),
            _ => Err(RaiseError::new(INSTRUCTION, "an operation that wide integers do not have")),
        }
    }

    /// The width of a value's integer elements, when that is over 64 bits.
    pub(super) fn wide_width(&self, value: Value) -> Result<Option<u32>> {
        Ok(self.width_of_integers(self.value_type(value)?).filter(|bits| *bits > 64))
    }

    /// Rejects integers over 64 bits, for operations that legalization expands.
    pub(super) fn no_wide(&self, value: Value) -> Result<()> {
        match self.wide_width(value)? {
            None => Ok(()),
            Some(_) => Err(RaiseError::new(INTRINSIC, "an intrinsic on integers over 64 bits")),
        }
    }

    /// The words of a value, the top one filled up to 64 bits.
    pub(super) fn full_words(&mut self, words: &[Val], bits: u32, fill: Fill) -> Result<Vec<RegId>> {
        let mut full = Vec::with_capacity(words.len());
        for (at, word) in words.iter().enumerate() {
            let width = (bits - 64 * at as u32).min(64);
            full.push(self.extended(*word, Scalar::Int(width), 64, fill)?);
        }
        Ok(full)
    }

    /// Leaves out of full words.
    pub(super) fn narrow_words(&mut self, words: &[RegId], bits: u32) -> Result<Vec<Val>> {
        let mut values = Vec::with_capacity(words.len());
        for (at, &word) in words.iter().enumerate() {
            let width = (bits - 64 * at as u32).min(64);
            values.push(match width {
                64 => Val::reg(word),
                1 => self.extract_bits(word, Class::B64, 0, Scalar::Int(1))?,
                _ => Val::reg(self.resized(word, Class::B64, Class::of_bits(width))?),
            });
        }
        Ok(values)
    }

    pub(super) fn each_word(&mut self, logic: Mnemonic, a: &[RegId], b: &[RegId]) -> Result<Vec<RegId>> {
        a.iter().zip(b).map(|(&a, &b)| self.logic_word(logic, a, b)).collect()
    }

    /// A logic operation on two words; none where one of them is zero or, with `and`, all ones.
    fn logic_word(&mut self, logic: Mnemonic, a: RegId, b: RegId) -> Result<RegId> {
        let and = logic == ptx!("and.b64");
        for (known, other) in [(a, b), (b, a)] {
            match self.constant_in(known) {
                Some(0) => return Ok(if and { known } else { other }),
                Some(u64::MAX) if and => return Ok(other),
                _ => {}
            }
        }
        self.compute(logic, &[a.into(), b.into()])
    }

    /// The value of a register that was set to a constant.
    fn constant_in(&self, register: RegId) -> Option<u64> {
        self.registers.constants.get(&register).copied()
    }

    fn is_zero(&self, register: RegId) -> bool {
        self.constant_in(register) == Some(0)
    }

    /// Addition or subtraction with the carry from word to word. Words below the first one that is
    /// added or subtracted are unchanged.
    fn chain(&mut self, op: BinaryOp, a: &[RegId], b: &[RegId]) -> Result<Vec<RegId>> {
        let last = a.len() - 1;
        let mut words = Vec::with_capacity(a.len());
        let mut start = 0;
        for (at, (&a, &b)) in a.iter().zip(b).enumerate() {
            if at == start && at < last && self.is_zero(b) {
                words.push(a);
                start += 1;
                continue;
            }
            let b = self.constant_in(b).map_or(b.into(), number);
            words.push(self.compute(step(op, at > start, at < last), &[a.into(), b])?);
        }
        Ok(words)
    }

    /// The product modulo the width, by rows of partial products. A word of the sum that nothing has been added to is `None`.
    pub(super) fn wide_multiply(&mut self, a: &[RegId], b: &[RegId]) -> Result<Vec<RegId>> {
        let count = a.len();
        let mut sum: Vec<Option<RegId>> = vec![None; count];
        for (i, &x) in a.iter().enumerate() {
            for (j, &y) in b.iter().enumerate().take(count - i) {
                if !self.is_zero(x) && !self.is_zero(y) {
                    self.add_product(&mut sum, i + j, x, y)?;
                }
            }
        }
        let zero = self.in_register(Val::Bits(0), Scalar::Int(64))?;
        Ok(sum.into_iter().map(|word| word.unwrap_or(zero)).collect())
    }

    /// Adds the product of two words to a sum, from the word `at` on.
    fn add_product(&mut self, sum: &mut [Option<RegId>], at: usize, x: RegId, y: RegId) -> Result<()> {
        let factors = [x.into(), y.into()];
        let Some((first, above)) = sum.get_mut(at..).and_then(<[_]>::split_first_mut) else { return Ok(()) };
        if above.is_empty() {
            // The carry out of the top word is discarded.
            *first = Some(match *first {
                None => self.compute(ptx!("mul.lo.u64"), &factors)?,
                Some(old) => self.compute(ptx!("mad.lo.u64"), &[x.into(), y.into(), old.into()])?,
            });
            return Ok(());
        }
        let low = self.compute(ptx!("mul.lo.u64"), &factors)?;
        let high = self.compute(ptx!("mul.hi.u64"), &factors)?;
        let mut carries = false;
        *first = Some(match *first {
            None => low,
            Some(old) => {
                carries = true;
                self.compute(ptx!("add.cc.u64"), &[old.into(), low.into()])?
            }
        });
        let top = above.len() - 1;
        for (place, word) in above.iter_mut().enumerate() {
            let addend = if place == 0 { Arg::from(high) } else { number(0) };
            if place > 0 && !carries {
                break;
            }
            let old = *word;
            *word = Some(match (old, carries) {
                (None, false) => high,
                (Some(old), false) => {
                    self.compute(step(BinaryOp::Add, false, place < top), &[old.into(), addend])?
                }
                (old, true) => {
                    let old = old.map_or(number(0), Arg::from);
                    self.compute(step(BinaryOp::Add, true, place < top), &[addend, old])?
                }
            });
            // A high word is never the largest number, so that a carry into it does not propagate.
            carries = old.is_some();
        }
        Ok(())
    }

    /// A shift by a variable amount. PTX's shifts clamp, so a word shifted too far is zero, and a difference that wraps
    /// around is too far: each result word is the union of every word shifted both ways.
    pub(super) fn wide_shift(&mut self, op: BinaryOp, words: &[RegId], amount: Arg) -> Result<Vec<RegId>> {
        let amount = match amount {
            Arg::Bits(bits, _) => return self.constant_shift(op, words, bits),
            Arg::Operand(_) | Arg::Second(_) => self.compute(ptx!("mov.b32"), &[amount])?,
        };
        if op != BinaryOp::AShr {
            return self.logical_shift(op, words, amount);
        }
        if let &[low, high] = words {
            return self.shift_signed_pair(low, high, amount);
        }
        let shifted = self.logical_shift(BinaryOp::LShr, words, amount)?;
        let top =
            words.last().copied().ok_or_else(|| RaiseError::new(INSTRUCTION, "an integer without words"))?;
        let sign = self.compute(ptx!("shr.s64"), &[top.into(), number(63)])?;
        let total = Arg::Bits(64 * words.len() as u64, 32);
        let rest = self.compute(ptx!("sub.s32"), &[total, amount.into()])?;
        let fill = self.logical_shift(BinaryOp::Shl, &vec![sign; words.len()], rest)?;
        self.each_word(ptx!("or.b64"), &shifted, &fill)
    }

    /// An arithmetic shift of two words: the low one is the high one's beyond 64 bits.
    fn shift_signed_pair(&mut self, low: RegId, high: RegId, amount: RegId) -> Result<Vec<RegId>> {
        let rest = self.compute(ptx!("sub.s32"), &[Arg::Bits(64, 32), amount.into()])?;
        let own = self.compute(ptx!("shr.u64"), &[low.into(), amount.into()])?;
        let from_high = self.compute(ptx!("shl.b64"), &[high.into(), rest.into()])?;
        let near = self.compute(ptx!("or.b64"), &[own.into(), from_high.into()])?;
        let beyond = self.compute(ptx!("add.s32"), &[amount.into(), Arg::Bits(-64i64 as u64, 32)])?;
        let far = self.compute(ptx!("shr.s64"), &[high.into(), beyond.into()])?;
        let is_far = self.compute(ptx!("setp.gt.u32"), &[amount.into(), Arg::Bits(63, 32)])?;
        let first = self.compute(ptx!("selp.b64"), &[far.into(), near.into(), is_far.into()])?;
        Ok(vec![first, self.compute(ptx!("shr.s64"), &[high.into(), amount.into()])?])
    }

    /// A shift by a constant. Shifting by whole words only moves words.
    fn constant_shift(&mut self, op: BinaryOp, words: &[RegId], amount: u64) -> Result<Vec<RegId>> {
        let top =
            words.last().copied().ok_or_else(|| RaiseError::new(INSTRUCTION, "an integer without words"))?;
        let (step, bits) = ((amount / 64).min(words.len() as u64) as usize, amount % 64);
        let fill = match op {
            BinaryOp::AShr if step > 0 || bits > 0 => {
                self.compute(ptx!("shr.s64"), &[top.into(), number(63)])?
            }
            _ => self.in_register(Val::Bits(0), Scalar::Int(64))?,
        };
        let word = |at: Option<usize>| at.and_then(|at| words.get(at)).copied().unwrap_or(fill);
        let mut shifted = Vec::with_capacity(words.len());
        for to in 0..words.len() {
            // The word that moves here, and its neighbour whose bits fill the other end.
            let (near, far) = match op {
                BinaryOp::Shl => (to.checked_sub(step), to.checked_sub(step + 1)),
                _ => (Some(to + step), Some(to + step + 1)),
            };
            let (near, far) = (word(near), word(far));
            shifted.push(if bits == 0 { near } else { self.join_shifted(op, near, far, bits, fill)? });
        }
        Ok(shifted)
    }

    /// The bits of a word and of its neighbour that are in one word after a shift by less than a word.
    fn join_shifted(
        &mut self,
        op: BinaryOp,
        near: RegId,
        far: RegId,
        bits: u64,
        fill: RegId,
    ) -> Result<RegId> {
        let (toward, back) = shifts(op);
        if op == BinaryOp::AShr && far == fill {
            return self.compute(ptx!("shr.s64"), &[near.into(), number(bits)]);
        }
        let mut parts = [None, None];
        for (part, word, shift, by) in [(0, near, toward, bits), (1, far, back, 64 - bits)] {
            if !self.is_zero(word) {
                parts[part] = Some(self.compute(shift, &[word.into(), number(by)])?);
            }
        }
        match parts {
            [Some(near), Some(far)] => self.compute(ptx!("or.b64"), &[near.into(), far.into()]),
            [Some(part), None] | [None, Some(part)] => Ok(part),
            [None, None] => self.in_register(Val::Bits(0), Scalar::Int(64)),
        }
    }

    fn logical_shift(&mut self, op: BinaryOp, words: &[RegId], amount: RegId) -> Result<Vec<RegId>> {
        let (toward, back) = shifts(op);
        let count = words.len();
        let mut result = Vec::with_capacity(count);
        for to in 0..count {
            let mut sum: Option<RegId> = None;
            for (from, &word) in words.iter().enumerate() {
                let distance = if op == BinaryOp::Shl { to.checked_sub(from) } else { from.checked_sub(to) };
                let Some(distance) = distance else { continue };
                let bits = Arg::Bits(64 * distance as u64, 32);
                let forward = if distance == 0 {
                    amount
                } else {
                    self.compute(ptx!("sub.s32"), &[amount.into(), bits])?
                };
                let mut parts = vec![self.compute(toward, &[word.into(), forward.into()])?];
                if distance > 0 {
                    let backward = self.compute(ptx!("sub.s32"), &[bits, amount.into()])?;
                    parts.push(self.compute(back, &[word.into(), backward.into()])?);
                }
                for part in parts {
                    sum = Some(self.union(sum, part, 64)?);
                }
            }
            result.push(sum.ok_or_else(|| RaiseError::new(INSTRUCTION, "an integer without words"))?);
        }
        Ok(result)
    }

    /// Compares full words.
    pub(super) fn wide_compare(&mut self, predicate: IntPredicate, a: &[RegId], b: &[RegId]) -> Result<Val> {
        match predicate {
            IntPredicate::Eq | IntPredicate::Ne => {
                let mut difference: Option<RegId> = None;
                for (&a, &b) in a.iter().zip(b) {
                    let word = self.logic_word(ptx!("xor.b64"), a, b)?;
                    difference = Some(self.union(difference, word, 64)?);
                }
                let difference =
                    difference.ok_or_else(|| RaiseError::new(INSTRUCTION, "an integer without words"))?;
                let compare =
                    if predicate == IntPredicate::Eq { ptx!("setp.eq.s64") } else { ptx!("setp.ne.s64") };
                Ok(Val::reg(self.compute(compare, &[difference.into(), number(0)])?))
            }
            IntPredicate::Ult | IntPredicate::Slt => self.wide_less(a, b, predicate == IntPredicate::Slt),
            IntPredicate::Ugt | IntPredicate::Sgt => self.wide_less(b, a, predicate == IntPredicate::Sgt),
            IntPredicate::Uge | IntPredicate::Sge => {
                let less = self.wide_less(a, b, predicate == IntPredicate::Sge)?;
                self.pred_not(less)
            }
            IntPredicate::Ule | IntPredicate::Sle => {
                let less = self.wide_less(b, a, predicate == IntPredicate::Sle)?;
                self.pred_not(less)
            }
        }
    }

    fn wide_less(&mut self, a: &[RegId], b: &[RegId], signed: bool) -> Result<Val> {
        let mut less = Val::Bits(0);
        let top = a.len() - 1;
        if let (true, Some(&high)) = (signed && b.iter().all(|&word| self.is_zero(word)), a.last()) {
            return Ok(Val::reg(self.compute(ptx!("setp.lt.s64"), &[high.into(), number(0)])?));
        }
        for (at, (&a, &b)) in a.iter().zip(b).enumerate() {
            let compare = if signed && at == top { ptx!("setp.lt.s64") } else { ptx!("setp.lt.u64") };
            let here = Val::reg(self.compute(compare, &[a.into(), b.into()])?);
            if at == 0 {
                less = here;
                continue;
            }
            let equal = Val::reg(self.compute(ptx!("setp.eq.s64"), &[a.into(), b.into()])?);
            let below = self.pred(ptx!("and.pred"), equal, less)?;
            less = self.pred(ptx!("or.pred"), here, below)?;
        }
        Ok(less)
    }
}

/// The shifts of a word within itself, and of its bits that move to the next one.
const fn shifts(op: BinaryOp) -> (Mnemonic, Mnemonic) {
    match op {
        BinaryOp::Shl => (ptx!("shl.b64"), ptx!("shr.u64")),
        _ => (ptx!("shr.u64"), ptx!("shl.b64")),
    }
}
