//! Floating-point intrinsics (manual 9.7.3 to 9.7.5).

use std::sync::OnceLock;

use ptx_isa::{Field, Mnemonic, Mod, Opcode, ScalarType, ptx};
use ptx_llvm_core::intrinsics::base_name;
use ptx_llvm_core::view::{BinaryOp, Call, FastMath, FloatPredicate, InstId, IntPredicate};

use super::append::Arg;
use super::compare::compare_unflushed;
use super::float::unflushed_form;
use super::generic::argument;
use super::state::Emitter;
use crate::class_tests::{ClassTests, Combination, Costs, KINDS, Limit, Test};
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::intrinsics::Transcendental;
use crate::types::Scalar;
use crate::value::{Val, mask, sign_extend};

impl Emitter<'_, '_, '_> {
    /// A function that PTX approximates; the others are legalized, but in double precision.
    pub(super) fn transcendental(&mut self, id: InstId, call: &Call, op: Transcendental) -> Result<()> {
        self.no_quadruple(id, &call.args)?;
        let approximation = match op {
            // Accurate to two units in the last place, like CUDA's exp2f.
            Transcendental::Exp2 => ptx!("ex2.approx.f32"),
            _ if !call.fast.afn => return Err(self.inexact(call, op)),
            Transcendental::Sin => ptx!("sin.approx.f32"),
            Transcendental::Cos => ptx!("cos.approx.f32"),
            Transcendental::Tanh => ptx!("tanh.approx.f32"),
            Transcendental::Log2 => ptx!("lg2.approx.f32"),
            Transcendental::Composed => {
                let message = format!("{} of double precision has no counterpart in PTX", self.called(call));
                return Err(
                    RaiseError::new(INTRINSIC, message).with_help("link libdevice and call its function")
                );
            }
            Transcendental::Absent => return Err(self.inexact(call, op)),
        };
        self.each(id, call, 1, &mut |this, args, scalar| this.approximate(approximation, args[0], scalar))
    }

    /// The function that a call calls, as LLVM has it for scalars.
    fn called(&self, call: &Call) -> String {
        let name = base_name(self.source.callee_name(call));
        name.replacen("llvm.vp.", "llvm.", 1)
    }

    /// Why a function is not approximated.
    fn inexact(&self, call: &Call, op: Transcendental) -> RaiseError {
        let help = match op {
            Transcendental::Sin
            | Transcendental::Cos
            | Transcendental::Exp2
            | Transcendental::Log2
            | Transcendental::Composed => {
                "allow an approximation with the flag afn, or link libdevice and call its function"
            }
            Transcendental::Tanh | Transcendental::Absent => "link libdevice and call its function",
        };
        let message = format!("{} has no instruction in PTX that is exact enough", self.called(call));
        RaiseError::new(INTRINSIC, message).with_help(help)
    }

    fn approximate(&mut self, mnemonic: Mnemonic, value: Val, scalar: Scalar) -> Result<Val> {
        match scalar {
            Scalar::Float => {
                // `tanh` keeps subnormal numbers independent of the function's attributes (manual 9.7.3.22).
                let own = match mnemonic.opcode() {
                    Opcode::Tanh => mnemonic,
                    _ => self.float_form(mnemonic, scalar)?,
                };
                self.apply(own, &[value], scalar)
            }
            Scalar::Half | Scalar::BFloat | Scalar::HalfPair | Scalar::BFloatPair => {
                self.through_single(scalar, &[value], &mut |this, args| {
                    this.approximate(mnemonic, args[0], Scalar::Float)
                })
            }
            _ => Err(RaiseError::new(
                INTRINSIC,
                format!("{} of double precision has no counterpart in PTX", mnemonic.opcode().as_str()),
            )),
        }
    }

    /// `a * b + c`, rounded once. If the target does not have the operation, it is computed in single precision, rounded to odd:
    /// rounding that to nearest has the same result as rounding once.
    pub(super) fn multiply_add(&mut self, args: &[Val], scalar: Scalar) -> Result<Val> {
        let fma = self.float_form(ptx!("fma.rn.f32"), scalar)?;
        if !self.module.target.supports(fma) {
            return self.through_single(scalar, args, &mut |this, args| this.multiply_add_to_odd(args));
        }
        self.apply(fma, args, scalar)
    }

    /// `a * b + c` in single precision: where it is not exact the number nearer to zero, with its last bit set.
    fn multiply_add_to_odd(&mut self, args: &[Val]) -> Result<Val> {
        let scalar = Scalar::Float;
        let below = self.apply(ptx!("fma.rm.f32"), args, scalar)?;
        let above = self.apply(ptx!("fma.rp.f32"), args, scalar)?;
        let nearer = self.apply(ptx!("fma.rz.f32"), args, scalar)?;
        let inexact = self.compare_floats(FloatPredicate::One, below, above, scalar)?;
        let (bits, _) = self.bits_of(nearer, scalar)?;
        let odd = self.compute(ptx!("or.b32"), &[bits.into(), Arg::Bits(1, 32)])?;
        let odd = self.leaf_from(odd, scalar)?;
        self.choose(inexact, odd, nearer, scalar)
    }

    /// The smaller or larger of two floating-point numbers, by `min` or `max` of single precision; `.NaN` if the result is a NaN when
    /// one operand is.
    pub(super) fn float_extreme(&mut self, single: Mnemonic, a: Val, b: Val, scalar: Scalar) -> Result<Val> {
        let of_numbers = single.with(Field::Nan, None).filter(|_| single.has(Mod::Nan));
        if let (Scalar::Double, Some(plain)) = (scalar, of_numbers) {
            let extreme = self.float_extreme(plain, a, b, scalar)?;
            let unordered = self.compare_floats(FloatPredicate::Uno, a, b, scalar)?;
            return self.choose(unordered, Val::Bits(0x7ff8 << 48), extreme, scalar);
        }
        let halves = matches!(scalar, Scalar::Half | Scalar::BFloat | Scalar::HalfPair | Scalar::BFloatPair);
        if halves && !self.module.target.supports(ptx!("min.f16")) {
            return self.through_single(scalar, &[a, b], &mut |this, args| {
                this.float_extreme(single, args[0], args[1], Scalar::Float)
            });
        }
        if let (Scalar::Float, Some(plain)) = (scalar, of_numbers)
            && !self.module.target.supports(ptx!("min.NaN.f32"))
        {
            let extreme = self.float_extreme(plain, a, b, scalar)?;
            let unordered = self.compare_floats(FloatPredicate::Uno, a, b, scalar)?;
            return self.choose(unordered, Val::Bits(0x7fc0_0000), extreme, scalar);
        }
        self.apply(self.float_form(single, scalar)?, &[a, b], scalar)
    }

    /// The same number: a product with one only quiets a NaN.
    pub(super) fn canonical(&mut self, value: Val, scalar: Scalar) -> Result<Val> {
        self.float_binary(BinaryOp::FMul, value, Val::Bits(one(scalar)), scalar, FastMath::default())
    }

    pub(super) fn absolute(&mut self, value: Val, scalar: Scalar) -> Result<Val> {
        let arg = self.arg(value, scalar)?;
        Ok(Val::reg(match scalar {
            Scalar::Float => self.compute(ptx!("abs.f32"), &[arg])?,
            Scalar::Double => self.compute(ptx!("abs.f64"), &[arg])?,
            Scalar::Half | Scalar::BFloat => self.compute(ptx!("and.b16"), &[arg, Arg::Bits(0x7fff, 16)])?,
            _ => self.compute(ptx!("and.b32"), &[arg, Arg::Bits(0x7fff_7fff, 32)])?,
        }))
    }

    pub(super) fn copy_sign(&mut self, value: Val, sign: Val, scalar: Scalar) -> Result<Val> {
        if matches!(scalar, Scalar::Float | Scalar::Double) {
            let copy = ptx!("copysign.f32").with_type(scalar.class().register_type())?;
            return self.apply(copy, &[sign, value], scalar);
        }
        let bits = scalar.class().bits();
        let top: u64 = if scalar.is_pair() { 0x8000_8000 } else { 0x8000 };
        let (value, sign) = (self.arg(value, scalar)?, self.arg(sign, scalar)?);
        let size =
            self.compute(ptx!("and.b32").with_bits(bits)?, &[value, Arg::Bits(!top & mask(bits), bits)])?;
        let sign = self.compute(ptx!("and.b32").with_bits(bits)?, &[sign, Arg::Bits(top, bits)])?;
        Ok(Val::reg(self.compute(ptx!("or.b32").with_bits(bits)?, &[size.into(), sign.into()])?))
    }

    pub(super) fn square_root(&mut self, value: Val, scalar: Scalar, fast: FastMath) -> Result<Val> {
        match scalar {
            Scalar::Float | Scalar::Double => {
                let root = self.precise(ptx!("sqrt.rn.f32"), scalar, fast)?;
                self.apply(root, &[value], scalar)
            }
            _ => self.through_single(scalar, &[value], &mut |this, args| {
                let root = if fast.afn { ptx!("sqrt.approx.f32") } else { ptx!("sqrt.rn.f32") };
                this.apply(root, args, Scalar::Float)
            }),
        }
    }

    pub(super) fn round_to_integral(&mut self, rounding: Mod, value: Val, scalar: Scalar) -> Result<Val> {
        match scalar {
            Scalar::Float | Scalar::Double | Scalar::Half => {
                let ty = scalar.float().unwrap_or(ScalarType::F32);
                let round =
                    ptx!("cvt.rni.f32.f32").with_modifier(Field::Rnd, rounding)?.with_types(&[ty, ty])?;
                let round = round.with_if(self.flush && ty == ScalarType::F32, Mod::Ftz)?;
                self.apply(round, &[value], scalar)
            }
            Scalar::BFloat => {
                let single = self.float_to_float(value, Scalar::BFloat, Scalar::Float)?;
                let flush = std::mem::replace(&mut self.flush, false);
                let whole = self.round_to_integral(rounding, single, Scalar::Float)?;
                self.flush = flush;
                let narrow = self.float_to_float(whole, Scalar::Float, Scalar::BFloat)?;
                // A bfloat below 256 rounds to an integer that bfloat has, and larger ones are integers.
                if let (Val::Register(narrow, _), Val::Register(..)) = (narrow, whole) {
                    self.registers.singles.insert(narrow, whole);
                }
                Ok(narrow)
            }
            _ => self.through_single(scalar, &[value], &mut |this, args| {
                this.round_to_integral(rounding, args[0], Scalar::Float)
            }),
        }
    }

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
        let Some(chain) = class_tests(self, scalar).of(classes) else {
            return Ok(Val::Bits(u64::from(classes & mask(10) != 0)));
        };
        let mut result = Val::Bits(0);
        for (combination, test) in chain {
            let here = class_test(self, &mut number, test)?;
            result = match combination {
                None => here,
                Some(Combination::And) => self.pred(ptx!("and.pred"), result, here)?,
                Some(Combination::Or) => self.pred(ptx!("or.pred"), result, here)?,
                Some(Combination::Xor) => self.pred(ptx!("xor.pred"), result, here)?,
            };
        }
        Ok(result)
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

/// The bits of one.
fn one(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Half => 0x3c00,
        Scalar::BFloat => 0x3f80,
        Scalar::HalfPair => 0x3c00_3c00,
        Scalar::BFloatPair => 0x3f80_3f80,
        Scalar::Float => 0x3f80_0000,
        Scalar::Double => 0x3ff0_0000_0000_0000,
        Scalar::Int(_) | Scalar::Pointer { .. } => sign_extend(1, 2) as u64,
    }
}

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

/// The comparisons for a format.
fn class_tests(emitter: &Emitter<'_, '_, '_>, scalar: Scalar) -> &'static ClassTests {
    static SINGLE: OnceLock<ClassTests> = OnceLock::new();
    static DOUBLE: OnceLock<ClassTests> = OnceLock::new();
    static HALF: OnceLock<ClassTests> = OnceLock::new();
    static BITS: OnceLock<ClassTests> = OnceLock::new();
    let target = &emitter.module.target;
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
fn class_test(emitter: &mut Emitter<'_, '_, '_>, number: &mut Number, test: Test) -> Result<Val> {
    let word = Scalar::Int(number.bits);
    match test {
        Test::Number { predicate, limit, is_negative, of_magnitude } => {
            let value = if of_magnitude { magnitude(emitter, number)? } else { number.value };
            let kind = match limit {
                Limit::Zero => 0,
                Limit::Normal => 2,
                Limit::Infinity => 3,
            };
            let limit = Val::Bits(number.least(if is_negative { kind + KINDS } else { kind }));
            compare_unflushed(emitter, predicate, value, limit, number.scalar)
        }
        Test::Bits { predicate, kind, of_magnitude } => {
            let bits = class_bits(emitter, number, of_magnitude)?;
            emitter.compare_ints(predicate, bits, Val::Bits(number.least(kind)), word)
        }
        Test::Range { first, end, of_magnitude } => {
            let bits = class_bits(emitter, number, of_magnitude)?;
            // A range over the end of the kinds is what is not between.
            let (from, to, predicate) = match first < end {
                true => (first, end, IntPredicate::Ult),
                false => (end, first, IntPredicate::Uge),
            };
            let (from, to) = (number.least(from), number.least(to));
            let less = Arg::Bits(from.wrapping_neg() & mask(number.bits), number.bits);
            let args = [emitter.arg(bits, word)?, less];
            let above = emitter.compute(ptx!("add.s32").with_bits(number.bits)?, &args)?;
            emitter.compare_ints(predicate, Val::reg(above), Val::Bits(to - from), word)
        }
    }
}

/// The number without its sign.
fn magnitude(emitter: &mut Emitter<'_, '_, '_>, number: &mut Number) -> Result<Val> {
    if let Some(known) = number.magnitude {
        return Ok(known);
    }
    let args = [emitter.arg(number.value, number.scalar)?];
    let magnitude = unflushed_form(ptx!("abs.f32"), number.scalar)?;
    let magnitude = Val::reg(emitter.compute(magnitude, &args)?);
    number.magnitude = Some(magnitude);
    Ok(magnitude)
}

/// The bits of the number, or of its magnitude.
fn class_bits(emitter: &mut Emitter<'_, '_, '_>, number: &mut Number, of_magnitude: bool) -> Result<Val> {
    let raw = match number.raw {
        Some(raw) => raw,
        None => Val::reg(emitter.bits_of(number.value, number.scalar)?.0),
    };
    number.raw = Some(raw);
    if !of_magnitude {
        return Ok(raw);
    }
    if let Some(known) = number.raw_magnitude {
        return Ok(known);
    }
    let args = [emitter.arg(raw, Scalar::Int(number.bits))?, Arg::Bits(mask(number.bits - 1), number.bits)];
    let magnitude = Val::reg(emitter.compute(ptx!("and.b32").with_bits(number.bits)?, &args)?);
    number.raw_magnitude = Some(magnitude);
    Ok(magnitude)
}
