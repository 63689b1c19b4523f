//! Conversions between floating point and integers over 64 bits.

use ptx_ir::RegId;
use ptx_llvm::view::{BinaryOp, FloatPredicate};

use super::append::Arg;
use super::state::Emitter;
use crate::error::{INSTRUCTION, Raised, Refusal};
use crate::types::{Class, Scalar};
use crate::value::{Fill, Val, mask};

/// What becomes of a number that the integer type cannot hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OutOfRange {
    /// Anything (`fptosi`, `fptoui`).
    Poison,
    /// The nearest number of the type; zero for NaN (`fptosi.sat`, `fptoui.sat`).
    Saturate,
}

impl Emitter<'_, '_, '_> {
    /// An integer of any width as a floating-point number, rounded once to nearest even: its highest 64 bits, the last of them set
    /// where something below is, times a power of two.
    pub(super) fn words_to_float(
        &mut self,
        words: &[Val],
        bits: u32,
        to: Scalar,
        signed: bool,
    ) -> Raised<Val> {
        let fill = if signed { Fill::Sign } else { Fill::Zero };
        let words = self.full_words(words, bits, fill)?;
        let count = words.len() as u64;
        let sign = self.sign_of(&words)?;
        let size = if signed { self.negate_where(&words, sign)? } else { words };
        let zeros = self.leading_zeros(&size)?;
        let raised = self.wide_shift(BinaryOp::Shl, &size, zeros.into())?;
        let Some((&top, below)) = raised.split_last() else {
            return Err(Refusal::new(INSTRUCTION, "an integer without words"));
        };
        let mut rest: Option<RegId> = None;
        for &word in below {
            rest = Some(match rest {
                None => word,
                Some(rest) => self.emit_new(Class::B64, "or.b64", &[rest.into(), word.into()])?,
            });
        }
        let top = match rest {
            None => top,
            Some(rest) => {
                let any = self.emit_new(Class::Pred, "setp.ne.s64", &[rest.into(), Arg::Bits(0, 64)])?;
                let odd = self.emit_new(Class::B64, "or.b64", &[top.into(), Arg::Bits(1, 64)])?;
                self.emit_new(Class::B64, "selp.b64", &[odd.into(), top.into(), any.into()])?
            }
        };
        let exponent = Arg::Bits(64 * (count - 1), 32);
        let exponent = self.emit_new(Class::B32, "sub.s32", &[exponent, zeros.into()])?;
        let value = self.scaled(top, exponent, to)?;
        if !signed {
            return Ok(value);
        }
        let negative =
            Val::reg(self.emit_new(Class::Pred, "setp.ne.s64", &[sign.into(), Arg::Bits(0, 64)])?);
        let negated = self.negate(value, to)?;
        self.choose(negative, negated, value, to)
    }

    /// `top` times two to the power of `exponent`, which is at least -64.
    fn scaled(&mut self, top: RegId, exponent: RegId, to: Scalar) -> Raised<Val> {
        if to == Scalar::Double {
            let number = self.emit_new(Class::F64, "cvt.rn.f64.u64", &[top.into()])?;
            let bounded = self.emit_new(Class::B32, "min.s32", &[exponent.into(), Arg::Bits(1024, 32)])?;
            let biased = self.emit_new(Class::B32, "add.s32", &[bounded.into(), Arg::Bits(1023, 32)])?;
            let wide = self.emit_new(Class::B64, "cvt.u64.u32", &[biased.into()])?;
            let power = self.emit_new(Class::B64, "shl.b64", &[wide.into(), Arg::Bits(52, 32)])?;
            let power = self.emit_new(Class::F64, "mov.b64", &[power.into()])?;
            return Ok(Val::reg(self.emit_new(Class::F64, "mul.rn.f64", &[number.into(), power.into()])?));
        }
        // The two 16-bit formats round the single-precision number that was rounded to odd, which rounds only once.
        let number = if to == Scalar::Float {
            Val::reg(self.emit_new(Class::F32, "cvt.rn.f32.u64", &[top.into()])?)
        } else {
            self.int_to_odd_single(top, 64, false)?
        };
        let bounded = self.emit_new(Class::B32, "min.s32", &[exponent.into(), Arg::Bits(128, 32)])?;
        let biased = self.emit_new(Class::B32, "add.s32", &[bounded.into(), Arg::Bits(127, 32)])?;
        let power = self.emit_new(Class::B32, "shl.b32", &[biased.into(), Arg::Bits(23, 32)])?;
        let power = self.emit_new(Class::F32, "mov.b32", &[power.into()])?;
        let args = [self.arg(number, Scalar::Float)?, power.into()];
        let single = Val::reg(self.emit_new(Class::F32, "mul.rn.f32", &args)?);
        self.float_to_float(single, Scalar::Float, to)
    }

    /// A floating-point number rounded toward zero to an integer of any width: the digits of its double-precision form,
    /// shifted by its exponent.
    pub(super) fn float_to_words(
        &mut self,
        value: Val,
        from: Scalar,
        bits: u32,
        signed: bool,
        outside: OutOfRange,
    ) -> Raised<Vec<Val>> {
        let number = self.float_to_float(value, from, Scalar::Double)?;
        let (raw, _) = self.bits_of(number, Scalar::Double)?;
        let field = self.emit_new(Class::B64, "shr.u64", &[raw.into(), Arg::Bits(52, 32)])?;
        let field = self.emit_new(Class::B32, "cvt.u32.u64", &[field.into()])?;
        let field = self.emit_new(Class::B32, "and.b32", &[field.into(), Arg::Bits(0x7ff, 32)])?;
        let up = self.emit_new(Class::B32, "sub.s32", &[field.into(), Arg::Bits(1075, 32)])?;
        let down = self.emit_new(Class::B32, "sub.s32", &[Arg::Bits(1075, 32), field.into()])?;
        let digits = self.emit_new(Class::B64, "and.b64", &[raw.into(), Arg::Bits(mask(52), 64)])?;
        let digits = self.emit_new(Class::B64, "or.b64", &[digits.into(), Arg::Bits(1 << 52, 64)])?;
        // Shifts clamp, so the one in the wrong direction, whose amount wraps around, gives zero.
        let whole = self.emit_new(Class::B64, "shr.u64", &[digits.into(), down.into()])?;
        let start = self.extended_words(&[digits], Fill::Zero, bits.div_ceil(64) as usize)?;
        let mut words = self.wide_shift(BinaryOp::Shl, &start, up.into())?;
        if let Some(low) = words.first_mut() {
            *low = self.emit_new(Class::B64, "or.b64", &[(*low).into(), whole.into()])?;
        }
        if signed {
            let sign = self.emit_new(Class::B64, "shr.s64", &[raw.into(), Arg::Bits(63, 32)])?;
            words = self.negate_where(&words, sign)?;
        }
        if outside == OutOfRange::Saturate {
            words = self.saturate_words(words, number, bits, signed)?;
        }
        self.narrow_words(&words, bits)
    }

    fn saturate_words(
        &mut self,
        words: Vec<RegId>,
        number: Val,
        bits: u32,
        signed: bool,
    ) -> Raised<Vec<RegId>> {
        // The first number above the range, 2^bits or half of that; infinity where the format ends before.
        let above = u64::from(if signed { bits - 1 } else { bits }).min(1024) + 1023;
        let above = Val::Bits(above << 52);
        let largest = self.extreme_words(signed, true, bits)?;
        let smallest = self.extreme_words(signed, false, bits)?;
        let zero = self.extended_words(&[], Fill::Zero, words.len())?;
        let over = self.compare_floats(FloatPredicate::Oge, number, above, Scalar::Double)?;
        let below = if signed {
            let bound = self.negate(above, Scalar::Double)?;
            self.compare_floats(FloatPredicate::Olt, number, bound, Scalar::Double)?
        } else {
            self.compare_floats(FloatPredicate::Olt, number, Val::Bits(0), Scalar::Double)?
        };
        let nan = self.compare_floats(FloatPredicate::Uno, number, number, Scalar::Double)?;
        let words = self.pick_words(over, &largest, &words)?;
        let words = self.pick_words(below, &smallest, &words)?;
        self.pick_words(nan, &zero, &words)
    }
}
