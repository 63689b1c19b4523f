//! Comparison and selection (manual 9.7.6, 9.7.7).

use ptx_ir::Operand;
use ptx_isa::{Field, Mod, OperandKey, ScalarType, TypeKind};
use ptx_llvm_core::build::{BinaryOp, CastOp, FloatPredicate, IntPredicate, Value};
use ptx_llvm_core::marks;

use crate::emit::{Emitter, Site};
use crate::errors::{Result, unsupported};

impl<'c> Emitter<'_, '_, 'c> {
    /// `setp` (manual 9.7.6.2): `p` gets the comparison combined with `c`, `q` the opposite comparison combined with `c`.
    pub(crate) fn set_predicate(&mut self, site: Site<'_>) -> Result<()> {
        let ty = site.scalar_type()?;
        let result = self.comparison(site, ty)?;
        let combined = self.combined(site, result)?;
        self.define(site, 0, combined)?;
        let pair = site.inst.mnemonic.form().operand(OperandKey::Q);
        match pair.filter(|at| !site.operand(*at).is_omitted()) {
            Some(at) => {
                let opposite = self.b.binary(BinaryOp::Xor, result, self.types.bool_value(true))?;
                let combined = self.combined(site, opposite)?;
                self.define(site, at, combined)
            }
            None => Ok(()),
        }
    }

    /// `set` (manual 9.7.6.1): all ones for true in integers, 1.0 in floating point.
    pub(crate) fn set_value(&mut self, site: Site<'_>) -> Result<()> {
        let (to, from) = site.types()?;
        let result = self.comparison(site, from)?;
        let result = self.combined(site, result)?;
        let ty = self.llvm_type(to);
        let op = if to.is_float() { CastOp::UiToFp } else { CastOp::SExt };
        let value = self.b.cast(op, result, ty)?;
        self.define(site, 0, value)
    }

    fn combined(&mut self, site: Site<'_>, value: Value<'c>) -> Result<Value<'c>> {
        let op = match site.inst.mnemonic.get(Field::Bool) {
            None => return Ok(value),
            Some(Mod::And) => BinaryOp::And,
            Some(Mod::Or) => BinaryOp::Or,
            Some(Mod::Xor) => BinaryOp::Xor,
            Some(_) => return unsupported("its combining operation is unknown"),
        };
        let Some(at) = site.inst.mnemonic.form().operand(OperandKey::C) else {
            return unsupported("its row has no predicate to combine the result with");
        };
        let other = self.operand_of(site, site.operand(at), ScalarType::Pred)?;
        Ok(self.b.binary(op, value, other)?)
    }

    fn comparison(&mut self, site: Site<'_>, ty: ScalarType) -> Result<Value<'c>> {
        let sources = [OperandKey::A, OperandKey::B].map(|key| site.inst.mnemonic.form().operand(key));
        let [Some(a), Some(b)] = sources else { return unsupported("its row has not two values to compare") };
        let (a, b) = (site.operand(a), site.operand(b));
        let Some(cmp) = site.inst.mnemonic.get(Field::Cmp) else { return unsupported("it compares nothing") };
        if ty.is_float() {
            let Some(predicate) = float_predicate(cmp) else {
                return unsupported("its comparison is unknown");
            };
            let (a, b) = (self.operand_of(site, a, ty)?, self.operand_of(site, b, ty)?);
            return Ok(self.b.float_compare(predicate, a, b)?);
        }
        let Some(predicate) = int_predicate(cmp, ty.is_signed()) else {
            return unsupported("its comparison is unknown");
        };
        // Two addresses of one space are compared as pointers.
        if let (Some(a), Some(b)) = (self.as_pointer(site, a)?, self.as_pointer(site, b)?)
            && a.ty() == b.ty()
            && ty.bits() == 64
        {
            return self.int_comparison(predicate, ty, a, b);
        }
        let (a, b) = (self.operand_of(site, a, ty)?, self.operand_of(site, b, ty)?);
        self.int_comparison(predicate, ty, a, b)
    }

    /// Compares integers. An equality has no sign in LLVM, so the type it was written with is kept as a hint.
    fn int_comparison(
        &self,
        predicate: IntPredicate,
        ty: ScalarType,
        a: Value<'c>,
        b: Value<'c>,
    ) -> Result<Value<'c>> {
        let value = self.b.int_compare(predicate, a, b)?;
        if matches!(predicate, IntPredicate::Eq | IntPredicate::Ne)
            && (ty.kind() != TypeKind::Signed || ty.bits() == 16)
            && !value.is_constant()
        {
            let text = format!(".{}", ty.as_str());
            self.types.attach(value, marks::MODS, self.types.metadata_strings(&[&text]));
        }
        Ok(value)
    }

    /// `selp` (manual 9.7.6.3).
    pub(crate) fn select_by_predicate(&mut self, site: Site<'_>) -> Result<()> {
        let condition = self.operand_of(site, site.operand(3), ScalarType::Pred)?;
        let (yes, no) = self.alternatives(site, 1, 2)?;
        let value = self.b.select(condition, yes, no)?;
        self.define(site, 0, value)
    }

    /// Two operands in the type the destination is kept in, when it is as wide as theirs.
    fn alternatives(
        &mut self,
        site: Site<'_>,
        first: usize,
        second: usize,
    ) -> Result<(Value<'c>, Value<'c>)> {
        let ty = site.scalar_type()?;
        let kept = match site.operand(0) {
            Operand::Register(register) => {
                let slot = self.analysis.slots.lane(register, 0);
                let same = self.analysis.slots.ty(slot).bits() == ty.bits();
                self.analysis.ssa.written(site.statement, slot).filter(|_| same).map(|id| self.repr_type(id))
            }
            _ => None,
        };
        let one = |at| -> Result<Value<'c>> {
            let operand = site.operand(at);
            match (operand, kept) {
                (Operand::Register(register), Some(kept)) => {
                    self.read(site.statement, self.analysis.slots.lane(register, 0), kept)
                }
                (_, Some(kept)) => {
                    let value = self.operand_of(site, operand, ty)?;
                    self.bits_as(value, kept)
                }
                (_, None) => self.operand_of(site, operand, ty),
            }
        };
        Ok((one(first)?, one(second)?))
    }

    /// `slct` (manual 9.7.6.4): the first when the third is not negative; a NaN counts as negative.
    pub(crate) fn select_by_sign(&mut self, site: Site<'_>) -> Result<()> {
        let c = self.operand(site, 3)?;
        let condition = if c.ty().is_float() {
            self.b.float_compare(FloatPredicate::Oge, c, c.ty().zero())?
        } else {
            self.b.int_compare(IntPredicate::Sge, c, c.ty().zero())?
        };
        let (a, b) = (self.operand(site, 1)?, self.operand(site, 2)?);
        let value = self.b.select(condition, a, b)?;
        self.define(site, 0, value)
    }
}

fn int_predicate(cmp: Mod, signed: bool) -> Option<IntPredicate> {
    Some(match (cmp, signed) {
        (Mod::Eq, _) => IntPredicate::Eq,
        (Mod::Ne, _) => IntPredicate::Ne,
        (Mod::Lt, true) => IntPredicate::Slt,
        (Mod::Le, true) => IntPredicate::Sle,
        (Mod::Gt, true) => IntPredicate::Sgt,
        (Mod::Ge, true) => IntPredicate::Sge,
        (Mod::Lt | Mod::Lo, _) => IntPredicate::Ult,
        (Mod::Le | Mod::Ls, _) => IntPredicate::Ule,
        (Mod::Gt | Mod::Hi, _) => IntPredicate::Ugt,
        (Mod::Ge | Mod::Hs, _) => IntPredicate::Uge,
        _ => return None,
    })
}

fn float_predicate(cmp: Mod) -> Option<FloatPredicate> {
    Some(match cmp {
        Mod::Eq => FloatPredicate::Oeq,
        Mod::Ne => FloatPredicate::One,
        Mod::Lt => FloatPredicate::Olt,
        Mod::Le => FloatPredicate::Ole,
        Mod::Gt => FloatPredicate::Ogt,
        Mod::Ge => FloatPredicate::Oge,
        Mod::Equ => FloatPredicate::Ueq,
        Mod::Neu => FloatPredicate::Une,
        Mod::Ltu => FloatPredicate::Ult,
        Mod::Leu => FloatPredicate::Ule,
        Mod::Gtu => FloatPredicate::Ugt,
        Mod::Geu => FloatPredicate::Uge,
        Mod::Num => FloatPredicate::Ord,
        Mod::NanCmp => FloatPredicate::Uno,
        _ => return None,
    })
}
