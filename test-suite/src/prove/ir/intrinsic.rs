//! Intrinsics that LLVM has for every target (LLVM's language reference).

use anyhow::{Context as _, Result, bail};
use ptx_llvm_core::view::{BinaryOp, TypeId};

use super::arithmetic::overflows;
use super::{Datum, Frame};
use crate::prove::define::float::Format;
use crate::prove::memory::Value;
use crate::prove::term::Bits;
use crate::prove::term::float::{FloatOpKind, Rounding};

impl<'t> Frame<'_, 't> {
    /// What an intrinsic computes; `None` when it is one of NVPTX or none that is known here.
    pub(super) fn generic(
        &mut self,
        name: &str,
        args: &[Datum<'t>],
        first: Option<TypeId>,
    ) -> Result<Option<Datum<'t>>> {
        let Some(rest) = name.strip_prefix("llvm.") else { return Ok(None) };
        if rest.starts_with("nvvm.") {
            return Ok(None);
        }
        // Without the type suffix: `llvm.smin.v2i16`.
        let base = rest.rsplit_once('.').map_or(rest, |(base, _)| base);
        let references: Vec<&Datum<'t>> = args.iter().collect();
        if base.ends_with(".with.overflow") {
            return self.with_overflow(base, args).map(Some);
        }
        if matches!(base, "assume" | "lifetime.start" | "lifetime.end") || rest == "assume" {
            return Ok(Some(Datum::Many(Vec::new())));
        }
        if base == "is.fpclass" {
            return self.is_of_class(args, first).map(Some);
        }
        let format = first.and_then(|ty| self.format(ty).ok());
        let known = std::cell::Cell::new(true);
        let datum = self.lanes(&references, &mut |frame, values| {
            let value = match format.and_then(|format| frame.float_intrinsic(base, format, values)) {
                Some(value) => Some(value),
                None => frame.scalar_intrinsic(base, values)?,
            };
            known.set(known.get() && value.is_some());
            Ok(value.unwrap_or(values[0]))
        })?;
        Ok(known.get().then_some(datum))
    }

    /// Floating-point arithmetic of one rounding.
    fn float_intrinsic(&mut self, base: &str, format: Format, args: &[Value<'t>]) -> Option<Value<'t>> {
        let (kind, rounding) = match base {
            "fma" => (FloatOpKind::Fma, Rounding::Even),
            "sqrt" => (FloatOpKind::Sqrt, Rounding::Even),
            "rint" | "nearbyint" | "roundeven" => (FloatOpKind::Integral, Rounding::Even),
            "trunc" => (FloatOpKind::Integral, Rounding::Zero),
            "floor" => (FloatOpKind::Integral, Rounding::Down),
            "ceil" => (FloatOpKind::Integral, Rounding::Up),
            _ => return None,
        };
        let open = args.iter().fold(self.terms.truth(false), |open, arg| open | arg.open);
        let bits: Vec<Bits<'t>> = args.iter().map(|arg| arg.bits).collect();
        Some(Value { bits: self.float(kind, format, rounding, &bits), open })
    }

    fn scalar_intrinsic(&mut self, base: &str, args: &[Value<'t>]) -> Result<Option<Value<'t>>> {
        let open = args.iter().fold(self.terms.truth(false), |open, arg| open | arg.open);
        let bits: Vec<Bits<'t>> = args.iter().map(|arg| arg.bits).collect();
        let flag = |at: usize| bits.get(at).and_then(|bits| bits.as_number()).context("a constant flag");
        let mut open = open;
        let result = match (base, bits.as_slice()) {
            ("smin", [a, b]) => a.min(true, *b),
            ("smax", [a, b]) => a.max(true, *b),
            ("umin", [a, b]) => a.min(false, *b),
            ("umax", [a, b]) => a.max(false, *b),
            ("abs", [a, _]) => {
                if flag(1)? == 1 {
                    open = open | a.same(a.number(1 << (a.width() - 1)));
                }
                a.abs()
            }
            ("ctpop", [a]) => a.popc(),
            ("ctlz", [a, _]) => {
                if flag(1)? == 1 {
                    open = open | !a.any();
                }
                a.clz()
            }
            ("cttz", [a, _]) => {
                if flag(1)? == 1 {
                    open = open | !a.any();
                }
                a.ctz()
            }
            ("bitreverse", [a]) => a.brev(),
            ("bswap", [a]) => {
                let byte = |at: u32| a.extract(at * 8, 8);
                (1..a.width() / 8).fold(byte(0), |high, at| high.concat(byte(at)))
            }
            ("fshl" | "fshr", [a, b, n]) if 2 * a.width() <= crate::prove::term::MAX_WIDTH => {
                let width = a.width();
                let n = n.rem(false, n.number(u128::from(width))).zext(2 * width);
                let both = a.concat(*b);
                if base == "fshl" {
                    both.shift_left(n).extract(width, width)
                } else {
                    both.lshr(n).trunc(width)
                }
            }
            ("sadd.sat" | "ssub.sat" | "uadd.sat" | "usub.sat", [a, b]) => {
                let is_signed = base.starts_with('s');
                let wide = |bits: Bits<'t>| bits.resize(is_signed, bits.width() + 2);
                let total = if base.contains("add") { wide(*a) + wide(*b) } else { wide(*a) - wide(*b) };
                crate::prove::define::clamp(is_signed, a.width(), total)
            }
            ("fabs", [a]) => self.terms.truth(false).concat(a.trunc(a.width() - 1)),
            ("copysign", [a, b]) => b.sign().concat(a.trunc(a.width() - 1)),
            ("scmp" | "ucmp", _) => bail!("`{base}`"),
            _ => return Ok(None),
        };
        Ok(Some(Value { bits: result, open }))
    }

    /// `llvm.is.fpclass`: a bit for each class that counts.
    fn is_of_class(&mut self, args: &[Datum<'t>], ty: Option<TypeId>) -> Result<Datum<'t>> {
        let [value, test] = args else { bail!("two arguments") };
        let format = self.format(ty.context("a type")?)?;
        let classes = test.one()?.bits.as_number().context("a constant")?;
        self.lanes(&[value], &mut |_, args| {
            let a = args[0].bits;
            let (sign, nan) = (a.sign(), format.is_nan(a));
            let infinite = format.is_infinite(a);
            let (zero, small) = (format.is_zero(a), format.is_subnormal(a));
            let normal = !(nan | infinite | zero | small);
            // The highest bit of a NaN's fraction is set if it is quiet.
            let quiet = nan & a.bit(format.fraction - 1);
            let all = [
                nan & !quiet,
                quiet,
                infinite & sign,
                normal & sign,
                small & sign,
                zero & sign,
                zero & !sign,
                small & !sign,
                normal & !sign,
                infinite & !sign,
            ];
            let chosen = all.into_iter().enumerate().filter(|(at, _)| classes >> at & 1 == 1);
            Ok(args[0].map(|_| chosen.clone().fold(sign.number(0), |any, (_, class)| any | class)))
        })
    }

    fn with_overflow(&mut self, base: &str, args: &[Datum<'t>]) -> Result<Datum<'t>> {
        let [a, b] = args else { bail!("two arguments") };
        let (a, b) = (a.one()?, b.one()?);
        let open = a.open | b.open;
        let (op, is_signed) = match base {
            "uadd.with.overflow" => (BinaryOp::Add, false),
            "sadd.with.overflow" => (BinaryOp::Add, true),
            "usub.with.overflow" => (BinaryOp::Sub, false),
            "ssub.with.overflow" => (BinaryOp::Sub, true),
            "umul.with.overflow" => (BinaryOp::Mul, false),
            "smul.with.overflow" => (BinaryOp::Mul, true),
            _ => bail!("`{base}`"),
        };
        let (x, y) = (a.bits, b.bits);
        let result = match op {
            BinaryOp::Add => x + y,
            BinaryOp::Sub => x - y,
            _ => x * y,
        };
        let overflow = overflows(is_signed, op, x, y).context("an overflow of a wide product")?;
        let of = |bits| Datum::One(Value { bits, open });
        Ok(Datum::Many(vec![of(result), of(overflow)]))
    }
}
