//! Integer arithmetic (manual 9.7.1, 9.7.8) and what leads to it: extensions to a register's width.

use std::rc::Rc;

use ptx_ir::RegId;
use ptx_llvm::view::{BinaryOp, FastMath, InstId, Type, Value};

use super::FunctionRaiser;
use super::emit::Arg;
use super::fuse::{Narrow, WideProduct};
use super::memory::integer_class;
use super::wide::Fill;
use crate::error::{INSTRUCTION, Raised, Refusal};
use crate::types::{Class, Scalar};
use crate::value::{Upper, Val, mask, sign_extend};

impl FunctionRaiser<'_, '_, '_> {
    /// Arithmetic on two operands, element by element.
    pub(super) fn binary(
        &mut self,
        id: InstId,
        op: BinaryOp,
        lhs: Value,
        rhs: Value,
        fast: FastMath,
    ) -> Raised<()> {
        if let Some(product) = self.wide_product(id) {
            let value = self.multiply_wide(product)?;
            self.define_one(id, value);
            return Ok(());
        }
        if let Some(root) = self.inverse_root(id) {
            return self.reciprocal_root(id, root);
        }
        if let Some(halves) = self.halves(id) {
            return self.put_side_by_side(id, halves);
        }
        if let Some((_, narrow)) = self.masked_extension(id) {
            return self.extend_under_mask(id, narrow);
        }
        let ty = self.type_of(id);
        let leaves = self.leaves(ty)?;
        let (a, b) = (self.value(lhs)?, self.value(rhs)?);
        let element = match self.module.view.ty(ty) {
            Type::Vector { element, .. } => *element,
            _ => ty,
        };
        if let Type::Int { bits } = self.module.view.ty(element)
            && *bits > 64
        {
            let bits = *bits;
            let words = bits.div_ceil(64) as usize;
            let mut result = Vec::with_capacity(a.len());
            for (a, b) in a.chunks(words).zip(b.chunks(words)) {
                result.extend(self.wide_binary(op, a, b, bits)?);
            }
            self.define(id, result.into());
            return Ok(());
        }
        if let Some(result) = self.combine_bytes(op, &leaves, &a, &b)? {
            self.define(id, result.into());
            return Ok(());
        }
        let literal = self.function.inst(id).metadata("ptx.literal").is_some();
        let mut result = Vec::with_capacity(leaves.len());
        for ((leaf, &a), &b) in leaves.iter().zip(a.iter()).zip(b.iter()) {
            result.push(match leaf.scalar {
                scalar @ (Scalar::Float | Scalar::Double) if op == BinaryOp::FDiv && !literal => {
                    self.quotient(a, b, scalar, fast)?
                }
                Scalar::Int(bits) if !literal => self.int_result(op, a, b, bits)?,
                Scalar::Int(bits) => self.int_binary(op, a, b, bits)?,
                Scalar::Pointer { .. } => return Err(Refusal::new(INSTRUCTION, "arithmetic on pointers")),
                float => self.float_binary(op, a, b, float, fast)?,
            });
        }
        self.define(id, Rc::from(result));
        Ok(())
    }

    /// A number with more bits.
    pub(super) fn filled_up(&mut self, value: Value, fill: Fill, bits: u32) -> Raised<Val> {
        let (value, scalar) = self.scalar(value)?;
        let register = match fill {
            Fill::Zero => self.zero_extended(value, scalar, bits)?,
            Fill::Sign => self.sign_extended(value, scalar, bits)?,
        };
        Ok(Val::reg(register))
    }

    /// `mul.wide` (manual 9.7.1.5).
    pub(super) fn multiply_wide(&mut self, product: WideProduct) -> Raised<Val> {
        let scalar = Scalar::Int(product.bits);
        let mut args = Vec::with_capacity(2);
        for operand in [product.lhs, product.rhs] {
            let value = match operand {
                Narrow::Value(value) => self.scalar(value)?.0,
                Narrow::Short(value, fill) => self.filled_up(value, fill, product.bits)?,
                Narrow::Constant(bits) => Val::Bits(bits),
            };
            args.push(self.arg(value, scalar)?);
        }
        let sign = if product.signed { 's' } else { 'u' };
        let text = format!("mul.wide.{sign}{}", product.bits);
        Ok(Val::reg(self.emit_new(integer_class(product.bits * 2), &text, &args)?))
    }

    /// Arithmetic on integers of at most 64 bits, without `div` and `rem` where the divisor is known.
    fn int_result(&mut self, op: BinaryOp, a: Val, b: Val, bits: u32) -> Raised<Val> {
        if let Val::Bits(divisor) = b
            && let Some(value) = self.divide_by_constant(op, a, divisor, bits)?
        {
            return Ok(value);
        }
        self.int_binary(op, a, b, bits)
    }

    /// Arithmetic on integers of at most 64 bits.
    pub(super) fn int_binary(&mut self, op: BinaryOp, a: Val, b: Val, bits: u32) -> Raised<Val> {
        if bits == 1 {
            return self.pred_binary(op, a, b);
        }
        let scalar = Scalar::Int(bits);
        let class = integer_class(bits);
        let width = class.bits();
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                let word = match op {
                    BinaryOp::Add => "add",
                    BinaryOp::Sub => "sub",
                    _ => "mul.lo",
                };
                let args = [self.arg(a, scalar)?, self.arg(b, scalar)?];
                Ok(Val::reg(self.emit_new(class, &format!("{word}.s{width}"), &args)?))
            }
            BinaryOp::Xor if b == Val::Bits(mask(bits)) => {
                let a = self.arg(a, scalar)?;
                Ok(Val::reg(self.emit_new(class, &format!("not.b{width}"), &[a])?))
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                let upper = logic_upper(op, a, b);
                let args = [self.arg(a, scalar)?, self.arg(b, scalar)?];
                let register = self.emit_new(class, &format!("{}.b{width}", logic_word(op)), &args)?;
                Ok(Val::Register(register, upper))
            }
            BinaryOp::UDiv | BinaryOp::URem => {
                let word = if op == BinaryOp::UDiv { "div" } else { "rem" };
                let args = [self.zero_extended_arg(a, scalar)?, self.zero_extended_arg(b, scalar)?];
                Ok(Val::Register(self.emit_new(class, &format!("{word}.u{width}"), &args)?, Upper::Zero))
            }
            BinaryOp::SDiv | BinaryOp::SRem => {
                let word = if op == BinaryOp::SDiv { "div" } else { "rem" };
                let args = [self.sign_extended_arg(a, scalar)?, self.sign_extended_arg(b, scalar)?];
                Ok(Val::reg(self.emit_new(class, &format!("{word}.s{width}"), &args)?))
            }
            BinaryOp::Shl => {
                let args = [self.arg(a, scalar)?, self.amount(b, scalar)?];
                Ok(Val::reg(self.emit_new(class, &format!("shl.b{width}"), &args)?))
            }
            BinaryOp::LShr => {
                let args = [self.zero_extended_arg(a, scalar)?, self.amount(b, scalar)?];
                Ok(Val::Register(self.emit_new(class, &format!("shr.u{width}"), &args)?, Upper::Zero))
            }
            BinaryOp::AShr => {
                let args = [self.sign_extended_arg(a, scalar)?, self.amount(b, scalar)?];
                Ok(Val::Register(self.emit_new(class, &format!("shr.s{width}"), &args)?, Upper::Sign))
            }
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
                Err(Refusal::new(INSTRUCTION, "floating-point arithmetic on integers"))
            }
        }
    }

    /// A shift amount: PTX takes 32 bits whatever the width of the value. Amounts not below the width are poison.
    pub(super) fn amount(&mut self, value: Val, scalar: Scalar) -> Raised<Arg> {
        match value {
            Val::Bits(bits) => Ok(Arg::Bits(bits.min(u64::from(u32::MAX)), 32)),
            other => self.zero_extended(other, scalar, 32).map(Arg::from),
        }
    }

    fn pred_binary(&mut self, op: BinaryOp, a: Val, b: Val) -> Raised<Val> {
        match op {
            BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub => match (a, b) {
                (a, Val::Bits(1)) | (Val::Bits(1), a) => self.pred_not(a),
                _ => self.pred("xor.pred", a, b),
            },
            BinaryOp::And | BinaryOp::Mul => self.pred("and.pred", a, b),
            BinaryOp::Or => self.pred("or.pred", a, b),
            // The divisor and the amount have one value that is not undefined.
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => Ok(a),
            BinaryOp::URem | BinaryOp::SRem => Ok(Val::Bits(0)),
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
                Err(Refusal::new(INSTRUCTION, "floating-point arithmetic on truth values"))
            }
        }
    }

    /// A logic operation on predicates.
    pub(super) fn pred(&mut self, text: &str, a: Val, b: Val) -> Raised<Val> {
        let a = self.in_register(a, Scalar::Int(1))?;
        let b = self.in_register(b, Scalar::Int(1))?;
        Ok(Val::reg(self.emit_new(Class::Pred, text, &[a.into(), b.into()])?))
    }

    /// The opposite of a predicate.
    pub(super) fn pred_not(&mut self, a: Val) -> Raised<Val> {
        if let Val::Bits(bits) = a {
            return Ok(Val::Bits(!bits & 1));
        }
        let a = self.in_register(a, Scalar::Int(1))?;
        Ok(Val::reg(self.emit_new(Class::Pred, "not.pred", &[a.into()])?))
    }

    /// An integer as an operand whose bits above its width are zero.
    pub(super) fn zero_extended_arg(&mut self, value: Val, scalar: Scalar) -> Raised<Arg> {
        let width = scalar.class().bits();
        match value {
            Val::Bits(bits) => Ok(Arg::Bits(bits, width)),
            other => self.zero_extended(other, scalar, width).map(Arg::from),
        }
    }

    /// An integer as an operand whose bits above its width repeat the sign.
    pub(super) fn sign_extended_arg(&mut self, value: Val, scalar: Scalar) -> Raised<Arg> {
        let width = scalar.class().bits();
        match value {
            Val::Bits(bits) => Ok(Arg::Bits(sign_extend(bits, scalar.bits()) as u64, width)),
            other => self.sign_extended(other, scalar, width).map(Arg::from),
        }
    }

    /// The low `to` bits of an integer, zero above its own width, in a register of the class for `to`.
    pub(super) fn zero_extended(&mut self, value: Val, scalar: Scalar, to: u32) -> Raised<RegId> {
        let target = integer_class(to);
        let (register, upper) = match value {
            Val::Bits(bits) => return self.in_register(Val::Bits(bits), Scalar::Int(target.bits())),
            Val::Register(register, upper) => (register, upper),
            Val::Address { .. } => (self.in_register(value, scalar)?, Upper::Any),
        };
        let (width, own) = (scalar.bits(), scalar.class());
        if own == Class::Pred {
            let args = [Arg::Bits(1, target.bits()), Arg::Bits(0, target.bits()), register.into()];
            return self.emit_new(target, &format!("selp.b{}", target.bits()), &args);
        }
        if width == 8
            && let Some(wide) = self.extended_byte(register, target, false)?
        {
            return Ok(wide);
        }
        let clean = width == own.bits() || upper == Upper::Zero || target.bits() <= width;
        if clean {
            return self.resized(register, own, target);
        }
        if width == 8 {
            return self.emit_new(target, &format!("cvt.u{}.u8", target.bits()), &[register.into()]);
        }
        let text = format!("and.b{}", own.bits());
        let masked = self.emit_new(own, &text, &[register.into(), Arg::Bits(mask(width), own.bits())])?;
        self.resized(masked, own, target)
    }

    /// The low `to` bits of an integer, its sign above its own width, in a register of the class for `to`.
    pub(super) fn sign_extended(&mut self, value: Val, scalar: Scalar, to: u32) -> Raised<RegId> {
        let target = integer_class(to);
        let (width, own) = (scalar.bits(), scalar.class());
        let (register, upper) = match value {
            Val::Bits(bits) => {
                let extended = sign_extend(bits, width) as u64 & mask(target.bits());
                return self.in_register(Val::Bits(extended), Scalar::Int(target.bits()));
            }
            Val::Register(register, upper) => (register, upper),
            Val::Address { .. } => (self.in_register(value, scalar)?, Upper::Any),
        };
        if own == Class::Pred {
            let ones = Arg::Bits(mask(target.bits()), target.bits());
            let args = [ones, Arg::Bits(0, target.bits()), register.into()];
            return self.emit_new(target, &format!("selp.b{}", target.bits()), &args);
        }
        if target.bits() <= width {
            return self.resized(register, own, target);
        }
        if width == 8
            && let Some(wide) = self.extended_byte(register, target, true)?
        {
            return Ok(wide);
        }
        let full = if width == own.bits() || upper == Upper::Sign {
            register
        } else if width == 8 {
            return self.emit_new(target, &format!("cvt.s{}.s8", target.bits()), &[register.into()]);
        } else {
            let shift = Arg::Bits(u64::from(own.bits() - width), 32);
            let raised = self.emit_new(own, &format!("shl.b{}", own.bits()), &[register.into(), shift])?;
            self.emit_new(own, &format!("shr.s{}", own.bits()), &[raised.into(), shift])?
        };
        if own == target {
            return Ok(full);
        }
        self.emit_new(target, &format!("cvt.s{}.s{}", target.bits(), own.bits()), &[full.into()])
    }

    /// The low bits of a register in another class, zero above.
    pub(super) fn resized(&mut self, register: RegId, from: Class, to: Class) -> Raised<RegId> {
        let value = self.resize_register(register, from.bits(), to.bits())?;
        self.in_register(value, Scalar::Int(to.bits()))
    }
}

/// The word of a logic operation.
fn logic_word(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        _ => "xor",
    }
}

/// What a logic operation leaves known about the bits above the width.
fn logic_upper(op: BinaryOp, a: Val, b: Val) -> Upper {
    let zero = |value: Val| matches!(value, Val::Register(_, Upper::Zero) | Val::Bits(_));
    let known = if op == BinaryOp::And { zero(a) || zero(b) } else { zero(a) && zero(b) };
    if known { Upper::Zero } else { Upper::Any }
}
