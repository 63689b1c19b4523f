//! Floating-point intrinsics (manual 9.7.3 to 9.7.5).

use ptx_isa::{Field, Mnemonic, Mod, Opcode, ScalarType, ptx};
use ptx_llvm::intrinsics::base_name;
use ptx_llvm::view::{BinaryOp, Call, FastMath, FloatPredicate, InstId, IntPredicate};

use super::append::Arg;
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::intrinsics::{FloatOp, Function, Transcendental};
use crate::types::Scalar;
use crate::value::{Val, mask, sign_extend};

impl Emitter<'_, '_, '_> {
    /// A function of floating-point numbers.
    pub(super) fn float_intrinsic(&mut self, id: InstId, call: &Call, function: Function) -> Result<()> {
        self.no_quadruple(id, &call.args)?;
        match function {
            Function::Exact(op) => self.exact_function(id, call, op),
            Function::Transcendental(op) => self.transcendental(id, call, op),
        }
    }

    fn exact_function(&mut self, id: InstId, call: &Call, op: FloatOp) -> Result<()> {
        let extreme = |this: &mut Self, own: Mnemonic| {
            this.each(id, call, 2, &mut |this, args, scalar| {
                this.float_extreme(own, args[0], args[1], scalar)
            })
        };
        let integral = |this: &mut Self, rounding: Mod| {
            this.each(id, call, 1, &mut |this, args, scalar| {
                this.round_to_integral(rounding, args[0], scalar)
            })
        };
        match op {
            FloatOp::Min => extreme(self, ptx!("min.f32")),
            FloatOp::Max => extreme(self, ptx!("max.f32")),
            FloatOp::MinOrNan => extreme(self, ptx!("min.NaN.f32")),
            FloatOp::MaxOrNan => extreme(self, ptx!("max.NaN.f32")),
            FloatOp::MultiplyAdd => {
                self.each(id, call, 3, &mut |this, args, scalar| this.multiply_add(args, scalar))
            }
            FloatOp::Absolute => {
                self.each(id, call, 1, &mut |this, args, scalar| this.absolute(args[0], scalar))
            }
            FloatOp::CopySign => {
                self.each(id, call, 2, &mut |this, args, scalar| this.copy_sign(args[0], args[1], scalar))
            }
            FloatOp::SquareRoot => {
                self.each(id, call, 1, &mut |this, args, scalar| this.square_root(args[0], scalar, call.fast))
            }
            FloatOp::Floor => integral(self, Mod::Rmi),
            FloatOp::Ceil => integral(self, Mod::Rpi),
            FloatOp::Truncate => integral(self, Mod::Rzi),
            FloatOp::RoundEven => integral(self, Mod::Rni),
            FloatOp::Canonicalize => self.each(id, call, 1, &mut |this, args, scalar| {
                // A product with one only quiets a NaN.
                let one = Val::Bits(one(scalar));
                this.float_binary(BinaryOp::FMul, args[0], one, scalar, FastMath::default())
            }),
        }
    }

    /// A function that PTX approximates; the others are legalized, but in double precision.
    fn transcendental(&mut self, id: InstId, call: &Call, op: Transcendental) -> Result<()> {
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
        let name = self.source.callee(call).map_or("", |function| base_name(&function.name));
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
                let arg = self.arg(value, scalar)?;
                // `tanh` keeps subnormal numbers independent of the function's attributes (manual 9.7.3.22).
                let own = match mnemonic.opcode() {
                    Opcode::Tanh => mnemonic,
                    _ => self.float_form(mnemonic, scalar)?,
                };
                Ok(Val::reg(self.compute(own, &[arg])?))
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
        let args = [self.arg(args[0], scalar)?, self.arg(args[1], scalar)?, self.arg(args[2], scalar)?];
        Ok(Val::reg(self.compute(fma, &args)?))
    }

    /// `a * b + c` in single precision: where it is not exact the number nearer to zero, with its last bit set.
    fn multiply_add_to_odd(&mut self, args: &[Val]) -> Result<Val> {
        let scalar = Scalar::Float;
        let args = [self.arg(args[0], scalar)?, self.arg(args[1], scalar)?, self.arg(args[2], scalar)?];
        let below = Val::reg(self.compute(ptx!("fma.rm.f32"), &args)?);
        let above = Val::reg(self.compute(ptx!("fma.rp.f32"), &args)?);
        let nearer = Val::reg(self.compute(ptx!("fma.rz.f32"), &args)?);
        let inexact = self.compare_floats(FloatPredicate::One, below, above, scalar)?;
        let (bits, _) = self.bits_of(nearer, scalar)?;
        let odd = self.compute(ptx!("or.b32"), &[bits.into(), Arg::Bits(1, 32)])?;
        let odd = self.leaf_from(odd, scalar)?;
        self.choose(inexact, odd, nearer, scalar)
    }

    /// The smaller or larger of two floating-point numbers, by `min` or `max` of single precision; `.NaN` if the result is a NaN when
    /// one operand is.
    fn float_extreme(&mut self, single: Mnemonic, a: Val, b: Val, scalar: Scalar) -> Result<Val> {
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
        let args = [self.arg(a, scalar)?, self.arg(b, scalar)?];
        Ok(Val::reg(self.compute(self.float_form(single, scalar)?, &args)?))
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
            let args = [self.arg(sign, scalar)?, self.arg(value, scalar)?];
            let copy = ptx!("copysign.f32").with_type(scalar.class().register_type())?;
            return Ok(Val::reg(self.compute(copy, &args)?));
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
                let arg = self.arg(value, scalar)?;
                let root = self.precise(ptx!("sqrt.rn.f32"), scalar, fast)?;
                Ok(Val::reg(self.compute(root, &[arg])?))
            }
            _ => self.through_single(scalar, &[value], &mut |this, args| {
                let arg = this.arg(args[0], Scalar::Float)?;
                let root = if fast.afn { ptx!("sqrt.approx.f32") } else { ptx!("sqrt.rn.f32") };
                Ok(Val::reg(this.compute(root, &[arg])?))
            }),
        }
    }

    pub(super) fn round_to_integral(&mut self, rounding: Mod, value: Val, scalar: Scalar) -> Result<Val> {
        match scalar {
            Scalar::Float | Scalar::Double | Scalar::Half => {
                let ty = scalar.float().unwrap_or(ScalarType::F32);
                let round =
                    ptx!("cvt.rni.f32.f32").with_modifier(Field::Rnd, rounding)?.with_types(&[ty, ty])?;
                let arg = self.arg(value, scalar)?;
                Ok(Val::reg(self.compute(round, &[arg])?))
            }
            Scalar::BFloat => {
                let single = self.float_to_float(value, Scalar::BFloat, Scalar::Float)?;
                let whole = self.round_to_integral(rounding, single, Scalar::Float)?;
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

    /// `is.fpclass`: which of ten classes a number is in, by comparing its bits.
    pub(super) fn float_class(&mut self, id: InstId, call: &Call) -> Result<()> {
        let leaves = self.value_leaves(argument(call, 0)?)?;
        let values = self.value(argument(call, 0)?)?;
        let Val::Bits(classes) = self.scalar(argument(call, 1)?)?.0 else {
            return Err(RaiseError::new(INTRINSIC, "a set of classes that is not a constant"));
        };
        let parts = if self.module.view.is_quadruple(self.value_type(argument(call, 0)?)?) {
            self.quadruple_summaries(&values)?
        } else {
            self.apart(&leaves, &values)?
        };
        let mut results = Vec::with_capacity(parts.len());
        for (value, scalar) in parts {
            results.push(self.in_classes(value, scalar, classes)?);
        }
        self.define(id, results.into());
        Ok(())
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
        let word = Scalar::Int(bits);
        let (raw, _) = self.bits_of(value, scalar)?;
        let magnitude_mask = mask(bits - 1);
        let magnitude = Val::reg(
            self.compute(ptx!("and.b32").with_bits(bits)?, &[raw.into(), Arg::Bits(magnitude_mask, bits)])?,
        );
        let negative = self.compare_ints(IntPredicate::Slt, Val::reg(raw), Val::Bits(0), word)?;
        let infinity = magnitude_mask & !mask(mantissa);
        let quiet = infinity | 1 << (mantissa - 1);
        let smallest = 1 << mantissa;
        // Magnitudes from the first up to before the second, and the bits of the set for negative and positive ones.
        let ranges: [(u64, u64, u64, u64); 6] = [
            (0, 1, 1 << 5, 1 << 6),
            (1, smallest, 1 << 4, 1 << 7),
            (smallest, infinity, 1 << 3, 1 << 8),
            (infinity, infinity + 1, 1 << 2, 1 << 9),
            (infinity + 1, quiet, 1, 1),
            (quiet, magnitude_mask + 1, 2, 2),
        ];
        let mut result = Val::Bits(0);
        for (from, to, below, above) in ranges {
            let (wants_negative, wants_positive) = (classes & below != 0, classes & above != 0);
            if !wants_negative && !wants_positive {
                continue;
            }
            let reached = self.compare_ints(IntPredicate::Uge, magnitude, Val::Bits(from), word)?;
            let inside = self.compare_ints(IntPredicate::Ule, magnitude, Val::Bits(to - 1), word)?;
            let mut here = self.pred(ptx!("and.pred"), reached, inside)?;
            if !(wants_negative && wants_positive) {
                let sign = if wants_negative { negative } else { self.pred_not(negative)? };
                here = self.pred(ptx!("and.pred"), here, sign)?;
            }
            result = if result == Val::Bits(0) { here } else { self.pred(ptx!("or.pred"), result, here)? };
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
