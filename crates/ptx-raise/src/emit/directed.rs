//! Roundings other than to nearest, of `llvm.experimental.constrained.*` (manual 9.7.3, 9.7.9.21).
//!
//! Arithmetic on 16-bit formats, and conversions to `bfloat`, are legalized.

use ptx_isa::{Field, Mnemonic, Mod, ptx};
use ptx_llvm_core::view::{Call, CastOp, InstId, Metadata, Value};

use super::cast::to_float;
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::intrinsics::ConstrainedOp;
use crate::types::Scalar;
use crate::types::integer_class;
use crate::value::{Fill, Val};

impl Emitter<'_, '_, '_> {
    /// A constrained operation that names another rounding.
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
        self.each(id, call, count, &mut |this, args, scalar| this.directed(mnemonic, rounding, args, scalar))
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

    /// An operation with the rounding mode `rounding` (`rz`, `rm`, `rp`).
    fn directed(&mut self, mnemonic: Mnemonic, rounding: Mod, args: &[Val], scalar: Scalar) -> Result<Val> {
        if !matches!(scalar, Scalar::Float | Scalar::Double) {
            let message = format!("{mnemonic} of something that is not a number");
            return Err(RaiseError::new(INTRINSIC, message));
        }
        let operands: Vec<_> = args.iter().map(|arg| self.arg(*arg, scalar)).collect::<Result<_>>()?;
        let own = self.float_form(mnemonic, scalar)?.with_modifier(Field::Rnd, rounding)?;
        Ok(Val::reg(self.compute(own, &operands)?))
    }

    /// `fptrunc`, `sitofp` or `uitofp` with the rounding mode `rounding`.
    fn directed_cast(&mut self, id: InstId, call: &Call, op: CastOp, rounding: Mod) -> Result<()> {
        let to = self.leaves(self.type_of(id))?;
        if self.wide_width(argument(call, 0)?)?.is_some() {
            let message = "an integer over 64 bits with a rounding other than to nearest";
            return Err(RaiseError::new(INTRINSIC, message));
        }
        let parts = self.parts_of(argument(call, 0)?)?;
        let mut results = Vec::with_capacity(parts.len());
        for ((value, from), to) in parts.into_iter().zip(Self::element_scalars(&to)) {
            results.push(if op == CastOp::FPTrunc {
                self.narrow_directed(value, (from, to), rounding)?
            } else {
                self.directed_integer(value, (from, to), rounding, op == CastOp::SIToFP)?
            });
        }
        let values = self.together(&to, &results)?;
        self.define(id, values.into())
    }

    fn directed_integer(
        &mut self,
        value: Val,
        (from, to): (Scalar, Scalar),
        rounding: Mod,
        signed: bool,
    ) -> Result<Val> {
        let (fill, width) = (Fill::of(signed), integer_class(from.bits()).bits());
        let register = self.extended(value, from, width, fill)?;
        let convert = to_float(to, fill.integer(width))?.with_modifier(Field::Rnd, rounding)?;
        Ok(Val::reg(self.compute(convert, &[register.into()])?))
    }

    /// A number in a narrower format.
    fn narrow_directed(&mut self, value: Val, (from, to): (Scalar, Scalar), rounding: Mod) -> Result<Val> {
        let convert = match (from, to) {
            (Scalar::Double, Scalar::Float) => ptx!("cvt.rn.f32.f64"),
            (Scalar::Double, Scalar::Half) => ptx!("cvt.rn.f16.f64"),
            (Scalar::Float, Scalar::Half) => ptx!("cvt.rn.f16.f32"),
            _ => return Err(RaiseError::new(INTRINSIC, "a floating-point cast of something else")),
        };
        self.apply(convert.with_modifier(Field::Rnd, rounding)?, &[value], from)
    }
}
