//! Arithmetic, comparisons and casts of LLVM IR, with the poison that their flags make (LLVM's language reference).

use anyhow::{Context as _, Result, bail};
use ptx_isa::Mod;
use ptx_llvm_core::view::{
    BinaryOp, CastOp, FloatKind, FloatPredicate, IntPredicate, Type, TypeId, WrapFlags,
};

use super::Frame;
use crate::prove::define::arithmetic::opposite;
use crate::prove::define::convert::from_integer;
use crate::prove::define::float::{Format, holds};
use crate::prove::memory::Value;
use crate::prove::term::Bits;
use crate::prove::term::float::{FloatOp, FloatOpKind, Rounding};

/// Whether `a` and `b` are in the relation of a predicate of `icmp`.
pub(super) fn compare<'t>(predicate: IntPredicate, a: Bits<'t>, b: Bits<'t>) -> Bits<'t> {
    match predicate {
        IntPredicate::Eq => a.same(b),
        IntPredicate::Ne => a.differs(b),
        IntPredicate::Ugt => b.less(false, a),
        IntPredicate::Uge => b.at_most(false, a),
        IntPredicate::Ult => a.less(false, b),
        IntPredicate::Ule => a.at_most(false, b),
        IntPredicate::Sgt => b.less(true, a),
        IntPredicate::Sge => b.at_most(true, a),
        IntPredicate::Slt => a.less(true, b),
        IntPredicate::Sle => a.at_most(true, b),
    }
}

/// Whether `a` and `b` are in the relation of a predicate of `fcmp`.
pub(super) fn compare_floats<'t>(
    format: Format,
    predicate: FloatPredicate,
    a: Bits<'t>,
    b: Bits<'t>,
) -> Bits<'t> {
    let t = a.terms();
    let ordered = || !(format.is_nan(a) | format.is_nan(b));
    let by = |comparison| holds(format, comparison, a, b).unwrap_or(t.truth(false));
    match predicate {
        FloatPredicate::False => t.truth(false),
        FloatPredicate::True => t.truth(true),
        FloatPredicate::Oeq => by(Mod::Eq),
        FloatPredicate::Ogt => by(Mod::Gt),
        FloatPredicate::Oge => by(Mod::Ge),
        FloatPredicate::Olt => by(Mod::Lt),
        FloatPredicate::Ole => by(Mod::Le),
        FloatPredicate::One => by(Mod::Ne),
        FloatPredicate::Ord => ordered(),
        FloatPredicate::Uno => !ordered(),
        FloatPredicate::Ueq => by(Mod::Equ),
        FloatPredicate::Ugt => by(Mod::Gtu),
        FloatPredicate::Uge => by(Mod::Geu),
        FloatPredicate::Ult => by(Mod::Ltu),
        FloatPredicate::Ule => by(Mod::Leu),
        FloatPredicate::Une => by(Mod::Neu),
    }
}

/// Whether `a + b` or `a - b` leaves the range of its type.
pub(super) fn overflows<'t>(is_signed: bool, op: BinaryOp, a: Bits<'t>, b: Bits<'t>) -> Option<Bits<'t>> {
    let width = a.width();
    if op == BinaryOp::Mul && a.significant(is_signed) + b.significant(is_signed) <= width {
        return Some(a.terms().truth(false));
    }
    Some(match (op, is_signed) {
        // Both have the other sign than the sum.
        (BinaryOp::Add, true) => ((a ^ (a + b)) & (b ^ (a + b))).sign(),
        (BinaryOp::Add, false) => (a + b).less(false, a),
        (BinaryOp::Sub, true) => ((a ^ b) & (a ^ (a - b))).sign(),
        (BinaryOp::Sub, false) => a.less(false, b),
        (BinaryOp::Mul, _) if 2 * width <= crate::prove::term::MAX_WIDTH => {
            let whole = a.resize(is_signed, 2 * width) * b.resize(is_signed, 2 * width);
            whole.trunc(width).resize(is_signed, 2 * width).differs(whole)
        }
        _ => return None,
    })
}

impl<'t> Frame<'_, 't> {
    /// Arithmetic on scalars.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        wrap: WrapFlags,
        a: Value<'t>,
        b: Value<'t>,
    ) -> Result<Value<'t>> {
        let (x, y) = (a.bits, b.bits);
        let width = x.number(u128::from(x.width()));
        let mut open = a.open | b.open;
        // Amounts of the width and beyond are poison.
        let beyond = !y.less(false, width);
        let bits = match op {
            BinaryOp::Add => x + y,
            BinaryOp::Sub => x - y,
            BinaryOp::Mul => x * y,
            BinaryOp::And => x & y,
            BinaryOp::Or => x | y,
            BinaryOp::Xor => x ^ y,
            BinaryOp::Shl => {
                open = open | beyond;
                x.shift_left(y)
            }
            BinaryOp::LShr => {
                open = open | beyond;
                x.lshr(y)
            }
            BinaryOp::AShr => {
                open = open | beyond;
                x.ashr(y)
            }
            BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem => {
                let is_signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
                let smallest = x.number(1 << (x.width() - 1));
                let overflow = x.same(smallest) & y.same(y.number(u128::MAX));
                self.misbehave(b.open | !y.any());
                if is_signed {
                    self.misbehave(overflow);
                }
                if matches!(op, BinaryOp::UDiv | BinaryOp::SDiv) {
                    x.div(is_signed, y)
                } else {
                    x.rem(is_signed, y)
                }
            }
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
                bail!("floating-point arithmetic")
            }
        };
        if wrap.disjoint {
            open = open | (x & y).any();
        }
        if wrap.exact {
            open = open
                | match op {
                    BinaryOp::LShr | BinaryOp::AShr => bits.shift_left(y).differs(x),
                    _ => (bits * y).differs(x),
                };
        }
        for (flag, is_signed) in [(wrap.nuw, false), (wrap.nsw, true)] {
            if flag {
                open = open
                    | match op {
                        BinaryOp::Shl => bits.shr(is_signed, y).differs(x),
                        _ => overflows(is_signed, op, x, y).context("a promise about a wide product")?,
                    };
            }
        }
        Ok(Value { bits, open })
    }

    /// Floating-point arithmetic, to the nearest number.
    pub(super) fn float_binary(
        &mut self,
        op: BinaryOp,
        format: Format,
        a: Value<'t>,
        b: Value<'t>,
    ) -> Result<Value<'t>> {
        let (kind, second) = match op {
            BinaryOp::FAdd => (FloatOpKind::Add, b.bits),
            BinaryOp::FSub => (FloatOpKind::Add, opposite(b.bits)),
            BinaryOp::FMul => (FloatOpKind::Mul, b.bits),
            BinaryOp::FDiv => (FloatOpKind::Div, b.bits),
            _ => bail!("a floating-point remainder"),
        };
        let bits = self.float(kind, format, Rounding::Even, &[a.bits, second]);
        Ok(Value { bits, open: a.open | b.open })
    }

    /// The result of an operation of LLVM, whose NaN may be any.
    pub(super) fn float(
        &self,
        kind: FloatOpKind,
        format: Format,
        rounding: Rounding,
        args: &[Bits<'t>],
    ) -> Bits<'t> {
        let result = self.terms.float(FloatOp { kind, format, rounding, flush: false }, args);
        self.any_nan(format, result)
    }

    /// A number, or any NaN in place of one.
    pub(super) fn any_nan(&self, format: Format, result: Bits<'t>) -> Bits<'t> {
        let exponent = self.terms.number(format.width(), format.infinity());
        let any = self.terms.fresh(format.width()) | exponent;
        let any = format.is_nan(any).pick(any, any.number(format.canonical_nan()));
        format.is_nan(result).pick(any, result)
    }

    /// A cast of a scalar.
    pub(super) fn cast(
        &mut self,
        op: CastOp,
        a: Value<'t>,
        to: u32,
        format: Option<Format>,
        nneg: bool,
        wrap: WrapFlags,
    ) -> Result<Value<'t>> {
        let x = a.bits;
        Ok(match op {
            CastOp::Trunc => {
                let bits = x.trunc(to);
                let mut open = a.open;
                for (flag, is_signed) in [(wrap.nuw, false), (wrap.nsw, true)] {
                    if flag {
                        open = open | bits.resize(is_signed, x.width()).differs(x);
                    }
                }
                Value { bits, open }
            }
            CastOp::ZExt => {
                let open = if nneg { a.open | x.sign() } else { a.open };
                Value { bits: x.zext(to), open }
            }
            CastOp::SExt => a.map(|bits| bits.sext(to)),
            CastOp::UIToFP | CastOp::SIToFP => {
                let open = if nneg { a.open | x.sign() } else { a.open };
                let format = format.context("a format")?;
                Value {
                    bits: from_integer(format, Mod::Rn, op == CastOp::SIToFP, x).context("a wide number")?,
                    open,
                }
            }
            CastOp::AddrSpaceCast | CastOp::PtrToAddr => a.map(|bits| bits.resize(false, to)),
            _ => bail!("a cast of this kind"),
        })
    }

    /// The format of the elements of a type.
    pub(super) fn format(&self, ty: TypeId) -> Result<Format> {
        let element = self.element(ty)?;
        Ok(match self.view.ty(element) {
            Type::Float(FloatKind::Half) => Format { exponent: 5, fraction: 10 },
            Type::Float(FloatKind::BFloat) => Format { exponent: 8, fraction: 7 },
            Type::Float(FloatKind::Float) => Format { exponent: 8, fraction: 23 },
            Type::Float(FloatKind::Double) => Format { exponent: 11, fraction: 52 },
            _ => bail!("a format"),
        })
    }
}
