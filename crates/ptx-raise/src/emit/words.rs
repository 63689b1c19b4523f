//! Intrinsics on integers over 64 bits, and those that need room for more bits than their operands have: all in 64-bit
//! words, the low one first ([`super::wide`] has their arithmetic).

use ptx_ir::RegId;
use ptx_llvm::view::{BinaryOp, Call, InstId, IntPredicate, Type, Value};

use super::append::Arg;
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INSTRUCTION, INTRINSIC, Raised, Refusal};
use crate::types::{Class, Scalar};
use crate::value::{Fill, Val, mask};

/// A sum, difference or product, and the predicate whether it left the type's range.
type Overflowing = (Vec<RegId>, Val);

impl Emitter<'_, '_, '_> {
    /// The width of a value's integer elements, when that is over 64 bits.
    pub(super) fn wide_width(&self, value: Value) -> Raised<Option<u32>> {
        Ok(self.element_width(value)?.filter(|bits| *bits > 64))
    }

    /// An integer of any width by its low 64 bits.
    pub(super) fn low_word(&mut self, value: Value) -> Raised<(Val, Scalar)> {
        if self.wide_width(value)?.is_none() {
            return self.scalar(value);
        }
        let words = self.value(value)?;
        let low = words.first().copied();
        Ok((low.ok_or_else(|| Refusal::new(INSTRUCTION, "an integer without words"))?, Scalar::Int(64)))
    }

    /// The width of a value's integer elements; `None` for elements of another kind.
    fn element_width(&self, value: Value) -> Raised<Option<u32>> {
        let view = self.module.view;
        let mut ty = self.value_type(value)?;
        if let Type::Vector { element, .. } = view.ty(ty) {
            ty = *element;
        }
        Ok(match view.ty(ty) {
            Type::Int { bits } => Some(*bits),
            _ => None,
        })
    }

    /// Computes an intrinsic whose first `count` arguments have its type, where that has over 64 bits; whether it has.
    pub(super) fn wide_intrinsic(
        &mut self,
        id: InstId,
        call: &Call,
        name: &str,
        count: usize,
    ) -> Raised<bool> {
        if self.wide_width(argument(call, 0)?)?.is_none() {
            return Ok(false);
        }
        self.words_intrinsic(id, call, name, count)?;
        Ok(true)
    }

    /// The same, whatever the width.
    pub(super) fn words_intrinsic(
        &mut self,
        id: InstId,
        call: &Call,
        name: &str,
        count: usize,
    ) -> Raised<()> {
        let bits = self.integer_width(call)?;
        let words = bits.div_ceil(64) as usize;
        let mut args = Vec::with_capacity(count);
        for at in 0..count {
            args.push(self.value(argument(call, at)?)?);
        }
        let elements = args.first().map_or(0, |values| values.len() / words);
        let mut result = Vec::with_capacity(elements * words);
        for element in 0..elements {
            let own: Vec<&[Val]> =
                args.iter().map(|values| &values[element * words..(element + 1) * words]).collect();
            let full = self.on_words(name, &own, bits)?;
            result.extend(self.narrow_words(&full, bits)?);
        }
        self.define(id, result.into());
        Ok(())
    }

    fn integer_width(&self, call: &Call) -> Raised<u32> {
        let width = self.element_width(argument(call, 0)?)?;
        width.ok_or_else(|| Refusal::new(INTRINSIC, "an integer intrinsic on something else"))
    }

    /// One element; the bits of the result above its width may be anything.
    fn on_words(&mut self, name: &str, args: &[&[Val]], bits: u32) -> Raised<Vec<RegId>> {
        let missing = || Refusal::new(INTRINSIC, "an intrinsic with too few arguments");
        let first = *args.first().ok_or_else(missing)?;
        let second = args.get(1).copied().ok_or_else(missing);
        match name {
            "ctpop" => self.count_ones(first, bits),
            "ctlz" => self.count_leading(first, bits),
            "cttz" => self.count_trailing(first, bits),
            "bitreverse" | "bswap" => self.turn_round(name == "bswap", first, bits),
            "abs" => {
                let words = self.full_words(first, bits, Fill::Sign)?;
                let sign = self.sign_of(&words)?;
                self.negate_where(&words, sign)
            }
            "fshl" | "fshr" => {
                let amount = args.get(2).copied().ok_or_else(missing)?;
                self.wide_funnel(name == "fshl", first, second?, amount, bits)
            }
            "smin" | "smax" | "umin" | "umax" => self.wide_extreme(name, first, second?, bits),
            "sshl.sat" | "ushl.sat" => self.saturating_shift(name == "sshl.sat", first, second?, bits),
            _ => {
                let (value, over) = self.wide_overflowing(name, first, second?, bits)?;
                self.bounded(name, first, value, over, bits)
            }
        }
    }

    /// A count in the low word.
    fn counted_words(&mut self, count: RegId, bits: u32) -> Raised<Vec<RegId>> {
        let mut words = vec![self.resized(count, Class::B32, Class::B64)?];
        while words.len() < bits.div_ceil(64) as usize {
            words.push(self.in_register(Val::Bits(0), Scalar::Int(64))?);
        }
        Ok(words)
    }

    fn count_ones(&mut self, value: &[Val], bits: u32) -> Raised<Vec<RegId>> {
        let mut sum: Option<RegId> = None;
        for word in self.full_words(value, bits, Fill::Zero)? {
            let count = self.emit_new(Class::B32, "popc.b64", &[word.into()])?;
            sum = Some(match sum {
                None => count,
                Some(sum) => self.emit_new(Class::B32, "add.s32", &[sum.into(), count.into()])?,
            });
        }
        let sum = sum.ok_or_else(|| Refusal::new(INTRINSIC, "an integer without words"))?;
        self.counted_words(sum, bits)
    }

    fn count_leading(&mut self, value: &[Val], bits: u32) -> Raised<Vec<RegId>> {
        let words = self.full_words(value, bits, Fill::Zero)?;
        let count = self.leading_zeros(&words)?;
        let unused = 64 * bits.div_ceil(64) - bits;
        let count = if unused == 0 {
            count
        } else {
            self.emit_new(Class::B32, "sub.s32", &[count.into(), Arg::Bits(u64::from(unused), 32)])?
        };
        self.counted_words(count, bits)
    }

    /// The zeros above the highest one of full words.
    pub(super) fn leading_zeros(&mut self, words: &[RegId]) -> Raised<RegId> {
        let mut total: Option<RegId> = None;
        for &word in words {
            let own = self.emit_new(Class::B32, "clz.b64", &[word.into()])?;
            total = Some(match total {
                None => own,
                Some(below) => self.past_zero(word, own, below)?,
            });
        }
        total.ok_or_else(|| Refusal::new(INTRINSIC, "an integer without words"))
    }

    fn count_trailing(&mut self, value: &[Val], bits: u32) -> Raised<Vec<RegId>> {
        let mut words = self.full_words(value, bits, Fill::Zero)?;
        // A bit above the width ends the count of a zero.
        if let (Some(top), used @ 1..) = (words.last_mut(), bits % 64) {
            *top = self.emit_new(Class::B64, "or.b64", &[(*top).into(), Arg::Bits(1 << used, 64)])?;
        }
        let mut total: Option<RegId> = None;
        for &word in words.iter().rev() {
            let reversed = self.emit_new(Class::B64, "brev.b64", &[word.into()])?;
            let own = self.emit_new(Class::B32, "clz.b64", &[reversed.into()])?;
            total = Some(match total {
                None => own,
                Some(beyond) => self.past_zero(word, own, beyond)?,
            });
        }
        let total = total.ok_or_else(|| Refusal::new(INTRINSIC, "an integer without words"))?;
        self.counted_words(total, bits)
    }

    /// A word's own count, or where it is zero the count of the words beyond and its 64 bits.
    fn past_zero(&mut self, word: RegId, own: RegId, beyond: RegId) -> Raised<RegId> {
        let zero = self.emit_new(Class::Pred, "setp.eq.s64", &[word.into(), Arg::Bits(0, 64)])?;
        let more = self.emit_new(Class::B32, "add.s32", &[beyond.into(), Arg::Bits(64, 32)])?;
        self.emit_new(Class::B32, "selp.b32", &[more.into(), own.into(), zero.into()])
    }

    /// `bitreverse` or `bswap`: each word reversed, in reverse order, without the bits that no value had.
    fn turn_round(&mut self, bytes: bool, value: &[Val], bits: u32) -> Raised<Vec<RegId>> {
        let mut turned = Vec::with_capacity(value.len());
        for word in self.full_words(value, bits, Fill::Zero)?.into_iter().rev() {
            turned.push(if bytes {
                let swapped = self.swap_bytes(word, Class::B64, Scalar::Int(64))?;
                self.in_register(swapped, Scalar::Int(64))?
            } else {
                self.emit_new(Class::B64, "brev.b64", &[word.into()])?
            });
        }
        let unused = 64 * bits.div_ceil(64) - bits;
        if unused == 0 {
            return Ok(turned);
        }
        self.wide_shift(BinaryOp::LShr, &turned, Arg::Bits(u64::from(unused), 32))
    }

    fn wide_funnel(
        &mut self,
        left: bool,
        high: &[Val],
        low: &[Val],
        amount: &[Val],
        bits: u32,
    ) -> Raised<Vec<RegId>> {
        let amount = self.amount_modulo(amount, bits)?;
        let width = Arg::Bits(u64::from(bits), 32);
        let rest = self.emit_new(Class::B32, "sub.s32", &[width, amount.into()])?;
        let (up, down) = if left { (amount, rest) } else { (rest, amount) };
        let high = self.full_words(high, bits, Fill::Zero)?;
        let low = self.full_words(low, bits, Fill::Zero)?;
        let upper = self.wide_shift(BinaryOp::Shl, &high, up.into())?;
        let lower = self.wide_shift(BinaryOp::LShr, &low, down.into())?;
        self.each_word(ptx_isa::ptx!("or.b64"), &upper, &lower)
    }

    /// An amount modulo the width, in 32 bits.
    fn amount_modulo(&mut self, amount: &[Val], bits: u32) -> Raised<RegId> {
        let words = self.full_words(amount, bits, Fill::Zero)?;
        let low = if bits.is_power_of_two() || words.len() == 1 {
            words.first().copied()
        } else {
            let mut width = vec![self.in_register(Val::Bits(u64::from(bits)), Scalar::Int(64))?];
            while width.len() < words.len() {
                width.push(self.in_register(Val::Bits(0), Scalar::Int(64))?);
            }
            self.divide(&words, &width)?.1.first().copied()
        };
        let low = low.ok_or_else(|| Refusal::new(INTRINSIC, "an integer without words"))?;
        let inside = if bits.is_power_of_two() {
            self.emit_new(Class::B64, "and.b64", &[low.into(), Arg::Bits(u64::from(bits - 1), 64)])?
        } else if words.len() == 1 {
            self.emit_new(Class::B64, "rem.u64", &[low.into(), Arg::Bits(u64::from(bits), 64)])?
        } else {
            low
        };
        self.resized(inside, Class::B64, Class::B32)
    }

    fn wide_extreme(&mut self, name: &str, a: &[Val], b: &[Val], bits: u32) -> Raised<Vec<RegId>> {
        let fill = if name.starts_with('s') { Fill::Sign } else { Fill::Zero };
        let predicate = match name {
            "smin" => IntPredicate::Slt,
            "smax" => IntPredicate::Sgt,
            "umin" => IntPredicate::Ult,
            _ => IntPredicate::Ugt,
        };
        let (a, b) = (self.full_words(a, bits, fill)?, self.full_words(b, bits, fill)?);
        let first = self.wide_compare(predicate, &a, &b)?;
        self.pick_words(first, &a, &b)
    }

    /// Word by word one of two values.
    pub(super) fn pick_words(&mut self, cond: Val, a: &[RegId], b: &[RegId]) -> Raised<Vec<RegId>> {
        let mut chosen = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let word = self.choose(cond, Val::reg(a), Val::reg(b), Scalar::Int(64))?;
            chosen.push(self.in_register(word, Scalar::Int(64))?);
        }
        Ok(chosen)
    }

    /// Full words in another number of words.
    pub(super) fn extended_words(&mut self, words: &[RegId], fill: Fill, count: usize) -> Raised<Vec<RegId>> {
        let mut extended: Vec<RegId> = words.iter().take(count).copied().collect();
        if extended.len() < count {
            let more = match fill {
                Fill::Zero => self.in_register(Val::Bits(0), Scalar::Int(64))?,
                Fill::Sign => self.sign_of(words)?,
            };
            extended.resize(count, more);
        }
        Ok(extended)
    }

    /// The low `bits` bits of words, extended again to all of them.
    fn refilled(&mut self, words: &[RegId], bits: u32, fill: Fill) -> Raised<Vec<RegId>> {
        let kept: Vec<RegId> = words.iter().take(bits.div_ceil(64) as usize).copied().collect();
        let values = self.narrow_words(&kept, bits)?;
        let full = self.full_words(&values, bits, fill)?;
        self.extended_words(&full, fill, words.len())
    }

    /// A sum, difference or product, computed with room for all its bits.
    fn wide_overflowing(&mut self, name: &str, a: &[Val], b: &[Val], bits: u32) -> Raised<Overflowing> {
        let fill = if name.starts_with('s') { Fill::Sign } else { Fill::Zero };
        let (op, needed) = match name.get(1..4) {
            Some("add") => (BinaryOp::Add, bits + 1),
            Some("sub") => (BinaryOp::Sub, bits + 1),
            Some("mul") => (BinaryOp::Mul, 2 * bits),
            _ => return Err(Refusal::new(INTRINSIC, format!("llvm.{name} on integers over 64 bits"))),
        };
        let count = needed.div_ceil(64) as usize;
        let (a, b) = (self.full_words(a, bits, fill)?, self.full_words(b, bits, fill)?);
        let (a, b) = (self.extended_words(&a, fill, count)?, self.extended_words(&b, fill, count)?);
        let exact = self.wide_words(op, &a, &b)?;
        let kept = self.refilled(&exact, bits, fill)?;
        let over = self.wide_compare(IntPredicate::Ne, &exact, &kept)?;
        Ok((exact.into_iter().take(bits.div_ceil(64) as usize).collect(), over))
    }

    /// `*.with.overflow` on integers over 64 bits: all values, then all predicates.
    pub(super) fn wide_overflow(&mut self, id: InstId, call: &Call, name: &str) -> Raised<()> {
        let bits = self.integer_width(call)?;
        let words = bits.div_ceil(64) as usize;
        let (a, b) = (self.value(argument(call, 0)?)?, self.value(argument(call, 1)?)?);
        let (mut values, mut overs) = (Vec::new(), Vec::new());
        for (a, b) in a.chunks(words).zip(b.chunks(words)) {
            let (value, over) = self.wide_overflowing(name, a, b, bits)?;
            values.extend(self.narrow_words(&value, bits)?);
            overs.push(over);
        }
        values.extend(overs);
        self.define(id, values.into());
        Ok(())
    }

    /// The largest number of a signed or unsigned type, or the smallest.
    pub(super) fn extreme_words(&mut self, signed: bool, largest: bool, bits: u32) -> Raised<Vec<RegId>> {
        let count = bits.div_ceil(64);
        let mut words = Vec::with_capacity(count as usize);
        for at in 0..count {
            let width = (bits - 64 * at).min(64);
            let all = match (signed && at + 1 == count, largest) {
                (true, true) => mask(width) >> 1,
                (true, false) => mask(width) & !(mask(width) >> 1),
                (false, true) => mask(width),
                (false, false) => 0,
            };
            words.push(self.in_register(Val::Bits(all), Scalar::Int(64))?);
        }
        Ok(words)
    }

    /// The end of the range on the side that `a` lies on, where a result left it.
    fn bounded(
        &mut self,
        name: &str,
        a: &[Val],
        value: Vec<RegId>,
        over: Val,
        bits: u32,
    ) -> Raised<Vec<RegId>> {
        let bound = if name.starts_with('u') {
            self.extreme_words(false, !name.contains("sub"), bits)?
        } else {
            let words = self.full_words(a, bits, Fill::Sign)?;
            self.bound_of_sign(&words, bits)?
        };
        self.pick_words(over, &bound, &value)
    }

    /// The smallest number of a signed type for a negative one, else the largest.
    fn bound_of_sign(&mut self, words: &[RegId], bits: u32) -> Raised<Vec<RegId>> {
        let sign = self.sign_of(words)?;
        let negative =
            Val::reg(self.emit_new(Class::Pred, "setp.ne.s64", &[sign.into(), Arg::Bits(0, 64)])?);
        let smallest = self.extreme_words(true, false, bits)?;
        let largest = self.extreme_words(true, true, bits)?;
        self.pick_words(negative, &smallest, &largest)
    }

    /// `sshl.sat`, `ushl.sat`: what does not come back when it is shifted back has left the range.
    fn saturating_shift(
        &mut self,
        signed: bool,
        value: &[Val],
        amount: &[Val],
        bits: u32,
    ) -> Raised<Vec<RegId>> {
        let (fill, back) = if signed { (Fill::Sign, BinaryOp::AShr) } else { (Fill::Zero, BinaryOp::LShr) };
        let words = self.full_words(value, bits, fill)?;
        let amount = self.full_words(amount, bits, Fill::Zero)?;
        let low =
            amount.first().copied().ok_or_else(|| Refusal::new(INTRINSIC, "a shift without an amount"))?;
        let amount = self.resized(low, Class::B64, Class::B32)?;
        let shifted = self.wide_shift(BinaryOp::Shl, &words, amount.into())?;
        let shifted = self.refilled(&shifted, bits, fill)?;
        let returned = self.wide_shift(back, &shifted, amount.into())?;
        let over = self.wide_compare(IntPredicate::Ne, &returned, &words)?;
        let bound =
            if signed { self.bound_of_sign(&words, bits)? } else { self.extreme_words(false, true, bits)? };
        self.pick_words(over, &bound, &shifted)
    }

    /// `*.fix`: products and quotients of numbers with a fixed point, computed with twice the bits and rounded down.
    pub(super) fn fixed_point(&mut self, id: InstId, call: &Call, name: &str) -> Raised<()> {
        let bits = self.integer_width(call)?;
        let words = bits.div_ceil(64) as usize;
        let Val::Bits(scale) = self.scalar(argument(call, 2)?)?.0 else {
            return Err(Refusal::new(INTRINSIC, "a scale that is not a constant"));
        };
        let (a, b) = (self.value(argument(call, 0)?)?, self.value(argument(call, 1)?)?);
        let mut result = Vec::with_capacity(a.len());
        for (a, b) in a.chunks(words).zip(b.chunks(words)) {
            let full = self.fixed_point_one(name, a, b, scale, bits)?;
            result.extend(self.narrow_words(&full, bits)?);
        }
        self.define(id, result.into());
        Ok(())
    }

    fn fixed_point_one(
        &mut self,
        name: &str,
        a: &[Val],
        b: &[Val],
        scale: u64,
        bits: u32,
    ) -> Raised<Vec<RegId>> {
        let signed = name.starts_with('s');
        let fill = if signed { Fill::Sign } else { Fill::Zero };
        // One bit more than twice the width: the quotient of the smallest number and the smallest step needs it.
        let count = (2 * bits + 1).div_ceil(64) as usize;
        let (a, b) = (self.full_words(a, bits, fill)?, self.full_words(b, bits, fill)?);
        let (a, b) = (self.extended_words(&a, fill, count)?, self.extended_words(&b, fill, count)?);
        let scale = Arg::Bits(scale, 32);
        let exact = if name.contains("mul") {
            let product = self.wide_multiply(&a, &b)?;
            let op = if signed { BinaryOp::AShr } else { BinaryOp::LShr };
            self.wide_shift(op, &product, scale)?
        } else {
            let dividend = self.wide_shift(BinaryOp::Shl, &a, scale)?;
            if signed { self.floored_quotient(&dividend, &b)? } else { self.divide(&dividend, &b)?.0 }
        };
        let kept: Vec<RegId> = exact.iter().take(bits.div_ceil(64) as usize).copied().collect();
        if !name.ends_with(".sat") {
            return Ok(kept);
        }
        let again = self.refilled(&exact, bits, fill)?;
        let over = self.wide_compare(IntPredicate::Ne, &exact, &again)?;
        let bound =
            if signed { self.bound_of_sign(&exact, bits)? } else { self.extreme_words(false, true, bits)? };
        self.pick_words(over, &bound, &kept)
    }

    /// A quotient rounded toward negative infinity: one less than the truncated one where something is left and the signs differ.
    fn floored_quotient(&mut self, a: &[RegId], b: &[RegId]) -> Raised<Vec<RegId>> {
        let quotient = self.signed_quotient(a, b)?;
        let back = self.wide_multiply(&quotient, b)?;
        let inexact = self.wide_compare(IntPredicate::Ne, &back, a)?;
        let (a_sign, b_sign) = (self.sign_of(a)?, self.sign_of(b)?);
        let differ = Val::reg(self.emit_new(Class::Pred, "setp.ne.s64", &[a_sign.into(), b_sign.into()])?);
        let lower = self.pred("and.pred", inexact, differ)?;
        let mut one = vec![self.in_register(Val::Bits(1), Scalar::Int(64))?];
        while one.len() < quotient.len() {
            one.push(self.in_register(Val::Bits(0), Scalar::Int(64))?);
        }
        let less = self.chain(&super::wide::SUBTRACT, &quotient, &one)?;
        self.pick_words(lower, &less, &quotient)
    }

    /// Compares two integers of any width, `wide` being one over 64 bits.
    pub(super) fn compare_any(
        &mut self,
        predicate: IntPredicate,
        a: &[Val],
        b: &[Val],
        scalar: Scalar,
        wide: Option<u32>,
    ) -> Raised<Val> {
        let Some(bits) = wide else {
            let (Some(&a), Some(&b)) = (a.first(), b.first()) else {
                return Err(Refusal::new(INTRINSIC, "an integer without words"));
            };
            return self.compare_ints(predicate, a, b, scalar);
        };
        let signed = matches!(
            predicate,
            IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge
        );
        let fill = if signed { Fill::Sign } else { Fill::Zero };
        let (a, b) = (self.full_words(a, bits, fill)?, self.full_words(b, bits, fill)?);
        self.wide_compare(predicate, &a, &b)
    }
}
