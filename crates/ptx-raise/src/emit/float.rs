//! Floating-point arithmetic (manual 9.7.3 to 9.7.5).
//!
//! `contract` is the permission that PTX expresses by omitting the rounding modifier; without it the modifier is emitted.

use std::rc::Rc;

use ptx_isa::{Mnemonic, Mod, ptx};
use ptx_llvm_core::view::{BinaryOp, FastMath, InstId, Value};

use super::append::Arg;
use super::state::Emitter;
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::types::{Class, Leaf, Scalar};
use crate::value::Val;

/// Targets with it have more of bfloat than `fma`, `neg`, `abs`, `min` and `max`.
const BFLOAT_ADD: Mnemonic = ptx!("add.bf16");
/// `fma` of bfloat numbers (manual 9.7.4.4).
const BFLOAT_FMA: Mnemonic = ptx!("fma.rn.bf16");
/// Targets with it have arithmetic of half precision.
const HALF_ADD: Mnemonic = ptx!("add.f16");

/// Operations that single precision has as an approximation too.
const APPROXIMATE: [(Mnemonic, Mnemonic); 3] = [
    (ptx!("div.rn.f32"), ptx!("div.approx.f32")),
    (ptx!("rcp.rn.f32"), ptx!("rcp.approx.f32")),
    (ptx!("sqrt.rn.f32"), ptx!("sqrt.approx.f32")),
];

impl Emitter<'_, '_, '_> {
    /// `fneg`, which only inverts the sign.
    pub(super) fn float_negate(&mut self, id: InstId, value: Value) -> Result<()> {
        let leaves = self.leaves(self.type_of(id))?;
        let values = self.value(value)?;
        let result: Vec<_> = leaves
            .iter()
            .zip(values.iter())
            .map(|(leaf, &value)| self.negate(value, leaf.scalar))
            .collect::<Result<_>>()?;
        self.define(id, Rc::from(result))
    }

    /// The value with its sign inverted.
    pub(super) fn negate(&mut self, value: Val, scalar: Scalar) -> Result<Val> {
        let sign: u64 = match scalar {
            Scalar::Half | Scalar::BFloat => 0x8000,
            Scalar::HalfPair | Scalar::BFloatPair => 0x8000_8000,
            Scalar::Float => 1 << 31,
            Scalar::Double => 1 << 63,
            Scalar::Int(_) | Scalar::Pointer { .. } => {
                return Err(RaiseError::new(INSTRUCTION, "fneg of an integer"));
            }
        };
        if let Val::Bits(bits) = value {
            return Ok(Val::Bits(bits ^ sign));
        }
        let arg = self.arg(value, scalar)?;
        let class = scalar.class();
        let register = match scalar {
            Scalar::Float => self.compute(ptx!("neg.f32"), &[arg])?,
            Scalar::Double => self.compute(ptx!("neg.f64"), &[arg])?,
            _ => {
                self.compute(ptx!("xor.b32").with_bits(class.bits())?, &[arg, Arg::Bits(sign, class.bits())])?
            }
        };
        Ok(Val::reg(register))
    }

    /// An operation on single-precision numbers, for another kind of number; with `.ftz` where the function flushes single precision.
    pub(super) fn float_form(&self, single: Mnemonic, scalar: Scalar) -> Result<Mnemonic> {
        Ok(unflushed_form(single, scalar)?.with_if(self.flush && scalar == Scalar::Float, Mod::Ftz)?)
    }

    /// Arithmetic on floating-point numbers or pairs of them.
    pub(super) fn float_binary(
        &mut self,
        op: BinaryOp,
        a: Val,
        b: Val,
        scalar: Scalar,
        fast: FastMath,
    ) -> Result<Val> {
        if scalar.float().is_none() {
            return Err(RaiseError::new(INSTRUCTION, "floating-point arithmetic on integers"));
        }
        if op == BinaryOp::FDiv {
            return self.float_divide(a, b, scalar, fast);
        }
        // `frem` is legalized.
        let no_float = || RaiseError::new(INSTRUCTION, "integer arithmetic on floating-point numbers");
        let rounded = contractible(op, FastMath::default()).ok_or_else(no_float)?;
        if matches!(scalar, Scalar::BFloat | Scalar::BFloatPair) && !self.module.target.supports(BFLOAT_ADD) {
            if self.module.target.supports(BFLOAT_FMA) {
                return self.bfloat_by_fma(op, a, b, scalar);
            }
            return self
                .through_single(scalar, &[a, b], &mut |this, args| this.apply(rounded, args, Scalar::Float));
        }
        if matches!(scalar, Scalar::Half | Scalar::HalfPair) && !self.module.target.supports(HALF_ADD) {
            return self.through_single(scalar, &[a, b], &mut |this, args| {
                this.float_binary(op, args[0], args[1], Scalar::Float, FastMath::default())
            });
        }
        let form = contractible(op, fast).ok_or_else(no_float)?;
        self.apply(self.float_form(form, scalar)?, &[a, b], scalar)
    }

    /// Sums and products of bfloat numbers through the one operation that older targets have:
    /// `a * 1 + b`, `b * -1 + a` and `a * b + -0` round once, as the plain operations do.
    fn bfloat_by_fma(&mut self, op: BinaryOp, a: Val, b: Val, scalar: Scalar) -> Result<Val> {
        let both = |half: u64| if scalar.is_pair() { half | half << 16 } else { half };
        let (one, minus_one, minus_zero) = (both(0x3f80), both(0xbf80), both(0x8000));
        let args = match op {
            BinaryOp::FAdd => [a, Val::Bits(one), b],
            BinaryOp::FSub => [b, Val::Bits(minus_one), a],
            _ => [a, b, Val::Bits(minus_zero)],
        };
        let fma = if scalar.is_pair() { ptx!("fma.rn.bf16x2") } else { ptx!("fma.rn.bf16") };
        self.apply(fma, &args, scalar)
    }

    /// A quotient; the one of 1 or -1 is a reciprocal (manual 9.7.3.14), which rounds the same. `afn` allows the approximations that
    /// single precision has; `arcp` alone does not.
    pub(super) fn quotient(&mut self, a: Val, b: Val, scalar: Scalar, fast: FastMath) -> Result<Val> {
        let (one, sign) = match scalar {
            Scalar::Double => (0x3ff0 << 48, 1 << 63),
            _ => (0x3f80_0000, 1 << 31),
        };
        let Val::Bits(bits) = a else { return self.float_divide(a, b, scalar, fast) };
        if bits & !sign != one || matches!(b, Val::Bits(_)) {
            return self.float_divide(a, b, scalar, fast);
        }
        let reciprocal = self.precise(ptx!("rcp.rn.f32"), scalar, fast)?;
        let inverse = self.apply(reciprocal, &[b], scalar)?;
        if bits & sign == 0 { Ok(inverse) } else { self.negate(inverse, scalar) }
    }

    /// An operation that single precision has as an approximation too, which `afn` allows.
    pub(super) fn precise(&self, rounded: Mnemonic, scalar: Scalar, fast: FastMath) -> Result<Mnemonic> {
        let approximate = fast.afn && scalar == Scalar::Float;
        let single = if approximate { APPROXIMATE.iter().find(|(own, _)| *own == rounded) } else { None };
        self.float_form(single.map_or(rounded, |(_, approximate)| *approximate), scalar)
    }

    fn float_divide(&mut self, a: Val, b: Val, scalar: Scalar, fast: FastMath) -> Result<Val> {
        match scalar {
            Scalar::Float | Scalar::Double => {
                let divide = self.precise(ptx!("div.rn.f32"), scalar, fast)?;
                self.apply(divide, &[a, b], scalar)
            }
            _ => self.through_single(scalar, &[a, b], &mut |this, args| {
                let divide = if fast.afn { ptx!("div.approx.f32") } else { ptx!("div.rn.f32") };
                this.apply(divide, args, Scalar::Float)
            }),
        }
    }

    /// Computes a half-precision or bfloat result in single precision and rounds it. The results of quotients, square
    /// roots, sums and products are correctly rounded, since single precision has more than twice their digits (and
    /// two more).
    pub(super) fn through_single(
        &mut self,
        scalar: Scalar,
        args: &[Val],
        compute: &mut dyn FnMut(&mut Self, &[Val]) -> Result<Val>,
    ) -> Result<Val> {
        let element = scalar.element();
        let mut results = Vec::new();
        let mut split = Vec::with_capacity(args.len());
        for arg in args {
            split.push(if scalar.is_pair() { self.split_pair(*arg)?.to_vec() } else { vec![*arg] });
        }
        for at in 0..if scalar.is_pair() { 2 } else { 1 } {
            let mut wide = Vec::with_capacity(args.len());
            for halves in &split {
                wide.push(self.float_to_float(halves[at], element, Scalar::Float)?);
            }
            // Numbers that are subnormal in bfloat are so in single precision, whose mode is not theirs.
            let flush = self.flush;
            self.flush &= element != Scalar::BFloat;
            let result = compute(self, &wide)?;
            self.flush = flush;
            results.push(self.float_to_float(result, Scalar::Float, element)?);
        }
        match results[..] {
            [low, high] => self.join_pair(low, high, element),
            [only] => Ok(only),
            _ => Err(RaiseError::new(INSTRUCTION, "an operation without a result")),
        }
    }

    /// The halves of a packed pair, the low one first.
    pub(super) fn split_pair(&mut self, pair: Val) -> Result<[Val; 2]> {
        if let Val::Bits(bits) = pair {
            return Ok([Val::Bits(bits & 0xffff), Val::Bits(bits >> 16 & 0xffff)]);
        }
        let register = self.in_register(pair, Scalar::HalfPair)?;
        Ok(self.halves_of(register, Class::B16)?.map(Val::reg))
    }

    /// Two halves as a packed pair.
    pub(super) fn join_pair(&mut self, low: Val, high: Val, element: Scalar) -> Result<Val> {
        if let (Val::Bits(low), Val::Bits(high)) = (low, high) {
            return Ok(Val::Bits(low & 0xffff | (high & 0xffff) << 16));
        }
        let halves = [self.in_register(low, element)?, self.in_register(high, element)?];
        self.join_halves(halves, Class::B16).map(Val::reg)
    }

    /// The leaves of a value, with pairs split.
    pub(super) fn apart(&mut self, leaves: &[Leaf], values: &[Val]) -> Result<Vec<(Val, Scalar)>> {
        let mut all = Vec::with_capacity(values.len());
        for (leaf, &value) in leaves.iter().zip(values) {
            if leaf.scalar.is_pair() {
                let halves = self.split_pair(value)?;
                all.extend(halves.map(|half| (half, leaf.scalar.element())));
            } else {
                all.push((value, leaf.scalar));
            }
        }
        Ok(all)
    }

    /// The leaves of a type from values of which pairs are two.
    pub(super) fn together(&mut self, leaves: &[Leaf], values: &[Val]) -> Result<Vec<Val>> {
        let mut rest = values.iter().copied();
        let mut all = Vec::with_capacity(leaves.len());
        let missing = || RaiseError::new(INSTRUCTION, "too few elements");
        for leaf in leaves {
            let first = rest.next().ok_or_else(missing)?;
            if leaf.scalar.is_pair() {
                let second = rest.next().ok_or_else(missing)?;
                all.push(self.join_pair(first, second, leaf.scalar.element())?);
            } else {
                all.push(first);
            }
        }
        Ok(all)
    }

    /// The types of leaves, with pairs split.
    pub(super) fn element_scalars(leaves: &[Leaf]) -> Vec<Scalar> {
        leaves
            .iter()
            .flat_map(|leaf| {
                std::iter::repeat_n(leaf.scalar.element(), if leaf.scalar.is_pair() { 2 } else { 1 })
            })
            .collect()
    }

    /// Whether the target computes with bfloat numbers directly.
    pub(super) fn has_bfloat_arithmetic(&self) -> bool {
        self.module.target.supports(BFLOAT_ADD)
    }

    /// Rejects an operation with an operand or a result of type `fp128`.
    pub(super) fn no_quadruple(&self, id: InstId, operands: &[Value]) -> Result<()> {
        let mut types = vec![self.type_of(id)];
        for &operand in operands {
            types.extend(self.module.view.value_type(self.function, operand));
        }
        if types.into_iter().any(|ty| self.module.view.is_quadruple(ty)) {
            let help = "software floating point requires a library";
            return Err(RaiseError::new(INSTRUCTION, "PTX has no arithmetic on fp128").with_help(help));
        }
        Ok(())
    }
}

/// A sum, a difference or a product in single precision, rounded where it may not be contracted.
pub(super) fn contractible(op: BinaryOp, fast: FastMath) -> Option<Mnemonic> {
    Some(match (op, fast.contract) {
        (BinaryOp::FAdd, false) => ptx!("add.rn.f32"),
        (BinaryOp::FSub, false) => ptx!("sub.rn.f32"),
        (BinaryOp::FMul, false) => ptx!("mul.rn.f32"),
        (BinaryOp::FAdd, true) => ptx!("add.f32"),
        (BinaryOp::FSub, true) => ptx!("sub.f32"),
        (BinaryOp::FMul, true) => ptx!("mul.f32"),
        _ => return None,
    })
}

/// An operation on single-precision numbers, for another kind of number, without `.ftz`.
pub(super) fn unflushed_form(single: Mnemonic, scalar: Scalar) -> Result<Mnemonic> {
    let ty = scalar.float().ok_or_else(|| {
        RaiseError::new(INSTRUCTION, format!("{single} of something that is not a floating-point number"))
    })?;
    Ok(single.with_type(ty)?)
}
