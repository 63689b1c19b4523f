//! Integer arithmetic (manual 9.7.1, 9.7.8), and the extensions to a register's width that it needs.

use std::rc::Rc;

use ptx_ir::RegId;
use ptx_isa::{Mnemonic, ptx};
use ptx_llvm_core::marks;
use ptx_llvm_core::view::{BinaryOp, FastMath, InstId, Value};

use super::append::Arg;
use super::float::contractible;
use super::pairs::{by_single_pairs, combine_shorts};
use super::state::Emitter;
use crate::cover::{Narrow, WideProduct};
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::types::{Class, Scalar, integer_class};
use crate::value::{Fill, Upper, Val, mask};

impl Emitter<'_, '_, '_> {
    /// Arithmetic on two operands, element by element.
    pub(super) fn binary(
        &mut self,
        id: InstId,
        op: BinaryOp,
        lhs: Value,
        rhs: Value,
        fast: FastMath,
    ) -> Result<()> {
        let leaves = self.leaves(self.type_of(id))?;
        let (a, b) = (self.value(lhs)?, self.value(rhs)?);
        if let Some(bits) = self.wide_result(id) {
            let words = bits.div_ceil(64) as usize;
            let mut result = Vec::with_capacity(a.len());
            for (a, b) in a.chunks(words).zip(b.chunks(words)) {
                result.extend(self.wide_binary(op, a, b, bits)?);
            }
            return self.define(id, result.into());
        }
        if let Some(result) = self.combine_bytes(op, &leaves, &a, &b)? {
            return self.define(id, result.into());
        }
        if let Some(result) = combine_shorts(self, op, &leaves, &a, &b)? {
            return self.define(id, result.into());
        }
        if let Some(single) = contractible(op, fast)
            && let Some(result) = by_single_pairs(self, single, &leaves, &[&a, &b])?
        {
            return self.define(id, result.into());
        }
        let literal = self.function.inst(id).metadata(marks::LITERAL).is_some();
        let mut result = Vec::with_capacity(leaves.len());
        for ((leaf, &a), &b) in leaves.iter().zip(a.iter()).zip(b.iter()) {
            result.push(match leaf.scalar {
                scalar @ (Scalar::Float | Scalar::Double) if op == BinaryOp::FDiv && !literal => {
                    self.quotient(a, b, scalar, fast)?
                }
                Scalar::Int(bits) if !literal => self.int_result(op, a, b, bits)?,
                Scalar::Int(bits) => self.int_binary(op, a, b, bits)?,
                Scalar::Pointer { .. } => return Err(RaiseError::new(INSTRUCTION, "arithmetic on pointers")),
                float => self.float_binary(op, a, b, float, fast)?,
            });
        }
        self.define(id, Rc::from(result))
    }

    /// An operand before its extension to the width of a scalar.
    pub(super) fn narrow(&mut self, operand: Narrow, scalar: Scalar) -> Result<Val> {
        let (value, fill) = match operand {
            Narrow::Value(value) => return Ok(self.scalar(value)?.0),
            Narrow::Constant(bits) => return Ok(Val::Bits(bits)),
            Narrow::Short(value, fill) => (value, fill),
        };
        let (value, short) = self.scalar(value)?;
        self.extended(value, short, scalar.bits(), fill).map(Val::reg)
    }

    /// `mul.wide` (manual 9.7.1.5) of an index.
    pub(super) fn multiply_wide(&mut self, product: WideProduct) -> Result<Val> {
        let index = self.narrow(product.index, Scalar::Int(32))?;
        let index = self.arg(index, Scalar::Int(32))?;
        let mnemonic = if product.signed { ptx!("mul.wide.s32") } else { ptx!("mul.wide.u32") };
        Ok(Val::reg(self.compute(mnemonic, &[index, Arg::Bits(product.factor, 32)])?))
    }

    /// Arithmetic on integers of at most 64 bits, without `div` and `rem` where the divisor is known.
    fn int_result(&mut self, op: BinaryOp, a: Val, b: Val, bits: u32) -> Result<Val> {
        if let Val::Bits(divisor) = b
            && let Some(value) = self.divide_by_constant(op, a, divisor, bits)?
        {
            return Ok(value);
        }
        self.int_binary(op, a, b, bits)
    }

    /// Arithmetic on integers of at most 64 bits.
    pub(super) fn int_binary(&mut self, op: BinaryOp, a: Val, b: Val, bits: u32) -> Result<Val> {
        if bits == 1 {
            return self.pred_binary(op, a, b);
        }
        let scalar = Scalar::Int(bits);
        let width = integer_class(bits).bits();
        if op == BinaryOp::Xor && b == Val::Bits(mask(bits)) {
            let a = self.arg(a, scalar)?;
            return Ok(Val::reg(self.compute(ptx!("not.b32").with_bits(width)?, &[a])?));
        }
        // The instruction, how it needs the bits of its operands above their width, and those of its result.
        let (mnemonic, fill, upper) = match op {
            BinaryOp::Add => (ptx!("add.s32"), None, Upper::Any),
            BinaryOp::Sub => (ptx!("sub.s32"), None, Upper::Any),
            BinaryOp::Mul => (ptx!("mul.lo.s32"), None, Upper::Any),
            BinaryOp::And => (ptx!("and.b32"), None, logic_upper(op, a, b)),
            BinaryOp::Or => (ptx!("or.b32"), None, logic_upper(op, a, b)),
            BinaryOp::Xor => (ptx!("xor.b32"), None, logic_upper(op, a, b)),
            BinaryOp::UDiv => (ptx!("div.u32"), Some(Fill::Zero), Upper::Zero),
            BinaryOp::URem => (ptx!("rem.u32"), Some(Fill::Zero), Upper::Zero),
            BinaryOp::SDiv => (ptx!("div.s32"), Some(Fill::Sign), Upper::Any),
            BinaryOp::SRem => (ptx!("rem.s32"), Some(Fill::Sign), Upper::Any),
            BinaryOp::Shl => (ptx!("shl.b32"), None, Upper::Any),
            BinaryOp::LShr => (ptx!("shr.u32"), Some(Fill::Zero), Upper::Zero),
            BinaryOp::AShr => (ptx!("shr.s32"), Some(Fill::Sign), Upper::Sign),
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
                return Err(RaiseError::new(INSTRUCTION, "floating-point arithmetic on integers"));
            }
        };
        let operand = |this: &mut Self, value| match fill {
            None => this.arg(value, scalar),
            Some(fill) => this.extended_arg(value, scalar, fill),
        };
        let a = operand(self, a)?;
        let b = match op {
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => self.amount(b, scalar)?,
            _ => operand(self, b)?,
        };
        Ok(Val::Register(self.compute(mnemonic.with_bits(width)?, &[a, b])?, upper))
    }

    /// A shift amount: it has 32 bits in PTX, independent of the width of the value. Amounts not below the width are poison.
    pub(super) fn amount(&mut self, value: Val, scalar: Scalar) -> Result<Arg> {
        match value {
            Val::Bits(bits) => Ok(Arg::Bits(bits.min(u64::from(u32::MAX)), 32)),
            other => self.extended(other, scalar, 32, Fill::Zero).map(Arg::from),
        }
    }

    fn pred_binary(&mut self, op: BinaryOp, a: Val, b: Val) -> Result<Val> {
        match op {
            BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub => match (a, b) {
                (a, Val::Bits(1)) | (Val::Bits(1), a) => self.pred_not(a),
                _ => self.pred(ptx!("xor.pred"), a, b),
            },
            BinaryOp::And | BinaryOp::Mul => self.pred(ptx!("and.pred"), a, b),
            BinaryOp::Or => self.pred(ptx!("or.pred"), a, b),
            // The divisor and the amount have one value that is not undefined.
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => Ok(a),
            BinaryOp::URem | BinaryOp::SRem => Ok(Val::Bits(0)),
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
                Err(RaiseError::new(INSTRUCTION, "floating-point arithmetic on truth values"))
            }
        }
    }

    /// A logic operation on predicates.
    pub(super) fn pred(&mut self, mnemonic: Mnemonic, a: Val, b: Val) -> Result<Val> {
        let a = self.in_register(a, Scalar::Int(1))?;
        let b = self.in_register(b, Scalar::Int(1))?;
        Ok(Val::reg(self.emit_new(Class::Pred, mnemonic, &[a.into(), b.into()])?))
    }

    /// The opposite of a predicate.
    pub(super) fn pred_not(&mut self, a: Val) -> Result<Val> {
        if let Val::Bits(bits) = a {
            return Ok(Val::Bits(!bits & 1));
        }
        let a = self.in_register(a, Scalar::Int(1))?;
        Ok(Val::reg(self.compute(ptx!("not.pred"), &[a.into()])?))
    }

    /// An integer as an operand of its class, with its sign or zeros above its width.
    pub(super) fn extended_arg(&mut self, value: Val, scalar: Scalar, fill: Fill) -> Result<Arg> {
        self.extended_to(value, scalar, scalar.class().bits(), fill)
    }

    /// An integer as an operand of `to` bits, with its sign or zeros above its own width.
    pub(super) fn extended_to(&mut self, value: Val, scalar: Scalar, to: u32, fill: Fill) -> Result<Arg> {
        match value {
            Val::Bits(bits) => Ok(Arg::Bits(fill.extend(bits, scalar.bits()), to)),
            other => self.extended(other, scalar, to, fill).map(Arg::from),
        }
    }

    /// The low `to` bits of an integer, with its sign or zeros above its own width, in a register of the class for `to`.
    pub(super) fn extended(&mut self, value: Val, scalar: Scalar, to: u32, fill: Fill) -> Result<RegId> {
        let target = integer_class(to);
        let (width, own) = (scalar.bits(), scalar.class());
        let (register, upper) = match value {
            Val::Bits(bits) => {
                let extended = fill.extend(bits, width) & mask(target.bits());
                return self.in_register(Val::Bits(extended), Scalar::Int(target.bits()));
            }
            Val::Register(register, upper) => (register, upper),
            Val::Address { .. } => (self.in_register(value, scalar)?, Upper::Any),
        };
        if own == Class::Pred {
            let set = Arg::Bits(fill.extend(1, 1) & mask(target.bits()), target.bits());
            let args = [set, Arg::Bits(0, target.bits()), register.into()];
            return self.compute(ptx!("selp.b32").with_bits(target.bits())?, &args);
        }
        if target.bits() <= width {
            return self.resized(register, own, target);
        }
        if width == 8
            && let Some(wide) = self.extended_byte(register, target, fill)?
        {
            return Ok(wide);
        }
        if width == own.bits() || upper == fill.upper() {
            return self.resized_with(register, own, target, fill);
        }
        if width == 8 {
            let types = [fill.integer(target.bits()), fill.integer(8)];
            return self.compute(ptx!("cvt.u32.u8").with_types(&types)?, &[register.into()]);
        }
        let full = match fill {
            Fill::Zero => {
                let args = [register.into(), Arg::Bits(mask(width), own.bits())];
                self.compute(ptx!("and.b32").with_bits(own.bits())?, &args)?
            }
            Fill::Sign => {
                let shift = Arg::Bits(u64::from(own.bits() - width), 32);
                let raised =
                    self.compute(ptx!("shl.b32").with_bits(own.bits())?, &[register.into(), shift])?;
                self.compute(ptx!("shr.s32").with_bits(own.bits())?, &[raised.into(), shift])?
            }
        };
        self.resized_with(full, own, target, fill)
    }

    /// The low bits of a register in another class of integers, zero above.
    pub(super) fn resized(&mut self, register: RegId, from: Class, to: Class) -> Result<RegId> {
        self.resized_with(register, from, to, Fill::Zero)
    }

    /// The low bits of a register in another class of integers, with its sign or zeros above.
    pub(super) fn resized_with(
        &mut self,
        register: RegId,
        from: Class,
        to: Class,
        fill: Fill,
    ) -> Result<RegId> {
        debug_assert!(from != Class::Pred && to != Class::Pred, "a truth value is no integer of a width");
        if from.bits() == to.bits() {
            return Ok(register);
        }
        let types = [fill.integer(to.bits()), fill.integer(from.bits())];
        self.compute(ptx!("cvt.u32.u16").with_types(&types)?, &[register.into()])
    }
}

/// The known state of the bits above the width after a logic operation.
fn logic_upper(op: BinaryOp, a: Val, b: Val) -> Upper {
    let zero = |value: Val| matches!(value, Val::Register(_, Upper::Zero) | Val::Bits(_));
    let known = if op == BinaryOp::And { zero(a) || zero(b) } else { zero(a) && zero(b) };
    if known { Upper::Zero } else { Upper::Any }
}
