//! `llvm.experimental.constrained.*`: floating-point operations that name their rounding.
//!
//! PTX has a rounding for each instruction and no mode, so `round.dynamic` is the default of the environment, to nearest even.
//! It has no floating-point exceptions either: what an operation specifies about them is kept, since nothing observes them.

use ptx_isa::{Mnemonic, Mod, ptx};
use ptx_llvm::view::{BinaryOp, Call, CastOp, FastMath, FloatPredicate, InstId, Metadata, Value};

use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::intrinsics::ConstrainedOp;

impl Emitter<'_, '_, '_> {
    /// A constrained operation.
    pub(super) fn constrained(&mut self, id: InstId, call: &Call, op: ConstrainedOp) -> Result<()> {
        self.no_quadruple(id, &call.args)?;
        let rounding = self.rounding(call)?;
        match op {
            ConstrainedOp::Add => {
                self.rounded_binary(id, call, (BinaryOp::FAdd, ptx!("add.rn.f32")), rounding)
            }
            ConstrainedOp::Subtract => {
                self.rounded_binary(id, call, (BinaryOp::FSub, ptx!("sub.rn.f32")), rounding)
            }
            ConstrainedOp::Multiply => {
                self.rounded_binary(id, call, (BinaryOp::FMul, ptx!("mul.rn.f32")), rounding)
            }
            ConstrainedOp::Divide => {
                self.rounded_binary(id, call, (BinaryOp::FDiv, ptx!("div.rn.f32")), rounding)
            }
            ConstrainedOp::MultiplyAdd if rounding != Mod::Rn => {
                self.directed_each(id, call, 3, (ptx!("fma.rn.f32"), rounding))
            }
            ConstrainedOp::MultiplyAdd => {
                self.each(id, call, 3, &mut |this, args, scalar| this.multiply_add(args, scalar))
            }
            ConstrainedOp::SquareRoot if rounding != Mod::Rn => {
                self.directed_each(id, call, 1, (ptx!("sqrt.rn.f32"), rounding))
            }
            ConstrainedOp::SquareRoot => self.each(id, call, 1, &mut |this, args, scalar| {
                this.square_root(args[0], scalar, FastMath::default())
            }),
            ConstrainedOp::ToIntegral => {
                let rounding = to_integral(rounding);
                self.each(id, call, 1, &mut |this, args, scalar| {
                    this.round_to_integral(rounding, args[0], scalar)
                })
            }
            ConstrainedOp::Narrow => self.rounded_cast(id, call, CastOp::FPTrunc, rounding),
            ConstrainedOp::FromSigned => self.rounded_cast(id, call, CastOp::SIToFP, rounding),
            ConstrainedOp::FromUnsigned => self.rounded_cast(id, call, CastOp::UIToFP, rounding),
            ConstrainedOp::Widen => self.cast(id, CastOp::FPExt, argument(call, 0)?),
            ConstrainedOp::ToSigned => self.cast(id, CastOp::FPToSI, argument(call, 0)?),
            ConstrainedOp::ToUnsigned => self.cast(id, CastOp::FPToUI, argument(call, 0)?),
            ConstrainedOp::Compare => {
                let predicate = self.stated_predicate(argument(call, 2)?)?;
                self.float_compare(id, predicate, argument(call, 0)?, argument(call, 1)?)
            }
        }
    }

    fn rounded_binary(
        &mut self,
        id: InstId,
        call: &Call,
        (op, mnemonic): (BinaryOp, Mnemonic),
        rounding: Mod,
    ) -> Result<()> {
        if rounding != Mod::Rn {
            return self.directed_each(id, call, 2, (mnemonic, rounding));
        }
        self.each(id, call, 2, &mut |this, args, scalar| {
            this.float_binary(op, args[0], args[1], scalar, FastMath::default())
        })
    }

    fn rounded_cast(&mut self, id: InstId, call: &Call, op: CastOp, rounding: Mod) -> Result<()> {
        if rounding != Mod::Rn {
            return self.directed_cast(id, call, op, rounding);
        }
        self.cast(id, op, argument(call, 0)?)
    }

    /// The rounding that a call's metadata names; to nearest even when it names none.
    pub(super) fn rounding(&self, call: &Call) -> Result<Mod> {
        for &arg in &call.args {
            match self.text_of(arg) {
                Some("round.tonearest" | "round.dynamic") => return Ok(Mod::Rn),
                Some("round.towardzero") => return Ok(Mod::Rz),
                Some("round.upward") => return Ok(Mod::Rp),
                Some("round.downward") => return Ok(Mod::Rm),
                Some(other) if other.starts_with("round.") => {
                    let message = format!("the rounding {other} has no counterpart in PTX");
                    return Err(RaiseError::new(INTRINSIC, message));
                }
                _ => {}
            }
        }
        Ok(Mod::Rn)
    }

    fn text_of(&self, value: Value) -> Option<&str> {
        let Value::Metadata(id) = value else { return None };
        match self.module.view.metadata(id) {
            Metadata::String(text) => Some(text),
            Metadata::Node(_) | Metadata::Constant(_) | Metadata::Debug(_) | Metadata::Other => None,
        }
    }

    fn stated_predicate(&self, value: Value) -> Result<FloatPredicate> {
        Ok(match self.text_of(value) {
            Some("oeq") => FloatPredicate::Oeq,
            Some("ogt") => FloatPredicate::Ogt,
            Some("oge") => FloatPredicate::Oge,
            Some("olt") => FloatPredicate::Olt,
            Some("ole") => FloatPredicate::Ole,
            Some("one") => FloatPredicate::One,
            Some("ord") => FloatPredicate::Ord,
            Some("uno") => FloatPredicate::Uno,
            Some("ueq") => FloatPredicate::Ueq,
            Some("ugt") => FloatPredicate::Ugt,
            Some("uge") => FloatPredicate::Uge,
            Some("ult") => FloatPredicate::Ult,
            Some("ule") => FloatPredicate::Ule,
            Some("une") => FloatPredicate::Une,
            _ => return Err(RaiseError::new(INTRINSIC, "a comparison without a predicate")),
        })
    }
}

/// The rounding to an integer in the same direction.
const fn to_integral(rounding: Mod) -> Mod {
    match rounding {
        Mod::Rz => Mod::Rzi,
        Mod::Rp => Mod::Rpi,
        Mod::Rm => Mod::Rmi,
        _ => Mod::Rni,
    }
}
