//! Operations of intrinsics that no target owns (LLVM language reference, "Intrinsic Functions").

use ptx_ir::RegId;
use ptx_isa::{Mnemonic, Opcode, ScalarType, SpecialReg, ptx};
use ptx_llvm_core::view::{BinaryOp, Call, CastOp, ConstExpr, Constant, InstId, Symbol, Value};

use super::append::{Arg, number};
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::types::{Class, Scalar, integer_class};
use crate::value::{Fill, Upper, Val};

/// `shf` (manual 9.7.8.7); older targets have two shifts instead.
const FUNNEL_SHIFT: Mnemonic = ptx!("shf.l.wrap.b32");

/// Counting and moving bits.
#[derive(Clone, Copy)]
pub(super) enum BitOp {
    CountOnes,
    LeadingZeros,
    TrailingZeros,
    SwapBytes,
    Reverse,
}

impl Emitter<'_, '_, '_> {
    /// `ptrmask`: the bits of an address without those that a mask has not got.
    pub(super) fn mask_address(&mut self, id: InstId, call: &Call) -> Result<()> {
        let pointers = self.leaves(self.type_of(id))?;
        let addresses = self.value(argument(call, 0)?)?;
        let (masks, kinds) = (self.value(argument(call, 1)?)?, self.value_leaves(argument(call, 1)?)?);
        let mut results = Vec::with_capacity(pointers.len());
        for (((pointer, &address), &mask), kind) in
            pointers.iter().zip(addresses.iter()).zip(masks.iter()).zip(kinds.iter())
        {
            let class = pointer.scalar.class();
            let address = self.in_register(address, pointer.scalar)?;
            // A mask is as wide as an index of the address space; if that is narrower than the address, the upper bits are kept.
            let mask = self.extended_to(mask, kind.scalar, class.bits(), Fill::Sign)?;
            let kept = self.compute(ptx!("and.b32").with_bits(class.bits())?, &[address.into(), mask])?;
            results.push(Val::reg(kept));
        }
        self.define(id, results.into())
    }

    /// The copy of a pointer behind an optimization barrier, possibly in another space.
    pub(super) fn pointer_copy(&mut self, id: InstId, call: &Call) -> Result<()> {
        let (value, from) = self.scalar(argument(call, 0)?)?;
        let to = self.scalar_of_result(id)?;
        let value = if from == to { value } else { self.cast_address(value, from, to)? };
        self.define_one(id, value)
    }

    /// A counter of the processor (manual 10.24, 10.28).
    pub(super) fn read_counter(&mut self, id: InstId, counter: SpecialReg) -> Result<()> {
        let counter = self.special(counter, None)?;
        let value = self.compute(ptx!("mov.u64"), &[counter])?;
        self.define_one(id, Val::reg(value))
    }

    /// The message of a call, after a colon; empty if it is not a constant.
    pub(super) fn said(&mut self, call: &Call) -> Result<String> {
        let Value::Const(id) = argument(call, 0)? else { return Ok(String::new()) };
        let view = self.module.view;
        let symbol = match view.constant(id) {
            Constant::Expr(ConstExpr::Cast { op: CastOp::AddrSpaceCast, value }) => view.constant(*value),
            other => other,
        };
        let Constant::Symbol(Symbol::Global(global)) = symbol else { return Ok(String::new()) };
        let Some(Constant::Data(bytes)) = view.global(*global).initializer.map(|id| view.constant(id)) else {
            return Ok(String::new());
        };
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or(bytes);
        Ok(format!(": {}", String::from_utf8_lossy(text)))
    }

    pub(super) fn scalar_of_result(&mut self, id: InstId) -> Result<Scalar> {
        let leaves = self.leaves(self.type_of(id))?;
        match &*leaves {
            [leaf, ..] => Ok(leaf.scalar),
            [] => Err(RaiseError::new(INTRINSIC, "an intrinsic without a result")),
        }
    }

    /// Counting and moving bits (manual 9.7.1). Narrow values are computed in 32 bits.
    pub(super) fn bit_intrinsic(&mut self, op: BitOp, value: Val, scalar: Scalar) -> Result<Val> {
        let bits = scalar.bits();
        let width = if bits > 32 { 64 } else { 32 };
        let class = integer_class(width);
        let wide = self.extended(value, scalar, width, Fill::Zero)?;
        let count = match op {
            BitOp::CountOnes => self.compute(ptx!("popc.b32").with_bits(width)?, &[wide.into()])?,
            BitOp::LeadingZeros => {
                let count = self.compute(ptx!("clz.b32").with_bits(width)?, &[wide.into()])?;
                match width - bits {
                    0 => count,
                    unused => self.compute(ptx!("sub.s32"), &[count.into(), number(u64::from(unused))])?,
                }
            }
            BitOp::TrailingZeros => self.trailing_zeros(wide, bits)?,
            BitOp::Reverse => {
                let reversed = self.compute(ptx!("brev.b32").with_bits(width)?, &[wide.into()])?;
                let low = self.shifted_by(ptx!("shr.u32"), reversed, width - bits, width)?;
                return self.back_to(low, class, scalar);
            }
            BitOp::SwapBytes => return self.swap_bytes(wide, class, scalar),
        };
        self.back_to(count, Class::B32, scalar)
    }

    /// The number of trailing zeros of a `bits`-bit number, zero-extended in a register of 32 or 64 bits.
    fn trailing_zeros(&mut self, wide: RegId, bits: u32) -> Result<RegId> {
        if bits == 64 {
            // The bits below the lowest one, as many as the zeros there; all where there is none.
            let below = self.compute(ptx!("add.s64"), &[wide.into(), Arg::Bits(u64::MAX, 64)])?;
            let zeros = self.compute(ptx!("not.b64"), &[wide.into()])?;
            let trailing = self.compute(ptx!("and.b64"), &[zeros.into(), below.into()])?;
            return self.compute(ptx!("popc.b64"), &[trailing.into()]);
        }
        let width = if bits > 32 { 64 } else { 32 };
        // A bit above the width ends the count of a zero.
        let stopped = if bits == width {
            wide
        } else {
            let stop = Arg::Bits(1 << bits, width);
            self.compute(ptx!("or.b32").with_bits(width)?, &[wide.into(), stop])?
        };
        let reversed = self.compute(ptx!("brev.b32").with_bits(width)?, &[stopped.into()])?;
        self.compute(ptx!("clz.b32").with_bits(width)?, &[reversed.into()])
    }

    /// The magnitude of a signed integer.
    pub(super) fn absolute_integer(&mut self, value: Val, scalar: Scalar) -> Result<Val> {
        let wide = self.extended_arg(value, scalar, Fill::Sign)?;
        if scalar.bits() == 1 {
            return Ok(value);
        }
        Ok(Val::reg(self.compute(ptx!("abs.s32").with_bits(scalar.class().bits())?, &[wide])?))
    }

    /// A register's low bits as a value of a narrower or wider integer type, zero above.
    fn back_to(&mut self, register: RegId, class: Class, scalar: Scalar) -> Result<Val> {
        if scalar == Scalar::Int(1) {
            return self.extract_bits(register, class, 0, scalar);
        }
        Ok(Val::Register(self.resized(register, class, scalar.class())?, Upper::Zero))
    }

    /// Reverses bytes with `prmt` (manual 9.7.9.7).
    pub(super) fn swap_bytes(&mut self, wide: RegId, class: Class, scalar: Scalar) -> Result<Val> {
        let reverse = |this: &mut Self, word: RegId| {
            this.compute(ptx!("prmt.b32"), &[word.into(), Arg::Bits(0, 32), Arg::Bits(0x0123, 32)])
        };
        if class == Class::B32 {
            let reversed = reverse(self, wide)?;
            let low = self.shifted_by(ptx!("shr.u32"), reversed, 32 - scalar.bits(), 32)?;
            return self.back_to(low, Class::B32, scalar);
        }
        let [low, high] = self.halves_of(wide, Class::B32)?;
        let (low, high) = (reverse(self, low)?, reverse(self, high)?);
        let whole = self.join_halves([high, low], Class::B32)?;
        let low = self.shifted_by(ptx!("shr.u32"), whole, 64 - scalar.bits(), 64)?;
        self.back_to(low, Class::B64, scalar)
    }

    /// `fshl` and `fshr`: the amount counts modulo the width.
    pub(super) fn funnel_shift(&mut self, left: bool, args: &[Val], scalar: Scalar) -> Result<Val> {
        let &[high, low, amount] = args else {
            return Err(RaiseError::new(INTRINSIC, "a funnel shift without operands"));
        };
        let bits = scalar.bits();
        if bits == 1 {
            return Ok(if left { high } else { low });
        }
        if bits == 32 && self.module.target.supports(FUNNEL_SHIFT) {
            let shift = if left { ptx!("shf.l.wrap.b32") } else { ptx!("shf.r.wrap.b32") };
            return self.apply(shift, &[low, high, amount], scalar);
        }
        if let Val::Bits(amount) = amount {
            return self.constant_funnel(left, high, low, (amount % u64::from(bits)) as u32, scalar);
        }
        let (amount, within) = if bits == 64 {
            // Six bits of the amount are significant, and a shift needs it in 32 bits.
            (Val::reg(self.extended(amount, scalar, 32, Fill::Zero)?), 32)
        } else {
            (amount, bits)
        };
        let width = Val::Bits(u64::from(bits));
        let whole = amount;
        let amount = if bits.is_power_of_two() {
            self.int_binary(BinaryOp::And, amount, Val::Bits(u64::from(bits - 1)), within)?
        } else {
            self.int_binary(BinaryOp::URem, amount, width, within)?
        };
        let rest = if high == low && bits.is_power_of_two() {
            // A rotation by zero may be the union of the value with itself.
            let opposite = self.int_binary(BinaryOp::Sub, Val::Bits(0), whole, within)?;
            self.int_binary(BinaryOp::And, opposite, Val::Bits(u64::from(bits - 1)), within)?
        } else {
            // A shift by the whole width results in zero in a register of that width: PTX clamps.
            self.int_binary(BinaryOp::Sub, width, amount, within)?
        };
        let (up, down) = if left { (amount, rest) } else { (rest, amount) };
        let upper = self.shifted(BinaryOp::Shl, high, up, bits, within)?;
        let lower = self.shifted(BinaryOp::LShr, low, down, bits, within)?;
        self.int_binary(BinaryOp::Or, upper, lower, bits)
    }

    /// A shift by an amount of `within` bits, which is the value's width or 32.
    fn shifted(&mut self, op: BinaryOp, value: Val, amount: Val, bits: u32, within: u32) -> Result<Val> {
        if within == bits {
            return self.int_binary(op, value, amount, bits);
        }
        let shift = if op == BinaryOp::Shl { ptx!("shl.b64") } else { ptx!("shr.u64") };
        let args = [self.arg(value, Scalar::Int(64))?, self.arg(amount, Scalar::Int(32))?];
        Ok(Val::reg(self.compute(shift, &args)?))
    }

    /// A funnel shift by a number of bits that is known and below the width.
    fn constant_funnel(
        &mut self,
        left: bool,
        high: Val,
        low: Val,
        amount: u32,
        scalar: Scalar,
    ) -> Result<Val> {
        let bits = scalar.bits();
        if amount == 0 {
            return Ok(if left { high } else { low });
        }
        let up = if left { amount } else { bits - amount };
        if bits == 64 && self.module.target.supports(FUNNEL_SHIFT) {
            return self.funnel_halves(high, low, up);
        }
        let upper = self.int_binary(BinaryOp::Shl, high, Val::Bits(u64::from(up)), bits)?;
        let lower = self.int_binary(BinaryOp::LShr, low, Val::Bits(u64::from(bits - up)), bits)?;
        self.int_binary(BinaryOp::Or, upper, lower, bits)
    }

    /// The upper 64 of 128 bits shifted to the left: each half of the result is a funnel shift of two halves (manual 9.7.8.6).
    fn funnel_halves(&mut self, high: Val, low: Val, up: u32) -> Result<Val> {
        let wide = Scalar::Int(64);
        let (high_word, low_word) = (self.in_register(high, wide)?, self.in_register(low, wide)?);
        let [h0, h1] = self.halves_of(high_word, Class::B32)?;
        let [l0, l1] = if low == high { [h0, h1] } else { self.halves_of(low_word, Class::B32)? };
        let [top, middle, bottom] = if up < 32 { [h1, h0, l1] } else { [h0, l1, l0] };
        if up.is_multiple_of(32) {
            return Ok(Val::reg(self.join_halves([middle, top], Class::B32)?));
        }
        let by = Arg::Bits(u64::from(up % 32), 32);
        let upper = self.compute(ptx!("shf.l.wrap.b32"), &[middle.into(), top.into(), by])?;
        let lower = self.compute(ptx!("shf.l.wrap.b32"), &[bottom.into(), middle.into(), by])?;
        Ok(Val::reg(self.join_halves([lower, upper], Class::B32)?))
    }

    /// The smaller or larger of two integers, by the `min` or `max` of 32 bits of the same sign.
    pub(super) fn int_extreme(&mut self, extreme: Mnemonic, a: Val, b: Val, scalar: Scalar) -> Result<Val> {
        let signed = extreme.scalar_type() == Some(ScalarType::S32);
        if scalar == Scalar::Int(1) {
            // A true value is 1 unsigned and -1 signed.
            let both = (extreme.opcode() == Opcode::Min) != signed;
            return self.pred(if both { ptx!("and.pred") } else { ptx!("or.pred") }, a, b);
        }
        let fill = Fill::of(signed);
        let args = [self.extended_arg(a, scalar, fill)?, self.extended_arg(b, scalar, fill)?];
        let typed = extreme.with_type(fill.integer(scalar.class().bits()))?;
        Ok(Val::Register(self.compute(typed, &args)?, fill.upper()))
    }
}

/// An argument of a call.
pub(super) fn argument(call: &Call, at: usize) -> Result<Value> {
    call.args
        .get(at)
        .copied()
        .ok_or_else(|| RaiseError::new(INTRINSIC, "an intrinsic with too few arguments"))
}
