//! Integers over 64 bits, as 64-bit words with the low one first.

use ptx_ir::RegId;
use ptx_llvm::view::{BinaryOp, IntPredicate};

use super::FunctionRaiser;
use super::emit::{Arg, number};
use crate::error::{INSTRUCTION, Raised, Refusal};
use crate::types::{Class, Scalar};
use crate::value::Val;

/// How the top word is filled up when it is not full.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fill {
    Zero,
    Sign,
}

impl FunctionRaiser<'_, '_, '_> {
    /// Arithmetic on integers of `bits` bits, over 64.
    pub(super) fn wide_binary(&mut self, op: BinaryOp, a: &[Val], b: &[Val], bits: u32) -> Raised<Vec<Val>> {
        let fill = match op {
            BinaryOp::SDiv | BinaryOp::SRem | BinaryOp::AShr => Fill::Sign,
            _ => Fill::Zero,
        };
        let a = self.full_words(a, bits, fill)?;
        let result = match op {
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
                let amount = match b.first() {
                    Some(Val::Bits(amount)) => number(*amount),
                    Some(low) => self.zero_extended(*low, Scalar::Int(64), 32)?.into(),
                    None => return Err(Refusal::new(INSTRUCTION, "a shift without an amount")),
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

    pub(super) fn wide_words(&mut self, op: BinaryOp, a: &[RegId], b: &[RegId]) -> Raised<Vec<RegId>> {
        match op {
            BinaryOp::Add => self.chain("add", a, b),
            BinaryOp::Sub => self.chain("sub", a, b),
            BinaryOp::Mul => self.wide_multiply(a, b),
            BinaryOp::And => self.each_word("and.b64", a, b),
            BinaryOp::Or => self.each_word("or.b64", a, b),
            BinaryOp::Xor => self.each_word("xor.b64", a, b),
            BinaryOp::UDiv => Ok(self.divide(a, b)?.0),
            BinaryOp::URem => Ok(self.divide(a, b)?.1),
            BinaryOp::SDiv | BinaryOp::SRem => self.signed_divide(op, a, b),
            _ => Err(Refusal::new(INSTRUCTION, "an operation that wide integers do not have")),
        }
    }

    /// The words of a value, the top one filled up to 64 bits.
    pub(super) fn full_words(&mut self, words: &[Val], bits: u32, fill: Fill) -> Raised<Vec<RegId>> {
        let mut full = Vec::with_capacity(words.len());
        for (at, word) in words.iter().enumerate() {
            let width = (bits - 64 * at as u32).min(64);
            full.push(match (width, fill) {
                (64, _) => self.in_register(*word, Scalar::Int(64))?,
                (_, Fill::Zero) => self.zero_extended(*word, Scalar::Int(width), 64)?,
                (_, Fill::Sign) => self.sign_extended(*word, Scalar::Int(width), 64)?,
            });
        }
        Ok(full)
    }

    /// Leaves out of full words.
    pub(super) fn narrow_words(&mut self, words: &[RegId], bits: u32) -> Raised<Vec<Val>> {
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

    pub(super) fn each_word(&mut self, text: &str, a: &[RegId], b: &[RegId]) -> Raised<Vec<RegId>> {
        a.iter().zip(b).map(|(&a, &b)| self.emit_new(Class::B64, text, &[a.into(), b.into()])).collect()
    }

    /// Addition or subtraction with the carry from word to word (manual 9.7.2).
    pub(super) fn chain(&mut self, opcode: &str, a: &[RegId], b: &[RegId]) -> Raised<Vec<RegId>> {
        let last = a.len() - 1;
        let mut words = Vec::with_capacity(a.len());
        for (at, (&a, &b)) in a.iter().zip(b).enumerate() {
            let text = match at {
                0 => format!("{opcode}.cc.u64"),
                at if at < last => format!("{opcode}c.cc.u64"),
                _ => format!("{opcode}c.u64"),
            };
            words.push(self.emit_new(Class::B64, &text, &[a.into(), b.into()])?);
        }
        Ok(words)
    }

    /// The product modulo the width, by rows of partial products.
    pub(super) fn wide_multiply(&mut self, a: &[RegId], b: &[RegId]) -> Raised<Vec<RegId>> {
        let count = a.len();
        let zero = self.in_register(Val::Bits(0), Scalar::Int(64))?;
        let mut sum = vec![zero; count];
        for (i, &x) in a.iter().enumerate() {
            for (j, &y) in b.iter().enumerate().take(count - i) {
                let low = self.emit_new(Class::B64, "mul.lo.u64", &[x.into(), y.into()])?;
                let mut addend = vec![zero; count];
                addend[i + j] = low;
                if i + j + 1 < count {
                    addend[i + j + 1] = self.emit_new(Class::B64, "mul.hi.u64", &[x.into(), y.into()])?;
                }
                sum = self.chain("add", &sum, &addend)?;
            }
        }
        Ok(sum)
    }

    /// A shift by a variable amount. PTX's shifts clamp, so a word shifted too far is zero, and a difference that wraps
    /// around is too far: each result word is the union of every word shifted both ways.
    pub(super) fn wide_shift(&mut self, op: BinaryOp, words: &[RegId], amount: Arg) -> Raised<Vec<RegId>> {
        let amount = match amount {
            Arg::Bits(bits, _) => self.in_register(Val::Bits(bits & 0xffff_ffff), Scalar::Int(32))?,
            Arg::Operand(_) => self.emit_new(Class::B32, "mov.b32", &[amount])?,
        };
        if op != BinaryOp::AShr {
            return self.logical_shift(op, words, amount);
        }
        let shifted = self.logical_shift(BinaryOp::LShr, words, amount)?;
        let top =
            words.last().copied().ok_or_else(|| Refusal::new(INSTRUCTION, "an integer without words"))?;
        let sign = self.emit_new(Class::B64, "shr.s64", &[top.into(), number(63)])?;
        let total = Arg::Bits(64 * words.len() as u64, 32);
        let rest = self.emit_new(Class::B32, "sub.s32", &[total, amount.into()])?;
        let fill = self.logical_shift(BinaryOp::Shl, &vec![sign; words.len()], rest)?;
        self.each_word("or.b64", &shifted, &fill)
    }

    fn logical_shift(&mut self, op: BinaryOp, words: &[RegId], amount: RegId) -> Raised<Vec<RegId>> {
        let (toward, back) =
            if op == BinaryOp::Shl { ("shl.b64", "shr.u64") } else { ("shr.u64", "shl.b64") };
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
                    self.emit_new(Class::B32, "sub.s32", &[amount.into(), bits])?
                };
                let mut parts = vec![self.emit_new(Class::B64, toward, &[word.into(), forward.into()])?];
                if distance > 0 {
                    let backward = self.emit_new(Class::B32, "sub.s32", &[bits, amount.into()])?;
                    parts.push(self.emit_new(Class::B64, back, &[word.into(), backward.into()])?);
                }
                for part in parts {
                    sum = Some(match sum {
                        None => part,
                        Some(sum) => self.emit_new(Class::B64, "or.b64", &[sum.into(), part.into()])?,
                    });
                }
            }
            result.push(sum.ok_or_else(|| Refusal::new(INSTRUCTION, "an integer without words"))?);
        }
        Ok(result)
    }

    /// Compares full words.
    pub(super) fn wide_compare(&mut self, predicate: IntPredicate, a: &[RegId], b: &[RegId]) -> Raised<Val> {
        match predicate {
            IntPredicate::Eq | IntPredicate::Ne => {
                let mut difference: Option<RegId> = None;
                for (&a, &b) in a.iter().zip(b) {
                    let word = self.emit_new(Class::B64, "xor.b64", &[a.into(), b.into()])?;
                    difference = Some(match difference {
                        None => word,
                        Some(sum) => self.emit_new(Class::B64, "or.b64", &[sum.into(), word.into()])?,
                    });
                }
                let difference =
                    difference.ok_or_else(|| Refusal::new(INSTRUCTION, "an integer without words"))?;
                let text = if predicate == IntPredicate::Eq { "setp.eq.s64" } else { "setp.ne.s64" };
                Ok(Val::reg(self.emit_new(Class::Pred, text, &[difference.into(), number(0)])?))
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

    fn wide_less(&mut self, a: &[RegId], b: &[RegId], signed: bool) -> Raised<Val> {
        let mut less = Val::Bits(0);
        let top = a.len() - 1;
        for (at, (&a, &b)) in a.iter().zip(b).enumerate() {
            let text = if signed && at == top { "setp.lt.s64" } else { "setp.lt.u64" };
            let here = Val::reg(self.emit_new(Class::Pred, text, &[a.into(), b.into()])?);
            if at == 0 {
                less = here;
                continue;
            }
            let equal = Val::reg(self.emit_new(Class::Pred, "setp.eq.s64", &[a.into(), b.into()])?);
            let below = self.pred("and.pred", equal, less)?;
            less = self.pred("or.pred", here, below)?;
        }
        Ok(less)
    }

    /// Quotient and remainder of unsigned integers, a bit at a time: wide division is rare and no instruction does it.
    pub(super) fn divide(&mut self, a: &[RegId], b: &[RegId]) -> Raised<(Vec<RegId>, Vec<RegId>)> {
        let count = a.len();
        let fresh =
            |this: &mut Self| -> Vec<RegId> { (0..count).map(|_| this.register(Class::B64)).collect() };
        let (quotient, remainder) = (fresh(self), fresh(self));
        let counter = self.register(Class::B32);
        for (&to, &from) in quotient.iter().zip(a) {
            self.emit("mov.b64", &[to.into(), from.into()])?;
        }
        for &word in &remainder {
            self.emit("mov.b64", &[word.into(), number(0)])?;
        }
        self.emit("mov.b32", &[counter.into(), Arg::Bits(64 * count as u64, 32)])?;
        let again = self.new_label();
        self.builder.place(again);
        // Shift remainder and quotient left by one as one number.
        let all: Vec<RegId> = quotient.iter().chain(&remainder).copied().collect();
        let mut carry: Option<RegId> = None;
        for &word in &all {
            let out = self.emit_new(Class::B64, "shr.u64", &[word.into(), number(63)])?;
            self.emit("shl.b64", &[word.into(), word.into(), number(1)])?;
            if let Some(carry) = carry {
                self.emit("or.b64", &[word.into(), word.into(), carry.into()])?;
            }
            carry = Some(out);
        }
        // A bit that leaves the remainder at the top makes it larger than any divisor.
        let less = self.wide_less(&remainder, b, false)?;
        let fits = self.pred_not(less)?;
        let fits = match carry {
            Some(carry) => {
                let over = Val::reg(self.emit_new(Class::Pred, "setp.ne.s64", &[carry.into(), number(0)])?);
                self.pred("or.pred", over, fits)?
            }
            None => fits,
        };
        let fits = self.in_register(fits, Scalar::Int(1))?;
        let reduced = self.chain("sub", &remainder, b)?;
        for (&word, &reduced) in remainder.iter().zip(&reduced) {
            self.emit("selp.b64", &[word.into(), reduced.into(), word.into(), fits.into()])?;
        }
        let bit = self.emit_new(Class::B64, "selp.b64", &[number(1), number(0), fits.into()])?;
        if let Some(&low) = quotient.first() {
            self.emit("or.b64", &[low.into(), low.into(), bit.into()])?;
        }
        self.emit("sub.s32", &[counter.into(), counter.into(), Arg::Bits(1, 32)])?;
        let more = self.emit_new(Class::Pred, "setp.ne.s32", &[counter.into(), Arg::Bits(0, 32)])?;
        self.branch_if(more, false, again)?;
        Ok((quotient, remainder))
    }

    pub(super) fn signed_divide(&mut self, op: BinaryOp, a: &[RegId], b: &[RegId]) -> Raised<Vec<RegId>> {
        let (a_sign, b_sign) = (self.sign_of(a)?, self.sign_of(b)?);
        let (a_abs, b_abs) = (self.negate_where(a, a_sign)?, self.negate_where(b, b_sign)?);
        let (quotient, remainder) = self.divide(&a_abs, &b_abs)?;
        if op == BinaryOp::SRem {
            return self.negate_where(&remainder, a_sign);
        }
        let sign = self.emit_new(Class::B64, "xor.b64", &[a_sign.into(), b_sign.into()])?;
        self.negate_where(&quotient, sign)
    }

    /// All ones when negative, else zero.
    pub(super) fn sign_of(&mut self, words: &[RegId]) -> Raised<RegId> {
        let top =
            words.last().copied().ok_or_else(|| Refusal::new(INSTRUCTION, "an integer without words"))?;
        self.emit_new(Class::B64, "shr.s64", &[top.into(), number(63)])
    }

    /// The negative where `sign` is all ones: the complement plus one, as `(x ^ sign) - sign`.
    pub(super) fn negate_where(&mut self, words: &[RegId], sign: RegId) -> Raised<Vec<RegId>> {
        let signs = vec![sign; words.len()];
        let flipped = self.each_word("xor.b64", words, &signs)?;
        self.chain("sub", &flipped, &signs)
    }
}
