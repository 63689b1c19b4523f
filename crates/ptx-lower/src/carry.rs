//! Sums over several words (manual 9.7.2).
//!
//! `CC.CF` holds a carry, also after a difference: `sub.cc` writes the carry of `a + ~b + 1`, and `subc` computes `a + ~b + CF`, as the
//! machine code does. LLVM's `usub.with.overflow` gives the borrow, which is the opposite. Some flags are kept as borrows
//! ([`crate::borrows`]), so that a chain of `sub.cc` and `subc` has no `xor`:
//!
//! ```text
//! sub.cc.u32 %r2, %r0, %r1;    %0 = call { i32, i1 } @llvm.usub.with.overflow.i32(i32 %a, i32 %b)
//!                              %borrow = extractvalue { i32, i1 } %0, 1
//! addc.u32 %r3, %r0, 10;       %carry = xor i1 %borrow, true
//! ```

use ptx_isa::{Field, Mod, ScalarType};
use ptx_llvm_core::build::{BinaryOp, CastOp, Value};

use crate::dispatch::Sum;
use crate::emit::{Emitter, Site};
use crate::errors::Result;

/// The flag that an instruction writes, as LLVM computes it.
#[derive(Clone, Copy)]
enum Flag<'c> {
    Carry(Value<'c>),
    Borrow(Value<'c>),
}

impl<'c> Emitter<'_, '_, 'c> {
    /// `add.cc`, `addc`, `sub.cc`, `subc` (manual 9.7.2): the carry flag is a value of the function.
    pub(crate) fn carry_add(&mut self, site: Site<'_>, sum: Sum) -> Result<()> {
        let (a, b) = (self.operand(site, 1)?, self.operand(site, 2)?);
        let subtracts = sum == Sum::Sub;
        if site.inst.mnemonic.has(Mod::Sat) {
            let value = self.clamped_with_carry(site, a, b, subtracts)?;
            return self.define(site, 0, value);
        }
        self.sum_with_carry(site, a, b, subtracts)
    }

    /// `mad.cc`, `madc` (manual 9.7.2.5): a half of the product, then a sum with carry. `ptxas` also accepts `madc.hi.sat`,
    /// and generates the code of `madc.hi` for it.
    pub(crate) fn carry_mad(&mut self, site: Site<'_>) -> Result<()> {
        let ty = site.scalar_type()?;
        let (a, b, c) = (self.operand(site, 1)?, self.operand(site, 2)?, self.operand(site, 3)?);
        let product = match site.inst.mnemonic.get(Field::Part) {
            // `ptxas` uses the bits from 32 on of the product of 16-bit factors, and not those from 16 on.
            Some(Mod::Hi) if ty.bits() == 16 => self.beyond_product(ty, a, b)?,
            Some(Mod::Hi) => self.high_product(ty, a, b)?,
            _ => self.b.binary(BinaryOp::Mul, a, b)?,
        };
        self.sum_with_carry(site, product, c, false)
    }

    /// The bits from 32 on of the product of 16-bit numbers.
    fn beyond_product(&mut self, ty: ScalarType, a: Value<'c>, b: Value<'c>) -> Result<Value<'c>> {
        let (narrow, wide) = (a.ty(), self.types.int(32));
        let (extend, ty) = match ty.is_signed() {
            true => (CastOp::SExt, ScalarType::S32),
            false => (CastOp::ZExt, ScalarType::U32),
        };
        let (a, b) = (self.b.cast(extend, a, wide)?, self.b.cast(extend, b, wide)?);
        let product = self.high_product(ty, a, b)?;
        Ok(self.b.cast(CastOp::Trunc, product, narrow)?)
    }

    /// A 32-bit sum or difference with the flag, in 64 bits, clamped to 32.
    fn clamped_with_carry(
        &mut self,
        site: Site<'_>,
        a: Value<'c>,
        b: Value<'c>,
        subtracts: bool,
    ) -> Result<Value<'c>> {
        // In 64 bits neither the sum of two 32-bit numbers nor the flag can overflow, so clamping once at the end is exact. Saturating twice
        // is not: `INT_MAX - (-1)` less a borrow is INT_MAX, and not the INT_MAX - 1 that clamping before the borrow gives.
        let (narrow, wide) = (a.ty(), self.types.int(64));
        let op = if subtracts { BinaryOp::Sub } else { BinaryOp::Add };
        let flag = self.flag_in(site, subtracts)?;
        let (a, b) = (self.b.cast(CastOp::SExt, a, wide)?, self.b.cast(CastOp::SExt, b, wide)?);
        let flag = self.b.cast(CastOp::ZExt, flag, wide)?;
        let sum = self.b.binary(op, a, b)?;
        let sum = self.b.binary(op, sum, flag)?;
        let most = self.types.int_value(64, i64::from(i32::MAX) as u64);
        let least = self.types.int_value(64, i64::from(i32::MIN) as u64);
        let sum = self.intrinsic("llvm.smin", &[wide], &[sum, most])?;
        let sum = self.intrinsic("llvm.smax", &[wide], &[sum, least])?;
        Ok(self.b.cast(CastOp::Trunc, sum, narrow)?)
    }

    /// Defines the sum or difference, with the flag when the instruction reads it, and the flag when it writes it.
    fn sum_with_carry(&mut self, site: Site<'_>, a: Value<'c>, b: Value<'c>, subtracts: bool) -> Result<()> {
        let flag = if site.inst.mnemonic.reads_carry() {
            let flag = self.flag_in(site, subtracts)?;
            Some(self.b.cast(CastOp::ZExt, flag, a.ty())?)
        } else {
            None
        };
        if !site.inst.mnemonic.writes_carry() {
            let sum = self.plain_sum(a, b, flag, subtracts)?;
            return self.define(site, 0, sum);
        }
        let (sum, flag) = self.overflowing_sum(a, b, flag, subtracts)?;
        self.define(site, 0, sum)?;
        self.set_flag(site, if subtracts { Flag::Borrow(flag) } else { Flag::Carry(flag) })
    }

    /// `a + b + flag` or `a - b - flag`. Passes remove zeros, and the mark would not match the rest.
    fn plain_sum(
        &self,
        a: Value<'c>,
        b: Value<'c>,
        flag: Option<Value<'c>>,
        subtracts: bool,
    ) -> Result<Value<'c>> {
        let op = if subtracts { BinaryOp::Sub } else { BinaryOp::Add };
        let Some(flag) = flag else { return Ok(self.b.binary(op, a, b)?) };
        let is_zero = |value: Value<'c>| value == value.ty().zero();
        let sum = match (is_zero(a), is_zero(b)) {
            (true, true) if !subtracts => return Ok(flag),
            (_, true) => a,
            _ => self.b.binary(op, a, b)?,
        };
        Ok(self.b.binary(op, sum, flag)?)
    }

    /// As [`Self::plain_sum`], with the carry of the sum or the borrow of the difference.
    fn overflowing_sum(
        &mut self,
        a: Value<'c>,
        b: Value<'c>,
        flag: Option<Value<'c>>,
        subtracts: bool,
    ) -> Result<(Value<'c>, Value<'c>)> {
        let name = if subtracts { "llvm.usub.with.overflow" } else { "llvm.uadd.with.overflow" };
        let ty = [a.ty()];
        if let Some(flag) = flag.filter(|_| b == b.ty().zero()) {
            let only = self.intrinsic(name, &ty, &[a, flag])?;
            return Ok((self.b.extract_field(only, 0)?, self.b.extract_field(only, 1)?));
        }
        let first = self.intrinsic(name, &ty, &[a, b])?;
        let (sum, overflow) = (self.b.extract_field(first, 0)?, self.b.extract_field(first, 1)?);
        let Some(flag) = flag else { return Ok((sum, overflow)) };
        // At most one of the two steps carries: if `a + b` does, it leaves at most `2^n - 2`, and one more does not carry; if `a - b`
        // borrows, it leaves at least 1. So `or` joins the flags.
        let second = self.intrinsic(name, &ty, &[sum, flag])?;
        let (sum, again) = (self.b.extract_field(second, 0)?, self.b.extract_field(second, 1)?);
        Ok((sum, self.b.binary(BinaryOp::Or, overflow, again)?))
    }

    /// The flag that an instruction reads: the borrow for a difference, the carry for a sum.
    fn flag_in(&mut self, site: Site<'_>, as_borrow: bool) -> Result<Value<'c>> {
        let (id, flag) = self.seen(site.statement, self.analysis.slots.carry())?;
        let is_borrow = self.analysis.borrows.contains(&id);
        if is_borrow == as_borrow { Ok(flag) } else { self.opposite(flag) }
    }

    /// Keeps the flag that an instruction writes, as the borrow or as the carry.
    fn set_flag(&mut self, site: Site<'_>, flag: Flag<'c>) -> Result<()> {
        let slot = self.analysis.slots.carry();
        let Some(id) = self.analysis.ssa.written(site.statement, slot) else { return Ok(()) };
        let flag = match (flag, self.analysis.borrows.contains(&id)) {
            (Flag::Carry(flag), false) | (Flag::Borrow(flag), true) => flag,
            (Flag::Carry(flag), true) | (Flag::Borrow(flag), false) => self.opposite(flag)?,
        };
        self.set(site.statement, slot, flag)
    }

    fn opposite(&self, flag: Value<'c>) -> Result<Value<'c>> {
        Ok(self.b.binary(BinaryOp::Xor, flag, self.types.bool_value(true))?)
    }
}
