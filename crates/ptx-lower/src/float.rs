//! Floating-point arithmetic (manual 9.7.3 to 9.7.5) and conversions (manual 9.7.9.21).

use ptx_ir::Module;
use ptx_isa::{Field, Mnemonic, Mod, MoveSem, Opcode, ScalarType, Sem, TypeKind};
use ptx_llvm_core::build::{BinaryOp, CastOp, Contraction, Value};
use ptx_llvm_core::intrinsics;

use crate::emit::{Emitter, Site};
use crate::errors::{Result, unsupported};
use crate::represent::Repr;

/// Whether a module converts wider numbers to halves and halves to wider numbers.
///
/// In such a module an integer that is converted to a wider number may then be converted to a half and back. LLVM 22's
/// InstCombine combines these steps into one conversion if the integer has few significant bits, although the half may have been
/// an infinity (docs/mapping.md, "Exact floating point"). A fence after the first step prevents that.
pub(crate) fn widens_halves(module: &Module) -> bool {
    let is_wide = |ty| matches!(ty, ScalarType::Bf16 | ScalarType::F32 | ScalarType::F64);
    let (mut narrows, mut widens) = (false, false);
    for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
        for (_, inst) in body.instructions() {
            let mnemonic = inst.mnemonic;
            if mnemonic.sem() != Sem::Move(MoveSem::Cvt) {
                continue;
            }
            match (mnemonic.type_of(Field::DType), mnemonic.type_of(Field::AType)) {
                (Some(ScalarType::F16), Some(from)) => narrows |= is_wide(from),
                (Some(to), Some(ScalarType::F16)) => widens |= is_wide(to),
                _ => {}
            }
        }
    }
    narrows && widens
}

impl<'c> Emitter<'_, '_, 'c> {
    /// `add`, `sub`, `mul` rounded to nearest.
    pub(crate) fn float_arithmetic(&mut self, site: Site<'_>, op: BinaryOp) -> Result<()> {
        let (a, b) = (self.operand(site, 1)?, self.operand(site, 2)?);
        let value = self.b.float_binary(op, a, b, contraction(site))?;
        self.define(site, 0, self.with_canonical_nan(value)?)
    }

    /// `add` and `mul` that round in another way, flush or saturate.
    pub(crate) fn rounded_arithmetic(&mut self, site: Site<'_>) -> Result<()> {
        match self.lower_intrinsic(site, with_rounding(site))? {
            Some(call) => {
                self.b.set_contraction(call, contraction(site));
                Ok(())
            }
            None => self.inline(site),
        }
    }

    /// `sub` that rounds in another way, flushes or saturates: `a - b` is `a + (-b)` in every rounding mode, and LLVM has only the sum
    /// with a mode.
    pub(crate) fn rounded_difference(&mut self, site: Site<'_>) -> Result<()> {
        let is_single = matches!(site.inst.mnemonic.scalar_type(), Some(ScalarType::F32 | ScalarType::F64));
        let sum = with_rounding(site).filter(|_| is_single).and_then(|own| own.with_opcode(Opcode::Add));
        let Some(sum) = sum.and_then(|sum| intrinsics::by_mnemonic(sum).next()) else {
            return self.inline(site);
        };
        let (a, b) = (self.operand(site, 1)?, self.operand(site, 2)?);
        let negative = self.b.float_negate(b)?;
        let call = self.intrinsic_by_name(&sum.name, a.ty(), &[a, negative])?;
        self.b.set_contraction(call, contraction(site));
        self.define(site, 0, call)
    }

    /// `fma`, and `mad` of floating-point numbers, which is the same.
    pub(crate) fn fused_multiply_add(&mut self, site: Site<'_>) -> Result<()> {
        self.intrinsic_or_inline_as(site, site.inst.mnemonic.with_opcode(Opcode::Fma))
    }

    /// `div` rounded to nearest.
    pub(crate) fn float_divide(&mut self, site: Site<'_>) -> Result<()> {
        let (a, b) = (self.operand(site, 1)?, self.operand(site, 2)?);
        let value = self.b.binary(BinaryOp::FDiv, a, b)?;
        if a.is_constant() {
            // Otherwise raising would emit a reciprocal for such a division.
            self.keep_apart(value);
        }
        self.define(site, 0, self.with_canonical_nan(value)?)
    }

    /// A value that LLVM's builder may have folded from constants, with PTX's canonical NaN (manual 9.7.3) in place of LLVM's; `.f64` has
    /// none.
    fn with_canonical_nan(&self, value: Value<'c>) -> Result<Value<'c>> {
        if !value.is_constant() {
            return Ok(value);
        }
        let Some((_, count)) = value.ty().vector_parts() else { return self.canonical_lane(value) };
        let lanes = (0..count).map(|at| match value.constant_element(at) {
            Some(lane) => self.canonical_lane(lane).map(Some),
            None => Ok(None),
        });
        match lanes.collect::<Result<Option<Vec<Value<'c>>>>>()? {
            Some(lanes) => Ok(self.types.vector_value(&lanes)?),
            None => Ok(value),
        }
    }

    fn canonical_lane(&self, value: Value<'c>) -> Result<Value<'c>> {
        let (infinity, width) = match value.ty() {
            ty if ty == self.types.f16() => (0x7c00, 16),
            ty if ty == self.types.bf16() => (0x7f80, 16),
            ty if ty == self.types.f32() => (0x7f80_0000, 32),
            _ => return Ok(value),
        };
        let magnitude = (1u64 << (width - 1)) - 1;
        match value.constant_bits_as(self.types.int(width))?.as_constant_int() {
            Some(bits) if bits & magnitude > infinity => {
                Ok(self.types.int_value(width, magnitude).constant_bits_as(value.ty())?)
            }
            Some(_) | None => Ok(value),
        }
    }

    /// `neg`.
    pub(crate) fn float_negate(&mut self, site: Site<'_>) -> Result<()> {
        let a = self.operand(site, 1)?;
        let value = self.b.float_negate(a)?;
        self.define(site, 0, value)
    }

    /// `testp` (manual 9.7.3.1): zeros count as normal.
    pub(crate) fn test_property(&mut self, site: Site<'_>) -> Result<()> {
        // Bits of `llvm.is.fpclass`, from bit 0: signaling and quiet NaN, then negative infinity, normal, subnormal and
        // zero, then positive zero, subnormal, normal and infinity.
        let mask = match site.inst.mnemonic.get(Field::Property) {
            Some(Mod::Finite) => 0x1f8,
            Some(Mod::Infinite) => 0x204,
            Some(Mod::Number) => 0x3fc,
            Some(Mod::Notanumber) => 0x003,
            Some(Mod::Normal) => 0x168,
            Some(Mod::Subnormal) => 0x090,
            _ => return unsupported("its property is unknown"),
        };
        let a = self.operand(site, 1)?;
        let value = self.intrinsic("llvm.is.fpclass", &[a.ty()], &[a, self.types.int_value(32, mask)])?;
        self.define(site, 0, value)
    }

    /// `cvt` between two scalars.
    pub(crate) fn convert(&mut self, site: Site<'_>) -> Result<()> {
        let (to, from) = site.types()?;
        match (from.is_integer_or_bits(), to.is_integer_or_bits()) {
            (true, true) => self.int_to_int(site, from, to),
            (true, false) => self.int_to_float(site, from, to),
            (false, true) => self.convert_by_intrinsic(site),
            (false, false) => self.float_to_float(site, from, to),
        }
    }

    /// `cvt` with a rounding, flushing or saturation that plain IR does not have.
    pub(crate) fn convert_by_intrinsic(&mut self, site: Site<'_>) -> Result<()> {
        let mnemonic = site.inst.mnemonic;
        let (to, from) = site.types()?;
        // LLVM 22 selects the intrinsic from sm_80 on, ptxas accepts the instruction on older targets, too (docs/mapping.md, "Exact
        // floating point").
        let sm = self.shared.module.target().and_then(|target| target.sm);
        if mnemonic.has(Mod::Satfinite) && to == ScalarType::F16 && sm.is_some_and(|sm| sm.number < 80) {
            return self.inline(site);
        }
        if !from.is_integer_or_bits() && to.is_integer_or_bits() {
            // Conversions clamp to the destination's range anyway.
            return self.intrinsic_or_inline_as(site, mnemonic.with(Field::Sat, None).or(Some(mnemonic)));
        }
        self.intrinsic_or_inline(site)
    }

    fn int_to_int(&mut self, site: Site<'_>, from: ScalarType, to: ScalarType) -> Result<()> {
        if let (Repr::Pointer(_), Some(address)) =
            (self.destination_repr(site, 0), self.as_pointer(site, site.operand(1))?)
        {
            return self.define(site, 0, address);
        }
        let a = self.operand(site, 1)?;
        let ty = self.llvm_type(to);
        let op = match (from.bits() < to.bits(), from.kind() == TypeKind::Signed) {
            (true, true) => CastOp::SExt,
            (true, false) => CastOp::ZExt,
            (false, _) => CastOp::Trunc,
        };
        let value = self.b.cast(op, a, ty)?;
        self.define(site, 0, value)
    }

    fn int_to_float(&mut self, site: Site<'_>, from: ScalarType, to: ScalarType) -> Result<()> {
        let a = self.operand(site, 1)?;
        let op = if from.is_signed() { CastOp::SiToFp } else { CastOp::UiToFp };
        let value = self.b.cast(op, a, self.llvm_type(to))?;
        let value = if from.bits() > 16 && self.shared.widens_halves { self.apart(value)? } else { value };
        self.define(site, 0, value)
    }

    /// The value, behind a fence that keeps passes from combining it with its operands.
    fn apart(&mut self, value: Value<'c>) -> Result<Value<'c>> {
        self.intrinsic("llvm.arithmetic.fence", &[value.ty()], &[value])
    }

    fn float_to_float(&mut self, site: Site<'_>, from: ScalarType, to: ScalarType) -> Result<()> {
        let is_rounded = site.inst.mnemonic.get(Field::Rnd).is_some();
        let op = match (from.bits() < to.bits(), from.bits() > to.bits()) {
            (true, _) if !is_rounded => CastOp::FpExt,
            (_, true) => CastOp::FpTrunc,
            _ if from == to => {
                let a = self.operand(site, 1)?;
                return self.define(site, 0, a);
            }
            // With a rounding, which `ptxas` accepts although the result is exact.
            _ => return self.intrinsic_or_inline(site),
        };
        let a = self.operand(site, 1)?;
        let value = self.b.cast(op, a, self.llvm_type(to))?;
        self.define(site, 0, value)
    }
}

/// Whether a sum or product may be fused with another one: only without a rounding modifier, with one it is rounded as written.
fn contraction(site: Site<'_>) -> Contraction {
    match site.inst.mnemonic.get(Field::Rnd) {
        None => Contraction::Allowed,
        Some(_) => Contraction::Forbidden,
    }
}

/// The mnemonic with the rounding that is meant without one.
fn with_rounding(site: Site<'_>) -> Option<Mnemonic> {
    let mnemonic = site.inst.mnemonic;
    mnemonic.with(Field::Rnd, Some(mnemonic.get(Field::Rnd).unwrap_or(Mod::Rn)))
}
