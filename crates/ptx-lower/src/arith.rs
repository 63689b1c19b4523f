//! Integer arithmetic (manual 9.7.1).

use ptx_ir::Operand;
use ptx_isa::{Field, Mod, OperandKey, ScalarType, ptx};
use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate, Value};
use ptx_llvm_core::marks;

use crate::dispatch::{Count, Division, Extreme, Logic, Product, Shift, Sign, Sum};
use crate::emit::{Emitter, Site, known};
use crate::errors::{Result, unsupported};
use crate::represent::Repr;
use crate::types::int_bits_of;

/// The divisor in place of zero, for which the result is unspecified. With a divisor of one, passes would turn the select into a maximum.
const DIVISOR_FOR_ZERO: u64 = 7;

impl<'c> Emitter<'_, '_, 'c> {
    /// `add` and `sub` of integers; of addresses where the sum is one.
    pub(crate) fn int_add_sub(&mut self, site: Site<'_>, sum: Sum) -> Result<()> {
        let ty = site.scalar_type()?;
        let subtracts = sum == Sum::Sub;
        if site.inst.mnemonic.has(Mod::Sat) {
            let (a, b) = (self.operand(site, 1)?, self.operand(site, 2)?);
            let name = match (subtracts, ty.is_signed()) {
                (true, true) => "llvm.ssub.sat",
                (true, false) => "llvm.usub.sat",
                (false, true) => "llvm.sadd.sat",
                (false, false) => "llvm.uadd.sat",
            };
            let value = self.intrinsic(name, &[a.ty()], &[a, b])?;
            return self.define(site, 0, value);
        }
        if let Some(address) = self.address_sum(site, subtracts)? {
            return self.define(site, 0, address);
        }
        let (a, b) =
            (self.operand_of(site, site.operand(1), ty)?, self.operand_of(site, site.operand(2), ty)?);
        let op = if subtracts { BinaryOp::Sub } else { BinaryOp::Add };
        // For `add @g, x` llc assumes that an access at the sum is one of `@g`; LLVM's passes put constants last, too.
        let is_symbol = self.as_pointer(site, site.operand(1))?.is_some_and(|address| address.is_constant());
        let (a, b) = if !subtracts && is_symbol && known(b).is_none() { (b, a) } else { (a, b) };
        let value = self.b.binary(op, a, b)?;
        self.define(site, 0, value)
    }

    /// The sum as an address: a pointer operand and a number of bytes.
    fn address_sum(&mut self, site: Site<'_>, subtracts: bool) -> Result<Option<Value<'c>>> {
        if !matches!(self.destination_repr(site, 0), Repr::Pointer(_)) {
            return Ok(None);
        }
        let (first, second) = (site.operand(1), site.operand(2));
        let (base, offset) = match (self.as_pointer(site, first)?, self.as_pointer(site, second)?) {
            (Some(base), None) => (base, second),
            (None, Some(base)) if !subtracts => (base, first),
            _ => return Ok(None),
        };
        let mut bytes = self.operand_of(site, offset, site.scalar_type()?)?;
        if subtracts {
            bytes = self.b.binary(BinaryOp::Sub, bytes.ty().zero(), bytes)?;
        }
        // A 32-bit number of bytes is sign-extended; addresses of narrow spaces keep only their low 32 bits.
        let address = self.b.offset(base, bytes)?;
        if self.shared.is_debugging {
            self.keep_apart(address);
        }
        Ok(Some(address))
    }

    /// `mul`, `mad`.
    pub(crate) fn int_multiply(&mut self, site: Site<'_>, product: Product) -> Result<()> {
        let ty = site.scalar_type()?;
        let (a, b) =
            (self.operand_of(site, site.operand(1), ty)?, self.operand_of(site, site.operand(2), ty)?);
        let adds = product == Product::Mad;
        let product = match site.inst.mnemonic.get(Field::Part) {
            Some(Mod::Hi) => self.high_product(ty, a, b)?,
            Some(Mod::Wide) => {
                let wide = self.types.int(ty.bits() * 2);
                let op = if ty.is_signed() { CastOp::SExt } else { CastOp::ZExt };
                let (a, b) = (self.b.cast(op, a, wide)?, self.b.cast(op, b, wide)?);
                self.b.binary(BinaryOp::Mul, a, b)?
            }
            _ => {
                let product = self.b.binary(BinaryOp::Mul, a, b)?;
                if !adds {
                    self.keep_apart(product);
                }
                product
            }
        };
        if !adds {
            return self.define(site, 0, product);
        }
        if let (Repr::Pointer(_), Some(base)) =
            (self.destination_repr(site, 0), self.as_pointer(site, site.operand(3))?)
        {
            let address = self.b.offset(base, product)?;
            return self.define(site, 0, address);
        }
        let c = self.operand(site, 3)?;
        let sum = self.b.binary(BinaryOp::Add, product, c)?;
        self.define(site, 0, sum)
    }

    /// The upper half of a product.
    pub(crate) fn high_product(&mut self, ty: ScalarType, a: Value<'c>, b: Value<'c>) -> Result<Value<'c>> {
        let Ok(product) = ptx!("mul.hi.s32").with_type(ty) else {
            return unsupported("its type has no product");
        };
        self.intrinsic_of(product, a.ty(), &[a, b])
    }

    /// `mad24.lo`: the product of the low 24 bits and a sum.
    pub(crate) fn mad24(&mut self, site: Site<'_>) -> Result<()> {
        let signed = site.scalar_type()?.is_signed();
        let factors = if signed { ptx!("mul24.lo.s32") } else { ptx!("mul24.lo.u32") };
        let (a, b, c) = (self.operand(site, 1)?, self.operand(site, 2)?, self.operand(site, 3)?);
        let product = self.intrinsic_of(factors, a.ty(), &[a, b])?;
        let sum = self.b.binary(BinaryOp::Add, product, c)?;
        self.define(site, 0, sum)
    }

    /// `div` and `rem` (manual 9.7.1.8): the result for a zero divisor is unspecified and the one overflow wraps, while LLVM
    /// leaves both undefined; so the divisor in LLVM IR is never zero, nor minus one for the smallest number.
    pub(crate) fn int_divide(&mut self, site: Site<'_>, division: Division) -> Result<()> {
        let ty = site.scalar_type()?;
        let (a, b) = (self.operand(site, 1)?, self.operand(site, 2)?);
        let signed = ty.is_signed();
        let op = match (division, signed) {
            (Division::Div, false) => BinaryOp::UDiv,
            (Division::Div, true) => BinaryOp::SDiv,
            (Division::Rem, false) => BinaryOp::URem,
            (Division::Rem, true) => BinaryOp::SRem,
        };
        let bits = ty.bits();
        // `div.s32 %r3, %r1, %r2`:       %negates = icmp eq i32 %r2, -1
        //                                %lowest = icmp eq i32 %r1, -2147483648
        //                                %overflows = and i1 %negates, %lowest
        //                                %fitting = select i1 %overflows, i32 1, i32 %r2
        //                                %zero = icmp eq i32 %r2, 0
        //                                %divisor = select i1 %zero, i32 7, i32 %fitting, !ptx.open !0
        //                                %r3 = sdiv i32 %r1, %divisor
        let one = self.types.int_value(bits, 1);
        let minus_one = self.types.int_value(bits, u64::MAX);
        let harmless = b.as_constant_int().is_some() && b != b.ty().zero() && b != minus_one;
        if harmless || (!signed && b == minus_one) {
            let value = self.b.binary(op, a, b)?;
            self.keep_apart(value);
            return self.define(site, 0, value);
        }
        // The mark lets raising omit the select.
        let choose = |this: &mut Self, chosen: Value<'c>| -> Result<Value<'c>> {
            let zero = this.b.int_compare(IntPredicate::Eq, b, b.ty().zero())?;
            let divisor = this.b.select(zero, this.types.int_value(bits, DIVISOR_FOR_ZERO), chosen)?;
            if !zero.is_constant() {
                this.types.attach(divisor, marks::OPEN, this.types.metadata_strings(&[]));
            }
            Ok(divisor)
        };
        if !signed {
            let divisor = choose(self, b)?;
            let value = self.b.binary(op, a, divisor)?;
            return self.define(site, 0, value);
        }
        // The smallest number divided by one is itself, as is the wrapped quotient by -1; the remainder is zero in both cases.
        let least = self.types.int_value(bits, 1 << (bits - 1));
        let negates = self.b.int_compare(IntPredicate::Eq, b, minus_one)?;
        let lowest = self.b.int_compare(IntPredicate::Eq, a, least)?;
        let overflows = self.b.binary(BinaryOp::And, negates, lowest)?;
        let fitting = self.b.select(overflows, one, b)?;
        let divisor = choose(self, fitting)?;
        let value = self.b.binary(op, a, divisor)?;
        self.define(site, 0, value)
    }

    /// `abs`, `neg` of integers.
    pub(crate) fn int_sign(&mut self, site: Site<'_>, sign: Sign) -> Result<()> {
        let a = self.operand(site, 1)?;
        let value = match sign {
            Sign::Neg => self.b.binary(BinaryOp::Sub, a.ty().zero(), a)?,
            Sign::Abs => self.intrinsic("llvm.abs", &[a.ty()], &[a, self.types.bool_value(false)])?,
        };
        self.define(site, 0, value)
    }

    /// `min`, `max` of integers and pairs of them.
    pub(crate) fn int_min_max(&mut self, site: Site<'_>, extreme: Extreme) -> Result<()> {
        let ty = site.scalar_type()?;
        let (a, b) = (self.operand(site, 1)?, self.operand(site, 2)?);
        let signed = ty.is_signed() || ty == ScalarType::S16x2;
        let name = match (extreme, signed) {
            (Extreme::Min, true) => "llvm.smin",
            (Extreme::Max, true) => "llvm.smax",
            (Extreme::Min, false) => "llvm.umin",
            (Extreme::Max, false) => "llvm.umax",
        };
        let mut value = self.intrinsic(name, &[a.ty()], &[a, b])?;
        if site.inst.mnemonic.has(Mod::Relu) {
            value = self.intrinsic("llvm.smax", &[a.ty()], &[value, a.ty().zero()])?;
        }
        self.define(site, 0, value)
    }

    /// `and`, `or`, `xor`, `not`, `cnot` (manual 9.7.8).
    pub(crate) fn logic(&mut self, site: Site<'_>, logic: Logic) -> Result<()> {
        let a = self.operand(site, 1)?;
        let ones = self.types.wide_value(int_bits_of(a.ty())?, u128::MAX);
        let value = match logic {
            Logic::And => self.b.binary(BinaryOp::And, a, self.operand(site, 2)?)?,
            Logic::Or => self.b.binary(BinaryOp::Or, a, self.operand(site, 2)?)?,
            Logic::Xor => self.b.binary(BinaryOp::Xor, a, self.operand(site, 2)?)?,
            Logic::Not => self.b.binary(BinaryOp::Xor, a, ones)?,
            Logic::Cnot => {
                let zero = self.b.int_compare(IntPredicate::Eq, a, a.ty().zero())?;
                self.b.cast(CastOp::ZExt, zero, a.ty())?
            }
        };
        self.define(site, 0, value)
    }

    /// `lop3` (manual 9.7.8.6). Over the inputs' columns `a` = 0xF0, `b` = 0xCC, `c` = 0xAA, the table's upper half is the
    /// function for `a` set and its lower half for `a` clear: `f = low ^ (a & (low ^ high))`, each half one of the
    /// sixteen functions of `b` and `c`.
    pub(crate) fn lop3(&mut self, site: Site<'_>) -> Result<()> {
        let form = site.inst.mnemonic.form();
        let [at, a, b, c] =
            [OperandKey::ImmLut, OperandKey::A, OperandKey::B, OperandKey::C].map(|key| form.operand(key));
        let (Some(at), Some(a), Some(b), Some(c)) = (at, a, b, c) else {
            return unsupported("its row has no table or not three inputs");
        };
        let table = match site.operand(at) {
            Operand::Immediate(value) => value.as_integer(),
            _ => None,
        };
        let Some(table) = table else { return unsupported("its table is not a constant") };
        let ty = ScalarType::B32;
        let a = self.operand_of(site, site.operand(a), ty)?;
        let b = self.operand_of(site, site.operand(b), ty)?;
        let c = self.operand_of(site, site.operand(c), ty)?;
        let (low, high) = (table & 15, (table >> 4) & 15);
        let low_value = self.logic2(low, b, c)?;
        let value = match low ^ high {
            0 => low_value,
            15 => self.b.binary(BinaryOp::Xor, low_value, a)?,
            differing => {
                let mask = self.logic2(differing, b, c)?;
                let part = self.b.binary(BinaryOp::And, a, mask)?;
                if low == 0 { part } else { self.b.binary(BinaryOp::Xor, low_value, part)? }
            }
        };
        self.define(site, 0, value)?;
        let Some(bool_op) = site.inst.mnemonic.get(Field::Bool) else { return Ok(()) };
        let set = self.b.int_compare(IntPredicate::Ne, value, value.ty().zero())?;
        let Some(q) = form.operand(OperandKey::Q) else {
            return unsupported("its row has no predicate to combine the result with");
        };
        let q = self.operand(site, q)?;
        let op = if bool_op == Mod::And { BinaryOp::And } else { BinaryOp::Or };
        let predicate = self.b.binary(op, set, q)?;
        self.define(site, 1, predicate)
    }

    /// One of the sixteen functions of two inputs, by its table over `b` = 0xC, `c` = 0xA.
    fn logic2(&self, table: u64, b: Value<'c>, c: Value<'c>) -> Result<Value<'c>> {
        let not = |v: Value<'c>| self.b.binary(BinaryOp::Xor, v, self.types.int_value(32, u64::MAX));
        Ok(match table & 15 {
            0x0 => b.ty().zero(),
            0x1 => not(self.b.binary(BinaryOp::Or, b, c)?)?,
            0x2 => self.b.binary(BinaryOp::And, not(b)?, c)?,
            0x3 => not(b)?,
            0x4 => self.b.binary(BinaryOp::And, b, not(c)?)?,
            0x5 => not(c)?,
            0x6 => self.b.binary(BinaryOp::Xor, b, c)?,
            0x7 => not(self.b.binary(BinaryOp::And, b, c)?)?,
            0x8 => self.b.binary(BinaryOp::And, b, c)?,
            0x9 => not(self.b.binary(BinaryOp::Xor, b, c)?)?,
            0xA => c,
            0xB => self.b.binary(BinaryOp::Or, not(b)?, c)?,
            0xC => b,
            0xD => self.b.binary(BinaryOp::Or, b, not(c)?)?,
            0xE => self.b.binary(BinaryOp::Or, b, c)?,
            _ => self.types.int_value(32, u64::MAX),
        })
    }

    /// `shl`, `shr` (manual 9.7.8.8): amounts of the width or more shift everything out.
    pub(crate) fn shift(&mut self, site: Site<'_>, shift: Shift) -> Result<()> {
        let ty = site.scalar_type()?;
        let (a, amount) = (self.operand(site, 1)?, self.operand(site, 2)?);
        let width = u64::from(ty.bits());
        let op = match (shift, ty.is_signed()) {
            (Shift::Left, _) => BinaryOp::Shl,
            (Shift::Right, true) => BinaryOp::AShr,
            (Shift::Right, false) => BinaryOp::LShr,
        };
        let value = match known(amount) {
            Some(amount) if amount < width => {
                let value = self.b.binary(op, a, self.types.int_value(ty.bits(), amount))?;
                if op == BinaryOp::Shl && width == 64 {
                    self.keep_apart(value);
                }
                value
            }
            Some(_) if op == BinaryOp::AShr => {
                self.b.binary(op, a, self.types.int_value(ty.bits(), width - 1))?
            }
            Some(_) => a.ty().zero(),
            None => self.variable_shift(op, a, amount, width)?,
        };
        self.define(site, 0, value)
    }

    fn variable_shift(&self, op: BinaryOp, a: Value<'c>, amount: Value<'c>, width: u64) -> Result<Value<'c>> {
        let last = self.types.int_value(32, width - 1);
        if op == BinaryOp::AShr {
            let clamped = self.intrinsic("llvm.umin", &[amount.ty()], &[amount, last])?;
            return Ok(self.b.binary(op, a, self.resize(clamped, a.ty())?)?);
        }
        let in_range = self.b.int_compare(IntPredicate::Ule, amount, last)?;
        let low = self.b.binary(BinaryOp::And, amount, last)?;
        let shifted = self.b.binary(op, a, self.resize(low, a.ty())?)?;
        Ok(self.b.select(in_range, shifted, a.ty().zero())?)
    }

    /// `popc`, `clz` (manual 9.7.1.14): the count is 32 bits wide for either width.
    pub(crate) fn count_bits(&mut self, site: Site<'_>, count: Count) -> Result<()> {
        let a = self.operand(site, 1)?;
        let count = match count {
            Count::Ones => self.intrinsic("llvm.ctpop", &[a.ty()], &[a])?,
            Count::LeadingZeros => {
                self.intrinsic("llvm.ctlz", &[a.ty()], &[a, self.types.bool_value(false)])?
            }
        };
        let count = self.resize(count, self.types.int(32))?;
        self.define(site, 0, count)
    }

    /// `bfe` (manual 9.7.1.19) with constant position and length as shifts; else as written.
    pub(crate) fn bit_field_extract(&mut self, site: Site<'_>) -> Result<()> {
        let ty = site.scalar_type()?;
        let (a, place, length) = (self.operand(site, 1)?, self.operand(site, 2)?, self.operand(site, 3)?);
        let width = u64::from(ty.bits());
        let (Some(place), Some(length)) = (known(place), known(length)) else { return self.inline(site) };
        // Only the low byte of either counts.
        let (place, length) = (place & 255, length & 255);
        if length == 0 || place + length > width {
            return self.inline(site);
        }
        let up = self.types.int_value(ty.bits(), width - place - length);
        let down = self.types.int_value(ty.bits(), width - length);
        let op = if ty.is_signed() { BinaryOp::AShr } else { BinaryOp::LShr };
        let raised = self.b.binary(BinaryOp::Shl, a, up)?;
        let value = self.b.binary(op, raised, down)?;
        self.define(site, 0, value)
    }

    /// `bfi` (manual 9.7.1.20) with constant position and length as masks; else as written.
    pub(crate) fn bit_field_insert(&mut self, site: Site<'_>) -> Result<()> {
        let ty = site.scalar_type()?;
        let (a, b) = (self.operand(site, 1)?, self.operand(site, 2)?);
        let (place, length) = (self.operand(site, 3)?, self.operand(site, 4)?);
        let width = u64::from(ty.bits());
        let (Some(place), Some(length)) = (known(place), known(length)) else { return self.inline(site) };
        let (place, length) = (place & 255, length & 255);
        if length == 0 || place >= width {
            return self.define(site, 0, b);
        }
        let length = length.min(width - place);
        let mask = (((1u128 << length) - 1) as u64) << place;
        let raised = self.b.binary(BinaryOp::Shl, a, self.types.int_value(ty.bits(), place))?;
        let field = self.b.binary(BinaryOp::And, raised, self.types.int_value(ty.bits(), mask))?;
        let rest = self.b.binary(BinaryOp::And, b, self.types.int_value(ty.bits(), !mask))?;
        let value = self.b.binary(BinaryOp::Or, rest, field)?;
        self.define(site, 0, value)
    }
}
