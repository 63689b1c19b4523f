//! Roundings other than to nearest, of `llvm.experimental.constrained.*` (manual 9.7.3, 9.7.9.21).
//!
//! Rounding in one direction twice, first to a wider format and then to a narrower one that it contains, is rounding in that
//! direction once; so the 16-bit formats are computed in wider ones.

use ptx_isa::{Field, Mnemonic, Mod, ScalarType, ptx};
use ptx_llvm::view::{Call, CastOp, FloatPredicate, InstId, IntPredicate, Metadata, Value};

use super::append::Arg;
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::intrinsics::ConstrainedOp;
use crate::types::Scalar;
use crate::types::{integer_class, integer_type};
use crate::value::Val;

impl Emitter<'_, '_, '_> {
    /// A constrained operation. One that rounds to nearest is legalized.
    pub(super) fn constrained(&mut self, id: InstId, call: &Call, op: ConstrainedOp) -> Result<()> {
        self.no_quadruple(id, &call.args)?;
        let rounding = self.rounding(call)?;
        let (count, mnemonic) = match op {
            ConstrainedOp::Add => (2, ptx!("add.rn.f32")),
            ConstrainedOp::Subtract => (2, ptx!("sub.rn.f32")),
            ConstrainedOp::Multiply => (2, ptx!("mul.rn.f32")),
            ConstrainedOp::Divide => (2, ptx!("div.rn.f32")),
            ConstrainedOp::MultiplyAdd => (3, ptx!("fma.rn.f32")),
            ConstrainedOp::SquareRoot => (1, ptx!("sqrt.rn.f32")),
            ConstrainedOp::Narrow => return self.directed_cast(id, call, CastOp::FPTrunc, rounding),
            ConstrainedOp::FromSigned => return self.directed_cast(id, call, CastOp::SIToFP, rounding),
            ConstrainedOp::FromUnsigned => return self.directed_cast(id, call, CastOp::UIToFP, rounding),
        };
        self.directed_each(id, call, count, (mnemonic, rounding))
    }

    /// The rounding that a call's metadata names.
    fn rounding(&self, call: &Call) -> Result<Mod> {
        let text = |value: &Value| match value {
            Value::Metadata(id) => match self.module.view.metadata(*id) {
                Metadata::String(text) => text.strip_prefix("round."),
                _ => None,
            },
            _ => None,
        };
        match call.args.iter().find_map(text) {
            Some("tonearest" | "dynamic") | None => Ok(Mod::Rn),
            Some("towardzero") => Ok(Mod::Rz),
            Some("upward") => Ok(Mod::Rp),
            Some("downward") => Ok(Mod::Rm),
            Some(other) => {
                let message = format!("the rounding round.{other} has no counterpart in PTX");
                Err(RaiseError::new(INTRINSIC, message))
            }
        }
    }

    /// An operation on the first `count` arguments, element by element, rounded as `rounding` (`rz`, `rm`, `rp`) says.
    fn directed_each(
        &mut self,
        id: InstId,
        call: &Call,
        count: usize,
        (mnemonic, rounding): (Mnemonic, Mod),
    ) -> Result<()> {
        let leaves = self.leaves(self.type_of(id))?;
        let mut arguments = Vec::with_capacity(count);
        for at in 0..count {
            let values = self.value(argument(call, at)?)?;
            arguments.push(self.apart(&leaves, &values)?);
        }
        let elements = arguments.first().map_or(0, Vec::len);
        let mut results = Vec::with_capacity(elements);
        for at in 0..elements {
            let own: Vec<(Val, Scalar)> =
                arguments.iter().filter_map(|values| values.get(at).copied()).collect();
            let scalar = own.first().map_or(Scalar::Float, |(_, scalar)| *scalar);
            let own: Vec<Val> = own.into_iter().map(|(value, _)| value).collect();
            results.push(self.directed(mnemonic, rounding, &own, scalar)?);
        }
        let values = self.together(&leaves, &results)?;
        self.define(id, values.into());
        Ok(())
    }

    fn directed(&mut self, mnemonic: Mnemonic, rounding: Mod, args: &[Val], scalar: Scalar) -> Result<Val> {
        let wide = match scalar {
            Scalar::Float | Scalar::BFloat => Scalar::Float,
            Scalar::Double | Scalar::Half => Scalar::Double,
            Scalar::HalfPair | Scalar::BFloatPair | Scalar::Int(_) | Scalar::Pointer { .. } => {
                let message = format!("{mnemonic} of something that is not a number");
                return Err(RaiseError::new(INTRINSIC, message));
            }
        };
        let mut operands = Vec::with_capacity(args.len());
        for arg in args {
            let arg = self.float_to_float(*arg, scalar, wide)?;
            operands.push(self.arg(arg, wide)?);
        }
        let typed =
            mnemonic.with_type(if wide == Scalar::Double { ScalarType::F64 } else { ScalarType::F32 })?;
        let flushed = typed.with_if(self.flush && scalar == Scalar::Float, Mod::Ftz)?;
        let own = flushed.with_modifier(Field::Rnd, rounding)?;
        let value = Val::reg(self.compute(own, &operands)?);
        self.narrow_directed(value, (wide, scalar), rounding)
    }

    /// `fptrunc`, `sitofp` or `uitofp`, rounded as `rounding` says.
    fn directed_cast(&mut self, id: InstId, call: &Call, op: CastOp, rounding: Mod) -> Result<()> {
        let (from, to) = (self.value_leaves(argument(call, 0)?)?, self.leaves(self.type_of(id))?);
        let values = self.value(argument(call, 0)?)?;
        if self.wide_width(argument(call, 0)?)?.is_some() {
            let message = "an integer over 64 bits with a rounding other than to nearest";
            return Err(RaiseError::new(INTRINSIC, message));
        }
        let parts = self.apart(&from, &values)?;
        let mut results = Vec::with_capacity(parts.len());
        for ((value, from), to) in parts.into_iter().zip(Self::element_scalars(&to)) {
            results.push(if op == CastOp::FPTrunc {
                self.narrow_directed(value, (from, to), rounding)?
            } else {
                self.directed_integer(value, (from, to), rounding, op == CastOp::SIToFP)?
            });
        }
        let values = self.together(&to, &results)?;
        self.define(id, values.into());
        Ok(())
    }

    fn directed_integer(
        &mut self,
        value: Val,
        (from, to): (Scalar, Scalar),
        rounding: Mod,
        signed: bool,
    ) -> Result<Val> {
        let width = integer_class(from.bits()).bits();
        let register = if signed {
            self.sign_extended(value, from, width)?
        } else {
            self.zero_extended(value, from, width)?
        };
        let wide = if to == Scalar::BFloat { Scalar::Float } else { to };
        let Some(ty) = wide.float() else {
            return Err(RaiseError::new(INTRINSIC, "a cast to a float that is none"));
        };
        let convert = ptx!("cvt.rn.f32.s32").with_types(&[ty, integer_type(signed, width)])?;
        let convert = convert.with_modifier(Field::Rnd, rounding)?;
        let number = Val::reg(self.compute(convert, &[register.into()])?);
        self.narrow_directed(number, (wide, to), rounding)
    }

    /// A number in a narrower format.
    fn narrow_directed(&mut self, value: Val, (from, to): (Scalar, Scalar), rounding: Mod) -> Result<Val> {
        let convert = match (from, to) {
            _ if from == to => return Ok(value),
            (Scalar::Float, Scalar::BFloat) => return self.bfloat_directed(value, rounding),
            (Scalar::Double, Scalar::BFloat) => {
                let single = self.narrow_directed(value, (from, Scalar::Float), rounding)?;
                return self.bfloat_directed(single, rounding);
            }
            (Scalar::Double, Scalar::Float) => ptx!("cvt.rn.f32.f64"),
            (Scalar::Double, Scalar::Half) => ptx!("cvt.rn.f16.f64"),
            (Scalar::Float, Scalar::Half) => ptx!("cvt.rn.f16.f32"),
            _ => return Err(RaiseError::new(INTRINSIC, "a floating-point cast of something else")),
        };
        let arg = self.arg(value, from)?;
        Ok(Val::reg(self.compute(convert.with_modifier(Field::Rnd, rounding)?, &[arg])?))
    }

    /// The upper half of a single-precision number, one more where the rounding goes away from zero and something is cut off.
    fn bfloat_directed(&mut self, value: Val, rounding: Mod) -> Result<Val> {
        let word = Scalar::Int(32);
        let (raw, _) = self.bits_of(value, Scalar::Float)?;
        let high = Val::reg(self.compute(ptx!("shr.u32"), &[raw.into(), Arg::Bits(16, 32)])?);
        let low = Val::reg(self.compute(ptx!("and.b32"), &[raw.into(), Arg::Bits(0xffff, 32)])?);
        let away = match rounding {
            Mod::Rm => Some(self.compare_ints(IntPredicate::Slt, Val::reg(raw), Val::Bits(0), word)?),
            Mod::Rp => Some(self.compare_ints(IntPredicate::Sge, Val::reg(raw), Val::Bits(0), word)?),
            _ => None,
        };
        let rounded = match away {
            None => high,
            Some(away) => {
                let cut = self.compare_ints(IntPredicate::Ne, low, Val::Bits(0), word)?;
                let up = self.pred(ptx!("and.pred"), away, cut)?;
                let one = self.choose(up, Val::Bits(1), Val::Bits(0), word)?;
                let args = [self.arg(high, word)?, self.arg(one, word)?];
                Val::reg(self.compute(ptx!("add.s32"), &args)?)
            }
        };
        let quiet = self.arg(high, word)?;
        let quiet = Val::reg(self.compute(ptx!("or.b32"), &[quiet, Arg::Bits(0x40, 32)])?);
        let nan = self.compare_floats(FloatPredicate::Uno, value, value, Scalar::Float)?;
        let chosen = self.choose(nan, quiet, rounded, word)?;
        let half = self.resize_integer(CastOp::Trunc, &[chosen], 32, 16)?;
        let half = half.first().copied().unwrap_or(chosen);
        let register = self.in_register(half, Scalar::Int(16))?;
        Ok(Val::reg(register))
    }
}
