//! Floating-point intrinsics (manual 9.7.3 to 9.7.5).

use ptx_isa::{Field, Mnemonic, Mod, Opcode, ScalarType, ptx};
use ptx_llvm::view::{BinaryOp, Call, FastMath, FloatPredicate, InstId, IntPredicate};

use super::append::Arg;
use super::float::{BFLOAT_FMA, HALF_ARITHMETIC};
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::intrinsics::{FloatOp, Function, Named, Transcendental};
use crate::types::Scalar;
use crate::value::{Val, mask, sign_extend};

/// The factors between logarithms, in single precision.
const LOG2_E: u64 = 0x3fb8_aa3b;
const LOG2_10: u64 = 0x4054_9a78;
const LN_2: u64 = 0x3f31_7218;
const LOG10_2: u64 = 0x3e9a_209b;

impl Emitter<'_, '_, '_> {
    /// A function of floating-point numbers.
    pub(super) fn float_intrinsic(&mut self, id: InstId, call: &Call, function: Function) -> Result<()> {
        if self.quadruple_intrinsic(id, call, function)? {
            return Ok(());
        }
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
            FloatOp::RoundAway => {
                self.each(id, call, 1, &mut |this, args, scalar| this.round_away(args[0], scalar))
            }
            FloatOp::Canonicalize => self.each(id, call, 1, &mut |this, args, scalar| {
                // A product with one quiets a NaN and changes nothing else.
                let one = Val::Bits(one(scalar));
                this.float_binary(BinaryOp::FMul, args[0], one, scalar, FastMath::default())
            }),
        }
    }

    fn transcendental(&mut self, id: InstId, call: &Call, op: Transcendental) -> Result<()> {
        match op {
            // Right to two units in the last place, as CUDA's exp2f.
            Transcendental::Exp2 => {}
            Transcendental::Log2 if !call.fast.afn => {
                return self.each(id, call, 1, &mut |this, args, scalar| this.logarithm(args[0], scalar));
            }
            _ if !call.fast.afn => return Err(inexact(op)),
            _ => {}
        }
        let arguments = if op == Transcendental::Power { 2 } else { 1 };
        self.each(id, call, arguments, &mut |this, args, scalar| this.approximated(op, args, scalar))
    }

    /// A function that PTX approximates.
    fn approximated(&mut self, op: Transcendental, args: &[Val], scalar: Scalar) -> Result<Val> {
        match op {
            Transcendental::Sin => self.approximate(ptx!("sin.approx.f32"), args[0], scalar),
            Transcendental::Cos => self.approximate(ptx!("cos.approx.f32"), args[0], scalar),
            Transcendental::Tanh => self.approximate(ptx!("tanh.approx.f32"), args[0], scalar),
            Transcendental::Exp2 => self.approximate(ptx!("ex2.approx.f32"), args[0], scalar),
            Transcendental::Log2 => self.approximate(ptx!("lg2.approx.f32"), args[0], scalar),
            Transcendental::Power => {
                let logarithm = self.approximate(ptx!("lg2.approx.f32"), args[0], scalar)?;
                let exponent =
                    self.float_binary(BinaryOp::FMul, args[1], logarithm, scalar, FastMath::default())?;
                self.approximate(ptx!("ex2.approx.f32"), exponent, scalar)
            }
            Transcendental::Exp => {
                self.in_single(op, args, scalar, &mut |this, args| this.exponential(args[0], LOG2_E))
            }
            Transcendental::Exp10 => {
                self.in_single(op, args, scalar, &mut |this, args| this.exponential(args[0], LOG2_10))
            }
            Transcendental::Log => {
                self.in_single(op, args, scalar, &mut |this, args| this.scaled_logarithm(args[0], LN_2))
            }
            Transcendental::Log10 => {
                self.in_single(op, args, scalar, &mut |this, args| this.scaled_logarithm(args[0], LOG10_2))
            }
            Transcendental::Tan => self.in_single(op, args, scalar, &mut |this, args| this.tangent(args[0])),
            Transcendental::Asin
            | Transcendental::Acos
            | Transcendental::Atan
            | Transcendental::Atan2
            | Transcendental::Sinh
            | Transcendental::Cosh
            | Transcendental::SinCos
            | Transcendental::SinCosPi => Err(inexact(op)),
        }
    }

    /// `log2` of a single-precision number to within two units in the last place: the exponent, and a polynomial in the digits
    /// less one, between 0.7 and 1.4, whose coefficients make the largest relative error smallest.
    fn logarithm(&mut self, value: Val, scalar: Scalar) -> Result<Val> {
        const POLYNOMIAL: [u32; 10] = [
            0xbdf9_5c70,
            0x3e44_415c,
            0xbe41_d129,
            0x3e50_9432,
            0xbe75_74fe,
            0x3e93_c543,
            0xbeb8_ad07,
            0x3ef6_3832,
            0xbf38_aa38,
            0x3fb8_aa3b,
        ];
        const LOWEST: u64 = 0x3f33_0000;
        if scalar == Scalar::Double {
            return Err(RaiseError::new(INTRINSIC, "log2 of double precision has no counterpart in PTX")
                .with_help("link libdevice and call its function"));
        }
        if scalar != Scalar::Float {
            return self
                .through_single(scalar, &[value], &mut |this, args| this.logarithm(args[0], Scalar::Float));
        }
        let exact = FastMath::default();
        // Subnormal numbers are multiplied by 2^23 first.
        let small = self.compare_floats(FloatPredicate::Olt, value, Val::Bits(0x0080_0000), scalar)?;
        let larger = self.float_binary(BinaryOp::FMul, value, Val::Bits(0x4b00_0000), scalar, exact)?;
        let normal = self.choose(small, larger, value, scalar)?;
        let start = self.choose(small, Val::Bits(0xc1b8_0000), Val::Bits(0), scalar)?;
        let (bits, _) = self.bits_of(normal, scalar)?;
        let above = self.compute(ptx!("sub.s32"), &[bits.into(), Arg::Bits(LOWEST, 32)])?;
        let exponent = self.compute(ptx!("and.b32"), &[above.into(), Arg::Bits(0xff80_0000, 32)])?;
        let digits = self.compute(ptx!("sub.s32"), &[bits.into(), exponent.into()])?;
        let digits = self.leaf_from(digits, scalar)?;
        let exponent = self.compute(ptx!("cvt.rn.f32.s32"), &[exponent.into()])?;
        // The exponent begins at bit 23.
        let exponent = self.fused(Val::reg(exponent), Val::Bits(0x3400_0000), start)?;
        let rest = self.float_binary(BinaryOp::FAdd, digits, Val::Bits(0xbf80_0000), scalar, exact)?;
        let mut sum = Val::Bits(u64::from(POLYNOMIAL[0]));
        for coefficient in POLYNOMIAL.iter().skip(1) {
            sum = self.fused(sum, rest, Val::Bits(u64::from(*coefficient)))?;
        }
        let result = self.fused(rest, sum, exponent)?;
        // The approximation is right about zero, infinity, NaN and negative numbers.
        let special = self.approximate(ptx!("lg2.approx.f32"), value, scalar)?;
        let positive = self.compare_floats(FloatPredicate::Ogt, value, Val::Bits(0), scalar)?;
        let finite = self.compare_floats(FloatPredicate::Olt, value, Val::Bits(0x7f80_0000), scalar)?;
        let ordinary = self.pred(ptx!("and.pred"), positive, finite)?;
        self.choose(ordinary, result, special, scalar)
    }

    /// `a * b + c` in single precision, rounded once and never flushed.
    fn fused(&mut self, a: Val, b: Val, c: Val) -> Result<Val> {
        let scalar = Scalar::Float;
        let args = [self.arg(a, scalar)?, self.arg(b, scalar)?, self.arg(c, scalar)?];
        Ok(Val::reg(self.compute(ptx!("fma.rn.f32"), &args)?))
    }

    /// An approximation in single precision: narrower formats are computed in it, and double precision has none.
    fn in_single(
        &mut self,
        op: Transcendental,
        args: &[Val],
        scalar: Scalar,
        compute: &mut dyn FnMut(&mut Self, &[Val]) -> Result<Val>,
    ) -> Result<Val> {
        match scalar {
            Scalar::Float => compute(self, args),
            Scalar::Double => {
                let message = format!("llvm.{} of double precision has no counterpart in PTX", op.name());
                Err(RaiseError::new(INTRINSIC, message).with_help("link libdevice and call its function"))
            }
            _ => self.through_single(scalar, args, compute),
        }
    }

    /// Two to the power of a multiple of a number in single precision.
    fn exponential(&mut self, value: Val, factor: u64) -> Result<Val> {
        let (single, plain) = (Scalar::Float, FastMath::default());
        let exponent = self.float_binary(BinaryOp::FMul, value, Val::Bits(factor), single, plain)?;
        self.approximate(ptx!("ex2.approx.f32"), exponent, single)
    }

    /// A multiple of the logarithm to base two of a number in single precision.
    fn scaled_logarithm(&mut self, value: Val, factor: u64) -> Result<Val> {
        let (single, plain) = (Scalar::Float, FastMath::default());
        let logarithm = self.approximate(ptx!("lg2.approx.f32"), value, single)?;
        self.float_binary(BinaryOp::FMul, logarithm, Val::Bits(factor), single, plain)
    }

    fn tangent(&mut self, value: Val) -> Result<Val> {
        let single = Scalar::Float;
        let sine = self.approximate(ptx!("sin.approx.f32"), value, single)?;
        let cosine = self.approximate(ptx!("cos.approx.f32"), value, single)?;
        let args = [self.arg(sine, single)?, self.arg(cosine, single)?];
        let divide = self.float_form(ptx!("div.approx.f32"), single)?;
        Ok(Val::reg(self.compute(divide, &args)?))
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

    /// `a * b + c`, rounded once. A target without the operation computes it in single precision, rounded to odd: what is rounded to
    /// nearest from there is as if it had been rounded once.
    pub(super) fn multiply_add(&mut self, args: &[Val], scalar: Scalar) -> Result<Val> {
        let since = match scalar {
            Scalar::BFloat | Scalar::BFloatPair => Some(BFLOAT_FMA),
            Scalar::Half | Scalar::HalfPair => Some(HALF_ARITHMETIC),
            _ => None,
        };
        if since.is_some_and(|since| !self.module.target.has(since)) {
            return self.through_single(scalar, args, &mut |this, args| this.multiply_add_to_odd(args));
        }
        let args = [self.arg(args[0], scalar)?, self.arg(args[1], scalar)?, self.arg(args[2], scalar)?];
        Ok(Val::reg(self.compute(self.float_form(ptx!("fma.rn.f32"), scalar)?, &args)?))
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

    /// `round`: halves away from zero. The truncated value, and one more where at least a half was cut off; the difference is
    /// exact, and so is the sum.
    pub(super) fn round_away(&mut self, value: Val, scalar: Scalar) -> Result<Val> {
        if !matches!(scalar, Scalar::Float | Scalar::Double) {
            return self
                .through_single(scalar, &[value], &mut |this, args| this.round_away(args[0], Scalar::Float));
        }
        let exact = FastMath::default();
        let (one, half) = if scalar == Scalar::Float {
            (0x3f80_0000, 0x3f00_0000)
        } else {
            (0x3ff0_0000_0000_0000, 0x3fe0_0000_0000_0000)
        };
        let whole = self.round_to_integral(Mod::Rzi, value, scalar)?;
        let cut = self.float_binary(BinaryOp::FSub, value, whole, scalar, exact)?;
        let cut = self.absolute(cut, scalar)?;
        let up = self.compare_floats(FloatPredicate::Oge, cut, Val::Bits(half), scalar)?;
        let step = self.copy_sign(Val::Bits(one), value, scalar)?;
        let next = self.float_binary(BinaryOp::FAdd, whole, step, scalar, exact)?;
        self.choose(up, next, whole, scalar)
    }

    /// `is.fpclass`: which of ten classes a number is in, by comparing its bits.
    pub(super) fn float_class(&mut self, id: InstId, call: &Call) -> Result<()> {
        let leaves = self.value_leaves(argument(call, 0)?)?;
        let values = self.value(argument(call, 0)?)?;
        let Val::Bits(classes) = self.scalar(argument(call, 1)?)?.0 else {
            return Err(RaiseError::new(INTRINSIC, "a set of classes that is not a constant"));
        };
        let parts = if self.is_quadruple(self.value_type(argument(call, 0)?)?) {
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
}

/// Why a function is not approximated.
fn inexact(op: Transcendental) -> RaiseError {
    let help = match op {
        Transcendental::Sin
        | Transcendental::Cos
        | Transcendental::Tan
        | Transcendental::Exp
        | Transcendental::Exp2
        | Transcendental::Exp10
        | Transcendental::Log
        | Transcendental::Log2
        | Transcendental::Log10
        | Transcendental::Power => {
            "allow an approximation with the flag afn, or link libdevice and call its function"
        }
        Transcendental::Asin
        | Transcendental::Acos
        | Transcendental::Atan
        | Transcendental::Atan2
        | Transcendental::Sinh
        | Transcendental::Cosh
        | Transcendental::Tanh
        | Transcendental::SinCos
        | Transcendental::SinCosPi => "link libdevice and call its function",
    };
    let message = format!("llvm.{} has no instruction in PTX that is exact enough", op.name());
    RaiseError::new(INTRINSIC, message).with_help(help)
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
