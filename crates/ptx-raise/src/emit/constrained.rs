//! `llvm.experimental.constrained.*`: floating-point operations that name their rounding.
//!
//! PTX has a rounding for each instruction and no mode, so `round.dynamic` is the default of the environment, to nearest even.
//! It has no floating-point exceptions either: what an operation says about them is kept by no one observing them.

use ptx_isa::{Mod, ptx};
use ptx_llvm::view::{BinaryOp, Call, CastOp, FastMath, FloatPredicate, InstId, Metadata, Value};

use super::generic::argument;
use super::state::Emitter;
use crate::error::{INTRINSIC, Raised, Refusal};

impl Emitter<'_, '_, '_> {
    /// A constrained operation by its name without the beginning; whether it is one that this module knows.
    pub(super) fn constrained(&mut self, id: InstId, call: &Call, name: &str) -> Raised<bool> {
        self.no_quadruple(id, &call.args)?;
        let rounding = self.rounding(call)?;
        match name {
            "fadd" | "fsub" | "fmul" | "fdiv" => {
                let (op, mnemonic) = match name {
                    "fadd" => (BinaryOp::FAdd, ptx!("add.rn.f32")),
                    "fsub" => (BinaryOp::FSub, ptx!("sub.rn.f32")),
                    "fmul" => (BinaryOp::FMul, ptx!("mul.rn.f32")),
                    _ => (BinaryOp::FDiv, ptx!("div.rn.f32")),
                };
                if rounding != Mod::Rn {
                    self.directed_each(id, call, 2, (mnemonic, rounding))?;
                    return Ok(true);
                }
                self.each(id, call, 2, &mut |this, args, scalar| {
                    this.float_binary(op, args[0], args[1], scalar, FastMath::default())
                })?;
            }
            "fma" | "fmuladd" if rounding != Mod::Rn => {
                self.directed_each(id, call, 3, (ptx!("fma.rn.f32"), rounding))?;
            }
            "fma" | "fmuladd" => {
                self.each(id, call, 3, &mut |this, args, scalar| this.multiply_add(args, scalar))?;
            }
            "sqrt" if rounding != Mod::Rn => {
                self.directed_each(id, call, 1, (ptx!("sqrt.rn.f32"), rounding))?;
            }
            "sqrt" => self.each(id, call, 1, &mut |this, args, scalar| {
                this.square_root(args[0], scalar, FastMath::default())
            })?,
            "rint" | "nearbyint" => {
                let to_integral = match rounding {
                    Mod::Rz => Mod::Rzi,
                    Mod::Rp => Mod::Rpi,
                    Mod::Rm => Mod::Rmi,
                    _ => Mod::Rni,
                };
                self.each(id, call, 1, &mut |this, args, scalar| {
                    this.round_to_integral(to_integral, args[0], scalar)
                })?;
            }
            "frem" => self.each(id, call, 2, &mut |this, args, scalar| {
                this.float_remainder(args[0], args[1], scalar)
            })?,
            "fptrunc" | "fpext" | "sitofp" | "uitofp" | "fptosi" | "fptoui" => {
                let op = match name {
                    "fptrunc" => CastOp::FPTrunc,
                    "fpext" => CastOp::FPExt,
                    "sitofp" => CastOp::SIToFP,
                    "uitofp" => CastOp::UIToFP,
                    "fptosi" => CastOp::FPToSI,
                    _ => CastOp::FPToUI,
                };
                if rounding != Mod::Rn && matches!(name, "fptrunc" | "sitofp" | "uitofp") {
                    self.directed_cast(id, call, op, rounding)?;
                    return Ok(true);
                }
                self.cast(id, op, argument(call, 0)?)?;
            }
            "fcmp" | "fcmps" => {
                let predicate = self.stated_predicate(argument(call, 2)?)?;
                self.float_compare(id, predicate, argument(call, 0)?, argument(call, 1)?)?;
            }
            // These round in a way of their own or not at all.
            "floor" | "ceil" | "trunc" | "round" | "roundeven" | "maxnum" | "minnum" | "maximum"
            | "minimum" | "ldexp" | "lround" | "llround" | "sin" | "cos" | "tan" | "exp" | "exp2" | "log"
            | "log10" | "log2" | "pow" | "powi" => return self.float_intrinsic(id, call, name),
            "lrint" | "llrint" if rounding == Mod::Rn => return self.float_intrinsic(id, call, name),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The rounding that a call's metadata names; to nearest even when it names none.
    pub(super) fn rounding(&self, call: &Call) -> Raised<Mod> {
        for &arg in &call.args {
            match self.text_of(arg) {
                Some("round.tonearest" | "round.dynamic") => return Ok(Mod::Rn),
                Some("round.towardzero") => return Ok(Mod::Rz),
                Some("round.upward") => return Ok(Mod::Rp),
                Some("round.downward") => return Ok(Mod::Rm),
                Some(other) if other.starts_with("round.") => {
                    let message = format!("the rounding {other} has no counterpart in PTX");
                    return Err(Refusal::new(INTRINSIC, message));
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

    fn stated_predicate(&self, value: Value) -> Raised<FloatPredicate> {
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
            _ => return Err(Refusal::new(INTRINSIC, "a comparison without a predicate")),
        })
    }
}
