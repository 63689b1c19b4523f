//! `llvm.is.fpclass` (LLVM's language reference): which of ten classes a number is in.
//!
//! The classes are those of the number itself, whatever becomes of subnormal ones in arithmetic, so that nothing here has `.ftz`.

use std::sync::OnceLock;

use ptx_isa::ptx;
use ptx_llvm::view::{Call, InstId, IntPredicate, mask};

use super::append::Arg;
use super::float::unflushed_form;
use super::generic::argument;
use super::state::Emitter;
use crate::class_tests::{ClassTests, Combination, Costs, KINDS, Limit, Test};
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::types::Scalar;
use crate::value::Val;

/// A number whose class is asked for, and what has been computed of it.
struct Number {
    value: Val,
    scalar: Scalar,
    /// How many bits of the format are the mantissa's.
    mantissa: u32,
    bits: u32,
    /// The number without its sign.
    magnitude: Option<Val>,
    /// Its bits, and those without the sign.
    raw: Option<Val>,
    raw_magnitude: Option<Val>,
}

impl Number {
    /// The least bits of a kind, see [`crate::class_tests`].
    fn least(&self, kind: usize) -> u64 {
        let infinity = mask(self.bits - 1) & !mask(self.mantissa);
        let magnitude = match kind % KINDS {
            0 => 0,
            1 => 1,
            2 => 1 << self.mantissa,
            3 => infinity,
            4 => infinity + 1,
            _ => infinity | 1 << (self.mantissa - 1),
        };
        if kind >= KINDS { magnitude | 1 << (self.bits - 1) } else { magnitude }
    }
}

impl Emitter<'_, '_, '_> {
    /// `is.fpclass`, element by element.
    pub(super) fn float_class(&mut self, id: InstId, call: &Call) -> Result<()> {
        let Val::Bits(classes) = self.scalar(argument(call, 1)?)?.0 else {
            return Err(RaiseError::new(INTRINSIC, "a set of classes that is not a constant"));
        };
        let number = argument(call, 0)?;
        let parts = if self.module.view.is_quadruple(self.value_type(number)?) {
            let words = self.value(number)?;
            self.quadruple_summaries(&words)?
        } else {
            self.parts_of(number)?
        };
        let results: Vec<_> = parts
            .into_iter()
            .map(|(value, scalar)| self.in_classes(value, scalar, classes))
            .collect::<Result<_>>()?;
        self.define(id, results.into())
    }

    fn in_classes(&mut self, value: Val, scalar: Scalar, classes: u64) -> Result<Val> {
        let (mantissa, bits) = match scalar {
            Scalar::Half => (10, 16),
            Scalar::BFloat => (7, 16),
            Scalar::Float => (23, 32),
            Scalar::Double => (52, 64),
            // The high word of `fp128`, see `quadruple_summaries`.
            Scalar::Int(64) => (48, 64),
            _ => return Err(RaiseError::new(INTRINSIC, "classes of something that is not a number")),
        };
        let (magnitude, raw, raw_magnitude) = (None, None, None);
        let mut number = Number { value, scalar, mantissa, bits, magnitude, raw, raw_magnitude };
        let Some(chain) = self.class_tests(scalar).of(classes) else {
            return Ok(Val::Bits(u64::from(classes & mask(10) != 0)));
        };
        let mut result = Val::Bits(0);
        for (combination, test) in chain {
            let here = self.class_test(&mut number, test)?;
            result = match combination {
                None => here,
                Some(Combination::And) => self.pred(ptx!("and.pred"), result, here)?,
                Some(Combination::Or) => self.pred(ptx!("or.pred"), result, here)?,
                Some(Combination::Xor) => self.pred(ptx!("xor.pred"), result, here)?,
            };
        }
        Ok(result)
    }

    /// The comparisons for a format.
    fn class_tests(&self, scalar: Scalar) -> &'static ClassTests {
        static SINGLE: OnceLock<ClassTests> = OnceLock::new();
        static DOUBLE: OnceLock<ClassTests> = OnceLock::new();
        static HALF: OnceLock<ClassTests> = OnceLock::new();
        static BITS: OnceLock<ClassTests> = OnceLock::new();
        let target = &self.module.target;
        let has_all = |comparison, magnitude| target.supports(comparison) && target.supports(magnitude);
        match scalar {
            Scalar::Float => SINGLE.get_or_init(|| ClassTests::new(Costs::SINGLE)),
            Scalar::Double => DOUBLE.get_or_init(|| ClassTests::new(Costs::DOUBLE)),
            Scalar::Half if has_all(ptx!("setp.eq.f16"), ptx!("abs.f16")) => {
                HALF.get_or_init(|| ClassTests::new(Costs::HALF))
            }
            Scalar::BFloat if has_all(ptx!("setp.eq.bf16"), ptx!("abs.bf16")) => {
                HALF.get_or_init(|| ClassTests::new(Costs::HALF))
            }
            _ => BITS.get_or_init(|| ClassTests::new(Costs::BITS)),
        }
    }

    /// One comparison.
    fn class_test(&mut self, number: &mut Number, test: Test) -> Result<Val> {
        let word = Scalar::Int(number.bits);
        match test {
            Test::Number { predicate, limit, is_negative, of_magnitude } => {
                let value = if of_magnitude { self.magnitude(number)? } else { number.value };
                let kind = match limit {
                    Limit::Zero => 0,
                    Limit::Normal => 2,
                    Limit::Infinity => 3,
                };
                let limit = Val::Bits(number.least(if is_negative { kind + KINDS } else { kind }));
                self.compare_unflushed(predicate, value, limit, number.scalar)
            }
            Test::Bits { predicate, kind, of_magnitude } => {
                let bits = self.class_bits(number, of_magnitude)?;
                self.compare_ints(predicate, bits, Val::Bits(number.least(kind)), word)
            }
            Test::Range { first, end, of_magnitude } => {
                let bits = self.class_bits(number, of_magnitude)?;
                // A range over the end of the kinds is what is not between.
                let (from, to, predicate) = match first < end {
                    true => (first, end, IntPredicate::Ult),
                    false => (end, first, IntPredicate::Uge),
                };
                let (from, to) = (number.least(from), number.least(to));
                let less = Arg::Bits(from.wrapping_neg() & mask(number.bits), number.bits);
                let args = [self.arg(bits, word)?, less];
                let above = self.compute(ptx!("add.s32").with_bits(number.bits)?, &args)?;
                self.compare_ints(predicate, Val::reg(above), Val::Bits(to - from), word)
            }
        }
    }

    /// The number without its sign.
    fn magnitude(&mut self, number: &mut Number) -> Result<Val> {
        if let Some(known) = number.magnitude {
            return Ok(known);
        }
        let args = [self.arg(number.value, number.scalar)?];
        let magnitude = unflushed_form(ptx!("abs.f32"), number.scalar)?;
        let magnitude = Val::reg(self.compute(magnitude, &args)?);
        number.magnitude = Some(magnitude);
        Ok(magnitude)
    }

    /// The bits of the number, or of its magnitude.
    fn class_bits(&mut self, number: &mut Number, of_magnitude: bool) -> Result<Val> {
        let raw = match number.raw {
            Some(raw) => raw,
            None => Val::reg(self.bits_of(number.value, number.scalar)?.0),
        };
        number.raw = Some(raw);
        if !of_magnitude {
            return Ok(raw);
        }
        if let Some(known) = number.raw_magnitude {
            return Ok(known);
        }
        let args = [self.arg(raw, Scalar::Int(number.bits))?, Arg::Bits(mask(number.bits - 1), number.bits)];
        let magnitude = Val::reg(self.compute(ptx!("and.b32").with_bits(number.bits)?, &args)?);
        number.raw_magnitude = Some(magnitude);
        Ok(magnitude)
    }

    /// For each `fp128` its high word, made odd if the low word is not zero, which determines its class.
    fn quadruple_summaries(&mut self, words: &[Val]) -> Result<Vec<(Val, Scalar)>> {
        let word = Scalar::Int(64);
        let mut summaries = Vec::with_capacity(words.len() / 2);
        for pair in words.chunks_exact(2) {
            let &[low, high] = pair else { continue };
            let some = self.compare_ints(IntPredicate::Ne, low, Val::Bits(0), word)?;
            let odd = self.choose(some, Val::Bits(1), Val::Bits(0), word)?;
            let (high, odd) = (self.arg(high, word)?, self.arg(odd, word)?);
            summaries.push((Val::reg(self.compute(ptx!("or.b64"), &[high, odd])?), word));
        }
        Ok(summaries)
    }
}
